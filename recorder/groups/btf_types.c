/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf_types.h"
#include "recorder/host/util.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANONYMOUS_DEPTH 4 /* unions in structures in unions */

#define KERNEL      "/sys/kernel/btf/vmlinux"
#define MODULES_MAX 8

struct module {
	char name[64];
	struct btf *btf; /* NULL: there is none */
};

struct xtr_btf_types {
	struct btf *kernel;
	int kernel_tried;
	struct module modules[MODULES_MAX];
	size_t n;
};

struct xtr_btf_types *xtr_btf_types_new(void)
{
	return calloc(1, sizeof(struct xtr_btf_types));
}

void xtr_btf_types_free(struct xtr_btf_types *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		btf__free(t->modules[i].btf);
	btf__free(t->kernel);
	free(t);
}

static struct btf *of_kernel(struct xtr_btf_types *t)
{
	if (!t->kernel_tried)
		t->kernel = btf__parse(KERNEL, NULL);
	t->kernel_tried = 1;
	return t->kernel;
}

/* All types of a module (NULL: of the kernel itself) with those of the kernel; NULL: none are
 * known. They live as long as t. */
/* A module's types continue those of the kernel, which are found through it, too. */
static const struct btf *xtr_btf_types_of(struct xtr_btf_types *t, const char *module)
{
	struct btf *kernel = of_kernel(t);
	struct module *m;
	char path[128];

	if (!module || !kernel)
		return kernel;
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->modules[i].name, module) == 0)
			return t->modules[i].btf;
	}
	if (t->n == MODULES_MAX || strchr(module, '/') || strlen(module) >= sizeof(m->name))
		return NULL;
	m = &t->modules[t->n++];
	snprintf(m->name, sizeof(m->name), "%s", module);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	m->btf = btf__parse_split(path, kernel);
	return m->btf;
}

int xtr_btf_argument(struct xtr_btf_types *t, const char *module, const char *function,
		     const char *name)
{
	const struct btf *btf = xtr_btf_types_of(t, module);
	const struct btf_type *f;
	const struct btf_param *p;
	int id;

	if (!btf)
		return -ENODATA;
	id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	f = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	f = f ? btf__type_by_id(btf, f->type) : NULL;
	if (!f || !btf_is_func_proto(f))
		return -ENOENT;
	p = btf_params(f);
	for (int i = 0; i < btf_vlen(f); i++) {
		if (strcmp(btf__name_by_offset(btf, p[i].name_off), name) == 0)
			return i;
	}
	return -ENOENT;
}

/* Members of a structure or union without a name count as those of what is around it. */
static int member_at(const struct btf *btf, const struct btf_type *s, const char *name, int depth)
{
	const struct btf_member *m = btf_members(s);

	for (int i = 0; i < btf_vlen(s); i++) {
		const char *of = btf__name_by_offset(btf, m[i].name_off);
		__u32 bits = btf_member_bit_offset(s, (__u32)i);
		const struct btf_type *inner;
		int at;

		if (of && strcmp(of, name) == 0)
			return bits % 8 || btf_member_bitfield_size(s, (__u32)i) ? -ENOENT
										 : (int)bits / 8;
		inner = of && of[0] ? NULL : btf__type_by_id(btf, m[i].type);
		if (!inner || !btf_is_composite(inner) || !depth)
			continue;
		at = member_at(btf, inner, name, depth - 1);
		if (at >= 0)
			return (int)bits / 8 + at;
	}
	return -ENOENT;
}

int xtr_btf_member(struct xtr_btf_types *t, const char *module, const char *structure,
		   const char *name)
{
	const struct btf *btf = xtr_btf_types_of(t, module);
	const struct btf_type *s;
	int id;

	if (!btf)
		return -ENODATA;
	id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	s = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	return s ? member_at(btf, s, name, ANONYMOUS_DEPTH) : -ENOENT;
}

/* --- func args -------------------------------------------------------------------------------- */

/*
 * How arguments are passed: x86-64 psABI 3.2.3 and AAPCS64 6.4, for what kernel functions take. An
 * integer or pointer takes one register, a structure of up to 16 bytes as many as it fills, a
 * larger one none (x86-64).
 */

#define NAMES_MAX 64 /* of an enum; one with more is recorded as a number */

static const struct btf_type *resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	for (int depth = 0; t && depth < 32; depth++) {
		if (!btf_is_mod(t) && !btf_is_typedef(t) && btf_kind(t) != BTF_KIND_TYPE_TAG)
			return t;
		t = btf__type_by_id(btf, t->type);
	}
	return NULL;
}

static enum xtr_repr int_repr(uint32_t size, bool is_signed)
{
	static const enum xtr_repr reprs[2][4] = {
		{ XTR_REPR_U8, XTR_REPR_U16, XTR_REPR_U32, XTR_REPR_U64 },
		{ XTR_REPR_S8, XTR_REPR_S16, XTR_REPR_S32, XTR_REPR_S64 },
	};

