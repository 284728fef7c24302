# SPDX-License-Identifier: BSD-2-Clause
"""The section display of `xtr stats`: clocks of CRTCs, what was skipped, deliveries, pipes, from the scenario's events alone."""

import collections
import json

import playfile

SYSTEMS = ("drm", "amdgpu_dm", "i915", "xe")
VBLANK, QUEUED, DELIVERED = "drm:drm_vblank_event", "drm:drm_vblank_event_queued", "drm:drm_vblank_event_delivered"
START, EVADED, END = (f"intel_pipe_update_{x}" for x in ("start", "vblank_evaded", "end"))
FLIP, UNDERRUN = "intel_crtc_flip_done", "intel_cpu_fifo_underrun"
AMDGPU = tuple(f"amdgpu_{x}" for x in ("refresh_rate_track", "dm_atomic_commit_tail_begin", "dm_atomic_commit_tail_finish"))
SPOILS = [
    ("a vblank is missing", lambda e: playfile.without(e, VBLANK, 5)),
    ("a vblank at another time", lambda e: playfile.altered(e, VBLANK, "time", lambda v: v + 2_000_000, 5)),
    ("an interrupt later", lambda e: playfile.shifted(e, VBLANK, 60_000, 5)),
    ("a request is missing", lambda e: playfile.without(e, QUEUED, 3)),
    ("a delivery is missing", lambda e: playfile.without(e, DELIVERED, 3)),
    ("a delivery of another CRTC", lambda e: playfile.altered(e, DELIVERED, "crtc", lambda v: v + 3, 3)),
    ("an update in the next frame", lambda e: playfile.altered(e, "i915:" + END, "frame", lambda v: v + 1, 3)),
    ("a flip is missing", lambda e: playfile.without(e, "i915:intel_crtc_flip_done")),
]
WRAP = 1 << 32
FAR = 1 << 20  # steps that no clock makes


class Clock:
    def __init__(self):
        self.vblanks = []

    def takes(self, event):
        last = self.vblanks[-1]
        step = (event.get("seq") - last.get("seq")) % WRAP
        return 0 < step < FAR and 500_000 <= (event.get("time") - last.get("time")) // step <= 200_000_000

    def ends(self, event):
        return abs(event.get("seq") - self.vblanks[-1].get("seq")) < 1024


