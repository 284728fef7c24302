/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flight recorder keeps in a file outlives it, wherever it is killed. */
#include "recorder/flight/flight.h"
#include "recorder/host/util.h"

#include "format/write/writer.h"

#include "random.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t seed; /* each test sets its own, not 0 */

/* 31 bits, the same on every machine. */
static uint32_t draw(void)
{
	return (uint32_t)(random_u64(&seed) >> 33);
}

#define CPUS  3
#define TYPE  1024
#define RECS  300 /* records of a batch, at most */
#define BYTES (1u << 20)
#define DIR   2u /* /dev/shm */

struct rec {
	uint64_t ts;
	uint16_t type, size;
	uint32_t tid;
	uint64_t value[2];
};

/* Events of each CPU that a recorder handed over: before a batch, and behind it. */
struct truth {
	volatile uint64_t begun[CPUS], done[CPUS];
};

/* The recorder of a test; and what it left, as who comes afterwards sees it. */
struct writing {
	uint64_t id;
	struct xtr_flight *f;
	struct xtr_writer *w;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct truth *truth;
	uint64_t batches;
};

struct left {
	struct xtr_kept_file kept;
	struct xtr_chunk_ring ring;
};

static char *path_of(uint64_t id)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/xtr-%016" PRIx64, xtr_kept_dir(DIR), id);
	return path;
}

/* Without a tmpfs at /dev/shm that has room there is nothing to try: xtr does not use it either. */
static void need_room(void)
{
	struct xtr_kept_file k;
	uint64_t id;
	int err;

	cr_assert_eq(xtr_draw_id(&id), 0);
	err = xtr_kept_new(&k, DIR, id, BYTES, CPUS);
	if (!err) {
		xtr_kept_close(&k);
		xtr_kept_remove(id);
		return;
	}
	cr_assert(err == -ENODEV || err == -ENOSPC || err == -EFBIG, "%d", err);
	cr_skip("/dev/shm cannot be used");
}

