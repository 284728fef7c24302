# SPDX-License-Identifier: BSD-2-Clause
"""Writes perf.data byte by byte: files and pipes, both byte orders, attributes of each size that kernels have had."""

import struct

from tracedat import File as TraceDat
from tracedat import Shape

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, IDENTIFIER = (
    1 << b for b in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16))
MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, SAMPLE, MMAP2, LOST_SAMPLES, KSYMBOL, DEFERRED = (
    1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 17, 22)
ATTR, TRACING_DATA, ROUND, ID_INDEX, AUXTRACE, FEATURE, COMPRESSED, COMPRESSED2 = 64, 66, 68, 69, 71, 80, 81, 83
KERNEL, USER, EXEC, CHOSEN = 1, 2, 1 << 13, 1 << 15
MARK_KERNEL, MARK_USER, MARK_DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
ATTR_SIZES = (64, 72, 80, 96, 104, 112, 120, 128, 136)
SW, TRACEPOINT = 1, 2


def reverse_bits(byte):
    return int(f"{byte:08b}"[::-1], 2)


def text(order, s):
    data = s.encode() + b"\0"
    data += bytes(-len(data) % 64)
    return struct.pack(order + "I", len(data)) + data


class Attr:
    def __init__(self, kind, config, sample_type, ids, name, size=128, clockid=None, read_format=0, id_all=True):
        self.kind, self.config, self.sample_type, self.ids, self.name = kind, config, sample_type, ids, name
        self.size, self.clockid, self.read_format, self.id_all = size, clockid, read_format, id_all

    def bytes(self, order):
        flags = (1 << 18 if self.id_all else 0) | (1 << 25 if self.clockid is not None else 0)
        bits = struct.pack("<Q", flags)
        if order == ">":  # bit fields begin at the high end of each byte
            bits = bytes(reverse_bits(b) for b in bits)
        out = struct.pack(order + "IIQQQQ", self.kind, self.size, self.config, 1, self.sample_type, self.read_format)
        out = (out + bits).ljust(92, b"\0") + struct.pack(order + "i", self.clockid or 0)
        return out.ljust(self.size, b"\0")[:self.size]


class Writer:
    """Records in one byte order; each method gives the bytes of one."""

    def __init__(self, order="<"):
        self.order = order

    def u64(self, *values):
        return struct.pack(f"{self.order}{len(values)}Q", *values)

    def u32(self, *values):
        return struct.pack(f"{self.order}{len(values)}I", *values)

    def record(self, kind, body, misc=0):
        body += bytes(-len(body) % 8)
        return struct.pack(self.order + "IHH", kind, misc, 8 + len(body)) + body

    def trailer(self, a, ts, pid=0, tid=0, cpu=0, ident=0):
        t, out = a.sample_type, b""
        if not a.id_all:
            return out
        if t & TID:
            out += self.u32(pid, tid)
        for bit, v in ((TIME, self.u64(ts)), (ID, self.u64(ident)), (STREAM, self.u64(ident)),
                       (CPU, self.u32(cpu, 0)), (IDENTIFIER, self.u64(ident))):
            out += v if t & bit else b""
        return out

    def sample(self, a, ts, pid=0, tid=0, cpu=0, ident=0, ip=0, addr=0, period=1, chain=(), raw=b"", read=b"",
               misc=KERNEL):
        t, out = a.sample_type, b""
        raw = raw + bytes(-(len(raw) + 4) % 8)
        for bit, v in ((IDENTIFIER, self.u64(ident)), (IP, self.u64(ip)), (TID, self.u32(pid, tid)),
                       (TIME, self.u64(ts)), (ADDR, self.u64(addr)), (ID, self.u64(ident)), (STREAM, self.u64(ident)),
                       (CPU, self.u32(cpu, 0)), (PERIOD, self.u64(period)), (READ, read),
                       (CALLCHAIN, self.u64(len(chain), *chain)), (RAW, self.u32(len(raw)) + raw)):
            out += v if t & bit else b""
        return self.record(SAMPLE, out, misc)

    def named(self, kind, head, name, a, ts, misc=0, **who):
        data = name.encode() + b"\0"
        return self.record(kind, head + data + bytes(-len(data) % 8) + self.trailer(a, ts, **who), misc)

    def comm(self, a, ts, pid, tid, name, misc=0):
        return self.named(COMM, self.u32(pid, tid), name, a, ts, misc, pid=pid, tid=tid)

    def fork(self, a, ts, pid, ppid, tid, ptid):
        return self.record(FORK, self.u32(pid, ppid, tid, ptid) + self.u64(ts) + self.trailer(a, ts, pid=pid, tid=tid))

    def mmap(self, a, ts, pid, addr, size, pgoff, name, misc=USER):
        return self.named(MMAP, self.u32(pid, pid) + self.u64(addr, size, pgoff), name, a, ts, misc)

    def mmap2(self, a, ts, pid, addr, size, pgoff, name, misc=USER):
        return self.named(MMAP2, self.u32(pid, pid) + self.u64(addr, size, pgoff) + bytes(32), name, a, ts, misc)

    def lost(self, a, ts, cpu, ident, count):
        return self.record(LOST, self.u64(ident, count) + self.trailer(a, ts, cpu=cpu, ident=ident))

    def round(self):
        return self.record(ROUND, b"")


