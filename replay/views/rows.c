/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of what the section's own data tell: recordings, devices, rings, tasks, clocks, losses. */
#include "format/xtr_format.h"
#include "relation.h"
#include "replay/event/container.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink {
	const struct xtr_origin *o;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	int (*put)(void *ctx, const struct xtr_row *row);
	void *ctx;
	struct xtr_row row;
};

static int put(struct sink *s)
{
	return s->put(s->ctx, &s->row);
}

/* --- the recording ---------------------------------------------------------------------------- */

void xtr_origin_init(struct xtr_origin *o, const struct xtr_section *section)
{
	const struct xtr_meta *meta = xtr_section_meta(section);
	const struct xtr_system *sys = xtr_meta_system(meta);
	const uint8_t *boot = xtr_meta_boot_id(meta);

	*o = (struct xtr_origin){ .section = section };
	o->host = sys ? sys->hostname : NULL;
	xtr_text_hex(o->boot_id, sizeof(o->boot_id), boot, 16);
	snprintf(o->file_id, sizeof(o->file_id), "%016" PRIx64, xtr_section_file_id(section));
}

void xtr_row_origin(struct xtr_cell cell[XTR_ORIGIN_N], const struct xtr_origin *o)
{
	cell[0] = xtr_cell_name(o->host);
	cell[1] = xtr_cell_str(o->boot_id);
	cell[2] = xtr_cell_str(o->file_id);
}

/* What to add to the event clock for another one that was read with it. */
static struct xtr_cell offset_of(const struct xtr_clock_snapshot *c, uint64_t other)
{
	uint64_t middle = c ? c->before + (c->after - c->before) / 2 : 0;

	return xtr_cell_int(c && other, (int64_t)(other - middle));
}

static int put_file(struct sink *s)
{
	const struct xtr_section *sec = s->o->section;
	const struct xtr_section_summary *sum = xtr_section_summary(sec);
	const struct xtr_system *sys = xtr_meta_system(s->meta);
	const struct xtr_clock_snapshot *clock =
		xtr_section_n_clocks(sec) ? xtr_section_clock(sec, 0) : NULL;
	struct xtr_cell *c = s->row.cell;

	snprintf(s->row.text, sizeof(s->row.text), "%s %s", xtr_meta_writer_name(s->meta),
		 xtr_meta_writer_version(s->meta));
	c[XTR_COL_FILE_SECTION] = xtr_cell_uint(true, s->o->index);
	c[XTR_COL_FILE_CLOCK] = xtr_cell_str(xtr_meta_clock(s->meta));
	c[XTR_COL_FILE_FIRST] = xtr_cell_uint(sum->events, s->o->from);
	c[XTR_COL_FILE_LAST] = xtr_cell_uint(sum->events, s->o->to);
	c[XTR_COL_FILE_REALTIME] = offset_of(clock, clock ? clock->realtime : 0);
	c[XTR_COL_FILE_BOOTTIME] = offset_of(clock, clock ? clock->boottime : 0);
	c[XTR_COL_FILE_WRITER] = xtr_cell_str(s->row.text);
	c[XTR_COL_FILE_KERNEL] = xtr_cell_name(sys ? sys->release : NULL);
	c[XTR_COL_FILE_MACHINE] = xtr_cell_name(sys ? sys->machine : NULL);
	c[XTR_COL_FILE_MACHINE_ID] = xtr_cell_name(sys ? sys->machine_id : NULL);
	c[XTR_COL_FILE_CPUS] = xtr_cell_uint(sys && sys->cpus, sys ? sys->cpus : 0);
	c[XTR_COL_FILE_EVENTS] = xtr_cell_uint(true, sum->events);
	c[XTR_COL_FILE_LOST] = xtr_cell_uint(true, sum->lost);
	c[XTR_COL_FILE_MISSING] = xtr_cell_uint(true, sum->missing);
	c[XTR_COL_FILE_CLOSED] = xtr_cell_uint(true, sum->closed);
	return put(s);
}

static int put_clocks(struct sink *s)
{
	struct xtr_cell *c = s->row.cell;
	int err = 0;

	for (size_t i = 0; i < xtr_section_n_clocks(s->o->section) && !err; i++) {
		const struct xtr_clock_snapshot *k = xtr_section_clock(s->o->section, i);

		c[XTR_COL_CLOCK_BEFORE] = xtr_cell_uint(true, k->before);
		c[XTR_COL_CLOCK_AFTER] = xtr_cell_uint(true, k->after);
		c[XTR_COL_CLOCK_BOOTTIME] = xtr_cell_uint(k->boottime, k->boottime);
		c[XTR_COL_CLOCK_REALTIME] = xtr_cell_uint(k->realtime, k->realtime);
		err = put(s);
	}
	return err;
}

