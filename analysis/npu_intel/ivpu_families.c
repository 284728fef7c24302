/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the functions of intel_vpu by what they are for (docs/npu.md). */
#include "analysis/core/analysis.h"
#include "replay/event/func_event.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "ivpu_functions.h"
#include "ivpu_order.h"
#include "base/keymap.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct function {
	struct func_event f; /* its entry, or a return without one */
	enum ivpu_family family;
	uint64_t n;
};

struct family {
	uint64_t n, timed, self; /* calls; of them with entry and return; their time, ns */
	uint32_t functions;      /* that were called */
};

struct families {
	const struct xtr_analysis_opts *o;
	struct function *function;
	size_t n_functions;
	struct xtr_keymap by_type; /* of an event to its function */
	struct family family[IVPU_FAMILY_COUNT], all;
};

static bool applies(const struct xtr_meta *meta)
{
	return ivpu_has_functions(meta);
}

static void families_free(void *self)
{
	struct families *s = self;

	xtr_keymap_free(&s->by_type);
	free(s->function);
	free(s);
}

/* The function of an event; of a return it is that of the entry, which has been added. */
static int add_event(struct families *s, const struct xtr_meta *meta,
		     const struct xtr_event_desc *d, bool returns)
{
	struct function *fn = &s->function[s->n_functions];
	struct func_event f;
	int ret = func_event(&f, meta, d);
	uint32_t i;

	if (ret <= 0 || !func_event_of(&f, IVPU_MODULE, IVPU_PREFIX) ||
	    returns != (f.ret && f.other))
		return ret < 0 ? ret : 0;
	if (returns) {
		i = xtr_keymap_get(&s->by_type, f.other->type, 0);
		return i == XTR_KEYMAP_NONE ? 0 : xtr_keymap_put(&s->by_type, d->type, 0, i);
	}
	*fn = (struct function){ .f = f, .family = ivpu_family_of(f.name, f.name_len) };
	return xtr_keymap_put(&s->by_type, d->type, 0, (uint32_t)s->n_functions++);
}

/* Entries, and returns without one, first; then returns. */
static int add_events(struct families *s, const struct xtr_meta *meta)
{
	size_t i, half, n = xtr_meta_n_events(meta);
	int ret = 0;

	s->function = calloc(n + 1, sizeof(*s->function));
	if (!s->function)
		return -ENOMEM;
	for (half = 0; half < 2; half++)
		for (i = 0; i < n && !ret; i++) {
			const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

			ret = add_event(s, meta, d, half);
		}
	return ret;
}

static int families_open(void **self, const struct xtr_analysis_opts *o)
{
	struct families *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->o = o;
	ret = add_events(s, o->meta);
	if (ret)
		families_free(s);
	else
		*self = s;
	return ret;
}

/* The function of an event, NULL if it is none. */
static struct function *function_of(const struct families *s, uint32_t type)
{
	uint32_t i = xtr_keymap_get(&s->by_type, type, 0);

	return i == XTR_KEYMAP_NONE ? NULL : &s->function[i];
}

static void count(struct families *s, struct function *fn)
{
	struct family *of = &s->family[fn->family];

	if (!fn->n++) {
		of->functions++;
		s->all.functions++;
	}
	of->n++;
	s->all.n++;
}

static bool families_takes(const void *self, uint32_t type)
{
	const struct function *fn = function_of(self, type);

	return fn && !fn->f.other;
}

/* Where only one of entry and return was recorded, each of it is a call. */
static int families_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct families *s = self;
	struct function *fn = inside && !ev->gap ? function_of(s, ev->type) : NULL;

	if (fn && !fn->f.other)
		count(s, fn);
	return 0;
}

static int families_call(void *self, const struct xtr_call *c)
{
	const struct xtr_event_desc *d = c->entry.desc ? c->entry.desc : c->exit.desc;
	struct families *s = self;
	struct function *fn = d ? function_of(s, d->type) : NULL;
	uint64_t ns, own;

	if (!fn || !fn->f.other)
		return 0;
	count(s, fn);
	if (!xtr_call_time(c, &ns))
		return 0;
	own = ns > c->inner_ns ? ns - c->inner_ns : 0;
	s->family[fn->family].timed++;
	s->family[fn->family].self += own;
	s->all.timed++;
	s->all.self += own;
	return 0;
}

