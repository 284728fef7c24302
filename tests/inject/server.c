/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: inject [-i FILE] [-p] [-k FILE] [-t FOLDER] [-s STATUS] [-S FILE] [-1 PLAN] [-lmMqrocv]
 * NAME DIRECTORY COMMAND [ARGUMENT]...
 *
 * Runs xtr COMMAND in DIRECTORY once without faults and then once for each fault: every allocation
 * and every system call that does I/O fails once, and from then on. By default at each place in the
 * program (told by its stack) where one happens; with LONG=1 in the environment every single one.
 *
 * -i standard input, -p through a pipe; -k a file that exists before, -t a folder whose contents
 * do; -M files are moved: none is lost, and each has its bytes; -s the status without faults; -S
 * places tried by other scenarios, which are not tried again, and where those of this one are
 * added; -1 only this fault, as a failure names it; -m it tells of the machine, which may
 * change; only places are tried; -l it may tell what it cannot look at as missing; -q SQLite's
 * words will do; -r it records; -o but with LONG=1
 * only its first process fails; -c second faults, too; -v tell of each. The last line is `NAME:
 * runs N, allocations N, calls N, absorbed N, failed N`.
 */
#include "server.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CALLER = 4, /* of the allocator: among so many frames of a strike */
	SECOND = 2, /* second faults: up to so many calls later; where all are tried up to twice
		       that */
};

int __wrap_main(int argc, char **argv);

static struct {
	unsigned long runs, alloc_faults, call_faults, absorbed, failed;
} sum;

static bool verbose;

/* Something else happened on the machine meanwhile: what is right is something else now. */
static bool machine_changed(struct scenario *s)
{
	static struct outcome now;

	inject_run(s, &(struct plan){ 0 }, false, false, &now);
	if (now.out == s->good.out && !strcmp(now.err, s->good.err))
		return false;
	s->good = now;
	return true;
}

/* Run with this fault; why it was wrong, or NULL. */
static const char *run_judged(struct scenario *s, const struct plan *plan, struct outcome *o,
			      bool *absorbed)
{
	const char *why;

	inject_run(s, plan, false, true, o);
	why = inject->n_strikes ? inject_judge(s, o, absorbed) : NULL;
	inject_clean(s, &o->dir);
	return why;
}

/* AddressSanitizer had no memory to begin a thread: nothing is learnt of xtr. */
static bool sanitizer_failed(const struct outcome *o)
{
	return strstr(o->err, "AddressSanitizer: CHECK failed") &&
	       strstr(o->err, "pthread_getattr_np");
}

/*
 * Without memory libarchive (3.6) ends the process (__archive_errx), uses what it did not get
 * (archive_write.c) or gives no reason: what comes of that is not xtr's, and is in a process of its
 * own.
 */
static bool library_failed(void)
{
	const struct strike *k = &inject->strikes[0];
	Dl_info d;

	if (k->nr != CALL_ALLOC)
		return false;
	for (int i = 0; i < k->n_frames && i < CALLER; i++)
		if (dladdr(k->frames[i], &d) && strstr(d.dli_fname, "libarchive"))
			return true;
	return false;
}

static void try(struct scenario *s, const struct plan *plan)
{
	static struct outcome o;
	bool absorbed = false;
	const char *why = run_judged(s, plan, &o, &absorbed);

	for (int i = 0; i < 3 && why && s->machine && machine_changed(s); i++)
		why = run_judged(s, plan, &o, &absorbed);
	sum.runs++;
	if (why && s->machine)
		why = run_judged(s, plan, &o, &absorbed); /* the strikes once more */
	if (!inject->n_strikes || sanitizer_failed(&o) || (why && library_failed()))
		return;
	for (int i = 0; i < inject->n_strikes && i < 2; i++)
		*(inject->strikes[i].nr == CALL_ALLOC ? &sum.alloc_faults : &sum.call_faults) += 1;
	sum.absorbed += absorbed;
	sum.failed += why != NULL;
	if (why || verbose)
		inject_tell(s, &o, why ? why : "right", verbose);
}

/* --- all faults of a scenario ----------------------------------------------------------------- */

