/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between the Intel NPU's driver and its firmware, and interrupts. Functions whose returns
 * are recorded come as calls, those with entries only as events.
 */
#include "ivpu_firmware.h"
#include "base/text.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ETIMEDOUT_RET (-110) /* as the kernel returns it, on whatever machine this runs */

static bool applies(const struct xtr_meta *meta)
{
	for (size_t i = 0; i < xtr_meta_n_events(meta); i++) {
		struct fw_binding b;
		enum fw_role role =
			fw_bind(&b, meta, xtr_meta_event_at(meta, i)) ? FW_NONE : b.role;

		if (role != FW_NONE && role != FW_OTHER && role != FW_HELPER && role != FW_BOOT)
			return true;
	}
	return false;
}

static void firmware_free(void *self)
{
	struct firmware *fw = self;

	for (size_t i = 0; i < FW_ROLES; i++)
		xtr_hist_free(&fw->function[i].time);
	xtr_hist_free(&fw->gap);
	xtr_hist_free(&fw->wake);
	jsm_free(&fw->jsm);
	stalls_free(&fw->stalls);
	xtr_map_free(&fw->by_type);
	xtr_map_free(&fw->by_tid);
	free(fw->binding);
	free(fw->thread);
	free(fw);
}

static int bind_all(struct firmware *fw)
{
	const struct xtr_meta *meta = fw->o->meta;
	size_t i, n = xtr_meta_n_events(meta), used = 0;
	bool boot_paired = false;
	int err = 0;

	fw->binding = calloc(n + 1, sizeof(*fw->binding));
	if (!fw->binding)
		return -ENOMEM;
	for (i = 0; i < n && !err; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);
		struct fw_binding b;

		err = fw_bind(&b, meta, d);
		if (err || b.role == FW_NONE)
			continue;
		fw->function[b.role].recorded = true;
		fw->function[b.role].timed |= b.paired;
		xtr_halves_add(&fw->function[b.role].half, b.ret);
		if (b.role == FW_BOOT) {
			boot_paired |= b.paired;
			fw->boot_known |= b.paired || !b.ret;
		}
		fw->binding[used] = b;
		err = xtr_map_put(&fw->by_type, d->type, 0, (uint32_t)used++);
	}
	fw->boot_entries = fw->boot_known && !boot_paired;
	return err;
}

static int firmware_open(void **self, const struct xtr_analysis_opts *o)
{
	struct firmware *fw = calloc(1, sizeof(*fw));
	int err;

	if (!fw)
		return -ENOMEM;
	fw->o = o;
	jsm_init(&fw->jsm, o->meta, o->tables, o->times);
	err = bind_all(fw);
	if (err)
		firmware_free(fw);
	else
		*self = fw;
	return err;
}

bool fw_tells_messages(const struct firmware *fw)
{
	return fw->function[FW_RECEIVE].timed || fw->jsm.usable;
}

/* NULL: there is no room for it. */
static int thread_of(struct firmware *fw, uint32_t tid, struct fw_thread **t)
{
	uint32_t i = xtr_map_index(&fw->by_tid, tid, 0);
	struct fw_thread *more;

	*t = NULL;
	if (i == XTR_MAP_NONE) {
		i = fw->n_threads;
		if (i == FW_THREADS_MAX)
			return 0;
		if (!(i & (i - 1))) {
			more = reallocarray(fw->thread, i ? i * 2 : 1, sizeof(*more));
			if (!more)
				return -ENOMEM;
			fw->thread = more;
		}
		if (xtr_map_put(&fw->by_tid, tid, 0, i))
			return -ENOMEM;
		fw->thread[i] = (struct fw_thread){ 0 };
		fw->n_threads++;
	}
	*t = &fw->thread[i];
	return 0;
}

/* --- messages --------------------------------------------------------------------------------- */

static int message(struct firmware *fw, uint64_t ts)
{
	uint64_t last = fw->last_message_ns;

	if (!fw->messages++)
		fw->first_message_ns = ts;
	if (ts > last)
		fw->last_message_ns = ts;
	if (!fw->o->times)
		return 0;
	stalls_message(&fw->stalls, fw->last_message_ns);
	return last && ts >= last ? xtr_hist_add(&fw->gap, ts - last) : 0;
}

