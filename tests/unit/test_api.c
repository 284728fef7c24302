/* SPDX-License-Identifier: BSD-2-Clause */
/* From what -e says to functions of libraries, and the tables of the programming interfaces. */
#include "recorder/groups/api.h"

#include "elf_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define F(name, at)                                          \
	{                                                    \
		name, ELF_IMAGE_CODE + (at), 16, STT_FUNC, 1 \
	}

static const struct elf_image_symbol loader[] = {
	F("zeInit", 0),
	F("zeMemAllocDevice", 0x10),
	F("zeMemAllocHost", 0x20),
	F("zeMemAllocHost_alias", 0x20),
	F("zeDriverGet", 0x30),
	{ "zeFenceCreate", ELF_IMAGE_CODE + 0x40, 16, STT_GNU_IFUNC, 1 },
	{ 0 },
};

static const struct elf_image_symbol driver[] = {
	F("zeGetMemProcAddrTable", 0),
	{ 0 },
};

static char dir[64];
static const char *const no_dirs[] = { NULL };
static struct xtr_library_places places = {
	.ld_library_path = ".", .cache = "/nonexistent", .dirs = no_dirs, .proc = "/nonexistent"
};

static void put_library(const char *path, const char *soname, const struct elf_image_symbol *list)
{
	size_t n;
	uint8_t *bytes = elf_image(soname, list, NULL, &n);
	FILE *f = fopen(path, "w");

	cr_assert(f != NULL);
	cr_assert(eq(sz, fwrite(bytes, 1, n, f), n));
	fclose(f);
	free(bytes);
}

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/xtr-api-XXXXXX");
	cr_assert(mkdtemp(dir) != NULL);
	cr_assert(zero(int, chdir(dir)));
	put_library("libze_loader.so.1", "libze_loader.so.1", loader);
	put_library("libze_intel_npu.so.1", "libze_intel_npu.so.1", driver);
}

static void tear_down(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_assert(zero(int, chdir("/")));
	cr_assert(zero(int, system(command)));
}

TestSuite(api, .init = set_up, .fini = tear_down);

static struct xtr_api choose(const char *a, const char *b)
{
	const char *patterns[] = { a, b };
	struct xtr_api api;

	cr_assert(zero(int, xtr_api_select(&api, patterns, b ? 2 : 1, &places)));
	return api;
}

static const struct xtr_api_probe *probe(const struct xtr_api *api, const char *name)
{
	for (size_t i = 0; i < api->n_probes; i++) {
		if (strcmp(api->probes[i].name, name) == 0)
			return &api->probes[i];
	}
	return NULL;
}

Test(api, forms)
{
	cr_expect(xtr_api_valid("api:libx.so.1:f*"));
	cr_expect(xtr_api_valid("api:libx.so.1:f*:noret"));
	cr_expect(xtr_api_valid("api:/opt/prog:main"));
	cr_expect(xtr_api_valid("api:level-zero"));
	cr_expect(xtr_api_valid("api:level-zero:noret"));
	cr_expect(xtr_api_valid("api:cuda:cuMem*"));
	cr_expect(not(xtr_api_valid("api:")));
	cr_expect(not(xtr_api_valid("api:libx.so.1")));
	cr_expect(not(xtr_api_valid("api:libx.so.1:")));
	cr_expect(not(xtr_api_valid("api::f")));
	cr_expect(not(xtr_api_valid("api:a:b:c")));
	cr_expect(not(xtr_api_valid("apis:a:b")));
}

Test(api, functions_of_a_library)
{
	struct xtr_api a = choose("api:libze_loader.so:zeMem*", NULL);
	const struct xtr_api_probe *p = probe(&a, "api:libze_loader.so.1:zeMemAllocHost");

	cr_expect(eq(sz, a.n_probes, 2), "one address has one name");
	cr_assert(p != NULL);
	cr_expect(p->ret);
	cr_assert(eq(sz, p->n_places, 1));
	cr_expect(eq(u64, p->places[0].offset, ELF_IMAGE_OFFSET + 0x20));
	cr_expect(eq(str, (char *)p->function, "zeMemAllocHost"));
	cr_expect(eq(int, p->row->capture[0].arg, 2));
	cr_expect(eq(sz, a.n_problems, 0));
	xtr_api_free(&a);
}

