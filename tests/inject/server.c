/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: inject [-i FILE] [-p] [-k FILE] [-s STATUS] [-S FILE] [-lqcv] NAME DIRECTORY COMMAND
 * [ARGUMENT]...
 *
 * Runs xtr COMMAND in DIRECTORY once without faults and then once for each fault: every allocation
 * and every system call that does I/O fails once, and from then on. By default at each place in the
 * program (told by its stack) where one happens; with LONG=1 in the environment every single one.
 *
 * -i standard input, -p through a pipe; -k a file that exists before; -s the status without faults;
 * -S places tried by other scenarios, which are not tried again, and where those of this one are
 * added; -l any documented status will do; -q SQLite's words will do; -c second faults, too; -v
 * tell of each. The last line is `NAME: runs N, allocations N, calls N, absorbed N, failed N`.
 */
#include "server.h"

#include <errno.h>
#include <execinfo.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SEEN_MAX = 1 << 18, /* places */
	LIMIT_S = 60,       /* of one run */
	FDS = 64,
	SECOND = 4, /* second faults: up to so many calls after the first */
	SHOWN = 12, /* failures told of */
};

struct shared *inject;

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static struct {
	unsigned long runs, alloc_faults, call_faults, absorbed, failed;
} sum;

static int out_fd, err_fd;
static bool verbose, every;

/* --- where ------------------------------------------------------------------------------------ */

uint64_t inject_site(void)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);

	return inject_hash(0xcbf29ce484222325u, frames, (size_t)n * sizeof(frames[0]));
}

void inject_struck(int nr, int fd, int err)
{
	int i = __atomic_fetch_add(&inject->n_strikes, 1, __ATOMIC_RELAXED);
	struct strike *s = &inject->strikes[i];

	if (i == 0) {
		inject->since_allocs = inject->allocs;
		inject->since_calls = inject->calls;
	}
	if (i >= 2)
		return;
	s->nr = nr;
	s->fd = fd;
	s->err = err;
	s->n_frames = backtrace(s->frames, FRAMES);
}

bool inject_alloc(void)
{
	const struct plan *p = &inject->plan;
	uint32_t n = __atomic_add_fetch(&inject->allocs, 1, __ATOMIC_RELAXED);
	bool fails;

	if (inject->look && n < ALLOCS_MAX)
		inject->alloc_place[n].site = inject_site();
	fails = p->alloc_at && (n == p->alloc_at || (p->sticky && n > p->alloc_at));
	fails |= p->then_alloc && inject->n_strikes && n == inject->since_allocs + p->then_alloc;
	if (fails)
		inject_struck(-1, -1, ENOMEM);
	return fails;
}

/* --- one run ---------------------------------------------------------------------------------- */

