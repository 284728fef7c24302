/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers that are made for people to read, with more or less in them that a program can use. */
#include "marker_impl.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- gpuvis: gpuvis_trace_utils.h writes, gpuvis_ftrace_print.cpp reads --------------------------
 */

#define NS_PER_MS 1000000

enum var_id {
	LTIME,
	DTIME,
	TID,
	OFFSET,
	LDURATION,
	DURATION,
	BEGIN_CTX,
	END_CTX,
	BEGIN_GCTX,
	END_GCTX,
	VARS
};

static const char *const vars[VARS] = {
	[LTIME] = "ltime=",         [DTIME] = "dtime=",         [TID] = "tid=",
	[OFFSET] = "offset=",       [LDURATION] = "lduration=", [DURATION] = "duration=",
	[BEGIN_CTX] = "begin_ctx=", [END_CTX] = "end_ctx=",     [BEGIN_GCTX] = "begin_gctx=",
	[END_GCTX] = "end_gctx=",
};

struct line {
	char text[XTR_MARKER_NAME_MAX];
	size_t n;
};

/* At the begin, or behind a blank or a parenthesis: not "presentid=5" for "tid=5". */
static const char *find_var(const struct line *l, const char *var)
{
	size_t len = strlen(var);

	for (size_t i = 0; i + len <= l->n; i++)
		if ((!i || strchr(" \t(", l->text[i - 1])) && !strncasecmp(l->text + i, var, len))
			return l->text + i;
	return NULL;
}

/* Up to six digits behind the point of milliseconds. */
static void fraction(const char **p, const char *end, bool minus, int64_t *ns)
{
	int64_t unit = NS_PER_MS / 10, sum = 0;

	for (++*p; *p < end && isdigit((unsigned char)**p); ++*p, unit /= 10)
		sum += unit * (**p - '0');
	*ns += minus ? -sum : sum;
}

static bool milliseconds(const char **p, const char *end, int64_t *v)
{
	bool minus = *p < end && **p == '-';

	if (!marker_number(p, end, v) || *v > INT64_MAX / NS_PER_MS - 1 ||
	    *v < -(INT64_MAX / NS_PER_MS - 1))
		return false;
	*v *= NS_PER_MS;
	if (*p < end && **p == '.')
		fraction(p, end, minus, v);
	return true;
}

static size_t unit_at(const char *p, const char *end)
{
	if (end - p >= 2 && !memcmp(p, "ms", 2))
		return 2;
	return end - p >= 3 && !memcmp(p, " ms", 3) ? 3 : 0;
}

/* Take out what stands from `from` to `to`, with parentheses around it and a blank before. */
static void cut(struct line *l, const char *from, const char *to)
{
	char *text = l->text;
	size_t a = (size_t)(from - text), b = (size_t)(to - text);

	if (a && isspace((unsigned char)text[a - 1]))
		a--;
	if (a && text[a - 1] == '(' && b < l->n && text[b] == ')') {
		a--;
		b++;
		if (a && isspace((unsigned char)text[a - 1]))
			a--;
	}
	memmove(text + a, text + b, l->n - b + 1);
	l->n -= b - a;
}

/* The value of a variable, which is taken out of the line. */
static bool take_var(struct line *l, enum var_id id, int64_t *v)
{
	const char *at = find_var(l, vars[id]), *p, *end = l->text + l->n;

	if (!at)
		return false;
	p = at + strlen(vars[id]);
	if (id == DURATION ? !milliseconds(&p, end, v) : !marker_number(&p, end, v))
		return false;
	p += unit_at(p, end);
	cut(l, at, p);
	return true;
}

static void set_length(struct xtr_marker *m, int64_t v)
{
	m->kind = XTR_MARKER_SLICE;
	m->length_ns = v < 0 ? -(uint64_t)v : (uint64_t)v;
	if (v < 0 && __builtin_add_overflow(m->offset_ns, v, &m->offset_ns))
		m->offset_ns = INT64_MIN;
}

static bool is_slice(struct xtr_marker *m, struct line *l)
{
	int64_t v;

	for (unsigned int id = LDURATION; id < VARS; id++) {
		if (!take_var(l, id, &v))
			continue;
		if (id <= DURATION) {
			set_length(m, v);
			return true;
		}
		m->kind = id == BEGIN_CTX || id == BEGIN_GCTX ? XTR_MARKER_BEGIN : XTR_MARKER_END;
		m->scope = id >= BEGIN_GCTX ? XTR_MARKER_GLOBAL : XTR_MARKER_BESIDE;
		m->number = (uint64_t)v;
		marker_put(m->key, "ctx", 3);
		return true;
	}
	return false;
}

