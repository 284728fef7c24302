/* SPDX-License-Identifier: BSD-2-Clause */
#include "mark_rule.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Memory types of include/drm/ttm/ttm_placement.h and amdgpu_ttm.h; a buffer that is moved nowhere
 * is released (amdgpu_bo_move_notify).
 */
static const struct mark_name ttm_types[] = {
	{ 0, "system" },        { 1, "GTT" },      { 2, "VRAM" },
	{ 3, "GDS" },           { 4, "GWS" },      { 5, "OA" },
	{ 6, "preempt" },       { 7, "doorbell" }, { 8, "MMIO remap" },
	{ UINT32_MAX, "none" }, { 0, NULL },
};

#define COUNTER(event_name, how_it, track_name, ...)                              \
	{                                                                         \
		.event = (event_name), .kind = XTR_MARK_COUNTER, .how = (how_it), \
		.track = (track_name), __VA_ARGS__                                \
	}
#define VBLANK(name)                                                                               \
	{                                                                                          \
		.event = "drm:" name, .kind = XTR_MARK_VBLANK, .track = "CRTC", .keys = { "crtc" } \
	}
/* Linux 6.1 has them without a device, 7.2 those of the module xe in a system of its own. */
#define PIPE_OF(name)                                                                              \
	{                                                                                          \
		.event = (name), .kind = XTR_MARK_VBLANK, .track = "pipe",                         \
		.keys = { "pipe_name|pipe", "dev" }, .words = { "", "of" }, .how = MARK_NO_COUNTER \
	}
#define PIPE(name) PIPE_OF("i915:" name), PIPE_OF("xe:" name)
#define ON_DEVICE(name, ...)                                                              \
	{                                                                                 \
		.event = (name), .kind = XTR_MARK_DEVICE, .track = "", .keys = { "dev" }, \
		__VA_ARGS__                                                               \
	}

/*
 * Tracepoints: include/trace/events/{gpu_mem,power}.h, drivers/gpu/drm: drm_trace.h, amdgpu,
 * i915_trace.h, intel_display_trace.h, xe_trace*.h, virtgpu_trace.h, accel/amdxdna; nvidia: the
 * open kernel modules.
 */
const struct mark_rule mark_rules[] = {
	COUNTER("gpu_mem:gpu_mem_total", MARK_SET, "GPU memory", .keys = { "gpu_id", "pid" },
		.value = "size", .unit = "bytes"),
	COUNTER("power:gpu_frequency", MARK_SET, "GPU frequency", .keys = { "gpu_id" },
		.value = "state", .unit = "kHz"),
	COUNTER("power:cpu_frequency", MARK_SET, "CPU frequency", .keys = { "cpu_id" },
		.value = "state", .unit = "kHz"),
	/* Perfetto's GpuCounterEvent; doubles are millionths
	   (converters/in/perfetto/pftrace_gpu_counter.c). */
	COUNTER("perfetto:gpu_counter", MARK_SET, "", .keys = { "counter", "device" },
		.words = { "", "of" }, .value = "value", .unit_field = "unit"),
	COUNTER("perfetto:gpu_counter_real", MARK_SET, "", .keys = { "counter", "device" },
		.words = { "", "of" }, .value = "value", .unit_field = "unit"),
	COUNTER("i915:intel_gpu_freq_change", MARK_SET, "i915 GPU frequency", .value = "freq",
		.unit = "MHz"),
	COUNTER("i915:i915_gem_object_create", MARK_OPEN, "i915 objects held", .object = { "obj" },
		.value = "size", .unit = "bytes"),
	COUNTER("i915:i915_gem_object_destroy", MARK_CLOSE, "i915 objects held",
		.object = { "obj" }, .unit = "bytes"),
	COUNTER("amdgpu:amdgpu_bo_move", MARK_SUM, "amdgpu moved to", .keys = { "new_placement" },
		.value = "bo_size", .unit = "bytes", .key_names = ttm_types),
	COUNTER("xe:xe_bo_move", MARK_SUM, "xe moved to",
		.keys = { "new_placement_name", "device_id" }, .words = { "", "of" },
		.value = "size", .unit = "bytes"),
	COUNTER("xe:xe_hw_fence_create", MARK_OPEN, "xe fences pending", .keys = { "dev" },
		.object = { "seqno", "ctx" }),
	COUNTER("xe:xe_hw_fence_signal", MARK_CLOSE, "xe fences pending", .keys = { "dev" },
		.object = { "seqno", "ctx" }),
	COUNTER("virtio_gpu:virtio_gpu_cmd_queue", MARK_OPEN, "virtio_gpu in flight",
		.keys = { "dev", "vq" }, .object = { "seqno" }),
	COUNTER("virtio_gpu:virtio_gpu_cmd_response", MARK_CLOSE, "virtio_gpu in flight",
		.keys = { "dev", "vq" }, .object = { "seqno" }),
	COUNTER("amdxdna:mbox_set_tail", MARK_OPEN, "amdxdna mailbox", .keys = { "chann_id" },
		.object = { "msg_id" }),
	COUNTER("amdxdna:mbox_set_head", MARK_CLOSE, "amdxdna mailbox", .keys = { "chann_id" },
		.object = { "msg_id" }),
	COUNTER("drm:drm_vblank_event", MARK_PERIOD, "refresh of CRTC", .keys = { "crtc" },
		.unit = "ns"),
	VBLANK("drm_vblank_event"),
	VBLANK("drm_vblank_event_queued"),
	VBLANK("drm_vblank_event_delivered"),
	PIPE("intel_pipe_update_start"),
	PIPE("intel_pipe_update_vblank_evaded"),
	PIPE("intel_pipe_update_end"),
	PIPE("intel_crtc_flip_done"),
	PIPE("intel_plane_async_flip"),
	PIPE("intel_cpu_fifo_underrun"),
	ON_DEVICE("nvidia:nvidia_dev_xid", .label = "Xid", .value = "error_code"),
	ON_DEVICE("nvswitch:nvswitch_dev_sxid", .label = "SXid", .value = "error_code"),
	ON_DEVICE("xe:xe_exec_queue_reset"),
	ON_DEVICE("xe:xe_exec_queue_memory_cat_error"),
	ON_DEVICE("xe:xe_exec_queue_cgp_context_error"),
	ON_DEVICE("xe:xe_sched_job_timedout"),
	ON_DEVICE("xe:xe_tlb_inval_fence_timeout"),
	ON_DEVICE("xe:xe_vm_kill"),
};

