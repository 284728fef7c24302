/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of NVIDIA's driver as steps: who entered or left which function, with the values of the
 * entry given again at the return. A call in an interrupt belongs to the CPU. Memory is bounded;
 * calls that there is no room for have a return without an entry.
 */
#ifndef XTR_NVIDIA_TRACK_H
#define XTR_NVIDIA_TRACK_H

#include "format/read/merge.h"
#include "format/meta/tables.h"
#include "nvidia_role.h"
#include "base/keymap.h"

#define NV_OPEN_CALLS_MAX 16384u

struct nv_step {
	enum nv_role role;
	bool end;          /* it returned; else: it was entered, or the tracepoint fired */
	bool entered;      /* of a return: its entry is known, and so are begin_ns and v */
	bool begun_inside; /* of a return: the entry is known and was given with inside */
	bool on_cpu;       /* in an interrupt: tid and pid are those of whom it interrupted */
	bool nested;       /* nvidia_isr, called by nvidia_isr_msix */
	bool ret_known;
	int64_t ret;
	uint64_t ts, begin_ns; /* ns; begin_ns 0: not known */
	uint64_t process;      /* replay/event/process.h; 0: not known */
	uint32_t tid, cpu;
	uint32_t comm; /* string id of the process's name, 0: not known */
	uint64_t v[NV_VALUES];
	bool has[NV_VALUES];
	bool paired;                    /* entry and return of it are recorded */
	const struct xtr_bind *binding; /* of this event */
	const struct xtr_event *event;
};

struct nv_call {
	uint64_t owner, begin_ns, epoch;
	uint32_t next_free;
	bool nested, inside;
	uint64_t v[NV_VALUES];
	bool has[NV_VALUES];
};

struct nv_track { /* all zero, then nv_track_open */
	const struct xtr_tables *tables;
	struct nv_bindings b;
	struct xtr_keymap open; /* (owner, role) to call */
	struct nv_call *call;
	uint32_t n_calls, free;
	uint64_t epoch; /* gaps so far */
};

/* Whose open calls those in interrupts of this CPU are: key in nv_track.open. A thread's is its
 * tid. */
static inline uint64_t nv_cpu_owner(uint32_t cpu)
{
	return 1ull << 32 | cpu;
}

int nv_track_open(struct nv_track *t, const struct xtr_meta *meta, const struct xtr_tables *tables);
void nv_track_free(struct nv_track *t);
/*
 * 1: *s is filled in; 0: not the driver's event; -ENOMEM. A gap: 0, and what is open is forgotten.
 * inside: as of struct xtr_analysis.
 */
int nv_track_event(struct nv_track *t, const struct xtr_event *ev, bool inside, struct nv_step *s);
/* Does it look at events of this type (0: gaps)? */
bool nv_track_takes(const struct nv_track *t, uint32_t type);

#endif /* XTR_NVIDIA_TRACK_H */
