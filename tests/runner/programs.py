# SPDX-License-Identifier: BSD-2-Clause
"""What groups of tests run: builds, Criterion programs, and programs that count their checks themselves.

All of them say on the page of the calling thread what went wrong, and return a Result.
"""

import collections
import concurrent.futures
import os
import re
import tempfile
import threading

from board import figures, say, tail
from process import ROOT, run
from results import Failure, Result, counts, details, named

SAN_ENV = {
    # Without abort_on_error a leak does not make a Criterion program fail (tests/selfcheck shows it does). What is freed is
    # given out again after 32 MB, not 256: fresh pages are a fifth of the time of a test that allocates much.
    "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:quarantine_size_mb=32",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
IDLE = 900  # s; a build takes as long as it takes, but one that uses no processor time for so long is stuck
UNIT_PROGRAMS = ("ab", "cj", "kr", "sz")  # build/VARIANT/unit/...: the Makefile's UNIT_SETS
CPUS = len(os.sched_getaffinity(0))
MAKING = collections.defaultdict(threading.Lock)  # by build directory: one make at a time works there


def at_once(function, items):
    """The results of function(item), in the order of the items; as many at a time as there are CPUs."""
    with concurrent.futures.ThreadPoolExecutor(CPUS) as pool:
        yield from pool.map(function, items)


def fail(what, output=""):
    """One failure, with the output that tells of it."""
    say(f"  FAIL {what}")
    tail(output)
    return Result(failures=[Failure(what, details(output.splitlines()))])


def command(line):
    """Runs a build or a check of the sources: the command, its end."""
    return line, run(line, idle=IDLE)


def told(line, done, passed=1):
    """What such a command found, which passes or fails as a whole."""
    figures(done.output)
    if done.status == 0:
        return Result(passed, cpu=done.cpu)
    result = fail(f"{' '.join(line)}: " + (f"no progress for {IDLE} s" if done.status is None else f"exit status {done.status}"), done.output)
    result.cpu = done.cpu
    return result


def commands(*lines):
    result = Result()
    for line in lines:
        result.add(told(*command(line)))
    return result


class Build:
    """A kind of build: its arguments for make and its directory."""

    def __init__(self, directory, *arguments):
        self.directory, self.arguments = "build/" + directory, arguments

    def env(self):
        env = {"BUILD": self.directory, "XTR": self.directory + "/xtr"}
        return {**env, **SAN_ENV} if "asan" in self.directory else env

    def make(self, *targets):
        """Counts nothing but a failure."""
        with MAKING[self.directory]:
            line, done = command(["make", *self.arguments, *targets])
        return told(line, done, passed=0)


class Tap:
    """A TAP file: how many passed, the names of those that failed, and of those skipped, why."""

    def __init__(self, path):
        self.passed, self.failed, self.skipped = 0, [], []
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith("not ok"):
                    self.failed.append(line.removeprefix("not ok").strip(" -\n"))
                elif line.startswith("ok"):
                    self._right(line)

    def _right(self, line):
        skip = re.search(r"#\s*SKIP\s*(.*)", line)
        if skip:
            self.skipped.append(f"{line.split('#')[0][2:].strip(' -')}: {skip.group(1) or 'no reason given'}")
        else:
            self.passed += 1


class Criterion:
    """A Criterion program that has run. Failed tests are counted; a program that fails in another way counts once."""

    def __init__(self, path, env, timeout=3600):
        with tempfile.NamedTemporaryFile(suffix=".tap") as file:
            done = run([path, "--tap=" + file.name, "-j1"], env, timeout)
            tap = Tap(file.name)
        self.name, self.output, self.why_skipped, failed = os.path.basename(path), done.output, tap.skipped, tap.failed
        if not (tap.passed or failed or tap.skipped):
            failed = ["no test ran"]
        elif done.status != 0 and not failed:
            failed = [f"took more than {timeout} s" if done.status is None else f"exit status {done.status} although no test failed"]
        self.result = Result(tap.passed, [Failure(f"{self.name}: {what}") for what in failed], len(tap.skipped), done.cpu)

    def tell(self):
        for why in self.why_skipped:
            say(f"  SKIP {why}")
        for failure in self.result.failures:
            say(f"  FAIL {failure.what}")
        if self.result.failed:
            tail(self.output)


def find_program(name):
    for suffix in ("", ".py", ".sh"):
        path = f"tests/{name}/run{suffix}"
        if os.access(os.path.join(ROOT, path), os.X_OK):
            return path
    return None


def program(name, build, timeout, *arguments, env=None):
    """A group with a program of its own; arguments and variables choose a part of it."""
    path = find_program(name)
    if not path:
        return fail(f"tests/{name}/run is missing")
    result = build.make("bin", "tools-bin")
    if not result.failed:
        result.add(run_program(path, build, timeout, *arguments, env=env))
    return result


def run_program(path, build, timeout, *arguments, env=None):
    """A program that ends with the line of sums. What it needs is built before: timeout is for the tests alone."""
    return tell(path, build, timeout, run([path, *arguments], {**build.env(), **(env or {})}, timeout))


def tell(path, build, timeout, done):
    """What such a program found, of its end."""
    name = path.removeprefix("tests/").replace("/", "-")
    log = os.path.join(ROOT, build.directory, f"check-{name}.log")
    with open(log, "w", encoding="utf-8") as f:
        f.write(done.output)
    figures(done.output)
    for line in done.output.splitlines():
        if re.match(r"\s*(SKIP|skip)", line):
            say("  " + line.strip())
    result = judged(path, timeout, done)
    result.cpu = done.cpu
    if result.failed:
        say(f"  all of it: {os.path.relpath(log, ROOT)}")
    if done.left:
        say(f"  {path} left {done.left} processes behind, which were ended")
    return result


def judged(path, timeout, done):
    """Its counts; one failure if it did not end as it should."""
    passed, failed, skipped = counts(done.output) or (0, 0, 0)
    ended = counts(done.output) is not None and done.status is not None
    if ended and (done.status == 0 or failed):
        if failed:
            tail(done.output)
        return Result(passed, named(path, done.output, failed), skipped)
    why = f"took more than {timeout} s" if done.status is None else f"exit status {done.status}" + ("" if ended else ", no summary")
    result = fail(f"{path}: {why}", done.output)
    result.passed, result.skipped = passed, skipped
    return result
