# SPDX-License-Identifier: BSD-2-Clause
"""Recordings that hold the same events as every recorder writes them (record-all), for the parts about size and replay.

They begin and end at about the same time. What differs is what each sees of the others' beginning and end: so figures are per event that
the file holds, and a short recording is taken away from the long one.
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess

import common

FOLDER = common.RESULTS / "recordings"
RECORD_ALL = common.HERE / "record-all"
LAB = common.HERE.parent / "lab" / "lab"
SYSTEM_EVENTS = ["sched:sched_switch", "sched:sched_wakeup", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit"]
GPU_EVENTS = ["gpu_scheduler:*", "dma_fence:dma_fence_signaled", "dma_fence:dma_fence_wait_start",
              "dma_fence:dma_fence_wait_end"]
SYSTEM_MIB, LAB_MIB = 64, 16  # of buffer per CPU for each recorder: here it is not about losses
ATTEMPTS = 3
LIMIT = 1500  # s for a lab kernel
IN_GUEST = "/tmp/recordings"  # in memory there: not every recorder likes a shared folder
SHORT = "short"  # folder of the recording that is taken away


def build_load(files):
    """A build: so many sources of the tree, two at a time."""
    sources = sorted(common.ROOT.glob("format/*/*.c")) * 20
    words = " ".join(str(s) for s in sources[:files])
    cc = f"cc -std=gnu11 -D_GNU_SOURCE -DXTR_VERSION='\"x\"' -I {common.ROOT} -O1 -c -o /dev/null"
    return ["sh", "-c", f"echo {words} | xargs -P 2 -n 1 {cc}"]


def run(argv):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit status {done.returncode}")


def record_system(opts):
    """This machine while it builds; its folder."""
    folder = FOLDER / "system"
    run([RECORD_ALL, folder, common.XTR, SYSTEM_MIB, ",".join(SYSTEM_EVENTS), "--", *build_load(opts.files)])
    return finish(folder)


def record_lab(kernel, jobs):
    """Jobs of the simulated GPU under a lab kernel."""
    if not shutil.which("qemu-system-x86_64"):
        raise RuntimeError("QEMU is not installed (tests/lab/lab deps)")
    folder = FOLDER / f"lab-{kernel}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    load = f"fakegpu-load -n {jobs} --min-ns 10000 --max-ns 200000 basic; {LAB.parent / 'settle'}"
    words = [RECORD_ALL, "--default", IN_GUEST, common.XTR, LAB_MIB, ",".join(GPU_EVENTS), "--", "bash", "-c", load]
    script = f"{shlex.join(map(str, words))}; status=$?; cp -r {IN_GUEST}/. /out; exit $status"
    run([LAB, "run", kernel, "--out", folder, "--mem", 3072, "--load", "xtr_fakegpu", "--timeout", LIMIT, "--", "bash", "-c", script])
    return finish(folder)


def finish(folder):
    """What is made of recordings: compressed, packed."""
    pack = can_pack()
    for out in (folder, folder / SHORT):
        for old in out.glob("made-*"):
            old.unlink()
        common.must(["trace-cmd", "convert", "--compression", "any", "-i", out / "trace.dat", "-o", out / "made-any.dat"])
        if pack:
            common.must([common.XTR, "pack", "-q", "-o", out / "made-packed.xtr", out / "run.xtr"])
    return folder


def can_pack():
    return subprocess.run([common.XTR, "pack", "--help"], capture_output=True, check=False).returncode == 0


def get(name, opts):
    """The folder of a recording: the one that is there, else a new one. RuntimeError where that cannot be made."""
    folder = FOLDER / name
    made = (folder / SHORT / "made-any.dat").exists()
    if made and not opts.again:
        return finish(folder)
    for attempt in range(ATTEMPTS):
        try:
            folder = record_system(opts) if name == "system" else record_lab(name.removeprefix("lab-"), opts.jobs)
            for out in (folder, folder / SHORT):
                for path in ("run.xtr", "perf.data", "perf-z.data", "trace.dat"):
                    events_of(out / path)
            return folder
        except RuntimeError as e:
            print(f"{name}: recorded again: {e}")
    raise RuntimeError("a recorder's file cannot be read")


def events_of(path):
    """Events in a file, whichever recorder's. RuntimeError if its own tool does not read all of it."""
    path = pathlib.Path(path)
    if path.suffix == ".xtr":
        return json.loads(output_of([common.XTR, "info", "--json", path]))["events"]
    if path.suffix == ".dat":
        return len(re.findall(r"\[\d{3}\]", output_of(["trace-cmd", "report", "-i", path])))
    stats = output_of(["perf", "report", "--stats", "-i", path])
    if "TOTAL events:" not in stats:
        raise RuntimeError(f"perf cannot read {path.name}")
    found = re.search(r"SAMPLE events:\s+(\d+)", stats)
    return int(found.group(1)) if found else 0


def output_of(argv):
    """Status 3 of xtr, for lost events, is no failure."""
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, errors="replace", check=False).stdout