static int put_losses(struct sink *s)
{
	const struct xtr_loss *loss = xtr_section_loss(s->o->section);
	struct xtr_cell *c = s->row.cell;
	int err = 0;

	for (size_t i = 0; i < xtr_loss_n_entries(loss) && !err; i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(loss, i);
		const struct xtr_event_desc *d = xtr_meta_event(s->meta, e->type);

		c[XTR_COL_LOSS_CPU] = xtr_cell_cpu(e->stream);
		c[XTR_COL_LOSS_EVENT] = xtr_cell_str(d ? d->name : NULL);
		c[XTR_COL_LOSS_CAUSE] = xtr_cell_str(xtr_loss_cause_name(e->cause));
		c[XTR_COL_LOSS_COUNT] = xtr_cell_uint(true, e->total);
		err = put(s);
	}
	return err;
}

static int put_meta_row(struct sink *s, const char *prefix, const char *key, const char *value)
{
	struct xtr_cell *c = s->row.cell;
	char name[XTR_ROW_TEXT_MAX];

	snprintf(name, sizeof(name), "%s%s", prefix, key);
	c[XTR_COL_META_KEY] = xtr_cell_str(name);
	c[XTR_COL_META_VALUE] = xtr_cell_str(value);
	return put(s);
}

static int put_config(struct sink *s)
{
	const char *key, *str;
	uint64_t num;
	int err = 0;

	for (size_t i = 0; !err && xtr_meta_config(s->meta, i, &key, &num, &str); i++) {
		snprintf(s->row.text, sizeof(s->row.text), "%" PRIu64, num);
		err = put_meta_row(s, "config.", key, str ? str : s->row.text);
	}
	return err;
}

static int put_providers(struct sink *s)
{
	static const char *const states[] = {
		[XTR_PROVIDER_ATTACHED] = "attached",
		[XTR_PROVIDER_MISSING] = "missing",
		[XTR_PROVIDER_REFUSED] = "refused",
	};
	int err = 0;

	for (size_t i = 0; i < xtr_meta_n_providers(s->meta) && !err; i++) {
		const struct xtr_provider *p = xtr_meta_provider(s->meta, i);

		snprintf(s->row.text, sizeof(s->row.text), "%s%s%s", states[p->state],
			 p->why ? ": " : "", p->why ? p->why : "");
		err = put_meta_row(s, "provider.", p->name, s->row.text);
	}
	return err;
}

static int put_meta(struct sink *s)
{
	const char *reason = xtr_section_end_reason(s->o->section);
	int err = put_config(s) ?: put_providers(s);

	return err || !reason ? err : put_meta_row(s, "end.", "reason", reason);
}

static int put_labels(struct sink *s)
{
	const char *key, *value;
	size_t at = 0;
	int err = 0;

	while (!err && xtr_meta_next_label(s->meta, &at, &key, &value)) {
		s->row.cell[XTR_COL_LABEL_KEY] = xtr_cell_str(key);
		s->row.cell[XTR_COL_LABEL_VALUE] = xtr_cell_str(value);
		err = put(s);
	}
	return err;
}

/* --- devices and rings ------------------------------------------------------------------------ */

/* Device nodes, as many as there is room for. */
static struct xtr_cell nodes_of(char text[XTR_ROW_TEXT_MAX], const struct xtr_device *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_nodes && n < XTR_ROW_TEXT_MAX; i++)
		n += (size_t)snprintf(text + n, XTR_ROW_TEXT_MAX - n, "%s%s", i ? "|" : "",
				      d->nodes[i]);
	return xtr_cell_str(d->n_nodes ? text : NULL);
}

static int put_device(struct sink *s, const struct xtr_device *d)
{
	struct xtr_cell *c = s->row.cell;

	c[XTR_COL_DEV_DEVICE] = xtr_cell_str(d->name);
	c[XTR_COL_DEV_DRIVER] = xtr_cell_name(d->driver);
	c[XTR_COL_DEV_PCI_ID] = xtr_cell_name(d->pci_id);
	c[XTR_COL_DEV_VERSION] = xtr_cell_name(d->driver_version);
	c[XTR_COL_DEV_FIRMWARE] = xtr_cell_name(d->firmware);
	c[XTR_COL_DEV_NODES] = nodes_of(s->row.text, d);
	c[XTR_COL_DEV_SRCVERSION] = xtr_cell_name(d->driver_srcversion);
	c[XTR_COL_DEV_SUBSYSTEM] = xtr_cell_name(d->subsystem);
	c[XTR_COL_DEV_REVISION] = xtr_cell_name(d->revision);
	c[XTR_COL_DEV_MODEL] = xtr_cell_name(d->model);
	c[XTR_COL_DEV_VBIOS] = xtr_cell_name(d->vbios);
	c[XTR_COL_DEV_UUID] = xtr_cell_name(d->uuid);
	return put(s);
}

