/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of the rings' records to the file's: those that need nothing stay where they are. */
#include "recorder/output/convert.h"
#include "recorder/drain/queue.h"
#include "recorder/groups/select.h"

#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define EVENT(name, fields) "name: " name "\nID: 7\nformat:\n" COMMON fields "\nprint fmt: \"\"\n"

static const char number[] = EVENT("number", "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n");
static const char named[] =
	EVENT("named", "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n");

enum {
	NUMBER = XTR_TYPE_FIRST_DYNAMIC,
	NAMED
};

static struct xtr_generic *generics[2];
static struct xtr_selection sel;
static struct xtr_convert c;
static uint8_t batch[4096], before[4096];
static uint32_t len;

static struct xtr_generic *event(const char *text, uint32_t type)
{
	struct xtr_generic *g = NULL;
	struct xtr_tp_format *f;

	cr_assert(zero(int, xtr_tp_format_parse(&f, text, strlen(text))));
	cr_assert(zero(int, xtr_generic_new(&g, "test", f->name, f, type,
					    type - NUMBER + XTR_SLOT_GENERIC)));
	xtr_tp_format_free(f);
	return g;
}

static void set_up(void)
{
	generics[0] = event(number, NUMBER);
	generics[1] = event(named, NAMED);
	sel = (struct xtr_selection){ .generics = generics, .n_generics = 2, .n_dynamic = 2 };
	c = (struct xtr_convert){ .sel = &sel, .loss = xtr_loss_new() };
	cr_assert(c.loss != NULL);
	cr_assert(zero(int, xtr_convert_open(&c, 4)));
	len = 0;
}

static void tear_down(void)
{
	xtr_convert_close(&c);
	xtr_loss_free(c.loss);
	xtr_generic_free(generics[0]);
	xtr_generic_free(generics[1]);
}

static void put(uint32_t type, uint32_t size, const void *fields, size_t n)
{
	struct xtr_rec h = { .ts = 100 + len, .type = (__u16)type, .size = (__u16)size, .tid = 5 };

	memset(batch + len, 0, size);
	memcpy(batch + len, &h, sizeof(h));
	memcpy(batch + len + sizeof(h), fields, n);
	len += size;
}

static void put_number(uint32_t a)
{
	put(NUMBER, 24, &a, sizeof(a));
}

static void convert(void)
{
	memcpy(before, batch, len);
	xtr_convert_batch(&c, 1, batch, len);
	cr_assert(zero(int, memcmp(before, batch, len)), "the batch was changed");
}

/* The number in the i-th record of the result, all of which are numbers. */
static uint32_t number_at(uint32_t i)
{
	uint32_t a;

	memcpy(&a, c.recs + i * 24 + 16, sizeof(a));
	return a;
}

TestSuite(convert, .init = set_up, .fini = tear_down);

Test(convert, records_that_need_nothing_are_not_copied)
{
	uint64_t words[4] = { 1, 2, 3, 4 };

	for (uint32_t i = 0; i < 10; i++)
		put_number(i);
	put(XTR_EV_JOB_RUN, 48, words, sizeof(words));
	put_number(10);
	convert();
	cr_assert(c.recs == batch);
	cr_assert(eq(u32, c.n, 12));
	cr_assert(eq(u32, c.len, len));
	cr_assert(zero(u32, c.n_bad));
}

Test(convert, a_gap_is_taken_out_from_between_them)
{
	struct {
		uint64_t count, first, last;
	} gap = { 3, 10, 20 };

	put_number(1);
	put_number(2);
	put(XTR_REC_GAP, 40, &gap, sizeof(gap));
	put_number(3);
	convert();
	cr_assert(eq(u32, c.n, 3));
	cr_assert(eq(u32, c.len, 3 * 24));
	cr_assert(eq(u32, c.n_gaps, 1));
	cr_assert(eq(u32, number_at(0), 1));
	cr_assert(eq(u32, number_at(2), 3));
	cr_assert(eq(u64, xtr_loss_gap_at(c.loss, 0)->count, 3));
	cr_assert(eq(u32, xtr_loss_gap_at(c.loss, 0)->stream, 1));
}

Test(convert, a_record_that_is_too_short_is_told_by_its_place)
{
	uint32_t a = 9;

	put_number(1);
	put(NUMBER, 16, &a, 0);
	put_number(2);
	put(900, 24, &a, sizeof(a)); /* a type that nobody knows */
	convert();
	cr_assert(eq(u32, c.n, 2));
	cr_assert(eq(u32, number_at(1), 2));
	cr_assert(eq(u32, c.n_bad, 2));
	cr_assert(eq(u32, c.bad[0], 24));
	cr_assert(eq(u32, c.bad[1], 24 + 16 + 24));
}

