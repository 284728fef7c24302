# SPDX-License-Identifier: BSD-2-Clause
"""GPU packets of Perfetto's traces: render stages, counters, Vulkan's submissions, memory, frequency, the log."""

from harness import config, equal, events, expect, import_file, jobs, test, xtr
from perfetto import CLEARED, NEEDS, message, packet

GPU0 = [(1, "Mali"), (7, "0000:01:00.0")]
GPU1 = [(1, "Other GPU")]


def info(*gpus):
    return packet((128, [(1, g) for g in gpus]))


def stage(ts, event_id, duration=None, *more, seq=1, flags=NEEDS):
    fields = [(1, event_id)] + ([(2, duration)] if duration is not None else []) + list(more)
    return packet((8, ts), (13, flags), (53, fields), seq=seq)


def interned(*fields, seq=1):
    return packet((13, CLEARED), (12, list(fields)), seq=seq)


def spec(iid, name):
    return (24, [(1, iid), (2, name)])


SPECS = [spec(1, "compute_0"), spec(2, "softmax"), spec(3, "graphics"), (23, [(1, 7), (2, 42)])]


def imported(folder, *packets, status=0):
    return import_file(folder, b"".join(packets), name="t.pftrace", status=status)[0]


def some(told, *keys):
    return [tuple(j.get(k) for k in keys) for j in told]


@test
def render_stages_are_jobs_that_the_gpu_measured(folder):
    path = imported(folder, info(GPU0, GPU1), interned(*SPECS),
                    stage(1000, 1, 50, (13, 1), (14, 2), (5, 7)),
                    stage(1020, 2, 100, (13, 1), (14, 2), (5, 7)),
                    stage(2000, 3, 40, (13, 3), (14, 2), (11, 1), (18, 1)))
    told = jobs(path)
    equal(some(told, "device", "ring", "run_ns", "start_ns", "done_ns", "exec_ns", "pid", "quality"),
          [("0000:01:00.0", "compute_0", 1000, 1000, 1050, 50, 42, "exact"),
           ("0000:01:00.0", "compute_0", 1020, 1020, 1120, 100, 42, "exact"),
           ("Other GPU", "graphics", 2000, 2000, 2040, 40, None, "exact")], "jobs")
    expect(all("measured" in j["flags"] and "overtook" not in j["flags"] for j in told), "measured, out of no order")
    equal([d["seqno"] for d in told[2]["deps"]], [told[0]["seqno"]], "what the third waited for")
    equal([e["fields"]["stage"] for e in events(path) if e["event"] == "perfetto:gpu_stage"], ["softmax"] * 3, "stages")


@test
def queues_of_older_producers_have_the_names_of_any_specification(folder):
    specs = packet((53, [(7, [(2, [(1, "queue 0")]), (2, [(1, "queue 1")]), (3, [(1, "stage 0")])])]))
    path = imported(folder, stage(10, 1, 5, (3, 1), (4, 0), flags=0), specs, stage(20, 2, 5, (3, 0), (4, 0), flags=0),
                    stage(30, 3, 5, (3, 9), (4, 9), flags=0))
    equal(some(jobs(path), "device", "ring"), [("gpu0", "queue 1"), ("gpu0", "queue 0"), ("gpu0", "queue 9")], "rings")
    equal([e["fields"]["stage"] for e in events(path) if e["event"] == "perfetto:gpu_stage"],
          ["render stage(0)", "stage 0", "render stage(9)"], "stages")


@test
def a_stage_without_duration_has_none_and_one_of_an_unknown_queue_is_counted(folder):
    path = imported(folder, interned(*SPECS), stage(100, 1, None, (13, 1)), stage(200, 2, 5, (13, 99)))
    equal(some(jobs(path), "run_ns", "done_ns", "exec_ns"), [(100, 100, 0)], "jobs")
    equal(str(config(path)["import-gpu-stages-of-unknown-queues"]), "1", "counted")


def submit(ts, duration, pid, tid, submission):
    return packet((8, ts), (65, [(2, [(1, duration), (2, pid), (3, tid), (4, 16), (5, 100), (5, 200), (6, submission)])]))


