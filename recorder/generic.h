/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracepoint without a program of its own: its layout in the file, what the generic BPF program
 * shall copy, and how a ring record becomes a file record.
 *
 * The file record is the kernel's record from byte 8 on, behind xtr's header, so offsets move by 8.
 * Strings, which stand elsewhere, are replaced in their place by a string id: 4 bytes wide for
 * __data_loc and __rel_loc fields, 8 for pointers. Dynamic arrays of something else than text
 * become a string of hexadecimal digits, at most 256 bytes of them.
 */
#ifndef XTR_RECORDER_GENERIC_H
#define XTR_RECORDER_GENERIC_H

#include "bpfdefs.h"
#include "siphash.h"
#include "tracefs.h"

#include "format/schema.h"
#include "format/tables.h"

struct xtr_generic_string {
	uint16_t offset, width; /* in the file record, bytes */
	bool hex;
};

struct xtr_generic {
	char *name, *system, *event; /* "sched:sched_switch", its halves */
	uint32_t id;                 /* tracepoint id in tracefs */
	struct xtr_event_desc desc;
	struct xtr_field *fields;
	struct xtr_generic_cfg cfg;
	struct xtr_generic_string strs[XTR_STRS_MAX];
	uint32_t n_strs;
	uint32_t dropped; /* fields past XTR_FIXED_MAX, not recorded */
};

int xtr_generic_new(struct xtr_generic **g, const char *system, const char *event,
		    const struct xtr_tp_format *f, uint32_t type, uint32_t slot);
void xtr_generic_free(struct xtr_generic *g);

/*
 * Turn the ring record rec of size bytes into a file record in place; it gets no longer. key NULL:
 * pointers are kept. Returns its size, -EBADMSG if the record does not fit the layout, or -ENOMEM.
 */
int xtr_generic_convert(const struct xtr_generic *g, struct xtr_tables *tables,
			const struct xtr_siphash_key *key, uint8_t *rec, uint32_t size);

#endif /* XTR_RECORDER_GENERIC_H */
