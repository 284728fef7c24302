/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside a recorder: what it is made of, in the order in which one part needs another. Each is a
 * stage, which is begun and ended; a recorder goes up through them and down again, and can be
 * stopped wherever it is.
 *
 *     NONE  -- xtr_recorder_open -->  OPEN  -- xtr_recorder_start -->  RUNNING
 *       ^                              | ^                                |
 *       +------ xtr_recorder_close ----+ +------ xtr_recorder_stop -------+
 *
 * A stage that fails to begin is ended, and then those below it: open goes back to NONE, start to
 * OPEN. All that recording and finishing the file need is made below OPEN, so that a file can be
 * finished from there on, whether or not anything was recorded into it.
 */
#ifndef XTR_RECORDER_STAGES_H
#define XTR_RECORDER_STAGES_H

#include "recorder/drain/drain.h"
#include "recorder/attach/modwatch.h"
#include "recorder/salvage/pin.h"
#include "recorder.h"
#include "recorder/output/sink.h"
#include "recorder/host/spawn.h"

enum xtr_stage {
	XTR_STAGE_NONE,
	XTR_STAGE_PROGRAMS, /* chosen, loaded, attached; they record nothing yet */
	XTR_STAGE_ACCOUNT,  /* what the file will say; batches and counters, pinned if possible */
	XTR_STAGE_MEMORY,   /* of a flight recorder */
	XTR_STAGE_OUTPUT,   /* the file, or the first piece */
	XTR_STAGE_NAMES,    /* of functions and processes */
	XTR_STAGE_QUEUE,    /* from the thread that drains to the one that writes */
	XTR_STAGE_WRITER,
	XTR_STAGE_READER,  /* the drain */
	XTR_STAGE_OPEN,    /* modules are watched */
	XTR_STAGE_COMMAND, /* it waits */
	XTR_STAGE_WRITING, /* privileges are given up, the thread runs */
	XTR_STAGE_READING, /* the thread runs */
	XTR_STAGE_RUNNING, /* programs record, the command goes */
};

struct xtr_recorder {
	enum xtr_stage stage; /* the last that was begun, or failed to begin */
	bool opened;          /* OPEN was reached: the file stays */
	bool finished;        /* the file is; nothing is recorded any more */
	struct xtr_record_opts opts;
	struct xtr_selection sel;
	struct xtr_tring *ring; /* the kernel's trace ring; NULL: all events come by programs */
	struct xtr_bpf *bpf;
	char no_programs[400]; /* why there are none, if so: a note of sel */
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_rotate rotate;
	struct xtr_defs defs;
	struct xtr_siphash_key key;
	uint64_t file_id;
	struct xtr_pin pin;
	struct xtr_persistent keep;
	const char *not_pinned; /* why; NULL: pinned */
	struct xtr_queue queue;
	struct xtr_drain drain;
	struct xtr_sink sink; /* has the output and the losses from the beginning */
	struct xtr_child child;
	struct xtr_modwatch modules;
	uint32_t attached;
	struct xtr_own_cost began; /* at: 0 before */
};

/* A recorder of which nothing was begun. */
void xtr_stages_init(struct xtr_recorder *r, const struct xtr_record_opts *opts);
/* Begin all stages up to `to`. 0, or -errno and *err; the stage that failed is not ended yet. */
int xtr_stages_up(struct xtr_recorder *r, enum xtr_stage to, struct xtr_record_err *err);
/* End all stages above `to`, the last one first. */
void xtr_stages_down(struct xtr_recorder *r, enum xtr_stage to);

#endif /* XTR_RECORDER_STAGES_H */
