# SPDX-License-Identifier: BSD-2-Clause
"""Hangs whose story is known: scenarios of the scheduler's events (tests/drivers/README.md has the language), and what drivers
leave of them, written after the formats of the kernel. The guilty job is known, as it is made so here."""

import io
import os
import subprocess
import tarfile

BOOT_S = 1  # moment 0 of a scenario is 1 s on the event clock
DEVICE, SECOND = "0000:03:00.0", "0000:04:00.0"
GAME, WEB, COPIER = "game/2100", "web/2200", "copier/2300"
SCHED = "gpu_scheduler:drm_sched_job_"


class Scene:
    """Times are ms."""

    def __init__(self, driver="amdgpu", ring="gfx_0.0.0", devices=(DEVICE,)):
        self.head = ["!title a hang", "!lab no", "!attach dma_fence:dma_fence_signaled func:gpu_sched:drm_sched_job_timedout"]
        self.head += [f"!device {device} {driver}" for device in devices]
        self.lines, self.fences, self.ring, self.device = [], {}, ring, devices[0]

    def at(self, ms, task, text, cpu=0):
        self.lines.append((ms, len(self.lines), f"{ms * 1000:.3f} {task} {cpu} {text}"))

    def where(self, ring, device):
        return f"ring={ring or self.ring} dev={device or self.device}"

    def fence(self, name, ring, device):
        """A name without a number of its own counts on its ring: the scenario's contexts are 1001, 1003, ..."""
        timeline = f"{device or self.device}/{ring or self.ring}"
        context = self.fences.setdefault(timeline, [1001 + 2 * len(self.fences), 0])
        context[1] += 1
        self.head.append(f"!fence {name} drm_sched {timeline} {context[0]} {context[1]}")
        return f"{context[0]}:{context[1]}"

    def queue(self, ms, name, task, ring=None, device=None, waits=None):
        job = self.fence(name, ring, device)
        self.at(ms, task, f"{SCHED}queue fence={name} {self.where(ring, device)}")
        if waits:
            self.at(ms + .001, '"[w]/7"', f"{SCHED}unschedulable fence={name} dep={waits} {self.where(ring, device)}")
        return job

    def run(self, ms, name, ring=None, device=None):
        self.at(ms, '"[w]/7"', f"{SCHED}run fence={name} {self.where(ring, device)}")

    def done(self, ms, name, ring=None, device=None, error=0, hw=0):
        """hw: the number of the fence that the driver gave the job."""
        self.at(ms, "-", f"{SCHED}done fence={name} {self.where(ring, device)}" + (f" hw_seqno={hw}" if hw else ""))
        self.at(ms + .005, "-", f"dma_fence:dma_fence_signaled fence={name} error={error}")

    def killed(self, ms, name):
        """Without having been run."""
        self.at(ms, "-", f"dma_fence:dma_fence_signaled fence={name} error=-125")

    def fires(self, ms, event="func:gpu_sched:drm_sched_job_timedout work:hex64=1"):
        self.at(ms, '"[kworker/u8:1]/60"', event, 3)

    def lose(self, ms, count=3):
        self.lines.append((ms, len(self.lines), f"!lost {ms * 1000:.3f} 0 {count} {SCHED}done"))

    def write(self, path, play):
        text = "\n".join(self.head + [line for _, _, line in sorted(self.lines)]) + "\n"
        with open(path + ".play", "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run([play, path + ".play", "-o", path], check=True, stderr=subprocess.PIPE)


def ordinary(**more):
    """A job that ended well, one of game that hangs from 3 ms to 2 s, and who waits. Returns the scene and the jobs by name."""
    s = Scene(**more)
    jobs = {"good": s.queue(0, "good", GAME)}
    s.run(.1, "good")
    s.done(2, "good")
    jobs["bad"] = s.queue(3, "bad", GAME)
    s.run(3.1, "bad")
    jobs["behind"] = s.queue(4, "behind", WEB)
    jobs["waits"] = s.queue(5, "waits", WEB, ring="sdma0", waits="bad")
    return s, jobs


def timed_out(s, ms=2000, hw=101):
    s.fires(ms)
    s.done(ms + 5, "bad", error=-62, hw=hw)
    s.killed(ms + 5.2, "behind")
    s.run(ms + 10, "waits", ring="sdma0")
    s.done(ms + 11, "waits", ring="sdma0")


# --- what drivers leave ---------------------------------------------------------------------------------

def amdgpu_dump(ring="gfx_0.0.0", pid=2100, comm="game", seconds=3.0, fault=0x7f0012345000):
    return (f"**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 6.12.3\nmodule: amdgpu\ntime: {seconds:.9f}\nprocess_name: {comm} PID: {pid}\n"
            f"\nRing timed out details\nIP Type: 0 Ring Name: {ring}\n\n[gfxhub] Page fault observed\nFaulty page starting at address: 0x{fault:016x}\n"
            "Protection fault status register: 0x301031\n\n").encode()


def amdgpu_log(ring="gfx_0.0.0", pid=2100, comm="game", seconds=3.0, device=DEVICE, outcome=True):
    lines = [f"amdgpu: ring {ring} timeout, signaled seq=100, emitted seq=102", f"amdgpu: Process information: process {comm} pid {pid} thread {comm}:cs0 pid {pid}"]
    if outcome:
        lines += [f"amdgpu: Starting {ring} ring reset", f"amdgpu: Ring {ring} reset succeeded"]
    return "".join(f"<3>[{seconds + i / 1e5:12.6f}] amdgpu {device}: {line}\n" for i, line in enumerate(lines)).encode()


def bundle(path, trace, **members):
    """members: name with _ for - and the first __ for . -> bytes; as xtr bundle lays it out, as far as a reader needs it."""
    out = io.BytesIO()
    with open(trace, "rb") as f:
        all_of_it = [("trace.xtr", f.read()), *members.items()]
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, data in all_of_it:
            info = tarfile.TarInfo("bug/" + name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    done = subprocess.run(["zstd", "-q", "-c"], input=out.getvalue(), stdout=subprocess.PIPE, check=True)
    with open(path, "wb") as f:
        f.write(done.stdout)
    return os.path.basename(path)
