# SPDX-License-Identifier: BSD-2-Clause
"""Chrome trace JSON, read as a viewer reads it: by Python's json, times as decimal numbers."""

import decimal
import json

import source

JOB_FIELDS = ("device", "ring", "pid", "comm", "queue_ns", "run_ns", "done_ns", "residence_ns", "exec_ns", "start_ns",
              "deps", "quality", "flags", "error")
MORE_FIELDS = ("tid", "client", "kind")
LONG_MS = 104 * 86400 * 1000  # so long a double of microseconds holds every ns


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def load(data):
    return json.loads(data.decode("utf-8"), parse_float=decimal.Decimal, parse_constant=no_constant)


def ns(value):
    """ns of a time in microseconds; a fault if there is more behind the point, or a double would lose some."""
    exact = decimal.Decimal(value) * 1000
    assert exact == int(exact), f"{value} us are no whole ns"
    assert round(float(value) * 1000) == exact, f"{value} us do not fit into a double"
    return int(exact)


class Trace:
    def __init__(self, data):
        self.doc = load(data)
        self.meta = self.doc["metadata"]
        self.events = self.doc["traceEvents"]
        self.process, self.thread = {}, {}
        for e in self.events:
            if e["ph"] == "M" and e["name"] == "process_name":
                self.process[e["pid"]] = e["args"]
            if e["ph"] == "M" and e["name"] == "thread_name":
                self.thread[e["pid"], e["tid"]] = e["args"]
        for e in self.events:
            if e["ph"] != "M":
                e["ts"] = ns(e["ts"])
                e["dur"] = ns(e.get("dur", 0))

    def of(self, phases, cat=None):
        return [e for e in self.events if e["ph"] in phases and (cat is None or e.get("cat") == cat)]

    def jobs(self):
        """Events of jobs: on the tracks of rings, in order of the file."""
        return [e for e in self.of("Xi") if "ring" in self.thread.get((e["pid"], e["tid"]), {})
                and e.get("cat", "job") == "job"]


def fence(text):
    context, _, seqno = text.partition(":")
    return int(context), int(seqno)


def decode_job(trace, event, base):
    """One job as xtr jobs has it; its times are on the event clock, which is `base` at the axis' zero."""
    args, track = event["args"], trace.thread[event["pid"], event["tid"]]
    context, seqno = fence(args["job"])
    ring = track["ring"].removesuffix(f"#{track['ring_id']}")
    job = {
        "context": context, "seqno": seqno, "device": trace.process[event["pid"]]["device"],
        "ring": "" if ring == "(unknown ring)" else ring, "ring_id": track["ring_id"],
        "pid": args.get("pid"), "tid": args.get("tid"), "client": args.get("client"),
        "comm": event["name"], "error": args.get("error", 0),
        "quality": args.get("quality", "bounded" if isinstance(args.get("exec_ns"), list) else track["quality"]),
        "kind": args.get("kind", track["kind"]),
        "flags": args["flags"].split("|") if "flags" in args else [],
        "deps": sorted(fence(d.removesuffix(" run")) for d in args.get("deps", [])),
    }
    ts = event["ts"] + base
    if event["ph"] == "X":
        job["run_ns"], job["done_ns"], job["residence_ns"] = ts, ts + event["dur"], event["dur"]
        exec_ns = args.get("exec_ns", event["dur"])
        if isinstance(exec_ns, list):
            job["exec_min_ns"], job["exec_max_ns"] = (exec_ns + [event["dur"]])[:2]
            if "hw_wait_ns" in args:
                job["start_ns"] = ts + args["hw_wait_ns"]
        else:
            job["exec_min_ns"] = job["exec_max_ns"] = job["exec_ns"] = exec_ns
            job["start_ns"] = ts + event["dur"] - exec_ns
    else:
        if args["at"] in ("queue", "run", "done"):
            job[args["at"] + "_ns"] = ts
        for time in ("queue_ns", "run_ns", "done_ns"):
            if time in args:
                job[time] = ts + args[time]
    return job


def expected(job):
    """A job as this format can tell it."""
    return {**job, "comm": job.get("comm") or "job", "deps": source.dependencies(job), "error": job.get("error", 0)}


