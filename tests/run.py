#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the groups of tests and sums up; the last line is `N passed, N failed, N skipped`.

A group is either the unit tests (Criterion programs, counted by their TAP output) or a program
tests/NAME/run* that ends with such a line itself. A group that is missing, ends without the line, dies, or
takes too long has failed. What is left out is said with its reason and counted as skipped.

Lines `figure: GROUP.NAME NUMBER WORDS` of any of them (what was tried, how often) are said once more at the end.

usage: tests/run.py [--asan] [GROUP]...        LAB=0: without the lab; WERROR=1: for the builds
       LONG=1 tests/run.py [GROUP]...          the long versions, of the groups that have one
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")
FIGURE = re.compile(r"^figure: (\w+\.\S+ \d+ .*\S)\s*$", re.M)
LONG = os.environ.get("LONG") == "1"
# Groups that have a long version (LONG=1 in their environment), and how long it may take: s.
LONG_GROUPS = {"fuzz": 14400, "corrupt": 14400, "inject": 14400, "kill": 14400, "overload": 14400, "privilege": 3600,
               "large": 7200, "tsan": 3600, "cover": 3600}
SAN_ENV = {
    # Without abort_on_error a leak does not make a Criterion program fail (tests/selfcheck shows it does).
    "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


class Result:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


FAILED = []  # lines that told of a failure, to be said once more at the end
FIGURES = []  # `GROUP.NAME NUMBER WORDS` of the lines that gave a figure


def note(text):
    if re.match(r"\s*(FAIL|not ok)\b", text):
        FAILED.append(text.strip())


def say(text):
    note(text)
    print(text, flush=True)


def tail(text, lines=60):
    for line in text.splitlines():
        note(line)
    for line in text.rstrip().splitlines()[-lines:]:
        say("    | " + line)


def run(command, env=None, timeout=600):
    """Exit status and output; status None: it took too long."""
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        status = None
    output = output.decode("utf-8", "replace")
    FIGURES.extend(FIGURE.findall(output))
    return status, output


def make(*arguments):
    """Build; says what went wrong. True if it worked."""
    status, output = run(["make", *arguments], timeout=1200)
    if status != 0:
        say(f"  FAIL make {' '.join(arguments)}")
        tail(output)
    return status == 0


class Build:
    """A kind of build: its arguments for make and its directory."""

    def __init__(self, name, directory, *arguments):
        self.name, self.directory, self.arguments = name, "build/" + directory, arguments

    def env(self):
        env = {"BUILD": self.directory, "XTR": self.directory + "/xtr"}
        return {**env, **SAN_ENV} if "asan" in self.directory else env


PLAIN = Build("gcc", "gcc", "CC=gcc")
ASAN = Build("gcc, ASan and UBSan", "gcc-asan", "CC=gcc", "SAN=1")


def count_tap(path):
    """Counts of a TAP file; skipped tests are said with their reason."""
    result = Result()
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("not ok"):
                result.failed += 1
            elif line.startswith("ok"):
                skip = re.search(r"#\s*SKIP\s*(.*)", line)
                if skip:
                    result.skipped += 1
                    say(f"  SKIP {line.split('#')[0][2:].strip(' -')}: {skip.group(1) or 'no reason given'}")
                else:
                    result.passed += 1
    return result


def unit_program(path, env, timeout=300):
    """One Criterion program. Failed tests are counted; a program that fails in another way counts once."""
    with tempfile.NamedTemporaryFile(suffix=".tap") as tap:
        status, output = run([path, "--tap=" + tap.name, "-j1"], env, timeout)
        result = count_tap(tap.name)
    if result.passed + result.failed + result.skipped == 0:
        output += "\nno test ran"
        result.failed = 1
    if status != 0 and result.failed == 0:
        output += f"\nexit status {status} although no test failed"
        result.failed = 1
    return result, output


def unit(build):
    result = Result()
    if not make(*build.arguments, "unit-bin"):
        return Result(failed=1)
    sources = sorted(glob.glob(os.path.join(ROOT, "tests/unit/test_*.c")))
    if not sources:
        say("  FAIL no tests/unit/test_*.c")
        return Result(failed=1)
    for source in sources:
        name = os.path.basename(source)[:-2]
        one, output = unit_program(f"{build.directory}/unit/{name}", build.env())
        if one.failed:
            say(f"  FAIL {name}")
            tail(output)
        result.add(one)
    return result


def selfcheck(_):
    """The runner and the flags themselves: each of these programs must be found to fail, good.c to pass."""
    result = Result()
    if not make(*ASAN.arguments, "tools-bin"):
        return Result(failed=1)
    for source in sorted(glob.glob(os.path.join(ROOT, "tests/selfcheck/*.c"))):
        name = os.path.basename(source)[:-2]
        one, output = unit_program(f"{ASAN.directory}/tests/selfcheck/{name}", ASAN.env())
        if (one.failed == 0) == (name == "good"):
            result.passed += 1
        else:
            result.failed += 1
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
    if not make(*build.arguments, "bin", "tools-bin"):
        return Result(failed=1)
    return run_program(path, build, timeout)


def run_program(path, build, timeout):
    """A program that ends with the line of sums."""
    name = path.removeprefix("tests/").replace("/", "-")
    status, output = run([path], build.env(), timeout)
    log = os.path.join(ROOT, build.directory, f"check-{name}.log")
    with open(log, "w", encoding="utf-8") as f:
        f.write(output)
    result = summary_of(output)
    if result is None or status is None or (status != 0 and result.failed == 0):
        why = "took too long" if status is None else f"exit status {status}" + ("" if result else ", no summary")
        say(f"  FAIL {path}: {why}")
        result = Result(result.passed if result else 0, 1, result.skipped if result else 0)
    for line in output.splitlines():
        if re.match(r"\s*(SKIP|skip)", line):
            say("  " + line.strip())
    if result.failed:
        tail(output)
        say(f"  all of it: {os.path.relpath(log, ROOT)}")
    return result


def commands(*lines, timeout=1200):
    """A group of single commands that pass or fail as a whole."""
    result = Result()
    for line in lines:
        status, output = run(line, timeout=timeout)
        if status == 0:
            result.passed += 1
        else:
            result.failed += 1
            say(f"  FAIL {' '.join(line)}")
            tail(output)
    return result


def builds(_):
    return commands(["make", "CC=clang", "bin", "unit-bin", "tools-bin"],
                    ["make", "CC=gcc", "RECORDER=0", "bin"])


def dependencies(_):
    return commands(["scripts/check-deps"])


def lint(_):
    return commands(["make", "lint"])


def fuzz(_):
    """The fuzz targets over their corpora and 20 mutations of each input, without a fuzzing engine."""
    targets = sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/fuzz_*.c")))
    if not targets or not make("fuzz-plain"):
        say("  FAIL no fuzz targets" if not targets else "  FAIL fuzz targets do not build")
        return Result(failed=1)
    result = Result()
    for target in targets:
        name = os.path.basename(target)[len("fuzz_"):-2]
        result.add(commands_env([f"build/fuzz-plain/fuzz/fuzz_{name}", "-m", "20", f"tests/fuzz/corpus/{name}"]))
    return result


def commands_env(line):
    status, output = run(line, SAN_ENV)
    if status == 0:
        return Result(passed=1)
    say(f"  FAIL {' '.join(line)}: exit status {status}")
    tail(output)
    return Result(failed=1)


def lab(build):
    """What the lab needs is downloaded and built first: that may take long where the cache is empty."""
    result = commands(["make", "all"], ["tests/lab/lab", "deps"], ["tests/lab/lab", "prepare"], timeout=2400)
    if not result.failed:
        for path in ("tests/lab/selftest.sh", "tests/lab/accept", "tests/lab/npu", "tests/lab/npu-real",
                     "tests/lab/drivers", "tests/lab/nvidia", "tests/lab/real",
                     "tests/lab/screen"):
            result.add(run_program(path, build, 2400))
    return result


def group(name, timeout=600):
    """A group with a program of its own; timeout: of the short version, s."""
    return lambda build: program(name, build, LONG_GROUPS.get(name, timeout) if LONG else timeout)


# name, what it is, function, needs root, also under the sanitizers
GROUPS = [
    ("unit", "unit tests", unit, False, True),
    ("unit-asan", "unit tests under ASan and UBSan", lambda _: unit(ASAN), False, False),
    ("selfcheck", "broken programs are found to be broken", selfcheck, False, False),
    ("fuzz", "fuzz targets over their corpora, under ASan and UBSan", fuzz, False, False),
    ("vectors", "files of the specification, read in C and in Python", group("vectors"), False, True),
    ("spec", "the specification and the code agree", group("spec"), False, True),
    ("cli", "the command line", group("cli"), False, True),
    ("cut", "parts of traces, and joining them", group("cut"), False, True),
    ("golden", "expected outputs", group("golden"), False, True),
    ("export", "exported files, read back by other decoders", group("export"), False, True),
    ("import", "imports of other tools' traces", group("import"), False, True),
    ("drivers", "scenarios of driver events, and what xtr says of them", group("drivers", 2400), False, True),
    ("query", "SQL over traces", group("query"), False, True),
    ("record", "recording on this kernel", group("record"), True, True),
    ("api", "calls of shared libraries on this kernel", group("api"), True, True),
    ("large", "many events in bounded memory", group("large", 900), False, False),
    ("dependencies", "which folder includes what, lengths", dependencies, False, False),
    ("builds", "clang, and RECORDER=0", builds, False, False),
    ("lint", "formatting and static analysis", lint, False, False),
    ("lab", "real kernels with a simulated GPU", lab, True, False),
]


def run_group(entry, build):
    name, title, function, needs_root, _ = entry
    say(f"== {name}: {title}")
    start = time.monotonic()
    if name == "lab" and os.environ.get("LAB") == "0":
        say("  SKIP lab: left out, LAB=0")
        result = Result(skipped=1)
    elif needs_root and os.geteuid() != 0:
        say(f"  SKIP {name}: needs root")
        result = Result(skipped=1)
    else:
        result = function(build)
    say(f"   {result} ({time.monotonic() - start:.1f} s)")
    return result


def main(arguments):
    asan = "--asan" in arguments
    names = [a for a in arguments if a != "--asan"]
    unknown = set(names) - {g[0] for g in GROUPS}
    if unknown:
        sys.exit(f"unknown groups: {', '.join(sorted(unknown))}")
    if LONG and not names:
        names = [g[0] for g in GROUPS if g[0] in LONG_GROUPS]
    # A jobserver of the make that started this is not for the ones started here.
    for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(variable, None)
    total, start = Result(), time.monotonic()
    for entry in GROUPS:
        if (names and entry[0] not in names) or (asan and not entry[4]):
            continue
        total.add(run_group(entry, ASAN if asan else PLAIN))
    if FIGURES:
        print("== figures", *FIGURES, sep="\n  ", flush=True)
    failed, more = FAILED[:40], len(FAILED) - 40
    if failed:
        print("== what failed, once more", *failed, *([f"and {more} more lines"] if more > 0 else []), sep="\n  ")
    say(f"== all, {time.monotonic() - start:.0f} s")
    say(str(total))
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
