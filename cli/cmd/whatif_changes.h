/* SPDX-License-Identifier: BSD-2-Clause */
/* The changes that xtr whatif is asked for. */
#ifndef XTR_CLI_WHATIF_CHANGES_H
#define XTR_CLI_WHATIF_CHANGES_H

#include "cli/ui/cli.h"
#include "analysis/whatif/whatif.h"
#include "format/meta/tables.h"

enum change_kind {
	CHANGE_SCALE,
	CHANGE_DEPTH,
	CHANGE_WITHOUT,
	CHANGE_PRIO,
	CHANGE_KINDS
};

struct change {
	char *pattern;  /* of rings ("gfx*", "card0/gfx*"), or of a process' name */
	uint32_t value; /* millionths, a depth, or a level of replay/event/priority.h */
	uint64_t pid;   /* 0: by its name */
	bool matched;
};

struct changes { /* all zero: none */
	struct change *v[CHANGE_KINDS];
	size_t n[CHANGE_KINDS];
};

/* XTR_EXIT_OK, or the exit status: then it was told. Free it in any case. */
int changes_parse(struct changes *c, enum change_kind kind, const struct cli_list *from);
void changes_free(struct changes *c);
bool changes_any(const struct changes *c);
/* Was it submitted by a process that is to be left out? */
bool changes_remove(struct changes *c, const struct xtr_tables *t, const struct xtr_job *j);
/* The priority that the job's process is to have, of several the last one; -1: none. */
int changes_level(struct changes *c, const struct xtr_tables *t, const struct xtr_job *j);
/* Scale and depth of the rings that they name; of several for one ring the last. */
void changes_apply(struct changes *c, struct xtr_whatif *w);
/* Each has changed something? Else says which has not, and returns the exit status. */
int changes_check(const struct changes *c);

#endif /* XTR_CLI_WHATIF_CHANGES_H */
