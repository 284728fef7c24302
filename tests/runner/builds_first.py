# SPDX-License-Identifier: BSD-2-Clause
"""What is built is built before a limit of time begins: of the groups whose functions are their own."""

import os
import re
import sys
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import process  # noqa: E402
import run as runner  # noqa: E402
from checks import equal, expect  # noqa: E402

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def started(function, build=runner.PLAIN):
    """The commands that a group runs, if each passes: (words, whether it has a limit of time)."""
    found = []

    def run(command, env=None, timeout=None, idle=None):
        found.append((" ".join(command), timeout is not None))
        return process.Done(0, "1 passed, 0 failed, 0 skipped\n")

    with unittest.mock.patch.multiple("programs", run=run, say=lambda _: None, figures=lambda _: None, tail=lambda _: None), \
            unittest.mock.patch.multiple(runner, run=run, LONG=True, PREPARED=None), \
            unittest.mock.patch("builtins.open", unittest.mock.mock_open()):
        result = function(build)
    equal(result.failed, 0, "failures")
    return found


def source(path):
    with open(os.path.join(process.ROOT, path), encoding="utf-8") as f:
        return f.read()


@test
def builds_have_no_limit_and_tests_have_one():
    """In every group: first all that is built, without a limit, then what has one."""
    for group in runner.GROUPS:
        if group.name in ("unit", "unit-asan", "selfcheck"):
            continue  # Criterion's own files say what passed
        found = started(group.function)
        limits = [limit for _, limit in found]
        equal(limits, sorted(limits), f"{group.name}: limits of {found}")
        for words, limit in found:
            expect(limit == (words.startswith("tests/") and "lab/lab" not in words and "--build" not in words), f"{group.name}: {words}, limit {limit}")


@test
def programs_find_built_what_they_would_build():
    """Of the programs that call make, or a script that builds."""
    own = re.search(r'\[\*MAKE, (.*?)\], cwd', source("tests/cover/run")).group(1).replace('"', "").replace(",", "")
    equal(started(runner.cover)[0][0], f"make CC=gcc COVER=1 {own}", "built before coverage is measured")
    expect(("make fuzz-build", False) in started(runner.fuzz), "libFuzzer's programs are not built before they are run")
    expect(re.search(r"^fuzz: fuzz-build\b", source("Makefile"), re.M), "make fuzz builds something else")
    expect(("scripts/deb", False) in started(runner.deb), "packages are not built before they are tried")
    expect("scripts/deb" not in source("tests/deb/run").split('"""')[2], "tests/deb/run builds packages")
    expect(("tests/privilege/container.py tests/lab/nvidia --build", False) in started(runner.lab), "the lab's stand-in of nvidia.ko is not built before")
