# SPDX-License-Identifier: BSD-2-Clause
"""Standard streams that are closed, full, or nobody reads: every command that prints says so, and its files are whole."""

import os
import shutil
import signal
import subprocess
import tempfile

FULL = "No space left on device"
CLOSED = "Bad file descriptor"
BROKEN = "Broken pipe"


def flags_of(flags):
    """Standard input, a file and a folder's contents that are there before, and the status of a scenario (tests/inject/server.c)."""
    given = dict(zip(flags, [*flags[1:], ""]))
    status = next((int(f[2:]) for f in flags if f.startswith("-s")), 0)
    return given.get("-i", "/dev/null"), given.get("-k"), given.get("-t"), status


class Use:
    """One use of xtr, in a new folder each time."""

    def __init__(self, xtr, environment, scenario):
        self.name, flags, command = scenario
        self.command, self.environment = [xtr, *command], environment
        self.stdin, self.old, self.tree, self.status = flags_of(flags)
        self.runs, self.wrong = 0, []

    def run(self, redirect="", stdout=subprocess.PIPE, stderr=subprocess.PIPE, ignore_sigpipe=False):
        """Status, standard output, standard error, names of the files left."""
        def before():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignore_sigpipe else signal.SIG_DFL)

        self.runs += 1
        with tempfile.TemporaryDirectory(prefix="xtr-inject.") as folder, open(self.stdin, "rb") as stdin:
            if self.old:
                with open(os.path.join(folder, self.old), "wb") as f:
                    f.write(b"old\n")
            if self.tree:
                shutil.copytree(self.tree, folder, dirs_exist_ok=True)
            done = subprocess.run(["sh", "-c", f'exec "$@" {redirect}', "sh", *self.command], cwd=folder, stdin=stdin, stdout=stdout,
                                  stderr=stderr, env=self.environment, preexec_fn=before, timeout=120, check=False)
            return done.returncode, done.stdout or b"", (done.stderr or b"").decode("utf-8", "replace"), set(os.listdir(folder))

    def expect(self, right, what, seen):
        if not right:
            self.wrong.append(f"{what}: status {seen[0]}, files {sorted(seen[3])}, stderr {seen[2][-400:]!r}")

    def told(self, what, error, seen):
        """It failed, by one line that names standard output and why; no temporary file is left."""
        lines = [l for l in seen[2].splitlines() if l not in self.good[2].splitlines()]
        self.expect(seen[0] == 1 and lines == [f"xtr: cannot write to standard output: {error}"], what, seen)
        self.expect(seen[3] <= self.good[3] | ({self.old} if self.old else set()), what + ", files", seen)

    def same(self, what, seen, messages=True):
        self.expect(seen[0] == self.good[0] and seen[3] == self.good[3], what, seen)
        self.expect(len(seen[1]) == len(self.good[1]), what + ", output", seen)
        self.expect(not messages or seen[2] == self.good[2], what + ", messages", seen)

    def closed_pipe(self, ignore_sigpipe):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return self.run(stdout=writing, ignore_sigpipe=ignore_sigpipe)
        finally:
            os.close(writing)

    def bad_outputs(self):
        self.told("full", FULL, self.run("> /dev/full"))
        self.told("closed", CLOSED, self.run(">&-"))
        self.told("nobody reads", BROKEN, self.closed_pipe(True))
        seen = self.closed_pipe(False)
        if seen[0] != -signal.SIGPIPE:
            self.told("nobody reads, with SIGPIPE", BROKEN, seen)
        self.expect(seen[3] <= self.good[3], "SIGPIPE, files", seen)

    def try_all(self):
        self.good = self.run()
        self.expect(self.good[0] == self.status, "with nothing wrong", self.good)
        if self.good[1] and self.name != "import-name":  # it prints into pipes only
            self.bad_outputs()
        self.same("messages closed", self.run("2>&-"), messages=False)
        self.same("messages full", self.run("2> /dev/full"), messages=False)
        if self.stdin == "/dev/null":
            self.same("input closed", self.run("<&-"))
        return self


def play(xtr, environment, scenario):
    """How many runs, and what was wrong with them."""
    for _ in range(3):
        use = Use(xtr, environment, scenario).try_all()
        if not use.wrong or "-m" not in scenario[1]:  # the machine may have changed meanwhile
            break
    return use.runs, use.wrong
