# SPDX-License-Identifier: BSD-2-Clause
"""The section amdxdna of `xtr stats`, and `xtr jobs`, from the scenario's events alone."""

import collections
import csv
import io
import re

import playfile

SYSTEMS = ("amdxdna",)
SLACK_NS = 20_000
SLOW_NS = 500_000_000
STAGES = {"job run": "runs", "sent to device": "sent", "signaling fence": "done", "job free": "freed", "job timedout": "timeouts"}


def stage_changed(events):
    """The first job is not answered."""
    for k, e in enumerate(events):
        if e.name == "xdna_job" and e.text("str") == "signaling fence":
            return events[:k] + events[k + 1:]
    return None


def answered_late(events):
    """The first job is answered later."""
    for k, e in enumerate(events):
        if e.name == "xdna_job" and e.text("str") == "signaling fence":
            n = sum(x.event == e.event for x in events[:k])
            return playfile.shifted(events, e.event, 60_000, n)
    return None


SPOILS = [
    ("a job without its answer", stage_changed),
    ("a job answered later", answered_late),
    ("another context", lambda e: playfile.altered(e, "amdxdna:xdna_job", "name", lambda v: "hwctx.9999.1")),
    ("a message more", lambda e: playfile.doubled(e, "amdxdna:mbox_set_tail")),
    ("an answer is late", lambda e: playfile.shifted(e, "amdxdna:mbox_set_head", 40_000)),
    ("another opcode", lambda e: playfile.altered(e, "amdxdna:mbox_set_tail", "opcode", lambda v: v + 1)),
    ("an interrupt is missing", lambda e: playfile.without(e, "amdxdna:mbox_irq_handle")),
]


