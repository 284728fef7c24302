/* SPDX-License-Identifier: BSD-2-Clause */
#include "open_pieces.h"

#include <string.h>

static const enum xtr_loss_cause causes[XTR_LOST_CAUSES] = { XTR_LOSS_RING_FULL, XTR_LOSS_RING_BUSY,
							     XTR_LOSS_RECORDER, XTR_LOSS_WRITE,
							     XTR_LOSS_FILTERED };

static void store(struct xtr_persistent *k, uint64_t number, enum xtr_open state)
{
	__atomic_store_n(&k->head->open, number << 2 | state, __ATOMIC_SEQ_CST);
}

/* Key of the i-th number of lost[]: by CPU, event and cause; what was not run, of no CPU, last. */
static struct xtr_loss_entry key(const struct xtr_persistent_size *s, size_t i)
{
	size_t by_cpu = (size_t)s->n_cpus * s->n_slots * XTR_LOST_CAUSES;
	bool none = i >= by_cpu;
	uint32_t slot = (uint32_t)(none ? i - by_cpu : i / XTR_LOST_CAUSES % s->n_slots);

	return (struct xtr_loss_entry){
		.stream = none ? XTR_STREAM_NONE : (uint32_t)(i / XTR_LOST_CAUSES / s->n_slots),
		.type = slot < XTR_SLOT_GENERIC ? slot
						: slot - XTR_SLOT_GENERIC + XTR_TYPE_FIRST_DYNAMIC,
		.cause = none ? XTR_LOSS_NOT_RUN : causes[i % XTR_LOST_CAUSES],
	};
}

/* The other way round: where the number of this key is. SIZE_MAX: there is none. */
static size_t place(const struct xtr_persistent_size *s, const struct xtr_loss_entry *e)
{
	uint32_t slot = e->type < XTR_SLOT_GENERIC
				? e->type
				: e->type - XTR_TYPE_FIRST_DYNAMIC + XTR_SLOT_GENERIC;
	size_t k = 0;

	if (slot >= s->n_slots)
		return SIZE_MAX;
	if (e->cause == XTR_LOSS_NOT_RUN)
		return (size_t)s->n_cpus * s->n_slots * XTR_LOST_CAUSES + slot;
	while (k < XTR_LOST_CAUSES && causes[k] != e->cause)
		k++;
	if (k == XTR_LOST_CAUSES || e->stream >= s->n_cpus)
		return SIZE_MAX;
	return ((size_t)e->stream * s->n_slots + slot) * XTR_LOST_CAUSES + k;
}

void xtr_open_begin(struct xtr_persistent *k, const struct xtr_open_piece *p, enum xtr_open state)
{
	*xtr_open_piece(k->head, p->says.number) = *p;
	store(k, p->says.number, state);
}

void xtr_open_settle(struct xtr_persistent *k, const struct xtr_open_piece *p,
		     const struct xtr_loss *before, const struct xtr_gap_begun *begun)
{
	const struct xtr_persistent_size *size = &k->head->size;
	uint64_t *lost = k->lost[p->says.number % 2];

	memset(lost, 0, xtr_persistent_n_lost(size) * sizeof(*lost));
	for (size_t i = 0; i < xtr_loss_n_entries(before); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(before, i);
		size_t at = place(size, e);

		if (at != SIZE_MAX)
			lost[at] = e->total;
	}
	memcpy(k->begun[p->says.number % 2], begun, size->n_cpus * sizeof(*begun));
	*xtr_open_piece(k->head, p->says.number) = *p;
	store(k, p->says.number, XTR_OPEN_ENDS);
}

void xtr_open_ended(struct xtr_persistent *k)
{
	store(k, xtr_open_number(k->head), XTR_OPEN_ONE);
}

void xtr_open_last(struct xtr_persistent *k)
{
	store(k, xtr_open_number(k->head), XTR_OPEN_LAST);
}

void xtr_open_back(struct xtr_persistent *k)
{
	store(k, xtr_open_number(k->head) - 1, XTR_OPEN_ONE);
}

int xtr_open_lost(const struct xtr_persistent *k, uint64_t number, struct xtr_loss *l)
{
	const uint64_t *lost = k->lost[number % 2];
	int err = 0;

	for (size_t i = 0; lost && !err && i < xtr_persistent_n_lost(&k->head->size); i++) {
		struct xtr_loss_entry e = key(&k->head->size, i);

		if (lost[i])
			err = xtr_loss_set(l, e.stream, e.type, e.cause, lost[i]);
	}
	return err;
}
