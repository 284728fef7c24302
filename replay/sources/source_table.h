/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Job sources as data: what the events of a driver say of its jobs is a row of the table in
 * source_rows.c. Which event is queue, run and end; which fields are the job's name, its ring, its
 * device; which clock a time in a field is of; and what tells that a ring executes in order. The
 * code behind it (source_table.c) knows no driver.
 *
 * A driver that needs more than a row can say has a source of its own (job_source.h).
 */
#ifndef XTR_SOURCE_TABLE_H
#define XTR_SOURCE_TABLE_H

#include "replay/model/job_source.h"

/* What a field of an event is. Names in a row may have alternatives: "ring|ring_name". */
enum source_field {
	SF_DEV,      /* number of the DRM device: the N of cardN */
	SF_RING,     /* number of the ring */
	SF_TIMELINE, /* name of the ring; of a fence: of its timeline */
	SF_CTX,      /* context: of the job's finished fence (row: fences), or the driver's own */
	SF_SEQNO,    /* the job's number in its context, or ring */
	SF_TID,      /* thread that submitted; without it that of the event */
	SF_ADDR,     /* address of the commands: joins a submission to its run */
	SF_START,    /* of the execution: ticks, or ns where the row has no ticks */
	SF_END,
	SF_ELAPSED, /* ns from start to end, as the driver has computed it */
	SF_ACTIVE,  /* ticks of these that the job had the engine */
	SF_TICKS,   /* of the hardware's clock, now */
	SF_SEC,     /* when SF_TICKS were read, by the trace's clock, */
	SF_USEC,    /* and us, */
	SF_NSEC,    /* or ns of that second */
	SF_DRIVER,  /* text: whose fence it is */
	SF_OPS,     /* text: name of the fence's operations, in xtr's own recordings */
	SF_ERROR,   /* of the fence: 0 or -errno */
	SOURCE_FIELDS
};

enum source_act {
	/*
	 * A process asks for a job; its name is told only when it is run. Joined to the run by
	 * address; without one by order, where one thread alone has submissions pending.
	 */
	ACT_SUBMIT,
	ACT_QUEUE,    /* the job begins */
	ACT_RUN,      /* it is handed to the hardware */
	ACT_DONE,     /* it ended now */
	ACT_MEASURED, /* it ended, with its own start and end */
	ACT_FENCE,    /* a fence was signalled: a job's, or that of the hardware before it */
	ACT_REACHED,  /* the ring has executed this job, and those before it */
	ACT_SEEN,     /* the same, by one who looked at some time after */
	ACT_GONE,     /* the driver forgets it, at some time after its end */
	/*
	 * From SF_START (ns of about the trace's clock) on the ring executes this job, or, where
	 * context and number are 0, none: what it executed before ended then.
	 */
	ACT_SWITCH,
	/* Start or end on a job slot of Mali: SF_RING is as GATOR_MAKE_EVENT packs it. */
	ACT_SLOT,
};

#define SOURCE_RING_FIELD UINT8_MAX

struct source_event {
	const char *event; /* "SYSTEM:EVENT", alternatives separated by | */
	enum source_act act;
	/* Number of the ring; SOURCE_RING_FIELD: as SF_RING or SF_TIMELINE says. */
	uint8_t ring;
	const char *field[SOURCE_FIELDS];
};

#define SOURCE_EVENTS_MAX 12u
#define SOURCE_RINGS_MAX  10u

struct source_row {
	const char *driver;
	/* Names of the rings by number; the others are "ringN". */
	const char *ring[SOURCE_RINGS_MAX];
	const char *timeline[SOURCE_RINGS_MAX]; /* what fences call them, if not so */
	/* What tells that a ring executes in order; NULL: see ring.c. */
	const char *order_source;
	uint32_t limit; /* jobs on a ring's hardware at once; 0: not known */
	/*
	 * The driver's jobs go through the kernel's GPU scheduler (since when it has one): where
	 * the section has the scheduler's events, they tell of the same jobs, and more.
	 */
	bool scheduler;
	bool fences;    /* (SF_CTX, SF_SEQNO) is the job's finished fence */
	bool by_thread; /* the thread that runs jobs may report the ends that it finds */
	bool measured;  /* start and end are the hardware's own */
	bool submits;   /* submissions are events of their own (ACT_SUBMIT) */
	/* One tick is so many ns: num / den. 0 0: times in fields are ns of the trace's clock. */
	uint32_t tick_num, tick_den;
	const char *job_fence; /* ACT_FENCE: drivers of fences of jobs, "|" between them, */
	const char *hw_fence;  /* and of the hardware's fences; NULL: none */
	struct source_event event[SOURCE_EVENTS_MAX]; /* the first without a name ends it */
};

extern const struct source_row source_rows[];
extern const size_t source_n_rows;

extern const struct xtr_job_source xtr_source_table;

#endif /* XTR_SOURCE_TABLE_H */
