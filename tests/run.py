#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the groups of tests and sums up; the last line is `N passed, N failed, N skipped`.

A group is either the unit tests (Criterion programs, counted by their TAP output) or a program
tests/NAME/run* that ends with such a line itself. A group that is missing, ends without the line, dies, or
takes too long has failed. What is left out is said with its reason and counted as skipped. Groups run at the same
time (run_all), what they say is printed in the order of the table.

Lines `figure: GROUP.NAME NUMBER WORDS` of any of them (what was tried, how often) are said once more at the end.

usage: tests/run.py [--asan] [GROUP]...        LAB=0: without the lab; WERROR=1: for the builds
       LONG=1 tests/run.py [GROUP]...          the long versions, of the groups that have one
"""

import collections
import concurrent.futures
import contextlib
import fcntl
import glob
import os
import re
import signal
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "runner"))
import process  # noqa: E402
from kernel import unrecorded  # noqa: E402
from process import ROOT, run  # noqa: E402
from report import Board, Result, figures, say, tail  # noqa: E402

SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
SAN_ENV = {
    # Without abort_on_error a leak does not make a Criterion program fail (tests/selfcheck shows it does).
    "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
LONG = os.environ.get("LONG") == "1"
# Groups that have a long version (LONG=1 in their environment), and how long it may take: s.
LONG_GROUPS = {"fuzz": 14400, "corrupt": 14400, "inject": 14400, "kill": 14400, "overload": 14400, "privilege": 3600,
               "large": 7200, "tsan": 3600, "text": 1200, "cover": 3600, "deb": 3600, "lab": 21600}
ONLY_LONG = ("cover", "deb")  # of them: too long for every run, and without a short version
IDLE = 900  # s; a build takes as long as it takes, but one that uses no processor time for so long is stuck
CPUS = len(os.sched_getaffinity(0))
MAKING = collections.defaultdict(threading.Lock)  # by build directory: one make at a time works there
KERNEL_LOCK = "/run/xtr-check.lock"  # held by who counts events of this kernel, whichever program's they are


def at_once(function, items):
    """The results of function(item), in the order of the items; as many at a time as there are CPUs."""
    with concurrent.futures.ThreadPoolExecutor(CPUS) as pool:
        yield from pool.map(function, items)


def make(*arguments):
    """Build; says what went wrong. The CPU time it took, None if it did not work."""
    done = run(["make", *arguments], idle=IDLE)
    if done.status != 0:
        say(f"  FAIL make {' '.join(arguments)}")
        tail(done.output)
    return done.cpu if done.status == 0 else None


class Build:
    """A kind of build: its arguments for make and its directory."""

    def __init__(self, name, directory, *arguments):
        self.name, self.directory, self.arguments = name, "build/" + directory, arguments

    def env(self):
        env = {"BUILD": self.directory, "XTR": self.directory + "/xtr"}
        return {**env, **SAN_ENV} if "asan" in self.directory else env

    def make(self, *targets):
        """Counts nothing but a failure."""
        with MAKING[self.directory]:
            cpu = make(*self.arguments, *targets)
        return Result(failed=1) if cpu is None else Result(cpu=cpu)


CONTAINER = "tests/privilege/container.py"
PREPARED = None  # the lab's files, where it is going to run
# Programs of the lab, in two lanes. The first have judges who measure; the others' are exact on a host however busy, so these
# take the CPU time that is left: a guest leaves one of two processors idle most of the time.
LAB = ("tests/lab/accept", "tests/lab/truth", "tests/lab/npu", "tests/lab/npu-real", "tests/lab/nvidia")
LAB_BESIDE = ("tests/lab/selftest.sh", "tests/lab/drivers", "tests/lab/real", "tests/lab/screen", "tests/lab/faults", "tests/lab/anywhere")
PLAIN = Build("gcc", "gcc", "CC=gcc")
ASAN = Build("gcc, ASan and UBSan", "gcc-asan", "CC=gcc", "SAN=1")
TSAN = Build("gcc, TSan", "gcc-tsan", "CC=gcc", "SAN=thread")
COVER = Build("gcc, coverage", "gcc-cover", "CC=gcc", "COVER=1")
FUZZ_PLAIN = Build("fuzz targets", "gcc-asan")  # of the same objects


def count_tap(path):
    """Counts of a TAP file, and why tests were skipped."""
    result = Result()
    result.why_skipped = []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("not ok"):
                result.failed += 1
            elif line.startswith("ok"):
                skip = re.search(r"#\s*SKIP\s*(.*)", line)
                if skip:
                    result.skipped += 1
                    result.why_skipped.append(f"{line.split('#')[0][2:].strip(' -')}: {skip.group(1) or 'no reason given'}")
                else:
                    result.passed += 1
    return result


def unit_program(path, env, timeout=3600):
    """One Criterion program: counts, output. Failed tests are counted; a program that fails in another way counts once."""
    with tempfile.NamedTemporaryFile(suffix=".tap") as tap:
        done = run([path, "--tap=" + tap.name, "-j1"], env, timeout)
        result = count_tap(tap.name)
    result.cpu = done.cpu
    if result.passed + result.failed + result.skipped == 0:
        done.output += "\nno test ran"
        result.failed = 1
    if done.status != 0 and result.failed == 0:
        done.output += f"\nexit status {done.status} although no test failed"
        result.failed = 1
    return result, done.output


def unit(build):
    result = build.make("unit-bin")
    if result.failed:
        return result
    names = [os.path.basename(s)[:-2] for s in sorted(glob.glob(os.path.join(ROOT, "tests/unit/test_*.c")))]
    if not names:
        say("  FAIL no tests/unit/test_*.c")
        return Result(failed=1)
    programs = at_once(lambda name: unit_program(f"{build.directory}/unit/{name}", build.env()), names)
    for name, (one, output) in zip(names, programs):
        for why in one.why_skipped:
            say(f"  SKIP {why}")
        if one.failed:
            say(f"  FAIL {name}")
            tail(output)
        result.add(one)
    return result


def selfcheck(_):
    """The runner and the flags themselves: each of these programs must be found to fail, good.c to pass."""
    result = ASAN.make("tools-bin")
    names = [os.path.basename(s)[:-2] for s in sorted(glob.glob(os.path.join(ROOT, "tests/selfcheck/*.c")))]
    if result.failed:
        return result
    programs = at_once(lambda name: unit_program(f"{ASAN.directory}/tests/selfcheck/{name}", ASAN.env()), names)
    for name, (one, output) in zip(names, programs):
        right = (one.failed == 0) == (name == "good")
        result.add(Result(passed=right, failed=not right, cpu=one.cpu))
        if not right:
            say(f"  FAIL {name}: expected {'to pass' if name == 'good' else 'to fail'}, got {one}")
            tail(output)
    return result if result.passed else Result(failed=1)


def find_program(name):
    for suffix in ("", ".py", ".sh"):
        path = f"tests/{name}/run{suffix}"
        if os.access(os.path.join(ROOT, path), os.X_OK):
            return path
    return None


def summary_of(output):
    for line in reversed(output.rstrip().splitlines()):
        match = SUMMARY.match(line.strip())
        return Result(*map(int, match.groups())) if match else None
    return None


def program(name, build, timeout):
    """A group with a program of its own."""
    path = find_program(name)
    if not path:
        say(f"  FAIL tests/{name}/run is missing")
        return Result(failed=1)
    result = build.make("bin", "tools-bin")
    if not result.failed:
        result.add(run_program(path, build, timeout))
    return result


def run_program(path, build, timeout):
    """A program that ends with the line of sums."""
    return tell(path, build, timeout, run([path], build.env(), timeout))


def tell(path, build, timeout, done):
    """What such a program found, of its end."""
    name = path.removeprefix("tests/").replace("/", "-")
    log = os.path.join(ROOT, build.directory, f"check-{name}.log")
    with open(log, "w", encoding="utf-8") as f:
        f.write(done.output)
    figures(done.output)
    result = summary_of(done.output)
    if result is None or done.status is None or (done.status != 0 and result.failed == 0):
        why = f"took more than {timeout} s" if done.status is None else f"exit status {done.status}" + ("" if result else ", no summary")
        say(f"  FAIL {path}: {why}")
        result = Result(result.passed if result else 0, 1, result.skipped if result else 0)
    result.cpu = done.cpu
    for line in done.output.splitlines():
        if re.match(r"\s*(SKIP|skip)", line):
            say("  " + line.strip())
    if result.failed:
        tail(done.output)
        say(f"  all of it: {os.path.relpath(log, ROOT)}")
    if done.left:
        say(f"  {path} left {done.left} processes behind, which were ended")
    return result


def command(line):
    """A build or a check of the sources, which passes or fails as a whole: result, the command, its end."""
    done = run(line, idle=IDLE)
    return Result(passed=done.status == 0, failed=done.status != 0, cpu=done.cpu), line, done


def told(result, line, done):
    figures(done.output)
    if result.failed:
        say(f"  FAIL {' '.join(line)}: " + (f"no progress for {IDLE} s" if done.status is None else f"exit status {done.status}"))
        tail(done.output)
    return result


def commands(*lines):
    result = Result()
    for line in lines:
        result.add(told(*command(line)))
    return result


def builds(_):
    return commands(["make", "CC=clang", "bin", "unit-bin", "tools-bin"],
                    ["make", "CC=gcc", "RECORDER=0", "bin"],
                    ["make", "CC=gcc", "RECORDER=0", "SQLITE=0", "ZSTD=0", "ARCHIVE=0", "bin"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive/xtr check tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libzstd'"],
                    ["sh", "-c", "build/gcc-reader-nosql-nozstd-noarchive/xtr bundle tests/vectors/accept/zstd-blocks.xtr 2>&1 | grep 'built without libarchive'"],
                    ["sh", "-c", "echo x | zstd -q -c | build/gcc-reader-nosql-nozstd-noarchive/xtr stats - 2>&1 | grep 'is a bundle, and this xtr is built without libarchive'"])


def dependencies(_):
    return commands(["scripts/check-deps"])


def lint(build):
    result = build.make("bin", "unit-bin", "tools-bin")  # what is checked is what was built
    if not result.failed:
        result.add(commands(["make", "lint"]))
    return result


def fuzz(build):
    """The plain programs of the fuzz targets, once to find faults and once to weigh, then tests/fuzz/run."""
    result = FUZZ_PLAIN.make("fuzz-plain")
    result.add(PLAIN.make("fuzz-weigh"))
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
    result = commands(["scripts/install-deps", "build", "deb"])
    if not result.failed:
        result.add(run_program("tests/deb/run", PLAIN, LONG_GROUPS["deb"]))
    return result


def cover(_):
    """What the tests run of the libraries; the program builds the rest and runs the tests itself."""
    result = COVER.make("bin")
    if not result.failed:
        result.add(run_program("tests/cover/run", COVER, LONG_GROUPS["cover"]))
    return result


class Prepared:
    """What the lab needs is downloaded and built in the background: that may take long where the cache is empty."""

    def __init__(self):
        self.done = None
        self.thread = threading.Thread(target=self._prepare, daemon=True)
        self.thread.start()

    def _prepare(self):
        process.yield_cpu()
        # The second as in a container: what it builds needs no rights.
        self.done = [command(line.split()) for line in ("tests/lab/lab deps", f"{CONTAINER} tests/lab/lab prepare")]

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
GROUPS = [
    ("unit", "unit tests", unit, False, True),
    ("unit-asan", "unit tests under ASan and UBSan", lambda _: unit(ASAN), False, False),
    ("selfcheck", "broken programs are found to be broken", selfcheck, False, False),
    ("runner", "these tests: limits of time, machines that cannot record, trees that others cannot enter", group("runner", 900), False, False),
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
]


def left_out(name, needs_root):
    """Why a group does not run here, or None."""
    if name == "lab" and os.environ.get("LAB") == "0":
        return "left out, LAB=0"
    if not needs_root:
        return None
    if os.geteuid() != 0:
        return "needs root"
    return None if name == "lab" else unrecorded()


@contextlib.contextmanager
def this_kernel():
    with open(KERNEL_LOCK, "a", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def run_group(entry, build):
    """What a group finds; what it says goes to the page of the calling thread."""
    name, title, function, needs_root, _ = entry
    say(f"== {name}: {title}")
    start = time.monotonic()
    why = left_out(name, needs_root)
    if why:
        say(f"  SKIP {name}: {why}")
        result = Result(skipped=1)
    else:
        try:
            with this_kernel() if needs_root and name != "lab" else contextlib.nullcontext():
                result = function(build)
        except Exception:  # a fault of the runner must not hide behind the other groups
            say(f"  FAIL {name}: the runner itself")
            tail(traceback.format_exc())
            result = Result(failed=1)
    say(f"   {result} ({time.monotonic() - start:.1f} s, CPU {result.cpu:.1f} s)")
    return result


def run_lane(todo, build, total, lock):
    """Runs groups one by one until none is left."""
    while True:
        try:
            entry, page = todo.popleft()
        except IndexError:
            return
        with page:
            result = run_group(entry, build)
        with lock:
            total.add(result)


def run_all(entries, build):
    """
    Groups that record, here or in virtual machines, run one after the other, beside the others: those take the CPU
    time that is left. Returns the sum and the pages.
    """
    board, total, lock = Board(len(entries)), Result(), threading.Lock()
    recording, other = collections.deque(), collections.deque()
    for entry, page in zip(entries, board.pages):
        (recording if entry[3] else other).append((entry, page))

    def waiting_lane():
        if recording_first:
            process.yield_cpu()
        run_lane(other, build, total, lock)

    recording_first = any(not left_out(entry[0], True) for entry, _ in recording)
    lanes = [threading.Thread(target=run_lane, args=(recording, build, total, lock))]
    lanes += [threading.Thread(target=waiting_lane) for _ in range(min(CPUS, len(other)))]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    return total, board.pages


def stopped(number, _):
    process.stop_all()
    print(f"tests/run.py: stopped by {signal.Signals(number).name}", flush=True)
    os._exit(128 + number)


def main(arguments):
    global PREPARED
    asan = "--asan" in arguments
    names = [a for a in arguments if a != "--asan"]
    unknown = set(names) - {g[0] for g in GROUPS}
    if unknown:
        sys.exit(f"unknown groups: {', '.join(sorted(unknown))}")
    if LONG and not names:
        names = [g[0] for g in GROUPS if g[0] in LONG_GROUPS]
    names = names or [g[0] for g in GROUPS if g[0] not in ONLY_LONG]
    # A jobserver of the make that started this is not for the ones started here.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stopped)
    start = time.monotonic()
    entries = [e for e in GROUPS if e[0] in names and (not asan or e[4])]
    if any(e[0] == "lab" and not left_out("lab", e[3]) for e in entries):
        PREPARED = Prepared()
    total, pages = run_all(entries, ASAN if asan else PLAIN)
    given, failed = sum((p.figures for p in pages), []), sum((p.failed for p in pages), [])
    for title, lines in (("figures", given), ("what failed, once more", failed[:40])):
        if lines:
            print(f"== {title}", *lines, sep="\n  ")
    if len(failed) > 40:
        print(f"  and {len(failed) - 40} more lines")
    print(f"== all, {time.monotonic() - start:.0f} s, CPU {total.cpu:.0f} s\n{total}", flush=True)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