@test
def submissions_of_vulkan_are_calls_and_say_who_queued_a_stage(folder):
    path = imported(folder, interned(*SPECS), stage(1000, 1, 50, (13, 1), (5, 7), (10, 3)), stage(1100, 2, 50, (13, 1), (10, 3)),
                    submit(900, 20, 42, 43, 3), submit(950, 20, 44, 45, 4))
    equal(some(jobs(path), "queue_ns", "pid", "tid"), [(900, 42, 43), (None, None, None)], "the process is that of the context")
    calls = [e for e in events(path) if e["event"].startswith("api:vulkan:vkQueueSubmit")]
    equal([(e["event"][-3:], e["ts_ns"], e["tid"]) for e in calls],
          [("mit", 900, 43), ("ret", 920, 43), ("mit", 950, 45), ("ret", 970, 45)], "calls")
    equal([e["fields"]["command_buffers"] for e in calls if not e["event"].endswith(":ret")], [2, 2], "command buffers")


def counter(ts, *fields, seq=1, flags=0):
    return packet(*([(8, ts)] if ts else []), (13, flags), (52, list(fields)), seq=seq)


def described(counter_id, name, *more):
    return (1, [(1, counter_id), (2, name), *more])


def values(path, event):
    return [(e["ts_ns"], e["fields"]["counter"], e["fields"]["unit"], int(e["fields"]["value"])) for e in events(path)
            if e["event"] == event]


@test
def samples_stand_where_the_time_they_tell_of_begins(folder):
    path = imported(folder, counter(None, (1, [described(1, "back", (7, 25), (8, 22)), described(2, "ahead", (11, 2))])),
                    counter(10, (2, [(1, 1), (2, 5)]), (2, [(1, 2), (2, 100)])), counter(20, (2, [(1, 1), (2, 7)]), (2, [(1, 2), (2, 0)])),
                    counter(30, (2, [(1, 1), (2, 0)]), (2, [(1, 9), (2, 1)])))
    equal(values(path, "perfetto:gpu_counter"),
          [(10, "ahead", "", 100), (10, "back", "Vertex/s", 7), (20, "ahead", "", 0), (20, "back", "Vertex/s", 0),
           (30, "back", "Vertex/s", 0)], "samples")
    equal(str(config(path)["import-gpu-counter-samples-undescribed"]), "1", "the one that nothing describes")


@test
def doubles_are_kept_in_millionths(folder):
    spec_ = described(1, "busy", (7, 37), (11, 2))
    path = imported(folder, counter(10, (1, [spec_]), (2, [(1, 1), (3, 15.5)])), counter(20, (2, [(1, 1), (3, -0.25)])),
                    counter(30, (2, [(1, 1), (3, 1e300)])), counter(40, (2, [(1, 1), (3, float("nan"))])))
    equal(values(path, "perfetto:gpu_counter_real"),
          [(10, "busy", "1e-6 %", 15500000), (20, "busy", "1e-6 %", -250000), (30, "busy", "1e-6 %", 2**63 - 1), (40, "busy", "1e-6 %", 0)],
          "samples")
    outcome = xtr("export", "-f", "chrome", "-o", "-", path)
    expect('"busy of gpu0"' in outcome.out and ":-250000}" in outcome.out.replace('"', ""), "a counter of the export", outcome)


@test
def counters_of_two_sequences_with_one_number_are_two(folder):
    def sequence(seq, gpu, name):
        return packet((13, CLEARED), (12, [(47, [(1, 1), (2, [described(1, name, (11, 2))]), (3, gpu)])]), seq=seq)

    path = imported(folder, sequence(1, 0, "A"), sequence(2, 1, "B"), counter(10, (4, 1), (2, [(1, 1), (2, 1)]), seq=1, flags=NEEDS),
                    counter(20, (4, 1), (2, [(1, 1), (2, 2)]), seq=2, flags=NEEDS))
    equal([(e["fields"]["counter"], e["fields"]["device"]) for e in events(path)], [("A", "gpu0"), ("B", "gpu1")], "counters")


