#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The specification, its documents and the C sources say the same. Ends `N passed, N failed, N skipped`.

Events of events.md against META as libxtr writes it; keys of xtr.cddl against those in the payloads that
libxtr writes; problem codes, chunk types, causes of loss, representations and limits of xtr.md against the
headers; the example file in xtr.md against its bytes.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/gcc"))
sys.path[:0] = [os.path.join(ROOT, "tests/vectors"), os.path.join(ROOT, "spec")]
import cases_content
import reader

passed = failed = 0


def same(name, have, want):
    global passed, failed
    if have == want:
        passed += 1
        return
    failed += 1
    print("FAIL %s:\n  have %r\n  want %r" % (name, have, want), flush=True)


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def flat(prose):
    """Text with its lines joined."""
    return re.sub(r"\s+", " ", prose)


def section(title):
    """The part of xtr.md from a heading to the next of its level or above."""
    spec = text("spec/xtr.md")
    start = re.search(r"^(#+) %s" % re.escape(title), spec, re.M)
    end = re.search(r"^#{1,%d} " % len(start[1]), spec[start.end():], re.M)
    return spec[start.start():start.end() + (end.start() if end else len(spec))]


def macro(path, name):
    """The arguments of each X(...) in an X-macro list, as lists of texts."""
    body = re.search(r"#define %s\(X\)(.*?[^\\])\n" % name, text(path), re.S)[1]
    return [[a.strip(' "') for a in re.findall(r'"[^"]*"|[^,]+', x)]
            for x in re.findall(r'X\(((?:[^()"]|"[^"]*")*)\)', body)]


def number(name):
    """The value of a #define or enumerator of xtr_format.h."""
    found = re.search(r"\b%s\s*(?:=\s*)?(\(?[0-9a-fx]+u?(?: << \d+\)?)?)" % name,
                      text("format/xtr_format.h"))
    return eval(found[1].replace("u", ""))  # a constant of our own header


# ---- what libxtr writes --------------------------------------------------------------------------


