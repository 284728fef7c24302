/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pass over a trace hands to an exporter: an exporter that notes every call. */
#include "named.h"
#include "format/xtr_format.h"
#include "trace.h"
#include "converters/out/core/export.h"
#include "format/read/chunk.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN  1000000000ull /* ns: times in the notes are us since then */
#define AT(us) (BEGIN + (us)*1000ull)
#define CPUS   2u
#define ALL    (XTR_EXPORT_DEPTH | XTR_EXPORT_CALLS | XTR_EXPORT_MARKS | XTR_EXPORT_EVENTS)

/* --- the exporter ----------------------------------------------------------------------------- */

static struct {
	char text[16384];
	size_t n;
	unsigned int wants;
	const char *fail; /* the call that fails */
	size_t open, closed, damaged, last_permille;
	const struct xtr_model *rings;
} note;

static int noted(const char *what, const char *format, ...)
{
	va_list args;

	cr_assert_lt(note.n, sizeof(note.text) - 200);
	va_start(args, format);
	note.n += (size_t)snprintf(note.text + note.n, 20, "%s", what);
	note.n += (size_t)vsnprintf(note.text + note.n, 150, format, args);
	note.text[note.n++] = '\n';
	note.text[note.n] = '\0';
	va_end(args);
	return note.fail && !strcmp(note.fail, what) ? -EPIPE : 0;
}

static unsigned long long us(uint64_t ts)
{
	return ts ? (ts - BEGIN) / 1000 : 0;
}

static unsigned int on_wants(const struct xtr_export_opts *o)
{
	return o->jobs_only ? 0 : note.wants;
}

static int on_open(void **self, const struct xtr_export_opts *o, const char **why)
{
	*self = NULL;
	if (o->compress) {
		*why = "these do not go together";
		return -EINVAL;
	}
	if (note.fail && !strcmp(note.fail, "open"))
		return -ENOMEM;
	*self = &note;
	note.open++;
	return 0;
}

static int on_section(void *self, const struct xtr_export_section *s)
{
	cr_assert(self == &note && s->section && s->meta && s->tables && s->rings);
	cr_expect_leq(s->from, s->to);
	note.rings = s->rings;
	return noted("section", " %zu %llu-%llu", s->index, us(s->from), us(s->to));
}

static void expect_known(const struct xtr_model_ring *ring)
{
	const struct xtr_model_ring *known = xtr_model_ring(note.rings, ring->index);

	cr_assert(known, "ring %u", ring->id);
	cr_expect(known->id == ring->id && !strcmp(known->name, ring->name));
}

static int on_job(void *self, const struct xtr_job *j)
{
	cr_assert_eq(self, &note);
	expect_known(j->ring);
	return noted("job", " %llu:%llu %s", (unsigned long long)j->ctx,
		     (unsigned long long)j->seqno, j->ring->device_name);
}

static int on_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts)
{
	cr_assert_eq(self, &note);
	expect_known(ring);
	return noted("depth", " %s %u %u @%llu", ring->device_name, ring->queued, ring->on_hw,
		     us(ts));
}

static int on_call(void *self, const struct xtr_call *c)
{
	cr_assert_eq(self, &note);
	return noted("call", " %s %llu-%llu", c->name, us(c->begin_ns), us(c->end_ns));
}

static int on_mark(void *self, const struct xtr_mark *m)
{
	cr_assert_eq(self, &note);
	return noted("mark", " %s @%llu", m->name, us(m->ts));
}

static int on_event(void *self, const struct xtr_event *ev)
{
	cr_assert(self == &note && !ev->gap);
	return noted("event", " %s @%llu", strchr(ev->desc->name, ':') + 1, us(ev->ts));
}

static int on_gap(void *self, const struct xtr_gap *gap)
{
	cr_assert_eq(self, &note);
	return noted("gap", " %llu-%llu", us(gap->first), us(gap->last));
}

static int on_end(void *self)
{
	cr_assert_eq(self, &note);
	return noted("end", "");
}

