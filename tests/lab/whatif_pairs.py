#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What xtr whatif predicts from loads as they were, beside the same loads with the change really made: medians of all pairs.

usage: whatif_pairs.py XTR DIR        DIR has a folder for each pair (whatif-guest.sh)
"""

import json
import os
import statistics
import subprocess
import sys

KEYS = ("span_ns", "p50_ns", "p99_ns", "wait_ns")


def whatif(xtr, path, *arguments):
    done = subprocess.run([xtr, "whatif", "--json", *arguments, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)["sections"][0]["all"]


def victim(xtr, path):
    """The process whose jobs are shown: the one that is not called hog."""
    jobs = subprocess.run([xtr, "jobs", "--jsonl", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    pids = {j["pid"] for j in map(json.loads, jobs.splitlines()) if j.get("comm") == "fakegpu-load"}
    assert len(pids) == 1, pids
    return str(pids.pop())


def pair(xtr, directory):
    """(name, figures) of each row."""
    long, half, hog, alone = (os.path.join(directory, n, "run.xtr") for n in ("long", "half", "hog", "alone"))
    scaled = whatif(xtr, long, "--scale", "ring=*:0.5x")
    yield "jobs of 4 ms, recorded", scaled["recorded"]
    yield "--scale 'ring=*:0.5x'", scaled["predicted"]
    yield "really made: jobs of 2 ms", whatif(xtr, half)["recorded"]
    without = whatif(xtr, hog, "--without", "process=hog", "-p", victim(xtr, hog))
    yield "beside a process with jobs of 5 ms, recorded", without["recorded"]
    yield "--without process=hog", without["predicted"]
    yield "really made: without it", whatif(xtr, alone)["recorded"]


def main(xtr, directory):
    rows, n = {}, 0
    for name in sorted(os.listdir(directory), key=lambda n: (len(n), n)):
        if not os.path.isdir(os.path.join(directory, name)):
            continue
        n += 1
        for row, figures in pair(xtr, os.path.join(directory, name)):
            for key in KEYS:
                rows.setdefault(row, {}).setdefault(key, []).append(figures[key] / 1e6)
    print(f"medians of all {n} pairs, and (least to most), ms")
    print(f"{'':44}" + "".join(f"{k.removesuffix('_ns'):>24}" for k in KEYS))
    for row, figures in rows.items():
        print(f"{row:44}" + "".join(f"{statistics.median(v):9.1f} ({min(v):.1f} to {max(v):.1f})".rjust(24) for v in figures.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
