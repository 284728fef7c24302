/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the reader of Perfetto's traces: packets that tell of GPUs.
 *
 *   pftrace_gpu.c         which packet is whose; state; devices
 *   pftrace_gpu_record.c  what is held, and what it becomes in order of time
 *   pftrace_gpu_stage.c   render stages
 *   pftrace_gpu_told.c    jobs that xtr exported
 *   pftrace_gpu_track.c   tracks, and track events that tell of jobs
 *   pftrace_gpu_counter.c  track events of programs: markers
 *   pftrace_gpu_counter.c counters
 *   pftrace_gpu_vulkan.c  calls of Vulkan, its memory, the driver's log
 */
#ifndef XTR_PFTRACE_GPU_H
#define XTR_PFTRACE_GPU_H

#include "base/buf.h"
#include "base/map.h"
#include "pftrace_priv.h"

#define GPU_DEVICES_MAX 256u
#define GPU_SPECS_MAX   4096u
#define GPU_TRACKS_MAX  65536u
#define GPU_MAP_MAX     ((size_t)1 << 18)

/* --- records ---------------------------------------------------------------------------------- */

enum gpu_op {
	GPU_EVENT, /* an event of its own */
	GPU_CALL,  /* entry of a function of libvulkan */
	GPU_RETURN,
	GPU_SUBMIT,     /* a thread gave the GPU a submission, or an event: for what follows */
	GPU_STAGE,      /* begin of a render stage, */
	GPU_STAGE_ENDS, /* and its end */
	GPU_OPS
};

/* An event as it is made: its values, with names that are constants. */
struct gpu_record {
	uint8_t b[4096]; /* head and values */
	size_t n;
	uint64_t key[2];
};

void gpu_begin(struct gpu_record *r, enum gpu_op op, const char *system, const char *event,
	       uint32_t tid, uint32_t pid);
/* What joins a submission with a render stage: by number of the process, by number of the event. */
void gpu_keys(struct gpu_record *r, uint64_t pid, uint64_t submission, uint64_t event);
void gpu_number(struct gpu_record *r, const char *name, uint64_t v);
void gpu_signed(struct gpu_record *r, const char *name, int64_t v);
void gpu_hex(struct gpu_record *r, const char *name, uint64_t v);
void gpu_text(struct gpu_record *r, const char *name, const void *s, size_t n); /* at most 512 */
/* The name of device gpu_id, and of a queue of the first kind: known when all packets are read. */
void gpu_device(struct gpu_record *r, const char *name, uint32_t gpu_id);
void gpu_queue(struct gpu_record *r, const char *name, uint32_t queue);
int gpu_hold(struct pftrace *p, uint64_t ts, const struct gpu_record *r);

/* --- state ------------------------------------------------------------------------------------ */

struct gpu_device {
	char *name, *driver, *pci_id, *driver_version, *firmware;
	bool told; /* by a GpuInfo */
};

struct gpu_track { /* a TrackDescriptor */
	uint64_t parent;
	uint32_t pid, tid; /* 0: no thread's */
	char *name;        /* NULL: none */
};

/* A job of xtr's export while its packets come. */
struct gpu_told {
	uint64_t ctx, seqno;
	bool known; /* something of it came */
	uint64_t queue_ns, before_ns, client, dep_wait_ns;
	uint32_t tid, pid, n_waits, n_deps;
	bool has_client;
	uint64_t wait_track; /* that its queue wait is on; 0: none */
	bool in_dep;
	struct gpu_dep {
		uint64_t ctx, seqno, from_ns, until_ns;
		bool run, by_job;
	} dep[64];
};

struct told_job; /* pftrace_gpu.h */

struct gpu_counter {
	uint64_t last_ts; /* of the last sample, 0: none */
	uint32_t gpu_id;
	bool forwards, real;
	char *name, *unit;
};