@test
def memory_frequency_and_the_log_are_events(folder):
    path = imported(folder, packet((8, 10), (71, [(1, 0), (2, 42), (3, 4096)])), packet((8, 20), (129, [(1, 0), (2, 900000)])),
                    packet((8, 30), (63, [(1, 5), (2, "tag"), (3, "hang")])),
                    packet((8, 40), (62, [(1, 3), (2, 1), (4, 42), (6, 64)])))
    equal([(e["event"], e["ts_ns"]) for e in events(path)],
          [("gpu_mem:gpu_mem_total", 10), ("power:gpu_frequency", 20), ("perfetto:gpu_log", 30), ("perfetto:vulkan_memory", 40)], "events")
    outcome = xtr("export", "-f", "chrome", "-o", "-", path)
    expect("GPU memory gpu_id 0 pid 42" in outcome.out and "GPU frequency 0" in outcome.out, "counters", outcome)


@test
def hostile_packets_of_gpus_end_no_import(folder):
    good = stage(1000, 1, 50, (13, 1), (14, 2), (5, 7))
    bodies = [message((1, 2**64 - 1), (2, 2**64 - 1), (13, 1)), message((1, 1), (2, 2**63), (18, 1), (10, 2**64 - 1), (11, 2**64 - 1), (13, 1)),
              message((13, b"x")), message((1, b"")), b"\x0a\xff", message((7, b"\x12\x02\x0a\xff"))]
    bad = [packet((8, 500), (13, NEEDS), (field, body)) for field in (52, 53, 60, 62, 63, 65, 71, 126, 128, 129) for body in bodies]
    told = jobs(imported(folder, info(GPU0), interned(*SPECS), *bad, good))
    expect(any(j.get("run_ns") == 1000 for j in told), "the job behind them")
    for cut in range(1, len(good)):
        data = info(GPU0) + interned(*SPECS) + good + good[:cut]
        outcome = xtr("jobs", "--jsonl", "-", data=data)
        expect(outcome.status in (0, 3) and '"run_ns":1000' in outcome.out, f"cut at {cut}", outcome)


def track(uuid, *fields):
    return packet((60, [(1, uuid), *fields]))


@test
def track_events_of_programs_are_markers(folder):
    def event(ts, kind, *fields):
        return packet((8, ts), (13, NEEDS), (11, [(9, kind), *fields]))

    path = imported(folder, interned((2, [(1, 5), (2, "draw")])),
                    track(1, (3, [(1, 42), (6, "game")])), track(2, (5, 1), (4, [(1, 42), (2, 43), (5, "render")])),
                    track(3, (5, 1), (2, "loads")), track(4, (5, 1), (2, "loads")),
                    track(5, (5, 1), (2, "textures"), (8, [])),
                    event(1000, 1, (11, 2), (10, 5)), event(1100, 1, (11, 2), (23, "upload")), event(1200, 2, (11, 2)),
                    event(1150, 1, (11, 3), (23, "a.png")), event(1160, 1, (11, 4), (23, "b.png")),
                    event(1300, 2, (11, 3)), event(1400, 2, (11, 4)), event(1500, 2, (11, 2)),
                    event(1600, 3, (11, 2), (23, "present")), event(1700, 4, (11, 5), (30, 7)),
                    event(1800, 4, (11, 5), (44, 8.0)), event(1900, 4, (11, 5), (44, 8.5)))
    found = [(e["ts_ns"], e["tid"], e["fields"]["name"], e["fields"]["type"], e["fields"]["value"], e["fields"]["track"])
             for e in events(path)]
    equal([f for f in found if f[3] == 4], [(1700, 0, "textures", 4, 7, ""), (1800, 0, "textures", 4, 8, "")], "counters")
    equal(config(path)["import-track-events-left-out"], "1", "a number with a fraction is none of a mark")
    out = xtr("stats", "--all", path).out
    expect("Markers" in out and "present" in out, "moments", out)
    for name, ns in (("draw", "500 ns"), ("upload", "100 ns"), ("a.png", "150 ns"), ("b.png", "240 ns")):
        expect(any(name in line and ns in line for line in out.splitlines()), f"slice {name} of {ns}", out)
