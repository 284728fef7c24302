/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of virtio_gpu: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "virtio_gpu_impl.h"

#include <string.h>

static void put_type(struct xtr_rows *r, uint32_t type)
{
	const char *name = vgpu_type_name(type);

	xtr_put_format(r, "0x%04x%s%s", type, name ? " " : "", name ? name : "");
	xtr_put_text(r, name);
}

#define AT(member) XTR_AT(struct vgpu_command, member)
static const struct xtr_section_column command_columns[] = {
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "device", NULL, XTR_C_SIGNED, AT(dev), "number of the virtio device" },
	{ NULL, "<command", XTR_C_TEXT, XTR_PUT },
	{ "type", NULL, XTR_C_NUMBER, AT(type), "type of the command" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "what the specification calls it" },
	SHOWN("queued", "queued", queued, "commands"),
	SHOWN("answered", "answered", answered, "of them with a response"),
	SHOWN("errors", "errors", errors, "responses that are errors"),
	SHOWN("open", "open", open, "without a response at the end of the trace"),
	SHOWN("unanswered", "unanswered", unanswered,
	      "without a response for so long that none will come"),
	SHOWN("unpaired", "unpaired", unpaired, "nothing tells which response is theirs"),
	{ "time_ns", "p50|p99|max", XTR_C_HIST, AT(time), "from command to response" },
};
#undef AT

static bool put_commands(struct xtr_rows *r, const void *row)
{
	const struct vgpu_command *of = row;

	xtr_put_format(r, "virtio%d", of->dev);
	put_type(r, of->type);
	return true;
}

static const struct xtr_section_table commands =
	XTR_TABLE_OF("commands", "commands of a type, by device", command_columns,
		     XTR_ARRAY(struct virtio_gpu, command, n_commands), put_commands, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct vgpu_response, member)
static const struct xtr_section_column response_columns[] = {
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "device", NULL, XTR_C_SIGNED, AT(dev), "number of the virtio device" },
	{ NULL, "<response", XTR_C_TEXT, XTR_PUT },
	{ "type", NULL, XTR_C_NUMBER, AT(type), "type of the response" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "what the specification calls it" },
	SHOWN("count", "count", n, "responses"),
};
#undef AT

static bool put_responses(struct xtr_rows *r, const void *row)
{
	const struct vgpu_response *of = row;

	xtr_put_format(r, "virtio%d", of->dev);
	put_type(r, of->type);
	return true;
}

static const struct xtr_section_table responses = XTR_TABLE_OF(
	"responses", "responses of a type, by device", response_columns,
	XTR_ARRAY(struct virtio_gpu, response, n_responses), put_responses, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct vgpu_queue, member)
static const struct xtr_section_column queue_columns[] = {
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "device", NULL, XTR_C_SIGNED, AT(dev), "number of the virtio device" },
	SHOWN("vq", "virtqueue", vq, "number of the virtqueue"),
	SHOWN("queued", "queued", queued, "commands"),
	SHOWN("answered", "answered", answered, "responses"),
	{ "least_free", "least free descriptors", XTR_C_COUNT | XTR_C_MOST, AT(min_free),
	  "free descriptors, at the least" },
	{ "last_free", NULL, XTR_C_COUNT | XTR_C_MOST, AT(last_free), "and in the last event" },
};
#undef AT

static bool put_queues(struct xtr_rows *r, const void *row)
{
	const struct vgpu_queue *of = row;

	xtr_put_format(r, "virtio%d", of->dev);
	return true;
}

static const struct xtr_section_table queues =
	XTR_TABLE_OF("virtqueues", "a virtqueue", queue_columns,
		     XTR_ARRAY(struct virtio_gpu, queue, n_queues), put_queues, XTR_SHOW_ALL);

const struct xtr_section_table *const vgpu_tables[] = { &commands, &responses, &queues, NULL };

int vgpu_text(const void *self, const struct xtr_view *v)
{
	const struct virtio_gpu *x = self;
	char n[XTR_TEXT_NUMBER];
	int err = xtr_tables_text(vgpu_tables, x, x->o, v->f);

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
	return err;
}

void vgpu_json(const void *self, struct xtr_json *j)
{
	const struct virtio_gpu *x = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	xtr_json_kv_str(j, "paired_by", x->by_seqno ? "seqno" : "fence");
	xtr_tables_json(vgpu_tables, x, x->o, j);
	xtr_json_kv_u64(j, "unasked", x->unasked);
	xtr_event_counts_json(&x->counts, j);
	xtr_json_end_object(j);
}
