# SPDX-License-Identifier: BSD-2-Clause
"""Perfetto exports against xtr jobs, stats and dump."""

import re

import source
from perfetto import (BEGIN, COUNTER, END, INSTANT, JOB_FIELDS, Axis, decode, decode_job, decode_slice, expected,
                      export, first, is_job, ring_of, text)


LOST = re.compile(r"(1 event|([02-9]|\d{2,}) events) lost")


def check_tracks(checks, what, trace):
    """Begin and end pair the way they were written, whatever their order in time."""
    written, stacks, wrong = {}, {}, []
    for event in trace.events:
        if event["type"] == BEGIN:
            stacks.setdefault(event["track"], []).append(event)
        elif event["type"] == END and stacks.get(event["track"]):
            written[id(stacks[event["track"]].pop())] = event["ts"]
    for track, begin, end, event in trace.slices():
        if end != written.get(id(event)):
            wrong.append((trace.path(track), begin, end, event["name"], written.get(id(event))))
    checks.check(not wrong, f"{what}: begin and end pair as they were written", f"{len(wrong)}, e.g. {wrong[:2]}")


def check_submissions(checks, what, trace, want, axis, flow_field):
    """A moment on the submitter's thread, with an arrow to the job."""
    seen, arrows = [], []
    for e in trace.events:
        if e["name"] != "submit" or e["type"] != INSTANT:
            continue
        place = trace.path(e["track"])[-1]
        thread = place[1:] if place[0] == "thread" else (None, int(place.rpartition(" ")[2]))
        seen.append((e["note"]["context"], e["note"]["seqno"], axis.event(e["ts"]), *thread, e["note"].get("client")))
        arrows += [(i, (e["note"]["context"], e["note"]["seqno"])) for i in e[flow_field]]
    expect = [(*source.key(j), j["queue_ns"], j.get("pid"), j["tid"], j.get("client")) for j in want if "queue_ns" in j]
    checks.same(f"{what}: submissions", sorted(seen, key=str), sorted(expect, key=str))
    return arrows


def check_waits(checks, what, trace, want, axis, slices):
    found = [(s[3]["note"]["context"], s[3]["note"]["seqno"], axis.event(s[1]), axis.event(s[2])) for s in slices
             if "dep_waits" in s[3]["note"]]
    expect = [(*source.key(j), j["queue_ns"], j["run_ns"]) for j in want if "queue_wait_ns" in j]
    checks.same(f"{what}: waits in queues", sorted(found), sorted(expect))
    found = [(s[3]["note"]["context"], s[3]["note"]["seqno"], axis.event(s[1]), axis.event(s[2])) for s in slices
             if s[3]["name"] == "dependency"]
    expect = [(d["context"], d["seqno"], max(d["from_ns"], j["queue_ns"]), min(d["until_ns"], j["run_ns"]))
              for j in want if "queue_wait_ns" in j for d in j.get("deps", []) if min(d["until_ns"], j["run_ns"])
              >= max(d["from_ns"], j["queue_ns"])]
    checks.same(f"{what}: waits for dependencies", sorted(found), sorted(expect))


def check_depths(checks, what, trace, section, axis, devices):
    """Each ring's counters: their values by time are those of a count of all jobs, where they change."""
    seen = {}
    for e in trace.events:
        if e["type"] == COUNTER and len(trace.path(e["track"])) == 3:
            name = trace.path(e["track"])[2]
            for end in ("queued", "on hardware"):
                if name.endswith(end):
                    seen.setdefault((ring_of(trace, e["track"], devices), end, e["track"]), []).append(
                        (axis.event(e["ts"]), e["value"]))
    last, want, names = {}, {}, section.labels()
    for ts, ring, queued, hw in source.depths(section):
        for end, value in (("queued", queued), ("on hardware", hw)):
            if last.get((ring, end)) != value:
                device, label = names(ring, "")
                want.setdefault(((device, re.sub(r"#\d+$", "", label)), end, ring), []).append((ts, value))
            last[ring, end] = value
    checks.same(f"{what}: depths of queues", sorted((k[:2], v) for k, v in seen.items()),
                sorted((k[:2], v) for k, v in want.items()))


