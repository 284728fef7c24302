/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of functions, as spec/events.md names and lays them out. */
#include "import_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MODULE_MAX 64u  /* bytes of a module's or a library's name */
#define SYMBOL_MAX 255u /* bytes of a function's */
/* A record's filter has room for 64 fields, and the context is one. */
#define VALUES_MAX (XTR_IMPORT_VALUES - 1)

/* ".isra.0": a suffix of the compiler for what is still the function. 0: none at p. */
static size_t suffix_at(const char *p, const char *end)
{
	static const char *const words[] = { ".isra.", ".constprop.", ".part." };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]), digits = n;

		if ((size_t)(end - p) <= n || memcmp(p, words[i], n) != 0)
			continue;
		while (p + digits < end && isdigit((unsigned char)p[digits]))
			digits++;
		return digits > n ? digits : 0;
	}
	return 0;
}

/* The length of the name in the source: without suffixes, of which there may be several. */
static size_t source_name(const char *symbol, size_t len)
{
	const char *end = symbol + len;

	for (const char *dot = symbol; dot < end; dot++) {
		const char *p = dot;
		size_t n;

		while (*dot == '.' && p < end && (n = suffix_at(p, end)))
			p += n;
		if (p == end)
			return (size_t)(dot - symbol);
	}
	return len;
}

int xtr_import_call(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct xtr_import_call *call, const struct xtr_import_value *v, size_t n)
{
	char name[MODULE_MAX + SYMBOL_MAX + sizeof("func:unknown::ret")], target[SYMBOL_MAX + 1];
	size_t len = call->symbol_len < SYMBOL_MAX ? call->symbol_len : SYMBOL_MAX;
	size_t module_len = call->module_len < MODULE_MAX ? call->module_len : MODULE_MAX;
	int err = import_see(im, at);

	snprintf(target, sizeof(target), "%.*s", (int)len, call->symbol);
	snprintf(name, sizeof(name), "%s:%.*s:%.*s%s", call->api ? "api" : "func",
		 (int)(module_len ? module_len : sizeof("unknown") - 1),
		 module_len ? call->module : "unknown", (int)source_name(call->symbol, len),
		 call->symbol, call->ret ? ":ret" : "");
	import_clean(name);
	import_clean(target);
	return err ? err
		   : import_values_put(im, at, name, target, call, v,
				       n < VALUES_MAX ? n : VALUES_MAX);
}

/* --- import role ------------------------------------------------------------------------------ */

/*
 * Which events become those of spec/events.md, and which of their fields is what. An event is told
 * by its name and the fields that it has, never by the kernel's version; one that lacks a field is
 * kept as any other event. Fields have the names of tracefs: those of printed events were given
 * them (replay/event/print_format.h).
 */

#define NEEDS_KEY  (ROLE_BIT(ROLE_CTX) | ROLE_BIT(ROLE_SEQNO))
#define NEEDS_NEW  (NEEDS_KEY | ROLE_BIT(ROLE_RING))
#define NEEDS_DEP  (NEEDS_KEY | ROLE_BIT(ROLE_DEP_CTX) | ROLE_BIT(ROLE_DEP_SEQNO))
#define NEEDS_OLD  (ROLE_BIT(ROLE_FENCE) | ROLE_BIT(ROLE_RING) | ROLE_BIT(ROLE_ID))
#define NEEDS_WAIT (ROLE_BIT(ROLE_RING) | ROLE_BIT(ROLE_ID) | ROLE_BIT(ROLE_DEP_CTX))

/* clang-format off */
#define KEY    { ROLE_CTX, "fence_context" }, { ROLE_SEQNO, "fence_seqno" }
#define RING   { ROLE_RING, "name" }
#define COUNTS { ROLE_JOBS, "job_count" }, { ROLE_HW, "hw_job_count" }
#define DEP    { ROLE_DEP_CTX, "ctx" }, { ROLE_DEP_SEQNO, "seqno" }

#define NEW_JOB(name, ev) \
	{ "gpu_scheduler", name, ev, NEEDS_NEW, import_job_new, \
	  { KEY, RING, { ROLE_DEV, "dev" }, COUNTS, { ROLE_CLIENT, "client_id" } } }
#define NEW_DEP(name, ev) \
	{ "gpu_scheduler", name, ev, NEEDS_DEP, import_dep_new, { KEY, DEP } }
