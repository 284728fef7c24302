# SPDX-License-Identifier: BSD-2-Clause
"""CSV, JSON lines and SQLite against xtr jobs, dump and info: read by Python's own modules."""

import csv
import io
import json
import os
import sqlite3
import tempfile

import source

JOB_FIELDS = ("device", "ring", "ring_id", "client", "pid", "tid", "comm", "kind", *source.NUMBERS, "error",
              "dep_waits", "quality", "flags", "process")
TEXTS = {"host", "boot_id", "file_id", "device", "ring", "comm", "kind", "quality", "flags", "name", "event", "fields",
         "until", "clock", "writer", "kernel", "machine", "driver", "pci_id", "driver_version", "firmware", "nodes",
         "rule", "verdict", "why", "cause", "key", "value", "module", "captured",
         "process", "machine_id", "driver_srcversion", "subsystem", "revision", "model", "vbios", "uuid", "cgroup",
         "container", "pod"}
TABLES = ("files", "jobs", "deps", "calls", "events", "devices", "rings", "processes", "tasks", "clocks", "losses",
          "gaps", "meta", "labels")


def read_csv(data):
    """Rows; an empty field is None, a number becomes one."""
    text = data.decode("utf-8")  # strict: what is not UTF-8 is a fault
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    head = rows[0]
    assert all(len(row) == len(head) for row in rows), "rows of different lengths"
    # RFC 4180: each record ends in CR LF. Line breaks in fields are as they were.
    assert text.endswith("\r\n")
    return [{k: None if v == "" else v if k in TEXTS else int(v) for k, v in zip(head, row)} for row in rows[1:]]


def read_jsonl(data):
    return [json.loads(line) for line in data.decode("utf-8").split("\n") if line]


READERS = {"csv": read_csv, "jsonl": read_jsonl}


def export(fmt, path, table, *options):
    return READERS[fmt](source.run("export", "-q", "-f", fmt, "-t", table, "-o", "-", *options, path))


def expected_job(job):
    """A job of xtr jobs as a row; text that is empty and text that is unknown are one in CSV."""
    row = {f: job.get(f) for f in JOB_FIELDS}
    row["flags"] = "|".join(job["flags"])
    nth = f"#{job['pid_nth']}" if "pid_nth" in job else ""
    row["process"] = f"{job['pid']}{nth}" if job.get("pid") else None
    row["context"], row["seqno"] = job["context"], job["seqno"]
    return row


def empty_is_none(rows, fields):
    return [{k: v or None if k in fields else v for k, v in row.items()} for row in rows]


def waits_known(job):
    return job["quality"] != "lost" or "run_ns" in job


def check_jobs(checks, what, rows, want):
    fields = [f for f in JOB_FIELDS]
    text = ("device", "ring", "comm", "flags")
    source.compare_jobs(checks, what, empty_is_none(rows, text),
                        empty_is_none([expected_job(j) for j in want], text), fields)


def check_deps(checks, what, rows, want):
    expect = []
    for job in want:
        for d in job.get("deps", []):
            expect.append((job["ring_id"], *source.key(job), d.get("ring_id"), d["context"], d["seqno"], d["from_ns"],
                           d["until"]))
    seen = [(r["ring_id"], r["context"], r["seqno"], r["dep_ring_id"], r["dep_context"], r["dep_seqno"], r["from_ns"],
             r["until"]) for r in rows]
    checks.same(f"{what}: dependencies", sorted(seen, key=str), sorted(expect, key=str))
    ends = {(job["ring_id"], *source.key(job), d["context"], d["seqno"], d["from_ns"]): d["until_ns"]
            for job in want for d in job.get("deps", [])}
    known = [r for r in rows if r["until_ns"] is not None]
    wrong = [r for r in known if r["until_ns"] != ends[r["ring_id"], r["context"], r["seqno"], r["dep_context"],
                                                       r["dep_seqno"], r["from_ns"]]
             or r["wait_ns"] != r["until_ns"] - r["from_ns"]]
    checks.check(not wrong, f"{what}: ends of the waits", wrong[:2])
    unknown = {(r["context"], r["seqno"]) for r in rows if r["until_ns"] is None}
    ran = {k for k, same in source.by_key(want).items() if len(same) == 1 and "run_ns" in same[0]}
    checks.check(not unknown & ran, f"{what}: the waits of a job that was run have an end", list(unknown & ran)[:3])