/* Keep it if it is one of the longest. */
static void keep_loop(struct firmware *fw, const struct fw_loop *loop)
{
	uint32_t least = 0;

	fw->loops++;
	fw->loop_calls += loop->n;
	for (uint32_t i = 1; i < fw->n_loops; i++)
		if (fw->loop[i].n < fw->loop[least].n)
			least = i;
	if (fw->n_loops < FW_LOOPS_MAX)
		fw->loop[fw->n_loops++] = *loop;
	else if (fw->loop[least].n < loop->n)
		fw->loop[least] = *loop;
}

/* The loop is over. It waits in `ended`, as it may turn out to have been boot's. */
static void loop_end(struct firmware *fw, struct fw_thread *t, uint64_t min)
{
	if (t->loop.n >= min) {
		if (t->ended.n)
			keep_loop(fw, &t->ended);
		t->ended = t->loop;
	}
	t->loop = (struct fw_loop){ 0 };
}

/* Boot returns, and its begin is not in the trace: what looked like a loop on its own was boot's.
 */
static void boot_call(struct firmware *fw, const struct xtr_call *c)
{
	uint32_t i = xtr_map_index(&fw->by_tid, c->tid, 0);
	struct fw_thread *t;

	if (i == XTR_MAP_NONE || c->begin_ns)
		return;
	t = &fw->thread[i];
	fw->timeouts -= t->ended.n + t->loop.n;
	fw->polls += t->ended.n + t->loop.n;
	fw->polls_ns += t->ended.in_calls + t->loop.in_calls;
	t->loop = t->ended = (struct fw_loop){ 0 };
}

/* What of the calls around it a user knows: the library's, else the ioctl, else the outermost. */
static void set_where(struct fw_loop *loop, const struct xtr_call *c)
{
	const struct xtr_call *o, *best = NULL;
	bool ioctl = false;
	size_t n;

	for (o = c->outer; o; o = o->outer) {
		if (o->kind == XTR_CALL_API) {
			best = o;
			break;
		}
		n = strlen(o->name);
		if (ioctl)
			continue;
		best = o;
		ioctl = n > 6 && !strcmp(o->name + n - 6, "_ioctl");
	}
	if (best)
		xtr_text_name(loop->where, sizeof(loop->where), best->name, strlen(best->name));
}

static int timed_out(struct firmware *fw, const struct xtr_call *c)
{
	struct fw_thread *t;
	uint64_t ns;
	int err = thread_of(fw, c->tid, &t);

	fw->timeouts++;
	if (err || !t || !fw->boot_known)
		return err;
	if (c->gap || t->loop.epoch != fw->epoch)
		loop_end(fw, t, FW_LOOP_MIN);
	if (!t->loop.n++) {
		t->loop.begin_ns = c->begin_ns ? c->begin_ns : c->end_ns;
		t->loop.epoch = fw->epoch;
		set_where(&t->loop, c);
	}
	t->loop.end_ns = c->end_ns;
	xtr_call_time(c, &ns);
	t->loop.in_calls += ns;
	return 0;
}

