/* SPDX-License-Identifier: BSD-2-Clause */
/* The critical paths of a section's longest jobs, or of one job, for exports and the page. */
#ifndef XTR_CLI_EXPORT_PATH_H
#define XTR_CLI_EXPORT_PATH_H

#include "converters/out/core/export.h"
#include "why_pass.h"

struct export_path {
	struct replay_cmd *cmd;
	bool named;
	struct xtr_job_name name; /* named: of this job alone */
	uint32_t most;            /* of so many jobs, at least 1: those that took longest */
	size_t most_sections;     /* of the first ones only; 0: of all */
	size_t sections;          /* that were asked for so far */
	bool found;               /* out: there was one, of all sections */
	struct why_pass pass;
	struct xtr_export_paths paths; /* of the section asked for last */
	struct xtr_path path;          /* of the present job */
};

/* As xtr_export_opts.paths; ctx: a struct export_path. 0 or -errno. */
int export_path(void *ctx, const struct xtr_section *s, const struct xtr_export_paths **out);
void export_path_free(struct export_path *e);
/* "hog 168", as it is in the trace; "": not known. NULL: no memory. */
char *export_who(const struct xtr_who *names, uint64_t who);

#endif /* XTR_CLI_EXPORT_PATH_H */
