// SPDX-License-Identifier: BSD-2-Clause
#include "textin.h"

#include <ctype.h>
#include <errno.h>

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
	int err = textin_lines_open(&lines, in);

	if (!err)
		err = textin_sink_new(&r.sink, im);
	if (!err)
		err = all_lines(&r, &lines, line);
	if (!err && !r.begun && !r.known)
		err = xtr_import_fail(im, -EBADMSG, "%s", nothing);
	if (!err)
		err = textin_sink_finish(r.sink);
	textin_sink_free(r.sink);
	textin_lines_close(&lines);
	return err;
}
