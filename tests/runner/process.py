# SPDX-License-Identifier: BSD-2-Clause
"""Commands with a time limit, of which nothing is left when they are over.

Each is started in a session of its own and marked by a variable of its environment, which all that it starts inherits: what
is still there after a time limit (a recorder, QEMU) is found by that and ended, whatever its parent or session.
"""

import os
import signal
import subprocess
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARK = "XTR_CHECK_COMMAND"
GRACE = 5  # seconds between a polite end and the other one
SECOND, LAST = 5, 10  # nice values of what may wait

_lock = threading.Lock()
_running = {}  # mark: process
_count = 0
_stopping = False


class Done:
    """
    A command that ended: status (None: it took too long), output, CPU seconds of it and all its children, and how
    many processes it had left behind, which were ended.
    """

    def __init__(self, status, output, cpu=0, left=0):
        self.status, self.output, self.cpu, self.left = status, output, cpu, left


def yield_cpu(nice=LAST):
    """The calling thread, and all that it starts, leaves the CPU to others that want it."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)


def _signal_marked(mark, number):
    """Sends a signal to every process that has the mark. How many there were."""
    wanted, found = f"{MARK}={mark}".encode(), 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if wanted in f.read().split(b"\0") and int(pid) != os.getpid():
                    os.kill(int(pid), number)
                    found += 1
        except OSError:
            pass  # it is over, or another user's
    return found


def _end(mark):
    """Ends all of a command: asked first, so that what it mounted or made can be taken away by itself."""
    _signal_marked(mark, signal.SIGTERM)
    until = time.monotonic() + GRACE
    while time.monotonic() < until and _signal_marked(mark, 0):
        time.sleep(0.1)
    while _signal_marked(mark, signal.SIGKILL):
        time.sleep(0.1)


def _group_by_nice(pid):
    """Sessions are scheduled as a whole where the kernel does so: the nice value has to be theirs, too."""
    nice = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    if not nice:
        return
    try:
        with open(f"/proc/{pid}/autogroup", "w", encoding="ascii") as f:
            f.write(str(nice))
    except OSError:
        pass


def used(mark):
    """Clock ticks of processor time of all that has the mark, and of what it waited for."""
    wanted, sum_ = f"{MARK}={mark}".encode(), 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if wanted not in f.read().split(b"\0"):
                    continue
            with open(f"/proc/{pid}/stat", "rb") as f:
                sum_ += sum(map(int, f.read().rpartition(b")")[2].split()[11:15]))  # proc(5): utime, stime, cutime, cstime
        except OSError:
            pass
    return sum_


class Standstill:
    """Tells when a number has not changed for `idle` seconds."""

    def __init__(self, idle):
        self.idle, self.last, self.since = idle, None, None

    def reached(self, number, now):
        if number != self.last:
            self.last, self.since = number, now
        return now - self.since > self.idle


def _wait_for_rest(mark, over, idle):
    """Returns when `over` is set, or when nothing of a command has used processor time for so many seconds."""
    standstill = Standstill(idle)
    while not over.wait(min(5, idle / 4)) and not standstill.reached(used(mark), time.monotonic()):
        pass


def run(command, env=None, timeout=None, idle=None):
    """
    Runs a command in the root of the tree, without input; outputs are read together. It is ended after `timeout` seconds, or
    once it has used no processor time for `idle` seconds: what has to be done, however busy the machine, is given the second.
    """
    global _count
    with _lock:
        if _stopping:
            return Done(None, "not started: stopped by a signal")
        _count += 1
        mark = f"{os.getpid()}.{_count}"
        output = tempfile.TemporaryFile()
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {}), MARK: mark}, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        _running[mark] = process
    _group_by_nice(process.pid)
    late, over = threading.Event(), threading.Event()

    def watch():
        if idle:
            _wait_for_rest(mark, over, idle)
        else:
            over.wait(timeout)
        if not over.is_set():
            late.set()
            _end(mark)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    over.set()
    watcher.join()  # what it ends is ended before this goes on
    left = _signal_marked(mark, signal.SIGKILL)
    with _lock:
        del _running[mark]
    with output:
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Done(None if late.is_set() else process.returncode, text, usage.ru_utime + usage.ru_stime, left)


def stop_all():
    """Ends all that runs; nothing more is started."""
    global _stopping
    with _lock:
        _stopping = True
        marks = list(_running)
    for mark in marks:
        _end(mark)
