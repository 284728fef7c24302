# SPDX-License-Identifier: BSD-2-Clause
"""The JSON document that reader.py prints, byte for byte as test-vectors.md says."""
import bisect
import re

from reader_cbor import text_of

CHUNK_KEYS = ("offset type codec filter props seq stream stored_len raw_len rec_len n_records "
              "ts_min ts_max first_ordinal lost_total").split()
STATES = ("attached", "missing", "refused")
COSTS = ("cpu-ns", "ring-bytes", "ring-high", "bpf-run-ns", "bpf-run-count")
NONE32 = 0xFFFFFFFF


class Raw(str):
    """JSON that is ready."""


def obj(pairs):
    return Raw("{" + ",".join(value(k) + ":" + value(v) for k, v in pairs) + "}")


def lines(items):
    """An array with each element on its own line."""
    return Raw("[" + ",".join("\n" + value(x) for x in items) + "]")


def value(v):
    if isinstance(v, Raw):
        return v
    if v is None:
        return "null"
    if isinstance(v, str):
        return '"' + re.sub(r'["\\\x00-\x1f\x7f]', escaped, v) + '"'
    if isinstance(v, (list, tuple)):
        return "[" + ",".join(map(value, v)) + "]"
    return str(v)


def escaped(m):
    c = m.group()
    return "\\" + c if c in '"\\' else "\\u%04x" % ord(c)


def octets(raw):
    """Text if the bytes are text, else their hex digits in an object."""
    text = text_of(raw)
    return obj([("hex", raw.hex())]) if text is None else text


# ---- what the tables say -------------------------------------------------------------------------


def string(section, number):
    if number == 0:
        return None
    raw = section.strings.get(number)
    return "?str:%d" % number if raw is None else octets(raw)


def ring(section, number):
    r = section.rings.get(number)
    if r is None:
        return "?ring:%d" % number if number else None
    return obj([("id", number), ("device", string(section, r[3])), ("name", string(section, r[4]))])


def stack(section, number):
    frames = section.stacks.get(number)
    if frames is None:
        return "?stack:%d" % number if number else None
    return obj([("id", number), ("frames", frames)])


def task(section, tid, ts):
    entries = section.task_index.get(tid)
    if entries is None:
        return None
    entry = entries[max(0, bisect.bisect(entries, ts, key=lambda e: e[2]) - 1)]
    return obj([("pid", entry[1]), ("comm", string(section, entry[3]))])


LOOKUPS = {"strid": string, "ring": ring, "stack": stack}

# ---- events --------------------------------------------------------------------------------------


def named(number, kind, names):
    wide = number & (1 << 64) - 1
    if kind == "enum":
        return obj([("value", number), ("name", dict(names).get(wide))])
    return obj([("value", number), ("names", [n for v, n in names if v and wide & v == v])])


def field(section, f, record):
    raw = record[f.offset:f.offset + f.size]
    if f.repr == "bytes":
        return raw.hex()
    if f.repr == "str":
        return octets(raw.split(b"\0")[0])
    number = int.from_bytes(raw, "little", signed=f.repr[0] == "s" and f.repr[1:].isdigit())
    if f.repr in LOOKUPS:
        return LOOKUPS[f.repr](section, number)
    return named(number, *f.names) if f.names else number


def event(section, record):
    c, ts, kind, tid, raw = record
    known = section.meta and section.meta["events"].get(kind)
    head = [("seq", c.seq), ("ts", ts), ("type", kind),
            ("name", known[0]["name"] if known else None),
            ("cpu", None if c.stream == NONE32 else c.stream), ("tid", tid),
            ("task", task(section, tid, ts)), ("size", len(raw))]
    if not known:
        return obj(head + [("hex", raw[16:].hex())])
    fields = [(f.name, field(section, f, raw)) for f in known[1] if f.offset + f.size <= len(raw)]
    return obj(head + [("fields", obj(fields))])


# ---- sections ------------------------------------------------------------------------------------


