# SPDX-License-Identifier: BSD-2-Clause
"""Writes .xtr files byte by byte, right and wrong ones, from spec/xtr.md alone.

Shares no code with the C writer nor with spec/reader.py. Every header value can be overridden, so
that a test can say exactly what is wrong; check sums are made last.
"""
import struct

U64 = (1 << 64) - 1
NONE = 0xFFFFFFFF
META, EVENTS, TABLE, CLOCK, LOSS, ROUND, INDEX, END, ATTACH = range(1, 10)
CRITICAL, COPY, SORTED, LOSS_BEFORE = 1, 2, 4, 8
PROPS = {META: CRITICAL, EVENTS: CRITICAL | SORTED, TABLE: CRITICAL, CLOCK: COPY, LOSS: CRITICAL,
         ROUND: COPY, INDEX: 0, END: CRITICAL, ATTACH: COPY}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def crc_entry(n):
    for _ in range(8):
        n = n >> 1 ^ 0x82F63B78 if n & 1 else n >> 1
    return n


CRC_TABLE = [crc_entry(n) for n in range(256)]
assert crc32c(b"123456789") == 0xE3069283

# ---- CBOR ----------------------------------------------------------------------------------------


class Coded(bytes):
    """Bytes that go into CBOR as they are."""


class Pairs(list):
    """A map whose pairs go out in the order given."""


def head(major, n):
    if n < 24:
        return bytes([major << 5 | n])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if n < 1 << 8 * size:
            return bytes([major << 5 | code]) + n.to_bytes(size, "big")
    raise ValueError(n)


