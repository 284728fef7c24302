#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges what xtr says of jobs and rings by what the hardware did: counts wrong labels.

usage: truth_check.py [--pid] [--pieces] [--some] [--need WHAT]... XTR DIR

DIR holds run.xtr, or its pieces, and truth.csv (README.md), as truth-guest.sh leaves them. All that is read of xtr are
`xtr jobs --jsonl`, the rings and hangs of `xtr stats --json`, and the done events of `xtr dump --json`, which must name each job's
hardware fence, its error and, to the nanosecond, its time stamp. Of hangs, each guilty job must have hung, and those around it must
have been in the role that they are given; where nothing is missing, each job that hung must be told of.
--pid: only the jobs of process DIR/pid are there, all of them. --pieces: each job is in one piece at least. --some: jobs may
have been left out, or their records lost. --need: that the load did what the case is about.

A label is wrong, on any host, whatever was lost:
  start, done   exact or inferred (or a start is given): further from the hardware's start and end than the emulator's latency
  exec-min, exec-max, begin, end
                bounded: the hardware's time is outside of the bounds, by more than the emulator's latency and the
                job's tolerance_ns
  depth         exact, though the scheduler let several jobs onto the hardware
  error         another error than that of the hardware's fence
  lost          though no record was lost, and a budget did not change its level, which cuts jobs that are under way,
                between when the job was queued (or at most SETTLED before) and when its end had been told
  open          though no record was lost, and the job was done while recording; in a piece a job may be open
  killed        but the job ran; or the reverse
  owner         another device, ring or process
  busy          of a ring: further from the time in which it had a job than the latencies of its jobs together (whole recordings)
The emulator's latency is what the module measured for each job: from the end of the job to when the signal of its fence had been
told to everybody (done, and so the start of the next in order), and from the scheduler's run event to the engine (start).
A host that stops the guest there makes it long. So how many bounds hold within tolerance_ns alone is a measurement.
"""

import collections
import csv
import glob
import json
import subprocess
import sys

from judge import check, measured, status

SETTLED = 500_000_000  # ns: a level's event has the time before it was set; the recorder may have stood still in between
KNOWN = ("exact", "inferred")
RAN = ("ok", "timeout")


class Truth:
    """A line of truth.csv: names as attributes, numbers as int."""

    def __init__(self, row):
        for name, value in row.items():
            setattr(self, name, int(value) if value.lstrip("-").isdigit() else value)
        self.ran = self.result in RAN
        self.late = self.report_ns > self.signalled_ns > 0
        self.before = None  # the job that the engine had before this one, in order
        self.done_slack = max(self.signalled_ns, self.fence_ns) - self.end_ns

    def alone(self):
        """It had the hardware for itself when it was handed over, on a ring in order."""
        before = self.before
        return self.mode == "in-order" and (self.depth == 1 or not before or before.signalled_ns < self.event_run_ns)

    def start_slack(self):
        slack = self.run_ns - self.event_run_ns
        if self.mode == "in-order" and self.before:
            slack = max(slack, self.before.done_slack)
        return slack


def load_truth(directory):
    with open(directory + "/truth.csv", newline="") as f:
        truth = {(row.context, row.seqno): row for row in map(Truth, csv.DictReader(f))}
    by_hardware = {(row.hw_context, row.hw_seqno): row for row in truth.values() if row.hw_context}
    for (context, seqno), row in by_hardware.items():
        row.before = by_hardware.get((context, seqno - 1))
    return truth


def check_truth(truth):
    """The module's own log: in the order in which things happen."""
    wrong = [r for r in truth.values() if r.ran and not
             r.queue_ns <= r.event_run_ns <= r.run_ns <= r.start_ns <= r.end_ns <= r.signal_ns <= r.fence_ns <= r.signalled_ns]
    check(not wrong, f"truth: {len(truth)} jobs, each in the order of its times ({len(wrong)} not)")
    still = sum(r.result == "open" or (r.ran and not r.report_ns) for r in truth.values())
    check(not still, f"truth: every job is over and reported ({still} not)")
    serial = [r for r in truth.values() if r.ran and r.mode == "in-order" and r.before and r.before.ran]
    apart = sum(r.start_ns != max(r.run_ns, r.before.end_ns) for r in serial)
    check(not apart, f"truth: rings in order run one job at a time ({apart} of {len(serial)} not)")


