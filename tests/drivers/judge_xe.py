# SPDX-License-Identifier: BSD-2-Clause
"""The section xe of `xtr stats`: queues, jobs, engines, memory, messages of the driver, from the scenario's events alone."""

import collections
import copy

import playfile

SYSTEMS = ("xe",)
CLASSES = {0: ("render", "rcs"), 1: ("video decode", "vcs"), 2: ("video enhance", "vecs"), 3: ("copy", "bcs"),
           4: ("other", "gsccs"), 5: ("compute", "ccs")}
SLACK_NS = 20_000
INSTANT_NS = 1_000_000
JOB_KEYS = {"create": "created", "exec": "jobs", "run": "runs", "free": "freed", "timedout": "timeouts", "set_error": "errors", "ban": "bans"}


def reclassed(events):
    """All queues have another class."""
    out = copy.deepcopy(events)
    found = [e for e in out if "class" in e.fields and e.system == "xe"]
    for e in found:
        e.fields["class"] = 3 if e.fields["class"] != 3 else 2
    return out if found else None


SPOILS = [
    ("a job is missing", lambda e: playfile.without(e, "xe:xe_sched_job_exec")),
    ("a job more", lambda e: playfile.doubled(e, "xe:xe_bo_create")),
    ("a signal is late", lambda e: playfile.shifted(e, "xe:xe_hw_fence_signal", 50_000)),
    ("another queue", lambda e: playfile.altered(e, "xe:xe_exec_queue_create", "guc_id", lambda v: v + 1000)),
    ("another class", reclassed),
    ("another size", lambda e: playfile.altered(e, "xe:xe_bo_move", "size", lambda v: v + 1)),
    ("another message", lambda e: playfile.altered(e, "xe:xe_guc_ctb_h2g", "action", lambda v: v ^ 0x40)),
    ("a reset is missing", lambda e: playfile.without(e, "xe:xe_exec_queue_reset")),
    ("an invalidation took longer", lambda e: playfile.shifted(e, "xe:xe_tlb_inval_fence_signal", 30_000)),
]


class Queue:
    def __init__(self, key, event):
        self.key, self.begin, self.created, self.end = key, event.t_ns, None, None
        self.cls = self.pid = self.comm = None
        self.events, self.jobs = collections.Counter(), collections.OrderedDict()
        self.kinds, self.first_error, self.freed_unsignaled = collections.Counter(), 0, 0
        self.over = False
        self.freed_after = []

    def name(self):
        return f"{CLASSES[self.cls][1]}{self.key[2]}" if self.cls in CLASSES else f"guc {self.key[2]}"


class Job:
    def __init__(self):
        self.run = self.done = None
        self.fences, self.pointer, self.freed = set(), 0, False


