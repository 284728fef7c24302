# SPDX-License-Identifier: BSD-2-Clause
"""What groups of tests say, in the order of the groups whatever runs at the same time.

The first group that is not over prints at once; what later ones say is kept until it is their turn.
"""

import re
import threading

FAILED = re.compile(r"\s*(FAIL|not ok)\b")
FIGURE = re.compile(r"^figure: (\w+\.\S+ \d+(?:\.\d+)? .*\S)\s*$", re.M)

_current = threading.local()


class Result:
    """Counts of checks; cpu: seconds of CPU time of the commands that ran them."""

    def __init__(self, passed=0, failed=0, skipped=0, cpu=0.0):
        self.passed, self.failed, self.skipped, self.cpu = passed, failed, skipped, cpu

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.cpu += other.cpu

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class Page:
    """What one group says: its lines, those of them that tell of a failure, and its figures."""

    def __init__(self, board):
        self.board, self.lines, self.failed, self.figures, self.over = board, [], [], [], False

    def say(self, text):
        self.note(text)
        self.board.add(self, text)

    def note(self, text):
        if FAILED.match(text):
            self.failed.append(text.strip())

    def __enter__(self):
        _current.page = self
        return self

    def __exit__(self, *_):
        _current.page = None
        self.board.close(self)


class Board:
    """Pages in their order."""

    def __init__(self, count):
        self.lock, self.turn = threading.Lock(), 0
        self.pages = [Page(self) for _ in range(count)]

    def add(self, page, text):
        with self.lock:
            page.lines.append(text)
            self._print()

    def close(self, page):
        with self.lock:
            page.over = True
            self._print()

    def _print(self):
        while self.turn < len(self.pages):
            page = self.pages[self.turn]
            for line in page.lines:
                print(line, flush=True)
            page.lines.clear()
            if not page.over:
                return
            self.turn += 1


def say(text):
    """Says a line of the group that the calling thread runs."""
    _current.page.say(text)


def figures(text):
    """Keeps the figures of a program's output."""
    _current.page.figures.extend(FIGURE.findall(text))


def tail(text, lines=60):
    """Says the last lines of an output; all of its lines that tell of a failure are said once more at the end."""
    page = _current.page
    for line in text.splitlines():
        page.note(line)
    for line in text.rstrip().splitlines()[-lines:]:
        page.board.add(page, "    | " + line)
