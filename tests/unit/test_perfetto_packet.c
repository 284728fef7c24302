/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, taken apart field by field: lengths and numbers of every size, and what is left out. */
#include "converters/out/perfetto/perfetto.h"
#include "oom.h"
#include "pb.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONG 70000u /* bytes: three of a length */

static struct xtr_export_section section = { .index = 3 };
static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
static struct pb_field packet; /* taken last, and what is left */
static struct pb rest;

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

/* Packets are taken from the begin of the block. */
static void rewind_block(const struct pf *pf)
{
	rest = (struct pb){ pf->out.block.p, pf->out.block.n };
}

/* The next packet's event; what all packets have is checked. */
static struct pb next_event(uint64_t ts, uint64_t machine)
{
	packet.number = 0;
	cr_assert(pb_next(&rest, &packet));
	cr_assert(eq(u32, packet.number, PF_TRACE_PACKET));
	cr_expect(
		eq(u64, pb_number(packet.bytes, PF_PACKET_TIMESTAMP), ts < 1000 ? ts : ts - 1000));
	cr_expect(eq(u64, pb_number(packet.bytes, PF_PACKET_CLOCK_ID),
		     ts < 1000 ? PF_CLOCK_EVENT : 0));
	cr_expect(eq(u64, pb_number(packet.bytes, PF_PACKET_SEQUENCE), 7));
	cr_expect(eq(u64, pb_number(packet.bytes, PF_PACKET_MACHINE_ID), machine));
	return pb_message(packet.bytes, PF_PACKET_EVENT);
}

/* A slice with notes of all kinds, the text of n bytes. */
static void put_slice(struct pf *pf, uint64_t ts, uint64_t v, const char *text, size_t n)
{
	pf_event(pf, PF_SLICE_BEGIN, UINT64_MAX, ts);
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

/* Of a note: its name is the number-th, and its value. */
static struct pb_field note(struct pb event, size_t i, uint32_t field)
{
	struct pb m = pb_nth(event, PF_EVENT_NOTE, i).bytes;

	cr_expect(eq(u64, pb_number(m, PF_NOTE_NAME), i + 1));
	cr_expect(eq(sz, pb_count(m, field), 1));
	return pb_nth(m, field, 0);
}

static void expect_slice(uint64_t ts, uint64_t v, const char *text, size_t n, uint64_t machine)
{
	struct pb e = next_event(ts, machine), m = pb_message(e, PF_EVENT_CORRELATION), s;

	cr_expect(eq(u64, pb_number(e, PF_EVENT_TYPE), PF_SLICE_BEGIN));
	cr_expect(eq(u64, pb_number(e, PF_EVENT_TRACK), UINT64_MAX));
	cr_expect(eq(u64, pb_number(e, PF_EVENT_CATEGORY), 1));
	cr_expect(eq(u64, pb_number(e, PF_EVENT_NAME), 1));
	cr_assert(eq(sz, pb_count(e, PF_EVENT_NOTE), 4));
	cr_expect(eq(u64, note(e, 0, PF_NOTE_UINT).v, v));
	cr_expect(eq(u64, note(e, 1, PF_NOTE_INT).v, -(v >> 1)));
	cr_expect(eq(u64, note(e, 2, PF_NOTE_HEX).v, v));
	s = note(e, 3, PF_NOTE_TEXT).bytes;
	cr_assert(eq(sz, s.n, n));
	cr_expect(zero(int, memcmp(s.p, text, n)));
	cr_expect(eq(u64, pb_number(e, v & 1 ? PF_EVENT_FLOW_ENDS : PF_EVENT_FLOW), v));
	cr_expect(eq(sz, pb_count(e, v & 1 ? PF_EVENT_FLOW : PF_EVENT_FLOW_ENDS), 0));
	cr_expect(eq(sz, pb_count(m, PF_CORRELATION_SUBMISSION), !(v & 1)));
	cr_expect(eq(u64, pb_number(m, PF_CORRELATION_SUBMISSION), v & 1 ? 0 : v));
}

/* What the first packet of a sequence says, and no other one. */
static void expect_told(bool first)
{
	struct pb data = pb_message(packet.bytes, PF_PACKET_INTERNED), m;
	uint64_t flags = PF_FLAG_NEEDED | (first ? PF_FLAG_CLEARED : 0);

	cr_expect(eq(u64, pb_number(packet.bytes, PF_PACKET_FLAGS), flags));
	m = pb_message(packet.bytes, PF_PACKET_DEFAULTS);
	cr_expect(eq(u64, pb_number(m, PF_DEFAULTS_CLOCK_ID), first ? PF_CLOCK_RELATIVE : 0));
	cr_expect(eq(sz, pb_count(data, PF_INTERNED_CATEGORIES), first));
	cr_expect(eq(sz, pb_count(data, PF_INTERNED_EVENT_NAMES), first));
	cr_expect(eq(sz, pb_count(data, PF_INTERNED_NOTE_NAMES), first ? 4 : 0));
	for (size_t i = 0; first && i < 4; i++) {
		m = pb_nth(data, PF_INTERNED_NOTE_NAMES, i).bytes;
		cr_expect(eq(u64, pb_number(m, PF_NAME_IID), i + 1));
		cr_expect(eq(str, pb_text(m, PF_NAME_TEXT), (char *)names[i + 1]));
	}
}

static void check_slices(uint32_t machine)
{
	static char text[LONG + 1];
	static const size_t lengths[] = { 0, 1, 60, 90, 100, 110, 127, 128, 300, 16200, LONG };
	struct pf *pf = begin(machine);
	size_t n;

	memset(text, 'x', LONG);
	pf->out.f = fopen("/dev/null", "w");
	cr_assert(ne(ptr, pf->out.f, NULL));
	for (unsigned int bit = 0; bit < 64; bit++)
		put_slice(pf, (1ull << bit) + 1, (1ull << bit) - 1, text + LONG - 3, 3);
	rewind_block(pf);
	for (unsigned int bit = 0; bit < 64; bit++) {
		expect_slice((1ull << bit) + 1, (1ull << bit) - 1, "xxx", 3, machine);
		expect_told(!bit);
	}
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		n = lengths[i];
		pf->out.block.n = 0;
		put_slice(pf, 5000, i, text + LONG - n, n);
		rewind_block(pf);
		expect_slice(5000, i, text, n, machine);
	}
	fclose(pf->out.f);
	end(pf);
}

