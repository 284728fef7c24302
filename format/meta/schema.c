// SPDX-License-Identifier: BSD-2-Clause
/* The built-in events of spec/events.md, and the words for representations and privacy classes. */
#include "schema.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	uint32_t width;
} reprs[XTR_REPR_COUNT] = {
#define ROW(id, text, width) [XTR_REPR_##id] = { text, width },
	XTR_REPRS(ROW)
#undef ROW
};

static const char *const sens_names[XTR_SENS_COUNT] = {
	[XTR_SENS_NONE] = NULL,   [XTR_SENS_PLAIN] = "plain",
	[XTR_SENS_KPTR] = "kptr", [XTR_SENS_UPTR] = "uptr",
	[XTR_SENS_PID] = "pid",   [XTR_SENS_NAME] = "name",
	[XTR_SENS_PATH] = "path", [XTR_SENS_USER_DATA] = "user-data",
};

static const struct xtr_value_name job_flags[] = {
	{ XTR_JOB_KTHREAD, "kthread" },
	{ XTR_JOB_CLIENT_KNOWN, "client-known" },
	{ XTR_JOB_DEP_SIGNALED, "dep-signaled" },
	{ XTR_JOB_DEP_SCHEDULED, "dep-scheduled" },
	{ XTR_JOB_HW_FENCE, "hw-fence" },
	{ XTR_JOB_HW_SIGNALED, "hw-signaled" },
	{ XTR_JOB_OTHERS, "others" },
};

#define FIELD(field, off, bytes, r, u)                                                        \
	{                                                                                     \
		.name = field, .unit = u, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                                        \
	}
#define FLAGS(off)                                                               \
	{                                                                        \
		.name = "flags", .offset = off, .size = 4, .repr = XTR_REPR_U32, \
		.sens = XTR_SENS_PLAIN, .names_kind = XTR_NAMES_FLAGS,           \
		.n_names = COUNT(job_flags), .names = job_flags                  \
	}

static const struct xtr_field job_queue[] = {
	FIELD("ctx", 16, 8, U64, NULL),         FIELD("seqno", 24, 8, U64, NULL),
	FIELD("client_id", 32, 8, U64, NULL),   FIELD("ring", 40, 4, RING, NULL),
	FIELD("job_count", 44, 4, U32, "jobs"), FIELD("hw_job_count", 48, 4, S32, "jobs"),
	FIELD("stack", 52, 4, STACK, NULL),     FLAGS(56),
	FIELD("prio", 60, 4, S32, NULL),
};

static const struct xtr_field job_run[] = {
	FIELD("ctx", 16, 8, U64, NULL),
	FIELD("seqno", 24, 8, U64, NULL),
	FIELD("ring", 32, 4, RING, NULL),
	FIELD("job_count", 36, 4, U32, "jobs"),
	FIELD("hw_job_count", 40, 4, S32, "jobs"),
	FLAGS(44),
};

static const struct xtr_field job_done[] = {
	FIELD("ctx", 16, 8, U64, NULL),
	FIELD("seqno", 24, 8, U64, NULL),
	FIELD("ring", 32, 4, RING, NULL),
	FIELD("hw_job_count", 36, 4, S32, "jobs"),
	FIELD("hw_ctx", 40, 8, U64, NULL),
	FIELD("hw_seqno", 48, 8, U64, NULL),
	FIELD("hw_age", 56, 8, U64, "ns"),
	FIELD("hw_error", 64, 4, S32, "errno"),
	FLAGS(68),
};

static const struct xtr_field job_dep[] = {
	FIELD("ctx", 16, 8, U64, NULL),     FIELD("seqno", 24, 8, U64, NULL),
	FIELD("dep_ctx", 32, 8, U64, NULL), FIELD("dep_seqno", 40, 8, U64, NULL),
	FIELD("ring", 48, 4, RING, NULL),   FLAGS(52),
};

static const struct xtr_field fence[] = {
	FIELD("ctx", 16, 8, U64, NULL),
	FIELD("seqno", 24, 8, U64, NULL),
	FIELD("ops", 32, 4, STRID, NULL),
	FIELD("error", 36, 4, S32, "errno"),
};

static const struct xtr_field fence_stack[] = {
	FIELD("ctx", 16, 8, U64, NULL),     FIELD("seqno", 24, 8, U64, NULL),
	FIELD("ops", 32, 4, STRID, NULL),   FIELD("error", 36, 4, S32, "errno"),
	FIELD("stack", 40, 4, STACK, NULL),
};

static const struct xtr_field total[] = {
	FIELD("event", 16, 4, STRID, NULL),   FIELD("tgid", 20, 4, U32, NULL),
	FIELD("field", 24, 4, STRID, NULL),   FIELD("subfield", 28, 4, STRID, NULL),
	FIELD("key", 32, 8, HEX64, NULL),     FIELD("subkey", 40, 8, HEX64, NULL),
	FIELD("count", 48, 8, U64, "events"), FIELD("taken", 56, 8, U64, "events"),
	FIELD("other", 64, 4, U32, NULL),     FIELD("interim", 68, 4, U32, NULL),
};

static const struct xtr_value_name levels[] = {
	{ 0, "full" }, { 1, "1/2" },  { 2, "1/4" },   { 3, "1/8" },   { 4, "1/16" },
	{ 5, "1/32" }, { 6, "1/64" }, { 7, "1/128" }, { 8, "1/256" }, { 9, "counted" },
};

