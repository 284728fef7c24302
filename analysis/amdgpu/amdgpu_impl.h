/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of amdgpu: what its parts gather, and the limits of its findings
 * (docs/amdgpu.md). Only the job events can be told apart by card, through the scheduler's events
 * of the same jobs; all others are of every card together.
 */
#ifndef XTR_AMDGPU_IMPL_H
#define XTR_AMDGPU_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/bounded_rows.h"
#include "analysis/core/hist.h"
#include "analysis/core/rate.h"
#include "replay/event/event_bind.h"

#include <stddef.h>
#include <stdint.h>

/* Limits of the findings: identifier, value, unit; the table in docs/amdgpu.md. */
#define AMDGPU_DELAY_NS       100000u     /* a job that waits longer is late */
#define AMDGPU_DELAY_PERMILLE 100u        /* of a ring's jobs, late */
#define AMDGPU_DELAY_JOBS     10u         /* of a ring with fewer jobs nothing is said */
#define AMDGPU_BATCH_PER_S    2000u       /* of one process, in its busiest window */
#define AMDGPU_BATCH_IBS      2u          /* IBs for a job, of such a process */
#define AMDGPU_THRASH_AWAY_NS 1000000000u /* back in VRAM sooner is a quick return */
#define AMDGPU_THRASH_RETURNS 10u         /* quick ones */
#define AMDGPU_STORM_PER_S    10000u      /* of one interrupt source, in its busiest window */
#define AMDGPU_DUMP_GAP_NS    100000000u  /* between register dumps of two resets */

/* Memory: jobs that are known at one time, buffers that have left VRAM, rows of tables. */
#define AMDGPU_JOBS_MAX    65536u
#define AMDGPU_BUFFERS_MAX 65536u
#define AMDGPU_ROWS_MAX    4096u
#define AMDGPU_HIST_MAX    16384u /* powers of two of all histograms: 8 MiB */
#define AMDGPU_FLAG_BITS   32u
#define AMDGPU_IH_SOFT     3u /* the ring of entries that are delegated: seen a second time */

/* A job from its first event on: by context and seqno, as wide as the section's events have them.
 */
struct amdgpu_job {
	struct xtr_recent_entry e;
	uint64_t cs_ns;
	uint64_t process; /* replay/event/process.h */
	uint32_t ibs;
	uint32_t ring;  /* string id, as amdgpu_cs_ioctl names it */
	uint32_t card;  /* string id of the device, 0: not known */
	bool submitted; /* amdgpu_cs_ioctl was seen */
	bool selected;  /* and asked for */
	bool queued,
		kernel; /* the scheduler's queue event was seen; it says: work of the kernel's */
	bool ran, ran_selected;
};

struct amdgpu_ring {                /* key: card, ring */
	struct xtr_counted_row row; /* n: jobs submitted */
	uint64_t run, run_again, not_run, kernel, other, ibs;
	uint64_t late, late_ns; /* jobs past the limit; when the first of them was submitted */
	uint64_t late_ctx, late_seqno; /* its name */
	struct xtr_hist latency;       /* ns */
};

struct amdgpu_process {             /* key: process, or 0 and a name */
	struct xtr_counted_row row; /* n: jobs */
	uint32_t comm;
	uint64_t ibs, ibs_min, ibs_max;
	struct xtr_rate rate;
	uint64_t buffers, bytes; /* created */
	uint64_t vram_refused, vram_refused_bytes;
};

struct amdgpu_jobs {
	bool recorded; /* META has amdgpu_cs_ioctl or amdgpu_sched_run_job */
	bool both;
	uint64_t mask; /* of contexts and seqnos: what the events hold of them */
	struct xtr_recent recent;
	struct xtr_map cards; /* scheduler's ring id to its device's string id */
	uint64_t submitted, ibs, run, late, not_run, run_again, again_ns;
	uint64_t kernel, other, before, no_room, pipe_syncs, recycled;
	uint64_t checked, same_process, same_ring; /* against the job model */
	uint64_t timeouts, timeout_ns, errors;     /* of the job model's jobs */
	uint64_t ib_events;
	struct xtr_hist ib_dwords, fences; /* amdgpu_cs */
	struct xtr_counted rings;
};

struct amdgpu_sum {
	uint64_t n, bytes;
};

