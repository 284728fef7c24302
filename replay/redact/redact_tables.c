/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of what is used, and nothing else. A string keeps its id, so that the pieces of a
 * recording go on to mean the same by it; if it is used as two things that become different, the
 * second one gets a new id.
 */
#include "redact_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- strings ---------------------------------------------------------------------------------- */

/* A string in one of its meanings. first: its id is free still. */
static int put_string(struct xtr_redact *x, struct redact_part *p, uint32_t id,
		      enum redact_kind kind, bool *first, bool late)
{
	uint64_t *new = xtr_map_get(&p->strings, id, kind);
	struct redact_text text;
	size_t n = 0, have = 0;
	const char *s, *there;
	uint32_t to = id;
	int err;

	if (!new || (late && *new))
		return 0;
	s = xtr_tables_string(xtr_section_tables(p->s), id, &n);
	if (!s)
		return 0;
	err = redact_text(&x->texts, kind, s, n, &text);
	if (err)
		return err;
	there = xtr_tables_string(p->tables, id, &have);
	if (there && have == text.n && !memcmp(there, text.p, have)) {
		*new = id;
		return 0;
	}
	if (there && !late)
		return 0;
	if (*first)
		err = xtr_tables_put_string(p->tables, id, text.p, text.n);
	else
		err = xtr_tables_intern(p->tables, text.p, text.n, &to);
	*first = false;
	if (!err)
		*xtr_map_get(&p->strings, id, kind) = to;
	return err;
}

/* New ids must not be given before all old ones are there: in two rounds. */
static int put_strings(struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_tables *t = xtr_section_tables(p->s);
	int err = 0;

	for (int late = 0; late < 2; late++) {
		for (uint32_t id = 0; !err && xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id);) {
			bool first = !late;

			for (int kind = 0; kind < REDACT_KINDS && !err; kind++)
				err = put_string(x, p, id, (enum redact_kind)kind, &first, late);
		}
	}
	return err;
}

/* --- what has strings ------------------------------------------------------------------------- */

static int put_tasks(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t)
{
	int err = 0;

	for (size_t i = 0; i < xtr_tables_n_tasks(t) && !err; i++) {
		struct xtr_task task = *xtr_tables_task_at(t, i);

		task.tid = (uint32_t)redact_pid(&x->values, task.tid);
		task.pid = (uint32_t)redact_pid(&x->values, task.pid);
		task.comm = redact_string(p, REDACT_COMM, task.comm);
		task.cgroup = redact_string(p, REDACT_PATH, task.cgroup);
		task.flags &= XTR_TASK_KTHREAD;
		task.start = task.start ? task.nth + 1ull : 0; /* its order stays, not when */
		err = xtr_tables_add_task(p->tables, &task);
	}
	return err;
}

static int put_rings(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t)
{
	const struct redact_rule kptr = { REDACT_KPTR, REDACT_NAME };
	int err = 0;

	for (size_t i = 0; i < xtr_tables_n_rings(t) && !err; i++) {
		struct xtr_ring ring = *xtr_tables_ring_at(t, i);

		ring.sched = redact_number(x, p, &kptr, ring.sched, 8);
		ring.device = redact_string(p, REDACT_DEVICE, ring.device);
		ring.name = redact_string(p, REDACT_RING, ring.name);
		err = xtr_tables_add_ring(p->tables, &ring);
	}
	return err;
}

/* The one that stays, or 0 with the text noted as left out. */
static int put_build_id(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t,
			enum redact_kind symbol, uint32_t *id)
{
	const uint32_t old = *id;

	*id = symbol == REDACT_IDENT ? redact_string(p, REDACT_HEX, old) : 0;
	return old && !*id ? redact_drop(&x->texts, xtr_tables_string(t, old, NULL)) : 0;
}

/* Of a place in no known module the offset is an address. */
static int put_frames(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t,
		      struct xtr_map *frames)
{
	const struct redact_rule kptr = { REDACT_KPTR, REDACT_NAME };
	const struct redact_rule uptr = { REDACT_UPTR, REDACT_NAME };
	enum redact_kind symbol, module;
	int err = 0;

