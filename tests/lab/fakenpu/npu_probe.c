/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compile probes, one per PROBE_ name; Kbuild defines HAVE_ name where the lines compile. Nothing
 * of this is linked.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#if defined(PROBE_HRTIMER_SETUP)
static void p(struct hrtimer *t)
{
	hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}
#elif defined(PROBE_REMOVE_VOID)
static void r(struct platform_device *d)
{
}
static struct platform_driver p = { .remove = r };
#elif defined(PROBE_NOTHING)
/* The control: if even this does not compile, no answer of the others means anything. */
static struct platform_driver p = { .driver = { .name = "" } };
#else
#error "no such probe"
#endif
