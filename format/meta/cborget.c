// SPDX-License-Identifier: BSD-2-Clause
#include "cborget.h"
#include "cborcheck.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_cbor_broken(enum xtr_problem_code grammar, struct xtr_err *err)
{
	*err = (struct xtr_err){ .code = -EBADMSG, .problem = grammar };
	return -EBADMSG;
}

bool xtr_cbor_is_map(const cbor_item_t *item)
{
	return item && cbor_isa_map(item);
}

bool xtr_cbor_is_text_map(const cbor_item_t *item)
{
	const struct cbor_pair *pairs;

	if (!xtr_cbor_is_map(item))
		return false;
	pairs = cbor_map_handle(item);
	for (size_t i = 0; i < cbor_map_size(item); i++)
		if (!cbor_isa_string(pairs[i].key))
			return false;
	return true;
}

int xtr_cbor_load(const uint8_t *buf, size_t n, enum xtr_problem_code grammar, cbor_item_t **item,
		  struct xtr_err *err)
{
	struct cbor_load_result result;
	size_t bad;

	if (!xtr_cbor_check(buf, n, &bad)) {
		xtr_cbor_broken(XTR_P_CBOR, err);
		err->offset = bad;
		return -EBADMSG;
	}
	*item = cbor_load(buf, n, &result);
	if (!*item) /* the bytes are right, so it can only be memory */
		return -ENOMEM;
	if (xtr_cbor_is_text_map(*item))
		return 0;
	cbor_decref(item);
	return xtr_cbor_broken(grammar, err);
}

bool xtr_cbor_key_is(const cbor_item_t *key, const char *text)
{
	size_t n = strlen(text);

	return cbor_isa_string(key) && cbor_string_length(key) == n &&
	       !memcmp(cbor_string_handle(key), text, n);
}

cbor_item_t *xtr_cbor_key(const cbor_item_t *map, const char *key)
{
	const struct cbor_pair *pairs = cbor_map_handle(map);

	for (size_t i = 0; i < cbor_map_size(map); i++)
		if (xtr_cbor_key_is(pairs[i].key, key))
			return pairs[i].value;
	return NULL;
}

bool xtr_cbor_u64(const cbor_item_t *item, uint64_t *v)
{
	if (!item || !cbor_isa_uint(item))
		return false;
	*v = cbor_get_int(item);
	return true;
}

static bool in_range(const cbor_item_t *item, uint64_t least, uint64_t most, uint32_t *v)
{
	uint64_t u;

	if (!xtr_cbor_u64(item, &u) || u < least || u > most)
		return false;
	*v = (uint32_t)u;
	return true;
}

bool xtr_cbor_u32(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 0, UINT32_MAX, v);
}

bool xtr_cbor_u16(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 0, UINT16_MAX, v);
}

bool xtr_cbor_id(const cbor_item_t *item, uint32_t *v)
{
	return in_range(item, 1, UINT32_MAX, v);
}

bool xtr_cbor_is_text(const cbor_item_t *item)
{
	return item && cbor_isa_string(item);
}

char *xtr_cbor_strdup(const cbor_item_t *item)
{
	size_t n = cbor_string_length(item);
	char *s = malloc(n + 1);

	if (!s)
		return NULL;
	if (n)
		memcpy(s, cbor_string_handle(item), n);
	s[n] = '\0';
	return s;
}

cbor_item_t **xtr_cbor_array(const cbor_item_t *item, size_t least, size_t *n)
{
	static cbor_item_t *none[1];

	if (!item || !cbor_isa_array(item))
		return NULL;
	*n = cbor_array_size(item);
	if (*n < least)
		return NULL;
	return *n ? cbor_array_handle(item) : none;
}

bool xtr_cbor_string(const cbor_item_t *item, const uint8_t **p, size_t *n)
{
	static const uint8_t none[1];

	if (item && cbor_isa_string(item)) {
		*p = cbor_string_handle(item);
		*n = cbor_string_length(item);
	} else if (item && cbor_isa_bytestring(item)) {
		*p = cbor_bytestring_handle(item);
		*n = cbor_bytestring_length(item);
	} else {
		return false;
	}
	if (!*n)
		*p = none;
	return true;
}