	for (uint32_t id = 0, new; !err &&xtr_tables_next_id(t, XTR_TABLE_FRAMES, &id);) {
		struct xtr_frame f = *xtr_tables_frame(t, id);

		redact_frame_kinds(t, &f, &symbol, &module);
		if (!f.symbol && !f.module)
			f.offset = redact_number(x, p, f.offset >> 63 ? &kptr : &uptr, f.offset, 8);
		f.symbol = redact_string(p, symbol, f.symbol);
		f.module = redact_string(p, module, f.module);
		err = put_build_id(x, p, t, symbol, &f.build_id)
			      ?: xtr_tables_intern_frame(p->tables, &f, &new)
			      ?: xtr_map_put(frames, id, 0, new);
	}
	return err;
}

static int put_stack(struct redact_part *p, const struct xtr_tables *t, uint32_t id,
		     const struct xtr_map *frames)
{
	size_t n = 0;
	const uint32_t *old = xtr_tables_stack(t, id, &n);
	uint32_t *new = calloc(n + 1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *to = xtr_map_get(frames, old[i], 0);

		new[i] = to ? (uint32_t)*to : 0;
	}
	err = xtr_tables_add_stack(p->tables, id, new, n);
	free(new);
	return err;
}

static int put_stacks(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t)
{
	struct xtr_map frames = { 0 };
	int err = put_frames(x, p, t, &frames);

	for (uint32_t id = 0; !err && xtr_tables_next_id(t, XTR_TABLE_STACKS, &id);)
		err = put_stack(p, t, id, &frames);
	xtr_map_free(&frames);
	return err;
}

int redact_make_tables(struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_tables *t = xtr_section_tables(p->s);

	p->tables = xtr_tables_new();
	if (!p->tables)
		return -ENOMEM;
	return put_strings(x, p) ?: put_tasks(x, p, t) ?: put_rings(x, p, t) ?: put_stacks(x, p, t);
}

/* --- redact made ------------------------------------------------------------------------------ */

/* What redacting made, as it is seen in a redacted file: names that stand for others, and of which
 * mapping they are. */

#define MAPPING   "redacted-mapping"
#define LABEL_MAX 8u /* letters */

static const char *const labels[] = { "name",   "path",  "symbol", "module",
				      "device", "event", "text",   "ring" };

int redact_put_mapping(struct xtr_meta *m, uint64_t mapping)
{
	char text[20];

	snprintf(text, sizeof(text), "%016" PRIx64, mapping);
	return xtr_meta_set_config_str(m, MAPPING, text);
}

bool xtr_redact_mapping(const struct xtr_meta *m, uint64_t *mapping)
{
	const char *text = xtr_meta_config_str(m, MAPPING);

	*mapping = 0;
	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*mapping = strtoull(text, NULL, 16);
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A label ends before s[at]. */
static bool label_before(const char *s, size_t at)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		size_t len = strlen(labels[i]);

		if (len <= at && !memcmp(s + at - len, labels[i], len))
			return true;
	}
	return false;
}

bool redact_is_label(const char *s, size_t n)
{
	const char *hash = memchr(s, '#', n < LABEL_MAX ? n : LABEL_MAX);
	size_t at = hash ? (size_t)(hash - s) + 1 : 0;

	if (!hash || at == n || (hash > s && !label_before(s, at - 1)))
		return false;
	while (at < n && is_digit(s[at]))
		at++;
	return at == n;
}

bool xtr_redact_is_made(const char *s, size_t n)
{
	static const char hwctx[] = "hwctx.";

	for (size_t i = 0; i + 1 < n; i++) {
		if (s[i] == '#' && is_digit(s[i + 1]) && label_before(s, i))
			return true;
		if (n - i >= sizeof(hwctx) && !memcmp(s + i, hwctx, sizeof(hwctx) - 1))
			return true;
	}
	return false;
}
