/* SPDX-License-Identifier: BSD-2-Clause */
/* libxtr as other programs use it, over a file whose events are known. */
#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/version.h"
#include "lib/xtr.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RUN = 48 /* bytes of drm_sched_job_run */
};

static void put(uint8_t *p, uint64_t v, size_t n)
{
	while (n--) {
		*p++ = (uint8_t)v;
		v >>= 8;
	}
}

/* drm_sched_job_run of fence 11:seqno on ring 1. */
static void job_run(uint8_t *p, uint64_t ts, uint32_t tid, uint64_t seqno)
{
	memset(p, 0, RUN);
	put(p, ts, 8);
	put(p + 8, XTR_EV_JOB_RUN, 2);
	put(p + 10, RUN, 2);
	put(p + 12, tid, 4);
	put(p + 16, 11, 8);
	put(p + 24, seqno, 8);
	put(p + 32, 1, 4);
	put(p + 36, 2, 4); /* job_count */
}

static void fill(struct trace *t)
{
	const struct xtr_device dev = { .name = "gpu\x1b[2J", .driver = "xe" };
	struct xtr_task task = { .tid = 7, .pid = 5, .since = 1 };
	struct xtr_ring ring = { .id = 1, .since = 1 };
	struct xtr_gap gap = { 3, 2000, 2500, 4 };

	cr_assert(eq(int, xtr_tables_intern(t->tables, "lo\nad", 5, &task.comm), 0));
	cr_assert(eq(int, xtr_tables_intern(t->tables, "gpu0", 4, &ring.device), 0));
	cr_assert(eq(int, xtr_tables_intern(t->tables, "gfx", 3, &ring.name), 0));
	cr_assert(eq(int, xtr_tables_add_task(t->tables, &task), 0));
	cr_assert(eq(int, xtr_tables_add_ring(t->tables, &ring), 0));
	cr_assert(eq(int, xtr_loss_set(t->loss, 3, XTR_EV_JOB_RUN, XTR_LOSS_RING_FULL, 4), 0));
	cr_assert(eq(int, xtr_loss_add_gap(t->loss, &gap), 0));
	cr_assert(eq(int, xtr_meta_add_device(t->meta, &dev), 0));
	cr_assert(eq(int, xtr_meta_set_config_str(t->meta, "note", "a\\b"), 0));
	cr_assert(eq(int, xtr_meta_set_config_u64(t->meta, "level", 42), 0));
	cr_assert(eq(int, xtr_writer_meta(t->w), 0));
}

/* Two events of CPU 2 and one of CPU 3, which lost four before. Returns the bytes. */
static uint8_t *write_trace(size_t *n)
{
	uint8_t recs[3 * RUN], *copy;
	struct xtr_batch two = { .stream = 2, .recs = recs, .len = 2 * RUN, .n = 2 };
	struct xtr_batch one = { .stream = 3, .recs = recs + 2 * RUN, .len = RUN, .n = 1 };
	const uint8_t *data;
	struct trace t;

	job_run(recs, 1000, 7, 1);
	job_run(recs + RUN, 3000, 0, 2);
	job_run(recs + 2 * RUN, 2600, 99, UINT64_MAX);
	cr_assert(eq(int, trace_open(&t, NULL, NULL), 0));
	fill(&t);
	cr_assert(eq(int, xtr_writer_events(t.w, &two), 0));
	cr_assert(eq(int, xtr_writer_events(t.w, &one), 0));
	cr_assert(eq(int, xtr_writer_finish(t.w, "signal", NULL), 0));
	data = xtr_io_mem_data(t.io, n);
	copy = malloc(*n);
	cr_assert(ne(ptr, copy, NULL));
	memcpy(copy, data, *n);
	trace_close(&t, false);
	return copy;
}

/* Opens bytes as a file; they are freed. */
static struct xtr_file *open_bytes(uint8_t *data, size_t n, struct xtr_error *error)
{
	char path[] = "/tmp/xtr-public.XXXXXX";
	const int fd = mkstemp(path);
	struct xtr_file *file;

