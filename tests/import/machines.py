# SPDX-License-Identifier: BSD-2-Clause
"""Simulated GPUs that tell of their jobs only by their driver's own events, in the kernel's print formats. Each gives the
lines of a trace and the truth: who submitted a job, when the hardware had it, from when to when it executed. Written from
the kernel's trace headers and call sites; shares nothing with xtr. Times are ns; a printed time has us."""

import random


class Job:
    def __init__(self, **what):
        self.ring = self.tid = self.queue = self.run = self.start = self.end = self.active = None
        self.__dict__.update(what)


class Trace:
    """Lines in order of time, one us apart at least, so that a printed time is a line's own."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.jobs, self.now = [], [], 100_000_000_000

    def us(self, low, high):
        return self.random.randrange(low, high) * 1000

    def at(self, ts, tid, comm, event, text, cpu=None):
        cpu = self.random.randrange(4) if cpu is None else cpu
        self.lines.append((ts, len(self.lines), f"{comm:>16}-{tid:<7} [{cpu:03d}] ..... {ts // 10**9}.{ts % 10**9 // 1000:06d}: {event}: {text}"))

    def text(self):
        return "# tracer: nop\n#\n" + "\n".join(line for _, _, line in sorted(self.lines)) + "\n"


APPS = ((1201, "game"), (1302, "compositor"), (1403, "video"))


def amdgpu(seed, new=False, fences=True):
    """Rings of one engine each, in order; at most two jobs of a ring on the hardware. The hardware's fence is signalled at
    the end, the finished fence in its callback 1 us later, the scheduled one when run_job() returns."""
    t = Trace(seed)
    driver = "drm_sched" if new else "amd_sched"
    rings = {"gfx": 190, "sdma0": 199}
    seqno, hw = {}, {}
    for ring, worker in rings.items():
        ends = []
        now = t.now
        for number in range(60):
            tid, comm = t.random.choice(APPS)
            own = ring == "sdma0" and number % 3 == 0  # the kernel's, without a cs_ioctl
            ctx = (APPS.index((tid, comm)) + 1) * 10 + 2 * list(rings).index(ring) + (900 if own else 1)
            seqno[ctx] = seqno.get(ctx, 3000) + 1
            now += t.us(5, 900)
            queue = now
            run = queue + t.us(3, 60)
            if len(ends) >= 2:
                run = max(run, ends[-2] + t.us(20, 40))
            now = run + 1000
            start = max(run, ends[-1] if ends else 0)
            end = start + t.us(30, 2500)
            if ends:
                end = max(end, ends[-1] + 30_000)
            hw[ring] = hw.get(ring, 700) + 1
            key = f"fence={ctx}:{seqno[ctx]}" if new else f"context={ctx}, seqno={seqno[ctx]}"
            head = "" if new else f"sched_job={number}, "
            name = f"{head}timeline={ring}, {key}, ring_name={ring}, num_ibs=1"
            if not own:
                t.at(queue, tid, comm, "amdgpu_cs_ioctl", name)
            t.at(run, worker, ring, "amdgpu_sched_run_job", name)
            t.at(run + 5000, worker, ring, "dma_fence_signaled",
                 f"driver={driver} timeline={ring} context={ctx - 1} seqno={seqno[ctx]}")
            cpu = t.random.randrange(4)
            if fences:
                t.at(end, 0, "<idle>", "dma_fence_signaled",
                     f"driver=amdgpu timeline={ring} context={5 + list(rings).index(ring)} seqno={hw[ring]}", cpu)
            t.at(end + 1000, 0, "<idle>", "dma_fence_signaled",
                 f"driver={driver} timeline={ring} context={ctx} seqno={seqno[ctx]}", cpu)
            ends.append(end)
            t.jobs.append(Job(ring=ring, tid=None if own else tid, queue=None if own else queue, run=run, start=start,
                              end=end if fences else end + 1000, key=(ctx, seqno[ctx])))
    return t


TICK = 10000 / 192  # ns of the always-on counter


def ticks(ns, origin):
    return int((ns - origin) / TICK)


def msm(seed, submit=True, powered=True, another=0, scheduler=None):
    """Rings of priorities share one engine, in turn; ticks of 19.2 MHz. Retired is told by a worker, late. another: start and
    end are of another counter, so many ns from that of the flush. scheduler: the kernel's scheduler tells of the jobs, too, by
    its names since 6.17 ("new") or before ("old"); it runs them in a thread, and reports their end in the interrupt."""
    t = Trace(seed)
    origin = t.now - 77_000_000_000
    free = now = t.now
    seqno = [100, 200]
    for ident in range(80):
        tid, comm = t.random.choice(APPS)
        ring = t.random.randrange(2)
        seqno[ring] += 1
        now += t.us(20, 1500)
        if not powered and ident == 40:  # the counter begins anew
            now = max(now, free + 50_000_000)
            origin = now - 3_000_000
        queue, flush = now, now + t.us(3, 40)
        start = max(flush + 4000, free + 3000)
        end = free = start + t.us(40, 3000)
        told = end + t.us(30, 400)
        pair = f"id={ident} pid={tid} ring={ring}"
        if submit:
            t.at(queue, tid, comm, "msm_gpu_submit", f"{pair} bos=3 cmds=1")
        worker, named = (190 + ring, f"gpu-ring-{ring}") if scheduler else (tid, comm)
        if scheduler == "new":
            job = f"dev=ae00000.gpu, fence={500 + tid}:{ident + 1}, ring=gpu-ring-{ring}, job count:0, hw job count:"
            t.at(queue + 1000, tid, comm, "drm_sched_job_queue", job + "0, client_id:7")
            t.at(flush - 2000, worker, named, "drm_sched_job_run", job + "1, client_id:7")
            t.at(end + 9000, 0, "<idle>", "drm_sched_job_done", f"fence={500 + tid}:{ident + 1} signaled")
        elif scheduler:
            fence = f"fence={(7000 + ident % 50) * 64:016x}"
            job = f"entity={tid * 4096:016x}, id={ident}, {fence}, ring=gpu-ring-{ring}, job count:0, hw job count:"
            t.at(queue + 1000, tid, comm, "drm_sched_job", job + "0")
            t.at(flush - 2000, worker, named, "drm_run_job", job + "1")
            t.at(end + 9000, 0, "<idle>", "drm_sched_process_job", f"{fence} signaled")
        t.at(flush, worker, named, "msm_gpu_submit_flush", f"{pair}:{seqno[ring]} ticks={ticks(flush - 1000, origin)}")
        begun, ended = ticks(start + another, origin), ticks(end + another, origin)
        t.at(told, 416, "kworker/u16:5", "msm_gpu_submit_retired",
             f"{pair}:{seqno[ring]} elapsed={(ended - begun) * 10000 // 192} ns mhz=800 start={begun} end={ended}")
        name = f"gpu-ring-{ring}" if scheduler else f"ring{ring}"
        queue = queue + 1000 if scheduler else queue if submit else flush
        t.jobs.append(Job(ring=name, tid=tid, queue=queue, run=flush - 2000 if scheduler else flush, start=start, end=end))
        now = flush
    return t


def kgsl(seed, preempt=False):
    """Adreno by Qualcomm's driver: batches of a context by time stamp; active is less than start to retire where a ring of
    higher priority had the engine meanwhile."""
    t = Trace(seed)
    origin = t.now - 33_000_000_000
    free = now = t.now
    stamps = {}
    for _ in range(60):
        tid, comm = t.random.choice(APPS)
        ctx = APPS.index((tid, comm)) + 41
        stamps[ctx] = stamps.get(ctx, 64000) + 1
        now += t.us(50, 1500)
        queue, sent = now, now + t.us(5, 60)
        start = max(sent + 5000, free + 3000)
        active = t.us(50, 2500)
        away = t.us(200, 900) if preempt and t.random.random() < 0.3 else 0
        end = free = start + active + away
        told = end + t.us(30, 400)
        who = f"ctx={ctx} ctx_prio=8 ts={stamps[ctx]}"
        t.at(queue, tid, comm, "adreno_cmdbatch_queued", f"{who} queued=1 flags=none")
        us = sent // 1000
        t.at(sent + 3000, 77, "kgsl_dispatch", "adreno_cmdbatch_submitted",
             f"{who} inflight=1 flags=CTX_SWITCH ticks={ticks(us * 1000, origin)} time={us // 10**6}.{us % 10**6} rb_id=2 r/w=0/0, "
             "q_inflight=0 dq_id=-1")
        t.at(told, 78, "kgsl_worker", "adreno_cmdbatch_retired",
             f"{who} inflight=0 recovery=none flags=none start={ticks(start, origin)} retire={ticks(end, origin)} rb_id=2, r/w=0/0, "
             f"q_inflight=0, dq_id=4294967295, submitted_to_rb={ticks(sent, origin)} retired_on_gmu={ticks(end, origin)} "
             f"active={int(active / TICK)}")
        t.jobs.append(Job(ring="ring2", tid=tid, queue=queue, run=sent + 3000, start=start, end=end, active=active))
    return t


def v3d(seed):
    """Four queues, one job at a time in each; the ioctl tells the address of the render list, the run a number, too."""
    t = Trace(seed)
    free = dict.fromkeys(("bin", "render", "csd", "tfu"), t.now)
    number = dict.fromkeys(free, 0)
    now, address = t.now, 0x140000

    def execute(queue, tid, ready, asked, submit, irq, text):
        number[queue] += 1
        start = max(ready, free[queue]) + t.us(20, 80)
        end = free[queue] = start + t.us(100, 2000)
        t.at(start, 10483, f"v3d_{queue}", submit, text.format(number[queue]))
        t.at(end, 0, "<idle>", irq, f"dev=1, seqno={number[queue]}")
        t.jobs.append(Job(ring=f"v3d_{queue}", tid=tid, queue=asked, run=start, start=start, end=end))
        return end

    for _ in range(50):
        tid, comm = t.random.choice(APPS)
        now = max(now + t.us(100, 4000), min(free.values()))
        kind = t.random.choice(("cl", "cl", "csd", "tfu"))
        address += 0x1000
        if kind == "cl":
            now = max(now, free["render"])  # so that the binner's owner is certain: nobody else has work pending
            t.at(now, tid, comm, "v3d_submit_cl_ioctl", f"dev=1, RCL 0x{address:08x}..0x{address + 95:08x}")
            done = execute("bin", tid, now, now, "v3d_submit_cl", "v3d_bcl_irq", "dev=1, BCL, seqno={}, 0x00060000..0x0006000e")
            execute("render", tid, done, now, "v3d_submit_cl", "v3d_rcl_irq",
                    f"dev=1, RCL, seqno={{}}, 0x{address:08x}..0x{address + 95:08x}")
        else:
            now = max(now, free[kind])
            more = "CFG5 0x00060005, CFG6 0x00140000" if kind == "csd" else "IIA 0x00100000"
            t.at(now, tid, comm, f"v3d_submit_{kind}_ioctl", f"dev=1, {more}")
            execute(kind, tid, now, now, f"v3d_submit_{kind}", f"v3d_{kind}_irq", "dev=1, seqno={}")
    return t


def i915(seed, kernel, low):
    """Engines of one request at a time, in order. A request may wait for one of the other engine between add and the
    hardware. kernel 44: numbers of the device, no contexts, an interrupt for each request; 414: contexts, gem_request_*; 417:
    request_*, completed?; 61: engine=class:instance, signals of fences. low: with the low-level events (since 414)."""
    t = Trace(seed)
    free = {0: t.now, 2: t.now}
    number = {0: 5000, 2: 7000}
    seqno = {}
    now, last, device = t.now, t.now, 800
    old = kernel < 417
    prefix = "i915_gem_request_" if old else "i915_request_"
    for _ in range(80):
        tid, comm = t.random.choice(APPS)
        ring = t.random.choice((0, 2))
        ctx = APPS.index((tid, comm)) * 2 + ring // 2 + 100
        seqno[ctx] = seqno.get(ctx, 0) + 1
        number[ring] += 1
        device += 1
        now += t.us(100, 1200)
        queue, add = now, now + t.us(3, 20)
        ready = max(add + t.us(2, 5), last + 5000 if t.random.random() < 0.3 else 0)
        handed = max(ready, free[ring] + t.us(2, 9))
        last = end = free[ring] = handed + t.us(50, 1500)
        numbered = "" if kernel == 61 else f", global={number[ring]}"
        unnumbered = ", tail=64" if kernel == 61 else ", global=0"
        app = APPS.index((tid, comm))
        who = {44: f"dev=0, ring={ring}, seqno={device}", 414: f"dev=0, ring={ring}, ctx={ctx}, seqno={seqno[ctx]}",
               417: f"dev=0, hw_id=4{app}, ring={ring}, ctx={ctx}, seqno={seqno[ctx]}",
               61: f"dev=0, engine={ring}:0, ctx={ctx}, seqno={seqno[ctx]}"}[kernel]
        if kernel == 44:
            unnumbered = numbered = ""
            t.at(queue, tid, comm, "i915_gem_ring_dispatch", who + ", flags=0")
        else:
            t.at(queue, tid, comm, prefix + "queue", f"{who}, flags=0x0")
        t.at(add, tid, comm, prefix + "add", who + unnumbered)
        if low:
            t.at(ready, tid, comm, prefix + "submit", who + unnumbered)
            t.at(handed, 0, "<idle>", prefix + "in", {414: f"{who}{numbered}, port=0", 417: f"{who}, prio=0{numbered}, port=0",
                                                      61: f"{who}, port=0, prio=0"}[kernel])
            t.at(end, 0, "<idle>", prefix + "out", who + numbered + ("" if old else ", completed?=1"))
        elif kernel == 61:
            t.at(end, 0, "<idle>", "dma_fence_signaled", f"driver=i915 timeline=signaled context={ctx} seqno={seqno[ctx]}")
        else:
            name = "i915_gem_request_notify" if kernel == 44 else "intel_engine_notify"
            t.at(end, 0, "<idle>", name, f"dev=0, ring={ring}, seqno={device if kernel == 44 else number[ring]}" +
                 (", waiters=1" if kernel != 44 else ""))
        if not low:
            t.at(end + t.us(500, 9000), tid, comm, prefix + "retire", who + (numbered or ("" if kernel == 44 else ", tail=64")))
        name = {0: "rcs0", 2: "ring2" if kernel == 44 else "vcs0"}[ring]
        t.jobs.append(Job(ring=name, tid=tid, queue=queue, run=handed if low else add, start=handed, end=end,
                          key=None if kernel == 44 else (ctx, seqno[ctx])))
    return t


def i915_coalesced(seed):
    """Linux 4.17: requests of one context that go to the port together; only the last of them gets an `out`."""
    t = Trace(seed)
    now = t.now
    number = seqno = 0
    for _ in range(20):
        many = t.random.randrange(1, 5)
        now += t.us(100, 2000)
        handed = now + t.us(20, 60)
        end = handed
        rows = []
        for k in range(many):
            seqno += 1
            number += 1
            who = f"dev=0, hw_id=7, ring=0, ctx=300, seqno={seqno}"
            t.at(now + k * 4000, 1201, "game", "i915_request_queue", f"{who}, flags=0x0")
            t.at(now + k * 4000 + 1000, 1201, "game", "i915_request_add", f"{who}, global=0")
            t.at(now + k * 4000 + 2000, 1201, "game", "i915_request_submit", f"{who}, global=0")
            t.at(handed + k * 1000, 0, "<idle>", "i915_request_in", f"{who}, prio=0, global={number}, port=0")
            start, end = end, end + t.us(50, 600)
            rows.append(Job(ring="rcs0", tid=1201, queue=now + k * 4000, run=handed + k * 1000, start=start, end=end,
                            key=(300, seqno)))
        t.at(end, 0, "<idle>", "i915_request_out", f"{who}, global={number}, completed?=1")
        t.jobs += rows
        now = end
    return t


def radeon(seed):
    """A counter of fences for each ring. Only fences that somebody waits for are signalled at once; by then all before are."""
    t = Trace(seed)
    names = ("radeon.gfx", None, None, "radeon.dma")
    free = {0: t.now, 3: t.now}
    seqno = {0: 20, 3: 900}
    now = t.now
    for _ in range(80):
        tid, comm = t.random.choice(APPS)
        ring = t.random.choice((0, 0, 3))
        seqno[ring] += 1
        now += t.us(30, 900)
        start = max(now, free[ring])
        end = free[ring] = start + t.us(60, 1200)
        t.at(now, tid, comm, "radeon_fence_emit", f"dev=0, ring={ring}, seqno={seqno[ring]}")
        waited = t.random.random() < 0.6
        if waited:
            t.at(end, 0, "<idle>", "dma_fence_signaled", f"driver=radeon timeline={names[ring]} context={40 + ring} seqno={seqno[ring]}")
        t.jobs.append(Job(ring=names[ring], tid=tid, queue=now, run=now, start=start, end=end, waited=waited))
    for ring in free:  # the last ones are waited for
        seqno[ring] += 1
        at = max(free.values()) + 50_000
        t.at(at, 1201, "game", "radeon_fence_emit", f"dev=0, ring={ring}, seqno={seqno[ring]}")
        t.at(at + 90_000, 0, "<idle>", "dma_fence_signaled",
             f"driver=radeon timeline={names[ring]} context={40 + ring} seqno={seqno[ring]}")
        t.jobs.append(Job(ring=names[ring], tid=1201, queue=at, run=at, start=at, end=at + 90_000, waited=True))
    return t


def lima(seed):
    """Two pipes, one task at a time in each; the finished fence names a task."""
    t = Trace(seed)
    now, seqno = t.now, 0
    free = {"gp": t.now, "pp": t.now}
    for _ in range(60):
        tid, comm = t.random.choice(APPS)
        pipe = t.random.choice(("gp", "pp"))
        seqno += 1
        ctx = 60 + APPS.index((tid, comm))
        now += t.us(50, 1500)
        run = max(now + t.us(5, 30), free[pipe] + 5000)
        end = free[pipe] = run + t.us(50, 1800)
        for ts, event, thread, name in ((now, "lima_task_submit", tid, comm), (run, "lima_task_run", 70, f"lima-{pipe}")):
            t.at(ts, thread, name, event, f"task={seqno}, context={ctx} seqno={seqno} pipe={pipe}")
        cpu = t.random.randrange(4)
        t.at(end, 0, "<idle>", "dma_fence_signaled", f"driver=lima timeline={pipe} context=9 seqno={seqno}", cpu)
        t.at(end + 1000, 0, "<idle>", "dma_fence_signaled", f"driver=drm_sched timeline={pipe} context={ctx} seqno={seqno}", cpu)
        t.jobs.append(Job(ring=pipe, tid=tid, queue=now, run=run, start=run, end=end, key=(ctx, seqno)))
    return t


def host1x(seed):
    """Tegra: a channel's sync point counts its jobs; completion is told by a work item, of several at once."""
    t = Trace(seed)
    now = free = t.now
    value, pending = 4000, []
    for k in range(60):
        tid, comm = t.random.choice(APPS)
        now += t.us(60, 1500)
        value += 2
        start = max(now, free)
        end = free = start + t.us(50, 1200)
        t.at(now - 5000, tid, comm, "host1x_channel_submit", "name=54340000.vic, cmdbufs=1, relocs=0, syncpt_id=7, syncpt_incrs=2")
        t.at(now, tid, comm, "host1x_channel_submitted", f"name=54340000.vic, syncpt_base={value - 2}, syncpt_max={value}")
        t.jobs.append(Job(ring="54340000.vic", tid=tid, queue=now, run=now, start=start, end=end))
        pending.append((end, value))
        if t.random.random() < 0.6 or k == 59:
            t.at(end + t.us(20, 60), 99, "kworker/1:0", "host1x_channel_submit_complete",
                 f"name=54340000.vic, count={len(pending)}, thresh={value}")
            pending = []
    return t


