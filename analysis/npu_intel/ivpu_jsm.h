/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that the Intel NPU's driver sends to its firmware, and the replies: vpu:jsm events,
 * paired by request id. Job-done messages are none of them (they are never traced there).
 */
#ifndef XTR_JSM_H
#define XTR_JSM_H

#include "format/read/merge.h"
#include "replay/model/loss_gaps.h"
#include "analysis/core/hist.h"
#include "base/map.h"

#define JSM_TYPES_MAX 64u /* more than there are; the last row takes the rest */
#define JSM_OPEN_MAX  1024u
#define JSM_NAME_MAX  48u

/*
 * The driver itself gives up on a reply after this time on hardware (timeout.jsm of
 * drivers/accel/ivpu/ivpu_hw.c). What was sent later than so long before the end may be answered
 * after it.
 */
#define JSM_REPLY_NS 500000000u

/* By type of what was sent. */
struct jsm_type {
	char name[JSM_NAME_MAX];
	uint64_t sent, replies;
	uint64_t failed;    /* replies with a result that is not 0 */
	uint32_t result;    /* of the first of them */
	uint64_t no_reply;  /* and there was time for one, and nothing was lost */
	uint64_t not_known; /* whether there was a reply: the trace ends, or events are lost */
	uint64_t first_no_reply_ns;
	uint64_t longest_ns; /* from a message without reply to the end, or to its id's next use */
	bool one_way;        /* the driver waits for no reply */
	struct xtr_hist rtt; /* ns */
};

struct jsm_open {
	uint64_t ts;
	uint32_t type, request;
	bool used;
};

struct jsm { /* all zero: empty */
	const struct xtr_tables *tables;
	const struct xtr_field *event, *type, *request, *result;
	bool usable; /* the event is in META, with its texts */
	struct jsm_type row[JSM_TYPES_MAX];
	uint32_t n_rows;
	struct jsm_open open[JSM_OPEN_MAX];
	uint32_t next; /* the oldest, taken for the next message */
	struct xtr_map by_request;
	struct xtr_gaps gaps;
	uint64_t sent, received, unasked; /* replies to what was not seen to be sent */
	bool times;
};

/* meta's event vpu:jsm, if it is there. tables may be NULL. */
void jsm_init(struct jsm *j, const struct xtr_meta *meta, const struct xtr_tables *tables,
	      bool times);
void jsm_free(struct jsm *j);
/* A vpu:jsm event. 1: a message was received, 2: sent, 0: neither; -ENOMEM. */
int jsm_event(struct jsm *j, const struct xtr_event *ev);
/* Events were lost. 0 or -ENOMEM. */
int jsm_gap(struct jsm *j, const struct xtr_gap *gap);
/* The trace ends at this time. */
void jsm_finish(struct jsm *j, uint64_t end_ns);

#endif /* XTR_JSM_H */