const size_t mark_n_rules = sizeof(mark_rules) / sizeof(mark_rules[0]);

/* --- mark level ------------------------------------------------------------------------------- */

void levels_free(struct levels *l)
{
	xtr_map_free(&l->by_track);
	xtr_map_free(&l->objects);
	free(l->level);
	free(l->held);
	*l = (struct levels){ 0 };
}

/* FNV-1a, from two starting points. */
static uint64_t hash(const char *text, uint64_t h)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return h;
}

int levels_find(struct levels *l, const char *track, uint32_t *i)
{
	uint64_t a = hash(track, 0xcbf29ce484222325ull), b = hash(track, 0x9ae16a3b2f90404full);
	struct level *more;

	*i = xtr_map_index(&l->by_track, a, b);
	if (*i != XTR_MAP_NONE)
		return 0;
	if (l->n == LEVELS_MAX)
		return -ENOSPC;
	if (l->n == l->cap) {
		more = reallocarray(l->level, l->cap ? 2 * l->cap : 16, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->level = more;
		l->cap = l->cap ? 2 * l->cap : 16;
	}
	l->level[l->n] = (struct level){ 0 };
	*i = l->n;
	return xtr_map_put(&l->by_track, a, b, l->n++);
}

static void rise(struct level *v, uint64_t amount)
{
	v->value = amount > UINT64_MAX - v->value ? UINT64_MAX : v->value + amount;
}

static void fall(struct level *v, uint64_t amount)
{
	v->value -= amount < v->value ? amount : v->value;
}

static int take_place(struct levels *l, uint32_t *at)
{
	uint64_t *more;

	if (l->free_held) {
		*at = l->free_held - 1;
		l->free_held = (uint32_t)l->held[*at];
		return 0;
	}
	if (l->n_held == OBJECTS_MAX)
		return -ENOSPC;
	if (l->n_held == l->cap_held) {
		more = reallocarray(l->held, l->cap_held ? 2 * l->cap_held : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->held = more;
		l->cap_held = l->cap_held ? 2 * l->cap_held : 64;
	}
	*at = l->n_held++;
	return 0;
}

/* Names of fence contexts and kernel addresses that are hashed keep apart from other counters'. */
static uint64_t with_counter(uint64_t name, uint32_t i)
{
	return name ^ (uint64_t)i << 52;
}

int levels_open(struct levels *l, uint32_t i, struct level_object o, uint64_t amount)
{
	uint64_t a = with_counter(o.a, i);
	uint32_t at;
	int err;

	if (o.named) {
		levels_close(l, i, o);
		err = take_place(l, &at) ?: xtr_map_put(&l->objects, a, o.b, at);
		if (err)
			return err;
		l->held[at] = amount;
	}
	rise(&l->level[i], amount);
	return 0;
}

bool levels_close(struct levels *l, uint32_t i, struct level_object o)
{
	uint64_t a = with_counter(o.a, i);
	uint32_t at;

	if (!o.named) {
		fall(&l->level[i], 1);
		return true;
	}
	at = xtr_map_index(&l->objects, a, o.b);
	if (at == XTR_MAP_NONE)
		return false;
	xtr_map_del(&l->objects, a, o.b);
	fall(&l->level[i], l->held[at]);
	l->held[at] = l->free_held;
	l->free_held = at + 1;
	return true;
}
