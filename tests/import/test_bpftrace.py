# SPDX-License-Identifier: BSD-2-Clause
"""The text of bpftrace scripts: calls in their order, and no times where there are none."""

import collections
import json
import os
import subprocess

import capture
from harness import XTR, config, equal, events, expect, import_file, info, jobs, put, test, xtr

JOBS = """Attaching 6 probes...
tracepoint:gpu_scheduler:drm_sched_job_queue dev=g0, fence=5:1, ring=sdma, job count:1, hw job count:0, client_id:3
tracepoint:gpu_scheduler:drm_sched_job_run dev=g0, fence=5:1, ring=sdma, job count:0, hw job count:1, client_id:3
tracepoint:gpu_scheduler:drm_sched_job_queue dev=g0, fence=7:2, ring=gfx, job count:1, hw job count:1, client_id:3
tracepoint:gpu_scheduler:drm_sched_job_unschedulable fence=7:2 depends on unsignalled fence=5:1
tracepoint:gpu_scheduler:drm_sched_job_done fence=5:1 signaled
tracepoint:gpu_scheduler:drm_sched_job_run dev=g0, fence=7:2, ring=gfx, job count:0, hw job count:1, client_id:3
tracepoint:gpu_scheduler:drm_sched_job_done fence=7:2 signaled
"""


def names(path):
    return [e["event"] for e in events(path)]


def pipe(data, *command):
    """What is imported goes through a pipe into a command."""
    made = xtr("import", "-f", "bpftrace", "-o", "-", "-", data=data, raw=True)
    expect(made.status in (0, 3), "import from a pipe into a pipe", made)
    return xtr(*command, data=made.out)


@test
def the_capture_of_an_npu_keeps_every_call_in_its_order(folder):
    calls = capture.calls()
    equal(len(calls), 8198, "calls of the original")
    path, outcome = import_file(folder, capture.text())
    expect("8,198 events imported (bpftrace); without times" in outcome.err, "said", outcome)
    # One of them has a suffix of the compiler; its exact name stays with the provider.
    source = [name.replace(".isra.0", "") for name in calls]
    equal(names(path), ["func:intel_vpu:" + name for name in source], "names and order")
    equal([e["seq"] for e in events(path)], list(range(1, 8199)), "numbers")
    section = info(path)["sections"][0]
    equal({t["name"]: t["count"] for t in section["event_types"]},
          {"func:intel_vpu:" + n: c for n, c in collections.Counter(source).items()}, "counts")
    targets = {p["name"]: p["target"] for p in section["providers"]}
    equal(targets["func:intel_vpu:ivpu_cmdq_fini"], "ivpu_cmdq_fini.isra.0", "the exact symbol")
    equal([section[k] for k in ("clock", "first_ns", "last_ns", "duration_ns")], ["sequence", None, None, None], "no times")


@test
def imports_go_through_a_pipe_into_every_command(folder):
    data = capture.text()
    text = pipe(data, "stats", "-")
    expect(text.status == 0 and "8,198 events, in order, without times" in text.out, "stats", text)
    stats = json.loads(pipe(data, "stats", "--json", "-").out)["sections"][0]
    counts = {t["name"]: t["count"] for t in stats["events_by_type"]}
    equal([counts["func:intel_vpu:ivpu_" + n] for n in ("mmu_context_map_page", "ipc_irq_handler", "bo_create_ioctl")],
          [4131, 946, 24], "known counts")
    text = pipe(data, "info", "-")
    expect(text.status == 0 and "order only, no times" in text.out and " ns)" not in text.out, "info", text)
    text = pipe(data, "dump", "-")
    expect(text.status == 0 and " #8198: func:intel_vpu:ivpu_pm_prepare_warm_boot:" in text.out, "dump", text)
    expect(text.out.startswith("# no times: #N is "), "the column is headed", text)
    for command in (["check", "-"], ["jobs", "-"], ["export", "-f", "csv", "-t", "events", "-o", "-", "-"],
                    ["cut", "-o", os.path.join(folder, "c.xtr"), "-"], ["query", "-", "SELECT count(*) FROM events"]):
        outcome = pipe(data, *command)
        expect(outcome.status == 0, f"{command[0]} reads from a pipe", outcome)
    expect("8198" in outcome.out, "query counts all", outcome)
    expect(xtr("stats", os.path.join(folder, "c.xtr")).out.count("8,198 events, in order") == 1, "the cut is whole")
    empty = xtr("stats", "-", data=b"")
    expect(empty.status == 1 and "-o -" in empty.err, "an empty pipe has a hint", empty)
    for command in (["stats", "-"], ["import", "-o", "-", "-"]):
        outcome = xtr(*command, data=data, env={"TMPDIR": "/nowhere"})
        expect(outcome.status == 1 and "temporary file in /nowhere" in outcome.err, "where a pipe is kept is said", outcome)


