#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`xtr flame` of a recording with --stack against what fakegpu-load does and the driver knows: of each thread's jobs the first of three
is submitted by draw_frame, the others by copy_pixels; it waits in wait_for_room while it works, and in wait_for_rest at its end.

usage: accept_flame.py XTR DIR (run.xtr, truth.csv). Prints one line per check.
"""
import collections
import csv
import json
import subprocess
import sys

from judge import check, measured, status

SUBMIT = ("draw_frame", "copy_pixels")
WAIT = ("wait_for_room", "wait_for_rest")


def output(*command):
    p = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # 3: events were lost
    return p.stdout.decode()


def by_function(xtr, path, functions, *options):
    """Weights of xtr flame by the function that is in the stack; None: by none or by several."""
    out = collections.Counter()
    for line in output(xtr, "flame", "-q", "-f", "folded", *options, path).splitlines():
        stack, weight = line.rsplit(" ", 1)
        found = [f for f in functions if f in stack.split(";")]
        out[found[0] if len(found) == 1 else None] += int(weight)
    return out


def truth(directory):
    """(context, seqno) to the function that submitted it, and to how long it was on the hardware, ns."""
    threads = collections.defaultdict(list)
    with open(directory + "/truth.csv", encoding="ascii") as f:
        for row in csv.DictReader(f):
            threads[row["tid"]].append(row)
    function, took = {}, {}
    for rows in threads.values():
        rows.sort(key=lambda r: int(r["queue_ns"]))
        for i, r in enumerate(rows):
            key = r["context"], r["seqno"]
            function[key] = SUBMIT[i % 3 != 0]
            took[key] = int(r["end_ns"]) - int(r["start_ns"])
    return function, took


def main(xtr, directory):
    path = directory + "/run.xtr"
    function, took = truth(directory)
    lost = json.loads(output(xtr, "info", "--json", path))["lost"]
    want, real = collections.Counter(), collections.Counter()
    for line in output(xtr, "jobs", "--jsonl", path).splitlines():
        job = json.loads(line)
        key = str(job["context"]), str(job["seqno"])
        want[function.get(key)] += job.get("exec_max_ns") or 0
    for key, name in function.items():
        real[name] += took[key]
    counts = by_function(xtr, path, SUBMIT, "--weight", "count")
    expected = collections.Counter(function.values())
    check(lost or counts == expected, f"jobs by function: {dict(counts)}, the driver has {dict(expected)}, {lost} events lost")
    flame = by_function(xtr, path, SUBMIT)
    check(lost or flame == want, f"execution by function: {dict(flame)}, by the jobs themselves {dict(want)}")
    share, true = (c["draw_frame"] / max(1, sum(c.values())) for c in (flame, real))
    measured(abs(share - true) < 0.05, f"draw_frame has {share:.3f} of the execution, {true:.3f} by the driver's log")
    waits = by_function(xtr, path, WAIT, "--weight", "wait")
    n = json.loads(output(xtr, "stats", "--json", path))["sections"][0]
    total = sum(w["wait_ns"]["sum"] for w in n.get("fences", {}).get("waiters", []))
    check(sum(waits.values()) == total > 0, f"waits: {dict(waits)}, stats has {total} ns")
    check(lost or all(waits[f] for f in WAIT), "both functions wait")
    check(lost or not waits[None], "every wait has the stack of one of them")
    return status()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
