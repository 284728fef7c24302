# SPDX-License-Identifier: BSD-2-Clause
"""Runs groups of tests: those that record, here or in virtual machines, one after the other, the others beside them in the
CPU time that these leave."""

import collections
import contextlib
import fcntl
import os
import threading
import time
import traceback

import process
from board import Board, say
from kernel import unrecorded
from programs import CPUS, fail
from results import Result

KERNEL_LOCK = "/run/xtr-check.lock"  # held by who counts events of this kernel, whichever program's they are

# function: takes a Build, returns a Result; asan: also under the sanitizers; first: the first of levels.LEVELS that runs it;
# parts: by level, the Part that stands for it there.
Group = collections.namedtuple("Group", "name title function needs_root asan first parts", defaults=("check", {}))


def left_out(group):
    """Why a group does not run here, or None."""
    if group.name == "lab" and os.environ.get("LAB") == "0":
        return "left out, LAB=0"
    if not group.needs_root:
        return None
    if os.geteuid() != 0:
        return "needs root"
    return None if group.name == "lab" else unrecorded()


@contextlib.contextmanager
def this_kernel():
    with open(KERNEL_LOCK, "a", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def run_group(group, build):
    """What a group finds; what it says goes to the page of the calling thread."""
    say(f"== {group.name}: {group.title}")
    start = time.monotonic()
    why = left_out(group)
    if why:
        say(f"  SKIP {group.name}: {why}")
        result = Result(skipped=1)
    else:
        try:
            with this_kernel() if group.needs_root and group.name != "lab" else contextlib.nullcontext():
                result = group.function(build)
        except Exception:  # a fault of the runner must not hide behind the other groups
            result = fail("the runner itself", traceback.format_exc())
    say(f"   {result} ({time.monotonic() - start:.1f} s, CPU {result.cpu:.1f} s)")
    return result


def run_lane(todo, build, results):
    """Runs groups one by one until none is left."""
    while True:
        try:
            group, page = todo.popleft()
        except IndexError:
            return
        with page:
            results[group.name] = run_group(group, build)


def join(thread):
    """
    Waits in the main thread for one to end, and wakes up each second: Python runs handlers of signals in the main thread alone, and
    one that came to another thread, or just before the main thread began to wait, does not end its wait.
    """
    while thread.is_alive():
        thread.join(1)


class Run:
    """Groups, their board, and their results by name in the order in which they ended."""

    def __init__(self, groups):
        self.groups, self.board, self.results = groups, Board([group.name for group in groups]), {}

    def all(self, build):
        recording, other = collections.deque(), collections.deque()
        for group, page in zip(self.groups, self.board.pages):
            (recording if group.needs_root else other).append((group, page))
        recording_first = any(not left_out(group) for group, _ in recording)

        def waiting_lane():
            if recording_first:
                process.yield_cpu()
            run_lane(other, build, self.results)

        lanes = [threading.Thread(target=run_lane, args=(recording, build, self.results))]
        lanes += [threading.Thread(target=waiting_lane) for _ in range(min(CPUS, len(other)))]
        with self.board:
            for lane in lanes:
                lane.start()
            for lane in lanes:
                join(lane)

    def total(self):
        total = Result()
        for result in self.results.values():
            total.add(result)
        return total