static uint64_t open_fds(void)
{
	uint64_t set = 0;

	for (int fd = 0; fd < FDS; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			set |= (uint64_t)1 << fd;
	return set;
}

static int open_input(const struct scenario *s)
{
	static char buf[1 << 16];
	int fd = open(s->input ? s->input : "/dev/null", O_RDONLY | O_CLOEXEC), ends[2];
	ssize_t n;

	if (!s->piped)
		return fd;
	n = read(fd, buf, sizeof(buf));
	if (n < 0 || n == sizeof(buf) || pipe(ends) || write(ends[1], buf, (size_t)n) != n)
		_exit(99);
	close(fd);
	close(ends[1]);
	return ends[0];
}

__attribute__((noreturn)) static void child(const struct scenario *s, const sigset_t *mask)
{
	int in = open_input(s), status, left;
	uint64_t before, more;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	dup2(in, STDIN_FILENO);
	if (in > STDERR_FILENO)
		close(in);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	if (inject_trap_calls())
		_exit(98);
	before = open_fds();
	inject_live = 0;
	inject->armed = true;
	status = __real_main(s->argc, s->argv);
	inject->armed = false;
	inject->live = inject_live;
	more = open_fds() & ~before;
	left = more ? __builtin_ctzll(more) : -1;
	inject->leaked_fd = left;
	inject->ended = true;
	_exit(status);
}

static int wait_for(pid_t pid)
{
	const struct timespec limit = { .tv_sec = LIMIT_S };
	sigset_t set;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN)
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

static void make_old(const struct scenario *s)
{
	int fd = s->old ? open(s->old, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0 && write(fd, "old\n", 4) == 4)
		close(fd);
}

static void clean(const struct scenario *s, const struct dir_state *d)
{
	if (inject_same_dir(d, &s->before))
		return;
	for (size_t i = 0; i < d->n; i++)
		unlink(d->file[i].name);
	make_old(s);
}

static void read_back(struct outcome *o)
{
	static char buf[1 << 16];
	off_t at = 0;
	ssize_t n;

	o->out = 0xcbf29ce484222325u;
	while ((n = pread(out_fd, buf, sizeof(buf), at)) > 0) {
		o->out = inject_hash(o->out, buf, (size_t)n);
		at += n;
	}
	n = pread(err_fd, o->err, sizeof(o->err) - 1, 0);
	o->err[n > 0 ? n : 0] = '\0';
	inject_look_at_dir(&o->dir);
}

static void run(const struct scenario *s, const struct plan *plan, bool look, struct outcome *o)
{
	sigset_t set, mask;
	pid_t pid;

	memset(inject, 0, offsetof(struct shared, alloc_place));
	inject->plan = *plan;
	inject->look = look;
	if (ftruncate(out_fd, 0) || ftruncate(err_fd, 0))
		exit(3);
	lseek(out_fd, 0, SEEK_SET);
	lseek(err_fd, 0, SEEK_SET);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &mask);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(s, &mask);
	o->status = pid < 0 ? -1 : wait_for(pid);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	read_back(o);
	clean(s, &o->dir);
}

/* --- telling ---------------------------------------------------------------------------------- */

static const char *error_name(int err)
{
	return err == SHORT_ONE ? "one byte" : err == SHORT_HALF ? "half" : strerrorname_np(err);
}

static void tell_strike(const struct strike *k)
{
	printf("  %s", inject_call_name(k->nr));
	if (k->fd >= 0)
		printf(" of %d", k->fd);
	printf(": %s, at", error_name(k->err));
	for (int i = 0; i < k->n_frames; i++) {
		Dl_info d;

		if (dladdr(k->frames[i], &d) && d.dli_fbase)
			printf(" %s+0x%lx",
			       strrchr(d.dli_fname, '/') ? strrchr(d.dli_fname, '/') + 1
							 : d.dli_fname,
			       (unsigned long)((char *)k->frames[i] - (char *)d.dli_fbase));
	}
	printf("\n");
}

/* The same of the same place, by another fault. */
static bool told_before(const char *why)
{
	static uint64_t told[SHOWN];
	static size_t n;
	const struct strike *k = &inject->strikes[0];
	uint64_t h = inject_hash((uint64_t)k->nr, why, strlen(why));

	h = inject_hash(h, k->frames,
			sizeof(k->frames[0]) * (size_t)(k->n_frames < 6 ? k->n_frames : 6));
	for (size_t i = 0; i < n; i++)
		if (told[i] == h)
			return true;
	if (n == SHOWN)
		return true;
	told[n++] = h;
	return false;
}

static void tell(const struct scenario *s, const struct outcome *o, const char *why)
{
	const struct plan *p = &inject->plan;

	if (!verbose && told_before(why))
		return;
	printf("FAIL %s: %s: allocation %u call %u %s%s then call %u allocation %u: %s %d\n",
	       s->name, why, p->alloc_at, p->call_at, p->err ? error_name(p->err) : "",
	       p->sticky ? " and on" : "", p->then_call, p->then_alloc,
	       WIFSIGNALED(o->status) ? "signal" : "status",
	       WIFSIGNALED(o->status) ? WTERMSIG(o->status) : WEXITSTATUS(o->status));
	if (inject->live > s->live)
		printf("  %ld blocks left, %ld without faults\n", (long)inject->live,
		       (long)s->live);
	for (int i = 0; i < inject->n_strikes && i < 2; i++)
		tell_strike(&inject->strikes[i]);
	printf("  stderr: %.2000s\n", o->err);
}

