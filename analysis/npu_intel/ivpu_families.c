/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the functions of intel_vpu by what they are for (docs/npu.md). */
#include "analysis/core/analysis.h"
#include "replay/event/func_event.h"
#include "analysis/core/section_columns.h"
#include "ivpu_functions.h"
#include "ivpu_order.h"
#include "base/map.h"
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
	struct xtr_map by_type; /* of an event to its function */
	struct family family[IVPU_FAMILY_COUNT], all;
};

static bool applies(const struct xtr_meta *meta)
{
	return ivpu_has_functions(meta);
}

static void families_free(void *self)
{
	struct families *s = self;

	xtr_map_free(&s->by_type);
	free(s->function);
	free(s);
}

/* The function of an event; of a return it is that of the entry, which has been added. */
static int add_event(struct families *s, const struct xtr_meta *meta,
		     const struct xtr_event_desc *d, bool returns)
{
	struct function *fn = &s->function[s->n_functions];
	struct func_event f;
	int err = func_event(&f, meta, d);
	uint32_t i;

	if (err <= 0 || !func_event_of(&f, IVPU_MODULE, IVPU_PREFIX) ||
	    returns != (f.ret && f.other))
		return err < 0 ? err : 0;
	if (returns) {
		i = xtr_map_index(&s->by_type, f.other->type, 0);
		return i == XTR_MAP_NONE ? 0 : xtr_map_put(&s->by_type, d->type, 0, i);
	}
	*fn = (struct function){ .f = f, .family = ivpu_family_of(f.name, f.name_len) };
	return xtr_map_put(&s->by_type, d->type, 0, (uint32_t)s->n_functions++);
}

/* Entries, and returns without one, first; then returns. */
static int add_events(struct families *s, const struct xtr_meta *meta)
{
	size_t i, half, n = xtr_meta_n_events(meta);
	int err = 0;

	s->function = calloc(n + 1, sizeof(*s->function));
	if (!s->function)
		return -ENOMEM;
	for (half = 0; half < 2; half++)
		for (i = 0; i < n && !err; i++) {
			const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

			err = add_event(s, meta, d, half);
		}
	return err;
}

static int families_open(void **self, const struct xtr_analysis_opts *o)
{
	struct families *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->o = o;
	err = add_events(s, o->meta);
	if (err)
		families_free(s);
	else
		*self = s;
	return err;
}

/* The function of an event, NULL if it is none. */
static struct function *function_of(const struct families *s, uint32_t type)
{
	uint32_t i = xtr_map_index(&s->by_type, type, 0);

	return i == XTR_MAP_NONE ? NULL : &s->function[i];
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
	size_t shown = 0;

	for (size_t i = 0; i < s->n_functions; i++) {
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

#define AT(member) XTR_AT(struct family, member)
enum {
	TIMES = 1 /* where a call has times */
};
static const struct xtr_section_column family_columns[] = {
	{ "family", NULL, XTR_C_TEXT, XTR_PUT, "what the functions are for" },
	{ NULL, "<family", XTR_C_TEXT, XTR_PUT },
	{ NULL, "functions", XTR_C_COUNT, AT(functions) },
	SHOWN("calls", "calls", n, "calls"),
	{ NULL, "of all", XTR_C_SHARE, XTR_PUT },
	COUNT("timed", timed, "of them with begin and end"),
	{ "self_ns", NULL, XTR_C_NS, AT(self), "their time, without that of calls inside" },
	{ NULL, "self", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ NULL, "of all", XTR_C_SHARE, XTR_PUT, .own = TIMES },
	{ NULL, "no times", XTR_C_COUNT, XTR_PUT, .own = TIMES },
	{ "functions", NULL, XTR_C_ANY, XTR_PUT, "names of those that were called" },
};

static void json_functions(const void *self, const void *row, struct xtr_json *j)
{
	const struct families *s = self;

	xtr_json_begin_array(j);
	for (size_t i = 0; i < s->n_functions; i++)
		if (s->function[i].n && &s->family[s->function[i].family] == row)
			xtr_json_strn(j, s->function[i].f.name, s->function[i].f.name_len);
	xtr_json_end_array(j);
}

static void family_row(struct xtr_rows *r, const char *name, const char *title,
		       const struct family *of)
{
	const struct families *s = xtr_rows_self(r);

	xtr_put_text(r, name);
	xtr_put_text(r, title);
	xtr_put_share(r, true, of->n, s->all.n);
	xtr_put_u64(r, of->timed, of->self);
	xtr_put_share(r, true, of->self, of->timed ? s->all.self : 0);
	xtr_put_u64(r, true, of->n - of->timed);
	xtr_put_any(r, json_functions, of);
	xtr_row(r, of);
}

static void fill_families(const void *self, struct xtr_rows *r)
{
	const struct families *s = self;
	bool text = xtr_rows_text(r);

	for (unsigned int i = 0; i < IVPU_FAMILY_COUNT; i++)
		if (s->family[i].n || !text)
			family_row(r, ivpu_family_name(i), ivpu_family_title(i), &s->family[i]);
	if (text)
		family_row(r, NULL, "all", &s->all);
}

static bool shows(const void *self, const struct xtr_section_column *c)
{
	return !c->own || ((const struct families *)self)->all.timed;
}

static const struct xtr_section_table families = {
	.name = "families",
	.help = "functions of a family",
	XTR_TABLE_COLUMNS(family_columns),
	.fill = fill_families,
	.shows = shows,
};
#undef AT

#define AT(member) XTR_AT(struct families, all.member)
static const struct xtr_section_column all_columns[] = {
	COUNT("calls", n, "calls"),
	COUNT("timed", timed, "of them with begin and end"),
	{ "self_ns", NULL, XTR_C_NS, AT(self), "their time, without that of calls inside" },
};
#undef AT

static const struct xtr_section_table all =
	XTR_TABLE_SELF("all", "all functions", all_columns, NULL, XTR_SHAPE_MEMBERS);

static const struct xtr_section_table *const tables[] = { &all, &families, NULL };

static int families_text(const void *self, const struct xtr_view *v)
{
	const struct families *s = self;
	int err = xtr_table_text(&families, s, s->o, v->f);

	print_other(s, v->f);
	if (!s->o->times)
		fputs("  time: not known, the trace has no times\n", v->f);
	else if (!s->all.timed)
		fputs("  time: not known, no call has entry and return in the trace\n", v->f);
	return err;
}

static void families_json(const void *self, struct xtr_json *j)
{
	const struct families *s = self;

	xtr_json_begin_object(j);
	xtr_tables_json(tables, s, s->o, j);
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
	.tables = tables,
};
