/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's log, as dmesg -r prints it: each hang in it becomes a dump of its own. Lines of one
 * device belong together while they come within seconds and do not contradict each other.
 */
#include "dump_rows.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>

/* What is in front of what a driver says. */
struct said {
	bool timed;
	uint64_t ns; /* of the log's clock */
	const char *driver, *device;
	size_t n_driver, n_device;
};

static bool hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* "0000:03:00.0" */
static bool is_pci(const char *p, size_t n)
{
	static const char shape[] = "hhhh:hh:hh.h";

	if (n < sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < sizeof(shape) - 1; i++)
		if (shape[i] == 'h' ? !hex_digit(p[i]) : p[i] != shape[i])
			return false;
	return true;
}

/* The word before p, which follows a blank. */
static void word_before(const char *line, const char *p, const char **word, size_t *n)
{
	const char *end = p > line ? p - 1 : p, *from = end;

	while (from > line && from[-1] != ' ')
		from--;
	*word = from;
	*n = (size_t)(end - from);
}

/* "xe 0000:03:00.0: ", or "panfrost fde60000.gpu: " with the driver's name known. */
static void find_device(struct said *s, const char *line, size_t n, const char *driver)
{
	const size_t len = driver ? strlen(driver) : 0;
	const char *end = line + n, *p;

	for (p = line; p < end; p++) {
		if ((p != line && p[-1] != ' ') || !is_pci(p, (size_t)(end - p)))
			continue;
		s->device = p;
		s->n_device = sizeof("0000:00:00.0") - 1;
		word_before(line, p, &s->driver, &s->n_driver);
		return;
	}
	for (p = line; len && (p = memmem(p, (size_t)(end - p), driver, len)); p++) {
		const char *colon;

		if ((p != line && p[-1] != ' ') || p + len == end || p[len] != ' ')
			continue;
		colon = memmem(p + len, (size_t)(end - p) - len, ": ", 2);
		if (!colon || memchr(p + len + 1, ' ', (size_t)(colon - p) - len - 1))
			continue;
		s->device = p + len + 1;
		s->n_device = (size_t)(colon - s->device);
		return;
	}
}

/* "<3>[ 4001.000000] " */
static void find_time(struct said *s, const char *line, size_t n)
{
	const char *open = memchr(line, '[', n < 16 ? n : 16), *at;
	struct dump_value v[DUMP_VALUES];

	if (!open)
		return;
	for (open++; open < line + n && *open == ' '; open++)
		;
	s->timed = dump_match("%t]", open, n - (size_t)(open - line), v, &at) > 0 && v[0].known;
	s->ns = s->timed ? v[0].number : 0;
}

/* --- which hang a line is of ------------------------------------------------------------------ */

static bool contradicts(const struct xtr_dump *d, const struct dump_row *row,
			const struct dump_value *v, int n)
{
	for (int i = 0; i < n && row->mode != DUMP_FIRST; i++) {
		unsigned int fact = row->fact[i] ? row->fact[i] - 1u : XTR_DUMP_FACT_COUNT;

		if (fact == XTR_DUMP_FACT_COUNT)
			continue;
		if (xtr_dump_fact_kind(fact) == XTR_DUMP_TEXT
			    ? dump_differs_text(&d->fact[fact], v[i].text, v[i].n)
			    : v[i].known && dump_differs_number(&d->fact[fact], v[i].number))
			return true;
	}
	return false;
}

static bool same(const struct xtr_dump_fact *f, const char *s, size_t n)
{
	char text[XTR_DUMP_TEXT_MAX];

	if (!f->known || !s)
		return true;
	n = n < sizeof(text) - 1 ? n : sizeof(text) - 1;
	memcpy(text, s, n);
	text[n] = 0;
	return xtr_dump_same_device(f->text, text);
}

static bool near(const struct xtr_dump_fact *time, const struct said *s)
{
	return !time->known || !s->timed || s->ns < time->value ||
	       s->ns - time->value <= XTR_DUMP_APART_NS;
}