static bool in_meta(const struct xtr_meta *m, const char *name)
{
	for (size_t i = 0; i < xtr_meta_n_devices(m); i++)
		if (!strcmp(xtr_meta_device(m, i)->name, name))
			return true;
	return false;
}

/* Those that META lists, then those that only have rings. */
static int put_devices(struct sink *s)
{
	int err = 0;

	for (size_t i = 0; i < xtr_meta_n_devices(s->meta) && !err; i++)
		err = put_device(s, xtr_meta_device(s->meta, i));
	for (size_t i = 1; s->o->rings && i < xtr_model_n_devices(s->o->rings) && !err; i++) {
		const struct xtr_model_device *d = xtr_model_device(s->o->rings, i);

		if (!in_meta(s->meta, d->name))
			err = put_device(s, &(struct xtr_device){ .name = d->name });
	}
	return err;
}

void xtr_row_ring(struct xtr_row *row, const struct xtr_model_ring *r)
{
	static const char *const rules[] = {
		[XTR_RULE_IN_ORDER] = "in-order",
		[XTR_RULE_SHARED] = "shared",
		[XTR_RULE_UNKNOWN] = "unknown",
	};
	static const char *const verdicts[] = {
		[XTR_VERDICT_IN_ORDER] = "in-order",
		[XTR_VERDICT_OUT_OF_ORDER] = "out-of-order",
		[XTR_VERDICT_BATCHED] = "batched",
		[XTR_VERDICT_PARALLEL] = "parallel",
	};
	struct xtr_cell *c = row->cell;

	c[XTR_COL_RING_ID] = xtr_cell_uint(true, r->id);
	c[XTR_COL_RING_DEVICE] = xtr_cell_name(r->device_name);
	c[XTR_COL_RING_NAME] = xtr_cell_name(r->name);
	c[XTR_COL_RING_DRIVER] = xtr_cell_name(r->driver);
	c[XTR_COL_RING_KIND] = xtr_cell_str(xtr_job_kind_name(r->kind));
	c[XTR_COL_RING_HW_LIMIT] = xtr_cell_uint(r->limit, r->limit);
	c[XTR_COL_RING_RULE] = xtr_cell_str(rules[r->rule]);
	c[XTR_COL_RING_VERDICT] =
		xtr_cell_str(r->n_done ? verdicts[xtr_ring_ended_verdict(r)] : NULL);
	c[XTR_COL_RING_WHY] = xtr_cell_str(xtr_ring_why(r));
	c[XTR_COL_RING_ORDER] = xtr_cell_str(xtr_ring_order(r));
	c[XTR_COL_RING_ORDER_SOURCE] = xtr_cell_str(r->order_source);
}

static int put_rings(struct sink *s)
{
	int err = 0;

	for (size_t i = 0; s->o->rings && i < xtr_model_n_rings(s->o->rings) && !err; i++) {
		xtr_row_ring(&s->row, xtr_model_ring(s->o->rings, i));
		err = put(s);
	}
	return err;
}

/* --- tasks ------------------------------------------------------------------------------------ */

static int put_tasks(struct sink *s)
{
	struct xtr_cell *c = s->row.cell;
	int err = 0;

	for (size_t i = 0; i < xtr_tables_n_tasks(s->tables) && !err; i++) {
		const struct xtr_task *t = xtr_tables_task_at(s->tables, i);

		c[XTR_COL_TASK_TID] = xtr_cell_uint(true, t->tid);
		c[XTR_COL_TASK_PID] = xtr_cell_uint(t->pid || !t->tid, t->pid);
		c[XTR_COL_TASK_COMM] = xtr_cell_string(s->tables, t->comm);
		c[XTR_COL_TASK_SINCE] = xtr_cell_uint(true, t->since);
		c[XTR_COL_TASK_KTHREAD] = xtr_cell_uint(true, t->flags & XTR_TASK_KTHREAD);
		c[XTR_COL_TASK_PROCESS] = xtr_row_process(&s->row, xtr_process_of(t));
		err = put(s);
	}
	return err;
}

static int by_process(const void *va, const void *vb)
{
	const struct xtr_task *a = *(const struct xtr_task *const *)va;
	const struct xtr_task *b = *(const struct xtr_task *const *)vb;

	if (xtr_process_of(a) != xtr_process_of(b))
		return xtr_process_cmp(xtr_process_of(a), xtr_process_of(b));
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->since < b->since ? -1 : a->since > b->since;
}

