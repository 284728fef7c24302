# SPDX-License-Identifier: BSD-2-Clause
"""The section cpu of `xtr stats`: late jobs and their causes, threads, handlers, from the scenario's events alone."""

import collections
import copy

import playfile

SYSTEMS = ("sched", "irq")
SCHED, SWITCH, LATE_NS = "gpu_scheduler:drm_sched_job_", "sched:sched_switch", 1_000_000
WAKEUPS = ("sched:sched_wakeup", "sched:sched_wakeup_new")
VECS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
CAUSES = ("cpu", "gpu", "other")


def threads_judged(events):
    return any(e.event == SWITCH for e in events) and any(e.event == WAKEUPS[0] for e in events)


def judged(change, can):
    """A change where the judge looks at what it changes."""
    return lambda events: change(events) if can(events) else None


def handlers_judged(events):
    return handlers([e for e in events if e.system == "irq"]) is not None


def other_worker(events):
    out = playfile.shifted(events, SCHED + "run", 0)
    for e in out or []:
        if e.event == SCHED + "run":
            e.tid = e.pid = 4_000_000
    return out


def preempted(events):
    """A thread of jobs that slept was preempted."""
    roles = Jobs(events).roles
    for nth, k in enumerate(playfile.matching(events, SWITCH, "prev_state")):
        if events[k].get("prev_pid") in roles and events[k].get("prev_state") & 0xff:
            return playfile.altered(events, SWITCH, "prev_state", lambda v: 0, nth)
    return None


def without_handler(events):
    k = next((k for k, e in enumerate(events) if e.event == "irq:irq_handler_entry"), None)
    if k is None:
        return None
    end = next((i for i in range(k, len(events)) if events[i].event == "irq:irq_handler_exit" and events[i].cpu == events[k].cpu), None)
    return None if end is None else events[:k] + events[k + 1:end] + events[end + 1:]


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


class Threads:
    """When each thread could run and had no CPU."""

    def __init__(self, events):
        self.waits = collections.defaultdict(list)
        self.woken = collections.defaultdict(list)
        self.count = collections.defaultdict(collections.Counter)
        self.cpu = {}  # on which a wait ended: by thread and time
        since, running = {}, set()
        for e in events:
            if e.event in WAKEUPS:
                tid = e.get("pid")
                self.count[tid]["wakeups"] += 1
                if tid not in running and tid not in since:
                    since[tid] = e.t_ns
                    self.woken[tid].append(e.t_ns)
            elif e.event == SWITCH:
                prev, tid = e.get("prev_pid"), e.get("next_pid")
                running.discard(prev)
                since.pop(prev, None)
                if prev and not e.get("prev_state") & 0xff:
                    since[prev] = e.t_ns
                    self.count[prev]["preempted"] += 1
                running.add(tid)
                self.count[tid]["switches"] += 1
                if tid and tid in since:
                    self.waits[tid].append((since.pop(tid), e.t_ns))
                    self.cpu[tid, e.t_ns] = e.cpu

    def between(self, tid, begin, end):
        return [(max(a, begin), min(b, end)) for a, b in self.waits[tid] if b <= end and overlap((a, b), (begin, end))]


def holders(events):
    """Who had each CPU: (tid, begin, end), from one switch to the next, where both name the thread; 0: idle."""
    out, last = collections.defaultdict(list), {}
    for e in events:
        if e.event == SWITCH:
            tid, begin = last.get(e.cpu, (None, 0))
            if tid == e.get("prev_pid"):
                out[e.cpu].append((tid, begin, e.t_ns))
            last[e.cpu] = (e.get("next_pid"), e.t_ns)
    return out


class Jobs:
    def __init__(self, events):
        self.t = collections.defaultdict(dict)
        self.deps = collections.defaultdict(list)
        self.signals = {}
        self.roles = collections.defaultdict(set)
        depth = collections.Counter()
        for e in events:
            fence = (e.get("ctx"), e.get("seqno"))
            if e.event in ("irq:irq_handler_entry", "irq:softirq_entry"):
                depth[e.cpu] += 1
            elif e.event in ("irq:irq_handler_exit", "irq:softirq_exit"):
                depth[e.cpu] = max(0, depth[e.cpu] - 1)
            elif e.event in (SCHED + "queue", SCHED + "run"):
                what = e.name[len("drm_sched_job_"):]
                self.t[fence][what] = (e.t_ns, e.tid)
                self.t[fence]["ring"] = (e.text("dev"), e.text("ring"))
                if e.tid:
                    self.roles[e.tid].add("submits" if what == "queue" else "runs")
            elif e.event == SCHED + "done":
                self.signals.setdefault(fence, e.t_ns)
                thread = e.kthread and e.tid and not depth[e.cpu]
                self.t[fence]["done"] = (e.t_ns, e.tid if thread else 0)
                if thread:
                    self.roles[e.tid].add("completes")
            elif e.event == SCHED + "unschedulable":
                self.deps[fence].append((e.get("dep_ctx"), e.get("dep_seqno")))
            elif e.event == "dma_fence:dma_fence_signaled":
                self.signals.setdefault(fence, e.t_ns)
            elif e.event == "dma_fence:dma_fence_wait_start" and e.tid:
                self.roles[e.tid].add("waits")

    def ready(self, fence):
        t = self.t[fence]
        until = [min(self.signals[d], t["run"][0]) for d in self.deps[fence] if d in self.signals]
        return max([t["queue"][0], *until])


