# SPDX-License-Identifier: BSD-2-Clause
"""The section fences of `xtr stats`: waits, what was not signalled, stalls of rings, from the scenario's events alone."""

import collections

import playfile

SYSTEMS = ("dma_fence", "gpu_scheduler")
FENCE, SCHED = "dma_fence:dma_fence_", "gpu_scheduler:drm_sched_job_"
SPOILS = [
    ("a wait is missing", lambda e: without_wait(e)),
    ("a wait is longer", lambda e: playfile.shifted(e, FENCE + "wait_end", 1_000_000)),
    ("another thread waits", lambda e: other_process(e)),
    ("a fence more", lambda e: playfile.altered(e, FENCE + "init", "seqno", lambda v: v + 100_000)),
    ("a signal is missing", lambda e: without_signal(e)),
    ("the other ring is done later", lambda e: later_dependency(e)),
]


def without_wait(events):
    found = playfile.matching(events, FENCE + "wait_start")
    ends = {e.tid for e in events if e.event == FENCE + "wait_end"}
    found = [k for k in found if events[k].tid in ends]
    return [e for k, e in enumerate(events) if k != found[0]] if found else None


def other_process(events):
    """All waits of the first waiter are another's."""
    out = playfile.shifted(events, FENCE + "wait_start", 0)
    waiter = next((e.tid for e in out or [] if e.event == FENCE + "wait_start"), None)
    for e in out or []:
        if e.event.startswith(FENCE + "wait_") and e.tid == waiter:
            e.pid = e.tid = e.pid + 1000
    return out


def without_signal(events):
    """Of a fence whose init is there."""
    made = {(e.get("ctx"), e.get("seqno")) for e in events if e.event == FENCE + "init"}
    for k, e in enumerate(events):
        if e.event == FENCE + "signaled" and (e.get("ctx"), e.get("seqno")) in made:
            return events[:k] + events[k + 1:]
    return None


def later_dependency(events):
    """The wait of the last job that waited is 100 us shorter: it began later."""
    found = playfile.matching(events, SCHED + "unschedulable")
    stalls = Stalls(events).pairs
    return playfile.shifted(events, SCHED + "unschedulable", 100_000, len(found) - 1) if found and stalls else None


def driver(ops):
    return ops[:ops.index("_fence")] if "_fence" in ops and not ops.startswith("dma_fence") else ops


class Contexts:
    """What is known of contexts."""

    def __init__(self, events):
        self.ops, self.rings, self.pids, self.kinds = {}, {}, collections.defaultdict(list), {}
        for e in events:
            if e.system == "dma_fence" and e.get("ops"):
                self.ops.setdefault(e.get("ctx"), e.text("ops"))
            elif e.event == SCHED + "queue":
                for ctx, kind in ((e.get("ctx"), "finished"), (e.get("ctx") - 1, "scheduled")):
                    self.rings[ctx] = f"{e.text('dev')}/{e.text('ring')}"
                    self.kinds[ctx] = kind
                    self.pids[ctx].append(e.pid)

    def source(self, ctx):
        """driver, timeline, kind."""
        ops = self.ops.get(ctx, "")
        kind = self.kinds.get(ctx) or ("scheduled" if "_scheduled" in ops else "finished" if "_finished" in ops else None)
        name = driver(ops) or ("drm_sched" if ctx in self.rings else None)
        return name, self.rings.get(ctx), kind


def waits(events):
    """(tid, pid, ctx, duration or None) in any order."""
    stacks, out = collections.defaultdict(list), []
    for e in events:
        if e.event == FENCE + "wait_start":
            stacks[e.tid].append(e)
        elif e.event == FENCE + "wait_end":
            begin = stacks[e.tid].pop() if stacks[e.tid] else None
            out.append((e.pid, (begin or e).get("ctx"), e.t_ns - begin.t_ns if begin else None))
    return out + [(e.pid, e.get("ctx"), None) for stack in stacks.values() for e in stack]