class Bench:
    def __init__(self, exact):
        self.exact, self.out = exact, []

    def same(self, what, have, want):
        self.out.append((have == want, f"{what}: {have}, should be {want}"))

    def near(self, what, have, want):
        limit = 0 if self.exact else max(SLACK_NS, want * 5 // 100)
        self.out.append((have is not None and abs(have - want) <= limit, f"{what}: {have} ns, should be {want}"))

    def times(self, what, hist, want):
        self.same(f"{what}: n", hist["n"], len(want))
        if not want or hist["n"] != len(want):
            return
        middle = sorted(want)[(len(want) - 1) // 2]
        if self.exact:
            self.same(f"{what}: sum, min, max", (hist["sum"], hist["min"], hist["max"]), (sum(want), min(want), max(want)))
            self.out.append((abs(hist["p50"] - middle) * 100 <= middle, f"{what}: p50 {hist['p50']}, should be {middle}"))
        else:
            self.near(f"{what}: p50", hist["p50"], middle)


def fence(event):
    return event.get("fence_context"), event.get("fence_seqno")


def truth_of_jobs(events):
    """Jobs by fence: context, moments of their stages; in order of appearance."""
    jobs = collections.OrderedDict()
    for e in events:
        if e.name != "xdna_job":
            continue
        what = STAGES.get(e.text("str"))
        if what in ("runs", "sent", "done") and (what != "done" or fence(e) in jobs):
            job = jobs.setdefault(fence(e), {"context": e.text("name")})
            job.setdefault(what, e.t_ns)
    return jobs


def judge_contexts(bench, section, events):
    jobs = truth_of_jobs(events)
    names = list(dict.fromkeys(e.text("name") for e in events if e.name == "xdna_job"))
    bench.same("contexts", [c["context"] for c in section["contexts"]], names)
    timed = [j for j in jobs.values() if "sent" in j and "done" in j]
    on_device = [(j["sent"], j.get("done", float("inf")), j["context"]) for j in jobs.values() if "sent" in j]
    for have in section["contexts"]:
        name = have["context"]
        count = collections.Counter(STAGES.get(e.text("str"), "other_stages") for e in events if e.name == "xdna_job" and e.text("name") == name)
        for key in [*STAGES.values(), "other_stages"]:
            bench.same(f"{name}: {key}", have[key], count[key])
        pid = re.fullmatch(r"hwctx\.(\d+)\.\d+", name)
        bench.same(f"{name}: pid", have["pid"], int(pid.group(1)) if pid else None)
        mine = sorted((j for j in timed if j["context"] == name), key=lambda j: j["done"])
        last, exec_ns = 0, []
        for j in mine:
            exec_ns.append(j["done"] - max(j["sent"], last))
            last = j["done"]
        bench.times(f"{name}: exec", have["exec_ns"], exec_ns)
        bench.times(f"{name}: residence", have["residence_ns"], [j["done"] - j["sent"] for j in mine])
        bench.times(f"{name}: driver", have["driver_ns"], [j["sent"] - j["runs"] for j in jobs.values() if j["context"] == name and "sent" in j and "runs" in j])
        bench.same(f"{name}: timed", have["timed"], len(mine))
        shared = sum(any(c != name and a < j["done"] and b > j["sent"] for a, b, c in on_device) for j in mine)
        bench.same(f"{name}: shared", have["shared"], shared)
        bench.same(f"{name}: open", have["open"], sum(j["context"] == name and "done" not in j for j in jobs.values()))


def judge_mailbox(bench, section, events):
    waiting, rows, unasked = {}, collections.OrderedDict(), 0
    end = max(e.t_ns for e in events if e.system == "amdxdna")
    for e in events:
        key = (e.get("chann_id"), e.get("msg_id"))
        if e.name == "mbox_set_tail":
            row = rows.setdefault((e.get("chann_id"), e.get("opcode")), collections.Counter(times=[]))
            row["sent"] += 1
            if key in waiting:
                waiting[key][0]["unanswered"] += 1
            waiting[key] = (row, e.t_ns)
        elif e.name == "mbox_set_head" and key in waiting:
            row, t = waiting.pop(key)
            row["times"].append(e.t_ns - t)
        elif e.name == "mbox_set_head":
            unasked += 1
    for row, t in waiting.values():
        row["unanswered" if end - t > SLOW_NS else "open"] += 1
    have = {(m["channel"], m["opcode"]): m for m in section["messages"]}
    bench.same("messages: channels and opcodes", list(have), list(rows))
    bench.same("messages: unasked", section["unasked"], unasked)
    for key in set(have) & set(rows):
        m, row = have[key], rows[key]
        bench.same(f"messages {key}", [m[k] for k in ("sent", "answered", "unanswered", "open")],
                   [row["sent"], len(row["times"]), row["unanswered"], row["open"]])
        bench.times(f"messages {key}: round trip", m["time_ns"], row["times"])
    irqs = collections.OrderedDict()
    for e in events:
        if e.name in ("mbox_irq_handle", "mbox_rx_worker"):
            irqs.setdefault(e.get("irq"), collections.Counter())[e.name] += 1
    bench.same("interrupts", [(i["irq"], i["handled"], i["workers"]) for i in section["interrupts"]],
               [(n, c["mbox_irq_handle"], c["mbox_rx_worker"]) for n, c in irqs.items()])


def judge_findings(bench, findings, events):
    late = sum(e.name == "xdna_job" and e.text("str") == "job timedout" for e in events)
    have = sum(f["evidence"]["timeouts"] for f in findings if f["id"] == "xdna-job-timeout")
    bench.same("findings: timeouts", have, late)


def judge_jobs(bench, xtr, trace, events):
    """One job for each fence, with the device's moments; with its process where the scheduler tells it."""
    jobs, queued = truth_of_jobs(events), {}
    for e in events:
        if e.event == "gpu_scheduler:drm_sched_job_queue":
            queued[(e.get("ctx"), e.get("seqno"))] = e
    rows = {(int(r["context"]), int(r["seqno"])): r for r in csv.DictReader(io.StringIO(playfile.output(xtr, "jobs", "--csv", "-q", trace)))}
    bench.same("jobs: number", len(rows), len(set(jobs) | set(rows)))
    for key, job in jobs.items():
        row = rows.get(key)
        bench.same(f"job {key}: is there", row is not None, True)
        if not row:
            continue
        start = job.get("sent", job.get("runs"))
        bench.near(f"job {key}: run", int(row["run_ns"] or 0), start)
        if "done" in job:
            bench.near(f"job {key}: done", int(row["done_ns"] or 0), job["done"])
            bench.near(f"job {key}: residence", int(row["residence_ns"] or 0), job["done"] - start)
        if key in queued:
            e = queued[key]
            bench.same(f"job {key}: process, ring", (int(row["pid"] or 0), row["comm"], row["ring"]), (e.pid, e.comm, e.text("ring").split("#")[0]))


def judge(events, xtr, trace, exact):
    stats = playfile.stats(xtr, trace)
    bench, section = Bench(exact), stats.get("amdxdna")
    bench.same("there is a section", section is not None, True)
    if section is None:
        return bench.out
    names = collections.Counter(e.event for e in events if e.system == "amdxdna")
    bench.same("events by name", section["events"], dict(names))
    judge_contexts(bench, section, events)
    judge_mailbox(bench, section, events)
    judge_findings(bench, stats["findings"], events)
    judge_jobs(bench, xtr, trace, events)
    bench.same("done reported twice", stats["anomalies"]["duplicate_done"], 0)
    return bench.out