static int receive(struct firmware *fw, const struct xtr_call *c, bool boot)
{
	struct fw_thread *t;
	uint64_t ns;
	int err;

	if (!c->ret_known)
		return 0;
	if (c->ret == ETIMEDOUT_RET && !boot)
		return timed_out(fw, c);
	if (c->ret == ETIMEDOUT_RET) {
		xtr_call_time(c, &ns);
		fw->polls++;
		fw->polls_ns += ns;
		return 0;
	}
	err = thread_of(fw, c->tid, &t);
	if (err)
		return err;
	if (t)
		loop_end(fw, t, FW_LOOP_MIN);
	fw->errors += c->ret != 0;
	if (c->ret)
		return 0;
	fw->received++;
	fw->received_boot += boot;
	return message(fw, c->end_ns);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* A thread began to serve the first interrupt that came since it last began. */
static int thread_call(struct firmware *fw, const struct xtr_call *c)
{
	uint32_t n = fw->n_irqs < FW_IRQS ? fw->n_irqs : FW_IRQS;
	uint64_t irq, last = fw->last_thread_ns;

	if (!c->begin_ns)
		return 0;
	fw->last_thread_ns = c->begin_ns;
	for (uint32_t i = n; i > 0; i--) {
		irq = fw->irq[(fw->n_irqs - i) % FW_IRQS];
		if (irq > last && irq <= c->begin_ns)
			return fw->o->times ? xtr_hist_add(&fw->wake, c->begin_ns - irq) : 0;
	}
	return 0;
}

#define IRQ_WAKE_THREAD 2 /* include/linux/irqreturn.h */

static void irq_call(struct firmware *fw, const struct xtr_call *c)
{
	if (c->begin_ns && (!c->ret_known || c->ret & IRQ_WAKE_THREAD))
		fw->irq[fw->n_irqs++ % FW_IRQS] = c->begin_ns;
}

static bool in_boot(struct firmware *fw, const struct xtr_call *c)
{
	const struct xtr_call *o;
	uint32_t i;

	if (c->on_cpu)
		return false;
	for (o = c->outer; o; o = o->outer) {
		i = o->entry.desc ? xtr_map_index(&fw->by_type, o->entry.desc->type, 0)
				  : XTR_MAP_NONE;
		if (i != XTR_MAP_NONE && fw->binding[i].role == FW_BOOT)
			return true;
	}
	i = xtr_map_index(&fw->by_tid, c->tid, 0);
	return i != XTR_MAP_NONE && fw->thread[i].in_boot;
}

static int firmware_call(void *self, const struct xtr_call *c)
{
	const struct xtr_event_desc *d = c->entry.desc ? c->entry.desc : c->exit.desc;
	struct firmware *fw = self;
	uint32_t i = d ? xtr_map_index(&fw->by_type, d->type, 0) : XTR_MAP_NONE;
	enum fw_role role = i == XTR_MAP_NONE ? FW_NONE : fw->binding[i].role;
	struct fw_function *f = &fw->function[role];
	uint64_t ns;
	bool boot;
	int err = 0;

	if (role == FW_NONE || role == FW_HELPER || role == FW_OTHER)
		return 0;
	boot = in_boot(fw, c);
	f->n++;
	f->in_boot += boot;
	if (fw->o->times && !boot && xtr_call_time(c, &ns))
		err = xtr_hist_add(&f->time, ns);
	if (!err && role == FW_RECEIVE)
		err = receive(fw, c, boot);
	else if (!err && role == FW_DONE)
		err = message(fw, c->end_ns ? c->end_ns : c->begin_ns);
	else if (!err && role == FW_THREAD)
		err = thread_call(fw, c);
	else if (role == FW_HW_IRQ)
		irq_call(fw, c);
	else if (role == FW_BOOT)
		boot_call(fw, c);
	return err;
}

/* --- entries alone ---------------------------------------------------------------------------- */

/* A round of the loop that boot polls in: first IPC_IRQ, then RECEIVE. */
static void entry_round(struct firmware *fw, struct fw_thread *t, const struct xtr_event *ev,
			enum fw_role role)
{
	if (role == FW_IPC_IRQ)
		t->polled = true;
	if (role != FW_RECEIVE || t->in_boot)
		return;
	if (!t->polled || t->loop.epoch != fw->epoch)
		loop_end(fw, t, FW_LOOP_ROUNDS_MIN);
	if (t->polled) {
		if (!t->loop.n++)
			t->loop.begin_ns = ev->ts;
		t->loop.epoch = fw->epoch;
		t->loop.end_ns = ev->ts;
	}
	t->polled = false;
}

/*
 * By the order of a thread's entries: boot's loop lasts from its begin to the first function of the
 * driver that is not called in it.
 */
static int entry_order(struct firmware *fw, const struct xtr_event *ev, enum fw_role role)
{
	bool by_entries = fw->function[FW_RECEIVE].recorded && !fw->function[FW_RECEIVE].timed;
	struct fw_thread *t;
	int err;

	if (!by_entries && !fw->boot_entries)
		return 0;
	err = thread_of(fw, ev->tid, &t);
	if (err || !t)
		return err;
	if (role == FW_BOOT || role == FW_OTHER) {
		t->in_boot = role == FW_BOOT && fw->boot_entries;
		t->polled = false;
		if (by_entries)
			loop_end(fw, t, FW_LOOP_ROUNDS_MIN);
	} else if (by_entries && fw->boot_known) {
		entry_round(fw, t, ev, role);
	}
	return 0;
}

static int entry_only(struct firmware *fw, const struct xtr_event *ev, enum fw_role role)
{
	struct fw_function *f = &fw->function[role];
	uint32_t i = xtr_map_index(&fw->by_tid, ev->tid, 0);

	f->n++;
	f->in_boot += i != XTR_MAP_NONE && fw->thread[i].in_boot;
	return role == FW_DONE ? message(fw, ev->ts) : 0;
}

static int function_event(struct firmware *fw, const struct xtr_event *ev,
			  const struct fw_binding *b, bool inside)
{
	uint64_t context;
	bool irq = xtr_field_get(b->context, ev->rec, ev->size, &context) &&
		   context >= XTR_CONTEXT_SOFTIRQ && context <= XTR_CONTEXT_NMI;
	int err = 0;

	if (b->ret)
		return 0;
	/* What interrupts a loop is not in it. Its handler is one wherever the context is unknown.
	 */
	if (!irq && b->role != FW_HW_IRQ)
		err = entry_order(fw, ev, b->role);
	if (!err && inside && !b->paired && b->role != FW_HELPER && b->role != FW_OTHER)
		err = entry_only(fw, ev, b->role);
	return err;
}

static bool firmware_takes(const void *self, uint32_t type)
{
	const struct firmware *fw = self;

	return !type || xtr_map_index(&fw->by_type, type, 0) != XTR_MAP_NONE;
}

static int firmware_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct firmware *fw = self;
	const struct fw_binding *b;
	uint32_t i;
	int err;

	if (ev->gap) {
		fw->epoch++;
		return jsm_gap(&fw->jsm, ev->gap);
	}
	i = xtr_map_index(&fw->by_type, ev->type, 0);
	if (i == XTR_MAP_NONE)
		return 0;
	b = &fw->binding[i];
	if (b->role != FW_JSM)
		return function_event(fw, ev, b, inside);
	err = inside ? jsm_event(&fw->jsm, ev) : 0;
	if (err == 1 && !fw->function[FW_RECEIVE].timed)
		err = message(fw, ev->ts);
	return err < 0 ? err : 0;
}

