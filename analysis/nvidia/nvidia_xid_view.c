/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `xid` as text and as JSON. */
#include "analysis/core/grid.h"
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

static int text_kinds(const struct xids *x, FILE *f)
{
	static const char *const columns[] = { "<Xid",    "<device",   "times",    "<severity",
					       "<action", "<mnemonic", "<meaning", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < x->n_kinds; i++) {
		const struct xid_kind *k = &x->kind[i];
		const struct xid_meaning *m = meaning_of(k->code, k->sxid);

		snprintf(buf, sizeof(buf), "%s%" PRIu32, k->sxid ? "SXid " : "", k->code);
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, x->device[k->device].dev);
		xtr_grid_cell(t, xtr_text_count(buf, k->n));
		xtr_grid_cell(t, severity_of(m));
		xtr_grid_cell(t, m ? m->action : "-");
		xtr_grid_cell(t, m ? m->mnemonic : "(not in the table)");
		xtr_grid_cell(t, m ? m->meaning : "");
	}
	return xtr_grid_print(t, f, 2);
}

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
	uint32_t i;

	fprintf(f, "%s%s %s:", b->complete ? "" : "at least ", xtr_text_count(n, b->calls),
		b->calls == 1 ? "call" : "calls");
	for (i = 0; i < b->n_names; i++)
		fprintf(f, "%s %s %s", i ? "," : "", xtr_text_count(n, b->name[i].n),
			nv_past_name(name, &b->name[i].what));
	if (b->others)
		fprintf(f, ", %s others", xtr_text_count(n, b->others));
	fputc('\n', f);
	for (i = 0; i < b->n_last && last; i++) {
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
	int ret = text_kinds(x, v->f);
	uint32_t i;

	for (i = 0; i < x->n_xids && i < x->o->top && !ret; i++)
		one_text(x, &x->xid[i], v->f);
	if (x->n > i)
		fprintf(v->f, "\n  ... and %" PRIu64 " more (--top)\n", x->n - i);
	if (x->o->times)
		fputs("  Calls are those of the second before.\n", v->f);
	if (x->lost)
		fputs("  Events were lost: counts are lower bounds.\n", v->f);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void kv_meaning(const struct xid_meaning *m, struct xtr_json *j)
{
	xtr_json_key(j, "mnemonic");
	xtr_json_strn(j, m ? m->mnemonic : NULL, m ? strlen(m->mnemonic) : 0);
	xtr_json_key(j, "meaning");
	xtr_json_strn(j, m ? m->meaning : NULL, m ? strlen(m->meaning) : 0);
	xtr_json_kv_str(j, "severity", severity_of(m));
	xtr_json_key(j, "action");
	xtr_json_strn(j, m ? m->action : NULL, m ? strlen(m->action) : 0);
}

static void json_kinds(const struct xids *x, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "kinds");
	for (i = 0; i < x->n_kinds; i++) {
		const struct xid_kind *k = &x->kind[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "code", k->code);
		xtr_json_kv_bool(j, "sxid", k->sxid);
		xtr_json_kv_str(j, "device", x->device[k->device].dev);
		xtr_json_kv_u64(j, "count", k->n);
		xtr_json_kv_u64(j, "first_ns", k->first_ns);
		xtr_json_kv_u64(j, "last_ns", k->last_ns);
		kv_meaning(meaning_of(k->code, k->sxid), j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void kv_call(const struct nv_past_call *c, struct xtr_json *j)
{
	char name[2 * NV_NAME_MAX];

	xtr_json_kv_str(j, "call", nv_role_name(c->role));
	xtr_json_kv_str(j, "name", nv_past_name(name, c));
}

static void json_last(const struct xids *x, const struct xid *one, const struct nv_before *b,
		      struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "last");
	for (i = 0; i < b->n_last; i++) {
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

static void json_before(const struct xids *x, const struct xid *one, const char *key,
			const struct nv_before *b, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_key(j, key);
	if (!b->known) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "complete", b->complete);
	xtr_json_kv_u64(j, "calls", b->calls);
	xtr_json_kv_array(j, "names");
	for (i = 0; i < b->n_names; i++) {
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

static void kv_from(struct xtr_json *j, const char *key, enum xid_from from)
{
	xtr_json_key(j, key);
	if (from)
		xtr_json_str(j, xid_from_name(from));
	else
		xtr_json_null(j);
}

static void json_xid(const struct xids *x, const struct xid *one, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "at_ns", one->ts);
	xtr_json_kv_u64(j, "code", one->code);
	xtr_json_kv_bool(j, "sxid", one->sxid);
	xtr_json_kv_str(j, "device", x->device[one->device].dev);
	xtr_json_key(j, "message");
	xtr_json_strn(j, *one->msg ? one->msg : NULL, strlen(one->msg));
	xtr_json_kv_process(j, "pid", one->process_from ? one->who : 0);
	kv_from(j, "pid_from", one->process_from);
	xtr_json_key(j, "handler");
	if (one->handler_from)
		xtr_json_u64(j, one->handler);
	else
		xtr_json_null(j);
	kv_from(j, "handler_from", one->handler_from);
	json_before(x, one, "process_before", &one->process, j);
	json_before(x, one, "device_before", &one->interrupts, j);
	xtr_json_kv_u64(j, "xids_before", one->xids_before);
	xtr_json_end_object(j);
}

void xid_json(const void *self, struct xtr_json *j)
{
	const struct xids *x = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->lost);
	xtr_json_kv_u64(j, "xids", x->n);
	xtr_json_kv_u64(j, "kinds_left_out", x->left_out);
	xtr_json_key(j, "before_ns");
	if (x->o->times)
		xtr_json_u64(j, NV_BEFORE_NS);
	else
		xtr_json_null(j);
	json_kinds(x, j);
	xtr_json_kv_array(j, "list");
	for (i = 0; i < x->n_xids; i++)
		json_xid(x, &x->xid[i], j);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}
