#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An independent reader of .xtr files, written from xtr.md alone and laid out in its order.

usage: reader.py [--summary] FILE     (FILE may be -; --summary leaves the events out)

Prints one JSON document, whose exact form is in test-vectors.md. Exit status: 0 read without a
problem, 1 the file could not be opened, 2 usage, 3 the file has problems. Standard library only.
"""
import re
import struct
import sys

sys.dont_write_bytecode = True
import reader_cbor as grammar
from reader_cbor import Bad, cbor, text_of
from reader_codec import crc32c, lz4, unfilter
from reader_json import document

# ---- 3. File header ------------------------------------------------------------------------------

MAGIC = b"\x89XTR\r\n\x1a\n"


class Header:
    def __init__(self, data, p):
        (self.major, self.minor, self.size, self.file_id, self.incompat,
         self.compat) = struct.unpack_from("<HHIQII", data, p + 8)

    def damaged(self):
        return not 64 <= self.size <= 4096 or self.size % 8 != 0 or self.file_id == 0


def header_stands(data, p):
    return (len(data) - p >= 64 and data[p:p + 8] == MAGIC
            and crc32c(data[p:p + 60]) == struct.unpack_from("<I", data, p + 60)[0])


def next_header(data, p):
    """The first offset from p at which a file header stands, or the end of the file."""
    while True:
        p = data.find(MAGIC, p)
        if p < 0:
            return len(data)
        if header_stands(data, p):
            return p
        p += 1


# ---- 4. Chunk header -----------------------------------------------------------------------------

META, EVENTS, TABLE, CLOCK, LOSS, ROUND, INDEX, END, ATTACH = range(1, 10)
CRITICAL, SORTED = 1, 4
NONE32 = 0xFFFFFFFF
SYNC = b"\xd8XTC"

class Chunk:
    def __init__(self, data, p):
        (self.type, self.codec, self.filter, self.props, self.file_id, self.seq, self.stream,
         self.stored_len, self.raw_len, self.ts_min, self.ts_max, self.first_ordinal,
         self.lost_total, self.n_records, self.rec_len, self.payload_crc,
         self.crc) = struct.unpack_from("<BBBBQIIIIQQQQIIII", data, p + 4)
        self.offset = p
        self.end = p + 80 + self.stored_len

    def valid(self, data):
        if self.type == EVENTS:
            known = self.n_records <= 65536 and 16 * self.n_records <= self.rec_len
        else:
            known = self.filter == 0
        return (known and self.type != 0 and self.stored_len <= 1 << 20
                and self.raw_len <= 1 << 20 and self.rec_len <= 8 << 20
                and (self.codec != 0 or self.raw_len == self.stored_len)
                and (self.filter != 0 or self.rec_len == self.raw_len)
                and self.ts_min <= self.ts_max
                and crc32c(data[self.offset:self.offset + 76]) == self.crc)


def chunk_at(data, p, file_id=None):
    """The valid chunk header at p, of this or (None) any file_id but 0; None if there is none."""
    if data[p:p + 4] != SYNC or len(data) - p < 80:
        return None
    c = Chunk(data, p)
    if c.file_id != file_id if file_id is not None else c.file_id == 0:
        return None
    return c if c.valid(data) else None


# ---- 4.1 Finding the next chunk, and damage ------------------------------------------------------


def trailer_at(data, p, file_id):
    """(index_offset, index_len, chunk_count) of the valid trailer at p, or None."""
    if len(data) - p < 32 or data[p + 28:p + 32] != b"XTRE":
        return None
    off, length, count, fid, crc = struct.unpack_from("<QIIQI", data, p)
    return (off, length, count) if fid == file_id and crc == crc32c(data[p:p + 24]) else None


def mark_at(data, p, file_id):
    return (chunk_at(data, p, file_id) is not None or trailer_at(data, p, file_id) is not None
            or header_stands(data, p))


LANDMARK = re.compile(b"\xd8XTC|\x89XTR\r\n\x1a\n|XTRE")


def rescan(data, p, file_id):
    """The first mark at or above p, or the end of the file."""
    best = len(data)
    for m in LANDMARK.finditer(data, p):
        if m.start() - 28 > best:
            break
        at = m.start() - 28 if m.group() == b"XTRE" else m.start()
        if p <= at < best and mark_at(data, at, file_id):
            best = at
    return best


def vote(data, p, q):
    """The file_id that most valid chunk headers in [p, q) carry; None if there is none."""
    seen = {}
    at = data.find(SYNC, p, q + 3)
    while at >= 0:
        c = chunk_at(data, at)
        if c:
            seen[c.file_id] = seen.get(c.file_id, 0) + 1
        at = data.find(SYNC, at + 1, q + 3)
    return max(seen, key=seen.get) if seen else None


class Section:
    """One section as it stands in the file: found chunks, then what their payloads say."""

    def __init__(self, data, p, header):
        self.data, self.offset = data, p
        self.problems, self.chunks, self.found, self.trailer = [], [], 0, None
        self.header_size, self.minor, self.compat = 64, 0, 0
        if isinstance(header, Header):
            self.file_id, self.header_size = header.file_id, header.size
            self.minor, self.compat = header.minor, header.compat
        else:
            self.file_id = header
            self.problem("header-crc", p)
        self.refused, self.trailer_offset = None, 0
        self.meta, self.clocks, self.rounds, self.attached, self.end = None, [], [], [], None
        self.strings, self.tasks, self.rings, self.frames, self.stacks = {}, {}, {}, {}, {}
        self.lost, self.filtered, self.gaps, self.records = {}, {}, [], []
        self.ends_at = self.walk(p + self.header_size)
        self.sequence()
        if not self.refused:
            self.load()

    def problem(self, code, offset):
        self.problems.append((code, offset))

    def walk(self, p):
        size = len(self.data)
        while p < size and not header_stands(self.data, p):
            self.trailer = trailer_at(self.data, p, self.file_id)
            if self.trailer:
                self.trailer_offset = p
                return p + 32
            c = chunk_at(self.data, p, self.file_id)
            if c is None:
                self.problem("lost-sync", p)
                p = rescan(self.data, p + 1, self.file_id)
                continue
            q = p + (c.end - p + 7) // 8 * 8
            if not (c.end <= size <= q) and not mark_at(self.data, q, self.file_id):
                r = rescan(self.data, p + 1, self.file_id)
                if r < c.end or c.end > size:
                    self.problem("chunk-truncated", p)
                    p = r
                    continue
            self.chunks.append(c)
            p = q
        return min(p, size)

    def sequence(self):
        """Leave out duplicates and chunks out of place; find the critical unknown ones."""
        found, self.chunks, self.found = self.chunks, [], len(self.chunks)
        after, ordinals, gap_at = 0, {}, -1
        for c in found:
            if c.seq < after:
                self.problem("chunk-order", c.offset)
                continue
            if c.seq > after:
                self.problem("missing-chunks", c.offset)
                gap_at = len(self.chunks)
            after = c.seq + 1
            if c.type > ATTACH and c.props & CRITICAL and not self.refused:
                self.refused = ("unknown-critical", c.offset)
            if c.type == EVENTS:
                events, place = ordinals.get(c.stream, (0, -1))
                if c.first_ordinal < events or c.first_ordinal > events and gap_at <= place:
                    self.problem("ordinal", c.offset)
                ordinals[c.stream] = ((c.first_ordinal + c.n_records) & (1 << 64) - 1,
                                      len(self.chunks))
            self.chunks.append(c)

    def load(self):
        framing = ("lost-sync", "chunk-truncated", "chunk-order", "missing-chunks")
        self.comparable = not any(code in framing for code, _ in self.problems)
        self.listed, self.prev_index = [], 0
        for c in self.chunks:
            try:
                LOADERS.get(c.type, Section.load_unknown)(self, c)
            except Bad as bad:
                self.problem(bad.args[0], c.offset)
            if c.type == INDEX:
                self.listed, self.prev_index = [], c.offset - self.offset
            else:
                self.listed.append(c)
        if self.meta is None:
            self.problem("no-meta", self.offset)
        if not any(c.type == END for c in self.chunks):
            self.problem("no-end", self.ends_at)
        self.check_trailer()

    def payload(self, c):
        """The payload, verified and decompressed."""
        stored = self.data[c.offset + 80:c.end]
        if crc32c(stored) != c.payload_crc:
            raise Bad("payload-crc")
        if c.codec > 1 or c.filter > 1:
            raise Bad("codec")
        return lz4(stored, c.raw_len) if c.codec else stored

    def load_unknown(self, c):
        if crc32c(self.data[c.offset + 80:c.end]) != c.payload_crc:
            raise Bad("payload-crc")

    # ---- 5. Records ----

    def load_events(self, c):
        raw = self.payload(c)
        if c.filter:
            raw = unfilter(raw, c.n_records, c.rec_len)
        records, at, last = [], 0, 0
        while at < len(raw):
            if len(raw) - at < 16:
                raise Bad("record")
            ts, kind, size, tid = struct.unpack_from("<QHHI", raw, at)
            if size < 16 or size % 8 or size > len(raw) - at or not c.ts_min <= ts <= c.ts_max:
                raise Bad("record")
            if c.props & SORTED and ts < last:
                raise Bad("record")
            records.append((c, ts, kind, tid, raw[at:at + size]))
            at, last = at + size, ts
        if len(records) != c.n_records:
            raise Bad("record")
        self.records += records

    # ---- 6. Chunk types ----

    def load_meta(self, c):
        self.meta = grammar.merge_meta(self.meta, cbor(self.payload(c)))

    def load_table(self, c):
        *tables, tasks = grammar.table(self.payload(c))
        pairs = list(zip((self.strings, self.frames, self.stacks, self.rings), tables))
        for known, new in pairs:
            if any(known.get(k, v) != v for k, v in new.items()):
                raise Bad("table")
        for known, new in pairs:
            known.update(new)
        self.tasks.update(((task[0], task[2]), task) for task in tasks)

    def load_clock(self, c):
        self.clocks.append(grammar.clock(self.payload(c)))

    def load_loss(self, c):
        lost, filtered, gaps = grammar.loss(self.payload(c))
        self.lost.update(lost)
        self.filtered.update(filtered)
        self.gaps += gaps

    def load_round(self, c):
        raw = self.payload(c)
        if len(raw) != 8:
            raise Bad("round")
        self.rounds.append(struct.unpack("<Q", raw)[0])

    def load_end(self, c):
        self.end = grammar.end(self.payload(c))

    def load_attach(self, c):
        raw = self.payload(c)
        length = struct.unpack_from("<H", raw)[0] if len(raw) >= 2 else 1 << 16
        name = raw[2:2 + length]
        if (not 0 < length <= 255 or len(name) != length or b"\0" in name or b"/" in name
                or text_of(name) is None):
            raise Bad("attach")
        self.attached.append((c.offset, name, raw[2 + length:]))

    # ---- 7. INDEX and trailer ----

    def load_index(self, c):
        raw = self.payload(c)
        if len(raw) < 16 or len(raw) != 16 + 40 * struct.unpack_from("<I", raw, 8)[0]:
            raise Bad("index")
        if not self.comparable:
            return
        prev = struct.unpack_from("<Q", raw)[0]
        entries = [e[:3] + e[4:] for e in struct.iter_unpack("<QBBHIQQII", raw[16:])]
        should = [(o.offset - self.offset, o.type, o.codec, o.stream, o.ts_min, o.ts_max,
                   o.n_records, o.seq) for o in self.listed]
        if prev != self.prev_index or entries != should:
            raise Bad("index")

    def check_trailer(self):
        if self.trailer and self.comparable:
            last = [(c.offset - self.offset, c.stored_len) for c in self.chunks if c.type == INDEX]
            if self.trailer != (last or [(0, 0)])[-1] + (self.found,):
                self.problem("index", self.trailer_offset)


LOADERS = {META: Section.load_meta, EVENTS: Section.load_events, TABLE: Section.load_table,
           CLOCK: Section.load_clock, LOSS: Section.load_loss, ROUND: Section.load_round,
           INDEX: Section.load_index, END: Section.load_end, ATTACH: Section.load_attach}

# ---- 8. Problems ---------------------------------------------------------------------------------

CODES = ("not-xtr too-short major incompat unknown-critical header-crc lost-sync chunk-truncated "
         "payload-crc chunk-order missing-chunks codec lz4 filter record cbor meta table clock "
         "loss end round attach index no-meta no-end ordinal").split()


class File:
    """A whole file: the sections that can be shown, and the problems in order."""

    def __init__(self, data):
        self.size, self.sections, self.problems, refusals = len(data), [], [], []
        p = 0
        while p < len(data) and len(data) >= 64:
            header = Header(data, p) if header_stands(data, p) else None
            if header and (header.major != 1 or header.incompat):
                refusals.append(("major" if header.major != 1 else "incompat", p))
                p = next_header(data, p + 1)
                continue
            if header is None or header.damaged():
                q = next_header(data, p + 1)
                header = vote(data, p, q)
                if header is None:
                    self.problems.append(("lost-sync", p))
                    p = q
                    continue
            section = Section(data, p, header)
            p = section.ends_at
            if section.refused:
                refusals.append(section.refused)
                continue
            self.sections.append(section)
            self.problems += section.problems
        self.problems += refusals
        if not self.sections:
            nothing = "too-short" if len(data) < 64 else "not-xtr"
            self.problems = refusals[:1] or [(nothing, 0)]
        self.problems = sorted(set(self.problems), key=lambda x: (x[1], CODES.index(x[0])))


def main(args):
    options = [a for a in args if a.startswith("--")]
    names = [a for a in args if not a.startswith("--")]
    if len(names) != 1 or options not in ([], ["--summary"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if names[0] == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(names[0], "rb") as f:
                data = f.read()
    except OSError as error:
        print("reader.py: %s" % error, file=sys.stderr)
        return 1
    file = File(data)
    sys.stdout.buffer.write(document(file, not options))
    return 3 if file.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
