# SPDX-License-Identifier: BSD-2-Clause
"""What a right file can hold: contents, codecs, filters, tables, clocks, losses, sections."""
import os
import re
import struct

from cases import accept
from xtrgen import (ATTACH, CLOCK, CRITICAL, LOSS, LOSS_BEFORE, META, NONE, ROUND, SORTED, TABLE,
                    TICK, TICKS, U64, Section, begin, cbor, fields, lz4, lz4_literals, meta, record,
                    small, tick)

# ---- the events of events.md, read from its table ------------------------------------------------

EVENTS_MD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../spec/events.md")
WIDTH = {"u64": 8, "hex64": 8, "u32": 4, "s32": 4, "ring": 4, "stack": 4, "strid": 4}
NAMED = {
    "flags:u32": ["flags", "u32", {1: "kthread", 2: "client-known", 4: "dep-signaled", 8: "dep-scheduled", 16: "hw-fence", 32: "hw-signaled",
                            64: "others"}],
    "enum:u32": ["enum", "u32", {0: "full", **{k: f"1/{2 ** k}" for k in range(1, 9)}, 9: "counted"}],
}

# Of fields with flags of their own.
OWN = {"known": ["flags", "u32", {1: "off", 2: "waited"}]}


def builtin_events():
    """META's event maps for the rows `| type | name | size | fields |` of events.md."""
    rows = {}
    with open(EVENTS_MD, encoding="utf-8") as f:
        for line in f:
            m = re.match(r"\| (\d+) \| (\S+) \| (\d+) \| (.+) \|$", line)
            if m:
                rows[int(m[1])] = (m[2], int(m[3]), m[4])
    out = []
    for kind, (name, size, text) in sorted(rows.items()):
        same = re.match(r"as (\d+)$", text)
        parts = [p.split() for p in (rows[int(same[1])][2] if same else text).split(" · ")]
        spec = [[f, int(at), OWN.get(f, NAMED.get(r, r)), None, "plain", WIDTH["u32" if r in NAMED else r]] for at, f, r in parts]
        out.append({"type": kind, "name": name, "size": size, "fields": spec, "provider": 1})
    return out


def builtin_records():
    """One record of each built-in event, every field another number."""
    out = []
    for i, e in enumerate(builtin_events()):
        payload = bytearray(e["size"] - 16)
        for k, (_, at, _, _, _, width) in enumerate(e["fields"]):
            value = (k + 1) * 3 + i if width == 8 else (k % 2 + 1)
            payload[at - 16:at - 16 + width] = value.to_bytes(width, "little")
        out.append(record(1000 + 10 * i, e["type"], 40 + i % 2, bytes(payload)))
    return out


BUILTIN_LAYOUTS = [(e["type"], [f[5] for f in e["fields"]]) for e in builtin_events()]
TABLES = {
    "frames": {1: [3, 16, 4], 2: [0, 0xFFFFFFFF81000000, 0], 3: [3, 16, 4, 7]},
    "rings": [[1, 0, 0xABCDEF, 1, 2, 4], [2, 5, U64, 1, 5, 0]],
    "stacks": {1: [1, 2], 2: []},
    "strings": {1: "0000:03:00.0", 2: "gfx_0.0.0", 3: "ioctl", 4: "vmlinux", 5: "sdma0", 6: "game",
                7: "0123456789abcdef0123456789abcdef01234567"},
    "tasks": [[40, 39, 0, 6, 0, 0], [41, 41, 1050, 4, 1, 1049]],
}


