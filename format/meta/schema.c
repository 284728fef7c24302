/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in events of spec/events.md, and the words for representations and privacy classes. */
#include "schema.h"
#include "base/bytes.h"

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
#define ROW(id, bit, text) { XTR_JOB_##id, text },
	XTR_BUILTIN_FLAGS(ROW)
#undef ROW
};

static const struct xtr_value_name levels[] = {
	{ 0, "full" }, { 1, "1/2" },  { 2, "1/4" },   { 3, "1/8" },   { 4, "1/16" },
	{ 5, "1/32" }, { 6, "1/64" }, { 7, "1/128" }, { 8, "1/256" }, { 9, "counted" },
};

static const struct xtr_value_name known[] = { { 1, "off" }, { 2, "waited" } };

/* Names of a field's values, by the last column of its row in builtin_events.h. */
#define NAMES_NONE .names_kind = XTR_NAMES_NONE
#define NAMES_JOB_FLAGS \
	.names_kind = XTR_NAMES_FLAGS, .n_names = COUNT(job_flags), .names = job_flags
#define NAMES_LEVELS .names_kind = XTR_NAMES_ENUM, .n_names = COUNT(levels), .names = levels
#define NAMES_KNOWN  .names_kind = XTR_NAMES_FLAGS, .n_names = COUNT(known), .names = known
#define FIELD(record, field, r, u, v)           \
	{ .name = #field,                       \
	  .unit = u,                            \
	  .offset = XTR_REC_AT(record, field),  \
	  .size = XTR_REC_BYTES(record, field), \
	  .repr = XTR_REPR_##r,                 \
	  .sens = XTR_SENS_PLAIN,               \
	  NAMES_##v },
#define FIELDS(record) \
	static const struct xtr_field record[] = { XTR_FIELDS_##record(FIELD, record) }

FIELDS(job_queue);
FIELDS(job_run);
FIELDS(job_done);
FIELDS(job_dep);
FIELDS(fence);
FIELDS(fence_stack);
FIELDS(total);
FIELDS(budget);
FIELDS(cpu_sample);
FIELDS(thread_off);
FIELDS(thread_on);

#define EVENT(id, number, event, record)           \
	{ .name = event,                           \
	  .type = number,                          \
	  .size = sizeof(struct xtr_rec_##record), \
	  .n_fields = COUNT(record),               \
	  .fields = record },

const struct xtr_event_desc xtr_builtin_events[] = { XTR_BUILTIN_EVENTS(EVENT) };

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
		EVENT(FENCE_INIT, XTR_EV_FENCE_INIT, "dma_fence:dma_fence_init", fence_stack)
			EVENT(FENCE_WAIT_START, XTR_EV_FENCE_WAIT_START,
			      "dma_fence:dma_fence_wait_start", fence_stack)
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
