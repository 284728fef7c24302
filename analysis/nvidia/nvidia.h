/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis `nvidia`: what processes ask of NVIDIA's driver, what they hold, and the
 * devices' interrupts and suspends. docs/nvidia.md defines each number.
 */
#ifndef XTR_NVIDIA_H
#define XTR_NVIDIA_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "nvidia_name.h"
#include "nvidia_track.h"
#include "base/map.h"

#define NV_PROCESSES_MAX 1024u /* beyond: the last row */
#define NV_IOCTLS_MAX    8192u /* rows; beyond: kind REST of the process */
#define NV_ERRORS_MAX    256u
#define NV_TOTALS_MAX    65536u
#define NV_DEVICES_MAX   64u
#define NV_FILES_MAX     65536u       /* open at once */
#define NV_MAPS_MAX      65536u       /* held at once */
#define NV_HIST_LEFT     32768u       /* powers of two in histograms of ioctls, 512 bytes each */
#define NV_STORM_WINDOW  100000000ull /* ns */
#define NV_IOCTLS_PER_S  100000ull    /* more than this is a storm */
#define NV_STORM_EVENTS  100u         /* fewer events of a sample tell no storm */
#define NV_IRQS_PER_S    10000ull

/* Calls in windows of NV_STORM_WINDOW, counted from the first one on. */
struct nv_rate {
	uint64_t first_ns, window, n; /* the present window */
	uint64_t seen;                /* of n: events in the trace */
	uint64_t worst, storm_ns;     /* most in one window; begin of the first with a storm */
	uint64_t storms;              /* windows with one */
};

struct nv_process {
	uint64_t process; /* replay/event/process.h; 0: not known */
	uint32_t comm;    /* string id */
	bool rest;        /* all for which there was no row */
	bool visible;     /* at finish: there is something to show */
	uint64_t opens, open_errors, closes, closes_elsewhere, closes_earlier;
	uint64_t mmaps, mmap_errors, mmap_bytes, releases, released_bytes, releases_earlier;
	uint64_t copies, copy_bytes, splits, moves;
	uint64_t polls, faults, ioctls, ioctl_errors;
	uint64_t p2p_gets, p2p_errors, p2p_bytes, p2p_maps;
	uint64_t uvm_opens, uvm_mmaps, uvm_ioctls, uvm_ioctl_errors;
	uint64_t ioctls_total, uvm_ioctls_total; /* where they were sampled, and counted */
	/* At the present moment. */
	uint64_t open_files, mapped, mapped_peak, copied; /* files; bytes, bytes, bytes */
	struct nv_rate rate;
};

struct nv_ioctl {
	uint32_t process, number, second;
	enum nv_kind kind;
	bool has_second;
	uint64_t n, errors;
	uint64_t total;       /* where ioctls were sampled, and counted: how many there were */
	struct xtr_hist time; /* ns, of calls with both ends */
};

struct nv_error {
	uint32_t process, number, second;
	enum nv_role role;
	enum nv_kind kind;
	bool has_second;
	int64_t ret;
	uint64_t n;
};

struct nv_file {
	uint64_t file, opened_ns;
	uint32_t process, tid, next_free;
	bool live;
};

/* A mapping that a process holds; or copies of one that forks made, and that children hold. */
struct nv_map {
	uint64_t begin, end;
	uint32_t process; /* of copies: who forked first */
	uint32_t copies;  /* 0: the process's own */
	uint32_t next_free;
};

struct nv_device {
	uint64_t device;
	bool rest;
	uint64_t msix, nested, alone; /* calls of the two handlers; nested: nvidia_isr in msix */
	uint64_t not_ours, woke;      /* what the counted handlers returned */
	uint64_t bottoms[2];          /* bottom halves: of the line, of MSI-X */
	struct xtr_hist time[2];      /* ns in nvidia_isr (not nested), in nvidia_isr_msix */
	struct xtr_hist bottom_time, wake;
	uint64_t wake_ns; /* the interrupt that the next bottom half is for; 0: none */
	struct nv_rate rate;
};

