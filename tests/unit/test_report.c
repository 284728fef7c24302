/* SPDX-License-Identifier: BSD-2-Clause */
/* What a page is made of: activity, the jobs that are kept, the document, the page around it. */
#include "trace.h"
#include "report/report_impl.h"
#include "base/bytes.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN  1000000000ull /* ns */
#define AT(ns) (BEGIN + (ns))

static struct xtr_job job_of(uint64_t start, uint64_t done)
{
	return (struct xtr_job){
		.queue_ns = start - 10,
		.run_ns = start - 5,
		.start_ns = start,
		.done_ns = done,
		.exec_min_ns = done - start,
		.exec_max_ns = done - start,
		.seqno = done,
		.pid = 7,
		.quality = XTR_QUALITY_INFERRED,
	};
}

/* --- activity ----------------------------------------------------------------------------------
 */

static struct report_cells cells;

static void cells_begin(size_t rings, uint64_t span)
{
	cr_assert(report_cells_init(&cells, rings, BEGIN, AT(span)) == 0);
}

static void depth(uint32_t index, uint64_t ns, uint32_t queued, uint32_t on_hw)
{
	cr_assert(report_cells_depth(&cells, index, queued, on_hw, AT(ns)) == 0);
}

static void ran(uint32_t index, uint16_t pid, uint64_t start, uint64_t done)
{
	const struct xtr_job j = job_of(AT(start), AT(done));

	cr_assert(report_cells_job(&cells, index, &j, pid) == 0);
}

static void cells_end(void)
{
	report_cells_free(&cells);
}

TestSuite(report_cells, .fini = cells_end);

Test(report_cells, as_many_parts_as_there_is_room_for)
{
	const struct {
		size_t rings;
		uint32_t bins;
	} c[] = { { 1, 16384 }, { 4, 16384 }, { 5, 8192 }, { 512, 128 }, { 100000, 128 } };

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		cells_begin(c[i].rings, 1000000);
		cr_expect(cells.bins == c[i].bins, "%zu rings: %u", c[i].rings, cells.bins);
		cr_expect(cells.n == (c[i].rings < 512 ? c[i].rings : 512));
		cr_expect(cells.width * cells.bins > 1000000);
		report_cells_free(&cells);
	}
}

/* 16384 parts of 10 ns. */
#define SPAN 163839u

Test(report_cells, busy_is_the_time_with_a_job_on_the_hardware)
{
	const struct report_cell *c;

	cells_begin(1, SPAN);
	cr_assert(cells.width == 10);
	depth(0, 5, 1, 0);
	depth(0, 12, 0, 1); /* on the hardware from 12 to 38, twice from 20 to 25 */
	depth(0, 20, 2, 2);
	depth(0, 25, 0, 1);
	depth(0, 38, 0, 0);
	c = cells.ring[0].cell;
	cr_expect(c[0].busy == 0 && c[0].queued == 1 && c[0].on_hw == 0);
	cr_expect(c[1].busy == 8 && c[1].queued == 1 && c[1].on_hw == 1);
	cr_expect(c[2].busy == 10 && c[2].queued == 2 && c[2].on_hw == 2);
	cr_expect(c[3].busy == 8 && c[3].queued == 0 && c[3].on_hw == 1);
	cr_expect(c[4].busy == 0 && c[4].on_hw == 0);
}

Test(report_cells, what_holds_at_the_end_lasts_until_then)
{
	uint64_t sum = 0;

	cells_begin(2, SPAN);
	depth(1, 100, 0, 1);
	report_cells_end(&cells, AT(SPAN));
	for (size_t i = 0; i < cells.bins; i++)
		sum += cells.ring[1].cell[i].busy;
	cr_expect(sum == SPAN - 100, "%lu", (unsigned long)sum);
	cr_expect(!cells.ring[0].cell);
}

Test(report_cells, jobs_count_where_they_end_and_execute_where_they_do)
{
	const struct report_cell *c;

	cells_begin(1, SPAN);
	ran(0, 3, 5, 27);
	ran(0, 4, 27, 29);
	c = cells.ring[0].cell;
	cr_expect(c[0].jobs == 0 && c[0].pid[0] == 3 && c[0].ns[0] == 5);
	cr_expect(c[1].ns[0] == 10 && !c[1].ns[1]);
	cr_expect(c[2].jobs == 2 && c[2].ns[0] == 7 && c[2].pid[1] == 4 && c[2].ns[1] == 2);
	cr_expect(cells.ring[0].jobs == 2);
}