def out_of_bounds(job, row, slack):
    """Names of the bounds of a job that the hardware's times are outside of, by more than slack."""
    took = row.end_ns - row.start_ns
    if took < job.get("exec_min_ns", 0) - slack:
        yield "exec-min"
    if took > job["exec_max_ns"] + slack:
        yield "exec-max"
    if row.start_ns < job["run_ns"] - slack:
        yield "begin"
    if row.end_ns > job["done_ns"] + slack:
        yield "end"


def wrong_times(job, row):
    """Names of what is wrong with the times of a job that ran."""
    if job["quality"] in KNOWN and "start_ns" not in job:
        yield "start"
    if "start_ns" in job and abs(job["start_ns"] - row.start_ns) > row.start_slack():
        yield "start"
    if job["quality"] in KNOWN and abs(job["done_ns"] - row.end_ns) > row.done_slack:
        yield "done"
    if job["quality"] == "bounded":
        yield from out_of_bounds(job, row, max(job.get("tolerance_ns", 0), row.start_slack() + row.done_slack))


def wrong_labels(job, row, lost=0, piece=False):
    """Names of what is wrong with a job of a file that lost records, or is one of several."""
    killed = "killed" in job.get("flags", ())
    if (job["device"], job["ring"]) != (row.device, row.ring) or (row.kind == "user" and job.get("pid", row.pid) != row.pid):
        yield "owner"
    if job["quality"] in ("open", "lost"):
        if not lost and not (piece and job["quality"] == "open"):
            yield job["quality"]
        return
    if killed == row.ran:
        yield "killed"
    if row.ran and not killed:
        yield from wrong_times(job, row)
        if job["quality"] == "exact" and row.depth > 1:
            yield "depth"
        if job.get("error", 0) != row.hw_error and ("error" in job or not (lost or piece)):
            yield "error"


def explain(job, row):
    """One line for a wrong label: by how much, and what was special about the job."""
    def off(name, true):
        return f"{(job[name] - true) / 1e6:+.3f} ms" if name in job else "none"
    flags = "|".join(job.get("flags", ())) or "no flag"
    text = f"{job['context']}:{job['seqno']} {job['device']} {job['ring']} (depth {row.depth}), {flags}:"
    return (f"{text} start {off('start_ns', row.start_ns)}, done {off('done_ns', row.end_ns)}, exec"
            f" {job.get('exec_min_ns', 0) / 1e6:.3f}..{job.get('exec_max_ns', 0) / 1e6:.3f} ms, in truth"
            f" {(row.end_ns - row.start_ns) / 1e6:.3f}, latencies {row.start_slack() / 1e6:.3f} and {row.done_slack / 1e6:.3f} ms,"
            f" error {job.get('error', 0)}, in truth {row.hw_error}")


def read_jobs(xtr, path):
    done = subprocess.run([xtr, "jobs", "--jsonl", path], stdout=subprocess.PIPE)
    check(done.returncode in (0, 3), f"xtr jobs {path.rsplit('/', 1)[-1]} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def lost_in(xtr, path):
    done = subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE)
    return json.loads(done.stdout)["lost"]


def level_changes(xtr, path):
    """When (ns) a budget began to take other jobs: of those under way then, a part may be in the file."""
    dump = subprocess.run([xtr, "dump", "--json", "-e", "xtr:budget", path], stdout=subprocess.PIPE)
    steps = [e for e in map(json.loads, dump.stdout.splitlines()) if "event" in e]
    return [e["ts_ns"] for e in steps if e["fields"]["before"] != e["fields"]["level"]]


def cut_by_level(row, changes):
    """Was the job under way when a budget began to take other jobs?"""
    over = max(row.signalled_ns, row.fence_ns, row.report_ns) or float("inf")
    return any(row.queue_ns <= at + SETTLED and at <= over for at in changes)


def wrong_fences(xtr, path, truth):
    """Done events in the file, and those whose hardware fence, its time stamp or its error is not the job's."""
    dump = subprocess.run([xtr, "dump", "--json", "-e", "drm_sched_job_done", path], stdout=subprocess.PIPE)
    seen, wrong = 0, []
    for event in map(json.loads, dump.stdout.splitlines()):
        if "event" not in event:  # a gap
            continue
        fields = event["fields"]
        row = truth.get((fields["ctx"], fields["seqno"]))
        if row and row.ran:
            seen += 1
            told = tuple(fields.get(name) for name in ("hw_ctx", "hw_seqno", "hw_error"))
            same = told == (row.hw_context, row.hw_seqno, row.hw_error) and event["ts_ns"] - fields["hw_age"] == row.fence_ns
            wrong += [] if same else [(row.context, row.seqno)]
    return seen, wrong


