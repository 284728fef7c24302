/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and nodes of a call map: from a call to its place in the tree. */
#include "call_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_NAME 0u /* of the root, and of what there is no room for */

static const struct {
	const char *name;
	enum map_role role;
} roles[] = {
	{ "ivpu_mmu_context_map_page", MAP_ROLE_MAP_PAGE },
	{ "ivpu_mmu_context_map_sgt", MAP_ROLE_MAP_SGT },
	{ "ivpu_ipc_receive", MAP_ROLE_RECEIVE },
	{ "ivpu_hw_irq_handler", MAP_ROLE_HW_IRQ },
};

void *map_more(void **array, uint32_t n, size_t size)
{
	void *more;

	if (!(n & (n - 1))) {
		more = reallocarray(*array, n ? (size_t)n * 2 : 1, size);
		if (!more)
			return NULL;
		*array = more;
	}
	more = (char *)*array + n * size;
	memset(more, 0, size);
	return more;
}

/* --- names ------------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t h, const char *s)
{
	do
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull; /* FNV-1a, with the NUL */
	while (*s++);
	return h;
}

static int64_t add_name(struct call_map *m, uint32_t kind, const char *module, const char *name)
{
	size_t n = strlen(module) + 1, len = strlen(name) + 1, i;
	struct map_name *x = map_more((void **)&m->name, m->n_names, sizeof(*x));

	if (!x)
		return -ENOMEM;
	*x = (struct map_name){ .kind = kind, .row = MAP_NO, .module = malloc(n + len) };
	if (!x->module)
		return -ENOMEM;
	memcpy(x->module, module, n);
	memcpy(x->module + n, name, len);
	x->name = x->module + n;
	for (i = 0; kind == XTR_CALL_FUNCTION && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(name, roles[i].name))
			x->role = roles[i].role;
	if (kind == (m->api ? XTR_CALL_API : XTR_CALL_FUNCTION) && map_row_new(m, m->n_names)) {
		free(x->module);
		return -ENOMEM;
	}
	return m->n_names++;
}

/* Names whose hashes are equal lie at the next numbers. */
static int64_t intern(struct call_map *m, uint32_t kind, const char *module, const char *name)
{
	uint64_t a = hash(hash(0xcbf29ce484222325ull + kind, module), name), b;
	const struct map_name *x;
	int64_t made;
	uint32_t i;

	for (b = 0;; b++) {
		i = xtr_map_index(&m->names, a, b);
		if (i == XTR_MAP_NONE)
			break;
		x = &m->name[i];
		if (x->kind == kind && !strcmp(x->module, module) && !strcmp(x->name, name))
			return i;
		if (b == 8)
			return OTHER_NAME;
	}
	if (m->n_names >= MAP_NAMES_MAX)
		return OTHER_NAME;
	made = add_name(m, kind, module, name);
	if (made >= 0 && xtr_map_put(&m->names, a, b, (uint32_t)made))
		return -ENOMEM;
	return made;
}

int64_t map_name_of(struct call_map *m, const struct xtr_call *c)
{
	const struct xtr_event_desc *d = c->entry.desc ? c->entry.desc : c->exit.desc;
	uint32_t i = d ? xtr_map_index(&m->by_type, d->type, 0) : XTR_MAP_NONE;
	int64_t name;

	if (i != XTR_MAP_NONE)
		return i;
	name = intern(m, (uint32_t)c->kind, c->module ? c->module : "", c->name);
	if (d && name >= 0 && xtr_map_put(&m->by_type, d->type, 0, (uint32_t)name))
		return -ENOMEM;
	return name;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static int64_t add_node(struct call_map *m, uint32_t parent, uint32_t name)
{
	struct map_node *x = map_more((void **)&m->node, m->n_nodes, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->name = name;
	x->parent = parent;
	x->first = x->next = MAP_NO;
	x->depth = m->n_nodes ? m->node[parent].depth + 1 : 0;
	return m->n_nodes++;
}

bool map_is_other(const struct call_map *m, uint32_t node)
{
	return node != MAP_ROOT && m->node[node].name == OTHER_NAME;
}

/* The root, or a CPU: no call. */
bool map_is_group(const struct call_map *m, uint32_t node)
{
	return m->name[m->node[node].name].kind == XTR_CALL_KIND_COUNT && !map_is_other(m, node);
}

/* Each node has room for one child "(other)" beyond the limit; inside that, all is in it. */
static int64_t child(struct call_map *m, uint32_t parent, uint32_t name)
{
	uint32_t i;
	int64_t made;

	if (map_is_other(m, parent))
		return parent;
	i = xtr_map_index(&m->nodes, parent, name);
	if (i == XTR_MAP_NONE && m->n_nodes >= MAP_NODES_MAX) {
		name = OTHER_NAME;
		i = xtr_map_index(&m->nodes, parent, name);
	}
	if (i != XTR_MAP_NONE)
		return i;
	made = add_node(m, parent, name);
	if (made >= 0 && xtr_map_put(&m->nodes, parent, name, (uint32_t)made))
		return -ENOMEM;
	return made;
}

/* Calls of a CPU lie under the CPU, those of threads under the root. */
static int64_t root_of(struct call_map *m, const struct xtr_call *c)
{
	char text[32];
	int64_t name;

	if (!c->on_cpu)
		return MAP_ROOT;
	snprintf(text, sizeof(text), "CPU %" PRIu32, c->stream);
	name = intern(m, XTR_CALL_KIND_COUNT, "", text);
	return name < 0 ? name : child(m, MAP_ROOT, (uint32_t)name);
}

/* Also notes the rows of the tasks on the way. */
int64_t map_node_of(struct call_map *m, const struct xtr_call *c)
{
	const struct xtr_call *path[MAP_DEPTH_MAX];
	bool function = c->on_cpu;
	size_t n = 0;
	int64_t node, name;

	for (; c && n < MAP_DEPTH_MAX; c = c->outer)
		path[n++] = c;
	m->n_around = 0;
	m->own = MAP_NO;
	node = root_of(m, path[n - 1]);
	while (node >= 0 && n) {
		c = path[--n];
		if (m->own != MAP_NO)
			m->around[m->n_around++] = m->own;
		name = map_name_of(m, c);
		if (name < 0)
			return name;
		m->own = m->api || !function ? m->name[name].row : MAP_NO;
		function |= c->kind == XTR_CALL_FUNCTION;
		m->parent = (uint32_t)node;
		node = child(m, (uint32_t)node, (uint32_t)name);
	}
	return node;
}

int map_path_init(struct call_map *m)
{
	if (add_name(m, XTR_CALL_KIND_COUNT, "", "(other)") < 0 ||
	    add_node(m, MAP_ROOT, OTHER_NAME) < 0)
		return -ENOMEM;
	return 0;
}
