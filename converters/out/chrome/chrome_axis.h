/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One time axis for all sections of a file, in ns from its first event. Sections of one boot share
 * the clock; others are placed by their REALTIME; where that is not known or too far away, behind
 * the section before.
 */
#ifndef XTR_CHROME_AXIS_H
#define XTR_CHROME_AXIS_H

#include "format/read/reader.h"

enum chrome_aligned {
	CHROME_BY_BOOT, /* the first of its boot, or on the clock of one */
	CHROME_BY_REALTIME,
	CHROME_BEHIND /* nothing tells: behind the section before */
};

struct chrome_axis_section {
	uint64_t offset; /* added to a time of the section, modulo 2^64 */
	uint32_t boot;   /* index of the boot, 0 for the first section's */
	enum chrome_aligned aligned;
};

struct chrome_axis { /* all zero: empty */
	struct chrome_axis_section *section;
	size_t n;
	uint32_t boots;
};

/* 0 or -ENOMEM. */
int chrome_axis_init(struct chrome_axis *a, const struct xtr_reader *r);
void chrome_axis_free(struct chrome_axis *a);
/* A section's time on the axis; what would be before its start is at its start. */
uint64_t chrome_axis_time(const struct chrome_axis_section *s, uint64_t ts);
/* The other way. */
uint64_t chrome_axis_clock(const struct chrome_axis_section *s, uint64_t ns);
const char *chrome_aligned_name(enum chrome_aligned aligned);

/* REALTIME and BOOTTIME minus the event clock (modulo 2^64) by the section's first readings. */
bool chrome_realtime_offset(const struct xtr_section *s, uint64_t *offset);
bool chrome_boottime_offset(const struct xtr_section *s, uint64_t *offset);

#endif /* XTR_CHROME_AXIS_H */
