# SPDX-License-Identifier: BSD-2-Clause
"""What recording costs whole programs: a build, a program that draws frames, calls at fixed rates.

CPU times are those of the kernel's accounts (getrusage, the CPU clocks of processes), so other programs on the machine disturb
them less than times on the clock. The recorder's counts from the load's begin to the recorder's end, which writes what was still in
buffers; that of control runs, the same recorder with a command that ends at once, is taken away.
"""
import os
import pathlib
import shlex
import shutil
import statistics
import tempfile
import time

import common
import peers
from table import Table

SCHED = ("sched:sched_switch", "sched:sched_waking")
# table: what is recorded of a build. The last are calls that recorders make, too.
BUILDS = {"whole-build": (*SCHED, "kmem:mm_page_alloc"), "whole-calls": (*SCHED, "raw_syscalls:sys_enter")}
SOURCES = 16  # of the tree, which the build compiles
ATTEMPTS = 3  # trace-cmd gives up where another program's BPF programs leave while it copies /proc/kallsyms
NOTHING = shutil.which("true")  # the command of a control run
FRAME_US, FRAME_WORK, FRAME_CALLS, FRAME_MS = 16667, 800, 20, 3000  # work: about 2 ms
TICK_US = 10000
# calls per second: ms of a run; those that make few events need longer to show anything
RATES = {1000: 3000, 10000: 2000, 100000: 2000, 1000000: 1000}
TOP = max(RATES)
NONE = "none"

BUILD_METRICS = {
    "wall": ("s", "runtime"),
    "cpu": ("s", "CPU of the build"),
    "both": ("s", "CPU of build and recorder"),
    "own": ("% of a CPU", "recorder"),
    "edges": ("s of CPU", "start and stop"),
    "rate": ("events/s", "recorded"),
    "lost": ("events", "lost"),
}
FRAME_METRICS = {
    "frames": ("frames/s", "reached"),
    "took": ("ms", "a frame, median"),
    "slow": ("ms", "99th percentile"),
    "cpu": ("ms/frame", "CPU of the program"),
    "both": ("ms/frame", "CPU of program and recorder"),
    "own": ("% of a CPU", "recorder"),
    "lost": ("events", "lost"),
}


SHARE_METRICS = {str(rate): ("% of a CPU", f"{rate:,} events/s") for rate in RATES}
RATE_METRICS = {**SHARE_METRICS, "top": ("events/s", f"reached of {TOP:,}"), "lost": ("%", "lost there")}


class Ran:
    """A load that ran: its CPU time and its time on the clock, and the recorder's CPU time from its begin on; ns."""

    def __init__(self, load, whole=None):
        cpu, wall, _, before = (int(n) for n in (load.read_text() + " 0").split()[:4])
        self.cpu, self.wall = cpu, wall
        self.edges = whole.cpu - cpu if whole else 0  # all that is not the load's
        self.recorder = self.edges - before if whole else 0


