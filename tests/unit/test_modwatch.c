/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/attach/modwatch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/xtr-test-modwatch.XXXXXX";
static char stays[64], goes[64], comes[64];
static struct xtr_probe probes[6];
static struct xtr_probe *list[6];
static struct xtr_selection sel = { .probes = list, .n_probes = 6 };

static void set_up(void)
{
	static char *names[] = { "stays", "goes", "again", "goes", NULL, "never" };

	cr_assert(ne(ptr, mkdtemp(root), NULL));
	snprintf(stays, sizeof(stays), "%s/stays", root);
	snprintf(goes, sizeof(goes), "%s/goes", root);
	snprintf(comes, sizeof(comes), "%s/again", root);
	for (int i = 0; i < 6; i++) {
		list[i] = &probes[i];
		probes[i].kind = XTR_PROBE_FUNC;
		probes[i].state = XTR_PROVIDER_ATTACHED;
		probes[i].module = names[i];
	}
	mkdir(stays, 0700);
	mkdir(goes, 0700);
	mkdir(comes, 0700);
}

static void tear_down(void)
{
	rmdir(stays);
	rmdir(goes);
	rmdir(comes);
	rmdir(root);
}

TestSuite(modwatch, .init = set_up, .fini = tear_down);

Test(modwatch, says_which_modules_went_or_were_loaded_again)
{
	struct xtr_modwatch w;
	char other[64];

	cr_assert(zero(int, xtr_modwatch_begin(&w, &sel, root)));
	xtr_modwatch_end(&w, root);
	cr_assert(eq(ptr, (void *)xtr_modwatch_gone(&w, 0), NULL));
	rmdir(goes);
	snprintf(other, sizeof(other), "%s/other", root);
	mkdir(other, 0700); /* before the old one goes, so that it has another inode */
	rmdir(comes);
	cr_assert(zero(int, rename(other, comes)));
	xtr_modwatch_end(&w, root);
	cr_assert(eq(str, (char *)xtr_modwatch_gone(&w, 0), "goes"));
	cr_assert(eq(str, (char *)xtr_modwatch_gone(&w, 1), "again"));
	cr_assert(eq(ptr, (void *)xtr_modwatch_gone(&w, 2), NULL));
	xtr_modwatch_free(&w);
}

Test(modwatch, functions_that_are_not_attached_do_not_count)
{
	struct xtr_modwatch w;

	probes[1].state = probes[3].state = XTR_PROVIDER_REFUSED;
	probes[2].kind = XTR_PROBE_API;
	cr_assert(zero(int, xtr_modwatch_begin(&w, &sel, root)));
	rmdir(goes);
	rmdir(comes);
	xtr_modwatch_end(&w, root);
	cr_assert(eq(ptr, (void *)xtr_modwatch_gone(&w, 0), NULL));
	xtr_modwatch_free(&w);
}

static const char *why_of(const struct xtr_meta *m, size_t i)
{
	const char *why = xtr_meta_provider(m, i)->why;

	return why ? why : "";
}

Test(modwatch, functions_of_a_module_that_went_have_a_reason_in_the_file)
{
	struct xtr_provider p[] = {
		{ 0, "func:goes:f", "kprobe", "f", XTR_PROVIDER_ATTACHED, NULL, "goes" },
		{ 1, "func:goes:g", "kprobe.multi", "g", XTR_PROVIDER_ATTACHED, "skips", "goes" },
		{ 2, "goes:event", "tp", "event", XTR_PROVIDER_ATTACHED, NULL, "goes" },
		{ 3, "func:goes:h", "kprobe", "h", XTR_PROVIDER_REFUSED, "no", "goes" },
		{ 4, "func:stays:f", "kprobe", "f", XTR_PROVIDER_ATTACHED, NULL, "stays" },
		{ 5, "func:vmlinux:f", "kprobe", "f", XTR_PROVIDER_ATTACHED, NULL, NULL },
	};
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_modwatch w;

	for (size_t i = 0; i < 6; i++)
		cr_assert(zero(int, xtr_meta_add_provider(m, &p[i])));
	cr_assert(zero(int, xtr_modwatch_begin(&w, &sel, root)));
	rmdir(goes);
	xtr_modwatch_end(&w, root);
	cr_assert(zero(int, xtr_modwatch_note(&w, m)));
	cr_assert(eq(sz, xtr_meta_n_providers(m), 6));
	cr_assert(eq(ptr, strstr(why_of(m, 0), "the module was unloaded"), (char *)why_of(m, 0)));
	cr_assert(eq(ptr, strstr(why_of(m, 1), "skips; the module was unloaded"),
		     (char *)why_of(m, 1)));
	cr_assert(eq(str, (char *)why_of(m, 2), ""));
	cr_assert(eq(str, (char *)why_of(m, 3), "no"));
	cr_assert(eq(str, (char *)why_of(m, 4), ""));
	cr_assert(eq(str, (char *)why_of(m, 5), ""));
	xtr_modwatch_free(&w);
	xtr_meta_free(m);
}
