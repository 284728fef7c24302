/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts every hit of the scheduler's and of dma_fence's trace points between start and stop,
 * independently of any tracer: what a recorder recorded plus what it says it lost must be this.
 *
 * One probe serves all: it takes only its data pointer and ignores the arguments behind it, which
 * the kernel's calling convention allows. Between stop and start no probe is attached.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "fg.h"

#define FG_MAX_EVENTS 48

struct fg_event {
	struct tracepoint *tp;
	atomic64_t count;
};

static struct fg_event fg_events[FG_MAX_EVENTS];
static unsigned int fg_n_events;
static bool fg_counting;
static DEFINE_MUTEX(fg_lock);

static void fg_count(void *data)
{
	struct fg_event *event = data;

	atomic64_inc(&event->count);
}

static void fg_add_event(struct tracepoint *tp)
{
	if (fg_n_events < FG_MAX_EVENTS)
		fg_events[fg_n_events++].tp = tp;
}

static void fg_see_builtin(struct tracepoint *tp, void *unused)
{
	if (str_has_prefix(tp->name, "dma_fence_"))
		fg_add_event(tp);
}

/* Called for each module that is loaded already, at registration. */
static int fg_see_module(struct notifier_block *nb, unsigned long action, void *data)
{
	struct tp_module *tp_mod = data;
	struct module *mod = tp_mod->mod;

	if (action != MODULE_STATE_COMING || strcmp(mod->name, "gpu_sched") != 0)
		return NOTIFY_OK;
	for (unsigned int i = 0; i < mod->num_tracepoints; i++)
		fg_add_event(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]));
	return NOTIFY_OK;
}

static struct notifier_block fg_module_nb = { .notifier_call = fg_see_module };

int fg_emitted_init(void)
{
	int ret;

	for_each_kernel_tracepoint(fg_see_builtin, NULL);
	ret = register_tracepoint_module_notifier(&fg_module_nb);
	if (ret)
		return ret;
	unregister_tracepoint_module_notifier(&fg_module_nb);
	return fg_n_events ? 0 : -ENODEV;
}

struct tracepoint *fg_tracepoint(const char *name)
{
	for (unsigned int i = 0; i < fg_n_events; i++) {
		if (strcmp(fg_events[i].tp->name, name) == 0)
			return fg_events[i].tp;
	}
	return NULL;
}

static void fg_detach(unsigned int n)
{
	while (n-- > 0)
		tracepoint_probe_unregister(fg_events[n].tp, fg_count, &fg_events[n]);
	tracepoint_synchronize_unregister();
}

int fg_emitted_start(void)
{
	int ret = 0;

	mutex_lock(&fg_lock);
	if (fg_counting)
		goto out;
	for (unsigned int i = 0; i < fg_n_events; i++) {
		atomic64_set(&fg_events[i].count, 0);
		ret = tracepoint_probe_register(fg_events[i].tp, fg_count, &fg_events[i]);
		if (ret) {
			fg_detach(i);
			goto out;
		}
	}
	fg_counting = true;
out:
	mutex_unlock(&fg_lock);
	return ret;
}

void fg_emitted_stop(void)
{
	mutex_lock(&fg_lock);
	if (fg_counting)
		fg_detach(fg_n_events);
	fg_counting = false;
	mutex_unlock(&fg_lock);
}

void fg_emitted_fini(void)
{
	fg_emitted_stop();
}

bool fg_emitted_running(void)
{
	return READ_ONCE(fg_counting);
}

void fg_emitted_show(struct seq_file *m)
{
	for (unsigned int i = 0; i < fg_n_events; i++)
		seq_printf(m, "%s %lld\n", fg_events[i].tp->name,
			   (long long)atomic64_read(&fg_events[i].count));
}
