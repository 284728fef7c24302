/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_dumps.h"

#include <errno.h>
#include <string.h>

/* One at a time: a command that opens several files reads them one after the other. */
static struct {
	bool is_bundle;
	struct xtr_dumps dumps;
	struct xtr_dump_reader *reader; /* of the member that is read */
} last;

static const struct {
	const char *name; /* what the member begins with */
	bool log;
} members[] = {
	{ "kmsg.txt", true },      { "dmesg.txt", true }, { "xid.txt", true },
	{ "devcoredump-", false }, { "error-", false },
};

static bool begin(void *ctx, const char *name, uint64_t size)
{
	(void)ctx;
	(void)size;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!strncmp(name, members[i].name, strlen(members[i].name))) {
			last.reader = xtr_dump_begin(&last.dumps, name, members[i].log);
			return true;
		}
	return false;
}

static int data(void *ctx, const void *p, size_t n)
{
	(void)ctx;
	return last.reader ? xtr_dump_feed(last.reader, p, n) : -ENOMEM;
}

static int end(void *ctx)
{
	struct xtr_dump_reader *r = last.reader;

	(void)ctx;
	last.reader = NULL;
	return r ? xtr_dump_end(r) : -ENOMEM;
}

void bundle_dumps_forget(void)
{
	if (last.reader)
		xtr_dump_end(last.reader);
	last.reader = NULL;
	xtr_dumps_free(&last.dumps);
	last.is_bundle = false;
}

int bundle_dumps_open(struct xtr_io *in, struct xtr_io **trace, struct xtr_bundle_err *err)
{
	const struct xtr_bundle_see see = { .begin = begin, .data = data, .end = end };
	int ret;

	bundle_dumps_forget();
	ret = xtr_bundle_open(in, &see, trace, err);
	if (ret)
		bundle_dumps_forget();
	else
		last.is_bundle = true;
	return ret;
}

const struct xtr_dumps *bundle_dumps(void)
{
	return last.is_bundle ? &last.dumps : NULL;
}
