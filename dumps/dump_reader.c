/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a file in pieces: what it is, its lines, and each by the tables. */
#include "dump_rows.h"

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xtr_dump_reader *xtr_dump_begin(struct xtr_dumps *out, const char *name, bool log)
{
	struct xtr_dump_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->out = out;
	r->log = log;
	r->first = out->n;
	snprintf(r->d.name, sizeof(r->d.name), "%s", name);
	return r;
}

/* What begins like the first n bytes of the file. */
static const struct dump_kind *recognize(const uint8_t *head, size_t n)
{
	for (const struct dump_kind *k = dump_kinds; k->name; k++)
		if (n >= k->n && !memcmp(head, k->begins, k->n))
			return k;
	return NULL;
}

static void dump_line(struct xtr_dump_reader *r, const char *line, size_t n)
{
	struct dump_value v[DUMP_VALUES];
	const char *at;

	for (const struct dump_row *row = r->kind->rows; row->pattern; row++) {
		int got = dump_match(row->pattern, line, n, v, &at);

		if (got < 0)
			continue;
		dump_set_row(&r->d, row, v, got, r->line_no, at, (size_t)(line + n - at));
		if (r->kind->line)
			r->kind->line(r, row, v, line, n);
		return;
	}
	if (r->kind->line)
		r->kind->line(r, NULL, NULL, line, n);
}

static int end_line(struct xtr_dump_reader *r)
{
	size_t n = r->n;

	r->n = 0;
	r->line_no++;
	while (n && r->line[n - 1] == '\r')
		n--;
	if (r->log)
		return dump_log_line(r, r->line, n);
	if (r->kind && r->kind->rows)
		dump_line(r, r->line, n);
	return 0;
}

/* What of a line is longer than XTR_DUMP_LINE_MAX is passed over. */
static int text_byte(struct xtr_dump_reader *r, char c)
{
	if (c == '\n')
		return end_line(r);
	if (r->n < sizeof(r->line))
		r->line[r->n++] = c;
	return 0;
}

/* The head is whole: what it is, and what of it has been waiting. */
static int settle(struct xtr_dump_reader *r, size_t n)
{
	int err = 0;

	r->settled = true;
	r->kind = recognize(r->head, n);
	r->d.kind = r->kind ? r->kind->name : NULL;
	if (r->kind && r->kind->byte)
		return 0;
	for (size_t i = 0; i < n && !err; i++)
		err = text_byte(r, (char)r->head[i]);
	return err;
}

static int byte(struct xtr_dump_reader *r, uint8_t c)
{
	int err = 0;

	if (r->log)
		err = text_byte(r, (char)c);
	else if (r->at < DUMP_HEAD)
		r->head[r->at] = c;
	if (!r->log && r->at == DUMP_HEAD - 1)
		err = settle(r, DUMP_HEAD);
	else if (!r->log && r->at >= DUMP_HEAD && r->kind && !r->kind->byte)
		err = text_byte(r, (char)c);
	if (r->kind && r->kind->byte)
		r->kind->byte(r, c);
	r->at++;
	return err;
}

int xtr_dump_feed(struct xtr_dump_reader *r, const void *p, size_t n)
{
	const uint8_t *bytes = p;
	int err = 0;

	if (!r->log && r->settled && !r->kind) { /* in no format that is known */
		r->at += n;
		return 0;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = byte(r, bytes[i]);
	return err;
}

static int add(struct xtr_dump_reader *r)
{
	struct xtr_dumps *out = r->out;

	if (out->n >= XTR_DUMP_REPORTS_MAX) {
		out->more++;
		return 0;
	}
	if (xtr_grow_array(&out->v, &out->cap, out->n + 1, sizeof(*out->v)))
		return -ENOMEM;
	r->d.bytes = r->at;
	out->v[out->n++] = r->d;
	return 0;
}

/* Another log of the bundle has it, too: lines of one kind are in a file of their own. */
static bool is_told(const struct xtr_dump_reader *r, const struct xtr_dump *d)
{
	static const enum xtr_dump_fact_id facts[] = { XTR_DUMP_TIME_FACT, XTR_DUMP_DEVICE_FACT,
						       XTR_DUMP_CODE_FACT, XTR_DUMP_MESSAGE_FACT };

	for (size_t i = 0; i < r->first; i++) {
		const struct xtr_dump *other = &r->out->v[i];
		bool same = !strcmp(other->kind ? other->kind : "", d->kind);

		for (size_t k = 0; k < sizeof(facts) / sizeof(facts[0]) && same; k++)
			same = other->fact[facts[k]].value == d->fact[facts[k]].value &&
			       !strcmp(other->fact[facts[k]].text, d->fact[facts[k]].text);
		if (same)
			return true;
	}
	return false;
}

/* What tells neither of a failure nor of a fault is of something that was handled. */
static void drop_harmless(struct xtr_dump_reader *r)
{
	size_t kept = r->first;

	for (size_t i = r->first; i < r->out->n; i++) {
		struct xtr_dump *d = &r->out->v[i];

		d->bytes = r->at;
		if ((d->failure || d->fact[XTR_DUMP_FAULT_FACT].known) && !is_told(r, d))
			r->out->v[kept++] = *d;
	}
	r->out->n = kept;
}

int xtr_dump_end(struct xtr_dump_reader *r)
{
	int err = 0;

	if (!r->log && !r->settled)
		err = settle(r, (size_t)r->at);
	if (!err && r->n)
		err = end_line(r);
	if (!err && r->kind && r->kind->end)
		r->kind->end(r);
	if (r->kind) /* where the dump does not name it: whose format it is */
		dump_set_text(&r->d.fact[XTR_DUMP_DRIVER_FACT], DUMP_FIRST, 1, r->kind->driver,
			      strlen(r->kind->driver));
	if (r->log)
		drop_harmless(r);
	else if (!err)
		err = add(r);
	free(r);
	return err;
}
