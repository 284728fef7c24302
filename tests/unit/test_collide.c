/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts with one hash. The seed is drawn for each process, so nobody who writes a file can choose
 * them; here it is known, and what is found by its text must be told apart all the same.
 */
#include "base/map.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#define N 4

/* Texts of 16 bytes without a zero: the second word takes back what the first one made of the
 * state, which is zero behind it whatever the first one was. */
static char text[N][17];

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 r = (unsigned __int128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static void make_texts(void)
{
	uint64_t seed[2], word;
	unsigned int n = 0;
	char first[9];

	memcpy(seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));
	for (unsigned int i = 0; n < N; i++) {
		snprintf(first, sizeof(first), "%08u", 90000000u - i);
		memcpy(&word, first, 8);
		word = fold(seed[0] ^ 16 ^ word, 0xa0761d6478bd642fu ^ seed[1]);
		memcpy(text[n], first, 8);
		memcpy(text[n] + 8, &word, 8);
		n += !memchr(text[n] + 8, 0, 8);
	}
	for (unsigned int i = 1; i < N; i++)
		cr_assert(eq(u64, xtr_hash_bytes(text[i], 16), xtr_hash_bytes(text[0], 16)));
}

Test(collide, strings, .init = make_texts)
{
	struct xtr_tables *t = xtr_tables_new();
	uint32_t id[N], again;

	for (unsigned int i = 0; i < N; i++)
		cr_assert(zero(int, xtr_tables_intern(t, text[i], 16, &id[i])));
	for (unsigned int i = 0; i < N; i++) {
		cr_assert(zero(int, xtr_tables_intern(t, text[i], 16, &again)));
		cr_expect(eq(u32, again, id[i]));
		cr_expect(eq(str, (char *)xtr_tables_string(t, id[i], NULL), text[i]));
		cr_expect(ne(u32, id[i], id[(i + 1) % N]));
	}
	xtr_tables_free(t);
}

/* In falling order of keys, so that sorting moves them. */
Test(collide, configuration, .init = make_texts)
{
	struct xtr_meta *m = xtr_meta_new();
	uint64_t value;

	for (unsigned int i = 0; i < N; i++)
		cr_assert(zero(int, xtr_meta_set_config_u64(m, text[i], i)));
	for (unsigned int sorted = 0; sorted < 2; sorted++) {
		for (unsigned int i = 0; i < N; i++) {
			cr_assert(xtr_meta_config_u64(m, text[i], &value));
			cr_expect(eq(u64, value, i));
		}
		xtr_meta_settle(m);
	}
	cr_assert(zero(int, xtr_meta_set_config_u64(m, text[2], 7)));
	cr_assert(xtr_meta_config_u64(m, text[2], &value));
	cr_expect(eq(u64, value, 7));
	cr_assert(xtr_meta_config_u64(m, text[3], &value));
	cr_expect(eq(u64, value, 3));
	xtr_meta_free(m);
}

Test(collide, devices, .init = make_texts)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_device d = { 0 };

	for (unsigned int i = 0; i < N; i++) {
		d.name = text[i];
		cr_assert(zero(int, xtr_meta_add_device(m, &d)));
	}
	d.name = text[1];
	cr_assert(zero(int, xtr_meta_add_device(m, &d)));
	cr_assert(eq(sz, xtr_meta_n_devices(m), N), "the same one again");
	for (unsigned int i = 0; i < N; i++)
		cr_expect(eq(str, (char *)xtr_meta_device(m, i)->name, text[i]));
	xtr_meta_free(m);
}
