#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges a recording of the NPU's stand-in against what driver and loader know of each call.

usage: npu_check.py XTR DIR

DIR holds run.xtr and the truth: truth, counts, jobs (the driver's; README.md), ze.csv (the loader's).
Of each function: recorded + lost = called, entries and returns (of what the kernel skipped only the
sum is known: it must be exactly what is missing); durations as README.md says; values and contexts as
they were. The same for calls of Level Zero, and the count of the trace points of system vpu. Prints one
line per check.
"""

import bisect
import csv
import json
import os
import statistics
import subprocess
import sys

from judge import check, measured, status

FOREVER = 1 << 63
LIBRARY = "libze_loader.so.1"

# Functions that group npu must have, where the driver has them.
REQUIRED = [
    "ivpu_bo_create_ioctl", "ivpu_bo_wait_ioctl", "ivpu_get_param_ioctl", "ivpu_mmu_context_map_sgt",
    "ivpu_ipc_receive", "ivpu_ipc_irq_handler", "ivpu_hw_irq_handler", "ivpu_boot",
    "ivpu_pm_runtime_resume_cb", "ivpu_pm_runtime_suspend_cb", "ivpu_hw_power_up", "ivpu_hw_power_down",
    ("ivpu_bo_bind", "ivpu_bo_pin"), ("ivpu_cmdq_submit_ioctl", "ivpu_submit_ioctl"),
]

# function -> [(field, when, name in the truth)]: what must have been captured.
VALUES = {
    "ivpu_bo_create_ioctl": [("size", "entry", "size"), ("flags", "entry", "flags"),
                             ("handle", "ret", "handle"), ("vpu_addr", "ret", "vpu_addr")],
    "ivpu_bo_wait_ioctl": [("handle", "entry", "handle"), ("job_status", "ret", "job_status")],
    "ivpu_submit_ioctl": [("buffer_count", "entry", "buffer_count"), ("engine", "entry", "engine")],
    "ivpu_cmdq_submit_ioctl": [("buffer_count", "entry", "buffer_count"), ("cmdq_id", "entry", "cmdq_id")],
    "ivpu_mmu_context_map_sgt": [("vpu_addr", "entry", "vpu_addr")],
    "ivpu_ipc_receive": [("ret", "ret", None)],
}

def read_csv(directory, name, fields=None):
    with open(os.path.join(directory, name), newline="") as f:
        return list(csv.DictReader(f, fieldnames=fields))


def number(value):
    """A field's value as a number: 5, "0x5", {"value": 5, ...}."""
    if isinstance(value, dict):
        value = value.get("value")
    return int(value, 0) if isinstance(value, str) else value


def text(value):
    """A field's text: "task", {"value": 0, "name": "task"}."""
    return value.get("name") if isinstance(value, dict) else value


class Call:
    """One call, of the truth or of the recording. Times in ns; args and ret as far as known."""

    def __init__(self, key, begin, context=None):
        self.key, self.begin, self.end, self.context, self.pid = key, begin, None, context, 0
        self.entry, self.ret = {}, {}


def read_truth(directory):
    """function -> calls in order of their begin."""
    calls = {}
    for row in read_csv(directory, "truth"):
        key = ("cpu", int(row["cpu"])) if row["context"] == "hardirq" else ("tid", int(row["tid"]))
        c = Call(key, int(row["begin_ns"]), row["context"])
        c.end, c.pid = int(row["end_ns"]), int(row["pid"])
        c.entry = dict(a.split("=") for a in row["args"].split())
        c.ret = {"ret": int(row["ret"])} if row["ret"] else {}
        calls.setdefault(row["function"], []).append(c)
    return calls


