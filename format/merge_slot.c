/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decoded chunk is a row of records. Writers sort them (SORTED is a promise that is checked, not
 * believed), so most chunks are given out as they are; others are copied in order of time, records
 * of equal time in their order in the file.
 */
#include "merge_slot.h"

#include "buf.h"
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void slot_fail(struct xtr_slot *s, int err, enum xtr_problem_code problem)
{
	s->err = err;
	s->why = (struct xtr_err){
		.code = err, .problem = problem, .offset = s->chunk->offset, .seq = s->chunk->seq
	};
}

/* The current record's head. Records were checked by xtr_reader_decode: they fill buf exactly. */
static void slot_look(struct xtr_slot *s)
{
	s->ts = xtr_rec_ts(s->buf + s->pos);
	s->size = xtr_rec_size(s->buf + s->pos);
}

/* Put the records in *recs in order of time. */
static int sort_records(uint8_t **recs, size_t *cap, const struct xtr_chunk *c)
{
	struct xtr_sorter sorter = { 0 };
	uint8_t *out = malloc(c->rec_len);
	int ret = -ENOMEM;

	if (out)
		ret = xtr_records_sort(&sorter, *recs, c->n_records, out);
	xtr_sorter_free(&sorter);
	if (ret) {
		free(out);
		return ret;
	}
	free(*recs);
	*recs = out;
	*cap = c->rec_len;
	return 0;
}

/* Decode into *buf, in order of time. Returns false with s->err set. */
static bool slot_decode(struct xtr_slot *s, const struct xtr_reader *r, uint8_t **buf, size_t *cap)
{
	const struct xtr_chunk *c = s->chunk;
	struct xtr_rec_span span;

	s->err = xtr_reader_decode(r, c, buf, cap, &s->why);
	if (s->err)
		return false;
	/* Events outside the range that the header promises would come out of order. */
	if (!xtr_records_check(*buf, c->rec_len, c->n_records, &span) || span.ts_min < c->ts_min ||
	    span.ts_max > c->ts_max) {
		slot_fail(s, -EBADMSG, XTR_P_RECORD);
		return false;
	}
	if (!span.sorted && (s->err = sort_records(buf, cap, c)) != 0) {
		slot_fail(s, s->err, XTR_P_NONE);
		return false;
	}
	return true;
}

void xtr_slot_load(struct xtr_slot *s, const struct xtr_reader *r, const struct xtr_chunk *c)
{
	s->chunk = c;
	s->err = 0;
	s->windowed = false;
	s->pos = 0;
	s->at = 0;
	s->given = 0;
	s->held = 0;
	if (!slot_decode(s, r, &s->buf, &s->cap))
		return;
	s->len = c->rec_len;
	s->held = c->n_records;
	if (s->held)
		slot_look(s);
}

/* Fill the window from record s->given on. */
static void slot_fill(struct xtr_slot *s, const struct xtr_reader *r, size_t window,
		      uint8_t **scratch, size_t *scratch_cap)
{
	size_t off = 0, end;
	uint32_t i;

	s->pos = 0;
	s->at = 0;
	s->held = 0;
	s->len = 0;
	if (s->given >= s->chunk->n_records || !slot_decode(s, r, scratch, scratch_cap))
		return;
	for (i = 0; i < s->given; i++)
		off += xtr_rec_size(*scratch + off);
	for (end = off; i < s->chunk->n_records; i++, s->held++) {
		uint32_t size = xtr_rec_size(*scratch + end);

		if (s->held && end + size - off > window)
			break;
		end += size;
	}
	if (xtr_grow(&s->buf, &s->cap, end - off)) {
		slot_fail(s, -ENOMEM, XTR_P_NONE);
		s->held = 0;
		return;
	}
	memcpy(s->buf, *scratch + off, end - off);
	s->len = end - off;
	slot_look(s);
}

void xtr_slot_load_window(struct xtr_slot *s, const struct xtr_reader *r, const struct xtr_chunk *c,
			  size_t window, uint8_t **scratch, size_t *scratch_cap)
{
	s->chunk = c;
	s->err = 0;
	s->windowed = true;
	s->given = 0;
	slot_fill(s, r, window, scratch, scratch_cap);
}

bool xtr_slot_step(struct xtr_slot *s, const struct xtr_reader *r, size_t window, uint8_t **scratch,
		   size_t *scratch_cap)
{
	s->pos += s->size;
	s->at++;
	if (s->at < s->held) {
		slot_look(s);
		return true;
	}
	if (!s->windowed)
		return false;
	s->given += s->held;
	slot_fill(s, r, window, scratch, scratch_cap);
	return s->held > 0;
}
