/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files made to keep a reader busy or to fill its memory. Work is counted in bytes that are read,
 * not in time; where it cannot be counted, there is so much of it that squaring it would take
 * hours.
 */
#include "format/meta/cbor.h"
#include "format/meta/tables.h"
#include "format/meta/tpformat.h"
#include "format/read/reader_priv.h"
#include "rawfile.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file in memory that counts what is read of it. */
struct counted {
	struct xtr_io io;
	const struct xtr_buf *b;
	uint64_t bytes;
};

static int read_counted(struct xtr_io *io, uint64_t off, void *buf, size_t n)
{
	struct counted *c = (struct counted *)io;

	cr_assert(off <= c->b->n && n <= c->b->n - off);
	memcpy(buf, c->b->p + off, n);
	c->bytes += n;
	return 0;
}

static int size_counted(struct xtr_io *io, uint64_t *size)
{
	*size = ((struct counted *)io)->b->n;
	return 0;
}

static int close_counted(struct xtr_io *io)
{
	(void)io;
	return 0;
}

static struct xtr_reader *open_counted(struct counted *c, const struct xtr_buf *b)
{
	static const struct xtr_io_ops ops = { .read_at = read_counted,
					       .size = size_counted,
					       .close = close_counted };
	struct xtr_reader *r;

	*c = (struct counted){ .io.ops = &ops, .b = b };
	cr_assert(eq(int, xtr_reader_open(&r, &c->io, NULL), 0));
	return r;
}

/* --- sections with damaged headers ------------------------------------------------------------ */

