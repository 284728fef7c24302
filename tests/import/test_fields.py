# SPDX-License-Identifier: BSD-2-Clause
"""Text means what binary means: events of GPU drivers as records of a trace.dat, and as the kernel prints them, have the
same fields with the same values. Fields and print formats are those of the kernel's trace headers; what is printed is
written out here, and where trace-cmd is installed it prints them a second time."""

import shutil
import subprocess

from harness import Skip, equal, events, import_file, put, test
from tracedat import LOC, PTR, Event, Field, File, Shape

P = 0xffff888012345680


def u32(*names):
    return [Field(f"u32 {n}", 4) for n in names]


def s32(*names):
    return [Field(f"int {n}", 4, 1) for n in names]


def u64(*names):
    return [Field(f"u64 {n}", 8) for n in names]


def text(*names):
    return [Field(f"__data_loc char[] {n}", LOC) for n in names]


def pointer(*names):
    return [Field(f"void * {n}", PTR) for n in names]


def flag(*names):
    return [Field(f"bool {n}", 1) for n in names]


FLAGS = ('REC->flags ? __print_flags(REC->flags, "|", { 2, "MARKER" }, { 8, "CTX_SWITCH" }, { 1024, "SYNC" }, { 256, "EOF" }, '
         '{ 2048, "PWR_CONSTRAINT" }, { 4, "IB_LIST" }) : "none"')
BATCH = u32("id", "timestamp") + s32("inflight") + u32("flags")
RING = s32("prio", "rb_id") + u32("rptr", "wptr") + s32("q_inflight")

