/* SPDX-License-Identifier: BSD-2-Clause */
/* What csv, jsonl, arrow, sqlite and parquet share: what the export pass hands out becomes rows of
 * tables. */
#ifndef XTR_FEED_H
#define XTR_FEED_H

#include "converters/out/core/export.h"
#include "base/buf.h"
#include "replay/views/relation.h"
#include "base/text.h"

struct xtr_feed {
	uint32_t want; /* bits of enum xtr_relation_id */
	/* A row of a wanted table; all text is UTF-8 without NUL. Not 0: stop. */
	int (*put)(struct xtr_feed *f, enum xtr_relation_id id, const struct xtr_row *row);
	/* of the section, for put */
	struct xtr_origin origin;
	struct xtr_cell origin_cell[XTR_ORIGIN_N];
	/* own */
	const struct xtr_tables *tables;
	bool times;          /* of the section */
	struct xtr_map ring; /* ids of the rings that were put */
	uint64_t last_ring;  /* of the job before; UINT64_MAX: none */
	struct xtr_row row;
	struct xtr_utf8 clean[XTR_ROW_MAX], clean_host;
	FILE *json; /* writes to fields */
	struct xtr_buf fields;
};

/*
 * The one table that an exporter of these options writes, if it is one of enum xtr_relation_id;
 * else NULL.
 */
const struct xtr_relation *xtr_feed_table(const struct xtr_export_opts *o);
/* Its bit, 0: none. */
uint32_t xtr_feed_table_bit(const struct xtr_export_opts *o);
/* Why these options do not go together with their table: static text; NULL: they do. */
const char *xtr_feed_why_not(const struct xtr_export_opts *o);

/* XTR_EXPORT_*: what the exporter must want for these tables. */
unsigned int xtr_feed_wants(uint32_t want);

/*
 * What an exporter whose structure begins with a feed hands over (struct xtr_exporter, self).
 * All return 0, -errno, or what put returned. The section's own tables come at its begin.
 */
int xtr_feed_section(void *feed, const struct xtr_export_section *s);
int xtr_feed_job(void *feed, const struct xtr_job *j); /* and its dependencies */
int xtr_feed_call(void *feed, const struct xtr_call *c);
int xtr_feed_event(void *feed, const struct xtr_event *ev);
int xtr_feed_gap(void *feed, const struct xtr_gap *gap);
/* Frees what it owns, not f itself. */
void xtr_feed_free(struct xtr_feed *f);

#endif /* XTR_FEED_H */
