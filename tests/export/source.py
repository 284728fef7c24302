# SPDX-License-Identifier: BSD-2-Clause
"""What an export is compared with: the jobs, sums and events that xtr itself prints, and what follows from them.

Nothing here shares code with the exporters: depths and calls are worked out again, from the events of `xtr dump`.
"""

import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
XTR = os.path.join(ROOT, os.environ.get("XTR", "xtr"))
HOLD_NS = 1000000  # XTR_HOLD_NS of replay/model/model.h
NUMBERS = ("submit_ns", "queue_ns", "run_ns", "start_ns", "done_ns", "residence_ns", "exec_ns", "exec_min_ns",
           "exec_max_ns", "queue_wait_ns", "hw_wait_ns", "dep_wait_ns")


class Checks:
    """Counts; says what failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, good, what, detail=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"  FAIL {what}{': ' if detail else ''}{str(detail)[:1500]}", flush=True)
        return bool(good)

    def same(self, what, seen, want):
        """Two lists or values that must be equal; the first difference is said."""
        if isinstance(seen, list) and isinstance(want, list) and seen != want:
            at = next((i for i, (a, b) in enumerate(zip(seen, want)) if a != b), min(len(seen), len(want)))
            return self.check(False, what, f"{len(seen)}, {len(want)} expected; number {at}: "
                              f"{seen[at] if at < len(seen) else 'none'}, expected "
                              f"{want[at] if at < len(want) else 'none'}")
        return self.check(seen == want, what, "" if seen == want else f"{seen}, expected {want}")

    def summary(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed or not self.passed else 0


def status_of(*arguments):
    return subprocess.run([XTR, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode


def run(*arguments, status=(0, 3)):
    """Output of xtr; 3 tells of lost events."""
    done = subprocess.run([XTR, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode not in status:
        raise AssertionError(f"xtr {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def lines(*arguments):
    # What xtr prints is valid UTF-8: decoding is strict. A text may hold any other line break.
    return [json.loads(line) for line in run(*arguments).decode("utf-8").split("\n") if line]


class Section:
    """One recording: what xtr says of it alone."""

    def __init__(self, path):
        self.path = path
        self._cache = {}

    def _once(self, key, make):
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def _known(self, options):
        """The options without those processes that only other sections of the file have; None: nothing is left."""
        if status_of("jobs", *options, self.path) != 2:
            return options
        pids = [i for i, o in enumerate(options) if o == "--pid"]
        gone = {i for at in pids if status_of("jobs", *options[at:at + 2], self.path) == 2 for i in (at, at + 1)}
        left = [o for i, o in enumerate(options) if i not in gone]
        return left if gone and "--pid" in left else None

    def jobs(self, *options):
        def read():
            known = self._known(options)
            return [] if known is None else lines("jobs", "--jsonl", *known, self.path)
        return self._once(("jobs", options), read)

    def events(self, *options):
        return self._once(("dump", options), lambda: lines("dump", "--json", *options, self.path))

    def stats(self, *options):
        """The one section of `xtr stats --json`."""
        return self._once(("stats", options), lambda: json.loads(
            run("stats", "--json", *options, self.path))["sections"][0])

    def info(self):
        return self._once("info", lambda: json.loads(run("info", "--json", self.path)))

    def gaps(self):
        """(first, last) of each stretch of lost events."""
        return [(e["first_ns"], e["last_ns"]) for e in self.events() if "lost" in e]

    def rings(self):
        """Device and name by ring id, as jobs name them."""
        return {j["ring_id"]: (j["device"], j["ring"]) for j in self.jobs()}

    def labels(self):
        """ring id -> (device, name), with the id behind a name that the device has more than once."""
        rings = {i: (r["device"] or "", r["ring"] or "") for r in json_rows(self.path, "rings") for i in [r["ring_id"]]}
        names = list(rings.values())

        def label(ring, unknown):
            device, name = rings[ring]
            return device, (name or unknown) + (f"#{ring}" if names.count((device, name)) > 1 else "")
        return label


def json_rows(path, table):
    return lines("export", "-q", "-f", "jsonl", "-t", table, "-o", "-", path)


class Source:
    """A file of one or more sections, each of which is also a file of its own."""

    def __init__(self, name, path, parts):
        self.name, self.path = name, path
        self.sections = [Section(part) for part in parts]

    @staticmethod
    def _top(options):
        """The options that jobs knows, and the number of --top, which is of exports alone."""
        options = list(options)
        if "--top" not in options:
            return options, None
        at = options.index("--top")
        top = int(options[at + 1])
        return options[:at] + options[at + 2:], top

    def selections(self, every):
        """Those of them of which the file has something: others are refused."""
        return [o for o in every if status_of("jobs", *self._top(o)[0], self.path) != 2]

    def jobs(self, *options):
        """Lists of jobs, one for each section; --top is over all of them."""
        options, top = self._top(options)
        found = [s.jobs(*options) for s in self.sections]
        if top is None:
            return found
        ranked = sorted((-j["exec_max_ns"], i, j["done_ns"], k) for i, jobs in enumerate(found)
                        for k, j in enumerate(jobs) if "residence_ns" in j)
        best = {(i, k) for _, i, _, k in ranked[:top]}
        return [[j for k, j in enumerate(jobs) if (i, k) in best] for i, jobs in enumerate(found)]


def key(job):
    return job["context"], job["seqno"]


def by_key(jobs):
    """Jobs by fence; those of one fence in order of their first time."""
    found = {}
    for job in jobs:
        found.setdefault(key(job), []).append(job)
    for same in found.values():
        same.sort(key=lambda j: min((j[t] for t in ("queue_ns", "run_ns", "done_ns") if j.get(t)), default=0))
    return found


def compare_jobs(checks, what, seen, want, fields):
    """Every job once, and its fields as xtr jobs gives them; a field that seen lacks is None there."""
    seen, want = by_key(seen), by_key(want)
    missing = [k for k in want if len(want[k]) > len(seen.get(k, []))]
    added = [k for k in seen if len(seen[k]) > len(want.get(k, []))]
    checks.check(not missing and not added, f"{what}: every job is there once",
                 f"{len(missing)} missing, e.g. {missing[:3]}; {len(added)} too many, e.g. {added[:3]}")
    for field in fields:
        wrong = [(k, a.get(field), b.get(field)) for k in want for a, b in zip(seen.get(k, []), want[k])
                 if a.get(field) != b.get(field)]
        checks.check(not wrong, f"{what}: {field} of every job",
                     f"{len(wrong)} differ; of {wrong[:1]} the first is exported" if wrong else "")


def sums(jobs, value):
    """Sum of a time per device and ring id."""
    total = {}
    for job in jobs:
        if job.get(value) is not None:
            at = job["device"], job["ring_id"]
            total[at] = total.get(at, 0) + job[value]
    return total


def stats_sums(section, value, *options):
    """The same of xtr stats: residence_ns or exec_ns."""
    return {(r["device"], r["ring_id"]): r[value]["sum"] for r in section.stats(*options)["rings"] if r[value]["n"]}


def dependencies(job):
    return sorted((d["context"], d["seqno"]) for d in job.get("deps", []))


# --- queue depth ----------------------------------------------------------------------------------


class Depth:
    """
    Jobs in each ring's queues and on its hardware, by a list of all jobs: told for the ring of each event that moves
    a job, (ts, ring id, queued, on hardware).
    """

    def __init__(self):
        self.open, self.held, self.told, self.counts, self.now = {}, {}, [], {}, 0

    def move(self, job, place):
        if job["place"] == place:
            return
        count = self.counts.setdefault(job["ring"], {"queued": 0, "hw": 0})
        if job["place"]:
            count[job["place"]] -= 1
        if place:
            count[place] += 1
        job["place"] = place
        self.told.append((self.now, job["ring"], count["queued"], count["hw"]))

    def begin(self, name, ring, passed):
        """The job that this begins a part of; another one that has its fence ends."""
        job = self.open.get(name)
        if job and passed(job):
            self.end(name, hold=False)
            job = None
        if not job:
            job = self.open[name] = {"ring": ring, "place": None, "ran": False}
            self.held.pop(name, None)
        return job

    def end(self, name, hold=True):
        self.move(self.open.pop(name), None)
        if hold:
            self.held[name] = self.now

    def event(self, ts, kind, name, ring):
        self.now = max(self.now, ts)
        if self.now - self.held.get(name, self.now) > HOLD_NS:
            del self.held[name]
        if kind == "drm_sched_job_queue":
            self.move(self.begin(name, ring, lambda j: True), "queued")
        elif kind == "drm_sched_job_run":
            job = self.begin(name, ring, lambda j: j["ran"])
            if ring and ring != job["ring"]:
                self.move(job, None)
                job["ring"] = ring
            job["ran"] = True
            self.move(job, "hw")
        elif kind in ("drm_sched_job_wait_dep", "drm_sched_job_unschedulable"):
            if name not in self.held:
                self.begin(name, ring, lambda j: False)
        elif kind == "drm_sched_job_done" or kind == "dma_fence_signaled":
            if name in self.open:
                self.end(name)
            elif kind == "drm_sched_job_done" and name not in self.held:
                self.held[name] = self.now


def ring_of(event):
    """Ring id of an event of xtr dump: "device/name#7", or "?ring:99" for one that no table has."""
    digits = re.search(r"(?:#|\?ring:)(\d+)$", event["fields"].get("ring") or "")
    return int(digits.group(1)) if digits else 0


class Npu:
    """
    What events of the Intel NPU's driver mean, told as the scheduler's: a job begins with its fence, in the thread that
    submits it, and fails if the ioctl does. As far as the traces here have it: all of it.
    """
    RING = (1 << 32) - 2  # the first that is in no table

    def __init__(self, has_jobs):
        """has_jobs: vpu:job is recorded. Older drivers have the doorbell alone."""
        self.pending, self.has_jobs = {}, has_jobs

    def told(self, e):
        """(kind, fence) or None."""
        what, fields = e["event"], e["fields"]
        if what == "dma_fence:dma_fence_init" and fields.get("ops") == "ivpu_fence_ops":
            self.pending[e["tid"]] = fields["ctx"], fields["seqno"]
            return "drm_sched_job_queue", self.pending[e["tid"]]
        if what == "vpu:job" and fields["event"] == "submit":
            return "drm_sched_job_run", self.pending.pop(e["tid"])
        if what == "func:intel_vpu:ivpu_hw_ip_db_set" and not self.has_jobs and e["tid"] in self.pending:
            return "drm_sched_job_run", self.pending.pop(e["tid"])
        if what == "func:intel_vpu:ivpu_submit_ioctl:ret" and fields["ret"] < 0:
            return "drm_sched_job_done", self.pending.pop(e["tid"])
        return None


def depths(section):
    model, npu = Depth(), Npu(any(e.get("event") == "vpu:job" for e in section.events()))
    for event in section.events():
        told = npu.told(event) if "event" in event else None
        if told:
            model.event(event["ts_ns"], *told, Npu.RING)
        elif event.get("event", "").startswith(("gpu_scheduler:drm_sched_job_", "dma_fence:dma_fence_signaled")):
            name = event["fields"].get("ctx"), event["fields"].get("seqno")
            model.event(event["ts_ns"], event["event"].split(":")[1], name, ring_of(event))
    return model.told


# --- calls ----------------------------------------------------------------------------------------

CPU_KINDS = ("irq", "softirq", "running")
NAMED = ("syscall", "function", "api")
PAIRS = {"func": "function", "api": "api"}


def pair_side(name, paired):
    """The same of an entry or a return; both are recorded of those in `paired`."""
    scope, module, function, *ret = name.split(":")
    if ret or name in paired:
        return PAIRS[scope], (module, function), "exit" if ret else "enter"
    return None


def call_side(event, paired=frozenset()):
    """(kind, name, side) of an event that begins or ends a call, else None."""
    name = event.get("event", "")
    fields = event.get("fields", {})
    if name.split(":")[0] in PAIRS:
        return pair_side(name, paired)
    for side in ("enter", "exit"):
        if name.startswith(f"syscalls:sys_{side}_"):
            return "syscall", name.split(f"sys_{side}_")[1], side
    table = {
        "dma_fence:dma_fence_wait_start": ("wait", "fence wait", "enter"),
        "dma_fence:dma_fence_wait_end": ("wait", "fence wait", "exit"),
        "irq:irq_handler_entry": ("irq", fields.get("name") or "", "enter"),
        "irq:irq_handler_exit": ("irq", "irq", "exit"),
        "irq:softirq_entry": ("softirq", str(fields.get("vec")), "enter"),
        "irq:softirq_exit": ("softirq", str(fields.get("vec")), "exit"),
    }
    return table.get(name)


class Calls:
    """Pairs begin and end as docs/tables.md says; each call is (kind, name, begin, end, tid, cpu, depth)."""

    def __init__(self, paired):
        self.stacks, self.running, self.found, self.paired = {}, {}, [], paired

    def close(self, stack, to, end=None):
        """Close what is above `to` in the stack without an end, and that with it."""
        while len(stack) > to:
            call = stack.pop()
            self.found.append((*call[:3], end if len(stack) == to else None, *call[3:], len(stack)))

    def switch(self, e):
        cpu, fields = e["cpu"], e["fields"]
        if cpu in self.running:
            name, begin, tid = self.running.pop(cpu)
            self.found.append(("running", name, begin, e["ts_ns"] if tid == fields["prev_pid"] else None, tid, cpu, 0))
        if fields["next_pid"]:
            self.running[cpu] = (fields.get("next_comm") or "", e["ts_ns"], fields["next_pid"])

    def event(self, e):
        if e.get("event") == "sched:sched_switch":
            self.switch(e)
            return
        kind, name, side = call_side(e, self.paired)
        context = e["fields"].get("context", 0) if kind in PAIRS.values() else 0
        in_interrupt = (context["value"] if isinstance(context, dict) else context) in (1, 2, 3)
        owner = ("cpu", e["cpu"]) if kind in CPU_KINDS or in_interrupt else ("tid", e["tid"])
        stack = self.stacks.setdefault(owner, [])
        same = [i for i, c in enumerate(stack) if c[0] == kind and (kind not in NAMED or side == "enter" or c[1] == name)]
        if side == "enter":
            if kind == "syscall" and same:
                self.close(stack, same[-1])
            stack.append((kind, name, e["ts_ns"], e["tid"], e["cpu"]))
        elif same:
            self.close(stack, same[-1] + 1)
            self.close(stack, same[-1], e["ts_ns"])
        else:
            self.found.append((kind, name, None, e["ts_ns"], e["tid"], e["cpu"], 0))


def paired(section):
    """Names of functions and API calls of which there are entries and returns."""
    names = {e.get("event", "") for e in section.events()}
    return {n for n in names if f"{n}:ret" in names}


def calls(section):
    """All calls; the name of a function or API call is (module, function)."""
    model = Calls(paired(section))
    for event in section.events():
        if event.get("event") == "sched:sched_switch" or call_side(event, model.paired):
            model.event(event)
    for stack in model.stacks.values():
        model.close(stack, 0)
    for cpu, (name, begin, tid) in model.running.items():
        model.found.append(("running", name, begin, None, tid, cpu, 0))
    return model.found


def title(kind, name):
    """What a call is called on a timeline."""
    return name[1] if isinstance(name, tuple) else name or kind


def is_mark(event, pairs):
    """An event of no built-in type that is no part of a call."""
    name = event.get("event", "")
    return (not name.startswith(("gpu_scheduler:", "dma_fence:")) and name != "sched:sched_switch"
            and name and not call_side(event, pairs))
