/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the text of ftrace, of perf script and of bpftrace: an import ends with 0 or an
 * error with a message, what it wrote is a whole file without damage, and the number of events is
 * what was counted.
 */
#include "fuzz.h"

#include "converters/in/core/import.h"
#include "format/read/reader.h"

#include <string.h>

static void check_output(struct xtr_io *out, const struct xtr_import_result *res)
{
	struct xtr_err err = { 0 };
	struct xtr_reader *r;
	struct xtr_io *view;
	size_t n;
	const uint8_t *data = xtr_io_mem_data(out, &n);
	uint64_t events = 0;

	FUZZ_CHECK(!xtr_io_mem_view(data, n, &view));
	FUZZ_CHECK(!xtr_reader_open(&r, view, &err));
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	FUZZ_CHECK(!xtr_reader_n_problems(r) && xtr_reader_n_sections(r) == 1);
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(r, 0)); i++)
		events += xtr_section_chunk(xtr_reader_section(r, 0), i)->n_records;
	FUZZ_CHECK(events >= res->events);
	FUZZ_CHECK(xtr_loss_total(xtr_section_loss(xtr_reader_section(r, 0))) == res->lost);
	xtr_reader_close(r);
}

static void import_as(const char *format, const uint8_t *data, size_t size)
{
	const struct xtr_import_opts opts = { .sz = sizeof(opts), .format = format };
	struct xtr_import_result res;
	struct xtr_io *in, *out;
	int err;

	FUZZ_CHECK(!xtr_io_mem_view(data, size, &in));
	FUZZ_CHECK(!xtr_io_mem_new(&out));
	err = xtr_import_run(in, out, &opts, &res);
	FUZZ_CHECK(memchr(res.text, '\0', sizeof(res.text)));
	FUZZ_CHECK((!err && !res.damage) == !res.text[0]);
	if (!err)
		check_output(out, &res);
	xtr_io_close(out);
	xtr_io_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_as("ftrace", data, size);
	import_as("perf", data, size);
	import_as("bpftrace", data, size);
	return 0;
}