def read_ze(directory):
    calls = {}
    fields = ["function", "pid", "tid", "depth", "begin_ns", "end_ns", "ret", "size", "n"]
    for row in read_csv(directory, "ze.csv", fields):
        c = Call(("tid", int(row["tid"])), int(row["begin_ns"]))
        c.end, c.pid = int(row["end_ns"]), int(row["pid"])
        c.entry = {"size": row["size"], "n": row["n"]}
        c.ret = {"ret": int(row["ret"])}
        calls.setdefault(row["function"], []).append(c)
    for of_function in calls.values():
        of_function.sort(key=lambda c: c.begin)
    return calls


class Recording:
    """Calls, events and losses of a file."""

    def __init__(self, xtr, path):
        self.calls, self.entries, self.returns, self.events, self.lost = {}, {}, {}, {}, {}
        self.texts, self.missing, open_calls = {}, 0, {}
        done = subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE)
        self.info_status = done.returncode
        for section in json.loads(done.stdout)["sections"]:
            for entry in section["loss"]:
                if entry["cause"] != "filtered":
                    name = entry["name"] or "?"
                    self.lost[name] = self.lost.get(name, 0) + entry["count"]
        dump = subprocess.Popen([xtr, "dump", "--json", path], stdout=subprocess.PIPE)
        for line in dump.stdout:
            self.add(json.loads(line), open_calls)
        self.status = dump.wait()
        for calls in self.calls.values():
            calls.sort(key=lambda c: c.begin)

    def add(self, e, open_calls):
        if "event" not in e:  # a gap: what was lost is counted in info
            return
        part = e["event"].split(":")
        if part[0] not in ("func", "api") or len(part) < 3:
            self.add_event(e)
            return
        name, context = ":".join(part[:3]), text(e["fields"].get("context"))
        key = ("cpu", e["cpu"]) if context == "hardirq" else ("tid", e["tid"])
        stack = open_calls.setdefault((name, key), [])
        if part[3:] == ["ret"]:
            self.returns[name] = self.returns.get(name, 0) + 1
            if stack:
                call = stack.pop()
                call.end, call.ret = e["ts_ns"], e["fields"]
        else:
            self.entries[name] = self.entries.get(name, 0) + 1
            call = Call(key, e["ts_ns"], context)
            call.entry = e["fields"]
            stack.append(call)
            self.calls.setdefault(name, []).append(call)

    def add_event(self, e):
        self.events[e["event"]] = self.events.get(e["event"], 0) + 1
        for field in ("event", "type"):
            if e["event"].startswith("vpu:") and field in e["fields"]:
                self.texts.setdefault(e["event"], set()).add(e["fields"][field])


def check_count(rec, name, truth):
    """Whether every call is there or counted as lost; prints only what is wrong. True: nothing is lost."""
    n, lost = rec.entries.get(name, 0), rec.lost.get(name, 0)
    lost_ret = rec.lost.get(name + ":ret", 0)
    missing = len(truth) - n - lost
    missing_ret = len(truth) - rec.returns[name] - lost_ret if name in rec.returns else 0
    if min(missing, missing_ret) < 0:
        check(False, f"{name}: {n} recorded + {lost} lost, {len(truth)} calls; {rec.returns.get(name)} returns")
    rec.missing += missing + missing_ret
    return n == len(truth) and rec.returns.get(name, 0) == n


def join(rec, name, truth):
    """(call recorded, call of the truth), by thread (or CPU) and order."""
    mine, pairs = {}, []
    for c in rec.calls[name]:
        mine.setdefault(c.key, []).append(c)
    for t in truth:
        queue = mine.get(t.key)
        if not queue or queue[0].end is None:
            check(False, f"{name}: a call of {t.key} is not there, or has no return")
            return []
        pairs.append((queue.pop(0), t))
    return pairs


