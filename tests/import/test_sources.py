# SPDX-License-Identifier: BSD-2-Clause
"""Jobs that a driver's own events tell of, against simulated machines (machines.py): each job once, of its submitter, on its
ring, and no execution that is not true."""

import json

import machines
from harness import equal, expect, import_file, jobs, test, xtr

US = 1000


def close(have, want, by):
    return abs(have - want) <= by


def pairs(trace, found, key):
    """Each job of the truth with the one of xtr: by name, or by the order of its ring."""
    if trace.jobs and getattr(trace.jobs[0], "key", None) and key:
        have = {(j["context"], j["seqno"]): j for j in found}
        return [(j, have.get(j.key)) for j in trace.jobs]
    rows = []
    for ring in sorted({j.ring for j in trace.jobs}):
        want = sorted((j for j in trace.jobs if j.ring == ring), key=lambda j: j.run)
        have = sorted((j for j in found if j["ring"] == ring), key=lambda j: j["run_ns"])
        equal(len(have), len(want), f"jobs of ring {ring}")
        rows += list(zip(want, have))
    return rows


def check(trace, found, quality, key=True, by=3 * US):
    equal(len(found), len(trace.jobs), "jobs")
    for want, have in pairs(trace, found, key):
        what = f"{want.__dict__}\n  have {have}"
        expect(have is not None, f"the job is there: {what}")
        equal(have["ring"], want.ring, f"ring: {what}")
        if want.tid is None:
            expect("queue_ns" not in have, f"nobody's: {what}")
        else:
            equal(have.get("tid"), want.tid, f"submitter: {what}")
            expect(close(have["submit_ns"], want.queue, by), f"queue: {what}")
        expect(close(have["run_ns"], want.run, by), f"run: {what}")
        execution = want.end - want.start if want.active is None else want.active
        if have["quality"] in ("exact", "inferred"):
            expect(close(have["done_ns"], want.end, by), f"end: {what}")
            expect(close(have["exec_ns"], execution, 2 * by), f"execution: {what}")
        expect(have["quality"] in quality, f"quality: {what}")
        if "exec_min_ns" in have:
            expect(have["exec_min_ns"] <= execution + 2 * by and execution <= have["exec_max_ns"] + 2 * by, f"bounds: {what}")
    return found


def look(folder, trace, quality, **more):
    path, _ = import_file(folder, trace.text().encode(), name="trace.txt")
    return check(trace, jobs(path), quality, **more)


def share(found, quality):
    return sum(j["quality"] == quality for j in found) / len(found)


@test
def jobs_of_amdgpu_without_the_scheduler(folder):
    for seed in range(4):
        for new in (False, True):
            found = look(folder, machines.amdgpu(seed, new), ("inferred", "bounded"))
            expect(share(found, "inferred") > 0.8, "most of them are inferred: one ring, in order")
            look(folder, machines.amdgpu(seed, new, fences=False), ("inferred", "bounded"))


@test
def jobs_of_msm_are_measured(folder):
    for seed in range(4):
        for submit in (False, True):
            look(folder, machines.msm(seed, submit), ("exact",), key=False, by=6 * US)
        look(folder, machines.msm(seed, powered=False), ("exact",), key=False, by=6 * US)


@test
def start_and_end_of_msm_may_be_of_another_counter(folder):
    """Linux 7.2 reads them from the context's counter: how long is right, when is known up to what the report takes."""
    for seed in range(4):
        trace = machines.msm(seed, another=5_000_000_000)
        path, _ = import_file(folder, trace.text().encode(), name="trace.txt")
        for want, have in pairs(trace, jobs(path), False):
            equal(have["quality"], "exact", "quality")
            expect(close(have["exec_ns"], want.end - want.start, 2 * US), f"{want.__dict__} {have}")
            expect(want.run <= have["start_ns"] + 50 * US and close(have["done_ns"], want.end, 450 * US), f"{want.__dict__} {have}")


@test
def jobs_of_the_scheduler_on_msm_are_measured(folder):
    for seed in range(4):
        for names in ("new", "old"):
            look(folder, machines.msm(seed, scheduler=names), ("exact",), key=False, by=6 * US)


