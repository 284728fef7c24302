# SPDX-License-Identifier: BSD-2-Clause
"""Printed traces (ftrace, trace-cmd report, perf script): jobs are those that were printed, to the last digit."""

import os
import subprocess

import load
import printed
from harness import XTR, config, equal, events, expect, import_file, info, jobs, put, test, xtr


def rounded(ns, digits):
    unit = 10**(9 - digits)
    return ns // unit * unit


def truth(made, digits):
    return sorted((j.ring, rounded(j.queue, digits), rounded(j.run, digits), rounded(j.done, digits), j.tid,
                   load.comm_of(j.tid)) for j in made)


def seen(found, digits):
    """Events of the same printed time may be some nanoseconds apart, which keeps their order."""
    return sorted((j["ring"], *(rounded(j[t], digits) for t in ("queue_ns", "run_ns", "done_ns")), j["tid"], j["comm"])
                  for j in found)


def compare(path, made, old, digits, process=None):
    found = jobs(path)
    equal(seen(found, digits), truth(made, digits), "ring, times and submitter of each job")
    equal({j.get("pid") for j in found}, {process(j.tid) for j in made} if process else {None}, "processes as far as told")
    if old:
        expect(all("key-inferred" in j["flags"] and j["device"] == "" for j in found), "keys are made up, and said to be")
    else:
        equal(sorted((j["context"], j["seqno"], j["device"], j["client"]) for j in found),
              sorted((j.ctx, j.seqno, j.dev, j.tid - 990) for j in made), "key, device and client of each job")
    waits = sorted((rounded(j["queue_ns"], digits), rounded(d["until_ns"], digits)) for j in found for d in j.get("deps", []))
    equal(waits, sorted((rounded(j.queue, digits), rounded(j.dep.done, digits)) for j in made if j.dep),
          "each wait ends when its dependency is done")


def every(folder, form, shapes, process=None):
    for old in (False, True):
        made = load.make(200)
        for shape in shapes:
            text = form(load.told(made, old), **shape)
            path, outcome = import_file(folder, text.encode(), name=f"{form.__name__}.txt")
            expect("LOST" not in outcome.err and "warning" not in outcome.err, "nothing is lost", outcome)
            try:
                compare(path, made, old, shape.get("digits", 6), process if "tgid" in shape or "pid" in shape else None)
            except AssertionError as error:
                raise AssertionError(f"{shape}, {'old' if old else 'new'} names: {error}") from error
            equal(config(path)["import-time-resolution"], "1 ns" if shape.get("digits") == 9 else "1 us", "resolution")


@test
def ftrace_text_in_all_columns_gives_the_same_jobs(folder):
    shapes = [{}, {"flags": False}, {"tgid": True}, {"tgid": True, "flags": False, "digits": 9}, {"head": False}]
    every(folder, printed.ftrace, shapes, lambda tid: tid + 5000)


@test
def trace_cmd_report_gives_the_same_jobs(folder):
    every(folder, printed.report, [{}, {"digits": 9}, {"prefix": "  trace.dat: "}])


@test
def perf_script_in_all_columns_gives_the_same_jobs(folder):
    shapes = [{}, {"digits": 9}, {"pid": True, "period": True}, {"cpu": False}, {"head": True, "stacks": True},
              {"pid": True, "head": True, "digits": 9}]
    every(folder, printed.perf, shapes, lambda tid: tid + 5000)


