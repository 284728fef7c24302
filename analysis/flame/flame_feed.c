/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/checked.h"
#include "flame.h"
#include "flame_feed.h"
#include "replay/event/process.h"
#include "replay/event/record.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL_EVENT_MAX 128u /* bytes of an event's name, with the NUL */

const struct xtr_flame_weight_row xtr_flame_weights[XTR_FLAME_WEIGHT_COUNT] = {
#define ROW(id, name, of, unit, speed, title) \
	[XTR_FLAME_BY_##id] = { name, unit, speed, title, XTR_FLAME_OF_##of },
	XTR_FLAME_WEIGHTS(ROW)
#undef ROW
};

static enum xtr_flame_of of(const struct xtr_flame_feed *feed)
{
	return xtr_flame_weights[feed->o.weight].of;
}

int xtr_flame_feed_new(struct xtr_flame_feed **out, struct xtr_flame *flame,
		       const struct xtr_flame_opts *o)
{
	struct xtr_flame_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return -ENOMEM;
	feed->flame = flame;
	feed->o = *o;
	if (of(feed) == XTR_FLAME_OF_WAITS &&
	    xtr_recent_init(&feed->jobs, sizeof(struct flame_job), FLAME_JOBS_MAX)) {
		xtr_flame_feed_free(feed);
		return -ENOMEM;
	}
	*out = feed;
	return 0;
}

void xtr_flame_feed_free(struct xtr_flame_feed *feed)
{
	if (!feed)
		return;
	flame_place_forget(feed);
	xtr_recent_free(&feed->jobs);
	free(feed);
}

void xtr_flame_feed_section(struct xtr_flame_feed *feed, const struct xtr_tables *tables,
			    const struct xtr_select *select, const struct xtr_model *model)
{
	void *entry;

	flame_place_forget(feed);
	for (uint32_t i = 0; of(feed) == XTR_FLAME_OF_WAITS && i < FLAME_JOBS_MAX; i++) {
		entry = xtr_recent_at(&feed->jobs, i);
		if (entry)
			xtr_recent_forget(&feed->jobs, entry);
	}
	feed->tables = tables;
	feed->select = select;
	feed->model = model;
}

const struct xtr_flame_counts *xtr_flame_feed_counts(const struct xtr_flame_feed *feed)
{
	return &feed->counts;
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* The rules are those of the sums of `xtr stats` (agg.c). False: it is not known. */
static bool execution(const struct xtr_job *j, uint64_t *ns)
{
	*ns = j->exec_max_ns;
	return xtr_job_resided(j);
}

static bool residence(const struct xtr_job *j, uint64_t *ns)
{
	*ns = j->done_ns - j->run_ns;
	return xtr_job_resided(j);
}

static bool queue_wait(const struct xtr_job *j, uint64_t *ns)
{
	*ns = j->run_ns - j->queue_ns;
	return j->queue_ns && j->run_ns;
}

static bool dependency(const struct xtr_job *j, uint64_t *ns)
{
	*ns = j->dep_wait_ns;
	return xtr_job_waits_known(j);
}

static bool one(const struct xtr_job *j, uint64_t *n)
{
	(void)j;
	*n = 1;
	return true;
}

static bool (*const weigh[XTR_FLAME_WEIGHT_COUNT])(const struct xtr_job *, uint64_t *) = {
	[XTR_FLAME_BY_EXECUTION] = execution, [XTR_FLAME_BY_RESIDENCE] = residence,
	[XTR_FLAME_BY_QUEUE] = queue_wait,    [XTR_FLAME_BY_DEPENDENCY] = dependency,
	[XTR_FLAME_BY_COUNT] = one,
};

static const enum flame_end ends[XTR_QUALITY_COUNT] = {
	[XTR_QUALITY_OPEN] = FLAME_OPEN,
	[XTR_QUALITY_LOST] = FLAME_LOST,
};

/* Nodes are made for what weighs something: a tree without weight has nothing to show. */
static int file(struct xtr_flame_feed *feed, const struct flame_place *p, bool known, uint64_t w)
{
	struct xtr_flame_counts *c = &feed->counts;
	bool stack = p->other;
	int64_t node;

	c->seen++;
	c->weighed += known;
	c->open += p->end == FLAME_OPEN;
	c->lost += p->end == FLAME_LOST;
	if (known && w) {
		node = flame_place_node(feed, p, &stack);
		if (node < 0)
			return (int)node;
		xtr_flame_add(feed->flame, (uint32_t)node, w);
		c->no_stack += !stack && !p->other;
	} else {
		c->no_stack += !p->stack && !p->other;
	}
	return 0;
}

int xtr_flame_feed_job(struct xtr_flame_feed *feed, const struct xtr_job *j)
{
	const struct flame_place p = { .ring = j->ring,
				       .process = j->queue_ns ? xtr_process(j->pid, j->nth) : 0,
				       .comm = j->queue_ns ? j->comm : 0,
				       .ts = j->queue_ns,
				       .stack = j->stack,
				       .end = ends[j->quality] };
	uint64_t w = 0;
	bool known;

	if (!weigh[feed->o.weight] || (feed->select && !xtr_select_job(feed->select, j)))
		return 0;
	known = weigh[feed->o.weight](j, &w);
	if (xtr_job_resided(j)) {
		feed->counts.bounded += j->quality == XTR_QUALITY_BOUNDED;
		feed->counts.at_least = xtr_sat_add(feed->counts.at_least, j->exec_min_ns);
	}
	return file(feed, &p, known, w);
}

int xtr_flame_feed_time(struct xtr_flame_feed *feed, const struct xtr_flame_time *t)
{
	const struct flame_place p = { .process = t->process,
				       .comm = t->comm,
				       .ts = t->ts,
				       .stack = t->stack,
				       .other = t->without,
				       .device = t->device,
				       .mark = t->mark };

	return file(feed, &p, true, t->ns);
}

/* --- waits and calls -------------------------------------------------------------------------- */

int xtr_flame_feed_event(struct xtr_flame_feed *feed, const struct xtr_event *ev)
{
	struct xtr_gpu_record r;
	struct flame_job *j;

	if (of(feed) != XTR_FLAME_OF_WAITS || ev->type != XTR_EV_JOB_QUEUE ||
	    xtr_gpu_record_get(ev, &r) != 1)
		return 0;
	j = xtr_recent_get(&feed->jobs, r.ctx, r.seqno);
	if (!j)
		j = xtr_recent_add(&feed->jobs, r.ctx, r.seqno);
	if (!j)
		return -ENOMEM;
	j->stack = r.stack;
	j->ring = r.ring;
	return 0;
}

/* A fence is its job's finished one, or the scheduled one, whose context is one less. */
static const struct flame_job *job_of(const struct xtr_flame_feed *feed, const struct xtr_call *c)
{
	const struct flame_job *j = xtr_recent_get(&feed->jobs, c->ctx, c->seqno);

	return j ? j : xtr_recent_get(&feed->jobs, c->ctx + 1, c->seqno);
}

static bool selected(const struct xtr_flame_feed *feed, const struct xtr_call *c,
		     const struct xtr_model_ring *ring)
{
	const struct xtr_select *s = feed->select;

	if (!s)
		return true;
	if (!xtr_select_call(s, c))
		return false;
	if (!s->n_devices && !s->n_rings)
		return true;
	return ring && xtr_select_ring(s, ring);
}

/* Filed under the stack of who waited, or of who submitted what was waited for. */
static int file_wait(struct xtr_flame_feed *feed, const struct xtr_call *c, struct flame_place *p)
{
	const struct flame_job *j = job_of(feed, c);
	bool own = feed->o.weight == XTR_FLAME_BY_WAIT;
	uint64_t ns;
	bool known = xtr_call_time(c, &ns);

	p->ring = j && feed->model ? xtr_model_ring_by_id(feed->model, j->ring) : NULL;
	p->stack = own ? c->stack : j ? j->stack : 0;
	p->other = !own && !j;
	return selected(feed, c, p->ring) ? file(feed, p, known, ns) : 0;
}

/* The name of the event that begins a call of a thread; "" of others. */
static const char *begin_name(const struct xtr_call *c, char buf[CALL_EVENT_MAX])
{
	if (c->entry.desc)
		return c->entry.desc->name;
	buf[0] = '\0';
	if (c->kind == XTR_CALL_SYSCALL)
		snprintf(buf, CALL_EVENT_MAX, "syscalls:sys_enter_%s", c->name);
	else if (c->kind == XTR_CALL_WAIT)
		snprintf(buf, CALL_EVENT_MAX, "dma_fence:dma_fence_wait_start");
	return buf;
}

static int file_call(struct xtr_flame_feed *feed, const struct xtr_call *c, struct flame_place *p)
{
	const char *which = feed->o.calls ? feed->o.calls : XTR_FLAME_BYTES_CALLS;
	char buf[CALL_EVENT_MAX];
	uint64_t w;
	bool known;

	if (c->on_cpu || fnmatch(which, begin_name(c, buf), 0))
		return 0;
	known = feed->o.weight == XTR_FLAME_BY_BYTES ? xtr_call_value(c, "size", &w)
						     : xtr_call_time(c, &w);
	p->stack = c->stack;
	return selected(feed, c, NULL) ? file(feed, p, known, w) : 0;
}

int xtr_flame_feed_call(struct xtr_flame_feed *feed, const struct xtr_call *c)
{
	struct flame_place p = { .process = xtr_process(c->pid, c->nth),
				 .comm = c->comm,
				 .ts = c->begin_ns ? c->begin_ns : c->end_ns };
	uint64_t ns;

	if (!xtr_call_time(c, &ns))
		p.end = c->gap ? FLAME_LOST : FLAME_OPEN;
	if (of(feed) == XTR_FLAME_OF_CALLS)
		return file_call(feed, c, &p);
	if (of(feed) == XTR_FLAME_OF_WAITS && c->kind == XTR_CALL_WAIT)
		return file_wait(feed, c, &p);
	return 0;
}

/* --- flame kind ------------------------------------------------------------------------------- */

/* What code a frame is of, by the name of its module: as recordings have them, and as perf has. */

enum how {
	WHOLE,
	BEGIN,
	END,
};

static bool matches(const char *s, size_t n, const char *text, enum how how)
{
	size_t m = strlen(text);

	if (n < m || (how == WHOLE && n != m))
		return false;
	return !memcmp(how == END ? s + n - m : s, text, m);
}

/* "libdrm.so.2", "x.so": ".so" with nothing or a point behind it, in the file's own name. */
static bool is_library(const char *s, size_t n)
{
	const char *base = memrchr(s, '/', n), *end = s + n, *at;

	for (at = base ? base : s; end - at >= 3; at++)
		if (!memcmp(at, ".so", 3) && (end - at == 3 || at[3] == '.' || at[3] == ' '))
			return true;
	return false;
}

/* The first that fits. */
static const struct {
	const char *text;
	enum how how;
	enum xtr_flame_kind kind;
} rules[] = {
	{ "", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[unknown]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[heap]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[stack]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[anon", BEGIN, XTR_FLAME_UNKNOWN },
	{ "//anon", BEGIN, XTR_FLAME_UNKNOWN },
	{ "kernel", WHOLE, XTR_FLAME_KERNEL },
	{ "[kernel", BEGIN, XTR_FLAME_KERNEL },
	{ "[guest.kernel", BEGIN, XTR_FLAME_KERNEL },
	{ "vmlinux", END, XTR_FLAME_KERNEL },
	{ "[vdso]", WHOLE, XTR_FLAME_LIBRARY },
	{ "[vsyscall]", WHOLE, XTR_FLAME_KERNEL },
	{ "[", BEGIN, XTR_FLAME_DRIVER },
	{ ".ko", END, XTR_FLAME_DRIVER },
	{ ".ko.xz", END, XTR_FLAME_DRIVER },
	{ ".ko.gz", END, XTR_FLAME_DRIVER },
	{ ".ko.zst", END, XTR_FLAME_DRIVER },
};

enum xtr_flame_kind xtr_flame_kind_of(const char *module, size_t n)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (matches(module, n, rules[i].text, rules[i].how))
			return rules[i].kind;
	if (is_library(module, n))
		return XTR_FLAME_LIBRARY;
	return memchr(module, '/', n) ? XTR_FLAME_USER : XTR_FLAME_DRIVER;
}