static int on_finish(void *self)
{
	cr_assert_eq(self, &note);
	return noted("finish", "");
}

static void on_close(void *self)
{
	cr_assert_eq(self, &note);
	note.closed++;
}

static const struct xtr_exporter noter = {
	.name = "noter",
	.suffix = ".txt",
	.wants = on_wants,
	.open = on_open,
	.section = on_section,
	.job = on_job,
	.depth = on_depth,
	.call = on_call,
	.mark = on_mark,
	.event = on_event,
	.gap = on_gap,
	.end_section = on_end,
	.finish = on_finish,
	.close = on_close,
};

/* --- the trace -------------------------------------------------------------------------------- */

static struct named n;
static uint8_t buf[CPUS][8192];
static size_t len[CPUS];
static uint32_t records[CPUS];

static void put(void)
{
	uint32_t cpu = n.ev.stream;

	memcpy(buf[cpu] + len[cpu], n.rec, n.ev.size);
	len[cpu] += n.ev.size;
	records[cpu]++;
}

static void event(const char *name, uint64_t at, uint32_t tid, uint32_t cpu)
{
	named_emit(&n, name, AT(at), tid, cpu);
	put();
}

static void job(const char *name, uint64_t at, uint32_t tid, uint32_t cpu, uint64_t ctx,
		uint64_t seqno, uint32_t ring)
{
	named_emit(&n, name, AT(at), tid, cpu);
	named_set(&n, "ctx", ctx);
	named_set(&n, "seqno", seqno);
	named_set(&n, "ring", ring);
	if (!strcmp(name, "gpu_scheduler:drm_sched_job_done"))
		named_set(&n, "flags", XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED);
	put();
}

static void switch_to(uint64_t at, uint32_t prev, uint32_t next)
{
	named_emit(&n, "sched:sched_switch", AT(at), prev, 0);
	named_set(&n, "prev_pid", prev);
	named_set(&n, "next_pid", next);
	named_text(&n, "next_comm", "game", 4);
	put();
}

#define QUEUE "gpu_scheduler:drm_sched_job_queue"
#define RUN   "gpu_scheduler:drm_sched_job_run"
#define DONE  "gpu_scheduler:drm_sched_job_done"

static void ring(uint32_t id, const char *device)
{
	struct xtr_ring r = { .id = id, .limit = 4 };

	r.device = named_string(&n, device);
	r.name = named_string(&n, "gfx");
	cr_assert(!xtr_tables_add_ring(n.tables, &r));
}

/* One job of each of two processes, one that never ends, and some of everything else. */
static void fill(void)
{
	switch_to(5, 0, 7);
	event("syscalls:sys_enter_ioctl", 10, 7, 0);
	job(QUEUE, 11, 7, 0, 11, 1, 1);
	event("syscalls:sys_exit_ioctl", 12, 7, 0);
	switch_to(13, 7, 0);
	job(RUN, 20, 300, 0, 11, 1, 1);
	event("syscalls:sys_enter_read", 30, 9, 0);
	job(QUEUE, 31, 9, 0, 21, 1, 2);
	event("power:gpu_frequency", 35, 0, 0);
	job(RUN, 40, 300, 0, 21, 1, 2);
	event("irq:irq_handler_entry", 49, 0, 1);
	job(DONE, 50, 0, 1, 11, 1, 1);
	event("irq:irq_handler_exit", 51, 0, 1);
	event("i915:i915_request_add", 60, 7, 0);
	job(DONE, 90, 0, 1, 21, 1, 2);
	job(QUEUE, 120, 7, 0, 11, 2, 1);
	job(RUN, 130, 300, 0, 11, 2, 1);
}

static struct xtr_io *make(void)
{
	static const uint8_t boot[16] = { 1 };
	const struct xtr_system sys = { .release = "6.18", .version = "1", .machine = "x86_64" };
	struct xtr_gap gap = { .stream = 0, .first = AT(100), .last = AT(110), .count = 2 };
	struct xtr_loss *loss = xtr_loss_new();
	struct xtr_writer_opts o;
	struct xtr_writer *w;
	struct xtr_io *io;

