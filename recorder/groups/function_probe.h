/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of a function, in the kernel (func:MODULE:FUNCTION) or in a shared library
 * (api:LIBRARY:FUNCTION): its entry and its return as events of the file, what the BPF programs are
 * to record of them, and where they are to be attached.
 */
#ifndef XTR_RECORDER_PROBE_EVENT_H
#define XTR_RECORDER_PROBE_EVENT_H

#include "recorder/host/bpfdefs.h"
#include "format/meta/meta.h"
#include "format/meta/schema.h"
#include "base/siphash.h"

enum xtr_probe_kind {
	XTR_PROBE_FUNC,
	XTR_PROBE_API
};

/* One place in the code. */
struct xtr_probe_target {
	char *symbol; /* exact: "ivpu_submit.constprop.0" */
	char *path;   /* API: the file; else NULL */
	uint64_t
		addr; /* function: its address, 0 if the kernel hides it; API: offset in the file */
};

/* One half of a call. */
struct xtr_probe_event {
	char *name;                 /* "func:MODULE:FUNCTION", the return with ":ret" */
	struct xtr_event_desc desc; /* type 0: not recorded */
	struct xtr_field *fields;   /* desc.fields; owns names of fields, units and values */
	struct xtr_probe_cfg cfg;
};

struct xtr_probe {
	enum xtr_probe_kind kind;
	char *name;   /* of the provider: "func:MODULE:FUNCTION" */
	char *module; /* kernel module or library; NULL: the kernel itself */
	struct xtr_probe_event entry, ret;
	bool want_ret;
	struct xtr_probe_target *targets; /* all count as this function */
	size_t n_targets;
	/* What became of it: `missing` at first. With a reason (why[0] != 0) it is not even tried.
	 */
	enum xtr_provider_state state;
	uint32_t sample;    /* share of its calls that is recorded, in millionths; 0: all */
	bool key;           /* a table says how its calls are counted when they are sampled */
	bool no_ret;        /* attached, but its return is not */
	const char *attach; /* "kprobe.session", "uprobe", ... */
	char *target;       /* symbols of the targets, for the file */
	char why[200];
};

/* A captured value: a field at entry or at return. Texts are copied. */
struct xtr_capture {
	const char *name, *unit; /* unit may be NULL */
	enum xtr_repr repr;      /* an integer; its width is that of load.width */
	enum xtr_sens sens;
	uint32_t n_names; /* of an enum's values */
	const struct xtr_value_name *names;
	struct xtr_probe_load load;
};

/*
 * A function to be recorded, without places, values and return so far. name and module are copied.
 * 0 or -ENOMEM.
 */
int xtr_probe_new(struct xtr_probe **p, enum xtr_probe_kind kind, const char *module,
		  const char *function);
void xtr_probe_free(struct xtr_probe *p);
/* Add what `more` records beyond p, the same function; more is freed. */
void xtr_probe_join(struct xtr_probe *p, struct xtr_probe *more);
/* One more place; path may be NULL. 0 or -ENOMEM. */
int xtr_probe_add_target(struct xtr_probe *p, const char *symbol, const char *path, uint64_t addr);
/*
 * Record returns. ret (its load counts for nothing but the width) says what `ret` is; NULL: the
 * function returns nothing. 0, -ENOMEM, -EEXIST, or -EINVAL: the width fits no representation.
 */
int xtr_probe_want_ret(struct xtr_probe *p, const struct xtr_capture *ret);
/*
 * Capture one more value at entry, or at return. An argument that is to be read at return is kept
 * from the entry: load.from = XTR_FROM_SAVED + n. 0, -ENOMEM, -E2BIG past XTR_PROBE_LOADS, or
 * -EINVAL.
 */
int xtr_probe_capture(struct xtr_probe *p, bool at_ret, const struct xtr_capture *c);

/*
 * Record the stack of each call: field `stack` of the entry. Before or after it is numbered. 0,
 * -ENOMEM, -E2BIG: as many values as an entry can have are captured already, or -EEXIST.
 */
int xtr_probe_stack(struct xtr_probe *p);

/*
 * Count sampled calls by a captured value of the entry. 0, or -ENOENT: nothing of this name is
 * captured. A second value beside it, where the low byte of
 * the first is nr; i below XTR_TOTAL_SUBS.
 */
int xtr_probe_key(struct xtr_probe *p, const char *field);
int xtr_probe_subkey(struct xtr_probe *p, size_t i, uint8_t nr, const char *field);
/* Record `of` of 2^32 calls, entry and return together. */
void xtr_probe_sample(struct xtr_probe *p, uint32_t of);
/* Decide of a return by what is kept from the entry: recorded or left out together. */
void xtr_probe_whole(struct xtr_probe *p);
/* Field of the n-th captured value of the entry, from 1; NULL: there is none. */
const struct xtr_field *xtr_probe_captured(const struct xtr_probe *p, uint32_t n);

/* Give the event(s) their numbers: type, and slot of the counters. Returns how many were used. */
uint32_t xtr_probe_number(struct xtr_probe *p, uint32_t first);
/* Why it cannot be recorded; the state is `missing` or `refused`. */
void xtr_probe_say(struct xtr_probe *p, enum xtr_provider_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Turn a record of the ring into one of the file, in place: kernel addresses are hashed (key NULL:
 * kept). Returns its size, or -EBADMSG.
 */
int xtr_probe_convert(const struct xtr_event_desc *desc, const struct xtr_siphash_key *key,
		      uint8_t *rec, uint32_t size);

#endif /* XTR_RECORDER_PROBE_EVENT_H */