def divide(jobs, threads, fence, ready):
    """The time from ready to run, by cause: moment by moment between bounds."""
    t = jobs.t[fence]
    run, tid = t["run"]
    waits = threads.between(tid, ready, run)
    busy = [(o["run"][0], o["done"][0]) for f, o in jobs.t.items()
            if f != fence and o["ring"] == t["ring"] and "run" in o and "done" in o and o["done"][0] <= t.get("done", (run,))[0]]
    bounds = sorted({ready, run} | {min(max(x, ready), run) for s in waits + busy for x in s})
    out = dict.fromkeys(CAUSES, 0)
    for a, b in zip(bounds, bounds[1:]):
        cause = "cpu" if any(s[0] <= a < s[1] for s in waits) else "gpu" if any(s[0] <= a < s[1] for s in busy) else "other"
        out[cause] += b - a
    return out


def length(spans):
    return sum(b - a for a, b in spans)


def waits(jobs, threads):
    """The waits for a CPU before a job's queue, its run since it was ready, and its done: (which, fence, thread, its stretches)."""
    last_queue = {}
    for fence, t in sorted(jobs.t.items(), key=lambda x: x[1].get("queue", (0,))[0]):
        if "queue" not in t:
            continue
        at, tid = t["queue"]
        if tid:
            woken = max((x for x in threads.woken[tid] if x <= at), default=0)
            yield "submit", fence, tid, threads.between(tid, max(woken, last_queue.get(tid, 0)), at)
            last_queue[tid] = at
        if "done" in t and t["done"][1] and "run" in t:
            last = [w for w in threads.waits[t["done"][1]] if w[1] <= t["done"][0]][-1:]
            yield "complete", fence, t["done"][1], [w for w in last if w[0] >= t["run"][0]]
        if "run" in t and t["run"][1] and tid:
            run, worker = t["run"]
            yield "run", fence, worker, threads.between(worker, jobs.ready(fence), run)


def late_by_cpu(jobs, threads, what, fence, spans):
    if what != "run":
        return length(spans) > LATE_NS
    ready = jobs.ready(fence)
    shares = divide(jobs, threads, fence, ready)
    return jobs.t[fence]["run"][0] - ready > LATE_NS and max(CAUSES, key=lambda c: shares[c]) == "cpu"


def longest(parts, ns):
    """Of (thread, ns), who has most of ns, and how much; (0, 0) where that is nobody, or not known."""
    sums = collections.Counter()
    for tid, part in parts:
        sums[tid] += part
    tid, most = max(sums.items(), key=lambda x: x[1], default=(0, 0))
    return (tid, most) if tid and most > ns - sum(sums.values()) else (0, 0)


def holder(events):
    """The thread that had CPUs longest while jobs were late for want of one, and how long; (0, 0): none, or not known."""
    if not threads_judged(events):
        return 0, 0
    jobs, threads, had = Jobs(events), Threads(events), holders(events)
    held, nobody = collections.Counter(), 0
    for what, fence, tid, spans in waits(jobs, threads):
        if not late_by_cpu(jobs, threads, what, fence, spans):
            continue
        by = [longest([(who, overlap((a, b), (x, y))) for who, x, y in had[threads.cpu[tid, b]]], b - a) for a, b in spans]
        who, ns = longest(by, length(spans))
        held[who] += ns
        nobody += 0 if who else length(spans)
    tid, ns = max(held.items(), key=lambda x: x[1], default=(0, 0))
    return (tid, ns) if tid and ns > nobody else (0, 0)


def other_holder(events):
    """Another thread had the CPU for which threads waited."""
    tid, _ = holder(events)
    if not tid or tid in Jobs(events).roles:
        return None
    out = copy.deepcopy(events)
    for e in out:
        for field in ("prev_pid", "next_pid"):
            if e.event == SWITCH and e.get(field) == tid:
                e.fields[field] = 4_000_000
    return out