def contents():
    s = begin()
    accept("empty", s.close(), 0)
    s = begin()
    s.events(0, [tick(5, 1)])
    accept("one-event", s.close(1), 1)
    s = begin()
    s.events(0, [])
    accept("chunk-of-no-events", s.close(), 0)
    s = small()
    accept("small", s.close(7), 7)
    s = begin()
    s.events(0, [tick(30, 1), tick(10, 2), tick(20, 3)])
    accept("unsorted-chunk", s.close(3), 3)
    s = begin()
    s.events(0, [tick(10, 1), tick(10, 2), tick(11, 3)], props=CRITICAL | SORTED | LOSS_BEFORE,
             lost_total=9)
    accept("sorted-equal-times", s.close(3, 9), 3)
    s = begin()
    for stream in (0, 1, 2, 63, 4095, 0xFFFFFFFE):
        s.events(stream, [tick(stream, stream)])
    accept("many-streams", s.close(6), 6)
    s = begin()
    s.events(NONE, [tick(1, 1)])
    accept("stream-none", s.close(1), 1)
    s = begin()
    s.events(0, [tick(0, 0, tid=0), tick(U64, U64, tid=NONE)])
    accept("extreme-values", s.close(2), 2)
    s = begin()
    for i in range(4):
        s.chunk(ROUND, struct.pack("<Q", 100 * i))
        s.events(0, [tick(100 * i, i)])
    accept("rounds", s.close(4), 4)
    s = begin()
    s.chunk(CLOCK, cbor({"before": 10, "after": 12, "clocks": {
        "boottime": 1010, "realtime": 1700000000000000000, "tai": 5, "monotonic-raw": 6}}))
    s.chunk(CLOCK, cbor({"before": 20, "after": 20, "clocks": {}}))
    accept("clocks", s.close(), 0)
    s = begin()
    s.chunk(ATTACH, struct.pack("<H", 5) + b"a.txt" + b"hello\n")
    s.chunk(ATTACH, struct.pack("<H", 6) + "ä.bin".encode() + bytes(70), codec=1)
    s.chunk(ATTACH, struct.pack("<H", 1) + b"e")
    accept("attach", s.close(), 0)
    s = begin()
    s.chunk(ATTACH, struct.pack("<H", 255) + b"n" * 255 + b"\x89XTR\r\n\x1a\n")
    accept("attach-name-255", s.close(), 0)


def example():
    """The file of xtr.md section 11."""
    s = begin(0x0807060504030201)
    s.events(1, [tick(1000000, 1, tid=42), tick(1000250, 2, tid=42)], None, TICKS)
    s.end(2)
    accept("example", s.data, 2)


def builtins():
    for name, layouts, codec in (("raw", None, None), ("filtered", BUILTIN_LAYOUTS, lz4)):
        s = begin(events=builtin_events())
        s.item(TABLE, TABLES)
        records = builtin_records()
        s.events(3, records, codec, layouts)
        accept("builtin-events-" + name, s.close(len(records)), len(records))