@test
def what_the_text_tells_of_its_making_is_kept(folder):
    told = load.told(load.make(5), False)
    path, _ = import_file(folder, printed.perf(told, head=True, stacks=True).encode(), name="p.txt")
    section = info(path)["sections"][0]
    equal([info(path)["clock"], info(path)["kernel"], section["system"]["cpus"]], ["monotonic", "6.6.6-test", 4],
          "perf's header: clock, kernel, CPUs")
    expect("nobody" not in str(info(path)), "the host's name is not taken over", info(path))
    equal({k: v for k, v in section["config"].items() if k != "import-version"},
          {"import-format": "perf", "import-source": "p.txt", "import-perf-version": "6.1.0",
           "import-captured-on": "Sat Jan  1 00:00:00 2000", "import-time-resolution": "1 us",
           "import-stack-lines-left-out": str(2 * len(told))}, "config")
    path, _ = import_file(folder, printed.ftrace(told).encode(), name="f.txt")
    equal(info(path)["clock"], "unknown", "ftrace's text does not tell its clock")
    text = printed.ftrace(told).replace("5000.", "5000")
    path, _ = import_file(folder, text.encode(), name="c.txt")
    expect("not time" in config(path)["import-time-resolution"], "a clock that counts something", config(path))


@test
def addresses_are_hashed(folder):
    text = b"a-1 [000] 1.000001: ev: bo=0xffff888001234540, err=0xfffffffffffffff4, x=0x10\n" \
           b"a-1 [000] 1.000002: ev: bo=0xffff888001234540, err=0x1, x=0x10\n"
    first, second = [e["fields"] for e in events(import_file(folder, text)[0])]
    expect("888001234540" not in str(first) and first["bo"] == second["bo"], "the same for the same address", first)
    expect("fffffffffff4" in str(first["err"]) and "10" in str(first["x"]), "other numbers stay", first)
    kept = events(import_file(folder, text, "--keep-pointers")[0])[0]["fields"]
    expect("ffff888001234540" in str(kept["bo"]), "as it is on request", kept)


AGAIN = [  # name, thread, process, time, event
    ("alpha", 180, 180, 10, "tick: n=1"), ("sh", 50, 50, 11, "task_newtask: pid=300 comm=sh clone_flags=1200000 oom_score_adj=0"),
    ("sh", 50, 50, 12, "sched_process_fork: comm=sh pid=50 child_comm=sh child_pid=300"), ("gamma", 300, 300, 13, "tick: n=2"),
    ("sh", 50, 50, 14, "task_newtask: pid=180 comm=sh clone_flags=1200000 oom_score_adj=0"),
    ("sh", 50, 50, 15, "sched_process_fork: comm=sh pid=50 child_comm=sh child_pid=180"), ("beta", 180, 180, 16, "tick: n=3"),
    ("beta", 181, 180, 17, "tick: n=4"), ("alpha", 180, 180, 18, "tick: n=5")]


@test
def a_number_given_again_is_another_process_where_events_tell_it(folder):
    def processes(lines):
        text = "".join(f"{name:>16}-{tid:<7} ({pid:7}) [000] ..... {ts}.000000: {event}\n" for name, tid, pid, ts, event in lines)
        path, _ = import_file(folder, text.encode(), name="again.txt")
        return [(e["comm"], e["pid"], e.get("pid_nth")) for e in events(path, "-e", "*tick")]

    equal(processes(AGAIN), [("alpha", 180, None), ("gamma", 300, None), ("beta", 180, 2), ("beta", 180, 2), ("alpha", 180, 2)],
          "a thread that was made with a number that had run is of another process, whatever its name")
    told = [line for line in AGAIN if line[1] != 50]
    equal({nth for _, _, nth in processes(told)}, {None}, "without such events one number is one process")


@test
def stacks_of_ftrace_are_left_out(folder):
    lines = []
    for line in printed.ftrace(load.told(load.make(20), False)).splitlines():
        lines.append(line)
        if not line.startswith("#"):
            lines += [line[:line.index(": drm_")] + ": <stack trace>", " => schedule", " => do_wait"]
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode())
    equal(len(jobs(path)), 20, "jobs")
    equal(config(path)["import-stack-lines-left-out"], str(3 * info(path)["events"]), "counted")


