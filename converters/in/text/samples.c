/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines come one by one and are gone with the next; the frames of a sample of perf script are
 * copied, as many as may be kept.
 */
#include "samples.h"
#include "base/checked.h"
#include "textin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES   512u /* of a frame of perf script; longer ones are cut */
#define MODULE_MAX_BYTES 256u

struct kept { /* a frame of perf script */
	char name[NAME_MAX_BYTES], module[MODULE_MAX_BYTES];
	size_t n_name, n_module;
};

struct samples {
	const struct xtr_samples_opts *o;
	struct xtr_samples_result *r;
	uint64_t line;
	/* perf script: the sample whose stack is being read, innermost frame first. */
	bool open;
	struct kept thread;
	struct kept *kept; /* a circle: the newest is at n_seen - 1, modulo its size */
	size_t n_seen;
};

static void other_line(struct samples *s)
{
	if (!s->r->other++)
		s->r->other_line = s->line;
}

static int hand_out(struct samples *s, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	s->r->stacks++;
	s->r->weight = xtr_sat_add(s->r->weight, weight);
	return s->o->stack(s->o->ctx, f, n, weight);
}

/* --- folded ----------------------------------------------------------------------------------- */

/* "frames 12": where the frames end, and the weight. */
static bool folded_end(const struct textin_line *l, size_t *end, uint64_t *weight)
{
	size_t n = l->len, digits;
	struct textin_at a;

	while (n && l->text[n - 1] == ' ')
		n--;
	for (digits = n; digits && l->text[digits - 1] >= '0' && l->text[digits - 1] <= '9';)
		digits--;
	if (digits == n || digits < 2 || l->text[digits - 1] != ' ')
		return false;
	a = (struct textin_at){ l->text + digits, l->text + n };
	if (!textin_u64(&a, weight) || a.p != a.end)
		return false;
	*end = digits - 1;
	return true;
}

static int folded_line(struct samples *s, const struct textin_line *l)
{
	struct xtr_samples_frame frame[XTR_SAMPLES_FRAMES_MAX];
	size_t end, n = 0;
	const char *p = l->text, *stop, *semi;
	uint64_t weight;

	if (!folded_end(l, &end, &weight)) {
		other_line(s);
		return 0;
	}
	for (stop = p + end; p <= stop && n < XTR_SAMPLES_FRAMES_MAX; p = semi + 1) {
		semi = memchr(p, ';', (size_t)(stop - p));
		if (!semi)
			semi = stop;
		if (semi > p)
			frame[n++] = (struct xtr_samples_frame){ .name = p,
								 .n_name = (size_t)(semi - p) };
	}
	s->r->cut += p <= stop;
	return hand_out(s, frame, n, weight);
}

/* --- perf script ------------------------------------------------------------------------------ */

static size_t copy(char *to, size_t cap, const char *from, size_t n)
{
	n = n < cap ? n : cap;
	memcpy(to, from, n);
	return n;
}

/* The stack that has been read; perf prints samples without one as a line alone. */
static int close_sample(struct samples *s)
{
	struct xtr_samples_frame f[XTR_SAMPLES_FRAMES_MAX + 1];
	size_t keep = s->n_seen < XTR_SAMPLES_FRAMES_MAX ? s->n_seen : XTR_SAMPLES_FRAMES_MAX;
	size_t n = 0;

	if (!s->open)
		return 0;
	s->open = false;
	s->r->cut += s->n_seen > keep;
	if (s->thread.n_name)
		f[n++] = (struct xtr_samples_frame){ .name = s->thread.name,
						     .n_name = s->thread.n_name,
						     .thread = true };
	for (size_t i = 0; i < keep; i++) {
		const struct kept *k = &s->kept[(s->n_seen - 1 - i) % XTR_SAMPLES_FRAMES_MAX];

		f[n++] = (struct xtr_samples_frame){ .name = k->name,
						     .n_name = k->n_name,
						     .module = k->module,
						     .n_module = k->n_module };
	}
	return hand_out(s, f, n, 1);
}

/* A number of hexadecimal digits, no more; perf pads it with blanks. */
static bool is_frame(const struct textin_line *l, struct textin_at *a)
{
	uint64_t address;

	*a = (struct textin_at){ l->text, l->text + l->len };
	textin_spaces(a);
	if (a->p == l->text || !textin_hex(a, &address) || a->p == a->end || *a->p != ' ')
		return false;
	textin_spaces(a);
	return true;
}

/* "symbol+0x12": where the symbol ends. */
static size_t without_offset(const char *s, size_t n)
{
	const char *plus = memrchr(s, '+', n);
	struct textin_at a;
	uint64_t offset;

	if (!plus || plus == s || (size_t)(s + n - plus) < 4 || memcmp(plus, "+0x", 3))
		return n;
	a = (struct textin_at){ plus + 1, s + n };
	return textin_hex(&a, &offset) && a.p == a.end ? (size_t)(plus - s) : n;
}