@test
def what_needs_times_refuses(folder):
    path, _ = import_file(folder, capture.text())
    for form in ("perfetto", "chrome"):
        out = os.path.join(folder, "t." + form)
        outcome = xtr("export", "-f", form, "-o", out, path)
        expect(outcome.status == 1 and "no times" in outcome.err and not os.path.exists(out), form, outcome)
    outcome = xtr("dump", "--pace", "1x", path)
    expect(outcome.status == 1 and "--pace needs times" in outcome.err and not outcome.out, "pace", outcome)
    outcome = xtr("dump", "--from", "5ms", path)
    expect(outcome.status == 2 and "number of an event" in outcome.err and not outcome.out, "a time", outcome)


@test
def windows_are_numbers_of_events(folder):
    path, _ = import_file(folder, capture.text())
    equal([e["seq"] for e in events(path, "--from", "100", "--to", "102")], [100, 101, 102], "dump")
    part = os.path.join(folder, "part.xtr")
    expect(xtr("cut", "--from", "4001", "--to", "5000", "-o", part, path).status == 0, "cut")
    equal([e["seq"] for e in events(part)], list(range(4001, 5001)), "cut keeps the numbers")
    equal(events(part), events(path, "--from", "4001", "--to", "5000"), "and the events")
    equal(info(part)["clock"], "sequence", "and the clock")
    stats = json.loads(xtr("stats", "--json", "--from", "8198", path).out)["sections"][0]
    equal([t["count"] for t in stats["events_by_type"]], [1], "stats of the last event")


@test
def jobs_without_times_have_an_order_only(folder):
    path, _ = import_file(folder, JOBS.encode())
    found = jobs(path)
    equal([(j["context"], j["seqno"], j["ring"], j["dep_waits"]) for j in found], [(5, 1, "sdma", 0), (7, 2, "gfx", 1)], "jobs")
    expect(not any(k.endswith("_ns") for j in found for k in j), "no times", found)
    expect(not any(k.endswith("_ns") for j in found for d in j.get("deps", []) for k in d), "nor of waits", found)
    rows = [line.split(",") for line in xtr("jobs", "--csv", path).out.splitlines()]
    times = [i for i, name in enumerate(rows[0]) if name.endswith("_ns")]
    expect(len(times) == 10 and all(row[i] == "" for row in rows[1:] for i in times), "CSV is empty there", rows)
    expect(" #7 " in xtr("jobs", path).out, "text has numbers")
    text = xtr("stats", "--all", path)
    expect(text.status == 0 and "2 jobs on 1 device" in text.out and text.out.count("the trace has no times") == 8, "stats", text)
    for unit in (" ns", " us", " ms", " s ", " %"):
        expect(unit not in text.out.split("\nCalls")[0], f"no '{unit}' in stats", text)
    total = json.loads(xtr("stats", "--json", path).out)["sections"][0]["total"]
    equal(total["jobs"], 2, "jobs in JSON")
    expect(all(v is None for k, v in total.items() if k.endswith(("_ns", "_ppm"))), "null in JSON", total)
    sql = "SELECT count(*), count(queue_ns), count(exec_max_ns) FROM jobs"
    equal(xtr("query", "--csv", path, sql).out.split()[1:], ["2,0,0"], "NULL in tables")


