/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A seccomp filter sends the system calls that do I/O to a signal handler of the same process,
 * which counts them, and does them or fails them: those of stdio, SQLite and every other library,
 * too. The handler's own come from one place in memory that the filter lets pass.
 */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "which registers hold the arguments of a system call?"
#endif

/*
 * long inject_raw(long nr, six arguments): what the kernel returns. Only calls that come from
 * inject_raw_behind, right behind its one instruction, pass the filter; syscall(3) is a library's
 * way to call what has no function of its own.
 */
#if defined(__x86_64__)
asm(".text\n"
    ".globl inject_raw, inject_raw_behind\n"
    ".type inject_raw, @function\n"
    "inject_raw:\n"
    "	mov %rdi, %rax\n"
    "	mov %rsi, %rdi\n"
    "	mov %rdx, %rsi\n"
    "	mov %rcx, %rdx\n"
    "	mov %r8, %r10\n"
    "	mov %r9, %r8\n"
    "	mov 8(%rsp), %r9\n"
    "	syscall\n"
    "inject_raw_behind:\n"
    "	ret\n"
    ".size inject_raw, . - inject_raw\n");
#else
asm(".text\n"
    ".globl inject_raw, inject_raw_behind\n"
    ".type inject_raw, %function\n"
    "inject_raw:\n"
    "	mov x8, x0\n"
    "	mov x0, x1\n"
    "	mov x1, x2\n"
    "	mov x2, x3\n"
    "	mov x3, x4\n"
    "	mov x4, x5\n"
    "	mov x5, x6\n"
    "	svc 0\n"
    "inject_raw_behind:\n"
    "	ret\n"
    ".size inject_raw, . - inject_raw\n");
#endif
long inject_raw(long nr, long a, long b, long c, long d, long e, long f);
extern const char inject_raw_behind[];

static const struct call {
	int nr;
	const char *name;
	uint32_t families;
	bool has_fd; /* the first argument is a descriptor */
} calls[] = {
#define ROW(name, families, has_fd)                 \
	{                                           \
		SYS_##name, #name, families, has_fd \
	}
	ROW(read, F_READ, true),
	ROW(pread64, F_READ, true),
	ROW(readv, F_READ, true),
	ROW(write, F_WRITE, true),
	ROW(pwrite64, F_WRITE, true),
	ROW(writev, F_WRITE, true),
	ROW(openat, F_OPEN, false),
	ROW(close, F_CLOSE, true),
	ROW(fsync, F_SYNC, true),
	ROW(fdatasync, F_SYNC, true),
	ROW(renameat2, F_RENAME, false),
	ROW(linkat, F_RENAME, false),
	ROW(unlinkat, F_UNLINK, false),
	ROW(ftruncate, F_CHANGE, true),
	ROW(fchmod, F_CHANGE, true),
	ROW(lseek, F_LOOK, true),
	ROW(newfstatat, F_LOOK, false),
	ROW(statx, F_LOOK, false),
	ROW(fstat, F_LOOK, true),
	ROW(faccessat, F_LOOK, false),
	ROW(readlinkat, F_LOOK, false),
	ROW(dup, F_DUP, true),
	ROW(pipe2, F_DUP, false),
	ROW(fcntl, F_DUP, true),
	ROW(mmap, F_MAP, false),
	ROW(getdents64, F_DIR, true),
	ROW(dup3, F_DUP, true),
	ROW(socket, F_MAKE, false),
	ROW(eventfd2, F_MAKE, false),
	ROW(epoll_create1, F_MAKE, false),
	ROW(epoll_ctl, F_MAKE, false),
	ROW(signalfd4, F_MAKE, false),
	ROW(timerfd_create, F_MAKE, false),
	ROW(memfd_create, F_MAKE, false),
	ROW(perf_event_open, F_MAKE, false),
	ROW(bpf, F_MAKE, false),
	ROW(mkdirat, F_CHANGE, false),
#ifdef SYS_open
	ROW(open, F_OPEN, false),
	ROW(rename, F_RENAME, false),
	ROW(link, F_RENAME, false),
	ROW(unlink, F_UNLINK, false),
	ROW(stat, F_LOOK, false),
	ROW(lstat, F_LOOK, false),
	ROW(access, F_LOOK, false),
	ROW(readlink, F_LOOK, false),
	ROW(mkdir, F_CHANGE, false),
#endif
#ifdef SYS_renameat
	ROW(renameat, F_RENAME, false),
#endif
#undef ROW
	{ CALL_THREAD, "pthread_create", F_THREAD, false },
	{ CALL_FORK, "fork", F_THREAD, false },
};

