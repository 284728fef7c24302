# SPDX-License-Identifier: BSD-2-Clause
"""What `make check` shows, tried with groups made for it: which page comes when, and a list of failures as long as its total."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import lanes  # noqa: E402
import programs  # noqa: E402
import results  # noqa: E402
import run as runner  # noqa: E402
from board import CLEAR, say  # noqa: E402
from checks import equal, expect  # noqa: E402

TESTS = []
TAKES = re.compile(r" \(\d+\.\d s, CPU \d+\.\d s\)|, \d+ s, CPU \d+ s")
COLUMNS = 41  # of a terminal that has no room for `now slow 0:00`
LAST = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")


def test(function):
    TESTS.append(function)
    return function


class Screen(io.StringIO):
    """Standard output of a run; terminal: says that it is one. seen() waits for what another group must have shown."""

    def __init__(self, terminal=False):
        super().__init__()
        self.terminal, self.changed = terminal, threading.Condition()

    def isatty(self):
        return self.terminal

    def write(self, text):
        with self.changed:
            super().write(text)
            self.changed.notify_all()

    def seen(self, text):
        with self.changed:
            expect(self.changed.wait_for(lambda: text in self.getvalue(), 600), f"{text!r} is not shown: {self.getvalue()!r}")


def shown(screen, **functions):
    """Runs groups of these functions; the exit status, and the text without times."""
    groups = [lanes.Group(name, name, function, False, False) for name, function in functions.items()]
    with contextlib.redirect_stdout(screen):
        status = runner.check(lanes.Run(groups), programs.Build("gcc"))
    return status, TAKES.sub("", screen.getvalue())


def fine(_):
    return results.Result(passed=2)


def said(output, status=1):
    """What the runner makes of a program with this output: the result, and what it says."""
    screen = Screen()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\ncat <<'end'\n{output}\nend\nexit {status}\n")
        os.chmod(path, 0o755)
        build = programs.Build("gcc")
        build.directory = folder
        text = shown(screen, fake=lambda _: programs.tell("tests/fake/run", build, 600, programs.run([path])))[1]
    return listed(text), text


def listed(text):
    """The list of what failed, failure by failure, each with its details; as many as the last line says."""
    found = []
    if "== what failed\n" in text:
        for line in text.split("== what failed\n")[1].split("\n== all")[0].splitlines():
            if line.startswith("  FAIL "):
                found.append([line.removeprefix("  FAIL ")])
            else:
                found[-1].append(line.strip())
    equal(len(found), int(LAST.fullmatch(text.splitlines()[-1])[2]), f"entries of the list, and failures of the total, in {text!r}")
    return found


def slow_beside_quick(screen):
    """A group, first of the table, that talks all the time and ends after the other two."""
    def slow(_):
        say("  slow, before")
        screen.seen("== quick: quick")
        screen.seen("== next: next")
        say("  slow, after")
        return fine(_)

    def after(_):
        screen.seen("== quick: quick")
        return fine(_)

    return shown(screen, slow=slow, quick=fine, next=after)[1]


PAGES = """== quick: quick
   2 passed, 0 failed, 0 skipped
== next: next
   2 passed, 0 failed, 0 skipped
== slow: slow
  slow, before
  slow, after
   2 passed, 0 failed, 0 skipped
== all
6 passed, 0 failed, 0 skipped
"""


@test
def a_slow_group_holds_nothing_back():
    """Whole pages, as groups end; in a pipe also a line when each begins, and nothing of a terminal.

    Which of the groups that run side by side says first that it begins is up to the kernel's scheduler."""
    if programs.CPUS < 2:
        return "one CPU: one group at a time"
    text = slow_beside_quick(Screen())
    began = re.findall(r"^\.\. (\w+)$", text, re.M)
    equal(sorted(began), ["next", "quick", "slow"], "groups that begin")
    equal(re.sub(r"^\.\. \w+\n", "", text, flags=re.M), PAGES, "pages")
    expect("\r" not in text and "\x1b" not in text, f"control characters in a pipe: {text!r}")
    return None


