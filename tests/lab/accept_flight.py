#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges flight recorders that ran while jobs of the fake GPU hung.

usage: accept_flight.py XTR DIR

hang.*.xtr waited for jobs of more than 150 ms: each such job, those of truth.csv that hung among them, has
fired twice (before its end, and at it), each time a file was written or it was counted; the job that a
file names is one of them, at the time at which it became so. Over all files recorded + lost + aged = emitted.
reset.*.xtr is one file, written when the scheduler's time limit had come.
"""

import csv
import glob
import json
import subprocess
import sys

from accept_check import OLD_NAMES
from judge import check, lossy, status

LIMIT = 150_000_000  # ns
HANG, EXEC = "hang>150ms", "exec>150ms"


def output(*args):
    return subprocess.run(args, stdout=subprocess.PIPE).stdout


def section(xtr, path):
    return json.loads(output(xtr, "info", "--json", path))["sections"][0]


def events_of(xtr, path, name):
    lines = output(xtr, "dump", "--json", "-e", "drm_sched_job_" + name, path).splitlines()
    return {(e["fields"]["ctx"], e["fields"]["seqno"]): e["ts_ns"] for e in map(json.loads, lines) if "event" in e}  # no gaps


def emitted(directory, names):
    """How many of these events the kernel emitted."""
    with open(directory + "/emitted.txt") as f:
        lines = [line.split() for line in f]
    return sum(int(n) for name, n in lines if OLD_NAMES.get(name, name) in names)


def check_hang(xtr, directory, jobs):
    paths = sorted(glob.glob(directory + "/hang.*.xtr"))
    files = [section(xtr, p) for p in paths]
    hung = {k for k, r in jobs.items() if r["result"] == "timeout"}
    runs, ends = {}, {}
    for p in paths:
        runs.update(events_of(xtr, p, "run"))
        ends.update(events_of(xtr, p, "done"))
    long = {k for k in ends if ends[k] - runs.get(k, ends[k]) > LIMIT}
    check(hung and hung <= long, f"{len(hung)} jobs hung, {len(long)} took more than 150 ms")
    if any(f["lost"] for f in files):
        lossy()
    whys = [f["flight"]["why"] for f in files]
    check(len(files) > 1 and whys[0] == HANG and whys[-1] == "end" and set(whys[1:-1]) <= {HANG, EXEC}, f"files: {whys}")
    fired = len(files) - 1 + sum(f["flight"]["suppressed"] for f in files)
    check(fired == 2 * len(long), f"triggers: {fired}, of {len(long)} long jobs")
    for f in files[:-1]:
        about = f["flight"]
        job = about["ctx"], about["seqno"]
        check(job in long, f"{about['why']}: job {job} took more than 150 ms")
        check(about["value"] > LIMIT and job in runs, f"{about['why']}: {about['value']} ns")
        at = runs.get(job, 0) + (LIMIT if about["why"] == HANG else about["value"])
        check(about["at_ns"] == at, f"{about['why']}: at the time at which it became so")
        check(str(about["pid"]) == jobs.get(job, {}).get("pid"), f"{about['why']}: process {about['pid']}")
    counted = emitted(directory, {t["name"].split(":")[1] for f in files for t in f["event_types"]})
    found = sum(f["events"] + f["lost"] + f["aged"] for f in files)
    check(found == counted, f"recorded + lost + aged: {found}, emitted: {counted}")


def check_reset(xtr, directory, jobs):
    paths = glob.glob(directory + "/reset.*.xtr")
    check(len(paths) == 1, f"--once: {len(paths)} file")
    about = section(xtr, paths[0])["flight"]
    check(about["why"] == "reset" and about["event"] == "func:gpu_sched:drm_sched_job_timedout",
          f"{about['why']} by {about['event']}")
    hung = [r for r in jobs.values() if r["result"] == "timeout"]
    lines = [e for e in map(json.loads, output(xtr, "dump", "--json", "-e", about["event"], paths[0]).splitlines()) if "event" in e]
    first = min(e["ts_ns"] for e in lines)
    check(about["at_ns"] == first, "at the first time that a job had timed out")
    check(len(hung) > 0, f"{len(hung)} jobs hung, {len(lines)} had timed out by the end of the recording")
    check(about["from_ns"] == 0, "nothing was given up")


def main(argv):
    xtr, directory = argv[1:]
    with open(directory + "/truth.csv") as f:
        jobs = {(int(r["context"]), int(r["seqno"])): r for r in csv.DictReader(f)}
    check_hang(xtr, directory, jobs)
    check_reset(xtr, directory, jobs)
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
