/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the reader of perf.data. The layout is that of linux, tools/perf/Documentation/
 * perf.data-file-format.txt and include/uapi/linux/perf_event.h.
 *
 *   perfdata.c         the header of a file or a pipe, the run
 *   perfdata_read.c    records one after the other, compressed ones too
 *   perfdata_attr.c    what was sampled, and where a record has its time and its id
 *   perfdata_attr.c    records that perf itself writes: attributes, features, losses of data
 *   perfdata_facts.c   features: the machine, names of events
 *   perfdata_order.c   records of all CPUs in order of time
 *   perfdata_event.c   records of the kernel: samples, tasks, losses
 *   perfdata_map.c     what lies where in which process
 *   perfdata_stack.c   call chains become stacks
 */
#ifndef XTR_PERFDATA_PRIV_H
#define XTR_PERFDATA_PRIV_H

#include "converters/in/core/import.h"
#include "converters/in/core/timed.h"
#include "converters/in/tracedat/tracedat_priv.h"

#include "base/map.h"

#include <endian.h>
#include <string.h>

/* Limits, so that no file makes xtr use more memory than it has to. */
#define PERF_ATTRS_MAX   16384u
#define PERF_IDS_MAX     ((size_t)1 << 20)
#define PERF_HELD_BYTES  ((size_t)64 << 20) /* of records that wait for their turn */
#define PERF_RECORD_MAX  65536u             /* bytes */
#define PERF_TYPES       96u                /* types of records that are counted one by one */
#define PERF_HEADER_SIZE 8u                 /* of a record: type u32, misc u16, size u16 */

/* sample_type, perf_event.h. */
enum {
	PERF_IP = 1 << 0,
	PERF_TID = 1 << 1,
	PERF_TIME = 1 << 2,
	PERF_ADDR = 1 << 3,
	PERF_READ = 1 << 4,
	PERF_CALLCHAIN = 1 << 5,
	PERF_ID = 1 << 6,
	PERF_CPU = 1 << 7,
	PERF_PERIOD = 1 << 8,
	PERF_STREAM_ID = 1 << 9,
	PERF_RAW = 1 << 10,
	PERF_IDENTIFIER = 1 << 16,
};

/* Types of records: the kernel's, then those that perf itself writes. */
enum {
	PERF_R_MMAP = 1,
	PERF_R_LOST = 2,
	PERF_R_COMM = 3,
	PERF_R_EXIT = 4,
	PERF_R_THROTTLE = 5,
	PERF_R_UNTHROTTLE = 6,
	PERF_R_FORK = 7,
	PERF_R_SAMPLE = 9,
	PERF_R_MMAP2 = 10,
	PERF_R_AUX = 11,
	PERF_R_LOST_SAMPLES = 13,
	PERF_R_KSYMBOL = 17,
	PERF_R_KERNEL_LAST = 63,
	PERF_R_ATTR = 64,
	PERF_R_TRACING_DATA = 66,
	PERF_R_BUILD_ID = 67,
	PERF_R_ROUND = 68,
	PERF_R_ID_INDEX = 69,
	PERF_R_AUXTRACE = 71,
	PERF_R_EVENT_UPDATE = 78,
	PERF_R_FEATURE = 80,
	PERF_R_COMPRESSED = 81,
	PERF_R_COMPRESSED2 = 83,
};

/* perf_event_attr.type */
enum {
	PERF_T_HARDWARE = 0,
	PERF_T_SOFTWARE = 1,
	PERF_T_TRACEPOINT = 2,
	PERF_T_HW_CACHE = 3,
	PERF_T_RAW = 4,
	PERF_T_BREAKPOINT = 5,
};

#define PERF_MISC_CPUMODE 7u
#define PERF_MODE_KERNEL  1u
#define PERF_MODE_USER    2u
#define PERF_MISC_CHOSEN  (1u << 15) /* of LOST_SAMPLES: by a filter of perf's */
#define PERF_KERNEL_PID   UINT32_MAX /* of a mapping: it is the kernel's */
#define PERF_CPU_UNKNOWN  XTR_IMPORT_CPUS
#define PERF_NOWHERE      UINT16_MAX