@test
def losses_that_the_text_tells_are_losses(folder):
    told = load.told(load.make(40), False)
    lines = printed.ftrace(told, head=False).splitlines()
    on_1 = [e[0] for e in told if e[1] == 1]
    at = [i for i, e in enumerate(told) if e[1] == 1][3]
    for words, count, unsure in (("CPU:1 [LOST 41 EVENTS]", 41, ""), ("CPU:1 [41 EVENTS DROPPED]", 41, ""),
                                 ("CPU:1 [EVENTS DROPPED]", 1, "at least "), ("CPU:1 [LOST EVENTS]", 1, "at least ")):
        text = "\n".join(lines[:at] + [words] + lines[at:]) + "\n"
        path, outcome = import_file(folder, text.encode(), status=3)
        expect(f"LOST {unsure}{count} event" in outcome.err, words, outcome)
        gap = [line for line in xtr("dump", "--json", path).out.splitlines() if '"first_ns"' in line]
        expect(len(gap) == 1 and f'"cpu":1,"first_ns":{rounded(on_1[2], 6)},"last_ns":{rounded(on_1[3], 6)}' in gap[0],
               "between the events of its CPU", gap)
    text = printed.ftrace(told).replace(f"{len(told)}/{len(told)}", f"{len(told)}/{len(told) + 7}")
    path, outcome = import_file(folder, text.encode(), status=3)
    expect("LOST 7 events" in outcome.err and info(path)["lost"] == 7, "what was overwritten", outcome)
    dump = xtr("dump", path).out
    expect("LOST 7 events on an unknown CPU between" in dump, "nobody knows on which CPU", dump[:300])
    gap = [line for line in xtr("dump", "--json", path).out.splitlines() if '"first_ns"' in line]
    expect(len(gap) == 1 and '"cpu"' not in gap[0], "nor in JSON", gap)
    text = printed.perf(told) + "            perf  9999 [001]  5010.000000: PERF_RECORD_LOST lost 12\n"
    path, outcome = import_file(folder, text.encode(), status=3)
    expect("LOST 12 events" in outcome.err, "perf's record of losses", outcome)


@test
def order_is_put_right_within_a_window(folder):
    made = load.make(300)
    told = load.told(made, True)
    mixed = [e for i in range(0, len(told), 8) for e in reversed(told[i:i + 8])]
    path, _ = import_file(folder, printed.ftrace(mixed).encode())
    equal(seen(jobs(path), 6), truth(made, 6), "jobs of old names, whose events have to be paired in order")
    expect(int(config(path)["import-reordered"]) > 0 and "import-late" not in config(path), "counted", config(path))
    made = load.make(1200)
    told = load.told(made, False)
    path, _ = import_file(folder, printed.ftrace(told[1500:] + told[:1500]).encode())
    equal(seen(jobs(path), 6), truth(made, 6), "jobs of new names do not depend on it")
    expect(int(config(path)["import-late"]) > 0, "what the window could not put right is counted", config(path))


@test
def other_events_are_kept_with_their_values_or_their_text(folder):
    lines = ["  Web Content-55      [003] d..2.     1.000001: sched_switch: prev_comm=Web Content prev_pid=55 prev_prio=120 "
             "prev_state=S ==> next_comm=a=1 b next_pid=7 next_prio=120",
             "a-1 [000] 1.000002: irq_handler_entry: irq=33 name=eth 0",
             "a-1 [000] 1.000003: irq_handler_exit: irq=33 ret=handled",
             "a-1 [000] 1.000004: sys_ioctl(fd: 3, cmd: c0186446, arg: 7ffd0)",
             "a-1 [000] 1.000005: sys_ioctl -> 0xfffffffffffffff4",
             "a-1 [000] 1.000006: gpu_mem_total: gpu_id=0 pid=55 size=4096",
             "a-1 [000] 1.000007: brand_new: some words, then x=1",
             "a-1 [000] 1.000008: tracing_mark_write: frame 7 begins"]
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode())
    found = events(path)
    equal([e["event"] for e in found],
          ["sched:sched_switch", "irq:irq_handler_entry", "irq:irq_handler_exit", "syscalls:sys_enter_ioctl",
           "syscalls:sys_exit_ioctl", "gpu_mem:gpu_mem_total", "unknown:brand_new", "ftrace:print"], "names")
    switch = found[0]["fields"]
    equal([switch["prev_comm"], switch["prev_pid"], switch["next_comm"], switch["next_pid"]], ["Web Content", 55, "a=1 b", 7],
          "names of threads that look like fields")
    equal([found[4]["fields"]["ret"], found[6]["fields"]["x"]], [-12, 1], "numbers")
    equal(found[6]["fields"]["text"], "some words, then x=1", "the whole text, where values do not cover it")
    equal(found[7]["fields"]["buf"], "frame 7 begins", "a marker's text")