# system, event, fields, print format and its arguments, values, the text
CASES = [
    ("drm_msm_gpu", "msm_gpu_submit_retired", s32("pid") + u32("id", "ringid", "seqno") + u64("elapsed", "clock", "start_ticks", "end_ticks"),
     '"id=%d pid=%d ring=%d:%d elapsed=%lld ns mhz=%lld start=%lld end=%lld", REC->id, REC->pid, REC->ringid, REC->seqno, '
     'REC->elapsed, REC->clock, REC->start_ticks, REC->end_ticks',
     {"pid": 70, "id": 9, "ringid": 1, "seqno": 8, "elapsed": 1234567, "clock": 300, "start_ticks": 10**12, "end_ticks": 10**12 + 5},
     "id=9 pid=70 ring=1:8 elapsed=1234567 ns mhz=300 start=1000000000000 end=1000000000005"),
    ("drm_msm_gpu", "msm_gpu_freq_change", u32("freq"), '"new_freq=%u", REC->freq', {"freq": 585}, "new_freq=585"),
    ("kgsl", "adreno_cmdbatch_submitted",
     BATCH + u64("ticks", "secs", "nsecs") + RING,
     f'"ctx=%u ctx_prio=%d ts=%u inflight=%d flags=%s ticks=%lld time=%llu.%09llu rb_id=%d r/w=%x/%x, q_inflight=%d", REC->id, '
     f'REC->prio, REC->timestamp, REC->inflight, {FLAGS}, REC->ticks, REC->secs, REC->nsecs, REC->rb_id, REC->rptr, REC->wptr, '
     'REC->q_inflight',
     {"id": 41, "timestamp": 7, "inflight": 2, "flags": 264, "ticks": 5 * 10**9, "secs": 12, "nsecs": 345, "prio": 8, "rb_id": 2,
      "rptr": 10, "wptr": 31, "q_inflight": 1},
     "ctx=41 ctx_prio=8 ts=7 inflight=2 flags=CTX_SWITCH|EOF ticks=5000000000 time=12.000000345 rb_id=2 r/w=a/1f, q_inflight=1"),
    ("kgsl", "adreno_cmdbatch_retired",
     BATCH + u32("recovery") + u64("start", "retire") + RING + u32("dispatch_queue") + u64("submitted_to_rb", "retired_on_gmu"),
     f'"ctx=%u ctx_prio=%d ts=%u inflight=%d recovery=%s flags=%s start=%llu retire=%llu rb_id=%d, r/w=%x/%x, q_inflight=%d, '
     f'dq_id=%u, submitted_to_rb=%llu retired_on_gmu=%llu", REC->id, REC->prio, REC->timestamp, REC->inflight, REC->recovery ? '
     f'__print_flags(REC->recovery, "|", {{ 1, "off" }}, {{ 2, "replay" }}) : "none", {FLAGS}, REC->start, REC->retire, REC->rb_id, '
     'REC->rptr, REC->wptr, REC->q_inflight, REC->dispatch_queue, REC->submitted_to_rb, REC->retired_on_gmu',
     {"id": 41, "timestamp": 7, "inflight": 0, "flags": 0, "recovery": 2, "start": 100, "retire": 200, "prio": 8, "rb_id": 2,
      "rptr": 0, "wptr": 0, "q_inflight": 0, "dispatch_queue": 2**32 - 1, "submitted_to_rb": 90, "retired_on_gmu": 210},
     "ctx=41 ctx_prio=8 ts=7 inflight=0 recovery=replay flags=none start=100 retire=200 rb_id=2, r/w=0/0, q_inflight=0, "
     "dq_id=4294967295, submitted_to_rb=90 retired_on_gmu=210"),
    ("v3d", "v3d_submit_cl", u32("dev") + flag("is_render") + u64("seqno") + u32("ctnqba", "ctnqea"),
     '"dev=%u, %s, seqno=%llu, 0x%08x..0x%08x", REC->dev, REC->is_render ? "RCL" : "BCL", REC->seqno, REC->ctnqba, REC->ctnqea',
     {"dev": 1, "is_render": 1, "seqno": 3, "ctnqba": 0x140000, "ctnqea": 0x14005f}, "dev=1, RCL, seqno=3, 0x00140000..0x0014005f"),
    ("v3d", "v3d_submit_csd_ioctl", u32("dev", "cfg5", "cfg6"), '"dev=%u, CFG5 0x%08x, CFG6 0x%08x", REC->dev, REC->cfg5, REC->cfg6',
     {"dev": 1, "cfg5": 5, "cfg6": 0x140000}, "dev=1, CFG5 0x00000005, CFG6 0x00140000"),
    ("i915", "i915_request_in", u32("dev", "hw_id", "ring", "ctx", "seqno", "global_seqno", "port", "prio"),
     '"dev=%u, hw_id=%u, ring=%u, ctx=%u, seqno=%u, prio=%u, global=%u, port=%u", REC->dev, REC->hw_id, REC->ring, REC->ctx, '
     'REC->seqno, REC->prio, REC->global_seqno, REC->port',
     {"dev": 0, "hw_id": 48, "ring": 2, "ctx": 107, "seqno": 5, "global_seqno": 5057, "port": 1, "prio": 0},
     "dev=0, hw_id=48, ring=2, ctx=107, seqno=5, prio=0, global=5057, port=1"),
    ("i915", "i915_request_out", u32("dev") + u64("ctx") + [Field("u16 class", 2), Field("u16 instance", 2)] + u32("seqno", "completed"),
     '"dev=%u, engine=%u:%u, ctx=%llu, seqno=%u, completed?=%u", REC->dev, REC->class, REC->instance, REC->ctx, REC->seqno, '
     'REC->completed',
     {"dev": 0, "ctx": 107, "class": 2, "instance": 1, "seqno": 5, "completed": 1}, "dev=0, engine=2:1, ctx=107, seqno=5, completed?=1"),
    ("i915", "i915_reg_rw", u64("val") + u32("reg") + [Field("u16 write", 2), Field("u16 len", 2)],
     '"%s reg=0x%x, len=%d, val=(0x%x, 0x%x)", REC->write ? "write" : "read", REC->reg, REC->len, (u32)(REC->val & 0xffffffff), '
     '(u32)(REC->val >> 32)',
     {"val": 0x500000001, "reg": 0x20a8, "write": 1, "len": 8}, "write reg=0x20a8, len=8, val=(0x1, 0x5)"),
    ("i915", "i915_gem_object_fault", pointer("obj") + u64("index") + flag("gtt", "write"),
     '"obj=%p, %s index=%llu %s", REC->obj, REC->gtt ? "GTT" : "CPU", REC->index, REC->write ? ", writable" : ""',
     {"obj": P, "index": 77, "gtt": 1, "write": 1}, f"obj=0x{P:x}, GTT index=77 , writable"),
    ("i915", "intel_gpu_freq_change", u32("freq"), '"new_freq=%u", REC->freq', {"freq": 350}, "new_freq=350"),
    ("drm", "drm_vblank_event", s32("crtc") + u32("seq") + [Field("ktime_t time", 8, 1)] + flag("high_prec"),
     '"crtc=%d, seq=%u, time=%lld, high-prec=%s", REC->crtc, REC->seq, REC->time, REC->high_prec ? "true" : "false"',
     {"crtc": 1, "seq": 9, "time": 10**12, "high_prec": 1}, "crtc=1, seq=9, time=1000000000000, high-prec=true"),
    ("virtio_gpu", "virtio_gpu_cmd_queue", s32("dev") + u32("vq") + text("name") + u32("type", "flags") + u64("fence_id") +
     u32("ctx_id", "num_free", "seqno"),
     '"vdev=%d vq=%u name=%s type=0x%x flags=0x%x fence_id=%llu ctx_id=%u num_free=%u seqno=%u", REC->dev, REC->vq, __get_str(name), '
     'REC->type, REC->flags, REC->fence_id, REC->ctx_id, REC->num_free, REC->seqno',
     {"dev": 4, "vq": 0, "name": "control", "type": 0x207, "flags": 3, "fence_id": 67980, "ctx_id": 27, "num_free": 503, "seqno": 7},
     "vdev=4 vq=0 name=control type=0x207 flags=0x3 fence_id=67980 ctx_id=27 num_free=503 seqno=7"),
    ("amdgpu", "amdgpu_sched_run_job", u64("sched_job_id") + text("timeline") + u32("context", "seqno") + text("ring") + u32("num_ibs"),
     '"sched_job=%llu, timeline=%s, context=%u, seqno=%u, ring_name=%s, num_ibs=%u", REC->sched_job_id, __get_str(timeline), '
     'REC->context, REC->seqno, __get_str(ring), REC->num_ibs',
     {"sched_job_id": 12, "timeline": "gfx_0.0.0", "context": 3, "seqno": 4, "ring": "gfx_0.0.0", "num_ibs": 2},
     "sched_job=12, timeline=gfx_0.0.0, context=3, seqno=4, ring_name=gfx_0.0.0, num_ibs=2"),
    ("amdgpu", "amdgpu_bo_move", pointer("bo") + u64("bo_size") + u32("new_placement", "old_placement"),
     '"bo=%p, from=%d, to=%d, size=%Ld", REC->bo, REC->old_placement, REC->new_placement, REC->bo_size',
     {"bo": P, "bo_size": 4096, "new_placement": 2, "old_placement": 1}, f"bo=0x{P:x}, from=1, to=2, size=4096"),
    ("amdgpu", "amdgpu_vm_bo_map", pointer("bo") + [Field("long start", PTR, 1), Field("long last", PTR, 1)] + u64("offset", "flags"),
     '"bo=%p, start=%lx, last=%lx, offset=%010llx, flags=%llx", REC->bo, REC->start, REC->last, REC->offset, REC->flags',
     {"bo": P, "start": 0x100, "last": 0x1ff, "offset": 16, "flags": 0x71},
     f"bo=0x{P:x}, start=100, last=1ff, offset=0000000010, flags=71"),
    ("radeon", "radeon_semaphore_wait", s32("ring", "waiters") + u64("gpu_addr"),
     '"ring=%u, waiters=%d, addr=%010Lx", REC->ring, REC->waiters, REC->gpu_addr', {"ring": 3, "waiters": -1, "gpu_addr": 0x1000},
     "ring=3, waiters=-1, addr=0000001000"),
    ("sync", "sync_wait", text("name") + s32("status") + u32("begin"),
     '"%s name=%s state=%d", REC->begin ? "begin" : "end", __get_str(name), REC->status', {"name": "vb2", "status": -1, "begin": 1},
     "begin name=vb2 state=-1"),
    ("irq", "irq_handler_exit", s32("irq", "ret"), '"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"',
     {"irq": 33, "ret": 1}, "irq=33 ret=handled"),
    ("irq", "softirq_entry", [Field("unsigned int vec", 4)],
     '"vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 7, "SCHED" })', {"vec": 7}, "vec=7 [action=SCHED]"),
    ("sched", "sched_process_exit", [Field("char comm[16]", 16)] + s32("pid", "prio") + flag("group_dead"),
     '"comm=%s pid=%d prio=%d group_dead=%s", REC->comm, REC->pid, REC->prio, REC->group_dead ? "true" : "false"',
     {"comm": "a b", "pid": 9, "prio": 120, "group_dead": 1}, "comm=a b pid=9 prio=120 group_dead=true"),
    ("lima", "lima_task_run", u32("context", "seqno") + text("pipe"), '"context=%u seqno=%u pipe=%s", REC->context, REC->seqno, __get_str(pipe)',
     {"context": 1, "seqno": 2, "pipe": "gp"}, "context=1 seqno=2 pipe=gp"),
    ("pvr", "pvr_job_create", pointer("pvr_dev", "job") + s32("job_type") + u32("sync_op_count"),
     '"pvr_dev=%p job=%p job_type=%s sync_op_count=%u", REC->pvr_dev, REC->job, __print_symbolic(REC->job_type, { 0, "geometry" }, '
     '{ 1, "fragment" }, { 2, "compute" }), REC->sync_op_count',
     {"pvr_dev": P, "job": P + 64, "job_type": 2, "sync_op_count": 1},
     f"pvr_dev=0x{P:x} job=0x{P + 64:x} job_type=compute sync_op_count=1"),
    ("host1x", "host1x_syncpt_wait_check", pointer("bo") + u32("offset", "syncpt_id", "thresh", "min"),
     '"bo=%p, offset=%05x, id=%d, thresh=%d, current=%d", REC->bo, REC->offset, REC->syncpt_id, REC->thresh, REC->min',
     {"bo": P, "offset": 0x10, "syncpt_id": 5, "thresh": 6, "min": 7}, f"bo=0x{P:x}, offset=00010, id=5, thresh=6, current=7"),
    ("power", "gpu_work_period", u32("gpu_id", "uid") + u64("start_time_ns", "end_time_ns", "total_active_duration_ns"),
     '"gpu_id=%u uid=%u start_time_ns=%llu end_time_ns=%llu total_active_duration_ns=%llu", REC->gpu_id, REC->uid, '
     'REC->start_time_ns, REC->end_time_ns, REC->total_active_duration_ns',
     {"gpu_id": 0, "uid": 10012, "start_time_ns": 10**12, "end_time_ns": 10**12 + 9, "total_active_duration_ns": 8},
     "gpu_id=0 uid=10012 start_time_ns=1000000000000 end_time_ns=1000000000009 total_active_duration_ns=8"),
    ("xe", "xe_sched_job_run", text("dev") + u32("seqno", "lrc_seqno") + [Field("u8 gt_id", 1), Field("u16 guc_id", 2)] +
     u32("guc_state", "flags") + s32("error") + pointer("fence") + u64("batch_addr"),
     '"dev=%s, fence=%p, seqno=%u, lrc_seqno=%u, gt=%u, guc_id=%d, batch_addr=0x%012llx, guc_state=0x%x, flags=0x%x, error=%d", '
     '__get_str(dev), REC->fence, REC->seqno, REC->lrc_seqno, REC->gt_id, REC->guc_id, REC->batch_addr, REC->guc_state, REC->flags, '
     'REC->error',
     {"dev": "0000:00:02.0", "seqno": 1, "lrc_seqno": 2, "gt_id": 0, "guc_id": 3, "guc_state": 4, "flags": 5, "error": -62, "fence": P,
      "batch_addr": 0x1a0000},
     f"dev=0000:00:02.0, fence=0x{P:x}, seqno=1, lrc_seqno=2, gt=0, guc_id=3, batch_addr=0x0000001a0000, guc_state=0x4, flags=0x5, "
     "error=-62"),
]
FIRST = 5_000_000_000_000