/* What was asked of the kernel: one event, with the layout of its samples. */
struct perf_attr {
	uint32_t type;
	uint64_t config, sample_type, read_format;
	bool id_all; /* other records have a trailer like samples */
	bool named;  /* name is perf's own, not made of type and config */
	bool use_clockid;
	int32_t clockid;
	uint16_t time_at;  /* of a sample, bytes from the record's start; PERF_NOWHERE: none */
	uint16_t time_end; /* of another record, bytes from its end; PERF_NOWHERE: none */
	char name[128];    /* "sched:sched_switch", "cycles:u" */
	struct dat_event_type *tp; /* NULL: no tracepoint, or not asked for yet */
};

/* A record waiting for its turn. */
struct perf_block {
	uint8_t *p;
	uint32_t used; /* bytes */
	uint32_t live; /* records that wait */
};

struct perf_order {
	struct xtr_timed_list list; /* of records, each in a block, whose number stands before it */
	size_t sorted;              /* so many at the front are in order */
	struct perf_block *blocks;
	size_t n_blocks, cap_blocks;
	size_t current;            /* block that is filled */
	size_t held;               /* bytes of blocks */
	uint64_t max_ts, round_ts; /* of what was added; at the end of the round before */
	uint64_t handed;           /* of what was handed over last */
	uint64_t late;             /* handed over after later ones */
};

/* A part of a process's memory. */
struct perf_map {
	uint64_t start, end, pgoff; /* addresses; of start in the file */
	uint32_t file;              /* index in maps.files */
	bool symbol;                /* the file's name is a function's */
};

struct perf_proc {
	struct perf_map *maps; /* by address, without overlaps */
	uint32_t n, cap;
	uint32_t age; /* changes with the maps */
	bool gone;    /* its first thread is over */
};

#define PERF_GONE                                                                      \
	256u /* processes whose maps are kept for threads that end after the first one \
	      */

struct perf_maps {
	struct xtr_map by_pid; /* -> index in procs */
	struct perf_proc *procs;
	size_t n_procs, cap_procs;
	struct xtr_map file_ids; /* (hash of a name, k) -> index in files */
	char **files;
	size_t n_files, cap_files;
	size_t n_maps; /* of all */
	uint32_t age;
	uint32_t gone[PERF_GONE], n_gone; /* a ring of process numbers; how many there were */
	struct xtr_map chains;            /* (hash of addresses, process) -> stack id */
};

struct perf_zstd;

struct perfdata {
	struct xtr_import *im;
	struct xtr_io *io;
	uint64_t size; /* bytes of the file */
	bool big;      /* endian */
	bool pipe;
	bool told; /* facts went to the importer: an event was there */

	struct perf_attr *attrs;
	size_t n_attrs, cap_attrs;
	struct xtr_map ids;     /* id -> attr */
	struct xtr_map id_cpus; /* id -> CPU, where perf tells it */
	bool by_identifier;     /* records begin or end with their id */
	uint16_t id_at, id_end; /* where else it is; PERF_NOWHERE: no record has one */
	bool any_time, any_stack;

	struct dat *dat; /* formats of tracepoints; NULL: none */
	struct perf_order order;
	struct perf_maps maps;
	struct perf_zstd *zstd;
	uint64_t seen; /* events so far: their times where there are none */

	struct xtr_system sys; /* texts are own copies */
	char *texts[4];
	uint64_t wall_ns,
		wall_clock_ns; /* the wall clock, and the trace's at that time; 0: not known */

	uint64_t last_ts[XTR_IMPORT_CPUS + 1]; /* of the last record of each CPU; 0: none */
	uint64_t throttled[XTR_IMPORT_CPUS];   /* since when; 0: it is not */
	uint64_t first_ts, max_ts;             /* of samples */
	uint64_t lost, lost_samples; /* as records of the kernel, and of perf at the end, say */
	uint64_t no_cpu;             /* events without one */
	uint64_t aux_bytes, unknown_ids;
	uint64_t left_out[PERF_TYPES]; /* records by type */
	bool cut;                      /* records are missing at the end */
};

