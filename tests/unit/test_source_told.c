/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of which the trace says what they were: as they are told, whatever a file claims. */
#include "base/bytes.h"
#include "format/xtr_format.h"
#include "gpu_sim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US     1000ull
#define TOLD   1100u
#define QUEUED 1101u
#define WAITED 1102u

static struct sim *s;

#define FIELD(field, off, bytes, r)                                                \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}
#define NAME                                                                                 \
	FIELD("ctx", 16, 8, U64), FIELD("seqno", 24, 8, U64), FIELD("device", 32, 4, STRID), \
		FIELD("ring", 36, 4, STRID), FIELD("queue", 40, 8, U64),                     \
		FIELD("why", 48, 4, STRID)

static const struct xtr_field told_fields[] = {
	NAME,
	FIELD("tid", 56, 8, U64),
	FIELD("pid", 64, 8, U64),
	FIELD("comm", 72, 4, STRID),
	FIELD("submit_ns", 80, 8, U64),
	FIELD("queue_ns", 88, 8, U64),
	FIELD("run_ns", 96, 8, U64),
	FIELD("start_ns", 104, 8, U64),
	FIELD("done_ns", 112, 8, U64),
	FIELD("exec_min_ns", 120, 8, U64),
	FIELD("exec_max_ns", 128, 8, U64),
	FIELD("dep_wait_ns", 136, 8, U64),
	FIELD("dep_waits", 144, 8, U64),
	FIELD("kind", 152, 4, STRID),
	FIELD("quality", 156, 4, STRID),
	FIELD("flags", 160, 4, STRID),
	FIELD("known", 168, 8, U64),
	FIELD("client", 176, 8, U64),
	FIELD("error", 184, 8, S64),
};
static const struct xtr_field queued_fields[] = { NAME, FIELD("tid", 56, 8, U64) };
static const struct xtr_field waited_fields[] = {
	NAME,
	FIELD("dep_ctx", 56, 8, U64),
	FIELD("dep_seqno", 64, 8, U64),
	FIELD("from_ns", 72, 8, U64),
	FIELD("until_ns", 80, 8, U64),
	FIELD("dep", 88, 8, U64),
};

static void describe(uint32_t type, const char *name, uint32_t size, const struct xtr_field *f,
		     uint32_t n)
{
	struct xtr_event_desc d = { .name = name,
				    .type = type,
				    .size = size,
				    .fields = (struct xtr_field *)f,
				    .n_fields = n };

	cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
}

#define DESCRIBE(type, name, size, f) describe(type, name, size, f, sizeof(f) / sizeof((f)[0]))

static void begin(void)
{
	s = sim_new();
	DESCRIBE(TOLD, "xtr:job_told", 192, told_fields);
	DESCRIBE(QUEUED, "xtr:job_queued", 64, queued_fields);
	DESCRIBE(WAITED, "xtr:job_waited", 96, waited_fields);
	sim_task(s, 7, 5, "game", 0);
}

static void done_with(void)
{
	sim_free(s);
}

TestSuite(source_told, .init = begin, .fini = done_with);

static uint32_t intern(const char *text)
{
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(s->tables, text, strlen(text), &id), 0));
	return id;
}

struct said {
	uint64_t ts, ctx, seqno, queue, run, start, done, min, max, known;
	const char *quality, *flags;
	int64_t error;
};

static void name(uint8_t *rec, uint64_t ctx, uint64_t seqno)
{
	memset(rec, 0, 192);
	xtr_put_le64(rec + 16, ctx);
	xtr_put_le64(rec + 24, seqno);
	xtr_put_le32(rec + 32, intern("0000:03:00.0"));
	xtr_put_le32(rec + 36, intern("gfx"));
	xtr_put_le64(rec + 40, 1);
	xtr_put_le32(rec + 48, intern(""));
}

static void tell(const struct said *j)
{
	uint8_t rec[192];

	name(rec, j->ctx, j->seqno);
	xtr_put_le64(rec + 56, 7);
	xtr_put_le64(rec + 64, 5);
	xtr_put_le32(rec + 72, intern("game"));
	xtr_put_le64(rec + 80, j->queue);
	xtr_put_le64(rec + 88, j->queue);
	xtr_put_le64(rec + 96, j->run);
	xtr_put_le64(rec + 104, j->start);
	xtr_put_le64(rec + 112, j->done);
	xtr_put_le64(rec + 120, j->min);
	xtr_put_le64(rec + 128, j->max);
	xtr_put_le32(rec + 152, intern("kernel"));
	xtr_put_le32(rec + 156, intern(j->quality));
	xtr_put_le32(rec + 160, intern(j->flags));
	xtr_put_le64(rec + 168, j->known);
	xtr_put_le64(rec + 184, (uint64_t)j->error);
	sim_raw(s, j->ts, TOLD, rec, sizeof(rec));
}

