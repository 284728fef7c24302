/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_probe.h"
#include "recorder/host/util.h"

#include "format/meta/tpevent.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX  (2 + XTR_PROBE_LOADS) /* context, ret, captured values */
#define CONTEXT_AT  16u                   /* spec/events.md, Functions and API calls */
#define RET_AT      24u
#define ENTRY_BYTES 24u

_Static_assert(XTR_PROBE_FIRST == ENTRY_BYTES, "first captured value");
_Static_assert(sizeof(struct xtr_probe_load) == 8, "a load is one word");
_Static_assert(offsetof(struct xtr_probe_cfg, load) % 8 == 0, "loads are aligned");

static const struct xtr_value_name contexts[] = {
	{ XTR_IN_TASK, "task" }, { XTR_IN_SOFTIRQ, "softirq" }, { XTR_IN_HARDIRQ, "hardirq" },
	{ XTR_IN_NMI, "nmi" },   { XTR_IN_UNKNOWN, "unknown" },
};

static int copy_text(const char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out ? -ENOMEM : 0;
}

static int copy_names(struct xtr_field *f, const struct xtr_value_name *names, uint32_t n)
{
	struct xtr_value_name *v;

	if (!n)
		return 0;
	v = calloc(n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	f->names = v;
	f->names_kind = XTR_NAMES_ENUM;
	for (; f->n_names < n; f->n_names++) {
		v[f->n_names].value = names[f->n_names].value;
		if (copy_text(&v[f->n_names].name, names[f->n_names].name))
			return -ENOMEM;
	}
	return 0;
}

static void free_field(struct xtr_field *f)
{
	for (uint32_t i = 0; i < f->n_names; i++)
		free((char *)f->names[i].name);
	free((struct xtr_value_name *)f->names);
	free((char *)f->name);
	free((char *)f->unit);
	*f = (struct xtr_field){ 0 };
}

static int add_field(struct xtr_probe_event *e, const struct xtr_capture *c, uint32_t offset)
{
	struct xtr_field *f = &e->fields[e->desc.n_fields];
	int err;

	*f = (struct xtr_field){
		.offset = offset, .size = xtr_repr_width(c->repr), .repr = c->repr, .sens = c->sens
	};
	err = copy_text(&f->name, c->name) ?: copy_text(&f->unit, c->unit) ?:
	      copy_names(f, c->names, c->n_names);
	if (err)
		free_field(f);
	else
		e->desc.n_fields++;
	return err;
}

/* context is in every record. */
static int begin_event(struct xtr_probe_event *e)
{
	static const struct xtr_capture context = { .name = "context",
						    .repr = XTR_REPR_U32,
						    .names = contexts,
						    .n_names = ARRAY_LEN(contexts) };

	e->fields = calloc(FIELDS_MAX, sizeof(*e->fields));
	if (!e->fields)
		return -ENOMEM;
	e->desc.fields = e->fields;
	e->desc.name = e->name;
	e->desc.size = ENTRY_BYTES;
	e->cfg.flags = XTR_PROBE_ON;
	return add_field(e, &context, CONTEXT_AT);
}

static void free_event(struct xtr_probe_event *e)
{
	for (uint32_t i = 0; i < e->desc.n_fields; i++)
		free_field(&e->fields[i]);
	free(e->fields);
	free(e->name);
}

int xtr_probe_new(struct xtr_probe **out, enum xtr_probe_kind kind, const char *module,
		  const char *function)
{
	const char *group = kind == XTR_PROBE_FUNC ? "func" : "api";
	struct xtr_probe *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return -ENOMEM;
	p->kind = kind;
	p->state = XTR_PROVIDER_MISSING;
	p->attach = kind == XTR_PROBE_FUNC ? "kprobe" : "uprobe";
	if (asprintf(&p->name, "%s:%s:%s", group, module, function) < 0)
		p->name = NULL;
	if (p->name && asprintf(&p->ret.name, "%s:ret", p->name) < 0)
		p->ret.name = NULL;
	p->entry.name = p->name ? strdup(p->name) : NULL;
	if (strcmp(module, "vmlinux"))
		p->module = strdup(module);
	if (p->name && p->entry.name && p->ret.name && (p->module || !strcmp(module, "vmlinux")))
		err = begin_event(&p->entry);
	if (err) {
		xtr_probe_free(p);
		return err;
	}
	*out = p;
	return 0;
}

void xtr_probe_free(struct xtr_probe *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_targets; i++) {
		free(p->targets[i].symbol);
		free(p->targets[i].path);
	}
	free(p->targets);
	free_event(&p->entry);
	free_event(&p->ret);
	free(p->target);
	free(p->module);
	free(p->name);
	free(p);
}