def check_counters(checks, what, trace, section, axis):
    pairs = source.paired(section)
    marks = [e for e in section.events() if source.is_mark(e, pairs)]
    names = {"gpu_mem:gpu_mem_total": "size", "power:gpu_frequency": "state"}
    seen = sorted((axis.event(e["ts"]), e["value"]) for e in trace.events
                  if e["type"] == COUNTER and len(trace.path(e["track"])) == 1)
    want = sorted((e["ts_ns"], min(e["fields"][names[e["event"]]], (1 << 63) - 1)) for e in marks if e["event"] in names)
    checks.same(f"{what}: counters", seen, want)
    kinds = {e["event"].split(":", 1)[1] for e in marks if e["event"] not in names}
    seen = sorted((axis.event(e["ts"]) + e["note"].get("interrupt_after_ns", 0), e["name"]) for e in trace.events
                  if e["type"] == INSTANT and e["name"] in kinds)
    want = sorted((e["ts_ns"], e["event"].split(":", 1)[1]) for e in marks if e["event"] not in names)
    checks.same(f"{what}: other events", seen, want)


def check_calls(checks, what, trace, section, axis, slices):
    names = {"syscall", "wait", "irq", "softirq", "function", "api"}
    want = [(source.title(kind, name), begin, end) for kind, name, begin, end, *_ in source.calls(section)
            if kind in names]
    titles = {name for name, _, _ in want}
    seen = [(s[3]["name"], axis.event(s[1]), None if s[2] is None else axis.event(s[2])) for s in slices
            if s[3]["name"] in titles and "dep_waits" not in s[3]["note"] and not is_job(s[3], trace)
            and trace.path(s[0])[-1] != "unfinished jobs"]
    for e in trace.events:
        if e["type"] == INSTANT and e["name"] in titles and "missing" in e["note"]:
            ts = axis.event(e["ts"])
            seen.append((e["name"], None, ts) if e["note"]["missing"] == "begin" else (e["name"], ts, None))
    checks.same(f"{what}: calls", sorted(seen, key=str), sorted(want, key=str))


def check_gaps(checks, what, trace, section, axis, slices):
    seen = sorted((axis.event(s[1]), axis.event(s[2])) for s in slices if LOST.fullmatch(s[3]["name"])
                  and trace.path(s[0])[0] == "Lost events")
    checks.same(f"{what}: stretches of lost events", seen, sorted(section.gaps()))


INT64, UINT64 = 3, 4  # types of a DescriptorProto's fields


def check_raw(checks, what, trace, section, axis):
    """Every event, described by itself: when, where, whose, and its numbers."""
    types, seen = {}, []
    for _, bundle in trace.ftrace:
        for d in bundle.get("generic_event_descriptors", []):
            message = decode(first(d, "event_descriptor"), "DescriptorProto")
            types[str(first(d, "field_id"))] = (
                f"{text(first(d, 'group_name'))}:{text(first(message, 'name'))}",
                {str(first(f, "number")): (text(first(f, "name")), first(f, "type")) for f in message.get("field", [])})
        for e in bundle.get("event", []):
            number = next((k for k in e if k.isdigit()), None)
            name, known = types.get(number, ("sched:sched_switch", {}))
            values = e[number][0] if number else {}
            numbers = {known[k][0]: v[0] - (1 << 64) if known[k][1] == INT64 and v[0] >> 63 else v[0]
                       for k, v in values.items() if known[k][1] in (INT64, UINT64)} if isinstance(values, dict) else {}
            seen.append((axis.event(first(e, "timestamp")), first(bundle, "cpu", 0), first(e, "pid", 0), name, numbers))
    events = [e for e in section.events() if "event" in e]
    checks.same(f"{what}: every event", sorted(s[:4] for s in seen),
                sorted((e["ts_ns"], e["cpu"], e["tid"], e["event"]) for e in events))
    fields, wrong = {}, []
    for e in events:
        fields.setdefault((e["ts_ns"], e["cpu"], e["event"]), []).append(e["fields"])
    for ts, cpu, _, name, numbers in seen:
        want = fields[ts, cpu, name].pop(0) if fields.get((ts, cpu, name)) else {}
        wrong += [(name, k, v, want[k]) for k, v in numbers.items() if isinstance(want.get(k), int) and want[k] != v]
    checks.check(not wrong and sum(len(s[4]) for s in seen) >= len(events), f"{what}: numbers of events", wrong[:3])


