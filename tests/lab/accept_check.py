#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges one recording of the lab against what the driver itself knows.

usage: accept_check.py [--need-loss] [--filtered] [--short] XTR DIR

DIR holds run.xtr, emitted.txt (events the kernel emitted, by tracepoint) and truth.csv, as
accept-guest.sh leaves them. For every tracepoint that xtr recorded: events in the file plus events
in the loss counters must be the number emitted, to the event; with --filtered (a recording of some
processes), the events of others are counted as filtered and belong to the sum; run and done are recorded of every job. --short: a load of few
events, where one preempted program (see SLICE) is more than one event in 200. Prints one line per check.
"""

import json
import subprocess
import sys

from judge import check, measured, status

# Tracepoints before Linux 6.17, and the name that xtr gives the same event on every kernel.
OLD_NAMES = {
    "drm_sched_job": "drm_sched_job_queue",
    "drm_run_job": "drm_sched_job_run",
    "drm_sched_process_job": "drm_sched_job_done",
}

# A kernel with preemptible tracepoints (7.x) skips a program that it preempted, for all tasks of that
# CPU until the task in it goes on: this many events, for a time slice of a busy guest.
SLICE = 64

def main(argv):
    need_loss = "--need-loss" in argv
    xtr, directory = [a for a in argv[1:] if not a.startswith("--")]
    info = json.loads(subprocess.run([xtr, "info", "--json", directory + "/run.xtr"],
                                     stdout=subprocess.PIPE).stdout)
    recorded = {e["name"].split(":")[1]: e["count"] for e in info["event_types"]}
    want_filtered = "--filtered" in argv
    lost, filtered, not_run = {}, {}, 0
    for section in info["sections"]:
        for entry in section["loss"]:
            name = (entry["name"] or "?").split(":")[-1]
            counts = filtered if entry["cause"] == "filtered" else lost
            not_run += entry["count"] if entry["cause"] == "not-run" else 0
            counts[name] = counts.get(name, 0) + entry["count"]
    emitted = {}
    with open(directory + "/emitted.txt") as f:
        for line in f:
            name, count = line.split()
            emitted[OLD_NAMES.get(name, name)] = int(count)
    for name in ("drm_sched_job_queue", "drm_sched_job_run", "drm_sched_job_done"):
        check(emitted.get(name, 0) > 0, f"{name}: the kernel emitted {emitted.get(name, 0)}")
    for name, count in sorted(recorded.items()):
        if name not in emitted:
            check(False, f"{name}: recorded {count}, but no such tracepoint was counted")
            continue
        others = filtered.get(name, 0)
        have = count + lost.get(name, 0) + others
        check(have == emitted[name], f"{name}: recorded {count} + lost {lost.get(name, 0)}"
              f" + filtered {others} = {have}, emitted {emitted[name]}")
        check(want_filtered or not others, f"{name}: filtered {others}")
        if want_filtered and name == "drm_sched_job_queue":
            check(others > 0 and count > 0, f"{name}: both processes had some")
        if want_filtered and name in ("drm_sched_job_run", "drm_sched_job_done"):
            check(not others and count > 0, f"{name}: of every job, filtered {others}")
    check("?" not in lost and "?" not in filtered, "every loss names its event")
    total = sum(lost.values())
    check(info["lost"] == total, f"info says {info['lost']} lost, the entries sum to {total}")
    if need_loss:
        check(total > 0, f"the small buffer lost events ({total})")
    else:
        allowed = min(not_run, SLICE) if "--short" in argv else 0
        measured((total - allowed) * 200 <= sum(emitted.values()),
              f"at most one event in 200 was lost ({total}, {not_run} of them not run)")
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
