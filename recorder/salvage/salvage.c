/* SPDX-License-Identifier: BSD-2-Clause */
#include "salvage.h"
#include "recorder/attach/attach.h"
#include "pinned.h"
#include "salvage_priv.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that the keep says are used as sizes: they must fit each other. */
static bool fits(const struct xtr_persistent_head *h)
{
	return h->n_dynamic <= XTR_DYNAMIC_MAX && h->size.n_generics <= h->n_dynamic &&
	       h->size.n_slots == XTR_SLOT_GENERIC + h->n_dynamic && h->n_total_sets &&
	       h->n_total_sets <= XTR_TOTAL_SETS && h->ring_bytes <= 1u << 30 &&
	       h->ctl_bytes <= 1u << 30 && xtr_open_state(h) < XTR_OPEN_LAST &&
	       (xtr_open_number(h) > 0) == h->size.in_pieces &&
	       (xtr_open_number(h) > 1 || xtr_open_state(h) == XTR_OPEN_ONE);
}

static int open_keep(struct xtr_salvage *s)
{
	int fd, err;

	if (!xtr_pin_is_own(s->pin.id))
		return -EACCES;
	fd = xtr_pin_get(&s->pin, XTR_PINNED_KEEP);
	if (fd < 0)
		return fd;
	err = xtr_persistent_open(&s->keep, fd);
	if (err)
		return err;
	s->head = *s->keep.head;
	s->head.output[sizeof(s->head.output) - 1] = 0;
	return xtr_left_flight(s);
}

static int open_rest(struct xtr_salvage *s)
{
	int err = fits(&s->head) ? 0 : -EBADMSG;

	xtr_bpf_quiet();
	if (!err)
		err = xtr_pinned_get(&s->bpf, &s->pin, &s->keep);
	return err ? err : xtr_left_find(s);
}

static int open_id(struct xtr_salvage **out, uint64_t id)
{
	struct xtr_salvage *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->keep.fd = s->kept.fd = -1;
	err = xtr_pin_adopt(&s->pin, id);
	if (!err)
		err = open_keep(s);
	if (err) {
		xtr_salvage_close(s);
		return err;
	}
	*out = s;
	return 0;
}

/* Which of the pieces that are open has this id: its number, or UINT64_MAX. */
static uint64_t number_of(struct xtr_persistent_head *h, uint64_t file_id)
{
	uint64_t last = xtr_open_number(h);

	if (xtr_open_piece(h, last)->file_id == file_id)
		return last;
	if (xtr_open_state(h) != XTR_OPEN_ONE && xtr_open_piece(h, last - 1)->file_id == file_id)
		return last - 1;
	return UINT64_MAX;
}

/* Of a recorder that lives too, where its keep can be read. */
static bool is_of(uint64_t id, uint64_t file_id)
{
	struct xtr_pin pin = XTR_PIN_NONE(id);
	int fd = xtr_pin_is_own(id) ? xtr_pin_get(&pin, XTR_PINNED_KEEP) : -EACCES;
	struct xtr_persistent k;
	bool found;

	if (fd < 0 || xtr_persistent_open(&k, fd))
		return false;
	found = !k.head->kept_in && number_of(k.head, file_id) != UINT64_MAX;
	xtr_persistent_close(&k);
	return found;
}

/* Of two pieces, the earlier one is to be collected before the other. */
static int choose(struct xtr_salvage *s, uint64_t file_id)
{
	s->number = number_of(&s->head, file_id);
	if (s->number == UINT64_MAX)
		return -ENOENT; /* it went on since it was looked at */
	s->earlier = s->number != xtr_open_number(&s->head);
	return !s->earlier && xtr_open_state(&s->head) != XTR_OPEN_ONE ? -EAGAIN : 0;
}

int xtr_salvage_open(struct xtr_salvage **out, uint64_t file_id)
{
	uint64_t *ids, id = 0;
	size_t n;
	int err = xtr_pin_list(&ids, &n);

	*out = NULL;
	if (err)
		return err;
	for (size_t i = 0; i < n && !id; i++) {
		if (is_of(ids[i], file_id))
			id = ids[i];
	}
	free(ids);
	err = id ? open_id(out, id) : -ENOENT;
	if (!err && !(*out)->head.done)
		err = open_rest(*out);
	if (!err)
		err = choose(*out, file_id);
	if (err) {
		xtr_salvage_close(*out);
		*out = NULL;
	}
	return err;
}

int xtr_salvage_open_flight(struct xtr_salvage **out, uint64_t id, struct xtr_reader **image)
{
	int err;

	*out = NULL;
	err = open_id(out, id);
	if (!err && (!(*out)->flight || (*out)->head.done))
		err = -ENOENT;
	if (!err)
		err = open_rest(*out);
	if (!err)
		(*out)->number = xtr_open_number(&(*out)->head);
	if (!err)
		err = xtr_salvage_image(*out, image);
	if (err) {
		xtr_salvage_close(*out);
		*out = NULL;
	}
	return err;
}

/* The file first: without the pins nobody would find it. */
static int remove_all(struct xtr_pin *pin)
{
	int err = xtr_kept_remove(pin->id);

	xtr_tring_drop(pin->id);
	return err ? err : xtr_pin_remove(pin, XTR_PINNED_KEEP);
}

