/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_ring.h"
#include "records.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <string.h>

#define RING_BYTES (256u << 10) /* for each CPU: 3,000 new tasks between two passes */
#define OFFSET_MAX (1u << 15)

static uint16_t offset_of(const struct xtr_tp_format *f, const char *name, uint32_t size)
{
	for (size_t i = 0; i < f->n_fields; i++) {
		const struct xtr_tp_field *field = &f->fields[i];

		if (!strcmp(field->name, name) && field->size == size && field->offset < OFFSET_MAX)
			return (uint16_t)field->offset;
	}
	return 0;
}

static uint16_t most(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

static bool newtask_layout(struct xtr_task_layout *at, const struct xtr_tp_format *f)
{
	at->pid = offset_of(f, "pid", 4);
	at->comm = offset_of(f, "comm", XTR_COMM_LEN);
	at->flags = offset_of(f, "clone_flags", 8);
	at->newtask_size = most(at->flags + 8, most(at->comm + XTR_COMM_LEN, at->pid + 4));
	return at->pid && at->comm && at->flags;
}

/* Newer kernels do not say whose name it is: it is the current thread's, but where somebody writes
 * to /proc/PID/comm of another one. */
static bool rename_layout(struct xtr_task_layout *at, const struct xtr_tp_format *f)
{
	at->of = offset_of(f, "pid", 4);
	at->newcomm = offset_of(f, "newcomm", XTR_COMM_LEN);
	at->rename_size = most(at->of + 4, at->newcomm + XTR_COMM_LEN);
	return at->newcomm;
}

static bool (*const layouts[])(struct xtr_task_layout *at, const struct xtr_tp_format *f) = {
	[XTR_TASK_NEW] = newtask_layout,
	[XTR_TASK_RENAME] = rename_layout,
};
static const char *const names[] = {
	[XTR_TASK_NEW] = "task_newtask",
	[XTR_TASK_RENAME] = "task_rename",
};

/* Without one of them names are those of /proc. */
static void find_events(struct xtr_task_ring *r, bool switch_on)
{
	for (size_t i = 0; i < XTR_TASK_EVENTS; i++) {
		struct xtr_tp_format *f;

		if (xtr_tracefs_format("task", names[i], &f))
			continue;
		if (layouts[i](&r->at, f) &&
		    (!switch_on || !xtr_ring_set_event(&r->set, "task", names[i])))
			r->id[i] = f->id;
		xtr_tp_format_free(f);
	}
}

int xtr_task_ring_open(struct xtr_task_ring *r, uint64_t id, uint32_t n_cpus)
{
	char name[XTR_INSTANCE_NAME];
	int err;

	xtr_instance_name(name, id, "-tasks");
	err = xtr_ring_set_new(&r->set, name, n_cpus, RING_BYTES);
	if (!err)
		find_events(r, true);
	return err ? err : xtr_ring_set_open(&r->set);
}

void xtr_task_ring_adopt(struct xtr_task_ring *r, uint64_t id, uint32_t n_cpus)
{
	char name[XTR_INSTANCE_NAME];

	xtr_instance_name(name, id, "-tasks");
	if (!xtr_ring_set_adopt(&r->set, name, n_cpus))
		find_events(r, false);
}

static void take_newtask(const struct xtr_task_layout *at, struct xtr_ft_tasks *tasks,
			 const struct xtr_ring_event *ev)
{
	struct xtr_ft_event e = { .ts = ev->ts, .parent = xtr_load32(ev->data + 4) };
	uint64_t flags;

	if (ev->n < at->newtask_size)
		return;
	memcpy(&flags, ev->data + at->flags, sizeof(flags));
	e.thread = flags & 0x00010000u; /* CLONE_THREAD */
	e.tid = xtr_load32(ev->data + at->pid);
	memcpy(e.comm, ev->data + at->comm, sizeof(e.comm));
	xtr_ft_tasks_add(tasks, &e);
}

static void take_rename(const struct xtr_task_layout *at, struct xtr_ft_tasks *tasks,
			const struct xtr_ring_event *ev)
{
	struct xtr_ft_event e = { .ts = ev->ts, .rename = true };

	if (ev->n < at->rename_size)
		return;
	e.tid = xtr_load32(ev->data + (at->of ? at->of : 4));
	memcpy(e.comm, ev->data + at->newcomm, sizeof(e.comm));
	xtr_ft_tasks_add(tasks, &e);
}

static void take_cpu(struct xtr_task_ring *r, struct xtr_ring_cpu *c, struct xtr_ft_tasks *tasks)
{
	struct xtr_ring_event ev;

	while (xtr_ring_set_read(&r->set, c) == 1) {
		while (xtr_ring_page_next(&c->at, &ev) == 1) {
			uint32_t id = ev.n < XTR_TP_COMMON ? 0 : xtr_load32(ev.data) & 0xffff;

			if (id && id == r->id[XTR_TASK_NEW])
				take_newtask(&r->at, tasks, &ev);
			else if (id && id == r->id[XTR_TASK_RENAME])
				take_rename(&r->at, tasks, &ev);
		}
	}
}

void xtr_task_ring_take(struct xtr_task_ring *r, struct xtr_ft_tasks *tasks)
{
	for (uint32_t i = 0; r->set.cpus && i < r->set.n_cpus; i++)
		take_cpu(r, &r->set.cpus[i], tasks);
}
