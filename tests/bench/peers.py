# SPDX-License-Identifier: BSD-2-Clause
"""The recorders that the benchmark compares: how each records the same tracepoints and prints them as text.

Every one gets the same buffer per CPU and the same workload, records on all CPUs, and writes to a file.
"""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess

SYSTEM, EVENT = "syscalls", "sys_enter_getppid"
BUFFER = 8 << 20  # bytes per CPU
HERE = pathlib.Path(__file__).resolve().parent


def output(argv, good=(0,)):
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in good:
        done.check_returncode()
    return done


class Recorder:
    """One tool. record() and text() give command lines; files() what it left on disk; counts() what is in it."""

    name = ""
    env = {}
    keeps = True  # writes what it records to a file
    part = 1  # it gets 1/part of the calls: all figures are per event
    events = (f"{SYSTEM}:{EVENT}",)

    def named(self):
        """Its events as options, which nearly all spell alike."""
        return [word for event in self.events for word in ("-e", event)]

    def why_not(self):
        return None if shutil.which(self.name) else "not installed"

    def record(self, out, load):
        raise NotImplementedError

    def files(self, out):
        return [out]

    def text(self, _out):
        return None

    def counts(self, out):
        """(events recorded, events lost)"""
        raise NotImplementedError


class Xtr(Recorder):
    name = "xtr"

    def __init__(self, program):
        self.program = program

    def why_not(self):
        return None

    def record(self, out, load):
        return [self.program, "record", "-q", "--force", "--buffer", str(BUFFER), *self.named(), "-o", out,
                "--", *load]

    def text(self, out):
        return [self.program, "dump", out]

    def counts(self, out):
        info = json.loads(output([self.program, "info", "--json", out], (0, 3)).stdout)  # 3: events were lost
        return info["events"], info["lost"]


class XtrPrograms(Xtr):
    """The same by BPF programs, as what is no tracepoint by name is recorded."""

    name = "xtr, BPF programs"

    def record(self, out, load):
        command = super().record(out, load)
        return [*command[:2], "--engine", "bpf", *command[2:]]


class JobPath(Recorder):
    """What xtr's scheduler programs do for one job event, on this system call (rawtp/): traced thread only."""

    name = "xtr job path"
    keeps = False
    getppid = {"x86_64": 110, "aarch64": 173}

    def __init__(self, build):
        self.build = build / "tests/bench/rawtp"
        self.program = str(self.build / "rawtp")

    def make(self):
        here, root = HERE / "rawtp", HERE.parent.parent
        self.build.mkdir(parents=True, exist_ok=True)
        libs = output(["pkg-config", "--cflags", "--libs", "libbpf"]).stdout.split()
        output(["clang", "-target", "bpf", "-mcpu=v3", "-g", "-O2", "-I", root, "-idirafter",
                f"/usr/include/{os.uname().machine}-linux-gnu", "-c", here / "rawtp.bpf.c", "-o",
                self.build / "rawtp.bpf.o"])
        skeleton = output(["bpftool", "gen", "skeleton", self.build / "rawtp.bpf.o", "name", "rawtp"]).stdout
        (self.build / "rawtp.skel.h").write_text(skeleton)
        output(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-I", root, "-I", self.build, here / "rawtp.c", "-o",
                self.program, *libs])

    def why_not(self):
        if os.uname().machine not in self.getppid:
            return f"getppid's number on {os.uname().machine} is not known"
        try:
            self.make()
        except FileNotFoundError as e:
            return f"{e.filename} is not installed"
        except subprocess.CalledProcessError as e:
            return (e.stderr.strip().splitlines() or ["does not build"])[0]
        return None

    def record(self, out, load):
        return [self.program, str(BUFFER), out + ".stat", str(self.getppid[os.uname().machine]), *load]

    def files(self, out):
        return []

    def counts(self, out):
        kept, lost = pathlib.Path(out + ".stat").read_text().split()
        return int(kept), int(lost)


class Perf(Recorder):
    name = "perf"

    def record(self, out, load):
        return ["perf", "record", "-q", "-a", "-m", f"{BUFFER >> 10}K", *self.named(), "-o", out, "--",
                *load]

    def text(self, out):
        return ["perf", "script", "-i", out]

    def counts(self, out):
        stats = output(["perf", "report", "--stats", "-i", out]).stdout

        def number(name):
            found = re.search(rf"{name} events:\s+(\d+)", stats)
            return int(found.group(1)) if found else 0

        return number("SAMPLE"), number("LOST")


class PerfZstd(Perf):
    """Compressed while it records."""

    name = "perf -z"

    def why_not(self):
        return None if shutil.which("perf") else "not installed"

    def record(self, out, load):
        return ["perf", "record", "-z", *super().record(out, load)[2:]]


class TraceCmd(Recorder):
    """Its files are compressed at the end, by zstd or zlib."""

    name = "trace-cmd"

    def record(self, out, load):
        return ["trace-cmd", "record", "-q", "-b", str(BUFFER >> 10), *self.named(), "-o", out, *load]

    def text(self, out):
        return ["trace-cmd", "report", "-i", out]

    def counts(self, out):
        text = output(["trace-cmd", "report", "-i", out]).stdout
        lost = sum(int(n) for n in re.findall(r"\[(\d+) EVENTS DROPPED\]", text))
        return sum(text.count(f" {event.partition(':')[2]}:") for event in self.events), lost


class TraceCmdPlain(TraceCmd):
    name = "trace-cmd, not compressed"

    def why_not(self):
        return None if shutil.which("trace-cmd") else "not installed"

    def record(self, out, load):
        return ["trace-cmd", "record", "--compression", "none", *super().record(out, load)[2:]]


class Ftrace(Recorder):
    """The kernel's ring buffer, spliced to files as trace-cmd does; its pages have no text tool here."""

    name = "ftrace ring"

    def why_not(self):
        return None if hasattr(os, "splice") else "needs Python 3.10"

    def record(self, out, load):
        return [str(HERE / "ftrace"), SYSTEM, EVENT, str(BUFFER >> 10), out, *load]

    def files(self, out):
        return glob.glob(glob.escape(out) + ".cpu*")

    def counts(self, out):
        kept, lost = pathlib.Path(out + ".stat").read_text().split()
        return int(kept), int(lost)


class Bpftrace(Recorder):
    """Prints text while recording, as the tutorials do: time, CPU, thread, command."""

    name = "bpftrace"
    part = 20  # tens of microseconds a call
    env = {"BPFTRACE_PERF_RB_PAGES": str(BUFFER // os.sysconf("SC_PAGE_SIZE"))}
    action = ' { printf("%llu %d %d %s\\n", nsecs, cpu, tid, comm); }'

    def script(self):
        return ", ".join(f"tracepoint:{event}" for event in self.events) + self.action

    def record(self, out, load):
        return ["bpftrace", "-q", "-e", self.script(), "-o", out, "-c", " ".join(load)]

    def counts(self, out):
        text = pathlib.Path(out).read_text(errors="replace")
        lost = sum(int(n) for n in re.findall(r"Lost (\d+) events", text))
        return len(re.findall(r"^\d+ \d+ \d+ ", text, re.M)), lost


def recorders(xtr, build):
    return [Xtr(xtr), XtrPrograms(xtr), JobPath(build), Ftrace(), TraceCmd(), TraceCmdPlain(), Perf(), PerfZstd(), Bpftrace()]
