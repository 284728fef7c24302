# SPDX-License-Identifier: BSD-2-Clause
"""Events that are counted or missed in other ways than in a ring, after their recorder was killed."""

import collections
import json
import os
import re
import signal
import subprocess

from common import BUILD, COUNTS, LIMIT, LONG, PROCESSES, XTR, expect, until, xtr
from kills import check_end, collect

TESTS = []
EMIT = os.path.join(BUILD, "tests/record/emit")
CALLS = os.path.join(BUILD, "tests/api/calls")
LIBRARY = os.path.join(BUILD, "tests/api/lib")
RENAME = "task:task_rename"


def test(function):
    TESTS.append(function)
    return function


def killed(event, *command, stop=False):
    """What a recorder of such events, which is killed when its command is done, leaves once it is collected: events by name, lost.

    stop: the recorder is stopped first, so that all of them are still in the kernel."""
    script = ': >started; read go; "$@" >/dev/null && : >done; sleep 1000'
    recorder = subprocess.Popen([XTR, "record", "-o", "t.xtr", "-e", event, "--", "sh", "-c", script, "sh", *command],
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                                env={**os.environ, "LD_LIBRARY_PATH": LIBRARY})
    PROCESSES.append(recorder)
    until(lambda: os.path.exists("started") or recorder.poll() is not None, "the recorder to begin")
    if stop:
        recorder.send_signal(signal.SIGSTOP)
    recorder.stdin.write(b"go\n")
    recorder.stdin.flush()
    until(lambda: os.path.exists("done") or recorder.poll() is not None, f"{command}")
    expect(recorder.poll() is None, "the recorder ended")
    recorder.kill()
    os.killpg(recorder.pid, signal.SIGKILL)
    recorder.wait(LIMIT)
    recorder.stderr.close()
    recorder.stdin.close()
    COUNTS["kills"] += 1
    check_end("t.xtr")
    collect()
    lost = json.loads(xtr("info", "--json", "got.xtr")[1])["lost"]
    found = [e for e in map(json.loads, xtr("dump", "--json", "got.xtr")[1].splitlines()) if "event" in e]  # no gaps
    for name in ("t.xtr", "got.xtr", "started", "done"):
        os.unlink(name)
    return found, lost


@test
def hits_counted_beside_an_event_are_exact_after_a_kill():
    """task:task_rename: what the kernel skipped of it is known from another program's count."""
    for stop in (False, True):
        for _ in range(10 if LONG else 1):
            found, lost = killed(RENAME, EMIT, "threads", "4", "rename", "500", stop=stop)
            names = [e["fields"]["newcomm"] for e in found if e["event"] == RENAME]
            ours = [n for n in names if re.match(r"rn-\d+-\d+$", n)]
            expect(len(set(ours)) == len(ours), "a name is there twice")
            # Of what was lost some may be other programs' renames, of which there are few.
            expect(len(ours) <= 2000 <= len(ours) + lost < 2200, f"recorded {len(ours)} + lost {lost}, happened 2000")


@test
def returns_of_library_calls_are_there_after_a_kill():
    for stop in (False, True):
        for _ in range(10 if LONG else 1):
            found, lost = killed("api:level-zero", CALLS, "threads", "4", "host", "300", "free", "300", stop=stop)
            count = collections.Counter(e["event"] for e in found)
            functions = [f"api:libze_loader.so.1:{f}" for f in ("zeMemAllocHost", "zeMemFree")]
            each = {name: count[name] for f in functions for name in (f, f + ":ret")}
            expect(sum(each.values()) + lost == 4800, f"recorded {each} + lost {lost}, happened 4800")
            expect(lost or set(each.values()) == {1200}, f"recorded {each}")
