/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers: what was asked for and given when they were created, their moves, and the lists of them
 * that come with submissions. There is no event for the end of a buffer on all kernels: what was
 * created is not what is held. Pointers are used again.
 */
#include "amdgpu_impl.h"

#include <errno.h>

#define PAGE 4096u

enum {
	BO,
	PAGES,
	TYPE,
	PREFER,
	ALLOW,
	FLAGS
};
enum {
	MOVE_BO,
	MOVE_SIZE,
	MOVE_NEW,
	MOVE_OLD
};

int amdgpu_memory_open(struct amdgpu *g)
{
	struct amdgpu_memory_stats *m = &g->mem;
	const struct xtr_system *sys = xtr_meta_system(g->o->meta);

	m->page = sys && sys->page ? sys->page : PAGE;
	xtr_counted_init(&m->types, sizeof(struct amdgpu_bytes_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&m->asked, sizeof(struct amdgpu_bytes_row), AMDGPU_ROWS_MAX);
	xtr_counted_init(&m->directions, sizeof(struct amdgpu_bytes_row), AMDGPU_ROWS_MAX);
	return xtr_recent_init(&m->lives, sizeof(struct amdgpu_life), AMDGPU_BUFFERS_MAX);
}

void amdgpu_memory_free(struct amdgpu *g)
{
	struct amdgpu_memory_stats *m = &g->mem;

	xtr_counted_free(&m->types);
	xtr_counted_free(&m->asked);
	xtr_counted_free(&m->directions);
	xtr_recent_free(&m->lives);
	xtr_hist_free(&m->away);
	xtr_hist_free(&m->list_size);
}

static void add(struct amdgpu_sum *s, uint64_t bytes)
{
	s->n++;
	s->bytes += bytes;
}

static int add_row(struct xtr_counted *t, uint64_t a, uint64_t b, uint64_t bytes)
{
	struct amdgpu_bytes_row *row;
	int err = xtr_counted_get(t, a, b, &row);

	if (row) {
		row->row.n++;
		row->bytes += bytes;
	}
	return err;
}

/* Memory of the machine, behind the bus; where PREEMPT buffers lie too. */
static bool is_outside(uint32_t type)
{
	return type == AMDGPU_MEM_SYSTEM || type == AMDGPU_MEM_GTT || type == AMDGPU_MEM_PREEMPT;
}

static void forget(struct amdgpu *g, uint64_t bo)
{
	struct amdgpu_life *life = xtr_recent_get(&g->mem.lives, bo, 0);

	if (life)
		xtr_recent_forget(&g->mem.lives, life);
}

/* --- creation --------------------------------------------------------------------------------- */

/* VRAM was preferred: was it given? *refused: nothing but VRAM was, and it was not. */
static void count_vram(struct amdgpu_memory_stats *m, uint32_t prefer, uint32_t type,
		       uint64_t bytes, uint64_t ts, bool *refused)
{
	bool only = !(prefer & (AMDGPU_DOMAIN_CPU | AMDGPU_DOMAIN_GTT));

	if (!(prefer & AMDGPU_DOMAIN_VRAM))
		return;
	add(&m->vram_asked, bytes);
	if (type == AMDGPU_MEM_VRAM)
		add(&m->vram_given, bytes);
	if (!only)
		add(&m->either, bytes);
	if (!is_outside(type))
		return;
	*refused = only;
	if (!only) {
		m->elsewhere_ns = m->either_elsewhere.n ? m->elsewhere_ns : ts;
		add(&m->either_elsewhere, bytes);
		return;
	}
	m->refused_ns = m->refused.n ? m->refused_ns : ts;
	add(&m->refused, bytes);
}

int amdgpu_take_create(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside)
{
	struct amdgpu_memory_stats *m = &g->mem;
	uint64_t bytes = xtr_bind_u64(b, PAGES, ev) * m->page;
	uint32_t type = (uint32_t)xtr_bind_u64(b, TYPE, ev);
	uint32_t prefer = (uint32_t)xtr_bind_u64(b, PREFER, ev);
	uint32_t allow = (uint32_t)xtr_bind_u64(b, ALLOW, ev);
	uint64_t flags = xtr_bind_u64(b, FLAGS, ev);
	struct amdgpu_process *p;
	bool refused = false;
	int err;

	forget(g, xtr_bind_u64(b, BO, ev)); /* an earlier buffer at this address has ended */
	if (!inside)
		return 0;
	add(&m->created, bytes);
	count_vram(m, prefer, type, bytes, ev->ts, &refused);
	for (unsigned int i = 0; i < AMDGPU_FLAG_BITS; i++)
		if (flags & 1ull << i)
			add(&m->flag[i], bytes);
	err = amdgpu_process_of(g, ev, &p);
	if (p) {
		p->buffers++;
		p->bytes += bytes;
		p->vram_refused += refused;
		p->vram_refused_bytes += refused ? bytes : 0;
	}
	if (!err)
		err = add_row(&m->types, type, 0, bytes);
	return err ? err : add_row(&m->asked, (uint64_t)prefer << 32 | allow, type, bytes);
}

/* --- moves ------------------------------------------------------------------------------------ */

static int leaves_vram(struct amdgpu *g, uint64_t bo, uint64_t ts)
{
	struct amdgpu_memory_stats *m = &g->mem;
	struct amdgpu_life *life = xtr_recent_get(&m->lives, bo, 0);

	if (!life) {
		m->lives_lost += xtr_recent_victim(&m->lives) != NULL;
		life = xtr_recent_add(&m->lives, bo, 0);
		if (!life)
			return -ENOMEM;
	}
	life->left_ns = ts;
	life->away = true;
	return 0;
}

/* Inferred: the buffer that left may have ended, and this be another one at its address. */
static int comes_to_vram(struct amdgpu *g, uint64_t bo, uint64_t bytes, uint64_t ts, bool inside)
{
	struct amdgpu_memory_stats *m = &g->mem;
	struct amdgpu_life *life = xtr_recent_get(&m->lives, bo, 0);

	if (!life || !life->away)
		return 0;
	life->away = false;
	if (!inside)
		return 0;
	m->returns++;
	life->returns++;
	m->most_returns = life->returns > m->most_returns ? life->returns : m->most_returns;
	if (!g->o->times)
		return 0;
	if (ts - life->left_ns < AMDGPU_THRASH_AWAY_NS) {
		m->quick_ns = m->quick ? m->quick_ns : ts;
		m->quick++;
		m->quick_bytes += bytes;
	}
	return xtr_hist_add_within(&m->away, ts - life->left_ns, &g->hist_left);
}

static void count_move(struct amdgpu *g, uint32_t new, uint32_t old, uint64_t bytes, uint64_t ts)
{
	struct amdgpu_memory_stats *m = &g->mem;

	if (old == AMDGPU_MEM_NONE)
		add(&m->placed, bytes);
	if (new == AMDGPU_MEM_NONE)
		add(&m->released, bytes);
	if (old == AMDGPU_MEM_NONE || new == AMDGPU_MEM_NONE)
		return;
	add(&m->moved, bytes);
	if (g->o->times)
		xtr_rate_add(&m->move_rate, ts);
	if (new == AMDGPU_MEM_VRAM && is_outside(old))
		add(&m->to_vram, bytes);
	if (old == AMDGPU_MEM_VRAM && is_outside(new))
		add(&m->from_vram, bytes);
}

int amdgpu_take_move(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	uint64_t bo = xtr_bind_u64(b, MOVE_BO, ev), bytes = xtr_bind_u64(b, MOVE_SIZE, ev);
	uint32_t new = (uint32_t)xtr_bind_u64(b, MOVE_NEW, ev);
	uint32_t old = (uint32_t)xtr_bind_u64(b, MOVE_OLD, ev);
	int err = 0;

	if (inside) {
		count_move(g, new, old, bytes, ev->ts);
		err = add_row(&g->mem.directions, old, new, bytes);
	}
	if (err)
		return err;
	if (new == AMDGPU_MEM_NONE)
		forget(g, bo);
	else if (old == AMDGPU_MEM_VRAM && is_outside(new))
		return leaves_vram(g, bo, ev->ts);
	else if (new == AMDGPU_MEM_VRAM && is_outside(old))
		return comes_to_vram(g, bo, bytes, ev->ts, inside);
	return 0;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* total_bo is a number of buffers and total_size bytes: the event's print format has them the wrong
 * way round. */
int amdgpu_take_list(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
		     bool inside)
{
	struct amdgpu_memory_stats *m = &g->mem;
	uint64_t n = xtr_bind_u64(b, 0, ev);

	if (!inside)
		return 0;
	m->lists++;
	m->list_buffers += n;
	m->list_bytes += xtr_bind_u64(b, 1, ev);
	return xtr_hist_add_within(&m->list_size, n, &g->hist_left);
}

int amdgpu_take_list_set(struct amdgpu *g, const struct xtr_bind *b, const struct xtr_event *ev,
			 bool inside)
{
	if (inside)
		add(&g->mem.list_set, xtr_bind_u64(b, 0, ev));
	return 0;
}
