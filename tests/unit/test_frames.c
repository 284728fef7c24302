/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames: what makes a flip, whose it is, and whether it was in time. tests/frames has the stories.
 */
#include "analysis/frames/frame_sums.h"
#include "analysis/frames/frames.h"
#include "named.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VBLANK    "drm:drm_vblank_event"
#define QUEUED    "drm:drm_vblank_event_queued"
#define DELIVERED "drm:drm_vblank_event_delivered"
#define COMMIT    "func:drm:drm_mode_page_flip_ioctl"
#define WAIT_END  "dma_fence:dma_fence_wait_end"
#define MS        1000000ull
#define T0        (1000 * MS)
#define GAME      50u /* threads, and their processes */
#define OTHER     60u
#define WORKER    9u
#define FILE_A    0xa0ull
#define FILE_B    0xb0ull
#define MOST      2048u

static struct named n;
static struct xtr_frames *frames;
static struct xtr_shown shown[MOST];
static uint32_t n_shown;

static const struct xtr_model_ring gfx = {
	.id = 1, .limit = 1, .name = "gfx", .device_name = "card0"
};

static void setup(void)
{
	const uint8_t boot[16] = { 0 };
	struct xtr_task worker = { .tid = WORKER, .pid = WORKER, .flags = XTR_TASK_KTHREAD };

	named_init(&n);
	cr_assert(zero(int, xtr_meta_set_clock(n.meta, "monotonic", boot, 1)));
	named_describe(&n, VBLANK, "crtc:s32:4 seq:u32:4 time:s64:8");
	named_describe(&n, QUEUED, "file:hex64:8 crtc:s32:4 seq:u32:4");
	named_describe(&n, DELIVERED, "file:hex64:8 crtc:s32:4 seq:u32:4");
	named_describe(&n, COMMIT, "file:hex64:8");
	named_task(&n, GAME, GAME, "game");
	named_task(&n, OTHER, OTHER, "other");
	worker.comm = named_string(&n, "kworker/u8:1");
	cr_assert(zero(int, xtr_tables_add_task(n.tables, &worker)));
	n_shown = 0;
}

static void teardown(void)
{
	xtr_frames_free(frames);
	named_free(&n);
}

TestSuite(frames, .init = setup, .fini = teardown);

static int on_frame(void *ctx, const struct xtr_shown *f, const struct xtr_path *path)
{
	(void)ctx;
	cr_assert(eq(int, path != NULL, f->link != XTR_FRAME_BY_NONE));
	if (n_shown < MOST)
		shown[n_shown] = *f;
	n_shown++;
	return 0;
}

static void begin(uint64_t deadline_ns)
{
	cr_assert(zero(int, xtr_frames_new(&frames, &(struct xtr_frames_opts){
							    .sz = sizeof(struct xtr_frames_opts),
							    .meta = n.meta,
							    .tables = n.tables,
							    .deadline_ns = deadline_ns,
							    .pause_ns = XTR_FRAME_PAUSE_NS,
							    .frame = on_frame })));
}

static void give(void)
{
	cr_assert(zero(int, xtr_frames_event(frames, &n.ev)));
}

static void of_file(const char *name, uint64_t ts, uint32_t tid, uint64_t file, int32_t crtc,
		    uint32_t seq)
{
	named_emit(&n, name, ts, tid, 0);
	named_set(&n, "file", file);
	if (strcmp(name, COMMIT) != 0) {
		named_set(&n, "crtc", (uint64_t)(int64_t)crtc);
		named_set(&n, "seq", seq);
	}
	give();
}

static void vblank(uint64_t time, uint32_t seq)
{
	named_emit(&n, VBLANK, time + 20000, 0, 0);
	named_set(&n, "crtc", 0);
	named_set(&n, "seq", seq);
	named_set(&n, "time", time);
	give();
}

static void flip(uint64_t ts, uint64_t file, uint32_t seq)
{
	of_file(DELIVERED, ts, 0, file, 0, seq);
}