/* The last hang of the device that the line can be of; NULL: it begins one. */
static struct xtr_dump *hang_of(struct xtr_dump_reader *r, const struct dump_row *row,
				const struct dump_value *v, int n, const struct said *s)
{
	for (size_t i = r->out->n; i > r->first; i--) {
		struct xtr_dump *d = &r->out->v[i - 1];

		if (!same(&d->fact[XTR_DUMP_DEVICE_FACT], s->device, s->n_device) ||
		    !same(&d->fact[XTR_DUMP_DRIVER_FACT], s->driver, s->n_driver))
			continue;
		if (!near(&d->fact[XTR_DUMP_TIME_FACT], s))
			return NULL;
		if (!contradicts(d, row, v, n))
			return d;
		if (row->mode != DUMP_LAST)
			return NULL;
	}
	return NULL;
}

/* Logs go far back, and what is at their end is what it is about: the oldest one goes. */
static bool make_room(struct xtr_dump_reader *r)
{
	struct xtr_dumps *out = r->out;

	if (out->n < XTR_DUMP_LOG_MAX)
		return true;
	out->more++;
	if (r->first >= out->n)
		return false;
	memmove(&out->v[r->first], &out->v[r->first + 1],
		(out->n - r->first - 1) * sizeof(*out->v));
	out->n--;
	return true;
}

static int begin(struct xtr_dump_reader *r, struct xtr_dump **d)
{
	struct xtr_dumps *out = r->out;

	*d = NULL;
	if (!make_room(r))
		return 0;
	if (xtr_grow_array(&out->v, &out->cap, out->n + 1, sizeof(*out->v)))
		return -ENOMEM;
	*d = &out->v[out->n++];
	**d = r->d;
	(*d)->kind = "kernel log";
	return 0;
}

static int take(struct xtr_dump_reader *r, const struct dump_row *row, const struct dump_value *v,
		int n, const char *match, const char *line, size_t len)
{
	struct said s = { 0 };
	struct xtr_dump *d;
	int err = 0;

	find_time(&s, line, len);
	find_device(&s, line, len, row->driver);
	if (!s.driver && row->driver) {
		s.driver = row->driver;
		s.n_driver = strlen(row->driver);
	}
	if (row->fact[0] == DUMP_F(DEVICE)) { /* NVIDIA's own way to name it */
		s.device = v[0].text;
		s.n_device = v[0].n;
	}
	d = hang_of(r, row, v, n, &s);
	if (!d && row->mode == DUMP_LAST)
		return 0; /* the end of what is not in this log */
	if (!d)
		err = begin(r, &d);
	if (!d)
		return err;
	if (s.timed && !d->fact[XTR_DUMP_TIME_FACT].known) {
		memcpy(d->fact[XTR_DUMP_TIME_FACT].text, "log", sizeof("log"));
		dump_set_number(&d->fact[XTR_DUMP_TIME_FACT], DUMP_FIRST, r->line_no, s.ns);
	}
	if (s.device)
		dump_set_text(&d->fact[XTR_DUMP_DEVICE_FACT], DUMP_FIRST, r->line_no, s.device,
			      s.n_device);
	if (s.driver)
		dump_set_text(&d->fact[XTR_DUMP_DRIVER_FACT], DUMP_FIRST, r->line_no, s.driver,
			      s.n_driver);
	dump_set_row(d, row, v, n, r->line_no, match, (size_t)(line + len - match));
	return 0;
}

/* What another driver says in like words is not this one's: each names itself in its lines. */
static bool is_of(const struct dump_row *row, const char *line, size_t n)
{
	const char *name = row->driver;

	if (name && !strcmp(name, "nvidia"))
		name = "NVRM";
	return !name || memmem(line, n, name, strlen(name));
}

int dump_log_line(struct xtr_dump_reader *r, const char *line, size_t n)
{
	struct dump_value v[DUMP_VALUES];
	const char *at;

	for (const struct dump_row *row = dump_log_rows; row->pattern; row++) {
		int got = is_of(row, line, n) ? dump_match(row->pattern, line, n, v, &at) : -1;

		if (got >= 0)
			return take(r, row, v, got, at, line, n);
	}
	return 0;
}