@test
def a_terminal_shows_what_runs_now():
    """One line, which is gone before anything else is said."""
    if programs.CPUS < 2:
        return "one CPU: one group at a time"
    screen = Screen(terminal=True)

    def slow(_):
        screen.seen("== quick")
        screen.seen("1 of 2 groups over; now slow ")
        return fine(_)

    with unittest.mock.patch.dict(os.environ, TERM="xterm", COLUMNS=str(COLUMNS)):
        text = shown(screen, slow=slow, quick=fine)[1]
    for line in re.findall(r"\.\. \d[^\n\r]*", text):
        expect(len(line) < COLUMNS and re.match(r"\.\. \d+:\d\d, \d of 2 groups over; now ", line), f"the line: {line!r}")
    left = re.sub(r"\.\. \d[^\n\r]*(?=\r)", "", text).replace(CLEAR, "")
    equal(left, PAGES.split("== next")[0] + "== slow: slow\n" + PAGES.split("slow, after\n")[1].replace("6 passed", "4 passed"),
          "what stays on the screen")
    return None


@test
def what_belongs_to_a_failure_is_no_failure_of_its_own():
    """As the lab's programs have it: a step has failed, and below it stands what its judge said."""
    found, text = said("""kernel 6.1
  PASS 6.1: basic: recorded + lost = emitted
    ok   300 events
  FAIL stats: the same sections and columns on every kernel
    FAIL .sections[].loss: only in build/lab/6.1
    FAIL .sections[].gaps: only in build/lab/6.1
    ok   7 headings
    2 differences
  FAIL 6.1: clean log
4 passed, 2 failed, 0 skipped""")
    equal(found, [["fake: stats: the same sections and columns on every kernel", "FAIL .sections[].loss: only in build/lab/6.1",
                   "FAIL .sections[].gaps: only in build/lab/6.1"], ["fake: 6.1: clean log"]], "listed")
    equal(text.splitlines()[-1], "4 passed, 2 failed, 0 skipped", "last line")
    expect("\n   4 passed, 2 failed, 0 skipped\n" in text, f"counts of the group: {text}")


@test
def many_details_are_cut():
    nested = "\n".join(f"  FAIL key {n}" for n in range(500))
    equal(said(f"FAIL names: 500 differ\n{nested}\n0 passed, 1 failed, 0 skipped")[0],
          [["fake: names: 500 differ", "FAIL key 0", "FAIL key 1", "FAIL key 2", "and 497 more such lines"]], "listed")
    equal(said("FAIL sum:\n  have 3\n  want 4\nok other\n1 passed, 1 failed, 0 skipped")[0], [["fake: sum:", "have 3", "want 4"]], "listed")


@test
def what_a_second_try_takes_back_is_not_listed():
    found, _ = said("""kernel 6.1
  FAIL 6.1: real
kernel 7.0
  FAIL 7.0: times
    FAIL measured: 5 ms
  FAIL 7.0: more times
kernel 7.0, once more without the 2 failures above: only measurements were out of bounds
  PASS 7.0: times
  FAIL 7.0: other times
1 passed, 2 failed, 0 skipped""")
    equal(found, [["fake: 6.1: real"], ["fake: 7.0: other times"]], "listed")


LAB_PROGRAM = """set -euo pipefail
. tests/lab/lib/verdict.sh
out=$1
judge() { printf 'ok   events\\nFAIL measured: %s\\n' "$1"; return "$2"; }
played() {
	mkdir -p "$out/$1"
	[ "$1$again" = 6.11 ] || step "$1: times" judge late 4
}
for k in 6.1 7.0; do try_kernel $k played; done
step 'keys are the same' judge 'only in 7.0' 1
sum_up
"""
LAB_JUDGE = """import sys
sys.path.insert(0, "tests/lab")
import judge
tally = judge.Tally(False)
tries = iter([124, 0])
tally.once_more(lambda t: (t.ran(next(tries), "", "kernel 7.0 ran"), t.note(False, "kernel 7.0: keys")))
print(f"{tally.passed} passed, {tally.failed} failed, 0 skipped")
"""