static void waited(uint64_t ts, uint32_t tid, uint64_t ctx, uint64_t seqno)
{
	named_emit(&n, WAIT_END, ts, tid, 1);
	named_set(&n, "ctx", ctx);
	named_set(&n, "seqno", seqno);
	give();
}

/* A job of a process is one of the context that has its number. */
static void job(uint32_t pid, uint64_t seqno, uint64_t queue, uint64_t done)
{
	const struct xtr_job j = { .ring = &gfx,
				   .ctx = pid,
				   .seqno = seqno,
				   .pid = pid,
				   .tid = pid,
				   .queue_ns = queue,
				   .run_ns = queue,
				   .start_ns = queue,
				   .done_ns = done };

	cr_assert(zero(int, xtr_frames_job(frames, &j)));
}

static void end(void)
{
	cr_assert(zero(int, xtr_frames_finish(frames)));
}

static void verdict_is(uint32_t i, enum xtr_frame_verdict verdict, uint32_t missed)
{
	cr_assert(lt(u32, i, n_shown));
	cr_expect(eq(str, (char *)xtr_frame_verdict_name(shown[i].verdict),
		     (char *)xtr_frame_verdict_name(verdict)),
		  "frame %u", i);
	cr_expect(eq(u32, shown[i].missed, missed), "frame %u", i);
}

Test(frames, a_picture_is_shown_when_its_vblank_was)
{
	begin(0);
	flip(T0 + 15000, FILE_A, 7);
	vblank(T0, 7);
	/* It completed in another interrupt, after its vblank's event. */
	vblank(T0 + 10 * MS, 8);
	flip(T0 + 11 * MS, FILE_A, 8);
	/* No event of that vblank. */
	flip(T0 + 20 * MS, FILE_A, 9);
	end();
	cr_assert(eq(u32, n_shown, 3));
	cr_expect(eq(u64, shown[0].shown_ns, T0));
	cr_expect(eq(u64, shown[1].shown_ns, T0 + 10 * MS));
	cr_expect(eq(u64, shown[2].shown_ns, T0 + 20 * MS));
	verdict_is(0, XTR_FRAME_FIRST, 0);
	verdict_is(1, XTR_FRAME_ON_TIME, 0);
}

Test(frames, what_a_client_asked_for_is_no_flip)
{
	begin(0);
	of_file(QUEUED, T0, GAME, FILE_A, 0, 5);
	flip(T0 + 5 * MS, FILE_A, 5); /* the answer */
	flip(T0 + 5 * MS, FILE_A, 5);
	flip(T0 + 6 * MS, 0, 6); /* the kernel's own */
	end();
	cr_assert(eq(u32, n_shown, 1));
}

Test(frames, told_twice_is_one)
{
	begin(0);
	flip(T0, FILE_A, 5);
	flip(T0 + 1000, FILE_A, 5);
	flip(T0 + 10 * MS, FILE_A, 6);
	end();
	cr_assert(eq(u32, n_shown, 2));
	verdict_is(1, XTR_FRAME_ON_TIME, 0);
}

Test(frames, the_counter_wraps)
{
	begin(0);
	flip(T0, FILE_A, UINT32_MAX);
	flip(T0 + 30 * MS, FILE_A, 2);
	job(GAME, 1, T0 + MS, T0 + 2 * MS);
	end();
	cr_assert(eq(u32, n_shown, 2));
	cr_expect(eq(u32, shown[1].missed, 2));
	cr_expect(eq(u64, shown[1].deadline_ns, T0 + 10 * MS));
}

