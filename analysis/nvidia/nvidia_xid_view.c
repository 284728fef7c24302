/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of Xids: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "nvidia_xid.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static const struct xid_meaning *meaning_of(uint32_t code, bool sxid)
{
	return sxid ? NULL : xid_find(code);
}

static const char *severity_of(const struct xid_meaning *m)
{
	return xid_severity_name(m ? m->severity : XID_UNKNOWN);
}

#define AT(member) XTR_AT(struct xid_kind, member)
static const struct xtr_section_column kind_columns[] = {
	{ NULL, "<Xid", XTR_C_TEXT, XTR_PUT },
	{ "code", NULL, XTR_C_NUMBER, AT(code), "number of the Xid" },
	FLAG("sxid", sxid, "it is one of NVSwitch"),
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "PCI address, or pointer" },
	SHOWN("count", "times", n, "how often"),
	{ "first_ns", NULL, XTR_C_NS, AT(first_ns), "when first" },
	{ "last_ns", NULL, XTR_C_NS, AT(last_ns), "and last" },
	{ NULL, "<severity", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<action", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<mnemonic", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<meaning", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT },
	{ "mnemonic", NULL, XTR_C_TEXT, XTR_PUT, "NVIDIA's name of it" },
	{ "meaning", NULL, XTR_C_TEXT, XTR_PUT, "what it means" },
	{ "severity", NULL, XTR_C_TEXT, XTR_PUT, "what it tells of" },
	{ "action", NULL, XTR_C_TEXT, XTR_PUT, "what NVIDIA says to do" },
};
#undef AT

static bool put_kinds(struct xtr_rows *r, const void *row)
{
	const struct xids *x = xtr_rows_self(r);
	const struct xid_kind *k = row;
	const struct xid_meaning *m = meaning_of(k->code, k->sxid);

	xtr_put_format(r, "%s%" PRIu32, k->sxid ? "SXid " : "", k->code);
	xtr_put_text(r, x->device[k->device].dev);
	xtr_put_text(r, severity_of(m));
	xtr_put_text(r, m ? m->action : NULL);
	xtr_put_text(r, m ? m->mnemonic : "(not in the table)");
	xtr_put_text(r, m ? m->meaning : NULL);
	xtr_put_text(r, m ? m->mnemonic : NULL);
	xtr_put_text(r, m ? m->meaning : NULL);
	xtr_put_text(r, severity_of(m));
	xtr_put_text(r, m ? m->action : NULL);
	return true;
}

static const struct xtr_section_table kinds =
	XTR_TABLE_OF("kinds", "Xids of a number on a device", kind_columns,
		     XTR_ARRAY(struct xids, kind, n_kinds), put_kinds, XTR_SHOW_ALL);

/* " ret -22, 12.3 us", or that it had not returned. */
static void call_text(const struct xids *x, const struct nv_past_call *c, FILE *f)
{
	char ns[XTR_TEXT_NUMBER];

	if (c->done && x->o->times)
		fprintf(f, ", %s", xtr_text_ns(ns, c->ns));
	if (c->ret_known && c->ret)
		fprintf(f, ", returned %" PRId64, c->ret);
}

static void before_text(const struct xids *x, const struct xid *one, const struct nv_before *b,
			bool last, FILE *f)
{
	char name[2 * NV_NAME_MAX], n[XTR_TEXT_NUMBER];

	fprintf(f, "%s%s %s:", b->complete ? "" : "at least ", xtr_text_count(n, b->calls),
		b->calls == 1 ? "call" : "calls");
	for (uint32_t i = 0; i < b->n_names; i++)
		fprintf(f, "%s %s %s", i ? "," : "", xtr_text_count(n, b->name[i].n),
			nv_past_name(name, &b->name[i].what));
	if (b->others)
		fprintf(f, ", %s others", xtr_text_count(n, b->others));
	fputc('\n', f);
	for (uint32_t i = 0; i < b->n_last && last; i++) {
		const struct nv_past_call *c = &b->last[i];

		if (x->o->times)
			fprintf(f, "      %s before: ", xtr_text_ns(n, one->ts - c->ts));
		else
			fputs("      before: ", f);
		fputs(nv_past_name(name, c), f);
		call_text(x, c, f);
		fputc('\n', f);
	}
}

static void who_text(const struct xids *x, const struct xid *one, FILE *f)
{
	char buf[XTR_TEXT_NAME], pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s =
		x->o->tables && one->comm ? xtr_tables_string(x->o->tables, one->comm, &n) : NULL;

	if (!one->process_from) {
		fputs("    process: not known\n", f);
		return;
	}
	fprintf(f, "    process %s%s%s (by its %s), ", xtr_text_process(pid, one->who),
		s ? " " : "", s ? xtr_text_name(buf, sizeof(buf), s, n) : "",
		xid_from_name(one->process_from));
	if (one->process.known)
		before_text(x, one, &one->process, true, f);
	else
		fputs("no calls of it in the trace\n", f);
}

static void one_text(const struct xids *x, const struct xid *one, FILE *f)
{
	char buf[XTR_TEXT_NUMBER];

	fprintf(f, "\n  %s %s %" PRIu32 " on %s%s%s\n", xtr_text_place(buf, x->o->times, one->ts),
		one->sxid ? "SXid" : "Xid", one->code, x->device[one->device].dev,
		*one->msg ? ": " : "", one->msg);
	who_text(x, one, f);
	if (one->interrupts.known) {
		fprintf(f, "    device 0x%" PRIx64 "%s, ", one->handler,
			one->handler_from == XID_FROM_ONLY ? " (the only one)" : "");
		before_text(x, one, &one->interrupts, false, f);
	}
	if (one->xids_before)
		fprintf(f, "    other Xids of the device: %s\n",
			xtr_text_count(buf, one->xids_before));
}