struct pft_gpu {
	bool by_xtr; /* the trace is an export of xtr */
	struct gpu_device device[GPU_DEVICES_MAX];
	char *queue[GPU_SPECS_MAX]; /* by hw_queue_id; NULL: not told */
	struct {
		char *name;
	} stage[GPU_SPECS_MAX];
	uint32_t n_queues, n_stages;
	struct xtr_map tracks; /* uuid -> index */
	struct xtr_map lanes;  /* (hash of a name, parent) -> tracks that have it */
	struct gpu_track *track;
	size_t n_tracks, cap_tracks;
	struct gpu_told told;
	struct gpu_slice { /* of a job, until its end comes */
		bool open;
		uint64_t ts, track;
		struct told_job *job;
		char text[4][256]; /* its texts, which its packet had */
		size_t n[4];
	} slice;
	struct xtr_map counters; /* (sequence and descriptor, counter_id) -> index */
	struct gpu_counter *counter;
	size_t n_counters, cap_counters;
	struct xtr_map names;   /* of objects of Vulkan: (type, handle) -> address of a text */
	struct xtr_map submits; /* in order of time: key -> index in submit */
	struct gpu_submit {
		uint64_t ts;
		uint32_t tid, pid;
	} * submit;
	size_t n_submits, cap_submits;
	struct xtr_map stages; /* event_id -> number of the job that had it last */
	uint64_t n_jobs;
	struct gpu_record rec; /* being made */
	uint64_t left_out[4];  /* enum gpu_left_out */
};

enum gpu_left_out {
	GPU_NO_QUEUE,   /* render stages of an unknown queue */
	GPU_NO_TIME,    /* packets without a time */
	GPU_NO_COUNTER, /* samples of counters that nothing describes */
	GPU_TRACK_EVENTS
};

/* "": not known. Valid while nothing more is read. */
const char *gpu_device_name(struct pft_gpu *g, uint32_t gpu_id, char buf[24]);
/* The first field of this number; false: there is none (*f all 0). */
bool gpu_field(struct pft_msg m, uint32_t num, struct pft_field *f);
uint64_t gpu_u64(struct pft_msg m, uint32_t num);
/* Is it this text? */
bool gpu_is(const struct pft_field *f, const char *text);
/* A text of an interned entry, in its field; num 0 (and no bytes): there is none. */
struct pft_field gpu_interned(const struct pft_seq *seq, uint32_t table, uint64_t iid,
			      uint32_t field);
/* NULL: nothing has described it. */
struct gpu_track *gpu_track_of(const struct pft_gpu *g, uint64_t uuid);

typedef int gpu_take(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		     struct pft_msg m);
gpu_take gpu_take_stage, gpu_take_counter, gpu_take_vulkan, gpu_take_memory, gpu_take_log,
	gpu_take_total, gpu_take_frequency, gpu_take_track_event, gpu_take_track;
/* A track event of another program. */
gpu_take gpu_take_marker;
/* A render stage of xtr's export. */
gpu_take gpu_take_told;
/* Numbers and texts of all traces: after the packets. */
int gpu_counters_end(struct pftrace *p, struct pft_gpu *g);
const char *gpu_object_name(const struct pft_gpu *g, uint32_t type, uint64_t handle);

/* --- pftrace gpu told ------------------------------------------------------------------------- */

/* A job of xtr's export, as it is read. */
#define TOLD_DEPS 16u

struct told_fence {
	uint64_t ctx, seqno;
};

/* Texts are the packet's, or interned. */
struct told_job {
	uint64_t ctx, seqno, queue, run, done, duration, exec_min, exec_max;
	uint32_t gpu, pid, n_deps, n_wide;
	int64_t error;
	struct pft_field ring, why, kind, quality, flags, comm, at;
	bool has_exec, has_error, from_run;
	struct told_fence dep[TOLD_DEPS], wide[TOLD_DEPS];
};

/* What went before this job in the file, made empty where it was of another one. */
struct gpu_told *gpu_told_of(struct pft_gpu *g, uint64_t ctx, uint64_t seqno);
bool gpu_told_number(const void *s, size_t n, uint64_t *v);
bool gpu_told_fence(const void *s, size_t n, uint64_t *ctx, uint64_t *seqno); /* "17:4" */
/* Extra data, or a note of that name; other names are left alone. */
void gpu_told_extra(struct told_job *j, const struct pft_field *name,
		    const struct pft_field *value);
void gpu_told_description(struct told_job *j, const struct pft_field *text);
void gpu_told_ring(struct told_job *j, struct pft_field name);
/* All of the job is known, whose packet is at ts. 0 or -errno. */
int gpu_told_hold(struct pftrace *p, struct pft_gpu *g, struct told_job *j, uint64_t ts);

#endif /* XTR_PFTRACE_GPU_H */
