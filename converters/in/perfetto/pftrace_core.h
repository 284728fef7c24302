/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of the reader of Perfetto's traces, for its own files. What tells of GPUs
 * (pftrace_gpu*.c) has pftrace_priv.h only.
 *
 *   pftrace.c         the run as a whole
 *   pftrace_packet.c  packets, those in compressed ones too, and what each is
 *   pftrace_seq.c     sequences: interned data, defaults
 *   pftrace_clock.c   clocks and their snapshots
 *   pftrace_order.c   records in order of time, outside of memory where they are many
 *   pftrace_facts.c   threads and processes, the machine, notes
 *   pftrace_loss.c    what is missing
 *   pftrace_ftrace.c  bundles of ftrace's events
 *   pftrace_type.c    kinds of events: their fields, and how they become the import's
 *   pftrace_table*.c  the events that Perfetto's own protos describe
 *   pftrace_generic.c events that the trace describes
 *   pftrace_sched.c   compact sched
 */
#ifndef XTR_PFTRACE_CORE_H
#define XTR_PFTRACE_CORE_H

#include "pftrace_priv.h"
#include "converters/in/core/timed.h"

#include "base/map.h"

/* Limits, so that no file makes xtr use more memory than it has to. */
#define PFT_PACKET_MAX   ((size_t)32 << 20) /* bytes of a packet, packed or not */
#define PFT_HELD_BYTES   ((size_t)64 << 20) /* of records in memory */
#define PFT_KEPT_BYTES   ((size_t)32 << 20) /* interned data and defaults of all sequences */
#define PFT_SEQS_MAX     ((size_t)65536)
#define PFT_CLOCKS_MAX   256u
#define PFT_CLOCK_VALUES ((size_t)1 << 20) /* of all snapshots */
#define PFT_THREADS_MAX  ((size_t)1 << 19)
#define PFT_NAME_BYTES   ((size_t)16 << 20) /* of all threads */

/* ClockSnapshot.Clock.BuiltinClocks, common/builtin_clock.proto */
enum {
	PFT_CLOCK_REALTIME = 1,
	PFT_CLOCK_MONO = 3,
	PFT_CLOCK_MONO_RAW = 5,
	PFT_CLOCK_BOOT = 6,
	PFT_CLOCK_SEQ_FIRST = 64, /* to 127: a sequence's own */
};

/* sequence_flags */
#define PFT_SEQ_CLEARED 1u
#define PFT_SEQ_NEEDS   2u

/* --- order ------------------------------------------------------------------------------------ */

struct pft_run {
	uint64_t at, end; /* in the temporary file */
};

struct pft_order {
	uint8_t *mem;
	size_t used, cap; /* bytes */
	struct xtr_timed_list list;
	struct xtr_io *file; /* NULL: all is in memory */
	uint64_t size;       /* of the file */
	struct pft_run *runs;
	size_t n_runs, cap_runs;
	struct pft_writer *to; /* while runs are joined: where they go */
	uint64_t held;         /* records, in all */
};

/* Take one record; its bytes are gone afterwards. */
typedef int pft_take(struct pftrace *p, enum pft_kind kind, uint64_t ts, const uint8_t *rec,
		     size_t n);
/* Give all records to take, in order of time. The order is empty afterwards. */
int pft_order_all(struct pftrace *p, pft_take *take);
void pft_order_free(struct pft_order *o);

/* --- sequences -------------------------------------------------------------------------------- */

struct pft_seq {
	uint32_t id;
	bool valid;        /* its incremental state is whole */
	bool seen;         /* it had a packet */
	bool events;       /* it had events */
	uint64_t last_ts;  /* of its last packet with a time, 0: none */
	uint32_t clock;    /* of TracePacketDefaults; 0: none */
	uint8_t *defaults; /* TracePacketDefaults */
	size_t n_defaults;
	struct xtr_map interned; /* (field, iid) -> address of a pft_blob */
};

