# SPDX-License-Identifier: BSD-2-Clause
"""Damage to headers and framing: section 3, 4, 4.1 and 7 of xtr.md."""
import struct

from cases import accept, damaged, reject
from xtrgen import (ATTACH, END, EVENTS, INDEX, META, NONE, TABLE,
                    Section, begin, cbor, meta, record, small, tick)

RIGHT = small().close(7)
# Where the chunks of RIGHT stand: META, EVENTS 0, 1, 0, END, INDEX; then the trailer.
_s = small()
_s.close(7)
PLACES = [a for a, _ in _s.all] + [len(RIGHT) - 32]
C0, C1, C2, C3, C_END, C_INDEX, TRAILER = PLACES
END_OF = len(RIGHT)


def poke(data, at, new):
    return data[:at] + new + data[at + len(new):]


def flip(data, at, bit=0):
    return poke(data, at, bytes([data[at] ^ 1 << bit]))


def no_file():
    reject("nothing", b"", "too-short")
    reject("one-byte", b"\x89", "too-short")
    reject("header-63-bytes", RIGHT[:63], "too-short")
    reject("zeros-64", bytes(64), "not-xtr")
    reject("zeros-1000", bytes(1000), "not-xtr")
    reject("text", b"This is not a trace.\n" * 10, "not-xtr")
    reject("text-mode-transfer", RIGHT[:64].replace(b"\r\n", b"\n") + bytes(20), "not-xtr")
    reject("header-flipped-alone", flip(RIGHT[:64], 30), "not-xtr")
    reject("header-size-alone", Section(size=56).data, "not-xtr")
    reject("file-id-zero", begin(0).close(), "not-xtr")
    reject("chunks-of-file-id-zero", bytes(64) + begin(0).close()[64:], "not-xtr")
    damaged("header-alone", RIGHT[:64], ("no-meta", 0), ("no-end", 64), events=0)


def headers():
    for name, at in (("magic", 0), ("magic-end", 7), ("major", 8), ("minor", 10), ("size", 12),
                     ("file-id", 16), ("incompat", 24), ("compat", 28), ("reserved", 40),
                     ("crc", 63)):
        damaged("header-flip-" + name, flip(RIGHT, at), ("header-crc", 0), events=7)
    damaged("header-zeroed", bytes(64) + RIGHT[64:], ("header-crc", 0), events=7)
    for size in (0, 56, 60, 65, 68, 4104, 0xFFFFFFF8):
        s = Section(size=size)
        s.data = s.data[:64]
        s.item(META, meta())
        s.events(0, [tick(1, 1)])
        damaged("header-size-%d" % size, s.close(1), ("header-crc", 0), events=1)
    s = begin(size=128)
    s.events(0, [tick(1, 1)])
    damaged("header-crc-size-128", flip(s.close(1), 60), ("header-crc", 0), ("lost-sync", 64),
            events=1)
    s = begin(0x55)
    s.file_id = 0x66
    s.events(0, [tick(1, 1)])
    s.events(0, [tick(2, 2)])
    body = s.close(2)
    at = s.all[1][0]
    damaged("header-crc-majority", flip(body, 60), ("header-crc", 0), ("no-meta", 0),
            ("lost-sync", 64), ("missing-chunks", at), events=2)


def between():
    for n in (1, 8, 63, 100):
        damaged("junk-first-%d" % n, b"j" * n + RIGHT, ("lost-sync", 0), events=7)
        damaged("junk-between-%d" % n, RIGHT + b"j" * n + RIGHT, ("lost-sync", END_OF), events=14)
        damaged("junk-last-%d" % n, RIGHT + b"j" * n, ("lost-sync", END_OF), events=7)
    second = len(RIGHT)
    damaged("second-header-damaged", RIGHT + flip(RIGHT, 20), ("header-crc", second), events=14)
    damaged("first-of-two-headers-damaged", flip(RIGHT, 20) + RIGHT, ("header-crc", 0), events=14)
    cut = small().data
    damaged("second-after-crash", cut + RIGHT, ("no-end", len(cut)), events=14)
    odd = cut[:-5]
    damaged("second-after-cut", odd + RIGHT, ("chunk-truncated", C3), ("no-end", len(odd)),
            events=12)
    tail = RIGHT[:TRAILER]
    damaged("second-header-damaged-after-crash", tail + flip(RIGHT, 9), ("lost-sync", TRAILER),
            ("chunk-order", TRAILER + C0), ("chunk-order", TRAILER + C1),
            ("chunk-order", TRAILER + C2), ("chunk-order", TRAILER + C3),
            ("chunk-order", TRAILER + C_END), ("chunk-order", TRAILER + C_INDEX), events=7)


