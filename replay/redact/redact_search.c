/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a file hold what redacting removes? Looked through are the bytes of the file, and of each
 * chunk what is in it: records, and decompressed payloads. Texts are found by their first 4 bytes,
 * pointers by all of theirs, in either order of bytes (CBOR has the other one), at any place.
 */
#include "redact_impl.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST   4u /* bytes of a text that is looked for in what is decompressed */
#define COMPRESSED 8u /* the same in the bytes of the file: shorter ones are there by chance */
#define SURE       8u /* a text so long is not in numbers by chance */
#define BLOCK      ((size_t)1 << 20)

struct needle {
	const char *text;
	size_t n;
	size_t next;   /* with the same beginning, + 1; 0: none */
	uint64_t seen; /* chunk in which it was found last, + 1 */
	bool as_word;  /* in what is decompressed: with no letter or digit beside it */
};

struct search {
	struct xtr_redact *x;
	const struct xtr_reader *in;
	struct needle *v;
	size_t n, cap;
	struct xtr_map by_begin; /* first 4 bytes -> index + 1 */
	struct xtr_map words;    /* hash of each word of META that stays: no name of somebody */
	void (*found)(void *ctx, const struct xtr_redact_found *f);
	void *ctx;
	uint8_t *buf;
	size_t cap_buf;
};

static uint32_t begin_of(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int add(struct search *s, const char *text, size_t n, bool as_word)
{
	uint64_t *first;
	size_t next;

	if (n < SHORTEST)
		return 0;
	if (xtr_grow_array(&s->v, &s->cap, s->n + 1, sizeof(*s->v)))
		return -ENOMEM;
	first = xtr_map_get(&s->by_begin, begin_of(text), 0);
	next = first ? *first : 0;
	if (xtr_map_put(&s->by_begin, begin_of(text), 0, s->n + 1))
		return -ENOMEM;
	s->v[s->n++] = (struct needle){ .text = text, .n = n, .next = next, .as_word = as_word };
	return 0;
}

/* --- what is said on purpose ------------------------------------------------------------------ */

static bool in_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c >= 0x80;
}

/* A program may be called like an event's field: that word is in every file. */
static int learn_words(struct search *s, const char *text)
{
	int err = 0;

	for (const char *at = text; at && *at && !err;) {
		size_t n = 0;

		while (in_word((uint8_t)at[n]))
			n++;
		if (n >= SHORTEST)
			err = xtr_map_put(&s->words, xtr_hash_bytes(at, n), 0, 1);
		at += n + !n;
	}
	return err;
}

static int learn_meta(struct search *s, const struct xtr_meta *m)
{
	int err = learn_words(s, "record trace xtr hashed kept default strict lost kthread "
				 "signaled plain name path user data attached missing refused "
				 "event events fields format providers system writer version clock "
				 "config uname machine hypervisor devices driver nodes firmware "
				 "target state attach module size type strings tasks rings stacks "
				 "cros_trace_print_enter cros_trace_print_exit begin_ctx end_ctx "
				 "begin_gctx end_gctx lduration offset dtime ltime Begin "
				 "frames reset filtered gaps aged reason recorder monotonic");

	for (size_t i = 0; i < xtr_meta_n_events(m) && !err; i++) {
		const struct xtr_event_desc *ev = xtr_meta_event_at(m, i);

		err = learn_words(s, ev->name);
		for (uint32_t k = 0; k < ev->n_fields && !err; k++)
			err = learn_words(s, ev->fields[k].name);
	}
	for (size_t i = 0; i < xtr_meta_n_providers(m) && !err; i++)
		err = learn_words(s, xtr_meta_provider(m, i)->name);
	for (size_t i = 0; i < xtr_meta_n_devices(m) && !err; i++)
		err = learn_words(s, xtr_meta_device(m, i)->driver);
	return err;
}

static int learn(struct search *s)
{
	const struct redact_texts *t = &s->x->texts;
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(s->in) && !err; i++)
		err = learn_meta(s, xtr_section_meta(xtr_reader_section(s->in, i)));
	for (size_t i = 0; i < t->n && !err; i++)
		if (!redact_is_label(t->v[i].text, t->v[i].n) && /* of a file redacted before */
		    !xtr_map_get(&s->words, xtr_hash_bytes(t->v[i].text, t->v[i].n), 0))
			err = add(s, t->v[i].text, t->v[i].n, true);
	return err;
}

/* --- looking ---------------------------------------------------------------------------------- */

struct place {
	const char *where;
	uint64_t offset, number; /* number: of the place, from 1 */
	size_t shortest;
	size_t sure; /* texts so long are looked for whatever is beside them */
};

static bool is_there(const struct needle *e, const uint8_t *p, size_t at, size_t n,
		     const struct place *place)
{
	if (e->n < place->shortest || e->n > n - at || memcmp(p + at, e->text, e->n))
		return false;
	if (!e->as_word || e->n >= place->sure)
		return true;
	return !(at && in_word(p[at - 1]) && in_word((uint8_t)e->text[0])) &&
	       !(at + e->n < n && in_word(p[at + e->n]) && in_word((uint8_t)e->text[e->n - 1]));
}

static void look_texts(struct search *s, const uint8_t *p, size_t at, size_t n,
		       const struct place *place)
{
	const uint64_t *first = xtr_map_get(&s->by_begin, begin_of(p + at), 0);
	struct needle *e;

	for (size_t i = first ? *first : 0; i; i = e->next) {
		e = &s->v[i - 1];
		if (e->seen == place->number || !is_there(e, p, at, n, place))
			continue;
		e->seen = place->number;
		s->found(s->ctx, &(struct xtr_redact_found){ .text = e->text,
							     .n = e->n,
							     .where = place->where,
							     .offset = place->offset });
	}
}