static const struct fault {
	int err;
	uint32_t families;
	bool on, once, of_stdout;
} faults[] = {
	{ EIO, F_READ | F_WRITE | F_OPEN | F_CLOSE | F_SYNC | F_RENAME | F_CHANGE | F_LOOK | F_DIR,
	  true, true, false },
	{ EIO, F_UNLINK, false, true, false },
	{ ENOSPC, F_WRITE | F_CREATE | F_SYNC | F_RENAME | F_CHANGE, true, true, false },
	{ EMFILE, F_OPEN | F_DUP | F_MAKE, true, true, false },
	{ EAGAIN, F_THREAD, true, true, false },
	{ ENOMEM, F_MAP, true, true, false },
	{ EINTR, F_READ | F_WRITE | F_SYNC | F_CLOSE, true, true, false },
	{ SHORT_ONE, F_READ | F_WRITE, false, true, false },
	{ SHORT_HALF, F_READ | F_WRITE, true, false, false },
	{ EAGAIN, F_WRITE, false, true, true },
	{ EPIPE, F_WRITE, false, true, true },
};

/* The one fault of a place in a recording; the last that fits. */
static const struct {
	uint32_t families;
	int err;
} usual[] = {
	{ UINT32_MAX, EIO }, { F_WRITE | F_CREATE, ENOSPC }, { F_OPEN | F_DUP | F_MAKE, EMFILE },
	{ F_MAP, ENOMEM },   { F_THREAD, EAGAIN },
};

static void second_faults(struct scenario *s, struct plan plan)
{
	for (uint32_t k = 1; k <= (inject_every ? 2 * SECOND : SECOND); k++) {
		plan.then_call = k;
		plan.then_alloc = 0;
		try(s, &plan);
		plan.then_call = 0;
		plan.then_alloc = k;
		try(s, &plan);
	}
}

static void fail_allocations(struct scenario *s, const struct place *place, uint32_t n, bool second)
{
	for (uint32_t i = 1; i <= n; i++) {
		if (!inject_every && !inject_new_place(place[i].site))
			continue;
		try(s, &(struct plan){ .alloc_at = i });
		try(s, &(struct plan){ .alloc_at = i, .sticky = true });
		if (second)
			second_faults(s, (struct plan){ .alloc_at = i });
	}
}

static void fail_call(struct scenario *s, const struct place *place, uint32_t i, bool second)
{
	for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
		const struct fault *f = &faults[k];
		struct plan plan = { .call_at = i, .err = f->err, .families = place->families };

		if (!(f->families & place->families) ||
		    (f->of_stdout && place->fd != STDOUT_FILENO))
			continue;
		if (f->once)
			try(s, &plan);
		if (second && f->once && f->err < SHORT_ONE)
			second_faults(s, plan);
		plan.sticky = true;
		if (f->on)
			try(s, &plan);
	}
}

static void fail_calls(struct scenario *s, const struct place *place, uint32_t n, bool second)
{
	for (uint32_t i = 1; i <= n; i++)
		if (inject_every || inject_new_place(place[i].site))
			fail_call(s, &place[i], i, second);
}

/* All faults of a place, once and from then on. */
static void fail_all_ways(struct scenario *s, const struct place *place, bool call)
{
	struct plan plan = {
		.site = place->site, .from = place->from, .err = ENOMEM, .families = place->families
	};

	for (size_t k = 0; call && k < sizeof(faults) / sizeof(faults[0]); k++) {
		if (!(faults[k].families & place->families) || faults[k].of_stdout)
			continue;
		plan.err = faults[k].err;
		plan.sticky = false;
		if (faults[k].once)
			try(s, &plan);
		plan.sticky = true;
		if (faults[k].on)
			try(s, &plan);
	}
	if (call)
		return;
	try(s, &plan);
	plan.sticky = true;
	try(s, &plan);
}

/*
 * Threads and processes take turns as they like: so it is places that fail, not numbers. In a
 * recording each fails once with what is most likely there.
 */
static void fail_places(struct scenario *s, const struct place *place, uint32_t n, bool call)
{
	for (uint32_t i = 1; i <= n; i++) {
		struct plan plan = { .site = place[i].site, .from = place[i].from, .err = ENOMEM };

		if (!plan.site || !inject_new_place(plan.site))
			continue;
		for (size_t k = 0; call && k < sizeof(usual) / sizeof(usual[0]); k++)
			if (place[i].families & usual[k].families)
				plan.err = usual[k].err;
		if (inject_every || s->moves)
			fail_all_ways(s, &place[i], call);
		else
			try(s, &plan);
	}
}

