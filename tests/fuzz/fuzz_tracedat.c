/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a trace.dat: either it is refused with a reason, or a whole .xtr file without a
 * problem comes out whose events and losses are as many as the importer says.
 */
#include "tests/fuzz/fuzz.h"

#include "converters/import.h"
#include "format/reader.h"

static void check_result(struct xtr_io *out, const struct xtr_import_result *res)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xtr_import_opts opts = { .sz = sizeof(opts), .format = "tracedat" };
	struct xtr_import_result res;
	struct xtr_io *in, *out;
	int err;

	FUZZ_CHECK(!xtr_io_mem_view(data, size, &in) && !xtr_io_mem_new(&out));
	err = xtr_import_run(in, out, &opts, &res);
	FUZZ_CHECK(err <= 0 && (!err || res.text[0]));
	if (!err)
		check_result(out, &res);
	xtr_io_close(in);
	xtr_io_close(out);
	return 0;
}