def tracing_data(order, events, long_size=8):
    """The formats of these events (tests/import/tracedat.py), as perf puts them into its file."""
    shape = Shape(6, big=order == ">", long_size=long_size)
    made = TraceDat(shape, {}, used=events)
    u = shape.u
    out = b"\x17\x08\x44tracing0.6\0" + bytes([order == ">", long_size]) + u(4, 4096) + made.header_info()
    out += made.ftrace_formats() + made.event_formats() + u(4, 0) + made.printk_text() + made.cmdlines()
    return out


def features(order, attrs, tracing, clock=None):
    """Number and bytes of each feature."""
    u32 = lambda *v: struct.pack(f"{order}{len(v)}I", *v)  # noqa: E731
    u64 = lambda *v: struct.pack(f"{order}{len(v)}Q", *v)  # noqa: E731
    out = {3: text(order, "testhost"), 4: text(order, "6.6.6-test"), 5: text(order, "9.9"), 6: text(order, "riscv64"),
           7: u32(8, 4), 11: u32(2) + text(order, "perf") + text(order, "record")}
    desc = u32(len(attrs), len(attrs[0].bytes(order)))
    for a in attrs:
        desc += a.bytes(order) + u32(len(a.ids)) + text(order, a.name) + u64(*a.ids)
    out[12] = desc
    if tracing:
        out[1] = tracing
    if clock:
        out[29] = u32(1, 1) + u64(*clock)
    return out


def file(order, attrs, records, tracing=b"", clock=None, narrow=False):
    """A file: header, attributes, records, features. narrow: of a kernel of 32 bits."""
    q = lambda *v: struct.pack(f"{order}{len(v)}Q", *v)  # noqa: E731
    entry = max(a.size for a in attrs) + 16
    at = 104
    ids_at = at + entry * len(attrs)
    table, ids = b"", b""
    for a in attrs:
        table += a.bytes(order).ljust(entry - 16, b"\0") + q(ids_at + len(ids), 8 * len(a.ids))
        ids += q(*a.ids)
    data_at = ids_at + len(ids)
    noted = features(order, attrs, tracing, clock)
    word = 4 if narrow else 8
    bits = sum(1 << n for n in noted)
    bitmap = b"".join((bits >> 8 * word * i & (1 << 8 * word) - 1).to_bytes(word, "little" if order == "<" else "big")
                      for i in range(32 // word))
    behind = data_at + len(records)
    where = behind + 16 * len(noted)
    sections, blob = b"", b""
    for number in sorted(noted):
        sections += q(where + len(blob), len(noted[number]))
        blob += noted[number]
    head = (b"PERFILE2" if order == "<" else b"2ELIFREP") + q(104, entry, at, entry * len(attrs), data_at, len(records),
                                                            0, 0) + bitmap
    return head + table + ids + records + sections + blob


def pipe(order, attrs, records, tracing=b"", clock=None):
    w = Writer(order)
    out = (b"PERFILE2" if order == "<" else b"2ELIFREP") + w.u64(16)
    for a in attrs:
        out += w.record(ATTR, a.bytes(order) + w.u64(*a.ids))
    noted = features(order, attrs, b"", clock)
    for number in sorted(noted):
        out += w.record(FEATURE, w.u64(number) + noted[number])
    if tracing:
        out += w.record(TRACING_DATA, w.u32(len(tracing), 0)) + tracing + bytes(-len(tracing) % 8)
    return out + records