def check_events(checks, what, rows, section):
    seen = [(r["ts_ns"], r["cpu"], r["tid"], r["pid"], r["comm"] or None, r["event"], json.loads(r["fields"]))
            for r in rows]
    want = [(e["ts_ns"], e["cpu"], e["tid"], e.get("pid"), e.get("comm") or None, e["event"], e["fields"])
            for e in section.events() if "event" in e]
    checks.same(f"{what}: events", seen, want)


def check_calls(checks, what, rows, section):
    seen = [(r["kind"], (r["module"], r["name"]) if r["module"] else r["name"] or "", r["begin_ns"], r["end_ns"],
             r["tid"], r["cpu"], r["depth"]) for r in rows]
    checks.same(f"{what}: calls", sorted(seen, key=str), sorted(source.calls(section), key=str))
    gaps = section.gaps()
    wrong = [r for r in rows if r["begin_ns"] and r["end_ns"] and
             bool(r["gap"]) != any(a <= r["end_ns"] and b >= r["begin_ns"] for a, b in gaps)]
    checks.check(not wrong, f"{what}: gaps in calls", wrong[:2])
    wrong = [r for r in rows if r["begin_ns"] and r["end_ns"] and r["duration_ns"] != r["end_ns"] - r["begin_ns"]]
    checks.check(not wrong, f"{what}: durations of calls", wrong[:2])
    check_captured(checks, what, rows, section)


def check_captured(checks, what, rows, section):
    """What calls captured, as the events of both halves have it."""
    rows = [r for r in rows if r["kind"] in ("function", "api")]
    half = {}
    for e in section.events():
        if e.get("event", "").startswith(("func:", "api:")):
            name, ret = (e["event"][:-4], True) if e["event"].endswith(":ret") else (e["event"], False)
            half[name.split(":", 1)[1], ret, e["ts_ns"]] = e["fields"]
    wrong = []
    for r in rows:
        key = r["module"] + ":" + r["name"]
        want = {}
        for ts, ret in ((r["begin_ns"], False), (r["end_ns"], True)):
            want.update(half[key, ret, ts] if ts else {})
        ret = want.pop("ret", None)
        ret = ret["value"] if isinstance(ret, dict) else ret  # {"value": 0, "name": "ZE_RESULT_SUCCESS"}
        ret = int(ret, 16) if isinstance(ret, str) else ret
        want.pop("context", None)
        captured = r["captured"] if isinstance(r["captured"], dict) else json.loads(r["captured"])
        if captured != want or r["ret"] != ret:
            wrong.append((r, want, ret))
    checks.check(not wrong, f"{what}: captured values", wrong[:2])


def check_origin(checks, what, rows, section):
    info = section.info()["sections"][0]
    ids = {(r["boot_id"], r["file_id"]) for r in rows}
    checks.check(ids <= {(info["boot_id"], info["file_id"])}, f"{what}: rows say where they come from", ids)


def check_losses(checks, what, read, section):
    """The accounts of what is missing."""
    info = section.info()["sections"][0]
    seen = sorted(((r["cpu"], r["cause"], r["count"]) for r in read("losses")), key=str)
    checks.same(f"{what}: losses", seen, sorted(((e["cpu"], e["cause"], e["count"]) for e in info["loss"]), key=str))
    checks.same(f"{what}: gaps", sorted((r["first_ns"], r["last_ns"]) for r in read("gaps")), sorted(section.gaps()))


def check_sums(checks, what, rows, section, *options):
    """Residence and execution per ring are what xtr stats gives."""
    named = [{**r, "device": r["device"] or "", "ring": r["ring"] or ""} for r in rows]
    for value in ("residence_ns", "exec_ns"):
        checks.same(f"{what}: sums of {value} per ring", source.sums(named, value),
                    source.stats_sums(section, value, *options))


def check_text(checks, fmt, src):
    """One table after the other, of a file of one section or of many."""
    name = f"{src.name} {fmt}"
    rows = export(fmt, src.path, "jobs")
    wants = src.jobs()
    check_jobs(checks, f"{name} jobs", rows, sum(wants, []))
    check_deps(checks, f"{name} deps", export(fmt, src.path, "deps"), sum(wants, []))
    events, calls = export(fmt, src.path, "events"), export(fmt, src.path, "calls")
    for section in src.sections:
        n = sum("event" in e for e in section.events())
        check_events(checks, f"{name} events", events[:n], section)
        events = events[n:]
        n = len(source.calls(section))
        check_calls(checks, f"{name} calls", calls[:n], section)
        calls = calls[n:]
    checks.check(not events and not calls, f"{name}: nothing is added")
    if len(src.sections) == 1:
        check_sums(checks, name, rows, src.sections[0])
        check_origin(checks, name, rows, src.sections[0])
        check_losses(checks, name, lambda table: export(fmt, src.path, table), src.sections[0])


