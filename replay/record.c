/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"
#include "format/merge.h"
#include "format/xtr_format.h"

#include <endian.h>
#include <string.h>

/* Offsets from the record's start, spec/events.md; 0: the event has no such field. */
struct layout {
	uint8_t size; /* up to the end of the last field that is used */
	uint8_t client, dep, ring, job_count, flags, error;
};

static const struct layout layouts[] = {
	[XTR_EV_JOB_QUEUE] = { 60, 32, 0, 40, 44, 56, 0 },
	[XTR_EV_JOB_RUN] = { 48, 0, 0, 32, 36, 44, 0 },
	[XTR_EV_JOB_DONE] = { 36, 0, 0, 32, 0, 0, 0 },
	[XTR_EV_JOB_WAIT_DEP] = { 56, 0, 32, 48, 0, 52, 0 },
	[XTR_EV_JOB_ADD_DEP] = { 56, 0, 32, 48, 0, 52, 0 },
	[XTR_EV_JOB_UNSCHEDULABLE] = { 56, 0, 32, 48, 0, 52, 0 },
	[XTR_EV_FENCE_SIGNALED] = { 40, 0, 0, 0, 0, 0, 36 },
};

static uint64_t u64_at(const uint8_t *rec, uint8_t offset)
{
	uint64_t v;

	memcpy(&v, rec + offset, sizeof(v));
	return le64toh(v);
}

static uint32_t u32_at(const uint8_t *rec, uint8_t offset)
{
	uint32_t v;

	if (!offset)
		return 0;
	memcpy(&v, rec + offset, sizeof(v));
	return le32toh(v);
}

int xtr_gpu_record_get(const struct xtr_event *ev, struct xtr_gpu_record *r)
{
	const struct layout *l;

	if (ev->type >= sizeof(layouts) / sizeof(layouts[0]) || !layouts[ev->type].size)
		return 0;
	l = &layouts[ev->type];
	if (ev->size < l->size)
		return -1;
	r->type = ev->type;
	r->tid = ev->tid;
	r->stream = ev->stream;
	r->ctx = u64_at(ev->rec, 16);
	r->seqno = u64_at(ev->rec, 24);
	r->client_id = l->client ? u64_at(ev->rec, l->client) : 0;
	r->dep_ctx = l->dep ? u64_at(ev->rec, l->dep) : 0;
	r->dep_seqno = l->dep ? u64_at(ev->rec, (uint8_t)(l->dep + 8)) : 0;
	r->ring = u32_at(ev->rec, l->ring);
	r->job_count = u32_at(ev->rec, l->job_count);
	r->flags = u32_at(ev->rec, l->flags);
	r->error = (int32_t)u32_at(ev->rec, l->error);
	return 1;
}