def check_ftrace(checks, what, trace, section, axis):
    """The scheduler's events, typed, under the names of Linux 6.17."""
    kinds = [f"drm_sched_job_{kind}" for kind in ("queue", "run", "done")]
    seen = [(axis.event(first(e, "timestamp")), first(bundle, "cpu", 0), kind, first(e[kind][0], "fence_context"),
             first(e[kind][0], "fence_seqno")) for _, bundle in trace.ftrace for e in bundle.get("event", [])
            for kind in kinds if kind in e]
    want = [(e["ts_ns"], e["cpu"], kind, e["fields"]["ctx"], e["fields"]["seqno"]) for e in section.events()
            for kind in kinds if e.get("event") == f"gpu_scheduler:{kind}"]
    checks.same(f"{what}: typed events", sorted(seen), sorted(want))


def check_rings(checks, what, seen, want):
    """Rings of one name stay apart: queues and rings correspond one to one."""
    rings = {}
    of = {k: same for k, same in source.by_key(want).items() if len(same) == 1}
    for job in seen:
        if source.key(job) in of:
            rings.setdefault(job["queue"], set()).add(of[source.key(job)][0]["ring_id"])
    checks.check(all(len(r) == 1 for r in rings.values())
                 and len({min(r) for r in rings.values()}) == len(rings), f"{what}: each ring has its own track", rings)


def jobs_of(trace, axis, devices, track_events, slices):
    if not track_events:
        return [decode_job(trace, raw, axis, devices) for raw in trace.jobs]
    ends = {id(s[3]): s[2] for s in slices}
    return [decode_slice(trace, e, ends.get(id(e)), axis, devices) for e in trace.events
            if e["type"] in (BEGIN, INSTANT) and is_job(e, trace)]


def check(checks, src, *options):
    """Everything of one export."""
    what = " ".join([f"{src.name} perfetto", *options])
    jobs_only, track_events = "--jobs-only" in options, "--track-events" in options
    trace = export(src.path, *options)
    slices = trace.slices()
    check_tracks(checks, what, trace)
    wants = src.jobs()
    start = 0
    for section, want in zip(src.sections, wants):
        axis = Axis(section)
        devices = {d["device"]: d["driver"] for d in source.json_rows(section.path, "devices")}
        seen = jobs_of(trace, axis, devices, track_events, slices)
        if len(src.sections) > 1:
            seen = seen[start:start + len(want)]
            start += len(want)
        source.compare_jobs(checks, what, seen, [expected(j) for j in want], JOB_FIELDS)
        if len(src.sections) > 1:
            continue
        check_rings(checks, what, seen, want)
        check_sums(checks, what, seen, want, section)
        if jobs_only:
            continue
        if "--raw" in options and "--ftrace" not in options:
            check_raw(checks, what, trace, section, axis)
        if "--ftrace" in options:
            check_ftrace(checks, what, trace, section, axis)
        check_waits(checks, what, trace, want, axis, slices)
        arrows = check_submissions(checks, what, trace, want, axis, "flows" if track_events else "submits")
        ids = {j["id"]: source.key(j) for j in seen}
        wrong = [a for a in arrows if ids.get(a[0]) != a[1]]
        checks.check(not wrong and len(arrows) == sum("queue_ns" in j for j in want),
                     f"{what}: arrows lead from the submission to its job", wrong[:3])
        check_depths(checks, what, trace, section, axis, devices)
        check_counters(checks, what, trace, section, axis)
        check_calls(checks, what, trace, section, axis, slices)
        check_gaps(checks, what, trace, section, axis, slices)
    checks.check(not trace.faults, f"{what}: an importer takes all of it", trace.faults[:3])


def check_sums(checks, what, seen, want, section):
    """Sums per queue are those of the rings in xtr stats."""
    for value in ("residence_ns", "exec_ns"):
        total = {}
        for job in seen:
            if job.get(value) is not None:
                at = job["device"], job["ring"], job["queue"]
                total[at] = total.get(at, 0) + job[value]
        stats = [(r["device"], r["ring"], r[value]["sum"]) for r in section.stats()["rings"] if r[value]["n"]]
        checks.same(f"{what}: sums of {value} per ring", sorted((k[0], k[1], v) for k, v in total.items()), sorted(stats))