	cr_assert(ge(int, fd, 0));
	cr_assert(eq(sz, (size_t)write(fd, data, n), n));
	close(fd);
	free(data);
	file = xtr_open(path, error);
	unlink(path);
	return file;
}

static struct xtr_file *open_trace(void)
{
	struct xtr_error error = { 0 };
	struct xtr_file *file;
	uint8_t *data;
	size_t n;

	data = write_trace(&n);
	file = open_bytes(data, n, &error);
	cr_assert(ne(ptr, file, NULL), "%s", error.text);
	return file;
}

#define SAYS(call, text) cr_assert(eq(str, (char *)(call), (char *)(text)))
#define NOTHING(call)    cr_assert(eq(ptr, (void *)(uintptr_t)(call), NULL))

Test(public, what_a_section_says)
{
	struct xtr_file *file = open_trace();
	char buf[64], small[4];

	cr_assert(eq(sz, xtr_sections(file), 1));
	SAYS(xtr_about(file, 0, "writer", buf, sizeof(buf)), "test");
	SAYS(xtr_about(file, 0, "writer-version", buf, sizeof(buf)), "1");
	SAYS(xtr_about(file, 0, "clock", buf, sizeof(buf)), "monotonic");
	SAYS(xtr_about(file, 0, "kernel", buf, sizeof(buf)), "6.18");
	SAYS(xtr_about(file, 0, "kernel-version", buf, sizeof(buf)), "#1");
	SAYS(xtr_about(file, 0, "machine", buf, sizeof(buf)), "x86_64");
	SAYS(xtr_about(file, 0, "end", buf, sizeof(buf)), "signal");
	SAYS(xtr_about(file, 0, "note", buf, sizeof(buf)), "a\\x5cb");
	NOTHING(xtr_about(file, 0, "hostname", buf, sizeof(buf)));
	SAYS(buf, "");
	NOTHING(xtr_about(file, 0, "hypervisor", buf, sizeof(buf)));
	NOTHING(xtr_about(file, 0, "level", buf, sizeof(buf)));
	NOTHING(xtr_about(file, 1, "writer", buf, sizeof(buf)));
	SAYS(xtr_about(file, 0, "clock", small, sizeof(small)), "mon");
	cr_assert(ne(ptr, xtr_about(file, 0, "clock", buf, 0), NULL));
	xtr_close(file);
	xtr_close(NULL);
	SAYS(xtr_version(), XTR_VERSION);
}

Test(public, devices_and_types)
{
	struct xtr_file *file = open_trace();
	char buf[64];
	size_t n = 0;

	SAYS(xtr_device(file, 0, 0, "name", buf, sizeof(buf)), "gpu\\x1b[2J");
	SAYS(xtr_device(file, 0, 0, "driver", buf, sizeof(buf)), "xe");
	SAYS(xtr_device(file, 0, 0, "firmware", buf, sizeof(buf)), "");
	NOTHING(xtr_device(file, 0, 0, "colour", buf, sizeof(buf)));
	NOTHING(xtr_device(file, 0, 1, "name", buf, sizeof(buf)));
	NOTHING(xtr_device(file, 1, 0, "name", buf, sizeof(buf)));
	SAYS(xtr_event_type(file, 0, 1, buf, sizeof(buf)), "gpu_scheduler:drm_sched_job_run");
	while (xtr_event_type(file, 0, n, buf, sizeof(buf)))
		n++;
	cr_assert(eq(sz, n, xtr_builtin_event_count));
	NOTHING(xtr_event_type(file, 1, 0, buf, sizeof(buf)));
	xtr_close(file);
}

static uint64_t count(const struct xtr_file *file, const char *key)
{
	uint64_t v = 7;

	cr_assert(eq(int, xtr_count(file, 0, key, &v), 0), "%s", key);
	return v;
}