/* Was quadratic: each section looked at all that follows, for a header and for its file_id. */
Test(hostile, damaged_headers_are_looked_at_once)
{
	const size_t n = 20000;
	struct xtr_buf b = { 0 };
	struct xtr_reader *r;
	struct counted io;

	for (size_t i = 0; i < n; i++) {
		raw_zeros(&b, XTR_FILE_HEADER_SIZE);
		raw_trailer(&b, RAW_ID);
	}
	raw_zeros(&b, XTR_FILE_HEADER_SIZE);
	raw_chunk(&b, RAW_ID, 0, 0x10, "", 0);
	r = open_counted(&io, &b);
	cr_expect(eq(sz, xtr_reader_n_sections(r), n + 1));
	cr_expect(eq(u64, xtr_section_file_id(xtr_reader_section(r, 0)), RAW_ID));
	cr_expect(eq(u64, xtr_section_file_id(xtr_reader_section(r, n)), RAW_ID));
	cr_expect(le(u64, io.bytes, 8 * (uint64_t)b.n), "%" PRIu64 " bytes of %zu", io.bytes, b.n);
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* A file header in the middle divides the votes. */
Test(hostile, votes_end_at_the_next_file_header)
{
	struct xtr_buf b = { 0 };
	struct xtr_reader *r;
	struct counted io;

	for (unsigned int half = 0; half < 2; half++) {
		for (unsigned int i = 0; i < 3; i++) {
			raw_zeros(&b, XTR_FILE_HEADER_SIZE);
			raw_chunk(&b, RAW_ID + half, 0, 0x10, "", 0);
			raw_trailer(&b, RAW_ID + half);
		}
		if (!half)
			raw_header(&b, 5);
	}
	r = open_counted(&io, &b);
	/* The second half belongs to the header in the middle: nothing there is of its file_id. */
	cr_assert(eq(sz, xtr_reader_n_sections(r), 4));
	for (size_t i = 0; i < 3; i++)
		cr_expect(eq(u64, xtr_section_file_id(xtr_reader_section(r, i)), RAW_ID));
	cr_expect(eq(u64, xtr_section_file_id(xtr_reader_section(r, 3)), 5));
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* The definition, word by word. */
static uint64_t winner(const struct xtr_vote *v, size_t n, uint64_t from)
{
	uint64_t best = 0;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t votes = 0;

		for (size_t k = 0; k < n; k++)
			votes += v[k].at >= from && v[k].id == v[i].id;
		if (v[i].at >= from && votes > most) {
			most = votes;
			best = v[i].id;
		}
	}
	return best;
}

Test(hostile, votes_are_those_of_the_definition)
{
	struct xtr_vote v[40];
	uint32_t random = 1;

	for (unsigned int round = 0; round < 200; round++) {
		struct xtr_votes votes = { 0 };
		size_t n = round % 40;

		for (size_t i = 0; i < n; i++) {
			random = random * 1664525u + 1013904223u;
			v[i] = (struct xtr_vote){ i * 8, 1 + (random >> 24) % 5 };
			cr_assert(eq(int, xtr_votes_add(&votes, v[i].at, v[i].id), 0));
		}
		cr_assert(eq(int, xtr_votes_count(&votes), 0));
		for (uint64_t from = 0; from <= n * 8 + 8; from += 4)
			cr_expect(eq(u64, xtr_votes_winner(&votes, from), winner(v, n, from)));
		xtr_votes_free(&votes);
	}
}

/* --- many chunks of what is loaded on opening ---------------------------------------------------
 */

static void put_meta(struct xtr_buf *b, uint32_t seq, unsigned int i)
{
	static const uint8_t boot[16];
	const struct xtr_system sys = { .release = "r", .version = "v", .machine = "m" };
	struct xtr_event_desc ev = { .name = "a:b", .type = 65535 - i % 60000, .size = 16 };
	struct xtr_provider p = { .id = i, .name = "p", .attach = "tp", .target = "t" };
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_device d = { 0 };
	uint8_t *buf;
	char text[32];
	size_t n;

	snprintf(text, sizeof(text), "%u", i * 7919u % 1000000);
	d.name = text;
	cr_assert(eq(int, xtr_meta_set_writer(m, "w", "1"), 0));
	cr_assert(eq(int, xtr_meta_set_clock(m, "monotonic", boot, 1), 0));
	cr_assert(eq(int, xtr_meta_set_system(m, &sys), 0));
	cr_assert(eq(int, xtr_meta_add_device(m, &d), 0));
	cr_assert(eq(int, xtr_meta_add_provider(m, &p), 0));
	cr_assert(eq(int, xtr_meta_add_event(m, &ev), 0));
	cr_assert(eq(int, xtr_meta_set_config_u64(m, text, i), 0));
	cr_assert(eq(int, xtr_meta_encode(m, &buf, &n), 0));
	raw_chunk(b, RAW_ID, seq, XTR_CHUNK_META, buf, n);
	free(buf);
	xtr_meta_free(m);
}

/* Was quadratic: devices, providers and config were searched from the first one on. */
Test(hostile, many_metas_add_up)
{
	const unsigned int n = 100000;
	struct xtr_buf b = { 0 };
	const struct xtr_meta *m;
	struct xtr_reader *r;
	const char *key, *str, *last = "";
	struct counted io;
	uint64_t num;
	size_t i;

	raw_header(&b, RAW_ID);
	for (i = 0; i < n; i++)
		put_meta(&b, (uint32_t)i, (unsigned int)i);
	r = open_counted(&io, &b);
	m = xtr_section_meta(xtr_reader_section(r, 0));
	cr_expect(eq(sz, xtr_meta_n_devices(m), n));
	cr_expect(eq(sz, xtr_meta_n_providers(m), n));
	cr_expect(eq(sz, xtr_meta_n_events(m), 60000));
	cr_expect(eq(u32, xtr_meta_provider(m, n - 1)->id, n - 1));
	cr_expect(eq(u32, xtr_meta_event_at(m, 0)->type, 5536));
	for (i = 0; xtr_meta_config(m, i, &key, &num, &str); i++) {
		cr_assert(lt(int, xtr_enc_key_cmp(last, key), 0), "config is in order");
		last = key;
	}
	cr_expect(eq(sz, i, n));
	cr_expect(xtr_meta_config_u64(m, "7919", &num));
	cr_expect(eq(u64, num, 1));
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* Was quadratic: all tasks were sorted again at every TABLE, and ids searched one by one. */
Test(hostile, many_tables_add_up)
{
	const uint32_t n = 100000;
	struct xtr_buf b = { 0 }, p = { 0 };
	const struct xtr_tables *t;
	struct xtr_reader *r;
	struct counted io;
	uint32_t id = 0, count = 0;

	raw_header(&b, RAW_ID);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t task[] = { 1 + i * 7919 % 1000000, 1, i, 0, 0 };

		p.n = 0;
		xtr_enc_map(&p, 2);
		xtr_enc_text(&p, "tasks");
		xtr_enc_array(&p, 1);
		xtr_enc_array(&p, 5);
		for (size_t k = 0; k < 5; k++)
			xtr_enc_uint(&p, task[k]);
		xtr_enc_text(&p, "strings");
		xtr_enc_map(&p, 1);
		xtr_enc_uint(&p, 2 * (n - i)); /* falling, with holes */
		xtr_enc_text(&p, "x");
		raw_chunk(&b, RAW_ID, i, XTR_CHUNK_TABLE, p.p, p.n);
	}
	r = open_counted(&io, &b);
	t = xtr_section_tables(xtr_reader_section(r, 0));
	cr_expect(eq(sz, xtr_tables_n_tasks(t), n));
	for (uint32_t last = 0; xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id); last = id, count++)
		cr_assert(eq(u32, id, last + 2));
	cr_expect(eq(u32, count, n));
	cr_assert(xtr_tables_task(t, 7920, 5) != NULL);
	cr_expect(eq(u64, xtr_tables_task(t, 7920, 5)->since, 1));
	xtr_reader_close(r);
	xtr_buf_free(&b);
	xtr_buf_free(&p);
}

