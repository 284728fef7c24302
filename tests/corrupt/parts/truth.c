/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth.h"
#include "format/codec/record.h"
#include "format/xtr_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must(void *p)
{
	if (!p) {
		fputs("no memory\n", stderr);
		exit(2);
	}
	return p;
}

uint64_t draw(uint64_t *state, uint64_t n)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull); /* splitmix64 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) % n;
}

static void unusable(const struct truth *t, const char *why)
{
	fprintf(stderr, "%s: %s\n", t->name, why);
	exit(2);
}

struct xtr_reader *truth_open(const uint8_t *data, size_t n, struct xtr_err *err)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io;

	memset(err, 0, sizeof(*err));
	if (xtr_io_mem_view(data, n, &io))
		must(NULL);
	return xtr_reader_open(&r, io, err) ? NULL : r;
}

size_t truth_span(const struct xtr_chunk *c)
{
	return XTR_CHUNK_HEADER_SIZE + (size_t)c->stored_len;
}

static uint64_t hash_of(uint32_t stream, const uint8_t *rec, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ull ^ stream; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ rec[i]) * 0x100000001b3ull;
	return h;
}

static int record_cmp(const void *pa, const void *pb)
{
	const struct truth_record *a = pa, *b = pb;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static void add_records(struct truth *t, const struct truth_chunk *c)
{
	for (size_t at = 0; at < c->c.rec_len; at += xtr_rec_size(c->recs + at)) {
		if (!(t->n_records & (t->n_records - 1)))
			t->record = must(
				realloc(t->record, (2 * t->n_records + 1) * sizeof(*t->record)));
		t->record[t->n_records++] = (struct truth_record){
			.hash = hash_of(c->c.stream, c->recs + at, xtr_rec_size(c->recs + at)),
			.all = 1,
		};
	}
}

static void sort_records(struct truth *t)
{
	size_t n = 0;

	if (t->n_records)
		qsort(t->record, t->n_records, sizeof(*t->record), record_cmp);
	for (size_t i = 0; i < t->n_records; i++) {
		if (n && t->record[n - 1].hash == t->record[i].hash)
			t->record[n - 1].all++;
		else
			t->record[n++] = t->record[i];
	}
	t->n_records = n;
}

void truth_count(struct truth *t)
{
	for (size_t i = 0; i < t->n_records; i++)
		t->record[i].left = t->record[i].all;
}

bool truth_shown(struct truth *t, uint32_t stream, const uint8_t *rec, size_t n)
{
	const struct truth_record key = { .hash = hash_of(stream, rec, n) };
	struct truth_record *r =
		t->n_records ? bsearch(&key, t->record, t->n_records, sizeof(key), record_cmp)
			     : NULL;

	if (!r || !r->left)
		return false;
	r->left--;
	return true;
}

static void load_section(struct truth *t, const struct xtr_reader *r, const struct xtr_section *s,
			 size_t i)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	struct truth_section *ts = &t->section[i];
	uint64_t end = xtr_section_offset(s) + XTR_FILE_HEADER_SIZE;

	*ts = (struct truth_section){ .id = xtr_section_file_id(s),
				      .offset = xtr_section_offset(s),
				      .end = xtr_section_offset(s) + xtr_section_size(s),
				      .events = sum->events,
				      .lost = sum->lost,
				      .end_chunk = SIZE_MAX,
				      .first = t->n_chunks };
	if (sum->missing)
		unusable(t, "events are missing");
	for (size_t k = 0; k < xtr_section_n_chunks(s); k++) {
		struct truth_chunk *tc = &t->chunk[t->n_chunks++];
		size_t cap = 0;
		struct xtr_err err;

		*tc = (struct truth_chunk){ .c = *xtr_section_chunk(s, k), .section = i };
		end = tc->c.offset + (truth_span(&tc->c) + 7) / 8 * 8;
		if (tc->c.type == XTR_CHUNK_END)
			ts->end_chunk = t->n_chunks - 1;
		if (tc->c.type != XTR_CHUNK_EVENTS || !tc->c.n_records)
			continue;
		if (xtr_reader_decode(r, &tc->c, &tc->recs, &cap, &err))
			unusable(t, "a chunk cannot be read");
		add_records(t, tc);
	}
	ts->behind = t->n_chunks;
	ts->trailer = end < ts->end ? end : ts->end;
	for (size_t k = 0; k < i; k++)
		if (t->section[k].id == ts->id)
			unusable(t, "two sections with one id");
}

void truth_load(struct truth *t, const char *name, uint8_t *data, size_t n)
{
	struct xtr_reader *r;
	struct xtr_err err;
	size_t chunks = 0;

	*t = (struct truth){ .name = name, .data = data, .n = n };
	r = truth_open(data, n, &err);
	if (!r || xtr_reader_verify(r, NULL, NULL) || xtr_reader_n_problems(r))
		unusable(t, "not a whole file");
	t->n_sections = xtr_reader_n_sections(r);
	for (size_t i = 0; i < t->n_sections; i++)
		chunks += xtr_section_n_chunks(xtr_reader_section(r, i));
	t->section = must(calloc(t->n_sections, sizeof(*t->section)));
	t->chunk = must(calloc(chunks ? chunks : 1, sizeof(*t->chunk)));
	for (size_t i = 0; i < t->n_sections; i++)
		load_section(t, r, xtr_reader_section(r, i), i);
	sort_records(t);
	xtr_reader_close(r);
}

void truth_load_file(struct truth *t, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		exit(2);
	}
	data = must(malloc((size_t)n));
	if (fread(data, 1, (size_t)n, f) != (size_t)n) {
		perror(path);
		exit(2);
	}
	fclose(f);
	truth_load(t, path, data, (size_t)n);
}

void truth_free(struct truth *t)
{
	for (size_t i = 0; i < t->n_chunks; i++)
		free(t->chunk[i].recs);
	free(t->chunk);
	free(t->section);
	free(t->record);
	free(t->data);
}

const struct truth_chunk *truth_find(const struct truth *t, uint64_t file_id, uint32_t seq)
{
	for (size_t i = 0; i < t->n_sections; i++) {
		const struct truth_section *s = &t->section[i];

		if (s->id == file_id && seq < s->behind - s->first)
			return &t->chunk[s->first + seq];
	}
	return NULL;
}
