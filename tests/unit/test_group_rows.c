/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of functions of the groups: what must hold of every row. */
#include "recorder/groups/group_row.h"
#include "recorder/groups/groups.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ctype.h>
#include <string.h>

#define MODULE_LEN 64 /* bytes of a module's name, kernel/module.h: MODULE_NAME_LEN is less */
#define SYMBOL_LEN 128
#define IOCTL_DATA 56 /* bytes of the largest structure of the drivers' ioctls */

static bool is_name(const char *s, size_t max)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789");

	return n > 0 && n < max && !s[n] && !isdigit((unsigned char)s[0]);
}

static void check_table(const struct xtr_group_probe *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct xtr_group_probe *a = &rows[i];

		cr_expect(is_name(a->purpose, 32), "%s", a->purpose);
		cr_expect(is_name(a->module, MODULE_LEN), "%s: %s", a->purpose, a->module);
		cr_expect(a->candidates[0] != NULL, "%s", a->purpose);
		for (size_t k = 0; k < XTR_CANDIDATES && a->candidates[k]; k++)
			cr_expect(is_name(a->candidates[k], SYMBOL_LEN), "%s: candidate %zu",
				  a->purpose, k);
		for (size_t j = 0; j < i; j++) {
			const struct xtr_group_probe *b = &rows[j];

			cr_expect(ne(str, (char *)a->purpose, (char *)b->purpose));
			for (size_t k = 0; k < XTR_CANDIDATES * XTR_CANDIDATES; k++) {
				const char *x = a->candidates[k / XTR_CANDIDATES],
					   *y = b->candidates[k % XTR_CANDIDATES];

				if (x && y)
					cr_expect(ne(str, (char *)x, (char *)y));
			}
		}
	}
}

static void check_capture(const char *purpose, const struct xtr_group_capture *c)
{
	uint32_t width = xtr_repr_width(c->repr);
	bool both = c->argument && c->number, half = !c->structure != !c->member;
	bool fixed = c->deref && !c->member;

	cr_expect(is_name(c->name, 32), "%s: %s", purpose, c->name);
	cr_expect(width == 4 || width == 8, "%s: %s", purpose, c->name);
	cr_expect(lt(int, c->number, 6), "%s: %s: only arguments in registers", purpose, c->name);
	cr_expect(not(both), "%s: %s: by name or by number", purpose, c->name);
	cr_expect(not(half), "%s: %s", purpose, c->name);
	if (c->member)
		cr_expect(c->deref && c->offset == 0, "%s: %s", purpose, c->name);
	if (c->user)
		cr_expect(c->deref && fixed, "%s: %s", purpose, c->name);
	if (fixed && !c->user)
		cr_expect(c->offset % width == 0 && c->offset + width <= IOCTL_DATA, "%s: %s",
			  purpose, c->name);
	/* A value that is not pointed to cannot have changed by the time of the return. */
	if (c->at_ret)
		cr_expect(c->deref, "%s: %s", purpose, c->name);
}

static bool meets(const struct xtr_group_capture *a, const struct xtr_group_capture *b)
{
	return !a->only || !b->only || strcmp(a->only, b->only) == 0;
}

static void check_captures(const struct xtr_group_probe *row)
{
	const struct xtr_group_capture *c = row->captures;

	for (size_t k = 0; k < XTR_GROUP_CAPTURES && c[k].name; k++) {
		bool known = !c[k].only;

		check_capture(row->purpose, &c[k]);
		cr_expect(ne(str, (char *)c[k].name, "ret"));
		cr_expect(ne(str, (char *)c[k].name, "context"));
		for (size_t j = 0; j < XTR_CANDIDATES && row->candidates[j] && !known; j++)
			known = strcmp(row->candidates[j], c[k].only) == 0;
		cr_expect(known, "%s: %s of %s", row->purpose, c[k].name, c[k].only);
		for (size_t j = 0; j < k; j++) {
			if (meets(&c[j], &c[k]) && c[j].at_ret == c[k].at_ret)
				cr_expect(ne(str, (char *)c[j].name, (char *)c[k].name), "%s twice",
					  row->purpose);
		}
	}
}

