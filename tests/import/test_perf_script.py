# SPDX-License-Identifier: BSD-2-Clause
"""perf.data: known answers by another reader, perf script, of what perf records on this kernel: samples, stacks, losses."""

import os
import re
import shutil
import subprocess

from harness import Skip, events, equal, expect, info, json_lines, put, test, xtr
from test_perfdata import has_zstd

LINE = re.compile(r"^\s*(?P<comm>.+?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?(?P<s>\d+)\.(?P<ns>\d{9}):"
                  r"\s+(?P<event>\S+?):?\s*$")
STACK = re.compile(r"^\s*\[(?P<cpu>\d+)\]\s+(?P<s>\d+)\.(?P<ns>\d{9}):")
FRAME = re.compile(r"^\s+(?P<at>[0-9a-f]+) \((?P<file>.*)\)$")
SOFTWARE = ("-e", "cpu-clock", "-e", "task-clock:u")
SCHED = ("-e", "sched:sched_switch", "-e", "sched:sched_process_fork")
CALLS = ("-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit")
LOAD = "for i in $(seq 300); do :; done; true | cat; sleep 0.02; sh -c 'for i in $(seq 2000); do :; done'"
BURST = "dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null"
WAYS = {"software": (*SOFTWARE, "-T"), "software, a pipe": (*SOFTWARE, "-T", "-o", "-"),
        "software, stacks, a clock": (*SOFTWARE, "-T", "-g", "--clockid", "mono"), "one thread": ("--per-thread", "-T", *SOFTWARE),
        "sched": ("-a", *SCHED), "sched, stacks": ("-a", "-g", *SCHED), "mixed, a pipe": ("-a", "-g", *SCHED, *SOFTWARE, "-o", "-"),
        "sched, compressed": ("-a", "-z", *SCHED), "system calls, compressed, a pipe": ("-a", "-z", "-g", *CALLS, "-o", "-"),
        "system calls of one": (*CALLS, *SOFTWARE, "--sample-cpu"), "switches": ("-a", "--switch-events", "--namespaces", *SCHED),
        "addresses, counts": (*SOFTWARE, "-e", "page-faults", "-d", "-s", "-T"), "raw clock": ("-a", "-k", "CLOCK_MONOTONIC_RAW", *SCHED)}


def perf(*arguments):
    if not shutil.which("perf"):
        raise Skip("perf is not installed (scripts/install-deps check)")
    return subprocess.run(["perf", *arguments], capture_output=True, check=False, timeout=300)


def lines(path, *arguments):
    run = perf("script", "--ns", "-i", path, *arguments)
    expect(run.returncode == 0, "perf script", run.stderr[-500:])
    return run.stdout.decode("utf-8", "replace").splitlines()


def record(folder, way, load=LOAD):
    """The file; None and why, where the kernel does not let perf record so."""
    path, pipe = os.path.join(folder, "perf.data"), "-" in way
    run = perf("record", "-q", *([] if pipe else ["-o", path]), *way, "--", "sh", "-c", load)
    if pipe:
        put(folder, "perf.data", run.stdout)
    why = (run.stderr.decode("utf-8", "replace").strip().splitlines() or ["?"])[0]
    return path if run.returncode == 0 and os.path.getsize(path) > 200 else None, why


def brought_in(folder, path, name):
    out = os.path.join(folder, "o.xtr")
    outcome = xtr("import", "--force", "-o", out, path)
    expect(outcome.status in (0, 3), f"{name}: imported", outcome)
    return out


def time_of(m):
    return int(m["s"]) * 10**9 + int(m["ns"])


def task(tid, comm):
    """A worker's name without its work, which /proc appends and sched_switch does not; perf's swapper and the threads that
    nothing names (":TID") have no name here."""
    if tid == 0 or not comm or comm == f":{tid}":
        return ""
    return re.sub(r"^(kworker/[^-]*)-.*", r"\1", comm)


def script(path, cpu):
    out = []
    for line in lines(path, "-F", "comm,pid,tid,time,event" + (",cpu" if cpu else "")):
        if not line or line[0] == "\t":  # a frame
            continue
        m = LINE.match(line)
        expect(m, "a line of perf script", line)
        name, tid = m["event"], int(m["tid"])
        out.append((time_of(m), int(m["cpu"]) if cpu else 0, int(m["pid"]), tid, task(tid, m["comm"]),
                    name if ":" in name and not name.startswith(("cpu-", "task-")) else f"perf:{name}"))
    return sorted(out)