	xtr_writer_opts_init(&o);
	o.file_id = 1;
	cr_assert(!xtr_meta_set_writer(n.meta, "test", "1"));
	cr_assert(!xtr_meta_set_clock(n.meta, "monotonic", boot, 1));
	cr_assert(!xtr_meta_set_system(n.meta, &sys));
	cr_assert(!xtr_io_mem_new(&io));
	cr_assert(!xtr_writer_open(&w, io, n.meta, n.tables, loss, &o));
	cr_assert(!xtr_loss_add_gap(loss, &gap));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct xtr_batch b = {
			.stream = cpu, .recs = buf[cpu], .len = len[cpu], .n = records[cpu]
		};

		cr_assert(!xtr_writer_events(w, &b));
	}
	cr_assert(!xtr_writer_finish(w, "end", NULL));
	xtr_writer_free(w);
	xtr_loss_free(loss);
	return io;
}

static uint8_t *bytes;
static size_t n_bytes;
static struct xtr_reader *reader;

/* As many sections as are wanted, one after the other. */
static void open_trace(unsigned int sections)
{
	const uint8_t *p;
	struct xtr_io *io = make();
	struct xtr_err err;
	size_t size;

	p = xtr_io_mem_data(io, &size);
	bytes = malloc(sections * size);
	for (; n_bytes < sections * size; n_bytes += size)
		memcpy(bytes + n_bytes, p, size);
	xtr_io_close(io);
	cr_assert(!trace_read(&reader, bytes, n_bytes, &err));
	cr_assert_eq(xtr_reader_n_sections(reader), sections);
}

static void setup(void)
{
	named_init(&n);
	named_describe(&n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_ioctl", "ret:s64:8");
	named_describe(&n, "syscalls:sys_enter_read", "fd:s32:4");
	named_describe(&n, "irq:irq_handler_entry", "irq:s32:4");
	named_describe(&n, "irq:irq_handler_exit", "irq:s32:4");
	named_describe(&n, "sched:sched_switch", "prev_pid:s32:4 next_pid:s32:4 next_comm:str:16");
	named_describe(&n, "power:gpu_frequency", "state:u32:4 gpu_id:u32:4");
	named_describe(&n, "i915:i915_request_add", "seqno:u32:4");
	named_task(&n, 7, 5, "game");
	named_task(&n, 9, 6, "video");
	named_task(&n, 300, 300, "gfx");
	ring(1, "gpu.0");
	ring(2, "gpu.1");
	fill();
}

static void teardown(void)
{
	xtr_reader_close(reader);
	named_free(&n);
	free(bytes);
}

TestSuite(export, .init = setup, .fini = teardown);

/* --- running it ------------------------------------------------------------------------------- */

static void on_damage(void *ctx, const struct xtr_err *err)
{
	cr_assert(ctx == &note && err);
	note.damaged++;
}

static struct xtr_export begin(unsigned int wants)
{
	memset(&note, 0, sizeof(note));
	note.wants = wants;
	return (struct xtr_export){ .sz = sizeof(struct xtr_export),
				    .exporter = &noter,
				    .opts = { .sz = sizeof(struct xtr_export_opts) },
				    .reader = reader,
				    .damage = on_damage,
				    .ctx = &note };
}

static void expect_notes(struct xtr_export *e, const char *want)
{
	cr_expect_eq(xtr_export(e), 0);
	cr_expect_str_eq(note.text, want, "got:\n%s", note.text);
	cr_expect(note.open == 1 && note.closed == 1);
}

/* The lines of all notes that begin with one of these words. */
static const char *only(const char *word)
{
	static char out[sizeof(note.text)];
	const char *line, *end;
	size_t k = 0;

	for (line = note.text; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (strncmp(line, word, strlen(word)))
			continue;
		memcpy(out + k, line, (size_t)(end + 1 - line));
		k += (size_t)(end + 1 - line);
	}
	out[k] = '\0';
	return out;
}

static void expect_only(const char *word, const char *want)
{
	cr_expect_str_eq(only(word), want, "%s, got:\n%s", word, note.text);
}

#define JOBS "job 11:1 gpu.0\njob 21:1 gpu.1\n"

Test(export, jobs_alone)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(0);
	expect_notes(&e, "section 0 5-130\ngap 100-110\n" JOBS "job 11:2 gpu.0\nend\nfinish\n");
	e = begin(ALL);
	e.opts.jobs_only = true;
	expect_notes(&e, "section 0 5-130\ngap 100-110\n" JOBS "job 11:2 gpu.0\nend\nfinish\n");
}

