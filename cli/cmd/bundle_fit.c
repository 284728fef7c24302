/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_report.h"

#include "format/codec/codecs.h"
#include "format/write/pack.h"
#include "replay/cut/cut.h"

#include <errno.h>
#include <stdio.h>

#define HALVES_MAX 16u

static int size_of(struct xtr_bundle *b, const struct xtr_bundle_head *h, uint64_t *size)
{
	struct xtr_io *io = NULL;
	int err = xtr_io_temp(&io) ?: xtr_bundle_write(b, h, io) ?: io->ops->size(io, size);

	xtr_io_close(io);
	return err;
}

static int open_again(struct xtr_io *io, struct xtr_reader **r)
{
	struct xtr_err why = { 0 };
	struct xtr_io *again;

	return xtr_io_again(io, &again) ?: xtr_reader_open(r, again, &why);
}

static int pack(const struct xtr_reader *r, struct xtr_io *to)
{
	const struct xtr_pack_opts o = {
		.sz = sizeof(o),
		.codec = XTR_ZSTD_KNOWN ? XTR_CODEC_ZSTD : XTR_CODEC_LZ4,
	};
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r) && !err; i++) {
		struct xtr_pack_result res;

		err = xtr_pack(r, xtr_reader_section(r, i), to, &o, &res);
	}
	return err;
}

/* The last ns of the only section. */
static int cut(const struct xtr_reader *r, uint64_t ns, struct xtr_io *to)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);
	char said[64];
	struct xtr_cut_opts o = { .sz = sizeof(o), .options = said };
	struct xtr_cut_result res;

	o.select.to = xtr_section_summary(s)->ts_max;
	o.select.from = o.select.to - ns;
	snprintf(said, sizeof(said), "its last %llu ms, to fit",
		 (unsigned long long)(ns / 1000000));
	return xtr_cut(r, s, to, &o, &res);
}

/* The trace packed, and before that cut to its last ns, if any. */
static int smaller(const struct xtr_reader *r, uint64_t ns, struct xtr_io **out)
{
	struct xtr_io *part = NULL, *packed = NULL;
	struct xtr_reader *short_one = NULL;
	int err = xtr_io_temp(&packed);

	if (!err && ns)
		err = xtr_io_temp(&part) ?: cut(r, ns, part) ?: open_again(part, &short_one);
	err = err ?: pack(ns ? short_one : r, packed);
	xtr_reader_close(short_one);
	xtr_io_close(part);
	if (err)
		xtr_io_close(packed);
	else
		*out = packed;
	return err;
}

static int put_trace(struct xtr_bundle *b, struct xtr_io *io)
{
	struct xtr_bundle_item *item = &b->v[0];

	xtr_io_close(item->io);
	item->io = io;
	return io->ops->size(io, &item->size);
}

int bundle_fit(struct bundle_report *o, struct xtr_bundle *b, const struct xtr_bundle_head *h,
	       struct xtr_reader *r)
{
	const struct xtr_section_summary *sum;
	uint64_t size = 0, ns = 0, all;
	struct xtr_io *io;
	int err;

	if (!o->tracker->limit || !xtr_reader_n_sections(r))
		return 0;
	sum = xtr_section_summary(xtr_reader_section(r, 0));
	all = sum->ts_max - sum->ts_min;
	err = size_of(b, h, &size);
	for (unsigned int i = 0; i < HALVES_MAX && !err && size > o->tracker->limit; i++) {
		if (i && (xtr_reader_n_sections(r) > 1 || !(all >> i)))
			break;
		ns = i ? all >> i : 0;
		err = smaller(r, ns, &io);
		if (!err)
			err = put_trace(b, io) ?: size_of(b, h, &size);
	}
	o->trace_ns = ns;
	o->bytes = size;
	return err;
}