struct amdgpu_bytes_row {
	struct xtr_counted_row row;
	uint64_t bytes;
};

struct amdgpu_life { /* key: a buffer that has left VRAM */
	struct xtr_recent_entry e;
	uint64_t left_ns, returns, quick;
	bool away;
};

struct amdgpu_memory_stats {
	bool creates, moves_recorded;
	uint64_t page; /* bytes */
	struct amdgpu_sum created, vram_asked, vram_given, refused, either, either_elsewhere;
	uint64_t refused_ns, elsewhere_ns; /* of the first; 0: none */
	struct xtr_counted types;          /* amdgpu_bytes_row by type */
	struct xtr_counted asked;          /* by prefer << 32 | allow, type */
	struct amdgpu_sum flag[AMDGPU_FLAG_BITS];
	struct xtr_counted directions; /* by old, new */
	struct amdgpu_sum moved, to_vram, from_vram, placed, released;
	struct xtr_rate move_rate; /* of moves between two memories */
	struct xtr_recent lives;
	uint64_t lives_lost, returns, quick, quick_ns, quick_bytes, most_returns;
	struct xtr_hist away; /* ns outside of VRAM */
	uint64_t lists, list_buffers, list_bytes;
	struct xtr_hist list_size; /* buffers */
	struct amdgpu_sum list_set;
};

struct amdgpu_vm_row {              /* key: ring, vmid << 32 | hub */
	struct xtr_counted_row row; /* n: flushes */
	uint64_t grabs, needs_flush;
};

struct amdgpu_pasid_row {           /* key: pasid */
	struct xtr_counted_row row; /* n: grabs */
	uint64_t needs_flush;
};

struct amdgpu_vm {
	bool recorded;
	struct amdgpu_sum map, unmap; /* n, bytes */
	uint64_t malformed;           /* last before start */
	uint64_t mappings, updates, cs, grabs, needs_flush, flushes;
	uint64_t pasids_allocated, pasids_freed;
	uint64_t pte_updates, pte_entries, set_ptes, set_entries, copy_ptes, copy_entries;
	struct xtr_counted rings, pasids;
};

struct amdgpu_source {              /* key: client, src */
	struct xtr_counted_row row; /* n: entries, without those seen again */
	uint64_t again;
	struct xtr_rate rate;
};

struct amdgpu_irq {
	bool recorded;
	uint64_t n, again;
	struct xtr_counted sources;
	struct xtr_counted vms;      /* by pasid, vmid */
	struct xtr_counted ih_rings; /* by interrupt ring */
};

struct amdgpu_register {            /* key: device id, register */
	struct xtr_counted_row row; /* n: accesses */
	uint64_t writes;
};

struct amdgpu_resets {
	uint64_t dumps, registers, first_ns, last_ns;
	uint32_t first_address;
};

struct amdgpu {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	uint32_t hist_left;
	bool gaps;        /* events were lost so far */
	uint32_t n_cards; /* devices of this driver that META names */
	struct amdgpu_jobs jobs;
	struct xtr_counted processes;
	struct amdgpu_memory_stats mem;
	struct amdgpu_vm vm;
	struct amdgpu_irq irq;
	struct xtr_counted registers;
	uint64_t reads, writes;
	struct amdgpu_resets resets;
	struct xtr_counted others; /* further events of the driver, by type */
};

/* One event of a part: 0 or -ENOMEM. Fields are at the positions of the table in amdgpu.c. */
typedef int amdgpu_take(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			bool inside);

amdgpu_take amdgpu_take_cs, amdgpu_take_run, amdgpu_take_ib, amdgpu_take_pipe_sync;
amdgpu_take amdgpu_take_create, amdgpu_take_move, amdgpu_take_list, amdgpu_take_list_set;
amdgpu_take amdgpu_take_map, amdgpu_take_unmap, amdgpu_take_grab, amdgpu_take_flush;
amdgpu_take amdgpu_take_ptes, amdgpu_take_set_ptes, amdgpu_take_copy_ptes, amdgpu_take_count;
amdgpu_take amdgpu_take_iv, amdgpu_take_rreg, amdgpu_take_wreg, amdgpu_take_dump;

