# SPDX-License-Identifier: BSD-2-Clause
"""Judges what `xtr why` says of a trace's jobs by what `xtr jobs` says of them, with no code of either.

Each part makes a claim about other jobs at a time ("the ring was full then, and executed that job"). The judge looks at the times of
all jobs, one by one, whether the claim is so. What a job's parts add up to has to be its time, to the nanosecond.
"""

import bisect
import collections
import json
import subprocess


def lines(xtr, *arguments):
    done = subprocess.run([xtr, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def left_queue(job):
    """When it was run, or was killed in place of that."""
    return job.get("run_ns", job.get("done_ns", 0))


class Judge:
    def __init__(self, xtr, path):
        self.jobs = {(j["context"], j["seqno"]): j for j in lines(xtr, "jobs", "--jsonl", path)}
        self.whys = lines(xtr, "why", "--jsonl", path)
        self.limit = {r["ring_id"]: r["hw_limit"] or 0 for r in
                      lines(xtr, "export", "-f", "jsonl", "--table", "rings", "-o", "-", path)}
        self.on_ring, self.queues = collections.defaultdict(list), collections.defaultdict(list)
        for context, seqno in sorted(self.jobs):
            self.queues[context].append(seqno)
        for j in self.jobs.values():
            if "run_ns" in j and "done_ns" in j:
                self.on_ring[j["ring_id"]].append(j)
        self.wrong = []
        self.parts = collections.Counter()

    def no(self, why, part, text):
        if len(self.wrong) < 20:
            self.wrong.append(f"job {why['context']}:{why['seqno']}: {part}: {text}")
        else:
            self.wrong.append("")

    def job(self, of):
        return self.jobs.get((of.get("context"), of.get("seqno")))

    def there(self, ring, at):
        """Jobs of a ring that were on the hardware then."""
        return [j for j in self.on_ring[ring] if j["run_ns"] <= at < j["done_ns"]]

    def executed(self, why, part):
        """The root of a part that is another job's execution had the hardware all the time."""
        root = part["root"]
        if root["part"] not in ("execution", "hardware"):
            return
        job, begin, end = self.job(root), part["from_ns"], part["from_ns"] + part["ns"]
        if not job or not job.get("run_ns", end) <= begin or not end <= job.get("done_ns", 0):
            self.no(why, part, "its root was not on the hardware")
        elif root.get("pid") is not None and job.get("pid") != root["pid"]:
            self.no(why, part, f"its root is of {job.get('pid')}")
        elif root["ring_id"] != job["ring_id"]:
            self.no(why, part, f"its root is of ring {job['ring_id']}")

    def dependency(self, why, job, part):
        begin, end = part["from_ns"], part["from_ns"] + part["ns"]
        named = [d for d in job.get("deps", []) if d["from_ns"] <= begin and end <= (d.get("until_ns") or end)]
        if not any((d["context"], d["seqno"]) == (part.get("context"), part.get("seqno")) for d in named):
            self.no(why, part, "no such dependency then")
        if part["root"]["part"] == "report" and not self.ended(self.job(part), begin):
            self.no(why, part, "no job that it waited for had ended")

    def ended(self, job, at, depth=0):
        """Had it ended then, or one that it waited for at that time, by a dependency or in its queue?"""
        if not job or depth > 200:
            return False
        if job.get("done_ns", at + 1) <= at:
            return True
        named = [(d["context"], d["seqno"]) for d in job.get("deps", []) if d["from_ns"] <= at < (d.get("until_ns") or at + 1)]
        queue = self.queues[job["context"]]
        before = queue[bisect.bisect_left(queue, job["seqno"]) - 1] if queue[0] < job["seqno"] else None
        if before is not None and left_queue(self.jobs[job["context"], before]) > at:
            named.append((job["context"], before))
        return any(self.ended(self.jobs.get(name), at, depth + 1) for name in named)

    def own_queue(self, why, part):
        before = self.job(part)
        if not before or part["context"] != why["context"] or part["seqno"] >= why["seqno"]:
            self.no(why, part, "no earlier job of its queue")
        elif left_queue(before) < part["from_ns"] + part["ns"]:
            self.no(why, part, "that job had been run")

    def ring_state(self, why, part):
        n = len([j for j in self.there(why["ring_id"], part["from_ns"]) if j["context"] != why["context"] or j["seqno"] != why["seqno"]])
        limit = self.limit.get(why["ring_id"], 0)
        if not limit:
            return
        if part["part"] == "ring-full" and n < limit:
            self.no(why, part, f"{n} jobs on the hardware, which takes {limit}")
        elif part["part"] in ("scheduler", "thread") and n >= limit:
            self.no(why, part, f"{n} jobs on the hardware, which takes {limit}")

    def part(self, why, job, part):
        kind = part["part"]
        self.parts[kind] += 1
        if kind == "reset" and "run_ns" in job:
            self.no(why, part, "it was run")
        if kind in ("own-queue", "dependency", "ring-full", "ring"):
            self.executed(why, part)
        if kind == "dependency":
            self.dependency(why, job, part)
        elif kind == "own-queue":
            self.own_queue(why, part)
        elif kind in ("ring-full", "scheduler", "thread"):
            self.ring_state(why, part)
        elif kind in ("execution", "hardware", "ring") and not job["run_ns"] <= part["from_ns"]:
            self.no(why, part, "before it was run")

    def times(self, why, job):
        at = job.get("submit_ns", job.get("queue_ns", job.get("run_ns")))
        for part in why["parts"]:
            if part["from_ns"] != at or part["ns"] <= 0:
                self.no(why, part, f"does not begin at {at}")
            at = part["from_ns"] + part["ns"]
        if at != job["done_ns"] or why["to_ns"] != job["done_ns"]:
            self.no(why, at, f"ends at {job['done_ns']}")

    def all(self):
        """Number of jobs that were judged; what is wrong is in self.wrong."""
        for why in self.whys:
            job = self.jobs[why["context"], why["seqno"]]
            self.times(why, job)
            for part in why["parts"]:
                if not why["folded"]:
                    self.part(why, job, part)
        return len(self.whys)
