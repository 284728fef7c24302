#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Shows that truth_check.py finds each kind of wrong label, and finds none where all is right. Needs no kernel.

Each row of CASES changes one thing of a job that xtr tells rightly, or of what the hardware did, and names what is wrong then.
"""

import sys

from judge import check, status
from truth_check import SETTLED, Truth, cut_by_level, union, wrong_labels

US = 1000
ROW = {"device": "fakegpu.0", "ring": "gfx", "context": 7, "seqno": 2, "pid": 5, "kind": "user", "result": "ok", "hw_error": 0,
       "queue_ns": 1000 * US, "event_run_ns": 1100 * US, "run_ns": 1105 * US, "start_ns": 1200 * US, "end_ns": 1500 * US,
       "signal_ns": 1502 * US, "fence_ns": 1503 * US, "signalled_ns": 1520 * US, "report_ns": 1505 * US, "mode": "in-order",
       "hw_context": 3, "hw_seqno": 2, "depth": 2, "queue": 0}
BEFORE = dict(ROW, seqno=1, hw_seqno=1, event_run_ns=900 * US, run_ns=905 * US, start_ns=905 * US, end_ns=1200 * US,
              signal_ns=1201 * US, fence_ns=1202 * US, signalled_ns=1210 * US)
JOB = {"device": "fakegpu.0", "ring": "gfx", "context": 7, "seqno": 2, "pid": 5, "quality": "inferred", "flags": [],
       "run_ns": 1101 * US, "start_ns": 1205 * US, "done_ns": 1506 * US, "exec_min_ns": 301 * US, "exec_max_ns": 301 * US}
BOUNDED = {"quality": "bounded", "start_ns": None, "exec_min_ns": 200 * US, "exec_max_ns": 400 * US}

# (what differs in the job, None: not there; what differs in truth; the labels that are wrong)
CASES = (
    ({}, {}, []),
    ({"start_ns": 1211 * US}, {}, ["start"]),
    ({"start_ns": 1189 * US}, {}, ["start"]),
    ({"start_ns": None}, {}, ["start"]),
    ({"start_ns": 1205 * US}, {"mode": "parallel", "start_ns": 1105 * US}, ["start"]),
    ({"quality": "exact", "done_ns": 1521 * US}, {"depth": 1}, ["done"]),
    ({"quality": "exact"}, {"depth": 1}, []),
    ({"quality": "exact"}, {}, ["depth"]),
    ({"done_ns": 1479 * US}, {}, ["done"]),
    ({"pid": 6}, {}, ["owner"]),
    ({"ring": "sdma"}, {}, ["owner"]),
    ({"error": -125}, {}, ["error"]),
    ({}, {"hw_error": -125}, ["error"]),
    ({"flags": ["killed"]}, {}, ["killed"]),
    ({}, {"result": "killed"}, ["killed"]),
    ({"quality": "lost"}, {}, ["lost"]),
    ({"quality": "open"}, {}, ["open"]),
    (BOUNDED, {}, []),
    (dict(BOUNDED, exec_min_ns=330 * US), {}, []),
    (dict(BOUNDED, exec_min_ns=331 * US), {}, ["exec-min"]),
    (dict(BOUNDED, exec_min_ns=331 * US, tolerance_ns=31 * US), {}, []),
    (dict(BOUNDED, exec_max_ns=269 * US), {}, ["exec-max"]),
    (dict(BOUNDED, run_ns=1231 * US), {}, ["begin"]),
    (dict(BOUNDED, done_ns=1469 * US), {}, ["end"]),
    (dict(BOUNDED, done_ns=1469 * US, tolerance_ns=31 * US), {}, []),
    (dict(BOUNDED, start_ns=1300 * US), {}, ["start"]),
)


def csv_row(fields):
    return Truth({name: str(value) for name, value in fields.items()})


def main():
    for job, truth, want in CASES:
        row = csv_row(dict(ROW, **truth))
        row.before = csv_row(BEFORE)
        told = {name: value for name, value in dict(JOB, **job).items() if value is not None}
        found = list(wrong_labels(told, row))
        check(found == want, f"job {job}, truth {truth}: {found}, wanted {want}")
    for quality, lost, piece, want in (("open", 0, True, []), ("lost", 0, True, ["lost"]), ("open", 1, False, []), ("lost", 1, False, [])):
        found = list(wrong_labels(dict(JOB, quality=quality), csv_row(ROW), lost, piece))
        check(found == want, f"{quality}, {lost} lost, {'a piece' if piece else 'whole'}: {found}, wanted {want}")
    for at, want in ((1000 * US - SETTLED - 1, False), (1000 * US - SETTLED, True), (1520 * US, True), (1520 * US + 1, False)):
        check(cut_by_level(csv_row(ROW), [-10**12, at]) == want, f"a level that changed at {at} ns")
    never = csv_row(dict(ROW, result="killed", signalled_ns=0, fence_ns=0, report_ns=0))
    check(cut_by_level(never, [10**12]), "a level that changed while a job waited that never ran")
    check(union([(7, 8), (1, 3), (2, 5), (3, 4)]) == 5, "what intervals cover together")
    return status()


if __name__ == "__main__":
    sys.exit(main())
