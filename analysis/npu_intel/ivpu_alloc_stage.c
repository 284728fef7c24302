/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_alloc_impl.h"
#include "base/checked.h"
#include "base/text.h"

#include <inttypes.h>

/* What "much above its peers" is (docs/npu.md). */
#define PEERS_MIN   8u
#define TIMES_ABOVE 8u
#define FLOOR_NS    100000u

static const char *const names[] = {
#define NAME(id, name, title) name,
	ALLOC_STAGES(NAME)
};
static const char *const titles[] = {
#define TITLE(id, name, title) title,
	ALLOC_STAGES(TITLE)
};

const char *alloc_stage_name(unsigned int stage)
{
	return names[stage];
}

const char *alloc_stage_title(unsigned int stage)
{
	return titles[stage];
}

static unsigned int class_of(uint64_t size)
{
	if (size == ALLOC_NOT_KNOWN)
		return ALLOC_UNKNOWN;
	return size ? 64u - (unsigned int)__builtin_clzll(size) : 0;
}

void alloc_class_bounds(unsigned int class, uint64_t *lo, uint64_t *hi)
{
	*lo = class ? 1ull << (class - 1) : 0;
	*hi = class ? *lo + (*lo - 1) : 0;
}

int alloc_stage_add(struct alloc_stage *s, uint64_t size, uint64_t ns, uint64_t at)
{
	struct alloc_class *c = &s->by_size[class_of(size)];

	s->n++;
	c->n++;
	if (size != ALLOC_NOT_KNOWN) {
		s->sized++;
		s->bytes = xtr_sat_add(s->bytes, size);
		c->bytes = xtr_sat_add(c->bytes, size);
	}
	if (ns == ALLOC_NOT_KNOWN)
		return 0;
	if (ns >= c->worst_ns) {
		c->worst_ns = ns;
		c->worst_at = at;
		c->worst_size = size;
	}
	return xtr_hist_add(&s->time, ns) | xtr_hist_add(&c->time, ns);
}

void alloc_stage_free(struct alloc_stage *s)
{
	unsigned int i;

	xtr_hist_free(&s->time);
	for (i = 0; i < ALLOC_CLASSES; i++)
		xtr_hist_free(&s->by_size[i].time);
}

/* How many lie above the limit, as far as buckets tell. */
static uint64_t above(const struct xtr_hist *h, uint64_t limit)
{
	struct xtr_hist_bucket b;
	uint64_t n = 0;
	uint32_t pos = 0;

	while (xtr_hist_next(h, &pos, &b))
		n += b.lo > limit ? b.n : 0;
	return n;
}

/* The worst one of a class, if it is much above the others. */
static int find_slow(const struct allocs *a, unsigned int stage, const struct alloc_class *c)
{
	uint64_t median = xtr_hist_quantile(&c->time, 500);
	uint64_t p99 = xtr_hist_quantile(&c->time, 990);
	struct xtr_finding f = {
		.id = "slow-allocation",
		.notable = true,
		.at_ns = c->worst_at,
		.evidence = { { "ns", c->worst_ns },
			      { "size", c->worst_size },
			      { "peers", c->time.n ? c->time.n - 1 : 0 },
			      { "p50_ns", median },
			      { "p99_ns", p99 },
			      { "above", above(&c->time, TIMES_ABOVE * median) },
			      { "limit_times", TIMES_ABOVE },
			      { "limit_ns", FLOOR_NS },
			      { "limit_peers", PEERS_MIN } },
		.n_evidence = 9,
	};
	char t[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER], n[XTR_TEXT_NUMBER];

	if (c->time.n < PEERS_MIN + 1 || c->worst_ns / TIMES_ABOVE <= median || c->worst_ns < p99 ||
	    c->worst_ns < FLOOR_NS)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%s: %s for %s bytes; the median of the %s of its size is %s", titles[stage],
		 xtr_text_ns(t, c->worst_ns), xtr_text_count(b, c->worst_size),
		 xtr_text_count(n, c->time.n), xtr_text_ns(m, median));
	return xtr_findings_add(a->o->findings, &f);
}

static int find_maps(const struct allocs *a)
{
	struct xtr_finding f = {
		.id = "map-calls",
		.at_ns = a->first_map_ns,
		.evidence = { { "map_page_calls", a->map_pages },
			      { "buffers", a->runs },
			      { "most", a->most },
			      { "buffers_of_known_size", a->sized_runs },
			      { "pages", a->run_pages } },
		.n_evidence = 5,
	};
	char n[XTR_TEXT_NUMBER], b[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER];

	if (!a->runs)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"%s ivpu_mmu_context_map_page calls for %s buffers, at most %s for one: the driver "
		"maps 4 KiB pages one by one, contiguous memory too",
		xtr_text_count(n, a->map_pages), xtr_text_count(b, a->runs),
		xtr_text_count(m, a->most));
	return xtr_findings_add(a->o->findings, &f);
}

static int find_excess(const struct allocs *a)
{
	struct xtr_finding f = {
		.id = "map-excess",
		.notable = true,
		.at_ns = a->excess_at,
		.evidence = { { "buffers", a->excess },
			      { "map_page_calls", a->excess_calls },
			      { "pages", a->excess_pages } },
		.n_evidence = 3,
	};
	char n[XTR_TEXT_NUMBER], c[XTR_TEXT_NUMBER], p[XTR_TEXT_NUMBER];
	const char *one = "%s buffer was mapped by more calls than it has pages: %s for %s";
	const char *more = "%s buffers were mapped by more calls than they have pages: %s for %s";

	if (!a->excess)
		return 0;
	snprintf(f.text, sizeof(f.text), a->excess == 1 ? one : more, xtr_text_count(n, a->excess),
		 xtr_text_count(c, a->excess_calls), xtr_text_count(p, a->excess_pages));
	return xtr_findings_add(a->o->findings, &f);
}

static int find_in_submit(const struct allocs *a)
{
	bool all = a->in_submit == a->map_pages;
	struct xtr_finding f = {
		.id = "mappings-in-submit",
		.at_ns = a->first_map_ns,
		.evidence = { { "mappings", a->map_pages },
			      { "in_submits", a->in_submit },
			      { "submits", a->submits } },
		.n_evidence = 3,
	};
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER], s[XTR_TEXT_NUMBER];

	if (!a->in_submit)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"%s%s%s%s page mappings lie inside %s %s: buffers are mapped at first submit, not when "
		"they are created",
		all ? "all " : "", all ? "" : xtr_text_count(n, a->in_submit), all ? "" : " of ",
		xtr_text_count(m, a->map_pages), xtr_text_count(s, a->submits),
		a->submits == 1 ? "submit" : "submits");
	return xtr_findings_add(a->o->findings, &f);
}

int alloc_find(const struct allocs *a)
{
	unsigned int s, c;
	int ret = 0;

	for (s = 0; s < ALLOC_STAGE_COUNT; s++)
		for (c = 0; c < ALLOC_UNKNOWN && !ret; c++)
			ret = find_slow(a, s, &a->stage[s].by_size[c]);
	ret = ret ? ret : find_in_submit(a);
	ret = ret ? ret : find_maps(a);
	return ret ? ret : find_excess(a);
}
