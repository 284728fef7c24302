# SPDX-License-Identifier: BSD-2-Clause
"""Signals, disks, pipes, processes; and kills at chosen places."""

import errno
import os
import random
import re
import signal
import subprocess
import sys
import time

from common import BUILD, CALL, COUNTS, LIMIT, LONG, ROOT, Failure, Producer, Recorder, Trace, exact, expect, until, xtr
from kills import bounds, check_end, collect

TESTS = []
sys.path.insert(0, os.path.join(ROOT, "tests"))
from checks import for_everybody  # noqa: E402

# LD_PRELOAD takes a space for the end of a name, and the tree's path may have one.
LIBRARY, = for_everybody(os.path.join(BUILD, "tests/kill/lib/libfault.so"))


def test(function):
    TESTS.append(function)
    return function


def faulty(fault):
    env = {"LD_PRELOAD": LIBRARY, "FAULT": fault}
    if "asan" in BUILD:
        env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return env


def one_line(err, pattern):
    """One line says what went wrong, besides those that sum up."""
    lines = [line for line in err.splitlines() if re.search(pattern, line)]
    expect(len(lines) == 1, f"no or several lines of /{pattern}/: {err!r}")


def lost_as_said(err):
    match = re.search(r"LOST ([\d,]+) of", err)
    return int(match.group(1).replace(",", "")) if match else 0


def recorded_all(count, *args, fault=None, stopped=False, during=None, pause=100, **kwargs):
    """
    A recorder of `count` calls of two threads; it is there when they end. stopped: from before the first of them on, so
    that it finds out nothing until it is told to go on.
    """
    producer = Producer(2, count, pause)
    recorder = Recorder(producer, *args, env=faulty(fault) if fault else None, **kwargs)
    recorder.wait_started()
    if stopped:
        recorder.stop()
    producer.go()
    if during:
        during(recorder, producer)
    until(producer.all_done, "the producer")
    COUNTS["faults"] += 1
    return producer, recorder


def clear(*names):
    for name in ("t.xtr", "got.xtr", *names):
        if os.path.exists(name):
            os.unlink(name)


@test
def a_kill_at_any_write_leaves_each_event_once():
    """A batch whose chunk is written, or half of it, and that the recorder has not let go."""
    for number in range(3, 14):
        # Events are in the first of them: both ways there, whatever chance says.
        for how in ("kill", "torn") if LONG or number < 7 else (random.choice(("kill", "torn")),):
            producer, recorder = recorded_all(2000, fault=f"{number}:{how}")
            alive = not os.path.exists("dying") and recorder.process.poll() is None
            time.sleep(0.3)
            if recorder.process.poll() is None:
                recorder.send(signal.SIGTERM)
            status, err = recorder.gather()
            if status == -signal.SIGKILL:
                COUNTS["kills"] += 1
                check_end("t.xtr")
                collect()
            else:
                os.rename("t.xtr", "got.xtr")
            trace = Trace("got.xtr")
            try:
                if alive:
                    exact(trace, producer)
                else:
                    bounds(trace, [0, 0], [0, 0], {"begun": producer.begun(), "tids": producer.tids})
            except Failure as failure:
                raise Failure(f"write {number}, {how}: {failure} {err}") from failure
            finally:
                producer.stop()
            if status == -signal.SIGKILL:
                expect(os.path.exists("dying"), "the library says that it kills")
            clear("dying")


@test
def a_stopped_recorder_counts_what_it_loses():
    producer, recorder = recorded_all(20000, "--buffer", "4k", stopped=True, pause=0)
    recorder.send(signal.SIGCONT)
    status, err = recorder.end()
    expect(status == 3, f"exit status {status}: {err}")
    trace = Trace("t.xtr")
    exact(trace, producer)
    expect(trace.lost > 1000, f"lost {trace.lost}: the rings were to overflow")
    expect(lost_as_said(err) == trace.lost, f"said {err}")
    producer.stop()


