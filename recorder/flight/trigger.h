/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes a flight recorder write: triggers, looked for in the records as they come from the
 * rings. Only the types that a trigger needs are looked at.
 */
#ifndef XTR_RECORDER_TRIGGER_H
#define XTR_RECORDER_TRIGGER_H

#include "job_watch.h"
#include "recorder/recorder.h"
#include "recorder/groups/select.h"

#define XTR_TRIGGERS_MAX 32u

/* A trigger has fired. */
struct xtr_fired {
	const struct xtr_trigger *trigger;
	const char *text;           /* in place of its text, if that is NULL; NULL: a signal */
	const char *event;          /* its name; "": none */
	uint64_t at;                /* ns */
	uint64_t ctx, seqno, value; /* as in format/meta/piece.h */
	uint32_t tid;               /* thread it is about, 0: not known */
};

typedef void xtr_fire_fn(void *ctx, const struct xtr_fired *f);

struct xtr_triggers {
	const struct xtr_trigger *t; /* the caller's */
	size_t n;
	uint8_t *act; /* by type of record: enum act of trigger.c */
	size_t n_act;
	uint32_t off;                     /* bits of t: optional ones that nothing can fire */
	bool jobs, events, errors;        /* is anything to be looked for? */
	const char *event[UINT8_MAX + 1]; /* names, by act */
	uint8_t trigger[UINT8_MAX + 1];   /* which one, by act */
	uint8_t n_events;
	struct xtr_job_watch watch;
	xtr_fire_fn *fire;
	void *ctx;
};

/*
 * n triggers t, which stay the caller's, of what sel records. available says whether the event of
 * this type (entry of functions) can happen. fire gets what fires. 0, or -errno with *err: more
 * than XTR_TRIGGERS_MAX, no memory, or one that nothing recorded can fire
 * and that is not optional.
 */
int xtr_triggers_open(struct xtr_triggers *ts, const struct xtr_trigger *t, size_t n,
		      const struct xtr_selection *sel,
		      bool (*available)(void *arg, const char *event, uint32_t type), void *arg,
		      xtr_fire_fn *fire, void *ctx, struct xtr_record_err *err);
void xtr_triggers_close(struct xtr_triggers *ts);
/* Look at records as they come from a ring; their sizes have been checked. */
void xtr_triggers_scan(struct xtr_triggers *ts, const uint8_t *recs, uint32_t len);
/* All records older than watermark (ns) were scanned. */
void xtr_triggers_round(struct xtr_triggers *ts, uint64_t watermark);
/* n more events were lost; noticed at: ns. */
void xtr_triggers_lost(struct xtr_triggers *ts, uint64_t n, uint64_t at);

#endif /* XTR_RECORDER_TRIGGER_H */