static bool families_any(const void *self)
{
	return ((const struct families *)self)->all.n;
}

/* Names of what no family has. */
static void print_other(const struct families *s, FILE *f)
{
	char name[XTR_TEXT_NAME];
	size_t i, shown = 0;

	for (i = 0; i < s->n_functions; i++) {
		const struct function *fn = &s->function[i];

		if (!fn->n || fn->family != IVPU_OTHER)
			continue;
		xtr_text_name(name, sizeof(name), fn->f.name, fn->f.name_len);
		fprintf(f, "%s%s", shown++ ? ", " : "  other: ", name);
		if (shown == 20)
			break;
	}
	if (shown)
		fprintf(f, "%s\n", shown < s->family[IVPU_OTHER].functions ? ", ..." : "");
}

static void row(struct xtr_grid *t, const struct families *s, const char *title,
		const struct family *of)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, title);
	xtr_grid_cell(t, xtr_text_count(buf, of->functions));
	xtr_grid_cell(t, xtr_text_count(buf, of->n));
	xtr_grid_percent(t, of->n, s->all.n);
	if (!s->all.timed)
		return;
	xtr_grid_cell(t, of->timed ? xtr_text_ns(buf, of->self) : "-");
	xtr_grid_percent(t, of->self, of->timed ? s->all.self : 0);
	xtr_grid_cell(t, xtr_text_count(buf, of->n - of->timed));
}

static int families_text(const void *self, const struct xtr_view *v)
{
	static const char *const timed[] = { "<family", "functions", "calls",    "of all",
					     "self",    "of all",    "no times", NULL };
	static const char *const counted[] = { "<family", "functions", "calls", "of all", NULL };
	const struct families *s = self;
	struct xtr_grid *t = xtr_grid_new(s->all.timed ? timed : counted);
	unsigned int i;
	int ret;

	for (i = 0; i < IVPU_FAMILY_COUNT; i++)
		if (s->family[i].n)
			row(t, s, ivpu_family_title(i), &s->family[i]);
	row(t, s, "all", &s->all);
	ret = xtr_grid_print(t, v->f, 2);
	print_other(s, v->f);
	if (!s->o->times)
		fputs("  time: not known, the trace has no times\n", v->f);
	else if (!s->all.timed)
		fputs("  time: not known, no call has entry and return in the trace\n", v->f);
	return ret;
}

static void json_functions(struct xtr_json *j, const struct families *s, enum ivpu_family family)
{
	size_t i;

	xtr_json_kv_array(j, "functions");
	for (i = 0; i < s->n_functions; i++)
		if (s->function[i].n && s->function[i].family == family)
			xtr_json_strn(j, s->function[i].f.name, s->function[i].f.name_len);
	xtr_json_end_array(j);
}

static void json_counts(struct xtr_json *j, const struct family *of)
{
	xtr_json_kv_u64(j, "calls", of->n);
	xtr_json_kv_u64(j, "timed", of->timed);
	xtr_json_kv_u64(j, "self_ns", of->self);
}

static void families_json(const void *self, struct xtr_json *j)
{
	const struct families *s = self;
	unsigned int i;

	xtr_json_begin_object(j);
	json_counts(j, &s->all);
	xtr_json_kv_array(j, "families");
	for (i = 0; i < IVPU_FAMILY_COUNT; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "family", ivpu_family_name(i));
		json_counts(j, &s->family[i]);
		json_functions(j, s, i);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}

const struct xtr_analysis xtr_analysis_families = {
	.name = "families",
	.title = "Intel NPU driver: calls by what they are for",
	.applies = applies,
	.open = families_open,
	.free = families_free,
	.takes = families_takes,
	.event = families_event,
	.call = families_call,
	.any = families_any,
	.text = families_text,
	.json = families_json,
};
