#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Frames of a compositor with two clients, of which each fourth is late on purpose: what `xtr frames` says of each, against what the program
(xtr-compose) and the driver know.

usage: accept_frames.py XTR DIR
"""

import collections
import csv
import json
import subprocess
import sys

from judge import check, lossy, measured, status

LATE_NS = 250_000_000
DEADLINE = "100ms"  # where the driver counts no vblanks
# What is late on purpose: the reason, and whose it is.
REASONS = {"hog": ("other-job", "hog"), "long": ("execution", "game"), "sleeps": ("submitter", "game"), "commit": ("submitter", "compositor"),
           "shown": ("display", None)}


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def check_frame(number, want, have, before):
    """Returns what is said of the reason, of one that is late on purpose."""
    name = (want["context"], want["seqno"])
    check((have.get("context"), have.get("seqno")) == name, f"frame {number}: its last job is {have.get('context')}:{have.get('seqno')}, {name} by the program")
    check(have.get("comm") == "compositor", f"frame {number}: of {have.get('comm')}")
    if want["sequence"] and before:
        passed = (want["sequence"] - before["sequence"]) % 2**32 - 1
        check(have["missed"] == passed, f"frame {number}: {have['missed']} vblanks passed, {passed} by the numbers that the program was told")
    if want["late"] == "in-time":
        return None
    # If the other client's job had ended, nobody waited for it: then the sleeper's is the first that is known of.
    allowed = ("missed", "late-start") if want["late"] == "sleeps" else ("missed",)
    measured(have["verdict"] in allowed, f"frame {number}, {want['late']}: {have['verdict']}")
    said = (have.get("reason"), have.get("reason_comm"))
    measured(said == REASONS[want["late"]], f"frame {number}, {want['late']}: the reason is {said}, {have.get('reason_ns', 0) / 1e6:.1f} ms")
    return have.get("reason_ns", 0) - LATE_NS


def main(argv):
    xtr, directory = argv[1:]
    with open(directory + "/record.status", encoding="utf-8") as f:
        check(f.read().strip() in ("0", "3"), "recorded")
    path = directory + "/run.xtr"
    want = lines(directory + "/frames.jsonl")
    with open(directory + "/truth.csv", newline="", encoding="utf-8") as f:
        truth = {(int(r["context"]), int(r["seqno"])): r for r in csv.DictReader(f)}
    counted = want[-1]["sequence"] > 0
    done = subprocess.run([xtr, "frames", "--jsonl", "--pause", "60s", *([] if counted else ["--deadline", DEADLINE]), path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode == 3:
        lossy()
    have = [json.loads(line) for line in done.stdout.splitlines()]
    streams = collections.Counter(f["stream"] for f in have)
    check(len(streams) == 1 and len(have) == len(want) == 44, f"{len(have)} frames of {len(streams)} screens, the program had {len(want)}")
    links = collections.Counter(f["link"] for f in have)
    print(f"     links: {dict(links)}; clients: {dict(collections.Counter(f['clients'] for f in have))}; verdicts: "
          f"{dict(collections.Counter(f['verdict'] for f in have))}; vblanks are {'' if counted else 'not '}counted")
    off = collections.defaultdict(list)
    for i, (w, h) in enumerate(zip(want, have)):
        ns = check_frame(i + 1, w, h, want[i - 1] if i else None)
        if ns is not None:
            off[w["late"]].append(ns)
    for late, ns in sorted(off.items()):
        measured(all(-60_000_000 < x < LATE_NS for x in ns), f"{late}: what it took is off by {min(ns) / 1e6:.1f} to {max(ns) / 1e6:.1f} ms, of {LATE_NS / 1e6:.0f} ms")
    both = [(w, h) for w, h in zip(want[1:], have[1:]) if h["clients"] == 2]
    begins = [h["begin_ns"] - min(int(truth[tuple(w[k])]["queue_ns"]) for k in ("game", "video")) for w, h in both]
    near = sum(abs(ns) < 20_000_000 for ns in begins)
    measured(near * 4 >= len(begins) * 3, f"of {len(begins)} frames with both clients {near} begin within 20 ms of the first submission")
    least = 2 if counted else 1  # before Linux 6.17 a thread waits for both, and the second may have ended by then
    known = sum(f["clients"] >= least for f in have[1:])
    measured(known >= 30, f"{'both clients are' if least == 2 else 'a client is'} known of {known} frames of 43")
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
