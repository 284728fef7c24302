# SPDX-License-Identifier: BSD-2-Clause
"""Traces of Perfetto: what is imported is what was written into them, whatever the file looks like."""

import gzip
import io
import os
import zipfile

import load
from harness import Skip, config, equal, events, expect, import_file, info, jobs, put, test, xtr
from perfetto import (BOOT, CLEARED, MONO, MONO_RAW, NEEDS, REALTIME, Described, bundle, bundles, clock_snapshot, compact, compressed,
                      event, ftrace_stats, generic, message, packed, packet, process_tree, system_info, typed, varint)
from test_tracedat import check_dependencies, compare, seen, truth

NAMES = [(1000 + i, 0, load.comm_of(1000 + i)) for i in range(8)]


def built_with(codec):
    return f"{codec} in trace.dat" in xtr("--version").out.split("left out")[0]


def names():
    """Of threads, whose processes nobody tells."""
    return packet((2, [(2, [(1, tid), (2, name)]) for tid, _, name in NAMES]))


def soft(ts, vec=1, tid=5):
    return event(ts, tid, "softirq_entry", {"vec": vec})


def vecs(path):
    return [(e["ts_ns"], e["fields"]["vec"]) for e in events(path) if e["event"] == "irq:softirq_entry"]


# --- jobs ----------------------------------------------------------------------------------------------------------------


@test
def every_encoding_of_events_gives_the_same_jobs(folder):
    shapes = {"typed": typed, "generic": generic, "described": Described()}
    for name, encode in shapes.items():
        for old in (False, True):
            made = load.make(200)
            told = load.told(made, old)
            if name == "typed":  # Perfetto has no proto for it
                told = [t for t in told if t[3] != "drm_sched_job_wait_dep"]
            packets = bundles(told, encode)
            if isinstance(encode, Described):
                packets.insert(3, bundle(0, *encode.describe()))
            path, outcome = import_file(folder, b"".join([names(), *packets]), name=f"{name}-{old}")
            expect("LOST" not in outcome.err, f"{name}: nothing is lost", outcome)
            compare(path, made, old)
            if name != "typed" or not old:
                check_dependencies(path, made)


@test
def compressed_packets_give_the_same_jobs(folder):
    made = load.make(100)
    packets = [names(), *bundles(load.told(made, False))]
    left = []
    for codec in ("zlib", "zstd"):
        if not built_with(codec):
            left.append(codec)
            continue
        data = b"".join(compressed(packets[i:i + 10], codec) for i in range(0, len(packets), 10))
        path, _ = import_file(folder, data, name=codec)
        compare(path, made, False)
    if left:
        raise Skip(f"built without {', '.join(left)}")


@test
def a_compressed_file_or_archive_is_read_too(folder):
    made = load.make(30)
    data = b"".join([names(), *bundles(load.told(made, False))])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("run.pftrace", data)
    for name, wrapped in (("run.pftrace.gz", gzip.compress(data)), ("run.zip", archive.getvalue())):
        if "libarchive" not in xtr("--version").out.split("left out")[0]:
            raise Skip("built without libarchive")
        path, _ = import_file(folder, wrapped, name=name)
        equal(seen(jobs(path)), truth(made), f"jobs in {name}")
    stats = xtr("stats", "--all", put(folder, "plain.pftrace", data))
    expect(stats.status == 0 and "30" in stats.out, "any command takes the trace as it is", stats)


# --- order ---------------------------------------------------------------------------------------------------------------


@test
def events_of_all_cpus_come_in_order_of_time(folder):
    rows = [(1_000_000 + 977 * i, (i * 7) % 4, i) for i in range(3000)]
    packets = []
    for cpu in (3, 1, 0, 2):
        mine = [soft(ts, n) for ts, c, n in rows if c == cpu]
        packets += [bundle(cpu, *mine[i:i + 100]) for i in range(0, len(mine), 100)]
    path, _ = import_file(folder, b"".join(packets[::-1]))
    equal(vecs(path), [(ts, n) for ts, _, n in rows], "order of time, over all CPUs")


