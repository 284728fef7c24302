/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line is words between blanks or commas. Which of them is what, is told by labels ("pid=12") and
 * looks ("[3]", "12:34:56", "12.345678"), never by what is likely. Bare numbers in front of the
 * probe are its process and its thread in this order, unless they are the time.
 */
#include "bpftrace.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COMM_MAX 15 /* bytes of a name: TASK_COMM_LEN - 1 of the kernel */

struct word {
	const char *p;
	size_t n;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == ',';
}

static bool next_word(struct textin_at *a, struct word *w)
{
	while (a->p < a->end && is_blank(*a->p))
		a->p++;
	w->p = a->p;
	while (a->p < a->end && !is_blank(*a->p))
		a->p++;
	w->n = (size_t)(a->p - w->p);
	return w->n > 0;
}

static bool whole_u64(const char *p, size_t n, uint64_t *v)
{
	struct textin_at a = { p, p + n };

	return textin_u64(&a, v) && a.p == a.end;
}

/* --- labels ----------------------------------------------------------------------------------- */

enum label {
	LABEL_TIME,
	LABEL_CPU,
	LABEL_PID,
	LABEL_TID,
	LABEL_COMM,
	LABEL_NONE,
};

static const struct {
	const char *name;
	enum label label;
} labels[] = {
	{ "time", LABEL_TIME },    { "ts", LABEL_TIME },   { "nsecs", LABEL_TIME },
	{ "elapsed", LABEL_TIME }, { "cpu", LABEL_CPU },   { "pid", LABEL_PID },
	{ "tid", LABEL_TID },      { "comm", LABEL_COMM },
};

static bool put_time(struct bpftrace_line *line, const struct word *w)
{
	struct textin_at a = { w->p, w->p + w->n };
	unsigned int digits;
	uint64_t ns;

	if (!textin_time(&a, &ns, &digits) || a.p != a.end)
		return false;
	line->has_time = true;
	line->ns = ns;
	line->digits = digits ? digits : 9;
	return true;
}

static bool put_number(struct bpftrace_line *line, enum label label, uint64_t n)
{
	if (label == LABEL_CPU) {
		if (n >= XTR_IMPORT_CPUS || line->has_cpu)
			return false;
		line->e.at.cpu = (uint32_t)n;
		line->has_cpu = true;
		return true;
	}
	if (n > BPFTRACE_PID_MAX || (label == LABEL_PID ? line->has_pid : line->has_tid))
		return false;
	*(label == LABEL_PID ? &line->e.at.pid : &line->e.at.tid) = (uint32_t)n;
	*(label == LABEL_PID ? &line->has_pid : &line->has_tid) = true;
	return true;
}

static bool put_label(struct bpftrace_line *line, enum label label, const struct word *w)
{
	uint64_t n;

	if (label == LABEL_TIME)
		return put_time(line, w);
	if (label == LABEL_COMM) {
		line->e.at.comm = w->p;
		line->e.at.comm_len = w->n;
		return w->n <= COMM_MAX;
	}
	return whole_u64(w->p, w->n, &n) && put_number(line, label, n);
}

/* "pid=12", "pid:12" or "pid: 12", of which the second word is taken. */
static bool take_label(struct bpftrace_line *line, struct textin_at *a, const struct word *w)
{
	struct textin_at b = *a;
	struct word value;
	size_t n = 0;

	while (n < w->n && isalpha((unsigned char)w->p[n]))
		n++;
	if (n == w->n || (w->p[n] != '=' && w->p[n] != ':'))
		return false;
	value = (struct word){ w->p + n + 1, w->n - n - 1 };
	if (!value.n && !next_word(&b, &value))
		return false;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		if (strlen(labels[i].name) != n || strncasecmp(labels[i].name, w->p, n) != 0 ||
		    !put_label(line, labels[i].label, &value))
			continue;
		*a = b;
		return true;
	}
	return false;
}

/* --- words without ---------------------------------------------------------------------------- */

/* "12:34:56", with anything smaller behind a point left out. */
static bool take_wall(struct bpftrace_line *line, const struct word *w)
{
	static const char form[] = "00:00:00";

	if (w->n < 8 || (w->n > 8 && w->p[8] != '.'))
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (i < 8 && form[i] == ':' ? w->p[i] != ':'
					    : i != 8 && !isdigit((unsigned char)w->p[i]))
			return false;
	line->wall = w->p;
	return true;
}

/* Seconds with a fraction; tools put a colon behind them. */
static bool take_seconds(struct bpftrace_line *line, const struct word *w)
{
	struct word t = { w->p, w->n - (w->n > 1 && w->p[w->n - 1] == ':') };

	return memchr(t.p, '.', t.n) && put_time(line, &t);
}

