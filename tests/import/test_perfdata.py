# SPDX-License-Identifier: BSD-2-Clause
"""perf.data: what is imported is what was written into it."""

import os
import re
import struct

import load
import perfdata
from harness import config, equal, events, expect, import_file, info, jobs, put, test, xtr
from perfdata import (ADDR, ATTR_SIZES, CALLCHAIN, CPU, EXEC, ID, IDENTIFIER, IP, KERNEL, MARK_KERNEL, MARK_USER,
                      PERIOD, RAW, READ, STREAM, SW, TID, TIME, TRACEPOINT, Attr, Writer)
from tracedat import EVENTS, Shape, zstd_raw

TP = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW


def tp_attrs(used, sample_type=TP, **options):
    return {e.name: Attr(TRACEPOINT, e.number, sample_type, [100 + i], f"{e.system}:{e.name}", **options)
            for i, e in enumerate(used)}


def gpu_file(order, how, size=128, old=False, long_size=8, n=60, sample_type=TP, chain=()):
    """A load's events as samples; those of each CPU in their order, CPU after CPU, in rounds."""
    shape = Shape(6, big=order == ">", long_size=long_size)
    made = load.make(n, long_size=long_size)
    told = load.told(made, old)
    used = [EVENTS[name] for name in sorted({t[3] for t in told})]
    attrs, w = tp_attrs(used, sample_type, size=size), Writer(order)
    first = next(iter(attrs.values()))
    out = b"".join(w.comm(first, 0, tid, tid, comm) for tid, comm in load.comms())
    for at in range(0, len(told), 50):
        part = told[at:at + 50]
        for cpu in sorted({t[1] for t in part}):
            for ts, _, tid, name, values in (t for t in part if t[1] == cpu):
                a = attrs[name]
                out += w.sample(a, ts, tid, tid, cpu, a.ids[0], raw=EVENTS[name].record(shape, tid, values), chain=chain)
        out += w.round()
    tracing = perfdata.tracing_data(order, used, long_size)
    return made, how(order, list(attrs.values()), out, tracing)


def has_zstd():
    return "zstd in trace.dat" in xtr("--version").out.split("left out")[0]


@test
def jobs_of_any_perf_data_are_those_that_were_written(folder):
    shapes = [(order, how, size, False, 8) for order in "<>" for how in (perfdata.file, perfdata.pipe) for size in (112, 128)]
    shapes += [("<", perfdata.file, size, False, 8) for size in ATTR_SIZES]
    shapes += [(order, perfdata.file, 128, True, width) for order in "<>" for width in (4, 8)]
    for shape in shapes:
        made, data = gpu_file(*shape)
        path, outcome = import_file(folder, data)
        expect("LOST" not in outcome.err, f"{shape}: nothing is lost", outcome)
        found = sorted((j["ring"], j["queue_ns"], j["run_ns"], j["done_ns"], j["tid"], j["pid"]) for j in jobs(path))
        equal(found, sorted((j.ring, j.queue, j.run, j.done, j.tid, j.tid) for j in made), f"{shape}: jobs")
        equal("import-late" in config(path), False, "rounds put all of it in order")


def plain(order="<", sample_type=IDENTIFIER | IP | TID | TIME | ADDR | CPU | PERIOD, **options):
    return Attr(SW, 0, sample_type, [7], "cpu-clock", **options), Writer(order)


@test
def a_sample_is_read_by_the_attribute_that_its_id_names(folder):
    read = 1 | 2 | 4 | 8 | 16
    kinds = [Attr(SW, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD, [1, 2], "cpu-clock:u"),
             Attr(SW, 2, IDENTIFIER | IP | TID | TIME | ADDR | CPU | READ | PERIOD | CALLCHAIN | RAW, [3], "faults",
                  read_format=read),
             Attr(4, 0x1c0, IDENTIFIER | IP | TID | TIME | STREAM | CPU | PERIOD, [4], "")]
    for order in "<>":
        w = Writer(order)
        group = w.u64(2) + w.u64(50, 40) + w.u64(1, 3, 0) + w.u64(2, 4, 0)
        out = w.sample(kinds[0], 100, 5, 6, 1, 2, ip=0x1000, period=11)
        out += w.sample(kinds[1], 200, 5, 6, 2, 3, ip=0x2000, addr=0x77, period=0, read=group, raw=b"abcd")
        out += w.sample(kinds[2], 300, 5, 6, 3, 4, ip=0x3000, period=13)
        for how in (perfdata.file, perfdata.pipe):
            path, _ = import_file(folder, how(order, kinds, out))
            have = [(e["event"], e["ts_ns"], e["cpu"], e["tid"], {k: int(str(v), 0) for k, v in e["fields"].items()})
                    for e in events(path)]
            equal(have, [("perf:cpu-clock:u", 100, 1, 6, {"ip": 0x1000, "period": 11}),
                         ("perf:faults", 200, 2, 6, {"ip": 0x2000, "addr": 0x77, "period": 0}),
                         ("perf:raw-0x1c0", 300, 3, 6, {"ip": 0x3000, "period": 13})], "events")
    by_id = [Attr(SW, 0, IP | TID | TIME | ID | CPU, [1], "one"), Attr(SW, 1, IP | TID | TIME | ID | CPU, [2], "two")]
    w = Writer()
    out = w.sample(by_id[1], 100, 5, 6, 1, 2) + w.sample(by_id[0], 200, 5, 6, 1, 1) + w.sample(by_id[0], 300, 5, 6, 1, 99)
    path, outcome = import_file(folder, perfdata.file("<", by_id, out), status=3)
    equal([e["event"] for e in events(path)], ["perf:two", "perf:one"], "told apart by ID")
    expect("a sample of no known event" in outcome.err, "what no attribute has is counted", outcome)


