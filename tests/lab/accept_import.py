#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares what xtr recorded with what trace-cmd recorded beside it, imported.

usage: accept_import.py [--loss | --by-name] XTR DIR

DIR has run.xtr and trace.dat of one load, and emitted.txt, the number of events that the kernel emitted.
Where the kernel records the keys of jobs (since 6.17) both files must have the same jobs under the same
keys. On older kernels each imported job is found by ring, submitter and order; then made-up contexts
and real ones must go one to one, and dependencies be the same ones. --loss: DIR has a trace.dat with losses alone; what is in
it and what it says was lost must be what the kernel emitted. --by-name: in place of trace.dat there is by-name.xtr, which
xtr recorded through the trace ring, without programs. Prints one line per check.
"""

import collections
import json
import os
import subprocess
import sys

from judge import check, measured, status

NEAR = 20_000  # ns: two handlers of one tracepoint, one after the other. Between some there is an interrupt, another
# task (7.x runs tracepoints with preemption on), or a busy host: the median is judged.
NAMES = {16: ("drm_sched_job_queue", "drm_sched_job"), 17: ("drm_sched_job_run", "drm_run_job"),
         18: ("drm_sched_job_done", "drm_sched_process_job"), 27: ("dma_fence_signaled",)}

def lines(xtr, *arguments):
    p = subprocess.run([xtr, *arguments], stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in p.stdout.splitlines()]


def by_key(jobs):
    return {(j["context"], j["seqno"]): j for j in jobs}


def by_submitter(jobs):
    groups = collections.defaultdict(list)
    for j in sorted(jobs, key=lambda j: j["queue_ns"]):
        groups[j["ring"], j["tid"]].append(j)
    return groups


def pair_old(recorded, imported):
    """Pairs of jobs: a thread's jobs on a ring are submitted one after the other."""
    ours, theirs = by_submitter(recorded), by_submitter(imported)
    check({k: len(v) for k, v in ours.items()} == {k: len(v) for k, v in theirs.items()},
          f"as many jobs of each of {len(ours)} pairs of ring and thread")
    return [pair for k in ours if k in theirs for pair in zip(ours[k], theirs[k])]


def pair_new(recorded, imported):
    ours, theirs = by_key(recorded), by_key(imported)
    check(ours.keys() == theirs.keys(), f"the same {len(ours)} keys of jobs")
    return [(ours[k], theirs[k]) for k in ours if k in theirs]


def lost_by_xtr(xtr, directory):
    """Events of each stage that the recording beside it has lost; Linux 7.x may skip programs."""
    p = subprocess.run([xtr, "info", "--json", directory + "/run.xtr"], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, check=False)
    lost = collections.Counter()
    for section in json.loads(p.stdout)["sections"]:
        for entry in section["loss"]:
            if entry["cause"] != "filtered" and entry["name"]:
                lost[entry["name"].rsplit("_", 1)[-1] + "_ns"] += entry["count"]
    return lost


def with_report_times(jobs, xtr, path):
    """Jobs of a recording, done when that was reported: all that an import has, which knows no hardware's fences."""
    reported = {(e["fields"]["ctx"], e["fields"]["seqno"]): e["ts_ns"]
                for e in lines(xtr, "dump", "--json", "-e", "drm_sched_job_done", path) if "event" in e}
    both = [(j, reported[j["context"], j["seqno"]]) for j in jobs if "done_ns" in j and (j["context"], j["seqno"]) in reported]
    wrong = sum(j["done_ns"] > at for j, at in both)
    check(not wrong, f"{len(both)} jobs are done before that is reported ({wrong} not)")
    for j, at in both:
        j["done_ns"] = at
    return jobs


