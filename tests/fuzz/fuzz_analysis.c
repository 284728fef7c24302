/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of calls (called.h) through all analyses of `xtr stats`: every entry and every
 * return is in exactly one call, what the section "calls" counts adds up to them, the text is
 * written and the JSON is valid.
 */
#include "called.h"
#include "shown.h"

#include "analysis/core/stats.h"
#include "analysis/core/view.h"

#define DEPTH_MAX 32u

struct count {
	const struct xtr_meta *meta;
	struct xtr_calls *calls;
	uint64_t entries, returns;           /* events of functions and libraries */
	uint64_t seen_entries, seen_returns; /* of them, in calls */
	uint64_t paired, alone;              /* calls, and events without the other half */
};

/* NAME of func:MODULE:NAME and api:LIBRARY:NAME, with ":ret" of a return; NULL: the event is none.
 */
static const char *function_of(const char *event)
{
	const char *s = !strncmp(event, "func:", 5)  ? event + 5
			: !strncmp(event, "api:", 4) ? event + 4
						     : "";

	s = strchr(s, ':');
	return s && s[1] ? s + 1 : NULL;
}

static bool is_return(const char *event)
{
	const char *name = function_of(event);
	size_t n = name ? strlen(name) : 0;

	return n > 4 && !strcmp(name + n - 4, ":ret");
}

/* Is it recorded with its other half? */
static bool is_paired(const struct xtr_meta *m, const struct xtr_event_desc *d)
{
	char other[128];
	size_t n = strlen(d->name);

	if (is_return(d->name))
		snprintf(other, sizeof(other), "%.*s", (int)n - 4, d->name);
	else
		snprintf(other, sizeof(other), "%s:ret", d->name);
	return xtr_meta_event_by_name(m, other);
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct count *n = ctx;
	uint64_t ns;

	FUZZ_CHECK(c->name && c->depth < DEPTH_MAX && (!c->outer || c->depth));
	if (xtr_call_time(c, &ns))
		FUZZ_CHECK(c->end_ns >= c->begin_ns && c->inner_ns <= ns);
	if (c->kind != XTR_CALL_FUNCTION && c->kind != XTR_CALL_API)
		return 0;
	FUZZ_CHECK(c->entry.desc || c->exit.desc);
	FUZZ_CHECK(c->entry.size <= XTR_CALL_REC_MAX && c->exit.size <= XTR_CALL_REC_MAX);
	n->seen_entries += c->entry.desc != NULL;
	n->seen_returns += c->exit.desc != NULL;
	return 0;
}

static bool is_call_event(const struct xtr_event *ev)
{
	return !ev->gap && ev->desc && function_of(ev->desc->name);
}

static void count_event(struct count *n, const struct xtr_event *ev)
{
	int ret = xtr_calls_event(n->calls, ev);

	FUZZ_CHECK(ret == 0 || ret == 1);
	if (ret != 1 || !is_call_event(ev))
		return;
	if (is_return(ev->desc->name))
		n->returns++;
	else
		n->entries++;
}

/* The section "calls" has an event whose other half is not described by itself, else calls. */
static int on_paired(void *ctx, const struct xtr_call *c)
{
	const struct xtr_event_desc *d = c->entry.desc ? c->entry.desc : c->exit.desc;
	struct count *n = ctx;

	n->paired += d && is_paired(n->meta, d);
	return on_call(ctx, c);
}

static void check_number(const char *json, uint64_t want)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"calls\":%llu,", (unsigned long long)want);
	FUZZ_CHECK(!strncmp(json, text, strlen(text)));
}

static const char *ring_name(const void *ctx, uint32_t id, char *buf, size_t cap)
{
	(void)ctx;
	snprintf(buf, cap, "%u/ring", id);
	return buf;
}

static void show(const struct xtr_analyses *a, size_t i, bool pretty, const struct count *all)
{
	struct xtr_view v = { .f = fopen("/dev/null", "w"), .top = 3 };
	struct xtr_findings_view how = { .f = v.f, .times = true, .ring = ring_name };
	struct shown json;

	FUZZ_CHECK(v.f && !xtr_analyses_text(a, i, &v));
	xtr_findings_text(xtr_analyses_findings(a), &how);
	fclose(v.f);
	shown_begin(&json, pretty);
	xtr_analyses_json(a, i, &json.j);
	shown_end(&json);
	if (all && !pretty && !strcmp(xtr_analyses[i]->name, "calls"))
		check_number(json.text, all->paired + all->alone);
	free(json.text);
	shown_begin(&json, pretty);
	xtr_findings_json(xtr_analyses_findings(a), &json.j);
	shown_end(&json);
	free(json.text);
}

static void feed(struct called *c, struct xtr_stats *s, struct count *n)
{
	const struct xtr_event *ev;

	while ((ev = called_next(c))) {
		FUZZ_CHECK(!xtr_stats_event(s, ev));
		count_event(n, ev);
		if (is_call_event(ev) && !is_paired(c->meta, ev->desc))
			n->alone++;
	}
	FUZZ_CHECK(!xtr_stats_finish(s) && !xtr_calls_finish(n->calls));
	FUZZ_CHECK(n->entries == n->seen_entries && n->returns == n->seen_returns);
}

static void run(struct called *c, unsigned int how)
{
	struct count n = { .meta = c->meta };
	struct xtr_stats_opts o = {
		.sz = sizeof(o), .meta = c->meta, .tables = called_tables(), .top = 3
	};
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = o.meta, .tables = o.tables, .call = on_paired, .ctx = &n
	};
	struct xtr_stats *s;

	if (how & CALLED_WINDOW)
		o.select = (struct xtr_select){ .from = 1u << 16, .to = 1u << 30 };
	FUZZ_CHECK(!xtr_analyses_new(&o.analyses, o.meta, o.tables, &o.select, ~0u, 3));
	FUZZ_CHECK(!xtr_stats_new(&s, &o) && !xtr_calls_new(&n.calls, &co));
	feed(c, s, &n);
	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (xtr_analyses_has(o.analyses, i))
			show(o.analyses, i, how & CALLED_PRETTY, how & CALLED_WINDOW ? NULL : &n);
	xtr_stats_free(s);
	xtr_analyses_free(o.analyses);
	xtr_calls_free(n.calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct called c = { .ev.ts = 1 };

	if (!size)
		return 0;
	c.p = data + 1;
	c.left = size - 1;
	c.meta = called_meta(*data % CALLED_VARIANTS);
	run(&c, *data);
	return 0;
}
