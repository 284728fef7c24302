#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the jobs that xtr gives with the driver's own record of every job.

usage: compare.py [--mixed] XTR DIR

DIR holds run.xtr and truth.csv (see README.md), as accept-guest.sh leaves them. Jobs are joined on
(context, seqno): each must be there exactly once, on its own device and ring, with its own process.
Whether start and end are the hardware's is for truth_check.py; how far they are from it is printed here. Where events were lost, a job may be missing or told from less: that is
a measurement, then. --mixed: the scenario has out-of-order rings, killed and hung jobs, coalesced interrupts and
kernel-owned jobs; those must be labelled, and get no invented start.
"""

import csv
import io
import json
import subprocess
import sys

from judge import check, lossy, measured, status

OUT_OF_ORDER = {("fakegpu.1", "comp_1.0.0"), ("fakegpu.1", "vcn_dec_0")}  # scenario mixed
COALESCED = "sdma0"  # in the scenario mixed: the interrupt comes later than the job's end
COLUMNS = ("device,ring,context,seqno,client,pid,tid,comm,kind,submit_ns,queue_ns,run_ns,start_ns,"
           "done_ns,residence_ns,exec_ns,queue_wait_ns,hw_wait_ns,dep_wait_ns,quality,flags,process")

def key(row):
    return int(row["context"]), int(row["seqno"])


def quantiles(values):
    values = sorted(values)
    pick = [values[min(len(values) - 1, int(len(values) * q))] for q in (0.5, 0.9, 1.0)]
    return "median {:.1f} us, p90 {:.1f} us, max {:.1f} us".format(*(v / 1000 for v in pick))


def load(xtr, directory):
    done = subprocess.run([xtr, "jobs", "--csv", directory + "/run.xtr"], stdout=subprocess.PIPE)
    check(done.returncode in (0, 3), f"xtr jobs ended with {done.returncode}")
    text = done.stdout.decode()
    check(text.split("\n", 1)[0].rstrip("\r") == COLUMNS, "the columns are the documented ones")
    jobs = list(csv.DictReader(io.StringIO(text)))
    with open(directory + "/truth.csv", newline="") as f:
        truth = {key(row): row for row in csv.DictReader(f)}
    return jobs, truth


def same_jobs(jobs, truth):
    seen = {}
    for job in jobs:
        seen[key(job)] = seen.get(key(job), 0) + 1
    twice = [k for k, n in seen.items() if n > 1]
    check(not twice, f"no job twice ({len(twice)})")
    check(set(seen) == set(truth), f"{len(seen)} jobs, {len(truth)} in truth:"
          f" {len(set(truth) - set(seen))} missing, {len(set(seen) - set(truth))} unknown")
    for name in ("device", "ring", "pid", "tid"):
        wrong = [j for j in jobs if key(j) in truth and j[name] != truth[key(j)][name]
                 and not (name in ("pid", "tid") and (truth[key(j)]["kind"] == "kernel"
                          or (not j[name] and "no-queue" in j["flags"])))]
        check(not wrong, f"every job has its own {name} ({len(wrong)} wrong)")
    clients = [j for j in jobs if j["client"] and j["client"] != truth[key(j)]["client_id"]]
    known = sum(1 for j in jobs if j["client"])
    check(not clients, f"client ids: {known} known, {len(clients)} wrong")


def began_alone(jobs):
    """Of a ring's jobs: those that were run when none was on it, how many of them, and of the others, have a start."""
    alone = known = overlapping = last = 0
    for job in sorted(jobs, key=lambda j: int(j["run_ns"])):
        if int(job["run_ns"]) >= last:
            alone += 1
            known += bool(job["start_ns"])
        else:
            overlapping += bool(job["start_ns"])
        last = max(last, int(job["done_ns"]))
    return alone, known, overlapping


