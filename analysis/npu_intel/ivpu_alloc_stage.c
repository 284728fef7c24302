/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/checked.h"
#include "base/text.h"
#include "ivpu_alloc_impl.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <stdlib.h>

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
	xtr_hist_free(&s->time);
	for (unsigned int i = 0; i < ALLOC_CLASSES; i++)
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
		 "%s: %s for %s bytes; the median of all %s of its size is %s", titles[stage],
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
		"maps 4 KiB pages one by one, even contiguous memory",
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
	const char *one = "%s buffer was mapped by more calls than it has pages: %s calls for %s";
	const char *more =
		"%s buffers were mapped by more calls than they have pages: %s calls for %s";

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
		"%s%s%s%s page mappings happened inside %s %s: buffers are mapped at first submit, not when "
		"they are created",
		all ? "all " : "", all ? "" : xtr_text_count(n, a->in_submit), all ? "" : " of ",
		xtr_text_count(m, a->map_pages), xtr_text_count(s, a->submits),
		a->submits == 1 ? "submit" : "submits");
	return xtr_findings_add(a->o->findings, &f);
}

int alloc_find(const struct allocs *a)
{
	int err = 0;

	for (unsigned int s = 0; s < ALLOC_STAGE_COUNT; s++)
		for (unsigned int c = 0; c < ALLOC_UNKNOWN && !err; c++)
			err = find_slow(a, s, &a->stage[s].by_size[c]);
	err = err ? err : find_in_submit(a);
	err = err ? err : find_maps(a);
	return err ? err : find_excess(a);
}

/* --- ivpu alloc buffers ----------------------------------------------------------------------- */

/* Buffers from their creation to their first bind, told apart by process and NPU address. */

uint64_t alloc_value(const struct xtr_call *c, const char *field)
{
	uint64_t v;

	return xtr_call_value(c, field, &v) ? v : ALLOC_NOT_KNOWN;
}

int alloc_created(struct allocs *a, const struct xtr_call *c, uint64_t size, uint64_t ns)
{
	uint64_t addr = alloc_value(c, "vpu_addr"), handle = alloc_value(c, "handle");
	uint32_t i;

	if (!addr || addr == ALLOC_NOT_KNOWN || ns == ALLOC_NOT_KNOWN || (c->ret_known && c->ret))
		return 0;
	if (a->n_created == ALLOC_CREATED_MAX) {
		xtr_map_free(&a->by_addr);
		a->n_created = 0;
	}
	i = a->n_created++;
	a->created[i] = (struct alloc_buffer){ .at = c->begin_ns,
					       .size = size,
					       .vpu_addr = addr,
					       .create_ns = ns,
					       .handle = (uint32_t)handle,
					       .process = xtr_process(c->pid, c->nth) };
	return xtr_map_put(&a->by_addr, a->created[i].process, addr, i);
}

static uint64_t both(const struct alloc_buffer *b)
{
	return b->create_ns + b->bind_ns;
}

/* Into the list: in the place of a faster one if it is full. */
static void keep(struct allocs *a, const struct alloc_buffer *b)
{
	uint32_t least = 0;

	if (a->n_buffers < ALLOC_BUFFERS_MAX) {
		a->buffer[a->n_buffers++] = *b;
		return;
	}
	for (uint32_t i = 1; i < ALLOC_BUFFERS_MAX; i++)
		if (both(&a->buffer[i]) < both(&a->buffer[least]))
			least = i;
	if (both(b) > both(&a->buffer[least]))
		a->buffer[least] = *b;
}

/* A buffer has whole pages, however many bytes were asked for. */
static bool same_pages(const struct allocs *a, uint32_t i, uint64_t size)
{
	uint64_t asked = a->created[i].size;

	return asked == ALLOC_NOT_KNOWN ||
	       asked / ALLOC_NPU_PAGE + !!(asked % ALLOC_NPU_PAGE) ==
		       size / ALLOC_NPU_PAGE + !!(size % ALLOC_NPU_PAGE);
}

void alloc_bound(struct allocs *a, const struct xtr_call *c, uint64_t addr, uint64_t ns,
		 uint64_t *size)
{
	uint64_t process = xtr_process(c->pid, c->nth);
	uint32_t i = xtr_map_index(&a->by_addr, process, addr);

	if (i == XTR_MAP_NONE || (*size != ALLOC_NOT_KNOWN && !same_pages(a, i, *size)))
		return;
	a->created[i].bind_ns = ns;
	a->created[i].bind_at = c->begin_ns;
	if (*size == ALLOC_NOT_KNOWN)
		*size = a->created[i].size;
	keep(a, &a->created[i]);
	xtr_map_del(&a->by_addr, process, addr);
}

static int slowest_first(const void *pa, const void *pb)
{
	uint64_t a = both(pa), b = both(pb);

	return (a < b) - (a > b);
}

void alloc_sort_buffers(struct allocs *a)
{
	qsort(a->buffer, a->n_buffers, sizeof(*a->buffer), slowest_first);
}
