/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of virtual GPUs and their responses (docs/virtio_gpu.md). A response belongs to the
 * command with its number on its virtqueue (seqno), where the kernel records that, else to the one
 * with its fence; without either nothing tells whose it is.
 */
#include "virtio_gpu_impl.h"

#include <errno.h>
#include <stdlib.h>

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
	uint32_t i;

	for (i = 0; i < x->n_commands; i++)
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
	int ret;

	if (!c)
		return 0;
	c->queued += inside;
	if (!key_of(x, b, ev, &r.a, &r.b)) {
		c->unpaired += inside;
		return 0;
	}
	r.row = (uint32_t)(c - x->command);
	ret = xtr_pending_add(&x->pending, &r, &old);
	if (ret == 1)
		unanswered(x, &old);
	else if (ret == 2)
		x->command[old.row].open += old.counted;
	return ret < 0 ? ret : 0;
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
	unsigned int i;

	for (i = 0; i < 2; i++)
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