Test(report_cells, jobs_of_one_process_at_once_do_not_count_twice)
{
	cells_begin(1, SPAN);
	ran(0, 3, 0, 8);
	ran(0, 3, 4, 9);
	ran(0, 4, 4, 9);
	cr_expect(cells.ring[0].cell[0].ns[0] == 9);
	cr_expect(cells.ring[0].cell[0].ns[1] == 5);
}

Test(report_cells, a_bounded_job_executes_between_run_and_done)
{
	struct xtr_job j = job_of(AT(16), AT(19));

	cells_begin(1, SPAN);
	j.quality = XTR_QUALITY_BOUNDED;
	cr_assert(report_cells_job(&cells, 0, &j, 1) == 0);
	cr_expect(cells.ring[0].cell[1].ns[0] == 8);
}

Test(report_cells, jobs_without_an_end_or_outside_do_no_harm)
{
	struct xtr_job j = job_of(AT(16), AT(19));

	cells_begin(1, SPAN);
	j.done_ns = 0;
	cr_assert(report_cells_job(&cells, 0, &j, 1) == 0);
	cr_expect(cells.ring[0].jobs == 1);
	j = job_of(100, 200); /* before the begin */
	cr_assert(report_cells_job(&cells, 0, &j, 1) == 0);
	j = job_of(AT(100), UINT64_MAX);
	cr_assert(report_cells_job(&cells, 0, &j, 2) == 0);
	cr_expect(cells.ring[0].cell[cells.bins - 1].jobs == 1);
	cr_assert(report_cells_job(&cells, 9, &j, 2) == 0);
	cr_assert(report_cells_depth(&cells, UINT32_MAX, 1, 1, AT(1)) == 0);
	report_cells_end(&cells, AT(SPAN));
}

Test(report_cells, more_processes_than_places_are_others)
{
	cells_begin(1, SPAN);
	for (uint16_t pid = 1; pid <= 6; pid++)
		ran(0, pid, 0, pid);
	cr_expect(cells.ring[0].cell[0].other == 5 + 6);
}

Test(report_cells, folding_adds_up)
{
	const struct report_cell *c;

	cells_begin(1, SPAN);
	depth(0, 0, 1, 1);
	depth(0, 12, 3, 1);
	depth(0, 15, 0, 0);
	ran(0, 3, 5, 12);
	ran(0, 4, 12, 15);
	report_cells_fold(&cells);
	c = cells.ring[0].cell;
	cr_expect(cells.bins == 8192 && cells.width == 20);
	cr_expect(c[0].busy == 15 && c[0].jobs == 2 && c[0].queued == 3 && c[0].on_hw == 1);
	cr_expect(c[0].pid[0] == 3 && c[0].ns[0] == 7 && c[0].pid[1] == 4 && c[0].ns[1] == 3);
	cr_expect(c[1].busy == 0);
}

/* Reads all varints into v; returns how many. */
static size_t varints(const struct xtr_buf *b, uint64_t *v, size_t cap)
{
	const uint8_t *p = b->p, *end = b->p + b->n;
	size_t n = 0;

	while (p < end && n < cap) {
		p = xtr_varint_get(p, end, &v[n++]);
		cr_assert(p);
	}
	return n;
}

Test(report_cells, empty_parts_are_skipped)
{
	const uint64_t expected[] = { 0, 255, 0, 0, 1, 0,         /* 0 to 10: all of it */
				      1, 128, 1, 0, 1, 1, 9, 128, /* part 2, process 9 */
				      0, 26,  0, 0, 1, 0 };       /* part 3: 1 ns of 10 */
	struct xtr_buf b = { 0 };
	uint64_t v[64];
	size_t n;

	cells_begin(1, SPAN);
	depth(0, 0, 0, 1);
	depth(0, 10, 0, 0);
	depth(0, 25, 0, 1);
	depth(0, 31, 0, 0);
	ran(0, 9, 20, 25);
	report_cells_put(&cells, 0, &b);
	n = varints(&b, v, 64);
	cr_assert(n == sizeof(expected) / sizeof(expected[0]), "%zu", n);
	cr_expect(!memcmp(v, expected, sizeof(expected)));
	xtr_buf_free(&b);
}

/* --- the jobs that are kept --------------------------------------------------------------------
 */

