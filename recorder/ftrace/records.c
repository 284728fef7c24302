/* SPDX-License-Identifier: BSD-2-Clause */
#include "records.h"

#include "format/xtr_format.h"

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

void xtr_ring_shape_of(struct xtr_ring_shape *s, const struct xtr_generic *g)
{
	uint32_t rest = g->cfg.fixed % 8;

	*s = (struct xtr_ring_shape){
		.rest = ((uint64_t)1 << 8 * rest) - 1,
		.g = g,
		.fixed = g->cfg.fixed,
		.size = g->desc.size,
		.zero = (XTR_RECORD_HEADER_SIZE + g->cfg.fixed) & ~7u,
		.max = (g->desc.size + g->cfg.n_strs * (XTR_STR_MAX + 2u) + 7) & ~7u,
		.head = g->cfg.type | (uint64_t)g->desc.size << 16,
		.strings = g->cfg.n_strs != 0,
		.plain = !g->cfg.n_strs &&
			 g->desc.size == ((XTR_RECORD_HEADER_SIZE + g->cfg.fixed + 7u) & ~7u),
		.as_is = xtr_generic_as_is(g, g->desc.size),
	};
}

/* One string behind the fixed part, as bpf/generic.bpf.h puts it there. Returns its end. */
static uint8_t *put_string(uint8_t *out, const struct xtr_ring_event *ev, uint32_t offset,
			   uint32_t kind)
{
	uint32_t loc = xtr_load32(ev->data + offset), from = loc & 0xffff, n = loc >> 16;
	uint16_t len;

	if (kind == XTR_STR_REL || kind == XTR_STR_REL_BYTES)
		from += offset + 4;
	n = n < XTR_STR_MAX ? n : XTR_STR_MAX;
	if (kind == XTR_STR_PTR || from > ev->n || n > ev->n - from)
		n = 0;
	if (n && (kind == XTR_STR_LOC || kind == XTR_STR_REL))
		n = (uint32_t)strnlen((const char *)ev->data + from, n - 1);
	len = (uint16_t)n;
	memcpy(out, &len, sizeof(len));
	memcpy(out + sizeof(len), ev->data + from, n);
	return out + sizeof(len) + n;
}

/* Strings behind the fixed part. The bytes of the record. */
static uint32_t put_strings(const struct xtr_ring_shape *s, const struct xtr_ring_event *ev,
			    uint8_t *out)
{
	const struct xtr_generic_cfg *cfg = &s->g->cfg;
	uint8_t *at = out + s->size;

	for (uint32_t i = 0; i < cfg->n_strs; i++)
		at = put_string(at, ev, cfg->str[i].offset, cfg->str[i].kind);
	while ((at - out) % 8)
		*at++ = 0;
	return (uint32_t)(at - out);
}

/* A few bytes: most events are short. */
static inline void copy(uint8_t *to, const uint8_t *from, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8)
		memcpy(to + i, from + i, 8);
	for (; i < n; i++)
		to[i] = from[i];
}

uint32_t xtr_ring_record(const struct xtr_ring_shape *s, const struct xtr_ring_event *ev,
			 uint32_t tid, uint8_t *out)
{
	uint64_t head = s->head | (uint64_t)tid << 32;
	uint32_t n = s->size;

	if (ev->n < XTR_TP_COMMON + s->fixed)
		return 0;
	for (uint32_t i = s->zero; i < n; i += 8)
		memset(out + i, 0, 8);
	copy(out + XTR_RECORD_HEADER_SIZE, ev->data + XTR_TP_COMMON, s->fixed);
	memcpy(out, &ev->ts, 8);
	memcpy(out + 8, &head, 8);
	if (__builtin_expect(!s->strings, 1))
		return n;
	n = put_strings(s, ev, out);
	memcpy(out + 10, &(uint16_t){ (uint16_t)n }, 2);
	return n;
}

/* Words are read as a whole, so the last events of a page are left to xtr_ring_record. */
uint32_t xtr_ring_records_alike(struct xtr_ring_page *pg, const struct xtr_ring_shape *s,
				const struct xtr_ring_event *ev, uint64_t until, uint8_t *out,
				uint32_t max)
{
	static const uint8_t type_and_pid[] = { 0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff };
	const uint64_t alike = load64(type_and_pid), first = load64(ev->data);
	const uint64_t head = s->head | (uint64_t)xtr_load32(ev->data + 4) << 32;
	const uint32_t step = 4 + ev->n, words = s->fixed / 8;
	const uint8_t *at = pg->at;
	uint64_t ts = pg->ts;
	uint32_t n = 0;

	if (ev->n > 4 * XTR_TPRING_DATA_MAX) /* its length does not stand in its head */
		return 0;
	for (; n < max && (size_t)(pg->end - at) >= step + sizeof(uint64_t); n++) {
		const uint8_t *from = at + 4 + XTR_TP_COMMON;
		uint32_t event = xtr_load32(at), i = 0;

		if ((event & 31) * 4 != ev->n || ((load64(at + 4) ^ first) & alike) ||
		    ts + (event >> 5) >= until)
			break;
		ts += event >> 5;
		put64(out, ts);
		put64(out + 8, head);
		out += XTR_RECORD_HEADER_SIZE;
		for (; i < words; i++, out += 8)
			put64(out, load64(from + 8 * i));
		if (s->rest) {
			put64(out, load64(from + 8 * i) & s->rest);
			out += 8;
		}
		at += step;
	}
	pg->at = at;
	pg->ts = ts;
	return n;
}