Test(convert, a_longer_record_is_cut_to_what_the_file_says)
{
	uint32_t a = 9;
	struct xtr_rec h;

	put_number(1);
	put(NUMBER, 32, &a, sizeof(a));
	put_number(2);
	convert();
	cr_assert(eq(u32, c.n, 3));
	cr_assert(eq(u32, c.len, 3 * 24));
	memcpy(&h, c.recs + 24, sizeof(h));
	cr_assert(eq(int, h.size, 24));
	cr_assert(eq(u32, number_at(1), 9));
	cr_assert(eq(u32, number_at(2), 2));
}

Test(convert, what_stands_behind_a_name_is_cleared)
{
	static const char dirty[16] = "cat\0behind-it-xx";

	put_number(1);
	put(NAMED, 32, dirty, sizeof(dirty));
	convert();
	cr_assert(eq(u32, c.n, 2));
	cr_assert(zero(int, memcmp(c.recs + 24 + 16, "cat\0\0\0\0\0\0\0\0\0\0\0\0", 16)));
}

/* --- a gap and two pieces --------------------------------------------------------------------- */

static struct xtr_loss *last;

/* Two pieces are being written, with their border at 100. */
static void begin_piece(void)
{
	last = xtr_loss_new();
	cr_assert(last != NULL);
	c.loss_before = last;
	c.border = 100;
}

static void end_piece(void)
{
	c.loss_before = NULL;
	xtr_loss_free(last);
}

static void expect_gap(const struct xtr_loss *l, size_t i, uint64_t first, uint64_t end,
		       uint64_t count)
{
	const struct xtr_gap *g;

	cr_assert(lt(sz, i, xtr_loss_n_gaps(l)));
	g = xtr_loss_gap_at(l, i);
	cr_expect(eq(u64, g->first, first));
	cr_expect(eq(u64, g->last, end));
	cr_expect(eq(u64, g->count, count));
}

static void tell_gap(uint64_t first, uint64_t end, uint64_t count)
{
	xtr_convert_gap(&c, &(struct xtr_gap){ 1, first, end, count });
}

static void tell_begun(uint64_t first, uint64_t end, uint64_t count)
{
	xtr_convert_gap_begun(&c, &(struct xtr_gap){ 1, first, end, count });
}

Test(convert, a_gap_goes_to_the_piece_that_it_is_in)
{
	begin_piece();
	tell_gap(10, 99, 5);
	tell_gap(100, 120, 6);
	tell_gap(90, 110, 7);
	tell_gap(99, 99, 1);
	cr_assert(eq(sz, xtr_loss_n_gaps(last), 3));
	cr_assert(eq(sz, xtr_loss_n_gaps(c.loss), 2));
	expect_gap(last, 0, 10, 99, 5);
	expect_gap(c.loss, 0, 100, 120, 6);
	expect_gap(last, 1, 90, 99, 1);
	expect_gap(c.loss, 1, 100, 110, 6);
	expect_gap(last, 2, 99, 99, 1);
	end_piece();
}

/* Nothing of it is told twice when its end is announced, be it pieces later. */
Test(convert, a_gap_that_goes_on_is_in_each_piece)
{
	begin_piece();
	tell_begun(90, 130, 10);
	tell_begun(90, 130, 10); /* it is told */
	expect_gap(last, 0, 90, 99, 1);
	cr_assert(eq(sz, xtr_loss_n_gaps(last), 1));
	c.border = 200;
	tell_begun(90, 230, 20);
	expect_gap(last, 1, 100, 199, 1);
	c.loss_before = NULL;
	tell_gap(90, 240, 25);
	expect_gap(c.loss, 0, 200, 240, 23);
	tell_gap(250, 260, 2); /* another one */
	expect_gap(c.loss, 1, 250, 260, 2);
	end_piece();
}

Test(convert, a_gap_that_ended_is_in_one_piece)
{
	begin_piece();
	tell_begun(90, 95, 4);
	expect_gap(last, 0, 90, 95, 4);
	tell_begun(110, 120, 3); /* of the next piece */
	cr_assert(eq(sz, xtr_loss_n_gaps(last), 1));
	c.loss_before = NULL;
	tell_gap(90, 95, 4);
	cr_assert(zero(sz, xtr_loss_n_gaps(c.loss)));
	end_piece();
}
