/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace into a tree of stacks. */
#ifndef XTR_CLI_FLAME_PLAY_H
#define XTR_CLI_FLAME_PLAY_H

#include "analysis/flame/flame.h"
#include "analysis/flame/flame_feed.h"
#include "converters/in/text/samples.h"
#include "replay_cmd.h"

/* Of --weight idle: all devices together, ns. */
struct flame_idle {
	bool any; /* some event tells what a CPU did */
	uint64_t idle_ns, explained_ns, lost_ns;
};

/* All sections; what the command selects. idle gets what there is of it. 0 or -errno. */
int flame_play(struct replay_cmd *c, struct xtr_flame_feed *feed, enum xtr_flame_weight weight,
	       struct flame_idle *idle);

/* --- flame samples ---------------------------------------------------------------------------- */

/* Another tool's samples as a tree of stacks. */
/* Into flame, as far as it can be read: 0 or -errno. */
int flame_samples_into(struct xtr_io *io, struct xtr_flame *flame, struct xtr_samples_result *r);
/* Into flame, which is not finished. Returns the exit status; what is wrong is said. */
int flame_samples(const char *path, struct xtr_flame *flame, struct xtr_samples_result *r);

#endif /* XTR_CLI_FLAME_PLAY_H */
