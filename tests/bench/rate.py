# SPDX-License-Identifier: BSD-2-Clause
"""The highest rate that a recorder bears without losing an event, from one thread and from two.

Each thread, pinned to a CPU of its own, makes so many calls per second that half a second, then a second, ... of the ladder
has been tried; at each step all recorders come in turn. A step counts if the rate was really reached: less than SHORT of what was
asked for means that the machine, or the recorder's share of the thread, does not allow more.
"""
import os
import tempfile

import common
import cost
import peers
from table import Table

LADDER = [0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4]  # million calls/s of each thread
SECONDS = 1  # of each run
METRICS = {
    "one": ("M events/s", "one thread, no loss"),
    "one_lost": ("%", "lost at the next step"),
    "two": ("M events/s", "two threads, no loss"),
    "two_lost": ("%", "lost at the next step"),
}


class Rate(cost.Bench):
    def both(self, rate, threads):
        """A command that runs a load on each of so many CPUs, and the calls of all."""
        cpus = sorted(os.sched_getaffinity(0), reverse=True)[:threads]
        calls = max(int(rate * SECONDS), 1000)
        loads = [self.load("-r", str(int(rate)), calls=calls, cpu=cpu, out="load" + (f".{i}" if i else ""))
                 for i, cpu in enumerate(cpus)]
        script = self.work / "loads.sh"  # a file: bpftrace takes no quotes
        script.write_text(" & ".join(" ".join(load) for load in loads) + " & wait\n")
        return ["/bin/sh", str(script)], calls * len(cpus)

    def try_one(self, recorder, rate, threads):
        """(events/s that there were, of them lost)"""
        out = self.work / "events" / "trace"
        load, calls = self.both(rate, threads)
        self.record(recorder, out, load)
        events, lost = recorder.counts(str(out))
        wall = max(self.load_figures("load" + (f".{i}" if i else ""))[3] for i in range(threads))
        return calls * 1e9 / wall, max(lost, calls - events)


def climb(bench, recorders, threads, metric):
    """One climb of the ladder for each recorder: what it reached without loss goes to the table."""
    best, lost_at = {r.name: 0.0 for r in recorders}, {}
    for step in LADDER:
        for recorder in recorders:
            if recorder.name in lost_at:
                continue
            try:
                rate, lost = bench.try_one(recorder, step * 1e6 / recorder.part, threads)
            except RuntimeError as e:
                print(f"{recorder.name}: no more than {best[recorder.name]:.2f} M events/s: {e}")
                lost_at[recorder.name] = None
                continue
            if lost:
                lost_at[recorder.name] = 100 * lost / (step * 1e6 / recorder.part * SECONDS * threads)
            else:
                best[recorder.name] = max(best[recorder.name], rate / 1e6)
    for recorder in recorders:
        bench.table.add(recorder.name, metric, best[recorder.name])
        if lost_at.get(recorder.name) is not None:
            bench.table.add(recorder.name, metric + "_lost", lost_at[recorder.name])


def rate(opts):
    table = Table("rate", METRICS, "recorder")
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as work:
        bench = Rate(table, opts.calls, work)
        wanted = [r for r in peers.recorders(common.XTR, common.BUILD) if r.keeps and r.name not in ("perf -z", "ftrace ring")]
        part = bench.usable_of(wanted)
        for _ in range(opts.rounds):
            for threads, metric in ((1, "one"), (2, "two")):
                if threads <= len(os.sched_getaffinity(0)):
                    climb(bench, part, threads, metric)
    for recorder in part:
        command = table.commands[recorder.name]
        table.command(recorder.name, command.replace("/bin/sh RESULTs.sh", "load -r RATE"))
    table.show(f"highest rate without loss, {SECONDS} s a step, {opts.rounds} rounds, {peers.BUFFER >> 20} MiB per CPU")
    table.save(opts.rounds)
