/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames of a section, for exports and the page. */
#ifndef XTR_CLI_EXPORT_FRAMES_H
#define XTR_CLI_EXPORT_FRAMES_H

#include "analysis/frames/frames.h"
#include "converters/out/core/export.h"
#include "replay_cmd.h"

struct export_frames { /* all zero but for cmd: none */
	struct replay_cmd *cmd;
	struct xtr_export_frames out; /* of the section asked for last */
	size_t cap;
	/* Of the present section: */
	struct xtr_model *verdict, *model;
	struct xtr_frames *frames;
};

/* As xtr_export_opts.frames; ctx: a struct export_frames. 0 or -errno. */
int export_frames(void *ctx, const struct xtr_section *s, const struct xtr_export_frames **out);
void export_frames_free(struct export_frames *e);

#endif /* XTR_CLI_EXPORT_FRAMES_H */
