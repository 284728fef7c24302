# SPDX-License-Identifier: BSD-2-Clause
"""Writes traces of Perfetto byte by byte. A message is a list of fields: (number, value), where an int is a varint, a
float a fixed64, and bytes, a text or another message stand with their length. Numbers are those of the protos."""

import struct
import zlib

from tracedat import zstd_raw

BOOT, MONO, MONO_RAW, REALTIME = 6, 3, 5, 1
CLEARED, NEEDS = 1, 2

# Events by what the tests of other formats call them: number in FtraceEvent, fields with their numbers.
JOB = {"name": 1, "job_count": 2, "hw_job_count": 3, "dev": 4, "fence_context": 5, "fence_seqno": 6, "client_id": 7}
OLD = {"entity": 1, "fence": 2, "hw_job_count": 3, "id": 4, "job_count": 5, "name": 6}
DEP = {"fence_context": 1, "fence_seqno": 2, "ctx": 3, "seqno": 4}
TYPED = {
    "print": (3, {"ip": 1, "buf": 2}),
    "sched_switch": (4, {"prev_comm": 1, "prev_pid": 2, "prev_prio": 3, "prev_state": 4, "next_comm": 5, "next_pid": 6, "next_prio": 7}),
    "softirq_entry": (24, {"vec": 1}),
    "drm_sched_job": (411, OLD), "drm_run_job": (412, OLD), "drm_sched_process_job": (413, {"fence": 1}),
    "dma_fence_signaled": (416, {"context": 1, "driver": 2, "seqno": 3, "timeline": 4}),
    "drm_sched_job_add_dep": (591, DEP), "drm_sched_job_unschedulable": (595, DEP),
    "drm_sched_job_done": (592, {"fence_context": 1, "fence_seqno": 2}),
    "drm_sched_job_queue": (593, JOB), "drm_sched_job_run": (594, JOB),
}


def varint(v):
    v &= 2**64 - 1
    out = bytearray()
    while v > 0x7f:
        out.append(v & 0x7f | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def message(*fields):
    out = b""
    for number, value in fields:
        if isinstance(value, bool):
            value = int(value)
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
            continue
        if isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
            continue
        if isinstance(value, str):
            value = value.encode()
        elif not isinstance(value, bytes):
            value = message(*value)
        out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def packed(values):
    return b"".join(varint(v) for v in values)


def packet(*fields, seq=1):
    """A TracePacket as it stands in a file."""
    return message((1, [(10, seq), *fields]))


def clock_snapshot(clocks, primary=None, seq=1):
    """clocks: (id, time) or (id, time, unit, incremental)"""
    rows = [(1, [(1, c[0]), (2, c[1])] + ([(3, c[3])] if len(c) > 3 else []) + ([(4, c[2])] if len(c) > 2 else []))
            for c in clocks]
    return packet((6, rows + ([(2, primary)] if primary else [])), seq=seq)


# --- events --------------------------------------------------------------------------------------------------------------


def typed(name, values):
    number, fields = TYPED[name]
    return number, [(fields[k], v) for k, v in sorted(values.items(), key=lambda item: fields[item[0]])]


def generic(name, values):
    fields = [(2, [(1, k), (3, v) if isinstance(v, str) else (5, v) if v >= 0 else (4, v)]) for k, v in values.items()]
    return 327, [(1, name), *fields]


class Described:
    """Events with a description of their own; describe() says what the numbers are that were used."""

    def __init__(self, first=65536, system="gpu_scheduler"):
        self.first, self.system, self.known = first, system, {}

    def __call__(self, name, values):
        if name not in self.known:
            self.known[name] = (self.first + len(self.known), {k: (i + 1, isinstance(v, str)) for i, (k, v) in enumerate(values.items())})
        number, fields = self.known[name]
        return number, [(fields[k][0], v) for k, v in values.items()]

    def describe(self):
        for name, (number, fields) in self.known.items():
            descriptor = [(1, name)] + [(2, [(1, k), (3, n), (4, 1), (5, 9 if text else 4)]) for k, (n, text) in fields.items()]
            yield (11, [(1, number), (2, descriptor), (3, self.system)])


def event(ts, tid, name, values, encode=typed):
    number, body = encode(name, values)
    return (2, [(1, ts), (2, tid), (number, body)])


def bundle(cpu, *fields, seq=1):
    return packet((1, [(1, cpu), *fields]), seq=seq)


def bundles(told, encode=typed, size=7, cpus=4, seq=1):
    """Bundles of `size` events, CPU after CPU. told: (ts, cpu, tid, event, values) in order of time."""
    of = {cpu: [event(ts, tid, name, values, encode) for ts, c, tid, name, values in told if c == cpu] for cpu in range(cpus)}
    out = []
    for cpu in range(cpus):
        out += [bundle(cpu, *of[cpu][i:i + size], seq=seq) for i in range(0, len(of[cpu]), size)]
    return out


def compact(switches=(), wakings=()):
    """CompactSched. switches: (ts, state, pid, prio, comm), wakings: (ts, pid, cpu, prio, comm)"""
    names = sorted({row[4] for row in (*switches, *wakings)})

    def deltas(rows):
        return packed([ts - before for ts, before in zip([r[0] for r in rows], [0] + [r[0] for r in rows])])

    def column(rows, i):
        return packed([r[i] for r in rows])

    def comms(rows):
        return packed([names.index(r[4]) for r in rows])

    fields = [(5, n) for n in names]
    if switches:
        fields += [(1, deltas(switches)), (2, column(switches, 1)), (3, column(switches, 2)), (4, column(switches, 3)), (6, comms(switches))]
    if wakings:
        fields += [(7, deltas(wakings)), (8, column(wakings, 1)), (9, column(wakings, 2)), (10, column(wakings, 3)), (11, comms(wakings))]
    return (4, fields)


# --- facts ---------------------------------------------------------------------------------------------------------------


def process_tree(processes=(), threads=(), ts=None):
    """processes: (pid, cmdline), threads: (tid, tgid, name)"""
    tree = [(1, [(1, pid), (3, cmdline)]) for pid, cmdline in processes]
    tree += [(2, [(1, tid), (2, name), (3, tgid)]) for tid, tgid, name in threads]
    return packet(*([(8, ts)] if ts else []), (2, tree))


def system_info(release="6.6.6-test", machine="x86_64", cpus=4, page=4096):
    uname = [(1, "Linux"), (2, "#1 SMP test"), (3, release), (4, machine)]
    return packet((45, [(1, uname), (4, "Perfetto v99 test"), (6, page), (8, cpus)]))


def ftrace_stats(phase, cpus):
    """phase 1: start, 2: end. cpus: (cpu, overrun, dropped)"""
    return packet((34, [(1, phase)] + [(2, [(1, c), (3, overrun), (8, dropped), (6, 1.5)]) for c, overrun, dropped in cpus]))


def compressed(packets, codec="zlib"):
    data = b"".join(packets)
    return message((1, [(50, zlib.compress(data))] if codec == "zlib" else [(133, zstd_raw(data))]))