struct nv_power {
	uint64_t device;
	bool rest;
	uint64_t suspends, suspend_errors, resumes, resume_errors, resumes_after_failure;
	struct xtr_hist suspend, resume, away; /* ns */
	uint64_t suspended_ns;                 /* when it returned, 0: not suspended */
	bool failed;
};

/* The last count of a process's sampled ioctls of one key. */
struct nv_total {
	enum nv_role role;
	uint32_t tgid, key, subkey;
	bool other, interim;
	uint64_t count;
};

struct nvidia {
	const struct xtr_analysis_opts *o;
	struct nv_track track;
	struct nv_process *process;
	struct nv_ioctl *ioctl;
	struct nv_error *error;
	struct nv_file *file;
	struct nv_map *map;
	struct nv_device device[NV_DEVICES_MAX];
	struct nv_power power[NV_DEVICES_MAX];
	uint32_t n_visible; /* processes, at finish */
	uint32_t n_processes, n_ioctls, n_errors, n_devices, n_powers;
	uint32_t n_files, free_file, n_maps, free_map;
	struct xtr_map processes, ioctls, files, maps, copies;
	struct xtr_bind total_bind;
	struct nv_total *total;
	struct xtr_map totals;
	uint32_t n_totals;
	uint32_t sample_ppm[2]; /* share of ioctls, of UVM's, in millionths; 0: not sampled */
	uint64_t total_others;  /* of processes and keys that the recorder had no room for */
	bool totals_left_out, totals_exact;
	uint32_t hist_left;
	uint64_t errors_left_out, untracked; /* calls for which there was no room */
	bool lost;                           /* events were lost: counts are lower bounds */
};

/* Grow an array for element n: powers of two. NULL: no memory. */
void *nv_more(void **array, uint32_t n, size_t size);

/* nvidia_process.c: 0 or -ENOMEM. */
int nv_process_of(struct nvidia *nv, const struct nv_step *s, uint32_t *process);
int nv_ioctl_row(struct nvidia *nv, const struct nv_step *s, uint32_t process,
		 struct nv_ioctl **row);
int nv_ioctl_step(struct nvidia *nv, const struct nv_step *s, uint32_t process);
int nv_add_error(struct nvidia *nv, const struct nv_step *s, uint32_t process);
int nv_p2p_step(struct nvidia *nv, const struct nv_step *s, uint32_t process);
/* weight: how many calls this event stands for; 1 where they were not sampled. */
void nv_rate_add(struct nv_rate *r, uint64_t ts, uint64_t limit_per_s, uint64_t weight);
/* The present window is over. */
void nv_rate_end(struct nv_rate *r, uint64_t limit_per_s);

/* nvidia_hold.c: files and mappings. inside: as of struct xtr_analysis. */
int nv_open_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside);
int nv_close_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside);
int nv_mmap_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside);
int nv_vma_open_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside);
int nv_release_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside);

/* nvidia_device.c */
int nv_irq_step(struct nvidia *nv, const struct nv_step *s);
int nv_bottom_step(struct nvidia *nv, const struct nv_step *s);
int nv_power_step(struct nvidia *nv, const struct nv_step *s);
/* Interrupts of the device: each counted once. */
uint64_t nv_interrupts(const struct nvidia *nv, const struct nv_device *d);

/* nvidia_total.c: 0 or -ENOMEM. */
void nv_totals_open(struct nvidia *nv);
int nv_total_event(struct nvidia *nv, const struct xtr_event *ev);
int nv_totals_finish(struct nvidia *nv);

/* nvidia_device.c: findings, at the end. 0 or -ENOMEM. */
int nv_findings(struct nvidia *nv);
/* nvidia_view.c */
int nv_text(const void *self, const struct xtr_view *v);
void nv_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const nv_tables[];
/* nvidia_total.c: how ioctls were sampled, and what that means for the numbers. */
extern const struct xtr_section_table nv_sample;
void nv_sample_limits(const struct nvidia *nv, FILE *f);

#endif /* XTR_NVIDIA_H */