@test
def more_events_than_memory_holds_are_sorted_in_a_file(folder):
    text = "x" * 3000
    rows = [(10**9 + ((i * 7919) % 50_000) * 1000, i) for i in range(50_000)]
    packets = [bundle(i // 500 % 4, *(event(ts, 5, "print", {"ip": n, "buf": text + str(n % 10)}) for ts, n in rows[i:i + 500]))
               for i in range(0, len(rows), 500)]
    path, outcome = import_file(folder, b"".join(packets))
    expect("50000 events" in outcome.err.replace(",", ""), "all of them", outcome)
    have = [e["ts_ns"] for e in events(path)]
    equal(have, sorted(ts for ts, _ in rows), "in order of time")


# --- events --------------------------------------------------------------------------------------------------------------


@test
def fields_have_the_names_and_values_that_were_recorded(folder):
    values = {"prev_comm": "a b", "prev_pid": 7, "prev_prio": 120, "prev_state": 2, "next_comm": "swapper/1", "next_pid": 0, "next_prio": -1}
    path, _ = import_file(folder, bundle(1, event(5_000, 7, "sched_switch", values)))
    one, = events(path)
    equal((one["event"], one["ts_ns"], one["cpu"], one["tid"]), ("sched:sched_switch", 5_000, 1, 7), "name, time, CPU and thread")
    equal({k: one["fields"][k] for k in values}, values, "fields")


@test
def a_field_that_an_event_lacks_is_left_out(folder):
    path, _ = import_file(folder, bundle(0, event(5, 1, "drm_sched_job_queue", {"name": "gfx", "fence_context": 3}),
                                         event(6, 1, "drm_sched_job_queue", {"name": "gfx", "job_count": 9})))
    first, second = events(path)
    equal(first["fields"], {"name": "gfx", "fence_context": 3}, "what the first has")
    equal(second["fields"], {"name": "gfx", "job_count": 9}, "what the second has")


@test
def an_event_that_nobody_describes_keeps_its_numbers(folder):
    path, _ = import_file(folder, bundle(0, (2, [(1, 5), (2, 1), (999, [(1, 17), (3, "text")])])))
    one, = events(path)
    equal((one["event"], one["fields"]), ("unknown:event_999", {"field_1": 17, "field_3": "text"}), "its fields by number")


@test
def events_are_described_after_their_use_and_anew(folder):
    first, second = Described(), Described(system="other")
    packets = [bundle(0, event(5, 1, "one", {"a": 4, "b": "x"}, first)), bundle(1, *first.describe()),
               bundle(0, event(7, 1, "two", {"c": 9}, second), *second.describe())]
    path, _ = import_file(folder, b"".join(packets))
    equal([(e["event"], e["fields"]) for e in events(path)], [("gpu_scheduler:one", {"a": 4, "b": "x"}), ("other:two", {"c": 9})],
          "a number means what the recorder of that time says")


@test
def drivers_events_without_a_system_get_their_own(folder):
    values = {"sched_job_id": 5, "timeline": "gfx", "context": 9, "seqno": 2, "ring_name": "gfx_0.0.0", "num_ibs": 1}
    path, _ = import_file(folder, bundle(0, event(5, 1, "amdgpu_cs_ioctl", values, generic)))
    one, = events(path)
    equal((one["event"], one["fields"]), ("amdgpu:amdgpu_cs_ioctl", values), "amdgpu's")


@test
def kernel_probes_have_their_names(folder):
    body = [(1, 5), (2, 1), (542, [(1, "panthor_job_run"), (2, 1)])]
    path, _ = import_file(folder, bundle(0, (2, body)))
    one, = events(path)
    equal((one["event"], one["fields"]), ("kprobes:panthor_job_run", {"type": 1}), "name and kind")


@test
def prints_are_markers(folder):
    prints = [(1_000, "B|70|frame 1\n"), (9_000, "E|70\n"), (9_500, "C|70|fps|60\n")]
    path, _ = import_file(folder, bundle(0, *(event(ts, 70, "print", {"ip": 1, "buf": text}) for ts, text in prints)))
    equal([e["fields"]["buf"] for e in events(path)], [t[:-1] for _, t in prints], "texts without the newline")
    stats = xtr("stats", "--all", path)
    expect("frame 1" in stats.out or "fps" in stats.out, "slices and counters", stats)


# --- compact sched -------------------------------------------------------------------------------------------------------


@test
def compact_sched_becomes_switches(folder):
    switches = [(1_000, 1, 70, 120, "app"), (2_000, 2, 0, 120, "swapper/2"), (3_500, 0, 71, 98, "irq")]
    wakings = [(1_500, 71, 2, 98, "irq"), (3_600, 9, 1, 100, "w")]
    path, _ = import_file(folder, bundle(2, compact(switches, wakings)) + bundle(2, compact([(4_000, 1, 70, 120, "app")])))
    have = [(e["ts_ns"], e["tid"], e["event"].split(":")[1], e["fields"]) for e in events(path)]
    app, idle, irq = ({"comm": "app", "pid": 70, "prio": 120}, {"comm": "swapper/2", "pid": 0, "prio": 120}, {"comm": "irq", "pid": 71, "prio": 98})

    def switch(before, state, after):
        fields = {f"prev_{k}": v for k, v in (before or {}).items()}
        return {**fields, "prev_state": state, **{f"next_{k}": v for k, v in after.items()}}

    equal(have, [
        (1_000, 0, "sched_switch", switch(None, 1, app)),
        (1_500, 70, "sched_waking", {**irq, "target_cpu": 2}),
        (2_000, 70, "sched_switch", switch(app, 2, idle)),
        (3_500, 0, "sched_switch", switch(idle, 0, irq)),
        (3_600, 71, "sched_waking", {"comm": "w", "pid": 9, "prio": 100, "target_cpu": 1}),
        (4_000, 71, "sched_switch", switch(irq, 1, app)),
    ], "who was there before is known, but for the first")


@test
def who_ran_before_a_gap_is_not_known_behind_it(folder):
    packets = bundle(0, compact([(1_000, 1, 70, 120, "app")])) + bundle(0, (3, 1), compact([(9_000, 1, 71, 120, "b")]))
    path, _ = import_file(folder, packets, status=3)
    expect("prev_pid" not in events(path)[-1]["fields"], "nobody knows")


@test
def columns_that_are_not_equally_long_are_damage(folder):
    rows = [(4, [(5, "a"), (1, packed([100, 10, 10])), (2, packed([1, 1, 1])), (3, packed([5, 6])), (4, packed([1, 1, 1])), (6, packed([0, 0, 0]))])]
    path, _ = import_file(folder, bundle(0, *rows), status=3)
    equal([e["ts_ns"] for e in events(path)], [100, 110], "the rows that are whole")
    expect("equally long" in config(path)["import-damage-first"], "said")


# --- clocks --------------------------------------------------------------------------------------------------------------


@test
def the_clock_is_boot_unless_the_trace_says_otherwise(folder):
    path, _ = import_file(folder, bundle(0, soft(5)))
    equal(info(path)["clock"], "boottime", "Perfetto's default")
    path, _ = import_file(folder, clock_snapshot([(MONO, 100), (BOOT, 1100)], primary=MONO) + bundle(0, soft(2_000)))
    equal((info(path)["clock"], vecs(path)), ("monotonic", [(1_000, 1)]), "ftrace is on boot, and goes to the primary clock")


@test
def ftrace_on_another_clock_is_laid_on_the_traces(folder):
    for clock, seq in ((4, 1), (2, 1), (3, 9)):
        head = [(5, clock), (6, 10_000), (7, 510_000)]
        path, _ = import_file(folder, bundle(0, *head, soft(9_000), seq=seq) + bundle(1, soft(600_000)))
        equal(vecs(path), [(509_000, 1), (600_000, 1)], f"clock {clock}")


@test
def the_nearest_earlier_snapshot_counts(folder):
    packets = [clock_snapshot([(MONO_RAW, 1_000), (BOOT, 101_000)]), clock_snapshot([(MONO_RAW, 2_000), (BOOT, 102_500)])]
    times = [500, 1_999, 2_000, 2_700]
    packets.append(bundle(0, (5, 4), *(soft(t) for t in times)))
    path, _ = import_file(folder, b"".join(packets))
    equal([ts for ts, _ in vecs(path)], [100_500, 101_999, 102_500, 103_200], "before the first: the first; else the last one before")


@test
def a_way_may_lead_over_several_clocks(folder):
    packets = [clock_snapshot([(MONO_RAW, 1_000), (MONO, 5_000)]), clock_snapshot([(MONO, 6_000), (BOOT, 16_000)]),
               bundle(0, (5, 4), soft(1_500))]
    path, _ = import_file(folder, b"".join(packets))
    equal(vecs(path), [(15_500, 1)], "mono_raw to mono to boot")


@test
def sequences_have_clocks_of_their_own(folder):
    # Names of threads that come with a time: on clock 64 of two sequences, in us, one of differences.
    def name(seq, ts, who, clock=64):
        return packet((8, ts), (58, clock), (2, [(2, [(1, 50), (2, who), (3, 50)])]), seq=seq)

    packets = [name(1, 0, "first", BOOT), clock_snapshot([(BOOT, 1_000_000), (64, 10, 1000, True)], seq=2),
               clock_snapshot([(BOOT, 1_000_000), (64, 70, 1000, False)], seq=3),
               name(2, 5, "second"), name(2, 5, "third"), name(3, 90, "fourth"),
               bundle(0, *(soft(ts, tid=50) for ts in (1_004_000, 1_006_000, 1_011_000, 1_021_000)))]
    path, _ = import_file(folder, b"".join(packets))
    equal([e["comm"] for e in events(path)], ["first", "second", "third", "fourth"], "each name from its time on")


@test
def times_without_a_relation_are_counted(folder):
    path, outcome = import_file(folder, bundle(0, (5, 4), soft(5), soft(6)) + bundle(0, soft(7)), status=3)
    equal(vecs(path), [(7, 1)], "what can be laid on the clock")
    equal(config(path)["import-times-left-out"], "2", "two cannot")
    expect("2 times on clock mono_raw" in outcome.err + config(path)["import-damage-first"], "which clock", outcome)


@test
def snapshots_that_make_no_sense_are_damage(folder):
    odd = [[(BOOT, 5), (BOOT, 6)], [(BOOT, 5, 7, False), (MONO, 1)], [(MONO, 2**62, 1000, False), (BOOT, 5)], [(MONO, 1, 1, True), (BOOT, 5)],
           [(i, i) for i in range(1, 60)]]
    for clocks in odd[:4]:
        path, _ = import_file(folder, clock_snapshot(clocks) + bundle(0, soft(7)), status=3)
        equal(vecs(path), [(7, 1)], "the events are there")
    back = [clock_snapshot([(BOOT, 9_000), (MONO, 1)]), clock_snapshot([(BOOT, 8_000), (MONO, 2)])]
    path, _ = import_file(folder, b"".join(back) + bundle(0, soft(7)), status=3)
    expect("makes no sense" in config(path)["import-damage-first"], "the trace's clock goes backwards")


@test
def the_wall_clock_is_known(folder):
    wall = 1_700_000_000 * 10**9
    path, _ = import_file(folder, clock_snapshot([(REALTIME, wall), (BOOT, 5_000)]) + bundle(0, soft(5_000)))
    expect("2023-11-14" in xtr("info", path).out, "when it was recorded", xtr("info", path))


# --- facts ---------------------------------------------------------------------------------------------------------------


@test
def threads_and_processes_have_names(folder):
    tree = process_tree([(70, "/usr/bin/glxgears"), (80, "com.game")], [(71, 70, "gl-worker")])
    told = load.told(load.make(1), False)
    told = [(ts, cpu, 71 if tid > 900 else tid, name, values) for ts, cpu, tid, name, values in told]
    path, _ = import_file(folder, b"".join([*bundles(told), tree]))
    one, = jobs(path)
    equal((one["tid"], one["pid"], one["comm"]), (71, 70, "gl-worker"), "thread, process and name, told behind the events")


@test
def facts_of_the_machine_are_kept(folder):
    uuid = packet((89, [(1, 2**62 + 5), (2, 0x0011223344556677)]))
    path, _ = import_file(folder, system_info() + uuid + bundle(0, soft(7)), name="run.pftrace")
    section = info(path)["sections"][0]
    equal(info(path)["kernel"], "6.6.6-test", "kernel")
    equal(section["system"]["cpus"], 4, "CPUs")
    equal({k: v for k, v in section["config"].items() if k != "import-version"},
          {"import-format": "perfetto", "import-source": "run.pftrace", "import-tracer-version": "Perfetto v99 test",
           "import-trace-uuid": "00112233-4455-6677-4000-000000000005"}, "notes")


@test
def packets_of_other_machines_are_counted(folder):
    path, _ = import_file(folder, message((1, [(98, 7), (1, [(1, 0), soft(5)])])) + bundle(0, soft(7)))
    equal((vecs(path), config(path)["import-other-machines-packets"]), ([(7, 1)], "1"), "not mixed")


@test
def packets_whose_sequence_is_incomplete_are_counted(folder):
    path, _ = import_file(folder, packet((13, NEEDS), (1, [(1, 0), soft(5)])) + packet((13, CLEARED), (1, [(1, 0), soft(6)]))
                          + packet((13, NEEDS), (1, [(1, 0), soft(7)])))
    equal((vecs(path), config(path)["import-incomplete-packets"]), ([(6, 1), (7, 1)], "1"), "as Perfetto does")


# --- losses --------------------------------------------------------------------------------------------------------------


@test
def losses_without_a_count_have_a_place(folder):
    path, outcome = import_file(folder, bundle(1, soft(5_000)) + bundle(1, (3, 1), soft(9_000)), status=3)
    expect("LOST at least 1 event" in outcome.err, "one at least", outcome)
    gaps = [line for line in xtr("dump", "--json", path).out.replace(" ", "").splitlines() if '"gap"' in line or '"lost"' in line]
    expect(any('"cpu":1' in g and '"first_ns":5000' in g and '"last_ns":9000' in g for g in gaps), "between the bundles", gaps)


@test
def the_kernels_count_makes_losses_exact(folder):
    packets = [ftrace_stats(1, [(0, 100, 0), (1, 7, 0), (2, 0, 0)]), bundle(1, soft(5_000)), bundle(1, (3, 1), soft(9_000)),
               bundle(1, (3, 1), soft(9_500)), ftrace_stats(2, [(0, 105, 2), (1, 50, 0), (2, 0, 0)])]
    path, outcome = import_file(folder, b"".join(packets), status=3)
    expect("LOST 50 events" in outcome.err, "43 in two gaps of CPU 1, 7 of CPU 0", outcome)
    expect("import-lost-unsure" not in config(path), "none of unknown size")


@test
def packets_that_a_sequence_lost_are_a_loss(folder):
    first, later = bundle(0, soft(5_000)), packet((42, 1), (1, [(1, 0), soft(9_000)]))
    path, outcome = import_file(folder, first + later, status=3)
    expect("LOST at least 1 event" in outcome.err, "packets are missing", outcome)
    path, _ = import_file(folder, later + first.replace(b"\x88", b"\x88"))
    expect(len(vecs(path)) == 2, "the first packet of a sequence always says so")


@test
def losses_of_perfettos_buffers_are_told(folder):
    stats = packet((35, [(1, [(3, 12), (18, 0)]), (1, [(19, 4)])]))
    path, outcome = import_file(folder, bundle(0, soft(5_000)) + stats, status=3)
    equal((config(path)["import-perfetto-losses"], config(path)["import-perfetto-chunks-overwritten"]), ("4", "12"), "both notes")
    expect("LOST at least 1 event" in outcome.err, "a loss of unknown size", outcome)


@test
def what_the_recorder_could_not_read_is_damage(folder):
    path, _ = import_file(folder, bundle(2, (8, [(1, 6_000), (2, 6)]), soft(5_000)), status=3)
    expect("could not read events of CPU 2" in config(path)["import-damage-first"], "said")


# --- damage --------------------------------------------------------------------------------------------------------------


@test
def a_file_that_is_cut_anywhere_gives_what_is_whole(folder):
    packets = [bundle(0, soft(1_000 * i, i)) for i in range(1, 9)]
    data, ends = b"".join(packets), [len(b"".join(packets[:i])) for i in range(9)]
    for cut in range(ends[6], len(data)):
        whole = sum(1 for e in ends if e <= cut) - 1
        path, _ = import_file(folder, data[:cut], status=0 if cut in ends else 3)
        equal([n for _, n in vecs(path)], list(range(1, whole + 1)), f"cut at {cut}")


@test
def damage_costs_the_packets_that_it_lies_in(folder):
    packets = [bundle(0, soft(1_000 * i, i)) for i in range(1, 9)]
    for junk in (b"\0" * 40, b"\xff" * 11, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0b" * 3, b"no packet at all"):
        path, _ = import_file(folder, b"".join(packets[:4]) + junk + b"".join(packets[4:]), status=3)
        have = [n for _, n in vecs(path)]
        expect(have[:4] == [1, 2, 3, 4] and have[-3:] == [6, 7, 8], f"{junk[:12]}: found again", have)


@test
def lengths_that_lie_are_damage(folder):
    head = [(1, 5_000), (2, 1)]
    long = message(*head) + varint(24 << 3 | 2) + varint(1 << 40) + b"\x08\x01"
    path, _ = import_file(folder, bundle(0, (2, long), soft(7_000)), status=3)
    equal(vecs(path), [(7_000, 1)], "an event costs itself")
    inner = message((1, 0)) + varint(2 << 3 | 2) + varint(1 << 62) + b"abc"
    path, _ = import_file(folder, packet((1, inner)) + bundle(0, soft(7_000)), status=3)
    equal(vecs(path), [(7_000, 1)], "a bundle costs itself")
    path, _ = import_file(folder, packet((50, b"no zlib")) + bundle(0, soft(7_000)), status=3)
    equal(vecs(path), [(7_000, 1)], "compressed packets cost themselves")


@test
def packets_that_become_too_large_are_skipped(folder):
    bomb = compressed([message((1, [(900, b"\0" * (40 << 20))]))])
    path, _ = import_file(folder, bomb + bundle(0, soft(7_000)), status=3)
    equal(vecs(path), [(7_000, 1)], "the rest is there")
    large = message((1, [(900, b"\0" * (33 << 20))]))
    path, _ = import_file(folder, bundle(0, soft(6_000)) + large + bundle(0, soft(7_000)), status=3)
    equal(vecs(path), [(6_000, 1), (7_000, 1)], "the rest is there")


@test
def what_is_no_trace_of_perfetto_is_none(folder):
    for data in (b"\n\nhello world, this is a text\n", b"\x0a\x0d\x0d\x0a" + b"\0" * 60, b"\x0a", b"\x0a\x05\xff\xff\xff\xff\xff", b"\x0a\x00\x0a\x00"):
        outcome = xtr("import", "-o", os.path.join(folder, "x.xtr"), put(folder, "in.bin", data))
        expect(outcome.status == 1 and "Perfetto" not in outcome.err, f"{data[:8]}", outcome)
    outcome = xtr("import", "-o", os.path.join(folder, "y.xtr"), put(folder, "in.pftrace", system_info()))
    expect(outcome.status == 1 and "no event in it" in outcome.err, "a trace without events", outcome)


@test
def a_cpu_that_cannot_be_is_damage(folder):
    path, _ = import_file(folder, bundle(70_000, soft(5)) + bundle(0, soft(7)), status=3)
    equal((vecs(path), config(path)["import-bundles-left-out"]), ([(7, 1)], "1"), "left out and counted")
