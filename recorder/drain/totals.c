/* SPDX-License-Identifier: BSD-2-Clause */
#include "totals.h"
#include "recorder/groups/sample.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256 /* records that are written together */

struct batch {
	struct xtr_rec_total rec[BATCH];
	uint32_t n;
	uint64_t lost;
	bool final;
};

int xtr_totals_open(struct xtr_totals *t)
{
	if (!xtr_sampling(t->bpf->sel))
		return 0;
	t->written = calloc((size_t)t->bpf->n_total_sets * XTR_TOTAL_WAYS + t->bpf->n_slots,
			    sizeof(*t->written));
	return t->written ? 0 : -ENOMEM;
}

void xtr_totals_again(struct xtr_totals *t)
{
	if (t->written)
		memset(t->written, 0,
		       ((size_t)t->bpf->n_total_sets * XTR_TOTAL_WAYS + t->bpf->n_slots) *
			       sizeof(*t->written));
}

void xtr_totals_close(struct xtr_totals *t)
{
	free(t->written);
	t->written = NULL;
}

/* What is sampled: a tracepoint, or the entry of a function. */
struct source {
	const struct xtr_generic *g;
	const struct xtr_probe *p;
};

static struct source source_of(const struct xtr_selection *s, uint32_t slot)
{
	uint32_t i = slot - XTR_SLOT_GENERIC;

	if (i < s->n_generics)
		return (struct source){ .g = s->generics[i] };
	for (size_t k = 0; k < s->n_probes; k++) {
		if (s->probes[k]->entry.cfg.slot == slot)
			return (struct source){ .p = s->probes[k] };
	}
	return (struct source){ 0 };
}

static int intern(struct xtr_totals *t, const char *text, uint32_t *id)
{
	return xtr_tables_intern(t->tables, text, strlen(text), id);
}

/* Addresses are hashed as in the event itself. */
static int put_value(struct xtr_totals *t, const struct xtr_field *f, uint64_t v, uint32_t *name,
		     uint64_t *out)
{
	if (!f)
		return 0;
	*out = f->sens == XTR_SENS_KPTR && t->key && v ? xtr_siphash(t->key, v) : v;
	return intern(t, f->name, name);
}

static int flush(struct xtr_totals *t, struct batch *b)
{
	struct xtr_batch batch = {
		.stream = 0,
		.recs = (const uint8_t *)b->rec,
		.len = b->n * sizeof(struct xtr_rec_total),
		.n = b->n,
		.lost_total = b->lost,
	};

	b->n = 0;
	return batch.n ? xtr_writer_events(t->writer, &batch) : 0;
}

static int add(struct xtr_totals *t, struct batch *b, const struct xtr_total *v, bool other)
{
	struct source from = source_of(t->bpf->sel, v->slot);
	struct xtr_rec_total *r = &b->rec[b->n];
	const char *name = from.g ? from.g->name : from.p ? from.p->name : "";
	int err;

	*r = (struct xtr_rec_total){
		.h = { xtr_now(), XTR_EV_TOTAL, sizeof(*r), 0 },
		.tgid = v->tgid,
		.count = v->count,
		.taken = v->taken,
		.other = other,
		.interim = !b->final,
	};
	err = intern(t, name, &r->event);
	if (!err && from.g && !other)
		err = put_value(t, from.g->key, v->key, &r->field, &r->key);
	if (!err && from.p && !other)
		err = put_value(t, xtr_probe_captured(from.p, from.p->entry.cfg.key), v->key,
				&r->field, &r->key);
	if (!err && from.p && !other)
		err = put_value(t, xtr_probe_captured(from.p, v->sub_load), v->sub, &r->subfield,
				&r->subkey);
	if (err)
		return err;
	return ++b->n == BATCH ? flush(t, b) : 0;
}

static bool changed(struct xtr_totals *t, size_t i, uint64_t count, bool final)
{
	if (!count || (!final && t->written[i] == count))
		return false;
	t->written[i] = count;
	return true;
}

/* taken is read first: it is never ahead of count. */
static int add_entries(struct xtr_totals *t, struct batch *b)
{
	struct xtr_total v;
	int err = 0;

	for (size_t i = 0; i < (size_t)t->bpf->n_total_sets * XTR_TOTAL_WAYS && !err; i++) {
		struct xtr_total *w = &t->bpf->totals[i / XTR_TOTAL_WAYS].way[i % XTR_TOTAL_WAYS];

		if (!__atomic_load_n(&w->ready, __ATOMIC_ACQUIRE))
			continue;
		v = *w;
		v.taken = __atomic_load_n(&w->taken, __ATOMIC_ACQUIRE);
		v.count = __atomic_load_n(&w->count, __ATOMIC_ACQUIRE);
		if (changed(t, i, v.count, b->final))
			err = add(t, b, &v, false);
	}
	return err;
}

static int add_others(struct xtr_totals *t, struct batch *b)
{
	size_t entries = (size_t)t->bpf->n_total_sets * XTR_TOTAL_WAYS;
	int err = 0;

	for (uint32_t slot = XTR_SLOT_GENERIC; slot < t->bpf->n_slots && !err; slot++) {
		struct xtr_total v = { .slot = slot };

		for (uint32_t i = 0; i < t->bpf->n_cpus; i++) {
			struct xtr_count *c = &t->bpf->counts[(size_t)i * t->bpf->n_slots + slot];

			v.taken += __atomic_load_n(&c->other_taken, __ATOMIC_ACQUIRE);
			v.count += __atomic_load_n(&c->other_count, __ATOMIC_ACQUIRE);
		}
		if (changed(t, entries + slot, v.count, b->final))
			err = add(t, b, &v, true);
	}
	return err;
}

int xtr_totals_write(struct xtr_totals *t, bool final, uint64_t lost)
{
	struct batch *b;
	int err;

	if (!t->written)
		return 0;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->lost = lost;
	b->final = final;
	err = add_entries(t, b) ?: add_others(t, b) ?: flush(t, b);
	free(b);
	return err;
}