static void wait_for(uint64_t ts, uint64_t ctx, uint64_t seqno, uint64_t dep_ctx,
		     uint64_t dep_seqno)
{
	uint8_t rec[192];

	name(rec, ctx, seqno);
	xtr_put_le64(rec + 56, dep_ctx);
	xtr_put_le64(rec + 64, dep_seqno);
	xtr_put_le64(rec + 72, 150 * US);
	xtr_put_le64(rec + 80, 210 * US);
	xtr_put_le64(rec + 88, 2); /* a job of the trace */
	sim_raw(s, ts, WAITED, rec, 96);
}

/* However long the job that was waited for is gone. */
Test(source_told, a_dependency_has_its_ring)
{
	const uint64_t late = 10000000 * US;

	tell(&(struct said){ 500 * US, 11, 1, 100 * US, 200 * US, 200 * US, 500 * US, 300 * US,
			     300 * US, 3, "inferred", "", 0 });
	wait_for(late, 13, 1, 11, 1);
	tell(&(struct said){ late + US, 13, 1, 100 * US, late, late, late + US, US, US, 3,
			     "inferred", "", 0 });
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_assert(eq(u32, s->job[1].n_deps, 1));
	cr_expect(ne(u32, s->job[1].deps[0].ring_id, 0));
	cr_expect(eq(u32, s->job[1].deps[0].ring_id, s->job[0].ring->id));
}

Test(source_told, a_job_is_what_is_told_of_it)
{
	const struct xtr_job *j;

	/* Two jobs at once on a ring: nothing is concluded of their order, or of the overlap. */
	tell(&(struct said){ 500 * US, 11, 1, 100 * US, 200 * US, 250 * US, 500 * US, 250 * US,
			     250 * US, 3, "inferred", "batch|overtook", 0 });
	wait_for(510 * US, 11, 2, 11, 1);
	tell(&(struct said){ 520 * US, 11, 2, 150 * US, 210 * US, 0, 520 * US, 10 * US, 310 * US, 3,
			     "bounded", "error", -62 });
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	j = &s->job[0];
	cr_expect(eq(int, j->quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(u32, j->flags, XTR_FLAG_BATCH | XTR_FLAG_OVERTOOK));
	cr_expect(eq(u64, j->start_ns, 250 * US));
	cr_expect(eq(u64, j->exec_max_ns, 250 * US));
	cr_expect(eq(int, j->kind, XTR_KIND_KERNEL));
	cr_expect(eq(u32, j->pid, 5));
	j = &s->job[1];
	cr_expect(eq(int, j->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(u64, j->exec_min_ns, 10 * US));
	cr_expect(eq(u64, j->exec_max_ns, 310 * US));
	cr_expect(eq(int, j->error, -62));
	cr_expect(eq(u32, j->n_deps, 1));
}

/* Nothing that a stranger's file claims is a time before what came before it, or after now. */
Test(source_told, what_cannot_be_is_bounded)
{
	const struct xtr_job *j;

	tell(&(struct said){ 500 * US, 11, 1, 900 * US, 800 * US, 850 * US, 700 * US, UINT64_MAX,
			     UINT64_MAX, 3, "exact", "no such flag", 0 });
	tell(&(struct said){ 600 * US, 11, 2, 0, 0, 0, 600 * US, 5, 5, 3, "inferred", "", 0 });
	tell(&(struct said){ 700 * US, 11, 3, 0, 100 * US, 0, 0, 5, 5, 0, "no such quality", "",
			     0 });
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	for (size_t i = 0; i < 3; i++) {
		j = &s->job[i];
		cr_expect(le(u64, j->queue_ns, j->run_ns));
		cr_expect(le(u64, j->done_ns, 700 * US));
		cr_expect(le(u64, j->exec_min_ns, j->exec_max_ns));
		if (j->run_ns && j->done_ns) {
			cr_expect(le(u64, j->run_ns, j->done_ns));
			cr_expect(le(u64, j->exec_max_ns, j->done_ns - j->run_ns));
		} else {
			cr_expect(ge(int, j->quality, XTR_QUALITY_OPEN));
		}
	}
}
