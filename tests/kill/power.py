# SPDX-License-Identifier: BSD-2-Clause
"""The power fails while it is recorded: what may be left of the file, from notes of what a real recorder did to its disk."""

import os
import random
import re
import sys

from common import COUNTS, LONG, ROOT, Producer, Recorder, Trace, expect, until

sys.path.insert(0, os.path.join(ROOT, "tests/corrupt/parts"))
import notes  # noqa: E402

TESTS = []
FILE = "noted"


def test(function):
    TESTS.append(function)
    return function


def syncs():
    return sum(note[0] == "S" for note in notes.load(FILE)) if os.path.exists(FILE) else 0


def recorded(*args, n):
    """What a recorder does that syncs its file n times before it is told to end."""
    producer = Producer(2, 0, 1000000)
    recorder = Recorder(producer, *args, env=notes.environment(os.path.abspath(FILE)))
    recorder.wait_started()
    producer.go()
    until(lambda: syncs() >= n, f"{n} syncs of the file")
    _, err = recorder.end()
    producer.stop()
    trace = Trace("t.xtr")
    expect(trace.recorded() and trace.end, f"{trace.recorded()} events: {err}")
    return notes.load(FILE)


def clear():
    for name in ("t.xtr", FILE, "writes"):
        if os.path.exists(name):
            os.unlink(name)


@test
def after_a_power_failure_what_was_synced_is_there():
    for args in ((), ("--buffer", "16k", "--force")) if LONG else ((),):
        if "--force" in args:
            with open("t.xtr", "w", encoding="ascii") as f:
                f.write("old")
        steps = recorded(*args, n=3 if LONG else 1)
        lost = notes.unnamed(steps, "t.xtr")
        expect(not lost, f"what was synced may have no name: {lost[:3]}")
        notes.save_writes(steps, "t.xtr", "writes")
        seed = random.randrange(1 << 30)
        status, said = notes.crashes("writes", seed, 40 if LONG else 2)
        sums = re.search(r"(\d+) writes, (\d+) syncs, \d+ images of all, (\d+) cases, (\d+) broken", said)
        expect(status == 0 and sums, f"crash {seed}: {said[-2000:]}")
        expect(int(sums[1]) > 10 and int(sums[2]) >= 2, said)
        COUNTS["crashes"] += int(sums[3])
        clear()