#define NEW_DONE(name) \
	{ "gpu_scheduler", name, XTR_EV_JOB_DONE, NEEDS_KEY, import_done_new, { KEY } }
#define OLD_JOB(name, ev) \
	{ "gpu_scheduler", name, ev, NEEDS_OLD, import_job_old, \
	  { { ROLE_ENTITY, "entity" }, { ROLE_FENCE, "fence" }, RING, { ROLE_ID, "id" }, COUNTS } }
#define FENCE(name, ev) \
	FENCE_OF("dma_fence", "dma_" name, ev), FENCE_OF("fence", name, ev) /* up to Linux 4.9 */
#define FENCE_OF(system, name, ev) \
	{ system, name, ev, NEEDS_KEY, import_fence, \
	  { { ROLE_CTX, "context" }, { ROLE_SEQNO, "seqno" }, { ROLE_DRIVER, "driver" }, \
	    { ROLE_TIMELINE, "timeline" } } }

/* The first of an event that has all that it needs is taken. */
static const struct import_event_map maps[] = {
	NEW_JOB("drm_sched_job_queue", XTR_EV_JOB_QUEUE),
	NEW_JOB("drm_sched_job_run", XTR_EV_JOB_RUN),
	NEW_DONE("drm_sched_job_done"),
	NEW_DEP("drm_sched_job_add_dep", XTR_EV_JOB_ADD_DEP),
	NEW_DEP("drm_sched_job_unschedulable", XTR_EV_JOB_UNSCHEDULABLE),
	OLD_JOB("drm_sched_job", XTR_EV_JOB_QUEUE),
	OLD_JOB("drm_run_job", XTR_EV_JOB_RUN),
	{ "gpu_scheduler", "drm_sched_process_job", XTR_EV_JOB_DONE, ROLE_BIT(ROLE_FENCE),
	  import_done_old, { { ROLE_FENCE, "fence" } } },
	{ "gpu_scheduler", "drm_sched_job_wait_dep", XTR_EV_JOB_WAIT_DEP, NEEDS_WAIT,
	  import_dep_old, { RING, { ROLE_ID, "id" }, { ROLE_DEP_FENCE, "fence" }, DEP } },
	/* Old names with the keys of the new ones: patched kernels. */
	NEW_JOB("drm_sched_job", XTR_EV_JOB_QUEUE),
	NEW_JOB("drm_run_job", XTR_EV_JOB_RUN),
	NEW_DONE("drm_sched_process_job"),
	FENCE("fence_init", XTR_EV_FENCE_INIT),
	FENCE("fence_emit", XTR_EV_FENCE_EMIT),
	FENCE("fence_enable_signal", XTR_EV_FENCE_ENABLE_SIGNAL),
	FENCE("fence_signaled", XTR_EV_FENCE_SIGNALED),
	FENCE("fence_wait_start", XTR_EV_FENCE_WAIT_START),
	FENCE("fence_wait_end", XTR_EV_FENCE_WAIT_END),
	FENCE("fence_destroy", XTR_EV_FENCE_DESTROY),
};
/* clang-format on */

static bool same(const char *s, const char *text, size_t len)
{
	return strlen(s) == len && !memcmp(s, text, len);
}

const struct import_event_map *import_map_find(const struct import_event_map *after,
					       const char *system, size_t system_len,
					       const char *event, size_t event_len)
{
	const struct import_event_map *m = after ? after + 1 : maps;

	for (; m < maps + sizeof(maps) / sizeof(maps[0]); m++) {
		if (system_len && !same(m->system, system, system_len))
			continue;
		if (same(m->event, event, event_len))
			return m;
	}
	return NULL;
}

static bool is_text_role(enum import_role role)
{
	return role == ROLE_RING || role == ROLE_DEV || role == ROLE_DRIVER ||
	       role == ROLE_TIMELINE;
}

enum import_role import_role_of(const struct import_event_map *map, const char *name, size_t len,
				bool text)
{
	for (size_t i = 0; map && i < sizeof(map->roles) / sizeof(map->roles[0]); i++) {
		if (!map->roles[i].name)
			break;
		if (same(map->roles[i].name, name, len) && is_text_role(map->roles[i].role) == text)
			return map->roles[i].role;
	}
	return ROLES;
}
