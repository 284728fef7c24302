# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of overload and rotation share: recording, reading back, the producer's truth."""

import glob
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "spec"))
import reader  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "tests"))
import checks  # noqa: E402
from checks import Failure, equal, expect  # noqa: E402,F401 (for the tests)

BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
XTR = os.path.abspath(os.environ.get("XTR", os.path.join(BUILD, "xtr")))
EMIT = os.path.join(BUILD, "tests/record/emit")
PRODUCE = os.path.join(BUILD, "tests/overload/produce")
SANITIZED = "asan" in os.path.basename(BUILD)  # its allocator keeps what was freed: memory is not judged
LONG = os.environ.get("LONG") == "1"
CALL, OTHER = "syscalls:sys_enter_io_cancel", "syscalls:sys_enter_mq_getsetattr"
RR = "syscalls:sys_enter_sched_rr_get_interval"  # what `emit call` makes, also that of other tests at the same time
RENAME = "task:task_rename"
TESTS, FIGURES = [], {}


def test(function):
    TESTS.append(function)
    return function


def count(name, n):
    """Add to a figure."""
    FIGURES[name] = FIGURES.get(name, 0) + n


def xtr(*args, status=(0,), data=None):
    p = subprocess.run([XTR, *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    expect(p.returncode in status, f"xtr {' '.join(args)}: status {p.returncode}: {p.stderr.decode()[-500:]}")
    return p.stdout


def record(*args, status=(0,), out="run.xtr", timeout=120):
    """Run xtr record; returns its messages."""
    p = subprocess.run([XTR, "record", "-o", out, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       stdin=subprocess.DEVNULL, timeout=timeout)
    text = p.stderr.decode()
    expect(p.returncode in status, f"record {' '.join(args)}: status {p.returncode}, expected {status}: {text.strip()}")
    return text


def info(path):
    return json.loads(xtr("info", "--json", path, status=(0, 3)))


class Section:
    """A section of the independent reader."""

    def __init__(self, section):
        content = section.content
        self.meta = content[reader.META][-1]
        self.config = self.meta["config"]
        self.events = {e["name"]: e for e in self.meta["events"]}
        self.records = content[reader.EVENTS]  # (chunk, ts, type, tid, bytes)
        self.lost = {}
        for loss in content[reader.LOSS]:
            for stream, kind, cause, total in loss.get("lost", []):
                self.lost[stream, kind, cause] = total
        self.aged = {}
        for loss in content[reader.LOSS]:
            for stream, kind, total in loss.get("aged", []):
                self.aged[stream, kind] = total
        self.gaps = [g for loss in content[reader.LOSS] for g in loss.get("gaps", [])]
        self.strings = {key: v for (table, key), v in section.tables.items() if table == "strings"}
        self.tasks = {(t[0], t[2]): t for table in content[reader.TABLE] for t in table.get("tasks", [])}
        self.clocks = content[reader.CLOCK]
        self.end = content[reader.END][-1] if content[reader.END] else None
        self.n_events, self.n_lost = len(self.records), sum(self.lost.values())
        self.n_aged = sum(self.aged.values())

    def type_of(self, name):
        return self.events[name]["type"]

    def lost_of(self, cpu, name):
        return sum(n for (stream, kind, _), n in self.lost.items() if (stream, kind) == (cpu, self.type_of(name)))

    def field(self, name, field, raw):
        f = next(f for f in self.events[name]["fields"] if f[0] == field)
        return raw[f[1]:f[1] + f[5]]


def sections(path, problems=()):
    with open(path, "rb") as f:
        file = reader.File(f.read())
    equal([code for code, _ in file.problems], list(problems), f"problems of {path}")
    return [Section(s) for s in file.sections]


def pieces(pattern="run.*.xtr"):
    """The pieces in the order of the shell; each has to be whole and alone."""
    result = []
    for path in sorted(glob.glob(pattern)):
        found = sections(path)
        equal(len(found), 1, f"sections of {path}")
        xtr("check", path, status=(0, 3))
        result.append(found[0])
    return result


class Counts:
    """What xtr says of a piece: enough where the independent reader would take long."""

    def __init__(self, path):
        xtr("check", path, status=(0, 3))
        doc = info(path)
        equal(len(doc["sections"]), 1, f"sections of {path}")
        section = doc["sections"][0]
        self.config, self.n_events, self.n_lost = section["config"], doc["events"], doc["lost"]
        self.n_aged, self.flight = section.get("aged", 0), section.get("flight")
        self.end = {"events": doc["events"], "lost": doc["lost"], "reason": section["end_reason"]}


class Truth:
    """The producer's account: per CPU the calls of both kinds, and the time before each."""

    def __init__(self, path="truth"):
        with open(path, "rb") as f:
            data = f.read()
        threads, capacity, self.finished, _ = struct.unpack_from("<4Q", data)
        self.calls, self.times = {}, {}
        for i in range(threads):
            cpu, first, second, _ = struct.unpack_from("<4Q", data, 32 + 32 * i)
            self.calls[cpu] = (first, second)
            at = 32 + 32 * threads + 8 * i * capacity
            self.times[cpu] = struct.unpack_from(f"<{min(capacity, first + second)}Q", data, at)
        self.all = sum(sum(c) for c in self.calls.values())


def produce(threads, rate, calls, *log):
    return ["-e", CALL, "-e", OTHER, "--", PRODUCE, "truth", str(threads), str(rate), str(calls), *log]


def wait_for(condition, what, seconds=60):
    """Poll; returns what the condition gave when it was true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise Failure(f"{what}: not in {seconds} s")


def run_all(names):
    """Each in a folder of its own; passed and failed."""
    return checks.run_tests(TESTS, names, lambda: checks.in_folder(tempfile.TemporaryDirectory(prefix="xtr-overload-"), 0o755, ROOT))[:2]
