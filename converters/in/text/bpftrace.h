/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of bpftrace scripts that print their probe, one line for each time that it fired: see
 * docs/import-text.md. bpftrace gives the name of the probe (the builtin `probe`); what stands
 * around it is up to the script:
 *
 *	columns PROBE columns rest
 */
#ifndef XTR_BPFTRACE_H
#define XTR_BPFTRACE_H

#include "textin.h"

bool xtr_bpftrace_detect(const uint8_t *head, size_t n);
int xtr_bpftrace_run(struct xtr_import *im, struct xtr_io *in);

/* --- bpftrace_probe.c: names of probes -------------------------------------------------------- */

/*
 * What a probe is: a call, a return or an event, and its names, into e. The places of the names go
 * into the probe. False: it is not a name that bpftrace gives.
 */
bool bpftrace_probe(const char *probe, size_t len, struct textin_event *e);

/* --- bpftrace_line.c: lines ------------------------------------------------------------------- */

/* No process or thread has a larger number (PID_MAX_LIMIT of the kernel on 64 bits). */
#define BPFTRACE_PID_MAX 4194304u
#define BPFTRACE_COLUMNS 8u /* with a bare number, on each side of the probe */

/* A bare number of a line may be a time, if the whole file says so. */
struct bpftrace_number {
	uint64_t n;
	unsigned int column; /* from the left; behind the probe from BPFTRACE_COLUMNS on */
};

struct bpftrace_line {
	struct textin_event e; /* without time; text: what is behind the columns */
	/* A time that says what it is: ns, and digits as in textin_time (9 for nanoseconds). */
	bool has_time;
	uint64_t ns;
	unsigned int digits;
	const char *wall; /* "12:34:56", 8 bytes; NULL: none */
	bool has_cpu, has_tid, has_pid;
	struct bpftrace_number numbers[2 * BPFTRACE_COLUMNS];
	size_t n_numbers;
};

#define BPFTRACE_NO_COLUMN (2 * BPFTRACE_COLUMNS)   /* no column of bare numbers is a time */
#define BPFTRACE_UNSURE    (BPFTRACE_NO_COLUMN + 1) /* which, is not known yet */

/*
 * Take a line apart. time_column: the one that is a time, or one of the two above. False: the line
 * names no probe, or there is something in front of it that is not understood.
 */
bool bpftrace_line(const char *text, size_t len, unsigned int time_column,
		   struct bpftrace_line *line);

#endif /* XTR_BPFTRACE_H */