Test(group_rows, have_one_row_per_purpose_and_function)
{
	for (size_t i = 0; i < xtr_n_groups; i++)
		check_table(xtr_groups[i].probes, xtr_group_n_probes(&xtr_groups[i]));
}

Test(group_rows, capture_what_can_be_captured_and_no_field_twice)
{
	size_t rows = 0;

	for (size_t i = 0; i < xtr_n_groups; i++) {
		for (size_t k = 0; k < xtr_group_n_probes(&xtr_groups[i]); k++, rows++)
			check_captures(&xtr_groups[i].probes[k]);
	}
	cr_expect(gt(sz, rows, 80));
}

/* A group never records what another driver's group is for. */
Test(group_rows, are_of_the_group_s_module_or_of_helpers)
{
	static const char *const helpers[] = { "drm", "drm_shmem_helper" };

	for (size_t i = 0; i < xtr_n_groups; i++) {
		for (size_t k = 0; k < xtr_group_n_probes(&xtr_groups[i]); k++) {
			const struct xtr_group_probe *row = &xtr_groups[i].probes[k];
			bool ok = strcmp(row->module, xtr_groups[i].module) == 0;

			for (size_t j = 0; j < sizeof(helpers) / sizeof(*helpers); j++)
				ok |= strcmp(row->module, helpers[j]) == 0;
			cr_expect(ok, "%s: %s", xtr_groups[i].name, row->module);
		}
	}
}

static const struct xtr_group_probe *row_of(const char *group, const char *purpose)
{
	const struct xtr_group *g = xtr_group_find(group);

	for (size_t i = 0; i < xtr_group_n_probes(g); i++) {
		if (strcmp(g->probes[i].purpose, purpose) == 0)
			return &g->probes[i];
	}
	cr_assert(false, "no %s in %s", purpose, group);
	return NULL;
}

/* Which argument each candidate's fields come from, by the module's sources. */
Test(group_rows, of_the_nvidia_ioctl_follow_the_candidate)
{
	static const struct {
		const char *function;
		uint8_t file;
	} rows[] = { { "nvidia_unlocked_ioctl", 0 },
		     { "nvidia_frontend_unlocked_ioctl", 0 },
		     { "nvidia_ioctl", 1 } };
	const struct xtr_group_probe *row = row_of("nvidia", "ioctl");

	cr_expect(strcmp(row->key, "cmd") == 0);
	cr_expect(row->sub[0].nr == 0x2a && strcmp(row->sub[0].by, "arg_cmd") == 0);
	cr_expect(row->sub[1].nr == 0x2b && strcmp(row->sub[1].by, "arg_class") == 0);
	for (size_t i = 0; i < 3; i++) {
		const struct xtr_group_capture *c = &row->captures[4 * i];

		cr_expect(eq(str, (char *)row->candidates[i], (char *)rows[i].function));
		for (int k = 0; k < 4; k++)
			cr_expect(eq(str, (char *)c[k].only, (char *)rows[i].function));
		cr_expect(strcmp(c[0].name, "file") == 0 && c[0].number == rows[i].file);
		cr_expect(c[0].sens == XTR_SENS_KPTR);
		cr_expect(strcmp(c[1].name, "cmd") == 0 && c[1].number == rows[i].file + 1);
		cr_expect(strcmp(c[2].name, "arg_cmd") == 0 && c[2].offset == 8 && c[2].user);
		cr_expect(strcmp(c[3].name, "arg_class") == 0 && c[3].offset == 12 && c[3].user);
		cr_expect(c[2].number == rows[i].file + 2 && c[3].number == rows[i].file + 2);
	}
}
