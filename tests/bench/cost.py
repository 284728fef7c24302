# SPDX-License-Identifier: BSD-2-Clause
"""What recording costs: the traced thread, the recorder's CPU, bytes, printing as text.

Every recorder records the same loop of system calls (load.c) in turn, several rounds, so that a noisy moment hits all of
them; a control run with a call that nobody records takes away what a recorder costs by starting and by waiting.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

import common
import peers
import peers_api
from table import Table

CONTROL = "-u"  # load.c: a system call that nobody records
METRICS = {
    "traced": ("ns/event", "traced thread"),
    "cpu": ("ns/event", "recorder's CPU"),
    "disk": ("B/event", "on disk"),
    "text": ("ns/event", "CPU to print as text"),
    "lost": ("events", "lost"),
}


class Bench:
    """Recorders beside each other; samples go to a table."""

    def __init__(self, table, calls, work, subject=(), events=1):
        self.table, self.calls = table, calls
        self.subject = subject  # load.c's options for what is recorded
        self.events = events  # of each call
        self.work = pathlib.Path(work)
        self.cpu = max(os.sched_getaffinity(0))

    def load(self, *more, calls=None, cpu=None, out="load"):
        """The workload's command line; it leaves its figures in work/out."""
        subject = () if CONTROL in more else self.subject
        return [str(common.BUILD / "tests/bench/load"), *subject, "-n", str(calls or self.calls), "-c",
                str(self.cpu if cpu is None else cpu), "-o", str(self.work / out), *more]

    def load_figures(self, out="load"):
        """calls, ns per call, CPU ns, ns that all took"""
        calls, ns, cpu, wall = (self.work / out).read_text().split()
        return int(calls), float(ns), int(cpu), int(wall)

    def record(self, recorder, out, load):
        """(ns per call in the traced thread, recorder's CPU ns, bytes on disk)"""
        shutil.rmtree(out.parent, ignore_errors=True)
        out.parent.mkdir()
        (self.work / "load").unlink(missing_ok=True)
        argv = recorder.record(str(out), load)
        cost = common.must(argv, recorder.env)
        if not (self.work / "load").exists():
            raise RuntimeError(cost.why or f"{recorder.name} did not run the workload")
        _, ns, load_cpu, _ = self.load_figures()
        self.table.command(recorder.name, common.shown(argv, {self.work / "load": "RESULT", out: "FILE"}))
        return ns, cost.cpu - load_cpu, sum(os.path.getsize(f) for f in recorder.files(str(out)))

    def baseline(self):
        subprocess.run(self.load(), check=True)
        return self.load_figures()[1]

    def round(self, recorder, plain_ns):
        control, out = self.work / "control" / "trace", self.work / "events" / "trace"
        calls = self.calls // recorder.part
        _, idle_cpu, idle_bytes = self.record(recorder, control, self.load(CONTROL, calls=calls))
        ns, cpu, size = self.record(recorder, out, self.load(calls=calls))
        events, lost = recorder.counts(str(out))
        happened = calls * self.events
        if events + lost < happened:
            raise RuntimeError(f"{recorder.name}: {happened} events happened, {events} recorded, "
                               f"{lost} said to be lost")
        self.table.add(recorder.name, "traced", ns - plain_ns)
        self.table.add(recorder.name, "lost", lost)
        if not recorder.keeps:
            return
        self.table.add(recorder.name, "cpu", (cpu - idle_cpu) / events)
        self.table.add(recorder.name, "disk", (size - idle_bytes) / events)
        if recorder.text(str(out)):
            text = common.must(recorder.text(str(out))).cpu - common.must(recorder.text(str(control))).cpu
            self.table.add(recorder.name, "text", text / events)

    def usable(self, recorder):
        """None, or why this recorder takes no part."""
        why = recorder.why_not()
        if why:
            return why
        try:
            self.record(recorder, self.work / "try" / "trace", self.load(calls=1000))
        except RuntimeError as e:
            return f"cannot record here: {e}"
        return None

    def usable_of(self, recorders):
        """Those that can record; says who is left out. RuntimeError without xtr."""
        part = []
        for recorder in recorders:
            why = self.usable(recorder)
            if not why:
                part.append(recorder)
                continue
            print(f"{recorder.name}: left out: {why}")
            if recorder.name == "xtr":
                raise RuntimeError(f"xtr: {why}")
        return part


def record_all(bench, rounds, recorders):
    part = bench.usable_of(recorders)
    for recorder in part:
        if recorder.part > 1:
            print(f"{recorder.name}: slow, gets {bench.calls // recorder.part} calls a run")
    for _ in range(rounds):
        plain = bench.baseline()
        bench.table.add("none", "call", plain)
        for recorder in part:
            bench.round(recorder, plain)


def record(opts):
    """A tracepoint of system calls."""
    table = Table("record", METRICS, "recorder", "xtr", ("lost",))
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as work:
        record_all(Bench(table, opts.calls, work), opts.rounds, peers.recorders(common.XTR, common.BUILD))
    table.show(f"{peers.SYSTEM}:{peers.EVENT}, {opts.calls} events a run, {opts.rounds} rounds; the call alone takes "
               f"{table.median('none', 'call'):.0f} ns")
    table.save(opts.rounds)


def api(opts):
    """Calls of a library's function, which does nothing; also its returns."""
    library = str(common.BUILD / "tests/api/lib" / peers_api.LIBRARY)
    for name, ret in (("calls", False), ("returns", True)):
        table = Table(f"api-{name}", METRICS, "recorder", "xtr", ("lost",))
        with tempfile.TemporaryDirectory(prefix="xtr-bench-") as work:
            bench = Bench(table, max(opts.calls // 5, 1000), work, ("-l", library), 2 if ret else 1)
            record_all(bench, opts.rounds, peers_api.recorders(common.XTR, library, ret))
        table.show(f"{'calls and returns' if ret else 'calls'} of {peers_api.FUNCTION} of a library, {bench.calls} calls a "
                   f"run, {opts.rounds} rounds; the traced thread's figures are per call")
        table.save(opts.rounds)
