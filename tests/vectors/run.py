#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The test vectors: libxtr and spec/reader.py must print the expected reading of each, byte by byte.

Then files that keep readers busy (hostile.py) and damaged copies (mutate.py). The last line is `N passed, N failed, N skipped`.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../spec")]
import creader
import generate
import hostile
import mutate
import reader

READER = os.path.join(HERE, "../../spec/reader.py")
STATUS = {"accept": 0, "damaged": 3, "reject": 3}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, ok, why=""):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print("FAIL %s%s" % (name, ": " + why if why else ""), flush=True)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def difference(have, want):
    """Where two documents differ first, with what stands there."""
    at = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
    return "at byte %d: %r instead of %r" % (at, have[max(0, at - 60):at + 60],
                                             want[max(0, at - 60):at + 60])


def vectors():
    for folder in generate.FOLDERS:
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            if name.endswith(".xtr"):
                base = os.path.join(HERE, folder, name[:-4])
                summary = os.path.exists(base + ".summary.json")
                yield (folder, folder + "/" + name[:-4], base + ".xtr", summary,
                       content(base + (".summary.json" if summary else ".json")))


def check_readers(tally):
    c = creader.CReader()
    for _, name, path, summary, want in vectors():
        data = content(path)
        python = reader.document(reader.File(data), not summary)
        tally.check(name + " (reader.py)", python == want, difference(python, want))
        try:
            have = c.read(data, summary)
            tally.check(name + " (libxtr)", have == want, difference(have, want))
        except RuntimeError as error:
            tally.check(name + " (libxtr)", False, str(error))
            c = creader.CReader()
    tally.check("vector_reader ends well", c.close() == 0)


def check_command(tally):
    """reader.py as a program: its status, standard input, and --summary."""
    chosen = {}
    for folder, name, path, summary, want in vectors():
        if not summary:
            chosen.setdefault(folder, (name, path, want))
    for folder, (name, path, want) in chosen.items():
        run = subprocess.run([sys.executable, READER, path], stdout=subprocess.PIPE, check=False)
        tally.check(name + " (command)", (run.returncode, run.stdout) == (STATUS[folder], want))
        run = subprocess.run([sys.executable, READER, "-"], input=content(path),
                             stdout=subprocess.PIPE, check=False)
        tally.check(name + " (stdin)", (run.returncode, run.stdout) == (STATUS[folder], want))
    for args, status in ((["--summary"], 2), (["/nonexistent"], 1), (["--bad", "x"], 2)):
        run = subprocess.run([sys.executable, READER] + args, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        tally.check("reader.py " + " ".join(args), run.returncode == status and run.stderr)


def main():
    tally = Tally()
    wrong = generate.check(generate.files())
    tally.check("files are those that the generator writes", not wrong, " ".join(wrong))
    check_readers(tally)
    check_command(tally)
    hostile.check(tally)
    mutate.check(tally)
    print("%d passed, %d failed, 0 skipped" % (tally.passed, tally.failed))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