int xid_text(const void *self, const struct xtr_view *v)
{
	const struct xids *x = self;
	int err = xtr_table_text(&kinds, x, x->o, v->f);
	uint32_t i;

	for (i = 0; i < x->n_xids && i < x->o->top && !err; i++)
		one_text(x, &x->xid[i], v->f);
	if (x->n > i)
		fprintf(v->f, "\n  ... and %" PRIu64 " more (--top)\n", x->n - i);
	if (x->o->times)
		fputs("  Calls are those of the second before.\n", v->f);
	if (x->lost)
		fputs("  Events were lost: counts are lower bounds.\n", v->f);
	return err;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void kv_call(const struct nv_past_call *c, struct xtr_json *j)
{
	char name[2 * NV_NAME_MAX];

	xtr_json_kv_str(j, "call", nv_role_name(c->role));
	xtr_json_kv_str(j, "name", nv_past_name(name, c));
}

static void json_last(const struct xids *x, const struct xid *one, const struct nv_before *b,
		      struct xtr_json *j)
{
	xtr_json_kv_array(j, "last");
	for (uint32_t i = 0; i < b->n_last; i++) {
		const struct nv_past_call *c = &b->last[i];

		xtr_json_begin_object(j);
		kv_call(c, j);
		xtr_json_kv_u64(j, "tid", c->tid);
		xtr_json_key(j, "before_ns");
		if (x->o->times)
			xtr_json_u64(j, one->ts - c->ts);
		else
			xtr_json_null(j);
		xtr_json_key(j, "time_ns");
		if (x->o->times && c->done)
			xtr_json_u64(j, c->ns);
		else
			xtr_json_null(j);
		xtr_json_key(j, "ret");
		if (c->ret_known)
			xtr_json_s64(j, c->ret);
		else
			xtr_json_null(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_before(const struct xids *x, const struct xid *one, const struct nv_before *b,
			struct xtr_json *j)
{
	if (!b->known) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "complete", b->complete);
	xtr_json_kv_u64(j, "calls", b->calls);
	xtr_json_kv_array(j, "names");
	for (uint32_t i = 0; i < b->n_names; i++) {
		xtr_json_begin_object(j);
		kv_call(&b->name[i].what, j);
		xtr_json_kv_u64(j, "calls", b->name[i].n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "others", b->others);
	json_last(x, one, b, j);
	xtr_json_end_object(j);
}

/* An Xid, and what it is of. */
static void process_before(const void *self, const void *row, struct xtr_json *j)
{
	json_before(self, row, &((const struct xid *)row)->process, j);
}

static void device_before(const void *self, const void *row, struct xtr_json *j)
{
	json_before(self, row, &((const struct xid *)row)->interrupts, j);
}

#define AT(member) XTR_AT(struct xid, member)
static const struct xtr_section_column list_columns[] = {
	{ "at_ns", NULL, XTR_C_NS, AT(ts), "when" },
	{ "code", NULL, XTR_C_NUMBER, AT(code), "number of the Xid" },
	FLAG("sxid", sxid, "it is one of NVSwitch"),
	{ "device", NULL, XTR_C_TEXT, XTR_PUT, "PCI address, or pointer" },
	{ "message", NULL, XTR_C_TEXT, XTR_PUT, "the driver's message" },
	{ "pid", NULL, XTR_C_PROCESS, XTR_PUT, "process" },
	{ "pid_from", NULL, XTR_C_TEXT, XTR_PUT, "what tells it: message or thread" },
	{ "handler", NULL, XTR_C_NUMBER, XTR_PUT, "pointer of the device in interrupts" },
	{ "handler_from", NULL, XTR_C_TEXT, XTR_PUT, "what tells it: handler, earlier or only" },
	{ "process_before", NULL, XTR_C_ANY, XTR_PUT, "calls of the process before" },
	{ "device_before", NULL, XTR_C_ANY, XTR_PUT, "interrupts of the device before" },
	COUNT("xids_before", xids_before, "other Xids of the device before"),
};
#undef AT

static void put_from(struct xtr_rows *r, enum xid_from from)
{
	xtr_put_text(r, from ? xid_from_name(from) : NULL);
}

static bool put_list(struct xtr_rows *r, const void *row)
{
	const struct xids *x = xtr_rows_self(r);
	const struct xid *one = row;

	xtr_put_text(r, x->device[one->device].dev);
	xtr_put_text(r, *one->msg ? one->msg : NULL);
	xtr_put_u64(r, true, one->process_from ? one->who : 0);
	put_from(r, one->process_from);
	xtr_put_u64(r, one->handler_from, one->handler);
	put_from(r, one->handler_from);
	xtr_put_any(r, process_before, one);
	xtr_put_any(r, device_before, one);
	return true;
}

static const struct xtr_section_table list =
	XTR_TABLE_OF("list", "an Xid, in order of time", list_columns,
		     XTR_ARRAY(struct xids, xid, n_xids), put_list, XTR_SHOW_ALL);

const struct xtr_section_table *const xid_tables[] = { &kinds, &list, NULL };

void xid_json(const void *self, struct xtr_json *j)
{
	const struct xids *x = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->lost);
	xtr_json_kv_u64(j, "xids", x->n);
	xtr_json_kv_u64(j, "kinds_left_out", x->left_out);
	xtr_json_key(j, "before_ns");
	if (x->o->times)
		xtr_json_u64(j, NV_BEFORE_NS);
	else
		xtr_json_null(j);
	xtr_tables_json(xid_tables, x, x->o, j);
	xtr_json_end_object(j);
}
