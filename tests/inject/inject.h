/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fault injection. The program is xtr itself, linked with a memory allocator (alloc.c) and a trap
 * for system calls (calls.c) that count and, at a chosen place, fail; and with a server (server.c)
 * that forks once per fault, runs main() in the child and judges what is left of it (judge.c).
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FRAMES = 12,          /* of the stack where a fault struck */
	ALLOCS_MAX = 1 << 22, /* places remembered */
	CALLS_MAX = 1 << 20,
};

/* Families of system calls. */
enum {
	F_READ = 1 << 0,
	F_WRITE = 1 << 1,
	F_OPEN = 1 << 2,
	F_CREATE = 1 << 3, /* of those to open: ones that make a file */
	F_CLOSE = 1 << 4,
	F_SYNC = 1 << 5,
	F_RENAME = 1 << 6,
	F_UNLINK = 1 << 7,
	F_CHANGE = 1 << 8, /* ftruncate, fchmod */
	F_LOOK = 1 << 9,   /* fstat, lseek, access */
	F_DUP = 1 << 10,
	F_MAP = 1 << 11, /* of a file */
	F_DIR = 1 << 12,
	F_MAKE = 1 << 13,   /* a descriptor of the kernel's own making; bpf(2) */
	F_THREAD = 1 << 14, /* a thread, a process */
};

/* Functions that are made to fail as system calls are: they cannot be done from a handler. */
enum {
	CALL_ALLOC = -1,
	CALL_THREAD = -2,
	CALL_FORK = -3,
};

/* Beside errno values: the call is done with fewer bytes. */
enum {
	SHORT_ONE = 5001, /* one byte */
	SHORT_HALF = 5002,
};

/* What is to fail in one run. Places count from 1; 0: none. */
struct plan {
	uint32_t alloc_at;
	uint32_t call_at;
	uint64_t site;     /* instead of both: the first time at this place */
	const void *from;  /* of it, so that others need not be looked at; NULL: not known */
	int err;           /* errno, or SHORT_... */
	bool sticky;       /* from then on: allocations, or calls of the same families; EINTR: every
			      second */
	uint32_t families; /* of the call, for sticky */
	uint32_t then_call; /* the so manieth call after the first fault fails, too, with EIO */
	uint32_t then_alloc;
};

struct strike {
	int nr;  /* number of the system call, or CALL_... */
	int fd;  /* of it, -1: none */
	int err; /* as in the plan */
	int n_frames;
	void *frames[FRAMES];
};

struct place {
	uint64_t site;    /* hash of the stack */
	const void *from; /* it was called from here */
	uint32_t families;
	int fd;
};

/* What parent and child share. */
struct shared {
	struct plan plan;
	bool look;              /* note the places */
	bool own;               /* a place is the program's own, whatever a library does for it */
	int only;               /* places of this process alone are noted; 0: of all */
	bool armed;             /* main() is running */
	bool ended;             /* it returned */
	uint32_t allocs, calls; /* so far */
	uint32_t since_allocs, since_calls; /* when the first fault struck */
	int n_strikes;                      /* of which the first two are kept */
	bool stderr_struck;                 /* any of them was of standard error */
	struct strike strikes[2];
	int64_t live;  /* blocks not freed when main() had returned */
	int leaked_fd; /* -1: none */
	int threads;   /* when main() had returned */
	bool child;    /* a process of its own was not waited for */
	bool struck;   /* the place of the plan */
	struct place alloc_place[ALLOCS_MAX];
	struct place call_place[CALLS_MAX];
};

extern struct shared *inject;
extern bool inject_off; /* in this process for good: the program itself has ended */

/* The sanitizer itself allocates before its shadow memory is there. */
#define EARLY __attribute__((no_sanitize("address", "undefined")))

/* May something fail now? */
EARLY static inline bool inject_armed(void)
{
	return inject && inject->armed && !inject_off;
}

/* The next allocation, for the one who returns to `from`: must it fail? */
bool inject_alloc(const void *from);
extern int64_t inject_live; /* blocks */

/* Before anything else: the dynamic linker's blocks are not counted. */
void inject_find_linker(void);

/* From now on, in this process, the system calls go through the trap. 0 or -errno. */
int inject_trap_calls(void);
const char *inject_call_name(int nr);
/* One of CALL_...: the errno with which it must fail, 0: it need not. */
int inject_call(int nr, const void *from);

/* Whoever runs the program is called from here: the same place is reached by other ways than this.
 */
extern const void *inject_outermost;
/* What tells this place from others; from: where it was called. Does not allocate after a first
 * call. */
uint64_t inject_site(const void *from);
/* Is this the place that the plan is about, for the first time? */
bool inject_planned(uint64_t site);
/* Is the place to be known: to be noted, or may it be the plan's? */
bool inject_wants_site(const void *from);
void inject_struck(int nr, int fd, int err);

#endif /* INJECT_H */
