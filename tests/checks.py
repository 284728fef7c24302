# SPDX-License-Identifier: BSD-2-Clause
"""What groups of tests in Python share: what they demand, and how one after the other is run."""

import contextlib
import os
import time


class Failure(Exception):
    """A test has found something wrong; its text says what."""


def expect(ok, text):
    if not ok:
        raise Failure(text)


def equal(have, want, what):
    expect(have == want, f"{what}:\n  have {have!r}\n  want {want!r}")


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
            print(f"FAIL {function.__name__}: {kind}{error}", flush=True)
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
