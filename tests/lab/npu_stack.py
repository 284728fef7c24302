#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Jobs of the NPU recorded with --stack: `xtr flame` files each under the function of npu-load that submitted it.

usage: npu_stack.py XTR DIR (run.xtr, and jobs, what the stand-in knows). Prints one line per check.
"""
import csv
import json
import subprocess
import sys

from judge import check, lossy, status


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout.decode()  # 3: events were lost


def main(xtr, directory):
    path = directory + "/run.xtr"
    with open(directory + "/jobs", encoding="ascii") as f:
        jobs = sum(1 for _ in csv.DictReader(f))
    lost = json.loads(output(xtr, "info", "--json", path))["lost"]
    stacks = [line.rsplit(" ", 1) for line in output(xtr, "flame", "-q", "-f", "folded", "--weight", "count", path).splitlines()]
    known = [(s.split(";"), int(n)) for s, n in stacks if "[no stack]" not in s]
    seen = sum(int(n) for _, n in stacks)
    with_stack = sum(n for _, n in known)
    if lost:
        lossy()
    check(seen == jobs > 0, f"{seen} jobs, the driver has {jobs}")
    # The entry of the ioctl may be lost; then the stack is that of the fence's making, in the same call.
    check(with_stack >= jobs - lost, f"{with_stack} jobs have a stack, {lost} events were lost")
    for frames in ("many_thread", "run_list"):
        n = sum(n for s, n in known if frames in s)
        check(n == with_stack, f"{frames} is in the stacks of {n} jobs")
    check(any(f.endswith("submit_ioctl") for s, _ in known for f in s), "the driver's ioctl is in a stack")
    return status()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