enum {
	N_CALLS = sizeof(calls) / sizeof(calls[0])
};

static const struct call *find(int nr)
{
	for (size_t i = 0; i < N_CALLS; i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

const char *inject_call_name(int nr)
{
	const struct call *c = find(nr);

	return c ? c->name : "allocation";
}

/* --- registers -------------------------------------------------------------------------------- */

struct regs {
	long nr, arg[6];
};

static struct regs registers(const ucontext_t *u)
{
#if defined(__x86_64__)
	const greg_t *g = u->uc_mcontext.gregs;

	return (struct regs){
		g[REG_RAX], { g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9] }
	};
#else
	const unsigned long long *g = u->uc_mcontext.regs;

	return (struct regs){ (long)g[8],
			      { (long)g[0], (long)g[1], (long)g[2], (long)g[3], (long)g[4],
				(long)g[5] } };
#endif
}

static void give_back(ucontext_t *u, long value)
{
#if defined(__x86_64__)
	u->uc_mcontext.gregs[REG_RAX] = value;
#else
	u->uc_mcontext.regs[0] = (unsigned long long)value;
#endif
}

/* The call comes from here. */
static const void *where(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (const void *)u->uc_mcontext.gregs[REG_RIP];
#else
	return (const void *)u->uc_mcontext.pc;
#endif
}

static long do_call(const struct regs *r)
{
	return inject_raw(r->nr, r->arg[0], r->arg[1], r->arg[2], r->arg[3], r->arg[4], r->arg[5]);
}

/* --- faults ----------------------------------------------------------------------------------- */

/* Families of this very call; 0: it is not of interest. */
static uint32_t families(const struct call *c, const struct regs *r)
{
	long flags = c->nr == SYS_openat ? r->arg[2] : r->arg[1];

	if (c->nr == SYS_fcntl)
		return r->arg[1] == F_DUPFD || r->arg[1] == F_DUPFD_CLOEXEC ? F_DUP : 0;
	if (c->families == F_OPEN && ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE))
		return F_OPEN | F_CREATE;
	return c->families;
}

static long shorter(const struct call *c, struct regs *r, int how)
{
	const struct iovec *v = (const struct iovec *)r->arg[1];

	if (c->nr == SYS_writev || c->nr == SYS_readv) {
		while (r->arg[2] > 1 && !v->iov_len) {
			v++;
			r->arg[2]--;
		}
		r->nr = c->nr == SYS_writev ? SYS_write : SYS_read;
		r->arg[1] = (long)v->iov_base;
		r->arg[2] = (long)v->iov_len;
	}
	if (r->arg[2] > 1)
		r->arg[2] = how == SHORT_ONE ? 1 : (r->arg[2] + 1) / 2;
	return do_call(r);
}

static long fail(const struct call *c, struct regs *r, int err)
{
	inject_struck(c->nr, c->has_fd ? (int)r->arg[0] : -1, err);
	if (err == SHORT_ONE || err == SHORT_HALF)
		return shorter(c, r, err);
	if (c->nr == SYS_close)
		do_call(r); /* Linux closes, whatever it returns */
	if (err == EPIPE)
		raise(SIGPIPE);
	return -err;
}

/* A place has failed, and what is like it fails from then on; of interrupted calls the second
 * works. */
static bool goes_on(uint32_t family)
{
	static uint32_t n;
	const struct plan *p = &inject->plan;

	if (!p->sticky || !inject->struck || !(family & p->families))
		return false;
	return p->err != EINTR || __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) % 2 == 0;
}

