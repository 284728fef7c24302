# SPDX-License-Identifier: BSD-2-Clause
"""Damaged copies of the known traces: what `xtr recover` says of them, and what is in what it makes."""

import os
import subprocess
import tempfile


def chunks(data):
    """[from, to) of each chunk."""
    at, found = 64, []
    while data[at:at + 4] == b"\xd8XTC":
        end = (at + 80 + int.from_bytes(data[at + 24:at + 28], "little") + 7) // 8 * 8
        found.append((at, end))
        at = end
    return found


def flipped(data):
    """A bit in the payload of the first events."""
    at = chunks(data)[2][0] + 90
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1:]


def cut(data):
    """The end is gone, and half of the last events."""
    begin, end = chunks(data)[3]
    return data[:(begin + end) // 2]


def gone(data):
    """Events that are not there any more; the rest is."""
    begin, end = chunks(data)[3]
    return data[:begin] + data[end:]


def moved(data):
    """The second events stand before the first, and the file header is gone."""
    (begin, middle), (_, end) = chunks(data)[2:4]
    return data[64:begin] + data[middle:end] + data[begin:middle] + data[end:]


# Name, of which trace, damage, exit status of recover.
CASES = [("flipped", "trouble", flipped, 3), ("cut", "npu", cut, 3), ("gone", "npu", gone, 3), ("moved", "trouble", moved, 0)]


def outputs(xtr, folder):
    """(file here, bytes, what went wrong or None) of each case."""
    for name, scenario, damage, status in CASES:
        with open(os.path.join(folder, scenario + ".xtr"), "rb") as f:
            data = damage(f.read())
        with tempfile.TemporaryDirectory(prefix="xtr-golden-") as room:
            with open(os.path.join(room, name + ".xtr"), "wb") as f:
                f.write(data)
            done = subprocess.run([xtr, "recover", "--json", name + ".xtr"], cwd=room, capture_output=True, check=False)
            wrong = None if done.returncode == status else f"{done.returncode}, not {status}: {done.stderr.decode()}"
            dump = subprocess.run([xtr, "dump", name + ".recovered.xtr"], cwd=room, capture_output=True, check=False)
        yield f"{name}.recover.json", done.stdout, wrong
        yield f"{name}.recover.txt", done.stderr, None
        yield f"{name}.recovered.dump.txt", dump.stdout, None