def chunk_headers():
    s = small()
    bodies = (
        ("sync", {"sync": 0x435458D9}), ("type-0", {"type": 0}), ("file-id", {"file_id": 5}),
        ("header-crc", {"header_crc": 7}), ("stored-over", {"stored_len": (1 << 20) + 1,
                                                             "raw_len": (1 << 20) + 1}),
        ("raw-over", {"codec": 1, "raw_len": (1 << 20) + 1, "stored_len": 72}),
        ("rec-over", {"codec": 1, "filter": 1, "rec_len": (8 << 20) + 1, "raw_len": 72,
                      "stored_len": 72}),
        ("raw-differs", {"raw_len": 71, "rec_len": 71, "stored_len": 72}),
        ("rec-differs", {"rec_len": 64}), ("records-over", {"n_records": 5}),
        ("records-65537", {"n_records": 65537, "filter": 1, "rec_len": 8 << 20}),
        ("times", {"ts_min": 5, "ts_max": 4}), ("filter-of-table", {"type": TABLE, "filter": 1}))
    for name, over in bodies:
        s = small()
        at = s.events(0, [tick(300 + i, i) for i in range(3)], **over)
        after = s.events(0, [tick(400, 1)])
        damaged("chunk-header-" + name, s.close(11), ("lost-sync", at), ("missing-chunks", after),
                events=8)
    s = small()
    at = s.raw(b"\xd8XTC" * 30)
    damaged("chunk-headers-fake", s.close(7), ("lost-sync", at), events=7)
    s = small()
    at = s.raw(RIGHT[C1:C2 - 1])
    damaged("chunk-half-repeated", s.close(7), ("chunk-truncated", at), events=7)


def truncation():
    for name, at, problem in (
            ("header", C1 + 40, "lost-sync"), ("payload-none", C1 + 80, "chunk-truncated"),
            ("payload", C1 + 120, "chunk-truncated"), ("payload-last", C2 - 1, "chunk-truncated")):
        damaged("cut-" + name, RIGHT[:at], (problem, C1), ("no-end", at), events=0)
    damaged("cut-after-chunk", RIGHT[:C2], ("no-end", C2), events=3)
    damaged("cut-meta", RIGHT[:C0 + 200], ("no-meta", 0), ("chunk-truncated", C0),
            ("no-end", C0 + 200), events=0)
    accept("cut-trailer", RIGHT[:TRAILER], 7)
    damaged("cut-in-trailer", RIGHT[:-1], ("lost-sync", TRAILER), events=7)
    damaged("cut-in-index", RIGHT[:TRAILER - 8], ("chunk-truncated", C_INDEX), events=7)
    s = begin()
    at = s.item(TABLE, {"strings": {1: "x"}})
    end = s.here()
    unpadded = end - 8 + len(cbor({"strings": {1: "x"}})) % 8
    for n in (unpadded, unpadded + 1, end):
        damaged("cut-padding-%d" % (n - at), s.data[:n], ("no-end", n), events=0)
    damaged("cut-padding-too-much", s.data[:unpadded - 1], ("chunk-truncated", at),
            ("no-end", unpadded - 1), events=0)
    big = small()
    at = big.chunk(ATTACH, b"", stored_len=1 << 20, raw_len=1 << 20)
    damaged("stored-len-at-limit", big.data, ("chunk-truncated", at), ("no-end", big.here()),
            events=7)