Test(public, numbers)
{
	struct xtr_file *file = open_trace();
	uint64_t v = 7;

	cr_assert(eq(u64, count(file, "events"), 3));
	cr_assert(eq(u64, count(file, "lost"), 4));
	cr_assert(eq(u64, count(file, "lost-ring-full"), 4));
	cr_assert(eq(u64, count(file, "lost-damaged"), 0));
	cr_assert(eq(u64, count(file, "missing"), 0));
	cr_assert(eq(u64, count(file, "filtered"), 0));
	cr_assert(eq(u64, count(file, "aged"), 0));
	cr_assert(eq(u64, count(file, "first"), 1000));
	cr_assert(eq(u64, count(file, "last"), 3000));
	cr_assert(eq(u64, count(file, "cpus"), 4));
	cr_assert(eq(u64, count(file, "level"), 42));
	cr_assert(eq(int, xtr_count(file, 0, "lost-patience", &v), -ENOENT));
	cr_assert(eq(u64, v, 0));
	cr_assert(eq(int, xtr_count(file, 0, "note", &v), -ENOENT));
	cr_assert(eq(int, xtr_count(file, 1, "events", &v), -ENOENT));
	xtr_close(file);
}

/* The first event: of a task that is known. */
static void first_event(struct xtr_cursor *c)
{
	uint64_t v = 7, first, last;

	cr_assert(eq(int, xtr_cursor_next(c, NULL), 1));
	cr_assert(eq(u64, xtr_cursor_time(c), 1000));
	cr_assert(eq(u32, xtr_cursor_cpu(c), 2));
	cr_assert(eq(u32, xtr_cursor_thread(c), 7));
	cr_assert(eq(u32, xtr_cursor_process(c), 5));
	SAYS(xtr_cursor_comm(c), "lo\\x0aad");
	SAYS(xtr_cursor_event(c), "gpu_scheduler:drm_sched_job_run");
	SAYS(xtr_cursor_field(c, 0), "ctx");
	cr_assert(eq(int, xtr_cursor_number(c, "seqno", &v), 0));
	cr_assert(eq(u64, v, 1));
	SAYS(xtr_cursor_text(c, "job_count"), "2");
	SAYS(xtr_cursor_text(c, "ring"), "gpu0/gfx#1");
	SAYS(xtr_cursor_text(c, "ctx"), "11");
	NOTHING(xtr_cursor_text(c, "colour"));
	cr_assert(eq(int, xtr_cursor_number(c, "colour", &v), -ENOENT));
	cr_assert(eq(u64, v, 0));
	cr_assert(eq(int, xtr_cursor_lost(c, &v, &first, &last), -ENOENT));
}

/* Then the place where four were lost. */
static void lost_events(struct xtr_cursor *c)
{
	uint64_t n, first, last;

	cr_assert(eq(int, xtr_cursor_next(c, NULL), 1));
	NOTHING(xtr_cursor_event(c));
	NOTHING(xtr_cursor_field(c, 0));
	NOTHING(xtr_cursor_text(c, "ctx"));
	cr_assert(eq(int, xtr_cursor_number(c, "ctx", &n), -ENOENT));
	cr_assert(eq(int, xtr_cursor_lost(c, &n, &first, &last), 0));
	cr_assert(eq(u64, n, 4));
	cr_assert(eq(u64, first, 2000));
	cr_assert(eq(u64, last, 2500));
	cr_assert(eq(u32, xtr_cursor_cpu(c), 3));
}

Test(public, events_in_order_of_time)
{
	struct xtr_file *file = open_trace();
	struct xtr_cursor *c = xtr_cursor_open(file, 0, 0, 0, NULL);
	uint64_t v;

	cr_assert(ne(ptr, c, NULL));
	first_event(c);
	lost_events(c);
	cr_assert(eq(int, xtr_cursor_next(c, NULL), 1)); /* of a thread that nobody named */
	cr_assert(eq(u64, xtr_cursor_time(c), 2600));
	cr_assert(eq(u32, xtr_cursor_process(c), 0));
	SAYS(xtr_cursor_comm(c), "<...>");
	cr_assert(eq(int, xtr_cursor_number(c, "seqno", &v), 0));
	cr_assert(eq(u64, v, UINT64_MAX));
	cr_assert(eq(int, xtr_cursor_next(c, NULL), 1)); /* the idle task's */
	SAYS(xtr_cursor_comm(c), "<idle>");
	cr_assert(eq(int, xtr_cursor_next(c, NULL), 0));
	NOTHING(xtr_cursor_event(c));
	NOTHING(xtr_cursor_field(c, 0));
	xtr_cursor_close(c);
	xtr_cursor_close(NULL);
	c = xtr_cursor_open(file, 0, 2700, 3000, NULL);
	cr_assert(eq(int, xtr_cursor_next(c, NULL), 1));
	cr_assert(eq(u64, xtr_cursor_time(c), 3000));
	cr_assert(eq(int, xtr_cursor_next(c, NULL), 0));
	xtr_cursor_close(c);
	xtr_close(file);
}

