/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that takes hangs (docs/hang.md): it listens to the kernel's uevents and log and to
 * the recorder, and makes a bundle of each hang. What may wait for a driver or takes long (reading
 * a dump, making the bundle) is done by processes of its own, so that it always listens.
 */
#ifndef XTR_CLI_HANG_TAKER_H
#define XTR_CLI_HANG_TAKER_H

#include "hang/case.h"
#include "hang/room.h"
#include "hang/sign.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hang_opts {
	const char *dir;  /* of the bundles */
	const char *root; /* before each path of this machine, "" for its own */
	uint64_t max;     /* bytes on disk, 0: no limit */
	uint32_t keep;    /* bundles, 0: all */
	/* ns. What follows a hang within `pause` belongs to it; one without a dump waits `grace`
	 * for one. Limits of reading a dump, of the rest, of waiting for the trace, of making a
	 * bundle. */
	uint64_t pause, grace, dump_limit, state_limit, trace_limit, make_limit;
	/* Descriptors: of messages of the recorder (struct hang_message), of uevents, of the log;
	 * the last two -1: there are none. */
	int recorder, uevents, log;
};

/* All but dir and descriptors. */
void hang_defaults(struct hang_opts *o);
/* Until the recorder's end of its descriptor is closed and all is made. The exit status. */
int hang_taker(const struct hang_opts *o);

/* --- messages between the recorder and the taker ---------------------------------------------- */

enum hang_what {
	HANG_FIRED = 1, /* a trigger of the recorder: text, more (event), and numbers */
	HANG_FLOWN,     /* a flight file: text (path), error, at, to */
	HANG_WANT,      /* to the recorder: write a flight file because of text */
};

struct hang_message {
	uint32_t what;
	int32_t error;                     /* -errno */
	uint64_t at, to;                   /* ns */
	uint64_t ctx, seqno, value, times; /* as in struct xtr_fired_trigger */
	uint32_t tid, kind;
	char text[256], more[128];
};

/* --- inside: hang_taker.c, hang_listen.c, hang_jobs.c, hang_note.c, hang_make.c
 * ------------------------------ */

#define HANG_SEEN_MAX 32u

/* A hang, from its first sign until its bundle is made and nothing more is counted to it. */
struct hang {
	char name[XTR_HANG_NAME];
	int folder; /* -1: the bundle is made, or will not be */
	char kind[64], device[64];
	uint64_t at, last; /* ns: of its first sign, and of its last one */
	bool has_dump, knows_trace, making, failed;
	char no_trace[160]; /* why there is none */
	size_t n_jobs;      /* that read something */
	/* How often each kind of sign came. */
	struct {
		char kind[64], device[64];
		uint64_t times;
	} seen[HANG_SEEN_MAX];
	size_t n_seen;
	char dumps[512]; /* "devcd1;devcd2;" */
};

enum hang_work {
	HANG_DUMP,
	HANG_STATE,
	HANG_MAKE,
	HANG_WORKS
};

struct hang_job {
	enum hang_work work;
	struct hang *h;
	enum xtr_hang_left left; /* of a dump */
	char name[64];
	pid_t pid;         /* 0: it waits for its turn */
	uint64_t deadline; /* ns */
};

struct hang_taking {
	const struct hang_opts *o;
	int dir, signals;
	char boot[64];
	struct xtr_hang_room room;
	struct hang **hangs;
	size_t n, cap;
	struct hang_job *jobs;
	size_t n_jobs, jobs_cap;
	size_t running[HANG_WORKS];
	char (*dumps)[64]; /* names that have been seen */
	size_t n_dumps, dumps_cap;
	bool ending, failed;
};

/* hang_jobs.c: queue work; start what may run; reap, and end what took too long. */
int hang_job(struct hang_taking *t, enum hang_work work, struct hang *h, enum xtr_hang_left left,
	     const char *name);
void hang_jobs_start(struct hang_taking *t);
void hang_jobs_reap(struct hang_taking *t);
/* The next deadline, ns; UINT64_MAX: none. */
uint64_t hang_jobs_due(const struct hang_taking *t);
/* hang_listen.c: read what there is, and tell of the signs; look for dumps that nobody told of. */
void hang_listen(struct hang_taking *t);
void hang_look_for_dumps(struct hang_taking *t);
/* hang_taker.c: is it being taken, so that more may be added? */
bool hang_is_open(const struct hang *h);
/* Ask the recorder for a flight file. */
void hang_want_trace(const struct hang_taking *t, const char *why);
/* Something says that a device hung, so many times since it last did; at: ns. */
void hang_sign(struct hang_taking *t, const struct xtr_hang_sign *s, uint64_t at, uint64_t times);
/* A job has ended; status as of waitpid, or -1: it took too long. */
void hang_job_ended(struct hang_taking *t, const struct hang_job *j, int status);

/* hang_note.c: in hang.txt of a hang. */
void hang_note(const struct hang *h, const struct xtr_hang_sign *s, uint64_t at);
void hang_note_text(const struct hang *h, const char *kind, const char *text);
/* In hangs.txt of the directory: what became of a sign. */
void hang_log(const struct hang_taking *t, const char *became, const struct hang *h,
	      const struct xtr_hang_sign *s);
/* Does hangs.txt say that a dump of this boot is in a bundle? */
bool hang_logged(const struct hang_taking *t, const char *dump);

/* hang_make.c: the bundle of what is in the folder. The exit status, after a line of what is wrong.
 */
int hang_make(const struct hang_taking *t, const struct hang *h);

#endif /* XTR_CLI_HANG_TAKER_H */
