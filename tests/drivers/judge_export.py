# SPDX-License-Identifier: BSD-2-Clause
"""Counters, display tracks and device errors in exports: Chrome JSON, and Perfetto's format read by tests/export."""

import json
import os
import sys
import tempfile
from decimal import Decimal

import playfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../export"))
import perfetto  # noqa: E402

SYSTEMS = ("i915", "amdgpu", "xe", "virtio_gpu", "amdxdna", "drm", "nvidia", "nvswitch")
TTM = {0: "system", 1: "GTT", 2: "VRAM", 3: "GDS", 4: "GWS", 5: "OA", 6: "preempt", 7: "doorbell", 8: "MMIO remap", 0xFFFFFFFF: "none"}
PIPE_EVENTS = {f"{system}:{name}" for system in ("i915", "xe") for name in (
    "intel_pipe_update_start", "intel_pipe_update_vblank_evaded", "intel_pipe_update_end", "intel_crtc_flip_done",
    "intel_plane_async_flip", "intel_cpu_fifo_underrun")}
DEVICE_EVENTS = {"xe:" + name for name in (
    "xe_exec_queue_reset", "xe_exec_queue_memory_cat_error", "xe_exec_queue_cgp_context_error", "xe_sched_job_timedout",
    "xe_tlb_inval_fence_timeout", "xe_vm_kill")}
XIDS = {"nvidia:nvidia_dev_xid": "Xid", "nvswitch:nvswitch_dev_sxid": "SXid"}
# Begin and end of an object: event, track, what names the object on it.
OPEN = {"i915:i915_gem_object_create": (lambda e: "i915 objects held", ("obj",)),
        "xe:xe_hw_fence_create": (lambda e: f"xe fences pending {e.text('dev')}", ("ctx", "seqno")),
        "virtio_gpu:virtio_gpu_cmd_queue": (lambda e: f"virtio_gpu in flight dev {e.get('dev')} vq {e.get('vq')}", ("seqno",)),
        "amdxdna:mbox_set_tail": (lambda e: f"amdxdna mailbox {e.get('chann_id')}", ("msg_id",))}
CLOSE = {"i915:i915_gem_object_destroy": "i915:i915_gem_object_create", "xe:xe_hw_fence_signal": "xe:xe_hw_fence_create",
         "virtio_gpu:virtio_gpu_cmd_response": "virtio_gpu:virtio_gpu_cmd_queue", "amdxdna:mbox_set_head": "amdxdna:mbox_set_tail"}
CACHE = {}


class Truth:
    """What a timeline must show: counters (ns, track, value), moments (ns, root, track, name)."""

    def __init__(self, events):
        self.counters, self.moments = [], []
        self.held, self.sums, self.vblank = {}, {}, {}
        self.numbered = any("seqno" in e.fields for e in events if e.event == "virtio_gpu:virtio_gpu_cmd_queue")
        for e in sorted(events, key=lambda e: (e.t_ns, e.cpu)):
            self.event(e)

    def count(self, e, track, value):
        self.counters.append((e.t_ns, track, value))

    def add(self, e, track, amount):
        self.sums[track] = self.sums.get(track, 0) + amount
        self.count(e, track, self.sums[track])

    def open(self, e, track, fields):
        objects = self.held.setdefault(track(e), {})
        if e.system == "virtio_gpu" and not self.numbered:
            objects[len(objects)] = 1
        else:
            objects[tuple(e.get(f) for f in fields)] = e.get("size") if e.system == "i915" else 1
        self.count(e, track(e), sum(objects.values()))

    def close(self, e, track, fields):
        objects = self.held.setdefault(track(e), {})
        if e.system == "virtio_gpu" and not self.numbered:
            if objects:
                objects.popitem()
        elif objects.pop(tuple(e.get(f) for f in fields), None) is None:
            return
        self.count(e, track(e), sum(objects.values()))

    def refresh(self, e):
        crtc, seq, time = e.get("crtc"), e.get("seq"), e.get("time")
        if not time:
            return
        before = self.vblank.get(crtc)
        self.vblank[crtc] = (seq, time)
        if before and seq == before[0] + 1 and 0 < time - before[1] < 1000000000:
            self.count(e, f"refresh of CRTC {crtc}", time - before[1])

    def pipe(self, e):
        pipe = chr(e.fields["pipe_name"]) if "pipe_name" in e.fields else str(e.get("pipe"))
        return f"pipe {pipe} of {e.text('dev')}" if "dev" in e.fields else f"pipe {pipe}"

    def event(self, e):
        name = e.name
        if e.event in OPEN:
            self.open(e, *OPEN[e.event])
        elif e.event in CLOSE:
            self.close(e, *OPEN[CLOSE[e.event]])
        elif e.event == "i915:intel_gpu_freq_change":
            self.count(e, "i915 GPU frequency", e.get("freq"))
        elif e.event == "amdgpu:amdgpu_bo_move":
            to = e.get("new_placement")
            self.add(e, f"amdgpu moved to {TTM.get(to, to)}", e.get("bo_size"))
        elif e.event == "xe:xe_bo_move":
            self.add(e, f"xe moved to {e.text('new_placement_name')} of {e.text('device_id')}", e.get("size"))
        elif e.event in DEVICE_EVENTS:
            self.moments.append((e.t_ns, "Device errors", e.text("dev"), name))
        elif e.event in XIDS:
            self.moments.append((e.t_ns, "Device errors", e.text("dev"), f"{XIDS[e.event]} {e.get('error_code')}"))
        elif e.event in PIPE_EVENTS:
            self.moments.append((e.t_ns, "Display", self.pipe(e), name))
        elif name in ("drm_vblank_event", "drm_vblank_event_queued", "drm_vblank_event_delivered"):
            self.moments.append((e.t_ns, "Display", f"CRTC {e.get('crtc')}", name))
            if name == "drm_vblank_event":
                self.refresh(e)


