/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets written as they come are, byte for byte, those that protobuf-c makes of messages. */
#include "converters/out/perfetto/perfetto.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONG 70000u /* bytes: three of a length */

static struct xtr_export_section section = { .index = 3 };
static const char *const names[] = { "a", "b", "c", "d", "e", "f" };

/* A section that has begun, at a time base of 1000 ns; NULL: no memory. */
static struct pf *try_begin(uint32_t machine)
{
	struct pf *pf = calloc(1, sizeof(*pf));

	if (!pf)
		return NULL;
	pf->machine = calloc(1, sizeof(*pf->machine));
	if (!pf->machine) {
		free(pf);
		return NULL;
	}
	pf->machine->id = machine;
	pf->n_machines = 1;
	pf->s = &section;
	pf->clock.base = 1000;
	pf_forget(&pf->intern);
	return pf;
}

static struct pf *begin(uint32_t machine)
{
	struct pf *pf = try_begin(machine);

	cr_assert(ne(ptr, pf, NULL));
	return pf;
}

static void end(struct pf *pf)
{
	pf_forget(&pf->intern);
	pf_out_free(&pf->out);
	free(pf->machine);
	free(pf);
}

/* One event as protobuf-c packs it; what it interns is the caller's to have interned. */
struct expected {
	Pf__TrackEvent event;
	Pf__DebugAnnotation note[PF_NOTES_MAX], *ptr[PF_NOTES_MAX];
	Pf__GpuCorrelation correlation;
	uint64_t category, flow;
};

static Pf__DebugAnnotation *note(struct pf *pf, struct expected *x, const char *name)
{
	size_t i = x->event.n_debug_annotations++;
	Pf__DebugAnnotation *a = &x->note[i];

	pf__debug_annotation__init(a);
	a->has_name_iid = true;
	a->name_iid = pf_intern_text(pf, PF_NOTE_NAMES, name);
	x->ptr[i] = a;
	x->event.debug_annotations = x->ptr;
	return a;
}

static void expect_begin(struct pf *pf, struct expected *x, uint64_t ts, Pf__TrackEvent__Type type)
{
	Pf__TracePacket *p = pf_packet(pf);

	pf__track_event__init(&x->event);
	p->has_timestamp = true;
	p->timestamp = ts < 1000 ? ts : ts - 1000;
	p->has_timestamp_clock_id = ts < 1000;
	p->timestamp_clock_id = PF_CLOCK_EVENT;
	p->track_event = &x->event;
	x->event.has_type = x->event.has_track_uuid = true;
	x->event.type = type;
	x->event.track_uuid = UINT64_MAX;
}

static void expect_same(struct pf *got, struct pf *want)
{
	cr_assert(eq(sz, got->out.block.n, want->out.block.n));
	cr_expect(eq(int, memcmp(got->out.block.p, want->out.block.p, want->out.block.n), 0));
}

/* A slice with notes of all kinds, the text of n bytes. */
static void put_slice(struct pf *pf, uint64_t ts, uint64_t v, const char *text, size_t n)
{
	pf_event(pf, PF__TRACK_EVENT__TYPE__SLICE_BEGIN, UINT64_MAX, ts);
	pf_name(pf, "category", names[0]);
	pf_note_u64(pf, names[1], v);
	pf_note_s64(pf, names[2], -(int64_t)(v >> 1));
	pf_note_hex(pf, names[3], v);
	pf_note_text(pf, names[4], text, n);
	pf_flow(pf, v, v & 1);
	if (!(v & 1))
		pf_submits(pf);
	cr_assert(eq(int, pf_event_send(pf), 0));
}

static void want_slice(struct pf *pf, uint64_t ts, uint64_t v, const char *text, size_t n)
{
	static struct expected x;
	Pf__TrackEvent *e = &x.event;

	expect_begin(pf, &x, ts, PF__TRACK_EVENT__TYPE__SLICE_BEGIN);
	x.category = pf_intern_text(pf, PF_CATEGORIES, "category");
	e->category_iids = &x.category;
	e->n_category_iids = 1;
	e->has_name_iid = true;
	e->name_iid = pf_intern_text(pf, PF_EVENT_NAMES, names[0]);
	note(pf, &x, names[1])->has_uint_value = true;
	x.note[0].uint_value = v;
	note(pf, &x, names[2])->has_int_value = true;
	x.note[1].int_value = -(int64_t)(v >> 1);
	note(pf, &x, names[3])->has_pointer_value = true;
	x.note[2].pointer_value = v;
	note(pf, &x, names[4])->string_value = pf_text(pf, text, n);
	x.flow = v;
	pf__gpu_correlation__init(&x.correlation);
	x.correlation.submission_event_ids = &x.flow;
	x.correlation.n_submission_event_ids = 1;
	if (v & 1) {
		e->terminating_flow_ids = &x.flow;
		e->n_terminating_flow_ids = 1;
	} else {
		e->flow_ids = &x.flow;
		e->n_flow_ids = 1;
		e->gpu_correlation = &x.correlation;
	}
	cr_assert(eq(int, pf_send(pf), 0));
}

