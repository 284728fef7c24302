# SPDX-License-Identifier: BSD-2-Clause
"""How the cost per event of replay grows: with events, CPUs (rings simulated), jobs in flight, distinct keys; and that of
recording with events. CPU time, since the rest of the machine matters less to it."""
import tempfile

import common
import cost
import peers
from table import Table

METRICS = {
    "check": ("ns/event", "check"),
    "stats": ("ns/event", "stats"),
    "perfetto": ("ns/event", "export -f perfetto --jobs-only"),
    "rss": ("MiB", "memory of stats"),
    "bytes": ("B/event", "on disk"),
}
COMMANDS = {
    "check": ["check"],
    "stats": ["stats"],
    "perfetto": ["export", "-q", "-f", "perfetto", "--jobs-only", "-o", "-"],
}
M = 1000000
# axis: first column, {row: events, options of synth}
AXES = {
    "events": ("events", {n: (n * M, ()) for n in (1, 4, 16)}),
    "cpus": ("CPUs", {str(n): (M, ("-s", n)) for n in (1, 4, 16, 64, 256)}),
    "flight": ("jobs in flight, about", {text: (M, ("-w", ns)) for text, ns in
                                         (("20", 0), ("600", 10**7), ("6,000", 10**8), ("60,000", 10**9))}),
    "keys": ("fence contexts", {f"{8 * n:,}": (M, ("-k", n)) for n in (1, 100, 10000, 100000)}),
}
RECORD = {"traced": ("ns/event", "traced thread"), "cpu": ("ns/event", "recorder's CPU"), "disk": ("B/event", "on disk")}


def grow(axis, opts, folder):
    first, rows = AXES[axis]
    if axis == "events":
        rows = {f"{events * opts.scale:,.0f}": (events, options) for events, options in rows.values()}
    table = Table(f"growth-{axis}", METRICS, first, next(iter(rows)))
    paths = {}
    for row, (events, options) in rows.items():
        events = int(events * opts.scale)
        paths[row] = common.synth(f"{folder}/{axis}-{len(paths)}.xtr", events, *options), events
        table.command(row, common.shown(["synth", "-n", events, *options, "-o", "FILE"]))
    for _ in range(opts.rounds):
        for row, (path, events) in paths.items():
            for metric, argv in COMMANDS.items():
                done = common.must([common.XTR, *argv, path])
                table.add(row, metric, done.cpu / events)
                if metric == "stats":
                    table.add(row, "rss", done.rss / 2**20)
    for row, (path, events) in paths.items():
        with open(path, "rb") as f:
            table.add(row, "bytes", f.seek(0, 2) / events)
    table.show(f"growth with {first}, {opts.rounds} rounds")
    table.save(opts.rounds)


def grow_record(opts):
    """Recording: more events of the same kind."""
    table = Table("growth-record", RECORD, "events", f"{opts.calls // 4:,}")
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as work:
        for _ in range(opts.rounds):
            for n in (opts.calls // 4, opts.calls, 4 * opts.calls):
                own = Table("", RECORD)
                bench = cost.Bench(own, n, work)
                bench.round(peers.Xtr(common.XTR), bench.baseline())
                for metric in RECORD:
                    table.add(f"{n:,}", metric, own.median("xtr", metric))
                table.command(f"{n:,}", own.commands["xtr"])
    table.show(f"growth of recording with events, {opts.rounds} rounds")
    table.save(opts.rounds)


def growth(opts):
    with tempfile.TemporaryDirectory(prefix="xtr-bench-", dir=common.RESULTS) as folder:
        for axis in AXES:
            grow(axis, opts, folder)
    if opts.root:
        grow_record(opts)