static struct report_keep keep;

static void keep_end(void)
{
	report_keep_free(&keep);
}

TestSuite(report_keep, .fini = keep_end);

static size_t kept(unsigned int fewer, struct report_job **job)
{
	size_t n;

	*job = report_keep_all(&keep, fewer, &n);
	cr_assert(*job);
	return n;
}

Test(report_keep, all_while_they_are_few)
{
	struct report_job *job;
	struct xtr_job j;
	size_t n;

	cr_assert(report_keep_init(&keep, 160) == 0);
	for (uint64_t i = 0; i < 100; i++) {
		j = job_of(AT(100 * i), AT(100 * i + 50 + i));
		cr_assert(report_keep_job(&keep, 0, &j, i) == 0);
	}
	n = kept(0, &job);
	cr_assert(n == 100 && keep.stride == 1);
	for (uint64_t i = 0; i < n; i++)
		cr_expect(job[i].number == i && job[i].done == AT(100 * i + 50 + i));
	free(job);
}

Test(report_keep, of_more_the_longest_the_failed_and_a_sample)
{
	bool longest = false, waited = false, failed = false, of_rare = false;
	struct report_job *job;
	struct xtr_job j;
	uint64_t rest = 0;
	size_t n, k;

	cr_assert(report_keep_init(&keep, 160) == 0);
	for (uint64_t i = 0; i < 10000; i++) {
		j = job_of(AT(100 * i), AT(100 * i + 50));
		if (i == 4321)
			j.exec_max_ns = 90;
		if (i == 5555)
			j.queue_ns -= 9;
		if (i == 6001)
			j.flags = XTR_FLAG_ERROR;
		cr_assert(report_keep_job(&keep, 0, &j, i) == 0);
		if (i != 7001)
			continue;
		cr_assert(report_keep_job(&keep, 1, &j, 0) == 0);
	}
	n = kept(0, &job);
	cr_expect(n <= 160 && n >= 60, "%zu", n);
	for (k = 0; k < n; k++) {
		cr_expect(!k || job[k].ring > job[k - 1].ring || job[k].number > job[k - 1].number);
		longest |= job[k].exec_max == 90;
		waited |= job[k].run - job[k].queue == 14;
		failed |= job[k].flags == XTR_FLAG_ERROR;
		of_rare |= job[k].ring == 1;
		rest += job[k].ring == 0 && job[k].number > 9000;
	}
	cr_expect(longest && waited && failed && of_rare);
	cr_expect(rest >= 5, "the last tenth has %lu", (unsigned long)rest);
	free(job);
	k = kept(2, &job);
	cr_expect(k < n && k > 20, "%zu", k);
	free(job);
}

Test(report_keep, dependencies_come_along)
{
	struct xtr_dep deps[12] = { 0 };
	struct report_job *job;
	struct xtr_job j = job_of(AT(100), AT(200));

	for (size_t i = 0; i < 12; i++)
		deps[i].seqno = i;
	j.deps = deps;
	j.n_deps = j.n_waits = 12;
	cr_assert(report_keep_init(&keep, 100) == 0);
	cr_assert(report_keep_job(&keep, 0, &j, 0) == 0);
	cr_assert(kept(0, &job) == 1);
	cr_expect(job->n_deps == REPORT_DEPS_MAX && job->n_waits == 12);
	cr_expect(job->deps[7].seqno == 7);
	free(job);
}

