# SPDX-License-Identifier: BSD-2-Clause
"""What groups of tests in Python share: what they demand, and how one after the other is run."""

import atexit
import contextlib
import os
import shutil
import tempfile
import time


class Failure(Exception):
    """A test has found something wrong; its text says what."""


def expect(ok, text):
    if not ok:
        raise Failure(text)


def equal(have, want, what):
    expect(have == want, f"{what}:\n  have {have!r}\n  want {want!r}")


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
    Each test (all, or those of these names) within around(); it returns why it was skipped, or None. A line for each;
    the numbers of passed, failed and skipped.
    """
    passed = failed = skipped = 0
    for function in tests:
        if names and function.__name__ not in names:
            continue
        start = time.monotonic()
        try:
            with around():
                why = function()
        except Exception as error:  # noqa: BLE001 (a test that breaks has failed)
            failed += 1
            kind = "" if isinstance(error, Failure) else type(error).__name__ + ": "
            print(f"FAIL {function.__name__}: {kind}{indented(error)}", flush=True)
        else:
            passed += not why
            skipped += bool(why)
            print(f"SKIP {function.__name__}: {why}" if why else f"ok   {function.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return passed, failed, skipped


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
