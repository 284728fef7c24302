# SPDX-License-Identifier: BSD-2-Clause
"""Where groups of tests that run at the same time say something: each on a page, shown as a whole when the group ends.

A terminal also has a line of what runs now, which is written again each second. A pipe or a file gets a line when a group
begins instead.
"""

import io
import os
import re
import shutil
import sys
import threading
import time

FIGURE = re.compile(r"^figure: (\w+\.\S+ \d+(?:\.\d+)? .*\S)\s*$", re.M)
CLEAR = "\r\x1b[K"

_current = threading.local()


class Page:
    """What one group says: its lines, and its figures. `with page:` is the time in which the calling thread runs the group."""

    def __init__(self, board, name):
        self.board, self.name, self.lines, self.figures, self.since = board, name, [], [], None

    def __enter__(self):
        _current.page = self
        self.board.begin(self)

    def __exit__(self, *_):
        _current.page = None
        self.board.end(self)


class Board:
    """The pages of the groups of these names. `with board:` is the time in which they run."""

    def __init__(self, names):
        self.pages = [Page(self, name) for name in names]
        self.under_way, self.start = [], time.monotonic()
        self.stream = sys.stdout
        self.terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.lock = threading.RLock()  # a signal may come to the thread that has it
        self.over = threading.Event()
        self.clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self):
        if self.terminal:
            self.clock.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        with self.lock:
            self._write("")

    def begin(self, page):
        with self.lock:
            page.since = time.monotonic()
            self.under_way.append(page)
            self._write("" if self.terminal else f".. {page.name}\n")

    def end(self, page):
        with self.lock:
            self.under_way.remove(page)
            self._write("".join(line + "\n" for line in page.lines))

    def stopped(self, why):
        """Says that this is the end, and what was not over; nothing is said after that."""
        with self.lock:
            self.over.set()
            self._write(f"{why}; not over: {', '.join(page.name for page in self.under_way) or 'nothing'}\n")
            self.stream = io.StringIO()

    def _tick(self):
        while not self.over.wait(1):
            with self.lock:
                self._write("")

    def _write(self, text):
        """Text, and below it, in a terminal, what runs now."""
        if self.terminal:
            text = CLEAR + text + ("" if self.over.is_set() else self._now())
        self.stream.write(text)
        self.stream.flush()

    def _now(self):
        """Cut to a line of the terminal, which could not be cleared if it went on in the next one."""
        if not self.under_way:
            return ""
        ended = sum(page.since is not None for page in self.pages) - len(self.under_way)
        now = time.monotonic()
        running = ", ".join(f"{page.name} {_clock(now - page.since)}" for page in self.under_way)
        return f".. {_clock(now - self.start)}, {ended} of {len(self.pages)} groups over; now {running}"[:shutil.get_terminal_size().columns - 1]


def _clock(seconds):
    return "%d:%02d" % divmod(int(seconds), 60)


def say(text):
    """Says a line of the group that the calling thread runs."""
    _current.page.lines.append(text)


def figures(text):
    """Keeps the figures of a program's output."""
    _current.page.figures.extend(FIGURE.findall(text))


def tail(text, lines=60):
    """Says the last lines of an output."""
    for line in text.rstrip().splitlines()[-lines:]:
        say("    | " + line)