def compare_times(pairs, lost):
    for what in ("queue_ns", "run_ns", "done_ns"):
        # A job that was killed has no done event: xtr knows the end by the fence's error.
        both = [(a[what], b[what]) for a, b in pairs if what in a and what in b and "killed" not in a["flags"]]
        wrong = [(a, b) for a, b in pairs if (what in a) != (what in b) and "killed" not in a["flags"]]
        off = sorted(abs(x - y) for x, y in both)
        check(len(wrong) <= lost[what],
              f"{what}: known of the same jobs ({len(wrong)} are not, {lost[what]} were lost by xtr)")
        median, high = (off[len(off) // 2], off[len(off) * 99 // 100]) if off else (NEAR, NEAR)
        measured(median < NEAR,
                 f"{what}: {len(off)} jobs, apart by {median} ns (p50), {high} ns (p99), {off[-1] if off else 0} ns at most")


def compare_names(pairs, old):
    for what in ("ring", "tid", "comm") if old else ("ring", "device", "client", "tid", "comm"):
        # Whose a job is only its queue event tells, which xtr may have lost (and counted).
        wrong = [(a.get(what), b.get(what)) for a, b in pairs if "queue_ns" in a and a.get(what) != b.get(what)]
        check(not wrong, f"{what} is the same ({len(wrong)} differ{', e.g. ' + str(wrong[0]) if wrong else ''})")


def one_to_one(pairs):
    contexts, back = collections.defaultdict(set), collections.defaultdict(set)
    for a, b in pairs:
        contexts[a["context"]].add(b["context"])
        back[b["context"]].add(a["context"])
    check(all(len(s) == 1 for s in [*contexts.values(), *back.values()]),
          f"{len(contexts)} real contexts and made-up ones go one to one")


def compare_deps(pairs, old, raw, lost):
    """The fences that each job waited for, as far as they are jobs' own, in xtr's names."""
    names = {(b["context"], b["seqno"]): (a["context"], a["seqno"]) for a, b in pairs}
    missing = extra = n = 0
    for a, b in pairs:
        ours = {(d["context"], d["seqno"]) for d in a.get("deps", []) if "ring_id" in d}
        theirs = {names.get((d["context"], d["seqno"])) for d in b.get("deps", []) if "ring_id" in d}
        n += len(ours)
        missing += len(ours - theirs)
        extra += len(theirs - ours)
    # A wait that ends within the microseconds by which the two tracers' stamps differ may be one for either alone. On
    # old kernels only a live recording knows whether a fence was signalled when it was looked at, and on which of two
    # rings of one name the first job of a queue is. Events that could be of either of two rings are kept raw.
    allowed = max(2, n // (10 if old else 20)) + lost
    check(n > 0 and missing <= allowed + raw and extra <= allowed,
          f"{n} dependencies on jobs: {missing} missing (of them up to {raw} ambiguous), {extra} more"
          f" (at most {allowed} may be)")


def compare_counts(xtr, path, directory):
    emitted = {}
    with open(directory + "/emitted.txt") as f:
        for line in f:
            name, n = line.split()
            emitted[name] = int(n)
    p = subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE, check=False)
    types = json.loads(p.stdout)["event_types"]
    for number, names in NAMES.items():
        want = sum(emitted.get(n, 0) for n in names)
        have = sum(t["count"] for t in types if t["type"] == number or t["name"].split(":")[1] in names)
        check(have == want and want > 0, f"{names[0]}: {have} of {want} events")


def check_loss(xtr, directory):
    path = directory + "/imported.xtr"
    p = subprocess.run([xtr, "import", "--force", "-o", path, directory + "/trace.dat"], stderr=subprocess.PIPE,
                       check=False)
    check(p.returncode == 3, f"xtr import ends with {p.returncode} {p.stderr.decode().strip()[-200:]}")
    with open(directory + "/emitted.txt") as f:
        emitted = sum(int(line.split()[1]) for line in f)
    p = subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE, check=False)
    info = json.loads(p.stdout)
    check(info["events"] > 0 and info["lost"] > 0 and info["events"] + info["lost"] == emitted,
          f"{info['events']} events and {info['lost']} lost are {emitted} emitted")
    return status()


def main(argv):
    if argv[1] == "--loss":
        return check_loss(*argv[2:])
    by_name = argv[1] == "--by-name"
    xtr, directory = argv[1 + by_name:]
    path = directory + ("/by-name.xtr" if by_name else "/imported.xtr")
    if not by_name:
        p = subprocess.run([xtr, "import", "--force", "-o", path, directory + "/trace.dat"], stderr=subprocess.PIPE,
                           check=False)
        check(p.returncode == 0, f"xtr import ends with {p.returncode} {p.stderr.decode().strip()[-200:]}")
    if not os.path.exists(path):
        return 1
    recorded = with_report_times(lines(xtr, "jobs", "--jsonl", directory + "/run.xtr"), xtr, directory + "/run.xtr")
    imported = lines(xtr, "jobs", "--jsonl", path)
    old = any("key-inferred" in j["flags"] for j in imported)
    check(not old or all("key-inferred" in j["flags"] for j in imported), "made-up keys are flagged in every job")
    compare_counts(xtr, path, directory)
    pairs = (pair_old if old else pair_new)(recorded, imported)
    lost = lost_by_xtr(xtr, directory)
    compare_times(pairs, lost)
    compare_names(pairs, old)
    if old:
        one_to_one(pairs)
    waits = [e for e in lines(xtr, "dump", "--json", "-e", "drm_sched_job_wait_dep", path) if "event" in e]
    raw = 0 if by_name else sum(e["type"] >= 1024 for e in waits)
    check(raw <= max(1, len(waits) // 5), f"{raw} of {len(waits)} waits could be of several jobs")
    compare_deps(pairs, old, raw, lost.total())
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