class Crtc:
    """What one index has."""

    def __init__(self, events, gaps):
        self.clocks, self.gaps, last = [], gaps, None
        self.switches = 0
        for e in events:
            if e.event == VBLANK:
                fits = [c for c in self.clocks if c.takes(e)]
                if not fits:
                    self.clocks.append(Clock())
                elif len(self.clocks) > 1 and fits[0] is not last:
                    self.switches += 1
                last = fits[0] if fits else self.clocks[-1]
                last.vblanks.append(e)
        self.shared = self.switches >= 4
        self.pair(events)
        self.rows = [self.row(c) for c in self.clocks]
        if self.shared:
            for row in self.rows:
                row["off_or_missed"] += row.pop("missed")
                row["missed"] = 0

    def pair(self, events):
        """Each request's answer, each answer's request and vblank."""
        self.requests, self.answers, waiting = [], [], []
        self.forgotten = self.unanswered = 0
        gaps = sorted(self.gaps)
        for e in events:
            while gaps and gaps[0][0] <= e.t_ns:
                gaps.pop(0)
                self.forgotten += len(waiting)
                for r in waiting:
                    r["until"] = 0
                waiting = []
            if e.event == QUEUED:
                waiting.append({"seq": e.get("seq"), "file": e.get("file"), "from": e.t_ns, "until": None, "at": None})
                self.requests.append(waiting[-1])
            elif e.event == DELIVERED:
                mine = [r for r in waiting if e.get("file") and r["file"] == e.get("file") and (e.get("seq") - r["seq"]) % WRAP < WRAP // 2]
                request = mine[0] if mine else None
                if request:
                    waiting.remove(request)
                    request["until"], request["at"] = e.t_ns, e.get("seq")
                self.answers.append((e, request))
            elif e.event == VBLANK:
                for r in [r for r in waiting if (e.get("seq") - r["seq"]) % WRAP < 1024]:
                    waiting.remove(r)
                    r["until"] = e.t_ns
                    self.unanswered += 1

    def on_since(self, vblank):
        """The oldest request that waits at this vblank, or is answered by it."""
        since = [r["from"] for r in self.requests if r["from"] < vblank.t_ns and
                 (r["until"] is None or r["until"] >= vblank.t_ns or r["at"] == vblank.get("seq"))]
        return min(since, default=None)

    def row(self, clock):
        row = collections.Counter()
        v = clock.vblanks
        row.update(events=len(v), high_precision=sum(bool(e.get("high_prec")) for e in v))
        intervals, single = [], []
        for a, b in zip(v, v[1:]):
            step = (b.get("seq") - a.get("seq")) % WRAP
            ns = (b.get("time") - a.get("time")) // step
            row["sequences"] += step
            intervals.append(ns)
            if step == 1:
                single.append(ns)
                continue
            if any(a.t_ns <= last and first <= b.t_ns for first, last in self.gaps):
                row["lost"] += step - 1
                continue
            since, missed = self.on_since(b), 0
            if since is not None and b.get("time") > since + ns // 8:
                missed = min(step - 1, (b.get("time") - since - ns // 8) // ns)
            row["missed"] += missed
            row["idle" if b.get("time") - a.get("time") > 100_000_000 else "off_or_missed"] += step - 1 - missed
        out = {k: row[k] for k in ("events", "high_precision", "sequences", "missed", "off_or_missed", "idle", "lost")}
        first = sorted(single[:1024])
        out["refresh_ns"] = first[(len(first) - 1) // 2] if first else None
        out["interval_ns"] = intervals
        out["jitter_ns"] = [abs(ns - out["refresh_ns"]) for ns in single]
        out["irq_latency_ns"] = [max(0, e.t_ns - e.get("time")) for e in v]
        out["irq_early"] = sum(e.get("time") > e.t_ns for e in v)
        delivery, frames = self.deliveries(clock)
        out.update(delivered=len(delivery), delivered_over_1ms=sum(ns > 1_000_000 for ns in delivery), delivery_ns=delivery,
                   requested=len(frames), frames_late=sum(f > 0 for f in frames), lateness_frames=frames)
        return out

    def vblank_of(self, answer, clock):
        """(its vblank, the vblank's event came first), or None."""
        same = [e for e in clock.vblanks if e.get("seq") == answer.get("seq")]
        before = [e for e in same if e.t_ns <= answer.t_ns and
                  not any(e.t_ns < x.t_ns <= answer.t_ns for x in clock.vblanks)]
        after = [e for e in same if 0 <= e.t_ns - answer.t_ns < 1_000_000_000]
        return (before[0], True) if before else (after[0], False) if after else None

    def kind(self, answer, request):
        """Clock and vblank of an answer, and what it is."""
        for clock in self.clocks:
            found = self.vblank_of(answer, clock)
            if found:
                at_once = found[1] and request and request["from"] > found[0].t_ns
                return clock, found[0], "at_once" if at_once else "timed"
        return None, None, "no_vblank" if not answer.get("seq") and answer.get("file") else "untimed"

    def deliveries(self, clock):
        delivery, frames = [], []
        for e, request in self.answers:
            mine, vblank, kind = self.kind(e, request)
            if mine is clock and kind == "timed":
                delivery.append(max(0, e.t_ns - vblank.get("time")))
                if request:
                    frames.append((e.get("seq") - request["seq"]) % WRAP)
        return delivery, frames

    def counts(self):
        out = collections.Counter(queued=len(self.requests), delivered=len(self.answers), unanswered=self.unanswered)
        for e, request in self.answers:
            kind = self.kind(e, request)[2]
            if not e.get("file"):
                out["kernel"] += 1
            elif kind == "no_vblank":
                out["no_vblank"] += 1
            else:
                out["requested" if request else "flips"] += 1
            if kind in ("at_once", "untimed"):
                out[kind] += 1
        return {k: out[k] for k in ("queued", "delivered", "requested", "at_once", "flips", "kernel", "no_vblank", "untimed", "unanswered")}


def near(have, want, exact):
    return have == want if exact else abs(have - want) <= max(20_000, want // 20)


def hist_ok(hist, values, exact):
    """Number, sum, least and most; quantiles within a bucket (1/64)."""
    if hist["n"] != len(values):
        return False
    if not values:
        return hist["sum"] == 0
    values = sorted(values)
    for key, share in (("p50", 500), ("p99", 990)):
        want = values[min(len(values) - 1, (len(values) * share + 999) // 1000 - 1)]
        if abs(hist[key] - want) > want // 64 + (0 if exact else max(20_000, want // 20)):
            return False
    mean = near(hist["sum"] // len(values), sum(values) // len(values), exact)
    return mean if not exact else hist["sum"] == sum(values) and hist["max"] == values[-1] and hist["min"] == values[0]


def compare(label, have, want, exact):
    """One verdict for each key."""
    for key, value in want.items():
        if isinstance(value, list):
            said = {k: have[key][k] for k in ("n", "sum", "min", "p50", "p99", "max")}
            yield hist_ok(have[key], value, exact), f"{label} {key}: {said} of {len(value)} values, sum {sum(value)}"
        elif key == "refresh_ns" and value and have[key]:
            yield near(have[key], value, exact), f"{label} {key}: {have[key]} of {value}"
        else:
            yield have[key] == value, f"{label} {key}: {have[key]} of {value}"


def crtcs(events, said, gaps, exact):
    by_crtc = collections.defaultdict(list)
    for e in events:
        if e.event in (VBLANK, QUEUED, DELIVERED):
            by_crtc[e.get("crtc")].append(e)
    have = {c["crtc"]: c for c in said["crtcs"]}
    yield sorted(have) == sorted(by_crtc), f"CRTCs {sorted(have)} of {sorted(by_crtc)}"
    forgotten = 0
    for index in sorted(set(have) & set(by_crtc)):
        crtc = Crtc(by_crtc[index], gaps)
        forgotten += crtc.forgotten
        yield have[index]["several_devices"] == crtc.shared, f"CRTC {index}: several devices {crtc.shared}"
        yield from compare(f"CRTC {index}", have[index], crtc.counts(), exact)
        clocks = have[index]["clocks"]
        yield len(clocks) == len(crtc.rows), f"CRTC {index}: {len(clocks)} clocks of {len(crtc.rows)}"
        for clock, row in zip(clocks, crtc.rows):
            yield from compare(f"CRTC {index} clock {clock['clock']}", clock, row, exact)
    yield said["requests_forgotten"] == forgotten, f"requests forgotten: {said['requests_forgotten']} of {forgotten}"


def letter(event):
    name = event.get("pipe_name", None)
    if name is None:
        return chr(ord("A") + event.get("pipe"))
    return name if isinstance(name, str) else chr(name)


def pipes(events, said, exact):
    rows = collections.defaultdict(lambda: {"flips": 0, "updates": 0, "updates_open": 0, "crossed": 0, "update_ns": [], "evade_ns": [], "underruns": 0})
    open_updates = {}
    for e in events:
        if e.name not in (START, EVADED, END, FLIP, UNDERRUN):
            continue
        key = (e.text("dev") or None, letter(e))
        row, update = rows[key], open_updates.get(key)
        if e.name == START:
            row["updates_open"] += update is not None
            open_updates[key] = [e.t_ns, e.tid, e.get("frame")]
        elif e.name == EVADED and update and update[1] == e.tid:
            row["evade_ns"].append(e.t_ns - update[0])
            update[2] = e.get("frame")
        elif e.name == END and update and update[1] == e.tid:
            row["updates"] += 1
            row["crossed"] += e.get("frame") != update[2]
            row["update_ns"].append(e.t_ns - update[0])
            del open_updates[key]
        elif e.name == END:
            row["updates_open"] += 1
        else:
            row["flips"] += e.name == FLIP
            row["underruns"] += e.name == UNDERRUN
    for key in open_updates:
        rows[key]["updates_open"] += 1
    have = {(p["device"], p["pipe"]): p for p in said["pipes"]}
    yield sorted(map(str, have)) == sorted(map(str, rows)), f"pipes {sorted(map(str, have))} of {sorted(map(str, rows))}"
    for key in set(have) & set(rows):
        yield from compare(f"pipe {key}", have[key], rows[key], exact)


def amdgpu(events, said, exact):
    refresh, begun, commits, times = collections.defaultdict(list), {}, 0, []
    for e in events:
        if e.name == "amdgpu_refresh_rate_track":
            refresh[e.get("crtc_index")].append(e.get("refresh_rate_ns"))
        elif e.name == "amdgpu_dm_atomic_commit_tail_begin":
            begun[e.get("state")] = e.t_ns
        elif e.name == "amdgpu_dm_atomic_commit_tail_finish":
            commits += 1
            if e.get("state") in begun:
                times.append(e.t_ns - begun.pop(e.get("state")))
    have = {r["crtc"]: r for r in said["refresh"]}
    yield sorted(have) == sorted(refresh), f"amdgpu CRTCs {sorted(have)} of {sorted(refresh)}"
    for crtc in set(have) & set(refresh):
        yield from compare(f"amdgpu CRTC {crtc}", have[crtc], {"events": len(refresh[crtc]), "interval_ns": refresh[crtc]}, exact)
    yield from compare("amdgpu", said, {"commits": commits, "commit_ns": times}, exact)


def losses(xtr, trace):
    """Where events were lost: tests/drivers/run compares that with the scenario."""
    lines = [json.loads(x) for x in playfile.output(xtr, "dump", "--json", "-q", trace).splitlines() if '"lost"' in x]
    return [(x["first_ns"], x["last_ns"]) for x in lines if "lost" in x]


def judge(events, xtr, trace, exact):
    said = playfile.stats(xtr, trace).get("display")
    mine = [e for e in events if e.event in (VBLANK, QUEUED, DELIVERED) or e.name in (START, EVADED, END, FLIP, UNDERRUN, *AMDGPU)]
    if not mine or said is None:
        return [(bool(mine) == (said is not None), f"section display: {said is not None}, {len(mine)} events of displays")]
    return [*crtcs(mine, said, losses(xtr, trace), exact), *pipes(mine, said, exact), *amdgpu(mine, said["amdgpu"], exact)]
