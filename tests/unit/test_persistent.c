/* SPDX-License-Identifier: BSD-2-Clause */
/* What a killed recorder leaves in its batches and counters, at each place where it may be killed.
 */
#include "recorder/drain/open_pieces.h"
#include "recorder/drain/persistent.h"
#include "recorder/salvage/salvage_priv.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS  2
#define SLOTS XTR_SLOT_GENERIC

static const struct xtr_persistent_size size = { CPUS, SLOTS, 1, 1, 4, 0, 0 };
static struct xtr_persistent keep;
static struct xtr_queue queue;
static uint64_t produced = 1 << 20; /* of each ring: nothing is read here */

static void set_up(void)
{
	cr_assert(zero(int, xtr_persistent_new(&keep, &size, false)));
	cr_assert(zero(int, xtr_queue_init(&queue, &keep)));
}

static void tear_down(void)
{
	xtr_queue_destroy(&queue);
	xtr_persistent_close(&keep);
}

TestSuite(persistent, .init = set_up, .fini = tear_down);

/* A record is written, and not committed. */
static void put(struct xtr_ring_batch *b, uint32_t bytes)
{
	struct xtr_rec h = { .type = XTR_EV_JOB_RUN, .size = (__u16)bytes };

	memcpy(b->data + b->len, &h, sizeof(h));
	b->len += bytes;
	b->n++;
}

static struct xtr_salvage *found(int want)
{
	struct xtr_salvage *s = calloc(1, sizeof(*s));

	s->keep = keep;
	s->head = *keep.head;
	s->pin.lock = -1;
	s->bpf.n_cpus = CPUS;
	s->bpf.n_slots = SLOTS;
	s->bpf.rings = calloc(CPUS, sizeof(*s->bpf.rings));
	for (int i = 0; i < CPUS; i++)
		s->bpf.rings[i].producer = &produced;
	s->bpf.ctl.producer = &produced;
	cr_assert(eq(int, xtr_left_find(s), want));
	return s;
}

static void forget(struct xtr_salvage *s)
{
	free(s->bpf.rings);
	free(s->counters);
	free(s->bufs);
	free(s);
}

Test(persistent, a_record_counts_when_it_is_committed)
{
	struct xtr_ring_batch *b = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 1);
	struct xtr_salvage *s;

	put(b, 48);
	xtr_ring_batch_commit(b, 56);
	put(b, 40); /* killed here */
	s = found(0);
	cr_assert(eq(sz, s->n_bufs, 1));
	cr_expect(eq(u32, s->bufs[0].n, 1));
	cr_expect(eq(u32, s->bufs[0].len, 48));
	cr_expect(eq(u64, s->bpf.rings[1].pos, 56), "the ring is read behind the committed one");
	cr_expect(eq(u64, s->bpf.rings[0].pos, 0));
	forget(s);
	xtr_ring_batch_commit(b, 104);
	s = found(0);
	cr_expect(eq(u32, s->bufs[0].n, 2));
	cr_expect(eq(u64, s->bpf.rings[1].pos, 104));
	forget(s);
}

Test(persistent, a_ring_that_says_more_than_its_batches_holds)
{
	struct xtr_ring_batch *b = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 0);
	struct xtr_salvage *s = found(0);

	put(b, 48);
	xtr_ring_batch_commit(b, 56);
	forget(s);
	s = calloc(1, sizeof(*s));
	s->keep = keep;
	s->head = *keep.head;
	s->bpf = (struct xtr_bpf){ .n_cpus = CPUS, .n_slots = SLOTS };
	s->bpf.rings = calloc(CPUS, sizeof(*s->bpf.rings));
	s->bpf.rings[0] = (struct xtr_ringbuf){ .pos = 200, .producer = &produced };
	s->bpf.rings[1].producer = s->bpf.ctl.producer = &produced;
	cr_assert(zero(int, xtr_left_find(s)));
	cr_expect(eq(u64, s->bpf.rings[0].pos, 200));
	forget(s);
}

