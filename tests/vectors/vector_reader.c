/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what libxtr reads in a file, as the JSON document of spec/test-vectors.md, so that it can
 * be compared byte for byte with spec/reader.py.
 *
 * usage: vector_reader [--summary] FILE
 *        vector_reader --batch      standard input: jobs of length u32, flags u32 (1: summary),
 * bytes; standard output: length u32, document, for each
 */
#include "format/read/reader.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"
#include "vector_json.h"
#include "vector_meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- chunks and events ----------------------------------------------------------------------- */

struct doc {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	uint8_t *buf; /* decoded payload, grown as needed */
	size_t cap;
};

static uint64_t load(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static void chunks(const struct xtr_section *s)
{
	bool first = true;

	fputs(",\"chunks\":[", out);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		item(&first,
		     "\n[%" PRIu64 ",%u,%u,%u,%u,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
		     c->offset, c->type, c->codec, c->filter, c->props, c->seq, c->stream,
		     c->stored_len, c->raw_len);
		fprintf(out,
			",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
			c->rec_len, c->n_records, c->ts_min, c->ts_max, c->first_ordinal,
			c->lost_total);
	}
	putc(']', out);
}

static void clocks(const struct xtr_section *s)
{
	bool first = true;

	fputs(",\"clocks\":[", out);
	for (size_t i = 0; i < xtr_section_n_clocks(s); i++) {
		const struct xtr_clock_snapshot *c = xtr_section_clock(s, i);

		item(&first, "\n[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", c->before,
		     c->after, c->boottime, c->realtime);
	}
	putc(']', out);
}

static bool has_problem(const struct doc *d, enum xtr_problem_code code, uint64_t offset)
{
	for (size_t i = 0; i < xtr_reader_n_problems(d->r); i++) {
		const struct xtr_problem *p = xtr_reader_problem(d->r, i);

		if (p->code == code && p->offset == offset)
			return true;
	}
	return false;
}

