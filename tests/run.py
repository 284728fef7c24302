#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the groups of tests and sums up; the last line is `N passed, N failed, N skipped`.

A group is either the unit tests (Criterion programs, counted by their TAP output) or a program
tests/NAME/run* that ends with such a line itself. A group that is missing, ends without the line, dies, or
takes too long has failed. What is left out is said with its reason and counted as skipped. Groups run at the same
time (runner/lanes.py); each says all that it has to say when it ends (runner/board.py).

Lines `figure: GROUP.NAME NUMBER WORDS` of any of them (what was tried, how often) are said once more at the end, and each
failure that is counted is listed there once, with what its program says of it (runner/results.py).

Levels (runner/levels.py): check is what a person runs before each commit, ci what CI runs, all what runs every night. The column
`first` of GROUPS says with which of them a group begins, and `parts` what a level runs of it if not the whole.

usage: tests/run.py [--level check|ci|all] [--asan] [GROUP]...        LAB=0: without the lab; WERROR=1: for the builds
       tests/run.py --list              what each level runs and leaves out; runs nothing
       LONG=1 tests/run.py [GROUP]...   the long versions, of the groups that have one
Without --level: all; groups that are named run as the whole, or with --level as that level runs them.
"""

import argparse
import concurrent.futures
import glob
import os
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "runner"))
import levels  # noqa: E402
import process  # noqa: E402
from lanes import Group, Run, left_out  # noqa: E402
from levels import Part  # noqa: E402
from process import ROOT, run  # noqa: E402
from programs import UNIT_PROGRAMS, Build, Criterion, at_once, command, commands, fail, find_program, program, run_program, tell, told  # noqa: E402
from results import Result, listing  # noqa: E402

LONG = os.environ.get("LONG") == "1"
# Groups that have a long version (LONG=1 in their environment), and how long it may take: s.
LONG_GROUPS = {"fuzz": 14400, "corrupt": 14400, "inject": 14400, "kill": 14400, "hang": 3600, "ship": 3600, "overload": 14400, "privilege": 3600,
               "large": 7200, "tsan": 3600, "text": 1200, "cover": 3600, "deb": 3600, "lab": 21600}
# What the lab's programs need. The last two as in a container: what they build needs no rights.
PREPARATION = ("tests/lab/lab deps", "tests/privilege/container.py tests/lab/lab prepare", "tests/privilege/container.py tests/lab/nvidia --build")
PREPARED = None  # the lab's files, where it is going to run
# Programs of the lab, in two lanes. The first have judges who measure; the others' are exact on a host however busy, so these
# take the CPU time that is left: a guest leaves one of two processors idle most of the time.
LAB = ("tests/lab/accept", "tests/lab/truth", "tests/lab/npu", "tests/lab/npu-real", "tests/lab/nvidia")
LAB_BESIDE = ("tests/lab/selftest.sh", "tests/lab/drivers", "tests/lab/real", "tests/lab/screen", "tests/lab/faults", "tests/lab/hangs", "tests/lab/service",
              "tests/lab/anywhere")
LAB_LIMIT = 21600  # s, of one program: ends what hangs, however busy the host is. A guest has one of its own
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


CLANG = ["make", "CC=clang", "bin", "unit-bin", "tools-bin"]


def builds(_):
    return commands(CLANG,
                    ["make", "CC=gcc", "RECORDER=0", "bin"],
                    ["make", "CC=gcc", "RECORDER=0", "SQLITE=0", "ZSTD=0", "ARCHIVE=0", "ELFUTILS=0", "bin"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive-noelfutils/xtr check tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libzstd'"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive-noelfutils/xtr bundle tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libarchive'"],
                    ["sh", "-c", "echo x | zstd -q -c | build/gcc-reader-nosql-nozstd-noarchive-noelfutils/xtr stats - 2>&1 | grep 'compressed with zstd, and this xtr is built without libarchive'"])


def dependencies(_):
    return commands(["scripts/check-deps"], ["scripts/check-style"], ["scripts/check-docs"])


def lint(build):
    result = build.make("bin", "unit-bin", "tools-bin")  # what is checked is what was built
    if not result.failed:
        result.add(commands(["make", "lint"]))
    return result


def lint_quick(build):
    """All but clang-tidy, and that of the files that are not as upstream has them."""
    result = build.make("bin")
    if not result.failed:
        result.add(commands(["make", "lint-changed"]))
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

    def __init__(self, preparation=PREPARATION):
        self.done, self.preparation = [], preparation
        self.thread = threading.Thread(target=self._prepare, daemon=True)
        self.thread.start()

    def _prepare(self):
        process.yield_cpu()
        for line in self.preparation:
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
    limit = LONG_GROUPS["lab"] if LONG else LAB_LIMIT
    with concurrent.futures.ThreadPoolExecutor(1, initializer=lambda: process.yield_cpu(process.SECOND)) as lane:
        beside = [lane.submit(run, [path], build.env(), limit) for path in LAB_BESIDE]
        for path in LAB:
            result.add(run_program(path, build, limit))
        for path, future in zip(LAB_BESIDE, beside):
            result.add(tell(path, build, limit, future.result()))
    return result


lab.preparation = PREPARATION


def lab_part(kernels, *programs):
    """Programs of the lab, each with its arguments, and no kernel but these."""
    def function(build):
        result = build.make("all", "tools-bin")
        result.add((PREPARED or Prepared(function.preparation)).result())
        for path, *arguments in programs if not result.failed else ():
            result.add(run_program(path, build, LAB_LIMIT, *arguments))
        return result

    function.preparation = ("tests/lab/lab deps", f"tests/privilege/container.py tests/lab/lab prepare {kernels}")
    return function


def group(name, timeout=3600):
    """A group with a program of its own; timeout: of the short version, s."""
    return lambda build: program(name, build, LONG_GROUPS.get(name, timeout) if LONG else timeout)


def some(name, what, *arguments, **env):
    """The part for level check of a group with a program of its own."""
    return {"check": Part(lambda build: program(name, build, 3600, *arguments, env=env), what)}


NEWEST, OLDEST = "new", "6.1"  # kernels of the lab
QUICK_LAB = ("tests/lab/accept", "--quick")
LAB_PARTS = {"check": Part(lab_part(NEWEST, (*QUICK_LAB, NEWEST)), f"one load, kernel {NEWEST}"),
             "ci": Part(lab_part(f"{NEWEST} {OLDEST}", ("tests/lab/accept", NEWEST), (*QUICK_LAB, OLDEST)), f"accept on kernel {NEWEST}, one load on {OLDEST}")}
# Cases of tests/record that end at once where the machine is idle, one of each kind.
QUICK_RECORDS = ("every_call_is_recorded", "small_buffers_lose_and_every_loss_is_counted", "hits_of_a_tracepoint_are_recorded_or_counted",
                 "standard_output_gets_the_same_bytes_as_a_file", "signals_end_with_a_complete_file", "status_of_the_command_is_passed_on",
                 "only_the_process_asked_for", "unknown_events", "an_existing_file_is_not_replaced", "a_machine_without_gpu_is_told_so")
QUICK_TEXTS = ("tests/golden/trouble.xtr", "tests/golden/frames.xtr")

# ClickHouse's engine is 450 MB of npm.
FLEET_SQL = {"ci": Part(lambda build: program("fleet-sql", build, 1200, env={"ENGINES": "duckdb"}), "DuckDB")}

# name, what it is, function, needs root, also under the sanitizers, first level, parts by level
GROUPS = [Group(*row) for row in (
    ("unit", "unit tests", unit, False, True, "check"),
    ("unit-asan", "unit tests under ASan and UBSan", lambda _: unit(ASAN), False, False, "ci"),
    ("selfcheck", "broken programs are found to be broken", selfcheck, False, False, "ci"),
    ("runner", "these tests: what they show, limits of time, machines that cannot record, trees that others cannot enter", group("runner", 900), False, False, "check"),
    ("fuzz", "hostile bytes: fuzz targets, and what they take", fuzz, False, False, "ci"),
    ("vectors", "files of the specification, read in C and in Python", group("vectors"), False, True, "check"),
    ("spec", "the specification and the code agree", group("spec"), False, True, "check"),
    ("cli", "the command line", group("cli"), False, True, "check"),
    ("install", "what is installed: library, manual, completions, file types, service", install, False, False, "ci"),
    ("cut", "parts of traces, and joining them", group("cut"), False, True, "check"),
    ("redact", "what must be gone from a redacted trace, and what must stay", group("redact"), False, True, "check"),
    ("bundle", "bundles for bug reports: what is in them, and hostile ones", group("bundle"), False, True, "ci"),
    ("hang-read", "whose job hung, what dumps say of it, and whether two hangs are the same", group("hang-read"), False, True, "check"),
    ("hang", "who takes hangs: signs, dumps, kills at each step, full disks", group("hang"), False, False, "check"),
    ("why", "what jobs waited for, and whose it was", group("why"), False, True, "check"),
    ("ship", "pieces on their way to where they are wanted, with kills at any step", group("ship"), False, False, "ci"),
    ("corrupt", "damaged files: what is shown, told and recovered", group("corrupt"), False, True, "all"),
    ("inject", "failing memory, I/O and standard streams, for every command that reads traces; as root recordings", group("inject"), False, False, "all"),
    ("text", "control characters in the names of a trace", group("text"), False, True, "check", some("text", "two traces", *QUICK_TEXTS)),
    ("golden", "expected outputs", group("golden"), False, True, "check"),
    ("export", "exported files, read back by other decoders", group("export"), False, True, "check", some("export", "each format once", "--brief")),
    ("readers", "Parquet files and Arrow streams in readers from npm", group("readers"), False, False, "ci"),
    ("fleet-sql", "questions about a fleet, in DuckDB and ClickHouse", group("fleet-sql", 1200), False, False, "ci", FLEET_SQL),
    ("report", "the page of xtr report, in headless Chromium", group("report", 1800), False, False, "ci"),
    ("import", "imports of other tools' traces", group("import"), False, True, "check", some("import", "the jobs of each format", TEST="the_same_jobs")),
    ("drivers", "scenarios of driver events, and what xtr says of them", group("drivers", 2400), False, True, "ci"),
    ("flame", "flame graphs, and their sums", group("flame"), False, True, "ci"),
    ("whatif", "replayed schedules, by a second model", group("whatif"), False, True, "check"),
    ("symbols", "names of functions, from files of this machine", group("symbols"), False, True, "check"),
    ("frames", "frames whose story is known", group("frames"), False, True, "check"),
    ("top", "slices of time against known truth", group("top"), False, True, "ci"),
    ("query", "SQL over traces", group("query"), False, True, "check"),
    ("fleet", "many files in one command: sums, cohorts and outliers", group("fleet"), False, True, "check"),
    ("record", "recording on this kernel", group("record"), True, True, "check", some("record", f"{len(QUICK_RECORDS)} quick cases", *QUICK_RECORDS)),
    ("api", "calls of shared libraries on this kernel", group("api"), True, True, "ci"),
    ("kill", "killed recorders, failing disks, pipes and processes", group("kill"), True, True, "ci"),
    ("overload", "losses, memory and pieces of a recorder that is behind", group("overload"), True, True, "all"),
    # Not under the sanitizers: they need the rights that are taken away here (/proc, ptrace).
    ("privilege", "what xtr may do, needs and gives up", group("privilege"), True, False, "ci"),
    ("tsan", "what has threads, under ThreadSanitizer", tsan, True, False, "ci"),
    ("large", "many events in bounded memory", group("large", 900), False, False, "all"),
    # Of the plain build alone: the limits are.
    ("instructions", "instructions per event, within their limits", group("instructions", 900), False, False, "all"),
    ("cover", "lines and branches that the tests run", cover, False, False, "long"),
    ("deb", "Debian packages, built and used", deb, False, False, "long"),
    ("dependencies", "which folder includes what, lengths; links and lines of documents", dependencies, False, False, "check"),
    ("builds", "clang, RECORDER=0, without SQLite, zstd and libarchive", builds, False, False, "ci", {"ci": Part(lambda _: commands(CLANG), "clang")}),
    ("lint", "formatting and static analysis", lint, False, False, "check", {"check": Part(lint_quick, "clang-tidy of changed files")}),
    ("lab", "real kernels with a simulated GPU", lab, True, False, "check", LAB_PARTS),
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


def parsed(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--level", choices=levels.LEVELS)
    parser.add_argument("--asan", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("groups", nargs="*")
    options = parser.parse_args(arguments)
    unknown = set(options.groups) - {g.name for g in GROUPS}
    if unknown:
        sys.exit(f"unknown groups: {', '.join(sorted(unknown))}")
    return options


def chosen(options):
    """The groups to run, as their level has them, and the line that says so."""
    wanted = [g for g in GROUPS if not options.asan or g.asan]
    if LONG and not options.groups:
        return [g for g in wanted if g.name in LONG_GROUPS], ""
    if options.groups and not options.level:
        return [g for g in wanted if g.name in options.groups], ""
    level = options.level or "all"
    groups = [g for g in levels.at(level, wanted) if not options.groups or g.name in options.groups]
    return groups, levels.line(level, GROUPS, groups) + "\n"


def main(arguments):
    global PREPARED
    options = parsed(arguments)
    if options.list:
        print(*(levels.line(level, GROUPS, levels.at(level, GROUPS)) for level in levels.LEVELS), sep="\n")
        return 0
    # A jobserver of the make that started this is not for the ones started here.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    groups, line = chosen(options)
    print(line, end="", flush=True)
    checks = Run(groups)
    end_on_signals(checks)
    for group_of_lab in (g for g in groups if g.name == "lab" and not left_out(g)):
        PREPARED = Prepared(group_of_lab.function.preparation)
    return check(checks, ASAN if options.asan else PLAIN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
