# SPDX-License-Identifier: BSD-2-Clause
"""A made-up load of GPU jobs with its truth: two devices with rings of equal names, jobs that complete out of order,
addresses of fences that are used again, dependencies. Told as tracepoints of both generations."""

import random

BASE = 5_000_000_000_000
RINGS = [(dev, ring) for dev in ("0000:03:00.0", "0000:04:00.0") for ring in ("gfx_0.0.0", "sdma0")]


class Job:
    pass


def make(n=200, seed=3, long_size=8, same_ids=False):
    """same_ids: the schedulers of both devices number their jobs alike."""
    rng = random.Random(seed)
    entities = []
    for number, (dev, ring) in enumerate(RINGS):
        for _ in range(2):
            address = (0xffff888000100000 if long_size == 8 else 0xc0100000) + 0x400 * len(entities)
            entities.append((dev, ring, number, address, 10 + 2 * len(entities), 1000 + len(entities)))
    jobs, ids, seqnos, free, last = [], {}, {}, [], {}
    now = BASE
    for i in range(n):
        now += rng.randrange(2_000, 900_000)
        j = Job()
        j.dev, j.ring, number, j.entity, j.ctx, j.tid = rng.choice(entities)
        j.id = ids[number] = ids.get(number, 0 if same_ids else 1_000_000 * number) + 1
        j.thread = 200 + number
        j.seqno = seqnos[j.ctx] = seqnos.get(j.ctx, 0) + 1
        j.queue = now
        # An entity's jobs are looked at and run one after the other.
        j.look = max(now, last[j.ctx].run if j.ctx in last else 0) + 900
        last[j.ctx] = j
        j.run = j.look + rng.randrange(2_100, 400_000)
        # What another ring has in flight; on one ring a job waits only until the other is run.
        flying = [d for d in jobs[-8:] if d.done > j.look + 1000 and d.ring != j.ring]
        j.dep = rng.choice(flying) if flying and rng.random() < 0.3 else None
        if j.dep:
            j.run = max(j.run, j.dep.done + 2_000)
        j.done = j.run + rng.randrange(50_000, 3_000_000)
        # The slab gives the address of a job that is over to one of the next.
        over = [a for a, until in free if until < now - 1000]
        if over and rng.random() < 0.9:
            j.fence = rng.choice(over)
            free = [(a, until) for a, until in free if a != j.fence]
        else:
            j.fence = (0xffff888001000040 if long_size == 8 else 0xc1000040) + 0xc0 * i
        free.append((j.fence, j.done))
        j.cpus = [rng.randrange(4) for _ in range(4)]
        jobs.append(j)
    return jobs


def comm_of(tid):
    return f"app-{tid}"


def comms():
    return [(1000 + i, comm_of(1000 + i)) for i in range(8)]


def as_new(jobs):
    for j in jobs:
        both = {"name": j.ring, "dev": j.dev, "job_count": 3, "hw_job_count": 1, "fence_context": j.ctx,
                "fence_seqno": j.seqno, "client_id": j.tid - 990}
        key = {"fence_context": j.ctx, "fence_seqno": j.seqno}
        yield j.queue, j.cpus[0], j.tid, "drm_sched_job_queue", both
        if j.dep:
            dep = {**key, "ctx": j.dep.ctx, "seqno": j.dep.seqno}
            yield j.queue + 200, j.cpus[0], j.tid, "drm_sched_job_add_dep", dep
            yield j.look, j.cpus[1], 77, "drm_sched_job_unschedulable", dep
        yield j.run, j.cpus[2], 77, "drm_sched_job_run", both
        yield j.done, j.cpus[3], 0, "drm_sched_job_done", key


def as_old(jobs, threads):
    for j in jobs:
        both = {"entity": j.entity, "fence": j.fence, "name": j.ring, "id": j.id, "job_count": 3, "hw_job_count": 1}
        yield j.queue, j.cpus[0], j.tid, "drm_sched_job", both
        if j.dep:
            yield j.look, j.cpus[1], j.thread if threads else 77, "drm_sched_job_wait_dep", {
                "name": j.ring, "id": j.id, "fence": j.dep.fence, "ctx": j.dep.ctx, "seqno": j.dep.seqno}
        yield j.run, j.cpus[2], j.thread if threads else 77, "drm_run_job", both
        yield j.done, j.cpus[3], 0, "drm_sched_process_job", {"fence": j.fence}


def told(jobs, old, threads=False):
    """All events in order of time: (ts, cpu, tid, event, values). threads: each scheduler has its own."""
    return sorted(as_old(jobs, threads) if old else as_new(jobs), key=lambda e: e[0])
