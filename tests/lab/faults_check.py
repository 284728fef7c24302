#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges what the lab's recorders had of a machine to which things happen (faults-guest.sh).

usage: faults_check.py CASE DIR     (CASE: whole, user, hotplug, freeze, unload, killed, clean)

Of each event and function, recorded + lost is what the kernel emitted while that recorder was there, to the event. What a kernel
refuses (to unload a module that is recorded) is judged as that: it must be refused, and work once the recorder has ended.
"""

import csv
import functools
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "spec"))
import reader  # noqa: E402
from accept_check import OLD_NAMES  # noqa: E402
from judge import check, measured, status  # noqa: E402

FUNCTION = "func:xtr_fakegpu:fg_run_job"
NAMED = "amdgpu:amdgpu_cs_ioctl"
FENCE = "dma_fence:dma_fence_signaled"
LOADS = ("before", "leaving", "without", "coming", "after", "frozen", "thawed", "again", "last")
DIR = sys.argv[2] if len(sys.argv) > 2 else "."


class Recording:
    """What a file has, by the independent reader: no program of xtr is asked."""

    def __init__(self, name):
        with open(os.path.join(DIR, name + ".xtr"), "rb") as f:
            file = reader.File(f.read())
        self.problems = sorted(code for code, _ in file.problems)
        content = file.sections[0].content
        metas, losses = content[reader.META], content[reader.LOSS]
        names = {e["type"]: e["name"] for m in metas for e in m["events"]}
        self.events = [(ts, chunk.stream, names[kind]) for chunk, ts, kind, _, _ in content[reader.EVENTS]]
        self.states = {p["name"]: (p["state"], p.get("why"), p.get("attach")) for m in metas for p in m["providers"]}
        self.clocks = content[reader.CLOCK]
        self.lost = {}
        for (_, kind, _), n in {tuple(e[:3]): e[3] for t in losses for e in t.get("lost", [])}.items():
            name = names.get(kind, "?")
            self.lost[name] = self.lost.get(name, 0) + n

    def count(self, name):
        return sum(n == name for _, _, n in self.events)

    def attached(self):
        return {name for name, (state, _, _) in self.states.items() if state == "attached"}


recording = functools.cache(Recording)


def text(name):
    with open(os.path.join(DIR, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def parts(name):
    """Numbers of the parts that this recorder was there for."""
    return text(name + ".parts").split()


def emitted(numbers):
    """Events by xtr's names, of these parts."""
    counts = {}
    for number in numbers:
        for line in text("emitted." + number).splitlines():
            name, n = line.split()
            system = "dma_fence" if name.startswith("dma_fence") else "gpu_scheduler"
            name = f"{system}:{OLD_NAMES.get(name, name)}"
            counts[name] = counts.get(name, 0) + int(n)
    return counts


def jobs(numbers):
    return [job for number in numbers for job in csv.DictReader(text("truth." + number).splitlines())]


def sums(r, name):
    """Of each event that was recorded. Returns how many were emitted."""
    want = emitted(parts(name))
    total = 0
    for event in sorted(r.attached() & set(want)):
        n, lost = r.count(event), r.lost.get(event, 0)
        total += want[event]
        check(n + lost == want[event], f"{event}: recorded {n} + lost {lost}, emitted {want[event]}")
    for event in ("queue", "run", "done"):
        n, all_jobs = want["gpu_scheduler:drm_sched_job_" + event], len(jobs(parts(name)))
        check(n == all_jobs > 500, f"{event}: {n} emitted, {all_jobs} jobs in parts {parts(name)}")
        check("gpu_scheduler:drm_sched_job_" + event in r.attached(), f"{event}: is recorded")
    check(FENCE in r.attached() and "?" not in r.lost, f"fences are recorded, every loss names its event: {r.lost}")
    return total


def of_loss(r):
    return "3" if sum(r.lost.values()) else "0"


def check_programs(r, want, whose):
    """How the programs of jobs and fences are attached."""
    ways = {name: way for name, (state, _, way) in r.states.items()
            if state == "attached" and name.startswith(("gpu_scheduler:drm_sched_job", "dma_fence:"))}
    check(len(ways) >= 5 and set(ways.values()) == want and ways[FENCE] == "tp_btf", f"programs {whose}: {ways}")


def check_whole():
    """The recorder that was killed: with what was collected, everything from its begin to its end."""
    r = recording("collected")
    check(not r.problems, f"problems of the file: {r.problems}")
    check(NAMED in r.attached(), f"{NAMED}: {r.states.get(NAMED)}")
    check_programs(r, {"tp_btf"}, "of root")
    total = sums(r, "killed")
    loads = {name: json.loads(text(name + ".json") or "{}") for name in LOADS}
    check(all(l.get("submitted") == l.get("completed") and l.get("submitted") for l in loads.values()), f"loads: {loads}")
    print(f"figure {total}")


def check_killed():
    """What it had not written was in its rings, all of the last part, and is listed and collected once."""
    r, before = recording("collected"), recording("killed")
    check(text("killed.status").strip() == "137", f"the recorder's end: {text('killed.status').strip()}")
    check(set(before.problems) <= {"no-end", "cut", "chunk-truncated", "lost-sync"} and before.problems,
          f"problems of the file that it left: {before.problems}")
    last = emitted(parts("killed")[-1:])
    for event in sorted(r.attached() & set(last)):
        n = r.count(event) + r.lost.get(event, 0) - before.count(event)
        check(n >= last[event], f"{event}: {n} collected, {last[event]} emitted while it was stopped")
    check("killed.xtr" in text("left") and "not in the file" in text("left"), f"it is listed: {text('left')!r}")
    code, said, lost = text("recover.status").strip(), text("recover.out"), sum(r.lost.values())
    told = f"lost while recording: {lost:,} {'event' if lost == 1 else 'events'}\n"
    check(code == "0" and told in said, f"recover: {code}, {said!r}, {lost} lost in the file")