@test
def jobs_of_kgsl_are_measured(folder):
    for seed in range(4):
        look(folder, machines.kgsl(seed), ("exact",), key=False, by=6 * US)
        found = look(folder, machines.kgsl(seed, preempt=True), ("exact", "bounded"), key=False, by=6 * US)
        expect(any("preempted" in j["flags"] for j in found), "some were interrupted")


@test
def jobs_of_v3d_are_exact(folder):
    for seed in range(4):
        look(folder, machines.v3d(seed), ("exact",), key=False)


@test
def requests_of_i915_in_all_forms(folder):
    for seed in range(3):
        for kernel in (44, 414, 417, 61):
            if kernel > 44:
                found = look(folder, machines.i915(seed, kernel, True), ("inferred", "bounded"))
                expect(share(found, "inferred") > 0.8, "with request_in the start is known")
            look(folder, machines.i915(seed, kernel, False), ("bounded",), key=kernel > 44)


@test
def requests_of_i915_that_share_an_out(folder):
    for seed in range(4):
        found = look(folder, machines.i915_coalesced(seed), ("inferred", "bounded"))
        ends = {}
        for j in found:
            ends.setdefault(j["done_ns"], []).append("late" in j["flags"])
        expect(all(flags.count(False) == 1 for flags in ends.values()), "of those with one `out` the last one ended then, "
               "the others by then")


@test
def jobs_of_radeon_end_with_a_later_one(folder):
    for seed in range(4):
        trace = machines.radeon(seed)
        found = look(folder, trace, ("inferred", "bounded"), key=False)
        for want, have in pairs(trace, found, False):
            expect(want.waited or "late" in have["flags"], "what nobody waited for ended at some time before")


@test
def tasks_of_lima_are_exact(folder):
    for seed in range(4):
        look(folder, machines.lima(seed), ("exact",))


@test
def jobs_of_host1x_are_bounded(folder):
    for seed in range(4):
        look(folder, machines.host1x(seed), ("bounded", "inferred"), key=False, by=70 * US)


@test
def switches_of_android_tell_exactly(folder):
    for seed in range(4):
        look(folder, machines.android_switches(seed), ("exact",), key=False, by=45 * US)


@test
def job_slots_of_mali_execute_in_order(folder):
    for seed in range(4):
        found = look(folder, machines.mali(seed), ("inferred", "bounded"), key=False)
        expect(share(found, "inferred") > 0.9, "most are inferred")


@test
def atoms_of_samsungs_mali_are_jobs(folder):
    for seed in range(2):
        for new in (False, True):
            found = look(folder, machines.mali_systrace(seed, new), ("inferred", "bounded"), key=False)
            expect(share(found, "inferred") > 0.9, "most are inferred")


@test
def a_job_behind_which_others_were_run_is_not_queued(folder):
    """Records of one CPU begin later than those of the others: runs are missing, of jobs that do not wait any more."""
    lines, job = [], "amdgpu_{}: sched_job={}, timeline=gfx, context=11, seqno={}, ring_name=gfx, num_ibs=1"
    for k in range(80):
        at = 10 + k / 1000
        lines.append(f"            game-1201    [000] ..... {at:.6f}: {job.format('cs_ioctl', k, k)}")
        if 60 <= k < 78:
            lines.append(f"             gfx-190     [001] ..... {at + 0.0001:.6f}: {job.format('sched_run_job', k, k)}")
            lines.append(f"          <idle>-0       [001] ..... {at + 0.0005:.6f}: dma_fence_signaled: driver=amd_sched "
                         f"timeline=gfx context=11 seqno={k}")
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode(), name="late.txt")
    found = {j["seqno"]: j["quality"] for j in jobs(path)}
    equal({k for k in found if found[k] == "lost"}, set(range(60)), "jobs of which the run is missing")
    equal({k for k in found if found[k] == "open"}, {78, 79}, "jobs that wait to be run")
    ring = json.loads(xtr("stats", "--json", path).out)["sections"][0]["rings"][0]
    equal(ring["depth_at_run"]["max"], 60, "before the first run nothing tells")
    expect(ring["depth_at_run"]["p50"] <= 1, "then they do not count as waiting")