Test(export, everything)
{
	struct xtr_export e;
	size_t events = 0;

	open_trace(1);
	e = begin(ALL);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("section", "section 0 5-130\n");
	expect_only("job", JOBS "job 11:2 gpu.0\n");
	expect_only("depth", "depth gpu.0 1 0 @11\ndepth gpu.0 0 1 @20\ndepth gpu.1 1 0 @31\n"
			     "depth gpu.1 0 1 @40\ndepth gpu.0 0 0 @50\ndepth gpu.1 0 0 @90\n"
			     "depth gpu.0 1 0 @120\ndepth gpu.0 0 1 @130\n");
	expect_only("call", "call ioctl 10-12\ncall game 5-13\ncall  49-51\ncall read 30-0\n");
	expect_only("mark", "mark gpu_frequency @35\nmark i915_request_add @60\n");
	expect_only("gap", "gap 100-110\n");
	cr_expect_eq(strncmp(note.text, "section", 7), 0, "the section comes first");
	cr_expect_str_eq(note.text + note.n - 11, "end\nfinish\n");
	expect_only("finish", "finish\n");
	cr_expect_eq(
		strncmp(only("event"), "event sched_switch @5\nevent sys_enter_ioctl @10\n", 47),
		0);
	for (const char *p = only("event"); *p; p = strchr(p, '\n') + 1)
		events++;
	cr_expect_eq(events, records[0] + records[1]);
}

/* Each want alone: nothing else comes, but jobs and gaps. */
Test(export, wants_are_respected)
{
	static const char *const words[] = { "depth", "call", "mark", "event" };
	struct xtr_export e;

	open_trace(1);
	for (unsigned int i = 0; i < 4; i++) {
		e = begin(1u << i);
		cr_expect_eq(xtr_export(&e), 0);
		for (unsigned int k = 0; k < 4; k++)
			cr_expect_eq(*only(words[k]) != '\0', i == k, "wants %s: %s", words[i],
				     words[k]);
		expect_only("gap", "gap 100-110\n");
		expect_only("job", JOBS "job 11:2 gpu.0\n");
	}
}

/* The window's edges belong to it. A job is in it that ended in it, or never. */
Test(export, window)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(ALL);
	e.select.from = AT(50);
	e.select.to = AT(90);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("section", "section 0 50-90\n");
	expect_only("job", JOBS);
	expect_only("depth", "depth gpu.0 0 0 @50\ndepth gpu.1 0 0 @90\n");
	expect_only("mark", "mark i915_request_add @60\n");
	expect_only("gap", "");
	expect_only("event", "event drm_sched_job_done @50\nevent irq_handler_exit @51\n"
			     "event i915_request_add @60\nevent drm_sched_job_done @90\n");
	/* A call is in the window of which a part is. */
	expect_only("call", "call  49-51\ncall read 30-0\n");
	e = begin(ALL);
	e.select.from = AT(51);
	e.select.to = AT(89);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 21:1 gpu.1\n"); /* it had not ended by then */
	expect_only("depth", "");
	e = begin(ALL);
	e.select.from = AT(110);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("section", "section 0 110-130\n");
	expect_only("gap", "gap 100-110\n");
	expect_only("job", "job 11:2 gpu.0\n");
	e = begin(ALL);
	e.select.to = AT(99);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("gap", "");
}

