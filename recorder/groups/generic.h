/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracepoint without a program of its own: its layout in the file (format/meta/tpevent.h), what
 * the generic BPF program shall copy, and how a ring record becomes a file record.
 */
#ifndef XTR_RECORDER_GENERIC_H
#define XTR_RECORDER_GENERIC_H

#include "recorder/host/bpfdefs.h"
#include "format/meta/tpevent.h"

struct xtr_generic_string {
	uint16_t offset, width; /* in the file record, bytes */
	bool hex;
};

struct xtr_generic {
	char *name, *system, *event; /* "sched:sched_switch", its halves */
	uint32_t id;                 /* tracepoint id in tracefs */
	struct xtr_event_desc desc;
	struct xtr_tp_event *tp; /* owns name and the fields of desc */
	struct xtr_generic_cfg cfg;
	struct xtr_generic_string strs[XTR_STRS_MAX];
	uint32_t n_strs;
	bool ftrace;                 /* by the kernel's trace ring, not by a program */
	bool clean;                  /* xtr_tp_event_clean has something to do */
	bool as_is;                  /* a record of the ring is one of the file */
	uint32_t sample;             /* share of it that is recorded, in millionths; 0: all */
	const struct xtr_field *key; /* of the totals when it is sampled; NULL: none */
	uint32_t dropped;            /* fields past XTR_FIXED_MAX, not recorded */
};

int xtr_generic_new(struct xtr_generic **g, const char *system, const char *event,
		    const struct xtr_tp_format *f, uint32_t type, uint32_t slot);
void xtr_generic_free(struct xtr_generic *g);

/*
 * Record `of` of 2^32 events, and count them by the field of this name; NULL: all together. 0, or
 * -ENOENT: there is no such field, or -EINVAL: it is no number.
 */
int xtr_generic_sample(struct xtr_generic *g, uint32_t of, const char *field);

/*
 * Record the stack of each event, too: field `stack`, behind the others (format/meta/tpevent.h).
 * Before it is sampled. 0, -EEXIST: the event has a field of this name, or -ENOMEM.
 */
int xtr_generic_stack(struct xtr_generic *g);

/* For a budget: note where the job's fence stands in the kernel's record, if it does. */
void xtr_generic_find_job(struct xtr_generic *g);

/* Is a ring record of size bytes the file's? The programs leave 0 behind the last field. */
bool xtr_generic_as_is(const struct xtr_generic *g, uint32_t size);

/*
 * Turn the ring record rec of size bytes into a file record in place; it gets no longer. key NULL:
 * pointers are kept. Returns its size, -EBADMSG if the record does not fit the layout, or -ENOMEM.
 */
int xtr_generic_convert(const struct xtr_generic *g, struct xtr_tables *tables,
			const struct xtr_siphash_key *key, uint8_t *rec, uint32_t size);

#endif /* XTR_RECORDER_GENERIC_H */