@test
def the_lab_says_its_failures_so():
    """Its own functions: a step, and a second try, of which one kernel's is right."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(["bash", "-c", LAB_PROGRAM, "bash", folder], cwd=programs.ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    equal(said(output)[0], [["fake: 7.0: times", "FAIL measured: late"], ["fake: keys are the same", "FAIL measured: only in 7.0"]],
          f"listed of {output}")
    output = subprocess.run([sys.executable, "-B", "-c", LAB_JUDGE], cwd=programs.ROOT, capture_output=True, text=True, check=True).stdout
    equal(said(output)[0], [["fake: kernel 7.0: keys"]], f"listed of {output}")


@test
def counts_are_right_whatever_a_program_says():
    """Fewer lines than it counts, more of them, none, no sums, a status without a failure."""
    unnamed = ["fake: tests/fake/run counts a failure without a line FAIL"]
    equal(said("FAIL a\n0 passed, 3 failed, 0 skipped")[0], [["fake: a"], unnamed, unnamed], "fewer lines")
    equal(said("FAIL a\nFAIL b\nFAIL c\n0 passed, 2 failed, 0 skipped")[0], [["fake: a"], ["fake: b", "FAIL c"]], "more lines")
    equal(said("FAIL of a self-test\n1 passed, 0 failed, 0 skipped", 0)[0], [], "of a program that passes")
    equal(said("FAIL a\nFAIL b")[0], [["fake: tests/fake/run: exit status 1, no summary", "FAIL a", "FAIL b"]], "without sums")
    equal(said("last words\n1 passed, 0 failed, 0 skipped", 7)[0],
          [["fake: tests/fake/run: exit status 7", "last words", "1 passed, 0 failed, 0 skipped"]], "status")


@test
def the_list_is_cut_by_group_and_says_so():
    def broken(_):
        return results.Result(failures=[results.Failure(f"test {n}") for n in range(1000)])

    status, text = shown(Screen(), broken=broken, other=lambda _: programs.fail("one more"))
    equal(status, 1, "exit status")
    equal(text.count("\n  FAIL broken: test "), results.MOST, "lines")
    expect(f"\n  and {1000 - results.MOST} more of broken\n" in text and "\n  FAIL other: one more\n" in text, text)
    equal(text.splitlines()[-1], "0 passed, 1001 failed, 0 skipped", "last line")


@test
def every_kind_of_failure_is_listed_once():
    """A build, a command, a group that is missing, the runner itself."""
    def broken(_):
        raise KeyError("none such")

    failing = programs.Build("gcc", "no-such-target-of-make")
    status, text = shown(Screen(), build=lambda _: failing.make(), command=lambda _: programs.commands(["sh", "-c", "echo why; exit 3"], ["true"]),
                         missing=lambda _: programs.program("no-such-group", failing, 600), broken=broken, fine=fine)
    equal(status, 1, "exit status")
    equal(text.splitlines()[-1], "3 passed, 4 failed, 0 skipped", "last line")
    found = dict(one[0].split(": ", 1) for one in listed(text))
    equal(found, {"build": "make no-such-target-of-make: exit status 2", "command": "sh -c echo why; exit 3: exit status 3",
                  "missing": "tests/no-such-group/run is missing", "broken": "the runner itself"}, "listed")


@test
def unit_tests_are_listed_by_name():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_fake")
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\ncat >\"${1#--tap=}\" <<'end'\nok - io::read (0.00s)\nnot ok - io::write  (0.01s)\n"
                    "not ok - io::close unexpected signal\nok - io::sync # SKIP no disk\nend\nexit 2\n")
        os.chmod(path, 0o755)

        def unit(_):
            one = programs.Criterion(path, {})
            one.tell()
            return one.result

        text = shown(Screen(), unit=unit)[1]
    equal(listed(text), [["unit: test_fake: io::write  (0.01s)"], ["unit: test_fake: io::close unexpected signal"]], "listed")
    equal(text.splitlines()[-1], "1 passed, 2 failed, 1 skipped", "last line")


def stopped(group, before="pass"):
    """What a run of this group, a Python expression, says when SIGTERM comes: lines after the first, and the status; before: is run first."""
    program = f"""
import signal, sys, time
sys.path[:0] = {[HERE, os.path.dirname(HERE)]!r}
import lanes, programs, run
checks = lanes.Run([lanes.Group("stuck", "stuck", lambda _: {group}, False, False)])
run.end_on_signals(checks)
{before}
run.check(checks, None)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as p:
        equal(p.stdout.readline(), ".. stuck\n", "first line")
        p.send_signal(signal.SIGTERM)
        return p.stdout.read(), p.wait()


STOPPED = ("tests/run.py: stopped by SIGTERM; not over: stuck\n", 128 + signal.SIGTERM)
SLEEP = 'programs.commands(["sleep", "86400"])'


@test
def a_signal_says_what_was_not_over():
    equal(stopped(SLEEP), STOPPED, "said, status")


@test
def a_signal_that_another_thread_took_is_heard_too():
    """The main thread blocks it, and only the group's takes it: the wait of the main thread is not interrupted."""
    group = f"(signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM]), {SLEEP})[1]"
    mask = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])"
    equal(stopped(group, mask), STOPPED, "said, status")
