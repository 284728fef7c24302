/* SPDX-License-Identifier: BSD-2-Clause */
/* `make RECORDER=0`: recover and ship read files, not what a recorder left in the kernel. */
#include "cli/ui/cli.h"
#include "recover_killed.h"
#include "ship_killed.h"

#include <errno.h>

static int not_built(void)
{
	cli_error("--killed: this xtr was built without the recorder");
	cli_hint("build it with 'make RECORDER=1'; 'xtr recover FILE' works without");
	return XTR_EXIT_PRIVILEGE;
}

int killed_list(void)
{
	return not_built();
}

int killed_drop(const char *id)
{
	(void)id;
	return not_built();
}

int killed_open_flight(struct killed **r, const char *path, struct xtr_reader **image)
{
	(void)path;
	*r = NULL;
	*image = NULL;
	return not_built();
}

int killed_open(struct killed **r, const char *path, const struct xtr_reader *trace)
{
	(void)path;
	(void)trace;
	*r = NULL;
	return not_built();
}

bool killed_is_of(const struct killed *r, const struct xtr_section *s)
{
	(void)r;
	(void)s;
	return false;
}

int killed_append(struct killed *r, struct xtr_recover_more *m)
{
	(void)r;
	(void)m;
	return -ENOSYS;
}

void killed_done(struct killed *r, const char *output)
{
	(void)r;
	(void)output;
}

void killed_close(struct killed *r)
{
	(void)r;
}

int ship_recorders(int dir, struct ship_recorders *all)
{
	(void)dir;
	*all = (struct ship_recorders){ 0 };
	return 0;
}

void ship_recorders_free(struct ship_recorders *all)
{
	(void)all;
}
