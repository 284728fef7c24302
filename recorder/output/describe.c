// SPDX-License-Identifier: BSD-2-Clause
#include "describe.h"
#include "recorder/host/machine_facts.h"
#include "recorder/recorder.h"
#include "recorder/groups/sample.h"

#include "format/xtr_format.h"

#include <errno.h>

static int set_options(struct xtr_meta *meta, const struct xtr_record_opts *o,
		       const struct xtr_selection *sel, const struct xtr_bpf *bpf)
{
	int err = xtr_meta_set_writer(meta, "xtr", XTR_VERSION);

	if (!err)
		err = xtr_meta_set_config_u64(meta, "ring-bytes", bpf->ring_bytes);
	if (!err)
		err = xtr_meta_set_config_u64(meta, "rings", bpf->n_cpus);
	if (!err)
		err = xtr_meta_set_config_str(meta, "pointers",
					      o->keep_pointers ? "kept" : "hashed");
	if (!err && o->compact)
		err = xtr_meta_set_config_u64(meta, "compact", 1);
	if (!err && o->stacks)
		err = xtr_meta_set_config_u64(meta, "stacks", 1);
	if (!err && sel->n_init_ops)
		err = xtr_meta_set_config_u64(meta, "fence-init-ops", sel->n_init_ops);
	if (!err && o->n_pids)
		err = xtr_meta_set_config_u64(meta, "pid", o->pids[0]);
	if (!err && o->argv)
		err = xtr_meta_set_config_str(meta, "command", o->argv[0]);
	return err;
}

static int add_builtin(struct xtr_meta *meta, const struct xtr_hook_result *res, bool stacks)
{
	const struct xtr_event_desc *d =
		stacks ? xtr_builtin_event_stack(res->type) : xtr_builtin_event(res->type);
	struct xtr_event_desc ev;

	if (!d || res->info.state != XTR_PROVIDER_ATTACHED)
		return 0;
	ev = *d;
	ev.provider = res->info.id;
	return xtr_meta_add_event(meta, &ev);
}

static int add_budget(struct xtr_meta *meta, const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	const char *name = xtr_builtin_event(XTR_EV_BUDGET)->name;

	if (!sel->budget)
		return 0;
	if (!xtr_bpf_result(bpf, XTR_EV_BUDGET, name, "recorder", name, XTR_PROVIDER_ATTACHED,
			    NULL))
		return -ENOMEM;
	return xtr_meta_set_config_u64(meta, "budget", sel->budget);
}

/* The totals of sampled events are the recorder's own. */
static int add_totals(struct xtr_meta *meta, const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	const char *name = xtr_builtin_event(XTR_EV_TOTAL)->name;

	if (!xtr_sampling(sel))
		return 0;
	if (!xtr_bpf_result(bpf, XTR_EV_TOTAL, name, "recorder", name, XTR_PROVIDER_ATTACHED, NULL))
		return -ENOMEM;
	return xtr_sample_describe(sel, meta);
}

static int add_results(struct xtr_meta *meta, struct xtr_bpf *bpf, bool stacks)
{
	int err = 0;

	for (size_t i = 0; !err && i < bpf->n_results; i++) {
		struct xtr_hook_result *res = &bpf->results[i];

		res->info.why = res->why[0] ? res->why : NULL;
		err = xtr_meta_add_provider(meta, &res->info);
		if (!err)
			err = add_builtin(meta, res, stacks);
	}
	return err;
}

static int add_dynamic(struct xtr_meta *meta, const struct xtr_selection *sel)
{
	int err = 0;

	for (size_t i = 0; !err && i < sel->n_generics; i++) {
		if (sel->generics[i]->desc.provider)
			err = xtr_meta_add_event(meta, &sel->generics[i]->desc);
	}
	for (size_t i = 0; !err && i < sel->n_dynamic - sel->n_generics; i++) {
		if (sel->probe_events[i]->provider)
			err = xtr_meta_add_event(meta, sel->probe_events[i]);
	}
	return err;
}

int xtr_describe(struct xtr_meta *meta, const struct xtr_record_opts *o,
		 const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	int err = xtr_facts_collect(meta);

	if (!err)
		err = set_options(meta, o, sel, bpf);
	if (!err)
		err = add_totals(meta, sel, bpf);
	if (!err)
		err = add_budget(meta, sel, bpf);
	if (!err)
		err = add_results(meta, bpf, o->stacks);
	return err ? err : add_dynamic(meta, sel);
}