static void join_half(struct xtr_probe_event *e, struct xtr_probe_event *more)
{
	struct xtr_probe_event kept = *e;

	if (more->desc.n_fields <= e->desc.n_fields)
		return;
	*e = *more;
	*more = kept;
}

void xtr_probe_join(struct xtr_probe *p, struct xtr_probe *more)
{
	join_half(&p->entry, &more->entry);
	join_half(&p->ret, &more->ret);
	p->want_ret |= more->want_ret;
	p->entry.cfg.save = p->ret.cfg.save;
	xtr_probe_free(more);
}

static int note_target(struct xtr_probe *p, const char *symbol)
{
	char *all;

	if (asprintf(&all, "%s%s%s", p->target ? p->target : "", p->target ? ", " : "", symbol) < 0)
		return -ENOMEM;
	free(p->target);
	p->target = all;
	return 0;
}

int xtr_probe_add_target(struct xtr_probe *p, const char *symbol, const char *path, uint64_t addr)
{
	struct xtr_probe_target *more, *t;

	more = reallocarray(p->targets, p->n_targets + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->targets = more;
	t = &more[p->n_targets];
	*t = (struct xtr_probe_target){ .addr = addr };
	t->symbol = strdup(symbol);
	t->path = path ? strdup(path) : NULL;
	if (!t->symbol || (path && !t->path) || note_target(p, symbol)) {
		free(t->symbol);
		free(t->path);
		return -ENOMEM;
	}
	p->n_targets++;
	return 0;
}

static bool width_fits(const struct xtr_capture *c)
{
	return c->load.width && xtr_repr_width(c->repr) == c->load.width;
}

int xtr_probe_want_ret(struct xtr_probe *p, const struct xtr_capture *ret)
{
	struct xtr_probe_event *e = &p->ret;
	int err;

	if (p->want_ret)
		return -EEXIST;
	if (ret && !width_fits(ret))
		return -EINVAL;
	err = begin_event(e);
	if (!err && ret)
		err = add_field(e, ret, RET_AT);
	if (err)
		return err;
	p->want_ret = true;
	if (ret) {
		e->cfg.ret_width = ret->load.width;
		e->desc.size = RET_AT + 8;
	}
	return 0;
}

static bool valid_source(const struct xtr_probe_load *l, bool at_ret)
{
	uint32_t saved = (uint32_t)l->from - XTR_FROM_SAVED;

	if (l->n_deref > 2)
		return false;
	if (at_ret)
		return l->from == XTR_FROM_RET || saved < XTR_PROBE_ARGS;
	return l->from < XTR_FROM_ARG + XTR_PROBE_ARGS || l->from == XTR_FROM_STACK;
}

int xtr_probe_capture(struct xtr_probe *p, bool at_ret, const struct xtr_capture *c)
{
	struct xtr_probe_event *e = at_ret ? &p->ret : &p->entry;
	uint32_t at = XTR_PROBE_FIRST + 8u * e->cfg.n_loads + (at_ret ? 8 : 0);
	int err;

	if ((at_ret && !p->want_ret) || !width_fits(c) || !valid_source(&c->load, at_ret))
		return -EINVAL;
	if (e->cfg.n_loads == XTR_PROBE_LOADS)
		return -E2BIG;
	err = add_field(e, c, at);
	if (err)
		return err;
	e->cfg.load[e->cfg.n_loads++] = c->load;
	e->desc.size = at + 8;
	if (c->load.from >= XTR_FROM_SAVED) {
		e->cfg.save = 1;
		p->entry.cfg.save = 1; /* the entry keeps them */
	}
	return 0;
}

int xtr_probe_stack(struct xtr_probe *p)
{
	static const struct xtr_capture stack = { .name = "stack",
						  .repr = XTR_REPR_STACK,
						  .sens = XTR_SENS_PLAIN,
						  .load = { .from = XTR_FROM_STACK, .width = 4 } };
	int err;

	if (xtr_event_field(&p->entry.desc, stack.name))
		return -EEXIST;
	err = xtr_probe_capture(p, false, &stack);
	if (err)
		return err;
	p->entry.cfg.flags |= XTR_PROBE_STACK;
	p->entry.cfg.size = (__u16)p->entry.desc.size;
	return 0;
}

/* The load behind a field of the entry, from 1; 0: it is none. */
static uint32_t load_of(const struct xtr_probe *p, const char *field)
{
	const struct xtr_field *f = xtr_event_field(&p->entry.desc, field);

	return f && f->offset >= XTR_PROBE_FIRST ? (f->offset - XTR_PROBE_FIRST) / 8 + 1 : 0;
}

int xtr_probe_key(struct xtr_probe *p, const char *field)
{
	uint32_t n = load_of(p, field);

	if (!n)
		return -ENOENT;
	p->entry.cfg.key = (__u8)n;
	memset(p->entry.cfg.sub, 0, sizeof(p->entry.cfg.sub));
	return 0;
}

int xtr_probe_subkey(struct xtr_probe *p, size_t i, uint8_t nr, const char *field)
{
	uint32_t n = load_of(p, field);

	if (!n)
		return -ENOENT;
	p->entry.cfg.sub[i].nr = nr;
	p->entry.cfg.sub[i].load = (__u8)n;
	return 0;
}

void xtr_probe_sample(struct xtr_probe *p, uint32_t of)
{
	p->entry.cfg.sample = of;
	xtr_probe_whole(p);
}

void xtr_probe_whole(struct xtr_probe *p)
{
	if (!p->want_ret)
		return;
	p->entry.cfg.save = p->ret.cfg.save = 1;
	p->ret.cfg.flags |= XTR_PROBE_SAMPLED;
}

const struct xtr_field *xtr_probe_captured(const struct xtr_probe *p, uint32_t n)
{
	for (uint32_t i = 0; n && i < p->entry.desc.n_fields; i++) {
		if (p->entry.fields[i].offset == XTR_PROBE_FIRST + 8 * (n - 1))
			return &p->entry.fields[i];
	}
	return NULL;
}

static uint32_t number(struct xtr_probe_event *e, uint32_t i)
{
	e->desc.type = XTR_TYPE_FIRST_DYNAMIC + i;
	e->cfg.type = e->desc.type;
	e->cfg.slot = XTR_SLOT_GENERIC + i;
	e->cfg.size = (__u16)e->desc.size;
	return i + 1;
}

uint32_t xtr_probe_number(struct xtr_probe *p, uint32_t first)
{
	uint32_t next = number(&p->entry, first);

	if (p->want_ret)
		next = number(&p->ret, next);
	return next - first;
}

void xtr_probe_say(struct xtr_probe *p, enum xtr_provider_state state, const char *fmt, ...)
{
	va_list args;

	p->state = state;
	va_start(args, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, args);
	va_end(args);
}

int xtr_probe_convert(const struct xtr_event_desc *desc, const struct xtr_siphash_key *key,
		      uint8_t *rec, uint32_t size)
{
	if (size != desc->size)
		return -EBADMSG;
	xtr_tp_event_clean(desc, key, rec);
	return (int)size;
}