def bounds(truth):
    """id(call) -> (from, to): the moments just before its begin and just after its end at which its thread (or
    CPU), in the same context, was known to be elsewhere. Softirqs come in between and are apart."""
    moments, found = {}, {}
    for calls in truth.values():
        for t in calls:
            moments.setdefault((t.key, t.context), []).extend([t.begin, t.end])
    for of_key in moments.values():
        of_key.sort()
    for calls in truth.values():
        for t in calls:
            of_key = moments[t.key, t.context]
            before, after = bisect.bisect_left(of_key, t.begin), bisect.bisect_right(of_key, t.end)
            found[id(t)] = (of_key[before - 1] if before else 0, of_key[after] if after < len(of_key) else FOREVER)
    return found


def check_times(what, joined, truth):
    """joined: function -> pairs. A function tells its truth from inside: what was recorded of it encloses
    that, and nothing else that the same thread did. So it must be on any host; by how much, is for people."""
    room, longer, outside = bounds(truth), {}, []
    for name, pairs in joined.items():
        for c, t in pairs:
            begin, end = room[id(t)]
            longer.setdefault(name, []).append(c.end - c.begin - (t.end - t.begin))
            if not begin <= c.begin <= t.begin or not t.end <= c.end <= end:
                outside.append((name, c.begin - begin, t.begin - c.begin, c.end - t.end, end - c.end))
    n = sum(len(values) for values in longer.values())
    check(not outside, f"{n} calls of {what} begin and end where they did; {len(outside)} not: {outside[:3]}")
    if n:
        worst = max(statistics.median(values) for values in longer.values())
        print(f"     recorded calls of {what} are longer than the truth by {worst:.0f} ns at the worst function's median")
    return n


def check_values(rec, name, truth, wanted):
    mine, wrong, compared = {}, [], 0
    for c in rec.calls[name]:
        mine.setdefault(c.key, []).append(c)
    for t in truth:
        if not mine.get(t.key):
            wrong.append((t.key, "a call", None))
            continue
        c = mine[t.key].pop(0)
        for field, when, known in wanted:
            fields = c.entry if when == "entry" else c.ret
            want = t.ret["ret"] if known is None else int(t.entry[known])
            # At its return a failed call has written nothing.
            if when == "ret" and known and t.ret.get("ret"):
                continue
            got = number(fields.get(field))
            compared += 1
            if got != want:
                wrong.append((field, want, fields.get(field)))
    check(not wrong, f"{name}: {compared} values as they were; {len(wrong)} not: {wrong[:3]}")


def check_contexts(rec, name, truth):
    want = sorted(t.context for t in truth)
    got = sorted(str(c.context) for c in rec.calls[name])
    if want != got:
        check(False, f"{name}: contexts {set(got)}, truth {set(want)}")


def check_functions(rec, truth, counts, required):
    names = {n.split(":")[2] for n in rec.entries if n.startswith("func:intel_vpu:")}
    missing = []
    for entry in required:
        choice = [entry] if isinstance(entry, str) else list(entry)
        if not any(n in names for n in choice) and any(counts.get(n) for n in choice):
            missing.append("|".join(choice))
    check(not missing, f"{len(names)} functions were recorded, not: {missing}")
    joined, whole, total, missing = {}, 0, 0, 0
    for function in sorted(names):
        name, calls = "func:intel_vpu:" + function, truth.get(function, [])
        total += counts.get(function, 0)
        if len(calls) != counts.get(function, 0):  # too frequent for a record each
            whole += check_count(rec, name, range(counts[function]))
            continue
        if not check_count(rec, name, calls):
            continue
        whole += 1
        check_contexts(rec, name, calls)
        if name in rec.returns:
            joined[name] = join(rec, name, calls)
        wanted = VALUES.get(function, [])
        if all(c.ret.get("ret") is not None for c in rec.calls[name]) and all(c.ret for c in calls):
            wanted = [w for w in wanted if w[0] != "ret"] + [("ret", "ret", None)]
        if wanted:
            check_values(rec, name, calls, wanted)
    check(total > 0, f"{total} calls of the driver's functions")
    lost = rec.missing + sum(k for n, k in rec.lost.items() if n.startswith("func:"))
    measured(lost * 10 <= total, f"{whole} of {len(names)} functions without a loss; {lost} entries and returns are lost")
    check(check_times("the driver", joined, truth) > 0, "durations were judged")


