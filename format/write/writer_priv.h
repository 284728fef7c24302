/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a writer, shared by writer.c (chunks, metadata, the end) and writer_events.c. */
#ifndef XTR_WRITER_PRIV_H
#define XTR_WRITER_PRIV_H

#include "format/read/chunk.h"
#include "format/codec/codecs.h"
#include "format/codec/columns.h"
#include "format/codec/filter.h"
#include "format/codec/refs.h"
#include "format/codec/words.h"
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
	struct xtr_words_enc *words;     /* the same */
	struct xtr_sorter sorter;
	uint8_t *sorted; /* a batch in order of time */
	size_t cap_sorted;
	struct xtr_rec_ref *sorted_refs; /* the same of references */
	size_t cap_sorted_refs;
	struct xtr_refs refs; /* to a batch's records */
	uint8_t *made;        /* records of references */
	size_t cap_made;
	void *lz4; /* LZ4's state */
	struct xtr_zstd zstd;
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
/* Where references of one stream lead to, in order of time. */
struct xtr_ref_batch {
	uint32_t stream;
	const struct xtr_rec_layout *layouts;
	uint32_t n_layouts;
	const struct xtr_rec_ref *refs;
	size_t n;
	uint64_t lost_total; /* as in struct xtr_batch */
};

/* Write records, which are in order of time, as EVENTS chunks by rows, columns or as they are. */
int xtr_writer_records(struct xtr_writer *w, const struct xtr_batch *b, const uint8_t *recs,
		       struct xtr_stream_state *s);
/* The same by words: where that is not smaller, by rows. w->words must be there. */
int xtr_writer_words(struct xtr_writer *w, const struct xtr_ref_batch *b,
		     struct xtr_stream_state *s);
/*
 * Append an EVENTS chunk of f, and account for it: c has stream, filter and rec_len, first is the
 * time of its first record.
 */
int xtr_writer_put_events(struct xtr_writer *w, struct xtr_chunk *c, const struct xtr_filtered *f,
			  uint64_t first, uint64_t lost_total, struct xtr_stream_state *s,
			  bool compress);
/* Write META and full tables again where spec 6 and 6.4 want it, and what is new in the tables. */
int xtr_writer_refresh(struct xtr_writer *w);

#endif /* XTR_WRITER_PRIV_H */