class Whole:
    """Recorders of some events around loads."""

    def __init__(self, work, events):
        self.work = pathlib.Path(work)
        self.out = self.work / "events" / "trace"
        self.result, self.figures = self.work / "load", self.work / "pace"
        self.part = []
        self.control = {}  # control runs of each recorder
        recorders = [peers.Xtr(common.XTR), peers.XtrPrograms(common.XTR), peers.TraceCmd(), peers.Perf(), peers.Bpftrace()]
        for recorder in recorders:
            recorder.events = events
            self.take(recorder)

    def take(self, recorder):
        """A recorder that cannot record here is left out. RuntimeError without xtr."""
        why = recorder.why_not()
        try:
            if not why:
                self.control[recorder.name] = [self.under(recorder, [NOTHING])]
                self.part.append(recorder)
        except RuntimeError as e:
            why = f"cannot record here: {e}"
        if why:
            print(f"{recorder.name}: left out: {why}")
        if why and recorder.name == "xtr":
            raise RuntimeError(f"xtr: {why}")

    def spend(self, load):
        self.result.unlink(missing_ok=True)
        return [str(common.BUILD / "tests/bench/spend"), "-s", str(self.result), *load]

    def alone(self, load):
        common.must(self.spend(load), good=(0,))
        return Ran(self.result)

    def under(self, recorder, load):
        for attempt in range(ATTEMPTS):
            try:
                return self.record(recorder, load)
            except RuntimeError as e:
                if attempt == ATTEMPTS - 1:
                    raise
                print(f"{recorder.name}: once more: {e}")

    def record(self, recorder, load):
        """The recorder has a session of its own: so spend tells its processes from others."""
        shutil.rmtree(self.out.parent, ignore_errors=True)
        self.out.parent.mkdir()
        whole = common.must(["setsid", *recorder.record(str(self.out), self.spend(load))], recorder.env)
        if not self.result.exists():
            raise RuntimeError(whole.why or f"{recorder.name} did not run the load")
        return Ran(self.result, whole)

    def controls(self):
        """A control run of each recorder, for the round that begins."""
        for recorder in self.part:
            self.control[recorder.name].append(self.under(recorder, [NOTHING]))

    def net(self, recorder, ran):
        """The recorder's CPU time without what stopping takes, which varies: the median of all control runs so far."""
        return ran.recorder - statistics.median(c.recorder for c in self.control[recorder.name])

    def pace(self, *options):
        """A load that leaves its figures for paced()."""
        return [str(common.BUILD / "tests/bench/pace"), *map(str, options), "-c", str(max(os.sched_getaffinity(0))), "-o",
                str(self.figures)]

    def paced(self):
        """frames, calls, CPU ns, ns that all took, ns of a frame: median, 99th percentile"""
        return [int(n) for n in self.figures.read_text().split()]


def rounds_of(what, opts):
    """Counts rounds and says how long each took."""
    for i in range(opts.rounds):
        start = time.monotonic()
        yield i
        print(f"{what}: round {i + 1} of {opts.rounds}, {time.monotonic() - start:.0f} s", flush=True)


def command(recorder, load):
    """What to show of a recorder that runs a load."""
    return common.shown(recorder.record("FILE", load.split()))


def compiler(work):
    """A build as a script: one compiler after the other."""
    sources = sorted(common.ROOT.glob("format/*/*.c"))[:SOURCES]
    cc = ["cc", "-std=gnu11", "-D_GNU_SOURCE", '-DXTR_VERSION="x"', "-I", str(common.ROOT), "-O1", "-c", "-o", "/dev/null"]
    script = pathlib.Path(work) / "build.sh"
    script.write_text("set -e\n" + "".join(f"{shlex.join([*cc, str(source)])}\n" for source in sources))
    return ["/bin/sh", str(script)]


def build_round(table, whole, load):
    plain = whole.alone(load)
    for metric, value in (("wall", plain.wall), ("cpu", plain.cpu), ("both", plain.cpu)):
        table.add(NONE, metric, value / 1e9)
    whole.controls()
    for recorder in whole.part:
        ran = whole.under(recorder, load)
        own = whole.net(recorder, ran)
        events, lost = recorder.counts(str(whole.out))
        table.add(recorder.name, "wall", ran.wall / 1e9)
        table.add(recorder.name, "cpu", ran.cpu / 1e9)
        table.add(recorder.name, "both", (ran.cpu + own) / 1e9)
        table.add(recorder.name, "own", 100 * own / ran.wall)
        table.add(recorder.name, "edges", whole.control[recorder.name][-1].edges / 1e9)
        table.add(recorder.name, "rate", events * 1e9 / ran.wall)
        table.add(recorder.name, "lost", lost)


def build_table(name, whole):
    table = Table(name, BUILD_METRICS, "recorder", NONE, ("own", "edges", "rate", "lost"))
    table.command(NONE, "sh build.sh")
    for recorder in whole.part:
        table.command(recorder.name, command(recorder, "sh build.sh"))
    return table


def build(opts, work):
    load = compiler(work)
    wholes = {name: Whole(work, events) for name, events in BUILDS.items()}
    tables = {name: build_table(name, whole) for name, whole in wholes.items()}
    common.must(load, good=(0,))  # so that no round reads the sources from disk
    for _ in rounds_of("build", opts):
        for name, whole in wholes.items():
            build_round(tables[name], whole, load)
    for name, table in tables.items():
        table.show(f"a build of {SOURCES} files, {opts.rounds} rounds: {', '.join(BUILDS[name])}")
        table.save(opts.rounds)


