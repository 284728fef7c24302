# SPDX-License-Identifier: BSD-2-Clause
"""Reads Parquet files, from the texts of the format and of Thrift's compact protocol, and compares them with JSON lines.

https://github.com/apache/parquet-format. Only what xtr writes is known here; all else is an error. DuckDB, hyparquet and
parquet-wasm have read the same files to the same values; they come from outside, so this stands in for them.
"""

import collections
import ctypes
import ctypes.util
import datetime
import functools
import glob
import json
import os
import re
import struct
import sys
import tempfile
import urllib.parse

import source
from tables import TABLES

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fleet-sql"))
from recordings import Recording  # noqa: E402

UNKNOWN = "__HIVE_DEFAULT_PARTITION__"
PLAIN, RLE, DELTA, CODED = 0, 3, 5, 8  # encodings
NS = 1000000000
UNITS = ("_ns", "_bytes", "_ppm", "_permille")


@functools.lru_cache(None)
def zstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return library


def unzstd(data, size):
    out = ctypes.create_string_buffer(max(size, 1))
    assert zstd().ZSTD_decompress(out, size, data, len(data)) == size, "zstd"
    return out.raw[:size]


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        assert self.at + n <= len(self.data), "beyond the end"
        self.at += n
        return self.data[self.at - n:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 127) << shift
            shift += 7
            if b < 128:
                return value

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    # --- Thrift's compact protocol
    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return struct.unpack("b", self.take(1))[0]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            return self.take(self.varint())
        if kind == 9:
            head = self.byte()
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        assert kind == 12, f"type {kind}"
        return self.struct()

    def struct(self):
        found, last = {}, 0
        while True:
            head = self.byte()
            if not head:
                return found
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in found, f"field {last} twice"
            found[last] = self.value(head & 15)

    # --- values
    def bits(self, n, width):
        data = int.from_bytes(self.take(n * width // 8), "little")
        return [data >> i * width & (1 << width) - 1 for i in range(n)]

    def hybrid(self, n, width):
        values = []
        while len(values) < n:
            head = self.varint()
            if head & 1:
                values += self.bits((head >> 1) * 8, width)
            else:
                values += [int.from_bytes(self.take((width + 7) // 8), "little")] * (head >> 1)
        return values[:n]

    def delta(self):
        block, minis, n, value = self.varint(), self.varint(), self.varint(), self.zigzag()
        values = [value] if n else []
        while len(values) < n:
            least = self.zigzag()
            widths = self.take(minis)
            for width in widths:
                if len(values) < n:
                    for d in self.bits(block // minis, width):
                        value = value + least + d
                        values.append(value)
        return values[:n]

    def texts(self, n):
        return [self.take(struct.unpack("<I", self.take(4))[0]).decode() for _ in range(n)]


class Table:
    """Rows, and what the footer says of them."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        assert self.data[:4] == self.data[-4:] == b"PAR1", path
        size, = struct.unpack("<I", self.data[-8:-4])
        self.meta = Bytes(self.data[-8 - size:-8]).struct()
        root, *self.schema = self.meta[2]
        assert root[5] == len(self.schema)
        self.facts = {f[1].decode(): f[2].decode() for f in self.meta[5]}
        self.groups = [self.group(g) for g in self.meta.get(4, [])]
        self.rows = [row for group in self.groups for row in group]
        assert len(self.rows) == self.meta[3], "number of rows"

    def group(self, g):
        names = [s[4].decode() for s in self.schema]
        columns = [self.column(s, c[3]) for s, c in zip(self.schema, g[1])]
        assert all(len(c) == g[3] for c in columns) and len(columns) == len(names)
        rows = [dict(zip(names, cells)) for cells in zip(*columns)]
        for by in g.get(4, []):
            cells = [c for c in columns[by[1]] if c is not None]
            assert cells == sorted(cells) and all(c is None for c in columns[by[1]][len(cells):]), "order"
        return rows

    def page(self, b):
        head = b.struct()
        data = b.take(head[3])
        return head, Bytes(unzstd(data, head[2]))

    def column(self, schema, meta):
        b, dictionary = Bytes(self.data, meta.get(11, meta[9])), None
        assert meta[4] == 6 and meta[1] == schema[1], "zstd"
        if 11 in meta:
            head, page = self.page(b)
            assert head[1] == 2 and b.at == meta[9]
            dictionary = self.plain(page, schema, head[7][1])
            assert page.at == len(page.data)
        head, page = self.page(b)
        assert head[1] == 0 and b.at - meta.get(11, meta[9]) == meta[7], "bytes of a column"
        size, = struct.unpack("<I", page.take(4))
        levels = Bytes(page.take(size)).hybrid(head[5][1], 1)
        n = sum(levels)
        encoding = head[5][2]
        if encoding == CODED:
            width = page.byte()
            values = [dictionary[i] for i in page.hybrid(n, width)]
        elif encoding == DELTA:
            values = page.delta()
        else:
            assert encoding == PLAIN
            values = self.plain(page, schema, n)
        assert page.at == len(page.data) and len(values) == n and encoding in meta[2]
        values = [self.number(schema, v) for v in values]
        self.check_range(schema, meta, values, len(levels))
        rest = iter(values)
        return [next(rest) if level else None for level in levels]

    def plain(self, page, schema, n):
        return page.texts(n) if schema[1] == 6 else [struct.unpack("<q", page.take(8))[0] for _ in range(n)]

    def number(self, schema, v):
        """As its type has it: differences wrap around."""
        if schema[1] == 6:
            return v
        v &= (1 << 64) - 1
        unsigned = 10 in schema[10] and not schema[10][10][2]
        return v if unsigned or v < 1 << 63 else v - (1 << 64)

    def check_range(self, schema, meta, values, n):
        said = meta[12]
        assert said[3] == n - len(values) and meta[5] == n, "nulls"
        if 5 not in said:
            assert not values or schema[1] == 6
            return
        bounds = [said[6], said[5]]
        if schema[1] == 6:
            assert bounds == [min(v.encode() for v in values), max(v.encode() for v in values)], "range"
        else:
            assert [self.number(schema, struct.unpack("<q", b)[0]) for b in bounds] == [min(values), max(values)], "range"


def partitions(path):
    return dict(part.split("=", 1) for part in path.split(os.sep) if "=" in part)


def read_tables(folder, name):
    return {p: Table(p) for p in sorted(glob.glob(os.path.join(folder, f"table={name}", "*", "*", "*.parquet")))}


def wall(file, row, names):
    """Its time in UTC: the first that is known of those of its table."""
    offset = file["realtime_offset_ns"]
    known = [row[n] for n in names if row.get(n) is not None]
    return known[0] + offset if offset is not None and known else None


TIMES = {"files": ["first_ns"], "jobs": ["queue_ns", "run_ns", "start_ns", "done_ns"], "deps": ["from_ns"],
         "calls": ["begin_ns", "end_ns"], "events": ["ts_ns"], "processes": ["start_ns"], "tasks": ["since_ns"],
         "clocks": ["before_ns"], "gaps": ["first_ns"]}


def check_place(checks, what, path, table, file):
    """Where the file lies is what its rows say."""
    parts = partitions(path)
    begin = wall(file, file, ["first_ns"])
    date = UNKNOWN if begin is None else str(datetime.datetime.fromtimestamp(begin // NS, datetime.timezone.utc).date())
    checks.same(f"{what}: place", (urllib.parse.unquote(parts["host"]), parts["date"], os.path.basename(path)),
                (file["host"] or UNKNOWN, date, file["file_id"] + ".parquet"))
    checks.same(f"{what}: units", {k[:-5]: v for k, v in table.facts.items() if k.endswith(".unit")},
                {s[4].decode(): "ns" for s in table.schema if s[4].endswith(b"_ns")})


def check(checks, src):
    """Each table of each recording has the rows that JSON lines have; a second export replaces the first."""
    what = f"{src.name} parquet"
    with tempfile.TemporaryDirectory(prefix="xtr-parquet-") as folder:
        for _ in range(2):
            source.run("export", "-q", "-f", "parquet", "--raw", "-o", folder, src.path)
        files = {f["file_id"]: f for f in source.json_rows(src.path, "files")}
        for name in TABLES:
            tables = read_tables(folder, name)
            checks.same(f"{what} {name}: files", sorted(t.rsplit("/", 1)[1] for t in tables), sorted(f"{i}.parquet" for i in files))
            want = source.json_rows(src.path, name)
            for row in want:
                row["time"] = wall(files[row["file_id"]], row, TIMES.get(name, []))
            seen = [row for t in tables.values() for row in t.rows]
            checks.same(f"{what} {name}: rows", sorted(seen, key=str), sorted(({k: r.get(k) for k in seen[0]} for r in want), key=str) if seen else want)
            for path, table in tables.items():
                file = files[os.path.basename(path)[:-len(".parquet")]]
                check_place(checks, f"{what} {name}", path, table, file)
        hidden = [n for _, _, names in os.walk(folder) for n in names if not n.endswith(".parquet")]
        checks.same(f"{what}: nothing else", hidden, [])


def schema():
    """Names of the tables of sections."""
    text = source.run("query", "--schema").decode().split("Tables of the sections")[1]
    return re.findall(r"^(\w+): ", text, re.M)


def expected_sections(path):
    """Tables of the sections that have rows, as `xtr query` has them, and findings, as `xtr stats` has them."""
    files = source.json_rows(path, "files")

    def placed(row):
        file = files[row.pop("section")]
        return {**{k: file[k] for k in ("host", "boot_id", "file_id")}, **row}

    tables, sql = collections.defaultdict(list), "; ".join(f"SELECT '{t}' AS \"table\", * FROM \"{t}\"" for t in schema())
    for row in source.lines("query", "-q", "--json", path, sql):
        tables[row.pop("table")].append(placed(row))
    tables["findings"] = [placed({"section": i, "at_ns": f["at_ns"] or None, "evidence": json.dumps(f["evidence"], separators=(",", ":")),
                                  **{k: f[k] for k in ("id", "severity", "text", "rule")}})
                          for i, s in enumerate(json.loads(source.run("stats", "-q", "--json", "--all", path))["sections"]) for f in s["findings"]]
    return {n: rows for n, rows in tables.items() if rows or n == "findings"}


def check_sections(checks, src):
    """The tables of the sections; those that have no rows are not there, even if they were before. Only findings always are, of
    each recording."""
    what = f"{src.name} parquet"
    with tempfile.TemporaryDirectory(prefix="xtr-parquet-") as folder:
        source.run("export", "-q", "-f", "parquet", "-o", folder, src.path)
        want = expected_sections(src.path)
        found = {d.split("=")[1] for d in os.listdir(folder)} - set(TABLES)
        checks.same(f"{what}: tables of sections", sorted(found), sorted(want))
        for name in sorted(found & set(want)):
            tables = read_tables(folder, name).values()
            rows = [row for t in tables for row in t.rows]
            names = list(dict.fromkeys(s[4].decode() for t in tables for s in t.schema))
            columns = [c for c in names if c != "advice"]
            checks.same(f"{what} {name}: rows", *(sorted(([r[c] for c in columns] for r in both), key=str) for both in (rows, want[name])))
            units = {k[:-5]: v for t in tables for k, v in t.facts.items() if k.endswith(".unit")}
            checks.same(f"{what} {name}: units", units, {c: c.rsplit("_", 1)[1] for c in names if c.endswith(UNITS)})
        ids = sorted(f["file_id"] + ".parquet" for f in source.json_rows(src.path, "files"))
        checks.same(f"{what} findings: files", sorted(os.path.basename(p) for p in read_tables(folder, "findings")), ids)
        source.run("export", "-q", "-f", "parquet", "-o", folder, "--to", "1ns", src.path)
        checks.same(f"{what}: tables without rows", list(read_tables(folder, "stats_slowest")), [])
        left = read_tables(folder, "findings")
        checks.same(f"{what} findings: files without rows", sorted(os.path.basename(p) for p in left), ids)
        checks.same(f"{what} findings: rows left", [t.rows for t in left.values()], [[] for _ in ids])


# Names of machines, and of their directories: 250 bytes of one.
HOSTS = {"node-1": "node-1", "a.b": "a.b", ".": "%2E", "../../x/": "%2E.%2F..%2Fx%2F", "a=b c": "a%3Db%20c", "": UNKNOWN, "n" * 250: "n" * 250,
         "n" * 300: "n" * 250, "é" * 120: "%C3%A9" * 41 + "%C3", "n" * 249 + "/": "n" * 249}


def check_hosts(checks):
    """A name leads nowhere else, whatever it is, and always to a directory that can be made."""
    for host, want in HOSTS.items():
        with tempfile.TemporaryDirectory(prefix="xtr-parquet-") as folder:
            made = Recording(host, 0x77, NS, NS)
            made.job("sdma0", "copy", NS + 1000, 5000)
            path = os.path.join(folder, "one.xtr")
            with open(path, "wb") as f:
                f.write(made.bytes())
            source.run("export", "-q", "-f", "parquet", "-o", os.path.join(folder, "fleet"), path)
            places = {partitions(p)["host"] for p in glob.glob(os.path.join(folder, "fleet/*/*/*/*.parquet"))}
            checks.same(f"parquet host {host[:20]!r}: directories", sorted(places), [want])
            checks.same(f"parquet host {host[:20]!r}: outside", sorted(os.listdir(folder)), ["fleet", "one.xtr"])


def selected(path, *options):
    with tempfile.TemporaryDirectory(prefix="xtr-parquet-") as folder:
        source.run("export", "-q", "-f", "parquet", "-o", folder, *options, path)
        return [source.key({k: v for k, v in row.items() if v is not None}) for t in read_tables(folder, "jobs").values() for row in t.rows]
