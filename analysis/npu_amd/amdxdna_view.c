/* SPDX-License-Identifier: BSD-2-Clause */
#include "amdxdna_impl.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <string.h>

static void cell_hist(struct xtr_grid *t, const struct xtr_hist *h, bool times)
{
	xtr_grid_ns(t, times && h->n, xtr_hist_quantile(h, 500));
	xtr_grid_ns(t, times && h->n, xtr_hist_quantile(h, 990));
	xtr_grid_ns(t, times && h->n, h->max);
}

static void cell_name(struct xtr_grid *t, const char *name)
{
	char buf[XTR_TEXT_NAME];

	xtr_grid_cell(t, xtr_text_name(buf, sizeof(buf), name, strlen(name)));
}

static int text_contexts(const struct amdxdna *x, FILE *f)
{
	static const char *const columns[] = { "<context", "pid",      "sent",      "done",
					       "open",     "timeouts", "execution", "p50",
					       "p99",      "max",      "shared",    NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char pid[16];
	uint32_t i;

	for (i = 0; i < x->contexts.n; i++) {
		const struct xdna_context *c = &x->context[i];

		cell_name(t, x->contexts.name[i]);
		snprintf(pid, sizeof(pid), "%u", xdna_context_pid(x->contexts.name[i]));
		xtr_grid_cell(t, xdna_context_pid(x->contexts.name[i]) ? pid : "-");
		xtr_grid_count(t, c->n[XDNA_SENT]);
		xtr_grid_count(t, c->n[XDNA_DONE]);
		xtr_grid_count(t, c->open);
		xtr_grid_count(t, c->n[XDNA_TIMEDOUT]);
		xtr_grid_ns(t, x->o->times && c->exec.n, c->exec.sum);
		cell_hist(t, &c->exec, x->o->times);
		xtr_grid_count(t, c->shared);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_messages(const struct amdxdna *x, FILE *f)
{
	static const char *const columns[] = { "channel",    "opcode", "sent", "answered",
					       "unanswered", "open",   "p50",  "p99",
					       "max",        NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[32];
	uint32_t i;

	for (i = 0; i < x->n_messages; i++) {
		const struct xdna_message *m = &x->message[i];

		snprintf(buf, sizeof(buf), "%u", m->channel);
		xtr_grid_cell(t, buf);
		snprintf(buf, sizeof(buf), "0x%x", m->opcode);
		xtr_grid_cell(t, buf);
		xtr_grid_count(t, m->sent);
		xtr_grid_count(t, m->answered);
		xtr_grid_count(t, m->unanswered);
		xtr_grid_count(t, m->open);
		cell_hist(t, &m->time, x->o->times);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_irqs(const struct amdxdna *x, FILE *f)
{
	static const char *const columns[] = { "interrupt", "handled", "receive workers", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[16];
	uint32_t i;

	for (i = 0; i < x->n_irqs; i++) {
		snprintf(buf, sizeof(buf), "%d", x->irq[i].irq);
		xtr_grid_cell(t, buf);
		xtr_grid_count(t, x->irq[i].handled);
		xtr_grid_count(t, x->irq[i].workers);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static void text_notes(const struct amdxdna *x, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < x->stages.n; i++) {
		if (!x->stage_n[i])
			continue;
		fputs("  jobs: \"", f);
		xtr_text_put(f, x->stages.name[i], strlen(x->stages.name[i]));
		fprintf(f, "\" %s times\n", xtr_text_count(n, x->stage_n[i]));
	}
	if (x->unasked)
		fprintf(f, "  %s answers to messages that are not in the trace\n",
			xtr_text_count(n, x->unasked));
	if (x->messages_left_out)
		fprintf(f, "  %s messages beyond the first %u opcodes are only counted by event\n",
			xtr_text_count(n, x->messages_left_out), XDNA_ROWS_MAX);
	if (x->gaps)
		fputs("  events were lost: counts are lower bounds\n", f);
}

int xdna_text(const void *self, const struct xtr_view *v)
{
	const struct amdxdna *x = self;
	int ret = text_contexts(x, v->f);

	if (!ret)
		ret = text_messages(x, v->f);
	if (!ret)
		ret = text_irqs(x, v->f);
	text_notes(x, v->f);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *const keys[] = {
#define KEY(id, key, text) key,
	XDNA_STAGES(KEY)
};

static void json_context(const struct amdxdna *x, uint32_t i, struct xtr_json *j)
{
	const struct xdna_context *c = &x->context[i];
	const char *name = x->contexts.name[i];
	uint32_t pid = xdna_context_pid(name), k;

	xtr_json_begin_object(j);
	xtr_json_key(j, "context");
	xtr_json_strn(j, name, strlen(name));
	xtr_json_key(j, "pid");
	if (pid)
		xtr_json_u64(j, pid);
	else
		xtr_json_null(j);
	for (k = 0; k < XDNA_STAGE_COUNT; k++)
		xtr_json_kv_u64(j, keys[k], c->n[k]);
	xtr_json_kv_u64(j, "other_stages", c->other);
	xtr_json_kv_u64(j, "timed", c->timed);
	xtr_json_kv_u64(j, "shared", c->shared);
	xtr_json_kv_u64(j, "open", c->open);
	xtr_view_json_hist(j, "exec_ns", &c->exec, false);
	xtr_view_json_hist(j, "residence_ns", &c->residence, false);
	xtr_view_json_hist(j, "driver_ns", &c->driver, false);
	xtr_json_end_object(j);
}

static void json_messages(const struct amdxdna *x, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "messages");
	for (i = 0; i < x->n_messages; i++) {
		const struct xdna_message *m = &x->message[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "channel", m->channel);
		xtr_json_kv_u64(j, "opcode", m->opcode);
		xtr_json_kv_u64(j, "sent", m->sent);
		xtr_json_kv_u64(j, "answered", m->answered);
		xtr_json_kv_u64(j, "unanswered", m->unanswered);
		xtr_json_kv_u64(j, "open", m->open);
		xtr_view_json_hist(j, "time_ns", &m->time, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_counts(const struct amdxdna *x, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "interrupts");
	for (i = 0; i < x->n_irqs; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_s64(j, "irq", x->irq[i].irq);
		xtr_json_kv_u64(j, "handled", x->irq[i].handled);
		xtr_json_kv_u64(j, "workers", x->irq[i].workers);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "other_stages");
	for (i = 0; i < x->stages.n; i++) {
		xtr_json_begin_object(j);
		xtr_json_key(j, "stage");
		xtr_json_strn(j, x->stages.name[i], strlen(x->stages.name[i]));
		xtr_json_kv_u64(j, "count", x->stage_n[i]);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_event_counts_json(&x->counts, j);
}

void xdna_json(const void *self, struct xtr_json *j)
{
	const struct amdxdna *x = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	xtr_json_kv_array(j, "contexts");
	for (i = 0; i < x->contexts.n; i++)
		json_context(x, i, j);
	xtr_json_end_array(j);
	json_messages(x, j);
	xtr_json_kv_u64(j, "unasked", x->unasked);
	json_counts(x, j);
	xtr_json_end_object(j);
}
