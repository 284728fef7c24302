#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the test vectors, or checks that the files here are those that it would write.

usage: generate.py [--check]

FOLDER/NAME.xtr and its expected reading FOLDER/NAME.json (NAME.summary.json: without the events) in
the folders accept/, damaged/ and reject/. The bytes come from xtrgen.py, the problems and the number of
events from the case files; the JSON comes from spec/reader.py, and it is an error if it does not show
those problems and that many events.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../spec")]
import cases
import cases_content
import cases_damage
import cases_grammar
import cases_limits
import cases_packed
import cases_version
import cases_words
import reader

FOLDERS = ("accept", "damaged", "reject")
assert cases_content and cases_damage and cases_grammar and cases_limits and cases_packed and cases_version \
    and cases_words


def expected(case):
    """The reading of a case; raises if it is not what the case says."""
    file = reader.File(case.data)
    problems = [list(p) for p in file.problems]
    events = sum(len(s.content[reader.EVENTS]) for s in file.sections)
    if problems != case.problems:
        raise SystemExit("%s/%s: %s, should be %s" % (case.folder, case.name, problems,
                                                       case.problems))
    if case.events is not None and events != case.events:
        raise SystemExit("%s: %d events, should be %d" % (case.name, events, case.events))
    if (case.folder == "reject") != (not file.sections):
        raise SystemExit("%s: shown: %d sections" % (case.name, len(file.sections)))
    text = reader.document(file, not case.summary)
    json.loads(text)
    return text


def files():
    """All files by path."""
    out = {}
    for case in cases.CASES:
        base = os.path.join(case.folder, case.name)
        assert base + ".xtr" not in out, base
        out[base + ".xtr"] = case.data
        out[base + (".summary.json" if case.summary else ".json")] = expected(case)
    return out


def check(want):
    """The paths that differ, are missing, or are not generated."""
    have = {}
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            path = os.path.join(folder, name)
            with open(os.path.join(HERE, path), "rb") as f:
                have[path] = f.read()
    return sorted(p for p in set(want) | set(have) if want.get(p) != have.get(p))


def write(want):
    for folder in FOLDERS:
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    for path in check(want):
        full = os.path.join(HERE, path)
        if path not in want:
            os.unlink(full)
            continue
        with open(full, "wb") as f:
            f.write(want[path])


def main(args):
    if args not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    want = files()
    if not args:
        write(want)
        print("%d vectors, %d bytes" % (len(cases.CASES), sum(map(len, want.values()))))
        return 0
    wrong = check(want)
    for path in wrong:
        print("generate.py: '%s' is not what the generator writes" % path)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