@test
def signals_end_a_recording_whole():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        for again in (False, True) if LONG else (random.random() < 0.5,):
            producer, recorder = recorded_all(2000)
            recorder.send(number)
            if again:
                time.sleep(0.005)
                try:
                    recorder.send(number)
                except ProcessLookupError:
                    pass
            _, err = recorder.gather()
            trace = Trace("t.xtr")
            exact(trace, producer)
            expect(trace.end, f"no END: {err}")
            producer.stop()
            clear()


@test
def a_failing_disk_costs_what_comes_after_and_says_how_much():
    for fault, number in (("5", errno.EIO), ("5", errno.ENOSPC), ("4", errno.EDQUOT), ("6", errno.EFBIG)):
        producer, recorder = recorded_all(20000, fault=f"{fault}:{number}", stopped=True, pause=0)
        recorder.send(signal.SIGCONT)
        status, err = recorder.end()
        expect(status == 1, f"{os.strerror(number)}: exit status {status}: {err}")
        one_line(err, re.escape(os.strerror(number)))
        check_end("t.xtr")
        have = Trace("t.xtr", ("no-end",)).recorded() + lost_as_said(err)
        expect(have == sum(producer.done()), f"{os.strerror(number)}: {have} of {sum(producer.done())}: {err}")
        producer.stop()
        clear()


@test
def a_disk_that_cannot_sync_is_said():
    producer, recorder = recorded_all(2000, fault=f"sync:{errno.EIO}")
    status, err = recorder.end()
    expect(status == 1, f"exit status {status}: {err}")
    one_line(err, re.escape(os.strerror(errno.EIO)))
    exact(Trace("t.xtr"), producer)
    producer.stop()


@test
def a_slow_disk_costs_counted_losses_at_most():
    producer, recorder = recorded_all(20000, "--buffer", "16k", fault="slow:50", pause=0)
    _, err = recorder.end()
    trace = Trace("t.xtr")
    exact(trace, producer)
    expect(lost_as_said(err) == trace.lost, err)
    producer.stop()


@test
def a_full_disk_leaves_room_for_the_end():
    os.mkdir("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1064k", "tmpfs", "small"], check=True)
    try:
        producer, recorder = recorded_all(100000, out="small/t.xtr", stopped=True, pause=0)
        recorder.send(signal.SIGCONT)
        status, err = recorder.end()
        expect(status == 1, f"exit status {status}: {err}")
        trace = Trace("small/t.xtr")
        exact(trace, producer)
        expect(trace.end["reason"] == "no space left", trace.end)
        producer.stop()
    finally:
        subprocess.run(["umount", "small"], check=True)


@test
def a_pipe_that_is_closed_is_said():
    reading, writing = os.pipe()
    producer = Producer(2, 20000, 100)
    recorder = Recorder(producer, out="-", stdout=writing)
    os.close(writing)
    recorder.wait_started()
    head = os.read(reading, 500)
    recorder.stop()  # or it may find out before there is anything to lose
    os.close(reading)
    producer.go()
    until(producer.all_done, "the producer")
    recorder.send(signal.SIGCONT)
    status, err = recorder.end()
    COUNTS["faults"] += 1
    expect(status == 1, f"exit status {status}: {err}")
    expect(head[:4] == b"\x89XTR", "the head of the file")
    one_line(err, "output closed")
    expect(lost_as_said(err) == sum(producer.done()), f"nothing was written, so all is lost: {err}")
    producer.stop()


@test
def a_slow_reader_of_a_pipe_gets_every_event():
    reader = subprocess.Popen(["sh", "-c", "sleep 0.5; exec cat >t.xtr"], stdin=subprocess.PIPE)
    producer, recorder = recorded_all(30000, out="-", stdout=reader.stdin, pause=0)
    reader.stdin.close()
    recorder.end()
    reader.wait(LIMIT)
    exact(Trace("t.xtr"), producer)
    producer.stop()