/* "symbol+0x12 (module)", "[unknown] (/usr/lib/x.so)", "symbol (inlined)". */
static void frame_line(struct samples *s, const struct textin_at *a)
{
	struct kept *k = &s->kept[s->n_seen++ % XTR_SAMPLES_FRAMES_MAX];
	size_t n = (size_t)(a->end - a->p), n_module = 0;
	const char *open = n && a->end[-1] == ')' ? memrchr(a->p, '(', n) : NULL, *module = "";

	/* The module's own name may have brackets: "(/tmp/a (deleted))". */
	if (open && open > a->p + 1 && open[-1] == ' ' && a->end - open == 10 &&
	    !memcmp(open, "(deleted)", 9))
		open = memrchr(a->p, '(', (size_t)(open - a->p));
	if (open && (open == a->p || open[-1] == ' ')) {
		module = open + 1;
		n_module = (size_t)(a->end - 1 - module);
		n = (size_t)(open - a->p);
	}
	while (n && a->p[n - 1] == ' ')
		n--;
	n = without_offset(a->p, n);
	if (n_module == 7 && !memcmp(module, "inlined", 7))
		n_module = 0;
	if (!n || (n == 9 && !memcmp(a->p, "[unknown]", 9))) { /* the file is all that is known */
		const char *slash = n_module ? memrchr(module, '/', n_module) : NULL;
		const char *base = slash ? slash + 1 : module;

		k->n_name =
			copy(k->name, sizeof(k->name), base, n_module - (size_t)(base - module));
	} else {
		k->n_name = copy(k->name, sizeof(k->name), a->p, n);
	}
	k->n_module = copy(k->module, sizeof(k->module), module, n_module);
}

/* "comm  12/34 [003] 1.5: ...": where the thread's name ends: before a number or two. */
static bool head_line(const struct textin_line *l, size_t *n)
{
	struct textin_at a;
	uint64_t v;

	for (size_t i = 1; i + 1 < l->len; i++) {
		if (l->text[i] != ' ' || l->text[i + 1] < '0' || l->text[i + 1] > '9')
			continue;
		a = (struct textin_at){ l->text + i + 1, l->text + l->len };
		if (!textin_u64(&a, &v))
			continue;
		if (textin_char(&a, '/') && !textin_u64(&a, &v))
			continue;
		if (a.p < a.end && *a.p == ' ') {
			for (*n = i; *n && l->text[*n - 1] == ' ';)
				--*n;
			return *n && memchr(a.p, ':', (size_t)(a.end - a.p));
		}
	}
	return false;
}

static int perf_line(struct samples *s, const struct textin_line *l)
{
	struct textin_at a;
	size_t n;
	int err;

	if (textin_is_blank(l))
		return close_sample(s);
	if (s->open && is_frame(l, &a)) {
		frame_line(s, &a);
		return 0;
	}
	if (l->text[0] == ' ' || l->text[0] == '\t') {
		/* perf aligns thread names on the right. */
		a = (struct textin_at){ l->text, l->text + l->len };
		textin_spaces(&a);
	} else {
		a = (struct textin_at){ l->text, l->text + l->len };
	}
	err = close_sample(s);
	if (err)
		return err;
	if (!head_line(&(struct textin_line){ .text = a.p, .len = (size_t)(a.end - a.p) }, &n)) {
		other_line(s);
		return 0;
	}
	s->open = true;
	s->n_seen = 0;
	s->thread.n_name = copy(s->thread.name, sizeof(s->thread.name), a.p, n);
	return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Folded lines end in a number; the head of a sample ends in ':', or has an event behind one. */
static bool is_folded(const struct textin_line *l)
{
	struct textin_line trimmed = *l;
	uint64_t weight;
	size_t n;

	while (trimmed.len && *trimmed.text == ' ') {
		trimmed.text++;
		trimmed.len--;
	}
	return folded_end(l, &n, &weight) &&
	       (memchr(l->text, ';', l->len) || !head_line(&trimmed, &n));
}

static int one_line(struct samples *s, const struct textin_line *l, int *folded)
{
	bool comment = l->len && l->text[0] == '#';

	if (l->state == TEXTIN_TOO_LONG || l->state == TEXTIN_BINARY) {
		other_line(s);
		return 0;
	}
	if (*folded < 0) {
		if (comment || textin_is_blank(l))
			return 0;
		*folded = is_folded(l);
		s->r->format = *folded ? "folded" : "perf script";
	}
	if (!*folded)
		return comment ? 0 : perf_line(s, l);
	return comment || textin_is_blank(l) ? 0 : folded_line(s, l);
}

int xtr_samples_read(struct xtr_io *io, const struct xtr_samples_opts *o,
		     struct xtr_samples_result *r)
{
	struct samples s = { .o = o, .r = r };
	struct textin_lines lines;
	struct textin_line l;
	int err, folded = -1;

	*r = (struct xtr_samples_result){ .format = NULL };
	s.kept = calloc(XTR_SAMPLES_FRAMES_MAX, sizeof(*s.kept));
	if (!s.kept)
		return -ENOMEM;
	err = textin_lines_open(&lines, io);
	while (!err) {
		err = textin_lines_next(&lines, &l);
		if (err || l.state == TEXTIN_END)
			break;
		s.line = lines.number;
		err = one_line(&s, &l, &folded);
	}
	if (!err)
		err = close_sample(&s);
	textin_lines_close(&lines);
	free(s.kept);
	return err;
}
