# SPDX-License-Identifier: BSD-2-Clause
"""Limits, at them and one past them, and payloads whose codec, filter or records are wrong."""
import struct

from cases import accept, damaged
from xtrgen import (ATTACH, CRITICAL, EVENTS, LOSS, META, NONE, SORTED, TABLE, TICK, TICKS, U64,
                    Coded, begin, cbor, head, layout, lz4, lz4_literals, lz4_sequence, record,
                    tick, varint, zigzag)

LAST = lz4_sequence(b"12345")


def blocks(name, items):
    """ATTACH chunks of LZ4 blocks [(raw_len, block)], none of which is right."""
    s = begin()
    problems = [("lz4", s.chunk(ATTACH, block, codec=1, raw_len=raw_len))
                for raw_len, block in items]
    s.events(0, [tick(1, 1)])
    damaged(name, s.close(1), *problems, events=1)


def codec():
    text = struct.pack("<H", 1) + b"a" + bytes(range(64)) * 3
    good = lz4(text)
    n = len(text)
    blocks("lz4-wrong", [
        (n, b""), (n, good[:-1]), (n, good + b"\0"), (n - 1, good), (n + 1, good), (n, good[:20]),
        (n, b"\xf0" + b"\xff" * 30), (n, b"\xff" * 50), (0, b""), (0, b"\x10a"), (0, b"\0\0"),
        (0, b"\x05"),
        (1, b"\0"), (20, lz4_literals(b"a" * 20) + b"\0")])
    blocks("lz4-offsets", [
        (17, lz4_sequence(b"abc", 4, 9) + LAST), (17, lz4_sequence(b"abc", 65535, 9) + LAST),
        (17, lz4_sequence(b"", 1, 12) + LAST), (17, lz4_sequence(b"abc", 0, 9) + LAST),
        (40, lz4_sequence(b"abc", 100, 32) + LAST)])
    blocks("lz4-end-rules", [
        (12, lz4_sequence(b"abc", 3, 9)),
        (16, lz4_sequence(b"abcd", 4, 8) + lz4_sequence(b"1234")),
        (16, lz4_sequence(b"abcde", 4, 6) + LAST), (13, lz4_sequence(b"ab", 2, 11) + b"\0")])
    name = struct.pack("<H", 1) + b"a"
    s = begin()
    s.chunk(ATTACH, lz4_sequence(name, 3, 9) + LAST, codec=1, raw_len=17)
    s.chunk(ATTACH, lz4_sequence(name + b"bc", 1, 7) + LAST, codec=1, raw_len=17)
    accept("lz4-end-rules-at-limit", s.close(), 0)
    s = begin()
    s.chunk(ATTACH, b"\x8f" + name + LAST[1:], codec=1, raw_len=8)
    s.chunk(ATTACH, lz4_sequence(name, 3, 9) + b"\x51" + LAST[1:], codec=1, raw_len=17)
    accept("lz4-last-token", s.close(), 0)
    bomb = lz4_sequence(b"\1", 1, (1 << 20) - 6) + LAST
    s = begin()
    at = [s.chunk(ATTACH, bomb, codec=1, raw_len=raw) for raw in (1 << 19, (1 << 20) - 1, 100)]
    damaged("lz4-bomb", s.close(), *[("lz4", a) for a in at], events=0)
    s = begin()
    s.chunk(0x80, bomb, codec=1, raw_len=1 << 20)
    at = s.chunk(0x80, bomb, codec=1, raw_len=(1 << 20) + 1)
    after = s.events(0, [tick(1, 1)])
    damaged("raw-len-limit", s.close(1), ("lost-sync", at), ("missing-chunks", after), events=1)
    s = begin()
    rows = [tick(i, 1) for i in range(2)]
    at = [s.events(0, rows, None, None, codec=3, raw_len=48, stored_len=48),
          s.events(0, rows, None, TICKS, filter=4), s.events(0, rows, lz4, TICKS, filter=255),
          s.chunk(TABLE, b"x", codec=9, raw_len=5), s.chunk(META, b"x", codec=255, raw_len=5)]
    s.events(0, [tick(9, 9)])
    damaged("codec-unknown", s.close(), *[("codec", a) for a in at], events=1)


def filtered(s, n, rec_len, raw, **over):
    """An EVENTS chunk with a filtered payload as it is."""
    first = s.ordinals.get(0, 0)
    s.ordinals[0] = first + n
    return s.chunk(EVENTS, raw, **{"filter": 1, "stream": 0, "n_records": n, "rec_len": rec_len,
                                   "first_ordinal": first, "ts_max": U64, "props": CRITICAL,
                                   **over})


