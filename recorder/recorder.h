/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records events into an .xtr file. A recorder is opened (everything is loaded, attached and
 * checked, nothing is recorded), started, stopped and closed (stages.h). Two threads of its own
 * drain the rings and write the file; the caller waits on a descriptor. Nothing here prints or
 * exits.
 */
#ifndef XTR_RECORDER_H
#define XTR_RECORDER_H

#include "format/meta/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct xtr_recorder;

enum xtr_trigger_kind {
	XTR_TRIGGER_SIGNAL, /* xtr_recorder_trigger */
	XTR_TRIGGER_EXEC,   /* a job was on the hardware for more than ns: drm_sched run to done */
	XTR_TRIGGER_HANG,   /* the same, but the job need not be done */
	XTR_TRIGGER_XID,    /* NVIDIA's driver reports an error */
	XTR_TRIGGER_RESET,  /* a driver resets its device, or a job has timed out */
	XTR_TRIGGER_ERROR,  /* a fence is signaled with an error */
	XTR_TRIGGER_DROP,   /* events were lost */
	XTR_TRIGGER_EVENT,  /* an event of the name `text` */
};

struct xtr_trigger {
	enum xtr_trigger_kind kind;
	const char *text; /* as the user gave it */
	uint64_t ns;
	bool optional; /* left out, and no error, if nothing that is recorded can fire it */
};

/* A flight recorder: the newest events are kept in memory, and written when a trigger fires. */
struct xtr_flight_opts {
	bool on;
	uint64_t bytes; /* of chunks and what they need, not 0 */
	uint64_t ns; /* only what is newer, before the trigger; 0: as much as there is room for */
	uint64_t after; /* ns from a trigger to the end of what is written */
	uint64_t pause; /* ns from one file to the next, but on a signal */
	bool once;      /* the first trigger ends the recording */
	bool tell;      /* xtr_recorder_fired tells of triggers at once */
	const struct xtr_trigger *triggers;
	size_t n_triggers;
};

/* What brings events by name into the file; all others come by BPF programs. */
enum xtr_engine {
	XTR_ENGINE_AUTO,   /* each event by the cheaper one that can record it as it is asked for */
	XTR_ENGINE_BPF,    /* programs */
	XTR_ENGINE_FTRACE, /* the kernel's trace ring; what needs a program is an error */
};

struct xtr_record_opts {
	size_t sz;            /* sizeof(struct xtr_record_opts) */
	const char *output;   /* path, "-" is standard output */
	bool force;           /* replace an existing file */
	const uint32_t *pids; /* only these processes with all their threads; NULL: all */
	size_t n_pids;
	/* "system:event", globs, groups (groups.h), or "default"; NULL: the default set */
	const char *const *events;
	size_t n_events;
	const char *const *samples; /* rules of --sample (sample.h) */
	size_t n_samples;
	const char *budget;  /* share of the machine (budget.h), NULL: none */
	uint64_t size_limit; /* bytes of file, of all pieces together; 0: none */
	/* Pieces (rotate.h) of so many bytes or ns, whichever comes first; both 0: one file. */
	uint64_t rotate_bytes, rotate_ns;
	uint32_t keep;                 /* of the pieces only the newest ones; 0: all */
	struct xtr_flight_opts flight; /* its files are pieces, too */
	uint64_t ring_bytes; /* per CPU, rounded up to a power of two; 0: by the number of CPUs */
	/* Take the stack where a job or a wait begins (stacks.h), and with these events: names,
	 * globs. */
	bool stacks;
	const char *const *stack_at;
	size_t n_stack_at; /* not 0: `stacks`, too */
	uint64_t idle_hz;  /* --idle-stacks: samples a second of each CPU; not 0: `stacks`, too */
	enum xtr_engine engine;
	const char *const
		*labels; /* "KEY=VALUE", right ones (format/meta/meta.h), to put into META */
	size_t n_labels;
	bool compact;       /* events in columns: smaller, slower to read */
	bool keep_pointers; /* kernel addresses as they are, not hashed */
	uid_t owner; /* of the files that root makes, where their directory is root's; 0: root */
	gid_t owner_group;
	char *const *argv; /* command to run while recording, or NULL */
};

enum xtr_fail {
	XTR_FAIL_OTHER,
	XTR_FAIL_MACHINE, /* a privilege, kernel feature or device is missing */
	XTR_FAIL_UNKNOWN, /* no such event */
	XTR_FAIL_COMMAND, /* the command could not be run */
	XTR_FAIL_USAGE,   /* an option makes no sense */
};

/* Why something did not work: one line, and what to do about it (may be empty). */
struct xtr_record_err {
	int code; /* -errno */
	enum xtr_fail kind;
	char what[256];
	char hint[256];
};

