#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whose fault it was, where that is known by construction: `xtr why` against the driver's own log.

usage: accept_blame.py hog|starved|chain|parts XTR DIR
hog: one process' long jobs hold up another one's on the same ring. What xtr blames it for is what the driver says it executed
meanwhile. starved: real-time threads take the CPUs from the thread that runs jobs. chain: jobs that wait for each other over two devices, and
a thread that submits late (fakegpu-chain). parts: any recording; each part is judged by the
times of all jobs (tests/why/claims.py).
"""

import collections
import csv
import json
import os
import subprocess
import sys

from judge import check, lossy, measured, status

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.append(os.path.join(ROOT, "tests", "why"))
import claims  # noqa: E402

VICTIM, HOG, SPIN = "fakegpu-load", "hog", "spin"
NEAR = 2_000_000  # ns per job: from the engine's end to its report, on an emulated processor


def lines(xtr, *arguments):
    done = subprocess.run([xtr, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def has_lost(xtr, path):
    info = json.loads(subprocess.run([xtr, "info", "--json", path], stdout=subprocess.PIPE, check=False).stdout)
    return info["lost"] > 0


def truth_of(directory):
    with open(directory + "/truth.csv", newline="") as f:
        return {(int(r["context"]), int(r["seqno"])): r for r in csv.DictReader(f)}


def costs(xtr, path):
    stats = subprocess.run([xtr, "stats", "--json", "--top", "100", "-s", "blame", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(stats.stdout)["sections"][0]["blame"]["costs"]


def overlap(a, b, c, d):
    return max(0, min(b, d) - max(a, c))


def hog(xtr, directory):
    path, truth = directory + "/run.xtr", truth_of(directory)
    whys = lines(xtr, "why", "--jsonl", path)
    names = {(w["context"], w["seqno"]): w.get("comm") for w in whys}
    executed = [(int(r["start_ns"]), int(r["end_ns"])) for k, r in truth.items() if names.get(k) == HOG and r["result"] == "ok"]
    said = really = others = 0
    off = []
    for why in whys:
        if why.get("comm") != VICTIM:
            continue
        row = truth[why["context"], why["seqno"]]
        blamed = collections.Counter()
        for part in why["parts"]:
            if part["part"] not in ("execution", "hardware"):
                blamed[part["root"].get("comm")] += part["ns"]
        held = sum(overlap(int(row["queue_ns"]), int(row["start_ns"]), *e) for e in executed)
        said, really = said + blamed[HOG], really + held
        others += sum(ns for name, ns in blamed.items() if name not in (HOG, VICTIM, None, "(kernel)"))
        off.append(abs(blamed[HOG] - held))
    check(len(off) == 20 and len(executed) >= 20, f"{len(off)} jobs of the one, {len(executed)} of the other")
    check(others == 0, f"nobody else is blamed ({others} ns)")
    off.sort()
    check(really > 100_000_000, f"the driver executed the others' jobs meanwhile for {really / 1e6:.1f} ms")
    measured(abs(said - really) <= NEAR * len(off), f"xtr blames them for {said / 1e6:.1f} ms; of a job off by {off[len(off) // 2]} ns (p50), {off[-1]} ns at most")
    first = next(c for c in costs(xtr, path) if c["name"] == VICTIM)
    check(first["by_name"] == HOG, f"whom {VICTIM} waited for most is {first['by_name']}, {first['ns'] / 1e6:.1f} ms")
    longest = next(w for w in whys if (w["context"], w["seqno"]) == (first["context"], first["seqno"]))
    check(longest["comm"] == VICTIM and names.get((first["by_context"], first["by_seqno"])) == HOG, "the longest, and for which job, are of these two")


def starved(xtr, directory):
    path = directory + "/run.xtr"
    waits = collections.Counter()
    jobs = 0
    for why in lines(xtr, "why", "--jsonl", path):
        of = [p for p in why["parts"] if p["part"] == "thread"]
        jobs += bool(of)
        for part in of:
            waits[part["root"].get("comm")] += part["ns"]
    check(jobs > 0, f"{jobs} jobs whose thread waited for a CPU")
    measured(waits[SPIN] * 2 > sum(waits.values()), "who had it: " + ", ".join(f"{name} {ns / 1e6:.1f} ms" for name, ns in waits.most_common(4)))
    row = [c for c in costs(xtr, path) if c["by_name"] == SPIN]
    measured(any(c["name"] == VICTIM and c["thread_ns"] > 0 and c["thread_ns"] == c["ns"] for c in row), f"what {SPIN} cost is time of a CPU: {[c['thread_ns'] for c in row]}")


def check_victim(why, truth, names):
    """Of its time, what the driver says that the feeder and the one between executed meanwhile. How far off both are."""
    victim = truth[why["context"], why["seqno"]]
    blamed = collections.Counter()
    for part in why["parts"]:
        if part["part"] == "dependency":
            blamed[part["root"].get("comm")] += part["ns"]
    for who in ("feeder", "middle"):
        row = truth[names[who]]
        held = overlap(int(victim["queue_ns"]), int(victim["start_ns"]), int(row["start_ns"]), int(row["end_ns"]))
        yield who, blamed[who], held


def chain(xtr, directory):
    """Whom victims waited for through two devices; how long a thread slept before it submitted."""
    path, truth = directory + "/run.xtr", truth_of(directory)
    with open(directory + "/chain.jsonl", encoding="utf-8") as f:
        told = [{k: tuple(v) for k, v in json.loads(line).items()} for line in f]
    whys = {(w["context"], w["seqno"]): w for w in lines(xtr, "why", "--path", "--jsonl", path)}
    off, slept, devices = [], [], set()
    for one in told:
        if "victim" in one:
            why = whys[one["victim"]]
            devices |= {truth[one[k]]["device"] for k in ("victim", "feeder")}
            off += [(who, said - held, held) for who, said, held in check_victim(why, truth, one)]
        elif "sleeper" in one:
            last = [s for s in whys[one["sleeper"]]["path"] if s["step"] == "submitter"][-1]
            check(last.get("comm") == "sleeper" and (last["context"], last["seqno"]) == one["sleeper"], f"before {one['sleeper']}: {last.get('comm')}")
            slept.append(last["ns"])
    check(len(devices) == 2 and len(off) == 30 and len(slept) == 14, f"{len(off)} waits over {sorted(devices)}, {len(slept)} late jobs")
    for who, least in (("feeder", 30_000_000), ("middle", 10_000_000)):
        held = sum(h for w, _, h in off if w == who)
        wrong = [abs(d) for w, d, _ in off if w == who]
        check(held > 15 * least, f"the driver executed the jobs of {who} meanwhile for {held / 1e6:.1f} ms")
        measured(sum(wrong) <= 15 * NEAR, f"xtr blames {who}: off by {max(wrong) / 1e6:.2f} ms at most, {sum(wrong) / 15e6:.2f} ms on average")
    measured(all(80_000_000 <= ns < 160_000_000 for ns in slept), f"the thread that slept for 80 ms: {min(slept) / 1e6:.1f} to {max(slept) / 1e6:.1f} ms before its submissions")


def parts(xtr, directory):
    j = claims.Judge(xtr, directory + "/run.xtr")
    n = j.all()
    check(n > 0 and not j.wrong, f"{sum(j.parts.values())} parts of {n} jobs: {len(j.wrong)} are not so")
    for text in j.wrong[:5]:
        print("     " + text)


def main(argv):
    what, xtr, directory = argv[1:]
    if has_lost(xtr, directory + "/run.xtr"):
        lossy()
    {"hog": hog, "starved": starved, "chain": chain, "parts": parts}[what](xtr, directory)
    return status()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
