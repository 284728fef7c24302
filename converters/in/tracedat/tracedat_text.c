// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events that are a text: ftrace:print (markers), :bprint and :bputs (trace_printk). Kernels have
 * declared the text in several ways, or store only where it is; all become a record of `ip` and
 * `buf`, the text to its end, without the line's end.
 */
#include "tracedat_priv.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON 8u /* bytes: common fields */

static const struct {
	const char *event, *text, *format; /* fields; format NULL: none */
	enum dat_text_kind kind;
} texts[] = {
	{ "print", "buf", NULL, DAT_TEXT_STORED },
	{ "bputs", "str", NULL, DAT_TEXT_POINTED },
	{ "bprint", "buf", "fmt", DAT_TEXT_BINARY },
};

static const struct xtr_tp_field *field(const struct xtr_tp_format *f, const char *name)
{
	for (size_t i = 0; name && i < f->n_fields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

/* A format of the form above in place of the kernel's. */
static int replace(struct dat *d, struct dat_event_type *t)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "name: %s\nID: %" PRIu32 "\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			 "\tfield:unsigned long ip;\toffset:8;\tsize:%" PRIu32 ";\tsigned:0;\n"
			 "\tfield:char buf[];\toffset:%" PRIu32 ";\tsize:0;\tsigned:0;\n"
			 "print fmt: \"%%p: %%s\", REC->ip, REC->buf\n",
			 t->f->name, t->f->id, d->long_size, COMMON + d->long_size);
	struct xtr_tp_format *f;
	int err = xtr_tp_format_parse(&f, text, (size_t)n);

	if (err)
		return err;
	f->common = t->f->common;
	xtr_tp_format_free(t->f);
	t->f = f;
	return 0;
}

int dat_text_event(struct dat *d, struct dat_event_type *t)
{
	const struct xtr_tp_field *ip = field(t->f, "ip"), *text, *format;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(t->f->name, texts[i].event) != 0)
			continue;
		text = field(t->f, texts[i].text);
		format = field(t->f, texts[i].format);
		if (!text || text->kind == XTR_TP_LOC_STR || text->kind == XTR_TP_REL_STR ||
		    (texts[i].format && !format))
			return 0;
		t->kind = texts[i].kind;
		t->ip_at = ip && ip->size == d->long_size ? ip->offset : 0;
		t->text_at = text->offset;
		t->format_at = format ? format->offset : 0;
		return replace(d, t);
	}
	return 0;
}

static uint64_t address(const struct dat *d, const uint8_t *rec, uint32_t n, uint32_t at)
{
	uint64_t v = 0;

	for (uint32_t i = 0; xtr_fits(at, d->long_size, n) && i < d->long_size; i++)
		v |= (uint64_t)rec[at + (d->big ? d->long_size - 1 - i : i)] << (8 * i);
	return v;
}

static size_t put_unknown(const struct dat *d, uint64_t addr, char *out, size_t cap)
{
	int n = snprintf(out, cap, "(no text at 0x%" PRIx64 ")", xtr_import_address(d->im, addr));

	return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}

static size_t put_text(const struct dat *d, const struct dat_event_type *t, const uint8_t *rec,
		       uint32_t n, char *out, size_t cap)
{
	const struct dat_string *s;
	uint64_t addr;
	size_t len;

	if (t->kind == DAT_TEXT_STORED) {
		len = strnlen((const char *)rec + t->text_at, n - t->text_at);
		len = len < cap ? len : cap;
		memcpy(out, rec + t->text_at, len);
		return len;
	}
	addr = address(d, rec, n, t->kind == DAT_TEXT_BINARY ? t->format_at : t->text_at);
	s = dat_string(d, addr);
	if (!s)
		return put_unknown(d, addr, out, cap);
	if (t->kind == DAT_TEXT_BINARY)
		return dat_bprint(d, s->text, rec + t->text_at, n - t->text_at, out, cap);
	len = s->len < cap ? s->len : cap;
	memcpy(out, s->text, len);
	return len;
}

void dat_text_record(struct dat *d, const struct dat_event_type *t, const uint8_t **rec,
		     uint32_t *n)
{
	uint32_t at = COMMON + d->long_size;
	char *text = (char *)d->text + at;
	size_t len = 0;

	memset(d->text, 0, at);
	memcpy(d->text, *rec, *n < COMMON ? *n : COMMON);
	if (t->ip_at && xtr_fits(t->ip_at, d->long_size, *n))
		memcpy(d->text + COMMON, *rec + t->ip_at, d->long_size);
	if (t->text_at <= *n)
		len = put_text(d, t, *rec, *n, text, DAT_TEXT_MAX);
	len -= len && text[len - 1] == '\n';
	*rec = d->text;
	*n = at + (uint32_t)len;
}
