# SPDX-License-Identifier: BSD-2-Clause
"""A number of a process that is given again (gen.c, `reused`): what shows processes shows two, and adds up for each.

alpha has number 180 and 5 jobs, beta the same number after it and 3; gamma alone has 190, and 2 jobs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "export"))
import perfetto  # noqa: E402

TRUTH = {("alpha", 180, None): 5, ("beta", 180, 2): 3, ("gamma", 190, None): 2}


def run(xtr, *args):
    done = subprocess.run([xtr, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise ValueError(f"{args}: status {done.returncode} ({done.stderr.decode().strip()})")
    return done.stdout


def stats(xtr, path):
    rows = json.loads(run(xtr, "stats", "--json", path))["sections"][0]["processes"]
    return {(p["name"], p["pid"], p.get("pid_nth")): p["jobs"] for p in rows}


def top(xtr, path):
    found = {}
    for line in run(xtr, "top", "--json", "--interval", "1s", path).splitlines():
        for p in json.loads(line).get("processes", []):
            key = p["name"], p["pid"], p.get("pid_nth")
            found[key] = found.get(key, 0) + p["jobs"]
    return found


def flame(xtr, path):
    found = {}
    for line in run(xtr, "flame", "-q", "-f", "folded", "--by", "process", "--weight", "count", path).decode().splitlines():
        name, n = re.match(r"([^;]*).* (\d+)$", line).groups()
        comm, pid, nth = re.match(r"(\w+) \((\d+)(?:#(\d+))?\)", name).groups()
        key = comm, int(pid), int(nth) if nth else None
        found[key] = found.get(key, 0) + int(n)
    return found


def report(xtr, path):
    page = run(xtr, "report", "-q", "-o", "-", path).decode()
    data = json.loads(re.search(r'id="xtr-data">(.*?)</script>', page, re.S).group(1))
    return data["sections"][0]["pids"]


def chrome(xtr, path):
    """Jobs by the name of the process on whose track they were submitted, and what their arguments say."""
    events = json.loads(run(xtr, "export", "-q", "-f", "chrome", "-o", "-", path))["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    tracks, jobs = {}, {}
    for e in events:
        if e["ph"] == "X" and e["name"].startswith("submit"):
            tracks[names[e["pid"]]] = tracks.get(names[e["pid"]], 0) + 1
        elif e["ph"] == "X" and "pid" in e.get("args", {}):
            key = e["args"]["pid"], e["args"].get("pid_nth")
            jobs[key] = jobs.get(key, 0) + 1
    return tracks, jobs


def pftrace(xtr, path):
    """Tracks of processes: number, name and how many jobs were submitted on tracks of their threads."""
    trace = perfetto.decode(run(xtr, "export", "-q", "-f", "perfetto", "-o", "-", path))
    processes, threads, found = {}, {}, {}
    for packet in trace["packet"]:
        for d in packet.get("track_descriptor", []):
            for p in d.get("process", []):
                processes[d["uuid"][0]] = p["pid"][0], perfetto.text(p.get("process_name", [b"?"])[0])
            if "thread" in d:
                threads[d["uuid"][0]] = d["parent_uuid"][0]
    for packet in trace["packet"]:
        for e in packet.get("track_event", []):
            owner = threads.get(e.get("track_uuid", [0])[0])
            if owner:
                found[owner] = found.get(owner, 0) + 1
    return sorted((*processes[owner], n) for owner, n in found.items())


def query(xtr, path):
    sql = "SELECT process, pid, comm, jobs FROM usage_by_process ORDER BY jobs DESC"
    return run(xtr, "query", "-q", "--csv", path, sql).decode().splitlines()[1:]


def checks(xtr, here, check, has_sqlite):
    path = os.path.join(here, "reused.xtr")

    def same(what, have, want):
        check(f"a number given again: {what}", have == want, f"{have}, not {want}")

    def guarded(what, look, want, *args):
        try:
            same(what, look(xtr, *(args or (path,))), want)
        except (KeyError, IndexError, ValueError, AttributeError) as e:
            check(f"a number given again: {what}", False, repr(e))

    guarded("stats", stats, TRUTH)
    guarded("top", top, TRUTH)
    guarded("flame", flame, TRUTH)
    guarded("report", report, [0, 180, "180#2", 190])
    guarded("chrome", chrome, ({"alpha": 5, "beta 180#2": 3, "gamma": 2}, {(180, None): 5, (180, 2): 3, (190, None): 2}))
    guarded("perfetto", pftrace, [(180, "?", 3), (180, "alpha", 5), (190, "gamma", 2)])
    if has_sqlite:
        guarded("query", query, ["180,180,alpha,5", "180#2,180,beta,3", "190,190,gamma,2"])
    with tempfile.TemporaryDirectory(prefix="xtr-golden-") as folder:
        for command in ("cut", "pack", "redact"):
            out = os.path.join(folder, command + ".xtr")
            run(xtr, command, "-q", "-o", out, path)
            if command != "redact":
                guarded(command, stats, TRUTH, out)
            else:
                have = sorted(stats(xtr, out).values())
                same("redact", have, [2, 3, 5])
                dump = subprocess.run([sys.executable, os.path.join(ROOT, "spec/reader.py"), out], stdout=subprocess.PIPE, check=True)
                starts = sorted(t[5] for s in json.loads(dump.stdout)["sections"] for t in s["tasks"])
                same("redact leaves no time of a start", starts, [0, 0, 0, 1, 1, 2])  # three of rings() have none
