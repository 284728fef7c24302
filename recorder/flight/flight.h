/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight recorder: what the writer writes goes to memory of a fixed size instead of a file, and
 * the oldest of it is given up and counted. A trigger has it written to a file of its own, a piece
 * of the recording (recorder/output/flight_file.h); then it begins anew, so that no event is in two
 * files. All but xtr_flight_ask, xtr_flight_ask_for, xtr_flight_told and xtr_flight_fired is the
 * writer thread's.
 */
#ifndef XTR_RECORDER_FLIGHT_H
#define XTR_RECORDER_FLIGHT_H

#include "chunk_ring.h"
#include "kept_file.h"
#include "recorder/drain/next_tables.h"
#include "recorder/recorder.h"
#include "trigger.h"

#include "format/io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define XTR_FLIGHT_OLD  16 /* tables of earlier times that are held */
#define XTR_FLIGHT_TOLD 16 /* files that nobody has asked about yet */

/* Tables as they were while chunks up to `end` (number in the ring) were made. */
struct xtr_flight_tables {
	struct xtr_tables *t;
	uint64_t end;
	size_t bytes;
	uint64_t log_end; /* their chunks are before this offset of the log (kept_file.h) */
};

struct xtr_flight {
	struct xtr_flight_opts opts;
	struct xtr_io io; /* of the writer: takes its chunks */
	struct xtr_chunk_ring ring;
	struct xtr_kept_file kept; /* the ring is in it; fd -1: it dies with the process */
	uint64_t *aged;            /* events given up since the last file, by CPU */
	uint32_t n_cpus;
	uint64_t from;     /* ns: what is older was given up, in part at least; 0: nothing was */
	uint64_t newest;   /* ns */
	uint64_t n_events; /* in the ring */
	uint64_t rounded;  /* n_events when the last round mark was kept */
	bool own; /* what is being written are the recorder's own events: nothing that happened */
	struct xtr_chunk clock; /* the newest CLOCK chunk that was given up; type 0: none */
	uint8_t *clock_data;
	struct xtr_flight_tables old[XTR_FLIGHT_OLD];
	size_t n_old;
	size_t base; /* bytes of the tables when they were last made smaller */
	size_t more; /* bytes that are held beside chunks: old tables, gaps */

	struct xtr_triggers triggers;
	atomic_uint_fast64_t asked;     /* ns: when a signal came; 0: none */
	atomic_uint_fast64_t asked_for; /* ns: when something else was told of; 0: none */
	_Atomic(const char *) asked_why;
	bool pending;
	struct xtr_fired why; /* trigger NULL: a signal */
	uint64_t due;         /* ns: up to here the file is to go */
	uint64_t last;        /* ns: when the last file was written; 0: none was */
	uint64_t suppressed;  /* triggers without a file, since the last one */
	uint64_t lost_seen;
	uint64_t *lost_of; /* by CPU, as batches told last */

	const char *end; /* the recording ends: why */
	int err;         /* of the last file */

	int told_fd;
	pthread_mutex_t lock;
	struct xtr_flown_file told[XTR_FLIGHT_TOLD];
	size_t n_told;
	struct xtr_fired fired[XTR_TRIGGERS_MAX]; /* the first that nobody has asked about yet */
	uint64_t times[XTR_TRIGGERS_MAX];
};

/* 0, or -errno. n_cpus: streams that there may be. */
int xtr_flight_open(struct xtr_flight **f, const struct xtr_flight_opts *opts, uint32_t n_cpus);
void xtr_flight_close(struct xtr_flight *f);
/*
 * Before anything is kept: keep it where it outlives the process (kept_file.h). piece: number of
 * the first that is gathered. 0 or -errno: it is kept in memory of the process.
 */
int xtr_flight_outlive(struct xtr_flight *f, uint32_t dir, uint64_t id, uint64_t piece);

/* Are the events of a kept chunk the recorder's own? */
bool xtr_flight_is_own(const struct xtr_chunk *c);

/* Ask for a file: of any thread. */
void xtr_flight_ask(struct xtr_flight *f);
/* The same for what happened now (xtr_recorder_trigger_for). */
void xtr_flight_ask_for(struct xtr_flight *f, const char *why);
/* Tell of a file, or take the oldest that was told of. */
void xtr_flight_tell(struct xtr_flight *f, const struct xtr_flown_file *file);
bool xtr_flight_told(struct xtr_flight *f, struct xtr_flown_file *file);
/* Take what is known of a trigger that has fired, if `tell` is set. */
bool xtr_flight_fired(struct xtr_flight *f, struct xtr_fired_trigger *fired);

/* lost: events of a CPU, since recording began. True if they are more than before. */
bool xtr_flight_lost(struct xtr_flight *f, uint32_t cpu, uint64_t lost);

/* A trigger has fired (xtr_fire_fn). */
void xtr_flight_fire(void *flight, const struct xtr_fired *fired);
/* No event older than watermark (ns) will come: is a file to be written now? */
bool xtr_flight_round(struct xtr_flight *f, uint64_t watermark, uint64_t now);
/* The same without a round mark: one that was asked for, or that has waited for one too long. */
bool xtr_flight_overdue(struct xtr_flight *f, uint64_t now);

/*
 * The tables have grown: if it is worth it, put smaller ones in their place, and hold the others
 * as long as chunks may name what only they have. gaps: bytes that the account of losses takes.
 * 0 or -ENOMEM: nothing has changed.
 */
int xtr_flight_tables(struct xtr_flight *f, struct xtr_next_tables *nt, struct xtr_defs *d,
		      uint64_t watermark, uint64_t now, size_t gaps);
/* The tables of all that is kept, as a copy. NULL: no memory. */
struct xtr_tables *xtr_flight_all_tables(const struct xtr_flight *f, const struct xtr_tables *now);
/* Where chunks of tables that are written from now on stand in the log. */
uint64_t xtr_flight_log_end(const struct xtr_flight *f);
/*
 * Nothing is kept any more, nothing was given up: a file has it, and the piece with this number is
 * gathered. log_from: where the chunks of its tables begin in the log.
 */
void xtr_flight_empty(struct xtr_flight *f, size_t table_bytes, uint64_t piece, uint64_t log_from);

#endif /* XTR_RECORDER_FLIGHT_H */
