/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF object: opened, sized for this machine, loaded with the programs that can be; its rings
 * and counters mapped.
 */
#ifndef XTR_RECORDER_LOADER_H
#define XTR_RECORDER_LOADER_H

#include "recorder/host/bpfdefs.h"
#include "recorder/host/kernel_btf.h"
#include "missed.h"
#include "plain_prog.h"
#include "recorder/recorder.h"
#include "ring.h"
#include "recorder/groups/select.h"

struct xtr; /* the skeleton */
struct xtr_probe_bpf;
struct xtr_idle_bpf;
struct bpf_link;
struct xtr_func_links;
struct bpf_program;

/* What became of one hook. */
struct xtr_hook_result {
	struct xtr_provider info; /* id is its place in the list plus one */
	char why[200];
	uint32_t type;
};

struct xtr_bpf {
	struct xtr *skel;          /* NULL: no programs (xtr_bpf_none) */
	struct xtr_kernel_btf btf; /* while loading */
	bool typed;                /* programs of hooks may be told the types of their arguments */
	uint32_t n_cpus, n_slots;
	uint64_t ring_bytes;
	struct xtr_ringbuf *rings, ctl;             /* rings: one per CPU */
	struct xtr_count *counts;                   /* mapped: [cpu * n_slots + slot] */
	struct xtr_cpu *cpus;                       /* mapped */
	struct xtr_token_set *tokens, *tokens_seen; /* mapped; at the last sweep */
	struct xtr_total_set *totals;               /* mapped: n_total_sets */
	uint32_t n_total_sets;                      /* a power of two; 1 without sampling */
	uint64_t *misses_before; /* by built-in type: gets skipped runs before recording; NULL */
	uint64_t *not_run; /* by slot: runs of raw tracepoint programs that the kernel skipped */
	struct xtr_missed missed; /* and when */
	const struct xtr_selection *sel;
	struct xtr_func_links *funcs; /* attachments to kernel functions; NULL: none */
	struct xtr_plain plain;       /* programs for events by name */
	struct xtr_probe_bpf *probes; /* programs for calls of functions; NULL: none are recorded */
	struct xtr_idle_bpf *idle;    /* programs of --idle-stacks; NULL: not asked for */
	struct xtr_hook_result *results;
	size_t n_results;
	struct xtr_hook_link *links;
	size_t n_links;
};

/* Load what `sel` asks for. results tell what is missing or refused so far; nothing is attached. */
int xtr_bpf_load(struct xtr_bpf **b, const struct xtr_selection *sel,
		 const struct xtr_record_opts *opts, struct xtr_record_err *err);
/* The same where no program can be loaded: rings that stay empty, counters of the process' own. */
int xtr_bpf_none(struct xtr_bpf **b, const struct xtr_selection *sel,
		 const struct xtr_record_opts *opts, struct xtr_record_err *err);
void xtr_bpf_free(struct xtr_bpf *b);
/* CPUs that there may be, numbers without one included; or -errno. */
int xtr_bpf_cpus(void);
/* Bytes of the ring of a CPU: as asked for, or by the number of CPUs; a power of two. */
uint64_t xtr_bpf_ring_bytes(const struct xtr_record_opts *opts, uint32_t n_cpus);

/* Was the hook's program loaded as tp_btf, with typed arguments? Else it is a raw tracepoint's. */
bool xtr_bpf_typed(const struct xtr *skel, const struct xtr_hook *h);
/* Program of a hook by name. */
struct bpf_program *xtr_bpf_program(const struct xtr_bpf *b, const char *name);
/* The n-th program of a hook, from 2 on (bpf/xtr_emit.bpf.h), loaded where the kernel may skip
 * those before it. */
struct bpf_program *xtr_bpf_next(const struct xtr *skel, const struct xtr_hook *h, uint32_t n);
/* Note the result of a hook; why may be NULL. Returns it, or NULL: no memory. */
struct xtr_hook_result *xtr_bpf_result(struct xtr_bpf *b, uint32_t type, const char *name,
				       const char *attach, const char *target,
				       enum xtr_provider_state state, const char *why);

#endif /* XTR_RECORDER_LOADER_H */
