/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"
#include "chrome.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000u

void chrome_out_init(struct chrome_out *o, FILE *f)
{
	xtr_json_init(&o->json, f, false);
	o->json.depth = 1;
	o->comma = o->any = false;
}

void chrome_flush(struct chrome_out *o)
{
	xtr_line_flush(&o->json.line);
}

void chrome_raw(struct chrome_out *o, const char *s)
{
	xtr_line_str(&o->json.line, s);
}

void chrome_digits(struct chrome_out *o, uint64_t v)
{
	xtr_line_number(&o->json.line, v);
}

void chrome_event(struct chrome_out *o, const char *phase, const char *cat)
{
	chrome_raw(o, o->any ? ",\n{" : "\n{");
	o->any = true;
	o->comma = false;
	chrome_plain(o, "ph", phase);
	if (cat)
		chrome_plain(o, "cat", cat);
}

void chrome_event_end(struct chrome_out *o)
{
	chrome_raw(o, "}");
}

void chrome_args(struct chrome_out *o)
{
	chrome_key(o, "args");
	chrome_raw(o, "{");
	o->comma = false;
}

void chrome_args_end(struct chrome_out *o)
{
	chrome_raw(o, "}");
	o->comma = true;
}

void chrome_key(struct chrome_out *o, const char *key)
{
	struct xtr_line *l = &o->json.line;
	size_t n = strlen(key);

	if (o->comma)
		xtr_line_char(l, ',');
	xtr_line_char(l, '"');
	xtr_line_put(l, key, n);
	xtr_line_put(l, "\":", 2);
	o->comma = true;
}

void chrome_plain(struct chrome_out *o, const char *key, const char *value)
{
	chrome_key(o, key);
	xtr_line_char(&o->json.line, '"');
	chrome_raw(o, value);
	xtr_line_char(&o->json.line, '"');
}

/* No comma before the value: there was a key. */
struct xtr_json *chrome_json(struct chrome_out *o)
{
	o->json.after_key = true;
	return &o->json;
}

void chrome_text(struct chrome_out *o, const char *key, const char *s, size_t n)
{
	chrome_key(o, key);
	xtr_json_strn(chrome_json(o), s, n);
}

void chrome_text_in(struct chrome_out *o, const char *key, const char *before, const char *s,
		    const char *after)
{
	struct xtr_line *l = &o->json.line;

	chrome_key(o, key);
	xtr_line_char(l, '"');
	xtr_line_str(l, before);
	xtr_json_escape(l, s, strlen(s));
	xtr_line_str(l, after);
	xtr_line_char(l, '"');
}

void chrome_textf(struct chrome_out *o, const char *key, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	chrome_text(o, key, n < 0 ? "" : text, n < 0 ? 0 : (size_t)n);
	if (n >= 0)
		free(text);
}

void chrome_u64(struct chrome_out *o, const char *key, uint64_t v)
{
	chrome_key(o, key);
	chrome_digits(o, v);
}

void chrome_s64(struct chrome_out *o, const char *key, int64_t v)
{
	chrome_key(o, key);
	xtr_line_s64(&o->json.line, v);
}

void chrome_us(struct chrome_out *o, const char *key, uint64_t ns)
{
	chrome_key(o, key);
	xtr_line_number(&o->json.line, ns / NS_PER_US);
	xtr_line_char(&o->json.line, '.');
	xtr_line_u64(&o->json.line, ns % NS_PER_US, 3);
}

void chrome_fence(struct chrome_out *o, const char *key, uint64_t ctx, uint64_t seqno)
{
	chrome_key(o, key);
	xtr_line_char(&o->json.line, '"');
	chrome_digits(o, ctx);
	xtr_line_char(&o->json.line, ':');
	chrome_digits(o, seqno);
	xtr_line_char(&o->json.line, '"');
}

/* --- chrome axis ------------------------------------------------------------------------------ */

/*
 * Readers take microseconds as a double, which holds ns for 104 days. A section of another boot
 * that REALTIME would put further away than half of that is put behind the section before, as one
 * of which nothing is known: nobody compares times over such distances. Numbers come from the file
 * and may be anything, so times are added in 128 bits.
 */

#define REACH ((wide)1 << 52) /* ns: 52 days */

typedef __int128 wide; /* ns, on the first section's clock until the axis' start is known */

/* What is being found out. */
struct building {
	struct chrome_axis *axis;
	const struct xtr_reader *reader;
	wide *shift; /* of each section: its times to the first section's clock */
	struct xtr_map boots;
	uint32_t *first; /* section of each boot */
};

static bool clock_offset(const struct xtr_section *s, bool real, uint64_t *offset)
{
	for (size_t i = 0; i < xtr_section_n_clocks(s); i++) {
		const struct xtr_clock_snapshot *c = xtr_section_clock(s, i);
		uint64_t other = real ? c->realtime : c->boottime;

		if (!other || c->after < c->before)
			continue;
		*offset = other - (c->before + (c->after - c->before) / 2);
		return true;
	}
	return false;
}