Test(api, the_first_name_of_an_address_is_kept_and_returns_are_added)
{
	struct xtr_api a = choose("api:libze_loader.so.1:*_alias:noret",
				  "api:./libze_loader.so.1:zeMemAlloc*");
	const struct xtr_api_probe *p = probe(&a, "api:libze_loader.so.1:zeMemAllocHost_alias");

	cr_expect(eq(sz, a.n_probes, 2));
	cr_assert(p != NULL);
	cr_expect(p->ret);
	xtr_api_free(&a);
}

Test(api, a_group_has_its_functions)
{
	struct xtr_api a = choose("api:level-zero:noret", NULL);

	cr_expect(eq(sz, a.n_probes, 3), "zeDriverGet is not of the group");
	cr_expect(probe(&a, "api:libze_loader.so.1:zeInit") != NULL);
	for (size_t i = 0; i < a.n_probes; i++)
		cr_expect(not(a.probes[i].ret));
	cr_assert(eq(sz, a.n_problems, 1));
	cr_expect(strstr(a.problems[0].why, "left out: 1 chosen when") != NULL, "%s",
		  a.problems[0].why);
	xtr_api_free(&a);
}

Test(api, files_of_one_name_are_places_of_one_function)
{
	struct xtr_api a;

	mkdir("sub", 0700);
	put_library("sub/libze_loader.so.1", "libze_loader.so.1", loader);
	a = choose("api:libze_loader.so.1:zeInit", "api:./sub/libze_loader.so.1:zeInit");
	cr_assert(eq(sz, a.n_probes, 1));
	cr_expect(eq(sz, a.probes[0].n_places, 2));
	xtr_api_free(&a);
}

Test(api, what_is_missing_is_said)
{
	struct xtr_api a =
		choose("api:libze_intel_npu.so.1:zeCommandQueue*", "api:libnothing.so.3:f");

	cr_expect(eq(sz, a.n_probes, 0));
	cr_assert(eq(sz, a.n_problems, 2));
	cr_expect(eq(str, a.problems[0].name, "api:libze_intel_npu.so.1:zeCommandQueue*"));
	cr_expect(eq(str, a.problems[0].why,
		     "./libze_intel_npu.so.1: exports no function that matches "
		     "'zeCommandQueue*'; the loader libze_loader.so.1 does"));
	cr_expect(strstr(a.problems[1].why, "libnothing.so.3: not found in LD_LIBRARY_PATH") ==
			  a.problems[1].why,
		  "%s", a.problems[1].why);
	xtr_api_free(&a);
	a = choose("api:hip", NULL);
	cr_expect(eq(sz, a.n_problems, 1), "one line for all its versions");
	xtr_api_free(&a);
}

Test(api, rows_of_the_tables_are_sound)
{
	for (const struct xtr_api_group *g = xtr_api_groups; g->name; g++) {
		for (const struct xtr_api_row *r = g->rows; r->glob; r++) {
			cr_assert(r->ret != NULL, "%s", r->glob);
			for (uint32_t i = 1; i < r->ret->n_names; i++)
				cr_expect(r->ret->names[i - 1].value < r->ret->names[i].value, "%s",
					  r->ret->names[i].name);
			for (int i = 0; i < XTR_API_CAPTURES && r->capture[i].name; i++) {
				cr_expect(le(int, r->capture[i].arg, 5), "%s", r->glob);
				cr_expect(xtr_repr_width(r->capture[i].repr) != 0);
			}
		}
	}
}

Test(api, rows_are_found_by_function)
{
	cr_expect(eq(int, xtr_api_row("zeMemAllocShared")->capture[0].arg, 3));
	cr_expect(eq(int, xtr_api_row("zeFenceHostSynchronize")->ret->repr, XTR_REPR_HEX32));
	cr_expect(eq(str, (char *)xtr_api_row("cuMemAlloc_v2")->capture[0].name, "size"));
	cr_expect(xtr_api_row("cuMemAllocPitch_v2")->capture[1].name != NULL);
	cr_expect(eq(int, xtr_api_row("cuMemcpyHtoD_v2")->capture[0].arg, 2));
	cr_expect(eq(int, xtr_api_row("clSVMFree")->ret->repr, XTR_REPR_COUNT));
	cr_expect(eq(int, xtr_api_row("clCreateContext")->ret->repr, XTR_REPR_HEX64));
	cr_expect(eq(int, xtr_api_row("vkAllocateMemory")->capture[0].at, 16));
	cr_expect(eq(int, xtr_api_row("vkFreeMemory")->ret->repr, XTR_REPR_COUNT));
	cr_expect(eq(int, xtr_api_row("my_function")->ret->repr, XTR_REPR_HEX64));
}