def imported(path, cpu):
    return sorted((e["ts_ns"], e["cpu"] if cpu else 0, e.get("pid", 0), e["tid"], task(e["tid"], e.get("comm")), e["event"])
                  for e in events(path))


@test
def what_perf_recorded_is_what_perf_script_says(folder):
    left = []
    for name, way in WAYS.items():
        if "-z" in way and not has_zstd():
            continue
        path, why = record(folder, way)
        if not path:
            left.append(f"{name} ({why})")
            continue
        cpu = "-a" in way or "--sample-cpu" in way
        want, have = script(path, cpu), imported(brought_in(folder, path, name), cpu)
        # The kernel gives no number for a thread that is over; its tracepoint's record does.
        over = {(e[0], e[5]) for e in want if e[3] < 0}
        equal(sum((e[0], e[5]) in over for e in have), len(over), f"{name}: events of threads that are over")
        equal([e for e in have if (e[0], e[5]) not in over], [e for e in want if e[3] >= 0],
              f"{name}: time, CPU, process, thread, name, event")
    if left:
        raise Skip(f"this kernel does not let perf record: {'; '.join(left)}")


def their_stacks(path):
    """{(time, CPU): [(file or None, address in it, or of the kernel)]} of samples that are alone there."""
    out, frames, twice = {}, [], set()
    for line in lines(path, "-F", "cpu,time,ip,dso"):
        head, frame = STACK.match(line), FRAME.match(line)
        if head:
            key, frames = (time_of(head), int(head["cpu"])), []
            if key in out:
                twice.add(key)
            out[key] = frames
        elif frame:
            known = frame["file"] if frame["file"] != "[unknown]" else None
            frames.append((known, int(frame["at"], 16)))
    return {key: frames for key, frames in out.items() if key not in twice}


def same_frames(theirs, ours, bases):
    """Files of programs with the place in them; of the kernel the distance from where it lies, which is one for all."""
    equal(len(ours), min(len(theirs), 256), "number of frames")
    for (file, at), frame in zip(theirs, ours):
        offset = int(frame.get("offset", "0"), 16)
        if file and file.startswith("[kernel"):
            equal(frame["module"], "kernel", "a frame of the kernel")
            if offset:
                bases.add(at - offset)
        elif file and file.startswith("/") and not file.startswith("/tmp/perf-"):  # perf's name for memory without a file
            equal((frame.get("module"), offset), (file, at), "a frame of a program")


@test
def stacks_are_those_that_perf_script_prints(folder):
    path, why = record(folder, ("-a", "-g", *SCHED, *CALLS))
    if not path:
        raise Skip(f"this kernel does not let perf record: {why}")
    theirs, bases, compared = their_stacks(path), set(), 0
    for e in events(brought_in(folder, path, "stacks")):
        want = theirs.get((e["ts_ns"], e["cpu"]))
        if want and e["fields"].get("stack"):
            same_frames(want, e["fields"]["stack"], bases)
            compared += 1
    expect(compared > 20, "most samples have a stack", compared)
    expect(len(bases) <= 1, "the kernel lies in one place", bases)


@test
def losses_are_as_many_as_perf_counts(folder):
    path, why = record(folder, ("-a", "-m", "1", *CALLS), BURST)
    if not path:
        raise Skip(f"this kernel does not let perf record: {why}")
    told = sum(int(line.rsplit(" ", 1)[1]) for line in lines(path, "--show-lost-events") if " PERF_RECORD_LOST lost " in line)
    dump = perf("script", "-D", "-i", path).stdout.decode("utf-8", "replace")
    at_end = sum(int(n) for n in re.findall(r"PERF_RECORD_LOST_SAMPLES:.*lost samples :(\d+)", dump))
    out = brought_in(folder, path, "losses")
    equal(info(out)["lost"], max(told, at_end), "events that perf lost")
    equal(len(json_lines("dump", "--json", out)) > 0, True, "the others are there")
