# SPDX-License-Identifier: BSD-2-Clause
"""trace.dat: known answers by another reader, trace-cmd report: each event's CPU, thread, time and name, and the texts."""

import collections
import os
import re
import shutil
import subprocess

import load
from harness import Skip, equal, events, expect, import_file, put, test
from test_tracedat import built_with, by_cpu
from tracedat import EVENTS, File, Shape, binary

SHAPES = [Shape(6), Shape(6, big=True), Shape(6, long_size=4), Shape(6, big=True, long_size=4), Shape(7),
          Shape(7, codec="zstd"), Shape(7, big=True), Shape(7, page=16384)]
LINE = re.compile(r"^\s*(?:\S+:)?\s*(\S+)-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+([\w.-]+): *(.*)$")
FORMAT = 0xffffffff82000100
# A format, its values, and what the kernel's printf() makes of them.
TEXTS = [
    ("plain\n", [], "plain"),
    ("%d %u %5d|\n", [(4, -7), (4, 7), (4, 42)], "-7 7    42|"),
    ("%x %X\n", [(4, 0xabc), (4, 0xabc)], "abc ABC"),
    ("%lld %llx %llu\n", [(8, -5), (8, 0x123456789abcdef), (8, 2**63)], "-5 123456789abcdef 9223372036854775808"),
    ("%d %lld\n", [(4, 1), (8, 2**40)], "1 1099511627776"),
    ("%ld %lx %zu\n", [("ptr", 3), ("ptr", 0x1234), ("ptr", 99)], "3 1234 99"),
    ("%s=%d, %s\n", ["ring", (4, 3), "gfx"], "ring=3, gfx"),
    ("100%% of %s\n", ["it"], "100% of it"),
]
# What trace-cmd 3.1 does not print so: it prints no event of the kind after the first of these.
OTHER_TEXTS = [
    ("%05d|%-5d|%08x|%#x|%-8x|\n", [(4, -42), (4, 42)] + 3 * [(4, 0xabc)], "-0042|42   |00000abc|0xabc|abc     |"),
    ("%+d % d|%o %#o\n", [(4, 42), (4, 42), (4, 8), (4, 8)], "+42  42|10 010"),
    ("%.3s|%6.2s|%-6s|%c%5c\n", ["string", "ab cd", "left", (1, 65), (1, 66)], "str|    ab|left  |A    B"),
    ("%*d|%-*d|%.*s|%.5d\n", [(4, 4), (4, 7), (4, -4), (4, 7), (4, 2), "cut", (4, 42)], "   7|7   |cu|00042"),
    ("%ld %zd\n", [("ptr", -3), ("ptr", -4)], "-3 -4"),
    ("%hd %hhd %hu %d\n", [(2, -2), (1, -1), (2, 65535), (4, 1)], "-2 -1 65535 1"),
    ("mac %pM at %pI4\n", ["00:11:22:33:44:55", "10.0.0.1"], "mac 00:11:22:33:44:55 at 10.0.0.1"),
]


def report(folder, data):
    """[(ts, cpu, tid, event, text)] as trace-cmd prints them."""
    if not shutil.which("trace-cmd"):
        raise Skip("trace-cmd is not installed (scripts/install-deps check)")
    path = put(folder, "report.dat", data)
    run = subprocess.run(["trace-cmd", "report", "-t", "-q", "-i", path], capture_output=True, check=False)
    out = []
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        m = LINE.match(line)
        if m:
            out.append((int(m[4]) * 10**9 + int(m[5]), int(m[3]), int(m[2]), m[6], m[7]))
    return out


def ours(path):
    return [(e["ts_ns"], e["cpu"], e["tid"] if "tid" in e else 0, e["event"].split(":")[1]) for e in events(path)]


def count(rows):
    return sorted(collections.Counter(rows).items())


def load_of(shape):
    made = load.make(150, long_size=shape.long_size)
    told = load.told(made, True)
    cpus = by_cpu(shape, told)
    # What the importer keeps under its own name and trace-cmd prints under it.
    for ts, cpu, tid, name, _ in told[::3]:
        del name
        cpus[cpu].append((ts + 7, EVENTS["softirq_entry"].record(shape, tid, {"vec": 3})))
        cpus[cpu].append((ts + 9, EVENTS["print"].record(shape, tid, {"ip": 0, "buf": f"mark {ts}\n"})))
    return {cpu: sorted(of, key=lambda e: e[0]) for cpu, of in cpus.items()}


def compare(folder, shape, data, name):
    theirs = report(folder, data)
    path, _ = import_file(folder, data, name=name)
    expect(len(theirs) > 100, f"{shape}: trace-cmd report reads the file", len(theirs))
    have = ours(path)
    equal(len(have), len(theirs), f"{shape}: number of events")
    equal(count(row[:3] for row in have), count(row[:3] for row in theirs), f"{shape}: time, CPU and thread of each")
    equal(count(row for row in have if row[3] == "softirq_entry"),
          count(row[:4] for row in theirs if row[3] == "softirq_entry"), f"{shape}: names")
    equal(count((e["ts_ns"], e["fields"]["buf"]) for e in events(path, "-e", "ftrace:print")),
          count((row[0], row[4].split(": ", 1)[1].rstrip()) for row in theirs if row[3] == "print"), f"{shape}: texts")


@test
def trace_cmd_report_sees_the_same_events(folder):
    for shape in SHAPES:
        if not built_with(shape.codec):
            raise Skip(f"built without {shape.codec}")
        file = File(shape, load_of(shape), comms=load.comms())
        compare(folder, shape, file.bytes(), str(shape))


