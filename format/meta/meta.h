/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * META (spec 6.2) as C structures: filled by the recorder, encoded by the writer, parsed by the
 * reader. A meta owns everything it points to; strings are copied in.
 */
#ifndef XTR_META_H
#define XTR_META_H

#include "format/err.h"
#include "schema.h"

struct xtr_meta;

#define XTR_CLOCK_SEQUENCE "sequence" /* the event clock of a trace without times */

struct xtr_device {
	const char *name;   /* dev_name() */
	const char *driver; /* or NULL, as all that follow */
	const char *pci_id; /* "8086:7d1d" */
	const char *driver_version;
	const char *firmware;
	const char *const *nodes; /* "card0", "renderD128", "accel0" */
	size_t n_nodes;
	const char *driver_srcversion; /* the module's, which a change of its source changes */
	const char *subsystem;         /* "1028:0c06" */
	const char *revision;          /* "a1" */
	const char *model, *vbios;
	const char *uuid; /* the driver's name for this one device */
};

enum xtr_provider_state {
	XTR_PROVIDER_ATTACHED,
	XTR_PROVIDER_MISSING,
	XTR_PROVIDER_REFUSED
};

struct xtr_provider {
	uint32_t id;
	const char *name;   /* as the user names it: "gpu_scheduler:drm_sched_job_run" */
	const char *attach; /* "raw_tp", "tp", ... (xtr.cddl) */
	const char *target; /* the kernel's name: "drm_run_job" */
	enum xtr_provider_state state;
	const char *why;    /* reason if not attached, or NULL */
	const char *module; /* kernel module or NULL */
};

struct xtr_system {
	const char *release, *version, *machine; /* uname */
	uint32_t cpus, page;
	const char *hypervisor; /* or NULL */
	const char *hostname;   /* or NULL */
	const char
		*machine_id; /* or NULL: 32 hexadecimal digits, made of the machine's (spec 6.2) */
};

struct xtr_meta *xtr_meta_new(void); /* NULL: no memory */
void xtr_meta_free(struct xtr_meta *m);
const struct xtr_meta *xtr_meta_none(void); /* an empty one */

/* Setters copy. All return 0 or -ENOMEM/-EINVAL. */
int xtr_meta_set_writer(struct xtr_meta *m, const char *name, const char *version);
int xtr_meta_set_clock(struct xtr_meta *m, const char *event_clock, const uint8_t boot_id[16],
		       uint64_t res_ns);
int xtr_meta_set_system(struct xtr_meta *m, const struct xtr_system *sys);
int xtr_meta_add_device(struct xtr_meta *m, const struct xtr_device *dev);
int xtr_meta_add_provider(struct xtr_meta *m, const struct xtr_provider *p);
/* Replaces an event of the same type. */
int xtr_meta_add_event(struct xtr_meta *m, const struct xtr_event_desc *ev);
int xtr_meta_set_config_u64(struct xtr_meta *m, const char *key, uint64_t value);
int xtr_meta_set_config_str(struct xtr_meta *m, const char *key, const char *value);

/*
 * Getters. Pointers stay valid until the meta is freed or changed; texts are never NULL but where
 * it is said, and empty (the clock: "monotonic") if they were not set.
 */
bool xtr_meta_is_empty(const struct xtr_meta *m); /* no writer set, no META merged */
const char *xtr_meta_writer_name(const struct xtr_meta *m);
const char *xtr_meta_writer_version(const struct xtr_meta *m);
const char *xtr_meta_clock(const struct xtr_meta *m);
/*
 * False if the event clock is "sequence" (spec 6.3): time stamps count events, and there are no
 * times, durations or rates. NULL (a section without META): true.
 */
bool xtr_meta_has_times(const struct xtr_meta *m);
const uint8_t *xtr_meta_boot_id(const struct xtr_meta *m); /* 16 bytes */
uint64_t xtr_meta_clock_res(const struct xtr_meta *m);     /* ns */
const struct xtr_system *xtr_meta_system(const struct xtr_meta *m);
size_t xtr_meta_n_devices(const struct xtr_meta *m);
const struct xtr_device *xtr_meta_device(const struct xtr_meta *m, size_t i);
size_t xtr_meta_n_providers(const struct xtr_meta *m);
const struct xtr_provider *xtr_meta_provider(const struct xtr_meta *m, size_t i);
size_t xtr_meta_n_events(const struct xtr_meta *m); /* in order of type */
const struct xtr_event_desc *xtr_meta_event_at(const struct xtr_meta *m, size_t i);
/*
 * By type in constant time, or by name in a time that grows with the logarithm of their number (the
 * first search after a change sorts them, so no two threads may search at once): of several with
 * one name that of the lowest type. NULL if there is none.
 */
const struct xtr_event_desc *xtr_meta_event(const struct xtr_meta *m, uint32_t type);
const struct xtr_event_desc *xtr_meta_event_by_name(const struct xtr_meta *m, const char *name);
/*
 * i-th config entry in key order; returns false past the last. str is NULL for numbers. The first
 * call after a change may sort them, as above.
 */
bool xtr_meta_config(const struct xtr_meta *m, size_t i, const char **key, uint64_t *num,
		     const char **str);

/* The config entry of this key: a number (false, *num = 0 if there is none), or a text (NULL). */
bool xtr_meta_config_u64(const struct xtr_meta *m, const char *key, uint64_t *num);
const char *xtr_meta_config_str(const struct xtr_meta *m, const char *key);

/*
 * Labels (spec 6.2): what whoever recorded calls the recording by, in config under "label:KEY".
 */
#define XTR_LABEL_KEY_MAX   63u  /* bytes: letters, digits, '.', '_', '-', '/', first no sign */
#define XTR_LABEL_VALUE_MAX 255u /* bytes of UTF-8 without control characters */
#define XTR_LABELS_MAX      64u
/* Are n bytes such a key; such a value? */
bool xtr_label_key_is_right(const char *key, size_t n);
bool xtr_label_value_is_right(const char *value);
/* Set "KEY=VALUE", a label that is right. 0, -EINVAL: its key is none, or -errno as other config.
 */
int xtr_meta_set_label(struct xtr_meta *m, const char *label);
/* The next label in key order from *at on, 0 at first; false past the last. */
bool xtr_meta_next_label(const struct xtr_meta *m, size_t *at, const char **key,
			 const char **value);

/* Deterministic CBOR; *buf is malloc'ed. 0, -ENOMEM, or -E2BIG past a limit of spec 6.1 or 4. */
int xtr_meta_encode(const struct xtr_meta *m, uint8_t **buf, size_t *n);
/*
 * Parse a META payload and merge it into m (later copies add and replace, spec 6). On -EBADMSG
 * err->problem is XTR_P_CBOR or XTR_P_META and m is unchanged.
 */
int xtr_meta_merge(struct xtr_meta *m, const uint8_t *buf, size_t n, struct xtr_err *err);
/*
 * All of from, in the form in which this version writes it, into to, which is empty; an empty one
 * leaves it so. 0, or an error of the two above.
 */
int xtr_meta_copy(struct xtr_meta *to, const struct xtr_meta *from);
/* All were merged: put in order what else is put in order when it is first asked for. */
void xtr_meta_settle(struct xtr_meta *m);

#endif /* XTR_META_H */
