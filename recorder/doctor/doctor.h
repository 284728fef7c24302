/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine has of what recording needs, found by trying, and what to do about what is
 * missing. */
#ifndef XTR_RECORDER_PROBE_H
#define XTR_RECORDER_PROBE_H

#include "recorder/attach/loader.h"

enum xtr_check_state {
	XTR_CHECK_OK,
	XTR_CHECK_WARN,
	XTR_CHECK_MISSING
};

struct xtr_check {
	const char *name;
	enum xtr_check_state state; /* WARN: recording works, with less */
	char detail[160];
	const char *remedy; /* NULL if nothing is to be done */
};

#define XTR_CHECKS_MAX 24

/* Run all checks; returns how many there are. Loads small BPF programs, attaches nothing. */
size_t xtr_doctor(struct xtr_check checks[XTR_CHECKS_MAX]);

/* 0 if the options can be recorded as far as privileges and the kernel go; else -errno and err.
 * Fast. */
int xtr_doctor_require(const struct xtr_record_opts *opts, struct xtr_record_err *err);
/* Why nothing could be attached: fills err and returns -ENODEV. */
int xtr_doctor_no_events(const struct xtr_record_opts *opts, const struct xtr_hook_result *results,
			 size_t n, struct xtr_record_err *err);

/* --- doctor left ------------------------------------------------------------------------------ */

#endif /* XTR_RECORDER_PROBE_H */