def rows_of(name, items):
    """EVENTS chunks with filter 1 and payloads [(n_records, rec_len, bytes)], none of them right."""
    s = begin()
    problems = [("filter", filtered(s, n, rec_len, raw)) for n, rec_len, raw in items]
    s.events(0, [tick(1, 1)])
    damaged(name, s.close(), *problems, events=1)


def kind(size, widths):
    """One layout of type 1024, of no rows, with whatever size and widths."""
    return (0, 0, b"\1" + varint(1024) + varint(size) + varint(len(widths)) + widths)


ONE = b"\1" + layout(1024, [8])
ROW = b"\0" + varint(2) + b"\1" + varint(4)  # no tid, ts + 1, field + 2
NO_FIELDS = b"\1" + layout(1024, [])
EMPTY = b"\0" + varint(2)


def filter_wrong():
    rows_of("filter-layouts", [
        (0, 0, b""), (1, 24, b"\0" + ROW), (0, 0, b"\1"), (0, 0, ONE[:-1]), (0, 0, ONE[:2]),
        (0, 0, b"\1" + varint(65536) + varint(24) + b"\1\x08"),
        kind(16, b"\x08"), kind(32, b"\x08"), kind(24, b"\x04"), kind(24, b"\x08\0"),
        kind(24, b"\x80\x08"), kind(24, b"\3\5"), kind(24, b"\x10"), kind(20, b"\x04"),
        kind(8, b""), kind(0, b""), kind(25, b"\x08\1"), kind(24, b"\4\3"), kind(24, b"\6\2"),
        kind(65536, b""), kind(81, b"\1" * 65), kind(88, b"\1" * 58 + b"\2" * 7),
        (0, 0, varint(1025) + layout(1024, []) * 1025), (0, 0, varint(U64)),
        (0, 0, b"\2" + layout(1024, []))])
    rows_of("filter-rows", [
        (1, 24, ONE), (1, 24, ONE + ROW[:1]), (1, 24, ONE + ROW[:2]), (1, 24, ONE + ROW[:3]),
        (1, 24, ONE + ROW + b"\0"), (1, 24, ONE + ROW + ROW), (2, 48, ONE + ROW),
        (1, 32, ONE + ROW), (1, 16, ONE + ROW), (2, 32, ONE + ROW + ROW),
        (1, 24, ONE + b"\2" + ROW[1:]), (1, 24, ONE + b"\3" + ROW[1:]), (1, 24, b"\0" + ROW),
        (1, 24, ONE + ROW[:2] + b"\2\4"), (1, 24, ONE + ROW[:2] + b"\3\4\4"),
        (1, 16, NO_FIELDS + EMPTY + b"\0"), (0, 16, NO_FIELDS), (1, 16, NO_FIELDS + b"\1\2"),
        (2, 40, NO_FIELDS + EMPTY + EMPTY), (0, 8, NO_FIELDS)])
    over = b"\xff" * 9 + b"\2"
    rows_of("filter-varints", [
        (1, 24, ONE + b"\x80\0" + ROW[1:]), (1, 24, ONE + b"\0\x82\0" + ROW[2:]),
        (1, 24, ONE + ROW[:2] + b"\x81\0" + ROW[3:]), (1, 24, ONE + ROW[:3] + b"\x84\0"),
        (1, 24, b"\x81\0" + ONE[1:] + ROW), (1, 24, ONE + b"\0" + over + ROW[2:]),
        (1, 24, ONE + b"\0" + b"\xff" * 10 + b"\0" + ROW[2:]), (1, 24, ONE + ROW[:3] + over),
        (1, 24, ONE + b"\0" + b"\x80" * 9 + b"\2" + ROW[2:]),
        (1, 24, ONE + b"\1\2" + varint(1 << 32) + b"\0"), (1, 24, ONE + b"\1\2" + varint(U64) + b"\0"),
        *[(1, 24, b"\1" + layout(1024, [w, 0x88 - w]) + b"\0\2\1" + varint(1 << 8 * w))
          for w in (1, 2, 4)],
        (1, 24, b"\1" + layout(1024, [0x88]) + b"\0\2\1" + bytes(7)),
        (1, 24, b"\1" + layout(1024, [0x88]) + b"\0\2\1" + bytes(9))])
    s = begin()
    filtered(s, 1, 24, ONE + b"\1" + varint(U64) + varint(NONE) + b"\1" + varint(U64))
    filtered(s, 1, 24, ONE + b"\1\0\0\1\0", ts_max=0)
    filtered(s, 2, 48, ONE + (b"\1" + varint(zigzag(5, 0)) + b"\0\0") * 2)
    for w in (1, 2, 4):
        filtered(s, 1, 24, b"\1" + layout(1024, [w, 0x88 - w]) + b"\0\2\1" + varint((1 << 8 * w) - 1))
    accept("filter-not-minimal", s.close(7), 7)


