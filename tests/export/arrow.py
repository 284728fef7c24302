# SPDX-License-Identifier: BSD-2-Clause
"""Reads Arrow streams, from the texts of the format and of FlatBuffers, and compares them with JSON lines.

https://arrow.apache.org/docs/format/Columnar.html, https://flatbuffers.dev/internals/. Only what xtr writes is known here; all else
is an error. apache-arrow, arrow-rs and ClickHouse have read the same streams to the same values; they come from outside, so this
stands in for them.
"""

import struct

import parquet
import source
from tables import TABLES

V5, SCHEMA, BATCH, INT, UTF8, TIMESTAMP, NANOSECOND = 4, 1, 3, 2, 5, 10, 3
ROWS = 65536  # of a batch


class Flat:
    """A FlatBuffer. Everything is aligned and inside of it."""

    def __init__(self, data):
        assert len(data) % 8 == 0, "padding"
        self.data = data

    def number(self, kind, at):
        assert at % struct.calcsize(kind) == 0 and at >= 0, "alignment"
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def follow(self, at):
        return at + self.number("I", at)

    def root(self):
        return self.follow(0)

    def field(self, table, n, kind=None):
        """A number, if kind is given, else what is referred to; None: it is not there."""
        listed = table - self.number("i", table)
        size, = struct.unpack_from("<H", self.data, listed)
        at = self.number("H", listed + 4 + 2 * n) if 4 + 2 * n < size else 0
        assert at < self.number("H", listed + 2), "a field behind its table"
        return None if not at else self.number(kind, table + at) if kind else self.follow(table + at)

    def vector(self, table, n, size=4):
        """Places of its elements."""
        at = self.field(table, n)
        return range(at + 4, at + 4 + self.number("I", at) * size, size)

    def text(self, table, n):
        at = self.field(table, n)
        end = at + 4 + self.number("I", at)
        assert self.data[end] == 0, "end of a text"
        return self.data[at + 4:end].decode()

    def pairs(self, table, n):
        found = [self.follow(at) for at in self.vector(table, n)]
        return {self.text(t, 0): self.text(t, 1) for t in found}


class Column:
    def __init__(self, flat, table):
        self.name, self.facts = flat.text(table, 0), flat.pairs(table, 6)
        assert flat.field(table, 1, "B") == 1 and flat.field(table, 4) is None and not flat.vector(table, 5), "nullable, plain"
        kind, of = flat.field(table, 2, "B"), flat.field(table, 3)
        if kind == INT:
            assert flat.field(of, 0, "I") == 64
            self.type = "q" if flat.field(of, 1, "B") else "Q"
        elif kind == TIMESTAMP:
            assert flat.field(of, 0, "H") == NANOSECOND and flat.text(of, 1) == "UTC"
            self.type = "q"
        else:
            assert kind == UTF8, f"type {kind}"
            self.type = None


