# SPDX-License-Identifier: BSD-2-Clause
"""Markers in exports: what a trace with one of each form says, beside what one says of it by hand."""

import json
import os

import chrome
import perfetto
import source
from source import Section

# (thread, us, text). Thread 13 is of process 12, whose markers are in both threads.
LINES = (
    (12, 1, "B|12|frame"), (12, 2, "B|12|draw|left"), (12, 3, "E|12"), (12, 4, "E"),
    (12, 5, "S|12|load|7001"), (13, 6, "S|12|load|7002"), (13, 7, "F|12|load|7001"), (13, 8, "F|12|load|7002"),
    (13, 9, "G|12|lane|fetch|5"), (13, 10, "H|12|lane|5"), (13, 11, "I|12|tick"), (13, 12, "N|12|lane|tock"),
    (13, 13, "C|12|budget|-5"), (12, 14, "C|12|budget|3"), (13, 15, "paint (lduration=-4000)"), (13, 16, "glow (begin_ctx=42)"),
    (13, 17, "glow (end_ctx=42)"), (13, 18, "[VR] Before flush: 3"), (13, 19, "[VR] After flush"), (13, 20, "[VR] Before present"),
    (13, 21, "mali: cros_trace_print_enter: a.c@9: glFoo"), (13, 22, "mali: cros_trace_print_exit: a.c@9"),
    (13, 23, "anything else"), (12, 24, "E|12"), (12, 25, "B|12|still open"),
)
# track, name, begin and end in us: None is not in the trace
SLICES = (
    ("markers", "frame", 1, 4), ("markers", "draw|left", 2, 3), ("load", "load", 5, 7), ("load", "load", 6, 8),
    ("lane", "fetch", 9, 10), ("markers", "paint", 11, 15), ("markers", "glow", 16, 17), ("markers", "[VR] flush", 18, 19),
    ("mali", "glFoo", 21, 22),
)
HALVES = ((None, 24, "marker"), (25, None, "still open"))
MOMENTS = ((11, "tick"), (12, "tock"), (20, "[VR] Before present"), (23, "anything else"))
COUNTERS = ((13, "budget", -5), (14, "budget", 3))


def make(folder):
    """The trace, from text as a kernel prints it."""
    text, path = os.path.join(folder, "markers.txt"), os.path.join(folder, "markers.xtr")
    with open(text, "w", encoding="utf-8") as f:
        f.write("# tracer: nop\n#\n")
        for tid, us, line in LINES:
            f.write(f"  app-{tid}  (   12) [000] .... 10.{us:06}: tracing_mark_write: {line}\n")
    source.run("import", "-q", "--force", "-o", path, text)
    return path


def ns(us):
    return None if us is None else 10_000_000_000 + us * 1000


def check_perfetto(checks, path):
    trace, axis = perfetto.export(path), perfetto.Axis(Section(path))
    slices = [(trace.path(s[0])[-1], s[3]["name"], axis.event(s[1]), None if s[2] is None else axis.event(s[2])) for s in trace.slices()]
    want = [(track, name, ns(a), ns(b)) for track, name, a, b in SLICES] + [("unfinished calls", "still open", ns(25), None)]
    checks.same("markers perfetto: slices", sorted(slices, key=str), sorted(want, key=str))
    points = sorted((axis.event(e["ts"]), e["name"]) for e in trace.events if e["type"] == perfetto.INSTANT)
    checks.same("markers perfetto: moments", points, sorted([*((ns(a), n) for a, n in MOMENTS), (ns(24), "marker")]))
    values = sorted((axis.event(e["ts"]), trace.path(e["track"])[-1], e["value"]) for e in trace.events if e["type"] == perfetto.COUNTER)
    checks.same("markers perfetto: counters", values, [(ns(a), n, v) for a, n, v in COUNTERS])
    checks.check(not trace.faults, "markers perfetto: an importer takes all of it", trace.faults[:3])


def check_chrome(checks, path):
    trace = chrome.Trace(source.run("export", "-q", "-f", "chrome", "-o", "-", path))
    chrome.check_form(checks, "markers chrome", trace)
    base = int(trace.meta["start_ns"])
    slices = [(e["name"], e["ts"] + base, e["ts"] + e["dur"] + base) for e in trace.of("X", "marker")]
    checks.same("markers chrome: slices", sorted(slices), sorted((name, ns(a), ns(b)) for _, name, a, b in SLICES))
    points = sorted((e["ts"] + base, e["name"]) for e in trace.of("i", "marker"))
    halves = [(ns(24), "marker"), (ns(25), "still open")]
    checks.same("markers chrome: moments", points, sorted([*((ns(a), n) for a, n in MOMENTS), *halves]))
    values = [(e["ts"] + base, e["name"], e["args"]["value"], e["pid"]) for e in trace.of("C", "counter")]
    checks.same("markers chrome: counters", sorted(values), [(ns(a), n, v, 12) for a, n, v in COUNTERS])


def check_tables(checks, path):
    rows = [json.loads(r) for r in source.run("export", "-q", "-f", "jsonl", "-t", "calls", "-o", "-", path).splitlines()]
    seen = [(r["name"], r.get("begin_ns"), r.get("end_ns")) for r in rows if r["kind"] == "marker"]
    want = [(name, ns(a), ns(b)) for _, name, a, b in SLICES] + [("", None, ns(24)), ("still open", ns(25), None), ("[VR] Before present", ns(20), None)]
    checks.same("markers jsonl: calls", sorted(seen, key=str), sorted(want, key=str))
    stats = json.loads(source.run("stats", "--json", path))["sections"][0]["markers"]
    seen = {(r["name"], r["pid"]): (r["count"], r["open"], r["time_ns"]["sum"]) for r in stats["slices"]}
    want = {}
    for name, a, b in [(s[1], *s[2:]) for s in SLICES] + [("marker", None, 24), ("still open", 25, None)]:
        count, still, total = want.get((name, 12), (0, 0, 0))
        whole = a is not None and b is not None
        want[name, 12] = (count + 1, still + (not whole), total + ((b - a) * 1000 if whole else 0))
    checks.same("markers stats: slices", sorted(seen.items()), sorted(want.items()))
    checks.same("markers stats: counters", stats["counters"], [{"name": "budget", "pid": 12, "count": 2, "min": -5, "max": 3, "last": 3}])
    checks.same("markers stats: moments", sorted(r["name"] for r in stats["moments"]), sorted(n for _, n in MOMENTS))


def check_redacted(checks, path):
    """Other names, and the same slices: to each name one other name."""
    out = path.replace(".xtr", ".redacted.xtr")
    source.run("redact", "-q", "--force", "-o", out, path)
    source.run("redact", "-q", "--check", out, path, status=(0,))

    def slices_of(p):
        rows = [json.loads(r) for r in source.run("export", "-q", "-f", "jsonl", "-t", "calls", "-o", "-", p).splitlines()]
        return [(r["name"], r.get("begin_ns"), r.get("end_ns")) for r in rows]
    pairs = list(zip(slices_of(path), slices_of(out), strict=True))
    checks.same("markers redacted: times", [b[1:] for _, b in pairs], [a[1:] for a, _ in pairs])
    names = {(a[0], b[0]) for a, b in pairs}
    checks.same("markers redacted: names are mapped one to one", len(names), len({a for a, _ in names}))
    kept = [b for a, b in names if a and a in b]
    checks.check(not kept, "markers redacted: no name stays", kept)


def check(checks, folder):
    path = make(folder)
    check_perfetto(checks, path)
    check_chrome(checks, path)
    check_tables(checks, path)
    check_redacted(checks, path)
