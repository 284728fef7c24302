#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Imports of other tools' traces, from files that are made here byte by byte (tests/import/test_*.py).

XTR names the program; TEST=NAME runs those whose name contains it. The last line is `N passed, N failed, N skipped`.
"""

import glob
import importlib
import os
import shutil
import sys
import tempfile
import textwrap
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import harness  # noqa: E402


def main():
    for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        importlib.import_module(os.path.basename(path)[:-3])
    passed = failed = skipped = 0
    for function in harness.tests:
        if os.environ.get("TEST", "") not in function.__name__:
            continue
        folder = tempfile.mkdtemp(prefix="xtr-import-")
        try:
            function(folder)
            passed += 1
            print(f"ok {function.__name__}", flush=True)
        except harness.Skip as why:
            skipped += 1
            print(f"SKIP {function.__name__}: {why}", flush=True)
        except Exception:  # any of them is a failed test
            failed += 1
            print(f"FAIL {function.__name__}", flush=True)
            print(textwrap.indent(traceback.format_exc(), "  "))
        finally:
            shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
