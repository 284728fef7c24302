/* SPDX-License-Identifier: BSD-2-Clause */
#include "group_probes.h"
#include "btf_types.h"
#include "func_select.h"

#include <errno.h>
#include <string.h>

/* Name of the function in the source: the last part of func:MODULE:FUNCTION. */
static const char *function_of(const struct xtr_probe *p)
{
	return strrchr(p->name, ':') + 1;
}

/*
 * Arguments are where the source has them only in a function that the compiler left as it is: one
 * with a suffix (.isra, .constprop, .part) may have lost some.
 */
static bool arguments_known(const struct xtr_probe *p)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		if (strchr(p->targets[i].symbol, '.'))
			return false;
	}
	return true;
}

/* Number of the argument, -errno: it has none of this name, or nothing tells. */
static int argument(struct xtr_btf_types *t, const struct xtr_probe *p,
		    const struct xtr_group_capture *c)
{
	if (!c->argument)
		return c->number;
	return xtr_btf_argument(t, p->module, function_of(p), c->argument);
}

/* Offset of what is read behind a pointer. Types of a module are in vmlinux if the module is. */
static int offset(struct xtr_btf_types *t, const struct xtr_probe *p,
		  const struct xtr_group_capture *c)
{
	int off;

	if (!c->member)
		return c->offset;
	off = xtr_btf_member(t, p->module, c->structure, c->member);
	return off == -ENODATA ? xtr_btf_member(t, NULL, c->structure, c->member) : off;
}

static int add_capture(struct xtr_btf_types *t, struct xtr_probe *p,
		       const struct xtr_group_capture *c)
{
	int number = argument(t, p, c), off = offset(t, p, c);
	struct xtr_capture cap = {
		.name = c->name,
		.unit = c->unit,
		.repr = c->repr,
		.sens = c->sens ? c->sens : XTR_SENS_PLAIN,
		.load = { .flags = c->user ? XTR_LOAD_USER : 0,
			  .width = (uint8_t)xtr_repr_width(c->repr),
			  .n_deref = c->deref },
	};

	if (number < 0 || number >= XTR_PROBE_ARGS || off < 0 || off > UINT16_MAX)
		return 0;
	cap.load.from = (uint8_t)((c->at_ret ? XTR_FROM_SAVED : XTR_FROM_ARG) + number);
	cap.load.off[0] = (uint16_t)off;
	return xtr_probe_capture(p, c->at_ret, &cap);
}

static int add_ret(struct xtr_probe *p, enum xtr_group_ret kind)
{
	static const struct xtr_value_name irq[] = {
		{ 0, "none" },
		{ 1, "handled" },
		{ 2, "wake_thread" } /* include/linux/irqreturn.h */
	};
	struct xtr_capture ret = { .name = "ret",
				   .repr = XTR_REPR_S32,
				   .sens = XTR_SENS_PLAIN,
				   .load = { .from = XTR_FROM_RET, .width = 4 } };

	if (kind == XTR_RET_IRQ) {
		ret.repr = XTR_REPR_U32;
		ret.names = irq;
		ret.n_names = 3;
	}
	return xtr_probe_want_ret(p, kind == XTR_RET_NONE ? NULL : &ret);
}

static void set_key(struct xtr_probe *p, const struct xtr_group_probe *row)
{
	p->key = row->key && xtr_probe_key(p, row->key) == 0;
	for (size_t i = 0; i < XTR_GROUP_SUBS && p->key && row->sub[i].by; i++)
		xtr_probe_subkey(p, i, row->sub[i].nr, row->sub[i].by);
}

static int fill(struct xtr_selection *s, const struct xtr_group_probe *row, struct xtr_probe *p)
{
	struct xtr_btf_types *t = xtr_func_types(s);
	int err = t ? add_ret(p, row->ret) : -ENOMEM;

	for (size_t i = 0; i < XTR_GROUP_CAPTURES && row->captures[i].name && !err; i++) {
		const char *only = row->captures[i].only;

		if (arguments_known(p) && (!only || strcmp(only, function_of(p)) == 0))
			err = add_capture(t, p, &row->captures[i]);
	}
	if (!err)
		set_key(p, row);
	return err;
}

int xtr_group_probe(struct xtr_selection *s, const struct xtr_group_probe *row,
		    struct xtr_probe **out)
{
	const char *names[XTR_CANDIDATES + 1] = { NULL };
	int err;

	memcpy(names, row->candidates, sizeof(row->candidates));
	err = xtr_func_first(s, row->module, names, false, out);
	if (err || (*out)->why[0])
		return err;
	err = fill(s, row, *out);
	if (err)
		xtr_probe_free(*out);
	return err;
}

int xtr_group_probes_select(struct xtr_selection *s, const struct xtr_group *g)
{
	struct xtr_probe *p;
	int err = 0;

	for (size_t i = 0; i < xtr_group_n_probes(g) && !err; i++) {
		err = xtr_group_probe(s, &g->probes[i], &p);
		if (err)
			break;
		err = xtr_selection_add_probe(s, p);
		if (err)
			xtr_probe_free(p);
	}
	return err;
}
