/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last calls of each process, and the last interrupts of each device, of NVIDIA's driver: what
 * they did before something happened. Of each the last NV_PAST_MAX are known, of a bounded number
 * of processes and devices.
 */
#ifndef XTR_NVIDIA_PAST_H
#define XTR_NVIDIA_PAST_H

#include "nvidia_name.h"
#include "nvidia_track.h"

#define NV_PAST_MAX  256u
#define NV_PASTS_MAX 1024u /* processes and devices; of further ones nothing is known */
#define NV_BEFORE_NS 1000000000ull
#define NV_NAMES_MAX 8u /* different calls that are told one by one */
#define NV_LAST_MAX  6u /* calls that are told one by one */

struct nv_past_call {
	uint64_t ts, ns; /* begin; time in the call, if done */
	int64_t ret;     /* if ret_known */
	uint32_t tid, number, second;
	enum nv_role role;
	enum nv_kind kind;
	bool has_second, done, ret_known;
};

struct nv_past {
	uint64_t n; /* ever */
	struct nv_past_call call[NV_PAST_MAX];
};

struct nv_pasts {                /* all zero: empty */
	struct xtr_map by_owner; /* (process 0 or device 1, process or pointer) */
	struct nv_past **past;
	uint32_t n;
	uint64_t lost_ns;
};

/* What was done before a moment. */
struct nv_before {
	bool known;    /* the process or device is one whose calls are kept */
	bool complete; /* false: counts are lower bounds */
	uint64_t calls;
	struct {
		struct nv_past_call what; /* the last of its kind */
		uint64_t n;
	} name[NV_NAMES_MAX]; /* most calls first */
	uint32_t n_names;
	uint64_t others;                       /* calls of further kinds */
	struct nv_past_call last[NV_LAST_MAX]; /* oldest first */
	uint32_t n_last;
};

/* 0 or -ENOMEM. */
int nv_pasts_step(struct nv_pasts *p, const struct nv_step *s);
void nv_pasts_gap(struct nv_pasts *p, uint64_t ts);
void nv_pasts_free(struct nv_pasts *p);
/*
 * What this process, or device, did in the NV_BEFORE_NS before ts, both included; times false: as
 * far as it is known.
 */
void nv_pasts_before(const struct nv_pasts *p, bool device, uint64_t key, uint64_t ts, bool times,
		     struct nv_before *b);
/* "ioctl RM_CONTROL GPU_GET_INFO_V2", "mmap". */
char *nv_past_name(char buf[2 * NV_NAME_MAX], const struct nv_past_call *c);

#endif /* XTR_NVIDIA_PAST_H */
