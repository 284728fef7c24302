# SPDX-License-Identifier: BSD-2-Clause
"""i915: section `i915` of xtr stats and the jobs of its engines, computed again from the events alone."""

import csv
import io
import json

import playfile

SYSTEMS = ("i915",)
CLASSES = {0: "rcs", 1: "bcs", 2: "vcs", 3: "vecs", 4: "ccs"}
LOW = ("execute", "in", "guc_submit")
PAGE = 4096
UNLIMITED = (1 << 64) - 1
FRAME_NS = 50_000_000
SECOND = 1_000_000_000
WAIT_LIMIT = 100_000_000
REPORT = 50_000  # what the report of an end may take


def engine_of(e):
    number, instance = e.get("class"), e.get("instance")
    name = f"{CLASSES[number]}{instance}" if number in CLASSES else f"class{number}.{instance}"
    return f"card{e.get('dev')}", name


def key_of(e):
    return e.get("ctx"), e.get("seqno") & 0xffffffff


# --- requests ---------------------------------------------------------------------------------------------------

class Request:
    def __init__(self, key, engine):
        self.key, self.engine = key, engine
        self.queue = self.add = self.submit = self.handed = self.signal = self.out = self.retire = None
        self.younger_ns = None  # when a younger one of its context had ended
        self.pid = self.error = 0
        self.kernel = self.preempted = self.guc = False

    def run(self, low):
        return self.handed if low else self.add

    def begin(self):
        return self.queue if self.queue is not None else self.add

    def told(self):
        ends = [t for t in (self.signal, self.out) if t is not None]
        return min(ends) if ends else None

    def done(self):
        if not self.late():
            return self.told()
        return min(self.retire, self.younger_ns) if self.younger_ns and self.younger_ns >= self.run_ns else self.retire

    def late(self):
        return self.retire is not None and (self.told() is None or self.retire < self.told())

    def open(self):
        return self.told() is None and self.retire is None


def requests_of(events):
    """All requests of which more than signal and retire is told; is it a kernel that tells when they are handed over?"""
    all_of_them, now = [], {}
    names = {e.name for e in events if e.system == "i915"}
    low = any(f"i915_request_{n}" in names for n in LOW)
    queued = "i915_request_queue" in names
    for e in events:
        if e.event == "dma_fence:dma_fence_signaled" and e.text("ops") == "i915_fence_ops":
            r = now.get(key_of(e))
            if r and r.signal is None:
                r.signal, r.error = e.t_ns, e.get("error")
            continue
        what = e.name.removeprefix("i915_request_")
        if e.system != "i915" or what == e.name or what.startswith("wait"):
            continue
        key = key_of(e)
        if what == "queue" or key not in now and what not in ("retire", "out"):
            now[key] = Request(key, engine_of(e))
            all_of_them.append(now[key])
        r = now.get(key)
        if not r:
            continue
        if what == "queue":
            r.queue, r.pid = e.t_ns, e.pid
        elif what == "add":
            r.add = e.t_ns
            if r.queue is None:
                r.kernel, r.pid = queued, e.pid
        elif what in LOW:
            r.handed = r.handed or e.t_ns
            r.guc |= what == "guc_submit"
        elif what == "out":
            r.preempted |= not e.get("completed")
            if e.get("completed") and r.out is None:
                r.out = e.t_ns
        elif what == "retire" and r.retire is None:
            r.retire = e.t_ns
    younger = {}  # context -> when the first of those looked at so far had ended
    for r in reversed(all_of_them):
        r.run_ns = r.run(low) or 0
        r.younger_ns = younger.get(r.key[0])
        ends = [t for t in (r.younger_ns, r.told(), r.retire) if t is not None]
        younger[r.key[0]] = min(ends) if ends else None
    return all_of_them, low


