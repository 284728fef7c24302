/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes in JSON, and what a section's own data tell. */
#include "report_impl.h"
#include "base/checked.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <string.h>

void report_varint(struct xtr_buf *b, uint64_t v)
{
	uint8_t *p = xtr_buf_room(b, XTR_VARINT_MAX);

	if (p)
		b->n = (size_t)(xtr_varint_put(p, v) - b->p);
}

void report_zigzag(struct xtr_buf *b, uint64_t d)
{
	report_varint(b, xtr_zigzag((int64_t)d));
}

/* Three bytes, of which n are there, as four digits. */
static void four_digits(uint8_t *to, const uint8_t *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);

	to[0] = (uint8_t)digits[v >> 18];
	to[1] = (uint8_t)digits[v >> 12 & 63];
	to[2] = (uint8_t)(n > 1 ? digits[v >> 6 & 63] : '=');
	to[3] = (uint8_t)(n > 2 ? digits[v & 63] : '=');
}

int report_json_bytes(struct xtr_json *j, const char *key, const struct xtr_buf *b)
{
	struct xtr_buf text = { 0 };
	uint8_t *p = xtr_buf_room(&text, b->n / 3 * 4 + 4);

	if (!p || b->err) {
		xtr_buf_free(&text);
		return -ENOMEM;
	}
	for (size_t i = 0; i < b->n; i += 3, text.n += 4)
		four_digits(p + text.n, b->p + i, b->n - i < 3 ? b->n - i : 3);
	xtr_json_key(j, key);
	xtr_json_strn(j, text.n ? (const char *)p : "", text.n);
	xtr_buf_free(&text);
	return 0;
}

void report_json_text(struct xtr_json *j, const char *key, const char *s)
{
	xtr_json_key(j, key);
	xtr_json_strn(j, s, s ? strnlen(s, REPORT_TEXT_BYTES) : 0);
}

void report_json_exact(struct xtr_json *j, const char *key, uint64_t v)
{
	char text[XTR_DIGITS_MAX + 1];

	*xtr_digits_put(text, v) = '\0';
	xtr_json_kv_str(j, key, text);
}

/* --- losses ------------------------------------------------------------------------------------
 */

#define GAPS_LISTED     200u
#define PROBLEMS_LISTED 20u
#define GAP_PARTS       512u

static void causes_json(struct xtr_json *j, const struct xtr_loss *loss, uint64_t lost)
{
	enum xtr_loss_cause c;
	uint64_t known = 0, n;

	xtr_json_kv_array(j, "causes");
	for (c = 1; c < XTR_LOSS_CAUSE_COUNT; c++) {
		n = xtr_loss_of(loss, c);
		if (!n)
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "cause", xtr_loss_cause_name(c));
		xtr_json_kv_str(j, "help", xtr_loss_cause_help(c));
		report_json_exact(j, "count", n);
		xtr_json_end_object(j);
		known = xtr_sat_add(known, n);
	}
	xtr_json_end_array(j);
	report_json_exact(j, "cause_unknown", lost > known ? lost - known : 0);
}

static void gap_json(struct xtr_json *j, const struct xtr_gap *g)
{
	xtr_json_begin_object(j);
	xtr_json_kv_u64_if(j, "cpu", !(g->stream == XTR_STREAM_NONE), g->stream);
	report_json_exact(j, "first", g->first);
	report_json_exact(j, "last", g->last);
	report_json_exact(j, "count", g->count);
	xtr_json_end_object(j);
}

/* Where in the time something was lost: a digit for each part. */
static void gap_parts_json(struct xtr_json *j, const struct xtr_loss *loss, uint64_t from,
			   uint64_t to)
{
	int64_t begun[GAP_PARTS + 1] = { 0 }, open = 0;
	uint64_t width = (to - from) / GAP_PARTS + 1;
	char text[GAP_PARTS + 1] = { 0 };

	for (size_t i = 0; i < xtr_loss_n_gaps(loss); i++) {
		const struct xtr_gap *g = xtr_loss_gap_at(loss, i);
		uint64_t first = g->first > from ? (g->first - from) / width : 0;
		uint64_t last = g->last > from ? (g->last - from) / width : 0;

		if (xtr_gap_left_out(g) || g->last < from || g->first > to || first > last)
			continue;
		begun[first < GAP_PARTS ? first : GAP_PARTS - 1]++;
		begun[last < GAP_PARTS - 1 ? last + 1 : GAP_PARTS]--;
	}
	for (size_t i = 0; i < GAP_PARTS; i++) {
		open += begun[i];
		text[i] = open > 0 ? '1' : '0';
	}
	xtr_json_kv_str(j, "parts", text);
}

