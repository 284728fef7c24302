/* SPDX-License-Identifier: BSD-2-Clause */
/* META's config: what the trace was recorded with, numbers and texts by name. */
#include "meta_priv.h"
#include "base/buf.h"
#include "cbor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACED (1ull << 63) /* in a place of by_key, while the entries are put in order */

void xtr_config_free(struct xtr_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].key);
		free(c->v[i].str);
	}
	free(c->v);
	xtr_map_free(&c->by_key);
	free(c);
}

/* The entry of a key, or NULL; *k becomes the first place with its hash that is free. */
static struct xtr_config_entry *find(const struct xtr_config *c, const char *key, uint64_t hash,
				     uint64_t *k)
{
	const uint64_t *i;

	for (*k = 0; c && (i = xtr_map_get(&c->by_key, hash, *k)); ++*k)
		if (!strcmp(c->v[*i].key, key))
			return &c->v[*i];
	return NULL;
}

static uint64_t hash_of(const char *key)
{
	return xtr_hash_bytes(key, strlen(key));
}

/* A new entry behind the others. NULL: no memory. */
static struct xtr_config_entry *append(struct xtr_config *c, const char *key, uint64_t hash,
				       uint64_t k)
{
	char *copy = strdup(key);

	if (!copy || xtr_grow_array(&c->v, &c->cap, c->n + 1, sizeof(*c->v)) ||
	    xtr_map_put(&c->by_key, hash, k, c->n)) {
		free(copy);
		return NULL;
	}
	if (c->n && xtr_enc_key_cmp(c->v[c->n - 1].key, key) > 0)
		c->unsorted = true;
	c->v[c->n] = (struct xtr_config_entry){ .key = copy };
	return &c->v[c->n++];
}

/* The entry of a key, made if it is new; NULL: no memory. */
static struct xtr_config_entry *entry(struct xtr_meta *m, const char *key)
{
	uint64_t hash = hash_of(key), k;
	struct xtr_config_entry *e;

	if (!m->config)
		m->config = calloc(1, sizeof(*m->config));
	if (!m->config)
		return NULL;
	e = find(m->config, key, hash, &k);
	return e ? e : append(m->config, key, hash, k);
}

static int by_key(const void *pa, const void *pb)
{
	const struct xtr_config_entry *a = pa, *b = pb;

	return xtr_enc_key_cmp(a->key, b->key);
}

void xtr_config_sort(struct xtr_config *c)
{
	if (!c || !c->unsorted)
		return;
	qsort(c->v, c->n, sizeof(*c->v), by_key);
	c->unsorted = false;
	/* An entry is found at any of the places of its hash: give them out anew. */
	for (size_t i = 0; i < c->n; i++) {
		uint64_t hash = hash_of(c->v[i].key), k = 0;

		while (*xtr_map_get(&c->by_key, hash, k) & PLACED)
			k++;
		*xtr_map_get(&c->by_key, hash, k) = i | PLACED;
	}
	for (size_t i = 0; c->by_key.slot && i <= c->by_key.mask; i++)
		c->by_key.slot[i].value &= ~PLACED;
}

int xtr_meta_set_config_u64(struct xtr_meta *m, const char *key, uint64_t value)
{
	struct xtr_config_entry *e = entry(m, key);

	if (!e)
		return -ENOMEM;
	free(e->str);
	e->str = NULL;
	e->num = value;
	return 0;
}

int xtr_meta_set_config_str(struct xtr_meta *m, const char *key, const char *value)
{
	struct xtr_config_entry *e = entry(m, key);
	char *copy = e ? strdup(value) : NULL;

	if (!copy)
		return -ENOMEM;
	free(e->str);
	e->str = copy;
	return 0;
}

bool xtr_meta_config(const struct xtr_meta *m, size_t i, const char **key, uint64_t *num,
		     const char **str)
{
	xtr_config_sort(m->config);
	if (!m->config || i >= m->config->n)
		return false;
	*key = m->config->v[i].key;
	*num = m->config->v[i].num;
	*str = m->config->v[i].str;
	return true;
}

static const struct xtr_config_entry *find_config(const struct xtr_meta *m, const char *key)
{
	uint64_t k;

	return find(m->config, key, hash_of(key), &k);
}

bool xtr_meta_config_u64(const struct xtr_meta *m, const char *key, uint64_t *num)
{
	const struct xtr_config_entry *e = find_config(m, key);

	*num = e && !e->str ? e->num : 0;
	return e && !e->str;
}

const char *xtr_meta_config_str(const struct xtr_meta *m, const char *key)
{
	const struct xtr_config_entry *e = find_config(m, key);

	return e ? e->str : NULL;
}

/* --- labels ----------------------------------------------------------------------------------- */

#define LABEL "label:"

bool xtr_label_key_is_right(const char *key, size_t n)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

	if (!n || n > XTR_LABEL_KEY_MAX || memchr("._-/", key[0], 4))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!memchr(letters, key[i], sizeof(letters) - 1))
			return false;
	return true;
}

bool xtr_label_value_is_right(const char *value)
{
	size_t n = strlen(value);

	if (n > XTR_LABEL_VALUE_MAX || !xtr_utf8_check((const uint8_t *)value, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)value[i] < ' ' || value[i] == 0x7f)
			return false;
	return true;
}

int xtr_meta_set_label(struct xtr_meta *m, const char *label)
{
	const size_t n = strcspn(label, "=");
	char key[sizeof(LABEL) + XTR_LABEL_KEY_MAX];

	if (n > XTR_LABEL_KEY_MAX || !label[n])
		return -EINVAL;
	snprintf(key, sizeof(key), LABEL "%.*s", (int)n, label);
	return xtr_meta_set_config_str(m, key, label + n + 1);
}

/* *at counts the entries of config, which is in order of the keys' lengths. */
bool xtr_meta_next_label(const struct xtr_meta *m, size_t *at, const char **key, const char **value)
{
	const size_t prefix = strlen(LABEL);

	xtr_config_sort(m->config);
	while (m->config && *at < m->config->n) {
		const struct xtr_config_entry *e = &m->config->v[(*at)++];

		if (!e->str || strncmp(e->key, LABEL, prefix) != 0)
			continue;
		*key = e->key + prefix;
		*value = e->str;
		return true;
	}
	return false;
}
