# SPDX-License-Identifier: BSD-2-Clause
"""Packed sections: the columns filter and zstd frames, with their flags, right and wrong."""
import itertools
import struct

from cases import accept, damaged
from cases_limits import filtered
from xtrgen import (ATTACH, BEFORE, BITS, CONSTANT, CRITICAL, EVENTS, KEYED, NONE, SORTED, TICK, TICKS,
                    U64, VARINTS, ZERO, begin, bit_string, column, columns, fields, layout, lz4, record,
                    tick, varint, zstd_frame, zstd_raw)

COLUMNS, ZSTD = {"incompat": 1}, {"incompat": 3}
WIDE = {"fields": fields(("a", "u64", 8), ("b", "u32", 4), ("c", "u16", 2), ("d", "u8", 1),
                         ("e", "u8", 1), ("f", "bytes", 16)),
        "name": "test:wide", "provider": 1, "size": 48, "type": 1025}
WIDES = [(1024, [8]), (1025, [8, 4, 2, 1, 1, 0x90])]
FIRST = 4  # column of WIDE's first field: after numbers, ts, tid and the only field of TICK


def wide(ts, tid, a, b, c, d, e, f):
    return record(ts, 1025, tid, struct.pack("<QIHBB16s", a, b, c, d, e, f))


def mixed(n):
    """Records of both types: values that grow, fall, wrap around, repeat with their thread."""
    out = []
    for i in range(n):
        ts, tid = 1000 + i * i, (7, 9, 0, 0xFFFFFFFF)[i % 4]
        out.append(tick(ts, U64 - i * i if i % 2 else i, tid) if i % 3 == 0 else
                   wide(ts, tid, i << 40, (5 - i) & NONE, i * 1000 & 0xFFFF, tid & 255, -i & 255,
                        b"thread %9u" % (tid if i % 5 else i)))
    return out


def ways():
    rows = mixed(40)
    s = begin(events=(TICK, WIDE), **COLUMNS)
    total = 0

    def chunk(how):
        nonlocal total
        s.events(total % 2, rows, None, WIDES, ways=how)
        total += len(rows)
    for coding, prediction, zig in itertools.product((VARINTS, BITS), (ZERO, BEFORE), (0, 1)):
        chunk({c: {"coding": coding, "prediction": prediction, "zig": bool(zig),
                   "k": {0: 1, 1: 4, 2: 9, 3: 55, 4: 41, 5: 20}.get(c, 3)}
               for c in range(10) if coding == VARINTS or c not in (2, 3, 5)})
    for key in range(6):
        chunk({c: {"prediction": KEYED, "key": min(key, c - FIRST) if c > FIRST else 0,
                   "coding": VARINTS if key % 2 or c in (3, 5) else BITS, "zig": c % 2 == 0}
               for c in range(2, 10)})
    accept("columns-ways", s.close(total), total)
    same = [tick(5, 5, 3)] * 20
    s = begin(**COLUMNS)
    s.events(0, same, None, TICKS,
             ways={c: {"coding": CONSTANT, "prediction": ZERO, "zig": False} for c in range(4)})
    s.events(0, [tick(5 + i, 50 - i) for i in range(20)], lz4, TICKS,
             ways={0: {"coding": CONSTANT}, 1: {"zig": False}})
    s.events(0, [], None, TICKS, ways={})
    s.events(0, [], None, [], ways={0: {"coding": CONSTANT}, 1: {"coding": BITS}})
    s.events(1, [record(i, 1, i) for i in range(3)], None, [(1, [])], ways={})
    s.events(1, [record(9, 1030, 1, bytes(range(200)))], None, [(1030, [0xFF, 0xC9])], ways={})
    accept("columns-few", s.close(44), 44)
    s = begin()
    s.events(0, [tick(9, 1), tick(4, 2)], None, TICKS, ways={})
    accept("columns-without-flag", s.close(2), 2)


