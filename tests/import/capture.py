# SPDX-License-Identifier: BSD-2-Clause
"""The capture of npu_matmul.txt as bpftrace printed it."""

import hashlib
import os

SHA256 = "54126aaba82458919169dd1931934d5e57e34219ea5be85618b865258af0f4fd"  # of the original


def rules(path):
    """Name of each rule: what it stands for, as (word, how often)."""
    found, last = {}, None
    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if line.startswith("#") or not words:
                continue
            if words[1:2] == ["="]:
                last, words = words[0], words[2:]
                found[last] = []
            for word in words:
                name, _, times = word.partition("*")
                found[last].append((name, int(times or 1)))
    return found


def calls():
    """Names of the functions in the order of the calls."""
    found = rules(os.path.join(os.path.dirname(os.path.abspath(__file__)), "npu_matmul.txt"))

    def expand(rule):
        for name, times in found[rule]:
            for _ in range(times):
                if name in found:
                    yield from expand(name)
                else:
                    yield "ivpu_" + name

    return list(expand("main"))


def text():
    """The file, byte by byte."""
    lines = ["Attaching 223 probes...", *(f"kprobe:intel_vpu:{name}" for name in calls()), "", "", ""]
    data = "\n".join(lines).encode()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise AssertionError("npu_matmul.txt does not give the original capture")
    return data