FORMS = """\
capturing trace... done
TRACE:
# tracer: nop
#
          <idle>-0     [000] (-----) d..1  12.000001: sched_wakeup: comm=a pid=3 prio=120 target_cpu=001
           a b-c-12    [001] (   13) ....  12.000002: 0: B|13|hello
           a b-c-12    (   13) [001] ....  12.000003: tracing_mark_write: E|13
           <...>-13    [001] d..h2..  12.000004: print: tracing_mark_write: C|13|ctr|5
           <...>-14    [001]  12.000005: bprint:               my_func: text with: colons
             [x]-15    [001]  12.000006: bputs: 0xffffffff81234567: put
   comm-with-16        (   16) [001] d.h.1..  12.000007: intel_gpu_freq_change: new_freq=350
              x-17     [001]  12.000008: power:gpu_frequency: gpu_id=0 state=5
</script>
<!-- END TRACE -->
</body>
</html>
"""


@test
def every_form_of_a_line_is_read_and_what_is_around_is_no_damage(folder):
    path, outcome = import_file(folder, FORMS.encode())
    expect("warning" not in outcome.err, "nothing is damaged or lost", outcome)
    found = [(e["event"], e["cpu"], e["tid"], e.get("pid"), e.get("comm")) for e in events(path)]
    equal(found, [("sched:sched_wakeup", 0, 0, None, None), ("ftrace:print", 1, 12, 13, "a b-c"), ("ftrace:print", 1, 12, 13, "a b-c"),
                  ("ftrace:print", 1, 13, None, None), ("ftrace:print", 1, 14, None, None), ("ftrace:print", 1, 15, None, "[x]"),
                  ("i915:intel_gpu_freq_change", 1, 16, 16, "comm-with"), ("power:gpu_frequency", 1, 17, None, "x")], "columns")
    equal([e["fields"]["buf"] for e in events(path) if "buf" in e["fields"]],
          ["B|13|hello", "E|13", "C|13|ctr|5", "text with: colons", "put"], "what user space wrote")


@test
def junk_between_events_is_damage(folder):
    lines = FORMS.splitlines(keepends=True)
    path, outcome = import_file(folder, "".join(lines[:6] + ["junk\n"] + lines[6:]).encode(), status=3)
    expect("line 7: not an event" in outcome.err, "with its line", outcome)
    equal(info(path)["events"], 8, "all events are there")


@test
def differences_instead_of_times_are_refused(folder):
    told = load.told(load.make(5), False)
    lines = printed.report(told).splitlines()
    text = "\n".join(lines[:2] + [line.replace(": drm", ": (+12)   drm") for line in lines[2:]]) + "\n"
    outcome = xtr("import", "-o", os.path.join(folder, "x.xtr"), put(folder, "x.txt", text.encode()))
    expect(outcome.status == 1 and "--ts-diff" in outcome.err and outcome.err.count("\n") == 1, "trace-cmd's", outcome)
    first = told[0][0]
    reltime = [(ts - first, *rest) for ts, *rest in told]
    path, _ = import_file(folder, printed.perf(reltime).encode(), name="rel.txt")
    equal(len(jobs(path)), 5, "times since the first event are times")
    delta = [(b[0] - a[0], *b[1:]) for a, b in zip([told[0]] + told, told)]
    outcome = xtr("import", "-o", os.path.join(folder, "y.xtr"), put(folder, "y.txt", printed.perf(delta).encode()))
    expect(outcome.status == 1 and "--deltatime" in outcome.err and outcome.err.count("\n") == 1, "perf's", outcome)
    equal([name for name in os.listdir(folder) if name in ("x.xtr", "y.xtr")], [], "nothing is written")


