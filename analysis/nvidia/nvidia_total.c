/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled ioctls: a part of them is in the trace, and the recorder counted all (xtr:total,
 * spec/events.md). The last record of each process and key holds.
 */
#include "analysis/core/section_columns.h"
#include "base/text.h"
#include "nvidia.h"
#include "replay/event/func_event.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

enum {
	EVENT,
	TGID,
	KEY,
	SUBKEY,
	COUNT,
	OTHER,
	INTERIM
};

static const struct xtr_bind_spec spec = {
	"xtr:total", 0, { "event", "tgid", "key", "subkey", "count", "other", "interim" }
};

static const struct {
	const char *name;
	enum nv_role role;
} functions[] = {
	{ "func:nvidia:nvidia_unlocked_ioctl", NV_IOCTL },
	{ "func:nvidia:nvidia_frontend_unlocked_ioctl", NV_IOCTL },
	{ "func:nvidia:nvidia_ioctl", NV_IOCTL },
	{ "func:nvidia_uvm:uvm_unlocked_ioctl_entry", NV_UVM_IOCTL },
};

void nv_totals_open(struct nvidia *nv)
{
	char key[96];
	uint64_t ppm;

	xtr_bind_event(&nv->total_bind, nv->o->meta, &spec);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		snprintf(key, sizeof(key), "sample:%s", functions[i].name);
		if (xtr_meta_config_u64(nv->o->meta, key, &ppm) && ppm && ppm < 1000000)
			nv->sample_ppm[functions[i].role == NV_UVM_IOCTL] = (uint32_t)ppm;
	}
}

static enum nv_role role_of(const struct nvidia *nv, const struct xtr_event *ev)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (xtr_bind_text_is(&nv->total_bind, EVENT, ev, nv->o->tables, functions[i].name))
			return functions[i].role;
	return NV_NONE;
}

int nv_total_event(struct nvidia *nv, const struct xtr_event *ev)
{
	const struct xtr_bind *b = &nv->total_bind;
	struct nv_total t = { .role = role_of(nv, ev),
			      .tgid = (uint32_t)xtr_bind_u64(b, TGID, ev),
			      .other = xtr_bind_u64(b, OTHER, ev),
			      .interim = xtr_bind_u64(b, INTERIM, ev),
			      .key = (uint32_t)xtr_bind_u64(b, KEY, ev),
			      .subkey = (uint32_t)xtr_bind_u64(b, SUBKEY, ev),
			      .count = xtr_bind_u64(b, COUNT, ev) };
	uint64_t who = (uint64_t)t.role << 33 | (uint64_t)t.other << 32 | t.tgid;
	uint64_t what = (uint64_t)t.key << 32 | t.subkey;
	uint32_t i;

	if (t.role == NV_NONE)
		return 0;
	i = xtr_map_index(&nv->totals, who, what);
	if (i != NONE) {
		nv->total[i] = t;
		return 0;
	}
	if (nv->n_totals == NV_TOTALS_MAX) {
		nv->totals_left_out = true;
		return 0;
	}
	if (!nv_more((void **)&nv->total, nv->n_totals, sizeof(t)) ||
	    xtr_map_put(&nv->totals, who, what, nv->n_totals))
		return -ENOMEM;
	nv->total[nv->n_totals++] = t;
	return 0;
}

/* Into the rows of its process and ioctl, which are there or made for it. */
static int add(struct nvidia *nv, const struct nv_total *t)
{
	const struct xtr_task *task =
		nv->o->tables ? xtr_tables_task(nv->o->tables, t->tgid, UINT64_MAX) : NULL;
	struct nv_step s = { .role = t->role,
			     .process = task ? xtr_process_of(task) : t->tgid,
			     .comm = task ? task->comm : 0 };
	bool uvm = t->role == NV_UVM_IOCTL;
	struct nv_ioctl *row;
	uint32_t process;
	int err;

	if (t->other) {
		nv->total_others += t->count;
		return 0;
	}
	s.v[NV_V_CMD] = t->key;
	s.v[NV_V_ARG_CMD] = s.v[NV_V_ARG_CLASS] = t->subkey;
	s.has[NV_V_ARG_CMD] = nv->track.b.values[NV_IOCTL][NV_V_ARG_CMD];
	s.has[NV_V_ARG_CLASS] = nv->track.b.values[NV_IOCTL][NV_V_ARG_CLASS];
	err = nv_process_of(nv, &s, &process);
	if (!err)
		err = nv_ioctl_row(nv, &s, process, &row);
	if (err)
		return err;
	row->total += t->count;
	*(uvm ? &nv->process[process].uvm_ioctls_total : &nv->process[process].ioctls_total) +=
		t->count;
	return 0;
}

int nv_totals_finish(struct nvidia *nv)
{
	int err = 0;

	nv->totals_exact = nv->n_totals && !nv->totals_left_out;
	for (uint32_t i = 0; i < nv->n_totals && !err; i++) {
		nv->totals_exact &= !nv->total[i].interim;
		err = add(nv, &nv->total[i]);
	}
	return err;
}

/* --- view ------------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct nvidia, member)
static const struct xtr_section_column sample_columns[] = {
	{ "ioctl_ppm", NULL, XTR_C_NUMBER, XTR_PUT, "share of ioctls, in millionths" },
	{ "uvm_ioctl_ppm", NULL, XTR_C_NUMBER, XTR_PUT, "share of UVM's" },
	{ "totals", NULL, XTR_C_BOOL, XTR_PUT, "how many there were is in the trace" },
	FLAG("exact", totals_exact, "and exact"),
	COUNT("others", total_others, "of processes and ioctls for which there was no room"),
};
#undef AT

static bool put_sample(struct xtr_rows *r, const void *row)
{
	const struct nvidia *nv = row;

	if (!nv->sample_ppm[0] && !nv->sample_ppm[1])
		return false;
	xtr_put_u64(r, true, nv->sample_ppm[0] ? nv->sample_ppm[0] : 1000000);
	xtr_put_u64(r, true, nv->sample_ppm[1] ? nv->sample_ppm[1] : 1000000);
	xtr_put_u64(r, true, nv->n_totals != 0);
	return true;
}

const struct xtr_section_table nv_sample = XTR_TABLE_SELF(
	"sample", "how ioctls were sampled", sample_columns, put_sample, XTR_SHAPE_OBJECT);

void nv_sample_limits(const struct nvidia *nv, FILE *f)
{
	uint32_t ppm = nv->sample_ppm[0] ? nv->sample_ppm[0] : nv->sample_ppm[1];
	char n[XTR_TEXT_NUMBER];

	if (!ppm)
		return;
	fprintf(f, "  %s of the ioctls were recorded: their errors and times are of these.",
		xtr_text_percent(n, ppm, 1000000));
	if (!nv->n_totals)
		fputs(" How many there were is not in the trace.\n", f);
	else if (nv->totals_exact)
		fputs(" Calls are exact: the recorder counted all.\n", f);
	else
		fputs(" Calls are lower bounds of what the recorder counted.\n", f);
	if (nv->total_others)
		fprintf(f,
			"  %s more are of processes and ioctls for which the recorder had no "
			"room.\n",
			xtr_text_count(n, nv->total_others));
}
