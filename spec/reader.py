#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader of .xtr files, written from xtr.md alone and laid out in its order.

usage: reader.py [--summary] FILE     (FILE may be -; --summary leaves the events out)

Prints one JSON document, whose exact form is in test-vectors.md. Exit status: 0 read without a
problem, 1 the file could not be opened, 2 usage, 3 the file has problems. Standard library only, and
libzstd for codec 2: where it is missing, sections that need it are refused.
"""
import ctypes
import re
import struct
import sys
from bisect import bisect, bisect_left
from collections import Counter, namedtuple
from pathlib import Path
from types import SimpleNamespace

class Bad(Exception):
    """A payload is not as the specification says; the argument is the problem's code."""
def need(holds, code):
    if not holds:
        raise Bad(code)

# ---- 1.1 Conventions -----------------------------------------------------------------------------
CRC_TABLE = list(range(256))
for _ in range(8):
    CRC_TABLE = [x >> 1 ^ (0x82F63B78 if x & 1 else 0) for x in CRC_TABLE]
def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[crc & 255 ^ byte] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
def text_of(raw):  # text of UTF-8 bytes without a byte 0, or None
    text = raw.decode("utf-8", "ignore")
    return text if text.encode() == raw and "\0" not in text else None
class Input:  # bytes taken one after the other; whatever is wrong with them is the problem `code`
    def __init__(self, data, code):
        self.data, self.at, self.code = data, 0, code
    def take(self, count):
        need(count <= len(self.data) - self.at, self.code)
        self.at += count
        return self.data[self.at - count:self.at]
    def number(self, size, order="little"):
        return int.from_bytes(self.take(size), order)
    def varint(self, limit):  # in its shortest form, at most 10 bytes, below limit
        value = 0
        for shift in range(0, 70, 7):
            byte = self.number(1)
            value |= (byte & 127) << shift
            if byte < 128:
                break
        need(byte < 128 and value < limit and (byte or shift == 0), self.code)
        return value
    def changed(self, old, bits):  # the number that differs from old by a zigzag, modulo 2^bits
        v = self.varint(1 << bits)
        return old + (v >> 1 ^ -(v & 1)) & (1 << bits) - 1

# ---- 3. File header, 4. Chunk header, 7. Trailer -------------------------------------------------
META, EVENTS, TABLE, CLOCK, LOSS, ROUND, INDEX, END, ATTACH = range(1, 10)
TYPES = {META: "meta", TABLE: "table", CLOCK: "clock", LOSS: "loss", END: "end"}
MAGIC, SYNC, CRITICAL, SORTED = b"\x89XTR\r\n\x1a\n", b"\xd8XTC", 1, 4
Header = namedtuple("Header", "magic major minor size file_id incompat compat offset")
Chunk = namedtuple("Chunk", "sync type codec filter props file_id seq stream stored_len raw_len "
                   "ts_min ts_max first_ordinal lost_total n_records rec_len payload_crc offset")
Trailer = namedtuple("Trailer", "index_offset index_len chunk_count file_id offset")
# By magic: what it stands in, the layout up to the CRC of all that, and where the magic is there.
LANDMARKS = {MAGIC: (Header, struct.Struct("<8sHHIQII28x"), 0), b"XTRE": (
    Trailer, struct.Struct("<QIIQ"), 28), SYNC: (Chunk, struct.Struct("<4sBBBBQIIIIQQQQIII"), 0)}
def valid(c):  # section 4, but for sync bytes, CRC and file_id
    counted = c.n_records <= 65536 and 16 * c.n_records <= c.rec_len
    return (c.type != 0 and (counted if c.type == EVENTS else c.filter == 0)
            and max(c.stored_len, c.raw_len) <= 1 << 20 and c.rec_len <= 8 << 20
            and (c.codec != 0 or c.raw_len == c.stored_len) and c.ts_min <= c.ts_max
            and (c.filter != 0 or c.rec_len == c.raw_len))