static void begin(struct writing *x, uint64_t ns)
{
	const struct xtr_flight_opts o = { .on = true, .bytes = BYTES, .ns = ns };

	*x = (struct writing){ .meta = xtr_meta_new(),
			       .tables = xtr_tables_new(),
			       .loss = xtr_loss_new() };
	x->truth = mmap(NULL, sizeof(*x->truth), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	cr_assert_eq(xtr_draw_id(&x->id), 0);
	cr_assert_eq(xtr_flight_open(&x->f, &o, CPUS), 0);
	cr_assert_eq(xtr_flight_outlive(x->f, DIR, x->id, 1), 0);
	cr_assert_eq(xtr_writer_open(&x->w, &x->f->io, x->meta, x->tables, x->loss, NULL), 0);
}

static void end(struct writing *x)
{
	xtr_writer_free(x->w);
	xtr_flight_close(x->f);
	xtr_loss_free(x->loss);
	xtr_tables_free(x->tables);
	xtr_meta_free(x->meta);
	munmap(x->truth, sizeof(*x->truth));
	cr_assert_eq(xtr_kept_remove(x->id), 0);
}

/* A batch of a CPU that does not get smaller, with a name of its own, now and then a gap. */
static void put(struct writing *x)
{
	static struct rec recs[RECS];
	uint32_t cpu = (uint32_t)draw() % CPUS, n = 1 + (uint32_t)draw() % RECS, id;
	struct xtr_batch b = { .stream = cpu, .recs = (const uint8_t *)recs };
	uint64_t ts = ++x->batches * RECS;
	char name[32];

	for (uint32_t i = 0; i < n; i++)
		recs[i] = (struct rec){ ts + i,
					TYPE,
					sizeof(*recs),
					7,
					{ (uint64_t)draw() << 32 | (uint64_t)draw(),
					  (uint64_t)draw() } };
	b.n = n;
	b.len = n * sizeof(*recs);
	snprintf(name, sizeof(name), "batch %" PRIu64, x->batches);
	cr_assert_eq(xtr_tables_intern(x->tables, name, strlen(name), &id), 0);
	x->truth->begun[cpu] += n;
	cr_assert_eq(xtr_writer_events(x->w, &b), 0);
	x->truth->done[cpu] += n;
	if (draw() % 8)
		return;
	cr_assert_eq(xtr_loss_add_gap(x->loss, &(struct xtr_gap){ cpu, ts, ts + 1, 2 }), 0);
	cr_assert_eq(xtr_writer_loss(x->w), 0);
	cr_assert_eq(xtr_writer_round(x->w, ts), 0);
}

static void look(struct left *l, uint64_t id)
{
	cr_assert_eq(xtr_kept_open(&l->kept, DIR, id), 0);
	cr_assert_eq(xtr_chunk_ring_view(&l->ring, (size_t)l->kept.head->ring_bytes, l->kept.fd,
					 xtr_kept_ring_at(&l->kept),
					 &xtr_kept_state(&l->kept)->ring),
		     0);
}

static void look_away(struct left *l)
{
	xtr_chunk_ring_close(&l->ring);
	xtr_kept_close(&l->kept);
}

/* Whole chunks of the log; returns how many. */
static uint32_t check_log(const struct left *l, uint64_t from, uint64_t to, uint8_t type)
{
	uint8_t head[XTR_CHUNK_HEADER_SIZE];
	struct xtr_chunk c;
	uint32_t n = 0;

	for (uint64_t at = from; at < to; at += xtr_chunk_span(&c), n++) {
		cr_assert_eq(xtr_kept_log_read(&l->kept, at, head, sizeof(head)), 0);
		cr_assert(xtr_chunk_parse(head, &c));
		cr_assert_eq(c.type, type);
		cr_assert_leq(xtr_chunk_span(&c), to - at);
	}
	return n;
}

/* Kept and given up events are those that came, without a hole between them. */
static void check(const struct left *l, const struct truth *truth)
{
	const struct xtr_kept_state *s = xtr_kept_state(&l->kept);
	uint64_t next[CPUS], kept = 0;
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *stored;

	for (uint32_t i = 0; i < CPUS; i++)
		next[i] = xtr_kept_cpu(&l->kept, i).aged;
	while ((c = xtr_chunk_ring_next(&l->ring, &w, &stored))) {
		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert_eq(c->first_ordinal, next[c->stream]);
		next[c->stream] += c->n_records;
		kept += c->n_records;
		cr_assert(c->n_records > 0 && c->ts_max >= s->from);
	}
	for (uint32_t i = 0; i < CPUS; i++) {
		cr_assert_eq(next[i], xtr_kept_cpu(&l->kept, i).ordinal, "CPU %u", i);
		cr_assert(next[i] == truth->done[i] || next[i] == truth->begun[i],
			  "CPU %u: %zu of %zu to %zu", i, (size_t)next[i], (size_t)truth->done[i],
			  (size_t)truth->begun[i]);
	}
	if (kept)
		cr_assert_gt(check_log(l, s->log_from, s->log_to, XTR_CHUNK_TABLE), 0);
	if (l->kept.head->meta_bytes)
		cr_assert_eq(check_log(l, 0, l->kept.head->meta_bytes, XTR_CHUNK_META), 1);
}

Test(kept_file, says_at_any_time_what_is_kept)
{
	struct writing x;
	struct left l;

	need_room();
	seed = 5;
	begin(&x, 0);
	for (int i = 0; i < 600; i++) {
		put(&x);
		if (i % 10)
			continue;
		look(&l, x.id);
		check(&l, x.truth);
		cr_assert_eq(l.ring.n, x.f->ring.n);
		cr_assert_eq(xtr_kept_state(&l.kept)->from, x.f->from);
		look_away(&l);
	}
	cr_assert_gt(x.f->aged[0] + x.f->aged[1] + x.f->aged[2], 10000, "it went round");
	end(&x);
}

/* What does not hold may be anything: a state that is half written, a clock, a slot, a chunk. */
Test(kept_file, what_is_half_done_is_not_seen)
{
	struct writing x;
	struct left l;

	need_room();
	seed = 6;
	begin(&x, 0);
	for (int i = 0; i < 400; i++) {
		struct xtr_kept_head *h;
		struct xtr_chunk_ring *r;

		put(&x);
		h = x.f->kept.head;
		r = &x.f->ring;
		memset(&h->state[!h->which], 0xa5, sizeof(h->state[0]));
		memset(&h->clock[xtr_kept_state(&x.f->kept)->clock == 1], 0xa5,
		       sizeof(h->clock[0]));
		memset(&h->cpus[xtr_kept_state(&x.f->kept)->cpu], 0xa5, sizeof(h->cpus[0]));
		if (r->head > r->tail && r->size - r->head > 64 &&
		    r->head / BYTES == (r->head + 64) / BYTES)
			memset(r->mem + r->head, 0xa5, 64);
		look(&l, x.id);
		check(&l, x.truth);
		look_away(&l);
	}
	end(&x);
}

/* Wherever it is: nothing is missing, nothing is there twice. */
Test(kept_file, outlives_a_process_that_is_killed, .timeout = 300)
{
	struct writing x;
	uint64_t came = 0;
	struct left l;

	need_room();
	for (unsigned int i = 0; i < 60; i++) {
		pid_t pid;

		seed = (uint64_t)i + 1;
		begin(&x, i % 2 ? 100 * RECS : 0);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				put(&x);
		}
		while (x.truth->done[0] + x.truth->done[1] + x.truth->done[2] < 1000 * (i + 1))
			usleep(100);
		usleep((useconds_t)draw() % 3000);
		kill(pid, SIGKILL);
		cr_assert_eq(waitpid(pid, NULL, 0), pid);
		look(&l, x.id);
		check(&l, x.truth);
		for (uint32_t k = 0; k < CPUS; k++)
			came += xtr_kept_cpu(&l.kept, k).ordinal;
		look_away(&l);
		end(&x);
	}
	cr_assert_gt(came, 60 * 1000);
}