/* The sequence of this id, made if it is new. NULL: no memory, or too many (p->err says which). */
struct pft_seq *pft_seq_of(struct pftrace *p, uint32_t id);
/* What the packet says of its sequence: flags, defaults, interned data. */
int pft_seq_take(struct pftrace *p, struct pft_packet *packet);
void pft_seqs_free(struct pftrace *p);

/* --- clocks ----------------------------------------------------------------------------------- */

struct pft_clock {
	uint64_t key;  /* id, and the sequence for its own ones */
	uint64_t unit; /* ns */
	bool incremental, backwards;
	int64_t last; /* ns, of an incremental one */
	/* The last conversion to the trace's clock: for times from `min` up to `max`. */
	bool cached;
	int64_t min, max, shift;
	uint64_t failed; /* times that could not be converted */
};

/* Snapshots of one set of clocks. */
struct pft_snapshots {
	uint32_t n_clocks;
	uint8_t clocks[32]; /* indices of pft_clock, as they stood */
	int64_t *v;         /* rows of n_clocks times, ns */
	size_t rows, cap;   /* cap: values */
};

struct pft_clocks {
	struct pft_clock clock[PFT_CLOCKS_MAX];
	uint32_t n;
	struct pft_snapshots *sets;
	size_t n_sets, cap_sets, n_values;
	uint32_t trace;        /* id of the clock of the trace */
	bool settled;          /* records were held: it stays */
	bool chosen;           /* by pft_trace_clock */
	int64_t wall_at, wall; /* the first pair with the wall clock; 0: none */
};

struct pft_clock_value {
	uint32_t id;
	uint64_t value, unit;
	bool incremental;
};

/* A ClockSnapshot. */
int pft_clock_snapshot(struct pftrace *p, const struct pft_seq *seq, struct pft_msg m);
/* Clocks that were read at the same time. */
int pft_clock_add(struct pftrace *p, const struct pft_seq *seq, const struct pft_clock_value *v,
		  size_t n);
/* The clock, the wall clock, and what could not be converted, to the import. */
int pft_clock_tell(struct pftrace *p);
void pft_clocks_free(struct pft_clocks *c);

/* --- facts ------------------------------------------------------------------------------------ */

struct pft_thread {
	uint32_t tid, pid;  /* pid 0: not known */
	uint32_t name, len; /* in names; len 0: not known */
};

/* Texts that are kept. */
enum {
	PFT_RELEASE,
	PFT_VERSION,
	PFT_MACHINE,
	PFT_SERVICE,
	PFT_BUILD,
	PFT_UUID,
	PFT_TEXTS
};

struct pft_facts {
	struct xtr_map by_tid; /* -> index in threads */
	struct pft_thread *threads;
	size_t n, cap;
	char *names;
	size_t n_names, cap_names; /* bytes */
	char *text[PFT_TEXTS];
	uint64_t cpus, page_size;
	int64_t timezone; /* minutes east of UTC */
	bool has_timezone;
	uint64_t left_out[256];  /* packets of which nothing becomes anything, by their field */
	uint64_t other_machines; /* packets */
};

int pft_take_process_tree(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m);
/* A TrackDescriptor. */
int pft_take_track(struct pftrace *p, struct pft_msg m);
/* A packet that nothing in these files reads. */
void pft_count_packet(struct pftrace *p, uint32_t field);
int pft_take_system(struct pftrace *p, struct pft_msg m);
int pft_take_uuid(struct pftrace *p, struct pft_msg m);
/* What is known of the machine and of threads from the begin, to the import. */
int pft_facts_tell(struct pftrace *p);
/* A record of kind PFT_TASK. */
int pft_task_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n);
int pft_note_number(struct pftrace *p, const char *key, uint64_t n);
void pft_facts_free(struct pft_facts *f);

/* --- losses ----------------------------------------------------------------------------------- */

struct pft_gap {
	uint32_t cpu; /* XTR_IMPORT_CPUS: not known */
	uint64_t first, last;
	uint64_t times; /* it stands for so many */
};