@test
def tables_have_the_order_and_no_times(folder):
    path, _ = import_file(folder, b"kprobe:m:b\nkprobe:m:a\nkprobe:m:b\nLost 2 events\n", status=3)
    rows = xtr("query", "--csv", path, "SELECT event, ts_ns FROM events ORDER BY rowid").out.split()[1:]
    equal(rows, ["func:m:b,", "func:m:a,", "func:m:b,"], "rows stand in the order of events")
    equal(xtr("query", "--csv", path, "SELECT clock, first_ns, last_ns FROM files").out.split()[1:], ["sequence,,"], "files")
    lines = [json.loads(line) for line in xtr("export", "-f", "jsonl", "-t", "events", "-o", "-", path).out.splitlines()]
    equal([(e["event"], e.get("ts_ns")) for e in lines], [("func:m:b", None), ("func:m:a", None), ("func:m:b", None)], "jsonl")


@test
def nanoseconds_of_every_line_are_the_time(folder):
    text = "[900] 12 13 bash kprobe:m:f size=4096\n[1000000000] 12 13 bash kretprobe:m:f ret=-22\n" \
           "[1000000500] 12 14 sh uprobe:/usr/lib/libze_loader.so.1.17.6:zeInit\n" \
           "[1000000400] 12 13 bash uretprobe:/usr/lib/libze_loader.so.1.17.6:zeInit ret=0x0\n"
    path, outcome = import_file(folder, text.encode())
    expect("without times" not in outcome.err, "it has times", outcome)
    equal([(e["ts_ns"], e["tid"], e["pid"], e["comm"], e["event"]) for e in events(path)],
          [(900, 13, 12, "bash", "func:m:f"), (10**9, 13, 12, "bash", "func:m:f:ret"),
           (10**9 + 400, 13, 12, "bash", "api:libze_loader.so.1:zeInit:ret"),
           (10**9 + 500, 14, 12, "sh", "api:libze_loader.so.1:zeInit")], "in the order of time")
    first, second = events(path)[:2]
    equal(first["fields"], {"context": {"value": 4, "name": "unknown"}, "size": 4096}, "values of an entry")
    equal(second["fields"]["ret"], -22, "what it returned")
    found = info(path)
    equal((found["clock"], found["duration_ns"]), ("unknown", 10**9 - 400), "which clock is not in the text")
    types = {t["name"]: t["bytes"] for t in found["event_types"]}
    equal(types, {"func:m:f": 32, "func:m:f:ret": 32, "api:libze_loader.so.1:zeInit": 24,
                  "api:libze_loader.so.1:zeInit:ret": 32}, "sizes of records")
    expect("import-without-cpus" in config(path) and "import-without-threads" not in config(path), "what is not there is said")


@test
def one_line_without_a_time_leaves_an_order(folder):
    path, outcome = import_file(folder, b"[5000000000] kprobe:m:f\nkprobe:m:g\n[4000000000] kprobe:m:h\n")
    expect("without times" in outcome.err, "said", outcome)
    equal(names(path), ["func:m:f", "func:m:g", "func:m:h"], "the order is that of the lines")
    expect("not every line" in config(path)["import-times"], "and why")
    path, _ = import_file(folder, b"10:00:01 kprobe:m:f\n10:00:03 kprobe:m:g\n")
    equal((info(path)["clock"], config(path)["import-wall-clock"]), ("sequence", "10:00:01 to 10:00:03"), "the wall clock is too coarse")
    sizes = "".join(f"{90000000 - i * 1000} kprobe:m:f\nkprobe:m:g\n" for i in range(20))
    path, outcome = import_file(folder, sizes.encode(), status=3)
    expect("not understood" in outcome.err and set(names(path)) == {"func:m:g"}, "numbers that fall are no times", outcome)


