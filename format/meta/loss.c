/* SPDX-License-Identifier: BSD-2-Clause */
#include "loss.h"
#include "base/buf.h"
#include "cbor.h"
#include "base/checked.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Entries and gaps in one payload: 5 items each stay within the limit of spec 6.1. */
#define PAYLOAD_ROWS 8192u

struct row {
	struct xtr_loss_entry e;
	bool changed;
};

struct xtr_loss {
	struct xtr_map by_key; /* (stream, type and cause) -> index in rows */
	struct row *rows;
	size_t n_rows, cap_rows, n_changed;
	struct xtr_gap *gaps; /* in order of first, those that were read once they are settled */
	size_t n_gaps, cap_gaps;
	size_t n_ordered;        /* gaps from the first on that are in order */
	struct xtr_gap *pending; /* gaps that were not yet encoded */
	size_t n_pending, cap_pending;
};

static const struct {
	const char *name, *help;
} causes[XTR_LOSS_CAUSE_COUNT] = { [0] = { "filtered", "left out on purpose" },
#define ROW(id, n, text, help) [n] = { text, help },
				   XTR_LOSS_CAUSES(ROW)
#undef ROW
};

bool xtr_loss_is_loss(enum xtr_loss_cause cause)
{
	return cause != XTR_LOSS_FILTERED && cause != XTR_LOSS_AGED;
}

const char *xtr_loss_cause_name(enum xtr_loss_cause cause)
{
	if (cause == XTR_LOSS_AGED)
		return "aged";
	return (unsigned int)cause < XTR_LOSS_CAUSE_COUNT ? causes[cause].name : "unknown";
}

const char *xtr_loss_cause_help(enum xtr_loss_cause cause)
{
	if (cause == XTR_LOSS_AGED)
		return "too old for the flight recorder";
	return (unsigned int)cause < XTR_LOSS_CAUSE_COUNT ? causes[cause].help
							  : "a cause of a later version";
}

struct xtr_loss *xtr_loss_new(void)
{
	return calloc(1, sizeof(struct xtr_loss));
}

const struct xtr_loss *xtr_loss_none(void)
{
	static const struct xtr_loss none;

	return &none;
}

void xtr_loss_free(struct xtr_loss *l)
{
	if (!l)
		return;
	xtr_map_free(&l->by_key);
	free(l->rows);
	free(l->gaps);
	free(l->pending);
	free(l);
}

static uint64_t type_and_cause(uint32_t type, enum xtr_loss_cause cause)
{
	return (uint64_t)type << 32 | (uint32_t)cause;
}

uint64_t xtr_loss_get(const struct xtr_loss *l, uint32_t stream, uint32_t type,
		      enum xtr_loss_cause cause)
{
	const uint64_t *index = xtr_map_get(&l->by_key, stream, type_and_cause(type, cause));

	return index ? l->rows[*index].e.total : 0;
}

int xtr_loss_set(struct xtr_loss *l, uint32_t stream, uint32_t type, enum xtr_loss_cause cause,
		 uint64_t total)
{
	uint64_t key = type_and_cause(type, cause);
	uint64_t *index = xtr_map_get(&l->by_key, stream, key);
	struct row *r;

	if (!index) {
		if (!total)
			return 0;
		if (xtr_grow_array(&l->rows, &l->cap_rows, l->n_rows + 1, sizeof(*l->rows)) ||
		    xtr_map_put(&l->by_key, stream, key, l->n_rows))
			return -ENOMEM;
		r = &l->rows[l->n_rows++];
		*r = (struct row){ .e = { .stream = stream, .type = type, .cause = cause } };
	} else {
		r = &l->rows[*index];
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a key that is there has a row */
	if (r->e.total == total)
		return 0;
	l->n_changed += !r->changed;
	r->changed = true;
	r->e.total = total;
	return 0;
}

/* Insert from the end: gaps come nearly in order. */
static int insert_gap(struct xtr_loss *l, const struct xtr_gap *gap)
{
	size_t i = l->n_gaps;

	if (xtr_grow_array(&l->gaps, &l->cap_gaps, i + 1, sizeof(*l->gaps)))
		return -ENOMEM;
	for (; i && l->gaps[i - 1].first > gap->first; i--)
		l->gaps[i] = l->gaps[i - 1];
	l->gaps[i] = *gap;
	l->n_gaps++;
	return 0;
}

int xtr_loss_add_gap(struct xtr_loss *l, const struct xtr_gap *gap)
{
	if (gap->first > gap->last)
		return -EINVAL;
	if (xtr_grow_array(&l->pending, &l->cap_pending, l->n_pending + 1, sizeof(*l->pending)) ||
	    insert_gap(l, gap))
		return -ENOMEM;
	l->pending[l->n_pending++] = *gap;
	return 0;
}

struct xtr_loss *xtr_loss_copy(const struct xtr_loss *l, uint64_t from, uint64_t to)
{
	struct xtr_loss *copy = xtr_loss_new();
	int err = copy ? 0 : -ENOMEM;

	for (size_t i = 0; i < l->n_rows && !err; i++) {
		const struct xtr_loss_entry *e = &l->rows[i].e;

		err = xtr_loss_set(copy, e->stream, e->type, e->cause, e->total);
	}
	for (size_t i = 0; i < l->n_gaps && !err; i++)
		if (l->gaps[i].first <= to && l->gaps[i].last >= from)
			err = xtr_loss_add_gap(copy, &l->gaps[i]);
	if (!err)
		return copy;
	xtr_loss_free(copy);
	return NULL;
}

size_t xtr_loss_n_entries(const struct xtr_loss *l)
{
	return l->n_rows;
}

const struct xtr_loss_entry *xtr_loss_entry_at(const struct xtr_loss *l, size_t i)
{
	return i < l->n_rows ? &l->rows[i].e : NULL;
}

size_t xtr_loss_n_gaps(const struct xtr_loss *l)
{
	return l->n_gaps;
}

size_t xtr_loss_n_losses(const struct xtr_loss *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_gaps; i++)
		n += !xtr_gap_left_out(&l->gaps[i]);
	return n;
}

