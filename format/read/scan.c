/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding sections and chunks (spec 3, 4.1) by headers alone. Each byte is looked at a bounded
 * number of times whatever the file holds: a rescan's result is kept as long as it holds.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/map.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOP_AHEAD    ((size_t)4 << 10)   /* bytes read when going from header to header */
#define SEARCH_AHEAD ((size_t)256 << 10) /* bytes read when looking at all of them */

enum mark {
	MARK_FILE_HEADER = 1 << 0,
	MARK_CHUNK = 1 << 1,     /* of the section */
	MARK_TRAILER = 1 << 2,   /* of the section */
	MARK_ANY_CHUNK = 1 << 3, /* of whatever file_id but 0 */
	MARKS = MARK_FILE_HEADER | MARK_CHUNK | MARK_TRAILER,
};

struct scan {
	struct xtr_reader *r;
	struct xtr_section *s; /* the section at hand, or NULL */
	struct xtr_window hop, search;
	uint64_t rescan_from, rescan_to; /* the last rescan, of this section */
	bool rescanned;
	struct xtr_votes votes; /* of a region without a file header, up to region_end */
	uint64_t region_end;
	bool voted;
	/* What stands at the place that was looked at last. */
	struct xtr_file_header header;
	struct xtr_chunk chunk;
	struct xtr_trailer trailer;
};

/* What of the wanted marks stands at p, of which n bytes are there; 0: nothing. */
static unsigned int mark_of(struct scan *sc, const uint8_t *p, size_t n, unsigned int wanted)
{
	uint64_t id = sc->s ? sc->s->file_id : 0;

	if (wanted & MARK_FILE_HEADER && n >= XTR_FILE_HEADER_SIZE &&
	    xtr_file_header_parse(p, &sc->header))
		return MARK_FILE_HEADER;
	if (wanted & MARK_TRAILER && n >= XTR_TRAILER_SIZE && xtr_trailer_parse(p, &sc->trailer) &&
	    sc->trailer.file_id == id)
		return MARK_TRAILER;
	if (!(wanted & (MARK_CHUNK | MARK_ANY_CHUNK)) || n < XTR_CHUNK_HEADER_SIZE ||
	    !xtr_chunk_parse(p, &sc->chunk))
		return 0;
	if (wanted & MARK_ANY_CHUNK)
		return sc->chunk.file_id ? MARK_ANY_CHUNK : 0;
	return sc->chunk.file_id == id ? MARK_CHUNK : 0;
}

/* What stands at an offset; *mark 0: nothing, or the end of the file. */
static int mark_at(struct scan *sc, uint64_t off, unsigned int wanted, unsigned int *mark)
{
	uint64_t left = off < sc->r->size ? sc->r->size - off : 0;
	size_t n = left < XTR_CHUNK_HEADER_SIZE ? (size_t)left : XTR_CHUNK_HEADER_SIZE;
	const uint8_t *p;
	int err;

	*mark = 0;
	if (!n)
		return 0;
	err = xtr_window_get(sc->r, &sc->hop, off, n, HOP_AHEAD, &p);
	if (err)
		return err;
	*mark = mark_of(sc, p, n, wanted);
	if (*mark == MARK_CHUNK || *mark == MARK_ANY_CHUNK)
		sc->chunk.offset = off;
	return 0;
}

/* A quick look whether one of the marks may start at p, which has n bytes. */
static bool may_start(const uint8_t *p, size_t n)
{
	if (p[0] == (uint8_t)XTR_MAGIC[0])
		return true;
	if (p[0] == (XTR_CHUNK_SYNC & 0xff) && (n < 4 || xtr_le32(p) == XTR_CHUNK_SYNC))
		return true;
	return n >= XTR_TRAILER_SIZE && p[28] == (XTR_TRAILER_MAGIC & 0xff) &&
	       xtr_le32(p + 28) == XTR_TRAILER_MAGIC;
}

/*
 * The first offset in [from, to) at which a wanted mark stands; `to` if there is none (*mark is 0
 * then). A mark may reach beyond `to`.
 */
static int search(struct scan *sc, uint64_t from, uint64_t to, unsigned int wanted, uint64_t *found,
		  unsigned int *mark)
{
	uint64_t size = sc->r->size;

	*mark = 0;
	*found = to;
	while (from < to) {
		uint64_t needed = to - from + XTR_CHUNK_HEADER_SIZE;
		uint64_t most = needed < SEARCH_AHEAD ? needed : SEARCH_AHEAD;
		size_t n = (size_t)(size - from < most ? size - from : most);
		/* Places with fewer bytes than a chunk header are left to the next round. */
		size_t places = n == size - from ? n : n - XTR_CHUNK_HEADER_SIZE;
		const uint8_t *p;
		int err = xtr_window_get(sc->r, &sc->search, from, n, n, &p);

		if (err)
			return err;
		if (places > to - from)
			places = (size_t)(to - from);
		for (size_t i = 0; i < places; i++) {
			if (!may_start(p + i, n - i))
				continue;
			*mark = mark_of(sc, p + i, n - i, wanted);
			if (*mark) {
				sc->chunk.offset = *found = from + i;
				return 0;
			}
		}
		from += places;
	}
	return 0;
}