@test
def other_lines_are_counted_and_losses_have_a_place(folder):
    text = "Attaching 2 probes...\nkprobe:m:f\nLost 12 events\nkprobe:m:g\n        g+0\n        main+4\n\nwhat is this\n" \
           "and this\n\n@c[kprobe:m:f]: 3\n@h:\n[4, 8)   3 |@@@|\n\n"
    path, outcome = import_file(folder, text.encode(), status=3)
    expect("line 8: not understood: 'what is this' (and more" in outcome.err, "the first unknown line is shown", outcome)
    equal(names(path), ["func:m:f", "func:m:g"], "events")
    notes = config(path)
    equal([notes[k] for k in ("import-damage", "import-map-lines-left-out", "import-stack-lines-left-out",
                              "import-other-lines-left-out")], [2, "3", "2", "4"], "counts")
    lines = xtr("dump", path).out.splitlines()
    expect("#1:" in lines[1] and "LOST 12 events" in lines[2] and "before #2" in lines[2] and "#2:" in lines[3], "in its place", lines)
    loss = info(path)["sections"][0]["loss"]
    equal([(e["cause"], e["count"]) for e in loss], [("source", 12)], "in the account")
    path, _ = import_file(folder, b"kprobe:m:f\nLost 3 events\n", status=3)
    expect("LOST 3 events" in xtr("dump", path).out, "behind the last event, too")


@test
def the_content_tells_that_it_is_bpftrace(folder):
    for text in (capture.text(), b"12 bash kretprobe:vfs_read\n", b"Attached 1 probe\ntracepoint:sched:sched_switch\n"):
        path, _ = import_file(folder, text)
        equal(config(path)["import-format"], "bpftrace", "format")
    path, _ = import_file(folder, b"12 bash kretprobe:vfs_read\n")
    equal(names(path), ["func:unknown:vfs_read:ret"], "a module that is not printed is not known")
    outcome = xtr("import", "-f", "bpftrace", "-o", os.path.join(folder, "z.xtr"), put(folder, "n.txt", b"nothing\n"))
    expect(outcome.status == 1 and "no line names a probe" in outcome.err, "refused", outcome)
    outcome = xtr("import", "-o", os.path.join(folder, "z.xtr"), put(folder, "n.txt", b"Attaching 1 probe...\n"))
    expect(outcome.status == 1 and "no event in it" in outcome.err and not os.path.exists(os.path.join(folder, "z.xtr")),
           "a script whose probes never fired", outcome)


@test
def sections_with_and_without_times_stay_apart(folder):
    plain, _ = import_file(folder, JOBS.encode(), name="a")
    timed, _ = import_file(folder, b"[7000000000] kprobe:m:f\n[7000000010] kprobe:m:f\n", name="b")
    both = os.path.join(folder, "both.xtr")
    expect(xtr("cat", "-o", both, plain, timed).status == 0, "cat")
    sections = json.loads(xtr("stats", "--json", both).out)["sections"]
    equal([s["clock"] for s in sections], ["sequence", "unknown"], "each has its clock")
    equal([s["duration_ns"] for s in sections], [None, 10], "and its times")
    equal(info(both)["duration_ns"], 10, "the sum is of what has times")
    expect(xtr("export", "-f", "perfetto", "-o", os.path.join(folder, "x.pftrace"), both).status == 1, "a timeline of both is refused")


@test
def any_number_of_lines_needs_bounded_memory(folder):
    line = b"kprobe:m:f size=%d\nkretprobe:m:f ret=%d some text %d\n"
    path = put(folder, "big.txt", b"".join(line % (i, i, i) for i in range(150000)))
    out = os.path.join(folder, "big.xtr")
    script = f"ulimit -v 262144; exec '{XTR}' import -o {out} {path}"
    if "asan" in XTR:
        script = script.split("; ")[1]
    outcome = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    expect(outcome.returncode == 0, "300,000 events in 256 MiB of address space", outcome.stderr)
    equal(info(out)["events"], 300000, "all events")


@test
def more_functions_than_a_file_describes_are_counted(folder):
    text = "".join(f"kprobe:m:f{i}\n" for i in range(20000))
    path, _ = import_file(folder, text.encode(), status=3)
    found = info(path)
    equal(found["events"] + found["lost"], 20000, "in the file or in the account")
    expect(found["events"] > 1000, "and many are in the file", found["events"])
