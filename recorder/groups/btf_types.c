// SPDX-License-Identifier: BSD-2-Clause
#include "btf_types.h"

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

/* A module's types continue those of the kernel, which are found through it, too. */
const struct btf *xtr_btf_types_of(struct xtr_btf_types *t, const char *module)
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