/* Spec 4.1: the first mark at or above an offset, or the end of the file. */
static int rescan(struct scan *sc, uint64_t from, uint64_t *to)
{
	unsigned int mark;
	int err;

	if (!sc->rescanned || from < sc->rescan_from || from > sc->rescan_to) {
		err = search(sc, from, sc->r->size, MARKS, &sc->rescan_to, &mark);
		if (err)
			return err;
		sc->rescan_from = from;
		sc->rescanned = true;
	}
	*to = sc->rescan_to;
	return 0;
}

static int damage(struct scan *sc, enum xtr_problem_code code, uint64_t offset, uint32_t seq)
{
	sc->s->damaged = true;
	return xtr_reader_note(sc->r, code, offset, seq);
}

/* Rules 3 to 5: a valid chunk header stands at *p; whether the chunk is found, and where to go on.
 */
static int place_chunk(struct scan *sc, uint64_t *p)
{
	struct xtr_chunk c = sc->chunk;
	uint64_t size = sc->r->size, e, q, next = UINT64_MAX;
	unsigned int mark;
	int err;

	/* No overflow: *p + 80 is in the file, and the lengths are limited to 1 MiB. */
	e = *p + XTR_CHUNK_HEADER_SIZE + c.stored_len;
	q = *p + xtr_chunk_span(&c);
	err = mark_at(sc, q, MARKS, &mark);
	if (err)
		return err;
	if (!mark && (size < e || size > q)) {
		err = rescan(sc, *p + 1, &next);
		if (err)
			return err;
		if (next < e || e > size) {
			err = damage(sc, XTR_P_CHUNK_TRUNCATED, *p, c.seq);
			*p = next;
			return err;
		}
	}
	q = next < q ? next : q; /* a mark in what should be padding */
	*p = q < size ? q : size;
	return xtr_section_add(sc->r, sc->s, &c);
}

/* Spec 4.1: all chunks of a section, from *p on; then *p is where the next section may begin. */
static int walk(struct scan *sc, uint64_t *p)
{
	for (;;) {
		unsigned int mark;
		int err;

		if (*p >= sc->r->size) {
			*p = sc->r->size;
			return 0;
		}
		err = mark_at(sc, *p, MARKS, &mark);
		if (err || mark == MARK_FILE_HEADER)
			return err;
		if (mark == MARK_TRAILER) {
			sc->s->has_trailer = true;
			sc->s->trailer = sc->trailer;
			sc->s->trailer_offset = *p;
			*p += XTR_TRAILER_SIZE;
			return 0;
		}
		if (mark == MARK_CHUNK) {
			err = place_chunk(sc, p);
		} else {
			err = damage(sc, XTR_P_LOST_SYNC, *p, 0) ?: rescan(sc, *p + 1, p);
		}
		if (err)
			return err;
	}
}

/*
 * The region behind p that holds no file header: *end is where the next one stands, or the end of
 * the file, and the votes are those of the chunk headers in it. It is looked at once, whatever
 * sections begin in it.
 */
static int look_ahead(struct scan *sc, uint64_t p, uint64_t *end)
{
	unsigned int mark;
	uint64_t at;
	int err;

	*end = sc->region_end;
	if (sc->voted && p < sc->region_end)
		return 0;
	sc->voted = false;
	xtr_votes_free(&sc->votes);
	err = search(sc, p + 1, sc->r->size, MARK_FILE_HEADER, end, &mark);
	for (; !err; p = at + 1) {
		err = search(sc, p, *end, MARK_ANY_CHUNK, &at, &mark);
		if (err || !mark)
			break;
		err = xtr_votes_add(&sc->votes, at, sc->chunk.file_id);
	}
	if (!err)
		err = xtr_votes_count(&sc->votes);
	sc->region_end = *end;
	sc->voted = !err;
	return err;
}

/* A new section at p with what its header says; it becomes the one at hand. */
static int new_section(struct scan *sc, uint64_t p, const struct xtr_file_header *h)
{
	struct xtr_reader *r = sc->r;

	sc->s = xtr_section_new();
	if (!sc->s)
		return -ENOMEM;
	sc->s->offset = p;
	sc->s->file_id = h->file_id;
	sc->s->header_size = h->header_size;
	sc->s->minor = h->minor;
	sc->s->compat_flags = h->compat_flags;
	sc->rescanned = false;
	if (xtr_grow_array(&r->sections, &r->cap_sections, r->n_sections + 1,
			   sizeof(*r->sections))) {
		xtr_section_free(sc->s);
		return -ENOMEM;
	}
	r->sections[r->n_sections++] = sc->s;
	return 0;
}

/* Where the chunks of a section begin at which no file header stands (spec 3). */
static int first_chunk(struct scan *sc, uint64_t p, uint64_t file_id, uint64_t *at)
{
	uint64_t end = xtr_fits(p, XTR_FILE_HEADER_SIZE, sc->r->size) ? p + XTR_FILE_HEADER_SIZE
								      : sc->r->size;
	unsigned int mark = MARK_ANY_CHUNK;
	int err = 0;

	for (*at = p; !err; ++*at) {
		err = search(sc, *at, end, MARK_ANY_CHUNK, at, &mark);
		if (!mark || sc->chunk.file_id == file_id)
			break;
	}
	return err;
}