/* The errno with which this call fails; 0: it does not. Of interrupted calls the second works. */
static int verdict(uint32_t n, uint32_t family, uint64_t site)
{
	const struct plan *p = &inject->plan;
	uint32_t then = __atomic_load_n(&inject->since_calls, __ATOMIC_RELAXED);

	if (p->site && (inject_planned(site) || goes_on(family)))
		return p->err;
	if (p->call_at && n == p->call_at) /* of threads that take turns another may come here */
		return !p->families || (family & p->families) ? p->err : 0;
	if (p->call_at && p->sticky && n > p->call_at && (family & p->families))
		return p->err != EINTR || (n - p->call_at) % 2 == 0 ? p->err : 0;
	if (p->then_call && inject->n_strikes && n == then + p->then_call)
		return EIO;
	return 0;
}

/* Not that of an allocation at the same place. */
static uint64_t site_of_call(uint64_t site, int nr)
{
	return (site ^ (uint64_t)(nr + 1)) * 0x100000001b3u;
}

/* One more call: the errno with which it fails, or 0. */
static int count(const struct call *c, uint32_t family, int fd, const void *from)
{
	uint32_t n = __atomic_add_fetch(&inject->calls, 1, __ATOMIC_RELAXED);
	uint64_t site = 0;

	if (inject_wants_site(from))
		site = site_of_call(inject_site(from), c->nr);
	if (inject->look && n < CALLS_MAX)
		inject->call_place[n] =
			(struct place){ .site = site, .from = from, .families = family, .fd = fd };
	return verdict(n, family, site);
}

int inject_call(int nr, const void *from)
{
	const struct call *c = find(nr);
	int err = inject_armed() ? count(c, c->families, -1, from) : 0;

	if (err)
		inject_struck(nr, -1, err);
	return err;
}

static long handle(const struct call *c, struct regs *r, const void *from)
{
	uint32_t family = families(c, r);
	int err;

	if (!family || !inject_armed())
		return do_call(r);
	err = count(c, family, c->has_fd ? (int)r->arg[0] : -1, from);
	return err ? fail(c, r, err) : do_call(r);
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	const int err = errno;
	const struct call *c = find(info->si_syscall);
	struct regs r = registers(context);

	(void)sig;
	r.nr = info->si_syscall;
	give_back(context, c ? handle(c, &r, where(context)) : do_call(&r));
	errno = err;
}

/* --- the filter ------------------------------------------------------------------------------- */

#define FIELD(f)               ((uint32_t)offsetof(struct seccomp_data, f))
#define LOAD(at)               BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define IF(op, value, yes, no) BPF_JUMP(BPF_JMP | (op) | BPF_K, (uint32_t)(value), yes, no)
#define ALLOW                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TRAP                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

int inject_trap_calls(void)
{
	const uint64_t pass = (uint64_t)(uintptr_t)inject_raw_behind;
	struct sock_filter f[16 + 2 * N_CALLS] = {
		LOAD(FIELD(arch)),
		IF(BPF_JEQ, ARCH, 1, 0),
		ALLOW,
		LOAD(FIELD(instruction_pointer) + 4),
		IF(BPF_JEQ, pass >> 32, 0, 3),
		LOAD(FIELD(instruction_pointer)),
		IF(BPF_JEQ, (uint32_t)pass, 0, 1),
		ALLOW,
		LOAD(FIELD(nr)),
		IF(BPF_JEQ, SYS_mmap, 0, 4),
		LOAD(FIELD(args[4])),
		IF(BPF_JEQ, UINT32_MAX, 0, 1),
		ALLOW,
		TRAP,
	};
	struct sock_fprog prog = { .len = 14, .filter = f };
	struct sigaction sa = { .sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER };

	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].nr == SYS_mmap || calls[i].nr < 0)
			continue;
		f[prog.len++] = (struct sock_filter)IF(BPF_JEQ, calls[i].nr, 0, 1);
		f[prog.len++] = (struct sock_filter)TRAP;
	}
	f[prog.len++] = (struct sock_filter)ALLOW;
	if (sigaction(SIGSYS, &sa, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog))
		return -errno;
	return 0;
}
