/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real fences with the names that a scenario gives them. Their events come from the kernel; a probe
 * on each of the trace points of dma_fence writes what happened to them into the truth.
 *
 * Fences of one context of the scenario share a real one: all contexts are one block, so that
 * neighbours stay neighbours. A seqno that the scenario gives is the fence's own.
 *
 * debugfs xtr_player/fences: "!fence NAME DRIVER TIMELINE CONTEXT SEQNO" lines with the real
 * numbers.
 */
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/kstrtox.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "player_internal.h"

#define XP_FENCES 4096
#define XP_GIVEN \
	8192 /* contexts up to here are at their place in the block, the others behind it */
#define XP_NONE         U64_MAX
#define XP_CONTEXTS     (XP_GIVEN + XP_FENCES)
#define XP_FENCE_EVENTS 16

enum {
	DECLARED,
	ALIVE,
	GONE
};

struct xp_fence {
	struct dma_fence base; /* never freed by itself: see xp_release */
	spinlock_t lock;
	int state;
	char name[32], driver[32], timeline[32];
	u64 given; /* the scenario's context, or XP_NONE */
	u64 context, seqno;
};

static struct xp_fence *xp_fences;
static unsigned int xp_n_fences;
static u64 xp_context_base;
static struct tracepoint *xp_points[XP_FENCE_EVENTS];
static unsigned int xp_n_points;

static const char *xp_driver_name(struct dma_fence *f)
{
	return container_of(f, struct xp_fence, base)->driver;
}

static const char *xp_timeline_name(struct dma_fence *f)
{
	return container_of(f, struct xp_fence, base)->timeline;
}

static void xp_release(struct dma_fence *f)
{
	WRITE_ONCE(container_of(f, struct xp_fence, base)->state, GONE);
}

/*
 * A recorder tells drivers apart by the symbol of a fence's operations: each driver's has its real
 * name. The last is for all others.
 */
#define XP_DRIVERS(X)                                \
	X("amdgpu", amdgpu_fence_ops)                \
	X("amdxdna", fence_ops)                      \
	X("drm_sched", drm_sched_fence_ops_finished) \
	X("i915", i915_fence_ops)                    \
	X("intel_vpu", intel_vpu_fence_ops)          \
	X("nouveau", nouveau_fence_ops_uevent)       \
	X("virtio_gpu", virtio_gpu_fence_ops)        \
	X("xe", xe_hw_fence_ops)                     \
	X("", xp_fence_ops)

#define XP_OPS(driver, symbol)                         \
	static const struct dma_fence_ops symbol = {   \
		.get_driver_name = xp_driver_name,     \
		.get_timeline_name = xp_timeline_name, \
		.release = xp_release,                 \
	};
XP_DRIVERS(XP_OPS)

static const struct {
	const char *driver;
	const struct dma_fence_ops *ops;
} xp_ops[] = {
#define XP_ROW(driver, symbol) { driver, &symbol },
	XP_DRIVERS(XP_ROW)
};

static const struct dma_fence_ops *xp_ops_of(const char *driver)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(xp_ops) - 1 && strcmp(xp_ops[i].driver, driver) != 0)
		i++;
	return xp_ops[i].ops;
}

/* data: the trace point's name. Only fences of ours are known here. */
static void xp_see_fence(void *data, struct dma_fence *base)
{
	struct xp_fence *f = container_of(base, struct xp_fence, base);
	struct xp_record *r;
	char text[128];

	if (f < xp_fences || f >= xp_fences + XP_FENCES)
		return;
	snprintf(text, sizeof(text), "dma_fence:%s fence=%s error=%d", (const char *)data, f->name,
		 base->error);
	r = xp_log_begin(text);
	if (r)
		r->end_ns = r->begin_ns;
}

static void xp_see_point(struct tracepoint *tp, void *unused)
{
	if (!strncmp(tp->name, "dma_fence_", 10) && xp_n_points < XP_FENCE_EVENTS &&
	    !tracepoint_probe_register(tp, xp_see_fence, (void *)tp->name))
		xp_points[xp_n_points++] = tp;
}

static struct xp_fence *xp_find(const char *name)
{
	for (unsigned int i = 0; i < xp_n_fences; i++)
		if (!strcmp(xp_fences[i].name, name))
			return &xp_fences[i];
	return NULL;
}

/* The context and seqno of the new fence `f`: as given, in the block, or the next of its timeline.
 */
