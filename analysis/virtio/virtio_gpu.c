/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of virtual GPUs and their responses (docs/virtio_gpu.md). A response belongs to the
 * command with its number on its virtqueue (seqno), where the kernel records that, else to the one
 * with its fence; without either nothing tells whose it is.
 */
#include "base/text.h"
#include "virtio_gpu_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* --- virtio gpu note -------------------------------------------------------------------------- */

/* Names of commands, and what is worth a look in them. */

/* Virtual I/O Device (VIRTIO) 1.2, 5.7.6.7; include/uapi/linux/virtio_gpu.h */
static const struct {
	uint32_t type;
	const char *name;
} types[] = {
	{ 0x0100, "GET_DISPLAY_INFO" },
	{ 0x0101, "RESOURCE_CREATE_2D" },
	{ 0x0102, "RESOURCE_UNREF" },
	{ 0x0103, "SET_SCANOUT" },
	{ 0x0104, "RESOURCE_FLUSH" },
	{ 0x0105, "TRANSFER_TO_HOST_2D" },
	{ 0x0106, "RESOURCE_ATTACH_BACKING" },
	{ 0x0107, "RESOURCE_DETACH_BACKING" },
	{ 0x0108, "GET_CAPSET_INFO" },
	{ 0x0109, "GET_CAPSET" },
	{ 0x010a, "GET_EDID" },
	{ 0x010b, "RESOURCE_ASSIGN_UUID" },
	{ 0x010c, "RESOURCE_CREATE_BLOB" },
	{ 0x010d, "SET_SCANOUT_BLOB" },
	{ 0x0200, "CTX_CREATE" },
	{ 0x0201, "CTX_DESTROY" },
	{ 0x0202, "CTX_ATTACH_RESOURCE" },
	{ 0x0203, "CTX_DETACH_RESOURCE" },
	{ 0x0204, "RESOURCE_CREATE_3D" },
	{ 0x0205, "TRANSFER_TO_HOST_3D" },
	{ 0x0206, "TRANSFER_FROM_HOST_3D" },
	{ 0x0207, "SUBMIT_3D" },
	{ 0x0208, "RESOURCE_MAP_BLOB" },
	{ 0x0209, "RESOURCE_UNMAP_BLOB" },
	{ 0x0300, "UPDATE_CURSOR" },
	{ 0x0301, "MOVE_CURSOR" },
	{ 0x1100, "OK_NODATA" },
	{ 0x1101, "OK_DISPLAY_INFO" },
	{ 0x1102, "OK_CAPSET_INFO" },
	{ 0x1103, "OK_CAPSET" },
	{ 0x1104, "OK_EDID" },
	{ 0x1105, "OK_RESOURCE_UUID" },
	{ 0x1106, "OK_MAP_INFO" },
	{ 0x1200, "ERR_UNSPEC" },
	{ 0x1201, "ERR_OUT_OF_MEMORY" },
	{ 0x1202, "ERR_INVALID_SCANOUT_ID" },
	{ 0x1203, "ERR_INVALID_RESOURCE_ID" },
	{ 0x1204, "ERR_INVALID_CONTEXT_ID" },
	{ 0x1205, "ERR_INVALID_PARAMETER" },
};