def check_api(rec, ze):
    names = {n.split(":")[2] for n in rec.entries if n.startswith("api:")}
    check({n for n in rec.entries if n.startswith("api:")} <= {f"api:{LIBRARY}:{f}" for f in ze},
          "only the loader's functions are there, under its soname")
    missing = set(ze) - names - {n.split(":")[2] for n in rec.lost if n.startswith("api:")}
    check(not missing, f"{len(names)} functions of Level Zero, not: {sorted(missing)}")
    joined = {}
    for function in sorted(names & set(ze)):
        name = f"api:{LIBRARY}:{function}"
        if not check_count(rec, name, ze[function]):
            continue
        joined[name] = join(rec, name, ze[function])
        wanted = [("ret", "ret", None)]
        if function.startswith("zeMemAlloc"):
            wanted.append(("size", "entry", "size"))
        if function == "zeCommandQueueExecuteCommandLists":
            wanted.append(("n", "entry", "n"))
        check_values(rec, name, ze[function], wanted)
    check(check_times("Level Zero", joined, ze) > 0, "durations were judged")


TEXTS = {
    "vpu:job": {"create", "submit", "done"},
    "vpu:jsm": {"[tx]", "[rx]", "VPU_JSM_MSG_REGISTER_DB", "VPU_JSM_MSG_REGISTER_DB_DONE",
                "VPU_JSM_MSG_UNREGISTER_DB", "VPU_JSM_MSG_UNREGISTER_DB_DONE", "VPU_JSM_MSG_PWR_D0I3_ENTER",
                "VPU_JSM_MSG_PWR_D0I3_ENTER_DONE"},
    "vpu:pm": {"runtime resume", "runtime resume done", "runtime suspend", "runtime suspend done"},
}


def check_events(rec, counts, jobs):
    for name, texts in TEXTS.items():
        n, lost, want = rec.events.get(name, 0), rec.lost.get(name, 0), counts["event:" + name[4:]]
        check(n + lost == want, f"{name}: {n} recorded + {lost} lost, {want} emitted")
        if n and not lost:
            check(rec.texts.get(name) == texts, f"{name}: its texts {sorted(rec.texts.get(name, []))}")
    n = sum(k for e, k in rec.events.items() if e.endswith(":dma_fence_signaled"))
    lost = sum(k for e, k in rec.lost.items() if e.endswith(":dma_fence_signaled"))
    check(n + lost >= len(jobs), f"dma_fence_signaled: {n} recorded + {lost} lost, {len(jobs)} jobs")


def main(argv):
    xtr, directory = argv[1:]
    with open(directory + "/record.status") as f:
        ended = f.read().strip()
    with open(directory + "/record.err") as f:
        check(ended in ("0", "3"), f"xtr record ended with {ended} " + (f.read()[:400] if ended != "0" else ""))
    with open(directory + "/counts") as f:
        counts = {n.split(".")[0]: int(k) for n, k in (line.split() for line in f)}
    rec = Recording(xtr, directory + "/run.xtr")
    check(rec.status in (0, 3), f"xtr dump ended with {rec.status}")
    everything = os.path.basename(directory.rstrip("/")) == "functions"
    required = [n for n, k in counts.items() if k and n.startswith("ivpu_") and n not in ("ivpu_probe", "ivpu_remove")]
    check_functions(rec, read_truth(directory), counts, required if everything else REQUIRED)
    if not everything:
        check_api(rec, read_ze(directory))
        check_events(rec, counts, read_csv(directory, "jobs"))
    unnamed = rec.lost.get("?", 0)
    check(rec.missing == unnamed, f"{rec.missing} entries and returns are not there, {unnamed} the kernel skipped")
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
