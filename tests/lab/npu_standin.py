#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges the stand-in for intel_vpu itself.

usage: npu_standin.py driver DIR      DIR has real/ (where the kernel has a driver) and standin/
       npu_standin.py scenario DIR    DIR has the results of one scenario under plain tracefs

Prints one line per check.
"""

import csv
import json
import os
import sys

from judge import check, measured, status

# Trace points of system vpu, from Linux 7.2: (type, name, offset, size, signed).
VPU_FIELDS = {
    "job": [("const char *", "event", 8, 8, 0), ("u32", "ctx_id", 16, 4, 0), ("u32", "engine_id", 20, 4, 0),
            ("u32", "job_id", 24, 4, 0)],
    "jsm": [("const char *", "event", 8, 8, 0), ("const char *", "type", 16, 8, 0),
            ("enum vpu_ipc_msg_status", "status", 24, 4, 0), ("u32", "request_id", 28, 4, 0),
            ("u32", "result", 32, 4, 0)],
    "pm": [("const char *", "event", 8, 8, 0)],
}

# Functions that the compiler left in the driver of the capture (6.13), but not in Debian's 6.12.
ONLY_CAPTURED = {"ivpu_hw_btrs_ratio_to_freq", "ivpu_mmu_cd_clear", "ivpu_mmu_cd_set",
                 "ivpu_mmu_cdtab_entry_set"}

# Calls of the captured run on a real NPU, which scenario matmul repeats.
CAPTURED = {
    "ivpu_mmu_context_map_page": 4131, "ivpu_hw_ip_ipc_rx_count_get": 951, "ivpu_ipc_irq_handler": 946,
    "ivpu_ipc_receive": 945, "ivpu_pgtable_free_page": 517, "ivpu_mmu_cmdq_cmd_write": 110,
    "ivpu_mmu_cmdq_sync": 54, "ivpu_mmu_invalidate_tlb": 50, "ivpu_mmu_context_map_sgt": 25,
    "ivpu_mmu_context_unmap_sgt": 25, "ivpu_gem_create_object": 25, "ivpu_gem_bo_free": 25,
    "ivpu_bo_create_ioctl": 24, "ivpu_bo_info_ioctl": 24, "ivpu_get_param_ioctl": 13,
    "ivpu_pgtable_alloc_page": 12, "ivpu_ipc_msg_dump": 8, "ivpu_jsm_msg_dump": 7,
    "ivpu_hw_btrs_is_idle": 6, "ivpu_hw_irq_handler": 4, "ivpu_open": 3, "ivpu_postclose": 3,
    "ivpu_rpm_get": 3, "ivpu_ipc_send": 3, "ivpu_bo_wait_ioctl": 1, "ivpu_boot": 1,
    "ivpu_pm_runtime_suspend_cb": 1, "ivpu_job_done_callback": 1,
}


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def formats(text):
    """name -> fields of its own, from the text of format files."""
    events, fields = {}, None
    for line in text.splitlines():
        if line.startswith("name:"):
            fields = events.setdefault(line.split()[1], [])
        elif "field:" in line:
            parts = [p.strip() for p in line.strip().split(";") if p.strip()]
            kind, _, name = parts[0].partition(":")[2].rpartition(" ")
            numbers = [int(p.split(":")[1]) for p in parts[1:]]
            if not name.startswith("common_"):
                fields.append((kind, name, *numbers))
    return events


def check_driver(directory):
    ours = set(read(directory, "standin", "functions").split())
    names = {n for n in ours if n.startswith("ivpu_")}
    check(len(names) > 100, f"the stand-in has {len(names)} functions ivpu_*")
    new = os.path.exists(os.path.join(directory, "standin", "formats"))
    flavour = {"ivpu_bo_bind", "ivpu_cmdq_submit_ioctl", "ivpu_job_signal"} if new else \
        {"ivpu_bo_pin", "ivpu_irq_thread_handler", "ivpu_job_signal_and_destroy.isra.0"}
    check(flavour <= names, f"it is the driver {'with' if new else 'without'} trace points: {sorted(flavour)}")
    if os.path.isdir(os.path.join(directory, "real")):
        real = set(read(directory, "real", "functions").split())
        check(not names - real - ONLY_CAPTURED, f"the real driver has all of them: not "
              f"{sorted(names - real - ONLY_CAPTURED)}")
        check(os.path.exists(os.path.join(directory, "real", "formats")) == new,
              "the real driver agrees about trace points")
    else:
        check("FATAL" in read(directory, "modprobe.err"), "this kernel has no driver of its own")
    if not new:
        return
    text = read(directory, "standin", "formats")
    check(formats(text) == VPU_FIELDS, "the trace points have the fields of Linux 7.2")
    check(text == read(directory, "real", "formats"), "their format files are the real driver's, to the byte")


def check_log(directory, calls, counts, control):
    check(control["full"] == 0 and control["live"] == 0, f"the log is whole: {control}")
    check(len(calls) == control["calls"] and all(int(c["end_ns"]) >= int(c["begin_ns"]) > 0 for c in calls),
          f"each of {len(calls)} calls has begun and ended")
    per = {}
    for c in calls:
        per[c["function"]] = per.get(c["function"], 0) + 1
    uncounted = [n for n, k in per.items() if counts.get(n) != k]
    check(not uncounted, f"as many calls counted as logged: not {uncounted}")
    hard = {c["function"] for c in calls if c["context"] == "hardirq"}
    check("ivpu_hw_irq_handler" in hard and all(c["context"] == "hardirq" for c in calls
          if c["function"] == "ivpu_hw_irq_handler"), "interrupts are in hard interrupt context")


def check_traced(directory, counts):
    stats = read(directory, "stats")
    dropped = [line for line in stats.splitlines() if line.startswith(("overrun", "dropped", "commit overrun"))
               and not line.endswith(": 0")]
    check("overrun" in stats and not dropped, f"tracefs lost nothing {dropped}")
    traced = {}
    for line in read(directory, "traced").splitlines():
        count, name = line.split()
        # A compiler's suffix is part of the name here, not in the truth.
        traced[name.rstrip(":").split(".")[0]] = int(count)
    wrong = {n: (k, traced.get(n, 0)) for n, k in counts.items()
             if ":" not in n and traced.get(n, 0) != k}
    total = sum(k for n, k in counts.items() if ":" not in n)
    check(not wrong, f"{total} calls as tracefs saw them; {len(wrong)} functions not (truth, tracefs): "
          f"{dict(list(wrong.items())[:4])}")
    if counts["event:job"]:
        events = {n: traced.get(n, 0) for n in ("job", "jsm", "pm")}
        check(all(counts["event:" + n] == k for n, k in events.items()), f"trace points of vpu: {events}")


def check_jobs(jobs, calls, load):
    check(len(jobs) == load["jobs"] > 0, f"{len(jobs)} jobs")
    check(len({j["fence_context"] for j in jobs}) == len(jobs), "a fence context for each")
    last = 0
    bad = sum(not int(j["doorbell_ns"]) <= int(j["submit_ns"]) <= int(j["start_ns"]) < int(j["end_ns"])
              <= int(j["signal_ns"]) for j in jobs)
    check(bad == 0, f"submitted, started, ended, signalled, in this order ({bad} not)")
    for j in sorted(jobs, key=lambda j: int(j["start_ns"])):
        bad += int(j["start_ns"]) < last
        last = int(j["end_ns"])
    check(bad == 0, "one after the other")
    ids = [(j["ctx"], j["job_id"]) for j in jobs]
    check(all((int(c) - 1) * 256 <= int(i) < int(c) * 256 for c, i in ids), "job ids of their contexts")
    return len(ids) - len(set(ids))


def scenario_matmul(calls, counts, jobs):
    wrong = {n: (k, counts.get(n)) for n, k in CAPTURED.items() if counts.get(n) != k}
    check(not wrong, f"as many calls as in the capture; not (capture, here) {wrong}")
    total = sum(v for n, v in counts.items() if n.startswith("ivpu_mmu_context_map_page")
                or n.startswith("ivpu_pgtable_free_page"))
    check(total == 4648, f"{total} calls of memory management")
    submit = [c for c in calls if c["function"] in ("ivpu_submit_ioctl", "ivpu_cmdq_submit_ioctl")][0]
    maps = [c for c in calls if c["function"] == "ivpu_mmu_context_map_sgt"]
    inside = sum(submit["tid"] == c["tid"] and int(submit["begin_ns"]) <= int(c["begin_ns"])
                 and int(c["end_ns"]) <= int(submit["end_ns"]) for c in maps)
    check(inside >= 24, f"{inside} of {len(maps)} mappings are inside the one submit")


def scenario_many(calls, counts, jobs):
    check(len(jobs) >= 2 * 256, f"{len(jobs)} jobs")


def scenario_stall(calls, counts, jobs):
    long = [i for i, j in enumerate(jobs) if int(j["end_ns"]) - int(j["start_ns"]) >= 300_000_000]
    check(9 in long, f"the tenth job stalls: {long}")
    measured(long == [9], f"no other job does: {long}")


def scenario_retry(calls, counts, jobs):
    tries = [c for c in calls if c["args"] == "timeout_ms=100" and c["ret"] == "-110"
             and int(c["end_ns"]) - int(c["begin_ns"]) >= 50_000_000]
    check(len(tries) == 3, f"{len(tries)} requests stay without an answer for up to 100 ms")


def scenario_slow_alloc(calls, counts, jobs):
    times = [int(c["end_ns"]) - int(c["begin_ns"]) for c in calls if c["function"] == "ivpu_bo_create_ioctl"]
    slow = [i for i, t in enumerate(times) if t >= 30_000_000]
    check(19 in slow and len(times) == 34, f"of {len(times)} buffers the 20th is slow: {slow}")
    measured(len(slow) < 4, f"few others are: {slow}")


def scenario_cold(calls, counts, jobs):
    submits = [c for c in calls if c["function"] in ("ivpu_submit_ioctl", "ivpu_cmdq_submit_ioctl")]
    boots = [c for c in calls if c["function"] == "ivpu_boot"]
    paid = sum(any(s["tid"] == b["tid"] and int(s["begin_ns"]) < int(b["begin_ns"]) < int(s["end_ns"])
                   for b in boots) for s in submits)
    check(paid >= 4, f"{paid} of {len(submits)} submits boot the firmware")


def check_scenario(directory):
    check(read(directory, "status").strip() == "0", "npu-load ended well " + read(directory, "load.err"))
    load = json.loads(read(directory, "load.json"))
    counts = {n.split(".")[0]: int(k) for n, k in (line.split() for line in read(directory, "counts").splitlines())}
    control = {n: int(k) for n, k in (line.split() for line in read(directory, "control").splitlines())}
    calls = list(csv.DictReader(read(directory, "truth").splitlines()))
    jobs = list(csv.DictReader(read(directory, "jobs").splitlines()))
    check_log(directory, calls, counts, control)
    check_traced(directory, counts)
    again = check_jobs(jobs, calls, load)
    check((again > 0) == (load["scenario"] == "many"), f"{again} job ids were used again")
    rows = list(csv.reader(read(directory, "ze.csv").splitlines()))
    nested = sum(r[3] == "2" for r in rows)
    check(rows and all(r[6] == "0" for r in rows), f"{len(rows)} calls of Level Zero, {nested} within others")
    globals()["scenario_" + load["scenario"].replace("-", "_")](calls, counts, jobs)


def main(argv):
    {"driver": check_driver, "scenario": check_scenario}[argv[1]](argv[2])
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