def check_nesting(checks, what, trace):
    """On each track slices lie one in another or apart; those of jobs are apart."""
    tracks = {}
    for i, e in enumerate(trace.of("X")):
        tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], i, e))
    crossing, shared = [], []
    for place, found in tracks.items():
        stack = []
        for ts, minus, _, e in sorted(found, key=lambda f: f[:3]):
            while stack and stack[-1] <= ts:
                stack.pop()
            if stack and ts - minus > stack[-1]:
                crossing.append((place, ts, e["name"], -minus))
            if stack and "ring" in trace.thread[place] and e.get("cat") not in ("dependency",):
                shared.append((place, ts, e["name"]))
            stack.append(ts - minus)
    checks.check(not crossing, f"{what}: slices of a track nest", f"{len(crossing)}, e.g. {crossing[:2]}")
    checks.check(not shared, f"{what}: jobs of a track do not overlap", f"{len(shared)}, e.g. {shared[:2]}")


def check_form(checks, what, trace):
    events = trace.events
    checks.check(all(isinstance(e["pid"], int) and isinstance(e["tid"], int) and 0 <= e["pid"] < 1 << 31
                     and 0 <= e["tid"] < 1 << 31 for e in events), f"{what}: numbers of processes and threads")
    timed = [e["ts"] for e in events if e["ph"] != "M"]
    checks.check(not timed or min(timed) >= 0, f"{what}: times begin at 0 or later", min(timed, default=0))
    used = {(e["pid"], e["tid"]) for e in trace.of("Xisf")}
    checks.check(used <= set(trace.thread), f"{what}: every track has a name", list(used - set(trace.thread))[:3])
    pids = {e["pid"] for e in events if e["ph"] != "M"}
    checks.check(pids <= set(trace.process), f"{what}: every process has a name", list(pids - set(trace.process))[:3])
    check_nesting(checks, what, trace)


def check_flows(checks, what, trace, jobs):
    """An arrow leads from the moment a job was submitted, on its thread, to the job's slice."""
    slices = {}
    for e in trace.of("X"):
        if "job" in e.get("args", {}):
            slices.setdefault((e["pid"], e["tid"], e["ts"]), []).append(e)
    begun = {e["id"]: e for e in trace.of("s")}
    ended = {e["id"]: e for e in trace.of("f")}
    checks.check(set(begun) == set(ended) and len(begun) == len(trace.of("s")) == len(trace.of("f")),
                 f"{what}: arrows have one begin and one end")
    pairs = []
    for i, s in begun.items():
        origins = [e["args"]["job"] for e in slices.get((s["pid"], s["tid"], s["ts"]), []) if e["cat"] == "submit"]
        f = ended[i]
        targets = [e["args"]["job"] for e in slices.get((f["pid"], f["tid"], f["ts"]), []) if e["cat"] == "job"]
        common = [j for j in origins if j in targets]
        pairs.append(fence(common[0]) if common else None)
        if f.get("bp") != "e" or f["ts"] < s["ts"]:
            pairs[-1] = None
    want = sorted(source.key(j) for j in jobs if "queue_ns" in j and "residence_ns" in j)
    checks.same(f"{what}: arrows from submission to job", sorted(pairs, key=str), sorted(want, key=str))
    wrong = [e for e in trace.of("X", "submit") if e["pid"] < 1 << 22 and e["tid"] >= 1 << 22]
    checks.check(not wrong, f"{what}: submissions are on threads", wrong[:2])


def check_counters(checks, what, trace, section, base):
    seen = [(e["ts"] + base, trace.process[e["pid"]]["device"], e["name"].removesuffix(" jobs"),
             e["args"]["queued"], e["args"]["on hardware"]) for e in trace.of("C", "depth")]
    labels = section.labels()
    want = [(ts, *labels(ring, "(unknown ring)"), queued, hw) for ts, ring, queued, hw in source.depths(section)]
    checks.same(f"{what}: depth of queues", sorted(seen), sorted(want))
    pairs = source.paired(section)
    marks = [e for e in section.events() if source.is_mark(e, pairs)]
    counters = sum(e["event"] in ("gpu_mem:gpu_mem_total", "power:gpu_frequency") for e in marks)
    checks.same(f"{what}: number of counter values", len(trace.of("C", "counter")), counters)
    memory = [(e["ts"] + base, e["args"]["bytes"]) for e in trace.of("C", "counter") if "bytes" in e["args"]]
    want = [(e["ts_ns"], e["fields"]["size"]) for e in marks if e["event"] == "gpu_mem:gpu_mem_total"]
    checks.same(f"{what}: memory", sorted(memory), sorted(want))
    moments = sorted((e["ts"] + base, e["name"]) for cat in ("event", "vblank") for e in trace.of("i", cat))
    want = sorted((e["ts_ns"], e["event"].split(":", 1)[1]) for e in marks
                  if e["event"] not in ("gpu_mem:gpu_mem_total", "power:gpu_frequency"))
    checks.same(f"{what}: other events", moments, want)


