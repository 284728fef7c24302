/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia_past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

void nv_pasts_free(struct nv_pasts *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->past[i]);
	free(p->past);
	xtr_map_free(&p->by_owner);
}

void nv_pasts_gap(struct nv_pasts *p, uint64_t ts)
{
	p->lost_ns = ts;
}

static struct nv_past *find(const struct nv_pasts *p, bool device, uint64_t key)
{
	uint32_t i = xtr_map_index(&p->by_owner, device, key);

	return i == NONE ? NULL : p->past[i];
}

static int add_owner(struct nv_pasts *p, bool device, uint64_t key, struct nv_past **past)
{
	*past = find(p, device, key);
	if (*past || p->n == NV_PASTS_MAX)
		return 0;
	if (!p->past)
		p->past = calloc(NV_PASTS_MAX, sizeof(struct nv_past *));
	*past = calloc(1, sizeof(struct nv_past));
	if (!p->past || !*past || xtr_map_put(&p->by_owner, device, key, p->n)) {
		free(*past);
		return -ENOMEM;
	}
	p->past[p->n++] = *past;
	return 0;
}

static bool is_device(enum nv_role role)
{
	return role == NV_ISR || role == NV_ISR_MSIX || role == NV_BOTTOM || role == NV_BOTTOM_MSIX;
}

static bool is_process(enum nv_role role)
{
	return !is_device(role) && role != NV_SUSPEND && role != NV_RESUME && role != NV_REPORT &&
	       role != NV_XID && role != NV_SXID;
}

static struct nv_past_call call_of(const struct nv_step *s)
{
	struct nv_past_call c = { .ts = s->ts, .tid = s->tid, .role = s->role };
	enum nv_value value;

	if (s->role == NV_UVM_IOCTL) {
		c.kind = NV_KIND_UVM;
		c.number = (uint32_t)s->v[NV_V_CMD];
	} else if (s->role == NV_IOCTL) {
		c.kind = nv_ioctl_kind((uint32_t)s->v[NV_V_CMD], &c.number);
		value = c.number == NV_RM_ALLOC ? NV_V_ARG_CLASS : NV_V_ARG_CMD;
		c.has_second = nv_ioctl_has_second(c.kind, c.number) && s->has[value];
		c.second = c.has_second ? (uint32_t)s->v[value] : 0;
	}
	return c;
}

/* The call that this step ends, if it is still kept. */
static void ends(struct nv_past *past, const struct nv_step *s)
{
	uint64_t kept = past->n < NV_PAST_MAX ? past->n : NV_PAST_MAX;

	for (uint64_t i = 1; s->entered && i <= kept; i++) {
		struct nv_past_call *c = &past->call[(past->n - i) % NV_PAST_MAX];

		if (c->ts < s->begin_ns)
			return;
		if (c->ts != s->begin_ns || c->tid != s->tid || c->role != s->role)
			continue;
		c->done = true;
		c->ns = s->ts - s->begin_ns;
		c->ret_known = s->ret_known;
		c->ret = s->ret;
		return;
	}
}

int nv_pasts_step(struct nv_pasts *p, const struct nv_step *s)
{
	bool device = is_device(s->role);
	uint64_t key = device ? s->v[NV_V_DEVICE] : s->process;
	struct nv_past *past;
	int err;

	if (!(device || is_process(s->role)) || s->nested || (!device && !s->process))
		return 0;
	if (s->end) {
		past = find(p, device, key);
		if (past)
			ends(past, s);
		return 0;
	}
	err = add_owner(p, device, key, &past);
	if (past && !err)
		past->call[past->n++ % NV_PAST_MAX] = call_of(s);
	return err;
}

static bool same(const struct nv_past_call *a, const struct nv_past_call *b)
{
	return a->role == b->role && a->kind == b->kind && a->number == b->number &&
	       a->has_second == b->has_second && a->second == b->second;
}

static void count(struct nv_before *b, const struct nv_past_call *c)
{
	uint32_t i;

	for (i = 0; i < b->n_names && !same(&b->name[i].what, c); i++)
		;
	if (i == NV_NAMES_MAX) {
		b->others++;
		return;
	}
	if (i == b->n_names) {
		b->name[b->n_names++].what = *c;
		b->name[i].n = 0;
	}
	b->name[i].n++;
	for (; i && b->name[i].n > b->name[i - 1].n; i--) {
		struct nv_past_call what = b->name[i].what;
		uint64_t n = b->name[i].n;

		b->name[i] = b->name[i - 1];
		b->name[i - 1].what = what;
		b->name[i - 1].n = n;
	}
}

void nv_pasts_before(const struct nv_pasts *p, bool device, uint64_t key, uint64_t ts, bool times,
		     struct nv_before *b)
{
	const struct nv_past *past = find(p, device, key);
	uint64_t kept, i, from = times && ts > NV_BEFORE_NS ? ts - NV_BEFORE_NS : 0;

	*b = (struct nv_before){ .known = past };
	if (!past)
		return;
	kept = past->n < NV_PAST_MAX ? past->n : NV_PAST_MAX;
	b->complete = !p->lost_ns || p->lost_ns < from;
	for (i = 1; i <= kept; i++) {
		const struct nv_past_call *c = &past->call[(past->n - i) % NV_PAST_MAX];

		if (c->ts < from)
			break;
		b->calls++;
		count(b, c);
		if (b->n_last < NV_LAST_MAX)
			b->last[b->n_last++] = *c;
	}
	if (i > kept && past->n > kept)
		b->complete = false;
	for (i = 0; i < b->n_last / 2; i++) {
		struct nv_past_call c = b->last[i];

		b->last[i] = b->last[b->n_last - 1 - i];
		b->last[b->n_last - 1 - i] = c;
	}
}

char *nv_past_name(char buf[2 * NV_NAME_MAX], const struct nv_past_call *c)
{
	if (c->role == NV_IOCTL || c->role == NV_UVM_IOCTL)
		return nv_whole_name(buf, c->kind, c->number, c->has_second, c->second);
	snprintf(buf, 2 * (size_t)NV_NAME_MAX, "%s", nv_role_name(c->role));
	return buf;
}