Test(frames, two_files_are_two_screens)
{
	begin(0);
	flip(T0, FILE_A, 5);
	flip(T0 + MS, FILE_B, 900);
	flip(T0 + 10 * MS, FILE_A, 6);
	flip(T0 + 11 * MS, FILE_B, 901);
	end();
	cr_assert(eq(u32, n_shown, 4));
	for (uint32_t i = 0; i < 4; i++)
		cr_expect(eq(u32, shown[i].stream, i % 2));
	verdict_is(2, XTR_FRAME_ON_TIME, 0);
	verdict_is(3, XTR_FRAME_ON_TIME, 0);
}

Test(frames, without_a_counter_there_is_no_deadline)
{
	begin(0);
	flip(T0, FILE_A, 0);
	flip(T0 + 30 * MS, FILE_A, 0);
	end();
	verdict_is(1, XTR_FRAME_NO_DEADLINE, 0);
}

Test(frames, or_the_one_that_is_given)
{
	begin(10 * MS);
	flip(T0, FILE_A, 0);
	flip(T0 + 15 * MS, FILE_A, 0); /* not more than half late */
	job(GAME, 1, T0 + 16 * MS, T0 + 30 * MS);
	flip(T0 + 35 * MS, FILE_A, 0);
	flip(T0 + 300 * MS, FILE_A, 0);
	end();
	verdict_is(1, XTR_FRAME_ON_TIME, 0);
	verdict_is(2, XTR_FRAME_MISSED, 1);
	verdict_is(3, XTR_FRAME_RESUMED, 0);
}

/* The file of the commit is that of the flip: its thread is one of the process. */
Test(frames, a_commit_tells_whose_it_is)
{
	begin(0);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t t = T0 + i * 10 * MS;

		job(GAME, 1 + i, t + MS, t + 3 * MS);
		job(OTHER, 1 + i, t + MS, t + 4 * MS);
		of_file(COMMIT, t + 5 * MS, GAME, FILE_A, 0, 0);
		job(GAME, 100 + i, t + 6 * MS, t + 7 * MS); /* of the next one */
		flip(t + 10 * MS, FILE_A, (uint32_t)(5 + i));
	}
	end();
	cr_assert(eq(u32, n_shown, 3));
	for (uint32_t i = 0; i < 3; i++) {
		cr_expect(eq(u32, shown[i].link, XTR_FRAME_BY_COMMIT));
		cr_expect(eq(u64, shown[i].job.ctx, GAME));
		cr_expect(eq(u64, shown[i].job.seqno, 1 + i));
		cr_expect(eq(u64, shown[i].commit_ns, T0 + i * 10 * MS + 5 * MS));
	}
	/* The next one's first job was submitted after this one's commit. */
	cr_expect(eq(u32, shown[1].n_jobs, 2));
	cr_expect(eq(u64, shown[1].begin_ns, T0 + 6 * MS));
}

Test(frames, a_commit_after_the_deadline_is_late_itself)
{
	begin(0);
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t t = T0 + i * 10 * MS;

		job(GAME, 1 + i, t + MS, t + 3 * MS);
		of_file(COMMIT, i ? t + 12 * MS : t + 5 * MS, GAME, FILE_A, 0, 0);
		flip(i ? t + 20 * MS : t + 10 * MS, FILE_A, (uint32_t)(5 + 2 * i));
	}
	end();
	verdict_is(1, XTR_FRAME_MISSED, 1);
	cr_expect(eq(u32, shown[1].cause, XTR_PATH_SUBMITTER));
	cr_expect(eq(u64, shown[1].cause_who, GAME));
	/* From the end of its job to the commit; before that the game's thread until it submitted,
	 * of which the frame before took none. */
	cr_expect(eq(u64, shown[1].of[XTR_CAUSE_DISPLAY], 8 * MS));
	cr_expect(eq(u64, shown[1].of[XTR_PATH_SUBMITTER], 9 * MS));
}

