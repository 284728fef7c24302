#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges the cases of the acceptance that accept_check.py's sums do not cover.

usage: accept_cases.py pid|stack XTR DIR

pid: DIR has run.xtr of process DIR/pid alone, while others submitted too: exactly its jobs of
truth.csv have their queue event in the file and are shown; every job has its run and done event, flagged where it is another's. stack: every job of run.xtr has a
stack with names, from the driver's ioctl to the function of fakegpu-load. Prints one line per check.
"""

import csv
import json
import subprocess
import sys

from judge import check, failed, status

def events(xtr, path, name):
    p = subprocess.run([xtr, "dump", "--json", "-e", "drm_sched_job_" + name, path],
                       stdout=subprocess.PIPE)
    return [e for e in map(json.loads, p.stdout.splitlines()) if "event" in e]  # no gaps


def shown_jobs(xtr, path):
    p = subprocess.run([xtr, "jobs", "--jsonl", path], stdout=subprocess.PIPE)
    return [json.loads(line) for line in p.stdout.splitlines()]


def lost_events(xtr, path, name):
    p = subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE)
    return sum(entry["count"] for section in json.loads(p.stdout)["sections"] for entry in section["loss"]
               if entry["cause"] != "filtered" and entry["name"].endswith("drm_sched_job_" + name))


def of_others(event):
    return "others" in event["fields"]["flags"].get("flags", ())


def check_pid(xtr, directory):
    with open(directory + "/pid") as f:
        pid = int(f.read())
    with open(directory + "/truth.csv") as f:
        rows = list(csv.DictReader(f))
    everybodys = {(int(r["context"]), int(r["seqno"])) for r in rows}
    ours = {(int(r["context"]), int(r["seqno"])) for r in rows if int(r["pid"]) == pid}
    check(0 < len(ours) < len(rows), f"process {pid} submitted {len(ours)} of {len(rows)} jobs")
    unknown = set()  # jobs of which the queue event, which tells the process, was lost
    for name in ("queue", "run", "done"):
        found = events(xtr, directory + "/run.xtr", name)
        jobs = [(e["fields"]["ctx"], e["fields"]["seqno"]) for e in found]
        check(len(jobs) == len(set(jobs)), f"{name}: no job twice")
        # When a job executes depends on what others have on its ring: run and done are there of every job.
        own = {job for job, e in zip(jobs, found) if not of_others(e)}
        others, wanted = set(jobs) - own, ours if name == "queue" else everybodys
        check(not own - ours, f"{name}: {len(own - ours)} jobs of others are not said to be others'")
        check(not others & (ours - unknown), f"{name}: {len(others & (ours - unknown))} of its jobs are said to be others'")
        check(not set(jobs) - wanted, f"{name}: {len(set(jobs) - wanted)} jobs that are not of those wanted")
        # What was lost is counted, and accept_check.py has limited it.
        missing, lost = len(wanted - set(jobs)), lost_events(xtr, directory + "/run.xtr", name)
        check(missing <= lost, f"{name}: {missing} of {len(wanted)} jobs are missing, {lost} were lost")
        if name == "queue":
            unknown = ours - set(jobs)
            pids = {e["pid"] for e in found}
            check(pids == {pid}, f"queue: events of the processes {sorted(pids)}")
    shown = {(j["context"], j["seqno"]) for j in shown_jobs(xtr, directory + "/run.xtr")}
    check(shown <= ours and ours - shown <= unknown, f"xtr jobs shows {len(shown)} jobs, of these {len(shown - ours)} are others'")


def frames_of(event):
    """Frames as (symbol, module), innermost first."""
    return [(f.get("symbol"), f.get("module") or "") for f in event["fields"]["stack"] or []]


def check_stack(xtr, directory):
    found = events(xtr, directory + "/run.xtr", "queue")
    check(len(found) > 0, f"{len(found)} jobs")
    wanted = {
        "the scheduler": lambda s, m: s == "drm_sched_entity_push_job" and m == "gpu_sched",
        "the driver": lambda s, m: s == "fg_submit" and m == "xtr_fakegpu",
        "the DRM core": lambda s, m: s == "drm_ioctl" and m == "drm",
        "ioctl of libc": lambda s, m: s == "ioctl" and "libc" in m,
        "a function of the program": lambda s, m: s == "thread_main" and m.endswith("/fakegpu-load"),
    }
    stacks = [frames_of(e) for e in found]
    for what, matches in wanted.items():
        n = sum(any(matches(s, m) for s, m in frames) for frames in stacks)
        check(n == len(stacks), f"{what} is in {n} of {len(stacks)} stacks")
    if failed() and found:
        print("     e.g. " + str(found[0]["fields"]["stack"]))


def main(argv):
    {"pid": check_pid, "stack": check_stack}[argv[1]](argv[2], argv[3])
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