def android_switches(seed):
    """Android's gpu_sched_switch: a block has one job at a time; told up to 300 us after it happened."""
    t = Trace(seed)
    names, jobs = ("job_slot_0", "job_slot_1"), []
    for block, name in enumerate(names):
        now, free = t.now, t.now
        for k in range(40):
            tid, comm = t.random.choice(APPS)
            ctx, job = APPS.index((tid, comm)) + 3, 1000 * block + k + 1
            now += t.us(50, 1500)
            t.at(now, tid, comm, "gpu_job_enqueue", f"ctx_id={ctx} job_id={job} type=flush")
            start = max(now + t.us(310, 900), free)
            end = start + t.us(50, 1800)
            jobs.append((name, tid, ctx, job, now, start, end))
            free = end if t.random.random() < 0.4 else end + t.us(600, 900)
            now = free - 400_000
    for name in names:
        rows = [j for j in jobs if j[0] == name]
        for this, then in zip(rows, rows[1:] + [None]):
            _, tid, ctx, job, queue, start, end = this
            switches = [(start, ctx, job)] + ([(end, 0, 0)] if not then or then[5] != end else [])
            for ts, c, j in switches:
                told = ts + t.random.randrange(5, 40) * 1000
                t.at(told, 0, "<idle>", "gpu_sched_switch",
                     f"gpu_name={name} ts={ts // 10**9}.{ts % 10**9 // 1000:06d} next_ctx_id={c} next_prio=0 next_job_id={j}")
            t.jobs.append(Job(ring=name, tid=tid, queue=queue, run=start, start=start, end=end))
    return t


