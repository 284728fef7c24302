/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis `firmware`: what is gathered about the messages between the Intel NPU's
 * driver and its firmware, and about its interrupts.
 */
#ifndef XTR_FIRMWARE_H
#define XTR_FIRMWARE_H

#include "analysis/core/analysis.h"
#include "ivpu_functions.h"
#include "analysis/core/hist.h"
#include "ivpu_jsm.h"
#include "analysis/core/missing.h"
#include "base/map.h"
#include "ivpu_stall.h"

#define FW_THREADS_MAX 1024u /* beyond, threads have no loops and no boot by entries */
#define FW_LOOPS_MAX   32u
#define FW_IRQS        64u /* last interrupts, for the thread that each wakes */
#define FW_WHERE_MAX   64u

/*
 * So many calls of ivpu_ipc_receive in a row on one thread that time out are a loop: a command that
 * times out does so once, and one retry is ordinary error handling.
 */
#define FW_LOOP_MIN 3u
/*
 * So many rounds of ivpu_ipc_irq_handler and ivpu_ipc_receive, where only entries are known: a few
 * interrupts and replies in turn, without a thread to tell them apart, look the same.
 */
#define FW_LOOP_ROUNDS_MIN 10u

/* A loop of calls that brought nothing, outside of boot. */
struct fw_loop {
	uint64_t n, begin_ns, end_ns;
	uint64_t in_calls;        /* ns in the calls */
	uint64_t epoch;           /* of the trace's losses when it began */
	char where[FW_WHERE_MAX]; /* the call around it, "" if none is known */
};

struct fw_thread {
	struct fw_loop loop, ended; /* the present one, the last one; n 0: none */
	bool in_boot;               /* by entries alone */
	bool polled; /* ivpu_ipc_irq_handler was the last but helpers; by entries alone */
};

struct fw_function {
	bool recorded, timed; /* in META; entry and return */
	struct xtr_halves half;
	uint64_t n, in_boot;
	struct xtr_hist time; /* ns, outside of boot */
};

struct firmware {
	const struct xtr_analysis_opts *o;
	struct fw_binding *binding;
	struct xtr_map by_type, by_tid;
	struct fw_thread *thread;
	uint32_t n_threads;
	uint64_t end_ns;   /* the last event */
	uint64_t epoch;    /* losses so far */
	bool boot_entries; /* boot is only known by entries */
	bool boot_known;
	struct fw_function function[FW_ROLES];

	/* ivpu_ipc_receive, by what it returned. */
	uint64_t received, received_boot, timeouts, errors;
	uint64_t polls, polls_ns; /* without a message, in boot */
	uint64_t loops, loop_calls;
	struct fw_loop loop[FW_LOOPS_MAX]; /* the longest, by calls */
	uint32_t n_loops;

	uint64_t messages; /* of any kind */
	uint64_t first_message_ns, last_message_ns;
	struct xtr_hist gap;  /* ns between messages */
	struct xtr_hist wake; /* ns from interrupt to thread */
	uint64_t irq[FW_IRQS], last_thread_ns;
	uint32_t n_irqs; /* ever */
	struct jsm jsm;
	struct stalls stalls;
};

/* Is it recorded when a message came, of other kinds than that a job is done? */
bool fw_tells_messages(const struct firmware *fw);
/* ivpu_firmware_note.c: findings, at the end. 0 or -ENOMEM. */
int fw_findings(struct firmware *fw);
/* ivpu_firmware_view.c */
int fw_text(const void *self, const struct xtr_view *v);
void fw_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const fw_tables[];

#endif /* XTR_FIRMWARE_H */