static void try(const struct scenario *s, const struct plan *plan)
{
	static struct outcome o;
	bool absorbed;
	const char *why;

	run(s, plan, false, &o);
	sum.runs++;
	if (!inject->n_strikes)
		return;
	why = inject_judge(s, &o, &absorbed);
	for (int i = 0; i < inject->n_strikes && i < 2; i++)
		*(inject->strikes[i].nr < 0 ? &sum.alloc_faults : &sum.call_faults) += 1;
	sum.absorbed += absorbed;
	sum.failed += why != NULL;
	if (why || verbose)
		tell(s, &o, why ? why : "right");
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
	{ EMFILE, F_OPEN | F_DUP, true, true, false },
	{ ENOMEM, F_MAP, true, true, false },
	{ EINTR, F_READ | F_WRITE | F_SYNC | F_CLOSE, false, true, false },
	{ SHORT_ONE, F_READ | F_WRITE, false, true, false },
	{ SHORT_HALF, F_READ | F_WRITE, true, false, false },
	{ EAGAIN, F_WRITE, false, true, true },
	{ EPIPE, F_WRITE, false, true, true },
};

/* Places that this or an earlier scenario tried; without -S those of this one. */
static struct {
	uint64_t site[SEEN_MAX];
	size_t n;
	FILE *f;
} seen;

/* A place that was not seen before; all are new where every single one is tried. */
static bool is_new(uint64_t site)
{
	size_t i = site % SEEN_MAX;

	if (every || seen.n == SEEN_MAX / 2)
		return true;
	while (seen.site[i] && seen.site[i] != site)
		i = (i + 1) % SEEN_MAX;
	if (seen.site[i])
		return false;
	seen.site[i] = site;
	seen.n++;
	return true;
}

static bool try_place(uint64_t site)
{
	bool new = is_new(site);

	if (new &&seen.f)
		fwrite(&site, sizeof(site), 1, seen.f);
	return new;
}

/* The same places have the same addresses in all processes: without random ones. */
static int open_seen(const char *path, char **argv)
{
	int how = personality(0xffffffff);
	uint64_t site;

	if (how >= 0 && !(how & ADDR_NO_RANDOMIZE) &&
	    personality((unsigned long)how | ADDR_NO_RANDOMIZE) >= 0)
		execv("/proc/self/exe", argv);
	seen.f = fopen(path, "a+e");
	while (seen.f && fread(&site, sizeof(site), 1, seen.f) == 1)
		is_new(site);
	return seen.f ? 0 : -1;
}

static void second_faults(const struct scenario *s, struct plan plan)
{
	for (uint32_t k = 1; k <= SECOND; k++) {
		plan.then_call = k;
		plan.then_alloc = 0;
		try(s, &plan);
		plan.then_call = 0;
		plan.then_alloc = k;
		try(s, &plan);
	}
}

static void fail_allocations(const struct scenario *s, const struct place *place, uint32_t n,
			     bool second)
{
	for (uint32_t i = 1; i <= n; i++) {
		if (!try_place(place[i].site))
			continue;
		try(s, &(struct plan){ .alloc_at = i });
		try(s, &(struct plan){ .alloc_at = i, .sticky = true });
		if (second)
			second_faults(s, (struct plan){ .alloc_at = i });
	}
}

static void fail_call(const struct scenario *s, const struct place *place, uint32_t i, bool second)
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

static void fail_calls(const struct scenario *s, const struct place *place, uint32_t n, bool second)
{
	for (uint32_t i = 1; i <= n; i++)
		if (try_place(place[i].site))
			fail_call(s, &place[i], i, second);
}