struct xtr_record_status {
	uint64_t elapsed_ns;
	uint64_t events, lost, filtered;
	uint64_t bytes;                 /* of the file, of all pieces together */
	uint64_t pieces, removed;       /* 0: one file; pieces that were removed again */
	uint64_t cpu_ns;                /* of this process, since the start */
	uint64_t ring_bytes, ring_high; /* size of one ring, highest fill of any */
	uint32_t ring_permille;         /* fill of the fullest ring when last looked at */
	uint32_t attached;              /* hooks */
	const char *stopped;            /* reason if recording has ended by itself, else NULL */
	int error;                      /* -errno of the output, 0 */
	/* With a budget, at the end; else 0. Millionths of the machine: allowed, and taken. */
	uint32_t budget_ppm, cost_ppm;
	uint32_t budget_steps; /* changes of the level at which events are recorded */
	bool gone;             /* at the end: the output's name is not there, or of another file */
};

/* 0, or -errno and *err: there is no recorder then, and no file. The caller closes it. */
int xtr_recorder_open(struct xtr_recorder **r, const struct xtr_record_opts *opts,
		      struct xtr_record_err *err);

/* What became of each hook asked for. Valid until close. */
size_t xtr_recorder_n_providers(const struct xtr_recorder *r);
const struct xtr_provider *xtr_recorder_provider(const struct xtr_recorder *r, size_t i);
/* The i-th remark on what cannot be recorded as it should be, or NULL. */
const char *xtr_recorder_note(const struct xtr_recorder *r, size_t i);
/* After the end: the i-th module that was unloaded while its functions were recorded; NULL: no
 * more. What was called later is not in the file. */
const char *xtr_recorder_unloaded(const struct xtr_recorder *r, size_t i);
/* The i-th of the asked-for events that no hook matches, or NULL. */
const char *xtr_recorder_unknown(const struct xtr_recorder *r, size_t i);

/* Begin, let the command go. Privileges are given up here: afterwards the process has no
 * capabilities. 0, or -errno and *err: nothing is recorded then, no command and no thread runs, and
 * the recorder is to be stopped, which finishes the file, and closed. */
int xtr_recorder_start(struct xtr_recorder *r, struct xtr_record_err *err);
/* Readable when recording has ended by itself: size limit, or the output cannot be written. */
int xtr_recorder_fd(const struct xtr_recorder *r);
/* The command's process, 0 if there is none. The caller reaps it. */
pid_t xtr_recorder_child(const struct xtr_recorder *r);
void xtr_recorder_status(struct xtr_recorder *r, struct xtr_record_status *st);

/* Of a flight recorder: write now what is kept. From any thread. */
void xtr_recorder_trigger(struct xtr_recorder *r);
/*
 * The same for something that happened now and that no trigger has seen: what follows it (`after`)
 * is written, too, whenever the last file was. why: in place of a trigger's text; it stays the
 * caller's, and is there until the end.
 */
void xtr_recorder_trigger_for(struct xtr_recorder *r, const char *why);
/* Was the i-th trigger of the options left out? */
bool xtr_recorder_trigger_is_off(const struct xtr_recorder *r, size_t i);

/* What a flight recorder has written, or tried to. */
struct xtr_flown_file {
	char path[256];
	char why[128];                   /* as in META (format/meta/piece.h) */
	int error;                       /* -errno: nothing was written; 0 */
	uint64_t events, bytes;          /* in the file; of it */
	uint64_t span;                   /* ns: how far it goes back before the trigger */
	uint64_t aged, suppressed;       /* as in META and LOSS */
	uint64_t ctx, seqno, pid, value; /* as in META */
	uint64_t at, to; /* ns: of the trigger; what happened before is in it, of all CPUs */
};

/* A trigger has fired; a file may follow, or not (`pause`). */
struct xtr_fired_trigger {
	enum xtr_trigger_kind kind;
	char what[64];                  /* as the user gave it */
	char event[128];                /* that fired it; "": none */
	uint64_t times;                 /* since this was told of last */
	uint64_t at, ctx, seqno, value; /* of the first of these: ns; as in META */
	uint32_t tid;                   /* thread that it is about, 0: not known */
};

/* Readable when there is one of both to be told of; -1: this is no flight recorder. */
int xtr_recorder_flown_fd(const struct xtr_recorder *r);
/* The next one, or false. After the end, too. */
bool xtr_recorder_flown(struct xtr_recorder *r, struct xtr_flown_file *f);
/* The next trigger that has fired, or false; to be asked before xtr_recorder_flown. */
bool xtr_recorder_fired(struct xtr_recorder *r, struct xtr_fired_trigger *f);

/*
 * End, of a recorder that was opened, whether or not it was started: detach, drain, write what is
 * left, losses and the end mark with `reason`. What became of it is in *st. Returns 0, or -errno if
 * the file is not complete (err says why). A second time nothing is done but *st.
 */
int xtr_recorder_stop(struct xtr_recorder *r, const char *reason, struct xtr_record_status *st,
		      struct xtr_record_err *err);
/* Free everything, from whatever it is in; NULL: nothing. What is not stopped is not finished. */
void xtr_recorder_close(struct xtr_recorder *r);

#endif /* XTR_RECORDER_H */
