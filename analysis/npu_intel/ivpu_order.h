/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an event of intel_vpu stands: in which entry of the driver (an ioctl, open, close), and in
 * which firmware boot. It is told from the events alone, so that it works where only entries of
 * functions were recorded, without times, and with the thread not known (docs/npu.md, "Order"):
 *
 *  - An entry point is a function that the kernel calls for a system call or a request of power
 *    management. A thread is inside it until its return where returns are recorded, and in any
 *    case not longer than until the thread's next entry point.
 *  - A wake is a resume or a firmware boot, whichever comes first, with what it calls. Resume, boot
 *    and their steps have ranks; a step of a higher rank than the last one belongs to the same
 * wake.
 *  - A thread boots from ivpu_boot, ivpu_hw_boot_fw or ivpu_wait_for_ready until the first function
 *    that only follows the firmware's readiness (interrupts on, a message sent), one that handles
 *    the boot's failure, or the return of what it began with, or the next entry point.
 *
 * What an interrupt calls is nowhere. Where the thread is not known, all events are one thread's.
 * Lost events end everything.
 */
#ifndef XTR_IVPU_ORDER_H
#define XTR_IVPU_ORDER_H

#include "format/read/merge.h"
#include "format/meta/tables.h"

/* The entry point and the boot that an event is in. */
struct ivpu_place {
	uint32_t function;  /* what the event is of: ivpu_order_function */
	const char *entry;  /* name of the entry point; NULL: in none */
	uint64_t entry_ns;  /* its begin */
	uint64_t entry_no;  /* a number of its own, from 1 */
	uint64_t submit_no; /* its number among the submits, from 1; 0: it is none */
	uint64_t wake_no;   /* the wake's number, from 1; 0: in none */
	uint64_t wake_ns;   /* begin of the wake */
	uint64_t boot_no;   /* the boot's number, from 1; 0: not booting */
	bool wakes, boots;  /* the wake, the boot begins with this event */
};

struct ivpu_order;

/* 0 or -ENOMEM. tables may be NULL. */
int ivpu_order_new(struct ivpu_order **o, const struct xtr_meta *meta,
		   const struct xtr_tables *tables);
void ivpu_order_free(struct ivpu_order *o);
/*
 * Events in order of time. 1: it is the entry of a function of intel_vpu (or its return, where
 * entries were not recorded), or a vpu:pm event, and p says where it stands, itself included;
 * 0: it is not; -ENOMEM. p's name lives as long as o.
 */
int ivpu_order_event(struct ivpu_order *o, const struct xtr_event *ev, struct ivpu_place *p);
/* Does it look at events of this type (0: gaps)? */
bool ivpu_order_takes(const struct ivpu_order *o, uint32_t type);

/*
 * The number of a function in ivpu_place; UINT32_MAX: META has no event of it. *paired (may be
 * NULL): it has entry and return.
 */
uint32_t ivpu_order_function(const struct ivpu_order *o, const char *name, bool *paired);
/* Has META events of intel_vpu's functions? */
bool ivpu_has_functions(const struct xtr_meta *meta);

#endif /* XTR_IVPU_ORDER_H */