@test
def facts_and_clocks_of_perf_data_are_kept(folder):
    a, w = plain(clockid=1)
    data = perfdata.file("<", [a], w.sample(a, 5_000_000, 1, 1), clock=(1_700_000_000_000_000_000, 4_000_000))
    path, _ = import_file(folder, data, name="my.data")
    section = info(path)["sections"][0]
    equal([section["clock"], section["system"]["hostname"], section["system"]["cpus"], info(path)["kernel"]],
          ["monotonic", "testhost", 4, "6.6.6-test"], "clock, host, CPUs, kernel")
    equal(section["config"], {"import-format": "perfdata", "import-source": "my.data", "import-tool": "perf 9.9",
                              "import-command": "perf record"}, "config")
    expect("2023-11-14 22:13:20.001" in xtr("info", path).out, "CLOCK_DATA tells when it began", xtr("info", path))
    for clockid, name in ((None, "local"), (4, "monotonic-raw"), (7, "boottime"), (11, "tai")):
        for order in "<>":
            a, w = plain(order, clockid=clockid)
            path, _ = import_file(folder, perfdata.file(order, [a], w.sample(a, 5, 1, 1)))
            equal(info(path)["clock"], name, f"clock {clockid}")
    a, w = plain(">")
    path, _ = import_file(folder, perfdata.file(">", [a], w.sample(a, 5, 1, 1), narrow=True))
    equal(info(path)["kernel"], "6.6.6-test", "features of a big-endian machine of 32 bits")
    a, w = plain(sample_type=IP | TID)
    path, outcome = import_file(folder, perfdata.file("<", [a], w.sample(a, 0, 1, 1) + w.sample(a, 0, 1, 2)))
    equal([e["tid"] for e in events(path)], [1, 2], "the order of the file")
    expect("without times" in outcome.err and "import-without-cpus" in config(path), "said", outcome)


@test
def threads_have_the_names_and_processes_that_perf_tells(folder):
    a, w = plain()
    out = w.comm(a, 0, 10, 10, "parent") + w.sample(a, 100, 10, 10)
    out += w.fork(a, 200, 20, 10, 20, 10) + w.sample(a, 250, 20, 20)
    out += w.comm(a, 300, 20, 20, "program", EXEC) + w.sample(a, 350, 20, 20)
    out += w.fork(a, 400, 20, 20, 21, 20) + w.sample(a, 450, 20, 21)
    path, _ = import_file(folder, perfdata.file("<", [a], out))
    equal([(e["ts_ns"], e["pid"], e["tid"], e["comm"]) for e in events(path)],
          [(100, 10, 10, "parent"), (250, 20, 20, "parent"), (350, 20, 20, "program"), (450, 20, 21, "program")], "tasks")