def meta_field(f):
    names = f.names and (f.names[0], [list(x) for x in f.names[1]])
    return obj([("name", f.name), ("offset", f.offset), ("size", f.size), ("repr", f.repr),
                ("names", names), ("unit", f.unit), ("class", f.privacy)])


def meta(m):
    if m is None:
        return None
    system, c = m["system"], m["clock"]
    config = sorted(((k, v) for k, v in m["config"].items()
                     if isinstance(v, str) or type(v) is int and v >= 0),
                    key=lambda kv: (len(kv[0].encode()), kv[0].encode()))
    return obj([
        ("writer", [m["writer"]["name"], m["writer"]["version"]]),
        ("clock", [c["event"], c["boot-id"].hex(), c["res-ns"]]),
        ("system", obj([("cpus", system["cpus"]), ("page", system["page"]),
                        ("uname", system["uname"]), ("hypervisor", system.get("hypervisor")),
                        ("hostname", system.get("hostname"))])),
        ("devices", lines(obj([(k.replace("-", "_"), d.get(k)) for k in (
            "name", "driver", "pci-id", "driver-version", "firmware")]
            + [("nodes", d.get("nodes", []))]) for _, d in sorted(m["devices"].items()))),
        ("config", lines(config)),
        ("providers", lines(obj([
            ("id", p["id"]), ("name", p["name"]), ("attach", p["attach"]), ("target", p["target"]),
            ("state", p["state"] if p["state"] in STATES else "missing"), ("why", p.get("why")),
            ("module", p.get("module"))]) for _, p in sorted(m["providers"].items()))),
        ("events", lines(obj([
            ("type", kind), ("name", e["name"]), ("size", e["size"]), ("provider", e["provider"]),
            ("fields", lines(map(meta_field, fields)))])
            for kind, (e, fields) in sorted(m["events"].items()))),
    ])


def cost(recorder):
    if recorder is None:
        return None
    return obj((k.replace("-", "_"), recorder.get(k, 0)) for k in COSTS)


def section_json(s, with_events):
    s.task_index = {}
    for (tid, _), entry in sorted(s.tasks.items()):
        s.task_index.setdefault(tid, []).append(entry)
    out = [
        ("offset", s.offset), ("header_size", s.header_size), ("minor", s.minor),
        ("compat_flags", s.compat), ("file_id", "%016x" % s.file_id),
        ("chunks", lines([getattr(c, k) for k in CHUNK_KEYS] for c in s.chunks)),
        ("meta", meta(s.meta)),
        ("strings", lines((k, octets(v)) for k, v in sorted(s.strings.items()))),
        ("tasks", lines(t for _, t in sorted(s.tasks.items()))),
        ("rings", lines(r for _, r in sorted(s.rings.items()))),
        ("frames", lines([k] + f for k, f in sorted(s.frames.items()))),
        ("stacks", lines(sorted(s.stacks.items()))),
        ("clocks", lines([c["before"], c["after"], c["clocks"].get("boottime", 0),
                          c["clocks"].get("realtime", 0)] for c in s.clocks)),
        ("rounds", lines(s.rounds)),
        ("attached", lines(obj([("offset", o), ("name", octets(n)), ("hex", b.hex())])
                           for o, n, b in s.attached)),
        ("lost", lines(k + (v,) for k, v in sorted(s.lost.items()) if v)),
        ("filtered", lines(k + (v,) for k, v in sorted(s.filtered.items()) if v)),
        ("gaps", lines((g[0], g[1], g[2], g[3])
                       for g in sorted(s.gaps, key=lambda g: (g[1], g[2], g[0], g[3])))),
        ("end", s.end and obj([("reason", s.end["reason"]),
                               ("recorder", cost(s.end.get("recorder")))])),
    ]
    if with_events:
        out.append(("events", lines(event(s, r) for r in s.records)))
    return obj(out)


def document(file, with_events=True):
    return (obj([
        ("size", file.size),
        ("sections", lines(section_json(s, with_events) for s in file.sections)),
        ("problems", lines(obj([("code", c), ("offset", o)]) for c, o in file.problems)),
    ]) + "\n").encode()
