/* SPDX-License-Identifier: BSD-2-Clause */
/* What the text and the JSON view share. */
#include "view.h"
#include "format/read/reader.h"
#include "base/text.h"

#include <string.h>

static const char *const parts[] = {
#define PART(id, name, title) name,
	XTR_VIEW_PARTS(PART)
};

uint64_t xtr_view_part_bit(const char *name)
{
	for (unsigned int i = 0; xtr_view_part_name(i); i++)
		if (!strcmp(xtr_view_part_name(i), name))
			return 1ull << i;
	return 0;
}

uint64_t xtr_view_usual(void)
{
	uint64_t bits = ~0ull;

	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (xtr_analyses[i]->on_request)
			bits &= ~(1ull << (XTR_VIEW_PART_COUNT + i));
	return bits;
}

uint32_t xtr_view_analyses(uint64_t bits)
{
	return (uint32_t)(bits >> XTR_VIEW_PART_COUNT);
}

const char *xtr_view_part_name(unsigned int part)
{
	if (part < XTR_VIEW_PART_COUNT)
		return parts[part];
	part -= XTR_VIEW_PART_COUNT;
	return part < xtr_n_analyses ? xtr_analyses[part]->name : NULL;
}

/* Above this many rings every one gets its id: looking for equal names would be quadratic. */
#define RINGS_COMPARED 256u

static bool shares_name(const struct xtr_model *m, const struct xtr_model_ring *ring)
{
	size_t i, n = xtr_model_n_rings(m);

	for (i = 0; n <= RINGS_COMPARED && i < n; i++) {
		const struct xtr_model_ring *other = xtr_model_ring(m, i);

		if (other != ring && other->device == ring->device &&
		    !strcmp(other->name, ring->name))
			return true;
	}
	return n > RINGS_COMPARED;
}

const char *xtr_view_ring(const struct xtr_view *v, const struct xtr_model_ring *ring, char *buf,
			  size_t cap)
{
	size_t len;

	if (!ring || (!ring->id && !*ring->name))
		return "(unknown)";
	xtr_text_name(buf, cap, ring->name, strlen(ring->name));
	len = strlen(buf);
	if (!len || shares_name(xtr_stats_model(v->stats), ring))
		snprintf(buf + len, cap - len, "#%u", ring->id);
	return buf;
}

const char *xtr_view_ring_path(const struct xtr_view *v, const struct xtr_model_ring *ring,
			       char *buf, size_t cap)
{
	char name[XTR_TEXT_NAME + 16];
	size_t len;

	xtr_text_name(buf, cap, ring->device_name, strlen(ring->device_name));
	len = strlen(buf);
	snprintf(buf + len, cap - len, "%s%s", len ? "/" : "",
		 xtr_view_ring(v, ring, name, sizeof(name)));
	return buf;
}

const char *xtr_view_ring_id(const struct xtr_view *v, uint32_t id, char *buf, size_t cap)
{
	const struct xtr_model *m = xtr_stats_model(v->stats);

	if (!id)
		return "(other fence)";
	for (size_t i = 0; i < xtr_model_n_rings(m); i++)
		if (xtr_model_ring(m, i)->id == id)
			return xtr_view_ring_path(v, xtr_model_ring(m, i), buf, cap);
	snprintf(buf, cap, "?ring:%u", id);
	return buf;
}

bool xtr_view_times(const struct xtr_view *v)
{
	return xtr_meta_has_times(xtr_section_meta(v->section));
}

uint64_t xtr_view_duration(const struct xtr_view *v)
{
	uint64_t first, last;

	xtr_stats_span(v->stats, &first, &last);
	return last - first;
}

/* What inferred times of a row rest on; ring NULL: it has jobs of several. */
static const char *inferred_from(const struct xtr_model_ring *ring)
{
	if (!ring)
		return "inferred";
	if (ring->told)
		return "inferred, as the imported trace tells";
	return xtr_ring_order_known(ring) ? "inferred, in-order ring"
					  : "inferred where it was idle";
}

static const char *exact_from(const struct xtr_model_ring *ring)
{
	if (ring && ring->told)
		return "exact, as the imported trace tells";
	return ring && ring->measured ? "exact, measured by the hardware"
				      : "exact, one job at a time";
}

const char *xtr_view_known_as(const struct xtr_stats_row *row, bool brief,
			      char buf[XTR_VIEW_KNOWN_AS])
{
	const struct xtr_agg *a = &row->agg;
	uint64_t bounded = a->quality[XTR_QUALITY_BOUNDED];
	const struct xtr_model_ring *ring = brief ? NULL : row->ring;
	const char *why = ring ? xtr_ring_why(ring) : NULL;
	char n[XTR_TEXT_NUMBER];

	if (!a->resided)
		return "no job with start and end";
	if (!a->exec.n && brief)
		return "bounded";
	if (!a->exec.n)
		snprintf(buf, XTR_VIEW_KNOWN_AS, "bounded: %s", why ? why : "no start is known");
	else
		snprintf(buf, XTR_VIEW_KNOWN_AS, "%s%s%s%s",
			 a->quality[XTR_QUALITY_INFERRED] ? inferred_from(ring) : exact_from(ring),
			 bounded ? "; " : "", bounded ? xtr_text_count(n, bounded) : "",
			 bounded ? " only bounded" : "");
	return buf;
}
