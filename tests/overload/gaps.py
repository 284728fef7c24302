# SPDX-License-Identifier: BSD-2-Clause
"""A recorder that cannot keep up: what was lost, when, and that every output shows it.

The producer notes the time before each of its calls and stays on one CPU per thread, so that a recorded event tells
which call it was: that of the last note before it. The calls that no event tells of are the truth about losses.
"""

import bisect
import contextlib
import glob
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import sys

from common import CALL, LONG, OTHER, ROOT, XTR, Truth, count, equal, expect, produce, sections, test, wait_for, xtr

sys.path.insert(0, os.path.join(ROOT, "tests/export"))
import chrome  # noqa: E402
import perfetto  # noqa: E402
import source  # noqa: E402
import tables  # noqa: E402


def calls_made():
    """Of all threads so far; 0 as long as the truth is not there."""
    try:
        return Truth().all
    except (OSError, ValueError, struct.error):
        return 0


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(") ", 1)[1][0]


def stop(p):
    p.send_signal(signal.SIGSTOP)
    wait_for(lambda: state(p.pid) == "T", "a stopped recorder")


BUFFERS = {"bpf": "32k", "ftrace": "4k"}  # the trace ring takes less for an event


def stopped_recording(stops, threads, calls, engine):
    """A recorder that is stopped again and again, and when the producer ends: that goes on all the time."""
    p = subprocess.Popen([XTR, "record", "--force", "--engine", engine, "-o", "run.xtr", "--buffer", BUFFERS[engine], *produce(threads, 20000, calls, "log")],
                         stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        step = threads * calls // (3 * stops)
        for i in range(stops):
            goal = (3 * i + 1) * step
            wait_for(lambda: calls_made() >= goal, "the producer, recorded")
            stop(p)
            wait_for(lambda: calls_made() >= goal + step, "the producer while the recorder is stopped")
            expect(state(p.pid) == "T", "the recorder was not to run")
            p.send_signal(signal.SIGCONT)
        stop(p)
        wait_for(lambda: Truth().finished, "the end of the producer while the recorder is stopped")
        expect(state(p.pid) == "T", "the recorder was not to run")
    finally:
        p.send_signal(signal.SIGCONT)
    text = p.communicate(timeout=120)[1].decode()
    equal(p.returncode, 3, f"exit status ({text})")
    return text


def missing_calls(section, truth):
    """By CPU: the numbers of the calls that no event tells of."""
    kinds = {section.type_of(CALL): False, section.type_of(OTHER): True}
    seen = {cpu: set() for cpu in truth.times}
    for chunk, ts, kind, _, _ in section.records:
        i = bisect.bisect_right(truth.times[chunk.stream], ts) - 1
        expect(i >= 0 and (i % 4 == 3) == kinds[kind], f"CPU {chunk.stream}: an event at {ts} that is not call {i}")
        expect(i not in seen[chunk.stream], f"CPU {chunk.stream}: call {i} is there twice")
        seen[chunk.stream].add(i)
    return {cpu: [i for i in range(len(times)) if i not in seen[cpu]] for cpu, times in truth.times.items()}


def judge_gaps(gaps, missing, times, cpu, exact):
    """Each missing call in one gap, which begins with its first one and ends with its last one; not exact: which has them in between."""
    def window(i):
        return times[i], times[i + 1] if i + 1 < len(times) else float("inf")

    def right(what, t, i):
        before, after = window(i)
        return before <= t <= after if exact else t <= after if what == "first" else before <= t

    at, last = 0, 0
    for _, first, end, n in sorted(gaps, key=lambda g: g[1]):
        expect((last <= first if exact else True) and first <= end, f"CPU {cpu}: a gap at {first} before the end of another at {last}")
        mine = missing[at:at + n]
        equal(len(mine), n, f"CPU {cpu}: calls that are missing from {first} on")
        for what, t, i in (("first", first, mine[0]), ("last", end, mine[-1])):
            expect(right(what, t, i), f"CPU {cpu}: {what} of a gap at {t}, call {i} was at {window(i)}")
        at, last = at + n, end
    equal(at, len(missing), f"CPU {cpu}: missing calls in gaps")


def dumped(gaps):
    """The gaps as `xtr dump` shows them: between the events, in order of time."""
    rows = source.lines("dump", "--json", "run.xtr")
    equal(sorted((r["cpu"], r["first_ns"], r["last_ns"], r["lost"]) for r in rows if "lost" in r), gaps, "gaps in dump --json")
    order = [r["first_ns"] if "lost" in r else r["ts_ns"] for r in rows]
    equal(order, sorted(order), "the order of dump")
    text = [line for line in xtr("dump", "run.xtr", status=(3,)).decode().splitlines() if not line.startswith("#")]
    places = [i for i, r in enumerate(rows) if "lost" in r]
    equal([i for i, line in enumerate(text) if "LOST" in line], places, "lines of dump that tell of a gap")
    for i in places:
        expect(f"LOST {rows[i]['lost']} event" in text[i] and f"on CPU {rows[i]['cpu']} " in text[i], f"dump: {text[i]}")


def exported(gaps):
    """The gaps in each export, with CPU and count where it has them."""
    for fmt in ("csv", "jsonl"):
        rows = tables.export(fmt, "run.xtr", "gaps")
        equal(sorted((r["cpu"], r["first_ns"], r["last_ns"], r["count"]) for r in rows), gaps, f"gaps in {fmt}")
    xtr("export", "-q", "-f", "sqlite", "-o", "run.sqlite", "run.xtr", status=(0, 3))
    with contextlib.closing(sqlite3.connect("run.sqlite")) as db:
        equal(sorted(db.execute("SELECT cpu, first_ns, last_ns, count FROM gaps")), gaps, "gaps in sqlite")
    trace = chrome.Trace(xtr("export", "-q", "-f", "chrome", "-o", "-", "run.xtr", status=(0, 3)))
    lost = trace.of("X", "lost")
    base = gaps[0][1] - min(e["ts"] for e in lost if e["args"]["cpu"] == gaps[0][0])
    equal(sorted((e["args"]["cpu"], e["ts"] + base, e["ts"] + e["dur"] + base, e["args"]["count"]) for e in lost), gaps,
          "gaps in chrome")
    trace = perfetto.export("run.xtr")
    axis, found = perfetto.Axis(source.Section("run.xtr")), []
    for track, first, last, event, *_ in trace.slices():
        path = trace.path(track)
        if path[0] == "Lost events":
            cpu, n = (re.search(r"\d+", text)[0] for text in (path[1], event["name"]))
            found.append((int(cpu), axis.event(first), axis.event(last), int(n)))
    equal(sorted(found), gaps, "gaps in perfetto")


@test
def gaps_are_what_was_lost_and_every_output_shows_them():
    for engine in "bpf", "ftrace":
        gaps_of(engine, 30 if LONG else 3)
        for name in glob.glob("run.*"):
            os.remove(name)


def gaps_of(engine, stops):
    text = stopped_recording(stops, 2, 4000 * stops, engine)
    section, truth = sections("run.xtr")[0], Truth()
    equal(section.n_events + section.n_lost, truth.all, "recorded + lost")
    missing = missing_calls(section, truth)
    for cpu, calls in missing.items():
        equal(sum(n for (stream, _, _), n in section.lost.items() if stream == cpu), len(calls), f"losses of CPU {cpu}")
        for kind, name in ((0, CALL), (1, OTHER)) if engine == "bpf" else ():  # in the trace ring nobody knows which it was
            equal(section.lost_of(cpu, name), sum((i % 4 == 3) == kind for i in calls), f"lost {name} of CPU {cpu}")
        judge_gaps([g for g in section.gaps if g[0] == cpu], calls, truth.times[cpu], cpu, engine == "bpf")
    gaps = sorted(tuple(g) for g in section.gaps)
    expect(gaps, "there are no gaps")
    dumped(gaps)
    exported(gaps)
    stats = json.loads(xtr("stats", "--json", "run.xtr", status=(3,)))["sections"][0]
    equal((stats["lost"], stats["gaps"]), (section.n_lost, len(gaps)), "losses and gaps in stats")
    expect(f"LOST {section.n_lost:,} " in text, f"the recorder's words: {text}")
    count("emitted", truth.all)
    count("dropped", section.n_lost)
    count("gaps", len(gaps))
    count("stops", stops + 1)