class Stream:
    """Rows, and what the schema says of them."""

    def __init__(self, data):
        self.rows, self.batches, at, flat = [], [], 0, None
        while True:
            mark, size = struct.unpack_from("<II", data, at)
            assert mark == 0xffffffff and at % 8 == 0, "begin of a message"
            if not size:
                break
            flat = Flat(data[at + 8:at + 8 + size])
            root, at = flat.root(), at + 8 + size
            length = flat.field(root, 3, "Q")
            assert flat.field(root, 0, "H") == V5 and length % 8 == 0 and at + length <= len(data), "message"
            self.message(flat, flat.field(root, 1, "B"), flat.field(root, 2), data[at:at + length])
            at += length
        assert at + 8 == len(data), "something behind the end"

    def message(self, flat, kind, header, body):
        if kind == SCHEMA:
            assert not body and not self.batches and flat.field(header, 0, "H") is None, "schema"
            self.facts = flat.pairs(header, 2)
            self.columns = [Column(flat, flat.follow(at)) for at in flat.vector(header, 1)]
            return
        assert kind == BATCH, f"message {kind}"
        n, at = flat.field(header, 0, "Q"), 0
        buffers = []
        for place in flat.vector(header, 2, 16):
            start, size = flat.number("Q", place), flat.number("Q", place + 8)
            assert start == at and start + size <= len(body) and not any(body[start + size:start + -(-size // 8) * 8]), "buffer"
            buffers.append(body[start:start + size])
            at += -(-size // 8) * 8
        assert at == len(body), "body"
        nodes = [(flat.number("Q", p), flat.number("Q", p + 8)) for p in flat.vector(header, 1, 16)]
        assert len(nodes) == len(self.columns) and all(rows == n for rows, _ in nodes) and n, "nodes"
        cells = [self.cells(c, n, nulls, buffers) for c, (_, nulls) in zip(self.columns, nodes)]
        assert not buffers, "buffers"
        self.batches.append(n)
        self.rows += [dict(zip((c.name for c in self.columns), row)) for row in zip(*cells)]

    @staticmethod
    def cells(column, n, nulls, buffers):
        bits, values = buffers.pop(0), buffers.pop(0)
        assert len(bits) == (-(-n // 8) if nulls else 0), "bits of what is known"
        mask = int.from_bytes(bits, "little")
        known = [not nulls or mask >> i & 1 for i in range(n)]
        assert known.count(0) == nulls and not mask >> n, "nulls"
        if column.type:
            assert len(values) == 8 * n
            found = struct.unpack(f"<{n}{column.type}", values)
        else:
            places, text = struct.unpack(f"<{n + 1}i", values), buffers.pop(0)
            assert places[0] == 0 and places[-1] == len(text) and list(places) == sorted(places), "places of texts"
            found = [text[a:b].decode() for a, b in zip(places, places[1:])]
        assert not any(v for v, k in zip(found, known) if not k), "a value that is not known"
        return [v if k else None for v, k in zip(found, known)]


def export(path, table="jobs", *options):
    return Stream(source.run("export", "-q", "-f", "arrow", "-t", table, "-o", "-", *options, path))


def units(stream):
    return {c.name: c.facts["unit"] for c in stream.columns if "unit" in c.facts}


def check(checks, src):
    """Each table has the rows that JSON lines have, in their order, and their time."""
    files = {f["file_id"]: f for f in source.json_rows(src.path, "files")}
    for name in TABLES:
        what = f"{src.name} arrow {name}"
        want, stream = source.json_rows(src.path, name), export(src.path, name)
        for row in want:
            row["time"] = parquet.wall(files[row["file_id"]], row, parquet.TIMES.get(name, []))
        checks.same(f"{what}: rows", stream.rows, want)
        checks.same(f"{what}: batches", stream.batches, [min(ROWS, len(want) - at) for at in range(0, len(want), ROWS)])
        names = [c.name for c in stream.columns]
        checks.same(f"{what}: columns", names[:4], ["host", "boot_id", "file_id", "time"])
        checks.same(f"{what}: facts", stream.facts["xtr.table"], name)
        checks.same(f"{what}: units", units(stream), {n: "ns" for n in names if n.endswith("_ns")})


def check_sections(checks, src):
    """Some tables of sections, as `xtr query` has them, and one without rows."""
    want = parquet.expected_sections(src.path)
    for name in ("findings", "stats_slowest", "stats_rings", next(t for t in parquet.schema() if t not in want)):
        what = f"{src.name} arrow {name}"
        stream, rows = export(src.path, name), want.get(name, [])
        names = [c.name for c in stream.columns]
        checks.same(f"{what}: facts", stream.facts["xtr.table"], name)
        checks.same(f"{what}: rows", *(sorted(([r[c] for c in names if c != "advice"] for r in both), key=str)
                                       for both in (stream.rows, rows)))
        checks.same(f"{what}: units", units(stream), {c: c.rsplit("_", 1)[1] for c in names if c.endswith(parquet.UNITS)})


def selected(path, *options):
    return [source.key({k: v for k, v in row.items() if v is not None}) for row in export(path, "jobs", *options).rows]