def codecs():
    records = [tick(1000 + 7 * i, i * i, tid=7 + i % 3) for i in range(12)]
    for codec, fn in (("none", None), ("lz4-literals", lz4_literals), ("lz4-matches", lz4)):
        for name, layouts in (("raw", None), ("filtered", TICKS)):
            s = begin()
            s.events(0, records, fn, layouts)
            accept("codec-%s-%s" % (codec, name), s.close(12), 12)
    s = begin()
    s.chunk(TABLE, cbor({"strings": {i: "name %d" % (i // 2) for i in range(1, 9)}}), codec=1)
    s.chunk(LOSS, cbor({"lost": [[0, 0, 1, 5]] * 9}), codec=1)
    s.end()
    s.index(codec=0)
    accept("codec-lz4-table-loss", s.data, 0)
    s = Section()
    s.chunk(META, cbor(meta()), codec=1)
    s.chunk(CLOCK, cbor({"before": 1, "after": 2, "clocks": {"realtime": 4}}), codec=1)
    s.chunk(ROUND, lz4_literals(bytes(8)), codec=1, raw_len=8)
    accept("codec-lz4-everywhere", s.close(), 0)
    s = begin()
    s.events(0, [], lz4_literals)
    accept("codec-lz4-empty", s.close(), 0)
    s = begin()
    data = bytes(range(8)) * 2 + b"\0" * 300 + b"abc" * 40 + bytes(range(24)) * 2 + b"!"
    s.chunk(ATTACH, struct.pack("<H", 1) + b"a" + data, codec=1)
    accept("lz4-overlapping-matches", s.close(), 0)


def filters():
    s = begin(events=[dict(TICK, size=80, fields=fields(
        ("a", "u8", 1), ("b", "s8", 1), ("c", "u16", 2), ("d", "s32", 4), ("e", "bytes", 5),
        ("f", "hex8", 1), ("g", "s16", 2), ("h", "u64", 8), ("i", "str", 32), ("j", "s64", 8)))])
    widths = [1, 1, 2, 4, 0x85, 1, 2, 8, 0xA0, 8]
    rows = [struct.pack("<BbHi5sBhQ32sq", *v) for v in (
        (255, -128, 65535, -2**31, b"\0\xff\1\2\3", 0, -2**15, U64, b"text", -2**63),
        (0, 127, 0, 2**31 - 1, b"\0\xff\1\2\3", 255, 2**15 - 1, 0, b"t" * 32, 2**63 - 1),
        (128, 0, 32768, 0, b"12345", 128, 0, 2**63, b"", 0), (128, 0, 32768, 0, b"12345", 128, 0,
                                                                2**63, b"", 0))]
    records = [record(t, 1024, tid, row) for t, tid, row in zip(
        (U64, 0, 2**63, 2**63 - 1), (NONE, 0, 2**31, 2**31), rows)]
    s.events(0, records, None, [(1024, widths)])
    accept("filter-widths-and-wraps", s.close(4), 4)
    s = begin()
    rows = [tick(i, 1 << i % 64, tid=i % 2) for i in range(8)]
    s.events(0, rows, None, [(1024, [8]), (1024, [4, 4]), (1024, [0x81, 1, 2, 0x84]), (1030, [])],
             choose=lambda i: i % 3)
    accept("filter-layouts-of-one-type", s.close(8), 8)
    s = begin()
    s.events(0, [tick(1, 1), record(2, 1031, 7), tick(3, 2)], None, [(1024, [8]), (1031, [])])
    accept("filter-no-fields", s.close(3), 3)
    s = begin()
    s.events(0, [record(i, 1024, 1, bytes([i]) * 64) for i in range(3)], None, [(1024, [1] * 64)])
    accept("filter-64-fields", s.close(3), 3)
    s = begin()
    s.events(0, [record(i, 1024, 1, bytes([i]) * 128) for i in range(2)], None,
             [(1024, [0xFF, 1])])
    accept("filter-bytes-127", s.close(2), 2)
    s = begin()
    s.events(0, [record(i, 1100 + i, 1) for i in (0, 1023)], lz4,
             [(1100 + i, []) for i in range(1024)])
    accept("filter-1024-layouts", s.close(2), 2)
    s = begin()
    s.events(0, [], None, [])
    accept("filter-nothing", s.close(), 0)


def tables():
    s = begin(events=[dict(TICK, size=48, fields=fields(
        ("s4", "strid", 4), ("r", "ring", 4), ("k", "stack", 4), ("u", "u32", 4),
        ("s8", "strid", 8), ("n", "u64", 8)))])
    s.events(0, [record(i, 1024, 40, struct.pack("<IIIIQQ", i, i, i, i, i if i != 3 else U64, i))
                 for i in range(4)])
    s.item(TABLE, TABLES)
    accept("table-lookups", s.close(4), 4)
    s = begin()
    for _ in range(2):
        s.item(TABLE, dict(TABLES, reset=True))
    s.item(TABLE, {"reset": False, "strings": {1: b"0000:03:00.0", 9: "nine"}})
    accept("table-repeated", s.close(), 0)
    s = begin()
    s.item(TABLE, {"strings": {1: b"\xff\xfe", 2: b"a\0b", 3: "", 4: "ä€😀", 5: b"", NONE: "last",
                               6: "\"\\\n\x7f\x01/", 7: b"\xed\xa0\x80", 8: b"\xc0\x80",
                               9: b"\xf4\x90\x80\x80", 10: b"\xe2\x82", 11: "\U0010ffff"}})
    accept("table-strings", s.close(), 0)
    s = begin()
    s.item(TABLE, {"strings": {1: "a", 2: "b"}, "tasks": [
        [7, 6, 100, 1, 0], [7, 6, 50, 2, 1], [7, 5, 100, 2, 0], [8, 8, 0, 99, 0], [9, 9, 0, 0, 0]]})
    s.events(0, [tick(t, t) for t in (10, 50, 99, 100, 101)])
    s.events(1, [tick(5, 1, tid=8), tick(6, 2, tid=9), tick(7, 3, tid=10)])
    accept("table-tasks", s.close(8), 8)
    s = begin()
    s.item(TABLE, {"strings": {1: "a", 2: "b"}, "tasks": [  # a number given twice; one without start
        [7, 7, 10, 1, 0, 9], [7, 7, 60, 2, 0, 55], [8, 7, 70, 2, 0, 55], [9, 9, 0, 1, 0],
        [9, 9, 90, 1, 0, U64]]})
    s.events(0, [tick(t, t) for t in (10, 59, 60, 70)])
    s.events(1, [tick(75, 1, tid=8), tick(80, 2, tid=9), tick(95, 3, tid=9)])
    accept("table-tasks-start", s.close(7), 7)
    s = begin()
    pod = "/kubepods.slice/kubepods-pod1.slice/cri-containerd-2.scope"
    s.item(TABLE, {"strings": {1: "a", 2: pod, 3: "/", 4: b"/\xff"}, "tasks": [
        [7, 7, 10, 1, 0, 9, 2], [7, 7, 20, 1, 0, 9, 0], [8, 8, 30, 1, 0, 0, 3],
        [9, 9, 40, 1, 0, 8, 4, "later"], [10, 10, 50, 1, 0, 8, NONE]]})
    s.events(0, [tick(t, t, tid=7) for t in (10, 20)])
    accept("table-tasks-cgroup", s.close(2), 2)
    s = begin()
    s.item(TABLE, {})
    s.item(TABLE, {"strings": {}, "tasks": [], "rings": [], "stacks": {}, "frames": {}})
    accept("table-empty", s.close(), 0)


def losses():
    s = begin()
    for cause in range(1, 6):
        s.item(LOSS, {"lost": [[cause % 2, 1024, cause, 10 * cause]]})
    accept("loss-causes", s.close(0, 150), 0)
    s = begin()
    s.item(LOSS, {"lost": [[0, 0, 1, 5], [1, 17, 2, 6]], "gaps": [[0, 50, 60, 5]],
                  "filtered": [[0, 17, 1000]]})
    s.item(LOSS, {"lost": [[0, 0, 1, 9]], "gaps": [[1, 55, 55, 6], [0, 10, 20, 4]],
                  "filtered": [[0, 17, 2000], [1, 18, 1]]})
    accept("loss-gaps-replaced", s.close(0, 15), 0)
    s = begin()
    s.item(LOSS, {"lost": [[0, 1, 6, 1], [0, 1, 255, 2], [NONE, 65535, 1, U64]],
                  "gaps": [[0, 5, 5, 0], [NONE, 0, U64, U64]]})
    accept("loss-extremes", s.close(), 0)
    s = begin()
    s.item(LOSS, {})
    accept("loss-empty", s.close(), 0)
    s = begin()
    s.item(LOSS, {"lost": [[0, 1, 1, 5], [0, 2, 1, 6]], "filtered": [[0, 1, 7]]})
    s.item(LOSS, {"lost": [[0, 1, 1, 0], [0, 3, 1, 0]], "filtered": [[0, 1, 0], [0, 2, 0]]})
    accept("loss-zero", s.close(), 0)
    s = begin()
    s.item(LOSS, {"aged": [[0, 0, 1000], [1, 17, 5]], "lost": [[0, 17, 1, 2]], "filtered": [[0, 17, 3]]})
    s.item(LOSS, {"aged": [[0, 0, 1500], [2, 0, U64]]})
    accept("loss-aged", s.close(0, 2), 0)


def sections():
    a, b = small(), begin(0x99)
    b.events(0, [tick(5, 5)])
    accept("two-sections", a.close(7) + b.close(1), 8)
    accept("two-sections-same-id", small().close(7) + small().close(7), 14)
    s = begin()
    s.item(META, meta(events=[TICK, dict(TICK, type=1025, name="test:tock")], config={"a": 1}))
    s.events(0, [tick(1, 1), record(2, 1025, 1, bytes(8))])
    s.item(META, meta(events=[dict(TICK, type=1026, name="test:tack")], config={"b": "x"},
                      providers=[{"attach": "tp", "id": 2, "name": "x", "state": "refused",
                                  "target": "y", "why": "no", "module": "m"}]))
    accept("meta-extended", s.close(2), 2)
    s = begin()
    s.item(META, meta(events=[dict(TICK, name="test:new")], config={"a": 2},
                      writer={"name": "other", "version": "2"}))
    s.events(0, [tick(1, 1)])
    accept("meta-replaced", s.close(1), 1)
    s = Section()
    s.events(0, [tick(1, 1)])
    s.item(META, meta())
    accept("meta-last", s.close(1), 1)
    s = small()
    s.index()
    s.item(TABLE, {"strings": {1: "x"}})
    accept("index-twice", s.close(7), 7)
    s = small()
    s.end(7)
    accept("no-index", s.data, 7)
    s = small()
    s.end(7)
    s.trailer()
    accept("trailer-without-index", s.data, 7)
    s = small()
    s.end(7)
    s.index()
    accept("index-without-trailer", s.data, 7)
    s = small()
    s.end(7, recorder={"cpu-ns": 1, "ring-bytes": 2, "ring-high": 3, "bpf-run-ns": 4,
                       "bpf-run-count": 5})
    accept("end-recorder-cost", s.data, 7)
    s = small()
    s.end(7, recorder={"cpu-ns": 9, "later": "x"})
    accept("end-recorder-part", s.data, 7)


def devices():
    s = Section()
    device = {"name": "0000:03:00.0", "driver": "amdgpu", "pci-id": "1002:73bf",
              "driver-version": "3.59", "firmware": "v1", "nodes": ["card0", "renderD128"]}
    system = {"cpus": 16, "page": 16384, "uname": ["6.17", "#2", "aarch64"], "hostname": "h",
              "hypervisor": "kvm", "devices": [device, {"name": "accel0"}]}
    s.item(META, meta(system=system, config={"rings": 4, "bb": "text", "z": -1, "l": [1], "a": U64,
                                             "t": True, "ä": 1}))
    s.item(META, meta(system=dict(system, devices=[dict(device, firmware="v2"), {"name": "b"}])))
    accept("meta-devices-config", s.close(), 0)
    s = Section()
    device = {"name": "0000:65:00.0", "driver": "nvidia", "pci-id": "10de:2330",
              "subsystem": "10de:16c1", "revision": "a1", "model": "NVIDIA H100 80GB HBM3",
              "driver-version": "570.1", "driver-srcversion": "0123456789ABCDEF01234567",
              "vbios": "96.00.74.00.01", "uuid": "GPU-1"}
    system = dict(system, devices=[device, {"name": "a", "uuid": ""}], **{"machine-id": "0f" * 16})
    s.item(META, meta(system=system, config={"label:cluster": "eu-1", "label:a/b": "",
                                             "label:c": 1, "rings": 2}))
    accept("meta-identity", s.close(), 0)


def representations():
    names = {0: "zero", 1: "one", 4: "four", U64: "minus"}
    specs = [(k + str(8 * w), k + str(8 * w), w) for k in ("u", "s", "hex") for w in (8, 4, 2, 1)]
    specs += [("e", ["enum", "u8", names], 1), ("es", ["enum", "s16", names], 2),
              ("f", ["flags", "hex32", {0: "none", 1: "one", 6: "six", 8: "eight"}], 4),
              ("str", "str", 6), ("bytes", "bytes", 6), ("unit", "u32", 4, "ns", "kptr"),
              ("new", "u128", 4, "pages", "secret"), ("newer", ["set", 1, {}], 2),
              ("uptr", "u8", 1, None, "uptr"), ("pid", "u8", 1, None, "pid"),
              ("name", "u8", 1, None, "name"), ("path", "u8", 1, None, "path"),
              ("user", "u8", 1, None, "user-data")]
    width = sum(x[2] for x in specs)
    size = 16 + (width + 7) // 8 * 8
    s = begin(events=[dict(TICK, size=size, fields=fields(*specs))])
    rows = [bytes(size - 16), b"\xff" * (size - 16), bytes(range(1, size - 15)),
            bytes([0, 1, 4, 65] * size)[:size - 16]]
    s.events(0, [record(i, 1024, 7, r) for i, r in enumerate(rows)])
    accept("representations", s.close(4), 4)


for part in (contents, example, builtins, codecs, filters, tables, losses, sections, devices,
             representations):
    part()
