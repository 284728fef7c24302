/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a section anew as small as it gets: the EVENTS chunks of a stream that follow each other
 * are joined, filtered into columns and compressed with effort. The records are the same, in the
 * same order in each stream; metadata, tables, losses, clocks and the end mean the same.
 */
#ifndef XTR_PACK_H
#define XTR_PACK_H

#include "format/io.h"
#include "format/read/reader.h"

#define XTR_PACK_LZ4_LEVEL  12 /* LZ4-HC's highest */
#define XTR_PACK_ZSTD_LEVEL 19

struct xtr_pack_opts {
	size_t sz;            /* sizeof(struct xtr_pack_opts) */
	uint64_t file_id;     /* of the new section; 0: random */
	enum xtr_codec codec; /* XTR_CODEC_LZ4 or XTR_CODEC_ZSTD (-EOPNOTSUPP without libzstd) */
	int level;            /* of the codec; 0: its highest */
	unsigned int threads; /* that pack, 0: one */
	/* Called now and then, with chunks done and in all. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct xtr_pack_result {
	uint64_t events;
	uint64_t chunks_before, chunks; /* of EVENTS */
	uint64_t stored_before, stored; /* bytes of them in the file, with headers */
	uint64_t bytes_before, bytes;   /* of the section */
	uint64_t left_out; /* chunks of unknown types that must not be copied (spec 4) */
};

/*
 * Append a section to io. It must be whole (xtr_section_is_whole; xtr_recover makes one). 0 with
 * *res set; -EBADMSG: a chunk cannot be read, as of a file that is not whole; other -errno: what
 * was appended is no whole section.
 */
int xtr_pack(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io,
	     const struct xtr_pack_opts *opts, struct xtr_pack_result *res);

#endif /* XTR_PACK_H */