/* Times before the first event count from it. */
Test(export, relative_window)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(XTR_EXPORT_DEPTH);
	e.select.from = 45000;
	e.select.to = 85000;
	expect_notes(&e, "section 0 50-90\ndepth gpu.0 0 0 @50\ndepth gpu.1 0 0 @90\n" JOBS
			 "end\nfinish\n");
}

/* Beyond the trace there is nothing, and the section's times stay in order. */
Test(export, window_behind_the_end)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(XTR_EXPORT_MARKS);
	e.select.from = AT(5000);
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("mark", "");
	expect_only("gap", "");
	expect_only("finish", "finish\n");
}

Test(export, device_and_ring)
{
	static const char *const one[] = { "gpu.1" }, *const pattern[] = { "g*x" };
	static const char *const none[] = { "sdma*" };
	struct xtr_export e;

	open_trace(1);
	e = begin(ALL);
	e.select.devices = one;
	e.select.n_devices = 1;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 21:1 gpu.1\n");
	expect_only("depth", "depth gpu.1 1 0 @31\ndepth gpu.1 0 1 @40\ndepth gpu.1 0 0 @90\n");
	expect_only("mark", "mark gpu_frequency @35\nmark i915_request_add @60\n");
	e.select.rings = pattern;
	e.select.n_rings = 1;
	note.n = 0;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 21:1 gpu.1\n");
	e.select.rings = none;
	note.n = 0;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "");
	expect_only("depth", "");
}

/* A process's jobs, and what its threads did; nothing of the CPUs but that they ran its threads. */
Test(export, pid)
{
	static const uint32_t pids[] = { 5, 77 };
	struct xtr_export e;

	open_trace(1);
	e = begin(ALL);
	e.select.pids = pids;
	e.select.n_pids = 2;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 11:1 gpu.0\njob 11:2 gpu.0\n");
	expect_only("call", "call ioctl 10-12\ncall game 5-13\n");
	expect_only("mark", "mark i915_request_add @60\n");
	expect_only("gap", "gap 100-110\n");
	for (const char *p = only("event"); *p; p = strchr(p, '\n') + 1)
		cr_expect(strncmp(p, "event irq", 9) && strncmp(p, "event sys_enter_read", 20),
			  "%.30s", p);
	cr_expect(strstr(only("event"), "event sys_enter_ioctl @10\n"));
}

Test(export, top)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(0);
	e.top = 1;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 21:1 gpu.1\n"); /* 50 us; the other one 30 */
	e = begin(XTR_EXPORT_DEPTH | XTR_EXPORT_CALLS | XTR_EXPORT_MARKS | XTR_EXPORT_EVENTS);
	e.top = 1;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 21:1 gpu.1\n");
	expect_only("depth", ""); /* nothing but jobs */
	expect_only("call", "");
	e = begin(0);
	e.top = 2;
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", JOBS);
	e = begin(0);
	e.top = 1;
	e.select.to = AT(80); /* of those that are selected */
	cr_expect_eq(xtr_export(&e), 0);
	expect_only("job", "job 11:1 gpu.0\n");
	e = begin(0);
	e.top = XTR_EXPORT_TOP_MAX + 1;
	cr_expect_eq(xtr_export(&e), -EINVAL);
	cr_expect_eq(note.open, 0);
}

/* Over all sections together, of equal ones the first. */
Test(export, top_of_several_sections)
{
	struct xtr_export e;

	open_trace(3);
	e = begin(0);
	e.top = 2;
	expect_notes(&e, "section 0 5-130\ngap 100-110\njob 21:1 gpu.1\nend\n"
			 "section 1 5-130\ngap 100-110\njob 21:1 gpu.1\nend\n"
			 "section 2 5-130\ngap 100-110\nend\nfinish\n");
}

Test(export, several_sections)
{
	struct xtr_export e;

	open_trace(2);
	e = begin(XTR_EXPORT_MARKS);
#define ONE                                                                                        \
	"mark gpu_frequency @35\nmark i915_request_add @60\ngap 100-110\n" JOBS "job 11:2 gpu.0\n" \
	"end\n"
	expect_notes(&e, "section 0 5-130\n" ONE "section 1 5-130\n" ONE "finish\n");
}