/* Was quadratic: all gaps were sorted again at every LOSS. */
Test(hostile, many_gaps_add_up)
{
	const uint32_t n = 100000;
	struct xtr_buf b = { 0 }, p = { 0 };
	const struct xtr_loss *l;
	struct xtr_reader *r;
	struct counted io;

	raw_header(&b, RAW_ID);
	for (uint32_t i = 0; i < n; i++) {
		p.n = 0;
		xtr_enc_map(&p, 1);
		xtr_enc_text(&p, "gaps");
		xtr_enc_array(&p, 1);
		xtr_enc_array(&p, 4);
		xtr_enc_uint(&p, 1);
		xtr_enc_uint(&p, n - i);
		xtr_enc_uint(&p, n);
		xtr_enc_uint(&p, 1);
		raw_chunk(&b, RAW_ID, i, XTR_CHUNK_LOSS, p.p, p.n);
	}
	r = open_counted(&io, &b);
	l = xtr_section_loss(xtr_reader_section(r, 0));
	cr_assert(eq(sz, xtr_loss_n_gaps(l), n));
	for (size_t i = 0; i < n; i++)
		cr_assert(eq(u64, xtr_loss_gap_at(l, i)->first, i + 1));
	xtr_reader_close(r);
	xtr_buf_free(&b);
	xtr_buf_free(&p);
}

/* --- a section every 64 bytes -------------------------------------------------------------------
 */

/* Each took 1.4 kB before anything of it was read. */
Test(hostile, sections_of_nothing_are_empty)
{
	struct xtr_buf b = { 0 };
	struct xtr_reader *r;
	struct counted io;

	for (unsigned int i = 0; i < 1000; i++)
		raw_header(&b, RAW_ID);
	r = open_counted(&io, &b);
	cr_assert(eq(sz, xtr_reader_n_sections(r), 1000));
	for (size_t i = 0; i < 1000; i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);
		uint32_t id = 0;

		cr_assert(zero(sz, xtr_meta_n_events(xtr_section_meta(s))));
		cr_assert(xtr_meta_event(xtr_section_meta(s), 16) == NULL);
		cr_assert(xtr_meta_config_str(xtr_section_meta(s), "x") == NULL);
		cr_assert(xtr_tables_next_id(xtr_section_tables(s), XTR_TABLE_STRINGS, &id) ==
			  false);
		cr_assert(xtr_tables_task(xtr_section_tables(s), 1, 1) == NULL);
		cr_assert(zero(u64, xtr_loss_total(xtr_section_loss(s))));
	}
	xtr_reader_close(r);
	xtr_buf_free(&b);
}

/* --- formats ------------------------------------------------------------------------------------
 */

/* The first one was leaked, which AddressSanitizer sees. */
Test(hostile, the_second_print_format_holds)
{
	static const char text[] = "name: a\nID: 5\n print fmt: \"first\"\nprint fmt: \"second\"\n";
	struct xtr_tp_format *f;

	cr_assert(eq(int, xtr_tp_format_parse(&f, text, sizeof(text) - 1), 0));
	cr_expect(eq(str, f->print_fmt, "\"second\""));
	xtr_tp_format_free(f);
}