@test
def a_removed_output_is_said():
    for remove in (lambda: os.unlink("dir/t.xtr"), lambda: (os.unlink("dir/t.xtr"), os.rmdir("dir")),
                   lambda: os.rename("dir/other", "dir/t.xtr")):
        os.makedirs("dir", exist_ok=True)
        if remove.__code__.co_names[-1] == "rename":
            with open("dir/other", "w", encoding="utf-8") as f:
                f.write("other")
        producer, recorder = recorded_all(2000, out="dir/t.xtr", during=lambda r, p, remove=remove: remove())
        status, err = recorder.end()
        expect(status == 1, f"exit status {status}: {err}")
        one_line(err, "is not there any more")
        producer.stop()
        clear("dir/t.xtr")


@test
def the_traced_process_may_die():
    for number in (signal.SIGKILL, signal.SIGSEGV):
        producer = Producer(2, 0, 300)
        recorder = Recorder(producer)
        recorder.wait_started()
        producer.go()
        until(lambda: min(producer.done()) > 1000, "some calls")
        producer.process.send_signal(number)
        producer.process.wait(LIMIT)
        _, err = recorder.end()
        trace = Trace("t.xtr")
        bounds(trace, [0, 0], producer.done(), {"begun": producer.begun(), "tids": producer.tids})
        expect(trace.end, err)
        COUNTS["faults"] += 1
        clear()


@test
def a_command_that_is_not_there_leaves_nothing_behind():
    status, _, err = xtr("record", "-o", "t.xtr", "-e", CALL, "--", "./no-such-program")
    expect(status == 127, f"exit status {status}: {err}")
    one_line(err, "no-such-program")
    COUNTS["faults"] += 1


@test
def two_recorders_at_a_time_both_see_all():
    producer = Producer(2, 10000, 100)
    first = Recorder(producer, out="a.xtr")
    first.wait_started()
    second = Recorder(producer, out="b.xtr", events=(CALL, "task:task_rename"))
    second.wait_started()
    producer.go()
    until(producer.all_done, "the producer")
    second.kill()
    first.end()
    exact(Trace("a.xtr"), producer)
    collect("b.xtr")
    exact(Trace("got.xtr"), producer)
    COUNTS["kills"] += 1
    COUNTS["faults"] += 1
    producer.stop()


@test
def what_lives_is_left_alone():
    """A recorder that records is neither listed, nor collected, nor dropped."""
    producer, recorder = recorded_all(2000)
    _, out, _ = xtr("recover", "--killed")
    expect("No dead recorder" in out, out)
    status, _, err = xtr("recover", "--killed", "-o", "got.xtr", "t.xtr")
    expect(status == 1 and "still records" in err and not os.path.exists("got.xtr"), f"{status} {err}")
    expect(xtr("recover", "--killed", "--drop", "all")[0] == 0, "drop all")
    recorder.end()
    exact(Trace("t.xtr"), producer)
    producer.stop()


@test
def what_is_left_is_named_and_dropped():
    producer, recorder = recorded_all(2000, stopped=True)  # so that none of them gets into the file
    recorder.kill()
    COUNTS["kills"] += 1
    _, out, _ = xtr("recover", "--killed")
    expect("4,000 events" in out and "t.xtr" in out, out)
    _, out, _ = xtr("doctor")
    expect(re.search(r"dead recorders +1 left 4000 events", out), out)
    status, _, err = xtr("recover", "--killed", "-o", "-", "t.xtr")
    expect(status == 0, f"to a pipe: {err}")
    expect("4,000 events" in xtr("recover", "--killed")[1], "what went into a pipe is kept")
    expect(xtr("recover", "--killed", "--drop", "all")[0] == 0, "drop all")
    expect("No dead recorder" in xtr("recover", "--killed")[1], "dropped")
    status, _, err = xtr("recover", "--killed", "-o", "got.xtr", "t.xtr")
    expect(status == 1 and "left anything of this file" in err, f"{status} {err}")
    producer.stop()