struct pft_cpu_stats {
	uint64_t start, end; /* events that the kernel had lost */
	bool has_start, has_end;
};

struct pft_losses {
	struct pft_gap *gaps;
	size_t n, cap;
	struct pft_cpu_stats *cpus;        /* XTR_IMPORT_CPUS of them, or NULL */
	uint64_t overwritten, lost_chunks; /* as TraceStats says at the end */
	uint64_t parse_errors;
};

/* Events are missing, nobody knows how many. */
int pft_gap(struct pftrace *p, uint32_t cpu, uint64_t first, uint64_t last);
/* The same for what could not be read here. */
int pft_lost_here(struct pftrace *p);
/* The sequence says that packets before this one are lost. */
int pft_dropped(struct pftrace *p, const struct pft_seq *seq);
int pft_take_ftrace_stats(struct pftrace *p, struct pft_msg m);
int pft_take_trace_stats(struct pftrace *p, struct pft_msg m);
int pft_losses_tell(struct pftrace *p);
void pft_losses_free(struct pft_losses *l);

/* --- the import as a whole -------------------------------------------------------------------- */

struct pft_ftrace; /* pftrace_ftrace.c */

struct pftrace {
	struct xtr_import *im;
	struct xtr_io *io;
	uint64_t size;     /* bytes of the file */
	uint64_t inflated; /* bytes that came out of compressed packets */
	uint64_t packets;
	uint64_t first_ts, last_ts; /* of records; first_ts UINT64_MAX: none */
	struct xtr_map seqs;        /* id -> address of pft_seq */
	size_t kept;                /* bytes, PFT_KEPT_BYTES */
	uint64_t incomplete;        /* packets whose sequence lacks what they refer to */
	struct pft_clocks clocks;
	struct pft_order order;
	struct pft_facts facts;
	struct pft_gpu *gpu;
	struct pft_ftrace *ftrace;
	struct pft_losses losses;
};

/* pftrace_packet.c */
int pft_read_packets(struct pftrace *p);

/* --- ftrace ----------------------------------------------------------------------------------- */

#define PFT_FIELDS   64u /* of one kind of event */
#define PFT_VARIANTS 16u /* sets of fields that events of one kind have */

/* A kind of event that Perfetto's protos describe: fields in the order of their numbers, "-" none,
 * each with a letter before it: d signed, u unsigned, x hexadecimal, p an address, s a text, l the
 * same with a newline at its end, which is not of it. */
struct pft_row {
	uint16_t number;  /* of the field of FtraceEvent */
	const char *name; /* "system:event" */
	const char *fields;
};

/* NULL: not in the tables. */
const struct pft_row *pft_row(uint32_t number);
const struct pft_row *pft_row_of_gpu(uint32_t number); /* what pftrace_table_gpu.c has */

struct pft_event_field {
	char *name;
	uint32_t number;
	char kind; /* as above, but l: s */
	bool line;
};

struct pft_variant {
	uint64_t mask; /* fields that are there */
	struct xtr_tp_format *format;
	struct xtr_import_type *type;
};

struct pft_type {
	char *system, *event;
	struct pft_event_field *fields;
	uint32_t n_fields;
	bool described; /* its fields are known, others are not looked at */
	struct pft_variant variants[PFT_VARIANTS];
	uint32_t n_variants;
};

/* The values of an event by field; have: which are there. */
struct pft_values {
	uint64_t have;
	uint64_t num[PFT_FIELDS];
	const uint8_t *p[PFT_FIELDS];
	size_t n[PFT_FIELDS];
};

/* pftrace_type.c. All but the first: NULL or false where there is no memory. */
struct pft_type *pft_type_new(const char *system, size_t system_len, const char *event,
			      size_t event_len);