class Truth:
    def __init__(self, events):
        self.queues, self.now = [], {}
        self.created = []       # hardware fences: (tid, dev, seqno, ctx)
        self.by_fence, self.by_pointer = {}, {}
        self.tried = 0
        self.names = collections.Counter()
        self.signals = False
        for e in events:
            if e.system == "xe" and e.name.startswith("xe_"):
                self.names[e.event] += 1
                self.signals |= e.name == "xe_hw_fence_signal"
        for e in events:
            if e.name.startswith("xe_sched_job_"):
                self.job(e, e.name[len("xe_sched_job_"):])
            elif e.name.startswith("xe_exec_queue_"):
                self.queue(e, e.name[len("xe_exec_queue_"):])
            elif e.name == "xe_hw_fence_create":
                self.created.append((e.tid, e.text("dev"), e.get("seqno"), e.get("ctx")))
            elif e.name == "xe_hw_fence_signal":
                self.signal(e)

    def life(self, e, new):
        key = (e.text("dev"), e.get("gt_id"), e.get("guc_id"))
        if new or key not in self.now:
            self.now[key] = Queue(key, e)
            self.queues.append(self.now[key])
        return self.now[key]

    def queue(self, e, what):
        key = (e.text("dev"), e.get("gt_id"), e.get("guc_id"))
        q = self.life(e, what == "create" and key in self.now)
        q.cls = e.get("class")
        q.events[what] += 1
        if what.startswith("create"):
            q.created = q.begin
            q.pid, q.comm = q.pid or e.pid, q.comm or e.comm
        if what in ("destroy", "deregister_done"):
            q.end, q.over = e.t_ns, True

    def job(self, e, what):
        key = (e.text("dev"), e.get("gt_id"), e.get("guc_id"))
        q = self.life(e, what in ("create", "exec") and key in self.now and self.now[key].over)
        q.kinds[what] += 1
        seqno = e.get("lrc_seqno")
        if what == "exec":
            q.pid, q.comm = q.pid or e.pid, q.comm or e.comm
            job = q.jobs[seqno] = Job()
            for c in [c for c in self.created if c[0] == e.tid and c[1] == key[0] and c[2] == seqno]:
                self.created.remove(c)
                job.fences.add((c[3], seqno))
                self.by_fence[(c[3], seqno)] = job
            if e.get("fence"):
                self.by_pointer[(key[0], e.get("fence"))] = job
        elif what == "run":
            job = q.jobs.setdefault(seqno, Job())
            job.run = job.run or e.t_ns
            if e.get("fence"):
                self.by_pointer[(key[0], e.get("fence"))] = job
        elif what == "free" and seqno in q.jobs:
            job = q.jobs[seqno]
            if job.done is None and not self.signals:
                job.done = e.t_ns
            elif job.done is None:
                q.freed_unsignaled += 1
                q.freed_after.append(e.t_ns - job.run if job.run else None)
            job.freed = True
        elif what == "set_error" and not q.first_error:
            q.first_error = e.get("error")

    def signal(self, e):
        name = (e.get("ctx"), e.get("seqno"))
        job = self.by_fence.pop(name, None)
        if job:
            job.fences.discard(name)
        else:
            job = self.by_pointer.get((e.text("dev"), e.get("fence")))
        if job and not job.fences and job.done is None and not job.freed:
            job.done = e.t_ns


def union(intervals):
    total, end = 0, -1
    for a, b in sorted(intervals):
        total += max(0, b - max(a, end))
        end = max(end, b)
    return total


