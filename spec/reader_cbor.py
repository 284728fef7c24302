# SPDX-License-Identifier: BSD-2-Clause
"""Section 6 of xtr.md for reader.py: CBOR, the grammar of xtr.cddl, the union of META copies."""


class Bad(Exception):
    """A payload is not as the specification says; the argument is the problem's code."""


# ---- 6.1 CBOR ------------------------------------------------------------------------------------


def text_of(data):
    """Text of UTF-8 bytes without a byte 0, or None."""
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def cbor(data):
    """The one item of a payload. Map keys that are neither text, bytes nor uint become tuples."""
    at, items = 0, 0

    def take(n):
        nonlocal at
        if n > len(data) - at:
            raise Bad("cbor")
        at += n
        return data[at - n:at]

    def argument(info):
        if info < 24:
            return info
        if info > 27:
            raise Bad("cbor")
        n = 1 << info - 24
        value = int.from_bytes(take(n), "big")
        if value < (24 if n == 1 else 1 << 4 * n):
            raise Bad("cbor")
        return value

    def string(major, length):
        if length > 65536:
            raise Bad("cbor")
        raw = take(length)
        if major == 2:
            return raw
        if text_of(raw) is None:
            raise Bad("cbor")
        return raw.decode("utf-8")

    def mapping(count, depth):
        out, last = {}, b""
        for _ in range(count):
            start = at
            key = item(depth)
            encoded = data[start:at]
            if encoded <= last:
                raise Bad("cbor")
            last = encoded
            plain = isinstance(key, (str, bytes)) or type(key) is int
            out[key if plain else ("key", encoded)] = item(depth)
        return out

    def item(depth):
        nonlocal items
        items += 1
        first = take(1)[0]
        major, info = first >> 5, first & 31
        if items > 65536 or major in (4, 5) and depth == 16:
            raise Bad("cbor")
        if major == 7:
            if info not in (20, 21, 22):
                raise Bad("cbor")
            return (False, True, None)[info - 20]
        value = argument(info)
        if major < 2:
            return -1 - value if major else value
        if major < 4:
            return string(major, value)
        if major == 4:
            return [item(depth + 1) for _ in range(value)]
        if major == 5:
            return mapping(value, depth + 1)
        raise Bad("cbor")

    value = item(0)
    if at != len(data):
        raise Bad("cbor")
    return value


# ---- xtr.cddl ------------------------------------------------------------------------------------
# A rule is a predicate over what cbor() returns.


def uint(high=(1 << 64) - 1, low=0):
    return lambda v: type(v) is int and low <= v <= high


def text(v):
    return isinstance(v, str)


def boot_id(v):
    return isinstance(v, bytes) and len(v) == 16


def list_of(rule):
    return lambda v: isinstance(v, list) and all(map(rule, v))


def array(*rules, more=True):
    def matches(v):
        return (isinstance(v, list) and (len(v) >= len(rules) if more else len(v) == len(rules))
                and all(rule(x) for rule, x in zip(rules, v)))
    return matches


def map_of(key, value):
    return lambda v: isinstance(v, dict) and all(key(k) and value(x) for k, x in v.items())


def struct(needed, optional=None):
    """A map with text keys; keys that the grammar does not name are ignored."""
    def matches(v):
        return (isinstance(v, dict) and all(map(text, v))
                and all(k in v and rule(v[k]) for k, rule in needed.items())
                and all(rule(v[k]) for k, rule in (optional or {}).items() if k in v))
    return matches


U64, U32, U16, ID = uint(), uint(0xFFFFFFFF), uint(0xFFFF), uint(0xFFFFFFFF, 1)
NUMBERS = {kind + str(8 * width): width
           for kind in ("u", "s", "hex") for width in (1, 2, 4, 8)}
WIDTHS = dict(NUMBERS, strid=None, ring=4, stack=4, bytes=None, str=None)
NAMES = array(text, lambda v: text(v) and v in NUMBERS, map_of(U64, text))


def representation(v):
    if isinstance(v, list):
        return len(v) > 0 and text(v[0]) and (v[0] not in ("enum", "flags") or NAMES(v))
    return text(v)


def text_or_null(v):
    return v is None or text(v)


FIELD = array(text, U32, representation, text_or_null, text_or_null, U32)
EVENT = struct({"fields": list_of(FIELD), "name": text, "provider": U32, "size": uint(65528, 16),
                "type": uint(65535, 16)})
PROVIDER = struct({"id": U32, "name": text, "attach": text, "target": text, "state": text},
                  {"why": text, "module": text})
DEVICE = struct({"name": text}, {"driver": text, "nodes": list_of(text), "pci-id": text,
                                 "driver-version": text, "firmware": text})