def job_lines(xtr, trace):
    """Rows of the CSV, and `bounds` of their execution, which only the lines of JSON have."""
    text = playfile.output(xtr, "jobs", "--csv", "-q", trace)
    lines = [json.loads(line) for line in playfile.output(xtr, "jobs", "--jsonl", "-q", trace).splitlines()]
    bounds = {(j.get("context"), j.get("seqno")): (j["exec_min_ns"], j["exec_max_ns"]) for j in lines if "exec_max_ns" in j}
    rows = [row for row in csv.DictReader(io.StringIO(text, newline=""))
            if row["ring"] and (row["ring"].rstrip("0123456789.") in (*CLASSES.values(), "class"))]
    for row in rows:
        key = int(row["context"]), int(row["seqno"])
        if key in bounds:
            row["bounds"] = bounds[key]
    return rows


class Verdicts(list):
    def __init__(self, exact):
        super().__init__()
        self.exact = exact

    def same(self, what, have, want):
        self.append((have == want, f"{what}: {have!r}, should be {want!r}"))

    def time(self, what, have, want, slack=5_000_000):
        """Of one event; on a recording it may have been held up."""
        near = have == want
        if not self.exact and have is not None and want is not None:
            near = abs(have - want) <= slack
        self.append((near, f"{what}: {have!r}, should be {want!r}"))

    def times(self, what, pairs):
        """Of many: each of them, or on a recording the median."""
        if self.exact:
            wrong = [p for p in pairs if p[0] != p[1]]
            self.append((not wrong, f"{what}: {len(wrong)} of {len(pairs)} wrong, as {wrong[:2]}"))
        elif pairs:
            off = sorted(abs(a - b) if None not in (a, b) else SECOND for a, b in pairs)
            self.append((off[len(off) // 2] <= 20_000, f"{what}: off by {off[len(off) // 2]} ns at the median"))


def number(text):
    return int(text) if text else None


def judge_jobs(v, xtr, trace, stats, requests, low):
    lines = {(int(j["context"]), int(j["seqno"])): j for j in job_lines(xtr, trace)}
    v.same("jobs", sorted(lines), sorted(r.key for r in requests))
    both = [(lines[r.key], r) for r in requests if r.key in lines]
    wrong = [(r.key, j["device"], j["ring"]) for j, r in both if (j["device"], j["ring"]) != r.engine]
    v.same("jobs of another engine", wrong[:3], [])
    v.same("kinds", [j["kind"] for j, _ in both],
           ["kernel" if r.kernel else "copy" if r.engine[1].startswith("bcs") else "gpu" for _, r in both])
    v.same("processes", [number(j["pid"]) for j, _ in both], [r.pid for _, r in both])
    v.times("submitted", [(number(j["submit_ns"]), r.begin()) for j, r in both])
    v.times("run", [(number(j["run_ns"]), r.run(low)) for j, r in both])
    v.times("done", [(number(j["done_ns"]), r.done()) for j, r in both])
    for flag, want in (("late", Request.late), ("preempted", lambda r: r.preempted and not r.open()),
                       ("error", lambda r: r.error != 0)):
        have = {r.key for j, r in both if flag in j["flags"].split("|")}
        v.same(f"jobs with {flag}", sorted(have), sorted(r.key for _, r in both if want(r)))
    judge_starts(v, both, low)
    judge_bounds(v, stats, both)


def judge_bounds(v, stats, both):
    """What was told of late is at most as long as it seems, and may have taken no time."""
    for row in (r for r in stats["rings"] if r["driver"] == "i915"):
        mine = [(j, r) for j, r in both if r.engine == (row["device"], row["ring"])]
        late = sum(r.late() for _, r in mine)
        v.same(f"late jobs of {row['ring']}", row["late"], late)
        v.same(f"busy time of {row['ring']} is a bound", row["busy_bounded"], late > 0)
        if not row["bounded_because"]:
            v.same(f"lower bound of {row['ring']}", row["exec_min_sum_ns"], sum(number(j["exec_ns"]) or 0 for j, _ in mine))


def judge_starts(v, both, low):
    """
    Where nothing tells of the hand-over a request may still wait for others from add on, so it is bounded (no-run): it took at most
    from the later of add and the previous done of its engine to its done, and as much more as a report may take.
    Else start is the later of run and the previous done of the engine, of the jobs where nothing makes it doubtful.
    """
    ended, pairs, most, shared = {}, [], [], 0
    unseen = sorted(r.key for _, r in both if not low and r.add is not None)
    v.same("jobs whose hand-over is not told", sorted(r.key for j, r in both if r.run(low) is not None and "no-run" in j["flags"].split("|")), unseen)
    for j, r in sorted((p for p in both if p[1].done()), key=lambda p: p[1].done()):
        previous, late = ended.get(r.engine, (0, False))
        ended[r.engine] = (r.done(), r.late())
        run = r.run(low)
        if run is None:
            continue
        doubtful = r.late() or r.preempted or (late and previous > run)
        if not doubtful and "shared" in j["flags"].split("|"):
            shared += 1
            doubtful = True
            others = [o for _, o in both if o.engine == r.engine and o.key[0] != r.key[0] and o.guc and
                      o.handed <= r.done() and (o.done() is None or o.done() >= run)]
            v.append((bool(others), f"job {r.key} is shared with {[o.key for o in others[:1]]}"))
        if not v.exact and set(j["flags"].split("|")) - {"", "no-run"}:
            continue
        bounded = doubtful or not low
        v.append((j["quality"] == ("bounded" if bounded else "inferred"), f"job {r.key}: {j['quality']}, doubtful {doubtful}, low {low}"))
        v.append((bool(j["start_ns"]) != bounded, f"job {r.key}: start {j['start_ns']!r}, {j['quality']}"))
        if not bounded:
            pairs.append((number(j["start_ns"]), max(run, previous)))
        elif not doubtful and "bounds" in j:
            most.append((j["bounds"], (0, min(r.done() - max(run, previous) + REPORT, r.done() - run))))
    guc = [r for _, r in both if r.guc]
    mixed = sum(any(o.engine == r.engine and o.key[0] != r.key[0] and o.handed < r.done() and r.handed < o.done()
                    for o in guc) for r in guc if r.done())
    v.same("jobs that the GuC had with another context's", shared, mixed)
    v.times("start", pairs)
    v.times("longest execution", [(a[1], b[1]) for a, b in most])
    v.times("shortest execution", [(a[0], b[0]) for a, b in most])


# --- objects ----------------------------------------------------------------------------------------------------

class Objects:
    """What the section says of memory."""

    def __init__(self):
        self.alive, self.creators = {}, {}
        self.n = dict.fromkeys(("created", "created_bytes", "destroyed", "destroyed_bytes", "destroyed_unknown", "replaced"), 0)
        self.held = self.peak = self.peak_ns = self.peak_objects = 0
        self.vma = dict.fromkeys(("binds", "bind_bytes", "unbinds", "unbind_bytes", "rebinds", "rebind_bytes"), 0)
        self.pairs, self.lives, self.over = {}, {}, []

    def creator(self, pid):
        return self.creators.setdefault(pid, {"created": 0, "created_bytes": 0, "destroyed": 0, "destroyed_bytes": 0})

    def end(self, ptr):
        for pair in [p for p in self.pairs if p[0] == ptr]:
            self.over.append(self.pairs.pop(pair))
        if ptr not in self.alive:
            return False
        _, pid, size = self.alive.pop(ptr)
        self.held -= size
        self.creator(pid)["destroyed"] += 1
        self.creator(pid)["destroyed_bytes"] += size
        return size

    def create(self, e):
        ptr, size = e.get("obj"), e.get("size")
        self.n["replaced"] += self.end(ptr) is not False
        self.alive[ptr] = (e.t_ns, e.pid, size)
        self.n["created"] += 1
        self.n["created_bytes"] += size
        self.creator(e.pid)["created"] += 1
        self.creator(e.pid)["created_bytes"] += size
        self.held += size
        if self.held > self.peak:
            self.peak, self.peak_ns = self.held, e.t_ns
        self.peak_objects = max(self.peak_objects, len(self.alive))

    def destroy(self, e):
        size = self.end(e.get("obj"))
        if size is False:
            self.n["destroyed_unknown"] += 1
        else:
            self.n["destroyed"] += 1
            self.n["destroyed_bytes"] += size

    def space_end(self, e):
        vm = e.get("vm")
        for pair in [p for p in self.pairs if p[1] == vm]:
            self.over.append(self.pairs.pop(pair))

    def bind(self, e, again):
        size = e.get("size")
        self.vma["binds" if again else "unbinds"] += 1
        self.vma["bind_bytes" if again else "unbind_bytes"] += size
        p = self.pairs.setdefault((e.get("obj"), e.get("vm")), {"binds": 0, "unbinds": 0, "rebinds": 0, "at": []})
        p["bytes"] = size
        p["binds" if again else "unbinds"] += 1
        if again and p["unbinds"] > p["rebinds"]:
            p["rebinds"] += 1
            p["at"].append(e.t_ns)
            self.vma["rebinds"] += 1
            self.vma["rebind_bytes"] += size

    def take(self, e):
        if e.name == "i915_gem_object_create":
            self.create(e)
        elif e.name == "i915_gem_object_destroy":
            self.destroy(e)
        elif e.name in ("i915_vma_bind", "i915_vma_unbind"):
            self.bind(e, e.name == "i915_vma_bind")
        elif e.name == "i915_ppgtt_release":
            self.space_end(e)


def burst(times):
    """The most in the stretches of a second that begin with the first after the one before."""
    most = n = first = 0
    for t in times:
        if not n or t - first > SECOND:
            n, first = 0, t
        n += 1
        most = max(most, n)
    return most


def judge_objects(v, have, events):
    o = Objects()
    for e in events:
        if e.system == "i915":
            o.take(e)
    for name, want in o.n.items():
        v.same(f"objects {name}", have["objects"][name], want)
    left = sum(size for _, _, size in o.alive.values())
    v.same("objects left", (have["objects"]["left"], have["objects"]["left_bytes"]), (len(o.alive), left))
    v.same("most held", (have["objects"]["peak_bytes"], have["objects"]["peak_objects"]), (o.peak, o.peak_objects))
    v.time("most held at", have["objects"]["peak_ns"], o.peak_ns or None)
    if o.n["created"]:
        slices = have["objects"]["over_time"]
        v.same("most held, over time", max(s["peak_bytes"] for s in slices), o.peak)
        v.same("held at the end, over time", slices[-1]["bytes"], left)
    want = {pid: (c["created"], c["created_bytes"], c["destroyed"], c["destroyed_bytes"],
                  sum(a[1] == pid for a in o.alive.values()), sum(a[2] for a in o.alive.values() if a[1] == pid))
            for pid, c in o.creators.items()}
    v.same("creators", {c["pid"]: (c["created"], c["created_bytes"], c["destroyed"], c["destroyed_bytes"], c["left"], c["left_bytes"])
                        for c in have["creators"]}, want)
    for name, number_ in o.vma.items():
        v.same(f"vma {name}", have["vma"][name], number_)
    pairs = [p for p in (*o.pairs.values(), *o.over) if p["rebinds"]]
    worst = sorted(((p["rebinds"], p["bytes"], p["binds"], p["unbinds"]) for p in pairs), reverse=True)[:16]
    v.same("most rebound", sorted(((p["rebinds"], p["bytes"], p["binds"], p["unbinds"]) for p in have["vma"]["most_rebound"]), reverse=True), worst)
    thrashing = [burst(p["at"]) for p in pairs if burst(p["at"]) >= 8]
    v.same("thrashing", have["vma"]["thrashing"], len(thrashing))
    if v.exact:
        v.same("most in 1 s", max([p["most_in_1s"] for p in have["vma"]["most_rebound"]] or [0]),
               max([burst(p["at"]) for p in pairs] or [0]))


def judge_access(v, have, events):
    def named(name):
        return [e for e in events if e.event == f"i915:i915_gem_object_{name}"]

    want = {"preads": len(named("pread")), "pread_bytes": sum(e.get("len") for e in named("pread")),
            "pwrites": len(named("pwrite")), "pwrite_bytes": sum(e.get("len") for e in named("pwrite")),
            "faults": len(named("fault")), "write_faults": sum(e.get("write") != 0 for e in named("fault")),
            "gtt_faults": sum(e.get("gtt") != 0 for e in named("fault")), "clflushes": len(named("clflush"))}
    v.same("access", have["access"], want)


# --- devices ----------------------------------------------------------------------------------------------------

PRESSURE = {"i915_gem_shrink": "shrinks", "i915_gem_evict": "evicts", "i915_gem_evict_node": "evict_nodes", "i915_gem_evict_vm": "evict_vms"}


def lives(events, made, ended, pointer):
    """By card: made, ended, left, ended without having been seen made."""
    alive, out = {}, {}
    for e in events:
        card = f"card{e.get('dev')}"
        row = out.setdefault(card, [0, 0, 0, 0]) if e.event in (made, ended) else None
        if e.event == made:
            row[0] += 1
            alive[e.get(pointer)] = card
        elif e.event == ended:
            row[1] += 1
            row[3] += e.get(pointer) not in alive
            alive.pop(e.get(pointer), None)
    for card in alive.values():
        out[card][2] += 1
    return out


def judge_devices(v, have, events, requests, low):
    rows = {d["device"]: d for d in have["devices"]}
    vblanks = [e.t_ns for e in events if e.event == "drm:drm_vblank_event"]
    want = {}
    for e in events:
        kind = PRESSURE.get(e.name) if e.system == "i915" else None
        if not kind:
            continue
        card = f"card{e.get('dev') & 0xffffffff}"
        row = want.setdefault(card, dict.fromkeys((*PRESSURE.values(), "shrink_pages", "shrinks_unlimited", "evict_bytes",
                                                   "in_flight", "between_vblanks"), 0))
        row[kind] += 1
        if kind != "shrinks":
            row["evict_bytes"] += e.get("size")
        elif e.get("target") == UNLIMITED:
            row["shrinks_unlimited"] += 1
        else:
            row["shrink_pages"] += e.get("target")
        row["in_flight"] += any(r.engine[0] == card and not r.late() and r.run(low) is not None and r.run(low) <= e.t_ns and
                                (r.done() is None or e.t_ns <= r.done()) for r in requests)
        before, after = [t for t in vblanks if t <= e.t_ns], [t for t in vblanks if t > e.t_ns]
        row["between_vblanks"] += bool(before and after and after[0] - before[-1] <= FRAME_NS)
    for card, row in want.items():
        row["shrink_bytes"] = row["shrink_pages"] * PAGE
        v.same(f"pressure on {card}", {k: rows.get(card, {}).get(k) for k in row}, row)
    v.same("cards under pressure", sorted(c for c, d in rows.items() if any(d[k] for k in PRESSURE.values())), sorted(want))
    for made, ended, pointer, keys in (
            ("i915:i915_context_create", "i915:i915_context_free", "ctx", ("contexts", "contexts_freed", "contexts_left", "contexts_unknown")),
            ("i915:i915_ppgtt_create", "i915:i915_ppgtt_release", "vm", ("ppgtts", "ppgtts_released", "ppgtts_left", "ppgtts_unknown"))):
        for card, row in lives(events, made, ended, pointer).items():
            v.same(f"{keys[0]} of {card}", [rows.get(card, {}).get(k) for k in keys], row)


# --- engines and waits ------------------------------------------------------------------------------------------

def judge_hist(v, what, have, want):
    v.same(f"{what}, number", have["n"], len(want))
    if not want:
        return
    if v.exact:
        v.same(what, (have["sum"], have["min"], have["max"]), (sum(want), min(want), max(want)))
    ordered = sorted(want)
    for key, permille in (("p50", 500), ("p99", 990)):
        exact = ordered[-(-len(ordered) * permille // 1000) - 1]
        near = abs(have[key] - exact) <= max(exact // 100, 0 if v.exact else max(20_000, exact // 20))
        if v.exact or key == "p50":
            v.append((near, f"{what} {key}: {have[key]}, should be {exact}"))


def judge_engines(v, have, requests, waits):
    rows = {(r["device"], r["engine"]): r for r in have["engines"]}
    v.same("engines", sorted(rows), sorted({r.engine for r in requests} | {w[0] for w in waits}))
    for engine, row in rows.items():
        mine = [r for r in requests if r.engine == engine]
        want = {"requests": len(mine), "completed": sum(not r.open() and not r.late() for r in mine),
                "late": sum(r.late() for r in mine), "open": sum(r.open() for r in mine), "errors": sum(r.error != 0 for r in mine),
                "preempted": sum(r.preempted for r in mine if not r.open()), "kernel": sum(r.kernel for r in mine),
                "waits": sum(w[0] == engine for w in waits), "killed": 0}
        v.same(f"engine {engine}", {k: row[k] for k in want}, want)
        judge_hist(v, f"request time of {engine}", row["request_ns"],
                   [r.told() - r.begin() for r in mine if r.told() is not None and not r.late()])
        judge_hist(v, f"waits for {engine}", row["wait_ns"], [w[2] for w in waits if w[0] == engine and w[2] is not None])


def waits_of(events):
    """(engine, pid, ns or None) of each that ended; those that did not, or whose begin is missing."""
    begun, waits, opened, unpaired, starts = {}, [], 0, 0, []
    for e in events:
        if e.event == "i915:i915_request_wait_begin":
            opened += e.tid in begun
            begun[e.tid] = (e.t_ns, key_of(e))
        elif e.event == "i915:i915_request_wait_end":
            t, key = begun.pop(e.tid, (None, None))
            paired = key == key_of(e)
            opened += t is not None and not paired
            unpaired += not paired
            waits.append((engine_of(e), e.pid, e.t_ns - t if paired else None))
            if paired:
                starts.append((e.t_ns - t, t))
    return waits, opened + len(begun), unpaired, starts


def judge_waits(v, have, waits, opened, unpaired, starts):
    v.same("waits", (have["waits_ended"], have["waits_open"], have["waits_without_begin"]), (len(waits), opened, unpaired))
    if v.exact:
        v.same("long waits", have["waits_long"], sum(ns >= WAIT_LIMIT for ns, _ in starts))
    rows = {((w["device"], w["engine"]), w["pid"]): w for w in have["waits"]}
    v.same("waiters", sorted(rows), sorted({(w[0], w[1]) for w in waits}))
    for (engine, pid), row in rows.items():
        judge_hist(v, f"waits of {pid} for {engine}", row["wait_ns"], [w[2] for w in waits if w[:2] == (engine, pid) and w[2] is not None])
    if starts and v.exact:
        ns = max(starts)[0]
        v.same("longest wait", (have["longest_wait"]["wait_ns"], have["longest_wait"]["at_ns"]), (ns, min(t for n, t in starts if n == ns)))


def judge_rest(v, have, events, last):
    freq = [(e.t_ns, e.get("freq")) for e in events if e.event == "i915:intel_gpu_freq_change"]
    f = have["frequency"]
    v.same("frequency", f and (f["changes"], f["min_mhz"], f["max_mhz"], f["last_mhz"]),
           (len(freq), min(m for _, m in freq), max(m for _, m in freq), freq[-1][1]) if freq else None)
    if freq and v.exact:
        ends = [t for t, _ in freq[1:]] + [last]
        total = sum(mhz * (end - t) for (t, mhz), end in zip(freq, ends))
        v.same("mean frequency", f["mean_mhz"], total // (last - freq[0][0]))
    regs = [e for e in events if e.event == "i915:i915_reg_rw"]
    have = have["registers"]
    v.same("registers", have and (have["reads"], have["read_bytes"], have["writes"], have["write_bytes"], have["distinct"]),
           (sum(not e.get("write") for e in regs), sum(e.get("len") for e in regs if not e.get("write")),
            sum(e.get("write") != 0 for e in regs), sum(e.get("len") for e in regs if e.get("write")),
            len({e.get("reg") for e in regs})) if regs else None)
    if regs:
        counts = {}
        for e in regs:
            counts.setdefault(e.get("reg"), [0, 0])[e.get("write") != 0] += 1
        v.same("register accesses", {r["reg"]: [r["reads"], r["writes"]] for r in have["most_accessed"]}, counts)


def judge(events, xtr, trace, exact):
    v = Verdicts(exact)
    mine = [e for e in events if e.system == "i915" and (e.name.startswith("i915_") or e.name == "intel_gpu_freq_change")]
    if not mine:
        return [(True, "nothing of what is judged here")]
    section = playfile.stats(xtr, trace)
    have = section.get("i915")
    if have is None:
        return [(False, "no section i915")]
    requests, low = requests_of(events)
    waits, opened, unpaired, starts = waits_of(events)
    judge_jobs(v, xtr, trace, section, requests, low)
    judge_objects(v, have, events)
    judge_access(v, have, events)
    judge_devices(v, have, events, requests, low)
    judge_engines(v, have, requests, waits)
    judge_waits(v, have, waits, opened, unpaired, starts)
    judge_rest(v, have, events, max(e.t_ns for e in events))
    return v


def on(event, field, change, nth=0):
    return lambda events: playfile.altered(events, event, field, change, nth)


SPOILS = [
    ("an object is larger", on("i915:i915_gem_object_create", "size", lambda n: n + 4096, 7)),
    ("an object is not destroyed", lambda events: playfile.without(events, "i915:i915_gem_object_destroy", 3)),
    ("one binding more", lambda events: playfile.doubled(events, "i915:i915_vma_bind", 5)),
    ("bytes are taken for pages", on("i915:i915_gem_shrink", "target", lambda n: n // PAGE)),
    ("pressure on the other card", on("i915:i915_gem_evict", "dev", lambda n: n ^ 1, 2)),
    ("a request on the other card", on("i915:i915_request_queue", "dev", lambda n: n ^ 1, 11)),
    ("xe's order of classes", on("i915:i915_request_queue", "class", lambda n: (0, 3, 1, 2, 4)[n] if 0 < n < 4 else n + 1, 4)),
    ("a signal is late", lambda events: late_signal(events)),
    ("a wait is longer", lambda events: playfile.shifted(events, "i915:i915_request_wait_end", 50_000, 5)),
    ("a fault to read", on("i915:i915_gem_object_fault", "write", lambda n: 1 - n, 3)),
    ("a change of frequency is missing", lambda events: playfile.without(events, "i915:intel_gpu_freq_change", 2)),
    ("a write of a register for a read", on("i915:i915_reg_rw", "write", lambda n: 1 - n, 1)),
    ("preempted for completed", on("i915:i915_request_out", "completed", lambda n: 0, 4)),
    ("a request is retired before its signal", lambda events: before_signal(events)),
]


def late_signal(events):
    """The first that ends a request comes 30 us later."""
    ends = {(r.key, r.signal) for r in requests_of(events)[0] if r.signal is not None and not r.late()}
    found = playfile.matching(events, "dma_fence:dma_fence_signaled")
    first = [n for n, k in enumerate(found) if (key_of(events[k]), events[k].t_ns) in ends]
    return playfile.shifted(events, "dma_fence:dma_fence_signaled", 30_000, first[0]) if first else None


def before_signal(events):
    """The 5th retire comes before the signal that it followed."""
    found = playfile.matching(events, "i915:i915_request_retire")
    if len(found) < 5:
        return None
    signal = [e for e in events if e.event == "dma_fence:dma_fence_signaled" and key_of(e) == key_of(events[found[4]])]
    if not signal or signal[0].t_ns >= events[found[4]].t_ns:
        return None
    return playfile.shifted(events, "i915:i915_request_retire", signal[0].t_ns - events[found[4]].t_ns - 1000, 4)
