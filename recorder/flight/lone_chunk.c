/* SPDX-License-Identifier: BSD-2-Clause */
#include "lone_chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_lone_chunk_open(struct xtr_lone_chunk *l, const struct xtr_chunk *c, const uint8_t *stored)
{
	const struct xtr_file_header h = { .major = XTR_MAJOR,
					   .minor = XTR_MINOR,
					   .header_size = XTR_FILE_HEADER_SIZE,
					   .file_id = c->file_id };
	size_t n = XTR_FILE_HEADER_SIZE + (size_t)xtr_chunk_span(c);
	struct xtr_io *io;
	struct xtr_err err;
	int ret;

	*l = (struct xtr_lone_chunk){ .bytes = calloc(1, n) };
	if (!l->bytes)
		return -ENOMEM;
	xtr_file_header_encode(l->bytes, &h);
	xtr_chunk_encode(l->bytes + XTR_FILE_HEADER_SIZE, c);
	memcpy(l->bytes + XTR_FILE_HEADER_SIZE + XTR_CHUNK_HEADER_SIZE, stored, c->stored_len);
	ret = xtr_io_mem_view(l->bytes, n, &io);
	if (!ret)
		ret = xtr_reader_open(&l->reader, io, &err);
	if (ret)
		return ret;
	l->section = xtr_reader_section(l->reader, 0);
	if (!l->section || xtr_section_n_chunks(l->section) != 1)
		return -EBADMSG;
	l->chunk = xtr_section_chunk(l->section, 0);
	return 0;
}

void xtr_lone_chunk_close(struct xtr_lone_chunk *l)
{
	xtr_reader_close(l->reader);
	free(l->bytes);
	*l = (struct xtr_lone_chunk){ 0 };
}
