#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges a recording of the stand-in for nvidia by its truth: DIR has run.xtr, truth, control, record.status.

usage: nvidia_check.py XTR DIR [--spoil NAME]

Each call must be in the recording once, in the same order for each function, by the same process. Pointers are hashed
when they are recorded: that each of the stand-in's is one of the recording's is checked, then the recording's take the place of
the truth's. Then the judge of tests/drivers says whether the statistics are right. Times are judged grossly.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../drivers"))
sys.path.insert(0, HERE)
import judge  # noqa: E402
import judge_nvidia  # noqa: E402
import playfile  # noqa: E402

POINTERS = ("file", "device", "peer")
# A member of an unnamed structure of struct vm_fault, which the recorder may not find: judged where it is there.
OPTIONAL = ("address",)


def recorded(xtr, trace):
    """Events by name, in order of time: (tid or None in an interrupt, fields)."""
    out = {}
    for line in playfile.output(xtr, "dump", "--json", "-q", trace).splitlines():
        e = json.loads(line)
        if e.get("event", "").startswith(("func:nvidia:", "nvidia:")):
            out.setdefault(e["event"], []).append(e)
    return out


def value(v):
    v = v["value"] if isinstance(v, dict) else v
    return int(v, 0) if isinstance(v, str) and v.startswith("0x") else v


def join(events, have):
    """Compares, and gives the truth's events the recording's pointers."""
    names = {}
    for e in events:
        names.setdefault(e.event, []).append(e)
    pointers = {}
    for name, want in sorted(names.items()):
        got = have.get(name, [])
        judge.check(len(got) == len(want), f"{name}: {len(got)} of {len(want)} recorded")
        if len(got) != len(want):
            continue
        wrong = []
        for truth, line in zip(want, got):
            fields = line.get("fields", line)
            for field, expected in truth.fields.items():
                if field == "context" or (field in OPTIONAL and field not in fields):
                    continue
                v = value(fields.get(field))
                if field in POINTERS:
                    pointers.setdefault((field == "file", truth.t_ns if field == "file" else 0, expected), set()).add(v)
                    truth.fields[field] = v
                elif v != expected:
                    wrong.append((field, v, expected))
            if truth.tid and line.get("tid") != truth.tid:
                wrong.append(("tid", line.get("tid"), truth.tid))
        judge.check(not wrong, f"{name}: values and threads {wrong[:3]}")
    devices = {k: v for k, v in pointers.items() if not k[0]}
    judge.check(all(len(v) == 1 for v in devices.values()), "each device is one pointer")
    judge.check(len(set(map(tuple, devices.values()))) == len(devices), "no two devices are one pointer")


SPOILS = {
    "ioctl": lambda e: playfile.altered(e, [x.event for x in e if x.event.endswith("unlocked_ioctl")][0], "cmd", lambda v: v ^ 1, 3),
    "mmap": lambda e: playfile.altered(e, "func:nvidia:nvidia_mmap", "vm_end", lambda v: v + 4096),
    "isr": lambda e: playfile.without(e, "func:nvidia:nvidia_isr_msix"),
    "close": lambda e: playfile.without(e, "func:nvidia:nvidia_close"),
}


def check_totals(events, section):
    """Of a sample: the recorder's counts are the truth's, and what is in the trace is a part of them."""
    calls = [c for c in judge_nvidia.calls_of(events) if c.role == "ioctl"]
    want = {}
    for c in calls:
        key = (c.e.pid, *judge_nvidia.what_is_asked(c))
        want[key] = want.get(key, 0) + 1
    have = {(r["pid"], r["kind"], r["number"], r["second"]): r["total_calls"] for r in section["ioctls"]}
    judge.check(have == want, f"totals by process, ioctl and what is asked for: {sum(want.values())} calls; wrong: "
                f"{[(k, have.get(k), want.get(k)) for k in sorted(set(have) | set(want), key=str) if have.get(k) != want.get(k)][:5]}")
    judge.check(section["sample"]["exact"] and not section["sample"]["others"], f"they are exact: {section['sample']}")
    judge.check(all(r["calls"] <= r["total_calls"] for r in section["ioctls"]), "no more in the trace than there were")
    taken = sum(r["calls"] for r in section["ioctls"])
    judge.check(0 < taken < len(calls), f"a part is in the trace: {taken} of {len(calls)}")
    rows, truth = {p["pid"]: p for p in section["processes"]}, judge_nvidia.process_rows(judge_nvidia.calls_of(events))
    for pid, row in truth.items():
        wrong = {k: (rows.get(pid, {}).get(k), v) for k, v in row.items() if k not in ("ioctls", "ioctl_errors") and rows.get(pid, {}).get(k) != v}
        judge.check(not wrong and rows[pid]["ioctls_total"] == row["ioctls"], f"process {pid}: all but ioctls is whole: {wrong}")


def main(argv):
    xtr, folder = argv[:2]
    trace = os.path.join(folder, "run.xtr")

    def text(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read()

    stats = playfile.stats(xtr, trace)
    # 3: events were lost, and that is measured below; nothing else may have gone wrong.
    judge.check(text("record.status").strip() == ("3" if stats["lost"] else "0"),
                f"record and load end with 0, or 3 for losses: {text('record.err').strip()[-300:]}")
    judge.check(text("control").strip().endswith("full 0"), "the log was not full")
    events = playfile.load(os.path.join(folder, "truth")).events
    if len(argv) == 4:
        events = SPOILS[argv[3]](events)
    if stats["lost"]:
        judge.lossy()
    judge.measured(not stats["lost"], f"{stats['lost']} events lost")
    if os.path.basename(os.path.normpath(folder)) == "sample":
        check_totals(events, stats["nvidia"])
        return judge.status()
    join(events, recorded(xtr, trace))
    judge_nvidia.TOLERANCE_NS, judge_nvidia.TOLERANCE, judge_nvidia.FEWEST = 5_000_000, 0.5, 9
    for ok, line in judge_nvidia.judge(events, xtr, trace, False):
        (judge.measured if "median" in line else judge.check)(ok, line)
    if os.path.basename(os.path.normpath(folder)) == "clean":
        notable = [f["text"] for f in stats["findings"] if f["notable"]]
        judge.check(not notable, f"a clean run has no notable finding: {notable}")
    return judge.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