static void gaps_json(struct xtr_json *j, const struct xtr_export_section *s)
{
	const struct xtr_loss *loss = xtr_section_loss(s->section);
	size_t n = 0;

	xtr_json_kv_array(j, "list");
	for (size_t i = 0; i < xtr_loss_n_gaps(loss) && n < GAPS_LISTED; i++) {
		const struct xtr_gap *g = xtr_loss_gap_at(loss, i);

		if (xtr_gap_left_out(g) || g->last < s->from || g->first > s->to)
			continue;
		gap_json(j, g);
		n++;
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "all", xtr_loss_n_losses(loss));
	gap_parts_json(j, loss, s->from, s->to);
}

static void problems_json(struct xtr_json *j, const struct xtr_reader *r)
{
	size_t i, n = xtr_reader_n_problems(r);

	xtr_json_kv_u64(j, "n", n);
	xtr_json_kv_array(j, "list");
	for (i = 0; i < n && i < PROBLEMS_LISTED; i++) {
		const struct xtr_problem *p = xtr_reader_problem(r, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "code", xtr_problem_name(p->code));
		xtr_json_kv_str(j, "help", xtr_problem_help(p->code));
		xtr_json_kv_u64(j, "chunk", p->seq);
		report_json_exact(j, "offset", p->offset);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void report_json_losses(struct xtr_json *j, const struct xtr_export_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s->section);

	xtr_json_kv_object(j, "losses");
	report_json_exact(j, "lost", sum->lost);
	report_json_exact(j, "missing", sum->missing);
	xtr_json_kv_bool(j, "closed", sum->closed);
	causes_json(j, xtr_section_loss(s->section), sum->lost);
	xtr_json_kv_object(j, "gaps");
	gaps_json(j, s);
	xtr_json_end_object(j);
	xtr_json_kv_object(j, "problems");
	problems_json(j, s->reader);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}

/* --- facts -------------------------------------------------------------------------------------
 */

static void system_json(struct xtr_json *j, const struct xtr_meta *meta)
{
	const struct xtr_system *sys = xtr_meta_system(meta);

	report_json_text(j, "writer", xtr_meta_writer_name(meta));
	report_json_text(j, "writer_version", xtr_meta_writer_version(meta));
	report_json_text(j, "host", sys ? sys->hostname : NULL);
	report_json_text(j, "kernel", sys ? sys->release : NULL);
	report_json_text(j, "machine", sys ? sys->machine : NULL);
	report_json_text(j, "hypervisor", sys ? sys->hypervisor : NULL);
	xtr_json_kv_u64(j, "cpus", sys ? sys->cpus : 0);
}

#define DEVICES_LISTED 64u

static void devices_json(struct xtr_json *j, const struct xtr_meta *meta)
{
	xtr_json_kv_array(j, "devices");
	for (size_t i = 0; i < xtr_meta_n_devices(meta) && i < DEVICES_LISTED; i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		xtr_json_begin_object(j);
		report_json_text(j, "device", d->name);
		report_json_text(j, "driver", d->driver);
		report_json_text(j, "pci_id", d->pci_id);
		report_json_text(j, "driver_version", d->driver_version);
		report_json_text(j, "firmware", d->firmware);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void report_json_facts(struct xtr_json *j, const struct xtr_export_section *s)
{
	const struct xtr_clock_snapshot *c =
		xtr_section_n_clocks(s->section) ? xtr_section_clock(s->section, 0) : NULL;

	xtr_json_kv_u64(j, "index", s->index);
	report_json_exact(j, "from", s->from);
	report_json_exact(j, "to", s->to);
	xtr_json_kv_bool(j, "times", xtr_meta_has_times(s->meta));
	report_json_text(j, "clock", xtr_meta_clock(s->meta));
	/* Add it to a time, modulo 2^64: ns since 1970; "0": not known. */
	report_json_exact(j, "realtime", c && c->realtime ? c->realtime - c->before : 0);
	system_json(j, s->meta);
	devices_json(j, s->meta);
}
