/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions from the control ring, as they get into the file's tables. */
#ifndef XTR_RECORDER_DEFS_H
#define XTR_RECORDER_DEFS_H

#include "recorder/host/bpfdefs.h"
#include "recorder/host/kallsyms.h"
#include "recorder/host/symbols.h"
#include "cgroups.h"
#include "starts.h"

#include "base/siphash.h"
#include "format/meta/tables.h"

struct xtr_defs {
	struct xtr_tables *tables;
	const struct xtr_siphash_key *key; /* NULL: addresses are kept */
	struct xtr_kallsyms *kallsyms;
	struct xtr_symbols *symbols;
	struct xtr_starts starts;
	struct xtr_cgroups cgroups;
	uint32_t *ops; /* string id by number of the operations */
	uint32_t n_ops;
};

/* Take one record of `size` bytes. 0, -EBADMSG: it is none of the known ones; -ENOMEM or another
 * error of the tables. */
int xtr_defs_take(struct xtr_defs *d, const uint8_t *rec, uint32_t size);
/* String id of fence operations, 0 if not known. */
uint32_t xtr_defs_ops(const struct xtr_defs *d, uint32_t id);
void xtr_defs_free(struct xtr_defs *d);

#endif /* XTR_RECORDER_DEFS_H */
