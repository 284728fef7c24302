/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "idle_section.h"

#include <string.h>

/* --- devices ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xtr_idle_device, member)
static const struct xtr_section_column device_columns[] = {
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "first_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(first_ns), "when its first job began" },
	{ "last_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(last_ns), "when its last job ended" },
	{ "idle_ns", "idle", XTR_C_NS | XTR_C_TIMES, AT(idle_ns), "in between, without a job" },
	{ NULL, "of its time", XTR_C_SHARE, XTR_PUT },
	{ "stretches", "stretches", XTR_C_COUNT | XTR_C_TIMES, AT(stretches), "of idle time" },
	{ "longest_ns", "longest", XTR_C_NS | XTR_C_TIMES, AT(longest_ns), "of them" },
	{ "explained_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(explained_ns),
	  "idle time of which it is known what stood there" },
	{ NULL, "explained", XTR_C_SHARE, XTR_PUT },
	{ "lost_ns", "lost", XTR_C_NS | XTR_C_TIMES, AT(lost_ns),
	  "the same time, not counted as events were lost meanwhile" },
};
#undef AT

static void put_device(struct xtr_rows *r, const struct xtr_idle_device *d)
{
	xtr_put_name(r, *d->name ? d->name : NULL, strlen(d->name));
}

static bool put_devices(struct xtr_rows *r, const void *row)
{
	const struct xtr_idle_device *d = row;

	put_device(r, d);
	xtr_put_share(r, d->last_ns > d->first_ns, d->idle_ns, d->last_ns - d->first_ns);
	xtr_put_share(r, d->idle_ns, d->explained_ns, d->idle_ns);
	return true;
}

static const struct xtr_section_table devices =
	XTR_TABLE_OF("devices", "a device, from its first job to its last", device_columns,
		     XTR_ARRAY(struct idle_section, device, n_devices), put_devices, XTR_SHOW_ALL);

/* --- states ----------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct idle_state, member)
static const struct xtr_section_column state_columns[] = {
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "pid", "pid", XTR_C_PROCESS, AT(process), "process that submitted the next job" },
	{ "comm", "<process", XTR_C_STRING | XTR_C_BLANK, AT(comm), "its name" },
	{ "state", "<its thread", XTR_C_TEXT, XTR_PUT, "what the thread did that submitted it" },
	{ "ns", "idle", XTR_C_NS | XTR_C_TIMES, AT(ns), "idle time in which it did" },
	{ NULL, "of it", XTR_C_SHARE, XTR_PUT },
	{ "explained_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(explained_ns),
	  "of it, with a known stack where there is one to be known" },
	{ "samples", "samples", XTR_C_COUNT, AT(samples), "of its stack, while it ran" },
	{ "leaf", "<most in", XTR_C_TEXT, XTR_PUT,
	  "function in which most of it is: the innermost of the program's own" },
	{ "leaf_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(leaf.ns), "idle time there" },
};
#undef AT

static void fill_states(const void *self, struct xtr_rows *r)
{
	const struct idle_section *x = self;

	for (size_t i = 0; i < x->n_rows; i++) {
		const struct idle_state *s = &x->row[i];
		const struct xtr_idle_device *d = &x->device[s->device];

		put_device(r, d);
		xtr_put_text(r, xtr_idle_state_name(s->state));
		xtr_put_share(r, d->idle_ns, s->ns, d->idle_ns);
		xtr_put_copy(r, *s->leaf.name ? s->leaf.name : NULL);
		xtr_row(r, s);
	}
}

static const struct xtr_section_table state_table = {
	.name = "states",
	.help = "what the threads of a process did while a device was idle, before its next job",
	XTR_TABLE_COLUMNS(state_columns),
	.fill = fill_states,
	.limit = XTR_SHOW_TOP,
	.heading = "  who submitted the next job, and what that thread did meanwhile\n",
};

const struct xtr_section_table *const idle_tables[] = { &devices, &state_table, NULL };

int idle_text(const void *self, const struct xtr_view *v)
{
	const struct idle_section *x = self;

	return xtr_tables_text(idle_tables, x, x->o, v->f);
}

void idle_json(const void *self, struct xtr_json *j)
{
	const struct idle_section *x = self;

	xtr_json_begin_object(j);
	xtr_tables_json(idle_tables, x, x->o, j);
	xtr_json_end_object(j);
}
