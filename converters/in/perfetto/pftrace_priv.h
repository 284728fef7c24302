/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the reader of Perfetto's traces. Messages and numbers are those of google/perfetto,
 * protos/perfetto/trace/.
 *
 * The trace is read once, packet by packet (pftrace_packet.c). What a packet says of names, clocks
 * and descriptions goes into state; each event is held with its time as a record of its kind
 * (pft_hold). Then all records come back in order of time (pftrace_order.c), each to the function
 * of its kind, which gives it to the import. Packets of a trace are in no order of time.
 */
#ifndef XTR_PFTRACE_PRIV_H
#define XTR_PFTRACE_PRIV_H

#include "converters/in/core/import.h"
#include "pftrace_wire.h"

struct pftrace; /* the import as a whole */

/* What a sequence (trusted_packet_sequence_id) has said so far. */
struct pft_seq;

struct pft_packet {
	const uint8_t *p; /* of the TracePacket, whole */
	size_t n;
	uint64_t at;    /* offset in the input of this packet, or of the one it was compressed in */
	bool has_ts;    /* it has a timestamp that could be converted */
	uint64_t ts;    /* ns on the trace's clock */
	uint32_t clock; /* id of the clock of its timestamp */
	uint32_t seq_id;
	uint32_t flags; /* sequence_flags */
	struct pft_seq *seq;
};

/* Kinds of held records, each with the function that takes it in order of time. */
enum pft_kind {
	PFT_FTRACE, /* pftrace_ftrace.c */
	PFT_SCHED,  /* pftrace_sched.c: of compact sched */
	PFT_GPU,    /* pftrace_gpu*.c: made of packets that are not ftrace's */
	PFT_TASK,   /* pftrace_facts.c: what a thread is called, and whose it is */
	PFT_KINDS
};

/* Hold a record of n bytes, at most PFT_RECORD_MAX, until its turn; equal times: in this order. */
#define PFT_RECORD_MAX ((size_t)64 << 10)
int pft_hold(struct pftrace *p, enum pft_kind kind, uint64_t ts, const void *rec, size_t n);

/*
 * Text or message of an interned entry: `field` is InternedData's field number, `iid` the entry's.
 * *m is the whole entry (with iid in field 1). False: the sequence has not said it.
 */
bool pft_interned(const struct pft_seq *seq, uint32_t field, uint64_t iid, struct pft_msg *m);
/* The sequence's TracePacketDefaults, empty if there are none. */
struct pft_msg pft_defaults(const struct pft_seq *seq);

/* A time on a clock of this sequence, on the trace's clock. False: no snapshot relates them. */
bool pft_time(struct pftrace *p, const struct pft_seq *seq, uint32_t clock, uint64_t value,
	      uint64_t *ts);

/*
 * The trace's clock is to be this one (a BuiltinClock), if no record was held yet and snapshots
 * relate it to the one that it has.
 */
void pft_trace_clock(struct pftrace *p, uint32_t clock);

/* pftrace_gpu.c: packets that tell of a GPU. `f` is the field of the packet that says what it is.
 */
int pft_gpu_packet(struct pftrace *p, const struct pft_packet *packet, const struct pft_field *f);
/* A record of kind PFT_GPU, in order of time. */
int pft_gpu_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n);
/* All packets were read, and no record was taken yet: facts and notes may go to the import. */
int pft_gpu_tell(struct pftrace *p);
/* Its own state, made when first asked for (pft_gpu_new); freed with pft_gpu_free. */
struct pft_gpu;
struct pft_gpu *pft_gpu_new(void);
void pft_gpu_free(struct pft_gpu *g);

/* pftrace.c */
struct xtr_import *pft_import(struct pftrace *p);
struct pft_gpu *pft_gpu(struct pftrace *p); /* NULL: no memory */

#endif /* XTR_PFTRACE_PRIV_H */
