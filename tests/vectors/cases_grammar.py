# SPDX-License-Identifier: BSD-2-Clause
"""Section 6: CBOR that is not deterministic, payloads that break the grammar, one chunk for each."""
import struct

from cases import accept, damaged
from xtrgen import (ATTACH, CLOCK, END, LOSS, META, NONE, PROVIDER, ROUND, TABLE, TICK, U64,
                    Pairs, begin, cbor, fields, meta, record, tick)


def payloads(name, kind, code, items, codec=0):
    """A file with one chunk for each payload (bytes, or a value to encode), all of them wrong."""
    s = begin()
    problems = []
    for item in items:
        raw = item if isinstance(item, bytes) else cbor(item)
        problems.append((code, s.chunk(kind, raw, codec=codec)))
    s.item(TABLE, {"strings": {1: "still read"}})
    s.events(0, [tick(1, 1)])
    damaged(name, s.close(1), *problems, events=1)


def in_map(text):
    """Bytes (hex) as the value of an unknown key of a table."""
    return b"\xa1\x61\x7a" + bytes.fromhex(text)


def cbor_forms():
    table = cbor({"strings": {1: "x"}})
    payloads("cbor-ends", TABLE, "cbor", [
        b"", table[:-1], table[:1], table + b"\0", table + table, in_map("18"), in_map("19ff"),
        in_map("1a000100"), in_map("1b00000001000000"), in_map("42ff"), in_map("62c3"),
        in_map("81"), in_map("a101"), in_map("9affffffff"), in_map("9bffffffffffffffff"),
        in_map("bb8000000000000000"), in_map("5bffffffffffffffff"), in_map("7affffffff")])
    payloads("cbor-not-shortest", TABLE, "cbor", [
        in_map(x) for x in (
            "1800", "1817", "190000", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817",
            "3900ff", "3a0000ffff", "3b00000000ffffffff", "5801ff", "580161", "780161",
            "79000161", "9800", "b800", "b90000")])
    payloads("cbor-forms", TABLE, "cbor", [
        in_map(x) for x in (
            "1c", "1d", "1e", "1f", "3f", "5f41ffff", "7f6161ff", "9f00ff", "bf616100ff", "c000",
            "d81800", "dbffffffffffffffff00", "f90000", "fa00000000", "fb0000000000000000",
            "f97e00", "f7", "e0", "f3", "f820", "f8ff", "f814", "ff", "fc", "fd", "fe")])
    payloads("cbor-utf8", TABLE, "cbor", [
        in_map("%02x%s" % (0x60 + len(x) // 2, x))
        for x in ("00", "610061", "80", "bf", "c0af", "c080", "c1bf", "e08080", "e09fbf", "eda080",
                  "edbfbf", "f0808080", "f08fbfbf", "f4908080", "f5808080", "ff", "fe", "c3",
                  "e282", "f09f98", "c328", "e28228", "f09f9828")])
    accept_utf8()
    payloads("cbor-map-keys", TABLE, "cbor", [
        Pairs([("b", 1), ("a", 1)]), Pairs([("a", 1), ("a", 1)]), Pairs([("aa", 1), ("b", 1)]),
        {"z": Pairs([(2, 0), (1, 0)])}, {"z": Pairs([(24, 0), (23, 0)])},
        {"z": Pairs([("", 0), (0, 0)])}, {"z": Pairs([(0, 0), (0, 0)])},
        {"strings": Pairs([(2, "b"), (1, "a")])}, {"z": Pairs([([1], 0), ([1], 1)])}])
    payloads("cbor-in-lz4", TABLE, "cbor", [table + bytes(30), b"\x9f" * 20], codec=1)
    payloads("cbor-meta", META, "cbor", [cbor(meta())[:-1], b"\xff", b""])
    payloads("cbor-clock", CLOCK, "cbor", [b"\xbf\xff", b"\xa0\xa0"])
    payloads("cbor-loss", LOSS, "cbor", [b"\xbf\xff", b"\xc0\xa0"])
    payloads("cbor-end", END, "cbor", [b"", b"\xf9\0\0"])


def accept_utf8():
    s = begin()
    s.item(TABLE, {"z": ["", "\x01", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000",
                         "\uffff", "\U00010000", "\U0010ffff"]})
    s.item(TABLE, {"z": {0: 1, 23: 1, 24: 1, 255: 1, 256: 1, 65535: 1, 65536: 1, NONE: 1,
                         NONE + 1: 1, U64: 1, -1: 1, -24: 1, -25: 1, -U64 - 1: 1, b"": 1, "": 1,
                         None: 1}})
    s.item(TABLE, {"z": {True: 1, False: 1}})
    s.item(TABLE, {"z": [Pairs([([0], 1)]), Pairs([(Pairs([(1, 2)]), 1)])]})
    accept("cbor-right-forms", s.close(), 0)


def without(m, key):
    return {k: v for k, v in m.items() if k != key}


def field(**change):
    f = dict(name="n", at=16, rep="u64", unit=None, cls=None, size=8)
    f.update(change)
    return meta([dict(TICK, fields=[list(f.values())])])


def meta_grammar():
    m = meta()
    system = m["system"]
    payloads("meta-keys-missing", META, "meta", [without(m, k) for k in sorted(m)] + [
        meta(**{top: without(m[top], k)}) for top in ("clock", "system", "writer")
        for k in sorted(m[top])] + [meta([without(TICK, k)]) for k in sorted(TICK)] + [
            meta(providers=[without(PROVIDER, k)]) for k in sorted(PROVIDER)] + [
                meta(system=dict(system, devices=[{}]))])
    payloads("meta-types", META, "meta", [
        [], 1, "meta", None, {}, dict(m, format=[1]), dict(m, format=[1, 0, 0]),
        dict(m, format=[1, "0"]), dict(m, format=[-1, 0]), dict(m, config=[]),
        {**m, "config": {1: 1}}, dict(m, events={}), dict(m, providers=None), {**m, 5: 1},
        dict(m, writer={"name": "x", "version": 1}), dict(m, writer="x")])
    payloads("meta-providers", META, "meta", [meta(providers=[1])] + [
        meta(providers=[dict(PROVIDER, **c)]) for c in (
            {"id": -1}, {"id": NONE + 1}, {"why": 1}, {"module": None}, {"attach": 5},
            {"state": True}, {"name": b"x"}, {"target": 1})])
    payloads("meta-clock", META, "meta", [
        dict(m, clock=dict(m["clock"], **c)) for c in (
            {"boot-id": bytes(15)}, {"boot-id": bytes(17)}, {"boot-id": "0123456789abcdef"},
            {"event": b"monotonic"}, {"res-ns": -1}, {"res-ns": "1"})])
    payloads("meta-system", META, "meta", [
        dict(m, system=dict(system, **c)) for c in (
            {"cpus": NONE + 1}, {"page": None}, {"uname": ["a", "b"]}, {"hostname": None},
            {"uname": ["a", "b", "c", "d"]}, {"uname": ["a", "b", 1]}, {"hypervisor": 0},
            {"devices": {}}, {"devices": [{"name": 1}]}, {"devices": [{"name": "x", "nodes": "c"}]},
            {"devices": [{"name": "x", "nodes": [0]}]},
            {"devices": [{"name": "x", "driver": None}]}, {"machine-id": bytes(16)},
            {"devices": [{"name": "x", "uuid": 1}]}, {"devices": [{"name": "x", "model": None}]})])
    payloads("meta-events", META, "meta", [meta([dict(TICK, **c)]) for c in (
        {"type": 15}, {"type": 65536}, {"type": -1}, {"type": "1024"}, {"size": 8}, {"size": 20},
        {"size": 65536}, {"size": 25}, {"name": 1}, {"provider": NONE + 1}, {"provider": None},
        {"fields": {}}, {"fields": [1]}, {"fields": [[]]}, {"fields": [TICK["fields"][0][:5]]},
        {"size": 16})] + [meta([1])])
    payloads("meta-fields", META, "meta", [field(**c) for c in (
        {"name": 1}, {"at": 17}, {"at": -1}, {"at": NONE}, {"at": NONE + 1}, {"at": 24},
        {"size": 4}, {"size": 0}, {"size": 16}, {"size": NONE + 1}, {"size": "8"}, {"unit": 1},
        {"cls": 1}, {"rep": 1}, {"rep": None}, {"rep": []}, {"rep": [1]}, {"rep": {}},
        {"rep": "u32"}, {"rep": "ring"}, {"rep": "stack"}, {"rep": "bytes", "size": 0},
        {"rep": "str", "size": 0}, {"rep": "str", "size": 9}, {"rep": "strid", "size": 2},
        {"rep": "later", "size": 9}, {"rep": "later", "size": 0}, {"rep": ["enum"]},
        {"rep": ["enum", "u64"]}, {"rep": ["enum", "u63", {}]},
        {"rep": ["enum", "ring", {}], "size": 4}, {"rep": ["enum", "u32", {}]},
        {"rep": ["enum", "u64", {-1: "x"}]}, {"rep": ["enum", "u64", {"a": "x"}]},
        {"rep": ["enum", "u64", {1: 2}]}, {"rep": ["flags", "u64", []]},
        {"rep": ["flags", "bytes", {}]}, {"rep": ["flags", 1, {}]})])


def meta_right():
    s = begin(events=[
        dict(TICK, fields=[["ts", 0, "u64", "ns", None, 8], ["n", 16, "u64", None, None, 8],
                           ["half", 20, "u32", None, None, 4]]),
        dict(TICK, type=16, size=16, fields=[], provider=NONE),
        dict(TICK, type=65535, size=65528, fields=fields(("b", "bytes", 65512))),
        dict(TICK, type=1025), dict(TICK, type=1025, name="later:holds")],
              more={"config": {}})
    s.events(0, [tick(1, 1), record(2, 16, 1), record(3, 1025, 1, bytes(8))])
    accept("meta-right-extremes", s.close(3), 3)
    s = begin()
    at = s.item(META, meta([dict(TICK, type=1025), dict(TICK, size=20)], config={"not": 1}))
    s.events(0, [record(1, 1025, 1, bytes(8))])
    damaged("meta-all-or-nothing", s.close(1), ("meta", at), events=1)


def table_grammar():
    payloads("table-grammar", TABLE, "table", [
        [], None, {1: 2}, {"reset": 1}, {"reset": None}, {"strings": []}, {"strings": {0: "x"}},
        {"strings": {NONE + 1: "x"}}, {"strings": {-1: "x"}}, {"strings": {"1": "x"}},
        {"strings": {1: 2}}, {"strings": {1: None}}, {"stacks": {0: []}}, {"stacks": {1: 1}},
        {"stacks": {1: [NONE + 1]}}, {"stacks": {1: ["x"]}}, {"frames": {0: [1, 1, 1]}},
        {"frames": {1: [1, 1]}}, {"frames": {1: [1, 1, NONE + 1]}}, {"frames": {1: 5}},
        {"frames": [[1, 1, 1]]}, {"frames": {1: [1, 1, 1, "x"]}}, {"frames": {1: [1, 1, 1, NONE + 1]}}])
    payloads("table-lists", TABLE, "table", [
        {"tasks": {}}, {"tasks": [[1, 1, 1, 1]]}, {"tasks": [[NONE + 1, 1, 1, 1, 1]]},
        {"tasks": [[1, NONE + 1, 1, 1, 1]]}, {"tasks": [[1, 1, -1, 1, 1]]},
        {"tasks": [[1, 1, 1, NONE + 1, 1]]}, {"tasks": [[1, 1, 1, 1, "x"]]},
        {"tasks": [[1, 1, 1, 1, 1, "x"]]}, {"tasks": [[1, 1, 1, 1, 1, -1]]},
        {"tasks": [[1, 1, 1, 1, 1, 1, "/"]]}, {"tasks": [[1, 1, 1, 1, 1, 1, NONE + 1]]},
        {"rings": [[1, 1, 1, 1, 1]]}, {"rings": [[0, 1, 1, 1, 1, 1]]},
        {"rings": [[1, 1, 1, NONE + 1, 1, 1]]}, {"rings": [[1, 1, 1, 1, 1, -1]]},
        {"rings": {1: [1]}}, {"rings": [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 2]]}])
    s = begin()
    s.item(TABLE, {"strings": {1: "a", 2: b"b"}, "rings": [[1, 0, 5, 1, 2, 3]],
                   "stacks": {1: [1]}, "frames": {1: [1, 2, 3], 2: [1, 2, 3, 1]}})
    wrong = [s.item(TABLE, dict(t, strings={**t.get("strings", {}), 9: "lost"})) for t in (
        {"strings": {1: "b"}}, {"strings": {2: "bb"}}, {"rings": [[1, 0, 5, 1, 2, 4]]},
        {"rings": [[1, 1, 5, 1, 2, 3]]}, {"stacks": {1: [1, 1]}}, {"stacks": {1: []}},
        {"frames": {1: [1, 2, 4]}}, {"frames": {1: [1, 3, 3]}}, {"frames": {1: [1, 2, 3, 1]}},
        {"frames": {2: [1, 2, 3]}})]
    s.item(TABLE, {"strings": {1: b"a", 2: "b", 3: "c"}, "rings": [[1, 0, 5, 1, 2, 3, "later"]],
                   "frames": {1: [1, 2, 3, 0], 2: [1, 2, 3, 1, "later"]}})
    damaged("table-redefined", s.close(), *[("table", at) for at in wrong], events=0)


def others():
    payloads("clock-grammar", CLOCK, "clock", [
        {}, [], {"before": 1, "after": 2}, {"before": 1, "clocks": {}}, {"after": 1, "clocks": {}},
        {"before": 2, "after": 1, "clocks": {}}, {"before": -1, "after": 1, "clocks": {}},
        {"before": 1, "after": "2", "clocks": {}}, {"before": 1, "after": 2, "clocks": {1: 1}},
        {"before": 1, "after": 2, "clocks": {"realtime": -1}},
        {"before": 1, "after": 2, "clocks": {"other": "x"}},
        {"before": 1, "after": 2, "clocks": []}, {**{"before": 1, "after": 2, "clocks": {}}, 1: 1}])
    payloads("loss-grammar", LOSS, "loss", [
        [], 5, {"lost": {}}, {"lost": [1]}, {"lost": [[0, 0, 1]]}, {"lost": [[0, 0, 0, 1]]},
        {"lost": [[0, 0, 256, 1]]}, {"lost": [[0, 65536, 1, 1]]}, {"lost": [[NONE + 1, 0, 1, 1]]},
        {"lost": [[0, 0, 1, -1]]}, {"lost": [[0, 0, 1, None]]}, {"gaps": [[0, 2, 1, 1]]},
        {"gaps": [[0, 1, 2]]}, {"gaps": [[NONE + 1, 1, 2, 3]]}, {"gaps": [[0, -1, 2, 3]]},
        {"gaps": None}, {"filtered": [[0, 0]]}, {"filtered": [[0, 65536, 1]]},
        {"filtered": [[-1, 0, 1]]}, {"filtered": 1}, {7: 7},
        {"aged": 1}, {"aged": [[0, 0]]}, {"aged": [[0, 65536, 1]]}, {"aged": [[0, 0, -1]]},
        {"lost": [[0, 0, 1, 99]], "gaps": [[0, 2, 1, 1]]}])
    right = {"events": 1, "lost": 0, "reason": "r"}
    payloads("end-grammar", END, "end", [
        {}, [], without(right, "events"), without(right, "lost"), without(right, "reason"),
        dict(right, events=-1), dict(right, lost="0"), dict(right, reason=b"r"),
        dict(right, reason=None), dict(right, recorder=[]), dict(right, recorder={1: 1}),
        *[dict(right, recorder={k: "1"}) for k in ("bpf-run-count", "bpf-run-ns", "cpu-ns",
                                                   "ring-bytes", "ring-high")]])
    payloads("round-sizes", ROUND, "round", [b"", bytes(7), bytes(9), bytes(16)])
    payloads("attach-names", ATTACH, "attach", [
        b"", b"\1", struct.pack("<H", 0) + b"x", struct.pack("<H", 1),
        struct.pack("<H", 9) + b"12345678", struct.pack("<H", 256) + b"n" * 256,
        struct.pack("<H", 1) + b"\xff", struct.pack("<H", 3) + b"a\0b",
        struct.pack("<H", 3) + b"a/b", struct.pack("<H", 65535) + b"x",
        struct.pack("<H", 2) + b"\xc3x"])


for part in (cbor_forms, meta_grammar, meta_right, table_grammar, others):
    part()