def wrong_hangs(xtr, path, truth, whole):
    """
    How many hangs xtr tells of in the file, what of them is wrong, and which it should have told of: the guilty job hung, and those
    around it are what the hardware says. whole: nothing is missing in the file.
    """
    done = subprocess.run([xtr, "stats", "-q", "--json", "-s", "hang", path], stdout=subprocess.PIPE)
    told = json.loads(done.stdout)["sections"][0].get("hang") or {"hangs": [], "jobs": [], "left_out": 0}
    hung = {name for name, row in truth.items() if row.result == "timeout"}
    guilty = {h["number"]: (h["context"], h["seqno"]) for h in told["hangs"] if h["guilty"] != "not-known"}
    wrong = [f"guilty {name}" for name in guilty.values() if name not in hung]
    at = {h["number"]: h["at_ns"] for h in told["hangs"]}
    for job in told["jobs"]:
        row, of = truth.get((job["context"], job["seqno"])), truth.get(guilty.get(job["hang"]))
        if not row:
            continue
        good = row.result == "ok" and row.end_ns <= at[job["hang"]] and (not of or (row.device, row.ring) == (of.device, of.ring))
        right = {"guilty": row.result == "timeout", "killed": row.error != 0 and row.result != "timeout", "before": good,
                 "waiting": not row.ran or row.signalled_ns >= at[job["hang"]], "on-hardware": row.ran and row.signalled_ns >= at[job["hang"]]}
        if not right[job["role"]]:
            wrong.append(f"{job['role']} {row.context}:{row.seqno} of hang {job['hang']}")
    # Linux 6.1 does not say why a job failed.
    missing = {name for name in hung if truth[name].error == -62} - set(guilty.values()) if whole and not told["left_out"] else set()
    return len(told["hangs"]), wrong, sorted(missing)


class Judged:
    """What is found in the files of one recording."""

    def __init__(self):
        self.seen = collections.Counter()
        self.quality = collections.Counter()
        self.wrong = collections.Counter()
        self.examples = {}
        self.lost = self.unknown = self.bounded = self.beyond = 0
        self.known = set()

    def file(self, xtr, path, truth, piece):
        lost = lost_in(xtr, path)
        self.lost += lost
        changes = level_changes(xtr, path)
        for job in read_jobs(xtr, path):
            key = job["context"], job["seqno"]
            row = truth.get(key)
            self.unknown += row is None
            self.seen[key] += 1
            self.quality[job["quality"]] += 1
            if row:
                if job["quality"] in KNOWN:
                    self.known.add(key)
                self.job(job, row, wrong_labels(job, row, lost or cut_by_level(row, changes), piece))

    def job(self, job, row, kinds):
        if job["quality"] == "bounded" and row.ran:
            self.bounded += 1
            self.beyond += any(out_of_bounds(job, row, job.get("tolerance_ns", 0)))
        for kind in kinds:
            name = f"{job['quality']}: {kind}, {row.mode if row.ran else row.result}{', reported late' if row.late else ''}"
            self.wrong[name] += 1
            self.examples.setdefault(name, explain(job, row))


def union(spans):
    """The length of what (from, to) cover together."""
    total = last = 0
    for begin, end in sorted(spans):
        total += max(end - max(begin, last), 0)
        last = max(last, end)
    return total


def wrong_rings(xtr, path, truth):
    """Rings that xtr says were busy for another time than they were: a job is there from run to end."""
    done = subprocess.run([xtr, "stats", "--json", path], stdout=subprocess.PIPE)
    rings = [ring for section in json.loads(done.stdout)["sections"] for ring in section["rings"]]
    told, at_most, texts = collections.Counter(), set(), []
    for ring in rings:  # one that became another one, by its depth, is busy for both; without busy_ns nothing is said
        name = ring["device"], ring["ring"]
        if "busy_ns" in ring:
            told[name] += ring["busy_ns"]
            at_most |= set() if ring["busy_exact"] else {name}
    for name, busy in sorted(told.items()):
        rows = [row for row in truth.values() if row.ran and (row.device, row.ring) == name]
        true = union((row.run_ns, row.end_ns) for row in rows)
        slack = sum(row.run_ns - row.event_run_ns + row.done_slack for row in rows)
        if busy < true - slack or (busy > true + slack and name not in at_most):
            texts.append(f"{name[0]} {name[1]} ({rows[0].mode}, depth {rows[0].depth}): busy {busy / 1e6:.3f} ms, in truth {true / 1e6:.3f},"
                         f" latencies {slack / 1e6:.3f} ms")
    check(not texts, f"busy: {len(told)} of {len(rings)} rings say how long, {len(at_most)} how long at most; {len(texts)} wrongly"
          + "".join("\n     " + t for t in texts))


