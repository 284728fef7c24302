/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vblank events of system drm. Their trace points belong to the kernel's own module drm, so the
 * events and their formats are the real ones: this calls whatever is attached to them, with the
 * values of a scenario.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include "player_internal.h"

enum {
	EVENT,
	QUEUED,
	DELIVERED,
	POINTS
};

static const char *const xp_names[POINTS] = { "drm_vblank_event", "drm_vblank_event_queued",
					      "drm_vblank_event_delivered" };
static struct tracepoint *xp_points[POINTS];

typedef void (*xp_event_fn)(void *data, int crtc, unsigned int seq, ktime_t time, bool high_prec);
typedef void (*xp_file_fn)(void *data, void *file, int crtc, unsigned int seq);

/* The functions attached to a point, the last has none; NULL: nothing is. */
static struct tracepoint_func *xp_attached(int point)
{
	struct tracepoint *tp = READ_ONCE(xp_points[point]);

	return tp ? rcu_dereference_raw(tp->funcs) : NULL;
}

static void xp_fire_event(const struct xp_value *v)
{
	struct tracepoint_func *f;

	preempt_disable_notrace();
	for (f = xp_attached(EVENT); f && f->func; f++)
		((xp_event_fn)f->func)(f->data, v[0].n, v[1].n, v[2].n, v[3].n);
	preempt_enable_notrace();
}

static void xp_fire_file(int point, const struct xp_value *v)
{
	struct tracepoint_func *f;

	preempt_disable_notrace();
	for (f = xp_attached(point); f && f->func; f++)
		((xp_file_fn)f->func)(f->data, (void *)(unsigned long)v[0].n, v[1].n, v[2].n);
	preempt_enable_notrace();
}

static void xp_fire_queued(const struct xp_value *v)
{
	xp_fire_file(QUEUED, v);
}

static void xp_fire_delivered(const struct xp_value *v)
{
	xp_fire_file(DELIVERED, v);
}

static const struct xp_field xp_event_fields[] = { { "crtc", XP_INT, 4, 1 },
						   { "seq", XP_INT, 4, 1 },
						   { "time", XP_INT, 8, 1 },
						   { "high_prec", XP_INT, 1, 1 } };
static const struct xp_field xp_file_fields[] = { { "file", XP_INT, 8, 1 },
						  { "crtc", XP_INT, 4, 1 },
						  { "seq", XP_INT, 4, 1 } };
static const struct xp_event xp_events[POINTS] = {
	[EVENT] = { "drm_vblank_event", xp_event_fields, 4, xp_fire_event },
	[QUEUED] = { "drm_vblank_event_queued", xp_file_fields, 3, xp_fire_queued },
	[DELIVERED] = { "drm_vblank_event_delivered", xp_file_fields, 3, xp_fire_delivered },
};
static struct xp_driver xp_driver = { .system = "drm", .events = xp_events, .n_events = POINTS };

/* Called for modules that are there already, too, at registration. */
static int xp_see_module(struct notifier_block *nb, unsigned long action, void *data)
{
	struct tp_module *tp_mod = data;
	struct module *mod = tp_mod->mod;

	if (strcmp(mod->name, "drm") != 0)
		return NOTIFY_OK;
	for (unsigned int k = 0; k < POINTS; k++) {
		WRITE_ONCE(xp_points[k], NULL);
		for (unsigned int i = 0; action == MODULE_STATE_COMING && i < mod->num_tracepoints;
		     i++) {
			struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

			if (!strcmp(tp->name, xp_names[k]))
				WRITE_ONCE(xp_points[k], tp);
		}
	}
	return NOTIFY_OK;
}

static struct notifier_block xp_module_nb = { .notifier_call = xp_see_module };

int xp_drm_init(void)
{
	int ret = register_tracepoint_module_notifier(&xp_module_nb);

	if (!ret)
		xp_register(&xp_driver);
	return ret;
}

void xp_drm_fini(void)
{
	xp_unregister(&xp_driver);
	unregister_tracepoint_module_notifier(&xp_module_nb);
}