/* amdgpu_jobs.c */
int amdgpu_jobs_open(struct amdgpu *g);
void amdgpu_jobs_free(struct amdgpu *g);
/* An event of the scheduler: tells the card, and jobs of the kernel's. */
int amdgpu_jobs_scheduler(struct amdgpu *g, const struct xtr_event *ev);
int amdgpu_jobs_job(struct amdgpu *g, const struct xtr_job *j);
int amdgpu_jobs_finish(struct amdgpu *g);
/* The row of the process of an event; *p NULL: no room. */
int amdgpu_process_of(struct amdgpu *g, const struct xtr_event *ev, struct amdgpu_process **p);

/* amdgpu_memory.c */
int amdgpu_memory_open(struct amdgpu *g);
void amdgpu_memory_free(struct amdgpu *g);
/* amdgpu_vm.c: address space, interrupts, registers */
void amdgpu_vm_open(struct amdgpu *g);
void amdgpu_vm_free(struct amdgpu *g);

/* amdgpu_findings.c: 0 or -ENOMEM. */
int amdgpu_find(struct amdgpu *g);

/* amdgpu_tables.c, amdgpu_hw.c */
extern const struct xtr_section_table amdgpu_jobs_table, amdgpu_rings_table, amdgpu_processes_table,
	amdgpu_buffers_table, amdgpu_types_table, amdgpu_asked_table, amdgpu_flags_table,
	amdgpu_buffer_processes_table, amdgpu_moves_table, amdgpu_directions_table,
	amdgpu_returns_table, amdgpu_lists_table, amdgpu_vm_table, amdgpu_vmids_table,
	amdgpu_pasids_table, amdgpu_irq_table, amdgpu_sources_table, amdgpu_irq_vms_table,
	amdgpu_ih_table, amdgpu_registers_table, amdgpu_resets_table, amdgpu_others_table;
/* Text of what is in amdgpu_hw.c. 0 or -ENOMEM. */
int amdgpu_text_hardware(const struct amdgpu *g, FILE *f);

/* amdgpu_view.c, amdgpu_view.c */
int amdgpu_text(const void *self, const struct xtr_view *v);
void amdgpu_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const amdgpu_tables[];
/* A table as text, and what of it is not shown; t: what its rows are of. 0 or -ENOMEM. */
int amdgpu_text_table(const struct amdgpu *g, const struct xtr_section_table *table,
		      const struct xtr_counted *t, FILE *f);
/* ", 12 runs"; nothing for 0. */
void amdgpu_put(FILE *f, const char *what, uint64_t n);

/* --- amdgpu names ----------------------------------------------------------------------------- */

/* Numbers of amdgpu's events by name. NULL: the number has none that holds on every GPU. */
/* TTM memory types as this driver numbers them (amdgpu_ttm.h). */
enum amdgpu_memory {
	AMDGPU_MEM_SYSTEM,
	AMDGPU_MEM_GTT,
	AMDGPU_MEM_VRAM,
	AMDGPU_MEM_PREEMPT = 6,
};
#define AMDGPU_MEM_NONE UINT32_MAX

/* Bits of a domain mask (amdgpu_drm.h). */
#define AMDGPU_DOMAIN_CPU  1u
#define AMDGPU_DOMAIN_GTT  2u
#define AMDGPU_DOMAIN_VRAM 4u

/* "vram"; AMDGPU_MEM_NONE is "none". */
const char *amdgpu_memory_name(uint32_t type);
/* The domain bit that a memory type belongs to, 0: not known. */
uint32_t amdgpu_memory_domain(uint32_t type);
const char *amdgpu_domain_name(unsigned int bit);      /* "VRAM" */
const char *amdgpu_create_flag_name(unsigned int bit); /* "CPU_ACCESS_REQUIRED" */
const char *amdgpu_client_name(uint64_t client);       /* "GRBM_CP" */
/* Of the interrupt source src of this client. */
const char *amdgpu_source_name(uint64_t client, uint64_t src);

/* "VRAM|GTT", "0" for none, numbers for bits without a name. Returns buf. */
char *amdgpu_domains_text(char *buf, size_t cap, uint32_t mask);
/* The name, or the number. Returns buf. */
char *amdgpu_memory_text(char *buf, size_t cap, uint32_t type);

#endif /* XTR_AMDGPU_IMPL_H */