def near(have, want, n, exact):
    return have == want if exact else abs(have - want) <= max(20_000 * n, want // 20)


def judge_waits(events, said, contexts, exact):
    rows = collections.defaultdict(list)
    for pid, ctx, ns in waits(events):
        rows[(pid, *contexts.source(ctx))].append((ctx, ns))
    have = collections.defaultdict(list)
    for row in said["waiters"]:
        have[(row["pid"], row["driver"], row["timeline"], row["kind"])].append(row)
    if not exact:  # the lab's player has operations of its own
        rows, have = ({(k[0],): sum((d[x] for x in d if x[0] == k[0]), []) for k in d} for d in (rows, have))
    total = [ns for r in rows.values() for _, ns in r]
    yield said["waits"] == len(total), f"waits: {said['waits']} of {len(total)}"
    yield said["waits_open"] == total.count(None), f"open waits: {said['waits_open']} of {total.count(None)}"
    yield set(have) == set(rows), f"who waited: {sorted(map(str, have))} of {sorted(map(str, rows))}"
    for key in set(have) & set(rows):
        times = [ns for _, ns in rows[key] if ns is not None]
        n, ns = (sum(r["wait_ns"][k] for r in have[key]) for k in ("n", "sum"))
        most = max(r["wait_ns"]["max"] for r in have[key])
        yield n == len(times), f"{key}: {n} waits of {len(times)}"
        yield near(ns, sum(times), len(times), exact), f"{key}: {ns} ns of {sum(times)}"
        yield near(most, max(times, default=0), 1, exact), f"{key}: longest {most} of {max(times, default=0)}"
        owners = {p for ctx, _ in rows[key] for p in contexts.pids.get(ctx, [])}
        if len(owners) == 1 and exact:
            told = {r["owner_pid"] for r in have[key]}
            yield told == owners, f"{key}: owners {told} of {owners}"


def judge_open(events, said, contexts, exact):
    since, seen = {}, collections.defaultdict(collections.Counter)
    destroyed = 0
    for e in events:
        if e.system != "dma_fence":
            continue
        what, fence = e.name[len("dma_fence_"):], (e.get("ctx"), e.get("seqno"))
        seen[contexts.source(fence[0])][what] += 1
        if what == "init":
            since[fence] = (e.t_ns, "init")
        elif what == "emit":
            since.setdefault(fence, (e.t_ns, "emit"))
        elif what in ("signaled", "destroy") and fence in since:
            destroyed += what == "destroy"
            del since[fence]
    waiting = {f for f in since if contexts.source(f[0])[2] == "scheduled" and (f[0] + 1, f[1]) in since}
    want = {f: (*s, (f[0] - 1, f[1]) in waiting) for f, s in since.items() if f not in waiting}
    have = {(x["context"], x["seqno"]): (x["since_ns"], x["since"], x["not_run"]) for x in said["unsignalled_list"]}
    if exact:
        yield have == want, f"not signalled: {sorted(have.items())[:5]} of {sorted(want.items())[:5]}"
        for source, n in seen.items():
            row = [x for x in said["sources"] if (x["driver"], x["timeline"], x["kind"]) == source]
            told = (sum(x["init"] for x in row), sum(x["emit"] for x in row), sum(x["signaled"] for x in row))
            yield told == (n["init"], n["emit"], n["signaled"]), f"{source}: {told} of {dict(n)}"
        ages = {x["since_ns"] + x["age_ns"] for x in said["unsignalled_list"]}
        yield ages <= {events[-1].t_ns}, f"ages end at {ages}, the last event at {events[-1].t_ns}"
    else:
        yield set(have) == set(want), f"not signalled: {sorted(have)[:5]} of {sorted(want)[:5]}"
    yield said["unsignalled"] == len(want), f"not signalled: {said['unsignalled']} of {len(want)}"
    yield said["destroyed_unsignalled"] == destroyed, f"destroyed: {said['destroyed_unsignalled']} of {destroyed}"


class Stalls:
    """Waits of scheduler jobs for other rings' jobs, and the time in which their ring had no job on the hardware."""

    def __init__(self, events):
        self.ring, self.run, self.done = {}, {}, {}
        began, self.waits = {}, []
        for e in events:
            fence = (e.get("ctx"), e.get("seqno"))
            if e.event == SCHED + "queue":
                self.ring[fence] = (e.text("dev"), e.text("ring"))
            elif e.event == SCHED + "unschedulable":
                began.setdefault(fence, []).append(((e.get("dep_ctx"), e.get("dep_seqno")), e.t_ns))
            elif e.event == SCHED + "run":
                self.run[fence] = e.t_ns
            elif e.event == SCHED + "done":
                self.done[fence] = e.t_ns
        self.pairs = collections.defaultdict(list)
        for fence, deps in began.items():
            for (dep, since), limit in zip(deps, [t for _, t in deps[1:]] + [self.run.get(fence)]):
                until = min((t for t in (limit, self.done.get(dep)) if t is not None), default=None)
                if dep in self.ring and until is not None and self.ring[dep] != self.ring.get(fence):
                    self.pairs[(self.ring[fence], self.ring[dep])].append((since, until))

    def idle(self, ring, since, until):
        busy = sorted((max(self.run[f], since), min(self.done[f], until)) for f, r in self.ring.items()
                      if r == ring and f in self.run and f in self.done and self.run[f] < until and self.done[f] > since)
        covered, at = 0, since
        for a, b in busy:
            covered += max(0, b - max(a, at))
            at = max(at, b)
        return until - since - covered


def judge_stalls(events, said, exact):
    truth = Stalls(events)
    have = {(x["ring"], x["blocked_by"]): x for x in said["stalls"]}
    want = {("/".join(k[0]), "/".join(k[1])): v for k, v in truth.pairs.items()}
    yield set(have) == set(want), f"waits of rings: {sorted(have)} of {sorted(want)}"
    for key in set(have) & set(want):
        stall, covered = 0, 0
        for since, until in sorted(want[key], key=lambda x: x[1]):
            since = max(since, covered)
            if since < until:
                stall += truth.idle(tuple(key[0].split("/", 1)), since, until)
                covered = until
        n, waited = len(want[key]), sum(b - a for a, b in want[key])
        yield have[key]["waits"] == n, f"{key}: {have[key]['waits']} waits of {n}"
        yield near(have[key]["wait_ns"], waited, n, exact), f"{key}: waited {have[key]['wait_ns']} of {waited}"
        yield near(have[key]["stall_ns"], stall, n, exact), f"{key}: stalled {have[key]['stall_ns']} of {stall}"


def judge(events, xtr, trace, exact):
    said = playfile.stats(xtr, trace).get("fences")
    truth = Stalls(events)
    shows = bool(truth.pairs) or any(e.event in (FENCE + "init", FENCE + "emit", FENCE + "wait_start", FENCE + "wait_end") for e in events)
    if said is None or not shows:
        return [(shows == (said is not None), f"section fences: {said is not None}, of {shows}")]
    contexts = Contexts(events)
    return [*judge_waits(events, said, contexts, exact), *judge_open(events, said, contexts, exact), *judge_stalls(events, said, exact)]
