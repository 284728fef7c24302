/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of groups, and what a selection makes of it. */
#include "recorder/host/bpfdefs.h"
#include "recorder/groups/groups.h"
#include "recorder/groups/hooks.h"
#include "recorder/host/kallsyms.h"
#include "recorder/groups/select.h"
#include "recorder/host/tracefs.h"

#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Test(groups, have_names_of_their_own_that_no_event_has)
{
	for (size_t i = 0; i < xtr_n_groups; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		cr_expect(ne(str, (char *)g->name, "default"));
		cr_expect(eq(ptr, (void *)xtr_group_find(g->name), (void *)g), "%s", g->name);
		cr_expect(g->help && g->help[0] && g->help[strlen(g->help) - 1] != '.', "%s",
			  g->name);
		for (size_t j = 0; j < xtr_n_hooks; j++)
			cr_expect(not(xtr_hook_matches(&xtr_hooks[j], g->name)), "%s", g->name);
	}
	cr_expect(eq(ptr, (void *)xtr_group_find("np"), NULL));
	cr_expect(eq(ptr, (void *)xtr_group_find("npu*"), NULL));
}

Test(groups, name_only_hooks_that_exist)
{
	for (size_t i = 0; i < xtr_n_groups; i++) {
		for (size_t k = 0; k < XTR_GROUP_HOOKS && xtr_groups[i].hooks[k]; k++) {
			bool any = false;

			for (size_t j = 0; j < xtr_n_hooks; j++)
				any |= xtr_hook_matches(&xtr_hooks[j], xtr_groups[i].hooks[k]);
			cr_expect(any, "%s: %s", xtr_groups[i].name, xtr_groups[i].hooks[k]);
		}
	}
}

Test(groups, that_limit_fences_fit_together)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_n_groups; i++) {
		for (size_t k = 0; k < XTR_GROUP_FENCES; k++)
			n += xtr_groups[i].init[k].symbol != NULL;
	}
	cr_expect(le(sz, n, XTR_INIT_OPS));
}

static void select_events(struct xtr_selection *s, const char *a, const char *b)
{
	const char *events[] = { a, b };
	struct xtr_record_err err = { 0 };

	cr_assert(zero(int, xtr_select(s, events, b ? 2 : 1, false, &err)), "%s", err.what);
}

Test(groups, gpu_is_the_scheduler_and_three_fence_events)
{
	struct xtr_selection s;

	select_events(&s, "gpu", NULL);
	for (uint32_t i = 0; i < XTR_SLOT_GENERIC; i++) {
		bool wanted = (i >= XTR_EV_JOB_QUEUE && i <= XTR_EV_JOB_UNSCHEDULABLE) ||
			      i == XTR_EV_FENCE_SIGNALED || i == XTR_EV_FENCE_WAIT_START ||
			      i == XTR_EV_FENCE_WAIT_END;

		cr_expect(eq(int, s.types[i], wanted), "type %u", i);
	}
	cr_expect(zero(sz, s.n_generics));
	cr_expect(zero(sz, s.n_unknown));
	cr_expect(not(s.init_all));
	xtr_selection_free(&s);
}

Test(groups, add_up_with_events)
{
	struct xtr_selection s;

	select_events(&s, "gpu", "dma_fence:dma_fence_init");
	cr_expect(s.types[XTR_EV_JOB_RUN] && s.types[XTR_EV_FENCE_INIT]);
	cr_expect(s.init_all, "asked for by name: of all drivers");
	cr_expect(zero(sz, s.n_init_ops));
	xtr_selection_free(&s);
}

Test(groups, of_a_driver_that_is_not_there_are_an_error_that_names_it)
{
	const char *events[] = { "gpu", "npu" };
	struct xtr_record_err err = { 0 };
	struct xtr_selection s;

	if (xtr_module_loaded("intel_vpu"))
		cr_skip("this machine has an Intel NPU");
	cr_expect(eq(int, xtr_select(&s, events, 2, false, &err), -ENODEV));
	cr_expect(eq(int, err.kind, XTR_FAIL_MACHINE));
	cr_expect(strstr(err.what, "'npu'") && strstr(err.what, "intel_vpu"), "%s", err.what);
	cr_expect(err.hint[0] != 0);
}

static const char *symbols(const char *text)
{
	static char path[] = "/tmp/xtr-kallsyms-XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	return path;
}

Test(groups, find_the_address_of_a_symbol_of_a_module)
{
	const char *path = symbols("ffffffff81000000 T ivpu_fence_ops\n"
				   "ffffffffc0000100 r xivpu_fence_ops\t[intel_vpu]\n"
				   "ffffffffc0000200 r ivpu_fence_ops\t[other]\n"
				   "ffffffffc0000300 r ivpu_fence_ops\t[intel_vpu]\n"
				   "0000000000000000 r hidden\t[intel_vpu]\n");

	cr_expect(eq(u64, xtr_kallsyms_address(path, "intel_vpu", "ivpu_fence_ops"),
		     0xffffffffc0000300));
	cr_expect(eq(u64, xtr_kallsyms_address(path, NULL, "ivpu_fence_ops"), 0xffffffff81000000));
	cr_expect(zero(u64, xtr_kallsyms_address(path, "intel_vpu", "hidden")));
	cr_expect(zero(u64, xtr_kallsyms_address(path, "intel_vpu", "ivpu_fence")));
	cr_expect(zero(u64, xtr_kallsyms_address("/nonexistent", "intel_vpu", "hidden")));
	unlink(path);
}

/* Where the format files are: of two kernels, and of drivers that these do not have; and systems of
 * which none are: out of the tree, or not worth their room. */
static const char *const folders[] = { "tests/data/tracefs/6.1", "tests/data/tracefs/7.2",
				       "tests/drivers/formats" };
