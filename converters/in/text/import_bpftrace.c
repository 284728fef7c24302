/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two passes: which numbers are times, and whether every event has one, only the whole file tells,
 * and the clock must be known before the first event is written.
 */
#include "bpftrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WALL_BYTES  8
#define SHOWN_BYTES 100 /* of a line that is not understood */

struct column {
	uint64_t n, large, falls,
		last; /* numbers seen; too large for a thread; smaller than before */
};

struct file {
	struct column column[2 * BPFTRACE_COLUMNS];
	uint64_t probes, timed; /* lines with a probe; of these, with a time that says so */
	unsigned int time_column;
	bool times; /* every event has one */
	char first_wall[WALL_BYTES + 1], last_wall[WALL_BYTES + 1];
	/* second pass */
	bool in_map; /* the printout of a map goes on */
	bool in_stack;
	bool threads, cpus;    /* some event has one */
	uint64_t maps, others; /* lines */
};

/* --- first pass ------------------------------------------------------------------------------- */

static void see_wall(struct file *f, const char *wall)
{
	char *to = *f->first_wall ? f->last_wall : f->first_wall;

	memcpy(to, wall, WALL_BYTES);
}

static void see_numbers(struct file *f, const struct bpftrace_line *line)
{
	for (size_t i = 0; i < line->n_numbers; i++) {
		struct column *c = &f->column[line->numbers[i].column];
		uint64_t n = line->numbers[i].n;

		c->large += n > BPFTRACE_PID_MAX;
		c->falls += c->n && n < c->last;
		c->last = n;
		c->n++;
	}
}

static void see_line(struct file *f, const struct textin_line *l)
{
	struct bpftrace_line line;

	if (l->state != TEXTIN_LINE || (l->len && l->text[0] == '@') ||
	    !bpftrace_line(l->text, l->len, BPFTRACE_UNSURE, &line))
		return;
	f->probes++;
	f->timed += line.has_time;
	if (line.wall)
		see_wall(f, line.wall);
	see_numbers(f, &line);
}

/*
 * A column is the time if its numbers become too large for anything else that scripts print so, and
 * grow: lines of several CPUs may change places, sizes and addresses go down as often as up.
 */
static void decide(struct file *f)
{
	f->time_column = BPFTRACE_NO_COLUMN;
	for (unsigned int i = 2 * BPFTRACE_COLUMNS; i-- > 0;) {
		const struct column *c = &f->column[i];

		if (c->large && c->falls * 3 <= c->n + 2)
			f->time_column = i;
	}
	f->times = f->probes && f->timed == f->probes;
	if (f->time_column < BPFTRACE_NO_COLUMN)
		f->times |= f->column[f->time_column].n == f->probes;
}

static int first_pass(struct file *f, struct xtr_io *in)
{
	struct textin_lines lines;
	struct textin_line l;
	int err = textin_lines_open(&lines, in) ?: textin_lines_next(&lines, &l);

	while (!err && l.state != TEXTIN_END) {
		see_line(f, &l);
		err = textin_lines_next(&lines, &l);
	}
	textin_lines_close(&lines);
	decide(f);
	return err;
}

/* --- other lines ------------------------------------------------------------------------------ */

/* "Lost 12 events", of which old versions had no number of their own for each CPU. */
static bool take_lost(const struct textin_line *l, uint64_t *count)
{
	struct textin_at a = { l->text, l->text + l->len };

	textin_text(&a, "WARNING: ");
	if (!textin_text(&a, "Lost ") || !textin_u64(&a, count) || !textin_text(&a, " events"))
		return false;
	textin_char(&a, '.');
	textin_spaces(&a);
	return a.p == a.end;
}

/* "Attaching 223 probes...", "Attached 1 probe" */
static bool is_head(const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };
	uint64_t n;

	return (textin_text(&a, "Attaching ") || textin_text(&a, "Attached ")) &&
	       textin_u64(&a, &n) && textin_text(&a, " probe");
}

/* A time of day alone, as time() prints it. */
static bool is_wall(const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };
	uint32_t n;

	for (int i = 0; i < 3; i++)
		if ((i && !textin_char(&a, ':')) || !textin_u32(&a, &n))
			return false;
	textin_spaces(&a);
	return a.p == a.end;
}