def cbor(v):
    if isinstance(v, Coded):
        return bytes(v)
    if v is None or isinstance(v, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[v]
    if isinstance(v, int):
        return head(0, v) if v >= 0 else head(1, -1 - v)
    if isinstance(v, bytes):
        return head(2, len(v)) + v
    if isinstance(v, str):
        return head(3, len(v.encode())) + v.encode()
    if isinstance(v, Pairs):
        return head(5, len(v)) + b"".join(cbor(k) + cbor(x) for k, x in v)
    if isinstance(v, dict):
        pairs = sorted((cbor(k), cbor(x)) for k, x in v.items())
        return head(5, len(pairs)) + b"".join(k + x for k, x in pairs)
    return head(4, len(v)) + b"".join(cbor(x) for x in v)


# ---- LZ4 blocks ----------------------------------------------------------------------------------


def lz4_length(n):
    out = b""
    while n >= 255:
        out += b"\xff"
        n -= 255
    return out + bytes([n])


def lz4_sequence(literals, offset=None, match=4):
    n, m = len(literals), match - 4
    out = bytes([min(n, 15) << 4 | (min(m, 15) if offset is not None else 0)])
    out += lz4_length(n - 15) if n >= 15 else b""
    out += literals
    if offset is not None:
        out += struct.pack("<H", offset) + (lz4_length(m - 15) if m >= 15 else b"")
    return out


def lz4_literals(data):
    return lz4_sequence(data)


def lz4(data):
    """Greedy, with matches: each position is looked up by its next four bytes."""
    out, seen, start, at = [], {}, 0, 0
    while at < len(data) - 12:
        key = data[at:at + 4]
        old = seen.get(key)
        seen[key] = at
        if old is None or at - old > 65535:
            at += 1
            continue
        n = 4
        while at + n < len(data) - 5 and data[old + n] == data[at + n]:
            n += 1
        out.append(lz4_sequence(data[start:at], at - old, n))
        at += n
        start = at
    return b"".join(out) + lz4_sequence(data[start:])


# ---- records and the row-delta filter ------------------------------------------------------------


def record(ts, kind, tid, payload=b"", size=None):
    return struct.pack("<QHHI", ts, kind, len(payload) + 16 if size is None else size,
                       tid) + payload


def varint(n):
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def zigzag(new, old, bits=64):
    d = (new - old) & (1 << bits) - 1
    return (d << 1 ^ (1 << bits) - 1 if d >> bits - 1 else d << 1) & (1 << bits) - 1


def layout(kind, widths):
    size = 16 + sum(w & 127 for w in widths)
    return varint(kind) + varint(size) + varint(len(widths)) + bytes(widths)


def split(payload, widths):
    out, at = [], 0
    for w in widths:
        part = payload[at:at + (w & 127)]
        out.append(part if w > 128 else int.from_bytes(part, "little"))
        at += w & 127
    return out


def rowdelta(records, layouts, choose=None):
    """Filter records; layouts: [(type, widths)]; choose(i) overrides the layout of row i."""
    out = varint(len(layouts)) + b"".join(layout(k, w) for k, w in layouts)
    tids = [0] * len(layouts)
    olds = [split(bytes(sum(w & 127 for w in widths)), widths) for _, widths in layouts]
    last = 0
    for i, r in enumerate(records):
        ts, kind, size, tid = struct.unpack_from("<QHHI", r)
        n = choose(i) if choose else next(
            k for k, (t, w) in enumerate(layouts)
            if t == kind and 16 + sum(x & 127 for x in w) == size)
        widths = layouts[n][1]
        out += varint(n * 2 + (tid != tids[n])) + varint(zigzag(ts, last))
        if tid != tids[n]:
            out += varint(zigzag(tid, tids[n], 32))
        values = split(r[16:], widths)
        if widths:
            out += varint(sum(1 << k for k in range(len(widths)) if values[k] != olds[n][k]))
        for w, new, old in zip(widths, values, olds[n]):
            if new != old:
                out += new if w > 128 else varint(zigzag(new, old, 8 * w))
        tids[n], olds[n], last = tid, values, ts
    return out


# ---- the columns filter, and zstd frames ----------------------------------------------------------

CONSTANT, VARINTS, BITS = range(3)
ZERO, BEFORE, KEYED = range(3)


def bit_string(numbers, k):
    bits = ""
    for z in numbers:
        q = (z >> k) + 1
        u = q.bit_length() - 1
        bits += "0" * u + "1"
        bits += "".join(str(q >> i & 1) for i in range(u))
        bits += "".join(str(z >> i & 1) for i in range(k))
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


def body(numbers, coding, k=0):
    if coding == CONSTANT:
        assert len(set(numbers)) < 2
        return varint(numbers[0] if numbers else 0)
    if coding == VARINTS:
        return b"".join(varint(z) for z in numbers)
    return bytes([k]) + bit_string(numbers, k)


def column(values, bits, coding=VARINTS, prediction=BEFORE, zig=True, k=0, key=0, keys=None):
    """A column of numbers, or with bits = None of bytes; keys: of each value, with KEYED."""
    slot_bits = min(12, max(4, (len(values) - 1).bit_length()))
    last, numbers, changed = {}, [], b""
    for i, v in enumerate(values):
        slot = keys[i] * 0x9E3779B97F4A7C15 % (1 << 64) >> 64 - slot_bits if prediction == KEYED else 0
        old = last.get(slot, bytes(len(v)) if bits is None else 0) if prediction else (
            bytes(len(v)) if bits is None else 0)
        if bits is None:
            numbers.append(int(v != old))
            changed += v if v != old else b""
        else:
            numbers.append(zigzag(v, old, bits) if zig else v - old & (1 << bits) - 1)
        last[slot] = v
    head = coding | prediction << 2 | (16 if zig and bits is not None else 0)
    return (bytes([head]) + (varint(key) if prediction == KEYED else b"")
            + body(numbers, coding, k) + changed)


def columns(records, layouts, ways=None):
    """Filter records; ways: of each column by its number how column() is to write it."""
    heads = [struct.unpack_from("<QHHI", r) for r in records]
    number = [next(k for k, (t, w) in enumerate(layouts)
                   if t == h[1] and 16 + sum(x & 127 for x in w) == h[2]) for h in heads]
    cols = [(number, 16, None), ([h[0] for h in heads], 64, None), ([h[3] for h in heads], 32, number)]
    for n, (_, widths) in enumerate(layouts):
        rows = [i for i in range(len(records)) if number[i] == n]
        values = [split(records[i][16:], widths) for i in rows]
        tids = [heads[i][3] for i in rows]
        for f, w in enumerate(widths):
            cols.append(([v[f] for v in values], None if w > 128 else 8 * w, (tids, values)))
    out = varint(len(layouts)) + b"".join(layout(k, w) for k, w in layouts)
    for c, (values, bits, by) in enumerate(cols):
        how = dict((ways or {}).get(c, {}))
        if how.get("prediction") == KEYED:
            key = how.get("key", 0)
            how["keys"] = by if c == 2 else [v[key - 1] for v in by[1]] if key else by[0]
        out += column(values, bits, **how)
    return out


# ---- the words filter ----------------------------------------------------------------------------


def plane(data, form=None):
    """Bytes in the shorter form, or in that one; of an even plane of one byte the other is 0xEE."""
    even = len(set(data[1:])) < 2
    form = int(not even or len(data) < 3) if form is None else form
    if not data:
        return b""
    return b"\1" + bytes(data) if form else b"\0" + bytes([data[0], data[1] if data[1:] else 0xEE])


def planes(values, size, form=None):
    return b"".join(plane([v >> 8 * k & 255 for v in values], form) for k in range(size))


def far_of(d, base, far):
    """low and high as one number, and what stands in far; far: 4 or 8 for differences that need not be there."""
    if d < 65535 and not far:
        return (d - base) % 65535, []
    return 65535, [d] if d < NONE and far != 8 else [NONE, d]


def words(records, layouts, bases=None, form=None, far=None, minimal=True):
    """Filter records; layouts: [(type, size)]; form: of all planes; not minimal: all words are kept."""
    bases = bases or [0] * len(layouts)
    out = varint(len(layouts)) + b"".join(varint(k) + varint(s) + varint(b) for (k, s), b in zip(layouts, bases))
    heads, near, fars, tids, last, before = [], [], [], [], 0, 0
    rows = [[] for _ in layouts]
    for r in records:
        ts, kind, size, tid = struct.unpack_from("<QHHI", r)
        n = layouts.index((kind, size))
        new = tid != before or not minimal
        heads.append(n * 2 + new)
        tids += [tid] if new else []
        v, more = far_of((ts - last) & U64, bases[n], far)
        near.append(v)
        fars += [more] if more else []
        rows[n].append(struct.unpack(f"<{(size - 16) // 4}I", r[16:]))
        last, before = ts, tid
    out += plane(heads, form) + planes(near, 2, form) + planes([f[0] for f in fars], 4, form)
    out += planes([f[1] for f in fars if len(f) > 1], 8, form) + planes(tids, 4, form)
    for (_, size), row in zip(layouts, rows):
        n = (size - 16) // 4
        masks = [sum((a != b or not minimal) << i for i, (a, b) in enumerate(zip(x, y)))
                 for x, y in zip(row, [(0,) * n] + row)]
        out += planes(masks, (n + 7) // 8, form)
        out += b"".join(planes([x[i] for x, m in zip(row, masks) if m >> i & 1], 4, form) for i in range(n))
    return out


def zstd_frame(blocks, size, fcs_bytes=4, descriptor=None, last=True):
    """blocks: bytes as they are, or (byte, how often); size: what the header says."""
    code = {1: 0x20, 2: 0x60, 4: 0xA0, 8: 0xE0}[fcs_bytes]
    stored = size - 256 if fcs_bytes == 2 else size
    out = b"\x28\xb5\x2f\xfd" + bytes([code if descriptor is None else descriptor])
    out += stored.to_bytes(fcs_bytes, "little")
    for i, b in enumerate(blocks):
        n, kind = (b[1], 1) if isinstance(b, tuple) else (len(b), 0)
        end = int(last and i == len(blocks) - 1)
        out += (end | kind << 1 | n << 3).to_bytes(3, "little")
        out += b[0] if isinstance(b, tuple) else b
    return out


def zstd_raw(data):
    step = 128 << 10
    return zstd_frame([data[i:i + step] for i in range(0, len(data), step)] or [b""], len(data))


# ---- headers, chunks, sections -------------------------------------------------------------------


def file_header(file_id, major=1, minor=0, size=64, incompat=0, compat=0, reserved=bytes(28)):
    h = b"\x89XTR\r\n\x1a\n" + struct.pack("<HHIQII", major, minor, size, file_id, incompat,
                                            compat) + reserved
    return h + struct.pack("<I", crc32c(h)) + bytes(max(0, min(size, 8192) - 64))


class Section:
    """A section under construction; chunk() returns the offset of the chunk in the section."""

    def __init__(self, file_id=0x1122334455667788, **header):
        self.file_id, self.seq, self.entries, self.prev = file_id, 0, [], 0
        self.ordinals, self.data = {}, file_header(file_id, **header)
        self.all, self.last_index = [], (0, 0)

    def chunk(self, kind, payload, codec=0, raw_len=None, pad=None, **over):
        at = len(self.data)
        stored = payload if codec == 0 or raw_len is not None else lz4(payload)
        v = {"type": kind, "codec": codec, "filter": 0, "props": PROPS.get(kind, 0),
             "file_id": self.file_id, "seq": self.seq, "stream": NONE, "stored_len": len(stored),
             "raw_len": len(payload) if raw_len is None else raw_len, "ts_min": 0, "ts_max": 0,
             "first_ordinal": 0, "lost_total": 0, "n_records": 0,
             "payload_crc": crc32c(stored), "sync": 0x435458D8}
        v["rec_len"] = v["raw_len"]
        assert set(over) <= set(v) | {"header_crc"}, over
        v.update(over)
        h = struct.pack("<IBBBBQIIIIQQQQIII", v["sync"], v["type"], v["codec"], v["filter"],
                        v["props"], v["file_id"], v["seq"], v["stream"], v["stored_len"],
                        v["raw_len"], v["ts_min"], v["ts_max"], v["first_ordinal"],
                        v["lost_total"], v["n_records"], v["rec_len"], v["payload_crc"])
        h += struct.pack("<I", v.get("header_crc", crc32c(h)))
        padding = bytes(-len(stored) % 8) if pad is None else pad
        self.data += h + stored + padding
        self.seq = v["seq"] + 1
        self.all.append((at, len(self.data)))
        if kind == INDEX:
            self.last_index, self.prev, self.entries = (at, v["stored_len"]), at, []
        else:
            self.entries.append(struct.pack("<QBBHIQQII", at, v["type"], v["codec"], 0,
                                            v["stream"], v["ts_min"], v["ts_max"],
                                            v["n_records"], v["seq"]))
        return at

    def events(self, stream, records, pack=None, layouts=None, choose=None, ways=None, by=None, **over):
        """pack: None, or a function that compresses; layouts: None for filter 0; ways: filter 2; by: filter 3, how."""
        raw = b"".join(records)
        stamps = [struct.unpack_from("<Q", r)[0] for r in records] or [0]
        v = {"stream": stream, "ts_min": min(stamps), "ts_max": max(stamps),
             "n_records": len(records), "rec_len": len(raw),
             "first_ordinal": self.ordinals.get(stream, 0)}
        self.ordinals[stream] = v["first_ordinal"] + len(records)
        if stamps != sorted(stamps):
            v["props"] = CRITICAL
        if by is not None:
            raw, v["filter"] = words(records, layouts, **by), 3
        elif layouts is not None:
            raw = rowdelta(records, layouts, choose) if ways is None else columns(records, layouts, ways)
            v["filter"] = 1 if ways is None else 2
        v.update(over)
        if pack:
            v.setdefault("raw_len", len(raw))
            return self.chunk(EVENTS, pack(raw), codec=2 if pack is zstd_raw else 1, **v)
        return self.chunk(EVENTS, raw, **v)

    def item(self, kind, value, **over):
        return self.chunk(kind, cbor(value), **over)

    def index(self, prev=None, entries=None, count=None, **over):
        entries = self.entries if entries is None else entries
        prev = self.prev if prev is None else prev
        count = len(entries) if count is None else count
        return self.chunk(INDEX, struct.pack("<QII", prev, count, 0) + b"".join(entries), **over)

    def trailer(self, offset=None, length=None, count=None, file_id=None, magic=b"XTRE", crc=None):
        at = len(self.data)
        t = struct.pack("<QIIQ", self.last_index[0] if offset is None else offset,
                        self.last_index[1] if length is None else length,
                        len(self.all) if count is None else count,
                        self.file_id if file_id is None else file_id)
        self.data += t + struct.pack("<I", crc32c(t) if crc is None else crc) + magic
        return at

    def raw(self, data):
        at = len(self.data)
        self.data += data
        return at

    def here(self):
        return len(self.data)

    def end(self, events=0, lost=0, **more):
        return self.item(END, {"events": events, "lost": lost, "reason": "end", **more})

    def close(self, events=0, lost=0):
        """END, index and trailer: the right end of a section."""
        self.end(events, lost)
        self.index()
        self.trailer()
        return self.data


# ---- the small META that most vectors use --------------------------------------------------------

BOOT_ID = bytes(range(16))
TICK = {"fields": [["n", 16, "u64", None, None, 8]], "name": "test:tick", "provider": 1,
        "size": 24, "type": 1024}
PROVIDER = {"attach": "raw_tp", "id": 1, "name": "test:tick", "state": "attached",
            "target": "tick"}


def meta(events=(TICK,), providers=(PROVIDER,), **more):
    return {"clock": {"boot-id": BOOT_ID, "event": "monotonic", "res-ns": 1}, "config": {},
            "events": list(events), "format": [1, 0], "providers": list(providers),
            "system": {"cpus": 2, "page": 4096, "uname": ["6.1", "#1", "x86_64"]},
            "writer": {"name": "gen", "version": "1"}, **more}


def fields(*specs):
    """META's fields one behind the other from offset 16: (name, repr, size[, unit, class])."""
    out, at = [], 16
    for name, rep, size, *rest in specs:
        unit, privacy = (list(rest) + [None, None])[:2]
        out.append([name, at, rep, unit, privacy, size])
        at += size
    return out


def tick(ts, n, tid=7):
    return record(ts, 1024, tid, struct.pack("<Q", n))


TICKS = [(1024, [8])]


def begin(file_id=0x1122334455667788, events=(TICK,), more=None, **header):
    s = Section(file_id, **header)
    s.item(META, meta(events, **(more or {})))
    return s


def small(file_id=0x1122334455667788):
    """META, two EVENTS chunks of stream 0 and one of stream 1: an open section."""
    s = begin(file_id)
    s.events(0, [tick(100 + i, i) for i in range(3)])
    s.events(1, [tick(150 + i, 10 + i) for i in range(2)])
    s.events(0, [tick(200 + i, 20 + i) for i in range(2)])
    return s
