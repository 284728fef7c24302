# SPDX-License-Identifier: BSD-2-Clause
"""trace.dat: what is imported is what was written into it, whatever the file looks like."""

import json
import os
import subprocess

import load
from harness import Skip, XTR, config, equal, events, expect, import_file, info, jobs, put, test, xtr
from tracedat import EVENTS, File, Lost, Shape

SHAPES = [Shape(6), Shape(6, big=True), Shape(6, long_size=4), Shape(6, big=True, long_size=4), Shape(6, page=65536),
          Shape(7), Shape(7, codec="zlib"), Shape(7, codec="zstd"), Shape(7, big=True, codec="zlib"),
          Shape(7, long_size=4, codec="zstd"), Shape(7, page=16384), Shape(6, ancient=True),
          Shape(6, big=True, long_size=4, ancient=True)]


def built_with(codec):
    return codec == "none" or f"{codec} in trace.dat" in xtr("--version").out.split("left out")[0]


def by_cpu(shape, told, cpus=4):
    out = {cpu: [] for cpu in range(cpus)}
    for ts, cpu, tid, name, values in told:
        out[cpu].append((ts, EVENTS[name].record(shape, tid, values)))
    return out


def make(shape, old, n=200, **options):
    made = load.make(n, long_size=shape.long_size)
    return made, File(shape, by_cpu(shape, load.told(made, old)), comms=load.comms(), **options)


def truth(made):
    return sorted((j.ring, j.queue, j.run, j.done, j.tid, load.comm_of(j.tid)) for j in made)


def seen(found):
    return sorted((j["ring"], j["queue_ns"], j["run_ns"], j["done_ns"], j["tid"], j["comm"]) for j in found)


def compare(path, made, old):
    found = jobs(path)
    equal(seen(found), truth(made), "ring, times and submitter of each job")
    expect(not any("pid" in j for j in found), "nobody told the processes: none is claimed")
    if old:
        expect(all("key-inferred" in j["flags"] and "client" not in j and j["device"] == "" for j in found),
               "keys are made up, and said to be; device and client are not known")
        equal(len({(j["context"], j["seqno"]) for j in found}), len(made), "no key names two jobs")
        equal(config(path)["job-keys"], "inferred", "META says so")
        return
    equal(sorted((j["context"], j["seqno"], j["device"], j["client"], j["queue_ns"]) for j in found),
          sorted((j.ctx, j.seqno, j.dev, j.tid - 990, j.queue) for j in made), "key, device and client of each job")
    expect(not any("key-inferred" in j["flags"] for j in found), "keys are the kernel's")


def check_dependencies(path, made):
    waits = sorted((j["queue_ns"], d["until_ns"]) for j in jobs(path) for d in j.get("deps", []))
    equal(waits, sorted((j.queue, j.dep.done) for j in made if j.dep), "each wait ends when its dependency is done")


@test
def every_shape_of_a_file_gives_the_same_jobs(folder):
    left = set()
    for shape in SHAPES:
        if not built_with(shape.codec):
            left.add(shape.codec)
            continue
        for old in (False, True):
            made, file = make(shape, old)
            path, outcome = import_file(folder, file.bytes(), name=f"{shape}-{old}")
            expect("LOST" not in outcome.err, f"{shape}: nothing is lost", outcome)
            try:
                compare(path, made, old)
                check_dependencies(path, made)
            except AssertionError as error:
                raise AssertionError(f"{shape}, {'old' if old else 'new'} names: {error}") from error
    if left:
        raise Skip(f"built without {', '.join(sorted(left))}")


@test
def a_codec_that_is_not_built_in_or_not_known_is_named(folder):
    data = bytearray(make(Shape(7), False, 5)[1].bytes())
    at = data.index(b"none\0")
    data[at:at + 4] = b"lzip"
    outcome = xtr("import", "-o", os.path.join(folder, "x.xtr"), put(folder, "a.dat", bytes(data)))
    expect(outcome.status == 1 and "compressed with 'lzip', which is not known" in outcome.err, "one line", outcome)


@test
def facts_of_the_file_are_kept(folder):
    path, _ = import_file(folder, make(Shape(6), True, 20, clock="local")[1].bytes(), name="my.dat")
    section = info(path)["sections"][0]
    equal(section["clock"], "local", "the trace's clock is the event clock")
    equal([section["system"]["hostname"], section["system"]["cpus"]], ["testhost", 4], "host and CPUs")
    equal(info(path)["kernel"], "6.6.6-test", "kernel")
    equal({k: v for k, v in section["config"].items() if k != "import-version"},
          {"import-format": "tracedat", "import-source": "my.dat", "import-tool": "trace-cmd 9.9 test",
           "job-keys": "inferred"}, "config")
    text = xtr("info", path).out
    expect("cannot be compared with other clocks" in text, "xtr info says what the clock is worth", text)
    expect("00000000-0000" not in text, "a boot that is not known is not shown", text)
    path, _ = import_file(folder, make(Shape(7), False, 20, clock="boot")[1].bytes(), name="b.dat")
    equal(info(path)["clock"], "boottime", "a clock that xtr knows has xtr's name")


