/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of xtr_player share. */
#ifndef XTR_PLAYER_INTERNAL_H
#define XTR_PLAYER_INTERNAL_H

#include "player.h"

/* player_log.c: the truth. A record is complete when end_ns is set. */
struct xp_record {
	u64 begin_ns; /* CLOCK_MONOTONIC, just before the event */
	u64 end_ns;   /* just after */
	pid_t pid, tid;
	unsigned int cpu;
	bool hardirq;
	char comm[16];
	const char *text; /* "SYSTEM:EVENT field=value..." */
};

int xp_log_init(void);
void xp_log_fini(void);
void xp_log_reset(void);
/* A record of the current task that will have `text`; NULL when the log is full. Any context. */
struct xp_record *xp_log_begin(const char *text);

/* player_main.c: the next word of *at, its "quotes" and \\ taken off, cut out in place; NULL at the
 * end. */
char *xp_word(char **at);

extern struct dentry *xp_debugfs; /* the player's folder, from xp_log_init on */

/* player_drm.c: registers system drm, whose events are those of the kernel's own module. */
int xp_drm_init(void);
void xp_drm_fini(void);

/* player_fence.c: named fences, whose events are the kernel's own and logged by probes. */
int xp_fence_init(void);
void xp_fence_fini(void);
void xp_fence_reset(void);
/* "NAME DRIVER TIMELINE [CONTEXT SEQNO]". The numbers are fixed now; dma_fence_init comes with the
 * event. */
int xp_fence_declare(char *text);
/* Context and seqno of a declared fence. */
int xp_fence_numbers(const char *name, u64 *context, u64 *seqno);
/*
 * Plays dma_fence:EVENT on a declared fence: dma_fence_init, dma_fence_signaled, dma_fence_destroy,
 * or dma_fence_wait_start, which waits for at most timeout_us and ends with dma_fence_wait_end. An
 * error (not 0: a negative errno) is that of a fence to be signalled.
 */
int xp_fence_play(const char *event, const char *name, u64 timeout_us, int error);

#endif
