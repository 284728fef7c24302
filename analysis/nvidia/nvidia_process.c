/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of processes: their ioctls by name, errors, and third-party P2P. */
#include "nvidia.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

void *nv_more(void **array, uint32_t n, size_t size)
{
	void *more;

	if (!n || !(n & (n - 1))) {
		more = reallocarray(*array, n ? (size_t)n * 2 : 1, size);
		if (!more)
			return NULL;
		*array = more;
	}
	memset((char *)*array + (size_t)n * size, 0, size);
	return (char *)*array + (size_t)n * size;
}

int nv_process_of(struct nvidia *nv, const struct nv_step *s, uint32_t *process)
{
	uint32_t i = xtr_map_index(&nv->processes, s->process, 0);
	struct nv_process *p;

	*process = i;
	if (i != NONE)
		return 0;
	*process = NV_PROCESSES_MAX;
	if (nv->n_processes > NV_PROCESSES_MAX)
		return 0;
	p = nv_more((void **)&nv->process, nv->n_processes, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*process = nv->n_processes++;
	p->rest = *process == NV_PROCESSES_MAX;
	if (p->rest)
		return 0;
	p->process = s->process;
	p->comm = s->process ? s->comm : 0;
	return xtr_map_put(&nv->processes, s->process, 0, *process);
}

/* --- rates ------------------------------------------------------------------------------------ */

void nv_rate_end(struct nv_rate *r, uint64_t limit_per_s)
{
	if (r->n > r->worst)
		r->worst = r->n;
	if (r->n > limit_per_s * NV_STORM_WINDOW / 1000000000 && r->seen >= NV_STORM_EVENTS) {
		if (!r->storms++)
			r->storm_ns = r->first_ns + r->window * NV_STORM_WINDOW;
	}
	r->n = r->seen = 0;
}

void nv_rate_add(struct nv_rate *r, uint64_t ts, uint64_t limit_per_s, uint64_t weight)
{
	uint64_t window;

	if (!r->first_ns)
		r->first_ns = ts;
	window = ts > r->first_ns ? (ts - r->first_ns) / NV_STORM_WINDOW : 0;
	if (window != r->window)
		nv_rate_end(r, limit_per_s);
	r->window = window;
	r->n += weight;
	r->seen++;
}

/* --- ioctls ----------------------------------------------------------------------------------- */

static void decode(const struct nv_step *s, enum nv_kind *kind, uint32_t *number, bool *has_second,
		   uint32_t *second)
{
	uint32_t cmd = (uint32_t)s->v[NV_V_CMD];
	enum nv_value value;

	*kind = NV_KIND_UVM;
	*number = cmd;
	if (s->role != NV_UVM_IOCTL)
		*kind = nv_ioctl_kind(cmd, number);
	value = *number == NV_RM_ALLOC ? NV_V_ARG_CLASS : NV_V_ARG_CMD;
	*has_second = nv_ioctl_has_second(*kind, *number) && s->has[value];
	*second = *has_second ? (uint32_t)s->v[value] : 0;
}

/* The row of this ioctl; where there are too many that of its process's others, or NULL. */
int nv_ioctl_row(struct nvidia *nv, const struct nv_step *s, uint32_t process,
		 struct nv_ioctl **row)
{
	struct nv_ioctl want = { .process = process };
	uint64_t a, b;
	uint32_t i;

	decode(s, &want.kind, &want.number, &want.has_second, &want.second);
	if (nv->n_ioctls >= NV_IOCTLS_MAX) {
		b = (uint64_t)want.number << 32 | want.second;
		a = (uint64_t)process << 8 | want.kind << 1 | want.has_second;
		i = xtr_map_index(&nv->ioctls, a, b);
		if (i != NONE) {
			*row = &nv->ioctl[i];
			return 0;
		}
		want = (struct nv_ioctl){ .process = process, .kind = NV_KIND_REST };
	}
	b = (uint64_t)want.number << 32 | want.second;
	a = (uint64_t)process << 8 | want.kind << 1 | want.has_second;
	i = xtr_map_index(&nv->ioctls, a, b);
	if (i == NONE) {
		i = nv->n_ioctls;
		if (!nv_more((void **)&nv->ioctl, i, sizeof(want)) ||
		    xtr_map_put(&nv->ioctls, a, b, i))
			return -ENOMEM;
		nv->ioctl[i] = want;
		nv->n_ioctls++;
	}
	*row = &nv->ioctl[i];
	return 0;
}

int nv_ioctl_step(struct nvidia *nv, const struct nv_step *s, uint32_t process)
{
	struct nv_process *p = &nv->process[process];
	bool uvm = s->role == NV_UVM_IOCTL;
	struct nv_ioctl *row;
	int err;

	if (s->end && !s->begun_inside)
		return 0;
	err = nv_ioctl_row(nv, s, process, &row);
	if (err)
		return err;
	if (!s->end) {
		row->n++;
		*(uvm ? &p->uvm_ioctls : &p->ioctls) += 1;
		if (nv->o->times)
			nv_rate_add(&p->rate, s->ts, NV_IOCTLS_PER_S,
				    nv->sample_ppm[uvm] ? 1000000 / nv->sample_ppm[uvm] : 1);
		return 0;
	}
	if (nv->o->times && s->ts >= s->begin_ns)
		err = xtr_hist_add_within(&row->time, s->ts - s->begin_ns, &nv->hist_left);
	if (err || !s->ret_known || !s->ret)
		return err;
	row->errors++;
	*(uvm ? &p->uvm_ioctl_errors : &p->ioctl_errors) += 1;
	return nv_add_error(nv, s, process);
}

/* --- errors ----------------------------------------------------------------------------------- */

int nv_add_error(struct nvidia *nv, const struct nv_step *s, uint32_t process)
{
	struct nv_error e = { .process = process, .role = s->role, .ret = s->ret, .n = 1 };

	if (s->role == NV_IOCTL || s->role == NV_UVM_IOCTL)
		decode(s, &e.kind, &e.number, &e.has_second, &e.second);
	for (uint32_t i = 0; i < nv->n_errors; i++) {
		struct nv_error *x = &nv->error[i];

		if (x->process == e.process && x->role == e.role && x->ret == e.ret &&
		    x->kind == e.kind && x->number == e.number && x->has_second == e.has_second &&
		    x->second == e.second) {
			x->n++;
			return 0;
		}
	}
	if (nv->n_errors == NV_ERRORS_MAX) {
		nv->errors_left_out++;
		return 0;
	}
	if (!nv_more((void **)&nv->error, nv->n_errors, sizeof(e)))
		return -ENOMEM;
	nv->error[nv->n_errors++] = e;
	return 0;
}

/* --- third-party P2P -------------------------------------------------------------------------- */

int nv_p2p_step(struct nvidia *nv, const struct nv_step *s, uint32_t process)
{
	struct nv_process *p = &nv->process[process];
	bool failed = s->end && s->ret_known && s->ret;

	if (s->end != s->paired)
		return 0;
	if (failed) {
		p->p2p_errors++;
		return nv_add_error(nv, s, process);
	}
	if (s->role == NV_P2P_MAP) {
		p->p2p_maps++;
	} else {
		p->p2p_gets++;
		p->p2p_bytes += s->has[NV_V_LENGTH] ? s->v[NV_V_LENGTH] : 0;
	}
	return 0;
}
