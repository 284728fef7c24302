# SPDX-License-Identifier: BSD-2-Clause
"""Sections recorded by words, right and wrong."""

from cases import accept, damaged
from cases_limits import filtered
from cases_packed import WIDE, mixed
from xtrgen import CRITICAL, NONE, SORTED, TICK, U64, begin, lz4, record, tick, varint, zstd_raw

WORDS = {"incompat": 4}
TICKS = [(1024, 24)]
BOTH = [(1025, 48), (1024, 24)]
FAR = (0, 1, 255, 256, 65534, 65535, 65536, NONE - 1, NONE, 1 << 32, 1 << 63, U64)


def ways():
    rows = mixed(40)
    s = begin(events=(TICK, WIDE), **WORDS)
    for form in (None, 0, 1):
        if form != 0:
            s.events(0, rows, None, BOTH, by={"form": form})
        s.events(1, rows[:1], None, BOTH, by={"form": form})
        s.events(1, [rows[0]] * 9, None, BOTH, by={"form": form if form is None else 1})
    s.events(2, rows, lz4, BOTH, by={"bases": [65534, 1]})
    same = [tick(5, 5, 3)] * 20
    s.events(0, same, None, TICKS, by={})
    s.events(0, same[:2], None, TICKS, by={"form": 0})
    s.events(0, [], None, TICKS, by={})
    s.events(0, [], None, [], by={})
    s.events(3, [record(i, 1, i % 2) for i in range(30)], None, [(1, 16)], by={})
    s.events(3, [record(9, 1030, 1, bytes(range(200)))] * 2, None, [(1030, 216)], by={})
    total = 2 * 40 + 3 + 27 + 40 + 20 + 2 + 30 + 2
    accept("words-ways", s.close(total), total)
    s = begin(**WORDS)
    for base in (0, 1, 300, 65534):
        at, rows = 0, []
        for d in FAR:
            at = at + d & U64
            rows.append(tick(at, d))
        s.events(0, rows, None, TICKS, by={"bases": [base]})
        s.events(1, rows, None, TICKS, by={"bases": [base], "far": 4})
        s.events(1, rows, None, TICKS, by={"bases": [base], "far": 8})
    accept("words-times", s.close(4 * 3 * len(FAR)), 4 * 3 * len(FAR))
    s = begin(**WORDS)
    s.events(0, [tick(i, i // 2, i // 3) for i in range(12)], None, TICKS, by={"minimal": False, "far": 8})
    accept("words-not-minimal", s.close(12), 12)
    s = begin()
    s.events(0, [tick(9, 1), tick(4, 2)], None, TICKS, by={})
    accept("words-without-flag", s.close(2), 2)
    s = begin(incompat=6)
    s.events(0, mixed(30), zstd_raw, BOTH, by={})
    accept("words-zstd", s.close(30), 30)


def limits():
    s = begin(**WORDS)
    s.events(0, [tick(i, i * i >> 9, i >> 9) for i in range(65536)], lz4, TICKS, by={})
    s.events(0, [record(i, 1100 + i, 1, bytes(16)) for i in range(128)], lz4, [(1100 + i, 32) for i in range(128)], by={})
    wide = [(1100 + i, 65528) for i in range(4)] + [(1200, 112)]
    rows = [record(i, k, 1, bytes([i + 1]) * (n - 16)) for i, (k, n) in enumerate(wide)]
    s.events(0, rows, lz4, wide, by={})
    total = 65536 + 128 + 5
    accept("words-at-limits", s.close(total), total, summary=True)


def layouts(*rows):
    return varint(len(rows)) + b"".join(varint(k) + varint(n) + varint(base) for k, n, base in rows)


ONE = layouts((1024, 24, 0))
HEADS = ONE + b"\1\0" + b"\1\7\1\0"  # layout 0, the same tid, 7 ns later
MASK = b"\1\0"


def wrong(name, items):
    """EVENTS chunks with filter 3 and payloads [(n_records, rec_len, bytes)], none of them right."""
    s = begin(**WORDS)
    problems = [("filter", filtered(s, n, rec_len, raw, filter=3)) for n, rec_len, raw in items]
    s.events(0, [tick(1, 1)])
    damaged(name, s.close(), *problems, events=1)


def words_wrong():
    s = begin(**WORDS)
    filtered(s, 1, 24, HEADS + MASK, filter=3)
    accept("words-by-hand", s.close(1), 1)
    wrong("words-layouts", [
        (0, 0, b""), (0, 0, varint(129) + b"\1\x10\0" * 129), (0, 0, ONE[:-1]), (0, 0, b"\x81\0" + ONE[1:]),
        (0, 0, layouts((65536, 24, 0))), (0, 0, layouts((1024, 20, 0))), (0, 0, layouts((1024, 8, 0))),
        (0, 0, layouts((1024, 0, 0))), (0, 0, layouts((1024, 65536, 0))), (0, 0, layouts((1024, 24, 65535))),
        (0, 0, layouts(*[(1024, 65528, 0)] * 4, (1024, 120, 0))), (0, 0, ONE + b"\0"), (0, 0, ONE + b"\1")])
    wrong("words-heads", [
        (1, 24, ONE), (1, 24, b"\0" + HEADS[len(ONE):] + MASK), (1, 24, ONE + b"\1\2" + HEADS[len(ONE) + 2:] + MASK),
        (1, 24, ONE + b"\1\xff" + HEADS[len(ONE) + 2:] + MASK), (1, 24, ONE + b"\2\0" + HEADS[len(ONE) + 2:] + MASK),
        (1, 16, HEADS + MASK), (1, 32, HEADS + MASK), (2, 48, HEADS + MASK), (2, 48, ONE + b"\0\0"), (0, 24, ONE)])
    wrong("words-times-missing", [
        (1, 24, ONE + b"\1\0"), (1, 24, ONE + b"\1\0\1\7"), (1, 24, ONE + b"\1\0\1\7\1"),
        (1, 24, ONE + b"\1\0\1\xff\1\xff" + MASK), (1, 24, ONE + b"\1\0\1\xff\1\xff" + b"\1\0" * 3),
        (1, 24, ONE + b"\1\0\1\xff\1\xff" + b"\1\xff" * 4 + b"\1\0" * 7), (1, 24, ONE + b"\1\1\1\7\1\0" + MASK)])
    wrong("words-words", [
        (1, 24, HEADS), (1, 24, HEADS + b"\1\4"), (1, 24, HEADS + b"\1\x80"), (1, 24, HEADS + b"\2\0"),
        (1, 24, HEADS + b"\1\1"), (1, 24, HEADS + b"\1\1" + b"\1\5" * 3), (1, 24, HEADS + b"\1\1" + b"\1\5" * 3 + b"\0\5"),
        (1, 24, HEADS + b"\1\1" + b"\1\5" * 5), (1, 24, HEADS + MASK + b"\0")])
    s = begin(**WORDS)
    at = [s.events(0, [tick(5, 1), tick(4, 1)], None, TICKS, by={}, props=CRITICAL | SORTED),
          s.events(0, [tick(5, 1)], None, TICKS, by={}, ts_max=4, ts_min=0)]
    damaged("words-records", s.close(3), *[("record", a) for a in at], events=0)


ways()
limits()
words_wrong()