const char *vgpu_type_name(uint32_t type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

/* "RESOURCE_FLUSH (0x104)" */
static const char *type_text(uint32_t type, char buf[64])
{
	const char *name = vgpu_type_name(type);

	snprintf(buf, 64, name ? "%s (0x%x)" : "%s0x%x", name ? name : "", type);
	return buf;
}

static int error(const struct virtio_gpu *x, const struct vgpu_response *p)
{
	struct xtr_finding f = {
		.id = "virtio-gpu-error", .notable = true, .fault = true, .at_ns = p->first_ns
	};
	char n[XTR_TEXT_NUMBER], type[64], command[64], to[96] = "";

	if (p->type < VGPU_RESP_ERR)
		return 0;
	if (p->first_command)
		snprintf(to, sizeof(to), ", the first to %s", type_text(p->first_command, command));
	snprintf(f.text, sizeof(f.text), "virtio%d answered %s %s with %s%s", p->dev,
		 xtr_text_count(n, p->n), p->n == 1 ? "command" : "commands",
		 type_text(p->type, type), to);
	xtr_finding_evidence(&f, "responses", p->n);
	xtr_finding_evidence(&f, "limit", 1);
	xtr_finding_evidence(&f, "type", p->type);
	xtr_finding_evidence(&f, "first_command", p->first_command);
	return xtr_findings_add(x->o->findings, &f);
}

static int no_answer(const struct virtio_gpu *x, const struct vgpu_command *c)
{
	struct xtr_finding f = { .id = "virtio-gpu-unanswered",
				 .notable = true,
				 .at_ns = c->first_unanswered_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], type[64];

	if (!c->unanswered)
		return 0;
	snprintf(f.text, sizeof(f.text), "virtio%d did not answer %s of %s commands %s", c->dev,
		 xtr_text_count(n, c->unanswered), xtr_text_count(of, c->queued),
		 type_text(c->type, type));
	xtr_finding_evidence(&f, "unanswered", c->unanswered);
	xtr_finding_evidence(&f, "limit_ns", VGPU_UNANSWERED_NS);
	xtr_finding_evidence(&f, "queued", c->queued);
	xtr_finding_evidence(&f, "type", c->type);
	return xtr_findings_add(x->o->findings, &f);
}

static int vgpu_findings(struct virtio_gpu *x)
{
	int err = 0;

	for (uint32_t i = 0; i < x->n_responses && !err; i++)
		err = error(x, &x->response[i]);
	for (uint32_t i = 0; i < x->n_commands && !err; i++)
		err = no_answer(x, &x->command[i]);
	return err;
}

/* --- virtio gpu ------------------------------------------------------------------------------- */

enum {
	COMMAND,
	RESPONSE
};
enum {
	F_DEV,
	F_VQ,
	F_TYPE,
	F_FENCE,
	F_FREE,
	F_SEQNO
};

#define SPEC(event, role)                                                    \
	{                                                                    \
		"virtio_gpu:virtio_gpu_cmd_" event, role,                    \
		{                                                            \
			"dev", "vq", "type", "fence_id", "num_free", "seqno" \
		}                                                            \
	}

static const struct xtr_bind_spec specs[2] = { SPEC("queue", COMMAND), SPEC("response", RESPONSE) };

static bool applies(const struct xtr_meta *meta)
{
	return xtr_event_counts_any(meta, "virtio_gpu:");
}

static void virtio_gpu_free(void *self)
{
	struct virtio_gpu *x = self;

	for (uint32_t i = 0; i < x->n_commands; i++)
		xtr_hist_free(&x->command[i].time);
	xtr_pending_free(&x->pending);
	xtr_event_counts_close(&x->counts);
	free(x->command);
	free(x->response);
	free(x);
}

static int virtio_gpu_open(void **self, const struct xtr_analysis_opts *o)
{
	struct virtio_gpu *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->o = o;
	xtr_pending_init(&x->pending);
	xtr_bind_event(&x->bind[COMMAND], o->meta, &specs[COMMAND]);
	xtr_bind_event(&x->bind[RESPONSE], o->meta, &specs[RESPONSE]);
	x->by_seqno = xtr_bind_has(&x->bind[COMMAND], F_SEQNO) &&
		      xtr_bind_has(&x->bind[RESPONSE], F_SEQNO);
	x->command = calloc(VGPU_ROWS_MAX, sizeof(*x->command));
	x->response = calloc(VGPU_ROWS_MAX, sizeof(*x->response));
	if (!x->command || !x->response || xtr_event_counts_open(&x->counts, o->meta)) {
		virtio_gpu_free(x);
		return -ENOMEM;
	}
	*self = x;
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

static struct vgpu_command *command_of(struct virtio_gpu *x, int32_t dev, uint32_t type)
{
	uint32_t i;

	for (i = 0; i < x->n_commands; i++)
		if (x->command[i].dev == dev && x->command[i].type == type)
			return &x->command[i];
	if (i == VGPU_ROWS_MAX) {
		x->left_out++;
		return NULL;
	}
	x->command[i] = (struct vgpu_command){ .dev = dev, .type = type };
	x->n_commands++;
	return &x->command[i];
}

static struct vgpu_response *response_of(struct virtio_gpu *x, int32_t dev, uint32_t type)
{
	uint32_t i;

	for (i = 0; i < x->n_responses; i++)
		if (x->response[i].dev == dev && x->response[i].type == type)
			return &x->response[i];
	if (i == VGPU_ROWS_MAX) {
		x->left_out++;
		return NULL;
	}
	x->response[i] = (struct vgpu_response){ .dev = dev, .type = type };
	x->n_responses++;
	return &x->response[i];
}

static void on_queue(struct virtio_gpu *x, const struct xtr_bind *b, const struct xtr_event *ev)
{
	int32_t dev = (int32_t)xtr_bind_s64(b, F_DEV, ev);
	uint32_t vq = (uint32_t)xtr_bind_u64(b, F_VQ, ev), i;
	struct vgpu_queue *q;
	uint64_t left;

	for (i = 0; i < x->n_queues; i++)
		if (x->queue[i].dev == dev && x->queue[i].vq == vq)
			break;
	if (i == VGPU_QUEUES_MAX)
		return;
	q = &x->queue[i];
	if (i == x->n_queues) {
		x->n_queues++;
		*q = (struct vgpu_queue){
			.dev = dev, .vq = vq, .min_free = UINT64_MAX, .last_free = UINT64_MAX
		};
	}
	q->queued += b->role == COMMAND;
	q->answered += b->role == RESPONSE;
	if (!xtr_bind_get(b, F_FREE, ev, &left))
		return;
	q->last_free = left;
	if (left < q->min_free)
		q->min_free = left;
}

/* --- commands and responses ------------------------------------------------------------------- */

/* False: the event has nothing to pair it by. */
static bool key_of(const struct virtio_gpu *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint64_t *a, uint64_t *k)
{
	uint64_t dev = (uint32_t)xtr_bind_u64(b, F_DEV, ev);

	if (x->by_seqno) {
		*a = dev << 32 | (uint32_t)xtr_bind_u64(b, F_VQ, ev);
		*k = xtr_bind_u64(b, F_SEQNO, ev);
		return true;
	}
	*a = dev << 32;
	*k = xtr_bind_u64(b, F_FENCE, ev);
	return *k;
}

static void unanswered(struct virtio_gpu *x, const struct xtr_request *r)
{
	struct vgpu_command *c = &x->command[r->row];

	if (r->counted && !c->unanswered++)
		c->first_unanswered_ns = r->ts;
}

static int on_command(struct virtio_gpu *x, const struct xtr_bind *b, const struct xtr_event *ev,
		      bool inside)
{
	struct vgpu_command *c = command_of(x, (int32_t)xtr_bind_s64(b, F_DEV, ev),
					    (uint32_t)xtr_bind_u64(b, F_TYPE, ev));
	struct xtr_request old, r = { .ts = ev->ts, .counted = inside };
	int err;

	if (!c)
		return 0;
	c->queued += inside;
	if (!key_of(x, b, ev, &r.a, &r.b)) {
		c->unpaired += inside;
		return 0;
	}
	r.row = (uint32_t)(c - x->command);
	err = xtr_pending_add(&x->pending, &r, &old);
	if (err == 1)
		unanswered(x, &old);
	else if (err == 2)
		x->command[old.row].open += old.counted;
	return err < 0 ? err : 0;
}

static int on_response(struct virtio_gpu *x, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside)
{
	uint32_t type = (uint32_t)xtr_bind_u64(b, F_TYPE, ev);
	struct vgpu_response *p = response_of(x, (int32_t)xtr_bind_s64(b, F_DEV, ev), type);
	struct vgpu_command *c = NULL;
	struct xtr_request r = { 0 };
	uint64_t a, k;
	bool keyed = key_of(x, b, ev, &a, &k);

	if (keyed && xtr_pending_take(&x->pending, a, k, &r))
		c = &x->command[r.row];
	else
		x->unasked += keyed && inside;
	if (p && inside && !p->n++) {
		p->first_ns = ev->ts;
		p->first_command = c ? c->type : 0;
	}
	if (!c || !r.counted)
		return 0;
	c->answered++;
	c->errors += type >= VGPU_RESP_ERR;
	return xtr_hist_add(&c->time, ev->ts - r.ts);
}

static bool virtio_gpu_takes(const void *self, uint32_t type)
{
	const struct virtio_gpu *x = self;

	for (unsigned int i = 0; i < 2; i++)
		if (x->bind[i].desc && x->bind[i].type == type)
			return true;
	return !type;
}

static int virtio_gpu_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct virtio_gpu *x = self;
	unsigned int i;

	x->gaps += ev->gap != NULL;
	if (ev->gap || !ev->desc)
		return 0;
	for (i = 0; i < 2; i++)
		if (x->bind[i].desc && x->bind[i].type == ev->type)
			break;
	if (i == 2)
		return 0;
	if (inside) {
		x->any = true;
		xtr_event_counts_add(&x->counts, ev);
		on_queue(x, &x->bind[i], ev);
	}
	return i == COMMAND ? on_command(x, &x->bind[i], ev, inside)
			    : on_response(x, &x->bind[i], ev, inside);
}

/* What waits for so long that a response should have come is not merely cut off by the end. */
static int virtio_gpu_finish(void *self)
{
	struct virtio_gpu *x = self;
	const struct xtr_request *r = NULL;

	while ((r = xtr_pending_next(&x->pending, r))) {
		if (!r->counted)
			continue;
		if (x->o->times && x->bind[RESPONSE].desc &&
		    x->o->clock.now_ns - r->ts > VGPU_UNANSWERED_NS)
			unanswered(x, r);
		else
			x->command[r->row].open++;
	}
	return vgpu_findings(x);
}

static bool virtio_gpu_any(const void *self)
{
	return ((const struct virtio_gpu *)self)->any;
}

const struct xtr_analysis xtr_analysis_virtio_gpu = {
	.name = "virtio_gpu",
	.title = "Virtual GPU (virtio_gpu): commands and responses",
	.applies = applies,
	.open = virtio_gpu_open,
	.free = virtio_gpu_free,
	.takes = virtio_gpu_takes,
	.event = virtio_gpu_event,
	.finish = virtio_gpu_finish,
	.any = virtio_gpu_any,
	.text = vgpu_text,
	.json = vgpu_json,
	.tables = vgpu_tables,
};
