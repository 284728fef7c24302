/* SPDX-License-Identifier: BSD-2-Clause */
#include "textin.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUF_BYTES (4 * (size_t)TEXTIN_LINE_MAX)

int textin_lines_open(struct textin_lines *l, struct xtr_io *io)
{
	*l = (struct textin_lines){ .io = io };
	l->buf = malloc(BUF_BYTES);
	return l->buf ? io->ops->size(io, &l->size) : -ENOMEM;
}

void textin_lines_close(struct textin_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* Read on behind what is not given out yet, which is moved to the front. */
static int fill(struct textin_lines *l)
{
	size_t room;
	int err;

	memmove(l->buf, l->buf + l->pos, l->have - l->pos);
	l->have -= l->pos;
	l->pos = 0;
	room = BUF_BYTES - l->have;
	if (room > l->size - l->at)
		room = (size_t)(l->size - l->at);
	err = l->io->ops->read_at(l->io, l->at, l->buf + l->have, room);
	if (err)
		return err;
	l->at += room;
	l->have += room;
	return 0;
}

static void trim(struct textin_line *line)
{
	const char *nul = memchr(line->text, '\0', line->len);

	if (nul) {
		line->len = (size_t)(nul - line->text);
		if (line->state == TEXTIN_LINE || line->state == TEXTIN_CUT)
			line->state = TEXTIN_BINARY;
	}
	while (line->len && line->text[line->len - 1] == '\r')
		line->len--;
}

/* Skip to the line feed of a line that is too long. Its beginning is lost with the buffer. */
static int skip_line(struct textin_lines *l, struct textin_line *line)
{
	const char *lf;
	int err;

	line->state = TEXTIN_TOO_LONG;
	line->text = "";
	line->len = 0;
	while (!(lf = memchr(l->buf + l->pos, '\n', l->have - l->pos))) {
		l->pos = l->have;
		if (l->at == l->size)
			return 0;
		err = fill(l);
		if (err)
			return err;
	}
	l->pos = (size_t)(lf - l->buf) + 1;
	return 0;
}

int textin_lines_next(struct textin_lines *l, struct textin_line *line)
{
	const char *lf;
	int err;

	*line = (struct textin_line){ .state = TEXTIN_LINE };
	lf = memchr(l->buf + l->pos, '\n', l->have - l->pos);
	if (!lf && l->have - l->pos <= TEXTIN_LINE_MAX && l->at < l->size) {
		err = fill(l);
		if (err)
			return err;
		lf = memchr(l->buf + l->pos, '\n', l->have - l->pos);
	}
	if (l->pos == l->have) {
		line->state = TEXTIN_END;
		return 0;
	}
	l->number++;
	line->text = l->buf + l->pos;
	line->len = lf ? (size_t)(lf - line->text) : l->have - l->pos;
	if (line->len > TEXTIN_LINE_MAX)
		return skip_line(l, line);
	if (!lf)
		line->state = TEXTIN_CUT;
	l->pos += line->len + !!lf;
	trim(line);
	return 0;
}

bool textin_head_line(const char *head, size_t n, size_t *pos, struct textin_line *line)
{
	const char *lf;

	if (*pos >= n)
		return false;
	lf = memchr(head + *pos, '\n', n - *pos);
	*line = (struct textin_line){ .state = lf ? TEXTIN_LINE : TEXTIN_CUT, .text = head + *pos };
	line->len = lf ? (size_t)(lf - line->text) : n - *pos;
	*pos += line->len + 1;
	trim(line);
	return true;
}

/* --- textin run ------------------------------------------------------------------------------- */

bool textin_is_blank(const struct textin_line *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (!isspace((unsigned char)l->text[i]))
			return false;
	return true;
}

/* Say how exact times with so many digits are. */
static int note_digits(struct textin_run *r, unsigned int digits)
{
	static const char *const units[] = { "a count of something, not time",
					     "100 ms",
					     "10 ms",
					     "1 ms",
					     "100 us",
					     "10 us",
					     "1 us",
					     "100 ns",
					     "10 ns",
					     "1 ns" };
	uint64_t ns = 1;
	int err = xtr_import_note(r->im, "import-time-resolution", units[digits]);

	for (unsigned int i = digits; digits && i < 9; i++)
		ns *= 10;
	textin_sink_resolution(r->sink, ns);
	return err ? err : xtr_import_resolution(r->im, ns);
}

int textin_run_event(struct textin_run *r, const struct textin_line *l,
		     const struct textin_event *e, unsigned int digits)
{
	int err = 0;

	if (!r->begun)
		err = note_digits(r, digits);
	r->begun = true;
	return err ? err : textin_sink_event(r->sink, e, l->text, l->len);
}

static int all_lines(struct textin_run *r, struct textin_lines *lines,
		     int (*line)(struct textin_run *r, const struct textin_line *l))
{
	struct textin_line l;
	int err = textin_lines_next(lines, &l);

	while (!err && l.state != TEXTIN_END) {
		r->number = lines->number;
		textin_sink_line(r->sink, &l);
		if (l.state == TEXTIN_LINE)
			err = line(r, &l);
		else
			err = textin_sink_bad_line(r->sink, r->number, &l);
		xtr_import_progress(r->im, lines->at - (lines->have - lines->pos), lines->size);
		if (!err)
			err = textin_lines_next(lines, &l);
	}
	textin_sink_line(r->sink, NULL);
	return err;
}

int textin_run(struct xtr_import *im, struct xtr_io *in, void *parser,
	       int (*line)(struct textin_run *r, const struct textin_line *l), const char *nothing)
{
	struct textin_run r = { .im = im, .parser = parser };
	struct textin_lines lines;
	int err = textin_lines_open(&lines, in) ?: textin_sink_new(&r.sink, im) ?:
		  all_lines(&r, &lines, line);

	if (!err && !r.begun && !r.known)
		err = xtr_import_fail(im, -EBADMSG, "%s", nothing);
	if (!err)
		err = textin_sink_finish(r.sink);
	textin_sink_free(r.sink);
	textin_lines_close(&lines);
	return err;
}

/* --- textin num ------------------------------------------------------------------------------- */

void textin_spaces(struct textin_at *a)
{
	while (a->p < a->end && (*a->p == ' ' || *a->p == '\t'))
		a->p++;
}

bool textin_char(struct textin_at *a, char c)
{
	if (a->p == a->end || *a->p != c)
		return false;
	a->p++;
	return true;
}

bool textin_text(struct textin_at *a, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(a->end - a->p) < n || memcmp(a->p, text, n) != 0)
		return false;
	a->p += n;
	return true;
}