def add_frames(table, who, figures, own):
    """Of a paced load with a recorder that took own ns."""
    frames, _, cpu, wall, took, slow = figures
    table.add(who, "frames", frames * 1e9 / wall)
    table.add(who, "took", took / 1e6)
    table.add(who, "slow", slow / 1e6)
    table.add(who, "cpu", cpu / frames / 1e6)
    table.add(who, "both", (cpu + own) / frames / 1e6)
    if who != NONE:
        table.add(who, "own", 100 * own / wall)


def lost_of(recorder, out, calls):
    """Calls that are not in the file, or more if the recorder says so."""
    events, lost = recorder.counts(str(out))
    return max(lost, calls - events)


def frame_round(table, whole, load):
    whole.alone(load)
    add_frames(table, NONE, whole.paced(), 0)
    for recorder in whole.part:
        ran = whole.under(recorder, load)
        figures = whole.paced()
        add_frames(table, recorder.name, figures, whole.net(recorder, ran))
        table.add(recorder.name, "lost", lost_of(recorder, whole.out, figures[1]))


def rate_round(tables, whole, rate):
    """One rate, all recorders in turn."""
    everything, recorder_only = tables
    metric = str(rate)
    load = whole.pace("-l", "-t", TICK_US, "-k", rate * TICK_US // 1000000, "-s", RATES[rate])
    whole.alone(load)
    frames, _, plain, wall, *_ = whole.paced()
    plain /= frames
    everything.add(NONE, metric, 100 * plain * frames / wall)
    for recorder in whole.part:
        ran = whole.under(recorder, load)
        frames, calls, cpu, wall, *_ = whole.paced()
        own = whole.net(recorder, ran)
        everything.add(recorder.name, metric, 100 * (cpu - plain * frames + own) / wall)
        recorder_only.add(recorder.name, metric, 100 * own / wall)
        lost = lost_of(recorder, whole.out, calls)
        if rate == TOP:
            everything.add(recorder.name, "top", calls * 1e9 / wall)
            everything.add(recorder.name, "lost", 100 * lost / calls)
        elif lost:
            print(f"{recorder.name}: {lost} of {calls} events lost at {rate} calls/s")


def paced(opts, work):
    """Frames and rates: the same event."""
    frames = Table("whole-frames", FRAME_METRICS, "recorder", NONE, ("own", "lost"))
    tables = Table("whole-rates", RATE_METRICS, "recorder"), Table("whole-recorder", SHARE_METRICS, "recorder")
    whole = Whole(work, peers.Recorder.events)
    load = whole.pace("-t", FRAME_US, "-w", FRAME_WORK, "-k", FRAME_CALLS, "-s", FRAME_MS)
    shown = f"pace -t {FRAME_US} -w {FRAME_WORK} -k {FRAME_CALLS} -s {FRAME_MS}"
    frames.command(NONE, shown)
    for recorder in whole.part:
        frames.command(recorder.name, command(recorder, shown))
        for table in tables:
            table.command(recorder.name, command(recorder, f"pace -l -t {TICK_US} -k CALLS -s MS"))
    tables[0].command(NONE, f"pace -l -t {TICK_US} -k CALLS -s MS")
    for _ in rounds_of("frames and rates", opts):
        whole.controls()
        frame_round(frames, whole, load)
        for rate in RATES:
            rate_round(tables, whole, rate)
    frames.show(f"{1000000 / FRAME_US:.0f} frames a second, {FRAME_CALLS} events each, {opts.rounds} rounds")
    tables[0].show("program and recorder, what they take more than the program alone")
    tables[1].show("of it the recorder")
    for table in (frames, *tables):
        table.save(opts.rounds)


def whole(opts):
    with tempfile.TemporaryDirectory(prefix="xtr-bench-") as work:
        build(opts, work)
        paced(opts, work)