Test(persistent, batches_come_in_their_order_and_free_ones_are_none)
{
	struct xtr_ring_batch *first = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 0);
	struct xtr_ring_batch *second = xtr_queue_take(&queue, XTR_BATCH_DEFS, 0), *third;
	struct xtr_salvage *s;

	xtr_queue_give_back(&queue, first);
	third = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 1);
	cr_assert(eq(ptr, third, first), "the one used last is taken first");
	s = found(0);
	cr_assert(eq(sz, s->n_bufs, 2));
	cr_expect(eq(ptr, (void *)s->bufs[0].b, second));
	cr_expect(eq(ptr, (void *)s->bufs[1].b, third));
	forget(s);
}

Test(persistent, a_buffer_taken_again_holds_nothing_of_before)
{
	struct xtr_ring_batch *b = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 0);
	struct xtr_salvage *s;

	put(b, 48);
	xtr_ring_batch_commit(b, 56);
	b->ordinal[0] = 7;
	xtr_persistent_count(&keep, true, 3, b->number, 48);
	xtr_queue_give_back(&queue, b);
	cr_assert(eq(ptr, xtr_queue_take(&queue, XTR_BATCH_EVENTS, 1), b));
	s = found(0);
	cr_expect(eq(u32, s->bufs[0].len, 0));
	cr_expect(eq(u32, s->bufs[0].counted, 0));
	cr_expect(eq(u64, s->bufs[0].b->ordinal[0], XTR_NOT_BEGUN));
	forget(s);
}

/* Killed behind each of the four stores of a count: it is made once. */
Test(persistent, a_count_is_made_once_wherever_the_kill_comes)
{
	struct xtr_ring_batch *b = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 0);
	const size_t place = 5, n = CPUS * SLOTS;
	struct xtr_salvage *s;

	put(b, 48);
	put(b, 48);
	xtr_ring_batch_commit(b, 112);
	xtr_persistent_count(&keep, true, place, b->number, 48);
	cr_expect(eq(u64, keep.unwritten[place], 1));
	cr_expect(zero(u32, keep.head->redo.armed));
	for (int stores = 1; stores <= 3; stores++) {
		keep.head->redo = (struct xtr_persistent_redo){ .counter = n + place,
								.value = 2,
								.buf = b->number,
								.counted = 96,
								.armed = 1 };
		keep.unwritten[place] = stores >= 2 ? 2 : 1;
		b->counted = stores >= 3 ? 96 : 48;
		s = found(0);
		cr_expect(eq(u64, s->counters[n + place], 2));
		cr_expect(eq(u32, s->bufs[0].counted, 96));
		forget(s);
	}
	cr_expect(eq(u64, keep.unwritten[place], 2), "the pins stay as they were");
}

Test(persistent, what_is_no_batch_is_refused)
{
	struct xtr_ring_batch *b = xtr_queue_take(&queue, XTR_BATCH_EVENTS, 0);

	put(b, 48);
	xtr_ring_batch_commit(b, 56);
	b->cpu = CPUS;
	forget(found(-EBADMSG));
	b->cpu = 0;
	b->at[b->commits % 2].len = XTR_BATCH_BYTES + 8;
	forget(found(-EBADMSG));
	b->at[b->commits % 2].len = 40;
	forget(found(-EBADMSG));
	b->at[b->commits % 2].len = 48;
	forget(found(0));
}

Test(persistent, sizes_are_bounded)
{
	struct xtr_persistent_size s = size;

	cr_expect(ne(sz, xtr_persistent_bytes(&s), 0));
	s.n_cpus = 0;
	cr_expect(zero(sz, xtr_persistent_bytes(&s)));
	s.n_cpus = 1 << 16;
	s.n_slots = 1 << 16;
	cr_expect(zero(sz, xtr_persistent_bytes(&s)));
	s = size;
	s.n_bufs = UINT32_MAX;
	cr_expect(zero(sz, xtr_persistent_bytes(&s)));
}

/* --- pieces ----------------------------------------------------------------------------------- */

static struct xtr_persistent in_pieces(void)
{
	struct xtr_persistent_size s = size;
	struct xtr_persistent k;

	s.in_pieces = 1;
	cr_assert(zero(int, xtr_persistent_new(&k, &s, false)));
	return k;
}