# ---- 4.1 Finding the next chunk, and damage ------------------------------------------------------
class Marks:  # what stands where in a file: headers, chunks and trailers, of whatever file_id
    def __init__(self, data):
        self.size, self.stands = len(data), {}
        for m in re.finditer(b"|".join(LANDMARKS), data):
            kind, layout, back = LANDMARKS[m[0]]
            p, crc_at = m.start() - back, m.start() - back + layout.size
            if p >= 0 and data[crc_at:crc_at + 4] == crc32c(data[p:crc_at]).to_bytes(4, "little"):
                mark = kind(*layout.unpack_from(data, p), p)
                if kind != Chunk or valid(mark):
                    self.stands.setdefault(p, mark)
        self.offsets = sorted(self.stands)
    def at(self, p, file_id=None):  # the mark of a section or, as for any, the file header at p
        mark = self.stands.get(p)
        return mark if isinstance(mark, Header) or mark and mark.file_id == file_id else None
    def rescan(self, p, file_id=None):  # from p the first offset of what at() finds, or the end
        later = map(self.offsets.__getitem__, range(bisect_left(self.offsets, p), len(self.offsets)))
        return next((at for at in later if self.at(at, file_id)), self.size)
    def vote(self, p, q):  # section 3: the file_id of most valid chunk headers in [p, q), or None
        inside = self.offsets[bisect_left(self.offsets, p):bisect_left(self.offsets, q)]
        marks = map(self.stands.get, inside)
        votes = Counter(m.file_id for m in marks if isinstance(m, Chunk) and m.file_id != 0)
        return votes.most_common(1)[0][0] if votes else None
class Section:  # the chunks found, and what load() reads in their payloads, by chunk type
    def __init__(self, data, marks, header, p):
        self.data, self.header, self.offset = data, header, p
        self.problems, self.chunks, self.trailer = [], [], None
        self.content, self.tables = {kind: [] for kind in range(256)}, {}
        near = [o for o in range(p, p + 64) if isinstance(marks.at(o, header.file_id), Chunk)]
        begin = near[0] if near and not marks.at(p) else p + header.size
        self.ends_at = self.walk(marks, begin, header.file_id)
        self.sequence()
    def walk(self, marks, p, file_id):  # collect the chunks found; where the section ends
        while p < marks.size and not isinstance(marks.at(p), Header):
            c = marks.at(p, file_id)
            if isinstance(c, Trailer):
                self.trailer = c
                return p + 32
            e = p + 80 + c.stored_len if c else marks.size + 1
            q = p + (e - p + 7) // 8 * 8
            r = q if e <= marks.size <= q or marks.at(q, file_id) else marks.rescan(p + 1, file_id)
            if e <= marks.size and r >= e:
                self.chunks.append(c)
                p = min(q, r)
            else:
                self.problems.append(("chunk-truncated" if c else "lost-sync", p))
                p = r
        return min(p, marks.size)
    def sequence(self):  # leave out what is out of place; missing chunks and ordinals
        self.found, self.chunks, after, ordinals, gap_at = self.chunks, [], 0, {}, -1
        for c in self.found:
            if c.seq < after:
                self.problems.append(("chunk-order", c.offset))
                continue
            if c.seq > after:
                self.problems.append(("missing-chunks", c.offset))
                gap_at = c.seq
            after = c.seq + 1
            if c.type == EVENTS:
                x, before = ordinals.get(c.stream, (0, -1))
                if c.first_ordinal < x or c.first_ordinal > x and gap_at <= before:
                    self.problems.append(("ordinal", c.offset))
                ordinals[c.stream] = ((c.first_ordinal + c.n_records) % (1 << 64), c.seq)
            self.chunks.append(c)
    def payload(self, c):  # section 4.2: verified and decompressed; as stored for an unknown type
        stored = self.data[c.offset + 80:c.offset + 80 + c.stored_len]
        need(crc32c(stored) == c.payload_crc, "payload-crc")
        known = c.codec <= (2 if ZSTD else 1) and c.filter <= 3
        need(c.type > ATTACH or known, "codec")
        plain = c.type > ATTACH or c.codec == 0
        return stored if plain else (lz4 if c.codec == 1 else zstd)(stored, c.raw_len)

