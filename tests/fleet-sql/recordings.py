# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of machines that never were: every job, wait, label and loss of them is planted, so the answer to each question is
known. Written by tests/vectors/xtrgen.py, from the specification alone.
"""

import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vectors"))
import xtrgen as g  # noqa: E402

NS = 10**9
OFFSET = 489_722 * 3600 * NS  # of the wall clock: its hours are those of the boot
DEVICE = "0000:03:00.0"
RINGS = ("gfx_0.0.0", "sdma0")
PROGRAMS = ("train", "infer", "copy")  # processes 1000, 1010, 1020
PODS = {"train": "6d7c09e2-1f0a-4a9e-9d0e-0123456789ab", "infer": "aa7c09e2-1f0a-4a9e-9d0e-0123456789cd", "copy": None}
STRINGS = {1: DEVICE, 2: RINGS[0], 3: RINGS[1], 4: "drm_sched_fence_ops_finished", 5: PROGRAMS[0], 6: PROGRAMS[1], 7: PROGRAMS[2],
           **{8 + i: f"/kubepods.slice/kubepods-pod{PODS[p].replace('-', '_')}.slice/cri-containerd-{str(i) * 64}.scope"
              for i, p in enumerate(PROGRAMS[:2])}, 10: "/user.slice"}
WIDTH = {"u64": 8, "hex64": 8, "u32": 4, "s32": 4, "ring": 4, "stack": 4, "strid": 4}
FENCE = "ctx u64 seqno u64 ops strid error s32"
DEP = "ctx u64 seqno u64 dep_ctx u64 dep_seqno u64 ring ring flags u32"
EVENTS = {  # spec/events.md
    16: ("gpu_scheduler:drm_sched_job_queue",
         "ctx u64 seqno u64 client_id u64 ring ring job_count u32 hw_job_count s32 stack stack flags u32 prio s32"),
    17: ("gpu_scheduler:drm_sched_job_run", "ctx u64 seqno u64 ring ring job_count u32 hw_job_count s32 flags u32"),
    18: ("gpu_scheduler:drm_sched_job_done",
         "ctx u64 seqno u64 ring ring hw_job_count s32 hw_ctx u64 hw_seqno u64 hw_age u64 hw_error s32 flags u32"),
    19: ("gpu_scheduler:drm_sched_job_wait_dep", DEP),
    27: ("dma_fence:dma_fence_signaled", FENCE), 28: ("dma_fence:dma_fence_wait_start", FENCE), 29: ("dma_fence:dma_fence_wait_end", FENCE),
}


def description(kind):
    name, text = EVENTS[kind]
    words = text.split()
    specs = g.fields(*((f, r, WIDTH[r], None, "plain") for f, r in zip(words[::2], words[1::2])))
    return {"type": kind, "name": name, "size": specs[-1][1] + specs[-1][5], "fields": specs, "provider": 1}


def event(ts, kind, tid, *values):
    words = EVENTS[kind][1].split()[1::2]
    return g.record(ts, kind, tid, struct.pack("<" + "".join({"u64": "Q", "s32": "i"}.get(r, "I") for r in words), *values))


class Job:
    """Planted; times in ns since boot. start: execution, as the ring's jobs follow one another."""

    def __init__(self, ring, program, seqno, queue, run, start, done, error=0, dep=None):
        self.ring, self.program, self.seqno, self.error, self.dep = ring, program, seqno, error, dep
        self.queue, self.run, self.start, self.done = queue, run, start, done

    @property
    def context(self):
        return 1001 + 2 * PROGRAMS.index(self.program)


class Recording:
    """One piece of a machine's: begin is in ns since boot, and all machines have booted at the same moment."""

    def __init__(self, host, file_id, begin, length, kernel="6.12.0", driver="6.12.0", labels=(), closed=True, lost=0):
        self.host, self.file_id, self.begin, self.length = host, file_id, begin, length
        self.kernel, self.driver, self.labels, self.closed, self.lost = kernel, driver, dict(labels), closed, lost
        self.jobs, self.waits, self.free, self.seqno = [], [], dict.fromkeys(RINGS, 0), 0

    def job(self, ring, program, queue, took, wait=2000, error=0, dep=None):
        """A job that is handed over `wait` after it was queued, or when the ring is free; dep: it waits for that job."""
        run = max(queue + wait, self.free[ring], dep.done + 1000 if dep else 0)
        self.seqno += 1
        job = Job(ring, program, self.seqno, queue, run, run, run + took, error, dep)
        self.free[ring] = job.done
        self.jobs.append(job)
        return job

    def wait(self, program, job, begin):
        """A thread of the program sleeps until the job is done."""
        self.waits.append((program, job, begin, job.done + 500))

    def records(self):
        found = []
        for j in self.jobs:
            tid, ring = 1000 + 10 * PROGRAMS.index(j.program), 1 + RINGS.index(j.ring)
            found.append(event(j.queue, 16, tid, j.context, j.seqno, 7, ring, 0, 0, 0, 2, 2))
            if j.dep:
                found.append(event(j.queue + 500, 19, 300 + ring, j.context, j.seqno, j.dep.context, j.dep.seqno, ring, 0))
            found.append(event(j.run, 17, 300 + ring, j.context, j.seqno, ring, 0, 1, 3))
            found.append(event(j.done, 18, 0, j.context, j.seqno, ring, 0, ring, j.seqno, 0, 0, 48))
            found.append(event(j.done + 10, 27, 0, j.context, j.seqno, 4, j.error))
        for program, j, begin, end in self.waits:
            tid = 1001 + 10 * PROGRAMS.index(program)
            found += [event(begin, 28, tid, j.context, j.seqno, 4, 0), event(end, 29, tid, j.context, j.seqno, 4, 0)]
        return sorted(found, key=lambda r: struct.unpack_from("<Q", r))

    def bytes(self):
        config = {"piece-from": self.begin, "piece-to": self.begin + self.length, **{f"label:{k}": v for k, v in self.labels.items()}}
        device = {"name": DEVICE, "driver": "amdgpu", "driver-version": self.driver, "pci-id": "1002:744c", "model": "Planted 100",
                  "uuid": f"uuid-{self.host}"}
        s = g.begin(self.file_id, [description(k) for k in EVENTS], {
            "config": config, "writer": {"name": "planted", "version": "1"},
            "system": {"cpus": 2, "page": 4096, "uname": [self.kernel, "#1", "x86_64"], "hostname": self.host,
                       "machine-id": f"{self.file_id % 1000:032x}", "devices": [device]}})
        tasks = [[1000 + 10 * i + t, 1000 + 10 * i, 0, 5 + i, 0, 1, 8 + i] for i in range(3) for t in (0, 1)]
        s.item(g.TABLE, {"strings": STRINGS, "tasks": tasks + [[301, 301, 0, 2, 1], [302, 302, 0, 3, 1]],
                         "rings": [[1, 0, 0xA1, 1, 2, 1], [2, 0, 0xA2, 1, 3, 1]]})
        s.item(g.CLOCK, {"before": self.begin, "after": self.begin, "clocks": {"realtime": self.begin + OFFSET}})
        records = self.records()
        s.events(0, records)
        if self.lost:
            s.item(g.LOSS, {"lost": [[0, 18, 1, self.lost]]})
        if not self.closed:
            return s.data
        return s.close(len(records), self.lost)

    def write(self, folder):
        path = os.path.join(folder, f"{self.host}-{self.file_id:016x}.xtr")
        with open(path, "wb") as f:
            f.write(self.bytes())
        return path
