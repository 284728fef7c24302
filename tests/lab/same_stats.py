#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The old-name and the new-name kernels must give the same statistics: sections, columns, keys.

usage: same_stats.py XTR DIR...     (DIR/basic/run.xtr of each kernel, the same workload)

Compares the set of keys of `xtr stats --json` and the headings and column titles of its text; the
numbers differ, of course, as the machines were emulated at different times. Findings are left out:
whether a limit was passed is a measurement too (a host that stops a guest makes some).
"""

import json
import re
import subprocess
import sys


def run(xtr, *args):
    done = subprocess.run([xtr, "stats", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        sys.exit(f"FAIL xtr stats {' '.join(args)} ended with {done.returncode}")
    return done.stdout.decode()


def paths(value, path=""):
    """Every key path of a JSON document; list items share one path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}.{key}"
            if key != "findings":
                yield from paths(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, path + "[]")


# Told only where events were lost, as Linux 7.x may: the total, and a table of trouble or "none".
WITH_LOSSES = r"^Lost|^none: every job|^device ring jobs .* lost killed"


def headings(text):
    """Lines that name things: those without any digit."""
    text = re.sub(r"^Findings\n(.+\n)*\n?", "", text, flags=re.MULTILINE)
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    return [line for line in lines if line and not re.search(r"\d|" + WITH_LOSSES, line)]


def main(argv):
    xtr, directories = argv[1], argv[2:]
    seen = []
    for directory in directories:
        trace = directory + "/basic/run.xtr"
        seen.append((directory, set(paths(json.loads(run(xtr, "--json", trace)))),
                     headings(run(xtr, "--all", trace))))
    first = seen[0]
    if len(first[1]) < 50 or len(first[2]) < 3:
        print(f"FAIL {first[0]}: {len(first[1])} keys and {len(first[2])} headings are too few")
        return 1
    bad = 0
    for directory, keys, heads in seen[1:]:
        for key in sorted(keys ^ first[1]):
            bad += 1
            print(f"FAIL {key}: only in {directory if key in keys else first[0]}")
        if heads != first[2]:
            bad += 1
            print(f"FAIL headings differ between {first[0]} and {directory}:")
            print("\n".join(sorted(set(heads) ^ set(first[2]))))
    print(f"{len(first[1])} keys, {len(first[2])} headings, {len(seen)} kernels: {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
