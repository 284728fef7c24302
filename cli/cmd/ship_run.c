/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr ship: one piece after the other. */
#include "ship.h"
#include "cli/ui/cli.h"
#include "ship_child.h"
#include "ship_recover.h"
#include "ship_spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS     1000000u
#define NS_PER_S      1000000000ull
#define FIRST_WAIT_NS NS_PER_S /* after a failure; twice as long after each that follows */
#define MAX_DOUBLED   20
#define LAST_LOOKS    300 /* for what a recorder that ends still has, and us between them */
#define LAST_LOOK_US  100000
#define EX_DATAERR    65 /* sysexits.h: what was given is wrong, and stays so */

struct ship {
	const struct ship_opts *o;
	struct ship_spool spool;
	struct ship_wait wait;
	struct ship_recover recover;
	char **argv; /* of the command, with the path of the piece */
	char path[PATH_MAX];
	struct ship_piece *piece; /* the command has it now */
	struct ship_facts facts;  /* of it */
	uint64_t shipped, bytes;
	char tried[NAME_MAX + 1]; /* the last one that failed, and how often */
	uint64_t failures;
	uint64_t tries;      /* of these: the command was there, and has failed */
	uint64_t of, number; /* the last one that was shipped */
	bool broken;         /* the directory cannot be worked with: said */
	bool held;           /* in the last look a recorder still had a piece */
};

/* --- the command ------------------------------------------------------------------------------ */