/*
 * Walk a section from p, with chunks from `first` on, and load it; a refused one leaves nothing but
 * its refusal.
 */
static int read_section(struct scan *sc, uint64_t *p, const struct xtr_file_header *h,
			uint64_t first, bool damaged_header)
{
	struct xtr_reader *r = sc->r;
	size_t problems = r->n_problems;
	int err = new_section(sc, *p, h);

	if (!err && damaged_header)
		err = xtr_reader_note(r, XTR_P_HEADER_CRC, *p, 0);
	if (err)
		return err;
	*p = first;
	err = walk(sc, p);
	sc->s->end = *p;
	if (!err && !sc->s->refused)
		return xtr_section_load(r, sc->s);
	if (!err) {
		struct xtr_problem why = sc->s->refusal;

		r->n_problems = problems;
		err = xtr_reader_note(r, why.code, why.offset, why.seq);
		xtr_section_free(sc->s);
		r->n_sections--;
	}
	return err;
}

/* Nothing that this version can read: note why, and go on at the next file header. */
static int skip(struct scan *sc, enum xtr_problem_code code, uint64_t *p)
{
	unsigned int mark;
	int err = xtr_reader_note(sc->r, code, *p, 0);

	return err ? err : search(sc, *p + 1, sc->r->size, MARK_FILE_HEADER, p, &mark);
}

/* Spec 3: where a section should begin. */
static int begin_section(struct scan *sc, uint64_t *p)
{
	struct xtr_file_header h, damaged = {
		.major = XTR_MAJOR,
		.header_size = XTR_FILE_HEADER_SIZE,
	};
	unsigned int mark;
	uint64_t q;
	int err;

	sc->s = NULL;
	err = mark_at(sc, *p, MARK_FILE_HEADER, &mark);
	if (err)
		return err;
	h = sc->header;
	if (mark && h.major != XTR_MAJOR)
		return skip(sc, XTR_P_MAJOR, p);
	if (mark && (h.incompat_flags & ~XTR_FEATURES_KNOWN)) {
		sc->r->features_unknown |= h.incompat_flags & ~XTR_FEATURES_KNOWN;
		return skip(sc, XTR_P_INCOMPAT, p);
	}
	if (mark && xtr_file_header_is_sane(&h))
		return read_section(sc, p, &h, *p + h.header_size, false);
	err = look_ahead(sc, *p, &q);
	if (err)
		return err;
	damaged.file_id = xtr_votes_winner(&sc->votes, *p);
	if (damaged.file_id) {
		q = *p + XTR_FILE_HEADER_SIZE;
		if (!mark)
			err = first_chunk(sc, *p, damaged.file_id, &q);
		return err ? err : read_section(sc, p, &damaged, q, true);
	}
	err = xtr_reader_note(sc->r, XTR_P_LOST_SYNC, *p, 0);
	*p = q;
	return err;
}

int xtr_scan(struct xtr_reader *r)
{
	struct scan sc = { .r = r };
	uint64_t p = 0;
	int err = 0;

	while (!err && p < r->size)
		err = begin_section(&sc, &p);
	xtr_window_free(&sc.hop);
	xtr_window_free(&sc.search);
	xtr_votes_free(&sc.votes);
	return err;
}

/* --- file id votes ---------------------------------------------------------------------------- */

/*
 * Counted from the end: one more header in front can only make its own file_id win, and of equals
 * it is the one seen first. So one pass gives the winner at every place.
 */

int xtr_votes_add(struct xtr_votes *v, uint64_t at, uint64_t id)
{
	if (xtr_grow_array(&v->v, &v->cap, v->n + 1, sizeof(*v->v)))
		return -ENOMEM;
	v->v[v->n++] = (struct xtr_vote){ at, id };
	return 0;
}

int xtr_votes_count(struct xtr_votes *v)
{
	struct xtr_map votes = { 0 };
	uint64_t most = 0, winner = 0;
	int err = 0;

	for (size_t i = v->n; i-- && !err;) {
		const uint64_t *known = xtr_map_get(&votes, v->v[i].id, 0);
		uint64_t n = known ? *known + 1 : 1;

		err = xtr_map_put(&votes, v->v[i].id, 0, n);
		if (n >= most) {
			most = n;
			winner = v->v[i].id;
		}
		v->v[i].id = winner;
	}
	xtr_map_free(&votes);
	return err;
}

uint64_t xtr_votes_winner(const struct xtr_votes *v, uint64_t from)
{
	size_t low = 0, high = v->n;

	while (low < high) { /* the first header that is not before it */
		size_t mid = low + (high - low) / 2;

		if (v->v[mid].at < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < v->n ? v->v[low].id : 0;
}

void xtr_votes_free(struct xtr_votes *v)
{
	free(v->v);
	*v = (struct xtr_votes){ 0 };
}