def check_calls(checks, what, trace, section, base):
    seen = []
    for kind in ("syscall", "wait", "irq", "softirq", "running", "function", "api"):
        for e in trace.of("Xi", kind):
            begin = None if e["args"].get("begin") == "not recorded" else e["ts"] + base
            end = None if e["args"].get("end") == "not recorded" else e["ts"] + e["dur"] + base
            seen.append((kind, e["name"], begin, end))
    want = [(kind, source.title(kind, name), begin, end) for kind, name, begin, end, *_ in source.calls(section)]
    checks.same(f"{what}: calls", sorted(seen, key=str), sorted(want, key=str))


def check_sums(checks, what, seen, section, *options):
    for value in ("residence_ns", "exec_ns"):
        checks.same(f"{what}: sums of {value} per ring", source.sums(seen, value),
                    source.stats_sums(section, value, *options))


def bases(trace, wants):
    """The event clock at the axis' zero, for each section: the jobs of a section come before those of the next."""
    events, found = trace.jobs(), []
    for jobs in wants:
        mine, events = events[:len(jobs)], events[len(jobs):]
        base, times = 0, {}
        for job in jobs:
            times.setdefault(source.key(job), []).append(job)
        for e in mine:
            same = times.get(fence(e["args"]["job"]), [])
            if e["ph"] == "X" and len(same) == 1 and "run_ns" in same[0]:
                base = same[0]["run_ns"] - e["ts"]
                break
        found.append((mine, base))
    return found, events


def check(checks, src, *options):
    """Everything of one export."""
    what = " ".join([f"{src.name} chrome", *options])
    jobs_only = "--jobs-only" in options
    trace = Trace(source.run("export", "-q", "-f", "chrome", "-o", "-", *options, src.path))
    check_form(checks, what, trace)
    wants = src.jobs()
    parts, rest = bases(trace, wants)
    checks.check(not rest, f"{what}: no job is added", len(rest))
    for (mine, base), want, section in zip(parts, wants, src.sections):
        fields = JOB_FIELDS + (() if jobs_only else MORE_FIELDS)
        if len(src.sections) == 1:
            base = int(trace.meta["start_ns"])
            fields += ("ring_id",)
        if jobs_only:
            fields = tuple(f for f in fields if f != "queue_ns")
        seen = [decode_job(trace, e, base) for e in mine]
        queued = {}
        if not jobs_only:
            for e in trace.of("X", "queue"):
                queued.setdefault(fence(e["args"]["job"]), []).append(e)
            for job in seen:
                same = [e for e in queued.get(source.key(job), []) if e["ts"] + e["dur"] + base == job.get("run_ns")]
                if same:
                    job["queue_ns"] = same[0]["ts"] + base
        source.compare_jobs(checks, what, seen, [expected(j) for j in want], fields)
        if len(src.sections) == 1:
            check_sums(checks, what, seen, section)
            if not jobs_only:
                check_flows(checks, what, trace, want)
                check_counters(checks, what, trace, section, base)
                check_calls(checks, what, trace, section, base)
    gaps = sorted((e["ts"], e["ts"] + e["dur"]) for e in trace.of("X", "lost"))
    if len(src.sections) == 1:
        checks.same(f"{what}: stretches of lost events", [(a + base, b + base) for a, b in gaps],
                    sorted((max(a, base), max(b, base)) for a, b in src.sections[0].gaps()))  # the axis begins with the first event


def selected(path, *options):
    trace = Trace(source.run("export", "-q", "-f", "chrome", "-o", "-", *options, path))
    return [fence(e["args"]["job"]) for e in trace.jobs()]
