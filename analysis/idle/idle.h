/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stood between a device that had nothing to execute and its next job (docs/idle.md): idle
 * time of each device, divided by what the thread that submitted the next job did meanwhile.
 *
 * Memory is bounded: threads, their last stretches, stretches of idle time that may still change,
 * and rows. What is beyond is not known, and says so.
 */
#ifndef XTR_IDLE_H
#define XTR_IDLE_H

#include "base/map.h"
#include "format/read/merge.h"
#include "replay/event/event_bind.h"
#include "replay/model/loss_gaps.h"
#include "replay/model/model.h"

#define IDLE_DEVICES_MAX 64u
#define IDLE_THREADS_MAX 128u        /* beyond, what a thread did is not known */
#define IDLE_SPANS_MAX   8192u       /* stretches and samples kept of a thread */
#define IDLE_PENDING_MAX 1024u       /* stretches of idle time of a device that may still change */
#define IDLE_HOLD_NS     2000000000u /* so long a job may go on that had begun before their end */
#define IDLE_ROWS_MAX    16384u

/* Identifier, text in output, mark in a flame graph, what the thread did. */
#define XTR_IDLE_STATES(X)                                                              \
	X(RUNNING, "running", "[running]", "had a CPU")                                 \
	X(SLEEPING, "sleeping", "[sleeping]", "waited for something")                   \
	X(RUNNABLE, "runnable", "[waiting for a CPU]", "could run and had no CPU")      \
	X(SUBMITTED, "submitted", "[submitted]", "had submitted the job, which waited") \
	X(UNKNOWN, "not-known", "[not known]", "is not in the trace")

enum xtr_idle_state {
#define XTR_IDLE_ENUM(id, text, mark, help) XTR_IDLE_##id,
	XTR_IDLE_STATES(XTR_IDLE_ENUM)
#undef XTR_IDLE_ENUM
	XTR_IDLE_STATE_COUNT
};

const char *xtr_idle_state_name(unsigned int state);
const char *xtr_idle_state_mark(unsigned int state);

/* After finish: idle time of a device in which the threads of a process did this, at one stack. */
struct xtr_idle_row {
	uint32_t device;       /* index */
	uint32_t comm;         /* string id of the process' name; 0: not known */
	uint64_t process;      /* replay/event/process.h; 0: not known */
	uint64_t ts;           /* ns: when it had that name */
	uint32_t state, stack; /* stack: id, 0: none */
	uint64_t ns;
	uint64_t samples; /* running: that had this stack */
};

struct xtr_idle_device {
	char name[64]; /* "" not known */
	/* Begin of the first job; end of the last one, or begin of one that has no end. */
	uint64_t first_ns, last_ns;
	uint64_t idle_ns, stretches; /* all of it is in rows */
	uint64_t explained_ns;       /* of it, after finish */
	uint64_t lost_ns;            /* idle, but events were lost meanwhile: not in idle_ns */
	uint64_t longest_ns, longest_at;
};

struct xtr_idle;

/* Do META's events tell what CPUs do? */
bool xtr_idle_applies(const struct xtr_meta *meta);
/* meta and tables are borrowed. 0 or -ENOMEM. */
int xtr_idle_new(struct xtr_idle **idle, const struct xtr_meta *meta,
		 const struct xtr_tables *tables);
void xtr_idle_free(struct xtr_idle *idle);
/* Of events of this type, and of gaps (0). */
bool xtr_idle_takes(const struct xtr_idle *idle, uint32_t type);
/* Events in order of time. 0 or -ENOMEM. */
int xtr_idle_event(struct xtr_idle *idle, const struct xtr_event *ev);
/* A job of the model, before the events behind which it is known. 0 or -ENOMEM. */
int xtr_idle_job(struct xtr_idle *idle, const struct xtr_job *j);
/* No more of both. 0 or -ENOMEM. */
int xtr_idle_finish(struct xtr_idle *idle);

/* Was there an event that tells what a CPU did? */
bool xtr_idle_any(const struct xtr_idle *idle);
size_t xtr_idle_n_devices(const struct xtr_idle *idle);
const struct xtr_idle_device *xtr_idle_device(const struct xtr_idle *idle, size_t i);
/* By device and process, then state, then stack. */
size_t xtr_idle_n_rows(const struct xtr_idle *idle);
const struct xtr_idle_row *xtr_idle_row(const struct xtr_idle *idle, size_t i);
/* Is it known what stood there? A stretch with a thread that ran or slept, only with its stack. */
bool xtr_idle_explains(const struct xtr_idle *idle, const struct xtr_idle_row *row);

#endif /* XTR_IDLE_H */