bool pft_type_add(struct pft_type *t, const char *name, size_t len, uint32_t number, char kind);
bool pft_type_fill(struct pft_type *t, const struct pft_row *row);
void pft_type_free(struct pft_type *t);
/* Index of the field; PFT_FIELDS: there is none. *hint: where to begin, and one behind it then. */
uint32_t pft_type_field(const struct pft_type *t, uint32_t number, uint32_t *hint);
/* The values in a message of this kind; of one that nobody describes fields are added. */
int pft_type_read(struct pft_type *t, struct pft_msg m, struct pft_values *v);
/* The event goes to the import. */
int pft_type_give(struct pftrace *p, struct pft_type *t, const struct xtr_import_at *at,
		  const struct pft_values *v);

struct pft_cpu {
	uint64_t last_ts; /* of its last event, 0: none */
	/* The thread that runs, by compact sched, when records come in order. */
	bool known;
	uint32_t tid;
	int32_t prio;
	uint32_t len;
	char comm[64];
};

/* Names in the table of a bundle with compact sched. */
#define PFT_BUNDLE_NAMES 4096u

struct pft_names {
	struct pft_field name[PFT_BUNDLE_NAMES];
	uint32_t n;
};

struct pft_ftrace {
	struct pft_type **types;
	size_t n, cap;
	uint32_t direct[1024];               /* by number, where it is small: index in types + 1 */
	struct xtr_map by_number;            /* field of FtraceEvent -> index in types */
	struct xtr_map by_name;              /* (hash of system and name, k) -> index in types */
	struct pft_cpu *cpus;                /* XTR_IMPORT_CPUS of them */
	uint32_t sched_switch, sched_waking; /* index + 1; 0: not made yet */
	struct pft_names names;
	size_t format_bytes; /* of all types, about */
	uint64_t bad_cpu;    /* bundles */
	uint64_t left_out;   /* events of too many kinds */
};

/* What was said of an event before its time, in front of its message. */
#define PFT_FTRACE_HEAD 12u /* bytes: type, CPU, thread */

/* pftrace_ftrace.c: a bundle; records of it in order of time. */
int pft_take_bundle(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m);
int pft_ftrace_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n);
int pft_ftrace_tell(struct pftrace *p);
void pft_ftrace_free(struct pft_ftrace *f);
/* A time of ftrace's clock in this bundle. False: counted as failed. */
bool pft_ftrace_time(struct pftrace *p, const struct pft_seq *seq, uint32_t clock, uint64_t raw,
		     uint64_t *ts);
/* The type of this name, made if it is new. */
int pft_type_named(struct pftrace *p, const char *system, size_t system_len, const char *event,
		   size_t event_len, uint32_t *index);
/* A type of the caller's becomes one of all. *index UINT32_MAX: there are too many. */
int pft_type_add_to(struct pftrace *p, struct pft_type *t, uint32_t *index);
int pft_type_numbered(struct pftrace *p, uint32_t number, uint32_t *index);

/* pftrace_generic.c: a description of events; GenericFtraceEvent and KprobeEvent by their names. */
int pft_take_description(struct pftrace *p, struct pft_msg m);
#define PFT_GENERIC 327u
#define PFT_KPROBE  542u
int pft_give_generic(struct pftrace *p, const struct xtr_import_at *at, struct pft_msg m);
int pft_give_kprobe(struct pftrace *p, const struct xtr_import_at *at, struct pft_msg m);

/* pftrace_sched.c: CompactSched of a bundle, whose clock is `clock`; *last: time of its last event.
 */
struct pft_bundle {
	uint32_t cpu, clock;
	struct pft_seq *seq;
	uint64_t first, last; /* times of its events, UINT64_MAX and 0: none */
};
int pft_take_compact(struct pftrace *p, struct pft_bundle *b, struct pft_msg m);
/* Nothing is known of who runs on this CPU behind its events of ts. */
int pft_sched_forget(struct pftrace *p, uint32_t cpu, uint64_t ts);
int pft_sched_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n);

#endif /* XTR_PFTRACE_CORE_H */