def wanted_jobs(argv, directory, truth):
    if "--pid" not in argv:
        return set(truth)
    with open(directory + "/pid") as f:
        pid = int(f.read())
    return {key for key, row in truth.items() if row.pid == pid}


def check_presence(argv, judged, wanted):
    some, pieces = "--some" in argv or judged.lost > 0, "--pieces" in argv
    twice = sum(n > 1 for n in judged.seen.values())
    check(pieces or not twice, f"no job twice ({twice})")
    check(not judged.unknown, f"no job that there was not ({judged.unknown})")
    others = len(set(judged.seen) - wanted)
    check(not others, f"no job of others ({others})")
    missing = len(wanted - set(judged.seen))
    check(some or not missing, f"{len(wanted)} jobs, {missing} missing")
    measured(len(judged.seen) > 0, f"{len(judged.seen)} jobs to judge")


def tightness(judged, truth, wanted):
    """A label that is always `bounded` is never wrong: most jobs that had the hardware for themselves are known."""
    plain = [key for key in wanted if truth[key].ran and truth[key].alone() and not truth[key].late]
    known = sum(key in judged.known for key in plain)
    measured(known * 2 > len(plain), f"exact or inferred: {known} of {len(plain)} jobs that had their ring for themselves")
    measured(judged.beyond * 20 <= judged.bounded,
             f"bounds hold within tolerance_ns: {judged.bounded - judged.beyond} of {judged.bounded} jobs")


def moved(truth):
    rings = collections.defaultdict(set)
    for row in truth.values():
        rings[row.context].add((row.device, row.ring))
    return sum(len(r) > 1 for r in rings.values())


# What a case is about did happen: counts over the truth.
NEEDS = {
    "late": lambda t: sum(r.late for r in t.values()),
    "errors": lambda t: sum(r.hw_error == -125 for r in t.values()),
    "hung": lambda t: sum(r.result == "timeout" for r in t.values()),
    "killed": lambda t: sum(r.result == "killed" for r in t.values()),
    "moving": moved,
    "processes": lambda t: len({r.pid for r in t.values()}) - 1,
    "queues": lambda t: sum(r.queue > 0 for r in t.values()),
    "parallel": lambda t: sum(bool(r.mode == "parallel" and r.before and r.start_ns < r.before.end_ns) for r in t.values()),
    "overtaking": lambda t: sum(bool(r.mode == "out-of-order" and r.before and r.ran and r.end_ns < r.before.end_ns)
                                for r in t.values()),
    "depths": lambda t: len({r.depth for r in t.values() if r.depth}) - 1,
}


def parse(argv):
    needs, words, rest = [], [], list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--need":
            needs.append(rest.pop(0))
        elif not word.startswith("--"):
            words.append(word)
    return needs, words[0], words[1]


def main(argv):
    needs, xtr, directory = parse(argv[1:])
    truth = load_truth(directory)
    check_truth(truth)
    for need in needs:
        count = NEEDS[need](truth)
        check(count > 0, f"the load: {need}: {count}")
    judged = Judged()
    files = sorted(glob.glob(directory + "/run*.xtr"))
    pieces = "--pieces" in argv
    check(len(files) > pieces, f"{len(files)} files")
    for path in files:
        judged.file(xtr, path, truth, pieces)
        seen, wrong = wrong_fences(xtr, path, truth)
        check(not wrong, f"{seen} done events, each with its hardware fence ({len(wrong)} not: {wrong[:3]})")
        whole = not pieces and not {"--pid", "--some"} & set(argv) and not judged.lost
        hangs, wrong, missing = wrong_hangs(xtr, path, truth, whole)
        check(not wrong and not missing, f"{hangs} hangs, each of the job that hung (wrong: {wrong[:3]}, missing: {missing[:3]})")
    wanted = wanted_jobs(argv, directory, truth)
    check_presence(argv, judged, wanted)
    print("     " + ", ".join(f"{n} {q}" for q, n in sorted(judged.quality.items()))
          + f"; {len(files)} files, {judged.lost} events lost, {sum(r.late for r in truth.values())} jobs reported late")
    for name, text in sorted(judged.examples.items()):
        print(f"     {judged.wrong[name]} x {name}; e.g. {text}")
    check(not judged.wrong, f"wrong labels: {sum(judged.wrong.values())} of {sum(judged.quality.values())}")
    if not pieces and "--some" not in argv:
        tightness(judged, truth, wanted)
        if not judged.lost:
            wrong_rings(xtr, files[0], truth)
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