/* Which process an imported thread belongs to may not be known: that is none then. */
static bool has_process(const struct xtr_task *t)
{
	return t->pid || !t->tid;
}

/* It is a key: the idle tasks' is called 0. */
static struct xtr_cell process_cell(struct sink *s, uint64_t process)
{
	return process ? xtr_row_process(&s->row, process) : xtr_cell_str("0");
}

/* The last one that is known of its first thread, else of any (spec 6.4). */
static uint32_t cgroup_of(const struct xtr_task *const *t, size_t first, size_t end)
{
	uint32_t leader = 0, any = 0;

	for (size_t i = first; i < end; i++) {
		if (!t[i]->cgroup)
			continue;
		any = t[i]->cgroup;
		leader = t[i]->tid == t[i]->pid ? any : leader;
	}
	return leader ? leader : any;
}

static void put_cgroup(struct sink *s, uint32_t id)
{
	struct xtr_cell *c = s->row.cell;
	struct xtr_container in = { .n = 0 };

	c[XTR_COL_PROC_CGROUP] = xtr_cell_string(s->tables, id);
	if (c[XTR_COL_PROC_CGROUP].kind == XTR_CELL_TEXT)
		xtr_container_of(&in, c[XTR_COL_PROC_CGROUP].s, c[XTR_COL_PROC_CGROUP].n);
	memcpy(s->row.text, in.pod, sizeof(in.pod));
	c[XTR_COL_PROC_CONTAINER] = xtr_cell_text(in.n ? in.id : NULL, in.n);
	c[XTR_COL_PROC_POD] = xtr_cell_name(s->row.text);
}

/* [first, end) of the sorted tasks; named by the leader, else by the thread of lowest id. */
static int put_process(struct sink *s, const struct xtr_task *const *t, size_t first, size_t end)
{
	const struct xtr_task *named = t[first];
	struct xtr_cell *c = s->row.cell;
	uint64_t threads = 1;

	for (size_t i = first + 1; i < end; i++) {
		threads += t[i]->tid != t[i - 1]->tid;
		if (t[i]->tid == named->tid || t[i]->tid == t[i]->pid)
			named = t[i];
	}
	c[XTR_COL_PROC_PID] = xtr_cell_uint(true, named->pid);
	c[XTR_COL_PROC_COMM] = xtr_cell_string(s->tables, named->comm);
	c[XTR_COL_PROC_THREADS] = xtr_cell_uint(true, threads);
	c[XTR_COL_PROC_PROCESS] = process_cell(s, xtr_process_of(named));
	c[XTR_COL_PROC_START] = xtr_cell_uint(named->start != 0, named->start);
	put_cgroup(s, cgroup_of(t, first, end));
	return put(s);
}

static int put_processes(struct sink *s)
{
	size_t all = xtr_tables_n_tasks(s->tables), n = 0, i, end;
	const struct xtr_task **t = malloc((all + 1) * sizeof(const struct xtr_task *));
	int err = 0;

	if (!t)
		return -ENOMEM;
	for (i = 0; i < all; i++)
		if (has_process(xtr_tables_task_at(s->tables, i)))
			t[n++] = xtr_tables_task_at(s->tables, i);
	qsort(t, n, sizeof(const struct xtr_task *), by_process);
	for (i = 0; i < n && !err; i = end) {
		for (end = i + 1; end < n && xtr_process_of(t[end]) == xtr_process_of(t[i]); end++)
			;
		err = put_process(s, t, i, end);
	}
	free(t);
	return err;
}

int xtr_rows(enum xtr_relation_id id, const struct xtr_origin *o,
	     int (*put_row)(void *ctx, const struct xtr_row *row), void *ctx)
{
	static int (*const all[XTR_REL_COUNT])(struct sink *) = {
		[XTR_REL_FILES] = put_file,    [XTR_REL_DEVICES] = put_devices,
		[XTR_REL_RINGS] = put_rings,   [XTR_REL_PROCESSES] = put_processes,
		[XTR_REL_TASKS] = put_tasks,   [XTR_REL_CLOCKS] = put_clocks,
		[XTR_REL_LOSSES] = put_losses, [XTR_REL_META] = put_meta,
		[XTR_REL_LABELS] = put_labels,
	};
	struct sink s = {
		.o = o,
		.meta = xtr_section_meta(o->section),
		.tables = xtr_section_tables(o->section),
		.put = put_row,
		.ctx = ctx,
	};

	return all[id] ? all[id](&s) : 0;
}
