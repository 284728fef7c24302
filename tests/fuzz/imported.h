/* SPDX-License-Identifier: BSD-2-Clause */
/* What any import must do, whatever it is given: shared by targets of single formats. */
#ifndef FUZZ_IMPORTED_H
#define FUZZ_IMPORTED_H

#include "fuzz.h"

#include "converters/in/core/import.h"
#include "format/read/reader.h"

static inline void fuzz_check_imported(struct xtr_io *out, const struct xtr_import_result *res)
{
	const struct xtr_section_summary *sum;
	struct xtr_err err = { 0 };
	struct xtr_reader *r;
	struct xtr_io *view;
	const uint8_t *p;
	size_t n;

	p = xtr_io_mem_data(out, &n);
	FUZZ_CHECK(!xtr_io_mem_view(p, n, &view));
	FUZZ_CHECK(!xtr_reader_open(&r, view, &err));
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	FUZZ_CHECK(xtr_reader_n_sections(r) == 1 && xtr_reader_n_problems(r) == 0);
	sum = xtr_section_summary(xtr_reader_section(r, 0));
	FUZZ_CHECK(sum->events == res->events && sum->lost == res->lost && sum->closed);
	xtr_reader_close(r);
}

/*
 * Import the bytes: either they are refused with a reason, or a whole .xtr file without a problem
 * comes out whose events and losses are as many as the importer says.
 */
static inline void fuzz_import(const char *format, const uint8_t *data, size_t size)
{
	const struct xtr_import_opts opts = { .sz = sizeof(opts), .format = format };
	struct xtr_import_result res;
	struct xtr_io *in, *out;
	int err;

	FUZZ_CHECK(!xtr_io_mem_view(data, size, &in) && !xtr_io_mem_new(&out));
	err = xtr_import_run(in, out, &opts, &res);
	FUZZ_CHECK(err <= 0 && (!err || res.text[0]));
	if (!err)
		fuzz_check_imported(out, &res);
	xtr_io_close(in);
	xtr_io_close(out);
}

#endif /* FUZZ_IMPORTED_H */