static int firmware_job(void *self, const struct xtr_job *j)
{
	struct firmware *fw = self;
	int err;

	if (!fw_tells_messages(fw) || !fw->o->times)
		return 0;
	err = stalls_job(&fw->stalls, j);
	/* A message told of its end, recorded or not. */
	if (j->kind == XTR_KIND_NPU && j->done_ns && !fw->function[FW_DONE].recorded)
		stalls_message(&fw->stalls, j->done_ns);
	return err;
}

static int firmware_finish(void *self)
{
	struct firmware *fw = self;
	uint64_t min = fw->function[FW_RECEIVE].timed ? FW_LOOP_MIN : FW_LOOP_ROUNDS_MIN;

	for (uint32_t i = 0; i < fw->n_threads; i++) {
		loop_end(fw, &fw->thread[i], min);
		if (fw->thread[i].ended.n)
			keep_loop(fw, &fw->thread[i].ended);
	}
	jsm_finish(&fw->jsm, fw->o->clock.inside_ns);
	return fw_findings(fw);
}

static bool firmware_any(const void *self)
{
	const struct firmware *fw = self;
	uint64_t n = fw->jsm.sent + fw->jsm.received;

	for (size_t i = 0; i < FW_ROLES; i++)
		n += fw->function[i].n;
	return n;
}

const struct xtr_analysis xtr_analysis_firmware = {
	.name = "firmware",
	.title = "NPU firmware: messages and interrupts",
	.applies = applies,
	.open = firmware_open,
	.free = firmware_free,
	.takes = firmware_takes,
	.event = firmware_event,
	.call = firmware_call,
	.job = firmware_job,
	.finish = firmware_finish,
	.any = firmware_any,
	.text = fw_text,
	.json = fw_json,
	.tables = fw_tables,
};
