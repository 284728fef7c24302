# SPDX-License-Identifier: BSD-2-Clause
"""The critical path in exports against `xtr why --path`: its steps on a track, and the arrows to its jobs."""

import json
import subprocess

import chrome
import perfetto
import source
from perfetto import BEGIN, INSTANT, Axis, fence, is_job, of_id



def whys(path):
    """What xtr why says of each job. (Its status tells of losses, too.)"""
    out = subprocess.run([source.XTR, "why", "--path", "--jsonl", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    return [json.loads(line) for line in out.decode("utf-8").splitlines()]


def longest(found):
    """Of equal ones the first; None: there is none."""
    return max(found, key=lambda j: j["to_ns"] - j["from_ns"], default=None)


def name_of(step):
    """As a track names whose step it is."""
    pid = "" if "pid" not in step else f"{step['pid']}" + (f"#{step['pid_nth']}" if "pid_nth" in step else "")
    return " ".join(t for t in (step.get("comm", ""), pid) if t)


def expected(found):
    """(begin, end, kind, whose, thread, ring, context, seqno) of each step."""
    return [(s["from_ns"], s["from_ns"] + s["ns"], s["step"], name_of(s), s.get("tid"), s.get("ring_id"),
             s.get("context"), s.get("seqno")) for s in found["path"]]


def first_steps(found):
    """Where the path comes by each job first: begin by (context, seqno)."""
    first = {}
    for step in found["path"]:
        if "tid" not in step and "context" in step:
            first.setdefault((step["context"], step["seqno"]), step["from_ns"])
    return first


def arrows_wanted(found, jobs):
    """An arrow for each job that has an event: two may have one name."""
    first = first_steps(found)
    return sorted((first[source.key(j)], source.key(j)) for j in jobs if source.key(j) in first)


def of_notes(begin, end, name, note):
    whose = note.get("of", "")
    kind = note["step"]
    assert name == (f"{kind}: {whose}" if whose else kind), f"slice '{name}' is {note}"
    return (begin, end, kind, whose, note.get("tid"), note.get("ring_id"))


def steps_of_perfetto(trace, axis):
    return sorted((of_notes(axis.event(s[1]), axis.event(s[2]), s[3]["name"], s[3]["note"])
                   + (s[3]["note"].get("context"), s[3]["note"].get("seqno")), s[3]) for s in trace.slices()
                  if trace.path(s[0]) == ["critical path"])


def arrows_of_perfetto(trace, steps, track_events):
    """(begin of a step, job) of each arrow that has both ends."""
    found, ends = [], {}
    if not track_events:
        for job in trace.jobs:
            extra = dict(job["extra"])
            ends.setdefault(job["id"], []).append(fence(extra["fence"]) if "fence" in extra else of_id(job["id"]))
        return sorted((s[0][0], job) for s in steps for i in s[1]["waits"] for job in ends.get(i, []))
    for event in trace.events:
        if event["type"] in (BEGIN, INSTANT) and is_job(event, trace):
            for flow in event["flows"]:
                ends.setdefault(flow, []).append((event["note"]["context"], event["note"]["seqno"]))
    for step, event in steps:
        found += [(step[0], job) for flow in event["flows"] for job in ends.get(flow, [])]
    return sorted(found)


def check_perfetto(checks, src, found, *options):
    what = " ".join([src.name, "perfetto", *options])
    trace = perfetto.export(src.path, *options)
    axis = Axis(src.sections[0])
    steps = steps_of_perfetto(trace, axis)
    checks.same(f"{what}: steps", [s[0] for s in steps], expected(found))
    want = arrows_wanted(found, src.sections[0].jobs())
    checks.same(f"{what}: arrows to jobs", arrows_of_perfetto(trace, steps, "--track-events" in options), want)
    checks.check(not trace.faults, f"{what}: an importer takes all of it", trace.faults[:3])


def steps_of_chrome(trace, base):
    found = []
    for e in trace.of("X", "path"):
        args = e["args"]
        job = chrome.fence(args["job"]) if "job" in args else (None, None)
        found.append(of_notes(e["ts"] + base, e["ts"] + e["dur"] + base, e["name"], args) + job)
    return sorted(found)


def arrows_of_chrome(trace, base):
    """(begin of a step, job), the ends looked up where an arrow is bound: in the slice that begins there."""
    at = {}
    for e in trace.of("X"):
        at.setdefault((e["pid"], e["tid"], e["ts"]), []).append(e)
    ends = {}
    for e in trace.of("sf", "path flow"):
        ends.setdefault(e["id"], []).append(e)
    found = []
    for pair in ends.values():
        assert [e["ph"] for e in pair] == ["s", "f"] and pair[0]["ts"] <= pair[1]["ts"] and pair[1]["bp"] == "e"
        slices = [s for e in pair for s in at[e["pid"], e["tid"], e["ts"]]]
        step, = (s for s in slices if s.get("cat") == "path")
        job, = (s for s in slices if s.get("cat", "job") == "job")
        found.append((step["ts"] + base, chrome.fence(job["args"]["job"])))
    return sorted(found)


def check_chrome(checks, src, found, *options):
    what = " ".join([src.name, "chrome", *options])
    trace = chrome.Trace(source.run("export", "-q", "-f", "chrome", "-o", "-", *options, src.path))
    base = int(trace.meta["start_ns"])
    chrome.check_form(checks, what, trace)
    checks.same(f"{what}: steps", steps_of_chrome(trace, base), expected(found))
    want = arrows_wanted(found, [j for j in src.sections[0].jobs() if "residence_ns" in j])
    checks.same(f"{what}: arrows to jobs", arrows_of_chrome(trace, base), want)


def jobs_tried(src):
    """The longest, and the one of most steps."""
    found = whys(src.path)
    most = max(found, key=lambda j: (len(first_steps(j)), len(j["path"])), default=None)
    yield "longest", longest(found)
    if most:
        yield f"{most['context']}:{most['seqno']}", most


def check(checks, src, brief=False):
    """The paths of a trace of one recording."""
    for job, found in jobs_tried(src):
        if not found:
            continue
        check_perfetto(checks, src, found, "--path", job)
        check_chrome(checks, src, found, "--path", job)
        if not brief:
            check_perfetto(checks, src, found, "--path", job, "--track-events")
            check_perfetto(checks, src, found, "--path", job, "--jobs-only")
            check_chrome(checks, src, found, "--path", job, "--jobs-only")


def check_several(checks, src):
    """Each recording of a file has its path: as many steps as all have, on a track each."""
    want = [expected(found) for s in src.sections for found in [longest(whys(s.path))] if found]
    trace = chrome.Trace(source.run("export", "-q", "-f", "chrome", "-o", "-", "--path", "longest", src.path))
    steps = {}
    for e in trace.of("X", "path"):
        steps.setdefault((e["pid"], e["tid"]), []).append((e["dur"], e["args"]["step"]))
    checks.same(f"{src.name} chrome --path longest: a path of each recording", sorted(steps.values()),
                sorted([(s[1] - s[0], s[2]) for s in one] for one in want))


def check_refusals(checks, src):
    """A job that is not there, or is no name, ends with a message and without a file."""
    for job, status, says in (("1:1000000", 1, "no job 1:1000000 with a begin and an end"), ("gfx", 2, "invalid job 'gfx'")):
        done = subprocess.run([source.XTR, "export", "-f", "chrome", "-o", "-", "--path", job, src.path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        checks.check(done.returncode == status and says in done.stderr.decode(), f"--path {job}", done.stderr)
    done = subprocess.run([source.XTR, "export", "-f", "csv", "-o", "-", "--path", "longest", src.path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    checks.check(done.returncode == 2 and b"--path is for -f perfetto and chrome" in done.stderr, "--path of csv", done.stderr)