/* The error of any call ends it all, and is what comes back. */
Test(export, errors_stop)
{
	static const char *const calls[] = { "section", "job", "depth", "call",  "mark",
					     "event",   "gap", "end",   "finish" };
	struct xtr_export e;
	size_t line;

	open_trace(2);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		e = begin(ALL);
		note.fail = calls[i];
		cr_expect_eq(xtr_export(&e), -EPIPE, "%s", calls[i]);
		for (line = note.n - 1; line && note.text[line - 1] != '\n';)
			line--;
		cr_expect_eq(strncmp(note.text + line, calls[i], strlen(calls[i])), 0,
			     "%s is not the last call:\n%s", calls[i], note.text + line);
		cr_expect(note.open == 1 && note.closed == 1, "%s", calls[i]);
	}
	e = begin(ALL);
	note.fail = "open";
	cr_expect_eq(xtr_export(&e), -ENOMEM);
	cr_expect(note.n == 0 && note.closed == 0 && !e.why);
	e = begin(ALL);
	e.opts.compress = true;
	cr_expect_eq(xtr_export(&e), -EINVAL);
	cr_expect_str_eq(e.why, "these do not go together");
	cr_expect(note.n == 0 && note.closed == 0);
}

/* What could not be written is told, even if the exporter did not look. */
Test(export, output_that_failed)
{
	struct xtr_export e;

	open_trace(1);
	e = begin(0);
	e.opts.out = fopen("/dev/full", "w");
	cr_assert(e.opts.out);
	setvbuf(e.opts.out, NULL, _IONBF, 0);
	fputc('x', e.opts.out);
	cr_expect_eq(xtr_export(&e), -EIO);
	cr_expect_eq(note.closed, 1);
	fclose(e.opts.out);
}

/* A damaged chunk is told once, however many passes meet it. */
Test(export, damage_is_told_once)
{
	struct xtr_export e;
	struct xtr_err err;

	open_trace(1);
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(reader, 0)); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(xtr_reader_section(reader, 0), i);

		if (c->type == XTR_CHUNK_EVENTS && c->stream == 1)
			bytes[c->offset + XTR_CHUNK_HEADER_SIZE + c->stored_len / 2] ^= 1;
	}
	xtr_reader_close(reader);
	cr_assert(!trace_read(&reader, bytes, n_bytes, &err));
	for (size_t i = 0; i < 3; i++) {
		e = begin(i ? ALL : 0);
		e.top = i == 2;
		cr_expect_eq(xtr_export(&e), 0);
		cr_expect_eq(note.damaged, 1, "%zu", i);
		expect_only("finish", "finish\n");
	}
}

static void on_progress(void *ctx, unsigned int permille)
{
	cr_assert_eq(ctx, &note);
	cr_expect(permille >= note.last_permille && permille <= 1000, "%u after %zu", permille,
		  note.last_permille);
	note.last_permille = permille;
}

static int quiet_job(void *self, const struct xtr_job *j)
{
	return self && j ? 0 : -EINVAL;
}

/* Never backwards, over all passes and sections. */
Test(export, progress)
{
	struct xtr_io *io = trace_make(50, 3000, 1, NULL);
	struct xtr_exporter quiet = noter;
	struct xtr_export e;
	struct xtr_err err;
	size_t size;
	const uint8_t *p = xtr_io_mem_data(io, &size);

	bytes = malloc(2 * size);
	memcpy(bytes, p, size);
	memcpy(bytes + size, p, size);
	cr_assert(!trace_read(&reader, bytes, 2 * size, &err));
	quiet.job = quiet_job;
	for (uint32_t top = 0; top < 2; top++) {
		e = begin(0);
		e.exporter = &quiet;
		e.top = top;
		e.progress = on_progress;
		cr_expect_eq(xtr_export(&e), 0);
		cr_expect_gt(note.last_permille, 900);
	}
	xtr_io_close(io);
}