bool textin_name(struct textin_at *a, const char **name, size_t *len)
{
	const char *p = a->p;

	if (p == a->end || !(isalpha((unsigned char)*p) || *p == '_'))
		return false;
	while (p < a->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.'))
		p++;
	*name = a->p;
	*len = (size_t)(p - a->p);
	a->p = p;
	return true;
}

bool textin_u64(struct textin_at *a, uint64_t *v)
{
	const char *p = a->p;
	uint64_t n = 0;

	for (; p < a->end && isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	if (p == a->p)
		return false;
	*v = n;
	a->p = p;
	return true;
}

bool textin_u32(struct textin_at *a, uint32_t *v)
{
	struct textin_at b = *a;
	uint64_t n;

	if (!textin_u64(&b, &n) || n > UINT32_MAX)
		return false;
	*v = (uint32_t)n;
	*a = b;
	return true;
}

static unsigned int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return (unsigned int)(c - '0');
	return (unsigned int)(tolower((unsigned char)c) - 'a') + 10;
}

bool textin_hex(struct textin_at *a, uint64_t *v)
{
	struct textin_at b = *a;
	const char *first;
	uint64_t n = 0;

	if (!textin_text(&b, "0x"))
		textin_text(&b, "0X");
	for (first = b.p; b.p < b.end && isxdigit((unsigned char)*b.p); b.p++) {
		if (n >> 60)
			return false;
		n = n << 4 | hex_digit(*b.p);
	}
	if (b.p == first)
		return false;
	*v = n;
	*a = b;
	return true;
}

bool textin_time(struct textin_at *a, uint64_t *ns, unsigned int *digits)
{
	struct textin_at b = *a;
	const char *first;
	uint64_t s, part;

	*digits = 0;
	if (!textin_u64(&b, &s))
		return false;
	if (b.p == b.end || *b.p != '.') {
		*ns = s;
		*a = b;
		return true;
	}
	first = ++b.p;
	if (!textin_u64(&b, &part) || b.p - first > 9)
		return false;
	*digits = (unsigned int)(b.p - first);
	for (unsigned int i = *digits; i < 9; i++)
		part *= 10;
	if (__builtin_mul_overflow(s, (uint64_t)1000000000, &s) ||
	    __builtin_add_overflow(s, part, ns))
		return false;
	*a = b;
	return true;
}
