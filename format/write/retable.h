/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a section anew with other tables: everything else is copied as it stands. */
#ifndef XTR_RETABLE_H
#define XTR_RETABLE_H

#include "format/io.h"
#include "format/read/reader.h"

struct xtr_retable_result {
	uint64_t events;
	uint64_t left_out; /* chunks of unknown types that must not be copied (spec 4) */
};

/*
 * Append the section to io with `tables` in the place of its own: ids in records must mean the same
 * by them (xtr_tables_copy). The section must be whole (xtr_section_is_whole). 0 with *res set;
 * -EBADMSG: a chunk cannot be read; other -errno: what was appended is no whole section.
 */
int xtr_retable(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_tables *tables,
		struct xtr_io *io, uint64_t file_id, struct xtr_retable_result *res);

#endif /* XTR_RETABLE_H */