static const char *const elsewhere[] = { "amdgpu_dm", "nvidia", "nvswitch", "amdxdna_trace" };

static bool in_a_kernel(const char *event)
{
	char path[256];
	glob_t g;
	bool any = false;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], event);
		*strrchr(path, ':') = '/';
		any |= glob(path, 0, NULL, &g) == 0;
		globfree(&g);
	}
	return any;
}

static bool is_elsewhere(const char *event)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++) {
		size_t n = strlen(elsewhere[i]);

		if (strncmp(event, elsewhere[i], n) == 0 && event[n] == ':')
			return true;
	}
	return false;
}

Test(groups, name_tracepoints_that_a_kernel_has_or_say_why_not)
{
	for (size_t i = 0; i < xtr_n_groups; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		for (const struct xtr_group_event *e = g->events; e && e->name; e++) {
			bool here = in_a_kernel(e->name);

			cr_expect(here || e->absent || is_elsewhere(e->name), "%s: %s", g->name,
				  e->name);
			cr_expect(not(xtr_group_leaves_out(g, e->name)), "%s: %s", g->name,
				  e->name);
			cr_expect(xtr_group_event_why(e)[0] != 0);
			for (const struct xtr_group_event *f = g->events; f != e; f++)
				cr_expect(ne(str, (char *)e->name, (char *)f->name));
		}
	}
}

static bool in_a_group(const char *event)
{
	for (size_t i = 0; i < xtr_n_groups; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		for (const struct xtr_group_event *e = g->events; e && e->name; e++) {
			if (fnmatch(e->name, event, 0) == 0 && !xtr_group_leaves_out(g, event))
				return true;
		}
	}
	return false;
}

/* Those that are in no group on purpose. */
static bool is_noise(const char *event)
{
	static const char *const noise[] = { "xe:xe_hw_fence_try_signal",
					     "drm_msm_gpu:msm_gpu_regaccess" };

	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		if (strcmp(noise[i], event) == 0)
			return true;
	}
	return false;
}

/* What is in the format files of a driver's system belongs to one of its groups. */
Test(groups, leave_no_tracepoint_of_a_driver_out_but_the_noise)
{
	static const char *const systems[] = {
		"tests/data/tracefs/7.2/amdgpu", "tests/data/tracefs/7.2/i915",
		"tests/data/tracefs/7.2/xe",     "tests/data/tracefs/7.2/amdxdna",
		"tests/data/tracefs/7.2/vpu",    "tests/data/tracefs/7.2/virtio_gpu",
		"tests/drivers/formats/radeon",  "tests/drivers/formats/drm_msm_gpu",
		"tests/drivers/formats/v3d",     "tests/drivers/formats/vc4",
		"tests/drivers/formats/lima",    "tests/drivers/formats/panthor",
		"tests/drivers/formats/pvr",     "tests/drivers/formats/host1x",
		"tests/drivers/formats/mali",    "tests/drivers/formats/gpu",
	};
	char pattern[128], name[256];
	glob_t files;

	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		snprintf(pattern, sizeof(pattern), "%s/*", systems[i]);
		cr_assert(zero(int, glob(pattern, 0, NULL, &files)), "%s", pattern);
		for (size_t k = 0; k < files.gl_pathc; k++) {
			snprintf(name, sizeof(name), "%s:%s", strrchr(systems[i], '/') + 1,
				 strrchr(files.gl_pathv[k], '/') + 1);
			cr_expect(eq(int, in_a_group(name), !is_noise(name)), "%s", name);
		}
		globfree(&files);
	}
}

/* Without a fence of its own that tells of them, a job has no end but those of the scheduler. */
Test(groups, of_drivers_have_the_ends_of_their_fences)
{
	static const char *const drivers[] = {
		"amdgpu",  "i915",    "xe",     "nouveau", "virtio_gpu", "radeon",  "msm",
		"kgsl",    "v3d",     "vc4",    "lima",    "panfrost",   "panthor", "mali",
		"powervr", "etnaviv", "host1x", "npu",     "amdxdna",    "rocket",  "ethosu"
	};
	bool types[XTR_SLOT_GENERIC];

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++) {
		const struct xtr_group *g = xtr_group_find(drivers[i]);

		cr_assert(ne(ptr, (void *)g, NULL), "%s", drivers[i]);
		cr_expect(g->by_default && g->module, "%s", drivers[i]);
		memset(types, 0, sizeof(types));
		for (size_t k = 0; k < XTR_GROUP_HOOKS && g->hooks[k]; k++) {
			for (size_t j = 0; j < xtr_n_hooks; j++)
				types[xtr_hooks[j].type] |=
					xtr_hook_matches(&xtr_hooks[j], g->hooks[k]);
		}
		cr_expect(types[XTR_EV_FENCE_SIGNALED], "%s", drivers[i]);
	}
}

static bool has_event(const struct xtr_selection *s, const char *name)
{
	for (size_t i = 0; i < s->n_generics; i++) {
		if (strcmp(s->generics[i]->name, name) == 0)
			return true;
	}
	return false;
}

Test(groups, cpu_is_eight_tracepoints_that_every_kernel_has)
{
	struct xtr_selection s;

	if (!xtr_tracefs_has("sched", "sched_switch"))
		cr_skip("tracefs is not readable here");
	select_events(&s, "cpu", NULL);
	cr_expect(eq(sz, s.n_generics, 8));
	cr_expect(has_event(&s, "sched:sched_switch") && has_event(&s, "irq:softirq_raise"));
	cr_expect(not(has_event(&s, "irq:tasklet_entry")));
	cr_expect(zero(sz, s.n_absent));
	xtr_selection_free(&s);
}