def regions():
    damaged("flip-sync", flip(RIGHT, C2), ("lost-sync", C2), ("missing-chunks", C3), events=5)
    damaged("flip-length", flip(RIGHT, C2 + 24, 3), ("lost-sync", C2), ("missing-chunks", C3),
            events=5)
    damaged("flip-payload", flip(RIGHT, C2 + 90), ("payload-crc", C2), events=5)
    damaged("flip-meta", flip(RIGHT, C0 + 90), ("no-meta", 0), ("payload-crc", C0), events=7)
    damaged("flip-end", flip(RIGHT, C_END + 85), ("payload-crc", C_END), events=7)
    damaged("flip-index", flip(RIGHT, C_INDEX + 85), ("payload-crc", C_INDEX), events=7)
    damaged("flip-trailer", flip(RIGHT, TRAILER + 3), ("lost-sync", TRAILER), events=7)
    damaged("zeroed-payload", poke(RIGHT, C1 + 80, bytes(72)), ("payload-crc", C1), events=4)
    damaged("zeroed-chunk", poke(RIGHT, C1, bytes(C2 - C1)), ("lost-sync", C1),
            ("missing-chunks", C2), events=4)
    damaged("zeroed-two", poke(RIGHT, C1 + 8, bytes(C3 - C1)), ("lost-sync", C1),
            ("missing-chunks", C_END), events=0)
    damaged("removed-chunk", RIGHT[:C1] + RIGHT[C2:], ("missing-chunks", C1), events=4)
    damaged("removed-first", RIGHT[:C0] + RIGHT[C1:], ("no-meta", 0), ("missing-chunks", C0),
            events=7)
    damaged("removed-in-payload", RIGHT[:C1 + 100] + RIGHT[C1 + 103:], ("chunk-truncated", C1),
            ("missing-chunks", C2 - 3), events=4)
    damaged("removed-one-byte", RIGHT[:C1 + 100] + RIGHT[C1 + 101:], ("chunk-truncated", C1),
            ("missing-chunks", C2 - 1), events=4)
    damaged("inserted-one-byte", RIGHT[:C1 + 100] + b"?" + RIGHT[C1 + 100:], ("payload-crc", C1),
            ("lost-sync", C2), events=4)
    damaged("inserted-between", RIGHT[:C1] + b"???" + RIGHT[C1:], ("lost-sync", C1), events=7)
    damaged("duplicated", RIGHT[:C2] + RIGHT[C1:C2] + RIGHT[C2:], ("chunk-order", C2), events=7)
    swapped = RIGHT[:C1] + RIGHT[C2:C3] + RIGHT[C1:C2] + RIGHT[C3:]
    damaged("swapped", swapped, ("missing-chunks", C1), ("chunk-order", C1 + C3 - C2), events=4)
    dup = RIGHT[:C2] + flip(RIGHT[C1:C2], 100) + RIGHT[C2:]
    damaged("duplicated-and-damaged", dup, ("chunk-order", C2), events=7)
    s = begin()
    at = s.chunk(EVENTS, b"", seq=0)
    s.seq = 1
    s.events(0, [tick(1, 1)])
    damaged("seq-twice", s.close(1), ("chunk-order", at), events=1)
    s = begin()
    at = s.events(0, [tick(1, 1)], seq=NONE)
    last = s.item(END, {"events": 1, "lost": 0, "reason": ""}, seq=3)
    damaged("seq-largest", s.data, ("missing-chunks", at), ("chunk-order", last),
            ("no-end", s.here()), events=1)


def forged():
    inner = begin(0x5A5A)
    inner.events(0, [tick(666, 666)])
    inner = inner.data[64:]
    s = small()
    s.chunk(ATTACH, struct.pack("<H", 6) + b"forged" + inner)
    accept("forged-in-attach", s.close(7), 7)
    s = small()
    at = s.chunk(ATTACH, struct.pack("<H", 6) + b"forged" + inner, header_crc=1)
    damaged("forged-in-damaged-attach", s.close(7), ("lost-sync", at),
            ("missing-chunks", s.all[5][0]), events=7)
    s = small()
    whole = struct.pack("<H", 6) + b"forged" + RIGHT
    s.chunk(ATTACH, whole)
    accept("whole-file-in-attach", s.close(7), 7)
    s = begin()
    at = s.events(0, [record(t, 1024, 1, inner[:80] + inner[80:240]) for t in (1, 2)],
                  payload_crc=99)
    damaged("forged-in-damaged-events", s.close(2), ("payload-crc", at), events=0)