/* --- numbers, in the byte order of the file -----------------------------------------------------
 */

static inline uint16_t perf_u16(const struct perfdata *d, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return d->big ? be16toh(v) : le16toh(v);
}

static inline uint32_t perf_u32(const struct perfdata *d, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return d->big ? be32toh(v) : le32toh(v);
}

static inline uint64_t perf_u64(const struct perfdata *d, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return d->big ? be64toh(v) : le64toh(v);
}

/* A whole record, header included. */
struct perf_record {
	const uint8_t *p;
	uint32_t n; /* bytes, at least PERF_HEADER_SIZE */
	uint32_t type;
	uint16_t misc;
};

static inline struct perf_record perf_record_of(const struct perfdata *d, const uint8_t *p)
{
	return (struct perf_record){ p, perf_u16(d, p + 6), perf_u32(d, p), perf_u16(d, p + 4) };
}

/* All that return int return 0 or -errno, which ends the import. */

/* perfdata_read.c */
/* All records of a part of the file. */
int perf_read_records(struct perfdata *d, uint64_t at, uint64_t end);
void perf_zstd_free(struct perf_zstd *z);

/* perfdata_attr.c */
/* An attr of n bytes at most (its own size says how many it has). *index: which it is. */
int perf_add_attr(struct perfdata *d, const uint8_t *p, size_t n, size_t *index);
int perf_add_id(struct perfdata *d, uint64_t id, size_t attr);
/* The attr of a record; NULL: nobody knows. */
struct perf_attr *perf_attr_of(struct perfdata *d, const struct perf_record *r);
/* When it was; 0: it does not say. */
uint64_t perf_time_of(struct perfdata *d, const struct perf_record *r);
/* perf's name for what is sampled. */
void perf_name_attr(struct perf_attr *a);

/* perfdata_attr.c */
/*
 * A record of perf itself that lies at `at` in the file (0: it was compressed). *behind: bytes
 * that belong to it and follow it.
 */
int perf_take_meta(struct perfdata *d, const struct perf_record *r, uint64_t at, uint64_t *behind);

/* perfdata_facts.c */
int perf_take_feature(struct perfdata *d, unsigned int id, uint64_t at, uint64_t size);
/* What was learnt, to the importer, once. */
int perf_tell_facts(struct perfdata *d);
int perf_note_number(struct perfdata *d, const char *key, uint64_t n);
/* At the end: what was left out. */
int perf_tell_rest(struct perfdata *d);

/* perfdata_order.c */
int perf_order_add(struct perfdata *d, uint64_t ts, const struct perf_record *r);
/* All CPUs were read up to now: what is older than the round before may go. */
int perf_order_round(struct perfdata *d);
int perf_order_all(struct perfdata *d);
void perf_order_free(struct perf_order *o);

/* perfdata_event.c */
/* A record of the kernel, when its turn has come. ts 0: not known. */
int perf_hand_over(struct perfdata *d, uint64_t ts, const struct perf_record *r);

/* perfdata_map.c */
int perf_map_add(struct perfdata *d, uint32_t pid, const struct perf_map *map, const char *name,
		 size_t len);
/* Process pid begins with the memory of its parent. */
int perf_map_fork(struct perfdata *d, uint32_t pid, uint32_t parent);
/* Its first thread is over; the others may still need its memory for a while. */
void perf_map_leave(struct perfdata *d, uint32_t pid);
/* NULL: nobody knows what lies there. */
const struct perf_map *perf_map_find(const struct perfdata *d, uint32_t pid, uint64_t addr);
/* Of a process: changes whenever its memory does. */
uint32_t perf_map_age(const struct perfdata *d, uint32_t pid);
void perf_maps_free(struct perf_maps *m);

/* perfdata_stack.c */
/* The stack of n addresses at p. mode: PERF_MODE_*, until the chain says otherwise. */
int perf_stack_id(struct perfdata *d, uint32_t pid, const uint8_t *p, uint64_t n, unsigned int mode,
		  uint32_t *id);

#endif /* XTR_PERFDATA_PRIV_H */