/* The run without faults, twice: what differs between two such runs cannot be judged. */
static void look(struct scenario *s, uint32_t *allocs, uint32_t *calls)
{
	static struct outcome again;

	inject_look_at_dir(&s->before);
	run(s, &(struct plan){ 0 }, false, &s->good);
	s->live = inject->live;
	if (!WIFEXITED(s->good.status) || WEXITSTATUS(s->good.status) != s->status ||
	    inject->leaked_fd >= 0) {
		printf("FAIL %s: without a fault: status 0x%x, descriptor %d\n%s\n", s->name,
		       s->good.status, inject->leaked_fd, s->good.err);
		exit(1);
	}
	run(s, &(struct plan){ 0 }, true, &again);
	if (again.out != s->good.out || !inject_same_dir(&again.dir, &s->good.dir)) {
		printf("FAIL %s: two runs without faults differ\n", s->name);
		if (!s->loose)
			exit(1);
	}
	*allocs = inject->allocs < ALLOCS_MAX ? inject->allocs : ALLOCS_MAX - 1;
	*calls = inject->calls < CALLS_MAX ? inject->calls : CALLS_MAX - 1;
	printf("%s: %u allocations, %u calls, %ld blocks left\n", s->name, *allocs, *calls,
	       (long)s->live);
}

static int find_linker(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uintptr_t base = getauxval(AT_BASE), end;

	(void)size;
	(void)ctx;
	for (int i = 0; info->dlpi_addr == base && i < info->dlpi_phnum; i++) {
		end = base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		inject_linker.begin = base;
		inject_linker.end = end > inject_linker.end ? end : inject_linker.end;
	}
	return 0;
}

static void prepare(void)
{
	static char in[BUFSIZ], out[BUFSIZ];
	void *frames[FRAMES];

	inject = mmap(NULL, sizeof(*inject), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	out_fd = memfd_create("stdout", MFD_CLOEXEC);
	err_fd = memfd_create("stderr", MFD_CLOEXEC);
	if (inject == MAP_FAILED || out_fd < 0 || err_fd < 0)
		exit(3);
	dl_iterate_phdr(find_linker, NULL);
	backtrace(frames, FRAMES); /* loads what it needs */
	/* stdio would keep buffers of its own. */
	setvbuf(stdin, in, _IOFBF, sizeof(in));
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	every = getenv("LONG") && !strcmp(getenv("LONG"), "1");
}

int __wrap_main(int argc, char **argv)
{
	struct scenario s = { 0 };
	bool second = false;
	uint32_t allocs, calls;
	int c;
	const char *seen_file = NULL;

	while ((c = getopt(argc, argv, "+i:pk:s:S:lqcv")) != -1) {
		switch (c) {
		case 'i':
			s.input = optarg;
			break;
		case 'p':
			s.piped = true;
			break;
		case 'k':
			s.old = optarg;
			break;
		case 'S':
			seen_file = optarg;
			break;
		case 's':
			s.status = atoi(optarg);
			break;
		case 'l':
			s.loose = true;
			break;
		case 'q':
			s.sql = true;
			break;
		case 'c':
			second = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return 2;
		}
	}
	if (seen_file && open_seen(seen_file, argv))
		return 2;
	if (argc - optind < 3 || chdir(argv[optind + 1]))
		return 2;
	s.name = argv[optind];
	s.argc = argc - optind - 1;
	s.argv = argv + optind + 1;
	s.argv[0] = "xtr";
	prepare();
	make_old(&s);
	look(&s, &allocs, &calls);
	fflush(stdout);
	fail_allocations(&s, inject->alloc_place, allocs, second);
	fail_calls(&s, inject->call_place, calls, second);
	if (seen.f)
		fclose(seen.f);
	printf("%s: runs %lu, allocations %lu, calls %lu, absorbed %lu, failed %lu\n", s.name,
	       sum.runs, sum.alloc_faults, sum.call_faults, sum.absorbed, sum.failed);
	return sum.failed ? 1 : 0;
}
