/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis of power: what ivpu_power.c gathers and ivpu_power_view.c shows. */
#ifndef XTR_POWER_IMPL_H
#define XTR_POWER_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "ivpu_order.h"
#include "base/map.h"

/* Identifier, name in JSON, function, what vpu:pm calls it (NULL: nothing), for people. */
#define POWER_STEPS(X)                                                                         \
	X(RUNTIME_RESUME, "runtime_resume", "ivpu_pm_runtime_resume_cb", "runtime resume",     \
	  "runtime resume, with boot")                                                         \
	X(SYSTEM_RESUME, "system_resume", "ivpu_pm_resume_cb", "resume",                       \
	  "system resume, with boot")                                                          \
	X(RESUME, "resume", "ivpu_resume", NULL, "power up and boot")                          \
	X(BOOT, "boot", "ivpu_boot", NULL, "firmware boot")                                    \
	X(LOAD, "load", "ivpu_hw_boot_fw", NULL, "start of the NPU's processor")               \
	X(READY, "ready", "ivpu_wait_for_ready", NULL, "wait for the firmware (polling)")      \
	X(RUNTIME_SUSPEND, "runtime_suspend", "ivpu_pm_runtime_suspend_cb", "runtime suspend", \
	  "runtime suspend")                                                                   \
	X(SYSTEM_SUSPEND, "system_suspend", "ivpu_pm_suspend_cb", "suspend", "system suspend")

enum power_step {
#define POWER_ENUM(id, name, function, pm, title) POWER_##id,
	POWER_STEPS(POWER_ENUM)
#undef POWER_ENUM
	POWER_STEP_COUNT
};

#define POWER_PAYERS_MAX  64u  /* the last one is all further ones */
#define POWER_PAYER_LEN   48u  /* bytes of a payer's name, with the NUL */
#define POWER_WAKES_MAX   100u /* kept for the list */
#define POWER_PM_OPEN     32u
#define POWER_PENDING_MAX 4096u /* wakes whose payer has not returned */

/* One wake: a resume, a boot, or both (ivpu_order.h), and who had to wait for it. */
struct power_wake {
	struct ivpu_place place;     /* at its begin; .entry is of no use */
	char payer[POWER_PAYER_LEN]; /* the entry point or system call around it; "" */
	uint64_t process;            /* replay/event/process.h */
	uint32_t tid, comm;
	uint64_t boots;
	uint64_t ns[POWER_STEP_COUNT]; /* 0: not known */
	uint64_t payer_ns;             /* 0: not known */
};

struct power_payer {
	char name[POWER_PAYER_LEN];
	uint64_t wakes, boots, sum_ns, max_ns;
};

struct power {
	const struct xtr_analysis_opts *o;
	struct ivpu_order *order;
	uint32_t function[POWER_STEP_COUNT]; /* as ivpu_place.function */
	bool timed[POWER_STEP_COUNT];        /* entries and returns of the function are there */
	uint64_t count[POWER_STEP_COUNT];
	struct xtr_hist time[POWER_STEP_COUNT];
	struct xtr_map by_tid; /* to pending */
	struct power_wake pending[POWER_PENDING_MAX];
	uint32_t n_pending;
	struct {
		uint32_t tid, step;
		uint64_t ts; /* 0: free */
	} pm[POWER_PM_OPEN];
	uint32_t next_pm;
	uint64_t wakes, boots;
	struct power_payer payer[POWER_PAYERS_MAX];
	uint32_t n_payers;
	struct power_wake wake[POWER_WAKES_MAX]; /* the costly ones; without times the first ones */
	uint32_t n_wakes;
	/* Submits after the first of the trace that paid. */
	uint64_t late, late_ns;
	struct power_wake worst;
};

/* What it cost: the longest of its steps, ns; 0: not known. */
uint64_t power_cost(const struct power_wake *w);
/* ns of the firmware's boot: of ivpu_boot, or of its parts. */
uint64_t power_boot_ns(const struct power_wake *w);
int power_text(const void *self, const struct xtr_view *v);
void power_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const power_tables[];

#endif /* XTR_POWER_IMPL_H */