static int set(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int set(const char *name, const char *fmt, ...)
{
	char text[PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return setenv(name, text, 1) ? -errno : 0;
}

/* In the command's process. */
static int say_what(void *ctx)
{
	const struct ship *s = ctx;
	const struct ship_facts *f = &s->facts;
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return set("XTR_PIECE", "%s", s->path) ?:
	       set("XTR_PIECE_NAME", "%s", s->piece->name) ?:
	       set("XTR_PIECE_ID", "%s", f->id) ?:
	       set("XTR_PIECE_HOST", "%s", *f->host ? f->host : host) ?:
	       set("XTR_PIECE_OF", "%016" PRIx64, f->of) ?:
	       set("XTR_PIECE_NUMBER", "%" PRIu64, f->number) ?:
	       set("XTR_PIECE_TIME", "%" PRIu64, f->realtime / 1000000000u) ?:
	       set("XTR_PIECE_BYTES", "%" PRIu64, f->bytes) ?:
	       set("XTR_PIECE_EVENTS", "%" PRIu64, f->events) ?:
	       set("XTR_PIECE_LOST", "%" PRIu64, f->lost);
}

static void keep_to_limit(void *ctx)
{
	struct ship *s = ctx;

	ship_trim(&s->spool, s->o->limit, s->piece ? s->piece->name : NULL);
}

/* "{}" becomes the path; without one it is the last argument. */
static int make_argv(struct ship *s)
{
	size_t n = 0;
	bool placed = false;

	while (s->o->command[n])
		n++;
	s->argv = calloc(n + 2, sizeof(*s->argv));
	if (!s->argv)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bool here = i && !strcmp(s->o->command[i], "{}");

		s->argv[i] = here ? s->path : s->o->command[i];
		placed |= here;
	}
	s->argv[n] = placed ? NULL : s->path;
	return 0;
}

static int run_command(struct ship *s, struct ship_piece *p, bool *late)
{
	struct ship_child c = {
		.argv = s->argv,
		.lock = s->spool.taken,
		.timeout = s->o->timeout,
		.grace = s->o->grace,
		.begin = say_what,
		.tick = keep_to_limit,
		.ctx = s,
	};
	int status;

	if ((size_t)snprintf(s->path, sizeof(s->path), "%s/%s/%s", s->o->dir, SHIP_TAKEN,
			     p->name) >= sizeof(s->path))
		return -ENAMETOOLONG;
	s->piece = p;
	status = ship_child_run(&c, &s->wait);
	s->piece = NULL;
	*late = c.late;
	return status;
}

/* --- what became of it ------------------------------------------------------------------------ */

/* Pieces between this one and the last, which nobody will see: full spool, --keep. */
static void note_hole(struct ship *s)
{
	const struct ship_facts *f = &s->facts;

	if (s->of && f->of == s->of && f->number > s->number + 1)
		cli_warn("%" PRIu64 " pieces before '%s' were removed before they were shipped",
			 f->number - s->number - 1, s->path);
	s->of = f->of;
	s->number = f->number;
}

static int was_taken(struct ship *s, const struct ship_piece *p)
{
	int err = ship_done(&s->spool, p);

	s->failures = s->tries = 0;
	s->shipped++;
	s->bytes += s->facts.bytes;
	note_hole(s);
	return err;
}

static void say_failure(const struct ship *s, const struct ship_piece *p, int status, bool late)
{
	if (status == -ENOENT)
		cli_warn("'%s': there is no command '%s'", p->name, s->argv[0]);
	else if (status < 0)
		cli_warn("'%s': the command cannot be started: %s", p->name, cli_strerror(status));
	else if (late)
		cli_warn("'%s': the command was ended, it took too long", p->name);
	else if (WIFSIGNALED(status))
		cli_warn("'%s': the command was ended by signal %d (%s)", p->name, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		cli_warn("'%s': the command ended with status %d", p->name, WEXITSTATUS(status));
}

/* 1: it stays, and is the next to be tried; 0: it was given up. */
static int was_not_taken(struct ship *s, struct ship_piece *p, int status, bool late)
{
	bool wrong = status >= 0 && !late && WIFEXITED(status) && WEXITSTATUS(status) == EX_DATAERR;
	int err;

	say_failure(s, p, status, late);
	if (s->wait.stop && late)
		return 1; /* not its fault */
	if (strcmp(s->tried, p->name)) {
		memcpy(s->tried, p->name, sizeof(s->tried));
		s->failures = s->tries = 0;
	}
	s->failures++;
	s->tries += status >= 0; /* one that did not begin says nothing of the piece */
	if (!wrong && (!s->o->tries || s->tries < s->o->tries))
		return 1;
	err = ship_give_up(&s->spool, p);
	if (err)
		return err;
	cli_warn("'%s/%s/%s' is given up: move it back to ship/ to try again", s->o->dir,
		 SHIP_FAILED, p->name);
	s->failures = s->tries = 0;
	return 0;
}

/* The bytes are what the name says: else the copy that has this name would get others. */
static bool is_named_right(const struct ship_piece *p, const struct ship_facts *f)
{
	return strstr(p->name, f->id);
}

/* 0: it is gone from here; 1: it stays; or -errno. */
static int ship_it(struct ship *s, struct ship_piece *p)
{
	int status = ship_facts(s->spool.taken, p->name, true, &s->facts);
	bool late = false;

	if (status == -ENOENT)
		return 0;
	if (!status && !is_named_right(p, &s->facts))
		status = -EBADMSG;
	if (status == -EBADMSG) {
		cli_warn("'%s': its bytes are not those that it was taken with", p->name);
		return ship_give_up(&s->spool, p);
	}
	if (status)
		return status;
	status = run_command(s, p, &late);
	if (status == -EINTR || status == -ENAMETOOLONG)
		return status;
	if (status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return was_taken(s, p);
	return was_not_taken(s, p, status, late);
}

/* --- all of them ------------------------------------------------------------------------------ */

/* A new one is taken if it is whole and nobody needs it here; else it is made whole, or waits: 1.
 */
static int take(struct ship *s, struct ship_piece *p)
{
	struct ship_facts f;
	int err = ship_facts(s->spool.dir, p->name, false, &f);

	if (err == -ENOENT)
		return 1; /* the recorder has removed it: --keep */
	if (err == -EBADMSG) {
		cli_warn("'%s/%s' is no trace", s->o->dir, p->name);
		return ship_give_up(&s->spool, p) ?: 1;
	}
	if (err)
		return err;
	if (ship_is_open(&s->recover, p->name, &f)) {
		s->held = true;
		return 1;
	}
	if (!f.whole)
		return ship_recover_one(&s->recover, p, &f);
	return ship_facts(s->spool.dir, p->name, true, &f) ?: ship_take(&s->spool, p, &f);
}

/* One that was made whole in this look is found by the next. */
static int ship_all(struct ship *s, struct ship_pieces *all, bool *again)
{
	int err = 0;

	for (size_t i = 0; i < all->n && !err && !s->wait.stop; i++) {
		struct ship_piece *p = &all->v[i];

		s->held |= p->written;
		if (p->place == SHIP_IS_FAILED || p->place == SHIP_IS_LEFT || p->written)
			continue;
		if (p->place == SHIP_IS_NEW) {
			err = take(s, p);
			*again |= !err && p->place == SHIP_IS_NEW;
			if (err == 1)
				err = 0;
			else if (err == -ENOENT)
				err = 0; /* removed between two steps */
		}
		if (!err && p->place == SHIP_IS_TAKEN)
			err = ship_it(s, p);
	}
	return err;
}

/* 0: nothing waits; 1: the command has failed; or -errno, which is said. */
static int look(struct ship *s)
{
	struct ship_pieces all = { 0 };
	bool again = true;
	int err = 0;

	s->recover.waits = s->held = false;
	while (again && !err && !s->wait.stop) {
		s->recover.made = again = false;
		err = ship_spool_list(&s->spool, &all) ?: ship_recover_all(&s->recover);
		for (size_t i = 0; i < s->recover.recorders.n; i++)
			s->held |= s->recover.recorders.v[i].alive;
		if (!err)
			err = ship_all(s, &all, &again);
		again |= s->recover.made;
		ship_pieces_free(&all);
	}
	if (err < 0)
		cli_failed(s->o->dir, err);
	s->broken = err < 0;
	keep_to_limit(s);
	return err;
}

static uint64_t pause_ns(const struct ship *s, bool failed)
{
	uint64_t twice = s->failures ? s->failures - 1 : 0;
	uint64_t ns = FIRST_WAIT_NS << (twice < MAX_DOUBLED ? twice : MAX_DOUBLED);

	if (!failed)
		return s->o->every;
	return ns < s->o->pause ? ns : s->o->pause;
}

/* The directory is kept to its limit meanwhile. */
static void rest(struct ship *s, uint64_t ns)
{
	uint64_t end = cli_now() + ns, now;
	bool ended = s->wait.ended;

	while (!s->wait.stop && ended == s->wait.ended && (now = cli_now()) < end) {
		uint64_t ms = (end - now) / NS_PER_MS + 1;

		ship_wait_for(&s->wait, ms < 1000 ? (int)ms : 1000);
		keep_to_limit(s);
	}
}

/*
 * When the recorder has ended there is one more look: it has all of its pieces. Of one that was
 * killed the pipe may be closed before its lock is (the kernel closes one descriptor after the
 * other, and those of programs take their time): then there are more looks, but not for ever.
 */
static int go_on(struct ship *s)
{
	unsigned int looks = 0;
	bool last, ended;
	int err;

	do {
		ship_wait_for(&s->wait, 0);
		ended = s->wait.ended;
		last = !s->o->follow || ended;
		err = look(s);
		if (s->o->follow && ended && s->held && !err && looks++ < LAST_LOOKS) {
			last = false;
			usleep(LAST_LOOK_US);
		} else if (!last)
			rest(s, pause_ns(s, err));
	} while (!last && !s->wait.stop);
	return err;
}

static void say_sum(const struct ship *s)
{
	if (s->o->quiet)
		return;
	fprintf(stderr, "xtr: '%s': %s piece%s shipped, %s", s->o->dir, cli_count(s->shipped),
		s->shipped == 1 ? "" : "s", cli_bytes(s->bytes));
	if (s->spool.given_up)
		fprintf(stderr, ", %s given up", cli_count(s->spool.given_up));
	if (s->spool.removed)
		fprintf(stderr, ", %s removed", cli_count(s->spool.removed));
	fprintf(stderr, "\n");
}

static int failed_open(const struct ship_opts *o, int err)
{
	if (err == -EPERM) {
		cli_error("'%s' is another user's, or others may write to it", o->dir);
		cli_hint(
			"run 'xtr ship' as its owner, in a directory that nobody else may write to");
	} else if (err == -EBUSY) {
		cli_error("'%s': another 'xtr ship', or a command of one, is at work there",
			  o->dir);
	} else {
		cli_failed(o->dir, err);
	}
	return XTR_EXIT_FAILURE;
}

void ship_defaults(struct ship_opts *o)
{
	o->every = NS_PER_S;
	o->pause = 300 * NS_PER_S;
	o->timeout = 3600 * NS_PER_S;
	o->grace = 10 * NS_PER_S;
}

/* Beside a recorder: until that records, earlier pieces may still be its to remove (--force). */
static bool may_begin(const struct ship_opts *o)
{
	char c = 0;
	ssize_t n;

	if (o->ready >= 0 && write(o->ready, &c, 1) != 1)
		return false;
	if (o->ready >= 0)
		close(o->ready);
	do
		n = o->until < 0 ? 1 : read(o->until, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

int ship_run(const struct ship_opts *o)
{
	struct ship s = { .o = o };
	int err = ship_spool_open(&s.spool, o, true);

	if (err)
		return failed_open(o, err);
	s.recover = (struct ship_recover){ .spool = &s.spool, .wait = &s.wait };
	err = ship_wait_open(&s.wait, o->until) ?: make_argv(&s);
	if (err) {
		cli_failed(o->dir, err);
		s.broken = true;
	} else if (may_begin(o)) {
		err = go_on(&s);
		say_sum(&s);
	}
	ship_wait_close(&s.wait);
	ship_recorders_free(&s.recover.recorders);
	ship_spool_close(&s.spool);
	free(s.argv);
	if (s.broken || s.recover.waits || (err && !s.wait.stop))
		return XTR_EXIT_FAILURE;
	return s.spool.given_up || s.spool.removed ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

/* --- what there is ---------------------------------------------------------------------------- */

static const char *const places[] = {
	[SHIP_IS_FAILED] = "given up",
	[SHIP_IS_TAKEN] = "taken",
	[SHIP_IS_NEW] = "waits",
	[SHIP_IS_LEFT] = "collected",
};

int ship_list(const struct ship_opts *o)
{
	struct ship_spool spool;
	struct ship_pieces all;
	uint64_t bytes = 0;
	int err = ship_spool_open(&spool, o, false);
	FILE *f = cli_out();

	if (err)
		return failed_open(o, err);
	err = ship_spool_list(&spool, &all);
	if (err) {
		ship_spool_close(&spool);
		return cli_failed(o->dir, err);
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct ship_piece *p = &all.v[i];

		fprintf(f, "%-9s %10s  %s\n", p->written ? "written" : places[p->place],
			cli_bytes(p->bytes), p->name);
		bytes += p->bytes;
	}
	fprintf(f, "%s piece%s, %s\n", cli_count(all.n), all.n == 1 ? "" : "s", cli_bytes(bytes));
	ship_pieces_free(&all);
	ship_spool_close(&spool);
	return cli_finish(XTR_EXIT_OK);
}
