/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight_copy.h"
#include "recorder/flight/flight.h"
#include "recorder/flight/lone_chunk.h"

#include "format/codec/record.h"

#include <errno.h>
#include <stdlib.h>

/* A chunk of which a part is too old: its records are in order of time. */
static int write_part(struct xtr_flight_copy *x, const struct xtr_chunk *c, const uint8_t *stored)
{
	struct xtr_batch b = { .stream = c->stream,
			       .len = c->rec_len,
			       .n = c->n_records,
			       .lost_total = c->lost_total };
	struct xtr_lone_chunk lone;
	uint8_t *recs = NULL;
	size_t cap = 0;
	struct xtr_err what;
	int err = xtr_lone_chunk_open(&lone, c, stored);

	if (!err)
		err = xtr_reader_decode(lone.reader, lone.chunk, &recs, &cap, &what);
	xtr_lone_chunk_close(&lone);
	for (b.recs = recs; !err && b.n && xtr_rec_ts(b.recs) < x->from; b.n--) {
		uint32_t size = xtr_rec_size(b.recs);

		b.recs += size;
		b.len -= size;
		x->aged[c->stream]++;
	}
	if (!err)
		err = xtr_writer_events(x->writer, &b);
	free(recs);
	return err;
}

int xtr_flight_copy(struct xtr_flight_copy *x, const struct xtr_chunk *c, const uint8_t *stored)
{
	bool all = c->type != XTR_CHUNK_EVENTS || xtr_flight_is_own(c);

	if (c->type == XTR_CHUNK_LOSS)
		return 0;
	if (!all && c->ts_min < x->first)
		x->first = c->ts_min;
	if (all || c->ts_min >= x->from || c->stream >= x->n_cpus)
		return xtr_writer_copy(x->writer, c, stored, c->lost_total);
	if (c->ts_max >= x->from)
		return write_part(x, c, stored);
	x->aged[c->stream] += c->n_records;
	return 0;
}