static void compare_slices(uint32_t machine)
{
	static char text[LONG + 1];
	static const size_t lengths[] = { 0, 1, 60, 90, 100, 110, 127, 128, 300, 16200, LONG };
	struct pf *got = begin(machine), *want = begin(machine);
	unsigned int bit;
	size_t i;

	memset(text, 'x', LONG);
	got->out.f = want->out.f = fopen("/dev/null", "w");
	cr_assert(ne(ptr, got->out.f, NULL));
	for (bit = 0; bit < 64; bit++) {
		put_slice(got, (1ull << bit) + 1, (1ull << bit) - 1, text + LONG - 3, 3);
		want_slice(want, (1ull << bit) + 1, (1ull << bit) - 1, text + LONG - 3, 3);
	}
	expect_same(got, want);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		got->out.block.n = want->out.block.n = 0;
		put_slice(got, 5000, i, text + LONG - lengths[i], lengths[i]);
		want_slice(want, 5000, i, text + LONG - lengths[i], lengths[i]);
		expect_same(got, want);
	}
	fclose(got->out.f);
	end(got);
	end(want);
}

Test(perfetto_straight, slices_are_as_protobuf_c_packs_them)
{
	compare_slices(0);
}

Test(perfetto_straight, another_machine_is_named)
{
	compare_slices(300);
}

Test(perfetto_straight, a_counter_is_a_number_of_63_bits)
{
	static const uint64_t values[] = { 0, 127, 128, INT64_MAX, 1ull << 63, UINT64_MAX };
	static struct expected x;
	struct pf *got = begin(0), *want = begin(0);
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t v = values[i] > INT64_MAX ? INT64_MAX : values[i];

		cr_assert(eq(int, pf_counter(got, UINT64_MAX, 2000, values[i]), 0));
		expect_begin(want, &x, 2000, PF__TRACK_EVENT__TYPE__COUNTER);
		x.event.has_counter_value = true;
		x.event.counter_value = (int64_t)v;
		cr_assert(eq(int, pf_send(want), 0));
	}
	expect_same(got, want);
	end(got);
	end(want);
}

Test(perfetto_straight, more_notes_than_fit_are_left_out)
{
	static struct expected x;
	struct pf *got = begin(0), *want = begin(0);
	unsigned int i;

	pf_event(got, PF__TRACK_EVENT__TYPE__INSTANT, UINT64_MAX, 2000);
	expect_begin(want, &x, 2000, PF__TRACK_EVENT__TYPE__INSTANT);
	for (i = 0; i < PF_NOTES_MAX + 9; i++) {
		pf_note_u64(got, names[i % 6], i);
		if (i >= PF_NOTES_MAX)
			continue;
		note(want, &x, names[i % 6])->has_uint_value = true;
		x.note[i].uint_value = i;
	}
	cr_assert(eq(int, pf_event_send(got), 0));
	cr_assert(eq(int, pf_send(want), 0));
	expect_same(got, want);
	end(got);
	end(want);
}

/* More texts than there are places for their addresses, each in two tables. */
Test(perfetto_straight, fixed_texts_are_known_by_what_they_say)
{
	static char text[4 * PF_FIXED_MAX][8];
	struct pf *pf = begin(0);
	uint32_t i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 4 * PF_FIXED_MAX; i++) {
			snprintf(text[i], sizeof(text[i]), "%u", i / 2);
			pf_begin(pf);
			cr_expect(eq(u64, pf_intern_fixed(pf, PF_NOTE_NAMES, text[i]), i / 2 + 1));
			cr_expect(eq(u64, pf_intern_fixed(pf, PF_EVENT_NAMES, text[i]), i / 2 + 1));
		}
	}
	pf_forget(&pf->intern);
	pf_begin(pf);
	cr_expect(eq(u64, pf_intern_fixed(pf, PF_NOTE_NAMES, text[99]), 1));
	end(pf);
}

static int one_slice(void *arg)
{
	struct pf *pf = try_begin(0);
	int ret;

	if (!pf)
		return -ENOMEM;
	pf_event(pf, PF__TRACK_EVENT__TYPE__SLICE_BEGIN, 1, 2000);
	pf_name(pf, "category", names[0]);
	pf_note_text(pf, names[4], arg, strlen(arg));
	pf_note_u64(pf, names[1], 1);
	ret = pf_event_send(pf);
	end(pf);
	return ret;
}

Test(perfetto_straight, a_lack_of_memory_is_told)
{
	char text[1000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	cr_assert(ge(u32, oom_each(one_slice, text, 0), 5));
}
