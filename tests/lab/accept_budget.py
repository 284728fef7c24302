#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges a recording of the fake GPU's jobs under a budget that is too small for all of them.

usage: accept_budget.py XTR DIR

Recorded + lost + filtered = emitted, for each tracepoint. At each level only those jobs and fences are in the file that
the level takes (spec/events.md), and of a job that was taken and lies within one stretch, all steps. Nothing is said to be
inferred of jobs in a stretch in which others were left out.
"""

import csv
import json
import subprocess
import sys

from accept_check import OLD_NAMES
from judge import check, lossy, measured, status

COUNTED = 9
SETTLE = 50_000_000  # ns: a program that was preempted when the level changed
MASK = (1 << 64) - 1


def output(*args):
    return subprocess.run(args, stdout=subprocess.PIPE).stdout


def takes(level, ctx, seqno):
    h = ((ctx & 0xffffffff) << 32 | seqno & 0xffffffff) * 0x9E3779B97F4A7C15 & MASK
    i = (h ^ h >> 32) * 0xC4CEB9FE1A85EC53 & MASK
    return level < COUNTED and not i >> 32 & (1 << level) - 1


def stretches(events):
    """[from, to, level] of the times in which one level held, without those around its changes."""
    steps = [(e["ts_ns"], e["fields"]["level"]["value"]) for e in events if e["event"] == "xtr:budget"]
    ends = [ts for ts, _ in steps[1:]] + [1 << 63]
    return [(ts + SETTLE, end - SETTLE, level) for (ts, level), end in zip(steps, ends) if ts + SETTLE < end - SETTLE]


def level_at(spans, ts):
    return next((level for first, last, level in spans if first <= ts <= last), None)


def check_account(info, emitted):
    recorded = {e["name"].split(":")[1]: e["count"] for e in info["event_types"] if e["name"] != "xtr:budget"}
    other = {}
    for entry in info["loss"]:
        name = entry["name"].split(":")[1]
        other[name] = other.get(name, 0) + entry["count"]
    for name in sorted(set(recorded) | set(other)):
        have = recorded.get(name, 0) + other.get(name, 0)
        check(have == emitted[name], f"{name}: recorded {recorded.get(name, 0)} + left out and lost {other.get(name, 0)}"
              f" = {have}, emitted {emitted[name]}")
    measured(info["filtered"] > 0, f"left out: {info['filtered']}")


def check_chosen(events, spans):
    seen, wrong = {}, []
    for e in events:
        key = e["fields"].get("ctx"), e["fields"].get("seqno")
        level = level_at(spans, e["ts_ns"]) if key[1] is not None else None
        if level is None:
            continue
        seen[level] = seen.get(level, 0) + 1
        if not takes(level, *key):
            wrong.append((level, e["event"], key))
    check(not wrong, f"events by level: {seen}; of jobs that the level does not take: {wrong[:3]}")


def check_whole(events, spans, lost):
    """Jobs whose queue and done are in one stretch: run is, too."""
    steps = {}
    for e in events:
        if e["event"].startswith("gpu_scheduler:drm_sched_job_"):
            name = e["event"].rsplit("_", 1)[1]
            steps.setdefault((e["fields"]["ctx"], e["fields"]["seqno"]), {})[name] = e["ts_ns"]
    inside = [s for s in steps.values() if {"queue", "done"} <= set(s) and level_at(spans, s["queue"]) is not None
              and level_at(spans, s["queue"]) == level_at(spans, s["done"])]
    check(len([s for s in inside if "run" not in s]) <= lost, f"{len(inside)} jobs queued and done at one level were run")


def main(argv):
    xtr, directory = argv[1:]
    path = directory + "/run.xtr"
    info = json.loads(output(xtr, "info", "--json", path))["sections"][0]
    with open(directory + "/emitted.txt") as f:
        emitted = {OLD_NAMES.get(name, name): int(n) for name, n in map(str.split, f)}
    events = [json.loads(line) for line in output(xtr, "dump", "--json", path).splitlines()]
    gaps = [(e["first_ns"], e["last_ns"]) for e in events if e.get("left_out")]
    events = [e for e in events if "event" in e]
    spans = stretches(events)
    if info["lost"]:
        lossy()
    measured(any(level for *_, level in spans), f"levels: {[level for *_, level in spans]}")
    check_account(info, emitted)
    check_chosen(events, spans)
    check_whole(events, spans, info["lost"])
    jobs = list(csv.DictReader(output(xtr, "jobs", "--csv", path).decode().splitlines()))
    within = [j for j in jobs if j["run_ns"] and any(a <= int(j["run_ns"]) <= b for a, b in gaps)]
    known = [j for j in within if j["quality"] in ("exact", "inferred")]
    check(not known, f"{len(within)} jobs were run while others were left out, {len(known)} of them are not only bounded")
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
