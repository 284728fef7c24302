# SPDX-License-Identifier: BSD-2-Clause
"""The model of docs/whatif.md once more, slow and plain, over the lines of `xtr jobs --jsonl`: what is learnt is worked out from the
recorded times, without a replay, and a replay looks at everything at each step. It takes from `xtr whatif --json` only whether a ring
is in order and how many jobs it takes at once."""

import bisect

UNIT = 1000000
ANY = 1 << 62


def percentile(values, percent):
    return sorted(values)[(len(values) * percent + 99) // 100 - 1] if values else None


def union(spans):
    busy = to = 0
    for a, b in sorted(spans):
        busy += max(0, b - max(a, to))
        to = max(to, b)
    return busy


class Job:
    def __init__(self, line, nth):
        self.nth, self.ring, self.name = nth, line["ring_id"], (line["context"], line["seqno"])
        self.queue, self.run, self.done = (line.get(k) or 0 for k in ("queue_ns", "run_ns", "done_ns"))
        self.submit = line.get("submit_ns") or 0
        self.pid, self.flags = line.get("pid"), line["flags"]
        self.fixed = not (self.queue and self.queue <= self.run <= self.done) or line["quality"] in ("open", "lost")
        self.error = line.get("error")
        self.deps = [] if self.fixed else line.get("deps", [])
        self.measured = line.get("start_ns") if "measured" in self.flags else None
        self.thread = (self.pid, line.get("pid_nth"), line["tid"]) if line.get("tid") and line["kind"] != "kernel" else None
        self.loop, self.took = None, 0
        self.waits, self.fence, self.before = [], 0, None   # (job, until its run), a time, the one before it in its queue
        self.delay = self.over = self.own = self.gap = 0
        self.full = False

    def comes(self):
        return self.queue or self.run or self.done


class Loop:
    """A thread that submits these jobs."""

    def __init__(self, jobs):
        self.jobs = jobs
        steps = sorted([(j.done, 0, j.nth, j) for j in jobs] + [(j.queue, 1, j.nth, j) for j in jobs], key=lambda s: s[:3])
        there = self.window = 0
        for _, comes, _, _ in steps:
            there += 1 if comes else -1
            self.window = max(self.window, there)
        there = submit = since = full = took = 0
        for ns, comes, _, j in steps:
            if not comes:
                since = ns if there == self.window else since
                there -= 1
                continue
            j.took = ns - since
            if submit:
                full, took = full + since - submit, took + ns - since
            there, submit, since = there + 1, ns, ns
        self.closed = full > took


class Model:
    def __init__(self, lines, rings, as_submitted=False):
        self.jobs = [Job(line, nth) for nth, line in enumerate(lines)]
        self.order = {r["ring_id"]: r["order"] == "in-order" for r in rings}
        self.limit = {r["ring_id"]: r["at_once"] or ANY for r in rings}
        self.link()
        self.learn()
        self.loops = [] if as_submitted else self.closed()

    def closed(self):
        threads, loops = {}, []
        for j in sorted((j for j in self.jobs if j.thread and not j.fixed), key=lambda j: (j.queue, j.nth)):
            threads.setdefault(j.thread, []).append(j)
        for jobs in threads.values():
            loop = Loop(jobs)
            if loop.closed:
                loops.append(loop)
                for j in jobs:
                    j.loop = loop
        return loops

    def on(self, ring):
        """Jobs that are on the hardware of the ring at some time, in the order in which they were run."""
        return sorted((j for j in self.jobs if j.ring == ring and j.run and j.done), key=lambda j: (j.run, j.nth))

    def link(self):
        names, last = {}, {}
        for j in self.jobs:
            names.setdefault(j.name, j)
        for j in self.jobs:
            for d in j.deps:
                of, scheduled = names.get((d["context"], d["seqno"])), d["until"] != "done"
                ends = (of.run if scheduled else of.done) if of else 0
                if not ends:
                    j.fence = max(j.fence, d["until_ns"] if d["until_ns"] <= j.run else 0)
                elif ends <= j.run:
                    j.waits.append((of, scheduled))
        for j in sorted(self.jobs, key=lambda j: (j.comes(), j.name[1])):
            if j.run and "key-inferred" not in j.flags:
                before = last.get(j.name[0])
                j.before = before if before and before.run <= j.run else None
                last[j.name[0]] = j

    def ready(self, j, run, done, came=None):
        """When it has all that it waits for, by the times in run and done; None: that is not known yet."""
        times = [j.queue if came is None else came.get(j), j.fence]
        times += [(run if scheduled else done).get(of) for of, scheduled in j.waits]
        if j.before:
            times.append(run.get(j.before))
        return None if None in times else max(times)

    def learn(self):
        run, done = {j: j.run for j in self.jobs}, {j: j.done for j in self.jobs}
        for ring in self.order:
            on, free = self.on(ring), 0
            for j in on:
                start = max(j.run, free) if self.order[ring] else j.run
                j.own = j.done - start
                if j.measured and j.done - j.measured <= j.own:
                    j.own, j.gap = j.done - j.measured, j.measured - start
                free = max(free, j.done)
            jobs = [j for j in on if not j.fixed]
            self.learn_delays(on, jobs, {j: self.ready(j, run, done) for j in jobs}, self.limit[ring])

    def learn_delays(self, on, jobs, ready, limit):
        # At each time: ends first, then runs, as they follow each other.
        steps = sorted([(j.done, 0, j.nth, j) for j in on] + [(j.run, 1, j.nth, j) for j in on], key=lambda s: s[:3])
        there, since, room = 0, 0, []   # room: (from, whether there is room, since when)
        for ns, runs, _, j in steps:
            if runs:
                if not j.fixed:
                    j.full = there >= limit
                    j.delay = ns - (ready[j] if j.full else max(ready[j], since))
                there, since = there + 1, ns
            else:
                since = ns if there == limit else since
                there -= 1
            room.append((ns, there < limit, since))
        waiting = [j for j in jobs if not j.full]
        places = sorted({0} | {r[0] for r in room} | {ready[j] for j in waiting} | {j.run for j in waiting})
        for a, b in zip(places, places[1:]):
            first = min((j for j in waiting if ready[j] <= a < j.run), key=lambda j: (j.run, j.nth), default=None)
            at = bisect.bisect_right(room, (a, True, ANY)) - 1
            _, has_room, since = room[at] if at >= 0 else (0, True, 0)
            if first and has_room:
                first.over += max(0, b - max(a, max(ready[first], since) + first.delay))

    def replay(self, scale, depth, without, levels):
        """Times of run and end, with executions of rings in millionths, depths, without a process, and with levels of jobs by name:
        (level, whether it is another one than it was); the least goes first, on rings that have a job of another one."""
        jobs = [j for j in self.jobs if j.pid != without or without is None]
        gone = set(self.jobs) - set(jobs)
        moved = {j for j in jobs if levels.get(j.name, (0, False))[1]}
        by_level = {j.ring for j in moved}
        level = {j: levels[j.name][0] if j.ring in by_level else 0 for j in jobs}
        for j in jobs:
            j.waits = [w for w in j.waits if w[0] not in gone]
            j.before = None if j.before in gone else j.before
        run, done, over, state = {}, {}, {}, {}
        came = {j: j.queue for j in jobs if not j.loop}
        # The next job, jobs in flight, since when it can be submitted.
        loops = {loop: [0, 0, 0] for loop in self.loops if loop.jobs[0] not in gone}
        for ring in self.order:
            state[ring] = {"there": 0, "since": 0, "free": 0, "limit": depth.get(ring, self.limit[ring])}
        now = 0
        spans, chain, chains = {r: [] for r in self.order}, {}, {r: 0 for r in self.order}
        ends = {}
        while True:
            plans, heads = [], {}
            for j in jobs:
                if j in ends and j not in done:
                    plans.append((ends[j], 0, j.nth, j))
                if j.fixed and j not in run and j.run:
                    plans.append((j.run, 2, j.nth, j))
                if j.fixed and not j.run and j.done and j not in done:
                    plans.append((j.done, 0, j.nth, j))
                if j.fixed or j in run:
                    continue
                ready = self.ready(j, run, done, came)
                if ready is None:
                    continue
                if ready > now:
                    plans.append((ready, 1, j.nth, None))
                elif j.full and j.ring not in depth:
                    plans.append((ready + j.delay, 2, j.nth, j))
                else:
                    heads.setdefault(j.ring, []).append(((level[j], j.run, j.nth), j, ready))
            for loop, (nth, there, since) in loops.items():
                if nth < len(loop.jobs) and there < loop.window:
                    plans.append((since + loop.jobs[nth].took if nth else loop.jobs[0].queue, 1, loop.jobs[nth].nth, loop.jobs[nth]))
            dues = {}
            for ring, v in heads.items():
                s = state[ring]
                _, j, ready = min(v, key=lambda h: h[0])
                if s["there"] < s["limit"]:
                    due = max(ready, s["since"]) + j.delay
                    left = 0 if j in moved else j.over - over.get(j, 0)
                    dues[j] = due
                    plans.append((max(now, due) + (left + 1 if left > 0 else 0), 2, j.nth, j))
            if not plans:
                return run, done, came, {"spans": spans, "chain": chain, "chains": chains}
            ns, kind, _, j = min(plans, key=lambda p: p[:3])
            for first, due in dues.items():
                over[first] = over.get(first, 0) + max(0, ns - max(now, due))
            now = ns
            if kind == 1 and j:
                came[j] = now
                loops[j.loop] = [loops[j.loop][0] + 1, loops[j.loop][1] + 1, now]
            elif kind == 0:
                self.end(j, now, run, done, state[j.ring])
                if j.loop:
                    nth, there, since = loops[j.loop]
                    loops[j.loop] = [nth, there - 1, now if there == j.loop.window else since]
            elif kind == 2:
                self.start(j, now, run, ends, state[j.ring], scale, (spans, chain, chains))

    def end(self, j, now, run, done, s):
        done[j] = now
        if j in run:
            s["since"] = now if s["there"] == s["limit"] else s["since"]
            s["there"] -= 1

    def start(self, j, now, run, ends, s, scale, figures):
        spans, chain, chains = figures
        run[j] = now
        behind = [chain[of][scheduled] for of, scheduled in j.waits if of in chain] + ([chain[j.before][1]] if j.before in chain else [])
        begin = max(behind, default=0)
        chain[j] = [begin, begin]
        if not j.done:
            return
        start = (max(now, s["free"]) if self.order[j.ring] else now) + j.gap
        own = j.own
        if j.ring in scale and not j.error and not j.fixed:
            own = abs(own) * scale[j.ring] // UNIT * (1 if own >= 0 else -1)
        ends[j] = j.done if j.fixed else max(now, start + own)
        s["free"], s["there"], s["since"] = max(s["free"], ends[j]), s["there"] + 1, now
        spans[j.ring].append((start if self.order[j.ring] else now, ends[j]))
        end = max(begin, chains[j.ring] if self.order[j.ring] else 0) + max(0, ends[j] - start)
        chains[j.ring] = max(chains[j.ring], end)
        chain[j] = [end, begin]

    def figures(self, scale, depth, without, levels=None):
        run, done, came, more = self.replay(scale, depth, without, levels or {})
        rings = {}
        for ring in self.order:
            jobs = [j for j in self.jobs if j.ring == ring and (without is None or j.pid != without)]
            submit = {j: came[j] - (j.queue - j.submit) if j.queue and j.submit else 0 for j in jobs}
            first, last = min((submit[j] or j.comes() for j in jobs), default=0), max((done[j] for j in jobs if j in done), default=0)
            times = [done[j] - submit[j] for j in jobs if j in done and j.queue and j.done]
            rings[ring] = {
                "jobs": len(jobs), "from_ns": first or None, "to_ns": last or None, "span_ns": max(0, last - first) if first else 0,
                "busy_ns": union(more["spans"][ring]), "p50_ns": percentile(times, 50), "p99_ns": percentile(times, 99),
                "wait_ns": sum(run[j] - came[j] for j in jobs if j.queue and j.run and j in run), "chain_ns": more["chains"][ring]}
        return rings