def selected(fmt, path, *options):
    """Fences of the jobs exported under these options."""
    return [source.key(r) for r in export(fmt, path, "jobs", *options)]


# --- SQLite ---------------------------------------------------------------------------------------


U64 = ("context", "seqno", "client", "dep_context", "dep_seqno")


class Database:
    """A database with its u64 columns, which SQLite keeps as the same 64 bits with a sign, as they were."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row

    def rows(self, sql):
        return [{k: v + (1 << 64) if k in U64 and v is not None and v < 0 else v for k, v in dict(row).items()}
                for row in self.db.execute(sql)]

    def table(self, name):
        return self.rows(f"SELECT * FROM {name}")


def open_database(path, *options):
    with tempfile.TemporaryDirectory(prefix="xtr-sqlite-") as folder:
        out = os.path.join(folder, "out.sqlite")
        source.run("export", "-q", "-f", "sqlite", "-o", out, *options, path)
        assert os.listdir(folder) == ["out.sqlite"], os.listdir(folder)
        db = Database(":memory:")
        with sqlite3.connect(out) as disk:
            disk.backup(db.db)
        disk.close()
    return db


def check_views(checks, what, db, src):
    """The views for common questions give the sums of xtr stats."""
    if len(src.sections) > 1:
        return
    rings = src.sections[0].stats()["rings"]
    seen = sorted((r["ring_id"], r["jobs"], r["residence_ns"] or 0, r["exec_ns"] or 0)
                  for r in db.table("usage_by_ring"))
    want = sorted((r["ring_id"], r["jobs"], r["residence_ns"]["sum"], r["exec_ns"]["sum"]) for r in rings)
    checks.same(f"{what}: usage_by_ring", seen, want)
    seen = sorted((r["ring_id"], r["busy_ns"]) for r in db.table("usage_by_ring") if r["busy_ns"])
    want = sorted((r["ring_id"], r["busy_ns"]) for r in rings if r["busy_ns"] and r["busy_exact"])
    checks.same(f"{what}: time that rings were busy", seen, want)
    longest = [r["exec_max_ns"] for r in db.rows("SELECT * FROM longest_jobs LIMIT 10")]
    want = sorted((j["exec_max_ns"] for j in src.sections[0].jobs() if "exec_max_ns" in j), reverse=True)[:10]
    checks.same(f"{what}: longest_jobs", longest, want)


def check_sqlite(checks, src):
    what = f"{src.name} sqlite"
    db = open_database(src.path)
    checks.same(f"{what}: integrity", [tuple(r) for r in db.db.execute("PRAGMA integrity_check")], [("ok",)])
    checks.same(f"{what}: foreign keys", [tuple(r) for r in db.db.execute("PRAGMA foreign_key_check")], [])
    wants = sum(src.jobs(), [])
    check_jobs(checks, f"{what} jobs", db.table("jobs"), wants)
    check_deps(checks, f"{what} deps", db.table("deps"), wants)
    events, calls = db.table("events"), db.table("calls")
    for section in src.sections:
        n = sum("event" in e for e in section.events())
        check_events(checks, f"{what} events", events[:n], section)
        events = events[n:]
        n = len(source.calls(section))
        check_calls(checks, f"{what} calls", calls[:n], section)
        calls = calls[n:]
    checks.check(not events and not calls, f"{what}: nothing is added")
    if len(src.sections) == 1:
        check_sums(checks, what, db.table("jobs"), src.sections[0])
        check_losses(checks, what, db.table, src.sections[0])
    check_views(checks, what, db, src)
    # Every table says the same in all three forms.
    for table in TABLES:
        if table == "jobs":
            continue
        rows = sorted(({k: v for k, v in r.items() if k != "file"} for r in db.table(table)), key=str)
        checks.same(f"{what}: {table} as in JSON lines", rows, sorted(export("jsonl", src.path, table), key=str))


def selected_sqlite(path, *options):
    return [source.key(r) for r in open_database(path, *options).table("jobs")]
