/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a section's events, in time order, to whoever asks. */
#ifndef XTR_PLAY_H
#define XTR_PLAY_H

#include "format/read/merge.h"

struct xtr_play {
	const struct xtr_reader *reader;
	const struct xtr_section *section;
	uint64_t from, to;     /* ns on the event clock, inclusive; to 0: no end */
	const uint32_t *types; /* NULL: all */
	size_t n_types;
	/* Not 0: stop, and this is what xtr_play returns. */
	int (*event)(void *ctx, const struct xtr_event *ev);
	/* If not NULL, instead of event: the next n events, at least one. */
	int (*batch)(void *ctx, const struct xtr_event *ev, size_t n);
	/*
	 * With batch, where a CPU is free and a thread reads ahead: keeps(true) comes before a
	 * batch, and from then on events stay valid until `keep` more batches are given, or until
	 * keeps(false), at the latest at the end. A thread may read them meanwhile. May be NULL.
	 */
	void (*keeps)(void *ctx, bool keeps);
	unsigned int keep; /* below XTR_MERGE_KEEP_MAX */
	/* A chunk is damaged and was skipped. May be NULL. */
	void (*damage)(void *ctx, const struct xtr_err *err);
	/* Called now and then. May be NULL. */
	void (*progress)(void *ctx, unsigned int permille);
	void *ctx;
};

/* 0; what event returned; or -errno with err filled. */
int xtr_play(const struct xtr_play *p, struct xtr_err *err);

/*
 * A time as a person gives it: on the event clock, or, if that is before the section's first event
 * (of a cut that has a beginning: before that), counted from there. In a section without times a
 * number of seconds is the number of an event.
 */
#define XTR_PLAY_NUMBER 1000000000ull /* ns that stand for 1 */
uint64_t xtr_play_time(const struct xtr_section *s, uint64_t ns);
/* The same for a window, which ends up within that of a cut: *to 0: no end. */
void xtr_play_window(const struct xtr_section *s, uint64_t *from, uint64_t *to);

/*
 * Jobs that end at `from` began earlier: how far back to start so that they are known, at most this
 * long (ns).
 */
#define XTR_PLAY_LEAD_IN 2000000000ull
uint64_t xtr_play_lead_in(uint64_t from);

#endif /* XTR_PLAY_H */
