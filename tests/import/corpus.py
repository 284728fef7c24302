#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes small trace.dat files as seeds of the fuzz target: tests/import/corpus.py tests/fuzz/corpus/tracedat"""

import os
import sys

sys.dont_write_bytecode = True
import load  # noqa: E402
from tracedat import EVENTS, File, Lost, Shape, binary  # noqa: E402

SEEDS = {
    "v6-new": (Shape(6, page=512), False),
    "v6-old": (Shape(6, page=512), True),
    "v6-old-big-32": (Shape(6, big=True, long_size=4, page=512), True),
    "v7-new-big": (Shape(7, big=True, page=512), False),
    "v7-zlib": (Shape(7, codec="zlib", page=512), True),
    "v7-zstd": (Shape(7, codec="zstd", page=512), False),
}


def small(shape, old):
    told = load.told(load.make(6, long_size=shape.long_size), old, threads=True)
    used = sorted({e[3] for e in told} | {"everything", "print"})
    cpus = {0: [], 1: []}
    for ts, cpu, tid, name, values in told:
        cpus[cpu % 2].append((ts, EVENTS[name].record(shape, tid, values)))
    last = told[-1][0]
    cpus[1] += [Lost(3), (last + 10, EVENTS["everything"].record(shape, 7, {"t": "text", "r": "rel", "raw": b"\1\2"})),
                (last + 20, EVENTS["print"].record(shape, 7, {"ip": 1, "buf": "mark\n"})), Lost(None),
                (last + 30, EVENTS["print"].record(shape, 7, {"ip": 1, "buf": "end\n"}))]
    stats = [(0, "overrun: 2\ndropped events: 1\n")]
    return File(shape, cpus, comms=load.comms()[:2], used=[EVENTS[n] for n in used], stats=stats,
                printk=[(0x81000010, "pointed at")]).bytes()


def texts():
    """Markers as old kernels declare them, trace_printk, threads' processes; an instance."""
    shape = Shape(6, page=512, ancient=True)
    bprint, bputs = EVENTS["bprint"], EVENTS["bputs"]
    values = binary(shape, (4, -7), "a text", (8, 1 << 40), "10.0.0.1", (1, 65), ("ptr", 64), (2, 3), (4, 9), (4, 5))
    cpus = {0: [(1000, EVENTS["print"].record(shape, 7, {"ip": 1, "buf": "B|7|mark\n"})),
                (2000, bprint.record(shape, 7, {"ip": 1, "fmt": 0x81000010, "buf": values})),
                (2500, bprint.record(shape, 7, {"ip": 1, "fmt": 0x81000010, "buf": values[:9]})),
                (3000, bputs.record(shape, 8, {"ip": 1, "str": 0x81000090})),
                (4000, bputs.record(shape, 8, {"ip": 1, "str": 9}))]}
    return File(shape, cpus, used=[EVENTS["print"], bprint, bputs], extra_options=[(8, b"7 7\n8 7\n\0")],
                printk=[(0x81000010, "%+5d %-8.3s %#llx %pI4 %c %p %hu %*d%%\\n"), (0x81000090, "a\\ttext\\n")],
                instances=[("second", cpus)]).bytes()


def main():
    with open(os.path.join(sys.argv[1], "v6-texts"), "wb") as f:
        f.write(texts())
    for name, (shape, old) in SEEDS.items():
        with open(os.path.join(sys.argv[1], name), "wb") as f:
            f.write(small(shape, old))


if __name__ == "__main__":
    main()
