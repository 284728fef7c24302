/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a reader: source.c gets bytes, scan.c walks sections by their headers, section.c
 * loads what is not events, decode.c decodes payloads, verify.c checks all of them, reader.c is the
 * outside.
 */
#ifndef XTR_READER_PRIV_H
#define XTR_READER_PRIV_H

#include "base/map.h"
#include "chunk.h"
#include "decode.h"
#include "format/meta/loss.h"
#include "reader.h"

#include <stddef.h>
#include <stdint.h>

/* A stream as the headers of its EVENTS chunks tell it. */
struct xtr_stream_info {
	uint64_t next_ordinal; /* first_ordinal + n_records of the last chunk */
	uint64_t lost_total;   /* of the last chunk */
	uint32_t holes;        /* `holes` of the section at the last chunk */
};

struct xtr_section {
	uint64_t offset, end; /* bytes from the start of the file */
	uint64_t file_id;
	uint32_t header_size, compat_flags;
	uint16_t minor;
	struct xtr_meta *meta; /* NULL while there is none, as the next two */
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_chunk *chunks;
	size_t n_chunks, cap_chunks;
	struct xtr_chunk *strays; /* found, and ignored as out of order (chunk-order) */
	size_t n_strays, cap_strays;
	struct xtr_map by_stream; /* stream -> index in streams, until all chunks were seen */
	struct xtr_stream_info *streams; /* so long, too */
	size_t n_streams, cap_streams;
	uint32_t holes; /* times that missing-chunks was reported */
	bool damaged;   /* lost-sync, chunk-truncated, chunk-order or missing-chunks was reported */
	bool has_meta, has_end, has_cost, has_trailer;
	bool refused; /* unknown-critical */
	struct xtr_problem refusal;
	uint64_t trailer_offset;
	struct xtr_trailer trailer;
	char *end_reason;
	uint64_t end_events, end_lost;
	struct xtr_recorder_cost cost;
	struct xtr_clock_snapshot *clocks;
	size_t n_clocks, cap_clocks;
	struct xtr_section_summary summary;
};

struct xtr_reader {
	struct xtr_io *io;
	uint64_t size;      /* bytes */
	const uint8_t *map; /* the whole file, or NULL: read_at */
	struct xtr_section **sections;
	size_t n_sections, cap_sections;
	struct xtr_problem *problems;
	size_t n_problems, cap_problems;
	uint32_t features_unknown; /* incompatible flags for which sections are refused */
};

/* Processes of sections of one boot have one place (struct xtr_task, nth). 0 or -ENOMEM. boots.c */
int xtr_reader_rank_processes(struct xtr_reader *r);

/* --- source.c -------------------------------------------------------------------------------- */

/* A part of the file in memory, moved as needed. A zeroed structure is an empty one. */
struct xtr_window {
	uint8_t *buf;
	size_t cap, n;
	uint64_t off;
};

/*
 * Bytes [off, off + n) of the file at *p, or *p = NULL if the file ends before; `ahead` bytes are
 * read if it has to be read. 0, -ENOMEM or an I/O error.
 */
int xtr_window_get(const struct xtr_reader *r, struct xtr_window *w, uint64_t off, size_t n,
		   size_t ahead, const uint8_t **p);
void xtr_window_free(struct xtr_window *w);

/* --- scan.c ---------------------------------------------------------------------------------- */

/* Find all sections and their chunks (spec 3, 4.1). 0 or -errno. */
int xtr_scan(struct xtr_reader *r);

/* --- scan_index.c ---------------------------------------------------------------------------- */

/*
 * Find the one section of a file, and of its events those in the part, by the index. *done is false
 * if that cannot be done, and nothing has changed. 0 or -ENOMEM.
 */
int xtr_scan_part(struct xtr_reader *r, const struct xtr_part *part, bool *done);

/* --- section.c ------------------------------------------------------------------------------- */

struct xtr_section *xtr_section_new(void);
void xtr_section_free(struct xtr_section *s);
/* Take a found chunk over (spec 4.1): order, ordinals. 0 or -errno. */
int xtr_section_add(struct xtr_reader *r, struct xtr_section *s, const struct xtr_chunk *c);
/* A stream is there: for their number. 0 or -ENOMEM. */
int xtr_section_add_stream(struct xtr_section *s, uint32_t stream);
/* Does xtr_section_load look at chunks of this type? */
bool xtr_section_wants(uint8_t type);
/* Add the payload of a chunk of a type that is wanted. 0, -EBADMSG with err->problem, -ENOMEM. */
int xtr_section_take(struct xtr_section *s, uint8_t type, const uint8_t *p, size_t n,
		     struct xtr_err *err);
/* Load META, TABLE, CLOCK, LOSS and END, and sum up. 0 or -errno. */
int xtr_section_load(struct xtr_reader *r, struct xtr_section *s);

/* --- verify.c -------------------------------------------------------------------------------- */

/* Note the problems of a section that opening leaves open. 0 or -errno. */
int xtr_verify_section(struct xtr_reader *r, const struct xtr_section *s);

/* --- reader.c -------------------------------------------------------------------------------- */

/* Note a problem. 0 or -ENOMEM. */
int xtr_reader_note(struct xtr_reader *r, enum xtr_problem_code code, uint64_t offset,
		    uint32_t seq);
/* Bring the problems in their order (spec 8), each once. */
void xtr_reader_sort_problems(struct xtr_reader *r);

/* --- file id votes ---------------------------------------------------------------------------- */

/*
 * Which file_id most chunk headers carry, from any place of a region to its end (spec 3: sections
 * with a damaged header). Headers are added once, in order; then the winner at any place costs no
 * second look at the region, however many sections begin in it. 16 bytes a header.
 */
struct xtr_vote {
	uint64_t at; /* offset of the header */
	uint64_t id; /* its file_id; once counted: the winner from here to the region's end */
};

/* A zeroed structure is an empty one. */
struct xtr_votes {
	struct xtr_vote *v;
	size_t n, cap;
};

/* Add a header behind all that were added. 0 or -ENOMEM. */
int xtr_votes_add(struct xtr_votes *v, uint64_t at, uint64_t id);
/* All were added: count them. 0 or -ENOMEM. */
int xtr_votes_count(struct xtr_votes *v);
/* The file_id that most headers at and behind an offset carry, the first of equals; 0: none. */
uint64_t xtr_votes_winner(const struct xtr_votes *v, uint64_t from);
void xtr_votes_free(struct xtr_votes *v);

#endif /* XTR_READER_PRIV_H */
