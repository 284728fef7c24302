/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as what a trace may be wrapped in: gzip, xz, zstd, bzip2, zip, a page of systrace,
 * atrace -z. What comes out is within the limit, or an error says why not; and what is known of
 * any bytes is said in words.
 */
#include "fuzz.h"

#include "bundle/unwrap.h"
#include "converters/in/core/import.h"
#include "converters/in/known_files.h"
#include "converters/in/text/systrace.h"

#include <errno.h>

#define LIMIT ((uint64_t)1 << 20) /* bytes: what comes out is written to a file */

static bool readable(void *ctx, const uint8_t *head, size_t n)
{
	FUZZ_CHECK(ctx == NULL && n > 0 && n <= XTR_UNWRAP_HEAD);
	return xtr_import_detect(head, n);
}

static void check_size(struct xtr_io *out, uint64_t limit)
{
	uint64_t n = 0;

	FUZZ_CHECK(!out->ops->size(out, &n) && n <= limit);
}

static void unwrap(struct xtr_io *in, const uint8_t *data, size_t size)
{
	struct xtr_unwrap u = { .how = xtr_wrapping_of(data, size),
				.limit = LIMIT,
				.readable = readable };
	struct xtr_io *out = NULL;
	int ret;

	if (!u.how)
		return;
	xtr_unwrap_is_tar(in);
	ret = xtr_unwrap(in, &u, &out);
	FUZZ_CHECK(ret <= 0 && (ret == 0) == (out != NULL));
	FUZZ_CHECK((ret != -EBADMSG && ret != -ENOENT && ret != -ENOTUNIQ && !u.cut) || u.what[0]);
	for (const char *s = u.what; *s; s++)
		FUZZ_CHECK(*s >= ' ' && *s <= '~');
	if (out)
		check_size(out, LIMIT);
	xtr_io_close(out);
}

static void page(struct xtr_io *in, size_t size)
{
	struct xtr_io *out;
	int ret;

	if (xtr_io_mem_new(&out))
		return;
	ret = xtr_html_trace(in, out, readable, NULL);
	FUZZ_CHECK(ret == 0 || ret == -ENODATA || ret == -ENOMEM);
	/* A line feed for each end of a line, and a NUL where one was. */
	check_size(out, size + 1);
	xtr_io_close(out);
}

static void atrace(struct xtr_io *in)
{
	struct xtr_io *out;
	bool cut;
	int ret;

	if (xtr_io_mem_new(&out))
		return;
	ret = xtr_atrace_inflate(in, out, LIMIT, &cut);
	FUZZ_CHECK(ret <= 0);
	check_size(out, LIMIT);
	xtr_io_close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xtr_known *known = xtr_known_file(data, size, "in.nsys-rep");
	struct xtr_io *in;

	FUZZ_CHECK(!known || (known->what[0] && known->help[0]));
	if (xtr_io_mem_view(data, size, &in))
		return 0;
	unwrap(in, data, size);
	if (xtr_html_detect(data, size))
		page(in, size);
	if (xtr_atrace_detect(data, size))
		atrace(in);
	xtr_io_close(in);
	return 0;
}
