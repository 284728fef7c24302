# SPDX-License-Identifier: BSD-2-Clause
"""SIGKILL."""

import os
import random
import signal
import subprocess
import time

from common import BPFFS, COUNTS, LIMIT, LONG, XTR, Failure, Producer, Recorder, Trace, exact, expect, problems, until, xtr

TESTS = []
N = 1000 if LONG else 50
BUFFERS = [(), (), ("--buffer", "4k"), ("--buffer", "64k")]
ENGINES = [("--engine", "bpf"), ("--engine", "ftrace")]


def test(function):
    TESTS.append(function)
    return function


def collect(out="t.xtr", kills=0):
    """What is left into got.xtr, with so many collectors killed before."""
    for _ in range(kills):
        p = subprocess.Popen([XTR, "recover", "--killed", "--force", "-q", "-o", "got.xtr", out],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.03))
        p.kill()
        if p.wait(LIMIT) == 0:
            return  # it was faster
        COUNTS["kills"] += 1
    status, _, err = xtr("recover", "--killed", "--force", "-o", "got.xtr", out)
    expect(status == 0, f"recover --killed: {status}: {err}")


def check_end(path):
    """A file whose recorder was killed lacks its end, and its last chunk may be torn."""
    found = problems(path)
    expect(set(found) <= {"no-end", "chunk-truncated", "lost-sync"}, f"problems of {path}: {found}")


def has_header(path):
    return os.path.exists(path) and os.path.getsize(path) >= 64


def forget_empty():
    """A recorder that died before it recorded: nothing is in the kernel but perhaps empty pins."""
    status, out, err = xtr("recover", "--killed")
    expect(status == 0 and "not in the file" not in out, f"left by a recorder that recorded nothing: {out} {err}")
    expect(xtr("recover", "--killed", "--drop", "all")[0] == 0, "drop")


def bounds(trace, first, before, after, earliest=(0, 0)):
    """
    Calls of each thread have numbers without holes, as far as none was lost; all between these are there. What was lost may have
    come before the first that was recorded, but not before the recorder was there (earliest).
    """
    trace.no_doubles()
    low = high = 0
    for i, tid in enumerate(after["tids"]):
        numbers = trace.calls.get(tid, [])
        begin = min(numbers) if numbers else first[i]
        expect(begin <= first[i] or trace.lost, f"thread {i} begins at {begin}, known to be recorded from {first[i]}")
        if not trace.lost and numbers:
            expect(max(numbers) - begin + 1 == len(numbers), f"thread {i}: a hole in its calls")
        low += max(before[i] - max(begin, first[i]), 0)
        high += max(after["begun"][i] - (earliest[i] if trace.lost else min(begin, first[i])), 0)
    have = trace.recorded() + trace.lost
    expect(low <= have <= high, f"recorded {trace.recorded()} + lost {trace.lost}, happened {low} to {high}")


def any_moment(ending):
    """The producer runs all the time; the recorder is killed while it starts, records or ends."""
    producer = Producer(2, 0, random.choice([300, 1000, 3000]))
    producer.go()
    earliest = producer.begun()
    recorder = Recorder(producer, *random.choice(BUFFERS), *ENGINES[COUNTS["kills"] % 2])
    moment = time.monotonic() + random.uniform(0, 0.4)
    first = None
    if ending:
        recorder.wait_started()
    while time.monotonic() < moment:
        if first is None and recorder.started():
            first = producer.begun()
        time.sleep(0.0005)
    if ending:
        recorder.send(signal.SIGTERM)
        time.sleep(random.uniform(0, 0.02))
    before = producer.done()
    recorder.kill()
    after = {"begun": producer.begun(), "tids": producer.tids}
    producer.stop()
    if first is None:
        first = after["begun"]
    COUNTS["kills"] += 1
    if not has_header("t.xtr"):
        forget_empty()
        return
    left = os.listdir(BPFFS + "/xtr") if os.path.exists(BPFFS + "/xtr") else []
    if left and has_header("t.xtr"):
        check_end("t.xtr")
        collect(kills=random.choice([0, 0, 1]))
    else:
        os.rename("t.xtr", "got.xtr")
    # One that was ending had stopped to record at some moment after the signal.
    bounds(Trace("got.xtr", ("no-end",)), first, [0] * 2 if ending else before, after, earliest)


def known_sum():
    """The producer makes so many calls, all while the recorder is there, stopped or not; then it is killed."""
    count = random.choice([300, 3000, 10000])
    producer = Producer(2, count, random.choice([0, 100, 1000]))
    recorder = Recorder(producer, *random.choice(BUFFERS), *ENGINES[COUNTS["kills"] % 2])
    recorder.wait_started()
    producer.go()
    if random.random() < 0.7:
        time.sleep(random.uniform(0, 0.02))
        recorder.send(signal.SIGSTOP)
    until(producer.all_done, "the producer")
    time.sleep(random.choice([0, 0, 0.02, 0.3]))
    recorder.kill()
    COUNTS["kills"] += 1
    check_end("t.xtr")
    collect(kills=random.choice([0, 0, 1]))
    exact(Trace("got.xtr"), producer)
    producer.stop()


def clear():
    for name in ("t.xtr", "got.xtr"):
        if os.path.exists(name):
            os.unlink(name)


@test
def a_killed_recorder_loses_nothing():
    while COUNTS["kills"] < N:
        kind = random.choice(["any", "any", "sum", "sum", "end"])
        try:
            if kind == "sum":
                known_sum()
            else:
                any_moment(kind == "end")
        except Failure as failure:
            raise Failure(f"{kind}, kill {COUNTS['kills']}: {failure}") from failure
        clear()
