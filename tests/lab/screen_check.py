#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges what xtr says of a real display driver (virtio_gpu) that showed page flips.

usage: screen_check.py XTR DIR

DIR has run.xtr, trace (what tracefs saw at the same time) and flips (what the program got, see xtr-flip.c). Every event
that tracefs saw is recorded or counted as lost; vblanks have the moments that the kernel told the program; flips,
requests and commands are as many as there were; times of commands are those between the two events. Prints one line
per check.
"""

import collections
import json
import re
import subprocess
import sys

from judge import check, lossy, measured, status

FLIPS = 60
MARGIN_NS = 1_000_000  # two tracers of one event, one after the other
# ftrace: "  task-12  [000] d.h1. 12.345678: drm_vblank_event: crtc=0, seq=3, ..."
LINE = re.compile(r"\[\d+\] \S+ +(\d+)\.(\d{6}): (drm_\w+|virtio_gpu_\w+): (.*)")


def run(xtr, *arguments):
    done = subprocess.run([xtr, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    check(done.returncode in (0, 3), f"xtr {arguments[0]} ended with {done.returncode}")
    return done.stdout.decode()


def read(directory, name):
    with open(f"{directory}/{name}", encoding="utf-8", errors="replace") as f:
        return f.read()


def traced(directory):
    """[(ns, event, text)] of tracefs; its times are whole microseconds."""
    return [(int(m[1]) * 10**9 + int(m[2]) * 1000, m[3], m[4]) for m in LINE.finditer(read(directory, "trace"))]


def check_counts(seen, events, lost):
    """What both saw between the first and the last event of tracefs."""
    first, last = seen[0][0] - MARGIN_NS, seen[-1][0] + MARGIN_NS
    want = collections.Counter(name for _, name, _ in seen)
    have = collections.Counter(e["event"].split(":")[1] for e in events if first <= e["ts_ns"] <= last)
    for name, n in sorted(want.items()):
        # of one event or another: the kernel does not say which
        some = lost[name] + lost["?"]
        check(have[name] <= n <= have[name] + some, f"{name}: tracefs saw {n}, xtr {have[name]} + {some} lost")


def check_display(display, events, got):
    flips = [g for g in got if g[0] == "flip"]
    requests = [g for g in got if g[0] == "vblank"]
    crtc = display["crtcs"][0]
    check(len(flips) == FLIPS, f"the program had {len(flips)} flips")
    check(crtc["flips"] + crtc["no_vblank"] == FLIPS, f"flips: {crtc['flips']}, without a vblank {crtc['no_vblank']}")
    check(crtc["requested"] == crtc["queued"] == len(requests), f"requests: {crtc['requested']}, the program had {len(requests)}")
    delivered = [e["fields"]["seq"] for e in events if e["event"] == "drm:drm_vblank_event_delivered"
                 and int(str(e["fields"]["file"]), 0)]
    want = [int(g[1]) for g in got if g[0] in ("flip", "vblank")]
    check(delivered == want, f"{len(want)} sequence numbers in their order: {delivered[:3]}..., the program had {want[:3]}...")


def check_vblanks(display, events, got, mode_ns):
    """Only where the driver has vblanks (virtio_gpu since Linux 6.19)."""
    times = {e["fields"]["seq"]: e["fields"]["time"] for e in events if e["event"] == "drm:drm_vblank_event"}
    if not times:
        check(all(int(g[1]) == 0 for g in got if g[0] == "flip"), "no vblanks, and flips without a number")
        return
    told = {int(g[1]): int(g[2]) for g in got if g[0] in ("flip", "vblank")}
    wrong = [s for s, us in told.items() if s not in times or times[s] // 1000 != us]
    check(not wrong, f"{len(told)} vblanks at the moments that the program was told; not {wrong[:3]}")
    clock = display["crtcs"][0]["clocks"][0]
    measured(abs(clock["refresh_ns"] - mode_ns) * 100 <= mode_ns, f"refresh: {clock['refresh_ns']} ns, the mode's {mode_ns} ns")


def check_commands(virtio, events):
    """Queued by type; times from the pairs that can be made where responses have numbers."""
    queued, pending, times = collections.Counter(), {}, collections.defaultdict(list)
    for e in events:
        f = e["fields"]
        if e["event"] == "virtio_gpu:virtio_gpu_cmd_queue":
            kind = int(str(f["type"]), 0)
            queued[kind] += 1
            if "seqno" in f:
                pending[f["vq"], f["seqno"]] = (kind, e["ts_ns"])
        elif e["event"] == "virtio_gpu:virtio_gpu_cmd_response" and (f["vq"], f.get("seqno")) in pending:
            kind, begin = pending.pop((f["vq"], f["seqno"]))
            times[kind].append(e["ts_ns"] - begin)
    rows = {c["type"]: c for c in virtio["commands"]}
    check({t: c["queued"] for t, c in rows.items()} == dict(queued), f"commands by type: {dict(queued)}")
    check(rows.get(0x104, {}).get("name") == "RESOURCE_FLUSH" and rows[0x104]["queued"] >= FLIPS, "a flush for each flip")
    for kind, row in rows.items():
        parts = row["answered"] + row["errors"] + row["open"] + row["unanswered"] + row["unpaired"]
        check(parts == row["queued"], f"{row['name']}: each of {row['queued']} is answered or said not to be")
        mine = times.get(kind, [])
        check((row["time_ns"]["n"], row["time_ns"]["sum"]) == (len(mine), sum(mine)),
              f"{row['name']}: time of {len(mine)} commands {sum(mine)} ns")


def main(argv):
    xtr, directory = argv[1:]
    check(read(directory, "record.status").strip() in ("0", "3"), "recorded " + read(directory, "record.err").strip()[:300])
    check(not re.search(r"overrun: [1-9]", read(directory, "stats")), "tracefs lost nothing")
    path = directory + "/run.xtr"
    lost = collections.Counter()
    for section in json.loads(run(xtr, "info", "--json", path))["sections"]:
        for entry in section["loss"]:
            if entry["cause"] != "filtered":
                lost[(entry["name"] or "?").split(":")[-1]] += entry["count"]
    events = [e for e in map(json.loads, run(xtr, "dump", "--json", path).splitlines())
              if e.get("event", "").startswith(("drm:", "virtio_gpu:"))]
    stats = json.loads(run(xtr, "stats", "--json", path))["sections"][0]
    got = [line.split() for line in read(directory, "flips").splitlines()]
    check(bool(got) and got[0][0] == "mode", f"the mode {got[0][2] if got else '?'}")
    seen = traced(directory)
    check(len(seen) > FLIPS, f"tracefs saw {len(seen)} events")
    check_counts(seen, events, lost)
    if sum(lost.values()):
        lossy()
    check_display(stats["display"], events, got[1:])
    check_vblanks(stats["display"], events, got[1:], int(got[0][1]))
    check_commands(stats["virtio_gpu"], events)
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