bool marker_gpuvis(struct xtr_marker *m, const char *s, size_t n)
{
	struct line l;
	int64_t v;
	bool moved, slice;

	if (!memchr(s, '=', n))
		return false;
	marker_put(l.text, s, n);
	l.n = strlen(l.text);
	moved = take_var(&l, LTIME, &v) && v > 0;
	m->at_ns = moved ? (uint64_t)v : 0;
	if (!moved && take_var(&l, DTIME, &v)) {
		m->offset_ns = v;
		moved = true;
	}
	if (find_var(&l, vars[LDURATION]) || find_var(&l, vars[DURATION])) {
		if (take_var(&l, TID, &v) && v > 0 && v <= INT32_MAX)
			m->tid = (uint32_t)v;
		if (take_var(&l, OFFSET, &v) &&
		    __builtin_add_overflow(m->offset_ns, v, &m->offset_ns))
			m->offset_ns = 0;
	}
	m->scope = XTR_MARKER_BESIDE;
	slice = is_slice(m, &l);
	m->form = XTR_MARKER_GPUVIS;
	marker_put(m->name, l.text, l.n);
	return slice || moved;
}

/* --- two texts that differ in a word -------------------------------------------------------------
 */

/*
 * As SteamVR's compositor writes. `stays`: the word is part of the slice's name. What begins
 * earlier in a text holds, then what stands earlier here.
 */
static const struct {
	const char *begin, *end;
	bool stays;
} pairs[] = {
	{ "Submit Left", "Submit End", true },
	{ "Submit Right", "Submit End", true },
	{ "Begin", "End", false },
	{ "begin", "end", false },
	{ "BEGIN", "END", false },
	{ "Before", "After", false },
	{ "before", "after", false },
};

struct word {
	const char *p;
	size_t n, pair;
	bool begins;
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void look_for(struct word *best, const char *s, size_t n, const char *word, size_t pair,
		     bool begins)
{
	size_t len = strlen(word);
	const char *end = s + n, *hit;

	for (const char *at = s; (hit = memmem(at, (size_t)(end - at), word, len)); at = hit + 1) {
		if (best->p && hit >= best->p)
			return;
		if ((hit == s || !in_word(hit[-1])) && (hit + len == end || !in_word(hit[len]))) {
			*best = (struct word){ hit, len, pair, begins };
			return;
		}
	}
}

/* Length of what stands behind the word, without a number behind a colon. */
static size_t without_number(const char *s, size_t n)
{
	size_t i = n;

	while (i && (isdigit((unsigned char)s[i - 1]) || s[i - 1] == '.'))
		i--;
	while (i < n && i && s[i - 1] == ' ')
		i--;
	return i < n && i && s[i - 1] == ':' ? i - 1 : n;
}

/* The same without "(nowait)" at its end. */
static size_t without_group(const char *s, size_t n)
{
	const char *open = n && s[n - 1] == ')' ? memrchr(s, '(', n) : NULL;

	return open ? (size_t)(open - s) : n;
}

static void join(char to[XTR_MARKER_NAME_MAX], const char *a, size_t a_len, const char *b,
		 size_t b_len)
{
	size_t room = XTR_MARKER_NAME_MAX - 1;

	a_len = a_len < room ? a_len : room;
	b_len = b_len < room - a_len ? b_len : room - a_len;
	memcpy(to, a, a_len);
	memcpy(to + a_len, b, b_len);
	to[a_len + b_len] = '\0';
}

/* The text without the word and what joined it. */
static void put_name(struct xtr_marker *m, const char *s, const struct word *w, size_t rest)
{
	const char *behind = w->p + w->n;
	size_t n = (size_t)(w->p - s);

	if (pairs[w->pair].stays) {
		join(m->name, s, n + w->n, behind, rest);
		return;
	}
	if (n && s[n - 1] == '(' && rest && *behind == ')') {
		n--;
		behind++;
		rest--;
	}
	while (n && strchr(" -:", s[n - 1]))
		n--;
	while (!n && rest && strchr(" -:", *behind)) {
		behind++;
		rest--;
	}
	join(m->name, s, n, behind, rest);
}

bool marker_words(struct xtr_marker *m, const char *s, size_t n)
{
	struct word w = { 0 };
	size_t rest;
	char head[XTR_MARKER_NAME_MAX];

	n = n < XTR_MARKER_NAME_MAX ? n : XTR_MARKER_NAME_MAX - 1;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		look_for(&w, s, n, pairs[i].begin, i, true);
		look_for(&w, s, n, pairs[i].end, i, false);
	}
	if (!w.p)
		return false;
	m->form = XTR_MARKER_WORDS;
	m->kind = w.begins ? XTR_MARKER_BEGIN : XTR_MARKER_END;
	m->scope = XTR_MARKER_BESIDE;
	m->loose = true;
	marker_put(m->whole, s, n);
	rest = without_number(w.p + w.n, (size_t)(s + n - w.p) - w.n);
	put_name(m, s, &w, rest);
	/* The key is what the end says. */
	join(head, s, (size_t)(w.p - s), pairs[w.pair].end, strlen(pairs[w.pair].end));
	join(m->key, head, strlen(head), w.p + w.n, without_group(w.p + w.n, rest));
	return true;
}