const struct xtr_gap *xtr_loss_gap_at(const struct xtr_loss *l, size_t i)
{
	return i < l->n_gaps ? &l->gaps[i] : NULL;
}

uint64_t xtr_loss_total(const struct xtr_loss *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		if (xtr_loss_is_loss(l->rows[i].e.cause))
			sum = xtr_sat_add(sum, l->rows[i].e.total);
	return sum;
}

uint64_t xtr_loss_of(const struct xtr_loss *l, enum xtr_loss_cause cause)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		if (l->rows[i].e.cause == cause)
			sum = xtr_sat_add(sum, l->rows[i].e.total);
	return sum;
}

void xtr_loss_drop_gaps(struct xtr_loss *l, uint64_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_gaps; i++)
		if (l->gaps[i].last >= before)
			l->gaps[n++] = l->gaps[i];
	l->n_gaps = n;
	l->n_ordered = 0;
}

/* The lists of a payload, in the order of their keys in CBOR. */
enum list {
	AGED,
	GAPS,
	LOST,
	FILTERED,
	LISTS
};

static const char *const list_name[LISTS] = { "aged", "gaps", "lost", "filtered" };

static enum list list_of(enum xtr_loss_cause cause)
{
	if (cause == XTR_LOSS_AGED)
		return AGED;
	return cause == XTR_LOSS_FILTERED ? FILTERED : LOST;
}

static bool to_write(const struct row *r, enum list list)
{
	return r->changed && list_of(r->e.cause) == list;
}

/* The changed rows of a list, at most `most` of them. */
static size_t count_rows(const struct xtr_loss *l, enum list list, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows && n < most; i++)
		n += to_write(&l->rows[i], list);
	return n;
}

static void put_rows(struct xtr_loss *l, struct xtr_buf *b, enum list list, size_t n)
{
	xtr_enc_text(b, list_name[list]);
	xtr_enc_array(b, n);
	for (size_t i = 0; i < l->n_rows && n; i++) {
		struct row *r = &l->rows[i];

		if (!to_write(r, list))
			continue;
		xtr_enc_array(b, list == LOST ? 4 : 3);
		xtr_enc_uint(b, r->e.stream);
		xtr_enc_uint(b, r->e.type);
		if (list == LOST)
			xtr_enc_uint(b, r->e.cause);
		xtr_enc_uint(b, r->e.total);
		r->changed = false;
		l->n_changed--;
		n--;
	}
}

static void put_gaps(struct xtr_loss *l, struct xtr_buf *b, size_t n)
{
	xtr_enc_text(b, list_name[GAPS]);
	xtr_enc_array(b, n);
	for (size_t i = 0; i < n; i++) {
		xtr_enc_array(b, 4);
		xtr_enc_uint(b, l->pending[i].stream);
		xtr_enc_uint(b, l->pending[i].first);
		xtr_enc_uint(b, l->pending[i].last);
		xtr_enc_uint(b, l->pending[i].count);
	}
	l->n_pending -= n;
	memmove(l->pending, l->pending + n, l->n_pending * sizeof(*l->pending));
}

int xtr_loss_encode(struct xtr_loss *l, uint8_t **buf, size_t *n)
{
	static const enum list rows[] = { LOST, FILTERED, AGED };
	size_t n_of[LISTS] = { 0 }, room = PAYLOAD_ROWS, lists = 0;
	struct xtr_buf b = { 0 };

	*buf = NULL;
	*n = 0;
	if (!l->n_changed && !l->n_pending)
		return 0;
	if (!xtr_buf_room(&b, PAYLOAD_ROWS * 40)) /* then nothing below can fail half-way */
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		n_of[rows[i]] = count_rows(l, rows[i], room);
		room -= n_of[rows[i]];
	}
	n_of[GAPS] = l->n_pending < room ? l->n_pending : room;
	for (enum list k = 0; k < LISTS; k++)
		lists += n_of[k] > 0;
	xtr_enc_map(&b, lists);
	for (enum list k = 0; k < LISTS; k++) {
		if (n_of[k] && k == GAPS)
			put_gaps(l, &b, n_of[k]);
		else if (n_of[k])
			put_rows(l, &b, k, n_of[k]);
	}
	*buf = b.p;
	*n = b.n;
	return 0;
}