def slots():
    n = 65536
    rows = [tick(i, i * i, i % 5000) for i in range(n)]
    s = begin(**COLUMNS)
    s.events(0, rows, lz4, TICKS, ways={2: {"coding": BITS, "prediction": KEYED},
                                        3: {"prediction": KEYED, "zig": False}})
    for n in (1, 2, 16, 17, 33, 4095, 4097):
        s.events(0, rows[:n], lz4, TICKS, ways={3: {"prediction": KEYED}})
    accept("columns-65536", s.close(65536 + 8261), 65536 + 8261, summary=True)


def wrong(name, items):
    """EVENTS chunks with filter 2 and payloads [(n_records, rec_len, bytes)], none of them right."""
    s = begin(**COLUMNS)
    problems = [("filter", filtered(s, n, rec_len, raw, filter=2)) for n, rec_len, raw in items]
    s.events(0, [tick(1, 1)])
    damaged(name, s.close(), *problems, events=1)


ONE = b"\1" + layout(1024, [8])
HEAD = ONE + b"\0\0" + b"\0\1" + b"\0\2"  # layout 0, ts 1, tid 2
FIELD = b"\1\5"


def columns_wrong():
    wrong("columns-layouts", [
        (0, 0, b""), (1, 24, b"\0" + HEAD[len(ONE):] + FIELD), (1, 24, ONE[:-1]), (1, 24, ONE),
        (0, 0, b"\1" + varint(1024) + varint(24) + b"\1\x04" + b"\0\0" * 4),
        (0, 0, b"\1" + varint(1024) + varint(20) + b"\1\x04" + b"\0\0" * 4),
        (0, 0, b"\1" + varint(1024) + varint(24) + b"\1\x80" + b"\0\0" * 4),
        (0, 0, varint(1025) + layout(1024, []) * 1025 + b"\0\0" * 3)])
    wrong("columns-columns", [
        (1, 24, HEAD), (1, 24, HEAD + FIELD + b"\0"), (1, 24, HEAD + FIELD[:1]),
        (2, 48, HEAD + FIELD), (1, 16, HEAD + FIELD), (1, 32, HEAD + FIELD), (0, 24, HEAD + b"\0\0"),
        (1, 24, ONE + b"\0\1" + HEAD[len(ONE) + 2:] + FIELD), (1, 24, ONE + b"\0" + varint(65536)),
        (1, 24, HEAD + b"\3\5"), (1, 24, HEAD + b"\x0d\5"), (1, 24, HEAD + b"\x21\5"),
        (1, 24, HEAD + b"\xff\5"), (1, 24, HEAD + b"\1\x80\0"), (1, 24, HEAD + b"\1" + b"\xff" * 9 + b"\2"),
        (1, 24, ONE + b"\0\0\0\1\0" + varint(1 << 32) + FIELD), (0, 0, b"\0\0\0\0\0\0" + varint(1 << 32)),
        (1, 24, ONE + b"\x09\0\0" + HEAD[len(ONE) + 2:] + FIELD),
        (1, 24, ONE + b"\0\0" + b"\x09\0\1" + b"\0\2" + FIELD),
        (1, 24, ONE + b"\0\0\0\1" + b"\x09\1\2" + FIELD), (1, 24, HEAD + b"\x09\1\5"),
        (1, 24, HEAD + b"\x09\2\5"), (1, 24, HEAD + b"\x09" + varint(U64) + b"\5")])
    two = b"\1" + layout(1024, [1, 0x87]) + HEAD[len(ONE):]
    keyed = b"\1" + layout(1024, [0x84, 4]) + HEAD[len(ONE):]
    wrong("columns-bytes", [
        (1, 24, two + b"\1\5\1\2" + bytes(7)), (1, 24, two + b"\1\5\1\1" + bytes(6)),
        (1, 24, two + b"\1\5\1\0" + bytes(7)), (1, 24, two + b"\1\5\x11\1" + bytes(7)),
        (1, 24, two + b"\1\5\0\2"), (1, 24, two + b"\1" + varint(256) + b"\1\0"),
        (1, 24, two + b"\1\5\x09\2\0"), (1, 24, keyed + b"\1\0\x09\1\0"),
        (0, 0, keyed[:len(keyed) - 6] + b"\0\0" * 4 + b"\x08\1\0")])
    long = bit_string([0] * 9, 0)
    wrong("columns-bits", [
        (1, 24, HEAD + b"\2"), (1, 24, HEAD + b"\2\0"), (1, 24, HEAD + b"\2\0\0"),
        (1, 24, HEAD + b"\2\x39" + b"\1" + bytes(8)), (1, 24, HEAD + b"\2\0\3"),
        (1, 24, HEAD + b"\2\0\1\0"), (1, 24, HEAD + b"\2\x08\1"), (1, 24, HEAD + b"\2\0" + bytes(7) + b"\2" + bytes(8)),
        (1, 24, HEAD + b"\2\1" + bytes(7) + b"\1" + bytes(8)), (1, 24, ONE + b"\2\0" + bit_string([65536], 0)),
        (9, 9 * 24, ONE + b"\2\0" + long[:1] + HEAD[len(ONE) + 2:] + FIELD),
        (9, 9 * 24, ONE + b"\2\0" + long[:1] + b"\3" + HEAD[len(ONE) + 2:] + FIELD)])
    s = begin(**COLUMNS)
    widest = [(1 << 57) - 2, (1 << 56) - 1, 0, 1]
    s.events(0, [tick(i, z) for i, z in enumerate(widest)], None, TICKS,
             ways={3: {"coding": BITS, "prediction": ZERO, "zig": False, "k": 0}})
    s.events(0, [tick(i, z) for i, z in enumerate(widest[1:])], None, TICKS,
             ways={3: {"coding": BITS, "prediction": ZERO, "zig": False, "k": 56}})
    accept("columns-bits-at-limit", s.close(7), 7)
    s = begin(**COLUMNS)
    at = [s.events(0, [tick(5, 1), tick(4, 1)], None, TICKS, ways={}, props=CRITICAL | SORTED),
          s.events(0, [tick(5, 1)], None, TICKS, ways={}, ts_max=4, ts_min=0)]
    damaged("columns-times", s.close(3), *[("record", a) for a in at], events=0)


