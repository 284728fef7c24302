# SPDX-License-Identifier: BSD-2-Clause
"""Levels: each runs what the one before it runs, says what it leaves out, and finds every unit test in the few programs."""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import levels  # noqa: E402
import run as runner  # noqa: E402
from builds_first import started  # noqa: E402
from checks import equal, expect  # noqa: E402
from process import ROOT  # noqa: E402
from programs import UNIT_PROGRAMS  # noqa: E402

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def names(level):
    return [g.name for g in levels.at(level, runner.GROUPS)]


@test
def each_level_runs_more_than_the_one_before():
    check, ci, every = map(names, levels.LEVELS)
    expect(set(check) < set(ci) < set(every), f"levels: {check}, {ci}, {every}")
    equal([g.name for g in runner.GROUPS if g.name not in every], ["cover", "deb"], "left out of all")
    for group in runner.GROUPS:
        expect(group.first in (*levels.LEVELS, levels.LONG), f"{group.name}: no such level: {group.first}")
        for level in group.parts:
            expect(level != "all" and levels.runs(group, level), f"{group.name}: a part for level {level}, which does not run it in part")


@test
def a_level_names_what_it_leaves_out_and_what_it_runs_in_part():
    lines = subprocess.run([sys.executable, "tests/run.py", "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    equal(len(lines), len(levels.LEVELS), "lines")
    for level, line in zip(levels.LEVELS, lines):
        out, parts = re.fullmatch(rf"tests/run.py: level {level}, .*; left out: (.*); in part: (.*)", line).groups()
        ran = names(level)
        equal(out.split(", "), [g.name for g in runner.GROUPS if g.name not in ran], f"left out of {level}")
        in_part = [g.name for g in runner.GROUPS if g.name in ran and level in g.parts]
        equal(re.findall(r"(?:^|, )([a-z-]+) \(", parts), in_part, f"in part in {level}")


@test
def a_part_builds_first_and_runs_its_part_alone():
    for group in runner.GROUPS:
        for level, part in group.parts.items():
            found = started(part.function)
            expect(found, f"{group.name}, {level}: runs nothing")
            limits = [limit for _, limit in found]
            equal(limits, sorted(limits), f"{group.name}, {level}: limits of {found}")
    lab = next(g for g in runner.GROUPS if g.name == "lab")
    equal([words for words, limit in started(lab.parts["check"].function) if limit], ["tests/lab/accept --quick new"], "the lab in check")
    kernels = subprocess.run(["tests/lab/lab", "kernels"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    equal((kernels[0], kernels[-1]), (runner.OLDEST, runner.NEWEST), "oldest and newest kernel")


@test
def groups_that_are_named_run_whole_or_as_a_level_has_them():
    whole, said = runner.chosen(runner.parsed(["record", "golden"]))
    equal(([g.name for g in whole], said), (["golden", "record"], ""), "named alone")
    expect(whole[1].function is next(g for g in runner.GROUPS if g.name == "record").function, "a part runs where the whole was asked for")
    some, said = runner.chosen(runner.parsed(["--level", "check", "record", "inject"]))
    equal([g.name for g in some], ["record"], "named, of a level that has no inject")
    expect("unit, " in said and "inject" in said and said.endswith("in part: record (10 quick cases)\n"), f"said: {said}")
    asan, said = runner.chosen(runner.parsed(["--asan"]))
    expect(all(g.asan for g in asan) and " lint, " in said.split("in part")[0], f"with --asan: {said}")


@test
def parts_name_what_is_there():
    with open(os.path.join(ROOT, "tests/record/run"), encoding="utf-8") as f:
        cases = re.findall(r"^def (\w+)\(\):", f.read(), re.M)
    equal([name for name in runner.QUICK_RECORDS if name not in cases], [], "cases of tests/record that are not there")
    equal([name for name in runner.QUICK_TEXTS if not os.path.exists(os.path.join(ROOT, name))], [], "traces that are not there")


@test
def each_unit_test_is_in_one_program():
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
        makefile = f.read()
    equal(tuple(re.search(r"^UNIT_SETS := (.*)$", makefile, re.M)[1].split()), UNIT_PROGRAMS, "programs of the Makefile")
    letters = [letter for name in UNIT_PROGRAMS for letter in re.search(rf"^UNIT_{name} := (.*)$", makefile, re.M)[1].split()]
    equal(letters, list("abcdefghijklmnopqrstuvwxyz"), "first letters that have a program")
    owner = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/unit/test_*.c"))):
        with open(path, encoding="utf-8") as f:
            for one in re.findall(r"^Test\((\w+),\s*(\w+)", f.read(), re.M):
                expect(one not in owner, f"{one} is in {owner.get(one)} and {path}")
                owner[one] = path