def mali(seed):
    """Job slots of Mali: one job executes, one more waits in the slot; starts are told when they are written to it."""
    t = Trace(seed)
    names = ("fragment", "vertex-tiler-compute")
    for slot, name in enumerate(names):
        ends, now = [], t.now
        for k in range(50):
            tid, comm = t.random.choice(APPS)
            now += t.us(60, 1500)
            if len(ends) >= 2:
                now = max(now, ends[-2] + 9000)
            start = max(now, ends[-1] if ends else 0)
            end = start + t.us(60, 1700)
            event = 1 << 24 | slot << 16
            t.at(now, 88, "mali_jd", "mali_job_slots_event", f"gpu=0 event={event} tgid={tid} pid={tid} job_id={k % 200}")
            t.at(end, 0, "<idle>", "mali_job_slots_event", f"gpu=0 event={event + (1 << 24)} tgid=0 pid=0 job_id=0")
            ends.append(end)
            t.jobs.append(Job(ring=name, tid=tid, queue=now, run=now, start=start, end=end))
    return t


def mali_systrace(seed, new=False):
    """The same of Samsung's kernels: an atom's number comes again, and a text has its process, not its context."""
    t = Trace(seed)
    kinds = {"fragment-job": "fragment", "vertex-job": "vertex-tiler-compute"}
    for kind, name in kinds.items():
        ends, now = [], t.now
        for k in range(600):
            tid, comm = t.random.choice(APPS)
            now += t.us(60, 900)
            if len(ends) >= 2:
                now = max(now, ends[-2] + 9000)
            start = max(now, ends[-1] if ends else 0)
            end = start + t.us(60, 1000)
            atom = 1 + k % 120 + (120 if kind == "vertex-job" else 0)
            for at, what, letter, word in ((now, "start", "S", "START"), (end, "stop", "F", "END")):
                text = (f"B|{tid}|{kind} Job Queue {word}|JobType={kind};UniqueID={now};FrameNo=3;Surface=00000000a1b2c3d4;"
                        f"GLContext=9f0;JobId={atom};Dep0ID=0;Dep0Type=0;Dep1ID=0;Dep1Type=0" if new else
                        f"{letter}|{tid}|{kind}|{atom}|0|0|0|0|9f0|{tid}{atom}17{at}")
                t.at(at, *((88, "mali_jd") if what == "start" else (0, "<idle>")), f"mali_job_systrace_event_{what}",
                     f"tracing_mark_write: {text}")
            ends.append(end)
            t.jobs.append(Job(ring=name, tid=tid, queue=now, run=now, start=start, end=end))
    return t
