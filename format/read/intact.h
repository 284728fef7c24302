/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a verified file is whole. The reader must have been verified (xtr_reader_verify): only
 * then are all its problems known.
 */
#ifndef XTR_WHOLE_H
#define XTR_WHOLE_H

#include "format/io.h"
#include "reader.h"

/* No problem is of this section. */
bool xtr_section_is_whole(const struct xtr_reader *r, const struct xtr_section *s);

/* No problem of the chunk means that its payload cannot be used. */
bool xtr_chunk_is_readable(const struct xtr_reader *r, const struct xtr_chunk *c);

/* Events in chunks of the section that are there and cannot be read (xtr_section_summary counts
 * them as events). */
uint64_t xtr_section_unreadable(const struct xtr_reader *r, const struct xtr_section *s);

/* Events that the header of the chunk at this offset of the file promises; 0 if there is none of
 * events. */
uint64_t xtr_section_events_at(const struct xtr_section *s, uint64_t offset);

/*
 * Append a section to io byte for byte; one that ends without padding gets it, so that the next
 * begins in its place. 0 or -errno.
 */
int xtr_section_copy(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io);

#endif /* XTR_WHOLE_H */
