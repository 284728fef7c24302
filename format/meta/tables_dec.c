/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TABLE payloads to tables. Each part is walked twice, first only checked and then taken over, so
 * that a payload that breaks the grammar changes nothing.
 */
#include "cbor.h"
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A part's row, from its map key (NULL in arrays) and value: checked only if staged is given, else
 * taken over into t. staged holds the rings of this payload that were checked, because a list can
 * name one twice. 0, -EBADMSG if it breaks the grammar or gives an id another meaning, -ENOMEM,
 * -EFBIG.
 */
typedef int row_fn(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		   struct xtr_tables *staged);

static int string_row(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		      struct xtr_tables *staged)
{
	const struct xtr_string_entry *known;
	const uint8_t *p;
	uint32_t id;
	size_t n;

	if (!xtr_cbor_id(key, &id) || !xtr_cbor_string(value, &p, &n))
		return -EBADMSG;
	known = xtr_id_table_get(&t->t[XTR_T_STRINGS], id);
	if (known)
		return known->n == n && !memcmp(known->text, p, n) ? 0 : -EBADMSG;
	return staged ? 0 : xtr_tables_put_string(t, id, p, n);
}

static int frame_row(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		     struct xtr_tables *staged)
{
	const struct xtr_frame *known;
	struct xtr_frame f = { 0 };
	cbor_item_t **v;
	uint32_t id;
	size_t n;

	v = xtr_cbor_array(value, 3, &n);
	if (!v || !xtr_cbor_id(key, &id) || !xtr_cbor_u32(v[0], &f.symbol) ||
	    !xtr_cbor_u64(v[1], &f.offset) || !xtr_cbor_u32(v[2], &f.module))
		return -EBADMSG;
	if (n > 3 && !xtr_cbor_u32(v[3], &f.build_id)) /* files of old have none */
		return -EBADMSG;
	known = xtr_tables_frame(t, id);
	if (known)
		return xtr_frame_same(known, &f) ? 0 : -EBADMSG;
	return staged ? 0 : xtr_tables_put_frame(t, id, &f);
}

static int same_stack(const struct xtr_stack_entry *s, cbor_item_t **v, size_t n)
{
	uint32_t frame;

	if (s->n != n)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++)
		if (!xtr_cbor_u32(v[i], &frame) || frame != s->frames[i])
			return -EBADMSG;
	return 0;
}

static int stack_row(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		     struct xtr_tables *staged)
{
	const struct xtr_stack_entry *known;
	uint32_t id, *frames;
	cbor_item_t **v;
	size_t n;
	int err = 0;

	v = xtr_cbor_array(value, 0, &n);
	if (!v || !xtr_cbor_id(key, &id))
		return -EBADMSG;
	known = xtr_id_table_get(&t->t[XTR_T_STACKS], id);
	if (known)
		return same_stack(known, v, n);
	frames = malloc(n * sizeof(*frames) + 1);
	if (!frames)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = xtr_cbor_u32(v[i], &frames[i]) ? 0 : -EBADMSG;
	if (!err && !staged)
		err = xtr_tables_add_stack(t, id, frames, n);
	free(frames);
	return err;
}

static bool same_ring(const struct xtr_ring *a, const struct xtr_ring *b)
{
	return a->since == b->since && a->sched == b->sched && a->device == b->device &&
	       a->name == b->name && a->limit == b->limit;
}

static int ring_row(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		    struct xtr_tables *staged)
{
	const struct xtr_ring *known;
	struct xtr_ring r = { 0 };
	cbor_item_t **v;
	size_t n;

	(void)key;
	v = xtr_cbor_array(value, 6, &n);
	if (!v || !xtr_cbor_id(v[0], &r.id) || !xtr_cbor_u64(v[1], &r.since) ||
	    !xtr_cbor_u64(v[2], &r.sched) || !xtr_cbor_u32(v[3], &r.device) ||
	    !xtr_cbor_u32(v[4], &r.name) || !xtr_cbor_u32(v[5], &r.limit))
		return -EBADMSG;
	known = xtr_tables_ring(t, r.id);
	if (!known && staged)
		known = xtr_tables_ring(staged, r.id);
	if (known)
		return same_ring(known, &r) ? 0 : -EBADMSG;
	return xtr_tables_add_ring(staged ? staged : t, &r);
}

static int task_row(struct xtr_tables *t, const cbor_item_t *key, const cbor_item_t *value,
		    struct xtr_tables *staged)
{
	struct xtr_task task = { 0 };
	cbor_item_t **v;
	size_t n;

	(void)key;
	v = xtr_cbor_array(value, 5, &n);
	if (!v || !xtr_cbor_u32(v[0], &task.tid) || !xtr_cbor_u32(v[1], &task.pid) ||
	    !xtr_cbor_u64(v[2], &task.since) || !xtr_cbor_u32(v[3], &task.comm) ||
	    !xtr_cbor_u32(v[4], &task.flags))
		return -EBADMSG;
	if (n > 5 && !xtr_cbor_u64(v[5], &task.start)) /* files of old have no start */
		return -EBADMSG;
	if (n > 6 && !xtr_cbor_u32(v[6], &task.cgroup))
		return -EBADMSG;
	if (staged)
		return 0;
	if (t->n_tasks >= XTR_TABLES_BYTES_MAX / sizeof(task))
		return -EFBIG;
	return xtr_tables_put_task(t, &task);
}

static const struct {
	const char *key;
	bool map;
	row_fn *row;
} parts[] = {
	{ "strings", true, string_row }, { "frames", true, frame_row },
	{ "stacks", true, stack_row },   { "rings", false, ring_row },
	{ "tasks", false, task_row },
};

static int walk_part(struct xtr_tables *t, const cbor_item_t *item, size_t part,
		     struct xtr_tables *staged)
{
	const struct cbor_pair *pairs;
	cbor_item_t **v;
	size_t n;
	int err = 0;

	if (!parts[part].map) {
		v = xtr_cbor_array(item, 0, &n);
		if (!v)
			return -EBADMSG;
		for (size_t i = 0; i < n && !err; i++)
			err = parts[part].row(t, NULL, v[i], staged);
		return err;
	}
	if (!xtr_cbor_is_map(item))
		return -EBADMSG;
	pairs = cbor_map_handle(item);
	for (size_t i = 0; i < cbor_map_size(item) && !err; i++)
		err = parts[part].row(t, pairs[i].key, pairs[i].value, staged);
	return err;
}

static int walk(struct xtr_tables *t, const cbor_item_t *map, struct xtr_tables *staged)
{
	const cbor_item_t *reset = xtr_cbor_key(map, "reset");
	int err = 0;

	if (reset && !cbor_is_bool(reset))
		return -EBADMSG;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++) {
		const cbor_item_t *item = xtr_cbor_key(map, parts[i].key);

		if (item)
			err = walk_part(t, item, i, staged);
	}
	return err;
}

int xtr_tables_merge(struct xtr_tables *t, const uint8_t *buf, size_t n, struct xtr_err *err)
{
	cbor_item_t *map;
	struct xtr_tables *staged;
	int ret = xtr_cbor_load(buf, n, XTR_P_TABLE, &map, err);

	if (ret)
		return ret;
	staged = xtr_tables_new();
	ret = (staged ? walk(t, map, staged) : -ENOMEM) ?: walk(t, map, NULL);
	xtr_tables_free(staged);
	cbor_decref(&map);
	xtr_tables_sort_many(t);
	return ret == -EBADMSG || ret == -EFBIG ? xtr_cbor_broken(XTR_P_TABLE, err) : ret;
}