@test
def time_stamps_are_turned_into_what_they_stand_for(folder):
    for shape in (Shape(6), Shape(7, big=True)):
        cpus = {0: [(1_000_000, EVENTS["softirq_entry"].record(shape, 0, {"vec": 1}))]}
        later, _ = import_file(folder, File(shape, cpus, extra_options=[(7, b"2500\0")]).bytes())
        equal(events(later)[0]["ts_ns"], 1_002_500, "the offset that the user gave to trace-cmd")
        equal(config(later)["import-time-offset"], "2500 ns", "and META tells")
        scale = shape.u(4, 3) + shape.u(4, 1) + shape.u(8, 77)
        cycles, _ = import_file(folder, File(shape, cpus, clock="x86-tsc", extra_options=[(14, scale)]).bytes())
        equal(events(cycles)[0]["ts_ns"], 1_500_077, "cycles become ns")
        equal(info(cycles)["clock"], "tsc2nsec", "the clock has a name of its own")


@test
def losses_are_told_with_their_place_and_size(folder):
    for shape in (Shape(6), Shape(6, big=True, long_size=4), Shape(7)):
        made = load.make(100, long_size=shape.long_size)
        told = load.told(made, False)
        cpus = by_cpu(shape, told)
        third = len(cpus[2]) // 3
        before, behind = cpus[2][third - 1][0], cpus[2][third][0]
        cpus[2] = cpus[2][:third] + [Lost(41)] + cpus[2][third:2 * third] + [Lost(None)] + cpus[2][2 * third:]
        path, outcome = import_file(folder, File(shape, cpus).bytes(), status=3, name=str(shape))
        expect("LOST at least 42 events" in outcome.err, "41 and one more at least", outcome)
        equal(config(path)["import-lost-unsure"], 1, "one loss is of unknown size")
        stats = xtr("stats", "--all", path)
        expect(stats.status == 3 and "at least 42" in stats.out.splitlines()[1], "stats says it first", stats)
        gaps = xtr("dump", "--json", path).out
        expect(f'"cpu":2,"first_ns":{before},' in gaps.replace(" ", ""), "the gap begins at the event before", gaps[:0])
        loss = [line for line in gaps.splitlines() if '"lost"' in line or '"gap"' in line]
        expect(any(str(before) in line and "41" in line for line in loss) and behind > before, "gap of 41", loss)


@test
def what_the_kernel_counted_but_no_page_tells_is_lost_too(folder):
    stats = [(0, "entries: 0\noverrun: 7\ncommit overrun: 0\nbytes: 0\ndropped events: 5\nread events: 10\n"),
             (1, "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\ndropped events: 0\nread events: 10\n")]
    shape = Shape(6)
    cpus = by_cpu(shape, load.told(load.make(50), True))
    cpus[0] = cpus[0][:5] + [Lost(7)] + cpus[0][5:]
    path, outcome = import_file(folder, File(shape, cpus, stats=stats).bytes(), status=3)
    expect("LOST 12 events" in outcome.err, "7 overwritten (which a page tells too), 5 dropped", outcome)
    expect(info(path)["lost"] == 12, "in the file too")
    cpus[0] = [Lost(None) if isinstance(e, Lost) else e for e in cpus[0]]
    path, outcome = import_file(folder, File(shape, cpus, stats=stats).bytes(), status=3)
    expect("LOST at least 12 events" in outcome.err, "what a page told without a number is one of the 7", outcome)


