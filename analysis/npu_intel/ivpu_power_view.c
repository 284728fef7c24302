/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of the NPU's power: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "ivpu_power_impl.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[] = {
#define NAME(id, name, function, pm, title) name,
	POWER_STEPS(NAME)
};
static const char *const titles[] = {
#define TITLE(id, name, function, pm, title) title,
	POWER_STEPS(TITLE)
};
static const char *const sources[] = {
#define SOURCE(id, name, function, pm, title) function,
	POWER_STEPS(SOURCE)
};

static const char *source(const struct power *p, unsigned int step)
{
	return p->function[step] != UINT32_MAX ? sources[step] : "vpu:pm";
}

static const char *payer_name(const char *payer)
{
	return *payer ? payer : "(nothing that was recorded)";
}

static const struct xtr_section_column step_columns[] = {
	{ "step", NULL, XTR_C_TEXT, XTR_PUT, "step of waking up or going to sleep" },
	{ NULL, "<step", XTR_C_TEXT, XTR_PUT },
	{ "from", "<from", XTR_C_TEXT, XTR_PUT, "function or event that tells of it" },
	{ "count", "count", XTR_C_COUNT, XTR_PUT, "how often" },
	{ NULL, "total", XTR_C_SUM, XTR_PUT },
	{ "time_ns", "mean|p50|p99|max", XTR_C_HIST, XTR_PUT, "how long it took" },
};

static void fill_steps(const void *self, struct xtr_rows *r)
{
	const struct power *p = self;

	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++) {
		if (!p->count[i])
			continue;
		xtr_put_text(r, names[i]);
		xtr_put_text(r, titles[i]);
		xtr_put_text(r, source(p, i));
		xtr_put_u64(r, true, p->count[i]);
		xtr_put_hist(r, &p->time[i]);
		xtr_put_hist(r, &p->time[i]);
		xtr_row(r, NULL);
	}
}

static const struct xtr_section_table steps =
	XTR_TABLE("steps", "a step", step_columns, fill_steps, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct power_payer, member)
static const struct xtr_section_column payer_columns[] = {
	{ "payer", NULL, XTR_C_TEXT, XTR_PUT, "entry point or system call" },
	{ NULL, "<paid by", XTR_C_TEXT, XTR_PUT },
	SHOWN("wakes", "wakes", wakes, "wakes that it waited for"),
	SHOWN("boots", "boots", boots, "boots in them"),
	{ "wake_ns", NULL, XTR_C_NS, AT(sum_ns), "time of these wakes" },
	{ NULL, "time", XTR_C_NS | XTR_C_KNOWN, AT(sum_ns) },
	{ "max_ns", NULL, XTR_C_NS, AT(max_ns), "the longest" },
	{ NULL, "max", XTR_C_NS | XTR_C_KNOWN, AT(max_ns) },
};
#undef AT

static void put_payer(struct xtr_rows *r, const char *name)
{
	xtr_put_text(r, *name ? name : NULL);
	xtr_put_text(r, payer_name(name));
}

static bool put_payers(struct xtr_rows *r, const void *row)
{
	const struct power_payer *of = row;

	put_payer(r, of->name);
	return true;
}

static const struct xtr_section_table payers =
	XTR_TABLE_OF("payers", "who waited for wakes", payer_columns,
		     XTR_ARRAY(struct power, payer, n_payers), put_payers, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct power_wake, member)
#define SOME       (XTR_C_NS | XTR_C_KNOWN)
static const struct xtr_section_column wake_columns[] = {
	{ "at_ns", NULL, XTR_C_NS, AT(place.wake_ns), "when" },
	{ NULL, "<wake at", XTR_C_TEXT, XTR_PUT },
	{ "tid", NULL, XTR_C_NUMBER, AT(tid), "thread" },
	{ "pid", "pid", XTR_C_PROCESS, AT(process), "process" },
	{ "comm", "<comm", XTR_C_STRING | XTR_C_BLANK, AT(comm), "its name" },
	{ "payer", NULL, XTR_C_TEXT, XTR_PUT, "entry point or system call" },
	{ NULL, "<paid by", XTR_C_TEXT, XTR_PUT },
	{ "submit", "submit", XTR_C_NUMBER | XTR_C_KNOWN, AT(place.submit_no),
	  "number among the trace's submits" },
	SHOWN("boots", "boots", boots, "boots in it"),
	{ "wake_ns", "resume+boot", SOME, XTR_PUT, "how long it took" },
	{ "boot_ns", "boot", SOME, XTR_PUT, "of that to boot" },
	{ "payer_ns", "of", SOME, AT(payer_ns), "how long the payer took" },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
};
#undef AT

static bool put_wakes(struct xtr_rows *r, const void *row)
{
	const struct power *p = xtr_rows_self(r);
	char at[XTR_TEXT_NUMBER];
	const struct power_wake *w = row;

	if (p->o->times)
		xtr_put_copy(r, xtr_text_stamp(at, w->place.wake_ns));
	else
		xtr_put_format(r, "event %" PRIu64, w->place.wake_ns);
	put_payer(r, w->payer);
	xtr_put_u64(r, true, power_cost(w));
	xtr_put_u64(r, true, power_boot_ns(w));
	xtr_put_share(r, w->payer_ns, power_cost(w), w->payer_ns);
	return true;
}

static const struct xtr_section_table wakes =
	XTR_TABLE_OF("list", "a wake, in order of time", wake_columns,
		     XTR_ARRAY(struct power, wake, n_wakes), put_wakes, XTR_SHOW_TOP_QUIET);

const struct xtr_section_table *const power_tables[] = { &steps, &payers, &wakes, NULL };

int power_text(const void *self, const struct xtr_view *v)
{
	const struct power *p = self;
	uint32_t listed = p->n_wakes < p->o->top ? p->n_wakes : p->o->top;
	bool timed = false;
	int err = xtr_table_text(&steps, p, p->o, v->f);

	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		timed |= p->time[i].n;
	if (!p->o->times)
		fputs("  times: not known, the trace has none; who paid follows from the order\n",
		      v->f);
	else if (!timed)
		fputs("  times: not known, no step has begin and end in the trace\n", v->f);
	if (!err)
		err = xtr_tables_text(power_tables + 1, p, p->o, v->f);
	if (p->n_wakes && listed < p->wakes)
		fprintf(v->f, "  ... and %" PRIu64 " more (--top)\n", p->wakes - listed);
	return err;
}

void power_json(const void *self, struct xtr_json *j)
{
	const struct power *p = self;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "wakes", p->wakes);
	xtr_json_kv_u64(j, "boots", p->boots);
	xtr_tables_json(power_tables, p, p->o, j);
	xtr_json_end_object(j);
}
