/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a writer, shared by writer.c (chunks, metadata, the end) and writer_events.c. */
#ifndef XTR_WRITER_PRIV_H
#define XTR_WRITER_PRIV_H

#include "format/read/chunk.h"
#include "format/codec/columns.h"
#include "format/codec/filter.h"
#include "format/read/index.h"
#include "base/map.h"
#include "writer.h"

struct xtr_stream_state {
	uint64_t ordinal; /* events written so far */
	uint64_t lost;    /* lost_total of the last chunk */
};

struct xtr_writer {
	struct xtr_io *io;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer_opts opts;
	int err;        /* the first I/O error */
	uint32_t seq;   /* of the next chunk */
	uint64_t bytes; /* of the section so far */
	uint64_t events;
	uint64_t newest;             /* ns: the latest ts_max of EVENTS */
	uint64_t meta_at, tables_at; /* bytes when they were last written in full */
	uint64_t index_at;           /* offset of the last INDEX, 0: none yet */
	uint32_t index_len;          /* and the length of its payload */
	struct xtr_index index;
	struct xtr_map by_stream; /* stream -> index in streams */
	struct xtr_stream_state *streams;
	size_t n_streams, cap_streams;
	struct xtr_filter_enc *filter;
	struct xtr_columns_enc *columns; /* NULL: not wanted */
	struct xtr_sorter sorter;
	uint8_t *sorted; /* a batch in order of time */
	size_t cap_sorted;
	void *lz4;    /* LZ4's state */
	uint8_t *out; /* one chunk: header, payload, padding */
};

/*
 * Append a chunk: c says type, stream and, for EVENTS, what the records are; the rest is filled in.
 * compress: by the writer's codec, if that makes the payload smaller.
 */
int xtr_writer_put(struct xtr_writer *w, struct xtr_chunk *c, const uint8_t *payload, size_t n,
		   bool compress);
/*
 * Append a chunk whose payload stands in w->out behind the header's place: all of c is set but
 * file_id and seq.
 */
int xtr_writer_seal(struct xtr_writer *w, struct xtr_chunk *c);
/* The state of a stream, made when first asked for; valid until the next call. 0 or -ENOMEM. */
int xtr_writer_stream(struct xtr_writer *w, uint32_t stream, struct xtr_stream_state **s);
/* Write META and full tables again where spec 6 and 6.4 want it, and what is new in the tables. */
int xtr_writer_refresh(struct xtr_writer *w);

#endif /* XTR_WRITER_PRIV_H */