class Bench:
    def __init__(self, exact):
        self.exact, self.out = exact, []

    def same(self, what, have, want):
        self.out.append((have == want, f"{what}: {have}, should be {want}"))

    def near(self, what, have, want):
        limit = 0 if self.exact else max(SLACK_NS, want * 5 // 100)
        self.out.append((have is not None and abs(have - want) <= limit, f"{what}: {have} ns, should be {want}"))

    def times(self, what, hist, want):
        """Each value where they are exact, else the middle."""
        self.same(f"{what}: n", hist["n"], len(want))
        if not want or hist["n"] != len(want):
            return
        middle = sorted(want)[(len(want) - 1) // 2]
        if self.exact:
            self.same(f"{what}: sum, min, max", (hist["sum"], hist["min"], hist["max"]), (sum(want), min(want), max(want)))
            self.out.append((abs(hist["p50"] - middle) * 100 <= middle, f"{what}: p50 {hist['p50']}, should be {middle}"))
        else:
            self.near(f"{what}: p50", hist["p50"], middle)


def judge_queue(bench, have, q):
    label = f"queue {q.name()} of {q.key[0]} since {q.begin}"
    timed = [j for j in q.jobs.values() if j.run and j.done]
    bench.same(f"{label}: number", (have["device"], have["gt"], have["guc_id"], have["queue"]), (*q.key, q.name()))
    bench.same(f"{label}: process", (have["pid"], have["comm"]), (q.pid or None, q.comm))
    for what, key in JOB_KEYS.items():
        bench.same(f"{label}: {key}", have[key], q.kinds[what])
    bench.same(f"{label}: done", have["done"], len(timed))
    bench.same(f"{label}: unsignaled", have["unsignaled"], q.freed_unsignaled)
    bench.same(f"{label}: first_error", have["first_error"], q.first_error)
    bench.same(f"{label}: created, ended", (have["created_ns"] is not None, have["ended_ns"] is not None), (q.created is not None, q.end is not None))
    bench.times(f"{label}: residence", have["residence_ns"], [j.done - j.run for j in timed])
    bench.near(f"{label}: busy", have["busy_ns"], union((j.run, j.done) for j in timed))
    broken = q.events["kill"] + q.events["reset"] + q.events["memory_cat_error"] + q.kinds["set_error"] + q.kinds["ban"] + q.kinds["timedout"]
    at_once = [n for n in q.freed_after if n is not None and n < INSTANT_NS]
    bench.same(f"{label}: long_running", have["long_running"], bool(at_once) and len(at_once) == q.freed_unsignaled and not timed and not broken)


def judge_queues(bench, section, truth):
    bench.same("queues", len(section["queues"]), len(truth.queues))
    for have, q in zip(section["queues"], truth.queues):
        judge_queue(bench, have, q)
    by_class = collections.defaultdict(list)
    for q in truth.queues:
        for j in q.jobs.values():
            if j.run and j.done:
                by_class[(q.key[0], q.cls)].append((j.run, j.done))
    have = {(x["device"], x["class_id"]): x for x in section["engines"] if x["jobs"]}
    bench.same("classes of engines with jobs", set(have), set(by_class))
    for key in set(have) & set(by_class):
        bench.same(f"engines {key}: jobs", have[key]["jobs"], len(by_class[key]))
        bench.same(f"engines {key}: class", have[key]["class"], CLASSES.get(key[1], (None,))[0])
        bench.near(f"engines {key}: busy", have[key]["busy_ns"], union(by_class[key]))


def judge_memory(bench, section, events):
    want = collections.Counter()
    for e in events:
        what = {"xe_bo_create": "created", "xe_bo_validate": "validated", "xe_bo_cpu_fault": "cpu_faults"}.get(e.name)
        if what:
            want[(e.text("dev"), e.pid or None, what)] += 1
            want[(e.text("dev"), e.pid or None, what.rstrip("s") + "_bytes")] += e.get("size")
    have = collections.Counter()
    for row in section["memory"]:
        for key in ("created", "created_bytes", "validated", "validated_bytes", "cpu_faults", "cpu_fault_bytes"):
            have[(row["device"], row["pid"], key)] += row[key]
    bench.same("memory by process", +have, +want)
    moves = collections.Counter()
    for e in events:
        if e.name == "xe_bo_move":
            key = (e.text("device_id"), e.text("old_placement_name"), e.text("new_placement_name"))
            for what, n in (("count", 1), ("bytes", e.get("size")), ("lacks_source", e.get("move_lacks_source"))):
                moves[(*key, what)] += n
    have = {(m["device"], m["from"], m["to"], k): m[k] for m in section["moves"] for k in ("count", "bytes", "lacks_source")}
    bench.same("moves", +collections.Counter(have), +moves)
    spaces = collections.Counter()
    for e in events:
        if e.name.startswith(("xe_vma_", "xe_vm_")):
            spaces[(e.text("dev"), e.event, "count")] += 1
            spaces[(e.text("dev"), e.event, "bytes")] += e.get("end") - e.get("start") + 1 if e.name.startswith("xe_vma_") else 0
    have = {(s["device"], s["event"], k): s[k] for s in section["virtual_memory"] for k in ("count", "bytes")}
    bench.same("virtual memory", +collections.Counter(have), +spaces)


def judge_firmware(bench, section, events):
    want = collections.Counter()
    for e in events:
        if e.name in ("xe_guc_ctb_h2g", "xe_guc_ctb_g2h"):
            key = (e.text("dev"), e.get("gt_id"), e.name[-3:], e.get("action") & 0xffff)
            want[(*key, "count")] += 1
            want[(*key, "dwords")] += e.get("len")
    have = {(m["device"], m["gt"], m["direction"], m["action"], k): m[k] for m in section["guc_messages"] for k in ("count", "dwords")}
    bench.same("messages", +collections.Counter(have), +want)
    names = {m["action"]: m["name"] for m in section["guc_messages"]}
    for action, name in ((0x1000, "SCHED_CONTEXT"), (0x4502, "REGISTER_CONTEXT"), (0x7001, "TLB_INVALIDATION_DONE")):
        if action in names:
            bench.same(f"name of action {action:#x}", names[action], name)
    for device in section["devices"]:
        judge_device(bench, device, [e for e in events if e.text("dev") == device["device"]])


def judge_device(bench, have, events):
    label, sent, times, since, asleep = have["device"], {}, [], None, 0
    count = collections.Counter(e.name for e in events)
    for e in events:
        if e.name == "xe_tlb_inval_fence_send":
            sent[e.get("fence")] = e.t_ns
        elif e.name == "xe_tlb_inval_fence_signal" and e.get("fence") in sent:
            times.append(e.t_ns - sent.pop(e.get("fence")))
        elif e.name == "xe_pm_runtime_suspend":
            since = since or e.t_ns
        elif e.name == "xe_pm_runtime_resume" and since:
            asleep, since = asleep + e.t_ns - since, None
    tlb = have["tlb_invalidations"]
    for key, what in (("sent", "send"), ("received", "recv"), ("signaled", "signal"), ("timeouts", "timeout")):
        bench.same(f"{label}: invalidations {key}", tlb[key], count["xe_tlb_inval_fence_" + what])
    bench.times(f"{label}: invalidations", tlb["time_ns"], times)
    bench.near(f"{label}: asleep", have["power"]["asleep_ns"], asleep)
    for way in ("h2g", "g2h"):
        waits = [e.get("space") for e in events if e.name == f"xe_guc_ct_{way}_flow_control"]
        bench.same(f"{label}: {way} flow control", (have[f"{way}_flow_control"], have[f"{way}_least_space"]), (len(waits), min(waits, default=None)))


def judge_clocks(bench, section, events):
    want, last = collections.Counter(), {}
    for e in events:
        if e.name in ("xe_lrc_update_timestamp", "xe_lrc_update_queue_timestamp"):
            want[(e.text("device_id"), e.text("name"), "context")] += e.get("new") - e.get("old")
        elif e.name == "xe_guc_engine_activity":
            key = (e.text("dev"), e.text("name"), "engine")
            want[key] += e.get("active") - last.get(key, e.get("active"))
            last[key] = e.get("active")
    have = {(c["device"], c["name"], c["of"]): c["active_ticks"] for c in section["gpu_clocks"]}
    bench.same("clocks", have, dict(want))


def judge_errors(bench, findings, truth):
    rules = {"xe-queue-reset": lambda q: q.events["reset"], "xe-memory-cat-error": lambda q: q.events["memory_cat_error"],
             "xe-job-timeout": lambda q: q.kinds["timedout"], "xe-queue-banned": lambda q: q.kinds["ban"]}
    for name, count in rules.items():
        want = sorted((count(q), q.key[2], q.pid or 0) for q in truth.queues if count(q))
        have = sorted((f["evidence"]["count"], f["evidence"]["guc_id"], f["evidence"]["pid"]) for f in findings if f["id"] == name)
        bench.same(f"findings {name}", have, want)


def judge_rings(bench, stats, events):
    """Where the scheduler's events are there: a ring is a queue, and execution on it is only bounded."""
    runs, times = {}, collections.defaultdict(list)
    for e in events:
        if e.event == "gpu_scheduler:drm_sched_job_run":
            runs[e.text("fence")] = ((e.text("dev"), e.text("ring")), e.t_ns)
        elif e.event == "gpu_scheduler:drm_sched_job_done" and e.text("fence") in runs:
            ring, t = runs[e.text("fence")]
            times[ring].append((t, e.t_ns))
    have = {(r["device"], r["ring"]): r for r in stats["rings"]}
    for ring, jobs in times.items():
        row = have.get(ring)
        bench.same(f"ring {ring} is there", row is not None, True)
        if row:
            bench.same(f"ring {ring}: bounded", (row["bounded"], row["bounded_because"] is not None, row["exec_ns"]["n"]), (True, True, 0))
            bench.times(f"ring {ring}: residence", row["residence_ns"], [b - a for a, b in jobs])
    for dev in {d for d, _ in times}:
        row = next(d for d in stats["devices"] if d["device"] == dev)
        bench.near(f"device {dev}: busy", row["busy_ns"], union(j for (d, _), jobs in times.items() if d == dev for j in jobs))


def judge(events, xtr, trace, exact):
    stats = playfile.stats(xtr, trace)
    bench, truth = Bench(exact), Truth(events)
    section = stats.get("xe")
    bench.same("there is a section", section is not None, True)
    if section is None:
        return bench.out
    bench.same("events by name", section["events"], dict(truth.names))
    mine = [e for e in events if e.system == "xe"]
    judge_queues(bench, section, truth)
    judge_memory(bench, section, mine)
    judge_firmware(bench, section, mine)
    judge_clocks(bench, section, mine)
    judge_errors(bench, stats["findings"], truth)
    judge_rings(bench, stats, events)
    return bench.out
