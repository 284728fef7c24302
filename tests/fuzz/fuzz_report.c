/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file through the document of `xtr report`, with room, jobs and a part of the time
 * that its size chooses, and onto a page: whatever the file says, the document is valid JSON, the
 * page stays below its size, and nothing in it ends an element.
 */
#include "fuzz.h"
#include "json.h"

#include "report/report.h"

#include <string.h>

/* How often elements begin or end, scripts end, and comments begin. */
struct marks {
	size_t any, script_ends, comments;
};

static struct marks marks_of(const char *text, size_t n)
{
	struct marks m = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (text[i] != '<')
			continue;
		m.any++;
		m.script_ends += !strncmp(text + i, "</script", 8);
		m.comments += !strncmp(text + i, "<!--", 4);
	}
	return m;
}

static struct marks page_of(const struct xtr_buf *stats, const struct xtr_buf *data)
{
	char *text = NULL;
	struct marks m;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	FUZZ_CHECK(f);
	xtr_report_page(f, stats, data);
	FUZZ_CHECK(!ferror(f) && !fclose(f));
	FUZZ_CHECK(strlen(text) == n);
	FUZZ_CHECK(n <= xtr_report_page_bytes() + xtr_report_document_bytes(stats) +
				xtr_report_document_bytes(data));
	m = marks_of(text, n);
	free(text);
	return m;
}

/* Elements begin and end, and comments begin, where they do on an empty page. */
static void check_page(const struct xtr_buf *data)
{
	static struct marks plain;
	uint8_t nothing[] = "{}";
	const struct xtr_buf empty = { .p = nothing, .n = 2 };
	struct marks m = page_of(data, data);

	if (!plain.any)
		plain = page_of(&empty, &empty);
	FUZZ_CHECK(m.any == plain.any && m.script_ends == plain.script_ends &&
		   m.comments == plain.comments);
}

static void check_document(const struct xtr_reader *r, size_t size)
{
	/* What a page has without statistics, and less. */
	const size_t most = XTR_REPORT_BYTES - xtr_report_page_bytes();
	struct xtr_report report = { .most = size & 1 ? size * 4 : most,
				     .most_jobs = size & 2 ? 3 : 0 };
	struct xtr_export e = { .sz = sizeof(e),
				.exporter = &xtr_exporter_report,
				.opts = { .sz = sizeof(e.opts), .report = &report },
				.reader = r };

	e.opts.jobs_only = size & 4;
	if (size & 8)
		e.select.from = 1u << 20;
	if (size & 16)
		e.select.to = 1u << 30;
	FUZZ_CHECK(!xtr_export(&e) && !report.data.err);
	FUZZ_CHECK(fuzz_json_is_valid((const char *)report.data.p, report.data.n));
	FUZZ_CHECK(xtr_report_document_bytes(&report.data) <= most);
	check_page(&report.data);
	xtr_buf_free(&report.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	check_document(r, size);
	xtr_reader_close(r);
	return 0;
}
