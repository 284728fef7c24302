#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Imports of other tools' traces, from files that are made here byte by byte (tests/import/test_*.py).

XTR names the program; TEST=NAME runs those whose name contains it. The last line is `N passed, N failed, N skipped`.
"""

import functools
import glob
import importlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import checks  # noqa: E402


def in_a_folder(function):
    """The test with a folder, which is gone afterwards."""
    @functools.wraps(function)
    def inside():
        with tempfile.TemporaryDirectory(prefix="xtr-import-") as folder:
            return function(folder)

    return inside


def main():
    for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        importlib.import_module(os.path.basename(path)[:-3])
    wanted = os.environ.get("TEST", "")
    return checks.main(tests=[in_a_folder(function) for function in checks.TESTS if wanted in function.__name__])


if __name__ == "__main__":
    sys.exit(main())