static void look_pointers(struct search *s, const uint8_t *p, const struct place *place)
{
	const uint64_t v = xtr_le64(p);
	const uint64_t *there = s->x->pointers ? xtr_map_get(s->x->pointers, v, 0) : NULL;

	if (!there && s->x->pointers)
		there = xtr_map_get(s->x->pointers, __builtin_bswap64(v), 0);
	if (there && *there)
		s->found(s->ctx, &(struct xtr_redact_found){ .pointer = v,
							     .where = place->where,
							     .offset = place->offset });
}

static void look(struct search *s, const uint8_t *p, size_t n, const struct place *place)
{
	for (size_t at = 0; at + SHORTEST <= n; at++) {
		if (s->n)
			look_texts(s, p, at, n, place);
		if (at + 8 <= n && s->x->pointers && s->x->pointers->n)
			look_pointers(s, p + at, place);
	}
}

/*
 * In CBOR the byte before a text tells its length, and may be a letter: so each text is looked at
 * alone, and each number as such. What is well-formed was checked before.
 */
static void look_cbor(struct search *s, const uint8_t *p, size_t n, const struct place *place)
{
	size_t at = 0, more;
	uint64_t v;

	while (at < n) {
		const uint8_t major = p[at] >> 5, info = p[at] & 31;
		uint8_t number[8] = { 0 };

		more = info < 24 ? 0 : (size_t)1 << (info - 24);
		if (info > 27 || more > n - at - 1)
			return;
		memcpy(number + 8 - more, p + at + 1, more);
		memcpy(&v, number, sizeof(v));
		v = more ? be64toh(v) : info;
		at += 1 + more;
		if (major == 0 && more == 8)
			look_pointers(s, number, place);
		if (major != 2 && major != 3)
			continue;
		if (v > n - at)
			return;
		look(s, p + at, (size_t)v, place);
		at += (size_t)v;
	}
}

static bool is_cbor(uint8_t type)
{
	return type == XTR_CHUNK_META || type == XTR_CHUNK_TABLE || type == XTR_CHUNK_CLOCK ||
	       type == XTR_CHUNK_LOSS || type == XTR_CHUNK_END;
}

static const char *const types[XTR_CHUNK_TYPES] = {
	[XTR_CHUNK_META] = "metadata",        [XTR_CHUNK_EVENTS] = "events",
	[XTR_CHUNK_TABLE] = "table",          [XTR_CHUNK_CLOCK] = "clock",
	[XTR_CHUNK_LOSS] = "losses",          [XTR_CHUNK_ROUND] = "round",
	[XTR_CHUNK_INDEX] = "index",          [XTR_CHUNK_END] = "end",
	[XTR_CHUNK_ATTACH] = "attached file",
};

static int look_chunk(struct search *s, const struct xtr_chunk *c, uint64_t number)
{
	const struct place place = {
		.where = c->type < XTR_CHUNK_TYPES && types[c->type] ? types[c->type] : "chunk",
		.offset = c->offset,
		.number = number,
		.shortest = SHORTEST,
		.sure = c->type == XTR_CHUNK_EVENTS ? SURE : SIZE_MAX,
	};
	struct xtr_err why;
	int err = xtr_decode(s->in, c, &s->x->decoder, &s->buf, &s->cap_buf, &why);

	if (!err && is_cbor(c->type))
		look_cbor(s, s->buf, c->rec_len, &place);
	else if (!err)
		look(s, s->buf, c->rec_len, &place);
	return err;
}

static int look_chunks(struct search *s, uint64_t *number)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(s->in) && !err; i++) {
		const struct xtr_section *sec = xtr_reader_section(s->in, i);

		for (size_t k = 0; k < xtr_section_n_chunks(sec) && !err; k++)
			err = look_chunk(s, xtr_section_chunk(sec, k), ++*number);
	}
	return err;
}

/* Blocks overlap by more than the longest text that is looked for. */
static int look_bytes(struct search *s, uint64_t number)
{
	const uint64_t size = xtr_reader_size(s->in);
	size_t overlap = 8;
	int err = 0;

	for (size_t i = 0; i < s->n; i++)
		overlap = s->v[i].n > overlap ? s->v[i].n : overlap;
	if (xtr_grow(&s->buf, &s->cap_buf, BLOCK + overlap))
		return -ENOMEM;
	for (uint64_t at = 0; at < size && !err; at += BLOCK) {
		const uint64_t left = size - at;
		const size_t n = left < BLOCK + overlap ? (size_t)left : BLOCK + overlap;
		const struct place place = { .where = "the bytes of the file",
					     .offset = at,
					     .number = number,
					     .shortest = COMPRESSED,
					     .sure = 2 * SURE };

		err = xtr_reader_bytes(s->in, at, s->buf, n);
		if (!err)
			look(s, s->buf, n, &place);
	}
	return err;
}

int xtr_redact_search(struct xtr_redact *x, const struct xtr_reader *in, const char *const *more,
		      size_t n_more, void (*found)(void *ctx, const struct xtr_redact_found *f),
		      void *ctx, uint64_t *tried)
{
	struct search s = { .x = x, .in = in, .found = found, .ctx = ctx };
	uint64_t number = 0;
	int err = learn(&s);

	for (size_t i = 0; i < n_more && !err; i++)
		err = add(&s, more[i], strlen(more[i]), false);
	*tried = s.n + (x->pointers ? x->pointers->n : 0);
	err = err ?: look_chunks(&s, &number) ?: look_bytes(&s, number + 1) ?:
	      redact_look_typed(x, in, found, ctx);
	xtr_map_free(&s.by_begin);
	xtr_map_free(&s.words);
	free(s.v);
	free(s.buf);
	return err;
}