Test(perfetto_packet, slices_are_what_was_said)
{
	check_slices(0);
}

Test(perfetto_packet, another_machine_is_named)
{
	check_slices(300);
}

Test(perfetto_packet, a_counter_is_a_number_of_63_bits)
{
	static const uint64_t values[] = { 0, 127, 128, INT64_MAX, 1ull << 63, UINT64_MAX };
	struct pf *pf = begin(0);
	struct pb e;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		cr_assert(eq(int, pf_counter(pf, UINT64_MAX, 2000, values[i]), 0));
	rewind_block(pf);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t v = values[i] > INT64_MAX ? INT64_MAX : values[i];

		e = next_event(2000, 0);
		cr_expect(eq(u64, pb_number(e, PF_EVENT_TYPE), PF_COUNTER));
		cr_expect(eq(u64, pb_number(e, PF_EVENT_TRACK), UINT64_MAX));
		cr_expect(eq(sz, pb_count(e, PF_EVENT_COUNTER), 1));
		cr_expect(eq(u64, pb_number(e, PF_EVENT_COUNTER), v));
	}
	end(pf);
}

Test(perfetto_packet, more_notes_than_fit_are_left_out)
{
	struct pf *pf = begin(0);
	struct pb e, m;

	pf_event(pf, PF_INSTANT, UINT64_MAX, 2000);
	for (unsigned int i = 0; i < PF_NOTES_MAX + 9; i++)
		pf_note_u64(pf, names[i % 6], i);
	cr_assert(eq(int, pf_event_send(pf), 0));
	rewind_block(pf);
	e = next_event(2000, 0);
	cr_assert(eq(sz, pb_count(e, PF_EVENT_NOTE), PF_NOTES_MAX));
	for (unsigned int i = 0; i < PF_NOTES_MAX; i++) {
		m = pb_nth(e, PF_EVENT_NOTE, i).bytes;
		cr_expect(eq(u64, pb_number(m, PF_NOTE_NAME), i % 6 + 1));
		cr_expect(eq(u64, pb_number(m, PF_NOTE_UINT), i));
	}
	end(pf);
}

/* More texts than there are places for their addresses, each in two tables. */
Test(perfetto_packet, fixed_texts_are_known_by_what_they_say)
{
	static char text[4 * PF_FIXED_MAX][8];
	struct pf *pf = begin(0);

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 4 * PF_FIXED_MAX; i++) {
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
	pf_event(pf, PF_SLICE_BEGIN, 1, 2000);
	pf_name(pf, "category", names[0]);
	pf_note_text(pf, names[4], arg, strlen(arg));
	pf_note_u64(pf, names[1], 1);
	ret = pf_event_send(pf);
	end(pf);
	return ret;
}

Test(perfetto_packet, a_lack_of_memory_is_told)
{
	char text[1000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	cr_assert(ge(u32, oom_each(one_slice, text, 0), 5));
}
