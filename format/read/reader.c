/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "base/checked.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_reader_note(struct xtr_reader *r, enum xtr_problem_code code, uint64_t offset, uint32_t seq)
{
	if (xtr_grow_array(&r->problems, &r->cap_problems, r->n_problems + 1, sizeof(*r->problems)))
		return -ENOMEM;
	r->problems[r->n_problems++] = (struct xtr_problem){ code, seq, offset };
	return 0;
}

static int problem_cmp(const void *pa, const void *pb)
{
	const struct xtr_problem *a = pa, *b = pb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

void xtr_reader_sort_problems(struct xtr_reader *r)
{
	size_t n = 0;

	if (r->n_problems)
		qsort(r->problems, r->n_problems, sizeof(*r->problems), problem_cmp);
	for (size_t i = 0; i < r->n_problems; i++)
		if (!n || problem_cmp(&r->problems[n - 1], &r->problems[i]))
			r->problems[n++] = r->problems[i];
	r->n_problems = n;
}

static int refuse(struct xtr_err *err, enum xtr_problem_code code, uint64_t offset, uint32_t seq)
{
	*err = (struct xtr_err){ .code = -EBADMSG, .problem = code, .offset = offset, .seq = seq };
	return -EBADMSG;
}

/* A file of which no section is left is refused with the first of its refusals (spec 8). */
static int refuse_all(const struct xtr_reader *r, struct xtr_err *err)
{
	for (size_t i = 0; i < r->n_problems; i++) {
		const struct xtr_problem *p = &r->problems[i];

		if (xtr_problem_is_fatal(p->code))
			return refuse(err, p->code, p->offset, p->seq);
	}
	return refuse(err, XTR_P_NOT_XTR, 0, 0);
}

static int open_all(struct xtr_reader *r, const struct xtr_part *part, struct xtr_err *err)
{
	bool done = false;
	int ret = r->io->ops->size(r->io, &r->size);

	if (ret)
		return ret;
	if (r->io->ops->map)
		r->map = r->io->ops->map(r->io, &r->size);
	if (r->size < XTR_FILE_HEADER_SIZE)
		return refuse(err, XTR_P_TOO_SHORT, 0, 0);
	ret = part ? xtr_scan_part(r, part, &done) : 0;
	if (!ret && !done)
		ret = xtr_scan(r);
	if (ret)
		return ret;
	xtr_reader_sort_problems(r);
	return r->n_sections ? xtr_reader_rank_processes(r) : refuse_all(r, err);
}

int xtr_reader_open_part(struct xtr_reader **out, struct xtr_io *io, const struct xtr_part *part,
			 struct xtr_err *err)
{
	struct xtr_reader *r = calloc(1, sizeof(*r));
	struct xtr_err mine;
	int ret;

	if (!err)
		err = &mine;
	*err = (struct xtr_err){ 0 };
	if (!r) {
		xtr_io_close(io);
		err->code = -ENOMEM;
		return -ENOMEM;
	}
	r->io = io;
	ret = open_all(r, part, err);
	err->code = ret;
	err->features = err->problem == XTR_P_INCOMPAT ? r->features_unknown : 0;
	if (ret)
		xtr_reader_close(r);
	else
		*out = r;
	return ret;
}

int xtr_reader_open(struct xtr_reader **r, struct xtr_io *io, struct xtr_err *err)
{
	return xtr_reader_open_part(r, io, NULL, err);
}

int xtr_reader_open_path(struct xtr_reader **r, const char *path, struct xtr_err *err)
{
	struct xtr_io *io;
	int ret = xtr_io_open_read(path, &io);

	if (!ret)
		return xtr_reader_open(r, io, err);
	if (err)
		*err = (struct xtr_err){ .code = ret };
	return ret;
}

void xtr_reader_close(struct xtr_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_sections; i++)
		xtr_section_free(r->sections[i]);
	free(r->sections);
	free(r->problems);
	xtr_io_close(r->io);
	free(r);
}

uint64_t xtr_reader_size(const struct xtr_reader *r)
{
	return r->size;
}

size_t xtr_reader_n_sections(const struct xtr_reader *r)
{
	return r->n_sections;
}

const struct xtr_section *xtr_reader_section(const struct xtr_reader *r, size_t i)
{
	return i < r->n_sections ? r->sections[i] : NULL;
}

size_t xtr_reader_n_problems(const struct xtr_reader *r)
{
	return r->n_problems;
}

const struct xtr_problem *xtr_reader_problem(const struct xtr_reader *r, size_t i)
{
	return i < r->n_problems ? &r->problems[i] : NULL;
}

int xtr_reader_bytes(const struct xtr_reader *r, uint64_t off, void *buf, size_t n)
{
	if (!xtr_fits(off, n, r->size))
		return -ENODATA;
	if (!r->map)
		return r->io->ops->read_at(r->io, off, buf, n);
	memcpy(buf, r->map + off, n);
	return 0;
}

uint64_t xtr_section_file_id(const struct xtr_section *s)
{
	return s->file_id;
}

unsigned int xtr_section_minor(const struct xtr_section *s)
{
	return s->minor;
}

uint64_t xtr_section_offset(const struct xtr_section *s)
{
	return s->offset;
}

uint64_t xtr_section_size(const struct xtr_section *s)
{
	return s->end - s->offset;
}

uint32_t xtr_section_header_size(const struct xtr_section *s)
{
	return s->header_size;
}

uint32_t xtr_section_compat_flags(const struct xtr_section *s)
{
	return s->compat_flags;
}

const struct xtr_meta *xtr_section_meta(const struct xtr_section *s)
{
	return s->meta ? s->meta : xtr_meta_none();
}

const struct xtr_tables *xtr_section_tables(const struct xtr_section *s)
{
	return s->tables ? s->tables : xtr_tables_none();
}

const struct xtr_loss *xtr_section_loss(const struct xtr_section *s)
{
	return s->loss ? s->loss : xtr_loss_none();
}

size_t xtr_section_n_chunks(const struct xtr_section *s)
{
	return s->n_chunks;
}

uint32_t xtr_section_features(const struct xtr_section *s)
{
	uint32_t features = 0;

	for (size_t i = 0; i < s->n_chunks; i++)
		features |= xtr_chunk_features(&s->chunks[i]);
	return features;
}

const struct xtr_chunk *xtr_section_chunk(const struct xtr_section *s, size_t i)
{
	return i < s->n_chunks ? &s->chunks[i] : NULL;
}

const struct xtr_section_summary *xtr_section_summary(const struct xtr_section *s)
{
	return &s->summary;
}

const char *xtr_section_end_reason(const struct xtr_section *s)
{
	return s->end_reason;
}

const struct xtr_recorder_cost *xtr_section_end_cost(const struct xtr_section *s)
{
	return s->has_cost ? &s->cost : NULL;
}

size_t xtr_section_n_clocks(const struct xtr_section *s)
{
	return s->n_clocks;
}

const struct xtr_clock_snapshot *xtr_section_clock(const struct xtr_section *s, size_t i)
{
	return i < s->n_clocks ? &s->clocks[i] : NULL;
}
