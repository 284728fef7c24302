/* SPDX-License-Identifier: BSD-2-Clause */
/* In the place of sqlite.c where libsqlite3 was not found by the build. */
#include "converters/out/core/export.h"

#include <errno.h>
#include <stddef.h>

static unsigned int wants(const struct xtr_export_opts *o)
{
	(void)o;
	return 0;
}

static int open_none(void **self, const struct xtr_export_opts *o, const char **why)
{
	(void)o;
	*self = NULL;
	*why = "this xtr was built without SQLite (libsqlite3)";
	return -EINVAL;
}

extern const struct xtr_exporter xtr_exporter_sqlite;

const struct xtr_exporter xtr_exporter_sqlite = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.help = "not in this build",
	.by_path = true,
	.wants = wants,
	.open = open_none,
};
