# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the installed program share: where it is installed, running things, results."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from checks import Failure, equal, expect, run_tests  # noqa: E402,F401 (for the tests)

GOLDEN = os.path.join(ROOT, "tests/golden")
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
TESTS = []
WORK = tempfile.mkdtemp(prefix="xtr-install.")
PREFIX = os.path.join(WORK, "usr")  # make install PREFIX=
DEST = os.path.join(WORK, "dest")  # make install DESTDIR=, as a packager does
XTR = os.path.join(PREFIX, "bin/xtr")


def test(function):
    """A test; it returns why it was skipped, or None."""
    TESTS.append(function)
    return function


def figure(name, number, words):
    print(f"figure: install.{name} {number} {words}", flush=True)


def run(*args, status=0, env=None, data=None, cwd=None, both=False):
    """Standard output (with both: and messages) of a program, which must end with this status."""
    p = subprocess.run(args, input=data, stdin=None if data is not None else subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT if both else subprocess.PIPE, env={**os.environ, **(env or {})}, cwd=cwd,
                       timeout=600, check=False)
    text = p.stdout.decode("utf-8", "replace")
    said = "" if both else p.stderr.decode("utf-8", "replace")
    expect(p.returncode == status, f"{' '.join(args)}: status {p.returncode}, not {status}\n{text[-2000:]}{said[-2000:]}")
    return text


def make(*args):
    # The build that is tested, and not another one's flags.
    variant = os.path.basename(BUILD)
    return run("make", "-C", ROOT, "CC=" + variant.split("-")[0], *args,
               env={"MAKEFLAGS": "", "MAKELEVEL": ""})


def files_below(folder):
    """What is there but folders, by relative path."""
    return {os.path.relpath(os.path.join(where, n), folder) for where, _, names in os.walk(folder) for n in names}


def missing(*programs):
    """Why a test of these programs cannot run here, or None."""
    gone = [p for p in programs if not shutil.which(p)]
    return f"not installed: {', '.join(gone)}" if gone else None