def records_wrong():
    s = begin()
    r = tick(5, 5)
    at = []

    def bad(raw, n=1, lo=0, hi=10, props=CRITICAL):
        first = s.ordinals.get(0, 0)
        s.ordinals[0] = first + n
        at.append(s.chunk(EVENTS, raw, stream=0, n_records=n, ts_min=lo, ts_max=hi, props=props,
                          first_ordinal=first))
    for size in (0, 8, 15, 17, 20, 23, 25, 32, 65535):
        bad(record(5, 1024, 1, bytes(8), size=size))
    bad(r + bytes(8))
    bad(r + r[:16])
    bad(r + r)
    bad(r, n=0)
    bad(r + record(5, 1024, 1, bytes(8), size=16))
    bad(r, lo=6)
    bad(r, hi=4)
    bad(tick(5, 1) + tick(4, 1), n=2, props=CRITICAL | SORTED)
    s.events(0, [tick(5, 1), tick(4, 1)])
    damaged("records-wrong", s.close(), *[("record", a) for a in at], events=2)
    s = begin()
    at = [filtered(s, 1, 24, ONE + b"\0\x0a\1\4", ts_max=4),
          filtered(s, 2, 48, ONE + b"\0\x0a\0\0\1\0", props=CRITICAL | SORTED)]
    damaged("records-wrong-filtered", s.close(), *[("record", a) for a in at], events=0)
    s = begin()
    s.chunk(EVENTS, tick(5, 1) + tick(5, 2), stream=0, n_records=2, ts_min=5, ts_max=5)
    s.chunk(EVENTS, tick(5, 1), stream=0, n_records=1, ts_max=U64, first_ordinal=2)
    accept("records-time-range", s.close(3), 3)


def sizes():
    s = begin()
    s.events(0, [record(i, 1024, 1) for i in range(65536)], lz4, [(1024, [])])
    accept("records-65536", s.close(), 65536, summary=True)
    s = begin(events=[dict(TICK, size=65528)])
    s.events(0, [record(i, 1024, 1, bytes(65512)) for i in range(16)]
             + [tick(17, 1), record(18, 1024, 1, bytes(88))], lz4)
    assert 16 * 65528 + 24 + 104 == 1 << 20
    accept("raw-len-1-mib", s.close(), 18, summary=True)
    n, rest = divmod(8 << 20, 16 + 64 * 127)
    last = [0xFF] * ((rest - 16) // 127) + [0x80 + (rest - 16) % 127]
    s = begin()
    s.events(0, [record(i, 1024, 1, bytes(64 * 127)) for i in range(n)]
             + [record(n, 1024, 1, bytes(rest - 16))], None, [(1024, [0xFF] * 64), (1024, last)])
    accept("rec-len-8-mib", s.close(), n + 1, summary=True)


def nest(depth, inner):
    for _ in range(depth - 1):
        inner = [inner]
    return inner


def cbor_limits():
    def chunk(value, bad):
        at = s.chunk(TABLE, cbor(value), codec=1)
        if bad:
            problems.append(("cbor", at))
    s, problems = begin(), []
    for depth, bad in ((15, False), (16, True)):
        chunk({"z": nest(depth, [])}, bad)
        chunk({"z": nest(depth, {})}, bad)
        chunk({"z": nest(depth - 1, {1: {}})}, bad)
        chunk({"z": nest(depth - 1, [0])}, False)
        chunk({"z": nest(depth, [0])}, bad)
    chunk(Coded(b"\x81" * 1000 + b"\0"), True)
    chunk(Coded(b"\x81" * 17 + b"\x9f"), True)
    damaged("cbor-depth", s.close(), *problems, events=0)
    s, problems = begin(), []
    chunk({"z": [0] * 65533}, False)
    chunk({"z": [0] * 65534}, True)
    chunk({"z": [{0: 0}] * 21844 + [0]}, False)
    chunk({"z": [{0: 0}] * 21844 + [0, 0]}, True)
    chunk({"z": [0] * 100000}, True)
    damaged("cbor-items", s.close(), *problems, events=0)
    s, problems = begin(), []
    chunk({"z": ["x" * 65536, bytes(65536)]}, False)
    chunk({"strings": {2: "x" * 65537}}, True)
    chunk({"z": bytes(65537)}, True)
    chunk({"z" * 65537: 1}, True)
    chunk({"z" * 65536: 1}, False)
    damaged("cbor-strings", s.close(), *problems, events=0)
    s = begin()
    s.item(LOSS, {"lost": Coded(head(4, 3) + b"".join(cbor([0, i, 1, i]) for i in (1, 2, 3)))})
    accept("loss-three", s.close(), 0)


for part in (codec, filter_wrong, records_wrong, sizes, cbor_limits):
    part()
