# SPDX-License-Identifier: BSD-2-Clause
"""What xtr exports for Perfetto comes back as the same jobs, field by field."""

import glob
import json
import os

from harness import ROOT, equal, expect, jobs, test, xtr

TIMES = ("submit_ns", "queue_ns", "run_ns", "start_ns", "done_ns")
# Ids of rings are a file's own; of which process of a number a job is stands nowhere in the export.
OWN = ("ring_id", "pid_nth")
# What stands in the submission and in the wait, which --jobs-only leaves out.
BEFORE = ("submit_ns", "queue_ns", "tid", "client", "queue_wait_ns", "dep_wait_ns", "dep_waits", "process")
# A start or bounds, and so all that follows from them, are left out too where they are not the residence.
JOBS_ONLY = (*BEFORE, "exec_min_ns")
MODES = ([], ["--jobs-only"], ["--track-events"], ["--compress"], ["--raw"], ["--ftrace"], ["--raw", "--ftrace"])


def base_of(told):
    """The clock of the export is BOOTTIME: times are compared with the first one that all modes have."""
    return min([j[k] for j in told for k in ("run_ns", "done_ns") if k in j] or [0])


def plain(told, leave_out):
    base, out = base_of(told), []
    rings = {j["ring_id"]: (j["device"], j["ring"]) for j in told if "ring_id" in j}
    for job in told:
        row = {k: v - base if k in TIMES else v for k, v in job.items() if k not in (*OWN, *leave_out)}
        if "deps" in row:
            known = () if leave_out else ("from_ns", "until_ns")
            row["deps"] = [{**({} if leave_out else {"ring": rings.get(d.get("ring_id"))}), **{k: d[k] - base if k in known else d[k] for k in ("context", "seqno", *known) if k in d}} for d in row["deps"]]
        out.append(row)
    return sorted(out, key=lambda r: (r["context"], r["seqno"], r.get("run_ns", 0), str(r)))


def same_jobs(folder, path, mode):
    exported = os.path.join(folder, "run.pftrace")
    outcome = xtr("export", "--force", "-f", "perfetto", "-o", exported, *mode, path)
    expect(outcome.status in (0, 3), "exported", outcome)
    want, have = jobs(path), jobs(exported)
    expect(want, f"{path} has jobs")
    leave_out = JOBS_ONLY if "--jobs-only" in mode else ()
    equal(plain(have, leave_out), plain(want, leave_out), f"{os.path.basename(path)} {' '.join(mode)}")


@test
def golden_recordings_come_back_from_every_variant(folder):
    paths = [p for p in sorted(glob.glob(os.path.join(ROOT, "tests/golden/*.xtr"))) if "no-jobs" not in p]
    expect(len(paths) >= 5, "there are golden recordings")
    for path in paths:
        for mode in MODES:
            same_jobs(folder, path, mode)


@test
def what_came_back_is_exported_again_as_it_was(folder):
    once, twice = os.path.join(folder, "once.xtr"), os.path.join(folder, "once.pftrace")
    path = os.path.join(ROOT, "tests/golden/frames.xtr")
    expect(xtr("export", "-f", "perfetto", "-o", twice, path).status == 0, "exported")
    expect(xtr("import", "-o", once, twice).status == 0, "imported")
    for mode in MODES:
        same_jobs(folder, once, mode)


@test
def a_cut_and_a_redacted_trace_of_told_jobs_keep_them(folder):
    exported, imported = os.path.join(folder, "run.pftrace"), os.path.join(folder, "run.xtr")
    expect(xtr("export", "-f", "perfetto", "-o", exported, os.path.join(ROOT, "tests/golden/frames.xtr")).status == 0, "exported")
    expect(xtr("import", "-o", imported, exported).status == 0, "imported")
    cut, hidden = os.path.join(folder, "cut.xtr"), os.path.join(folder, "hidden.xtr")
    outcome = xtr("cut", "-o", cut, imported)
    expect(outcome.status == 0, "cut", outcome)
    equal(jobs(cut), jobs(imported), "jobs of a cut")
    outcome = xtr("redact", "-o", hidden, imported)
    expect(outcome.status == 0, "redacted", outcome)
    keys = ("seqno", "run_ns", "done_ns", "exec_ns", "quality", "kind", "flags", "ring", "error")
    equal([{k: j.get(k) for k in keys} for j in jobs(hidden)], [{k: j.get(k) for k in keys} for j in jobs(imported)],
          "jobs of a redacted trace")


@test
def what_is_said_of_told_rings_is_true(folder):
    exported = os.path.join(folder, "run.pftrace")
    expect(xtr("export", "-f", "perfetto", "-o", exported, os.path.join(ROOT, "tests/golden/frames.xtr")).status == 0, "exported")
    out = xtr("stats", "--all", exported).out
    expect("measured by the hardware" not in out and "in-order ring" not in out, "nothing in this trace tells that", out)
    expect("as the imported trace tells" in out, "who told it", out)
    told = json.loads(xtr("stats", "--json", exported).out)["sections"][0]
    for row in told["processes"]:
        expect(not row["quality"]["bounded"] or row["busy_bounded"], "what is only bounded bounds what was busy", row)
