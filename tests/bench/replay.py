# SPDX-License-Identifier: BSD-2-Clause
"""Events per second of reading a recording, and memory, beside perf script and trace-cmd report on the same events."""
import common
import recordings
from table import Table

METRICS = {
    "rate": ("M events/s", "on the clock"),
    "wall": ("ns/event", "on the clock"),
    "cpu": ("ns/event", "CPU"),
    "rss": ("MiB", "peak memory"),
}
XTR_COMMANDS = [["stats"], ["jobs", "--csv"], ["dump"], ["dump", "--json"], ["export", "-q", "-f", "perfetto", "-o", "-"],
                ["export", "-q", "-f", "perfetto", "--jobs-only", "-o", "-"], ["check"]]
PEERS = [(["perf", "script", "-i"], "perf.data"), (["perf", "report", "--stdio", "-i"], "perf.data"),
         (["trace-cmd", "report", "-i"], "trace.dat")]


def commands(folder, gpu):
    """(name, command line without the file, file)"""
    for argv in XTR_COMMANDS:
        if gpu or not ({"jobs", "--jobs-only"} & set(argv)):
            yield "xtr " + " ".join(w for w in argv if w not in ("-q", "-o", "-")), [common.XTR, *argv], "run.xtr"
    if (folder / "made-packed.xtr").exists():
        yield "xtr stats, packed", [common.XTR, "stats"], "made-packed.xtr"
    for argv, name in PEERS:
        yield " ".join(w for w in argv if w != "-i"), argv, name


def measure(table, folder, rounds, gpu):
    todo = list(commands(folder, gpu))
    counts = {n: (recordings.events_of(folder / n), recordings.events_of(folder / recordings.SHORT / n))
              for n in {t[2] for t in todo}}
    for _ in range(rounds):
        for who, argv, name in todo:
            few = common.must([*argv, folder / recordings.SHORT / name])
            many = common.must([*argv, folder / name])
            events = counts[name][0] - counts[name][1]
            table.add(who, "rate", events * 1e3 / max(many.wall - few.wall, 1))
            table.add(who, "wall", (many.wall - few.wall) / events)
            table.add(who, "cpu", (many.cpu - few.cpu) / events)
            table.add(who, "rss", many.rss / 2**20)
            table.command(who, common.shown([*argv, name]))


def replay(opts):
    for name in ("system", *(f"lab-{k}" for k in opts.kernels)):
        table = Table(f"replay-{name}", METRICS, "command", "xtr stats", ("rate", "rss"))
        try:
            measure(table, recordings.get(name, opts), opts.rounds, name != "system")
        except (RuntimeError, OSError) as e:
            print(f"replay of {name}: left out: {e}")
            continue
        table.show(f"replay of the same events: {name}")
        table.save(opts.rounds)