# ---- 4.2 Codec 1, LZ4 block ----------------------------------------------------------------------
def lz4(block, raw_len):
    need(raw_len or block == b"\0", "lz4")
    source, out = Input(block, "lz4"), bytearray()
    def whole(length):  # a length of which the token holds the first 4 bits
        byte = 255 if length == 15 else 0
        while byte == 255:
            byte = source.number(1)
            length += byte
        return length
    while True:
        token = source.number(1)
        out += source.take(whole(token >> 4))
        if source.at == len(block):
            need(len(out) == raw_len, "lz4")
            return bytes(out)
        offset, start, length = source.number(2), len(out), whole(token & 15) + 4
        need(0 < offset <= start <= raw_len - 12 and length <= raw_len - 5 - start, "lz4")
        match = out[start - offset:start - offset + length]
        out += (match * (length // len(match) + 1))[:length]

# ---- 4.3 Codec 2, zstd frame ---------------------------------------------------------------------
try:
    ZSTD = ctypes.CDLL("libzstd.so.1")
    ZSTD.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    ZSTD.ZSTD_findFrameCompressedSize.restype = ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
except OSError:
    ZSTD = None
KNOWN_FLAGS = 7 if ZSTD else 5  # 3. incompat_flags
def zstd(frame, raw_len):
    n, out = ctypes.c_size_t(len(frame)), ctypes.create_string_buffer(raw_len + 1)
    need(frame[:4] == b"\x28\xb5\x2f\xfd" and len(frame) > 4 and not frame[4] & 3, "zstd")
    need(ZSTD.ZSTD_getFrameContentSize(frame, n) == raw_len
         and ZSTD.ZSTD_findFrameCompressedSize(frame, n) == len(frame)
         and ZSTD.ZSTD_decompress(out, ctypes.c_size_t(raw_len), frame, n) == raw_len, "zstd")
    return out.raw[:raw_len]

# ---- 5. Records ----------------------------------------------------------------------------------
def records_of(c, raw):
    undo = (None, unfilter, uncolumn, unword)[c.filter]
    source = Input(undo(raw, c.n_records, c.rec_len) if undo else raw, "record")
    records, last = [], c.ts_min
    while source.at < len(source.data):
        head = source.take(16)
        ts, kind, size, tid = struct.unpack("<QHHI", head)
        need(size >= 16 and size % 8 == 0 and last <= ts <= c.ts_max, "record")
        records.append((c, ts, kind, tid, head + source.take(size - 16)))
        last = ts if c.props & SORTED else c.ts_min
    need(len(records) == c.n_records, "record")
    return records

# ---- 5.2 Filter 1, row-delta ---------------------------------------------------------------------
def layouts_of(source):
    layouts = []
    for _ in range(source.varint(1025)):
        kind, size = source.varint(1 << 16), source.varint(65529)
        widths = source.take(source.varint(65))
        need(size >= 16 and size % 8 == 0 and sum(w & 127 for w in widths) == size - 16
             and all(w in (1, 2, 4, 8) or w > 0x80 for w in widths), "filter")
        values = [bytes(w & 127) if w > 0x80 else 0 for w in widths]
        layouts.append(SimpleNamespace(kind=kind, size=size, widths=widths, tid=0, values=values))
    return layouts
def unfilter(data, n_records, rec_len):
    source, out, ts = Input(data, "filter"), bytearray(), 0
    layouts = layouts_of(source)
    for _ in range(n_records):
        head = source.varint(2 * len(layouts))
        layout = layouts[head >> 1]
        ts = source.changed(ts, 64)
        layout.tid = source.changed(layout.tid, 32) if head & 1 else layout.tid
        mask = source.varint(1 << len(layout.widths)) if layout.widths else 0
        out += struct.pack("<QHHI", ts, layout.kind, layout.size, layout.tid)
        for i, width in enumerate(layout.widths):
            value, integer = layout.values[i], width < 0x80
            if mask >> i & 1:
                value = source.changed(value, 8 * width) if integer else source.take(width & 127)
                layout.values[i] = value
            out += value.to_bytes(width, "little") if integer else value
        need(len(out) <= rec_len, "filter")
    need(source.at == len(data) and len(out) == rec_len, "filter")
    return bytes(out)

# ---- 5.3 Filter 2, columns -----------------------------------------------------------------------
def uncolumn(data, n_records, rec_len):
    source = Input(data, "filter")
    layouts = layouts_of(source)
    def bit_numbers(count, limit):
        k, at, start = source.number(1), 0, source.at
        need(k <= 56, "filter")
        for _ in range(count):
            word = int.from_bytes(data[start + at // 8:start + at // 8 + 16], "little") >> at % 8
            u = (word & -word).bit_length() - 1
            need(word and u + k <= 56, "filter")
            x, y = word >> u + 1 & (1 << u) - 1, word >> 2 * u + 1 & (1 << k) - 1
            z, at = ((1 << u) - 1 + x << k) + y, at + 2 * u + 1 + k
            need(z < limit and at <= 8 * (len(data) - start), "filter")
            yield z
        last = source.take((at + 7) // 8)[-1:] or b"\0"
        need(at % 8 == 0 or last[0] >> at % 8 == 0, "filter")
    def column(count, bits, keys, key_of, octets=0):  # the values; octets: of a field of bytes
        head, values, last = source.number(1), [], {}
        coding, prediction, zigzag = head & 3, head >> 2 & 3, head >> 4
        need(head < 32 and coding < 3 and prediction < 3 and not (zigzag and octets), "filter")
        key = source.varint(65) if prediction == 2 else 0
        need(prediction < 2 or key in keys, "filter")
        limit, zero = 1 << bits, bytes(octets) if octets else 0
        numbers = (lambda: [source.varint(limit)] * count,
                   lambda: [source.varint(limit) for _ in range(count)],
                   lambda: list(bit_numbers(count, limit)))[coding]()
        slot_bits = min(12, max(4, (count - 1).bit_length()))
        for i, z in enumerate(numbers):
            value = key_of(i, key) if prediction == 2 else 0
            slot = value * 0x9E3779B97F4A7C15 % (1 << 64) >> 64 - slot_bits
            predicted = last.get(slot, zero) if prediction else zero
            difference = z >> 1 ^ -(z & 1) if zigzag else z
            last[slot] = ((source.take(octets) if z else predicted) if octets
                          else (predicted + difference) % limit)
            values.append(last[slot])
        return values
    numbers = column(n_records, 16, (), None)
    need(all(n < len(layouts) for n in numbers), "filter")
    need(sum(layouts[n].size for n in numbers) == rec_len, "filter")
    times = column(n_records, 64, (), None)
    threads = column(n_records, 32, (0,), lambda i, key: numbers[i])
    records = [struct.pack("<QHHI", ts, layouts[n].kind, layouts[n].size, tid)
               for n, ts, tid in zip(numbers, times, threads)]
    for n, layout in enumerate(layouts):
        rows, keys = [i for i in range(n_records) if numbers[i] == n], {}
        keys[0] = [threads[i] for i in rows]
        for number, width in enumerate(layout.widths, 1):
            octets = width & 127 if width > 0x80 else 0
            values = column(len(rows), 1 if octets else 8 * width, keys,
                            lambda i, key, keys=keys: keys[key][i], octets)
            for i, value in zip(rows, values):
                records[i] += value if octets else value.to_bytes(width, "little")
            keys.update({} if octets else {number: values})
    need(source.at == len(data), "filter")
    return b"".join(records)

# ---- 5.4 Filter 3, words -------------------------------------------------------------------------
def unword(data, n_records, rec_len):
    source, layouts, out, ts, tid = Input(data, "filter"), [], bytearray(), 0, 0
    for _ in range(source.varint(129)):
        kind, size, base = source.varint(1 << 16), source.varint(65529), source.varint(65535)
        need(size >= 16 and size % 8 == 0, "filter")
        layouts.append(SimpleNamespace(kind=kind, size=size, base=base, words=(size - 16) // 4))
    need(sum(layout.words for layout in layouts) <= 65536, "filter")
    def plane(count):
        form = source.number(1) if count else 1
        need(form < 2, "filter")
        even = source.take(2) if form == 0 else b""
        return even[:1] + even[1:] * (count - 1) if even else source.take(count)
    def values(count, size):
        planes = [plane(count) for _ in range(size)]
        return [int.from_bytes(octets, "little") for octets in zip(*planes)]
    heads = plane(n_records)
    need(all(head >> 1 < len(layouts) for head in heads), "filter")
    need(sum(layouts[head >> 1].size for head in heads) == rec_len, "filter")
    near = [low | high << 8 for low, high in zip(plane(n_records), plane(n_records))]
    far = values(near.count(65535), 4)
    farther, far = iter(values(far.count(0xFFFFFFFF), 8)), iter(far)
    tids = iter(values(sum(head & 1 for head in heads), 4))
    for number, layout in enumerate(layouts):
        masks = values(sum(head >> 1 == number for head in heads), (layout.words + 7) // 8)
        need(all(mask >> layout.words == 0 for mask in masks), "filter")
        layout.values = [iter(values(sum(mask >> word & 1 for mask in masks), 4))
                         for word in range(layout.words)]
        layout.masks, layout.payload = iter(masks), [0] * layout.words
    for head, v in zip(heads, near):
        layout = layouts[head >> 1]
        difference = (v + layout.base) % 65535 if v < 65535 else next(far)
        difference = next(farther) if difference == 0xFFFFFFFF else difference
        ts, tid = ts + difference & (1 << 64) - 1, next(tids) if head & 1 else tid
        mask = next(layout.masks) if layout.words else 0
        layout.payload = [next(layout.values[word]) if mask >> word & 1 else old
                          for word, old in enumerate(layout.payload)]
        head = struct.pack("<QHHI", ts, layout.kind, layout.size, tid)
        out += head + struct.pack(f"<{layout.words}I", *layout.payload)
    need(source.at == len(data), "filter")
    return bytes(out)

# ---- 6.1 CBOR ------------------------------------------------------------------------------------
def cbor(data):  # the one item; map keys that are neither text, bytes nor integers become tuples
    source, items = Input(data, "cbor"), 0
    def item(depth):
        nonlocal items
        items += 1
        major, value = divmod(source.number(1), 32)
        need(items <= 65536 and (depth < 16 or major not in (4, 5)) and major != 6, "cbor")
        need(20 <= value <= 22 if major == 7 else value <= 27, "cbor")
        if major == 7:
            return (False, True, None)[value - 20]
        if value > 23:
            size = 1 << value - 24
            value = source.number(size, "big")
            need(value >= (24 if size == 1 else 1 << 4 * size), "cbor")
        if major in (2, 3):
            string = source.take(value) if major == 2 else text_of(source.take(value))
            need(value <= 65536 and string is not None, "cbor")
            return string
        if major == 4:
            return [item(depth + 1) for _ in range(value)]
        if major < 2:
            return value if major == 0 else -1 - value
        out, last = {}, b""
        for _ in range(value):
            start, before = source.at, last
            key = item(depth + 1)
            last = data[start:source.at]
            need(last > before, "cbor")
            out[key if type(key) in (str, bytes, int) else (last,)] = item(depth + 1)
        return out
    value = item(0)
    need(source.at == len(data), "cbor")
    return value

# ---- xtr.cddl ------------------------------------------------------------------------------------
# Rules, as fits() reads them: a range: an integer in it; a type: a value of it; a text: itself;
# {a, b}: any of these; [a]: an array of a; (a, b): an array that begins with these;
# {"x": a, "?y": b}: a map with key x, perhaps y; {a: b}: a map of a to b; else a predicate.
RULES = {range: lambda rule, v: type(v) is int and v in rule,
         type: lambda rule, v: isinstance(v, rule),
         str: lambda rule, v: v == rule,
         set: lambda rule, v: any(fits(r, v) for r in rule),
         list: lambda rule, v: fits(list, v) and all(fits(rule[0], x) for x in v),
         tuple: lambda rule, v: fits(list, v) and len(v) >= len(rule) and all(map(fits, rule, v)),
         dict: lambda rule, v: fits(dict, v) and all(fits_map(*x, v) for x in rule.items())}
def fits(rule, v):
    return RULES[type(rule)](rule, v) if type(rule) in RULES else rule(v)
def fits_map(key, rule, v):  # one line of a map's rule; where keys are named, all have to be text
    if not isinstance(key, str):
        return all(fits(key, k) and fits(rule, x) for k, x in v.items())
    name = key.lstrip("?")
    right = fits(rule, v[name]) if name in v else key != name
    return right and all(isinstance(k, str) for k in v)
def both(rule, holds):
    return lambda v: fits(rule, v) and holds(v)
def texts(names):
    return dict.fromkeys(names.split(), str)
U64, U32, U16, ID = range(1 << 64), range(1 << 32), range(1 << 16), range(1, 1 << 32)
SIZES = {kind + str(8 * size): (size,) for kind in ("u", "s", "hex") for size in (1, 2, 4, 8)}
NAMED = ({"enum", "flags"}, set(SIZES), {U64: str})
SIZES.update(strid=(4, 8), ring=(4,), stack=(4,), bytes=ID, str=ID)
CLASSES = ("plain", "kptr", "uptr", "pid", "name", "path", "user-data")
def base_of(rep):  # 6.2: the representation without names, bytes for a later one, None for none
    base = rep[1] if fits(NAMED, rep) else rep
    if isinstance(base, str):
        return base if base in SIZES else "bytes"
    return "bytes" if fits((str,), rep) and rep[0] not in ("enum", "flags") else None
COSTS = "cpu-ns ring-bytes ring-high bpf-run-ns bpf-run-count"
FIELD = (str, U32, base_of, {str, type(None)}, {str, type(None)}, U32)
EVENT = both({"fields": [FIELD], "name": str, "provider": U32, "size": range(16, 65529, 8),
              "type": range(16, 65536)}, lambda v: all(
                  f[5] in SIZES[base_of(f[2])] and f[1] + f[5] <= v["size"] for f in v["fields"]))
DEVICE_MORE = "driver-srcversion subsystem revision model vbios uuid"
DEVICE = {**texts("name ?driver ?pci-id ?driver-version ?firmware"), "?nodes": [str],
          **{"?" + key: str for key in DEVICE_MORE.split()}}
GRAMMAR = {
    META: {"clock": {"event": str, "boot-id": both(bytes, lambda v: len(v) == 16), "res-ns": U64},
           "config": {str: object}, "events": [EVENT],
           "format": both((U64, U64), lambda v: len(v) == 2), "writer": texts("name version"),
           "providers": [{"id": U32, **texts("name attach target state ?why ?module")}],
           "system": {"cpus": U32, "page": U32, **texts("?hypervisor ?hostname ?machine-id"),
                      "uname": both((str, str, str), lambda v: len(v) == 3), "?devices": [DEVICE]}},
    TABLE: {"?frames": {ID: both((U32, U64, U32), lambda v: fits([U32], v[3:4]))}, "?reset": bool,
            "?rings": [(ID, U64, U64, U32, U32, U32)], "?stacks": {ID: [U32]}, "?strings": {ID: {str, bytes}},
            "?tasks": [both((U32, U32, U64, U32, U32),
                            lambda v: fits([U64], v[5:6]) and fits([U32], v[6:7]))]},
    CLOCK: both({"after": U64, "before": U64, "clocks": {str: U64}},
                lambda v: v["before"] <= v["after"]),
    LOSS: {**dict.fromkeys(("?aged", "?filtered"), [(U32, U16, U64)]), "?gaps": [both(
           (U32, U64, U64, U64), lambda v: v[1] <= v[2])], "?lost": [(U32, U16, range(1, 256), U64)]},
    END: {"events": U64, "lost": U64, "reason": str,
          "?recorder": {"?" + k: U64 for k in (COSTS + " bpf-run-timed elapsed-ns").split()}}}
def item_of(section, c, raw):
    item, new = cbor(raw), {}
    need(fits(GRAMMAR[c.type], item), TYPES[c.type])
    if c.type == TABLE:  # 6.4: add to the tables, by name and id; no id may get another meaning
        entries = [(("rings", ring[0]), ring[:6]) for ring in item.get("rings", [])]
        for t in ("strings", "frames", "stacks"):
            entries += [((t, k), (v + [0])[:4] if t == "frames" else v) for k, v in item.get(t, {}).items()]
        for key, v in entries:
            v = v.encode() if isinstance(v, str) else v
            need(new.setdefault(key, section.tables.get(key, v)) == v, "table")
        section.tables.update(new)
    return item

# ---- 7. INDEX and trailer ------------------------------------------------------------------------
def content_of(section, c, raw):  # section 6: what a payload holds, as a list
    if c.type == INDEX:
        need(len(raw) >= 16 and len(raw) == 16 + 40 * int.from_bytes(raw[8:12], "little"), "index")
        entries = list(struct.iter_unpack("<QBB2xIQQII", raw[16:]))
        right = entries == section.listed and int.from_bytes(raw[:8], "little") == section.index[0]
        need(right or not section.comparable, "index")
    elif c.type == ROUND:
        need(len(raw) == 8, "round")
        return [int.from_bytes(raw, "little")]
    elif c.type == ATTACH:
        length = int.from_bytes(raw[:2], "little")
        name = raw[2:2 + length]
        right = 0 < length <= 255 and len(name) == length and b"/" not in name
        need(right and text_of(name) is not None, "attach")
        return [{"offset": c.offset, "name": octets(name), "hex": raw[2 + length:].hex()}]
    elif c.type in GRAMMAR:
        return [item_of(section, c, raw)]
    return records_of(c, raw) if c.type == EVENTS else []
def load(section):  # the payloads of a section that is not refused, then what all of them lack
    section.comparable = {code for code, _ in section.problems} <= {"ordinal"}
    section.listed, section.index = [], (0, 0)
    for c in section.chunks:
        try:
            section.content[c.type] += content_of(section, c, section.payload(c))
        except Bad as bad:
            section.problems.append((bad.args[0], c.offset))
        section.listed.append((c.offset - section.offset, c.type, c.codec, c.stream, c.ts_min,
                               c.ts_max, c.n_records, c.seq))
        if c.type == INDEX:
            section.listed, section.index = [], (c.offset - section.offset, c.stored_len)
    if section.trailer and section.comparable:
        if section.trailer[:3] != section.index + (len(section.found),):
            section.problems.append(("index", section.trailer.offset))
    if not section.content[META]:
        section.problems.append(("no-meta", section.offset))
    if all(c.type != END for c in section.chunks):
        section.problems.append(("no-end", section.ends_at))

# ---- 8. Problems ---------------------------------------------------------------------------------
CODES = ("not-xtr too-short major incompat unknown-critical header-crc lost-sync chunk-truncated "
         "payload-crc chunk-order missing-chunks codec lz4 zstd filter record cbor meta table clock "
         "loss end round attach index no-meta no-end ordinal").split()
class File:  # a whole file: the sections that can be shown, and the problems in order
    def __init__(self, data):
        self.size, self.sections, self.problems, self.refusals = len(data), [], [], []
        marks, p = Marks(data), 0
        while p < len(data) and len(data) >= 64:
            p = self.read_section(data, marks, p)
        nothing = self.refusals[:1] or [("not-xtr" if p else "too-short", 0)]
        self.problems = self.problems + self.refusals if self.sections else nothing
        self.problems = sorted(set(self.problems), key=lambda x: (x[1], CODES.index(x[0])))
    def read_section(self, data, marks, p):  # section 3; where the next section begins
        header, q = marks.at(p), marks.rescan(p + 1)
        if header and (header.major != 1 or header.incompat & ~KNOWN_FLAGS):
            self.refusals.append(("incompat" if header.major == 1 else "major", p))
            return q
        damaged = not header or not header.file_id or header.size not in range(64, 4097, 8)
        header = Header(MAGIC, 1, 0, 64, marks.vote(p, q), 0, 0, p) if damaged else header
        if header.file_id is None:
            self.problems.append(("lost-sync", p))
            return q
        section = Section(data, marks, header, p)
        unknown = [c for c in section.chunks if c.type > ATTACH and c.props & CRITICAL]
        if unknown:
            self.refusals.append(("unknown-critical", unknown[0].offset))
        else:
            load(section)
            self.sections.append(section)
            self.problems += section.problems + [("header-crc", p)] * damaged
        return section.ends_at

# ---- The document of test-vectors.md -------------------------------------------------------------
IDS = {"strid": "strings", "ring": "rings", "stack": "stacks"}
KEYS = ("offset type codec filter props seq stream stored_len raw_len rec_len n_records ts_min "
        "ts_max first_ordinal lost_total").split()
ESCAPED = {c: "\\u%04x" % c for c in (*range(32), 127)} | {ord(c): "\\" + c for c in '"\\'}
def to_json(v):  # a tuple is an object of pairs, an iterator an array with a line for each element
    if isinstance(v, (dict, tuple)):
        v = v.items() if isinstance(v, dict) else v
        return "{%s}" % ",".join(to_json(k) + ":" + to_json(x) for k, x in v)
    if isinstance(v, str):
        return '"%s"' % v.translate(ESCAPED)
    if v is None or isinstance(v, int):
        return "null" if v is None else str(v)
    start = "" if isinstance(v, list) else "\n"
    return "[%s]" % ",".join(start + to_json(x) for x in v)
def octets(raw):
    return {"hex": raw.hex()} if text_of(raw) is None else text_of(raw)
def look_up(tables, rep, number):  # what an id of a strid, ring or stack is shown as
    found = tables.get((IDS[rep], number))
    if found is None:
        return "?%s:%d" % (rep.replace("strid", "str"), number) if number else None
    if rep == "ring":
        names = (look_up(tables, "strid", i) for i in found[3:5])
        return dict(zip(("id", "device", "name"), (number, *names)))
    return octets(found) if rep == "strid" else {"id": number, "frames": found}
def shown(tables, rep, raw):  # the value of a field
    base = base_of(rep)
    if base in ("bytes", "str"):
        return raw.hex() if base == "bytes" else octets(raw.split(b"\0")[0])
    number = int.from_bytes(raw, "little", signed=base in ("s8", "s16", "s32", "s64"))
    if isinstance(rep, str):
        return look_up(tables, base, number) if base in IDS else number
    wide, names = number % (1 << 64), rep[2]
    if rep[0] == "enum":
        return {"value": number, "name": names.get(wide)}
    return {"value": number, "names": [names[m] for m in sorted(names) if m and wide & m == m]}
def event_json(tables, events, threads, record):
    c, ts, kind, tid, raw = record
    event, entries, task = events.get(kind), threads.get(tid), None
    if entries:
        entry = entries[max(0, bisect(entries, ts, key=lambda e: e[2]) - 1)]
        task = {"pid": entry[1], "comm": look_up(tables, "strid", entry[3])}
    content = {"hex": raw[16:].hex()} if not event else {"fields": tuple(
        (f[0], shown(tables, f[2], raw[f[1]:f[1] + f[5]]))
        for f in event["fields"] if f[1] + f[5] <= len(raw))}
    return {"seq": c.seq, "ts": ts, "type": kind, "name": event and event["name"],
            "cpu": None if c.stream == 0xFFFFFFFF else c.stream, "tid": tid, "task": task,
            "size": len(raw), **content}
def pick(item, keys, default=None):
    return {key.replace("-", "_"): item.get(key, default) for key in keys.split()}
def present(item, keys):
    return {key: v for key, v in pick(item, keys).items() if v is not None}
def task_row(task):  # 6.4: start is 0 where it is not there, and a cgroup of 0 is none
    return (task + [0])[:6] + [cgroup for cgroup in task[6:7] if cgroup]
def field_json(field):
    name, offset, rep, unit, privacy, size = field[:6]
    names = [rep[0], [[k, rep[2][k]] for k in sorted(rep[2])]] if fits(NAMED, rep) else None
    return {"name": name, "offset": offset, "size": size, "repr": base_of(rep), "names": names,
            "unit": unit, "class": privacy if privacy in (None, *CLASSES) else "user-data"}
def union(items, *keys):  # later entries replace earlier ones with the same keys; by these keys
    return [v for _, v in sorted({tuple(v[k] for k in keys): v for v in items}.items())]
def meta_json(metas, events):
    writer, clock, system = (metas[-1][key] for key in ("writer", "clock", "system"))
    config = {k.encode(): v for m in metas for k, v in m["config"].items() if fits({str, U64}, v)}
    devices = union((d for m in metas for d in m["system"].get("devices", [])), "name")
    providers = union((p for m in metas for p in m["providers"]), "id")
    return {
        "writer": [writer["name"], writer["version"]],
        "clock": [clock["event"], clock["boot-id"].hex(), clock["res-ns"]],
        "system": {**pick(system, "cpus page uname hypervisor hostname"),
                   **present(system, "machine-id")},
        "devices": ({**pick(d, "name driver pci-id driver-version firmware"),
                     **present(d, DEVICE_MORE), "nodes": d.get("nodes", [])} for d in devices),
        "config": ([k.decode(), config[k]] for k in sorted(config, key=lambda k: (len(k), k))),
        "providers": ({**pick(p, "id name attach target state why module"), "state": p["state"]
                       if p["state"] in ("attached", "refused") else "missing"} for p in providers),
        "events": ({**pick(e, "type name size provider"), "fields": map(field_json, e["fields"])}
                   for e in events)}
def section_json(s, with_events):
    metas, h = s.content[META], s.header
    events = {e["type"]: e for m in metas for e in m["events"]}
    lost, filtered, aged, gaps = ([e for t in s.content[LOSS] for e in t.get(key, [])]
                                  for key in ("lost", "filtered", "aged", "gaps"))
    tasks = union((task_row(task) for t in s.content[TABLE] for task in t.get("tasks", [])), 0, 2)
    threads, end = {}, s.content[END][-1] if s.content[END] else None
    for task in tasks:
        threads.setdefault(task[0], []).append(task)
    cost = pick(end["recorder"], COSTS, 0) if end and "recorder" in end else None
    table = {name: [[k, v] for (of, k), v in sorted(s.tables.items()) if of == name]
             for name in ("strings", "rings", "frames", "stacks")}
    shown_events = {"events": (event_json(s.tables, events, threads, r) for r in s.content[EVENTS])}
    return {
        "offset": s.offset, "header_size": h.size, "minor": h.minor, "compat_flags": h.compat,
        "file_id": "%016x" % h.file_id, "chunks": ([getattr(c, k) for k in KEYS] for c in s.chunks),
        "meta": meta_json(metas, union(events.values(), "type")) if metas else None,
        "strings": ([k, octets(v)] for k, v in table["strings"]), "tasks": iter(tasks),
        "rings": (v for _, v in table["rings"]), "frames": ([k] + v for k, v in table["frames"]),
        "stacks": iter(table["stacks"]),
        "clocks": ([t["before"], t["after"], *pick(t["clocks"], "boottime realtime", 0).values()]
                   for t in s.content[CLOCK]),
        "rounds": iter(s.content[ROUND]), "attached": iter(s.content[ATTACH]),
        "lost": (e[:4] for e in union(lost, 0, 1, 2) if e[3]),
        "filtered": (e[:3] for e in union(filtered, 0, 1) if e[2]),
        **({"aged": (e[:3] for e in union(aged, 0, 1) if e[2])} if any(e[2] for e in aged) else {}),
        "gaps": iter(sorted((g[:4] for g in gaps), key=lambda g: (g[1], g[2], g[0], g[3]))),
        "end": end and {"reason": end["reason"], "recorder": cost},
        **(shown_events if with_events else {})}
def document(file, with_events=True):
    out = {"size": file.size, "sections": (section_json(s, with_events) for s in file.sections),
           "problems": ({"code": code, "offset": offset} for code, offset in file.problems)}
    return (to_json(out) + "\n").encode()
def main(args):
    names = [a for a in args if not a.startswith("--")]
    if len(names) != 1 or sorted(args) not in (names, sorted(["--summary"] + names)):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        file = File(sys.stdin.buffer.read() if names == ["-"] else Path(names[0]).read_bytes())
    except OSError as error:
        sys.exit("reader.py: %s" % error)
    sys.stdout.buffer.write(document(file, args == names))
    return 3 if file.problems else 0
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
