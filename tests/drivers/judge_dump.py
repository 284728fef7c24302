# SPDX-License-Identifier: BSD-2-Clause
"""Every scenario: `xtr dump --json` has each event of it with its moment, thread, CPU and all its values, and no other."""

import json

import playfile

SYSTEMS = ("",)  # all
FLAGS = (("dep_signaled", 4), ("dep_scheduled", 8))


def dumped(xtr, trace):
    lines = [json.loads(line) for line in playfile.output(xtr, "dump", "--json", "-q", trace).splitlines()]
    return [x for x in lines if "event" in x]


def plain(value):
    """A value of the dump as a number where it is one."""
    if isinstance(value, dict):
        return value["value"]
    if isinstance(value, str) and value.startswith("0x"):
        return int(value, 16)
    return value


def array(digits, want):
    """Do these bytes hold the list, in elements of some width, and zeros behind it?"""
    data = bytes.fromhex(digits)
    for width in (1, 2, 4, 8):
        have = [int.from_bytes(data[k:k + width], "little") for k in range(0, len(data), width)]
        if have[:len(want)] == [w % (1 << 8 * width) for w in want] and not any(have[len(want):]):
            return True
    return False


def same(have, want):
    value = plain(have)
    if isinstance(value, str):
        if isinstance(want, list) and array(value, want):
            return True
        return value == str(want) or (isinstance(want, int) and len(value) in (2, 4, 8, 16) and array(value, [want]))
    if isinstance(value, int) and isinstance(want, int):
        return value == want or (value < 0 or want < 0) and any((value - want) % (1 << b) == 0 for b in (8, 16, 32, 64))
    return False


def empty(have):
    value = plain(have)
    return not value or (isinstance(value, str) and not value.strip("0"))


def ring(have, event):
    where = f"{event.text('dev')}/{event.text('ring').split('#')[0]}#"
    return have is None if "ring" not in event.fields else str(have).startswith(where)


def flags_of(event):
    flags = sum(bit for name, bit in FLAGS if event.get(name))
    flags |= 2 if "client_id" in event.fields else 0
    if event.name == "drm_sched_job_done" and event.fields.get("hw_fence", 1):
        flags |= 16 | 32  # the driver gave a fence, which was signalled at that moment
    return flags | (1 if event.kthread else 0)


def wrong(line, event):
    """What is not as the scenario says."""
    for key, want in (("ts_ns", event.t_ns), ("cpu", event.cpu), ("tid", event.tid), ("event", event.event)):
        if line[key] != want:
            return f"{key} {line[key]}"
    if event.tid and (line.get("pid"), line.get("comm")) != (event.pid, event.comm):
        return f"task {line.get('comm')}/{line.get('pid')}"
    built_in = event.system in ("gpu_scheduler", "dma_fence")
    for name, have in line["fields"].items():
        if built_in and name == "ring":
            good = ring(have, event)
        elif built_in and name == "flags":
            good = plain(have) == flags_of(event)
        elif name == "context" and isinstance(have, dict):
            good = have["name"] == event.fields["context"]
        elif name in event.fields:
            good = same(have, event.fields[name])
        else:
            good = empty(have)
        if not good:
            return f"{name} {have}"
    known = {"fence", "dep", "dev", "ring", *(f[0] for f in FLAGS)} if built_in else set()
    more = set(event.fields) - set(line["fields"]) - known
    return f"no field {', '.join(sorted(more))}" if more else None


def judge(events, xtr, trace, exact):
    if not exact:
        return []
    lines = dumped(xtr, trace)
    events = sorted(events, key=lambda e: (e.t_ns, e.cpu))  # as a merge gives them
    out = [(len(lines) == len(events), f"{len(lines)} events of {len(events)}")]
    for line, event in zip(lines, events):
        what = wrong(line, event)
        if what:
            out.append((False, f"line {event.line}: {what} in {line}"))
    return out


def some_event(change):
    return lambda events: change(events, events[len(events) // 2].event) if events else None


def other_field(events):
    for e in events:
        for name, value in e.fields.items():
            if isinstance(value, int) and not e.types.get(name, "").endswith("8"):
                return playfile.altered(events, e.event, name, lambda v: v + 1)
    return None


SPOILS = [
    ("an event less", some_event(playfile.without)),
    ("an event twice", some_event(playfile.doubled)),
    ("a microsecond later", some_event(lambda events, name: playfile.shifted(events, name, 1000))),
    ("another number", other_field),
]