def exported(xtr, trace, how, *options):
    """An export, read; made once for each trace."""
    state = os.stat(trace)
    key = (trace, state.st_mtime_ns, state.st_size, how, options)
    if key not in CACHE:
        if len(CACHE) > 8:
            CACHE.clear()
        with tempfile.NamedTemporaryFile() as out:
            playfile.output(xtr, "export", "-q", "--force", "-f", how, *options, "-o", out.name, trace)
            with open(out.name, "rb") as f:
                CACHE[key] = (perfetto.Trace if how == "perfetto" else chrome)(f.read())
    return CACHE[key]


def chrome(data):
    return json.loads(data, parse_float=Decimal)


def seen_in_chrome(trace):
    start = int(trace["metadata"]["start_ns"])
    process = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    roots = {"displays": "Display", "device errors": "Device errors"}
    counters, moments = [], []
    for e in trace["traceEvents"]:
        root = roots.get(process.get(e["pid"]))
        at = start + int(e.get("ts", 0) * 1000)
        if e["ph"] == "C" and e["cat"] == "counter":
            counters.append((at, e["name"], int(list(e["args"].values())[0])))
        elif e["ph"] == "i" and root:
            moments.append((at, root, thread[e["pid"], e["tid"]], e["name"]))
    return counters, moments


def seen_in_perfetto(trace, offset):
    counters, moments = [], []
    for e in trace.events:
        path = trace.path(e["track"])
        at = e["ts"] - offset + e["note"].get("interrupt_after_ns", 0)
        if e["type"] == perfetto.COUNTER and len(path) == 1:
            counters.append((at, path[0], e["value"]))
        elif e["type"] == perfetto.INSTANT and path[0] in ("Display", "Device errors"):
            moments.append((at, path[0], path[1], e["name"]))
    return counters, moments


def compare(what, seen, want):
    seen, want = sorted(seen), sorted(want)
    if seen == want:
        return True, f"{what}: {len(want)}"
    more, less = [x for x in seen if x not in want][:3], [x for x in want if x not in seen][:3]
    return False, f"{what}: {len(seen)} of {len(want)}, unexpected {more}, missing {less}"


def judge(events, xtr, trace, exact):
    if not exact:
        return []
    truth = Truth(events)
    counters, moments = seen_in_chrome(exported(xtr, trace, "chrome"))
    out = [compare("Chrome: counters", counters, truth.counters), compare("Chrome: moments", moments, truth.moments)]
    times = sorted(e.t_ns for e in events)
    middle = times[len(times) // 2]  # counters go on from what was before
    later, _ = seen_in_chrome(exported(xtr, trace, "chrome", "--from", f"{middle}ns"))
    out.append(compare("Chrome, later half: counters", later, [x for x in truth.counters if x[0] >= middle]))
    read = exported(xtr, trace, "perfetto")
    counters, moments = seen_in_perfetto(read, 0)
    first = [min(x[0] for x in part) for part in (counters + moments, truth.counters + truth.moments) if part]
    offset = first[0] - first[1] if len(first) == 2 else 0  # BOOTTIME against the event clock: one for all
    counters, moments = seen_in_perfetto(read, offset)
    out += [compare("Perfetto: counters", counters, truth.counters), compare("Perfetto: moments", moments, truth.moments),
            (not read.faults, f"Perfetto: {read.faults}")]
    return out


SPOILS = [
    ("an object less", lambda events: playfile.without(events, "i915:i915_gem_object_create")),
    ("more bytes moved", lambda events: playfile.altered(events, "amdgpu:amdgpu_bo_move", "bo_size", lambda v: v + 1)),
    ("another device", lambda events: playfile.altered(events, "xe:xe_exec_queue_reset", "dev", lambda v: v + "x")),
    ("a vblank less", lambda events: playfile.without(events, "drm:drm_vblank_event", 1)),
    ("a response less", lambda events: playfile.without(events, "virtio_gpu:virtio_gpu_cmd_response")),
]