def made():
    """The trace.dat of all cases: one event each, 1 us apart."""
    kinds = [Event(2000 + i, system, name, fields, fmt) for i, (system, name, fields, fmt, _, _) in enumerate(CASES)]
    records = [(FIRST + 1000 * i, kind.record(Shape(), 77, CASES[i][4])) for i, kind in enumerate(kinds)]
    return File(Shape(), {0: records}, comms=[(77, "app")], used=kinds).bytes()


def plain(value):
    """Without the names that numbers have, and whatever the base that they are shown in."""
    value = value["value"] if isinstance(value, dict) else value
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def seen(path):
    return [(e["event"], sorted((k, plain(v)) for k, v in e["fields"].items())) for e in events(path)]


def binary(folder):
    return seen(import_file(folder, made(), "--keep-pointers", name="t.dat")[0])


def compare(have, want):
    equal(len(have), len(want), "events")
    for one, other in zip(have, want):
        equal(one, other, f"fields of {other[0]}")


@test
def printed_events_have_the_fields_of_recorded_ones(folder):
    want = binary(folder)
    equal([w[0] for w in want], [f"{c[0]}:{c[1]}" for c in CASES], "events")
    equal([dict(w[1]) for w in want], [{k: v for k, v in c[4].items()} for c in CASES], "the records are what was put into them")
    lines = [f"             app-77      [000] ..... {(FIRST + 1000 * i) / 1e9:.6f}: {name}: {printed}"
             for i, (_, name, _, _, _, printed) in enumerate(CASES)]
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode(), "--keep-pointers", name="own.txt")
    compare(seen(path), want)


@test
def fields_that_are_printed_by_their_names_are_the_same(folder):
    """In the order of names and in decimal, pointers too, as traceconv systrace does it."""
    lines = []
    for i, (_, name, _, _, values, _) in enumerate(CASES):
        shown = " ".join(f"{k}={values[k]}" for k in sorted(values))
        lines.append(f"             app-77      (   77) [000] ..... {(FIRST + 1000 * i) / 1e9:.6f}: {name}: {shown}")
    path, _ = import_file(folder, ("\n".join(lines) + "\n").encode(), "--keep-pointers", name="names.txt")
    equal([e[1] for e in seen(path)], [e[1] for e in binary(folder)], "fields")


@test
def what_trace_cmd_prints_has_the_same_fields(folder):
    if not shutil.which("trace-cmd"):
        raise Skip("trace-cmd is not installed")
    want = binary(folder)
    path = put(folder, "t.dat", made())
    for options in ([], ["-l"]):
        printed = subprocess.run(["trace-cmd", "report", *options, "-i", path], capture_output=True, check=True).stdout
        text_path, _ = import_file(folder, printed, "--keep-pointers", name="report.txt")
        compare(seen(text_path), want)