/* A job's varints, one by one. */
Test(report_keep, a_job_in_numbers)
{
	const uint64_t expected[] = {
		0,
		1 | 2 | 4 | 8 | 16 | 64 | 128,
		2 * 300, /* ring, what is known, done */
		2 * 100,
		2 * 105,
		2 * 110,
		2 * 111, /* before done: start ... submit */
		100,
		0, /* execution, and its spread */
		3, /* dependency wait */
		2 * 5,
		2 * AT(300), /* context, seqno */
		1,
		0,
		44, /* process, name, thread */
		2 * XTR_QUALITY_COUNT + 1,
		2,          /* copy, inferred; flags */
		2 * 12 - 1, /* -12 */
		1,
		1, /* waits, and those told */
		1,
		2 * (1000 - AT(300)),
		1,
		2 * 110,
		2 * 3 /* its fence, its times */
	};
	const struct xtr_model_opts mo = { .sz = sizeof(mo) };
	struct xtr_dep dep = { .ctx = 4, .seqno = 1000, .scheduled = true };
	struct xtr_job j = job_of(AT(200), AT(300));
	struct report_names names;
	struct xtr_model *rings;
	struct report_job *job;
	struct xtr_buf b = { 0 };
	uint64_t v[64];
	size_t n;

	j.submit_ns = AT(189);
	j.ctx = 5;
	j.tid = 44;
	j.kind = XTR_KIND_COPY;
	j.flags = 2;
	j.error = -12;
	j.result_known = true;
	j.dep_wait_ns = 3;
	j.deps = &dep;
	j.n_deps = j.n_waits = 1;
	dep.from_ns = AT(190);
	dep.until_ns = AT(193);
	cr_assert(report_keep_init(&keep, 100) == 0 && report_names_init(&names) == 0);
	cr_assert(report_keep_job(&keep, 0, &j, 0) == 0 && xtr_model_new(&rings, &mo) == 0);
	n = kept(0, &job);
	cr_assert(report_keep_put(job, n, BEGIN, &names, rings, &b) == 0);
	n = varints(&b, v, 64);
	cr_assert(n == sizeof(expected) / sizeof(expected[0]), "%zu", n);
	for (n = 0; n < sizeof(expected) / sizeof(expected[0]); n++)
		if (n != 21) /* the fence's seqno is less: an odd number */
			cr_expect(v[n] == expected[n], "%zu: %lu", n, (unsigned long)v[n]);
	cr_expect(xtr_unzigzag(v[21]) == 1000 - AT(300));
	free(job);
	xtr_buf_free(&b);
	xtr_model_free(rings);
	report_names_free(&names);
}

Test(report_names, processes_have_numbers_in_order)
{
	struct report_names names;

	cr_assert(report_names_init(&names) == 0);
	cr_expect(report_names_process(&names, 0) == 0);
	cr_expect(report_names_process(&names, 77) == 1);
	cr_expect(report_names_process(&names, 5) == 2);
	cr_expect(report_names_process(&names, 77) == 1);
	cr_expect(report_names_comm(&names, 5) == 1);
	for (uint32_t i = 0; i < REPORT_PIDS_MAX; i++)
		report_names_process(&names, 1000 + i);
	cr_expect(names.n_processes == REPORT_PIDS_MAX);
	cr_expect(report_names_process(&names, 5000) == 0);
	report_names_free(&names);
}

/* --- counters ----------------------------------------------------------------------------------
 */

Test(report_marks, a_counter_has_its_last_and_its_most)
{
	struct xtr_mark m = { .kind = XTR_MARK_COUNTER, .track = "GPU memory", .unit = "bytes" };
	static const struct {
		uint64_t at, value;
	} given[] = { { 0, 10 }, { 5, 90 }, { 9, 20 }, { 25, 7 } };
	struct report_marks marks;

	report_marks_init(&marks, BEGIN, AT(10239)); /* parts of 10 ns */
	cr_assert(marks.width == 10);
	for (size_t i = 0; i < 4; i++) {
		m.ts = AT(given[i].at);
		m.value = given[i].value;
		cr_assert(report_marks_mark(&marks, &m) == 0);
	}
	cr_assert(marks.n_tracks == 1 && marks.track[0].n == 4);
	cr_expect(marks.track[0].point[0].last == 20 && marks.track[0].point[0].most == 90);
	cr_expect(!marks.track[0].point[1].set && marks.track[0].point[2].last == 7);
	cr_expect(marks.track[0].least == 7 && marks.track[0].most == 90);
	report_marks_free(&marks);
}

Test(report_marks, too_many_are_counted)
{
	struct xtr_mark m = { .kind = XTR_MARK_DEVICE, .track = "gpu", .name = "Xid 79" };
	struct report_marks marks;
	char name[32];

	report_marks_init(&marks, BEGIN, AT(100));
	for (size_t i = 0; i < REPORT_MARKS_MAX + 3; i++)
		cr_assert(report_marks_mark(&marks, &m) == 0);
	cr_expect(marks.n_marks == REPORT_MARKS_MAX && marks.marks_left_out == 3);
	m.kind = XTR_MARK_COUNTER;
	m.track = name;
	for (size_t i = 0; i < REPORT_TRACKS_MAX + 2; i++) {
		snprintf(name, sizeof(name), "counter %zu", i);
		cr_assert(report_marks_mark(&marks, &m) == 0);
	}
	cr_expect(marks.n_tracks == REPORT_TRACKS_MAX && marks.tracks_left_out == 2);
	report_marks_free(&marks);
}