static void xp_number_fence(struct xp_fence *f, bool given)
{
	struct xp_fence *o;

	if (given && f->given < XP_GIVEN) {
		f->context = xp_context_base + f->given;
		return;
	}
	f->context = xp_context_base + XP_GIVEN + xp_n_fences;
	if (!given)
		f->seqno = 1;
	for (o = xp_fences; o < f; o++) {
		if (given ? o->given != f->given
			  : o->given != XP_NONE || strcmp(o->driver, f->driver) ||
				    strcmp(o->timeline, f->timeline))
			continue;
		f->context = o->context;
		if (!given)
			f->seqno = o->seqno + 1;
	}
}

int xp_fence_declare(char *text)
{
	struct xp_fence *f = &xp_fences[xp_n_fences];
	char *word[5] = {};
	int n = 0;

	if (xp_n_fences == XP_FENCES)
		return -ENOSPC;
	while (n < 5 && (word[n] = xp_word(&text)) != NULL)
		n++;
	if ((n != 3 && n != 5) || xp_find(word[0]))
		return -EINVAL;
	f->given = XP_NONE;
	if (n == 5 && (kstrtou64(word[3], 0, &f->given) || kstrtou64(word[4], 0, &f->seqno)))
		return -EINVAL;
	if (strscpy(f->name, word[0], sizeof(f->name)) < 0 ||
	    strscpy(f->driver, word[1], sizeof(f->driver)) < 0 ||
	    strscpy(f->timeline, word[2], sizeof(f->timeline)) < 0)
		return -E2BIG;
	xp_number_fence(f, n == 5);
	f->state = DECLARED;
	xp_n_fences++;
	return 0;
}

static int fences_show(struct seq_file *m, void *unused)
{
	const struct xp_fence *f;

	for (f = xp_fences; f < xp_fences + xp_n_fences; f++)
		seq_printf(m, "!fence %s %s \"%s\" %llu %llu\n", f->name, f->driver, f->timeline,
			   f->context, f->seqno);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fences);

int xp_fence_numbers(const char *name, u64 *context, u64 *seqno)
{
	struct xp_fence *f = xp_find(name);

	if (!f)
		return -ENOENT;
	*context = f->context;
	*seqno = f->seqno;
	return 0;
}

int xp_fence_play(const char *event, const char *name, u64 timeout_us, int error)
{
	struct xp_fence *f = xp_find(name);

	if (!f)
		return -ENOENT;
	if (!strcmp(event, "dma_fence_init")) {
		if (f->state != DECLARED)
			return -EEXIST;
		f->state = ALIVE;
		spin_lock_init(&f->lock);
		dma_fence_init(&f->base, xp_ops_of(f->driver), &f->lock, f->context, f->seqno);
		return 0;
	}
	if (f->state != ALIVE)
		return -ESTALE;
	if (!strcmp(event, "dma_fence_signaled")) {
		if (error < 0 && error >= -MAX_ERRNO && !dma_fence_is_signaled(&f->base))
			dma_fence_set_error(&f->base, error);
		dma_fence_signal(&f->base);
		return 0;
	}
	if (!strcmp(event, "dma_fence_destroy")) {
		dma_fence_put(&f->base);
		return 0;
	}
	if (strcmp(event, "dma_fence_wait_start"))
		return -EOPNOTSUPP;
	if (irqs_disabled())
		return -EDEADLK;
	dma_fence_wait_timeout(&f->base, true, max(usecs_to_jiffies(timeout_us), 1UL));
	return 0;
}

/* Forgets the fences without any event: nobody waits for one when nothing plays. */
void xp_fence_reset(void)
{
	synchronize_rcu();
	memset(xp_fences, 0, array_size(XP_FENCES, sizeof(*xp_fences)));
	xp_n_fences = 0;
	xp_context_base = dma_fence_context_alloc(XP_CONTEXTS);
}

int xp_fence_init(void)
{
	xp_fences = vzalloc(array_size(XP_FENCES, sizeof(*xp_fences)));
	if (!xp_fences)
		return -ENOMEM;
	xp_fence_reset();
	debugfs_create_file("fences", 0444, xp_debugfs, NULL, &fences_fops);
	for_each_kernel_tracepoint(xp_see_point, NULL);
	return 0;
}

void xp_fence_fini(void)
{
	while (xp_n_points > 0) {
		xp_n_points--;
		tracepoint_probe_unregister(xp_points[xp_n_points], xp_see_fence,
					    (void *)xp_points[xp_n_points]->name);
	}
	tracepoint_synchronize_unregister();
	xp_fence_reset();
	vfree(xp_fences);
}
