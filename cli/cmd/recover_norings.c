/* SPDX-License-Identifier: BSD-2-Clause */
/* `make RECORDER=0`: recover reads files, not what a recorder left in the kernel. */
#include "cli/ui/cli.h"
#include "recover_rings.h"

#include <errno.h>

static int not_built(void)
{
	cli_error("--rings: this xtr was built without the recorder");
	cli_hint("build it with 'make RECORDER=1'; 'xtr recover FILE' works without");
	return XTR_EXIT_PRIVILEGE;
}

int rings_list(void)
{
	return not_built();
}

int rings_drop(const char *id)
{
	(void)id;
	return not_built();
}

int rings_open(struct rings **r, const char *path, const struct xtr_reader *trace)
{
	(void)path;
	(void)trace;
	*r = NULL;
	return not_built();
}

bool rings_are_of(const struct rings *r, const struct xtr_section *s)
{
	(void)r;
	(void)s;
	return false;
}

int rings_append(struct rings *r, const struct xtr_section *s, struct xtr_writer *w,
		 struct xtr_tables *tables, struct xtr_loss *loss)
{
	(void)r;
	(void)s;
	(void)w;
	(void)tables;
	(void)loss;
	return -ENOSYS;
}

void rings_done(struct rings *r, const char *output)
{
	(void)r;
	(void)output;
}

void rings_close(struct rings *r)
{
	(void)r;
}