Test(public, errors_say_what_is_wrong)
{
	struct xtr_error error = { 0 };
	struct xtr_file *file;
	uint8_t *data;
	size_t n;

	NOTHING(xtr_open("/nowhere/at-all.xtr", NULL));
	NOTHING(xtr_open("/nowhere/at-all.xtr", &error));
	cr_assert(eq(int, error.code, -ENOENT));
	SAYS(error.text, "No such file or directory");
	data = write_trace(&n);
	data[8] = 9;
	put(data + 60, xtr_crc32c(data, 60), 4);
	NOTHING(open_bytes(data, n, &error));
	cr_assert(eq(int, error.code, -EBADMSG));
	SAYS(error.text, "at 0x0: written by a newer xtr: unknown major version");
	file = open_trace();
	NOTHING(xtr_cursor_open(file, 1, 0, 0, &error));
	cr_assert(eq(int, error.code, -EINVAL));
	xtr_close(file);
}

/* A damaged chunk is told of where it is met, and the rest is there. */
Test(public, damage_is_told)
{
	struct xtr_error error = { 0 };
	char text[128];
	struct xtr_file *file;
	struct xtr_cursor *c;
	size_t n, at = 64;
	uint8_t *data;

	data = write_trace(&n);
	while (data[at + 4] != XTR_CHUNK_EVENTS)
		at = (at + 80 + xtr_le32(data + at + 24) + 7) / 8 * 8;
	data[at + 81] ^= 1;
	file = open_bytes(data, n - 40, &error); /* without the trailer: that is no damage, */
	NOTHING(xtr_damage(file, 0, text, sizeof(text)) ? NULL : file);
	cr_assert(ne(ptr, strstr(text, "at 0x"), NULL)); /* but the INDEX is cut */
	NOTHING(xtr_damage(file, 99, text, sizeof(text)));
	c = xtr_cursor_open(file, 0, 0, 0, &error);
	cr_assert(eq(int, xtr_cursor_next(c, &error), -EBADMSG));
	cr_assert(ne(ptr, strstr(error.text, ": payload checksum mismatch"), NULL));
	cr_assert(eq(int, xtr_cursor_next(c, &error), 1));
	NOTHING(xtr_cursor_event(c));
	cr_assert(eq(int, xtr_cursor_next(c, &error), 1));
	cr_assert(eq(u64, xtr_cursor_time(c), 2600));
	cr_assert(eq(int, xtr_cursor_next(c, &error), 0));
	xtr_cursor_close(c);
	xtr_close(file);
}

Test(public, problems_are_texts)
{
	struct xtr_problem p = { XTR_P_PAYLOAD_CRC, 17, 0x4a20 };
	char text[128];

	SAYS(xtr_problem_text(text, sizeof(text), &p),
	     "chunk 17 at 0x4a20: payload checksum mismatch");
	p.code = XTR_P_NO_END;
	SAYS(xtr_problem_text(text, sizeof(text), &p),
	     "at 0x4a20: not closed cleanly: the recording ends abruptly");
	p.code = XTR_P_NOT_XTR;
	SAYS(xtr_problem_text(text, sizeof(text), &p), "not an .xtr file");
	cr_assert(eq(int, xtr_problem_has_chunk(XTR_P_PAYLOAD_CRC), 1));
	cr_assert(eq(int, xtr_problem_has_chunk(XTR_P_LOST_SYNC), 0));
	cr_assert(eq(int, xtr_problem_has_chunk(XTR_P_TOO_SHORT), 0));
}