	return reprs[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static bool is_width(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static int by_value(const void *a, const void *b)
{
	const struct xtr_value_name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Names of the values, each value once; negative ones have none. */
static uint32_t enum_names(const struct btf *btf, const struct btf_type *t,
			   struct xtr_value_name names[NAMES_MAX])
{
	uint32_t n = 0, out = 0;
	int64_t v;

	if (btf_vlen(t) > NAMES_MAX)
		return 0;
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_kind(t) == BTF_KIND_ENUM64;
		uint32_t name = wide ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;

		v = wide ? (int64_t)btf_enum64_value(btf_enum64(t) + i) : btf_enum(t)[i].val;
		if (v < 0)
			continue;
		names[n++] = (struct xtr_value_name){ .value = (uint64_t)v,
						      .name = btf__name_by_offset(btf, name) };
	}
	qsort(names, n, sizeof(*names), by_value);
	for (uint32_t i = 0; i < n; i++) {
		if (!out || names[out - 1].value != names[i].value)
			names[out++] = names[i];
	}
	return out;
}

/* Describe a value of this type. False: it is no number. */
static bool describe(const struct btf *btf, const struct btf_type *t, struct xtr_capture *c,
		     struct xtr_value_name names[NAMES_MAX])
{
	c->sens = XTR_SENS_NONE;
	c->n_names = 0;
	c->names = names;
	if (btf_is_ptr(t)) {
		c->repr = XTR_REPR_HEX64;
		c->sens = XTR_SENS_KPTR;
		c->load.width = 8;
		return true;
	}
	if ((!btf_is_int(t) && !btf_is_any_enum(t)) || !is_width(t->size))
		return false;
	c->repr = int_repr(t->size,
			   btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : btf_kflag(t));
	c->load.width = (__u8)t->size;
	if (btf_is_any_enum(t))
		c->n_names = enum_names(btf, t, names);
	return true;
}

/* Registers that an argument takes. */
static uint32_t registers(const struct btf_type *t)
{
	if (btf_is_ptr(t))
		return 1;
	return t->size <= 8 ? 1 : t->size <= 16 ? 2 : 0;
}

static bool taken_name(const char *name)
{
	return strcmp(name, "context") == 0 || strcmp(name, "ret") == 0;
}

static int capture_argument(struct xtr_probe *p, const struct btf *btf, const struct btf_type *t,
			    const char *name, uint32_t reg, uint32_t i)
{
	struct xtr_value_name names[NAMES_MAX];
	struct xtr_capture c = { .load.from = (__u8)(XTR_FROM_ARG + reg) };
	char text[256];

	if (!describe(btf, t, &c, names))
		return 0;
	if (name && name[0])
		snprintf(text, sizeof(text), "%s%s", taken_name(name) ? "arg_" : "", name);
	else
		snprintf(text, sizeof(text), "arg%u", i);
	c.name = text;
	return xtr_probe_capture(p, false, &c);
}

static int known_arguments(struct xtr_probe *p, const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	uint32_t reg = 0, n;
	int err = 0;

	for (uint32_t i = 0; i < btf_vlen(proto) && !err; i++) {
		const struct btf_type *t = resolve(btf, params[i].type);

		if (!params[i].type || !t) /* ... */
			break;
		n = registers(t);
		if (reg + n > XTR_PROBE_ARGS)
			break;
		err = capture_argument(p, btf, t, btf__name_by_offset(btf, params[i].name_off), reg,
				       i);
		reg += n;
	}
	return err;
}

static int unknown_arguments(struct xtr_probe *p)
{
	char name[8];
	int err = 0;

	for (uint32_t i = 0; i < XTR_PROBE_ARGS && !err; i++) {
		struct xtr_capture c = { .name = name,
					 .repr = XTR_REPR_HEX64,
					 .sens = XTR_SENS_KPTR,
					 .load = { .from = (__u8)i, .width = 8 } };

		snprintf(name, sizeof(name), "arg%u", i);
		err = xtr_probe_capture(p, false, &c);
	}
	return err;
}

static int want_ret(struct xtr_probe *p, const struct btf *btf, const struct btf_type *proto)
{
	struct xtr_value_name names[NAMES_MAX];
	struct xtr_capture c = { .name = "ret", .repr = XTR_REPR_S64, .load.width = 8 };
	const struct btf_type *t;

	if (!proto)
		return xtr_probe_want_ret(p, &c);
	if (!proto->type)
		return xtr_probe_want_ret(p, NULL);
	t = resolve(btf, proto->type);
	if (!t || !describe(btf, t, &c, names))
		return xtr_probe_want_ret(p, NULL); /* a structure, in memory or two registers */
	return xtr_probe_want_ret(p, &c);
}

static const struct btf_type *find_proto(const struct btf *btf, const char *function)
{
	int id = btf ? btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) : 0;
	const struct btf_type *f = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	f = f ? btf__type_by_id(btf, f->type) : NULL;
	return f && btf_is_func_proto(f) ? f : NULL;
}

/* Are the arguments those of the source? What .isra, .constprop and .part leave out of them, the
 * types do not tell. */
static bool whole(const struct xtr_probe *p)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		if (strchr(p->targets[i].symbol, '.'))
			return false;
	}
	return true;
}

int xtr_func_describe_btf(struct xtr_probe *p, const struct btf *btf, const char *function,
			  bool ret, bool args)
{
	const struct btf_type *proto = find_proto(btf, function);
	int err = ret ? want_ret(p, btf, proto) : 0;

	if (err || !args)
		return err;
	return proto && whole(p) ? known_arguments(p, btf, proto) : unknown_arguments(p);
}

int xtr_func_describe(struct xtr_probe *p, struct xtr_btf_types *types, const char *function,
		      bool ret, bool args)
{
	return xtr_func_describe_btf(p, types ? xtr_btf_types_of(types, p->module) : NULL, function,
				     ret, args);
}