static bool get_row(const cbor_item_t *item, enum list list, struct xtr_loss_entry *e)
{
	uint32_t cause = list == AGED ? XTR_LOSS_AGED : XTR_LOSS_FILTERED;
	size_t n;
	cbor_item_t **v = xtr_cbor_array(item, list == LOST ? 4 : 3, &n);

	if (!v || !xtr_cbor_u32(v[0], &e->stream) || !xtr_cbor_u16(v[1], &e->type))
		return false;
	if (list == LOST && (!xtr_cbor_id(v[2], &cause) || cause > UINT8_MAX))
		return false;
	e->cause = (enum xtr_loss_cause)cause;
	return xtr_cbor_u64(v[list == LOST ? 3 : 2], &e->total);
}

static bool get_gap(const cbor_item_t *item, struct xtr_gap *g)
{
	size_t n;
	cbor_item_t **v = xtr_cbor_array(item, 4, &n);

	return v && xtr_cbor_u32(v[0], &g->stream) && xtr_cbor_u64(v[1], &g->first) &&
	       xtr_cbor_u64(v[2], &g->last) && xtr_cbor_u64(v[3], &g->count) && g->first <= g->last;
}

/* Check (l NULL) or take over the rows of a list. */
static int take_list(struct xtr_loss *l, const cbor_item_t *map, enum list list)
{
	const cbor_item_t *item = xtr_cbor_key(map, list_name[list]);
	struct xtr_loss_entry e;
	cbor_item_t **v;
	size_t n;

	if (!item)
		return 0;
	v = xtr_cbor_array(item, 0, &n);
	if (!v)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		if (!get_row(v[i], list, &e))
			return -EBADMSG;
		if (l && xtr_loss_set(l, e.stream, e.type, e.cause, e.total))
			return -ENOMEM;
	}
	return 0;
}

static int take_rows(struct xtr_loss *l, const cbor_item_t *map)
{
	return take_list(l, map, LOST) ?: take_list(l, map, FILTERED) ?: take_list(l, map, AGED);
}

static int gap_cmp(const void *pa, const void *pb)
{
	const struct xtr_gap *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->last < b->last ? -1 : a->last > b->last;
}

/* How many gaps from the first on are in order. Those that were read come behind. */
static void look_at_order(struct xtr_loss *l)
{
	while (l->n_ordered < l->n_gaps &&
	       (!l->n_ordered || gap_cmp(&l->gaps[l->n_ordered - 1], &l->gaps[l->n_ordered]) <= 0))
		l->n_ordered++;
}

void xtr_loss_settle(struct xtr_loss *l)
{
	look_at_order(l);
	if (l->n_ordered < l->n_gaps)
		qsort(l->gaps, l->n_gaps, sizeof(*l->gaps), gap_cmp);
	l->n_ordered = l->n_gaps;
}

/* Check (l NULL) or take over the gaps. */
static int take_gaps(struct xtr_loss *l, const cbor_item_t *map)
{
	const cbor_item_t *item = xtr_cbor_key(map, "gaps");
	struct xtr_gap g;
	cbor_item_t **v;
	size_t n, old = l ? l->n_gaps : 0;

	if (!item)
		return 0;
	v = xtr_cbor_array(item, 0, &n);
	if (!v || (l && n > XTR_LOSS_GAPS_MAX - old))
		return -EBADMSG;
	if (l && xtr_grow_array(&l->gaps, &l->cap_gaps, old + n, sizeof(*l->gaps)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!get_gap(v[i], &g))
			return -EBADMSG;
		if (l)
			l->gaps[l->n_gaps++] = g;
	}
	return 0;
}

int xtr_loss_merge(struct xtr_loss *l, const uint8_t *buf, size_t n, struct xtr_err *err)
{
	cbor_item_t *map;
	int ret = xtr_cbor_load(buf, n, XTR_P_LOSS, &map, err);

	if (ret)
		return ret;
	if (take_rows(NULL, map) || take_gaps(NULL, map))
		ret = -EBADMSG;
	ret = ret ?: take_gaps(l, map) ?: take_rows(l, map);
	cbor_decref(&map);
	look_at_order(l);
	/* Seldom enough that sorting takes no more than a constant number of looks at each. */
	if (l->n_gaps - l->n_ordered > l->n_ordered / 4)
		xtr_loss_settle(l);
	return ret == -EBADMSG ? xtr_cbor_broken(XTR_P_LOSS, err) : ret;
}
