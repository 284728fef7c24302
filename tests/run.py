#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the groups of tests and sums up; the last line is `N passed, N failed, N skipped`.

A group is either the unit tests (Criterion programs, counted by their TAP output) or a program
tests/NAME/run* that ends with such a line itself. A group that is missing, ends without the line, dies, or
takes too long has failed. What is left out is said with its reason and counted as skipped. Groups run at the same
time (runner/lanes.py); each says all that it has to say when it ends (runner/board.py).

Lines `figure: GROUP.NAME NUMBER WORDS` of any of them (what was tried, how often) are said once more at the end, and each
failure that is counted is listed there once, with what its program says of it (runner/results.py).

usage: tests/run.py [--asan] [GROUP]...        LAB=0: without the lab; WERROR=1: for the builds
       LONG=1 tests/run.py [GROUP]...          the long versions, of the groups that have one
"""

import concurrent.futures
import glob
import os
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "runner"))
import process  # noqa: E402
from lanes import Group, Run, left_out  # noqa: E402
from process import ROOT, run  # noqa: E402
from programs import UNIT_PROGRAMS, Build, Criterion, at_once, command, commands, fail, find_program, program, run_program, tell, told  # noqa: E402
from results import Result, listing  # noqa: E402

LONG = os.environ.get("LONG") == "1"
# Groups that have a long version (LONG=1 in their environment), and how long it may take: s.
LONG_GROUPS = {"fuzz": 14400, "corrupt": 14400, "inject": 14400, "kill": 14400, "overload": 14400, "privilege": 3600,
               "large": 7200, "tsan": 3600, "text": 1200, "cover": 3600, "deb": 3600, "lab": 21600}
ONLY_LONG = ("cover", "deb")  # of them: too long for every run, and without a short version
# What the lab's programs need. The last two as in a container: what they build needs no rights.
PREPARATION = ("tests/lab/lab deps", "tests/privilege/container.py tests/lab/lab prepare", "tests/privilege/container.py tests/lab/nvidia --build")
PREPARED = None  # the lab's files, where it is going to run
# Programs of the lab, in two lanes. The first have judges who measure; the others' are exact on a host however busy, so these
# take the CPU time that is left: a guest leaves one of two processors idle most of the time.
LAB = ("tests/lab/accept", "tests/lab/truth", "tests/lab/npu", "tests/lab/npu-real", "tests/lab/nvidia")
LAB_BESIDE = ("tests/lab/selftest.sh", "tests/lab/drivers", "tests/lab/real", "tests/lab/screen", "tests/lab/faults", "tests/lab/anywhere")
PLAIN = Build("gcc", "CC=gcc")
ASAN = Build("gcc-asan", "CC=gcc", "SAN=1")
TSAN = Build("gcc-tsan", "CC=gcc", "SAN=thread")
COVER = Build("gcc-cover", "CC=gcc", "COVER=1")
FUZZ_PLAIN = Build("gcc-asan")  # of the same objects
LIBFUZZER = Build("fuzz")


def unit(build):
    result = build.make("unit-bin")
    if result.failed:
        return result
    for one in at_once(lambda name: Criterion(f"{build.directory}/unit/{name}", build.env()), UNIT_PROGRAMS):
        one.tell()
        result.add(one.result)
    return result


def selfcheck(_):
    """The runner and the flags themselves: each of these programs must be found to fail, good.c to pass."""
    result = ASAN.make("tools-bin")
    names = [os.path.basename(s)[:-2] for s in sorted(glob.glob(os.path.join(ROOT, "tests/selfcheck/*.c")))]
    if result.failed:
        return result
    for one in at_once(lambda name: Criterion(f"{ASAN.directory}/tests/selfcheck/{name}", ASAN.env()), names):
        right = (one.result.failed == 0) == (one.name == "good")
        result.add(Result(passed=1) if right else fail(f"{one.name}: must {'pass' if one.name == 'good' else 'fail'}: {one.result}", one.output))
        result.cpu += one.result.cpu
    return result if names else fail("no tests/selfcheck/*.c")


def builds(_):
    return commands(["make", "CC=clang", "bin", "unit-bin", "tools-bin"],
                    ["make", "CC=gcc", "RECORDER=0", "bin"],
                    ["make", "CC=gcc", "RECORDER=0", "SQLITE=0", "ZSTD=0", "ARCHIVE=0", "bin"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive/xtr check tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libzstd'"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive/xtr bundle tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libarchive'"],
                    ["sh", "-c", "echo x | zstd -q -c | build/gcc-reader-nosql-nozstd-noarchive/xtr stats - 2>&1 | grep 'compressed with zstd, and this xtr is built without libarchive'"])


def dependencies(_):
    return commands(["scripts/check-deps"])


def lint(build):
    result = build.make("bin", "unit-bin", "tools-bin")  # what is checked is what was built
    if not result.failed:
        result.add(commands(["make", "lint"]))
    return result


def fuzz(build):
    """The plain programs of the fuzz targets, once to find faults and once to weigh, those of libFuzzer, then tests/fuzz/run."""
    result = FUZZ_PLAIN.make("fuzz-plain")
    result.add(PLAIN.make("fuzz-weigh"))
    if LONG:
        result.add(LIBFUZZER.make("fuzz-build"))
    if not result.failed:
        result.add(run_program(find_program("fuzz"), PLAIN, LONG_GROUPS["fuzz"] if LONG else 1800))
    return result


def tsan(_):
    """What has threads, built with ThreadSanitizer, and the few tools that its tests need."""
    tools = [f"{TSAN.directory}/tests/{t}" for t in ("tools/synth", "record/emit", "tsan/race")]
    result = TSAN.make("bin", *tools)
    if not result.failed:
        result.add(run_program("tests/tsan/run", TSAN, LONG_GROUPS["tsan"] if LONG else 1800))
    return result


def install(build):
    """What is installed, as `make install` does it: everything that needs is made before, under the lock."""
    result = build.make("xtr", "lib", "tools-bin")
    if not result.failed:
        result.add(run_program("tests/install/run", build, 900))
    return result


def deb(_):
    """Debian packages: built in a folder of their own, by what `make deb` runs."""
    result = commands(["scripts/install-deps", "build", "deb"], ["scripts/deb"])
    if not result.failed:
        result.add(run_program("tests/deb/run", PLAIN, LONG_GROUPS["deb"]))
    return result


def cover(_):
    """What the tests run of the libraries; the program, which would build all that itself, runs the tests."""
    result = COVER.make("FUZZ_MAIN=$(B)/tests/fuzz/standalone.o", "unit-bin", "fuzz-bin", "bin", "tools-bin")
    if not result.failed:
        result.add(run_program("tests/cover/run", COVER, LONG_GROUPS["cover"]))
    return result


class Prepared:
    """What the lab needs is downloaded and built in the background: that may take long where the cache is empty."""

    def __init__(self):
        self.done = []
        self.thread = threading.Thread(target=self._prepare, daemon=True)
        self.thread.start()

    def _prepare(self):
        process.yield_cpu()
        for line in PREPARATION:
            self.done.append(command(line.split()))
            if self.done[-1][1].status != 0:
                return

    def result(self):
        self.thread.join()
        result = Result()
        for one in self.done:
            result.add(told(*one))
        return result


def lab(build):
    result = build.make("all", "tools-bin")
    result.add((PREPARED or Prepared()).result())
    if result.failed:
        return result
    limit = LONG_GROUPS["lab"] if LONG else 3600
    with concurrent.futures.ThreadPoolExecutor(1, initializer=lambda: process.yield_cpu(process.SECOND)) as lane:
        beside = [lane.submit(run, [path], build.env(), limit) for path in LAB_BESIDE]
        for path in LAB:
            result.add(run_program(path, build, limit))
        for path, future in zip(LAB_BESIDE, beside):
            result.add(tell(path, build, limit, future.result()))
    return result


def group(name, timeout=3600):
    """A group with a program of its own; timeout: of the short version, s."""
    return lambda build: program(name, build, LONG_GROUPS.get(name, timeout) if LONG else timeout)


# name, what it is, function, needs root, also under the sanitizers
GROUPS = [Group(*row) for row in (
    ("unit", "unit tests", unit, False, True),
    ("unit-asan", "unit tests under ASan and UBSan", lambda _: unit(ASAN), False, False),
    ("selfcheck", "broken programs are found to be broken", selfcheck, False, False),
    ("runner", "these tests: what they show, limits of time, machines that cannot record, trees that others cannot enter", group("runner", 900), False, False),
    ("fuzz", "hostile bytes: fuzz targets, and what they take", fuzz, False, False),
    ("vectors", "files of the specification, read in C and in Python", group("vectors"), False, True),
    ("spec", "the specification and the code agree", group("spec"), False, True),
    ("cli", "the command line", group("cli"), False, True),
    ("install", "what is installed: library, manual, completions, file types, service", install, False, False),
    ("cut", "parts of traces, and joining them", group("cut"), False, True),
    ("redact", "what must be gone from a redacted trace, and what must stay", group("redact"), False, True),
    ("bundle", "bundles for bug reports: what is in them, and hostile ones", group("bundle"), False, True),
    ("corrupt", "damaged files: what is shown, told and recovered", group("corrupt"), False, True),
    ("inject", "failing memory, I/O and standard streams, for every command that reads traces; as root recordings", group("inject"), False, False),
    ("text", "control characters in the names of a trace", group("text"), False, True),
    ("golden", "expected outputs", group("golden"), False, True),
    ("export", "exported files, read back by other decoders", group("export"), False, True),
    ("report", "the page of xtr report, in headless Chromium", group("report", 1800), False, False),
    ("import", "imports of other tools' traces", group("import"), False, True),
    ("drivers", "scenarios of driver events, and what xtr says of them", group("drivers", 2400), False, True),
    ("flame", "flame graphs, and their sums", group("flame"), False, True),
    ("top", "slices of time against known truth", group("top"), False, True),
    ("query", "SQL over traces", group("query"), False, True),
    ("record", "recording on this kernel", group("record"), True, True),
    ("api", "calls of shared libraries on this kernel", group("api"), True, True),
    ("kill", "killed recorders, failing disks, pipes and processes", group("kill"), True, True),
    ("overload", "losses, memory and pieces of a recorder that is behind", group("overload"), True, True),
    # Not under the sanitizers: they need the rights that are taken away here (/proc, ptrace).
    ("privilege", "what xtr may do, needs and gives up", group("privilege"), True, False),
    ("tsan", "what has threads, under ThreadSanitizer", tsan, True, False),
    ("large", "many events in bounded memory", group("large", 900), False, False),
    # Of the plain build alone: the limits are.
    ("instructions", "instructions per event, within their limits", group("instructions", 900), False, False),
    ("cover", "lines and branches that the tests run", cover, False, False),
    ("deb", "Debian packages, built and used", deb, False, False),
    ("dependencies", "which folder includes what, lengths", dependencies, False, False),
    ("builds", "clang, RECORDER=0, without SQLite, zstd and libarchive", builds, False, False),
    ("lint", "formatting and static analysis", lint, False, False),
    ("lab", "real kernels with a simulated GPU", lab, True, False),
)]


def end_on_signals(checks):
    """What runs is told of, and ended."""
    def stopped(number, _):
        checks.board.stopped(f"tests/run.py: stopped by {signal.Signals(number).name}")
        process.stop_all()
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stopped)


def check(checks, build):
    """Runs groups, and sums up. The exit status."""
    start = time.monotonic()
    checks.all(build)
    total = checks.total()
    given = [f"  {line}" for page in checks.board.pages for line in page.figures]
    for title, lines in (("figures", given), ("what failed", list(listing(checks.results.items())))):
        if lines:
            print(f"== {title}", *lines, sep="\n")
    print(f"== all, {time.monotonic() - start:.0f} s, CPU {total.cpu:.0f} s\n{total}", flush=True)
    return 1 if total.failed or not total.passed else 0


def main(arguments):
    global PREPARED
    asan = "--asan" in arguments
    names = [a for a in arguments if a != "--asan"]
    unknown = set(names) - {g.name for g in GROUPS}
    if unknown:
        sys.exit(f"unknown groups: {', '.join(sorted(unknown))}")
    if LONG and not names:
        names = [g.name for g in GROUPS if g.name in LONG_GROUPS]
    names = names or [g.name for g in GROUPS if g.name not in ONLY_LONG]
    # A jobserver of the make that started this is not for the ones started here.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    groups = [g for g in GROUPS if g.name in names and (not asan or g.asan)]
    checks = Run(groups)
    end_on_signals(checks)
    if any(g.name == "lab" and not left_out(g) for g in groups):
        PREPARED = Prepared()
    return check(checks, ASAN if asan else PLAIN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