@test
def call_chains_become_stacks(folder):
    chain = [MARK_KERNEL, 0xffffffff81000010, 0xffffffffc0000020, MARK_USER, 0x400123, 0x7f0000001000, 0x99]
    a, w = plain(sample_type=IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN)
    out = w.mmap(a, 0, 2**32 - 1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text", KERNEL)
    out += w.mmap(a, 0, 2**32 - 1, 0xffffffffc0000000, 0x10000, 0, "/lib/modules/6.6/kernel/i915.ko.xz", KERNEL)
    out += w.mmap2(a, 0, 10, 0x400000, 0x1000, 0x2000, "/usr/bin/game")
    out += w.mmap2(a, 0, 10, 0x7f0000000000, 0x100000, 0, "/usr/lib/libold.so")
    out += w.mmap2(a, 5, 10, 0x7f0000001000, 0x1000, 0x5000, "/usr/lib/libnew.so")
    out += w.sample(a, 10, 10, 11, ident=7, chain=chain)
    out += w.fork(a, 20, 30, 10, 30, 10) + w.sample(a, 30, 30, 30, ident=7, chain=[MARK_USER, 0x400123, 0x7f0000002000])
    # Until the new program runs, the stack is the old one's.
    out += w.comm(a, 40, 30, 30, "other", EXEC) + w.sample(a, 50, 30, 30, ident=7, chain=[MARK_USER, 0x400123])
    out += w.mmap2(a, 60, 30, 0x400000, 0x1000, 0, "/usr/bin/other")
    out += w.record(perfdata.EXIT, w.u32(30, 10, 30, 10) + w.u64(65) + w.trailer(a, 65, 30, 30, ident=7))
    out += w.sample(a, 70, 30, 31, ident=7, chain=[MARK_USER, 0x400123])  # a thread that outlives the first one
    out += w.fork(a, 80, 30, 99, 30, 99) + w.sample(a, 90, 30, 30, ident=7, chain=[MARK_USER, 0x400123])
    path, _ = import_file(folder, perfdata.file("<", [a], out))
    stacks = [[line.strip() for line in block.splitlines()[1:]]
              for block in re.split(r"\n(?=\S| {2,}\S+-\d+ )", xtr("dump", path).out)]
    equal([s for s in stacks if s],
          [["kernel+0x10", "i915+0x20", "/usr/bin/game+0x2123", "/usr/lib/libnew.so+0x5000", "0x99 [unknown]"],
           ["/usr/bin/game+0x2123", "/usr/lib/libold.so+0x2000"], ["/usr/bin/game+0x2123"], ["/usr/bin/other+0x123"],
           ["0x400123 [unknown]"]], "frames")
    expect("81000010" not in xtr("dump", "--json", path).out, "where the kernel lay is not told")
    later = w.sample(a, 10, 10, 11, ident=7, chain=[MARK_KERNEL, 0xffffffff81000010, perfdata.MARK_DEFERRED, 0x1234])
    later += w.record(perfdata.DEFERRED, w.u64(0x1234, 1, 0x400123) + w.trailer(a, 11, 10, 11, ident=7))
    path, _ = import_file(folder, perfdata.file("<", [a], later))
    expect("kernel+0x0" in xtr("dump", path).out and "1234" not in xtr("dump", path).out, "a cookie is no frame",
           xtr("dump", path))
    equal(config(path)["import-user-stacks-left-out"], "1", "counted")
    for old in (False, True):
        _, data = gpu_file("<", perfdata.file, old=old, sample_type=TP | CALLCHAIN,
                           chain=(MARK_KERNEL, 0xffffffff81000010, MARK_USER, 0x400123))
        path, _ = import_file(folder, data)
        flame = xtr("flame", "-f", "folded", path)
        expect("[no stack]" not in flame.out and "kernel" in flame.out, "xtr flame has stacks of submitters", flame)


@test
def records_come_in_order_of_time(folder):
    a, w = plain()
    times = [[1, 5, 9], [2, 3, 8], [4, 6, 7]]
    out = b""
    for base in range(0, 3000, 10):  # a CPU's buffer may hold what is younger than the next one's
        for cpu in (2, 0, 1):
            out += b"".join(w.sample(a, 1000 + base + t, 1, 1, cpu, 7) for t in times[cpu])
        out += w.round()
    path, _ = import_file(folder, perfdata.file("<", [a], out))
    seen = [e["ts_ns"] for e in events(path)]
    equal(seen, sorted(seen), "order")
    equal(len(seen), 2700, "all of them")
    late = out + w.sample(a, 1001, 1, 1, 0, 7) + w.round() + w.round()
    path, _ = import_file(folder, perfdata.file("<", [a], late + w.sample(a, 900, 1, 1, 0, 7)))
    equal(config(path).get("import-late"), "2", "what comes after its round is kept, and counted")


@test
def losses_of_perf_are_in_the_account(folder):
    a, w = plain()
    body = w.sample(a, 100, 1, 1, 2, 7) + w.lost(a, 200, 2, 7, 41) + w.sample(a, 300, 1, 1, 2, 7)
    path, outcome = import_file(folder, perfdata.file("<", [a], body), status=3)
    expect("LOST 41 events" in outcome.err and info(path)["lost"] == 41, "LOST", outcome)
    gap = [line for line in xtr("dump", "--json", path).out.splitlines() if '"event"' not in line]
    expect(any('"first_ns":100' in g.replace(" ", "") and "41" in g for g in gap), "its place and CPU", gap)
    at_end = w.record(perfdata.LOST_SAMPLES, w.u64(50) + w.trailer(a, 0, ident=7))
    path, outcome = import_file(folder, perfdata.file("<", [a], body + at_end), status=3)
    expect(info(path)["lost"] == 50, "perf's count at the end has those of LOST in it", outcome)
    chosen = w.record(perfdata.LOST_SAMPLES, w.u64(70) + w.trailer(a, 0, ident=7), perfdata.CHOSEN)
    path, _ = import_file(folder, perfdata.file("<", [a], w.sample(a, 100, 1, 1, 2, 7) + chosen))
    equal(info(path)["lost"], 0, "what a filter of perf record left out is not lost")
    pause = [w.record(kind, w.u64(ts, 7, 7) + w.trailer(a, ts, cpu=3, ident=7))
             for kind, ts in ((perfdata.THROTTLE, 400), (perfdata.UNTHROTTLE, 500))]
    path, outcome = import_file(folder, perfdata.file("<", [a], w.sample(a, 100, 1, 1, 2, 7) + b"".join(pause)), status=3)
    expect("LOST at least 1 event" in outcome.err, "nobody counts what was throttled", outcome)


@test
def compressed_records_are_read_wherever_they_are_cut(folder):
    a, w = plain()
    inner = w.comm(a, 0, 1, 1, "packed") + b"".join(w.sample(a, 100 + i, 1, 1, i % 4, 7, ip=i) for i in range(3000))
    want, _ = import_file(folder, perfdata.file("<", [a], inner))
    frame = zstd_raw(inner)
    for kind in (perfdata.COMPRESSED, perfdata.COMPRESSED2):
        out = b""
        for at in range(0, len(frame), 7777):
            piece = frame[at:at + 7777]
            if kind == perfdata.COMPRESSED:  # its length says how long it is, in single bytes
                out += struct.pack("<IHH", kind, 0, 8 + len(piece)) + piece
            else:
                out += w.record(kind, w.u64(len(piece)) + piece)
        if not has_zstd():
            outcome = xtr("import", "-o", os.path.join(folder, "n.xtr"), put(folder, "n", perfdata.file("<", [a], out)))
            expect(outcome.status == 1 and "'perf inject" in outcome.err, "the command that helps is named", outcome)
            continue
        path, _ = import_file(folder, perfdata.file("<", [a], out), name="z.data")
        equal([e for e in events(path)], [e for e in events(want)], "the same events")
        bad = bytearray(perfdata.file("<", [a], out))
        bad[len(bad) // 2] ^= 0xff
        outcome = xtr("import", "--force", "-o", os.path.join(folder, "b.xtr"), put(folder, "b", bytes(bad)))
        expect(outcome.status in (0, 1, 3), "damage inside", outcome)


@test
def aux_traces_are_left_out_with_their_size(folder):
    a, w = plain()
    out = w.record(perfdata.AUXTRACE, w.u64(4096, 0, 0) + w.u32(0, 1, 0, 0)) + b"\xaa" * 4096 + w.sample(a, 5, 1, 1)
    path, _ = import_file(folder, perfdata.file("<", [a], out))
    equal([config(path)["import-aux-bytes-left-out"], len(events(path))], ["4096", 1], "skipped, counted")


@test
def what_cannot_be_read_is_named(folder):
    a, w = plain()
    whole = perfdata.file("<", [a], b"".join(w.sample(a, i + 1, 1, 1, 0, 7) for i in range(50)))
    out = os.path.join(folder, "x.xtr")
    for data, why in ((b"PERFFILE" + bytes(200), "2.6.37"), (whole[:50], "header"),
                      (whole[:8] + struct.pack("<Q", 9) + whole[16:], "header of 9 bytes"),
                      (whole[:16] + struct.pack("<Q", 2**40) + whole[24:], "attributes of")):
        outcome = xtr("import", "--force", "-o", out, put(folder, "bad", data))
        expect(outcome.status == 1 and why in outcome.err and len(outcome.err.splitlines()) < 4, why, outcome)
    killed = whole[:48] + bytes(8) + whole[56:]
    path, outcome = import_file(folder, killed, status=3)
    expect("perf record did not end" in outcome.err and len(events(path)) >= 50, "what there is of a killed one", outcome)


@test
def perf_data_cut_anywhere_or_with_lying_lengths_is_survived(folder):
    for how in (perfdata.file, perfdata.pipe):
        _, data = gpu_file("<", how, n=5, sample_type=TP | CALLCHAIN, chain=(MARK_KERNEL, 1, MARK_USER, 2))
        cases = [data[:cut] for cut in range(8, len(data), len(data) // 40)]
        for at in range(8, len(data) - 8, len(data) // 60):
            cases.append(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4:])
        for case in cases:
            outcome = xtr("import", "--force", "-o", os.path.join(folder, "o.xtr"), put(folder, "c", case))
            expect(outcome.status in (0, 1, 3) and "xtr: " in outcome.err, "an answer", outcome)