/* --- the page ----------------------------------------------------------------------------------
 */

static size_t times(const char *text, const char *what)
{
	size_t n = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		n++;
	return n;
}

static char *page(const char *stats, const char *data, size_t *size)
{
	struct xtr_buf s = { 0 }, d = { 0 };
	char *text;
	FILE *f = open_memstream(&text, size);

	xtr_buf_add(&s, stats, strlen(stats));
	xtr_buf_add(&d, data, strlen(data));
	xtr_report_page(f, &s, &d);
	fclose(f);
	cr_expect(*size <= xtr_report_page_bytes() + xtr_report_document_bytes(&s) +
				   xtr_report_document_bytes(&d));
	xtr_buf_free(&s);
	xtr_buf_free(&d);
	return text;
}

Test(report_page, no_name_of_a_trace_ends_an_element)
{
	size_t n, plain_n;
	char *plain = page("{}", "{}", &plain_n);
	char *text = page("{\"a\":\"</script><script>alert(1)</script><!--\"}",
			  "{\"b\":\"</SCRIPT \\u0000\"}", &n);

	cr_expect(times(text, "<script") == times(plain, "<script"));
	cr_expect(times(text, "</script") == times(plain, "</script"));
	cr_expect(times(plain, "</script") == 3);
	cr_expect(!strstr(text, "</SCRIPT") && !strstr(text, "<!--"));
	cr_expect(times(text, "\\u003c/script>\\u003cscript>alert(1)") == 1);
	free(plain);
	free(text);
}

Test(report_page, nothing_is_loaded_from_anywhere)
{
	size_t n;
	char *text = page("{}", "{}", &n);

	cr_expect(strstr(text, "default-src 'none'"));
	cr_expect(!strstr(text, " src=") && !strstr(text, "<link") && !strstr(text, "@import"));
	cr_expect(!strstr(text, "url(") && !strstr(text, "fetch(") && !strstr(text, "innerHTML"));
	cr_expect(n < 150000, "%zu", n);
	free(text);
}

/* --- the document ------------------------------------------------------------------------------
 */

static struct xtr_reader *read_small(void)
{
	struct xtr_writer_opts wo;
	struct xtr_io *io;
	struct xtr_reader *r;

	xtr_writer_opts_init(&wo);
	io = trace_make(4, 200, 1, &wo);
	cr_assert(io);
	r = trace_read_back(io);
	cr_assert(r);
	xtr_io_close(io);
	return r;
}

static int export(const struct xtr_reader *r, struct xtr_report *report)
{
	struct xtr_export e = { .sz = sizeof(e),
				.exporter = &xtr_exporter_report,
				.opts = { .sz = sizeof(e.opts), .report = report },
				.reader = r };

	return xtr_export(&e);
}

Test(report, a_document_of_random_events)
{
	struct xtr_reader *r = read_small();
	struct xtr_report report = { .most = 1000000 };
	char *text;
	int n;

	cr_assert((n = export(r, &report)) == 0, "%d", n);
	text = xtr_copy_text((const char *)report.data.p, report.data.n);
	cr_expect(strlen(text) == report.data.n);
	cr_expect(!strncmp(text, "{\"schema\":\"xtr.report/1\"", 24));
	cr_expect(times(text, "\"cells\":") > 0 && times(text, "\"jobs\":{") == 1);
	cr_expect(strstr(text, "\"qualities\":[\"exact\",\"inferred\""));
	free(text);
	xtr_buf_free(&report.data);
	xtr_reader_close(r);
}

Test(report, less_room_means_fewer_jobs)
{
	struct xtr_reader *r = read_small();
	struct xtr_report wide = { .most = 1000000 }, tight = { .most = 60000 };

	cr_assert(export(r, &wide) == 0);
	cr_assert(export(r, &tight) == 0);
	cr_expect(tight.data.n < wide.data.n && tight.data.n < 60000, "%zu of %zu", tight.data.n,
		  wide.data.n);
	xtr_buf_free(&wide.data);
	xtr_buf_free(&tight.data);
	xtr_reader_close(r);
}

Test(report, options_that_say_nothing_are_refused)
{
	struct xtr_reader *r = read_small();

	cr_expect(export(r, NULL) == -EINVAL);
	xtr_reader_close(r);
}