/* What the kernel's thread waited for is the frame's, whoever commits. */
Test(frames, the_fence_is_better_than_the_process)
{
	begin(0);
	job(OTHER, 1, T0 + MS, T0 + 3 * MS);
	job(GAME, 1, T0 + MS, T0 + 4 * MS);
	of_file(COMMIT, T0 + 5 * MS, GAME, FILE_A, 0, 0);
	waited(T0 + 5 * MS, WORKER, OTHER, 1);
	waited(T0 + 6 * MS, GAME, GAME, 1); /* a program's own wait shows no picture */
	flip(T0 + 10 * MS, FILE_A, 5);
	end();
	cr_assert(eq(u32, n_shown, 1));
	cr_expect(eq(u32, shown[0].link, XTR_FRAME_BY_FENCE));
	cr_expect(eq(u64, shown[0].who, OTHER));
}

/* Jobs and flips of any times and names: what comes out is in order, and has no more than there is.
 */
Test(frames, whatever_comes)
{
	uint64_t x = 88172645463325252ull, before = 0;

	begin(0);
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t ts = T0 + i * 100000ull, k;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		k = x >> 16;
		switch (x % 6) {
		case 0:
			job(k % 2 ? GAME : OTHER, i, k % 5 ? ts - MS : k,
			    k % 7 ? ts : UINT64_MAX - k);
			break;
		case 1:
			waited(ts, k % 2 ? WORKER : GAME, k % 2 ? GAME : OTHER, i - k % 20);
			break;
		case 2:
			of_file(COMMIT, ts, GAME, k % 1500, 0, 0);
			break;
		case 3:
			of_file(QUEUED, ts, GAME, k % 1500, 0, (uint32_t)k);
			break;
		case 4:
			vblank(k % 3 ? ts : k, (uint32_t)(k % 50));
			break;
		default:
			of_file(DELIVERED, ts, 0, k % 1500, (int32_t)(k % 3), (uint32_t)(k % 50));
		}
	}
	end();
	cr_assert(gt(u32, n_shown, 100));
	for (uint32_t i = 0; i < n_shown && i < MOST; i++) {
		cr_expect(eq(u64, shown[i].number, i + 1));
		cr_expect(lt(u32, shown[i].stream, XTR_FRAME_STREAMS_MAX));
		before = shown[i].number;
	}
	cr_expect(gt(u64, before, 0));
}

static int play(void *arg)
{
	struct xtr_event ev = n.ev;
	uint8_t rec[64];
	struct xtr_frame_sums sums = { 0 };
	struct xtr_frames *f = NULL;
	struct xtr_frames_opts o = {
		.sz = sizeof(o), .meta = n.meta, .tables = n.tables, .frame = on_frame
	};
	struct xtr_job j = { .ring = &gfx,
			     .ctx = GAME,
			     .seqno = 1,
			     .pid = GAME,
			     .tid = GAME,
			     .queue_ns = T0,
			     .run_ns = T0,
			     .start_ns = T0,
			     .done_ns = T0 + MS };
	int err = xtr_frames_new(&f, &o);

	(void)arg;
	n_shown = 0;
	cr_assert(le(u32, ev.size, sizeof(rec)));
	memcpy(rec, ev.rec, ev.size);
	ev.rec = rec;
	err = err ?: xtr_frames_job(f, &j);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		ev.ts = T0 + (2 + i * 10) * MS;
		rec[ev.size - 1] = (uint8_t)i; /* the last byte of the counter */
		err = xtr_frames_event(f, &ev);
	}
	err = err ?: xtr_frames_finish(f);
	for (uint32_t i = 0; i < n_shown && !err; i++) {
		shown[i].verdict = XTR_FRAME_MISSED;
		err = xtr_frame_sums_add(&sums, &shown[i]);
	}
	xtr_frame_sums_free(&sums);
	xtr_frames_free(f);
	return err;
}

Test(frames, without_memory)
{
	named_emit(&n, DELIVERED, T0, 0, 0);
	named_set(&n, "file", FILE_A);
	named_set(&n, "seq", 5);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u32, n_shown, 2));
	cr_assert(gt(uint, oom_each(play, NULL, 0), 10));
}
