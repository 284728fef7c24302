/* SPDX-License-Identifier: BSD-2-Clause */
#include "cut_note.h"
#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE  32768u /* bytes of one text, below the limit of spec 6.1 */
#define PIECES 32u    /* more do not fit into one META */

/* The number of ranges that end before id. */
static size_t ranges_before(const struct xtr_ids *s, uint32_t id)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->range[mid].last < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool xtr_ids_have(const struct xtr_ids *s, uint32_t id)
{
	size_t i = ranges_before(s, id);

	return i < s->n && s->range[i].first <= id;
}

static int insert(struct xtr_ids *s, size_t i, uint32_t id)
{
	if (xtr_grow_array(&s->range, &s->cap, s->n + 1, sizeof(*s->range)))
		return -ENOMEM;
	memmove(s->range + i + 1, s->range + i, (s->n - i) * sizeof(*s->range));
	s->range[i] = (struct xtr_id_range){ id, id };
	s->n++;
	return 0;
}

int xtr_ids_add(struct xtr_ids *s, uint32_t id)
{
	size_t i = ranges_before(s, id);
	bool left = i && s->range[i - 1].last + 1 == id;
	bool right = i < s->n && id < UINT32_MAX && s->range[i].first == id + 1;

	if (i < s->n && s->range[i].first <= id)
		return 0;
	if (!left && !right)
		return insert(s, i, id);
	if (left && right) {
		s->range[i - 1].last = s->range[i].last;
		memmove(s->range + i, s->range + i + 1, (s->n - i - 1) * sizeof(*s->range));
		s->n--;
	} else if (left) {
		s->range[i - 1].last = id;
	} else {
		s->range[i].first = id;
	}
	return 0;
}

int xtr_ids_copy(struct xtr_ids *to, const struct xtr_ids *from)
{
	if (xtr_grow_array(&to->range, &to->cap, from->n, sizeof(*to->range)))
		return -ENOMEM;
	if (from->n)
		memcpy(to->range, from->range, from->n * sizeof(*to->range));
	to->n = from->n;
	return 0;
}

void xtr_ids_free(struct xtr_ids *s)
{
	free(s->range);
	*s = (struct xtr_ids){ 0 };
}

/* --- ids as text: "1 3-7 9", in pieces under KEY, KEY-2, KEY-3, ... --------------------------- */

static void piece_key(char *key, size_t size, const char *name, unsigned int k)
{
	if (k)
		snprintf(key, size, "%s-%u", name, k + 1);
	else
		snprintf(key, size, "%s", name);
}

static bool get(const struct xtr_meta *m, const char *key, uint64_t *num, const char **str)
{
	const char *k;

	for (size_t i = 0; xtr_meta_config(m, i, &k, num, str); i++)
		if (!strcmp(k, key))
			return true;
	return false;
}

/* As many ranges from *i on as fit into one text. */
static void print_piece(const struct xtr_ids *s, size_t *i, char *text)
{
	size_t at = 0;

	for (text[0] = '\0'; *i < s->n && at + 24 < PIECE; ++*i) {
		const struct xtr_id_range *r = &s->range[*i];

		at += (size_t)sprintf(text + at,
				      r->first == r->last ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32,
				      at ? " " : "", r->first, r->last);
	}
}

/*
 * Pieces that an earlier note left behind become empty. always: a set without ids is set, too, not
 * only left out.
 */
static int set_ids(struct xtr_meta *m, const char *name, const struct xtr_ids *s, bool always)
{
	char *text = malloc(PIECE), key[64];
	const char *str;
	uint64_t num;
	size_t i = 0;
	int err = text ? 0 : -ENOMEM;

	for (unsigned int k = 0; !err && k < PIECES; k++) {
		piece_key(key, sizeof(key), name, k);
		if ((k || !always) && i == s->n && !get(m, key, &num, &str))
			break;
		print_piece(s, &i, text);
		err = xtr_meta_set_config_str(m, key, text);
	}
	free(text);
	return err || i == s->n ? err : -E2BIG;
}

