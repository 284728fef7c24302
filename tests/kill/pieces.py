# SPDX-License-Identifier: BSD-2-Clause
"""Recorders of pieces (--rotate), killed: what is in all pieces, once those that were open are collected, is what happened."""

import glob
import os
import random
import re
import signal
import subprocess
import time

from common import BPFFS, COUNTS, LIMIT, LONG, XTR, Failure, Producer, Recorder, Trace, expect, until, xtr
from faults import faulty

TESTS = []
BUFFERS = [(), ("--buffer", "4k"), ("--buffer", "64k")]
OPEN = re.compile(r"collect xtr recover --killed (\S+)$", re.MULTILINE)


def test(function):
    TESTS.append(function)
    return function


def one(path, kills):
    """A piece that was open, into its .got, with so many collectors killed before."""
    command = ["recover", "--killed", "--force", "-q", "-o", path + ".got", path]
    for _ in range(kills):
        p = subprocess.Popen([XTR, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.03))
        p.kill()
        if p.wait(LIMIT) == 0:
            return
        COUNTS["kills"] += 1
    status, _, err = xtr(*command)
    expect(status == 0, f"recover --killed {path}: {status}: {err}")


def collect():
    """What was left of each open piece; returns how many there were."""
    status, out, err = xtr("recover", "--killed")
    expect(status == 0, f"recover --killed: {status}: {err}")
    paths = OPEN.findall(out)
    if len(paths) == 2:
        status, _, err = xtr("recover", "--killed", "-o", "early.xtr", paths[1])
        expect(status == 1 and "comes first" in err and not os.path.exists("early.xtr"), f"the second one first: {status} {err}")
    for path in paths:
        one(path, random.choice([0, 0, 1]))
    if not paths:
        xtr("recover", "--killed", "--drop", "all")  # it died before it recorded, or after it had ended
    expect(not os.path.exists(BPFFS + "/xtr"), "all is collected, and something is left")
    return len(paths)


def pieces():
    """All of them, those that were collected as they are then. One that was only begun has no event."""
    found = []
    for path in sorted(glob.glob("t.0*.xtr")):
        got = os.path.abspath(path) + ".got"
        if os.path.getsize(path) >= 64:
            found.append(Trace(got if os.path.exists(got) else path, () if os.path.exists(got) else ("no-end", "no-meta", "chunk-truncated", "lost-sync")))
    for begun in [t for t in found if not t.end]:
        expect(begun is found[-1] and not begun.recorded() and not begun.lost, "a piece that is not collected has events, and no end")
    return [t for t in found if t.end]


def follow_on(traces):
    """Each says what those before it have, and has what happened between its borders."""
    events = lost = 0
    for i, t in enumerate(traces):
        c = t.config
        expect(c["piece"] == i + 1, f"piece {c['piece']} is the one at place {i + 1}")
        expect((c["piece-events-before"], c["piece-lost-before"]) == (events, lost),
               f"piece {i + 1} says {c['piece-events-before']}, {c['piece-lost-before']} before it: {events}, {lost}")
        events, lost = events + t.events, lost + t.lost
        first, end = c.get("piece-from", 0), c.get("piece-to") or 1 << 64
        expect(all(first <= at < end for at in t.times), f"piece {i + 1} has events of other times")
        expect(i + 1 == len(traces) or end == traces[i + 1].config["piece-from"], f"no border behind piece {i + 1}")
        expect((t.end["reason"] == "rotated") == (i + 1 < len(traces)), f"piece {i + 1} ends with {t.end}")


def all_of(traces):
    """As of one trace."""
    whole = traces[0]
    for t in traces[1:]:
        for tid, numbers in t.calls.items():
            whole.calls.setdefault(tid, []).extend(numbers)
        for cause, n in t.causes.items():
            whole.causes[cause] = whole.causes.get(cause, 0) + n
        whole.lost += t.lost
        whole.gaps += t.gaps
    return whole


def exact(producer):
    traces = pieces()
    follow_on(traces)
    all_of(traces).adds_up(producer)


def clear():
    for path in glob.glob("t.0*") + glob.glob("dying") + glob.glob("armed"):
        os.unlink(path)


@test
def a_killed_recorder_of_pieces_loses_nothing():
    """Stopped and killed at any moment, with one piece open or with two."""
    two = 0
    for i in range(300 if LONG else 20):
        producer = Producer(2, random.choice([300, 3000, 10000]), random.choice([0, 100, 1000]))
        recorder = Recorder(producer, "--rotate", random.choice(["4k", "4k", "16k", "20ms"]), *random.choice(BUFFERS))
        recorder.wait_started()
        producer.go()
        if random.random() < 0.7:
            time.sleep(random.uniform(0, 0.03))
            recorder.send(signal.SIGSTOP)
        until(producer.all_done, "the producer")
        time.sleep(random.choice([0, 0, 0.02, 0.3]))
        recorder.kill()
        COUNTS["kills"] += 1
        try:
            two += collect() == 2
            exact(producer)
        except Failure as failure:
            raise Failure(f"kill {i}: {failure}") from failure
        finally:
            producer.stop()
        clear()


@test
def a_kill_at_any_write_of_pieces_leaves_each_event_once():
    """The recorder finds all of the events at once, while pieces begin and end one after the other."""
    states = set()
    for number in range(1, 120 if LONG else 25):
        how = random.choice(("kill", "torn"))
        producer = Producer(2, 1000, 100)
        recorder = Recorder(producer, "--rotate", "10ms", "--buffer", "64k",
                            env={**faulty(f"{number}:{how}"), "FAULT_AFTER": os.path.abspath("armed")})
        recorder.wait_started()
        recorder.stop()
        producer.go()
        until(producer.all_done, "the producer")
        open("armed", "w", encoding="ascii").close()
        recorder.send(signal.SIGCONT)
        until(lambda r=recorder: os.path.exists("dying") or r.process.poll() is not None, "the write")
        status, err = recorder.gather()
        expect(status == -signal.SIGKILL, f"status {status}")
        COUNTS["kills"] += 1
        try:
            states.add(collect())
            exact(producer)
        except Failure as failure:
            raise Failure(f"write {number}, {how}: {failure} {err}") from failure
        finally:
            producer.stop()
        clear()
    expect(states == {1, 2}, f"open pieces at the kills: {states}")