/* From here on only the piece being written is open. */
static void forget_earlier(struct xtr_salvage *s)
{
	struct xtr_open_piece *p = xtr_open_piece(s->keep.head, s->number + 1);

	if (s->next_lost) {
		p->says = s->next;
		p->border = s->next.from;
		xtr_open_settle(&s->keep, p, s->next_lost, s->keep.begun[s->number % 2]);
	}
	if (xtr_open_state(s->keep.head) == XTR_OPEN_ENDS)
		xtr_open_ended(&s->keep);
}

int xtr_salvage_done(struct xtr_salvage *s, uint64_t *next)
{
	*next = s->earlier ? s->number + 1 : 0;
	if (!s->earlier)
		return remove_all(&s->pin);
	forget_earlier(s);
	return 0;
}

void xtr_salvage_close(struct xtr_salvage *s)
{
	if (!s)
		return;
	xtr_left_flight_close(s);
	xtr_pinned_free(&s->bpf);
	xtr_persistent_close(&s->keep);
	xtr_pin_close(&s->pin);
	xtr_loss_free(s->next_lost);
	free(s->counters);
	free(s->bufs);
	free(s);
}

/* --- what there is ---------------------------------------------------------------------------- */

static uint64_t memory(const struct xtr_persistent_head *h, size_t keep)
{
	uint64_t counts = (uint64_t)h->size.n_cpus * h->size.n_slots * sizeof(struct xtr_count);

	return keep + h->ring_bytes * h->size.n_cpus + h->ctl_bytes + counts +
	       h->n_total_sets * sizeof(struct xtr_total_set);
}

static void describe(struct xtr_leftover *l, struct xtr_salvage *s)
{
	l->last = xtr_open_number(&s->head);
	l->first = l->last - (xtr_open_state(&s->head) != XTR_OPEN_ONE);
	l->pid = s->head.pid;
	l->began_ns = s->head.began;
	l->bytes = memory(&s->head, s->keep.bytes) + xtr_left_memory(s);
	l->flight = s->flight;
	memcpy(l->output, s->head.output, sizeof(l->output));
	l->nothing = s->head.done;
	if (l->nothing)
		return;
	l->error = open_rest(s);
	if (!l->error)
		l->events = xtr_left_events(s) + xtr_left_kept(s);
}

/* Of a recorder that lives, where its keep can be read: it may be a step further by now. */
static void glance(struct xtr_leftover *l, uint64_t id)
{
	struct xtr_pin pin = XTR_PIN_NONE(id);
	int fd = xtr_pin_is_own(id) ? xtr_pin_get(&pin, XTR_PINNED_KEEP) : -EACCES;
	struct xtr_persistent_head h;
	struct xtr_persistent k;

	l->alive = true;
	l->error = fd < 0 ? fd : xtr_persistent_open(&k, fd);
	if (l->error)
		return;
	h = *k.head; /* what is open is one number, read once */
	l->last = xtr_open_number(&h);
	l->first = l->last - (xtr_open_state(&h) != XTR_OPEN_ONE);
	l->flight = h.kept_in;
	memcpy(l->output, h.output, sizeof(l->output));
	l->output[sizeof(l->output) - 1] = 0;
	xtr_persistent_close(&k);
}

static void look(struct xtr_leftover *l, uint64_t id)
{
	struct xtr_salvage *s = NULL;
	int err = open_id(&s, id);

	*l = (struct xtr_leftover){ .id = id };
	if (err == -EBUSY)
		glance(l, id);
	else if (err == -ENOENT) /* it died while it made the pins, or removed them */
		l->nothing = true;
	else if (err)
		l->error = err;
	else
		describe(l, s);
	xtr_salvage_close(s);
}

int xtr_leftovers(struct xtr_leftover **v, size_t *n)
{
	uint64_t *ids;
	int err = xtr_pin_list(&ids, n);

	*v = NULL;
	if (err)
		return err;
	*v = calloc(*n + 1, sizeof(**v));
	for (size_t i = 0; *v && i < *n; i++)
		look(&(*v)[i], ids[i]);
	free(ids);
	return *v ? 0 : -ENOMEM;
}

int xtr_leftover_drop(uint64_t id)
{
	struct xtr_pin pin;
	int err = xtr_pin_adopt(&pin, id);

	if (err)
		return err;
	err = remove_all(&pin);
	xtr_pin_close(&pin);
	return err;
}

/* What is pinned may be collected, with the trace instance of the same ID. */
static bool is_pinned(void *ctx, uint64_t id)
{
	uint64_t *ids;
	size_t n;
	bool found = false;

	(void)ctx;
	if (xtr_pin_list(&ids, &n))
		return true; /* not known */
	for (size_t i = 0; i < n; i++)
		found |= ids[i] == id;
	free(ids);
	return found;
}

void xtr_leftovers_sweep(void)
{
	struct xtr_salvage *s;
	uint64_t *ids = NULL;
	size_t n;
	int err;

	if (xtr_pin_list(&ids, &n))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		s = NULL;
		err = open_id(&s, ids[i]);
		if (err == -ENOENT)
			xtr_leftover_drop(ids[i]);
		else if (!err && s->head.done)
			remove_all(&s->pin);
		xtr_salvage_close(s);
	}
	free(ids);
	xtr_instances_sweep(is_pinned, NULL);
}
