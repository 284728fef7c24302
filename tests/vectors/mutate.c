/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every truncation and every flipped bit of a file, read by libxtr in memory. Promises checked for
 * each:
 *
 *  - an EVENTS chunk that decodes is one of the whole file, byte for byte: nothing is invented;
 *  - a flipped bit costs at most one chunk, and goes unnoticed only in padding, where nothing is
 * lost;
 *  - a cut costs no chunk that lies before it.
 *
 * usage: mutate FILE       the whole file must be right; exit 1 and one line at the first broken
 * promise
 */
#include "format/read/reader.h"
#include "format/xtr_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An EVENTS chunk of the whole file. */
struct original {
	struct xtr_chunk c;
	uint8_t *recs;
};

struct whole {
	uint8_t *data;
	size_t n;
	struct original *chunks;
	size_t n_chunks;
};

/* What a reading of a mutated file came to. */
struct outcome {
	size_t chunks;   /* EVENTS chunks that decoded */
	size_t problems; /* 1 for a refusal */
	bool invented;   /* one is not of the whole file */
	bool failed;     /* neither read nor refused */
};

static void load_file(struct whole *w, const char *path)
{
	FILE *f = fopen(path, "rb");
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		exit(1);
	}
	w->n = (size_t)n;
	w->data = malloc(w->n);
	if (!w->data || fread(w->data, 1, w->n, f) != w->n)
		abort();
	fclose(f);
}

static struct xtr_reader *open_bytes(const uint8_t *data, size_t n, struct xtr_err *err)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io;

	memset(err, 0, sizeof(*err));
	if (xtr_io_mem_view(data, n, &io))
		abort();
	return xtr_reader_open(&r, io, err) ? NULL : r;
}

/* Decode the EVENTS chunks of the whole file; false if it is not right as it is. */
static bool learn(struct whole *w)
{
	struct xtr_err err;
	struct xtr_reader *r = open_bytes(w->data, w->n, &err);
	size_t cap;

	if (!r || xtr_reader_verify(r, NULL, NULL) || xtr_reader_n_problems(r))
		return false;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
			struct original o = { .c = *xtr_section_chunk(s, k) };

			if (o.c.type != XTR_CHUNK_EVENTS)
				continue;
			cap = 0;
			if (xtr_reader_decode(r, &o.c, &o.recs, &cap, &err))
				return false;
			w->chunks = realloc(w->chunks, (w->n_chunks + 1) * sizeof(o));
			if (!w->chunks)
				abort();
			w->chunks[w->n_chunks++] = o;
		}
	}
	xtr_reader_close(r);
	return true;
}

static bool is_original(const struct whole *w, const struct xtr_chunk *c, const uint8_t *recs)
{
	for (size_t i = 0; i < w->n_chunks; i++) {
		const struct original *o = &w->chunks[i];

		if (o->c.file_id == c->file_id && o->c.seq == c->seq && o->c.stream == c->stream &&
		    o->c.rec_len == c->rec_len && o->c.n_records == c->n_records && o->recs &&
		    !memcmp(o->recs, recs, c->rec_len))
			return true;
	}
	return false;
}

static struct outcome read_mutated(const struct whole *w, const uint8_t *data, size_t n)
{
	static uint8_t *buf;
	static size_t cap;
	struct outcome o = { 0 };
	struct xtr_err err;
	struct xtr_reader *r = open_bytes(data, n, &err);

	if (!r) {
		o.problems = 1;
		o.failed = err.problem == XTR_P_NONE;
		return o;
	}
	o.failed = xtr_reader_verify(r, NULL, NULL) != 0;
	o.problems = xtr_reader_n_problems(r);
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
			const struct xtr_chunk *c = xtr_section_chunk(s, k);

			if (c->type != XTR_CHUNK_EVENTS ||
			    xtr_reader_decode(r, c, &buf, &cap, &err))
				continue;
			o.chunks++;
			o.invented |= !is_original(w, c, buf);
		}
	}
	xtr_reader_close(r);
	return o;
}

static int broken(const char *what, size_t at, const char *promise)
{
	printf("%s %zu: %s\n", what, at, promise);
	return 1;
}

static int cuts(const struct whole *w)
{
	for (size_t n = 0; n < w->n; n++) {
		/* A copy of this size, so that a sanitizer sees a read past the end. */
		uint8_t *copy = malloc(n ? n : 1);
		struct outcome o;
		size_t complete = 0;

		if (!copy)
			abort();
		memcpy(copy, w->data, n);
		o = read_mutated(w, copy, n);
		free(copy);
		for (size_t i = 0; i < w->n_chunks; i++) {
			const struct xtr_chunk *c = &w->chunks[i].c;

			complete += c->offset + XTR_CHUNK_HEADER_SIZE + c->stored_len <= n;
		}
		if (o.failed)
			return broken("cut", n, "the reader failed");
		if (o.invented)
			return broken("cut", n, "an event is shown that is not in the file");
		if (o.chunks != complete)
			return broken("cut", n, "not just the chunks before the cut are shown");
	}
	return 0;
}

/* Mark the padding behind the chunks, the only bytes that no check sum covers. */
static void mark_padding(const struct whole *w, uint8_t *pad)
{
	struct xtr_err err;
	struct xtr_reader *r = open_bytes(w->data, w->n, &err);

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
			const struct xtr_chunk *c = xtr_section_chunk(s, k);
			size_t end = (size_t)c->offset + XTR_CHUNK_HEADER_SIZE + c->stored_len;

			for (; end % 8; end++)
				pad[end] = 1;
		}
		/* Of the header, bytes 0 to 63 are covered. */
		for (size_t at = 64; at < xtr_section_header_size(s); at++)
			pad[xtr_section_offset(s) + at] = 1;
	}
	xtr_reader_close(r);
}

static int flip(const struct whole *w, const uint8_t *pad, uint8_t *copy, size_t bit)
{
	struct outcome o;

	copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	o = read_mutated(w, copy, w->n);
	copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	if (o.failed)
		return broken("bit", bit, "the reader failed");
	if (o.invented)
		return broken("bit", bit, "an event is shown that is not in the file");
	if (o.chunks + 1 < w->n_chunks)
		return broken("bit", bit, "more than one chunk is lost");
	if (pad[bit / 8] ? o.problems || o.chunks != w->n_chunks : !o.problems)
		return broken("bit", bit, "padding is looked at, or damage is not noticed");
	return 0;
}

static int flips(const struct whole *w)
{
	uint8_t *pad = calloc(1, w->n), *copy = malloc(w->n);
	int ret = 0;

	if (!pad || !copy)
		abort();
	mark_padding(w, pad);
	memcpy(copy, w->data, w->n);
	for (size_t bit = 0; bit < w->n * 8 && !ret; bit++)
		ret = flip(w, pad, copy, bit);
	free(pad);
	free(copy);
	return ret;
}

int main(int argc, char **argv)
{
	struct whole w = { 0 };
	int ret = 1;

	if (argc != 2) {
		fputs("usage: mutate FILE\n", stderr);
		return 2;
	}
	load_file(&w, argv[1]);
	if (learn(&w))
		ret = cuts(&w) || flips(&w);
	else
		puts("the whole file is not right");
	for (size_t i = 0; i < w.n_chunks; i++)
		free(w.chunks[i].recs);
	free(w.chunks);
	free(w.data);
	return ret;
}
