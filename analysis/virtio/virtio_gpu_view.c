/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "analysis/core/view.h"
#include "virtio_gpu_impl.h"

#include <string.h>

static void cell_dev(struct xtr_grid *t, int32_t dev)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "virtio%d", dev);
	xtr_grid_cell(t, buf);
}

static void cell_type(struct xtr_grid *t, uint32_t type)
{
	char buf[64];
	const char *name = vgpu_type_name(type);

	snprintf(buf, sizeof(buf), "0x%04x%s%s", type, name ? " " : "", name ? name : "");
	xtr_grid_cell(t, buf);
}

static int text_commands(const struct virtio_gpu *x, FILE *f)
{
	static const char *const columns[] = { "<device", "<command", "queued",     "answered",
					       "errors",  "open",     "unanswered", "unpaired",
					       "p50",     "p99",      "max",        NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;

	for (i = 0; i < x->n_commands; i++) {
		const struct vgpu_command *c = &x->command[i];
		bool timed = x->o->times && c->time.n;

		cell_dev(t, c->dev);
		cell_type(t, c->type);
		xtr_grid_count(t, c->queued);
		xtr_grid_count(t, c->answered);
		xtr_grid_count(t, c->errors);
		xtr_grid_count(t, c->open);
		xtr_grid_count(t, c->unanswered);
		xtr_grid_count(t, c->unpaired);
		xtr_grid_ns(t, timed, xtr_hist_quantile(&c->time, 500));
		xtr_grid_ns(t, timed, xtr_hist_quantile(&c->time, 990));
		xtr_grid_ns(t, timed, c->time.max);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_responses(const struct virtio_gpu *x, FILE *f)
{
	static const char *const columns[] = { "<device", "<response", "count", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;

	for (i = 0; i < x->n_responses; i++) {
		cell_dev(t, x->response[i].dev);
		cell_type(t, x->response[i].type);
		xtr_grid_count(t, x->response[i].n);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_queues(const struct virtio_gpu *x, FILE *f)
{
	static const char *const columns[] = {
		"<device", "virtqueue", "queued", "answered", "least free descriptors", NULL
	};
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;

	for (i = 0; i < x->n_queues; i++) {
		const struct vgpu_queue *q = &x->queue[i];

		cell_dev(t, q->dev);
		xtr_grid_count(t, q->vq);
		xtr_grid_count(t, q->queued);
		xtr_grid_count(t, q->answered);
		if (q->min_free == UINT64_MAX)
			xtr_grid_cell(t, "-");
		else
			xtr_grid_count(t, q->min_free);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

int vgpu_text(const void *self, const struct xtr_view *v)
{
	const struct virtio_gpu *x = self;
	char n[XTR_TEXT_NUMBER];
	int ret = text_commands(x, v->f);

	if (!ret)
		ret = text_responses(x, v->f);
	if (!ret)
		ret = text_queues(x, v->f);
	fprintf(v->f, "  responses are paired with commands by %s\n",
		x->by_seqno ? "their number on the virtqueue"
			    : "their fence: commands without one have no time");
	if (x->unasked)
		fprintf(v->f, "  %s responses to commands that are not in the trace\n",
			xtr_text_count(n, x->unasked));
	if (x->left_out)
		fprintf(v->f, "  %s events of further types are only counted by event\n",
			xtr_text_count(n, x->left_out));
	if (x->gaps)
		fputs("  events were lost: counts are lower bounds\n", v->f);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_type(uint32_t type, struct xtr_json *j)
{
	const char *name = vgpu_type_name(type);

	xtr_json_kv_u64(j, "type", type);
	xtr_json_key(j, "name");
	xtr_json_strn(j, name, name ? strlen(name) : 0);
}

static void json_command(const struct vgpu_command *c, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_s64(j, "device", c->dev);
	json_type(c->type, j);
	xtr_json_kv_u64(j, "queued", c->queued);
	xtr_json_kv_u64(j, "answered", c->answered);
	xtr_json_kv_u64(j, "errors", c->errors);
	xtr_json_kv_u64(j, "open", c->open);
	xtr_json_kv_u64(j, "unanswered", c->unanswered);
	xtr_json_kv_u64(j, "unpaired", c->unpaired);
	xtr_view_json_hist(j, "time_ns", &c->time, false);
	xtr_json_end_object(j);
}

static void kv_free(struct xtr_json *j, const char *key, uint64_t n)
{
	xtr_json_key(j, key);
	if (n == UINT64_MAX)
		xtr_json_null(j);
	else
		xtr_json_u64(j, n);
}

static void json_queue(const struct vgpu_queue *q, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_s64(j, "device", q->dev);
	xtr_json_kv_u64(j, "vq", q->vq);
	xtr_json_kv_u64(j, "queued", q->queued);
	xtr_json_kv_u64(j, "answered", q->answered);
	kv_free(j, "least_free", q->min_free);
	kv_free(j, "last_free", q->last_free);
	xtr_json_end_object(j);
}

void vgpu_json(const void *self, struct xtr_json *j)
{
	const struct virtio_gpu *x = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	xtr_json_kv_str(j, "paired_by", x->by_seqno ? "seqno" : "fence");
	xtr_json_kv_array(j, "commands");
	for (i = 0; i < x->n_commands; i++)
		json_command(&x->command[i], j);
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "responses");
	for (i = 0; i < x->n_responses; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_s64(j, "device", x->response[i].dev);
		json_type(x->response[i].type, j);
		xtr_json_kv_u64(j, "count", x->response[i].n);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "virtqueues");
	for (i = 0; i < x->n_queues; i++)
		json_queue(&x->queue[i], j);
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "unasked", x->unasked);
	xtr_event_counts_json(&x->counts, j);
	xtr_json_end_object(j);
}
