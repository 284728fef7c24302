/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a meta, shared by meta.c (contents), meta_config.c, meta_dup.c, meta.c,
 * meta_enc.c and meta_dec.c.
 */
#ifndef XTR_META_PRIV_H
#define XTR_META_PRIV_H

#include "base/map.h"
#include "meta.h"

struct xtr_config_entry {
	char *key, *str; /* str: NULL for a number */
	uint64_t num;
};

/*
 * Entries in order of the keys' encoded bytes, once they are put in order: when the first is asked
 * for. Texts are found by their hash and how many with this hash came before.
 */
struct xtr_config {
	struct xtr_config_entry *v;
	size_t n, cap;
	bool unsorted;
	struct xtr_map by_key; /* -> index in v */
};

/* Events by the low byte of their type. */
struct xtr_event_page {
	struct xtr_event_desc *of[256];
};

/* Types of all events in order of name, then of type; made when a name is first looked for. */
struct xtr_name_index {
	uint16_t *types; /* NULL: not made since the events changed */
};

/* System, devices, providers and events are each one malloc'ed block with their strings in it. */
struct xtr_meta {
	char *writer_name, *writer_version, *clock;
	uint8_t boot_id[16];
	uint64_t res_ns;
	struct xtr_system *system;
	struct xtr_device **devices;
	struct xtr_provider **providers;
	size_t n_devices, cap_devices, n_providers, cap_providers;
	struct xtr_map by_device, by_provider; /* name, id -> index */
	struct xtr_config *config;
	struct xtr_event_page *pages[256]; /* by the high byte of their type; NULL: none */
	uint16_t *types;                   /* of all events, in order */
	size_t n_events, cap_types;
	struct xtr_name_index *names; /* where there are events */
};

/* The event of a type that fits 16 bits, or NULL. */
static inline struct xtr_event_desc *xtr_meta_of_type(const struct xtr_meta *m, uint32_t type)
{
	const struct xtr_event_page *page = m->pages[type >> 8];

	return page ? page->of[type & 255] : NULL;
}

/* --- meta_config.c ---------------------------------------------------------------------------- */

void xtr_config_free(struct xtr_config *c);
/* Bring the entries in order. c may be NULL. */
void xtr_config_sort(struct xtr_config *c);

/* Copies with their strings; NULL: no memory. */
struct xtr_system *xtr_system_dup(const struct xtr_system *sys);
struct xtr_device *xtr_device_dup(const struct xtr_device *dev);
struct xtr_provider *xtr_provider_dup(const struct xtr_provider *p);
/* The same; names of values come out sorted, the first of equal values stays. */
struct xtr_event_desc *xtr_event_dup(const struct xtr_event_desc *ev);
/* True if spec 6.2 lets META say this of an event. */
bool xtr_event_is_sane(const struct xtr_event_desc *ev);

/* The events change: forget their order. */
void xtr_name_index_free(struct xtr_name_index *x);

#endif /* XTR_META_PRIV_H */