def written():
    """A file with everything in it, read by reader.py."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.xtr")
        subprocess.run([os.path.join(BUILD, "tests/spec/write_all"), path], check=True)
        with open(path, "rb") as f:
            return reader.File(f.read())


def check_events(file):
    events = {e["type"]: e for m in file.sections[0].content[reader.META] for e in m["events"]}
    for want in cases_content.builtin_events():
        have = events.pop(want["type"], {"name": None, "size": 0, "fields": []})
        name = "event %d of events.md" % want["type"]
        same(name, (have["name"], have["size"]), (want["name"], want["size"]))
        for h, w in zip(have["fields"], want["fields"]):
            same("%s, field %s" % (name, w[0]), [h[:3], h[5]], [w[:3], w[5]])
        same(name + ", fields", len(have["fields"]), len(want["fields"]))
    same("events that events.md does not have", [t for t in events if t < 1024], [])
    flags = re.search(r"\* flags: (.*?)\. \*", flat(text("spec/events.md")))[1]
    same("flags of events.md", dict((int(n), f) for n, f in re.findall(r"(\d+) `([a-z-]+)`", flags)),
         cases_content.NAMED["flags:u32"][2])


def keys_of(value, out):
    """All text keys of maps in a decoded payload."""
    if isinstance(value, dict):
        out.update(k for k in value if isinstance(k, str))
        value = list(value.values())
    if isinstance(value, list):
        for v in value:
            keys_of(v, out)
    return out


def check_keys(file):
    grammar = re.sub(r";.*", "", text("spec/xtr.cddl"))
    want = set(re.findall(r'"([^"]+)":', grammar))
    have = set()
    s = file.sections[0]
    for c in s.chunks:
        if c.type in (reader.META, reader.TABLE, reader.CLOCK, reader.LOSS, reader.END):
            value = reader.cbor(s.payload(c))
            for free in ("config", "clocks"):
                if free in value:
                    have.add(free)
                    value = {k: v for k, v in value.items() if k != free}
            keys_of(value, have)
    same("keys that libxtr writes and xtr.cddl does not name", sorted(have - want), [])
    # `reset` stands in a TABLE that repeats all, which a small file does not need.
    same("keys of xtr.cddl that libxtr does not write", sorted(want - have - {"reset"}), [])


def check_written(file):
    s = file.sections[0]
    same("problems of a file by libxtr", file.problems, [])
    same("chunk types in it", sorted({c.type for c in s.chunks}), list(range(1, 10)))
    table = re.findall(r"^\| (\d) \| (\w+) \| ([^|]*) \|", section("6. Chunk types"), re.M)
    bits = {"CRITICAL": 1, "SAFE_TO_COPY": 2, "-": 0}
    for kind, name, props in table:
        have = {c.props & 3 for c in s.chunks if c.type == int(kind)}
        same("props of %s" % name, have, {bits[props.strip()]})
    first = next(c for c in s.chunks if c.type == reader.EVENTS)
    same("the first EVENTS chunk", (first.filter, first.stream, len(s.content[reader.EVENTS])), (1, 0, 2))


# ---- lists and numbers ---------------------------------------------------------------------------


def check_lists():
    problems = flat(section("8. Problems"))
    codes = [c for c in re.findall(r"`([a-z0-9-]+)`", problems[problems.index("Refusals"):])]
    codes = list(dict.fromkeys(codes))
    header = macro("format/err.h", "XTR_PROBLEMS")
    same("problem codes of err.h", [p[1] for p in header], codes)
    same("problem codes of reader.py", reader.CODES, codes)
    fatal = re.findall(r"`([a-z-]+)`", problems[problems.index("Refusals"):problems.index("Damage:")])
    same("refusals of err.h", [p[1] for p in header if p[2] == "FATAL"], fatal)
    causes = re.findall(r"(\d) `([a-z-]+)` \(", flat(section("6.5 LOSS")))
    same("causes of loss", [(c[1], c[2]) for c in macro("format/xtr_format.h", "XTR_LOSS_CAUSES")],
         causes)
    grammar = text("spec/xtr.cddl")
    reprs = re.findall(r'"(\w+)"', re.search(r"^number =.*?^repr =.*?\[", grammar, re.M | re.S)[0])
    same("representations", [r[1] for r in macro("format/meta/schema.h", "XTR_REPRS")], reprs)
    same("representations of reader.py", sorted(reader.SIZES), sorted(reprs))
    classes = re.findall(r'"([a-z-]+)"', re.search(r"^sens =.*$", grammar, re.M)[0])
    same("privacy classes", list(reader.CLASSES), classes)


LIMITS = {
    "XTR_FILE_HEADER_SIZE": (r"## 3\. File header, (\d+) bytes", 1),
    "XTR_FILE_HEADER_MAX": (r"at most (4096), a multiple of 8", 1),
    "XTR_CHUNK_HEADER_SIZE": (r"## 4\. Chunk header, (\d+) bytes", 1),
    "XTR_STORED_MAX": (r"`stored_len` and `raw_len` are at most (\d+) MiB", 1 << 20),
    "XTR_RAW_MAX": (r"`stored_len` and `raw_len` are at most (\d+) MiB", 1 << 20),
    "XTR_REC_MAX": (r"`rec_len` at most (\d+) MiB", 1 << 20),
    "XTR_RECORDS_MAX": (r"`n_records` is at most ([\d,]+)", 1),
    "XTR_LAYOUTS_MAX": (r"At most ([\d,]+) layouts", 1),
    "XTR_LAYOUT_FIELDS_MAX": (r"at most (\d+) fields each", 1),
    "XTR_CBOR_DEPTH_MAX": (r"nesting depth (\d+)", 1),
    "XTR_CBOR_ITEMS_MAX": (r"([\d,]+) items \(every key", 1),
    "XTR_CBOR_STRING_MAX": (r"\(([\d,]+) bytes\) per string", 1),
    "XTR_INDEX_ENTRY_SIZE": (r"n entries of (\d+) bytes", 1),
    "XTR_INDEX_EVERY": (r"One is written every ([\d,]+) chunks", 1),
    "XTR_TYPE_FIRST_DYNAMIC": (r"([\d,]+) and above are laid out by META", 1),
    "XTR_MAJOR": (r"\| `major` \| (\d+)\.", 1),
    "XTR_MINOR": (r"\| `minor` \| (\d+)\.", 1),
}


def check_numbers():
    spec = flat(text("spec/xtr.md"))
    for name, (pattern, unit) in LIMITS.items():
        found = re.search(pattern, spec)
        same(name, number(name), found and int(found[1].replace(",", "")) * unit)
    for kind, name in re.findall(r"^\| (\d) \| (\w+) \|", section("6. Chunk types"), re.M):
        same("XTR_CHUNK_" + name, number("XTR_CHUNK_" + name), int(kind))
    sync = bytes.fromhex(re.search(r"`sync` \| ([0-9A-F ]+) \|", spec)[1])
    same("XTR_CHUNK_SYNC", number("XTR_CHUNK_SYNC"), int.from_bytes(sync, "little"))
    magic = bytes.fromhex(re.search(r"`magic` \| ([0-9A-F ]+) \|", spec)[1])
    header = re.search(r'XTR_MAGIC\s+"([^"]+)"', text("format/xtr_format.h"))[1]
    same("XTR_MAGIC", header.encode().decode("unicode_escape").encode("latin-1"), magic)


def check_example():
    """The bytes in the appendix of xtr.md are a file that reads as said there."""
    part = section("11. Example")
    dump = bytes.fromhex("".join(re.findall(r"^ *[0-9a-f]{4}  ((?:[0-9a-f]{2} ?)+)", part, re.M)))
    with open(os.path.join(ROOT, "tests/vectors/accept/example.xtr"), "rb") as f:
        same("the bytes of the example", dump.hex(), f.read().hex())
    file = reader.File(dump)
    same("problems of the example", file.problems, [])
    same("events of the example", len(file.sections[0].content[reader.EVENTS]), 2)
    same("its reading", re.findall(r"^    (\{\"seq\".*\})$", part, re.M),
         re.findall(r"^(\{\"seq\".*?\}\})[,\]]", reader.document(file).decode(), re.M))


def check_vectors():
    """Each problem code has a vector, and each vector that permissive.md names is one."""
    names, codes = set(), set()
    for folder in ("accept", "damaged", "reject"):
        for name in os.listdir(os.path.join(ROOT, "tests/vectors", folder)):
            names.add(name.split(".")[0])
            if name.endswith(".json"):
                codes.update(re.findall(r'\{"code":"([a-z0-9-]+)"',
                                        text("tests/vectors/%s/%s" % (folder, name))))
    same("problem codes without a vector", sorted(set(reader.CODES) - codes), [])
    rows = re.findall(r"^\|.*\| (.*) \|$", text("spec/permissive.md"), re.M)[2:]
    named = {n for row in rows for n in re.findall(r"`([a-z0-9-]+)`", row)}
    same("vectors that permissive.md names and that are none", sorted(named - names), [])


def main():
    file = written()
    check_written(file)
    check_events(file)
    check_keys(file)
    check_lists()
    check_numbers()
    check_example()
    check_vectors()
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
