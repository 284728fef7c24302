# SPDX-License-Identifier: BSD-2-Clause
"""Perfetto traces, decoded by protoc and then read by the rules of Perfetto's importer.

The rules: interned ids count only on a sequence whose state was cleared; clocks 64 and up belong to their sequence and are
related to BOOTTIME by snapshots that came before; begin and end of one track pair by time, the innermost first.
"""

import re
import subprocess
import zlib

import source

PROTO_DIR = source.ROOT + "/tests/export"
BOOTTIME = 6
CLEARED, NEEDED = 1, 2
BEGIN, END, INSTANT, COUNTER = "SLICE_BEGIN", "SLICE_END", "INSTANT", "COUNTER"
WIDE = 1 << 63
JUMP_NS = 1000000  # clocks that differ by less have not moved
JOB_FIELDS = ("device", "ring", "pid", "comm", "kind", "run_ns", "done_ns", "residence_ns", "exec_ns", "start_ns",
              "exec_max_ns", "deps", "quality", "flags", "error")
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.S)
SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


# --- bytes to messages ----------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field; length-delimited ones as bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut off"
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def key(number, size):
    out = b""
    for value in (number << 3 | 2, size):
        while value > 0x7f:
            out += bytes([value & 0x7f | 0x80])
            value >>= 7
        out += bytes([value])
    return out


def unpack(data):
    """The same trace without compressed packets."""
    out = []
    for number, packet in fields(data):
        assert number == 1, "a Trace has packets only"
        inside = [v for n, v in fields(packet) if n == 50]
        out += [unpack(zlib.decompress(v)) for v in inside] or [key(1, len(packet)) + packet]
    return b"".join(out)


def unquote(text):
    def one(match):
        octal, hexa, other = match.groups()
        if octal:
            return bytes([int(octal, 8)])
        return bytes([int(hexa, 16)]) if hexa else SIMPLE.get(other, other)

    return ESCAPE.sub(one, text)


def parse_value(text):
    if text[:1] == b'"':
        return unquote(text[1:-1])
    if re.fullmatch(rb"-?\d+", text):
        return int(text)
    if re.fullmatch(rb"0x[0-9a-f]+", text):
        return int(text, 16)
    return {b"true": True, b"false": False}.get(text, text.decode())


