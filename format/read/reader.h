/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads .xtr files, whole or damaged. Opening walks the chunk headers of all sections, verifies and
 * loads META, TABLE, CLOCK, LOSS and END; event payloads are verified when they are decoded
 * (xtr_merge, xtr_reader_decode) or by xtr_reader_verify.
 *
 * A reader is not changed by decoding: after opening, several threads may decode at once.
 */
#ifndef XTR_READER_H
#define XTR_READER_H

#include "format/io.h"
#include "format/meta/loss.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"

struct xtr_reader;
struct xtr_section;

/* A chunk as the header tells it; the header was valid. */
struct xtr_chunk {
	uint64_t offset; /* from the start of the file */
	uint64_t file_id;
	uint64_t ts_min, ts_max;
	uint64_t first_ordinal, lost_total;
	uint32_t seq, stream, stored_len, raw_len, rec_len, n_records, payload_crc;
	uint8_t type, codec, filter, props;
};

/*
 * Takes io over (closes it with the reader, also on failure). 0, or -errno; -EBADMSG: the file is
 * refused, err->problem says why. A damaged file opens; see xtr_reader_problem.
 */
int xtr_reader_open(struct xtr_reader **r, struct xtr_io *io, struct xtr_err *err);
/* The same for a path, "-" is standard input. */
int xtr_reader_open_path(struct xtr_reader **r, const char *path, struct xtr_err *err);
/*
 * The same for who wants the events of a part of the time only. If the file is one section with an
 * index that holds where it is looked at, no more than that part is read, however long the file is:
 * then the section has of its chunks of events only those that may reach into the part, damage
 * elsewhere is not seen, and losses are those of LOSS and END. Any other file is opened whole.
 */
struct xtr_part {
	/* Sets the part, ns, inclusive; the section has everything but chunks of events. */
	void (*window)(void *ctx, const struct xtr_section *s, uint64_t *from, uint64_t *to);
	void *ctx;
};
int xtr_reader_open_part(struct xtr_reader **r, struct xtr_io *io, const struct xtr_part *part,
			 struct xtr_err *err);
void xtr_reader_close(struct xtr_reader *r);

uint64_t xtr_reader_size(const struct xtr_reader *r);
size_t xtr_reader_n_sections(const struct xtr_reader *r);
const struct xtr_section *xtr_reader_section(const struct xtr_reader *r, size_t i);

/* Problems found so far, in order of offset: on opening, plus by xtr_reader_verify. */
size_t xtr_reader_n_problems(const struct xtr_reader *r);
const struct xtr_problem *xtr_reader_problem(const struct xtr_reader *r, size_t i);
/* Verify every payload, and the index; problems are added. 0 or -errno. progress may be NULL. */
int xtr_reader_verify(struct xtr_reader *r,
		      void (*progress)(void *ctx, uint64_t done, uint64_t all), void *ctx);

uint64_t xtr_section_file_id(const struct xtr_section *s);
unsigned int xtr_section_minor(const struct xtr_section *s);
uint64_t xtr_section_offset(const struct xtr_section *s); /* from the start of the file */
uint64_t xtr_section_size(const struct xtr_section *s);   /* bytes, with header and trailer */
uint32_t xtr_section_header_size(const struct xtr_section *s);
uint32_t xtr_section_compat_flags(const struct xtr_section *s);
const struct xtr_meta *xtr_section_meta(const struct xtr_section *s);     /* never NULL */
const struct xtr_tables *xtr_section_tables(const struct xtr_section *s); /* never NULL */
const struct xtr_loss *xtr_section_loss(const struct xtr_section *s);     /* never NULL */
size_t xtr_section_n_chunks(const struct xtr_section *s);
const struct xtr_chunk *xtr_section_chunk(const struct xtr_section *s, size_t i);

/*
 * Incompatible flags (spec 3) that a section needs which holds these chunks as they are stored, for
 * struct xtr_writer_opts.
 */
uint32_t xtr_section_features(const struct xtr_section *s);

/* Sums over the valid EVENTS headers: exact without decoding. */
struct xtr_section_summary {
	uint64_t events;   /* in the chunks present */
	uint64_t missing;  /* recorded, but in damaged or missing chunks, as far as ordinals tell */
	uint64_t lost;     /* lost while recording (LOSS chunks, or lost_total if that is more) */
	uint64_t filtered; /* left out on purpose */
	uint64_t aged;     /* too old for the flight recorder when it wrote the section */
	uint64_t ts_min, ts_max;
	uint64_t event_bytes; /* stored bytes of EVENTS chunks, headers included */
	uint32_t streams;
	bool closed; /* END was found */
};
const struct xtr_section_summary *xtr_section_summary(const struct xtr_section *s);

/* END, if any: reason (NULL without END) and the recorder's cost. */
const char *xtr_section_end_reason(const struct xtr_section *s);
struct xtr_recorder_cost;
const struct xtr_recorder_cost *xtr_section_end_cost(const struct xtr_section *s); /* NULL: none */

struct xtr_clock_snapshot {
	uint64_t before, after;
	uint64_t boottime, realtime; /* 0 if absent */
};
size_t xtr_section_n_clocks(const struct xtr_section *s);
const struct xtr_clock_snapshot *xtr_section_clock(const struct xtr_section *s, size_t i);

/*
 * Verify and decode a chunk. Of an EVENTS chunk, buf gets the records (rec_len bytes); of any other
 * type the decompressed payload. buf is grown with realloc as needed; *buf may be NULL with *cap 0.
 * 0; -EBADMSG with err filled; -ENOMEM; or an I/O error. Thread-safe.
 */
int xtr_reader_decode(const struct xtr_reader *r, const struct xtr_chunk *c, uint8_t **buf,
		      size_t *cap, struct xtr_err *err);

/*
 * The payload of a chunk as it stands in the file: c->stored_len bytes, compressed and filtered as
 * the header says, with the right CRC but not looked at. buf as in xtr_reader_decode. For copying a
 * chunk as it is (xtr_writer_copy). 0; -EBADMSG with err filled; -ENOMEM; or an I/O error.
 * Thread-safe.
 */
int xtr_reader_stored(const struct xtr_reader *r, const struct xtr_chunk *c, uint8_t **buf,
		      size_t *cap, struct xtr_err *err);
/* Any n bytes of the file from an offset on: -ENODATA past its end, or an I/O error. */
int xtr_reader_bytes(const struct xtr_reader *r, uint64_t off, void *buf, size_t n);

#endif /* XTR_READER_H */