static bool parse_id(const char **p, uint32_t *id)
{
	char *end;
	unsigned long long v;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	v = strtoull(*p, &end, 10);
	if (errno || v > UINT32_MAX)
		return false;
	*p = end;
	*id = (uint32_t)v;
	return true;
}

/* Ranges have to come in order, so that a text cannot ask for more work than it is long. */
static int parse_piece(struct xtr_ids *s, const char *p)
{
	struct xtr_id_range r;

	while (parse_id(&p, &r.first)) {
		r.last = r.first;
		if (*p == '-') {
			p++;
			if (!parse_id(&p, &r.last) || r.last < r.first)
				return 0;
		}
		if (s->n && r.first <= s->range[s->n - 1].last)
			return 0;
		if (xtr_grow_array(&s->range, &s->cap, s->n + 1, sizeof(r)))
			return -ENOMEM;
		s->range[s->n++] = r;
		if (*p == ' ')
			p++;
	}
	return 0;
}

static int get_ids(const struct xtr_meta *m, const char *name, struct xtr_ids *s, bool *there)
{
	char key[64];
	const char *str = NULL;
	uint64_t num;
	int err = 0;

	for (unsigned int k = 0; !err && k < PIECES; k++) {
		piece_key(key, sizeof(key), name, k);
		if (!get(m, key, &num, &str) || !str)
			break;
		*there = true;
		err = parse_piece(s, str);
	}
	return err;
}

/* --- the note -------------------------------------------------------------------------------- */

static uint64_t get_number(const struct xtr_meta *m, const char *key)
{
	const char *str;
	uint64_t num;

	return get(m, key, &num, &str) && !str ? num : 0;
}

void xtr_cut_note_window(const struct xtr_meta *m, uint64_t *from, uint64_t *to)
{
	*from = get_number(m, "cut-from");
	*to = get_number(m, "cut-to");
}

int xtr_cut_note_read(struct xtr_cut_note *n, const struct xtr_meta *m)
{
	const char *of = NULL;
	uint64_t num;
	bool any;

	*n = (struct xtr_cut_note){ 0 };
	if (!get(m, "cut-of", &num, &of) || !of)
		return 0;
	n->is_cut = true;
	xtr_cut_note_window(m, &n->from, &n->to);
	return get_ids(m, "cut-rings", &n->rings, &n->some_rings) ?:
	       get_ids(m, "cut-pids", &n->pids, &n->some_pids) ?:
	       get_ids(m, "cut-out-of-order", &n->out_of_order, &any) ?:
	       get_ids(m, "cut-batched", &n->batched, &any) ?:
	       get_ids(m, "cut-parallel", &n->parallel, &any);
}

int xtr_cut_note_write(const struct xtr_cut_note *n, struct xtr_meta *m, uint64_t of)
{
	char text[24];
	int err;

	snprintf(text, sizeof(text), "%016" PRIx64, of);
	err = xtr_meta_set_config_str(m, "cut-of", text);
	if (!err && n->from)
		err = xtr_meta_set_config_u64(m, "cut-from", n->from);
	if (!err && n->to)
		err = xtr_meta_set_config_u64(m, "cut-to", n->to);
	if (!err && n->some_rings)
		err = set_ids(m, "cut-rings", &n->rings, true);
	if (!err && n->some_pids)
		err = set_ids(m, "cut-pids", &n->pids, true);
	return err ?: set_ids(m, "cut-out-of-order", &n->out_of_order, false) ?:
	       set_ids(m, "cut-batched", &n->batched, false) ?:
	       set_ids(m, "cut-parallel", &n->parallel, false);
}

void xtr_cut_note_free(struct xtr_cut_note *n)
{
	xtr_ids_free(&n->rings);
	xtr_ids_free(&n->pids);
	xtr_ids_free(&n->out_of_order);
	xtr_ids_free(&n->batched);
	xtr_ids_free(&n->parallel);
	*n = (struct xtr_cut_note){ 0 };
}