static int not_understood(struct textin_run *r, const struct textin_line *l)
{
	int n = l->len < SHOWN_BYTES ? (int)l->len : SHOWN_BYTES;

	xtr_import_damage(r->im, "line %" PRIu64 ": not understood: '%.*s'%s", r->number, n,
			  l->text, l->len > SHOWN_BYTES ? "..." : "");
	return 0;
}

static int other_line(struct textin_run *r, const struct textin_line *l)
{
	struct file *f = r->parser;

	if (textin_is_blank(l)) {
		f->in_map = f->in_stack = false;
		f->others++;
	} else if (f->in_map) {
		f->maps++;
	} else if (f->in_stack && (l->text[0] == ' ' || l->text[0] == '\t')) {
		textin_sink_stack(r->sink);
	} else if (is_head(l) || is_wall(l)) {
		r->known = true;
		f->others++;
	} else {
		return not_understood(r, l);
	}
	return 0;
}

/* --- second pass ------------------------------------------------------------------------------ */

static int an_event(struct textin_run *r, const struct textin_line *l, struct bpftrace_line *line)
{
	struct file *f = r->parser;

	f->threads |= line->has_tid || line->has_pid;
	f->cpus |= line->has_cpu;
	r->begun |= !f->times;
	if (!f->times)
		return textin_sink_next(r->sink, &line->e);
	line->e.at.ts = line->ns;
	return textin_run_event(r, l, &line->e, line->digits);
}

static int one_line(struct textin_run *r, const struct textin_line *l)
{
	struct file *f = r->parser;
	struct bpftrace_line line;
	uint64_t lost;

	if (l->len && l->text[0] == '@') {
		f->in_map = true;
		f->maps++;
		return 0;
	}
	if (take_lost(l, &lost)) {
		r->known = true;
		return f->times ? textin_sink_lost(r->sink, XTR_IMPORT_CPUS, lost)
				: textin_sink_lost_here(r->sink, lost);
	}
	if (!bpftrace_line(l->text, l->len, f->time_column, &line))
		return other_line(r, l);
	f->in_map = false;
	f->in_stack = true;
	return an_event(r, l, &line);
}

static int note_count(struct xtr_import *im, const char *key, uint64_t n)
{
	char text[24];

	if (!n)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64, n);
	return xtr_import_note(im, key, text);
}

/* What was not in the text. */
static int note_facts(struct xtr_import *im, const struct file *f)
{
	bool some = f->timed || f->time_column < BPFTRACE_NO_COLUMN;
	char text[2 * sizeof(f->first_wall) + 8];
	int err = 0;

	if (!f->threads)
		err = xtr_import_note(im, "import-without-threads", "all events are thread 0's");
	if (!err && !f->cpus)
		err = xtr_import_note(im, "import-without-cpus", "all events are on CPU 0");
	if (!err && !f->times && some)
		err = xtr_import_note(im, "import-times", "left out: not every line has one");
	if (!err && *f->first_wall) {
		snprintf(text, sizeof(text), "%s to %s", f->first_wall,
			 *f->last_wall ? f->last_wall : f->first_wall);
		err = xtr_import_note(im, "import-wall-clock", text);
	}
	return err;
}

int xtr_bpftrace_run(struct xtr_import *im, struct xtr_io *in)
{
	struct file f = { 0 };
	int err = first_pass(&f, in);

	if (!err && !f.times)
		err = xtr_import_without_times(im);
	return err ?: textin_run(im, in, &f, one_line, "no line names a probe of bpftrace") ?:
	       note_facts(im, &f) ?:
	       note_count(im, "import-map-lines-left-out", f.maps) ?:
	       note_count(im, "import-other-lines-left-out", f.others);
}

#define DETECT_LINES 200u

/* Only probes that nothing else than bpftrace prints so. */
static bool is_of_bpftrace(const struct textin_line *l)
{
	struct bpftrace_line line;

	return bpftrace_line(l->text, l->len, BPFTRACE_UNSURE, &line) &&
	       (line.e.call || memmem(l->text, l->len, "tracepoint:", 11));
}

bool xtr_bpftrace_detect(const uint8_t *head, size_t n)
{
	struct textin_line l;
	size_t pos = 0;

	for (unsigned int i = 0; i < DETECT_LINES; i++) {
		if (!textin_head_line((const char *)head, n, &pos, &l))
			return false;
		if (l.state == TEXTIN_LINE && (is_head(&l) || is_of_bpftrace(&l)))
			return true;
	}
	return false;
}