Test(persistent, a_piece_begins_beside_the_one_before_and_goes_on_alone)
{
	struct xtr_persistent k = in_pieces();
	struct xtr_open_piece p = { .file_id = 7, .says.number = 1 };
	struct xtr_gap_begun begun[CPUS] = { { 0 }, { 5, 6, 7, 8 } };

	xtr_open_begin(&k, &p, XTR_OPEN_ONE);
	p = (struct xtr_open_piece){ .file_id = 8, .says = { .number = 2, .from = 30 } };
	xtr_open_begin(&k, &p, XTR_OPEN_TWO);
	cr_expect(eq(u64, xtr_open_number(k.head), 2));
	cr_expect(eq(int, xtr_open_state(k.head), XTR_OPEN_TWO));
	cr_expect(eq(u64, xtr_open_piece(k.head, 1)->file_id, 7));
	cr_expect(eq(u64, xtr_open_piece(k.head, 2)->says.from, 30));
	p.says.events_before = 11;
	xtr_open_settle(&k, &p, xtr_loss_none(), begun);
	cr_expect(eq(int, xtr_open_state(k.head), XTR_OPEN_ENDS));
	cr_expect(eq(u64, xtr_open_piece(k.head, 1)->file_id, 7));
	cr_expect(eq(u64, xtr_open_piece(k.head, 2)->says.events_before, 11));
	cr_expect(eq(u64, k.begun[0][1].last, 8));
	cr_expect(zero(u64, k.begun[1][1].count));
	xtr_open_ended(&k);
	cr_expect(eq(u64, xtr_open_number(k.head), 2));
	cr_expect(eq(int, xtr_open_state(k.head), XTR_OPEN_ONE));
	xtr_persistent_close(&k);
}

/* Every key that a recorder counts comes back, and only those; a later settlement replaces it. */
Test(persistent, losses_before_a_piece_come_back_as_they_were)
{
	static const struct xtr_loss_entry known[] = {
		{ 0, XTR_EV_JOB_RUN, XTR_LOSS_RING_FULL, 3 },
		{ 1, XTR_EV_JOB_RUN, XTR_LOSS_RING_BUSY, 4 },
		{ 1, XTR_EV_JOB_DONE, XTR_LOSS_RECORDER, 5 },
		{ 0, 0, XTR_LOSS_WRITE, 6 },
		{ 1, XTR_SLOT_GENERIC - 1, XTR_LOSS_FILTERED, 7 },
		{ XTR_STREAM_NONE, XTR_EV_JOB_RUN, XTR_LOSS_NOT_RUN, 8 },
	};
	static const struct xtr_loss_entry others[] = {
		{ CPUS, XTR_EV_JOB_RUN, XTR_LOSS_RING_FULL, 1 },
		{ 0, XTR_TYPE_FIRST_DYNAMIC, XTR_LOSS_RING_FULL, 1 },
		{ 0, XTR_EV_JOB_RUN, XTR_LOSS_AGED, 1 },
	};
	struct xtr_persistent k = in_pieces();
	const struct xtr_open_piece p = { .says.number = 2 };
	struct xtr_gap_begun begun[CPUS] = { 0 };
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new(), *none = xtr_loss_new();

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		xtr_loss_set(l, known[i].stream, known[i].type, known[i].cause, known[i].total);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		xtr_loss_set(l, others[i].stream, others[i].type, others[i].cause, 1);
	xtr_open_settle(&k, &p, l, begun);
	cr_assert(zero(int, xtr_open_lost(&k, 2, back)));
	cr_expect(eq(sz, xtr_loss_n_entries(back), sizeof(known) / sizeof(known[0])));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		cr_expect(eq(u64,
			     xtr_loss_get(back, known[i].stream, known[i].type, known[i].cause),
			     known[i].total));
	cr_assert(zero(int, xtr_open_lost(&k, 1, none)));
	cr_expect(zero(sz, xtr_loss_n_entries(none)));
	xtr_open_settle(&k, &p, xtr_loss_none(), begun);
	cr_assert(zero(int, xtr_open_lost(&k, 2, none)));
	cr_expect(zero(sz, xtr_loss_n_entries(none)));
	xtr_loss_free(l);
	xtr_loss_free(back);
	xtr_loss_free(none);
	xtr_persistent_close(&k);
}