#define LEVEL(field, off)                                                                       \
	{                                                                                       \
		.name = field, .offset = off, .size = 4, .repr = XTR_REPR_U32,                  \
		.sens = XTR_SENS_PLAIN, .names_kind = XTR_NAMES_ENUM, .n_names = COUNT(levels), \
		.names = levels                                                                 \
	}

static const struct xtr_field budget[] = {
	LEVEL("before", 16),
	LEVEL("level", 20),
	FIELD("share", 24, 4, U32, "ppm"),
	FIELD("budget", 28, 4, U32, "ppm"),
	FIELD("elapsed", 32, 8, U64, "ns"),
	FIELD("filtered", 40, 8, U64, "events"),
};

#define EVENT(id, event, bytes, f)                                                       \
	{                                                                                \
		.name = event, .type = XTR_EV_##id, .size = bytes, .n_fields = COUNT(f), \
		.fields = f                                                              \
	}

const struct xtr_event_desc xtr_builtin_events[] = {
	EVENT(JOB_QUEUE, "gpu_scheduler:drm_sched_job_queue", 64, job_queue),
	EVENT(JOB_RUN, "gpu_scheduler:drm_sched_job_run", 48, job_run),
	EVENT(JOB_DONE, "gpu_scheduler:drm_sched_job_done", 72, job_done),
	EVENT(JOB_WAIT_DEP, "gpu_scheduler:drm_sched_job_wait_dep", 56, job_dep),
	EVENT(JOB_ADD_DEP, "gpu_scheduler:drm_sched_job_add_dep", 56, job_dep),
	EVENT(JOB_UNSCHEDULABLE, "gpu_scheduler:drm_sched_job_unschedulable", 56, job_dep),
	EVENT(FENCE_INIT, "dma_fence:dma_fence_init", 40, fence),
	EVENT(FENCE_EMIT, "dma_fence:dma_fence_emit", 40, fence),
	EVENT(FENCE_ENABLE_SIGNAL, "dma_fence:dma_fence_enable_signal", 40, fence),
	EVENT(FENCE_SIGNALED, "dma_fence:dma_fence_signaled", 40, fence),
	EVENT(FENCE_WAIT_START, "dma_fence:dma_fence_wait_start", 40, fence),
	EVENT(FENCE_WAIT_END, "dma_fence:dma_fence_wait_end", 40, fence),
	EVENT(FENCE_DESTROY, "dma_fence:dma_fence_destroy", 40, fence),
	EVENT(TOTAL, "xtr:total", 72, total),
	EVENT(BUDGET, "xtr:budget", 48, budget),
};

const size_t xtr_builtin_event_count = COUNT(xtr_builtin_events);

const struct xtr_event_desc *xtr_builtin_event(uint32_t type)
{
	for (size_t i = 0; i < COUNT(xtr_builtin_events); i++)
		if (xtr_builtin_events[i].type == type)
			return &xtr_builtin_events[i];
	return NULL;
}

const struct xtr_event_desc *xtr_builtin_event_stack(uint32_t type)
{
	static const struct xtr_event_desc with[] = {
		EVENT(FENCE_INIT, "dma_fence:dma_fence_init", 48, fence_stack),
		EVENT(FENCE_WAIT_START, "dma_fence:dma_fence_wait_start", 48, fence_stack),
	};

	for (size_t i = 0; i < COUNT(with); i++)
		if (with[i].type == type)
			return &with[i];
	return xtr_builtin_event(type);
}

uint32_t xtr_repr_width(enum xtr_repr repr)
{
	return (unsigned int)repr < XTR_REPR_COUNT ? reprs[repr].width : 0;
}

const char *xtr_repr_name(enum xtr_repr repr)
{
	return (unsigned int)repr < XTR_REPR_COUNT ? reprs[repr].name : "?";
}

const char *xtr_sens_name(enum xtr_sens sens)
{
	return (unsigned int)sens < XTR_SENS_COUNT ? sens_names[sens] : NULL;
}

bool xtr_repr_is_signed(enum xtr_repr repr)
{
	return repr >= XTR_REPR_S8 && repr <= XTR_REPR_S64;
}

const struct xtr_field *xtr_event_field(const struct xtr_event_desc *ev, const char *name)
{
	for (uint32_t i = 0; ev && i < ev->n_fields; i++)
		if (!strcmp(ev->fields[i].name, name))
			return &ev->fields[i];
	return NULL;
}

static uint64_t load(const uint8_t *p, uint32_t width)
{
	switch (width) {
	case 1:
		return *p;
	case 2:
		return xtr_le16(p);
	case 4:
		return xtr_le32(p);
	default:
		return xtr_le64(p);
	}
}

bool xtr_field_get(const struct xtr_field *f, const uint8_t *rec, uint32_t rec_size, uint64_t *v)
{
	uint32_t width;

	*v = 0;
	if (!f || f->repr == XTR_REPR_BYTES || f->repr == XTR_REPR_STR)
		return false;
	width = f->size;
	if ((width != 1 && width != 2 && width != 4 && width != 8) || f->offset > rec_size ||
	    width > rec_size - f->offset)
		return false;
	*v = load(rec + f->offset, width);
	if (xtr_repr_is_signed(f->repr))
		*v = (uint64_t)((int64_t)(*v << (64 - 8 * width)) >> (64 - 8 * width));
	return true;
}