@test
def what_is_missing_before_a_cpu_begins_is_a_loss(folder):
    shape = Shape(6)
    cpus = by_cpu(shape, load.told(load.make(100), False))
    first = min(events[0][0] for events in cpus.values())
    late = max(cpus, key=lambda cpu: cpus[cpu][0][0])
    cpus[late] = cpus[late][len(cpus[late]) // 2:]
    begins = cpus[late][0][0]

    def gaps(data, *options):
        path, outcome = import_file(folder, data, status=3)
        lines = [json.loads(line) for line in xtr("dump", "--json", path).out.splitlines() if '"lost"' in line]
        return [(g["cpu"], g["first_ns"], g["last_ns"]) for g in lines if "first_ns" in g], outcome

    # A tracer that keeps the newest pages alone has read more of this CPU than it wrote.
    read = [(cpu, "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n"
             f"read events: {len(cpus[cpu]) + (1000 if cpu == late else 0)}\n") for cpu in cpus]
    found, outcome = gaps(File(shape, cpus, stats=read).bytes())
    equal(found, [(late, first, begins)], "from the trace's begin to that CPU's first event")
    expect("at least 1 event" in outcome.err, "nobody knows how many of the 1,000", outcome)
    even = [(cpu, text.replace(str(len(cpus[cpu]) + 1000), str(len(cpus[cpu])))) for cpu, text in read]
    import_file(folder, File(shape, cpus, stats=even).bytes())  # all that was read is there
    # A page that says so: the events before it are missing, wherever the trace begins.
    cut = dict(cpus)
    cut[late] = [Lost(41)] + cut[late]
    found, outcome = gaps(File(shape, cut).bytes())
    equal(found, [(late, first, begins)], "before the first page")
    expect("LOST 41 events" in outcome.err, "41", outcome)
    # Gaps are on the clock of the events: trace-cmd record --ts-offset.
    offset = 5_000_000_000
    found, _ = gaps(File(shape, cut, extra_options=[(7, str(offset).encode() + b"\0")]).bytes())
    equal(found, [(late, first + offset, begins + offset)], "moved with the events")


@test
def fields_become_what_a_recording_would_have(folder):
    values = {"a": 200, "b": -3, "c": 60000, "d": -300, "e": 0xdeadbeef, "f": -5, "g": 2**63 + 1, "h": -2**40,
              "p": 0x12345678, "s": 0x81000010, "t": "a text", "r": "relative", "raw": b"\x01\x02\xff",
              "mac": b"\x0a\x0b\x0c\x0d\x0e\x0f"}
    for shape in (Shape(6), Shape(6, big=True), Shape(6, long_size=4)):
        event = EVENTS["everything"]
        cpus = {0: [(1000, event.record(shape, 7, values)),
                    (2000, EVENTS["softirq_entry"].record(shape, 0, {"vec": 3})),
                    (3000, EVENTS["print"].record(shape, 7, {"ip": 1, "buf": "frame 1 begins\n"}))]}
        path, _ = import_file(folder, File(shape, cpus, printk=[(0x81000010, "pointed at")]).bytes(), "--keep-pointers")
        everything, softirq, mark = events(path)
        have = everything["fields"]
        want = {"a": 200, "b": -3, "c": 60000, "d": -300, "e": 0xdeadbeef, "f": -5, "g": 2**63 + 1, "h": -2**40,
                "p": 0x12345678, "t": "a text", "r": "relative", "raw": "0102ff", "mac": "0a0b0c0d0e0f"}
        want["s"] = "pointed at" if shape.long_size == 8 else 0x81000010
        for key, value in want.items():
            got = have[key]
            if isinstance(value, int) and isinstance(got, str):
                got = int(got, 16) if got.startswith("0x") else int(got)
            equal(got, value, f"{shape}: field {key}")
        equal(everything["event"], "demo:everything", "name")
        equal(softirq["fields"]["vec"], {"value": 3, "name": "NET_RX"}, "names of values")
        equal(mark["fields"]["buf"], "frame 1 begins", "a marker's text, without the line's end")
    hashed, _ = import_file(folder, File(Shape(6), {0: [(1, EVENTS["everything"].record(Shape(6), 7, values))]}).bytes())
    expect(str(events(hashed)[0]["fields"]["p"]) not in ("0x12345678", str(0x12345678)), "addresses are hashed")


@test
def threads_have_the_processes_that_the_trace_tells(folder):
    shape = Shape(6)
    switch, new = EVENTS["sched_switch"], EVENTS["task_newtask"]
    told = load.told(load.make(30), False)
    tid = told[0][2]
    cpus = by_cpu(shape, told)
    first = min(e[0][0] for e in cpus.values() if e)
    cpus[0] = [(first - 3000, new.record(shape, 1, {"pid": 500, "comm": "parent", "clone_flags": 0})),
               (first - 2000, new.record(shape, 500, {"pid": tid, "comm": "worker", "clone_flags": 0x10000})),
               (first - 1000, switch.record(shape, 500, {"prev_comm": "parent", "prev_pid": 500, "next_comm": "renamed",
                                                         "next_pid": tid}))] + cpus[0]
    path, _ = import_file(folder, File(shape, cpus).bytes())
    found = [j for j in jobs(path) if j["tid"] == tid]
    expect(found and all(j["pid"] == 500 and j["comm"] == "renamed" for j in found),
           "a thread of the process that made it, named by the switch to it", found[:2])


def rings_of(found, made):
    """Pairs of (device, ring) as it was and the ring's number in the file."""
    real = {j.queue: (j.dev, j.ring) for j in made}
    return {(real[j["queue_ns"]], j["ring_id"]) for j in found}


@test
def threads_of_schedulers_tell_rings_of_one_name_apart(folder):
    shape = Shape(6)
    made = load.make(300, same_ids=True)
    comms = load.comms() + [(200 + i, ring) for i, (_, ring) in enumerate(load.RINGS)]
    path, _ = import_file(folder, File(shape, by_cpu(shape, load.told(made, True, threads=True)), comms=comms).bytes())
    found = jobs(path)
    equal(seen(found), truth(made), "the same numbers on both devices: jobs are kept apart")
    check_dependencies(path, made)
    equal(len(rings_of(found, made)), 4, "one ring of the file for each ring")
    expect("import-shared-rings" not in config(path), "no ring is shared")


@test
def rings_of_one_name_that_cannot_be_told_apart_are_said_to_be(folder):
    shape = Shape(6)
    made = load.make(300, same_ids=True)
    path, _ = import_file(folder, File(shape, by_cpu(shape, load.told(made, True)), comms=load.comms()).bytes())
    equal(seen(jobs(path)), truth(made), "jobs are kept apart")
    equal(sorted(config(path)["import-shared-rings"].split(",")), ["gfx_0.0.0", "sdma0"], "the rings are named")
    expect(all(j["quality"] == "bounded" for j in jobs(path)), "no start is inferred from another device's jobs")
    waits = {j["queue_ns"]: {d["until_ns"] for d in j.get("deps", [])} for j in jobs(path)}
    for j in made:
        expect(waits[j.queue] <= ({j.dep.done} if j.dep else set()), "a wait that is told is a right one", waits[j.queue])
    kept = [e for e in events(path, "-e", "*wait_dep") if e["type"] >= 1024]
    expect(kept, "waits that could be of two jobs are kept as they are")


@test
def buffers_of_instances_are_merged(folder):
    for shape in (Shape(6), Shape(7), Shape(7, codec="zlib")):
        if not built_with(shape.codec):
            raise Skip(f"built without {shape.codec}")
        made = load.make(80)
        told = load.told(made, True)
        # One half of the tracepoints in each buffer: pairing needs the order of time over both.
        top, other = [], []
        for e in told:
            (top if e[3] in ("drm_run_job", "drm_sched_process_job") else other).append(e)
        file = File(shape, by_cpu(shape, top), comms=load.comms(), instances=[("second", by_cpu(shape, other))])
        path, _ = import_file(folder, file.bytes(), name=str(shape))
        compare(path, made, True)


@test
def a_file_that_is_cut_off_gives_what_is_left(folder):
    made, file = make(Shape(6), False, 400)
    data = file.bytes()
    path, outcome = import_file(folder, data[:len(data) - 9000], status=3)
    expect("cut off" in outcome.err and "LOST at least" in outcome.err, "one line says so", outcome)
    found = jobs(path)
    expect(0 < len(found) <= len(made), "jobs of the rest are there", len(found))
    outcome = xtr("import", "-o", os.path.join(folder, "y.xtr"), put(folder, "h.dat", data[:900]))
    expect(outcome.status == 1 and outcome.err.count("\n") == 1, "descriptions cut off: one line", outcome)
    expect(not os.path.exists(os.path.join(folder, "y.xtr")), "and no file", outcome)
    expect(not os.path.exists(os.path.join(folder, "y.xtr.part")), "nor a part of one", outcome)


@test
def damage_inside_costs_a_page_not_the_file(folder):
    shape = Shape(6)
    made, file = make(shape, False, 400)
    data = bytearray(file.bytes())
    whole = len(jobs(import_file(folder, bytes(data), name="whole")[0]))
    at = len(data) - shape.page
    data[at + 16:at + 20] = b"\x00" * 4  # an event of length 0 that says nothing of its own
    data[at + 20:at + 24] = b"\x01\0\0\0"
    path, outcome = import_file(folder, bytes(data), status=3)
    expect("an event's length is wrong at byte" in outcome.err, "one line", outcome)
    found = len(jobs(path))
    expect(whole // 2 < found <= whole, "most jobs are there", (found, whole))
    data[at + 8:at + 12] = b"\xff\xff\x00\x00"
    _, outcome = import_file(folder, bytes(data), status=3)
    expect("a page's header is wrong" in outcome.err, "one line", outcome)


@test
def an_event_without_description_is_kept(folder):
    shape = Shape(6)
    cpus = {0: [(1000, EVENTS["softirq_entry"].record(shape, 5, {"vec": 0x01020304}))]}
    path, outcome = import_file(folder, File(shape, cpus, used=[EVENTS["sched_switch"]]).bytes(), status=3)
    expect("event 155 is not described" in outcome.err, "one line", outcome)
    equal(events(path)[0]["fields"]["data"], "04030201", "its bytes are there")


@test
def events_of_unknown_scheduler_records_are_kept(folder):
    shape = Shape(6)
    lone = [(1000, EVENTS["drm_sched_job_wait_dep"].record(shape, 5, {"name": "gfx", "id": 9, "fence": 64, "ctx": 1})),
            (2000, EVENTS["drm_sched_process_job"].record(shape, 5, {"fence": 4096})),
            (3000, EVENTS["drm_sched_process_job"].record(shape, 5, {"fence": 4096}))]
    path, _ = import_file(folder, File(shape, {0: lone}).bytes())
    kept = events(path)
    equal(kept[0]["event"], "gpu_scheduler:drm_sched_job_wait_dep", "a wait of a job that is not in the trace")
    expect(kept[0]["type"] >= 1024 and kept[0]["fields"]["id"] == 9, "with its own fields", kept[0])
    found = jobs(path)
    equal(sorted(j["done_ns"] for j in found), [2000, 3000], "completions of jobs that began before")
    expect(all("no-queue" in j["flags"] and j["quality"] == "open" for j in found), "they are open", found)


@test
def what_is_refused_is_refused_in_one_line(folder):
    good = make(Shape(6), False, 5)[1].bytes()
    latency = good[:good.index(b"flyrecord\0")] + b"latency  \0text"
    cases = [(b"", "not a trace"), (b"hello\n", "not a trace"), (good[:10], "not a trace"),
             (good.replace(b"tracing6", b"tracing9", 1), "version '9'"), (latency, "latency"),
             (good[:12] + b"\0\5" + good[14:], "not a trace.dat")]
    for data, words in cases:
        outcome = xtr("import", "-f", "tracedat", "-o", os.path.join(folder, "z.xtr"), put(folder, "b.dat", data))
        expect(outcome.status == 1 and words in outcome.err and outcome.err.count("xtr:") <= 2, words, outcome)
    outcome = xtr("import", "-f", "nothing", put(folder, "g.dat", good))
    expect(outcome.status == 2 and "tracedat" in outcome.err, "the formats are named", outcome)


@test
def output_goes_where_it_was_said(folder):
    data = make(Shape(6), False, 20)[1].bytes()
    put(folder, "run.dat", data)
    outcome = xtr("import", "run.dat", cwd=folder, pipe=False)
    expect(outcome.status == 0 and os.path.exists(os.path.join(folder, "run.xtr")), "beside by name", outcome)
    outcome = xtr("import", "run.dat", cwd=folder, pipe=False)
    expect(outcome.status == 1 and "exists" in outcome.err, "not over an existing file", outcome)
    expect(xtr("import", "--force", "run.dat", cwd=folder, pipe=False).status == 0, "but with --force")
    piped = xtr("import", "run.dat", cwd=folder, raw=True)
    expect(piped.status == 0 and piped.out.startswith(b"\x89XTR"), "without a name into the pipe", piped.err)
    piped = xtr("import", "-o", "-", "-", data=data, raw=True)
    expect(piped.status == 0 and piped.out.startswith(b"\x89XTR"), "from a pipe into a pipe", piped.err)
    put(folder, "piped.xtr", piped.out)
    equal(len(jobs(os.path.join(folder, "piped.xtr"))), 20, "the same jobs")
    full = subprocess.run([XTR, "import", "-o", "/dev/full", "run.dat"], cwd=folder, capture_output=True, check=False)
    expect(full.returncode == 1 and len(full.stderr.splitlines()) <= 2, "a full disk", full.stderr)


@test
def memory_is_bounded(folder):
    made, file = make(Shape(6), True, 30000)
    path = put(folder, "big.dat", file.bytes())
    out = os.path.join(folder, "big.xtr")
    script = f"ulimit -v 262144; exec '{XTR}' import -o {out} {path}"
    if "asan" in XTR:
        script = script.split("; ")[1]
    outcome = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    expect(outcome.returncode == 0, "90,000 events in 256 MiB of address space", outcome.stderr)
    equal(seen(jobs(out)), truth(made), "all jobs")