def check_user():
    """A second recorder at the same time, of a user without rights, whose program has three capabilities."""
    r = recording("user")
    said, code = text("user.err"), text("user.status").strip()
    check(code == of_loss(r), f"exit status {code}, lost {r.lost}: {said!r}")
    check(not r.problems, f"problems of the file: {r.problems}")
    # The types of a module are for who has CAP_SYS_ADMIN; those of the kernel itself for all.
    check_programs(r, {"raw_tp", "tp_btf"}, "of a user with three capabilities")
    total = sums(r, "user")
    check({NAMED, FUNCTION} <= r.attached(), f"attached: {[(n, s) for n, s in r.states.items() if n in (NAMED, FUNCTION)]}")
    lines = text("user.proc").splitlines()
    caps = {line for line in lines if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb"))}
    check(len(caps) == 4 and all(set(c.split()[1]) == {"0"} for c in caps), f"while it records: {caps}")
    threads = sum(line.startswith("Pid:") for line in lines)
    check(lines.count("NoNewPrivs:\t1") == threads > 1, f"no_new_privs of {threads} threads")
    paranoid, refused = int(text("paranoid")), text("refused.err")
    code = text("refused.status").strip()
    if paranoid > 2:
        check(code == "5" and "perf_event_paranoid" in refused, f"a trace point by name: status {code}, {refused!r}")
    else:
        check(code == "0", f"a trace point by name: status {code}, {refused!r}")
    print(f"figure {total}")


def check_hotplug():
    words = dict(line.split(maxsplit=1) for line in text("cpu").splitlines())
    code, gone = words["offline"].split()
    check(code == "0" and words["left"].strip() == "0", f"CPU 1 went offline ({words})")
    code, back = words["back"].split()
    check(code == "0", "and came back")
    gone, came, back = float(gone) + 0.02, float(words["online"]) - 0.02, float(back)
    for name in ("collected", "user"):
        on_1 = [ts / 1e9 for ts, cpu, _ in recording(name).events if cpu == 1]
        before, after = sum(t < gone for t in on_1), sum(t > back for t in on_1)
        check(after > 100, f"{name}: {after} events on CPU 1 since it is back")
        check(before > 100 if name == "collected" else before == 0, f"{name}: {before} before it left")
        between = sum(gone < t < came for t in on_1)
        check(between == 0, f"{name}: {between} events on a CPU that was not there")


def check_freeze():
    check(text("freeze.status").strip() == "0", "the kernel stopped all processes and let them go again")
    began, ended = map(float, text("frozen").split())
    measured(ended - began >= 0.3, f"for {ended - began:.2f} s")
    for name in ("collected", "user"):
        r = recording(name)
        inside = sum(began + 0.1 < ts / 1e9 < ended - 0.1 for ts, _, _ in r.events)
        measured(inside > 0, f"{name}: {inside} events happened meanwhile, and are in the file")
        # BOOTTIME minus MONOTONIC at each reading: the earlier and the later bracket, ns.
        readings = [(c["clocks"]["boottime"] - c["after"], c["clocks"]["boottime"] - c["before"]) for c in r.clocks]
        low, high = max(g[0] for g in readings), min(g[1] for g in readings)
        check(low <= high, f"{name}: no time was slept, say {len(readings)} readings of the clocks ({low} to {high})")
    check(all(job["result"] == "ok" for job in jobs(parts("killed"))), "all jobs are ok")


def check_unload():
    steps = {}
    for line in text("rmmod").splitlines():
        when, module, code = line.split()
        steps.setdefault(when, {})[module] = code
    r, said = recording("user"), "module 'xtr_fakegpu' was unloaded" in text("user.err")
    _, why, way = r.states[FUNCTION]
    numbers = parts("user")
    if steps["functions"] == {"xtr_fakegpu": "0"}:
        check(said and "the module was unloaded" in (why or ""), f"that the module was unloaded is said, and in the file: {why!r}")
        numbers = numbers[:-1]
    else:
        check(steps["functions"] == {"xtr_fakegpu": "1"} and not said, "the module whose functions are recorded is in use, and stays")
    calls = len(jobs(numbers))
    for name in (FUNCTION, FUNCTION + ":ret"):
        n, lost = r.count(name), r.lost.get(name, 0)
        check(n + lost == calls > 0, f"{name} ({way}): recorded {n} + lost {lost} of {calls} calls in parts {numbers}")
    check(steps["tracepoints"] == {"xtr_fakegpu": "0", "gpu_sched": "1", "amdgpu": "1"},
          f"trace points hold the modules that have them, not those that pass them: {steps['tracepoints']}")
    check(text("rmmod.err").count("in use") == sum(list(s.values()).count("1") for s in steps.values()), "refused as in use")


def check_clean():
    modules = {line.split()[0] for line in text("lsmod").splitlines()}
    check(not {"xtr_fakegpu", "gpu_sched", "amdgpu", "xtr_player"} & modules, f"every module could be unloaded: {modules}")
    before, during, after = (text("state." + when).splitlines() for when in ("before", "during", "after"))
    kinds = {line.split()[0] for line in set(during) - set(before)}
    check({"prog", "map", "link"} <= kinds, f"while it recorded there was more: {kinds}")
    check(before == after, f"left of programs, maps, links, pins and probes: {sorted(set(after) ^ set(before))}")
    check("killed.xtr" not in text("left.after"), f"listed: {text('left.after')!r}")


if __name__ == "__main__":
    globals()["check_" + sys.argv[1]]()
    sys.exit(status())
