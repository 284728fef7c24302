#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`xtr flame --idle` and the section idle of a recording with --idle-stacks, against what fakegpu-frames did (when it computed and
slept, by its own clock) and when the driver executed its jobs.

usage: accept_idle.py XTR DIR (run.xtr, frames.txt, truth.csv). Prints one line per check.
"""
import collections
import csv
import json
import subprocess
import sys

from judge import check, lossy, measured, status

COMPUTES, SLEEPS = 6000000, 4000000  # ns, each time (fakegpu-frames.c)


def output(*command):
    p = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # 3: events were lost
    return p.stdout.decode()


def overlap(stretches, others):
    """How long both lasted; each list is in order."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in stretches for c, d in others if c < b and a < d)


def stacks(xtr, path):
    """Weight by what the thread did and by the function of the program."""
    out = collections.Counter()
    for line in output(xtr, "flame", "-q", "-f", "folded", "--weight", "idle", path).splitlines():
        frames, weight = line.rsplit(" ", 1)
        frames = frames.split(";")
        found = [f for f in ("prepare_frame", "wait_for_input") if f in frames]
        out[frames[0], found[0] if len(found) == 1 else None] += int(weight)
    return out


def main(xtr, directory):
    path = directory + "/run.xtr"
    if json.loads(output(xtr, "info", "--json", path))["lost"]:
        lossy()
    with open(directory + "/frames.txt", encoding="ascii") as f:
        frames = [tuple(map(int, line.split())) for line in f]
    with open(directory + "/truth.csv", encoding="ascii") as f:
        jobs = sorted((int(r["start_ns"]), int(r["end_ns"])) for r in csv.DictReader(f))
    check(len(jobs) == len(frames) + 1, f"{len(jobs)} jobs, {len(frames)} frames")
    idle = [(a[1], b[0]) for a, b in zip(jobs, jobs[1:]) if a[1] < b[0]]
    truth = sum(b - a for a, b in idle)
    computed = overlap([(a, b) for a, b, _ in frames], idle)
    slept = overlap([(b, c) for _, b, c in frames], idle)

    section = json.loads(output(xtr, "stats", "--json", "-s", "idle", path))["sections"][0]["idle"]
    device, states = section["devices"][0], {s["state"]: s for s in section["states"]}
    told = stacks(xtr, path)
    by_state = collections.Counter()
    for (mark, _), ns in told.items():
        by_state[mark] += ns
    check(sum(told.values()) == device["idle_ns"] == sum(s["ns"] for s in section["states"]),
          "flame and stats divide the same idle time")
    # A job begins when it is handed over, and that is recorded before: never more than the driver knows.
    check(device["idle_ns"] <= truth, f"idle for {device['idle_ns']} ns, by the driver {truth}")
    measured(device["idle_ns"] >= 0.8 * truth, "at least four fifths of that")
    check(told["[sleeping]", "wait_for_input"] <= slept, f"asleep {told['[sleeping]', 'wait_for_input']} ns, by its own clock {slept}")
    measured(by_state["[sleeping]"] + by_state["[waiting for a CPU]"] >= 0.5 * len(frames) * SLEEPS, f"off its CPU: {dict(by_state)}")
    measured(by_state["[running]"] >= 0.5 * len(frames) * COMPUTES, f"running, by its own clock it computed for {computed}")
    measured(told["[running]", "prepare_frame"] >= 0.5 * by_state["[running]"], "most of it in prepare_frame")
    measured(told["[sleeping]", "wait_for_input"] >= 0.9 * by_state["[sleeping]"], "it sleeps in wait_for_input")
    measured(device["explained_ns"] >= 0.9 * device["idle_ns"], f"explained: {device['explained_ns']} of {device['idle_ns']} ns")
    measured(states["running"]["leaf"] in ("prepare_frame", "spin"), f"most of it in {states['running']['leaf']}")
    measured(states["sleeping"]["leaf"] in ("wait_for_input", "nap"), f"most of it in {states['sleeping']['leaf']}")
    return status()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
