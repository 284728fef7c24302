/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis of the driver amdxdna (docs/amdxdna.md). */
#ifndef XTR_AMDXDNA_IMPL_H
#define XTR_AMDXDNA_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/label.h"
#include "analysis/core/hist.h"
#include "analysis/core/bounded_rows.h"
#include "replay/event/event_bind.h"

#define XDNA_CONTEXTS_MAX 256u
#define XDNA_ROWS_MAX     1024u /* of messages, by channel and opcode */
#define XDNA_IRQS_MAX     256u
#define XDNA_STAGES_MAX   32u

/* An answer of the device's firmware that takes longer, or does not come for as long, is told. */
#define XDNA_SLOW_NS 500000000ull

/* Identifier, key in JSON, what the driver calls it. */
#define XDNA_STAGES(X)                     \
	X(RUN, "runs", "job run")          \
	X(SENT, "sent", "sent to device")  \
	X(DONE, "done", "signaling fence") \
	X(FREE, "freed", "job free")       \
	X(TIMEDOUT, "timeouts", "job timedout")

enum xdna_stage {
#define XDNA_ENUM(id, key, text) XDNA_##id,
	XDNA_STAGES(XDNA_ENUM)
#undef XDNA_ENUM
	XDNA_STAGE_COUNT
};

struct xdna_context {
	uint64_t n[XDNA_STAGE_COUNT], other; /* events, by stage */
	uint64_t timed;                      /* jobs sent and done */
	uint64_t shared; /* of them, while another context had jobs on the device */
	uint64_t open;   /* jobs sent or run and not done */
	uint64_t prev_done, first_timeout_ns;
	uint32_t on_device;
	struct xtr_hist exec, residence, driver; /* ns; driver: from run to sent */
};

struct xdna_job { /* by fence */
	uint64_t ctx, seqno;
	uint64_t run_ns, sent_ns, moves;
	uint32_t context, next, prev;
	bool counted;
};

#define XDNA_JOBS_MAX 8192u

struct xdna_message { /* of one opcode on one channel */
	uint32_t channel, opcode;
	uint64_t sent, answered, unanswered, open;
	uint64_t slow, first_slow_ns, first_unanswered_ns;
	struct xtr_hist time;
};

struct xdna_irq {
	int32_t irq;
	uint64_t handled, workers;
};

struct amdxdna {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	struct xtr_event_counts counts;
	uint64_t gaps;
	bool any;
	struct xtr_labels contexts, stages; /* stages: that have no column */
	struct xdna_context *context;       /* XDNA_CONTEXTS_MAX */
	uint64_t stage_n[XDNA_STAGES_MAX];
	struct xdna_job *job;
	struct xtr_map by_fence;
	uint32_t n_jobs, free_jobs, head, tail;
	uint32_t contexts_on_device;
	uint64_t moves, mixed; /* jobs that came or went; those up to which contexts were mixed */
	struct xdna_message *message;
	uint32_t n_messages;
	struct xtr_map by_opcode;
	struct xtr_pending pending;
	uint64_t unasked; /* answers to what was not seen to be sent */
	uint64_t messages_left_out;
	struct xdna_irq irq[XDNA_IRQS_MAX];
	uint32_t n_irqs;
};

/* "hwctx.1234.5" is of process 1234; 0: it says no process. */
uint32_t xdna_context_pid(const char *name);
int xdna_job_event(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside);
void xdna_jobs_finish(struct amdxdna *x);
int xdna_text(const void *self, const struct xtr_view *v);
void xdna_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const xdna_tables[];

#endif /* XTR_AMDXDNA_IMPL_H */
