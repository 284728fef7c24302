#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges recorders that were armed (xtr record --on-hang) while jobs of the fake GPU hung.

usage: hangs_check.py XTR CASE DIR

quiet  Jobs ran and none hung: there is no bundle.
hang   Each job that timed out (truth.csv) is in the trace of a bundle; the dump is in one, byte for byte as another program
       read it; the scheduler, the fence, the dump's and the wedged device's uevent are all told of.
lost   The driver was unloaded, and its devices are gone: bundles say so.
"""

import csv
import glob
import io
import json
import os
import subprocess
import sys
import tarfile

from judge import check, status


def members(path):
    data = subprocess.run(["zstd", "-q", "-d", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return {m.name.split("/", 1)[1]: t.extractfile(m).read() for m in t.getmembers()}


def signs(bundle):
    """(kind, device) of each sign of a hang."""
    return [tuple(line.split("] ", 1)[1].split(" ")[:2]) for line in bundle["hang.txt"].decode().splitlines()]


def jobs_of(xtr, path):
    out = subprocess.run([xtr, "jobs", "--csv", path], stdout=subprocess.PIPE, check=False).stdout.decode()
    return {(int(r["context"]), int(r["seqno"])) for r in csv.DictReader(io.StringIO(out))}


def ended(directory, *names):
    for name in names:
        with open(os.path.join(directory, name)) as f:
            check(int(f.read()) in (0, 3), f"{name}: 0, or 3 where events were lost")


def whole(directory):
    """All bundles: each has what it says that it has, and nothing is left beside them."""
    folder = os.path.join(directory, "hangs")
    paths = sorted(glob.glob(folder + "/*.tar.zst"))
    left = {os.path.basename(p) for p in os.listdir(folder)} - {os.path.basename(p) for p in paths}
    check(left <= {"hangs.txt"}, f"beside the bundles: {sorted(left)}")
    found = []
    for path in paths:
        bundle = members(path)
        manifest = json.loads(bundle["manifest.json"])
        names = {m["name"] for m in manifest["members"] if m["present"]} | {"README", "manifest.json", "SHA256SUMS"}
        check(names == set(bundle), f"{os.path.basename(path)}: {len(names)} members, as its manifest says")
        check(not [m for m in manifest["members"] if m.get("cut")], "all of them whole")
        found.append((path, bundle))
    return found


def check_quiet(_, directory):
    ended(directory, "record.status")
    check(not whole(directory), "no bundle")


def check_hang(xtr, directory):
    ended(directory, "record.status", "again.status")
    found = whole(directory)
    with open(directory + "/truth.csv") as f:
        hung = {(int(r["context"]), int(r["seqno"])) for r in csv.DictReader(f) if r["result"] == "timeout"}
    dumps = [b[name] for _, b in found for name in b if name.startswith("devcoredump-")]
    told = [s for _, b in found for s in signs(b)]
    kinds = {kind for kind, _ in told}
    check(hung, f"{len(hung)} jobs hung")
    traced = set().union(*(jobs_of(xtr, path) for path, b in found if "trace.xtr" in b))
    check(hung <= traced, "they are in the traces of bundles")
    with open(directory + "/own.bin", "rb") as f:
        own = f.read()
    check(dumps == [own], f"{len(dumps)} dump, {len(own)} bytes, as another program read it")
    check(own.endswith(b"end of dump.\n") and len(own) == 20480 << 10, "all of it")
    for kind in ("devcoredump", "wedged", "reset", "error"):
        check(kind in kinds, f"{kind}: told of")
    check({device for _, device in told} <= {"fakegpu.0", "-"}, "of the device that hung")
    check(all("dmesg.txt" in b and b"fakegpu" in b["dmesg.txt"] for _, b in found), "the log is there")


def check_lost(_, directory):
    ended(directory, "record.status")
    told = [s for _, b in whole(directory) for s in signs(b)]
    check({("lost", "fakegpu.0"), ("lost", "fakegpu.1")} <= set(told), f"signs: {told}")


if __name__ == "__main__":
    {"quiet": check_quiet, "hang": check_hang, "lost": check_lost}[sys.argv[2]](sys.argv[1], sys.argv[3])
    sys.exit(status())