@test
def keys_under_old_names_and_fences_of_old_kernels_are_taken(folder):
    """A patched kernel's drm_sched_job tells the key; fence_* are what dma_fence_* was before Linux 4.10."""
    lines = ["a-1 [000] 1.000001: drm_sched_job: id=5, fence=(context:79, seqno:920), ring=gfx, job count:0, hw job count:1, "
             "dependencies:{}",
             "k-2 [001] 1.000002: drm_run_job: dev=0000:0e:00.0, id=5, fence=(context:79, seqno:920), ring=gfx, job count:0, "
             "hw job count:1",
             "k-2 [001] 1.000009: drm_sched_process_job: fence=(context:79, seqno:920) signaled",
             "a-1 [000] 1.000010: fence_signaled: driver=sde_fence:crtc:2 timeline=crtc111 context=3 seqno=256022"]
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode())
    job, = jobs(path)
    equal([job["context"], job["seqno"], job["ring"], job["queue_ns"], job["run_ns"], job["done_ns"]],
          [79, 920, "gfx", 1000001000, 1000002000, 1000009000], "the job, under its own key")
    expect("key-inferred" not in job["flags"], "which is not made up", job)
    fence = events(path, "-e", "dma_fence:*")[0]["fields"]
    equal([fence["ctx"], fence["seqno"], fence["driver"], fence["timeline"]], [3, 256022, "sde_fence:crtc:2", "crtc111"], "fence")


SYSTEMS = {
    "gpu_scheduler": "drm_sched_job drm_run_job", "gpu_sched": "amd_sched_job", "fence": "fence_annotate_wait_on",
    "dma_fence": "dma_fence_x", "sync": "sync_timeline sync_pt", "drm": "drm_vblank_event", "amdgpu": "amdgpu_cs_ioctl",
    "amdgpu_dm": "amdgpu_dm_plane_atomic_check", "radeon": "radeon_fence_emit", "amdkfd": "kfd_map_memory_to_gpu_start",
    "i915": "i915_gem_request_add i915_request_in intel_engine_notify switch_mm", "xe": "xe_sched_job_run", "vpu": "vpu_x",
    "amdxdna": "xdna_x mbox_set_tail", "kgsl": "adreno_cmdbatch_retired kgsl_pwrlevel syncpoint_fence", "drm_msm_gpu": "msm_gpu_submit",
    "drm_msm_atomic": "msm_atomic_flush_commit", "dpu": "dpu_kms_commit", "mali": "mali_x", "panthor": "gpu_job_irq", "lima": "lima_task_run",
    "v3d": "v3d_bcl_irq", "vc4": "vc4_submit_cl", "virtio_gpu": "virtio_gpu_cmd_queue", "host1x": "host1x_channel_submit",
    "pvr": "pvr_job_done", "gpu_mem": "gpu_mem_total", "power": "gpu_work_period gpu_frequency cpu_idle", "sched": "sched_switch",
    "irq": "softirq_raise", "workqueue": "workqueue_execute_start", "task": "task_rename", "signal": "signal_generate",
    "timer": "hrtimer_start", "kmem": "kmalloc rss_stat", "unknown": "job_x some_event"}


@test
def events_have_the_systems_of_their_names(folder):
    wanted = [f"{system}:{name}" for system, names in SYSTEMS.items() for name in names.split()]
    lines = [f"a-1 [000] 1.{i:06d}: {name.split(':')[1]}: a=1" for i, name in enumerate(wanted)]
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode())
    equal([e["event"] for e in events(path)], wanted, "systems")