/* A file has it: the next piece begins with nothing, whatever the counts of the last one were. */
Test(kept_file, begins_anew_with_each_piece)
{
	struct writing x;
	struct left l;
	uint64_t log;

	need_room();
	seed = 7;
	begin(&x, 0);
	for (int i = 0; i < 300; i++)
		put(&x);
	log = xtr_flight_log_end(x.f);
	xtr_flight_empty(x.f, 0, 2, log);
	look(&l, x.id);
	cr_assert_eq(xtr_kept_state(&l.kept)->piece, 2);
	cr_assert_eq(xtr_kept_state(&l.kept)->log_from, log);
	cr_assert_eq(l.ring.n, 0);
	for (uint32_t i = 0; i < CPUS; i++)
		cr_assert(xtr_kept_cpu(&l.kept, i).ordinal == 0 &&
			  xtr_kept_cpu(&l.kept, i).aged == 0);
	look_away(&l);
	memset(x.truth, 0, sizeof(*x.truth));
	xtr_writer_free(x.w);
	cr_assert_eq(xtr_writer_open(&x.w, &x.f->io, x.meta, x.tables, x.loss, NULL), 0);
	for (int i = 0; i < 300; i++)
		put(&x);
	look(&l, x.id);
	check(&l, x.truth);
	look_away(&l);
	end(&x);
}