def errors_of(jobs, truth, bounded_rings, mixed):
    """How far from the engine's own times: what a look at the figures is for. truth_check.py judges them."""
    start, end, by_ring = {}, {}, {}
    for job in jobs:
        row, ring = truth[key(job)], (job["device"], job["ring"])
        by_ring.setdefault(ring, []).append(job)
        end.setdefault(ring, []).append(abs(int(job["done_ns"]) - int(row["end_ns"])))
        if job["start_ns"]:
            start.setdefault(ring, []).append(abs(int(job["start_ns"]) - int(row["start_ns"])))
    for ring in sorted(end):
        name, errors = " ".join(ring), start.get(ring, [])
        print(f"     {name}: end, {len(end[ring])} jobs: {quantiles(end[ring])}")
        if ring in bounded_rings:
            check(not errors, f"{name}: out of order: no start is invented ({len(errors)})")
            continue
        alone, known, overlapping = began_alone(by_ring[ring])
        # Jobs that ended in one interrupt are not told apart: few or none of a coalesced ring's.
        if not (mixed and ring[1] == COALESCED):
            check(known * 2 > alone, f"{name}: start is known for {known} of {alone} jobs that began with nothing on the ring")
        # This driver is not one of those whose rings are known to be in order: only depth 1 says so.
        if int(truth[key(by_ring[ring][0])]["depth"]) > 1:
            check(not overlapping, f"{name}: no start is invented for jobs that began beside another ({overlapping})")
        print(f"     {name}: start: {quantiles(errors) if errors else 'none'}")


def times(jobs, truth, bounded_rings, mixed):
    ok = [j for j in jobs if truth[key(j)]["result"] == "ok"]
    for job in ok:
        if not job["done_ns"]:
            check(False, f"{key(job)} completed, but has no done_ns")
        elif not job["run_ns"] and job["quality"] != "lost":
            check(False, f"{key(job)} lacks its run event, but is {job['quality']}")
    whole = [j for j in ok if j["done_ns"] and j["run_ns"]]
    wrong = sum(int(j["residence_ns"]) != int(j["done_ns"]) - int(j["run_ns"]) for j in whole)
    check(wrong == 0, "residence = done - run everywhere")
    errors_of(whole, truth, bounded_rings, mixed)


def labels(jobs, truth, bounded_rings):
    for job in jobs:
        row, flags = truth[key(job)], job["flags"].split("|")
        ring = (job["device"], job["ring"])
        known = row["result"] == "ok" and job["run_ns"] and "fence-done" not in flags
        if ring in bounded_rings and known and job["quality"] != "bounded":
            check(False, f"{key(job)} on out-of-order {ring} is {job['quality']}")
        if row["result"] == "killed" and not ("killed" in flags and not job["run_ns"]):
            check(False, f"{key(job)} was killed in the queue, flags {flags}")
        if row["result"] == "timeout" and "timeout" not in flags:
            check(False, f"{key(job)} timed out, flags {flags}")
        if row["result"] == "ok" and ("killed" in flags or "error" in flags):
            check(False, f"{key(job)} completed, flags {flags}")
        if job["start_ns"] and "batch" in flags:
            check(False, f"{key(job)} ended in an interrupt with others, but has a start")
        # Only the queue event tells whose a job is.
        if (job["kind"] == "kernel") != (row["kind"] == "kernel") and "no-queue" not in flags:
            check(False, f"{key(job)} is {row['kind']}, xtr says {job['kind']}")
    count = {}
    for row in truth.values():
        count[row["result"]] = count.get(row["result"], 0) + 1
    count["kernel"] = sum(1 for r in truth.values() if r["kind"] == "kernel")
    return count


def main(argv):
    mixed = "--mixed" in argv
    xtr, directory = [a for a in argv[1:] if not a.startswith("--")]
    info = subprocess.run([xtr, "info", "--json", directory + "/run.xtr"], stdout=subprocess.PIPE)
    if json.loads(info.stdout)["lost"]:
        lossy()
    jobs, truth = load(xtr, directory)
    same_jobs(jobs, truth)
    if status():
        return status()
    bounded_rings = OUT_OF_ORDER if mixed else set()
    times(jobs, truth, bounded_rings, mixed)
    count = labels(jobs, truth, bounded_rings)
    for what in ("killed", "timeout", "kernel"):
        # A host that stops one of two processors for long makes jobs of its own run into the scheduler's limit.
        judge = measured if what == "timeout" and not mixed else check
        judge((count.get(what, 0) > 0) == mixed, f"jobs {what}: {count.get(what, 0)}")
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
