/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace into a tree of stacks. */
#ifndef XTR_CLI_FLAME_PLAY_H
#define XTR_CLI_FLAME_PLAY_H

#include "replay_cmd.h"
#include "analysis/flame/flame_feed.h"

/* All sections; what the command selects. 0 or -errno. */
int flame_play(struct replay_cmd *c, struct xtr_flame_feed *feed, enum xtr_flame_weight weight);

#endif /* XTR_CLI_FLAME_PLAY_H */