SYSTEM = struct({"cpus": U32, "page": U32, "uname": array(text, text, text, more=False)},
                {"hypervisor": text, "hostname": text, "devices": list_of(DEVICE)})
META = struct({"clock": struct({"event": text, "boot-id": boot_id, "res-ns": U64}),
               "config": map_of(text, lambda v: True), "events": list_of(EVENT),
               "format": array(U64, U64, more=False), "providers": list_of(PROVIDER),
               "system": SYSTEM, "writer": struct({"name": text, "version": text})})
TABLE = struct({}, {"frames": map_of(ID, array(U32, U64, U32)),
                    "reset": lambda v: isinstance(v, bool),
                    "rings": list_of(array(ID, U64, U64, U32, U32, U32)),
                    "stacks": map_of(ID, list_of(U32)),
                    "strings": map_of(ID, lambda v: isinstance(v, (str, bytes))),
                    "tasks": list_of(array(U32, U32, U64, U32, U32))})
CLOCK = struct({"after": U64, "before": U64, "clocks": map_of(text, U64)})
LOSS = struct({}, {"filtered": list_of(array(U32, U16, U64)),
                   "gaps": list_of(array(U32, U64, U64, U64)),
                   "lost": list_of(array(U32, U16, uint(255, 1), U64))})
END = struct({"events": U64, "lost": U64, "reason": text},
             {"recorder": struct({}, dict.fromkeys(("bpf-run-count", "bpf-run-ns", "cpu-ns",
                                                    "ring-bytes", "ring-high"), U64))})

# ---- 6.2 META ------------------------------------------------------------------------------------

CLASSES = ("plain", "kptr", "uptr", "pid", "name", "path", "user-data")


class Field:
    """A field of META, checked against its event and read as section 6.2 says."""

    def __init__(self, raw, event_size):
        self.name, self.offset, rep, self.unit, self.privacy, self.size = raw[:6]
        self.names = None
        if isinstance(rep, list) and rep[0] in ("enum", "flags"):
            self.names = (rep[0], sorted(rep[2].items()))
            rep = rep[1]
        self.repr = rep if isinstance(rep, str) and rep in WIDTHS else "bytes"
        width = WIDTHS[self.repr]
        right = self.size == width if width else self.size > 0
        if self.repr == "strid":
            right = self.size in (4, 8)
        if not right or self.offset + self.size > event_size:
            raise Bad("meta")
        if self.privacy is not None and self.privacy not in CLASSES:
            self.privacy = "user-data"


def merge_meta(old, new):
    """The union of what was read so far (None at first) and one META payload."""
    if not META(new):
        raise Bad("meta")
    out = old or {"events": {}, "providers": {}, "devices": {}, "config": {}}
    events = {}
    for e in new["events"]:
        if e["size"] % 8:
            raise Bad("meta")
        events[e["type"]] = (e, [Field(f, e["size"]) for f in e["fields"]])
    out["events"].update(events)
    out["providers"].update((p["id"], p) for p in new["providers"])
    out["devices"].update((d["name"], d) for d in new["system"].get("devices", []))
    out["config"].update(new["config"])
    out.update({k: new[k] for k in ("writer", "clock", "system")})
    return out


# ---- 6.3 to 6.6 ----------------------------------------------------------------------------------


def table(payload):
    """(strings, frames, stacks, rings as maps by id, tasks) of a TABLE payload."""
    t = cbor(payload)
    if not TABLE(t):
        raise Bad("table")
    rings = {}
    for ring in t.get("rings", []):
        if rings.setdefault(ring[0], ring[:6]) != ring[:6]:
            raise Bad("table")
    strings = {k: v.encode() if isinstance(v, str) else v for k, v in t.get("strings", {}).items()}
    frames = {k: v[:3] for k, v in t.get("frames", {}).items()}
    return strings, frames, t.get("stacks", {}), rings, [x[:5] for x in t.get("tasks", [])]


def clock(payload):
    t = cbor(payload)
    if not CLOCK(t) or t["before"] > t["after"]:
        raise Bad("clock")
    return t


def loss(payload):
    """(lost by key, filtered by key, gaps) of a LOSS payload."""
    t = cbor(payload)
    if not LOSS(t) or any(gap[1] > gap[2] for gap in t.get("gaps", [])):
        raise Bad("loss")
    return ({tuple(e[:3]): e[3] for e in t.get("lost", [])},
            {tuple(e[:2]): e[2] for e in t.get("filtered", [])},
            [tuple(gap[:4]) for gap in t.get("gaps", [])])


def end(payload):
    t = cbor(payload)
    if not END(t):
        raise Bad("end")
    return t