/* A number, or one in brackets. */
static bool take_number(const struct word *w, uint64_t *n, bool *bracket)
{
	*bracket = w->n > 2 && w->p[0] == '[' && w->p[w->n - 1] == ']';
	return *bracket ? whole_u64(w->p + 1, w->n - 2, n) : whole_u64(w->p, w->n, n);
}

/* The number may be the time: it is if it stands in that column. */
static bool is_time(struct bpftrace_line *line, uint64_t n, unsigned int column,
		    unsigned int time_column)
{
	line->numbers[line->n_numbers++] = (struct bpftrace_number){ n, column };
	if (column != time_column)
		return false;
	line->has_time = true;
	line->ns = n;
	line->digits = 9;
	return true;
}

/* "bash(12)", "bash[12]": a name with its process. */
static void split_comm(struct bpftrace_line *line)
{
	struct xtr_import_at *at = &line->e.at;
	const char *end = at->comm + at->comm_len, *p = end - 1;
	uint64_t n;

	if (at->comm_len < 4 || (*p != ')' && *p != ']'))
		return;
	while (p > at->comm && isdigit((unsigned char)p[-1]))
		p--;
	if (p - at->comm < 2 || p[-1] != (end[-1] == ')' ? '(' : '[') || p == end - 1 ||
	    !whole_u64(p, (size_t)(end - 1 - p), &n) || !put_number(line, LABEL_PID, n))
		return;
	at->comm_len = (size_t)(p - 1 - at->comm);
}

/* Names may be of several words; they stand together. */
static bool take_comm(struct bpftrace_line *line, const struct word *w)
{
	struct xtr_import_at *at = &line->e.at;

	if (w->p[w->n - 1] == ':')
		return false;
	if (!at->comm) {
		at->comm = w->p;
		at->comm_len = w->n;
	} else {
		for (const char *p = at->comm + at->comm_len; p < w->p; p++)
			if (!is_blank(*p))
				return false;
		at->comm_len = (size_t)(w->p + w->n - at->comm);
	}
	return at->comm_len <= COMM_MAX + 8; /* of which a process may be */
}

/* --- the line --------------------------------------------------------------------------------- */

static bool take_front(struct bpftrace_line *line, struct textin_at *a, const struct word *w,
		       unsigned int *column, unsigned int time_column)
{
	bool bracket;
	uint64_t n;

	if (take_label(line, a, w) || take_wall(line, w) || take_seconds(line, w))
		return true;
	if (!take_number(w, &n, &bracket))
		return take_comm(line, w);
	if (*column == BPFTRACE_COLUMNS)
		return false;
	if (is_time(line, n, (*column)++, time_column))
		return true;
	if (time_column == BPFTRACE_UNSURE)
		return true;
	if (bracket)
		return put_number(line, LABEL_CPU, n);
	return put_number(line, line->has_pid ? LABEL_TID : LABEL_PID, n);
}

/* Behind the probe only what says what it is; everything else is values of the event. */
static void take_rest(struct bpftrace_line *line, struct textin_at a, unsigned int time_column)
{
	unsigned int column = 0;
	struct word w;

	for (;;) {
		struct textin_at b = a;
		bool bracket;
		uint64_t n;

		while (a.p < a.end && is_blank(*a.p))
			a.p++;
		if (!next_word(&b, &w))
			break;
		if (!take_label(line, &b, &w) && !take_wall(line, &w) &&
		    (column == BPFTRACE_COLUMNS || !take_number(&w, &n, &bracket) ||
		     !is_time(line, n, BPFTRACE_COLUMNS + column++, time_column)))
			break;
		a = b;
	}
	line->e.text = a.p;
	line->e.text_len = (size_t)(a.end - a.p);
}

static void complete(struct bpftrace_line *line)
{
	struct xtr_import_at *at = &line->e.at;

	if (at->comm)
		split_comm(line);
	/* The number of a process is that of its first thread. */
	if (line->has_pid && !line->has_tid)
		at->tid = at->pid;
	line->e.comm_value = at->comm && !at->tid;
}

bool bpftrace_line(const char *text, size_t len, unsigned int time_column,
		   struct bpftrace_line *line)
{
	struct textin_at a = { text, text + len };
	struct textin_event probe;
	unsigned int column = 0;
	struct word w;

	*line = (struct bpftrace_line){ 0 };
	while (next_word(&a, &w)) {
		struct word name = { w.p, w.n - (w.n > 1 && w.p[w.n - 1] == ':') };

		if (bpftrace_probe(name.p, name.n, &probe)) {
			probe.at = line->e.at;
			line->e = probe;
			take_rest(line, a, time_column);
			complete(line);
			return line->e.at.comm_len <= COMM_MAX;
		}
		if (!take_front(line, &a, &w, &column, time_column))
			return false;
	}
	return false;
}