def decode(data, message="Trace"):
    """What protoc makes of it: messages are dicts of lists."""
    done = subprocess.run(["protoc", f"--decode=pf.{message}", "-I", PROTO_DIR, "perfetto.proto"],
                          input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    top = {}
    stack = [top]
    for line in done.stdout.split(b"\n"):
        line = line.strip(b" ")
        if line.endswith(b" {"):
            stack.append({})
            stack[-2].setdefault(line[:-2].decode(), []).append(stack[-1])
        elif line == b"}":
            stack.pop()
        elif line:
            name, _, value = line.partition(b": ")
            stack[-1].setdefault(name.decode(), []).append(parse_value(value))
    return top


def first(message, name, default=None):
    return message[name][0] if name in message else default


def text(value):
    return None if value is None else value.decode("utf-8")  # strict: names must be UTF-8


# --- the importer's rules -------------------------------------------------------------------------


class Sequence:
    TABLES = {"event_categories": "category", "event_names": "name", "debug_annotation_names": "note",
              "graphics_contexts": "context", "gpu_specifications": "spec"}

    def __init__(self):
        self.valid, self.clock, self.clocks, self.table = False, None, [], {}

    def begin(self, packet, flags):
        """State before the packet is read. False: an importer drops the packet."""
        if first(packet, "previous_packet_dropped", False) and not flags & CLEARED:
            self.valid = False
        if flags & CLEARED:
            self.valid, self.clock, self.table = True, None, {}
        if flags & NEEDED and not self.valid:
            return False
        defaults = first(packet, "trace_packet_defaults")
        if defaults:
            self.clock = first(defaults, "timestamp_clock_id", self.clock)
        for name, table in self.TABLES.items():
            for entry in first(packet, "interned_data", {}).get(name, []):
                self.table[table, first(entry, "iid")] = entry
        return True

    def get(self, table, iid):
        return self.table.get((table, iid))


class Trace:
    """All packets in order; `faults` are what an importer would drop, mistake or report."""

    def __init__(self, data):
        self.clear()
        self.packets = decode(unpack(data)).get("packet", [])
        for packet in self.packets:
            self.packet(packet)

    def clear(self):
        """Before the first packet."""
        self.faults = []
        self.sequences, self.tracks, self.gpus, self.global_clocks = {}, {}, {}, []
        self.jobs, self.events, self.ftrace, self.lost = [], [], [], []

    def fault(self, what, packet):
        if len(self.faults) < 20:
            self.faults.append(f"{what}: {str(packet)[:300]}")

    def boot(self, sequence, packet):
        """BOOTTIME of the packet's time stamp, by the snapshots that came before it."""
        clock = first(packet, "timestamp_clock_id", sequence.clock or BOOTTIME)
        ts = first(packet, "timestamp")
        if clock == BOOTTIME:
            return ts
        known = sequence.clocks if 64 <= clock < 128 else self.global_clocks + sequence.clocks
        known = [s for s in known if clock in s and BOOTTIME in s]
        if not known:
            self.fault(f"clock {clock} cannot be resolved", packet)
            return ts
        before = [s for s in known if s[clock] <= ts]
        snapshot = before[-1] if before else known[0]
        return ts - snapshot[clock] + snapshot[BOOTTIME]

    def packet(self, packet):
        flags = first(packet, "sequence_flags", 0)
        number = first(packet, "trusted_packet_sequence_id")
        machine = first(packet, "machine_id", 0)
        sequence = self.sequences.setdefault((machine, number), Sequence())
        if not sequence.begin(packet, flags):
            self.fault("dropped: needs state that was not cleared", packet)
            return
        if number is None and ("track_event" in packet or flags):
            self.fault("no sequence id", packet)
        if "interned_data" in packet and not sequence.valid:
            self.fault("interned on a sequence without state", packet)
        if first(packet, "previous_packet_dropped"):
            self.lost.append(packet)
        if "clock_snapshot" in packet:
            self.clock_snapshot(sequence, packet["clock_snapshot"][0])
        if "track_descriptor" in packet:
            self.descriptor(machine, packet["track_descriptor"][0])
        if "gpu_info" in packet:
            self.gpus.setdefault(machine, []).append(packet["gpu_info"][0].get("gpus", []))
        state = sequence if flags & NEEDED else Sequence()
        if "gpu_render_stage_event" in packet:
            self.render_stage(machine, state, self.boot(sequence, packet), packet)
        if "track_event" in packet:
            self.track_event(machine, state, self.boot(sequence, packet), packet)
        if "ftrace_events" in packet:
            self.ftrace.append((machine, packet["ftrace_events"][0]))

    def clock_snapshot(self, sequence, snapshot):
        found = {first(c, "clock_id"): first(c, "timestamp", 0) for c in snapshot.get("clocks", [])}
        sequence.clocks.append(found)
        self.global_clocks.append({c: t for c, t in found.items() if not 64 <= c < 128})

    def descriptor(self, machine, d):
        parent = first(d, "parent_uuid")
        if parent is not None and (machine, parent) not in self.tracks:
            self.fault("a track's parent is not described", d)
        self.tracks[machine, first(d, "uuid", 0)] = d

    def interned(self, state, table, iid, packet):
        entry = state.get(table, iid)
        if entry is None:
            self.fault(f"{table} {iid} is not interned", packet)
        return entry or {}

    def render_stage(self, machine, state, ts, packet):
        e = packet["gpu_render_stage_event"][0]
        job = {"ts": ts, "machine": machine, "duration": first(e, "duration"), "id": first(e, "event_id"),
               "waits": e.get("event_wait_ids", []), "submission": first(e, "submission_id"),
               "queue": first(e, "hw_queue_iid"), "gpu": first(e, "gpu_id", 0),
               "extra": [(text(first(x, "name")), text(first(x, "value"))) for x in e.get("extra_data", [])]}
        queue = self.interned(state, "spec", job["queue"], packet)
        stage = self.interned(state, "spec", first(e, "stage_iid"), packet)
        context = self.interned(state, "context", first(e, "context"), packet)
        job["ring"], job["stage"] = text(first(queue, "name")), text(first(stage, "name"))
        job["about"], job["pid"] = text(first(stage, "description")), first(context, "pid")
        if "name_iid" in e:
            job["comm"] = text(first(self.interned(state, "name", first(e, "name_iid"), packet), "name"))
        gpus = self.gpus.get(machine, [[]])[-1]
        if not 0 <= job["gpu"] < len(gpus):
            self.fault("a GPU that no GpuInfo tells of", packet)
            gpus = [{}] * (job["gpu"] + 1)
        job["device"] = text(first(gpus[job["gpu"]], "name", b""))
        self.jobs.append(job)

    def track_event(self, machine, state, ts, packet):
        e = packet["track_event"][0]
        uuid = first(e, "track_uuid")
        if (machine, uuid) not in self.tracks:
            self.fault("a track that is not described", packet)
        for iid in e.get("category_iids", []):
            self.interned(state, "category", iid, packet)
        name = text(first(e, "name"))
        if "name_iid" in e:
            name = text(first(self.interned(state, "name", first(e, "name_iid"), packet), "name"))
        notes = []
        for note in e.get("debug_annotations", []):
            label = text(first(note, "name"))
            if "name_iid" in note:
                label = text(first(self.interned(state, "note", first(note, "name_iid"), packet), "name"))
            value = [note[k][0] for k in note if k.endswith("_value")]
            notes.append((label, text(value[0]) if value and isinstance(value[0], bytes) else value[0] if value else None))
        correlation = first(e, "gpu_correlation", {})
        self.events.append({"type": first(e, "type"), "track": (machine, uuid), "ts": ts, "name": name, "notes": notes,
                            "note": dict(notes), "value": first(e, "counter_value"), "flows": e.get("flow_ids", []),
                            "ends": e.get("terminating_flow_ids", []),
                            "submits": correlation.get("submission_event_ids", []),
                            "waits": correlation.get("wait_event_ids", []),
                            "dropped": first(packet, "previous_packet_dropped", False)})

    def path(self, track):
        """Names of a track and those above it, the root first; a thread or process as (pid, tid)."""
        found = []
        while track in self.tracks:
            d = self.tracks[track]
            if "thread" in d:
                found.insert(0, ("thread", first(d["thread"][0], "pid"), first(d["thread"][0], "tid")))
            elif "process" in d:
                found.insert(0, ("process", first(d["process"][0], "pid")))
            else:
                found.insert(0, text(first(d, "name", b"")))
            parent = first(d, "parent_uuid")
            track = (track[0], parent)
            if parent is None:
                break
        return found

    def slices(self):
        """(track, begin, end, begin event) as an importer pairs them; end None: there is none."""
        tracks, found = {}, []
        for event in self.events:
            if event["type"] in (BEGIN, END):
                tracks.setdefault(event["track"], []).append(event)
        for track, events in tracks.items():
            stack = []
            for event in sorted(events, key=lambda e: e["ts"]):  # stable, as the importer's
                if event["type"] == BEGIN:
                    stack.append(event)
                elif stack:
                    begin = stack.pop()
                    found.append((track, begin["ts"], event["ts"], begin))
                else:
                    self.fault("an end without a begin", event)
            found += [(track, e["ts"], None, e) for e in stack]
        return found


# --- jobs -----------------------------------------------------------------------------------------


def fence(value):
    context, _, seqno = value.partition(":")
    return int(context), int(seqno)


def of_id(number):
    """The fence that a short event id stands for."""
    return number >> 32, number & 0xffffffff


def about(description):
    found = dict(part.partition("=")[::2] for part in (description or "").split(" "))
    return found.get("quality"), found.get("flags", "").split("|") if found.get("flags") else [], found.get("start")


class Axis:
    """BOOTTIME back to the event clock of one section: one offset until the clocks have moved."""

    def __init__(self, section):
        self.spans, errors = [], []
        for s in source.json_rows(section.path, "clocks"):
            error = s["after_ns"] - s["before_ns"]
            if not s["boottime_ns"] or error < 0:
                continue
            offset = s["boottime_ns"] - s["before_ns"] - error // 2
            if not self.spans or abs(offset - self.spans[-1][1]) > JUMP_NS + error // 2 + errors[-1] // 2:
                self.spans.append((s["before_ns"], offset))
                errors.append(error)
            elif error < errors[-1]:  # the quicker reading is the better one
                self.spans[-1], errors[-1] = (self.spans[-1][0], offset), error
        self.spans = self.spans or [(0, 0)]

    def event(self, boot):
        for start, offset in reversed(self.spans):
            if boot - offset >= start:
                return boot - offset
        return boot - self.spans[0][1]


def finish(job, at, start, exec_ns, exec_max):
    """What follows from the rest, as xtr jobs has it."""
    if "residence_ns" in job:
        job["exec_max_ns"] = exec_max if exec_max is not None else exec_ns if exec_ns is not None else job["residence_ns"]
        if job["quality"] != "bounded":
            job["exec_ns"] = job["exec_max_ns"]
            job["start_ns"] = job["done_ns"] - job["exec_ns"]
        elif start == "run":
            job["start_ns"] = job["run_ns"]
    elif at in ("run", "done", "queue"):
        job[at + "_ns"] = job.pop("at_ns")
    return job


def device_of(label, devices):
    """The name of a device whose label has its driver before it."""
    for name, driver in devices.items():
        if label in (name, f"{driver} {name}"):
            return name
    return "" if label in ("unknown device", "unknown") else label


def decode_job(trace, raw, axis, devices):
    extra = dict(raw["extra"])
    context, seqno = fence(extra["fence"]) if "fence" in extra else of_id(raw["id"])
    quality, flags, start = about(raw["about"])
    wide = [fence(v) for k, v in raw["extra"] if k == "dependency"]
    job = {"context": context, "seqno": seqno, "device": device_of(raw["device"], devices),
           "ring": "" if raw["ring"] == "unknown ring" else raw["ring"], "queue": (raw["machine"], raw["queue"]),
           "pid": raw["pid"], "comm": raw.get("comm"), "kind": raw["stage"], "quality": quality, "flags": flags,
           "error": int(extra.get("error", 0)), "id": raw["id"],
           "deps": sorted(wide + [of_id(w) for w in raw["waits"] if w < WIDE])}
    if len(wide) != sum(w >= WIDE for w in raw["waits"]):
        trace.fault("dependencies that cannot be told", raw)
    if (raw["id"] < WIDE) == ("fence" in extra) or raw["submission"] != seqno & 0xffffffff:
        trace.fault("ids of a job", raw)
    ts = axis.event(raw["ts"])
    if raw["duration"] is None:
        job["at_ns"] = ts
    else:
        job.update(run_ns=ts, done_ns=ts + raw["duration"], residence_ns=raw["duration"])
    number = {k: int(v) for k, v in extra.items() if k.startswith("exec_")}
    return finish(job, extra.get("at"), start, number.get("exec_ns"), number.get("exec_max_ns"))


def ring_of(trace, track, devices):
    """(device, ring) of a track below a ring."""
    path = trace.path(track)
    return device_of(path[0], devices), "" if path[1] == "unknown ring" else path[1]


def decode_slice(trace, event, end, axis, devices):
    """A job of --track-events: a slice on a lane of its ring, or a moment."""
    note = event["note"]
    device, ring = ring_of(trace, event["track"], devices)
    quality, flags, start = about(note["description"])
    job = {"context": note["context"], "seqno": note["seqno"], "device": device, "ring": ring,
           "queue": (event["track"][0], first(trace.tracks[event["track"]], "parent_uuid")),
           "pid": note.get("pid"), "tid": note.get("tid"), "kind": note["kind"], "quality": quality, "flags": flags,
           "comm": None if event["name"] == note["kind"] else event["name"], "error": int(note.get("error", 0)),
           "deps": sorted(fence(v) for k, v in event["notes"] if k == "dependency"), "id": event["ends"][0]}
    ts = axis.event(event["ts"])
    if event["type"] == INSTANT:
        job["at_ns"] = ts
    else:
        job.update(run_ns=ts, done_ns=axis.event(end))
        job["residence_ns"] = job["done_ns"] - ts
    return finish(job, note.get("at"), start, note.get("exec_ns"), note.get("exec_max_ns"))


def expected(job):
    """A job as this format can tell it; its name is the thread's, if that has one."""
    return {**job, "comm": job.get("comm") or None, "deps": source.dependencies(job), "error": job.get("error", 0)}


def is_job(event, trace):
    return "quality=" in str(event["note"].get("description", ""))


def export(path, *options):
    return Trace(source.run("export", "-q", "-f", "perfetto", "-o", "-", *options, path))


def selected(path, *options):
    trace = export(path, *options)
    if "--track-events" in options:
        return [(e["note"]["context"], e["note"]["seqno"]) for e in trace.events
                if e["type"] in (BEGIN, INSTANT) and is_job(e, trace)]
    return [fence(dict(j["extra"])["fence"]) if "fence" in dict(j["extra"]) else of_id(j["id"]) for j in trace.jobs]
