/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page is read line by line, as a browser would not: a script begins and ends where a line says
 * so. The viewer's own code, which has such lines in its strings, never begins one with them.
 */
#include "systrace.h"
#include "textin.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>

#define HTML_HEAD  1024u  /* bytes in which "<html" stands */
#define BLOCK_HEAD 65536u /* bytes of a script that tell what is in it */

static const char script_begin[] = "<script class=\"trace-data\" type=\"application/text\">";
static const char script_end[] = "</script>";
static const char string_begin[] = "var linuxPerfData = \"";

enum where {
	OUTSIDE,
	SCRIPT, /* lines are the trace's */
	STRING, /* of JavaScript: "\n\" ends the trace's lines */
};

struct page {
	struct xtr_io *out;
	bool (*readable)(void *ctx, const uint8_t *head, size_t n);
	void *ctx;
	enum where where;
	struct xtr_buf block; /* of the script at hand, until it is known what it is */
	bool known, wanted;   /* it is, and goes to out */
	bool entities;        /* it has "&lt;" for "<" */
	uint64_t found;       /* scripts that went to out */
};

bool xtr_html_detect(const uint8_t *head, size_t n)
{
	char text[HTML_HEAD + 1] = "";
	const char *p = text;

	n = n < HTML_HEAD ? n : HTML_HEAD;
	memcpy(text, head, n);
	if (!strncmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	p += strspn(p, " \t\r\n");
	return *p == '<' && (strcasestr(p, "<html") || strcasestr(p, "<!doctype html"));
}

/* --- what is in a script ---------------------------------------------------------------------- */

static const struct {
	const char *name, *is;
} entities[] = {
	{ "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&#39;", "'" }, { "&amp;", "&" },
};

/* In place; the new length. */
static size_t decode(uint8_t *s, size_t n)
{
	size_t to = 0, at = 0;

	while (at < n) {
		size_t skip = 0;

		for (size_t i = 0; s[at] == '&' && i < sizeof(entities) / sizeof(entities[0]);
		     i++) {
			const size_t len = strlen(entities[i].name);

			if (n - at < len || memcmp(s + at, entities[i].name, len) != 0)
				continue;
			s[to++] = (uint8_t)*entities[i].is;
			skip = len;
			break;
		}
		if (!skip)
			s[to++] = s[at];
		at += skip ? skip : 1;
	}
	return to;
}

/* Whole lines, which are the page's to change. */
static int write_out(struct page *p)
{
	size_t n = p->block.n;

	if (p->entities)
		n = decode(p->block.p, n);
	p->block.n = 0;
	return n ? p->out->ops->append(p->out, p->block.p, n) : 0;
}

/* A trace has "<idle>" or "<...>" now and then: where no "<" is and "&lt;" is, all are escaped. */
static void judge(struct page *p)
{
	struct xtr_buf *b = &p->block;
	size_t n = b->n < BLOCK_HEAD ? b->n : BLOCK_HEAD;

	p->known = true;
	p->entities = n && !memchr(b->p, '<', n) && memmem(b->p, n, "&lt;", 4);
	p->wanted = n && p->readable(p->ctx, b->p, n);
	p->found += p->wanted;
}

static int add(struct page *p, const char *text, size_t n)
{
	if (!p->known || p->wanted)
		xtr_buf_add(&p->block, text, n);
	if (p->block.err || p->block.n < BLOCK_HEAD)
		return p->block.err;
	if (!p->known)
		judge(p);
	if (p->wanted)
		return write_out(p);
	p->block.n = 0;
	return 0;
}

static void begin(struct page *p, enum where where)
{
	p->where = where;
	p->known = p->wanted = p->entities = false;
	p->block.n = 0;
}

static int end(struct page *p)
{
	if (p->where == OUTSIDE)
		return 0;
	p->where = OUTSIDE;
	if (!p->known)
		judge(p);
	return p->wanted ? write_out(p) : 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool begins(const char *text, size_t n, const char *with)
{
	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	return n >= strlen(with) && !memcmp(text, with, strlen(with));
}

static int outside(struct page *p, const struct textin_line *l)
{
	if (begins(l->text, l->len, script_begin))
		begin(p, SCRIPT);
	else if (begins(l->text, l->len, string_begin))
		begin(p, STRING);
	return 0;
}

static int in_script(struct page *p, const struct textin_line *l)
{
	const char *stop = memmem(l->text, l->len, script_end, strlen(script_end));
	size_t n = stop ? (size_t)(stop - l->text) : l->len;
	int err = 0;

	if (!stop || strspn(l->text, " \t") < n) {
		err = add(p, l->text, n);
		/* A NUL stays one, for who reads the text. */
		if (!err && l->state == TEXTIN_BINARY)
			err = add(p, "", 1);
		if (!err && l->state != TEXTIN_CUT)
			err = add(p, "\n", 1);
	}
	return !err && stop ? end(p) : err;
}

static int in_string(struct page *p, const struct textin_line *l)
{
	int err = 0;

	/* The last line is systrace's own, at time 0. */
	if (begins(l->text, l->len, "dummy-0000 "))
		return end(p);
	for (size_t i = 0; i < l->len && !err; i++) {
		char c = l->text[i];

		if (c == '"')
			return end(p);
		if (c == '\\') {
			if (++i == l->len) /* the string goes on with the next line */
				break;
			c = l->text[i] == 'n' ? '\n' : l->text[i] == 't' ? '\t' : l->text[i];
		}
		err = add(p, &c, 1);
	}
	return err;
}

static int (*const parts[])(struct page *p, const struct textin_line *l) = {
	[OUTSIDE] = outside,
	[SCRIPT] = in_script,
	[STRING] = in_string,
};

static int all_lines(struct page *p, struct xtr_io *in)
{
	struct textin_lines lines;
	struct textin_line l;
	int err = textin_lines_open(&lines, in);

	if (err)
		return err;
	for (;;) {
		err = textin_lines_next(&lines, &l);
		if (err || l.state == TEXTIN_END)
			break;
		err = parts[p->where](p, &l);
		if (err)
			break;
	}
	textin_lines_close(&lines);
	return err ? err : end(p);
}

int xtr_html_trace(struct xtr_io *in, struct xtr_io *out,
		   bool (*readable)(void *ctx, const uint8_t *head, size_t n), void *ctx)
{
	struct page p = { .out = out, .readable = readable, .ctx = ctx };
	int err = all_lines(&p, in);

	xtr_buf_free(&p.block);
	return err ? err : p.found ? 0 : -ENODATA;
}
