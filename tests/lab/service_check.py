#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges what xtr-flight.service did under systemd (service-guest.sh): usage: service_check.py XTR DIR"""

import glob
import io
import json
import os
import subprocess
import sys
import tarfile

xtr, folder = sys.argv[1:]
failed = 0


def at(name):
    return os.path.join(folder, name)


def read(name):
    with open(at(name), "rb") as f:
        return f.read()


def facts(name):
    return dict(line.split("=", 1) for line in read(name).decode().splitlines())


def verdict(ok, what, more=""):
    global failed
    failed += not ok
    print(("ok   " if ok else "FAIL ") + what + (f": {more}" if not ok else ""))


def json_of(*command):
    return json.loads(subprocess.run([xtr, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)


def members(path):
    data = subprocess.run(["zstd", "-q", "-d", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return {m.name.split("/", 1)[1]: t.extractfile(m).read() for m in t.getmembers()}


begun, again, stopped = (facts(name) for name in ("begun.txt", "again.txt", "stopped.txt"))
verdict(begun["ActiveState"] == "active" and begun["User"] == "xtr-flight" and begun["NRestarts"] == "0", "the service runs as its own user", begun)
hung = [line.split(",") for line in read("truth.csv").decode().splitlines() if ",timeout," in line]
bundles = sorted(glob.glob(at("state/hangs/*.tar.zst")))
verdict(len(hung) == 1 and len(bundles) == 1, "one hang, one bundle", f"{len(hung)} jobs hung, {bundles}")
if bundles:
    has = members(bundles[0])
    dump = [data for name, data in has.items() if name.startswith("devcoredump-")]
    verdict(dump == [read("own.bin")] and dump[0].endswith(b"end of dump.\n"), "the dump is whole", [len(d) for d in dump])
    verdict("dmesg.txt" in has and "hang.txt" in has and "state.txt" in has, "log, signs and state of the device", sorted(has))
    told = [(h["guilty"], h["context"], h["seqno"]) for s in json_of("stats", "--json", "-s", "hang", bundles[0])["sections"] for h in s["hang"]["hangs"]]
    verdict(told == [("exact", int(job[2]), int(job[3])) for job in hung], "the job that hung is named, and no other", told)
plain = [p for p in glob.glob(at("state/flight-*.xtr")) if ".killed." not in p]
killed = glob.glob(at("state/flight-*.killed.*.xtr"))
verdict(len(plain) >= 1, "a reload writes what is kept", os.listdir(at("state")))
verdict(len(killed) == 1 and json_of("info", "--json", killed[0])["sections"], "what a killed recorder left is collected", killed)
verdict(again["ActiveState"] == "active" and again["NRestarts"] == "1", "it is started again", again)
verdict(stopped == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}, "it stops well", stopped)
sys.exit(failed > 0)