def ordinals():
    def chunk(first, n=1, **over):
        return s.events(0, [tick(500 + i, i) for i in range(n)], first_ordinal=first, **over)
    s = small()
    at = chunk(4)
    chunk(5)
    damaged("ordinal-smaller", s.close(), ("ordinal", at), events=9)
    s = small()
    at = chunk(6)
    damaged("ordinal-larger", s.close(), ("ordinal", at), events=8)
    s = small()
    at = chunk(6, seq=5)
    chunk(7)
    damaged("ordinal-larger-after-missing", s.close(), ("missing-chunks", at), events=9)
    s = small()
    gap = s.events(1, [tick(1, 1)], seq=5)
    chunk(9)
    damaged("ordinal-missing-elsewhere", s.close(), ("missing-chunks", gap), events=9)
    s = small()
    chunk(5, seq=4)
    gap = s.events(1, [tick(1, 1)], seq=6)
    at = s.events(1, [tick(1, 1)], first_ordinal=9)
    damaged("ordinal-larger-long-after", s.close(), ("missing-chunks", gap), ("ordinal", at),
            events=10)
    s = begin()
    at = chunk(1)
    damaged("ordinal-first-not-0", s.close(), ("ordinal", at), events=1)
    s = begin()
    at = chunk((1 << 64) - 1)
    chunk(0)
    damaged("ordinal-wraps", s.close(), ("ordinal", at), events=2)
    s = begin()
    at = chunk(0, 2, payload_crc=5)
    chunk(2)
    damaged("ordinal-counts-damaged-payload", s.close(), ("payload-crc", at), events=1)


def no_meta_no_end():
    s = Section()
    s.events(0, [tick(1, 1), record(2, 17, 9, bytes(range(32)))])
    damaged("no-meta", s.close(2), ("no-meta", 0), events=2)
    s = small()
    damaged("no-end", s.data, ("no-end", s.here()), events=7)
    s = small()
    s.end(7)
    s.events(0, [tick(900, 1)])
    accept("events-after-end", s.data, 8)
    s = small()
    s.end(7)
    s.item(END, {"events": 7, "lost": 0, "reason": "second"})
    accept("end-twice", s.data, 7)
    s = small()
    at = s.item(END, {"events": 7})
    damaged("end-damaged", s.data, ("end", at), events=7)


def index():
    def wrong(name, **how):
        t = small()
        t.end(7)
        at = t.index(**how)
        t.trailer()
        damaged("index-" + name, t.data, ("index", at), events=7)
    s = small()
    s.end(7)
    good = list(s.entries)
    wrong("prev", prev=8)
    wrong("prev-of-section", prev=C0)
    wrong("short", entries=good[:-1])
    wrong("long", entries=good + good[:1])
    wrong("empty", entries=[])
    wrong("count-low", count=4)
    wrong("count-high", count=6)
    wrong("count-huge", count=NONE)
    wrong("order", entries=[good[1], good[0]] + good[2:])
    for i, what in ((0, "offset"), (8, "type"), (9, "codec"), (12, "stream"), (16, "ts-min"),
                    (24, "ts-max"), (32, "n-records"), (36, "seq")):
        wrong("entry-" + what, entries=good[:2] + [flip(good[2], i)] + good[3:])
    s = small()
    s.end(7)
    s.index(entries=[flip(e, 10) for e in good])
    s.trailer()
    accept("index-entry-reserved", s.data, 7)
    s = small()
    at = s.chunk(INDEX, b"")
    damaged("index-no-bytes", s.close(7), ("index", at), events=7)
    s = small()
    at = s.index(entries=[])
    damaged("index-first-wrong", s.close(7), ("index", at), events=7)
    damaged("index-twice-one-damaged", poke(RIGHT[:TRAILER], C1, bytes(80)) + RIGHT[TRAILER:],
            ("lost-sync", C1), ("missing-chunks", C2), events=4)
    for name, how in (("offset", {"offset": 8}), ("length", {"length": 8}), ("count", {"count": 9})):
        s = small()
        s.end(7)
        s.index()
        at = s.trailer(**how)
        damaged("trailer-" + name, s.data, ("index", at), events=7)
    for name, how in (("file-id", {"file_id": 1}), ("crc", {"crc": 1}),
                      ("magic", {"magic": b"XTRF"})):
        s = small()
        s.end(7)
        s.index()
        at = s.trailer(**how)
        damaged("trailer-" + name, s.data, ("lost-sync", at), events=7)
    s = small()
    s.end(7)
    junk = s.raw(b"junk")
    s.trailer(offset=0x5DD8)
    damaged("trailer-after-junk", s.data + b"junk", ("lost-sync", junk), ("lost-sync", s.here()),
            events=7)
    s = small()
    s.end(7)
    at = s.trailer(offset=C1)
    damaged("trailer-index-that-is-none", s.data, ("index", at), events=7)


for part in (no_file, headers, between, chunk_headers, truncation, regions, forged, ordinals,
             no_meta_no_end, index):
    part()
