# SPDX-License-Identifier: BSD-2-Clause
"""Section 9: files of later and other writers, and what a reader of 1.0 does with them."""
import struct

from cases import accept, damaged, reject
from xtrgen import (CLOCK, CRITICAL, END, EVENTS, LOSS, META, PROPS, PROVIDER, ROUND, SORTED,
                    TABLE, TICK, TICKS, Section, begin, cbor, meta, record, small, tick)

EXTRA = {"zz-later": {"deep": [1, [2, {"x": None}], -5, b"\0"]}}


def chunks():
    for kind in (10, 0x7F, 0x80, 0xFF):
        s = begin()
        s.chunk(kind, b"whatever it is", codec=7, raw_len=99, stream=3, n_records=70000,
                first_ordinal=5, lost_total=6, ts_min=1, ts_max=2)
        s.events(0, [tick(1, 1)])
        accept("chunk-type-%02x" % kind, s.close(1), 1)
        s = small()
        at = s.chunk(kind, b"", props=CRITICAL)
        s.events(0, [tick(1000, 1)])
        reject("chunk-type-%02x-critical" % kind, s.close(8), "unknown-critical", at)
    s = small()
    at = s.chunk(10, b"payload", payload_crc=1)
    damaged("chunk-type-0a-payload-crc", s.close(7), ("payload-crc", at), events=7)
    s = begin()
    for kind in (META, EVENTS, TABLE, CLOCK, LOSS, ROUND, END):
        PROPS[kind] |= 0xF0
    s.events(0, [tick(1, 1)], props=CRITICAL | SORTED | 0xF0)
    s.item(TABLE, {"strings": {1: "x"}})
    s.chunk(ROUND, bytes(8))
    data = s.close(1)
    for kind in (META, EVENTS, TABLE, CLOCK, LOSS, ROUND, END):
        PROPS[kind] &= 0x0F
    accept("props-reserved-bits", data, 1)
    s = Section()
    s.item(META, meta(), props=0, n_records=9, first_ordinal=8, lost_total=7, ts_min=1, ts_max=9)
    s.events(0, [tick(1, 1)], props=0)
    accept("header-reserved-fields", s.close(1), 1)
    s = begin()
    s.chunk(ROUND, bytes(8))
    text = {"strings": {1: "xyz"}}
    assert len(cbor(text)) % 8
    s.item(TABLE, text, pad=b"\xff" * (-len(cbor(text)) % 8))
    s.events(0, [tick(1, 1)])
    accept("padding-not-zero", s.close(1), 1)


def keys():
    event = dict(TICK, fields=[TICK["fields"][0] + ["later", {"x": 1}]], **EXTRA)
    system = dict(meta()["system"], devices=[dict({"name": "d"}, **EXTRA)], **EXTRA)
    s = Section()
    s.item(META, meta([event], [dict(PROVIDER, **EXTRA)], system=system, format=[1, 99],
                      config=EXTRA, writer=dict(meta()["writer"], **EXTRA),
                      clock=dict(meta()["clock"], event="tsc", **EXTRA), **EXTRA))
    s.events(0, [tick(1, 1)])
    accept("keys-meta", s.close(1), 1)
    s = begin()
    s.item(TABLE, dict({"strings": {1: "x"}, "tasks": [[7, 7, 0, 1, 0xFFFFFFFF, 3, 1, "later"]],
                        "rings": [[1, 0, 0, 1, 1, 0, 5, 6]], "frames": {1: [1, 2, 1, 0, "file.c"]}},
                       **EXTRA))
    s.item(CLOCK, dict({"before": 1, "after": 2, "clocks": {"nptp": 3}}, **EXTRA))
    s.item(LOSS, dict({"lost": [[0, 0, 1, 1, "x"]], "gaps": [[0, 1, 2, 3, None]],
                       "filtered": [[0, 1, 2, []]]}, **EXTRA))
    s.item(END, dict({"events": 0, "lost": 1, "reason": "r", "recorder": EXTRA}, **EXTRA))
    accept("keys-others", s.data, 0)


def texts():
    s = Section()
    later = [dict(PROVIDER, attach="rust_tp"), dict(PROVIDER, id=2, state="sleeping")]
    s.item(META, meta(providers=later))
    accept("provider-texts", s.close(), 0)


def records():
    wide = dict(TICK, size=40, fields=[["a", 16, "u64", None, None, 8],
                                       ["b", 24, "u64", None, None, 8],
                                       ["c", 32, "u32", None, None, 4]])
    for name, layouts in (("raw", None), ("filtered", True)):
        rows = [record(i, 1024, 1, bytes(range(i, i + n))) for i, n in
                enumerate((0, 8, 16, 24, 32, 64))]
        s = begin(events=[wide])
        s.events(0, rows, None, layouts and [(1024, [8] * n) for n in range(9)])
        accept("record-sizes-" + name, s.close(6), 6)
    s = begin()
    s.events(0, [record(i, kind, 7, bytes([kind & 255]) * 16) for i, kind in
                 enumerate((0, 1, 15, 16, 999, 1023, 1025, 65535))], None,
             [(k, [8, 8]) for k in (0, 1, 15, 16, 999, 1023, 1025, 65535)])
    accept("record-types-unknown", s.close(8), 8)


def headers():
    for size in (72, 128, 4096):
        s = begin(size=size)
        s.events(0, [tick(1, 1)])
        accept("header-size-%d" % size, s.close(1), 1)
    for name, how in (("compat-flags", {"compat": 0x80000001}), ("minor-1", {"minor": 1}),
                      ("minor-65535", {"minor": 65535}), ("reserved", {"reserved": b"\xff" * 28}),
                      ("file-id-max", {"file_id": (1 << 64) - 1})):
        s = begin(**how)
        s.events(0, [tick(1, 1)], None, TICKS)
        accept("header-" + name, s.close(1), 1)
    for name, code, how in (
            ("major-0", "major", {"major": 0}), ("major-2", "major", {"major": 2}),
            ("major-65535", "major", {"major": 65535}), ("incompat-bit-3", "incompat", {"incompat": 8}),
            ("incompat-bit-31", "incompat", {"incompat": 1 << 31}),
            ("major-and-incompat", "major", {"major": 2, "incompat": 8}),
            ("major-and-size", "major", {"major": 3, "size": 0})):
        s = begin(**how)
        s.events(0, [tick(1, 1)])
        reject("header-" + name, s.close(1), code)


def sections():
    right = small().close(7)
    for name, how, code in (("major", {"major": 2}, "major"),
                            ("incompat", {"incompat": 8}, "incompat")):
        other = begin(0x77, **how)
        other.events(0, [tick(1, 1)])
        other = other.close(1)
        damaged("sections-%s-first" % name, other + right, (code, 0), events=7)
        damaged("sections-%s-last" % name, right + other, (code, len(right)), events=7)
        damaged("sections-%s-between" % name, right + other + right, (code, len(right)),
                events=14)
        reject("sections-%s-both" % name, other + other, code)
    s = begin(0x77)
    s.events(0, [tick(1, 1)], payload_crc=0)
    at = s.chunk(12, struct.pack("<Q", 5), props=CRITICAL)
    bad = s.close(1)
    damaged("sections-critical-first", bad + right, ("unknown-critical", at), events=7)
    damaged("sections-critical-last", right + bad, ("unknown-critical", len(right) + at),
            events=7)
    reject("sections-critical-and-damage", bad, "unknown-critical", at)


for part in (chunks, keys, texts, records, headers, sections):
    part()
