/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a section of an .xtr file: append only, never seeks. Not thread-safe: one thread writes.
 * The writer owns the tables' and the loss account's "what is new" state, not the objects
 * themselves.
 *
 * After an I/O error every call returns that error; what was written before stays readable.
 */
#ifndef XTR_WRITER_H
#define XTR_WRITER_H

#include "format/codec/record.h"
#include "format/meta/loss.h"
#include "format/io.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"

#include <stdbool.h>

struct xtr_chunk; /* reader.h */
struct xtr_writer;

struct xtr_writer_opts {
	size_t sz;        /* sizeof(struct xtr_writer_opts) */
	uint64_t file_id; /* 0: random */
	/*
	 * Of EVENTS, default XTR_CODEC_LZ4 via xtr_writer_opts_init. XTR_CODEC_ZSTD, with its flag,
	 * at its fastest level: -EOPNOTSUPP where xtr is built without.
	 */
	enum xtr_codec codec;
	/*
	 * Default XTR_FILTER_ROWDELTA. XTR_FILTER_COLUMNS and XTR_FILTER_WORDS, with their flags:
	 * where that is not smaller, row-delta.
	 */
	enum xtr_filter filter;
	uint64_t table_every; /* bytes between full tables, 0: 64 MiB */
	uint64_t meta_every;  /* bytes between META copies, 0: 256 MiB */
	bool small;           /* metadata too is compressed, and all of it with effort (LZ4-HC) */
	uint32_t features;    /* incompatible flags of the section (spec 3), for what is copied */
};

void xtr_writer_opts_init(struct xtr_writer_opts *o);
/*
 * What is made of a section with these flags may hold copies of its chunks, and if it was recorded
 * by words the rest is written as these are.
 */
void xtr_writer_opts_as(struct xtr_writer_opts *o, uint32_t features);

/*
 * Start a section: writes the file header and META. io, meta, tables and loss stay the caller's and
 * must outlive the writer; meta may grow between calls (xtr_writer_meta writes it again).
 */
int xtr_writer_open(struct xtr_writer **w, struct xtr_io *io, struct xtr_meta *meta,
		    struct xtr_tables *tables, struct xtr_loss *loss,
		    const struct xtr_writer_opts *opts);

/* Write META again, e.g. after an event type was added. */
int xtr_writer_meta(struct xtr_writer *w);
/* Write new table entries, if any. Called by xtr_writer_events too, before the chunk. */
int xtr_writer_tables(struct xtr_writer *w);
/* Write changed losses and new gaps, if any. */
int xtr_writer_loss(struct xtr_writer *w);

struct xtr_batch {
	uint32_t stream;     /* CPU */
	const uint8_t *recs; /* records (spec 5), one after the other */
	size_t len;          /* bytes */
	uint32_t n;          /* records */
	uint64_t lost_total; /* events of this stream lost so far, all causes */
	bool raw;            /* write without filter and codec (the recorder falls behind) */
};

/*
 * Write a batch as one or more EVENTS chunks, sorted by time stamp inside each batch. A malformed
 * record makes it -EINVAL and writes nothing.
 */
int xtr_writer_events(struct xtr_writer *w, const struct xtr_batch *b);

/*
 * The same with records that stand in pieces, n of them: each of the layout that its index tells.
 * lost_total as in struct xtr_batch. The payloads are read, by words (XTR_FILTER_WORDS) without
 * being put together before, until it returns. An index that is not below n_layouts, or a layout
 * that is none, makes it -EINVAL and writes nothing.
 */
int xtr_writer_refs(struct xtr_writer *w, uint32_t stream, const struct xtr_rec_layout *layouts,
		    uint32_t n_layouts, const struct xtr_rec_ref *refs, uint32_t n,
		    uint64_t lost_total);

/*
 * Append a chunk of another section with its payload as it is stored there (xtr_reader_stored):
 * nothing is decoded or encoded, codec, filter, lengths, times, CRC of the payload and SORTED stay
 * as c has them. file_id, seq, the CRC of the header and, of EVENTS, first_ordinal and LOSS_BEFORE
 * are this section's; lost_total is the stream's as in struct xtr_batch, and 0 for other types.
 * Ids in the records have to mean the same here: the tables must hold those of the other section.
 * Only EVENTS, CLOCK, ROUND, ATTACH, and chunks that are SAFE_TO_COPY; the others are the writer's
 * own to write: -EINVAL; and so is a codec or filter whose flag is not in opts.features. -EBADMSG:
 * stored is not what c says (length limits, CRC).
 */
int xtr_writer_copy(struct xtr_writer *w, const struct xtr_chunk *c, const uint8_t *stored,
		    uint64_t lost_total);

struct xtr_clock_reading {
	const char *clock; /* spec 6.3 */
	uint64_t ns;
};
int xtr_writer_clock(struct xtr_writer *w, uint64_t before, uint64_t after,
		     const struct xtr_clock_reading *r, size_t n);
int xtr_writer_round(struct xtr_writer *w, uint64_t watermark);
int xtr_writer_attach(struct xtr_writer *w, const char *name, const void *data, size_t n);

/* Tables, losses, META, END, index, trailer, sync. cost may be NULL. The writer stays to be freed.
 */
int xtr_writer_finish(struct xtr_writer *w, const char *reason,
		      const struct xtr_recorder_cost *cost);

/*
 * Little more comes: new table entries are those of t (which has what was written, too) from now
 * on, and META is written once more, by _finish. t as in xtr_writer_open.
 */
void xtr_writer_ends(struct xtr_writer *w, struct xtr_tables *t);

uint64_t xtr_writer_bytes(const struct xtr_writer *w); /* bytes of the section so far */
uint64_t xtr_writer_events_written(const struct xtr_writer *w);
/* ns: time of the newest event written, be it by xtr_writer_copy; 0: none was. */
uint64_t xtr_writer_newest(const struct xtr_writer *w);
/* Events of a stream written so far: first_ordinal of its next chunk. */
uint64_t xtr_writer_ordinal(const struct xtr_writer *w, uint32_t stream);
void xtr_writer_free(struct xtr_writer *w);

#endif /* XTR_WRITER_H */