/* The run without faults, twice: what differs between two such runs cannot be judged. */
static void look(struct scenario *s, uint32_t *allocs, uint32_t *calls)
{
	static struct outcome again;

	inject_look_at_dir(&s->before);
	inject_run(s, &(struct plan){ 0 }, false, false, &s->good);
	s->live = inject->live;
	if (!WIFEXITED(s->good.status) || WEXITSTATUS(s->good.status) != s->status ||
	    inject->leaked_fd >= 0) {
		printf("FAIL %s: without a fault: status 0x%x, descriptor %d\n%s\n", s->name,
		       s->good.status, inject->leaked_fd, s->good.err);
		exit(1);
	}
	inject_run(s, &(struct plan){ 0 }, true, false, &again);
	if (!s->machine && !s->recording &&
	    (again.out != s->good.out || !inject_same_dir(&again.dir, &s->good.dir))) {
		printf("FAIL %s: two runs without faults differ\n", s->name);
		exit(1);
	}
	*allocs = inject->allocs < ALLOCS_MAX ? inject->allocs : ALLOCS_MAX - 1;
	*calls = inject->calls < CALLS_MAX ? inject->calls : CALLS_MAX - 1;
	printf("%s: %u allocations, %u calls, %ld blocks left\n", s->name, *allocs, *calls,
	       (long)s->live);
}

/* One fault alone; the files stay as that run left them. */
static int only(const struct scenario *s, struct plan plan, uint32_t calls)
{
	static struct outcome o;
	bool absorbed;
	const char *why;

	if (plan.call_at && plan.call_at <= calls)
		plan.families = inject->call_place[plan.call_at].families;
	for (uint32_t i = 1; plan.site && i <= calls; i++)
		if (inject->call_place[i].site == plan.site)
			plan.families = inject->call_place[i].families;
	inject_run(s, &plan, false, true, &o);
	why = inject->n_strikes ? inject_judge(s, &o, &absorbed) : "no such place";
	inject_tell(s, &o, why ? why : "right", true);
	return why ? 1 : 0;
}

struct settings {
	struct scenario s;
	const char *seen;
	struct plan only;
	bool second;
};

/* The options that are flags. */
static bool *flag(struct settings *o, int c)
{
	return c == 'p'   ? &o->s.piped
	       : c == 'l' ? &o->s.loose
	       : c == 'm' ? &o->s.machine
	       : c == 'M' ? &o->s.moves
	       : c == 'q' ? &o->s.sql
	       : c == 'r' ? &o->s.recording
	       : c == 'o' ? &o->s.alone
	       : c == 'c' ? &o->second
	       : c == 'v' ? &verbose
			  : NULL;
}

static int parse(struct settings *o, int argc, char **argv)
{
	const char *is_long = getenv("LONG");
	int c;

	while ((c = getopt(argc, argv, "+i:pk:t:s:S:1:lmMqrocv")) != -1) {
		if (c == 'i')
			o->s.input = optarg;
		else if (c == 'k')
			o->s.old = optarg;
		else if (c == 't')
			o->s.tree = optarg;
		else if (c == 'S')
			o->seen = optarg;
		else if (c == 's')
			o->s.status = atoi(optarg);
		else if (c == '1' && inject_plan_parse(&o->only, optarg))
			return 2;
		else if (c == '?')
			return 2;
		else if (flag(o, c))
			*flag(o, c) = true;
	}
	if (argc - optind < 3)
		return 2;
	inject_every = !o->s.machine && is_long && !strcmp(is_long, "1");
	o->s.name = argv[optind];
	o->s.argc = argc - optind - 1;
	o->s.argv = argv + optind + 1;
	return 0;
}

int __wrap_main(int argc, char **argv)
{
	static struct settings o;
	void *frames[FRAMES];
	uint32_t allocs, calls;

	inject_find_linker();
	backtrace(frames, FRAMES); /* loads what it needs */
	if (parse(&o, argc, argv) || (o.seen && inject_open_seen(o.seen, argv)) ||
	    chdir(o.s.argv[0]) || inject_prepare())
		return 2;
	/* What other recorders leave on this machine, and remove, is seen by doctor, too. */
	if ((o.s.recording || ((o.s.machine || o.s.moves) && !geteuid())) && inject_own_bpffs() &&
	    o.s.recording)
		return 2;
	o.s.argv[0] = "xtr";
	inject_make_before(&o.s);
	look(&o.s, &allocs, &calls);
	fflush(stdout);
	if (o.only.err)
		return only(&o.s, o.only, calls);
	if (o.s.recording || o.s.moves) {
		fail_places(&o.s, inject->alloc_place, allocs, false);
		fail_places(&o.s, inject->call_place, calls, true);
	} else {
		fail_allocations(&o.s, inject->alloc_place, allocs, o.second);
		fail_calls(&o.s, inject->call_place, calls, o.second);
	}
	printf("%s: runs %lu, allocations %lu, calls %lu, absorbed %lu, failed %lu\n", o.s.name,
	       sum.runs, sum.alloc_faults, sum.call_faults, sum.absorbed, sum.failed);
	return sum.failed ? 1 : 0;
}