/* Memory is taken as it is filled, and given back. */
Test(kept_file, takes_the_memory_that_it_needs)
{
	struct xtr_chunk c = { .stored_len = 500000 };
	uint8_t *data = calloc(1, c.stored_len);
	struct xtr_chunk_ring r;
	struct xtr_kept_file k;
	struct stat st;
	uint64_t id, head;

	need_room();
	cr_assert_eq(xtr_draw_id(&id), 0);
	cr_assert_eq(xtr_kept_new(&k, DIR, id, 8 * BYTES, CPUS), 0);
	cr_assert_eq(fstat(k.fd, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	head = (uint64_t)st.st_blocks * 512;
	cr_assert_leq(head, 64 << 10);
	cr_assert_eq(xtr_chunk_ring_open_in(&r, 8 * BYTES, k.fd, xtr_kept_ring_at(&k)), 0);
	for (int i = 0; i < 6; i++)
		cr_assert(xtr_chunk_ring_put(&r, &c, data));
	cr_assert_eq(fstat(k.fd, &st), 0);
	cr_assert_leq((uint64_t)st.st_blocks * 512, head + 3 * BYTES);
	for (int i = 0; i < 5; i++)
		xtr_chunk_ring_drop(&r);
	xtr_chunk_ring_give_back(&r);
	cr_assert_eq(fstat(k.fd, &st), 0);
	cr_assert_leq((uint64_t)st.st_blocks * 512, head + BYTES);
	xtr_chunk_ring_drop(&r);
	xtr_chunk_ring_give_back(&r);
	cr_assert_eq(fstat(k.fd, &st), 0);
	cr_assert_eq((uint64_t)st.st_blocks * 512, head);
	xtr_chunk_ring_close(&r);
	xtr_kept_close(&k);
	cr_assert_eq(xtr_kept_remove(id), 0);
	cr_assert_eq(xtr_kept_open(&k, DIR, id), -ENOENT);
	free(data);
}

/* A name that finds no room is noted, and those that come afterwards are there. */
Test(kept_file, names_without_room_are_noted)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct xtr_kept_file k;
	struct writing x;
	struct left l;

	need_room();
	seed = 9;
	begin(&x, 0);
	put(&x);
	cr_assert_eq(x.f->kept.head->names_lost, 0);
	signal(SIGXFSZ, SIG_IGN);
	limit.rlim_cur = 4096;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	put(&x);
	cr_assert_eq(x.f->kept.head->names_lost, 1);
	cr_assert_eq(xtr_kept_new(&k, DIR, x.id, BYTES, CPUS), -EFBIG);
	end(&x);

	limit.rlim_cur = RLIM_INFINITY;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	begin(&x, 0);
	put(&x);
	look(&l, x.id);
	check(&l, x.truth);
	look_away(&l);
	end(&x);
}

/* --- what is not taken for one ---------------------------------------------------------------- */

static void break_head(uint64_t id, size_t at, uint64_t value, size_t size)
{
	int fd = open(path_of(id), O_RDWR);

	cr_assert_eq(pwrite(fd, &value, size, (off_t)at), (ssize_t)size);
	close(fd);
}

Test(kept_file, of_others_or_of_another_version_is_refused)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} broken[] = {
		{ offsetof(struct xtr_kept_head, magic), 8, 1 },
		{ offsetof(struct xtr_kept_head, which), 4, 2 },
		{ offsetof(struct xtr_kept_head, n_cpus), 4, UINT32_MAX },
		{ offsetof(struct xtr_kept_head, ring_bytes), 8, UINT64_MAX },
	};
	struct xtr_kept_file k;
	uint64_t id;

	need_room();
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		cr_assert_eq(xtr_draw_id(&id), 0);
		cr_assert_eq(xtr_kept_new(&k, DIR, id, BYTES, CPUS), 0);
		xtr_kept_close(&k);
		cr_assert_eq(xtr_kept_open(&k, DIR, id), 0);
		xtr_kept_close(&k);
		break_head(id, broken[i].at, broken[i].value, broken[i].size);
		cr_assert_eq(xtr_kept_open(&k, DIR, id), -EBADMSG, "%zu", i);
		cr_assert_eq(truncate(path_of(id), 100), 0);
		cr_assert_eq(xtr_kept_open(&k, DIR, id), -EBADMSG, "%zu", i);
		cr_assert_eq(chmod(path_of(id), 0644), 0);
		cr_assert_eq(xtr_kept_open(&k, DIR, id), -EACCES, "others may have written to it");
		cr_assert_eq(xtr_kept_remove(id), 0);
	}
	cr_assert_eq(xtr_kept_new(&k, 99, id, BYTES, CPUS), -EINVAL);
	cr_assert_eq(xtr_kept_open(&k, 99, id), -EBADMSG);
	cr_assert_eq(xtr_kept_new(&k, DIR, id, (size_t)1 << 46, CPUS), -ENOSPC);
}

Test(kept_file, a_ring_that_is_none_is_refused)
{
	struct xtr_chunk_place good, bad;
	struct xtr_chunk_ring r;
	struct writing x;
	struct left l;

	need_room();
	seed = 8;
	begin(&x, 0);
	for (int i = 0; i < 300; i++)
		put(&x);
	look(&l, x.id);
	good = xtr_kept_state(&l.kept)->ring;
	for (int i = 0; i < 5; i++) {
		bad = good;
		bad.tail += (uint64_t[]){ 8, 1, 1ull << 40, 0, 0 }[i];
		bad.n += (uint64_t[]){ 0, 0, 0, 1ull << 40, 0 }[i];
		bad.used += (uint64_t[]){ 0, 0, 0, 0, 1ull << 40 }[i];
		cr_assert_eq(xtr_chunk_ring_view(&r, (size_t)l.kept.head->ring_bytes, l.kept.fd,
						 xtr_kept_ring_at(&l.kept), &bad),
			     -EBADMSG, "%d", i);
	}
	look_away(&l);
	end(&x);
}
