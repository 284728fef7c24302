# SPDX-License-Identifier: BSD-2-Clause
"""Recorders of pieces and flight recorders, beside a shipper: both are killed, and in the end all is at the receiver, each event once."""

import glob
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pieces
from common import BPFFS, COUNTS, LIMIT, LONG, PROCESSES, XTR, Failure, Producer, Recorder, Trace, expect, until
from faults import faulty

TESTS = []
TAKE = 'cp "$1" "remote/.$XTR_PIECE_NAME" && mv "remote/.$XTR_PIECE_NAME" "remote/$XTR_PIECE_NAME"'
COMMAND = ("sh", "-c", TAKE, "sh")


def test(function):
    TESTS.append(function)
    return function


def folders():
    for name in ("spool", "remote"):
        os.makedirs(name, mode=0o700, exist_ok=True)


def clear():
    for name in ("spool", "remote", "dying", "armed"):
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.unlink(name)


def shipper():
    p = subprocess.Popen([XTR, "ship", "-q", "-f", "--every", "1ms", "--pause", "1ms", "spool", "--", *COMMAND], stdin=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    PROCESSES.append(p)
    return p


def kill(process):
    process.kill()
    process.wait(LIMIT)
    COUNTS["kills"] += 1


def rest():
    """All that is left is shipped: a command of a shipper that was killed may still run."""
    end = time.monotonic() + LIMIT
    while True:
        p = subprocess.run([XTR, "ship", "spool", "--", *COMMAND], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)
        if p.returncode == 0:
            return p.stderr
        expect(time.monotonic() < end and "is at work there" in p.stderr, f"xtr ship: {p.returncode} {p.stderr}")
        time.sleep(0.01)


def arrived():
    """Traces at the receiver by number; what is left here."""
    said = rest()
    left = [n for n in glob.glob("spool/**", recursive=True) if os.path.isfile(n) and os.path.getsize(n) >= 64]
    expect(not left, f"left: {left}, {said}")
    expect(not os.path.exists(BPFFS + "/xtr"), f"left in the kernel, {said}")
    paths = sorted(glob.glob("remote/t.*.xtr"), key=lambda path: int(path.split(".")[1]))
    numbers = [int(path.split(".")[1]) for path in paths]
    expect(len(set(numbers)) == len(numbers), f"a piece is there twice: {paths}")
    ids = [re.search(r"\.([0-9a-f]{16}-[0-9a-f]{16})\.xtr$", path).group(1) for path in paths]
    expect(len(set(ids)) == len(ids), f"an ID is there twice: {paths}")
    return [Trace(path) for path in paths]


def once(traces, producer):
    """Recorded + lost (+ aged) = happened, and each call is there once."""
    whole = pieces.all_of(traces) if traces else None
    want = sum(producer.done())
    aged = sum(t.aged for t in traces)
    expect(whole and whole.recorded() + whole.lost + aged == want,
           f"recorded {whole and whole.recorded()} + lost {whole and whole.lost} + aged {aged}, happened {want}, in {len(traces)} pieces")
    whole.no_doubles()


def one(number, *options, events=3000, env=None):
    """A recorder, killed while pieces are shipped by shippers that are killed."""
    folders()
    producer = Producer(2, random.choice([300, events]), random.choice([0, 100]))
    recorder = Recorder(producer, *options, out="spool/t.xtr", env=env)
    recorder.wait_started()
    process = shipper()
    producer.go()
    try:
        for _ in range(random.randrange(3)):
            time.sleep(random.uniform(0, 0.04))
            kill(process)
            process = shipper()
        until(producer.all_done, "the producer")
        if env:
            open("armed", "w", encoding="ascii").close()
            until(lambda: os.path.exists("dying") or recorder.process.poll() is not None, "the write")
            recorder.gather()
        else:
            time.sleep(random.choice([0, 0.02, 0.1]))
            recorder.kill()
        COUNTS["kills"] += 1
        time.sleep(random.uniform(0, 0.1))
        kill(process)
        traces = arrived()
        once(traces, producer)
        if "--rotate" in options:
            pieces.follow_on(traces)
    except Failure as failure:
        raise Failure(f"recorder {number}, {options}: {failure}") from failure
    finally:
        producer.stop()
        clear()


@test
def pieces_of_killed_recorders_arrive_once():
    for i in range(100 if LONG else 6):
        one(i, "--rotate", random.choice(["4k", "16k", "20ms"]))


@test
def pieces_of_recorders_killed_at_any_write_arrive_once():
    """While a shipper that is not stopped takes what is complete."""
    for i in range(1, 60 if LONG else 8):
        how = random.choice(("kill", "torn"))
        one(i, "--rotate", "10ms", events=1000, env={**faulty(f"{i}:{how}"), "FAULT_AFTER": os.path.abspath("armed")})


@test
def what_killed_flight_recorders_kept_arrives_once():
    """With files before, and with a kill while one is written."""
    for i in range(60 if LONG else 5):
        one(i, "--flight", "1M")
    folders()
    producer = Producer(2, 0, 1000)
    recorder = Recorder(producer, "--flight", "1M", out="spool/t.xtr")
    recorder.wait_started()
    process = shipper()
    producer.go()
    for n in range(2):
        recorder.send(signal.SIGUSR1)
        until(lambda n=n: len(glob.glob("remote/t.*.xtr")) > n, "a file at the receiver")
    recorder.stop()
    producer.stop()
    recorder.kill()
    until(lambda: len(glob.glob("remote/t.*.xtr")) == 3, "what was kept, at the receiver")
    process.terminate()
    process.wait(LIMIT)
    for trace in arrived():
        trace.no_doubles()
    clear()


@test
def a_recorder_that_ends_is_shipped_and_nothing_waits():
    folders()
    producer = Producer(2, 10000, 0)
    recorder = Recorder(producer, "--rotate", "4k", out="spool/t.xtr")
    recorder.wait_started()
    process = shipper()
    producer.go()
    until(producer.all_done, "the producer")
    recorder.end()
    until(lambda: not [n for n in os.listdir("spool") if n.endswith(".xtr")] and not os.listdir("spool/ship"), "the last piece")
    process.terminate()
    process.wait(LIMIT)
    traces = arrived()
    expect(len(traces) > 1, f"{len(traces)} pieces")
    once(traces, producer)
    pieces.follow_on(traces)
    producer.stop()
    clear()


@test
def a_recorder_ships_its_own_pieces():
    """Also what it had when it was killed: the process beside it goes on."""
    for killed in (False, True):
        folders()
        producer = Producer(2, 10000, 0)
        recorder = Recorder(producer, "--rotate", "4k", "--on-piece", TAKE, out="spool/t.xtr")
        recorder.wait_started()
        producer.go()
        until(producer.all_done, "the producer")
        if killed:
            os.kill(recorder.pid, signal.SIGKILL)
            recorder.process.wait(LIMIT)
            COUNTS["kills"] += 1
            until(lambda: not [n for n in os.listdir("spool") if n.endswith(".xtr")] and not os.listdir("spool/ship"), "the last piece")
            os.killpg(recorder.pid, signal.SIGKILL)
        else:
            status, said = recorder.end()
            expect(status == 0 and "shipped" in said, f"status {status}: {said}")
        traces = arrived()
        once(traces, producer)
        pieces.follow_on(traces)
        producer.stop()
        clear()


@test
def a_command_that_fails_leaves_the_pieces_and_status_1():
    folders()
    producer = Producer(2, 300, 0)
    recorder = Recorder(producer, "--rotate", "1h", "--on-piece", "exit 1", out="spool/t.xtr")
    recorder.wait_started()
    producer.go()
    until(producer.all_done, "the producer")
    status, said = recorder.end()
    expect(status == 1 and "ended with status 1" in said, f"status {status}: {said}")
    once(arrived(), producer)
    producer.stop()
    clear()
