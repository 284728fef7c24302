# SPDX-License-Identifier: BSD-2-Clause
"""One second of a large file: how long until it is shown, with the file in the page cache and without."""
import json
import os
import shutil

import common
from table import Table

METRICS = {
    "warm": ("ms", "on the clock, file in memory"),
    "cold": ("ms", "on the clock, file not in memory"),
    "cpu": ("ms", "CPU"),
    "rss": ("MiB", "peak memory"),
}
BYTES_PER_EVENT = 5.3  # of synth with such chunks
ROUND = 100  # ms of events in a chunk: about 3,000, as many as a recorder's batch holds
WINDOW = [["stats", "--from", "{from}", "--to", "{to}"], ["jobs", "--csv", "--from", "{from}", "--to", "{to}"],
          ["dump", "--from", "{from}", "--to", "{to}"]]
SECOND = 10**9  # ns


def forget(path):
    """Takes a file out of the page cache."""
    with open(path, "rb") as f:
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure(table, path, rounds, places):
    """A second at each of the places (parts of the whole), in turn."""
    whole = json.loads(common.output([common.XTR, "info", "--json", path]))["duration_ns"]
    table.add("info", "seconds", whole / SECOND)
    for turn in range(rounds):
        at = int(whole * places[turn % len(places)])  # since the first event
        moments = {"from": f"{at}ns", "to": f"{at + SECOND}ns"}
        for argv in WINDOW:
            words = [w.format(**moments) for w in argv]
            who = "xtr " + " ".join(argv).replace("{from}", "T").replace("{to}", "T+1s")
            forget(path)
            cold = common.must([common.XTR, *words, path])
            warm = common.must([common.XTR, *words, path])
            table.add(who, "cold", cold.wall / 1e6)
            table.add(who, "warm", warm.wall / 1e6)
            table.add(who, "cpu", warm.cpu / 1e6)
            table.add(who, "rss", warm.rss / 2**20)
            table.command(who, common.shown([common.XTR, *words, "FILE"]))


def window(opts):
    common.RESULTS.mkdir(parents=True, exist_ok=True)
    size = int(opts.window * 1e9)
    free = shutil.disk_usage(common.RESULTS).free
    if free < 1.2 * size:
        print(f"window: left out: {size >> 20} MiB are not free in {common.RESULTS}")
        return
    path = common.RESULTS / "window.xtr"
    table = Table("window", METRICS, "command")
    try:
        events = int(size / BYTES_PER_EVENT)
        common.synth(path, events, "-R", ROUND)
        measure(table, path, opts.rounds, (0.5, 0.9, 0.1, 0.7, 0.3))
        table.show(f"one second of {os.path.getsize(path) / 1e9:.2f} GB, {events} events, "
                   f"{table.median('info', 'seconds'):.0f} s, {opts.rounds} rounds")
    finally:
        path.unlink(missing_ok=True)
    table.save(opts.rounds)