static void rounds_and_files(struct doc *d)
{
	struct xtr_err err;
	bool first = true;

	fputs(",\"rounds\":[", out);
	for (size_t i = 0; i < xtr_section_n_chunks(d->s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(d->s, i);

		if (c->type == XTR_CHUNK_ROUND && !has_problem(d, XTR_P_ROUND, c->offset) &&
		    xtr_reader_decode(d->r, c, &d->buf, &d->cap, &err) == 0)
			item(&first, "\n%" PRIu64, load(d->buf, 8));
	}
	fputs("],\"attached\":[", out);
	first = true;
	for (size_t i = 0; i < xtr_section_n_chunks(d->s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(d->s, i);
		size_t n;

		if (c->type != XTR_CHUNK_ATTACH || has_problem(d, XTR_P_ATTACH, c->offset) ||
		    xtr_reader_decode(d->r, c, &d->buf, &d->cap, &err) != 0)
			continue;
		n = (size_t)load(d->buf, 2);
		item(&first, "\n{\"offset\":%" PRIu64 ",\"name\":", c->offset);
		octets(d->buf + 2, n);
		fputs(",\"hex\":", out);
		hex(d->buf + 2 + n, c->raw_len - 2 - n);
		putc('}', out);
	}
	putc(']', out);
}

static void end(const struct xtr_section *s)
{
	const struct xtr_recorder_cost *c = xtr_section_end_cost(s);

	fputs(",\"end\":", out);
	if (!xtr_section_end_reason(s)) {
		fputs("null", out);
		return;
	}
	fputs("{\"reason\":", out);
	text(xtr_section_end_reason(s));
	fputs(",\"recorder\":", out);
	if (c)
		fprintf(out,
			"{\"cpu_ns\":%" PRIu64 ",\"ring_bytes\":%" PRIu64 ",\"ring_high\":%" PRIu64
			",\"bpf_run_ns\":%" PRIu64 ",\"bpf_run_count\":%" PRIu64 "}",
			c->cpu_ns, c->ring_bytes, c->ring_high, c->bpf_run_ns, c->bpf_run_cnt);
	else
		fputs("null", out);
	putc('}', out);
}

static void named(const struct xtr_field *f, uint64_t wide)
{
	const char *found = NULL;
	bool first = true;

	if (f->names_kind == XTR_NAMES_ENUM) {
		for (uint32_t i = 0; i < f->n_names && !found; i++)
			if (f->names[i].value == wide)
				found = f->names[i].name;
		key_text("name", found);
		return;
	}
	fputs(",\"names\":[", out);
	for (uint32_t i = 0; i < f->n_names; i++)
		if (f->names[i].value && (wide & f->names[i].value) == f->names[i].value) {
			item(&first, "%s", "");
			text(f->names[i].name);
		}
	putc(']', out);
}

static void number(const struct xtr_field *f, uint64_t v)
{
	bool is_signed = xtr_repr_is_signed(f->repr);

	if (is_signed && f->size < 8 && v >> (8 * f->size - 1))
		v |= UINT64_MAX << (8 * f->size);
	if (f->names_kind != XTR_NAMES_NONE)
		fputs("{\"value\":", out);
	if (is_signed)
		fprintf(out, "%" PRId64, (int64_t)v);
	else
		fprintf(out, "%" PRIu64, v);
	if (f->names_kind != XTR_NAMES_NONE) {
		named(f, v);
		putc('}', out);
	}
}

static void field(const struct xtr_tables *t, const struct xtr_field *f, const uint8_t *rec)
{
	const uint8_t *p = rec + f->offset;

	if (f->repr == XTR_REPR_BYTES)
		hex(p, f->size);
	else if (f->repr == XTR_REPR_STR)
		octets(p, strnlen((const char *)p, f->size));
	else if (f->repr == XTR_REPR_STRID)
		string(t, load(p, f->size));
	else if (f->repr == XTR_REPR_RING)
		ring(t, (uint32_t)load(p, 4));
	else if (f->repr == XTR_REPR_STACK)
		stack(t, (uint32_t)load(p, 4));
	else
		number(f, load(p, f->size));
}

static void event(const struct xtr_section *s, const struct xtr_chunk *c, const uint8_t *rec)
{
	const struct xtr_tables *t = xtr_section_tables(s);
	uint64_t ts = load(rec, 8);
	uint32_t type = (uint32_t)load(rec + 8, 2), size = (uint32_t)load(rec + 10, 2);
	uint32_t tid = (uint32_t)load(rec + 12, 4);
	const struct xtr_event_desc *e = xtr_meta_event(xtr_section_meta(s), type);
	const struct xtr_task *task = xtr_tables_task(t, tid, ts);
	bool first = true;

	fprintf(out,
		"\n{\"seq\":%" PRIu32 ",\"ts\":%" PRIu64 ",\"type\":%" PRIu32 ",\"name\":", c->seq,
		ts, type);
	text(e ? e->name : NULL);
	if (c->stream == XTR_STREAM_NONE)
		fputs(",\"cpu\":null", out);
	else
		fprintf(out, ",\"cpu\":%" PRIu32, c->stream);
	fprintf(out, ",\"tid\":%" PRIu32 ",\"task\":", tid);
	if (task) {
		fprintf(out, "{\"pid\":%" PRIu32 ",\"comm\":", task->pid);
		string(t, task->comm);
		putc('}', out);
	} else {
		fputs("null", out);
	}
	fprintf(out, ",\"size\":%" PRIu32 ",\"%s\":", size, e ? "fields" : "hex");
	if (!e) {
		hex(rec + 16, size - 16);
		putc('}', out);
		return;
	}
	putc('{', out);
	for (uint32_t i = 0; i < e->n_fields; i++) {
		if ((uint64_t)e->fields[i].offset + e->fields[i].size > size)
			continue;
		item(&first, "%s", "");
		text(e->fields[i].name);
		putc(':', out);
		field(t, &e->fields[i], rec);
	}
	fputs("}}", out);
}

static void events(struct doc *d)
{
	struct xtr_err err;
	bool first = true;

	fputs(",\"events\":[", out);
	for (size_t i = 0; i < xtr_section_n_chunks(d->s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(d->s, i);

		if (c->type != XTR_CHUNK_EVENTS ||
		    xtr_reader_decode(d->r, c, &d->buf, &d->cap, &err) != 0)
			continue;
		for (size_t at = 0; at < c->rec_len; at += load(d->buf + at + 10, 2)) {
			item(&first, "%s", "");
			event(d->s, c, d->buf + at);
		}
	}
	putc(']', out);
}

/* --- documents ------------------------------------------------------------------------------- */

static void section(struct doc *d, bool summary)
{
	fprintf(out,
		"\n{\"offset\":%" PRIu64 ",\"header_size\":%" PRIu32
		",\"minor\":%u,\"compat_flags\":%" PRIu32 ",\"file_id\":\"%016" PRIx64 "\"",
		xtr_section_offset(d->s), xtr_section_header_size(d->s), xtr_section_minor(d->s),
		xtr_section_compat_flags(d->s), xtr_section_file_id(d->s));
	chunks(d->s);
	if (has_problem(d, XTR_P_NO_META, xtr_section_offset(d->s)))
		fputs(",\"meta\":null", out);
	else
		meta(xtr_section_meta(d->s));
	tables(xtr_section_tables(d->s));
	clocks(d->s);
	rounds_and_files(d);
	loss(xtr_section_loss(d->s));
	end(d->s);
	if (!summary)
		events(d);
	putc('}', out);
}

static void problem(bool *first, enum xtr_problem_code code, uint64_t offset)
{
	item(first, "\n{\"code\":\"%s\",\"offset\":%" PRIu64 "}", xtr_problem_name(code), offset);
}

/* Returns 0, 3 if there are problems, 1 if the file could not be read. */
static int document(struct xtr_io *io, uint64_t size, bool summary)
{
	struct doc d = { 0 };
	struct xtr_reader *r = NULL;
	struct xtr_err err = { 0 };
	bool first = true;
	int ret = xtr_reader_open(&r, io, &err);

	if (ret && err.problem == XTR_P_NONE) {
		fprintf(stderr, "vector_reader: %s\n", strerror(-ret));
		return 1;
	}
	fprintf(out, "{\"size\":%" PRIu64 ",\"sections\":[", size);
	if (ret) {
		fputs("],\"problems\":[", out);
		problem(&first, err.problem, err.offset);
		fputs("]}\n", out);
		return 3;
	}
	ret = xtr_reader_verify(r, NULL, NULL) ? 1 : 0;
	d.r = r;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		d.s = xtr_reader_section(r, i);
		item(&first, "%s", "");
		section(&d, summary);
	}
	fputs("],\"problems\":[", out);
	first = true;
	for (size_t i = 0; i < xtr_reader_n_problems(r); i++)
		problem(&first, xtr_reader_problem(r, i)->code, xtr_reader_problem(r, i)->offset);
	fputs("]}\n", out);
	if (!ret && xtr_reader_n_problems(r))
		ret = 3;
	free(d.buf);
	xtr_reader_close(r);
	return ret;
}

static int one(const char *path, bool summary)
{
	struct xtr_io *io;
	uint64_t size;
	int ret = xtr_io_open_read(path, &io);

	if (ret || io->ops->size(io, &size)) {
		fprintf(stderr, "vector_reader: '%s': %s\n", path, strerror(-ret));
		return 1;
	}
	out = stdout;
	return document(io, size, summary);
}

static int batch(void)
{
	uint8_t head[8];

	while (fread(head, 1, 8, stdin) == 8) {
		size_t n = (size_t)load(head, 4), len = 0;
		/* Exactly as large as the file, so that a sanitizer sees a read past its end. */
		uint8_t *data = malloc(n ? n : 1);
		struct xtr_io *io;
		char *doc = NULL;

		if (!data || fread(data, 1, n, stdin) != n || xtr_io_mem_view(data, n, &io))
			return 1;
		out = open_memstream(&doc, &len);
		if (!out || document(io, n, load(head + 4, 4) & 1) == 1)
			return 1;
		fclose(out);
		for (size_t i = 0; i < 4; i++)
			putchar((int)(len >> 8 * i & 0xff));
		fwrite(doc, 1, len, stdout);
		fflush(stdout);
		free(doc);
		free(data);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--batch"))
		return batch();
	if (argc == 3 && !strcmp(argv[1], "--summary"))
		return one(argv[2], true);
	if (argc == 2 && argv[1][0] != '-')
		return one(argv[1], false);
	fputs("usage: vector_reader [--summary] FILE | --batch\n", stderr);
	return 2;
}
