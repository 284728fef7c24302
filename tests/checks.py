# SPDX-License-Identifier: BSD-2-Clause
"""What groups of tests in Python share: what they demand, and how one after the other is run.

A program marks its tests with `@test` and ends with `sys.exit(main(sys.argv[1:]))`. A test demands with expect() and equal(), and
raises Skip, or returns the reason, where it cannot run.
"""

import atexit
import contextlib
import os
import shutil
import tempfile
import time
import traceback

TESTS = []  # of this program
SHOWN = 3000  # characters of a value that is not as it should be


class Failure(AssertionError):
    """A test has found something wrong; its text says what."""


class Skip(Exception):
    """A test cannot run here; its text says why."""


class Outcome:
    """How a command ended: its status, what it wrote to standard output and to standard error."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out[-2000:]}\n--- stderr\n{self.err[-2000:]}"


def test(function):
    TESTS.append(function)
    return function


def expect(ok, text, outcome=None):
    if not ok:
        raise Failure(text if outcome is None else f"{text}\n{outcome}")


def equal(have, want, what):
    expect(have == want, f"{what}:\n  have {repr(have)[:SHOWN]}\n  want {repr(want)[:SHOWN]}")


def indented(text):
    """A text below whose first line the others stand: what belongs to a failure is indented deeper than it (runner/results.py)."""
    return str(text).replace("\n", "\n  ")


def everybody_may_enter(folder):
    while folder != os.path.dirname(folder):
        if not os.stat(folder).st_mode & 1:
            return False
        folder = os.path.dirname(folder)
    return True


def temporary_for_everybody():
    """Makes tempfile use a place that every user can reach, whatever TMPDIR says."""
    if not everybody_may_enter(os.path.realpath(tempfile.gettempdir())):
        tempfile.tempdir = "/tmp"


def for_everybody(*paths):
    """Copies that every user may read and run, until this program ends: the tree may lie where others cannot enter."""
    temporary_for_everybody()
    folder = tempfile.mkdtemp(prefix="xtr-everybody.")
    atexit.register(shutil.rmtree, folder)
    os.chmod(folder, 0o755)
    copies = [shutil.copy(path, folder) for path in paths]
    for copy in copies:
        os.chmod(copy, 0o755)
    return copies


def run_tests(tests, names=(), around=contextlib.nullcontext):
    """
    Each test (all, or those of these names) within around(). A line for each; the numbers of passed, failed and skipped. A name
    that no test has counts as failed.
    """
    passed = failed = skipped = 0
    for name in sorted(set(names) - {function.__name__ for function in tests}):
        failed += 1
        print(f"FAIL {name}: no test has this name", flush=True)
    for function in tests:
        if names and function.__name__ not in names:
            continue
        start = time.monotonic()
        try:
            with around():
                why = function()
                expect(why is None or isinstance(why, str), f"returns {why!r}, which is no reason to skip it")
        except Skip as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 (a test that breaks has failed)
            failed += 1
            text = str(error) if isinstance(error, Failure) else traceback.format_exc()
            print(f"FAIL {function.__name__}: {indented(text.rstrip())}", flush=True)
            continue
        passed += not why
        skipped += bool(why)
        print(f"SKIP {function.__name__}: {why}" if why else f"ok   {function.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return passed, failed, skipped


def main(names=(), tests=TESTS, around=contextlib.nullcontext, figures=tuple):
    """All of a program: its tests, what figures() has by then, each a line `figure: ...`, and the sums. Its exit status."""
    passed, failed, skipped = run_tests(tests, names, around)
    for line in figures():
        print(line)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed + skipped else 0


@contextlib.contextmanager
def in_folder(folder, mode, back):
    """In a folder that is gone afterwards; folder: a tempfile.TemporaryDirectory."""
    with folder as path:
        os.chmod(path, mode)
        os.chdir(path)
        try:
            yield
        finally:
            os.chdir(back)
