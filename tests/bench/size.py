# SPDX-License-Identifier: BSD-2-Clause
"""Bytes per event on disk of the same events, as each recorder writes them and as they are compressed or printed."""
import os

import common
import recordings
from table import Table

METRICS = {
    "bytes": ("B/event", "on disk"),
    "file": ("KiB", "whole file"),
    "events": ("", "events"),
    "text": ("B/event", "as text"),
}
# who: file, how it is made, how it is printed
FILES = {
    "xtr": ("run.xtr", "xtr record {ev} -o FILE", [common.XTR, "dump"]),
    "xtr pack": ("made-packed.xtr", "xtr pack -o FILE run.xtr", None),
    "perf": ("perf.data", "perf record -a {ev} -o FILE", ["perf", "script", "-i"]),
    "perf -z": ("perf-z.data", "perf record -a -z {ev} -o FILE", None),
    "trace-cmd, not compressed": ("trace.dat", "trace-cmd record --compression none {ev} -o FILE",
                                  ["trace-cmd", "report", "-i"]),
    "trace-cmd": ("made-any.dat", "trace-cmd convert --compression any -i trace.dat -o FILE", None),
}


def text_bytes(argv, path):
    with open(os.devnull, "wb") as null:
        import subprocess
        child = subprocess.Popen([*argv, str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=null)
        total = sum(iter(lambda: len(child.stdout.read(1 << 20)), 0))
        child.wait()
    return total


def measure(table, folder, events):
    names = " ".join(f"-e {e}" for e in events)
    for who, (name, command, text) in FILES.items():
        path, short = folder / name, folder / recordings.SHORT / name
        if not path.exists():
            print(f"{who}: left out: {'xtr has no pack' if 'pack' in who else 'no file'}")
            continue
        n, less = recordings.events_of(path), recordings.events_of(short)
        table.add(who, "bytes", (path.stat().st_size - short.stat().st_size) / (n - less))
        table.add(who, "file", path.stat().st_size / 1024)
        table.add(who, "events", n)
        if text:
            table.add(who, "text", text_bytes(text, path) / n)
        table.command(who, common.shown(command.format(ev=names if "xtr" not in who or "system" in folder.name else "")
                                        .split()))


def size(opts):
    for name, events in (("system", recordings.SYSTEM_EVENTS), *((f"lab-{k}", recordings.GPU_EVENTS) for k in opts.kernels)):
        table = Table(f"size-{name}", METRICS, "file", "xtr", ("events",))
        try:
            measure(table, recordings.get(name, opts), events)
        except (RuntimeError, OSError) as e:
            print(f"size of {name}: left out: {e}")
            continue
        table.show(f"size of the same events: {name}")
        table.save(1)