bool chrome_realtime_offset(const struct xtr_section *s, uint64_t *offset)
{
	return clock_offset(s, true, offset);
}

bool chrome_boottime_offset(const struct xtr_section *s, uint64_t *offset)
{
	return clock_offset(s, false, offset);
}

/* The boot's name in two words; false if it is not known, or times of it cannot be compared. */
static bool boot_of(const struct xtr_section *s, uint64_t id[2])
{
	const struct xtr_meta *meta = xtr_section_meta(s);

	memcpy(id, xtr_meta_boot_id(meta), 2 * sizeof(id[0]));
	return (id[0] || id[1]) && !strcmp(xtr_meta_clock(meta), "monotonic");
}

/* Which boot the section is of; a new one if it is the first. 0 or -ENOMEM. */
static int find_boot(struct building *b, size_t i)
{
	struct chrome_axis_section *as = &b->axis->section[i];
	uint64_t id[2] = { 0 };
	bool known = boot_of(xtr_reader_section(b->reader, i), id);
	uint32_t boot = known ? xtr_map_index(&b->boots, id[0], id[1]) : XTR_MAP_NONE;

	if (boot != XTR_MAP_NONE) {
		as->boot = boot;
		return 0;
	}
	as->boot = b->axis->boots++;
	b->first[as->boot] = (uint32_t)i;
	return known ? xtr_map_put(&b->boots, id[0], id[1], as->boot) : 0;
}

/* Not too far from the first section. */
static bool in_reach(const struct building *b, size_t i)
{
	const struct xtr_section *s = xtr_reader_section(b->reader, i);
	wide zero = xtr_section_summary(xtr_reader_section(b->reader, 0))->ts_min;

	return b->shift[i] + xtr_section_summary(s)->ts_min > zero - REACH &&
	       b->shift[i] + xtr_section_summary(s)->ts_max < zero + REACH;
}

static bool place_by_realtime(struct building *b, size_t i)
{
	uint64_t here, there;

	if (!chrome_realtime_offset(xtr_reader_section(b->reader, i), &here) ||
	    !chrome_realtime_offset(xtr_reader_section(b->reader, 0), &there))
		return false;
	b->shift[i] = (wide)(int64_t)here - (int64_t)there;
	return in_reach(b, i);
}

static void place(struct building *b, size_t i)
{
	struct chrome_axis_section *as = &b->axis->section[i];
	const struct xtr_section *s = xtr_reader_section(b->reader, i), *before;
	uint32_t first = b->first[as->boot];

	as->aligned = CHROME_BY_BOOT;
	b->shift[i] = b->shift[first];
	if (!i || (first != i && in_reach(b, i)))
		return;
	as->aligned = CHROME_BY_REALTIME;
	if (first == i && place_by_realtime(b, i))
		return;
	as->aligned = CHROME_BEHIND;
	before = xtr_reader_section(b->reader, i - 1);
	b->shift[i] = b->shift[i - 1] + xtr_section_summary(before)->ts_max -
		      xtr_section_summary(s)->ts_min;
}

/* All sections' places, then the axis starts at the earliest. */
static int build(struct building *b)
{
	struct chrome_axis *a = b->axis;
	wide start = 0, t;
	int err;

	for (size_t i = 0; i < a->n; i++) {
		const struct xtr_section *s = xtr_reader_section(b->reader, i);

		err = find_boot(b, i);
		if (err)
			return err;
		place(b, i);
		t = b->shift[i] + xtr_section_summary(s)->ts_min;
		if (!i || t < start)
			start = t;
	}
	for (size_t i = 0; i < a->n; i++)
		a->section[i].offset = (uint64_t)(b->shift[i] - start);
	return 0;
}

int chrome_axis_init(struct chrome_axis *a, const struct xtr_reader *r)
{
	size_t n = xtr_reader_n_sections(r);
	struct building b = { .axis = a, .reader = r };
	int err = -ENOMEM;

	a->n = n;
	a->section = calloc(n + 1, sizeof(*a->section));
	b.shift = calloc(n + 1, sizeof(*b.shift));
	b.first = calloc(n + 1, sizeof(*b.first));
	if (a->section && b.shift && b.first)
		err = build(&b);
	xtr_map_free(&b.boots);
	free(b.shift);
	free(b.first);
	return err;
}

void chrome_axis_free(struct chrome_axis *a)
{
	free(a->section);
	memset(a, 0, sizeof(*a));
}

uint64_t chrome_axis_time(const struct chrome_axis_section *s, uint64_t ts)
{
	uint64_t t = ts + s->offset;

	return t > INT64_MAX ? 0 : t;
}

uint64_t chrome_axis_clock(const struct chrome_axis_section *s, uint64_t ns)
{
	return ns - s->offset;
}

const char *chrome_aligned_name(enum chrome_aligned aligned)
{
	static const char *const names[] = {
		[CHROME_BY_BOOT] = "boot",
		[CHROME_BY_REALTIME] = "realtime",
		[CHROME_BEHIND] = "behind the section before",
	};

	return names[aligned];
}