def judge_holder(events, stats):
    """Whom the finding names, if there is one."""
    for f in stats["findings"]:
        if f["id"] == "cpu-delay":
            have = f["evidence"].get("holder_tid", 0), f["evidence"].get("holder_ns", 0)
            yield have == holder(events), f"who had the CPU: {have} of {holder(events)}"
            yield ("had it longest" in f["text"]) == bool(have[0]), f"who had the CPU: {have} in {f['text']!r}"
            jobs, threads = Jobs(events), Threads(events)
            late = {fence for what, fence, _, spans in waits(jobs, threads) if late_by_cpu(jobs, threads, what, fence, spans)}
            fence = f["evidence"]["context"], f["evidence"]["seqno"]
            times = [jobs.t[fence][what][0] for what in ("queue", "run", "done") if what in jobs.t[fence]]
            yield fence in late and f["at_ns"] in times, f"the job of the finding: {fence}, {f['at_ns']}, of {times}; late: {sorted(late)[:3]}"


def near(have, want, n, exact):
    return have == want if exact else abs(have - want) <= max(20_000 * max(n, 1), want // 20)


def judge_sum(label, have, values, exact):
    late = [v for v in values if v > LATE_NS]
    yield have["n"] == len(values), f"{label}: {have['n']} of {len(values)}"
    yield near(have["wait_ns"]["sum"], sum(values), len(values), exact), f"{label}: {have['wait_ns']['sum']} ns of {sum(values)}"
    if exact:
        yield (have["late"], have["late_ns"]) == (len(late), sum(late)), f"{label}: late {have['late']}, {have['late_ns']} of {len(late)}, {sum(late)}"


def judge_jobs(said, jobs, threads, exact):
    submits, completions, ready, late = [], [], [], []
    for what, fence, _, spans in waits(jobs, threads):
        if what == "submit":
            submits.append(length(spans))
        elif what == "complete":
            completions.append(length(spans))
        else:
            ready.append(jobs.t[fence]["run"][0] - jobs.ready(fence))
            if ready[-1] > LATE_NS:
                late.append((fence, divide(jobs, threads, fence, jobs.ready(fence))))
    yield from judge_sum("submits", said["submits"], submits, exact)
    yield from judge_sum("completions", said["completions"], completions, exact)
    runs = said["runs"]
    yield runs["n"] == len(ready), f"runs: {runs['n']} of {len(ready)}"
    yield near(runs["ready_ns"]["sum"], sum(ready), len(ready), exact), f"ready: {runs['ready_ns']['sum']} of {sum(ready)}"
    if exact:
        yield runs["late"] == len(late), f"late runs: {runs['late']} of {len(late)}"
        for cause in CAUSES:
            want = {"late": sum(max(CAUSES, key=lambda c: d[c]) == cause for _, d in late), "late_ns": sum(d[cause] for _, d in late)}
            yield runs[cause] == want, f"late by {cause}: {runs[cause]} of {want}"
        want = dict(late)
        for x in said["late_jobs"]:
            told = {c: x[c + "_ns"] for c in CAUSES}
            yield told == want.get((x["context"], x["seqno"])), f"late job {x['context']}:{x['seqno']}: {told} of {want.get((x['context'], x['seqno']))}"
        yield len(said["late_jobs"]) == min(10, len(late)), f"listed: {len(said['late_jobs'])} of {len(late)}"


def judge_threads(said, jobs, threads, exact):
    have = {t["tid"]: t for t in said["threads"]}
    yield set(have) == set(jobs.roles), f"threads {sorted(have)} of {sorted(jobs.roles)}"
    for tid in set(have) & set(jobs.roles):
        t, n, waits = have[tid], threads.count[tid], [b - a for a, b in threads.waits[tid]]
        yield set(t["does"]) == jobs.roles[tid], f"thread {tid} does {t['does']} of {jobs.roles[tid]}"
        told = (t["switches"], t["wakeups"], t["preempted"], t["wait_ns"]["n"])
        want = (n["switches"], n["wakeups"], n["preempted"], len(waits))
        yield told == want, f"thread {tid}: {told} of {want}"
        yield near(t["wait_ns"]["sum"], sum(waits), len(waits), exact), f"thread {tid}: {t['wait_ns']['sum']} ns of {sum(waits)}"


def handlers(events):
    """By CPU and by name: calls, and time with and without what interrupted."""
    stacks = collections.defaultdict(list)
    cpus, names, raised, soft = collections.defaultdict(collections.Counter), collections.defaultdict(list), {}, collections.defaultdict(list)
    for e in events:
        kind = "irq" if e.name.startswith("irq_handler") else "softirq"
        if e.name == "softirq_raise":
            raised.setdefault((e.cpu, e.get("vec")), e.t_ns)
        elif e.name in ("irq_handler_entry", "softirq_entry"):
            name = e.text("name") if kind == "irq" else VECS[e.get("vec")]
            stacks[e.cpu].append([kind, name, e.t_ns, 0])
            if kind == "softirq" and (e.cpu, e.get("vec")) in raised:
                soft[name].append(e.t_ns - raised.pop((e.cpu, e.get("vec"))))
        elif e.name in ("irq_handler_exit", "softirq_exit"):
            if not stacks[e.cpu] or stacks[e.cpu][-1][0] != kind:
                return None  # an end or a begin alone
            kind, name, begin, inner = stacks[e.cpu].pop()
            ns = e.t_ns - begin
            names[(name, "interrupt" if kind == "irq" else "softirq")].append((begin, ns))
            cpus[e.cpu][kind] += 1
            cpus[e.cpu][kind + "_ns"] += ns - inner
            if stacks[e.cpu]:
                stacks[e.cpu][-1][3] += ns
    return None if any(stacks.values()) else (cpus, names, soft)


def judge_handlers(events, said, exact):
    found = handlers([e for e in events if e.system == "irq"])
    if found is None:
        return
    cpus, names, soft = found
    have = {c["cpu"]: c for c in said["cpus"] if c["irqs"] or c["softirqs"]}
    yield set(have) == set(cpus), f"CPUs with handlers {sorted(have)} of {sorted(cpus)}"
    for cpu in set(have) & set(cpus):
        c, want = have[cpu], cpus[cpu]
        yield (c["irqs"], c["softirqs"]) == (want["irq"], want["softirq"]), f"CPU {cpu}: {c} of {dict(want)}"
        for key in ("irq_ns", "softirq_ns"):
            yield near(c[key], want[key], want["irq"] + want["softirq"], exact), f"CPU {cpu} {key}: {c[key]} of {want[key]}"
    told = {(h["name"], h["kind"]): h for h in said["handlers"]}
    yield set(told) == set(names), f"handlers {sorted(told)} of {sorted(names)}"
    for key in set(told) & set(names):
        calls = sorted(names[key])
        h, most, start, n = told[key], 0, None, 0
        for begin, _ in calls:
            if start is None or begin - start >= 1_000_000_000:
                start, n = begin, 0
            n += 1
            most = max(most, n)
        total = sum(ns for _, ns in calls)
        yield h["calls"] == len(calls), f"{key}: {h['calls']} of {len(calls)}"
        yield near(h["total_ns"], total, len(calls), exact), f"{key}: {h['total_ns']} ns of {total}"
        yield h["most_in_a_second"] == most if exact else True, f"{key}: most {h['most_in_a_second']} of {most}"
    told = {x["softirq"]: x["wait_ns"] for x in said["softirq_raised_to_begun"]}
    yield {k: (x["n"], x["sum"]) for k, x in told.items()} == {k: (len(v), sum(v)) for k, v in soft.items()} or not exact, f"softirqs: {told} of {dict(soft)}"


SPOILS = [
    ("a wake-up is earlier", judged(lambda e: playfile.shifted(e, WAKEUPS[0], -1_500_000, 3), threads_judged)),
    ("a job is queued earlier", judged(lambda e: playfile.shifted(e, SCHED + "queue", -5_000_000), threads_judged)),
    ("a job is run by another thread", judged(other_worker, threads_judged)),
    ("a thread is preempted", judged(preempted, threads_judged)),
    ("another thread had the CPU", other_holder),
    ("a handler is longer", judged(lambda e: playfile.shifted(e, "irq:irq_handler_exit", 500), handlers_judged)),
    ("a handler is missing", judged(without_handler, handlers_judged)),
]


def judge(events, xtr, trace, exact):
    stats = playfile.stats(xtr, trace)
    said = stats.get("cpu")
    mine = [e for e in events if e.event == SWITCH or e.event in WAKEUPS or e.system == "irq"]
    if said is None or not mine:
        return [(bool(mine) == (said is not None), f"section cpu: {said is not None}, {len(mine)} events of CPUs")]
    out = [(True, "section cpu is there"), *judge_handlers(events, said, exact)]
    if said["threads_known"]:
        jobs, threads = Jobs(events), Threads(events)
        out += [*judge_jobs(said, jobs, threads, exact), *judge_threads(said, jobs, threads, exact)]
        if exact:
            out += judge_holder(events, stats)
    return out