def zstd():
    rows = mixed(30)
    s = begin(events=(TICK, WIDE), **ZSTD)
    s.events(0, rows, zstd_raw)
    s.events(0, rows, zstd_raw, WIDES)
    s.events(1, rows, zstd_raw, WIDES, ways={})
    name = struct.pack("<H", 1) + b"a"
    s.chunk(ATTACH, zstd_frame([name, (b"x", 997)], 1000, 2), codec=2, raw_len=1000)
    s.chunk(ATTACH, zstd_frame([name, b"", b"yz"], 5, 1), codec=2, raw_len=5)
    s.chunk(ATTACH, zstd_frame([name], 3, 8), codec=2, raw_len=3)
    accept("zstd-blocks", s.close(90), 90)
    s = begin(**ZSTD)
    good = zstd_raw(name + b"zz")
    items = [(5, b""), (5, good[:3]), (5, good[:-1]), (5, good + b"\0"), (5, good + good), (4, good), (6, good),
             (5, b"\0" + good[1:]), (5, zstd_frame([name + b"zz"], 5, descriptor=0xA1)),
             (5, zstd_frame([name + b"zz"], 5, descriptor=0xA8)), (5, zstd_frame([name + b"z"], 5)),
             (5, zstd_frame([name + b"zzz"], 5)), (5, zstd_frame([name + b"zz"], 5, last=False)),
             (0, b"\x50\x2a\x4d\x18\0\0\0\0"), (5, b"\x50\x2a\x4d\x18\0\0\0\0" + good),
             (5, b"\x28\xb5\x2f\xfd\0\x58" + good[9:]), (5, good[:9] + b"\x2f\0\0" + good[12:])]
    problems = [("zstd", s.chunk(ATTACH, block, codec=2, raw_len=raw)) for raw, block in items]
    s.events(0, [tick(1, 1)])
    damaged("zstd-wrong", s.close(1), *problems, events=1)


ways()
slots()
columns_wrong()
zstd()
