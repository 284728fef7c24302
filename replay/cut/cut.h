/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts a part out of a section into a section of its own, such that its jobs come out with the same
 * figures as in the whole: by time, device, ring and process.
 *
 * Jobs belong to the window in which they end (xtr_select_job). Kept are all events of the window
 * that the selection is about, and from before it, as far back as xtr_play_lead_in, the scheduler's
 * events and signals of the jobs that still have events in it, and of those jobs that the figures
 * rest on: the one that ended before it on its ring and device, those that it overtook or that
 * overtook it, its batch, its dependencies. The same goes for jobs of rings and processes that are
 * not selected. META says what the cut is about (cut_note.h), so that these jobs are not shown, and
 * what the whole said of its rings.
 *
 * All events of job sources (job_source.h) are kept, from as far back: which job one is of rests on
 * those before it.
 *
 * Selection by device, ring and process is about jobs: scheduler events, and fences of scheduler
 * jobs, are kept with their job. With processes, any other event is kept if its thread belongs to
 * one of them (fence waits too, whoever's job it is); without, because it belongs to no ring.
 *
 * EVENTS chunks of which all events are kept are copied as they are stored, others are encoded
 * anew. What is left out counts as filtered, what could not be read as lost (cause damaged), and
 * what was lost while recording stays lost: all totals, but only the gaps that touch the window and
 * its lead-in.
 */
#ifndef XTR_CUT_H
#define XTR_CUT_H

#include "format/read/reader.h"
#include "replay/play/select.h"

struct xtr_cut_opts {
	size_t sz;                /* sizeof(struct xtr_cut_opts) */
	struct xtr_select select; /* times on the event clock */
	uint64_t file_id;         /* of the new section; 0: random */
	const char *options;      /* for people who look at META, or NULL */
	/* A chunk cannot be read and is left out. May be NULL. */
	void (*damage)(void *ctx, const struct xtr_err *err);
	/* Called now and then, 0 to 1000. May be NULL. */
	void (*progress)(void *ctx, unsigned int permille);
	void *ctx;
};

struct xtr_cut_result {
	uint64_t events, kept, filtered; /* of the section; of the new one; left out by this cut */
	uint64_t damaged;                /* recorded, but not to be read */
	uint64_t copied, encoded;        /* EVENTS chunks: as they were stored; anew */
	uint64_t bytes;                  /* of the new section */
};

/*
 * Append a section to io with what of s is selected. 0 with *res set; -errno: what was appended is
 * no whole section. Memory is bounded, whatever the length of the section.
 */
int xtr_cut(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io,
	    const struct xtr_cut_opts *opts, struct xtr_cut_result *res);

#endif /* XTR_CUT_H */