@test
def hostile_text_costs_a_line_not_the_file(folder):
    told = load.told(load.make(20), False)
    good = printed.ftrace(told, head=False).encode()
    lines = good.splitlines(keepends=True)
    half = len(lines) // 2
    first, last = b"".join(lines[:half]), b"".join(lines[half:])
    cases = [(b"x" * 70000 + b"\n", "too long"), (b"\0" * 200000 + b"\n", "too long"), (b"a\0b\n", "not text"),
             (b"a-99999999999 [000] 1.000000: ev: a=1\n", "not an event"), (b"a-1 [000] 1.0000: \xff\xfe\n", "not an event"),
             (b"a-1 [9999] 1.000000: ev: a=1\n", "not an event")]
    for bad, words in cases:
        path, outcome = import_file(folder, first + bad + last, status=3)
        expect(f"line {half + 1}: {words}" in outcome.err, words, outcome)
        equal(len(jobs(path)), 20, "all jobs are there")
    path, outcome = import_file(folder, good[:-10], status=3)
    expect("the file ends in the middle of it" in outcome.err and len(events(path)) == len(told) - 1, "cut off", outcome)
    path, _ = import_file(folder, good.replace(b"\n", b"\r\n"))
    equal(len(jobs(path)), 20, "CR LF")


@test
def what_is_no_trace_is_refused_in_one_line(folder):
    graph = "# tracer: function_graph\n#\n 0)   1.2 us    |  schedule();\n"
    cases = [("ftrace", "hello\nworld\n", "no line is an event"), ("perf", "hello\n", "no line is an event"),
             ("ftrace", "", "no line is an event"), ("ftrace", graph, "function_graph"), (None, graph, "function_graph"),
             (None, "int main(void)\n{\n}\n", "not a trace"), (None, "", "is empty"),
             (None, "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n", "no event in it")]
    for name, text, words in cases:
        outcome = xtr("import", *(["-f", name] if name else []), "-o", os.path.join(folder, "z.xtr"),
                      put(folder, "b.txt", text.encode()))
        expect(outcome.status == 1 and words in outcome.err and outcome.err.count("xtr:") <= 2, words, outcome)
        expect(not os.path.exists(os.path.join(folder, "z.xtr")), "and no file", outcome)


@test
def text_memory_is_bounded(folder):
    made = load.make(30000)
    path = put(folder, "big.txt", printed.ftrace(load.told(made, True)).encode())
    out = os.path.join(folder, "big.xtr")
    script = f"ulimit -v 262144; exec '{XTR}' import -o {out} {path}"
    if "asan" in XTR:
        script = script.split("; ")[1]
    outcome = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    expect(outcome.returncode == 0, "90,000 events in 256 MiB of address space", outcome.stderr)
    equal(seen(jobs(out), 6), truth(made, 6), "all jobs")


@test
def what_stands_before_each_line_is_no_name(folder):
    """A mail's quotes, an editor's tab, the kernel's log of ftrace_dump_on_oops: other numbers on each line."""
    bare = ["    game-12       0d..1. 1000us : drm_vblank_event: crtc=0, seq=7",
            "    game-12       0d..1. 2000us : drm_vblank_event: crtc=0, seq=8"]
    forms = [">{0}", "> {0}", "> > {0}", "\t{0}", "[  158.89089{1}] {0}", "<4>[  158.89089{1}] {0}",
             "Nov 24 10:00:0{1} host kernel: [  158.89089{1}] {0}", "\ufeff{0}"]
    for form in forms:
        lines = ["Dumping ftrace buffer:", "-" * 33, *bare, "-" * 33]
        text = "".join(form.format(line, k) + "\n" for k, line in enumerate(lines))
        path, _ = import_file(folder, text.encode(), name="before.txt")
        equal([(e["comm"], e["tid"], e["ts_ns"]) for e in events(path)],
              [("game", 12, 1_000_000), ("game", 12, 2_000_000)], form)