@test
def trace_cmd_report_sees_the_same_events_of_instances(folder):
    for shape in SHAPES:
        if not built_with(shape.codec):
            raise Skip(f"built without {shape.codec}")
        cpus = load_of(shape)
        top, other = ({cpu: of[half::2] for cpu, of in cpus.items()} for half in (0, 1))
        file = File(shape, top, comms=load.comms(), instances=[("second", other), ("empty", {cpu: [] for cpu in cpus})])
        compare(folder, shape, file.bytes(), f"instances {shape}")


@test
def files_that_trace_cmd_made_of_others_are_read(folder):
    whole = put(folder, "whole.dat", File(Shape(6), load_of(Shape(6)), comms=load.comms()).bytes())
    if not shutil.which("trace-cmd"):
        raise Skip("trace-cmd is not installed (scripts/install-deps check)")
    all_of_them = ours(import_file(folder, open(whole, "rb").read(), name="whole")[0])
    middle = (all_of_them[0][0] + all_of_them[-1][0]) // 2
    at = f"{middle // 10**9}.{middle % 10**9:09d}"
    commands = [("split", "-i", whole, "-o", "part.dat", at), ("convert", "-i", whole, "-o", "part.dat.1"),
                # Of what it just made.
                ("convert", "-i", "convert", "-o", "part.dat.1", "--file-version", "6"),
                ("convert", "-i", "convert", "-o", "part.dat.1", "--compression", "none"),
                ("split", "-i", "convert", "-o", "part.dat", at)]
    for command in commands:
        run = subprocess.run(["trace-cmd", *command], cwd=folder, capture_output=True, check=False)
        made = os.path.join(folder, "part.dat.1")
        expect(run.returncode == 0 and os.path.exists(made), f"trace-cmd {command[0]} makes a file", run.stdout)
        with open(made, "rb") as f:
            data = f.read()
        os.rename(made, os.path.join(folder, command[0]))
        compare(folder, command[0], data, command[0])


@test
def texts_of_trace_printk_are_those_of_the_kernel(folder):
    for shape in (Shape(6), Shape(6, big=True), Shape(6, long_size=4), Shape(6, big=True, long_size=4), Shape(7)):
        base = FORMAT & ((1 << (8 * shape.long_size)) - 1)
        printk, cpus, want = [(base, "a whole text\\n")], {0: []}, ["a whole text"]
        cpus[0].append((1000, EVENTS["bputs"].record(shape, 9, {"ip": 64, "str": base})))
        for i, (text, values, truth) in enumerate(TEXTS + OTHER_TEXTS):
            address = base + 64 * (i + 1)
            printk.append((address, text.replace("\n", "\\n")))
            cpus[0].append((2000 + i, EVENTS["bprint"].record(
                shape, 9, {"ip": 64, "fmt": address, "buf": binary(shape, *values)})))
            want.append(truth)
        data = File(shape, cpus, printk=printk).bytes()
        path, _ = import_file(folder, data, name=f"printk {shape}")
        equal([e["fields"]["buf"] for e in events(path)], want, f"{shape}: texts")
        theirs = [row[4].split(": ", 1)[1].rstrip() for row in report(folder, data)[:len(TEXTS) + 1]]
        # Of a bputs it does not turn the address round.
        equal(theirs[shape.big:], want[shape.big:len(TEXTS) + 1], f"{shape}: trace-cmd report")


@test
def what_a_bprint_lacks_is_said(folder):
    shape = Shape(6)
    bprint = EVENTS["bprint"]
    printk = [(64, "%s and %d %lld %*d|\\n"), (128, "%pI4 %p %pS %"), (192, "%999999999d")]
    cpus = {0: [(1000, bprint.record(shape, 9, {"ip": 64, "fmt": 64, "buf": b"cut"})),
                (2000, bprint.record(shape, 9, {"ip": 64, "fmt": 4711, "buf": b""})),
                (3000, bprint.record(shape, 9, {"ip": 64, "fmt": 128,
                                                "buf": binary(shape, "10.0.0.1", ("ptr", 0xffff8880), ("ptr", 0xffff8890))})),
                (4000, bprint.record(shape, 9, {"ip": 64, "fmt": 192, "buf": binary(shape, (4, 5))})),
                (5000, EVENTS["bputs"].record(shape, 9, {"ip": 64, "str": 0}))]}
    data = File(shape, cpus, printk=printk).bytes()
    path, _ = import_file(folder, data, "--keep-pointers")
    have = [e["fields"]["buf"] for e in events(path)]
    equal(have[:3], ["cut and 0 0 0|", "(no text at 0x1267)", "10.0.0.1 0xffff8880 0xffff8890 "], "texts")
    expect(len(have[3]) == 4096, "a text is bounded", len(have[3]))
    equal(have[4], "(no text at 0x0)", "a pointer to nothing")
    hashed = [e["fields"]["buf"] for e in events(import_file(folder, data)[0])]
    expect("ffff8880" not in hashed[2], "addresses are hashed", hashed[2])


@test
def process_ids_of_threads_stand_in_an_option(folder):
    for number in (8, 32):
        shape = Shape(6)
        made = load.make(30)
        cpus = by_cpu(shape, load.told(made, False))
        table = "".join(f"{tid} {tid - 500}\n" for tid, _ in load.comms()).encode() + b"0 0\n77 77\nx y\n5 -1\n\0"
        path, _ = import_file(folder, File(shape, cpus, comms=load.comms(), extra_options=[(number, table)]).bytes())
        seen = {(e["tid"], e["pid"]) for e in events(path) if "pid" in e and e["tid"] >= 1000}
        equal(seen, {(j.tid, j.tid - 500) for j in made}, f"option {number}: the process of each thread")
