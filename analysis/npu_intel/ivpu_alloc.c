/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocation latency on the Intel NPU, stage by stage: creating a buffer object, getting its pages,
 * binding it at the first submit that uses it, and the library call around (docs/npu.md). Where
 * there are no times or no returns, calls are counted.
 */
#include "ivpu_alloc_impl.h"
#include "replay/event/func_event.h"
#include "ivpu_functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 16384u
#define COUNTED     16u /* in by_type: each event of the type is counted */

static const struct rule {
	const char *name;
	enum alloc_what what;
} functions[] = {
	{ "ivpu_bo_create_ioctl", WHAT_CREATE },
	{ "ivpu_bo_create_from_userptr_ioctl", WHAT_USERPTR },
	{ "ivpu_bo_bind", WHAT_BIND },
	{ "ivpu_bo_pin", WHAT_BIND },
	{ "drm_gem_get_pages", WHAT_PAGE_ALLOC },
	{ "drm_gem_shmem_get_pages*", WHAT_PAGES },
	{ "ivpu_mmu_context_map_sgt", WHAT_MAP_SGT },
	{ "ivpu_mmu_context_map_page", WHAT_MAP_PAGE },
	{ "ivpu_submit_ioctl", WHAT_SUBMIT },
	{ "ivpu_cmdq_submit_ioctl", WHAT_SUBMIT },
	{ "ivpu_bo_create_global", WHAT_INTERNAL },
	{ "ivpu_bo_create_runtime", WHAT_INTERNAL },
	{ "ivpu_bo_alloc_internal", WHAT_INTERNAL },
};
static const struct rule libraries[] = {
	{ "zeMemAlloc*", WHAT_API },      { "cuMemAlloc*", WHAT_API },
	{ "hipMalloc*", WHAT_API },       { "hipExtMalloc*", WHAT_API },
	{ "clCreateBuffer*", WHAT_API },  { "clSVMAlloc*", WHAT_API },
	{ "vkAllocateMemory", WHAT_API },
};

/* What a thread is in the middle of. */
struct alloc_thread {
	uint32_t tid;
	bool mapped;                    /* inside the present bind */
	uint64_t bo_size, vpu_addr;     /* of that mapping; ALLOC_NOT_KNOWN */
	uint64_t pages_ns;              /* page allocation inside the present bind */
	uint64_t kernel_ns;             /* in the kernel, inside the present library call */
	bool in_run;                    /* a map_sgt was entered, and no other one since */
	uint64_t run, run_size, run_at; /* its map_page calls, bytes, begin */
};

static enum alloc_what rule_for(const struct rule *rules, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(rules[i].name, name, 0))
			return rules[i].what;
	return WHAT_NONE;
}

static enum alloc_what what_of(bool api, const char *name)
{
	return api ? rule_for(libraries, sizeof(libraries) / sizeof(libraries[0]), name)
		   : rule_for(functions, sizeof(functions) / sizeof(functions[0]), name);
}

static enum alloc_what what_of_function(const struct func_event *f)
{
	char name[96];

	if (f->name_len >= sizeof(name))
		return WHAT_NONE;
	memcpy(name, f->name, f->name_len);
	name[f->name_len] = '\0';
	return what_of(f->api, name);
}

/* The same for an event, and its halves. -ENOMEM. */
static int what_of_event(struct func_event *f, const struct xtr_meta *meta,
			 const struct xtr_event_desc *d)
{
	int err = func_event(f, meta, d);

	return err <= 0 ? err : (int)what_of_function(f);
}

static bool applies(const struct xtr_meta *meta)
{
	struct func_event f;

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++) {
		enum alloc_what what = WHAT_NONE;

		if (func_event_parse(&f, xtr_meta_event_at(meta, i)->name))
			what = what_of_function(&f);
		if (what != WHAT_NONE && what != WHAT_SUBMIT)
			return true;
	}
	return false;
}

static void allocs_free(void *self)
{
	struct allocs *a = self;

	for (unsigned int i = 0; i < ALLOC_STAGE_COUNT; i++)
		alloc_stage_free(&a->stage[i]);
	ivpu_order_free(a->order);
	xtr_map_free(&a->by_type);
	xtr_map_free(&a->by_tid);
	xtr_map_free(&a->by_addr);
	free(a->thread);
	free(a->created);
	free(a);
}

/* The stage that a call of this is, if it is one by itself. */
static const unsigned int stage_of[WHAT_COUNT] = {
	[WHAT_CREATE] = 1 + ALLOC_CREATE,    [WHAT_USERPTR] = 1 + ALLOC_USERPTR,
	[WHAT_BIND] = 1 + ALLOC_BIND,        [WHAT_PAGES] = 1 + ALLOC_PAGES,
	[WHAT_PAGE_ALLOC] = 1 + ALLOC_PAGES, [WHAT_API] = 1 + ALLOC_API,
};

static int add_event(struct allocs *a, const struct xtr_event_desc *d)
{
	struct func_event f;
	int what = what_of_event(&f, a->o->meta, d);
	bool timed, counted;

	if (what <= WHAT_NONE)
		return what;
	timed = f.other && a->o->times;
	a->has[what] = true;
	xtr_halves_add(&a->half[what], f.ret);
	a->has_times[what] |= timed;
	/* Entries are counted where calls cannot be timed, and mappings always. */
	counted = !(f.ret && f.other) && (!timed || what == WHAT_MAP_SGT || what == WHAT_MAP_PAGE);
	return xtr_map_put(&a->by_type, d->type, 0, (uint32_t)what | (counted ? COUNTED : 0));
}

/* What is known of each stage. */
static void set_up(struct allocs *a, bool kernel)
{
	struct alloc_stage *s = a->stage;

	for (unsigned int i = 0; i < WHAT_COUNT; i++) {
		if (!stage_of[i])
			continue;
		s[stage_of[i] - 1].recorded |= a->has[i];
		s[stage_of[i] - 1].half.entry |= a->half[i].entry;
		s[stage_of[i] - 1].half.ret |= a->half[i].ret;
		s[stage_of[i] - 1].timed |= a->has_times[i];
	}
	s[ALLOC_BIND_OTHER].recorded = s[ALLOC_BIND].recorded;
	s[ALLOC_BIND_OTHER].timed = s[ALLOC_BIND].timed;
	s[ALLOC_BIND_OTHER].half = s[ALLOC_BIND].half;
	a->kernel = kernel;
	s[ALLOC_API_KERNEL].recorded = s[ALLOC_API_KERNEL].timed = s[ALLOC_API].timed && kernel;
	a->page_alloc = a->has_times[WHAT_PAGE_ALLOC] ||
			(a->has[WHAT_PAGE_ALLOC] && !a->has_times[WHAT_PAGES]);
}

/* Does META tell of the kernel's part of a library's call? */
static bool has_kernel(const struct xtr_meta *meta)
{
	struct func_event f;

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++) {
		const char *name = xtr_meta_event_at(meta, i)->name;

		if ((func_event_parse(&f, name) && !f.api) ||
		    !strncmp(name, "syscalls:sys_enter", 18))
			return true;
	}
	return false;
}

static int allocs_open(void **self, const struct xtr_analysis_opts *o)
{
	struct allocs *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	a->o = o;
	a->thread = calloc(THREADS_MAX, sizeof(*a->thread));
	a->created = calloc(ALLOC_CREATED_MAX, sizeof(*a->created));
	err = a->thread && a->created ? ivpu_order_new(&a->order, o->meta, o->tables) : -ENOMEM;
	for (size_t i = 0; i < xtr_meta_n_events(o->meta) && !err; i++)
		err = add_event(a, xtr_meta_event_at(o->meta, i));
	set_up(a, has_kernel(o->meta));
	if (err)
		allocs_free(a);
	else
		*self = a;
	return err;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* map_page calls of one map_sgt are complete. */
static void end_run(struct allocs *a, struct alloc_thread *t)
{
	uint64_t pages = t->run_size / ALLOC_NPU_PAGE + !!(t->run_size % ALLOC_NPU_PAGE);

	if (!t->in_run || !t->run) {
		t->in_run = false;
		return;
	}
	t->in_run = false;
	a->runs++;
	a->most = t->run > a->most ? t->run : a->most;
	if (t->run_size == ALLOC_NOT_KNOWN)
		return;
	a->sized_runs++;
	a->run_pages += pages;
	if (t->run <= pages)
		return;
	if (!a->excess++)
		a->excess_at = t->run_at;
	a->excess_calls += t->run;
	a->excess_pages += pages;
}

static void forget_threads(struct allocs *a)
{
	for (uint32_t i = 0; i < a->n_threads; i++)
		end_run(a, &a->thread[i]);
	xtr_map_free(&a->by_tid);
	a->n_threads = 0;
}

/* NULL: no memory. */
static struct alloc_thread *thread_of(struct allocs *a, uint32_t tid)
{
	uint32_t i = xtr_map_index(&a->by_tid, tid, 0);

	if (i != XTR_MAP_NONE)
		return &a->thread[i];
	if (a->n_threads == THREADS_MAX)
		forget_threads(a);
	if (xtr_map_put(&a->by_tid, tid, 0, a->n_threads))
		return NULL;
	a->thread[a->n_threads] = (struct alloc_thread){ .tid = tid };
	return &a->thread[a->n_threads++];
}

/* --- events ----------------------------------------------------------------------------------- */

static uint64_t event_value(const struct xtr_event *ev, const char *field)
{
	uint64_t v;

	return xtr_field_get(xtr_event_field(ev->desc, field), ev->rec, ev->size, &v)
		       ? v
		       : ALLOC_NOT_KNOWN;
}

static void map_page(struct allocs *a, struct alloc_thread *t, const struct ivpu_place *p,
		     uint64_t ts)
{
	t->run++;
	if (!a->map_pages++)
		a->first_map_ns = ts;
	if (!p->submit_no)
		return;
	a->in_submit++;
	if (p->submit_no != a->last_submit)
		a->submits++;
	a->last_submit = p->submit_no;
}

static int count(struct allocs *a, enum alloc_what what, const struct xtr_event *ev,
		 const struct ivpu_place *p)
{
	struct alloc_thread *t = thread_of(a, ev->tid);
	unsigned int stage = stage_of[what];

	if (!t)
		return -ENOMEM;
	if (what == WHAT_MAP_SGT) {
		end_run(a, t);
		a->maps++;
		t->in_run = true;
		t->run = 0;
		t->run_size = event_value(ev, "bo_size");
		t->run_at = ev->ts;
	} else if (what == WHAT_MAP_PAGE) {
		map_page(a, t, p, ev->ts);
	} else if (what == WHAT_BIND) {
		/* Which one has something to do, and which buffer is whose, is not seen. */
		stage = 1 + (p->submit_no ? ALLOC_BIND : ALLOC_BIND_OTHER);
	} else if (what == (a->page_alloc ? WHAT_PAGES : WHAT_PAGE_ALLOC)) {
		stage = 0;
	}
	if (what == WHAT_MAP_SGT || what == WHAT_MAP_PAGE || !stage)
		return 0;
	return alloc_stage_add(&a->stage[stage - 1], event_value(ev, "size"), ALLOC_NOT_KNOWN,
			       ev->ts);
}

static bool allocs_takes(const void *self, uint32_t type)
{
	const struct allocs *a = self;

	return ivpu_order_takes(a->order, type) ||
	       xtr_map_index(&a->by_type, type, 0) != XTR_MAP_NONE;
}

static int allocs_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct allocs *a = self;
	struct ivpu_place place = { 0 };
	int err = ivpu_order_event(a->order, ev, &place);
	uint32_t what;

	if (ev->gap)
		forget_threads(a);
	if (err < 0 || ev->gap || !inside)
		return err < 0 ? err : 0;
	what = xtr_map_index(&a->by_type, ev->type, 0);
	if (what == XTR_MAP_NONE || !(what & COUNTED))
		return 0;
	return count(a, what & ~COUNTED, ev, &place);
}

/* --- calls ------------------------------------------------------------------------------------ */

static enum alloc_what what_of_call(const struct allocs *a, const struct xtr_call *c)
{
	const struct xtr_event_desc *d = c->entry.desc ? c->entry.desc : c->exit.desc;
	uint32_t i = d ? xtr_map_index(&a->by_type, d->type, 0) : XTR_MAP_NONE;

	return i == XTR_MAP_NONE ? WHAT_NONE : i & ~COUNTED;
}

/* Is it inside a call of this kind? */
static bool within(const struct allocs *a, const struct xtr_call *c, enum alloc_what what)
{
	for (c = c->outer; c; c = c->outer)
		if (what_of_call(a, c) == what)
			return true;
	return false;
}

static int bind(struct allocs *a, struct alloc_thread *t, const struct xtr_call *c, uint64_t size,
		uint64_t ns)
{
	bool mapped = t->mapped, own = !within(a, c, WHAT_SUBMIT) || within(a, c, WHAT_INTERNAL);
	uint64_t pages_ns = t->pages_ns;

	t->mapped = false;
	t->pages_ns = 0;
	if (a->has_times[WHAT_MAP_SGT] && !mapped) {
		a->bound_before++;
		return 0;
	}
	if (ns != ALLOC_NOT_KNOWN)
		ns = ns > pages_ns ? ns - pages_ns : 0;
	if (size == ALLOC_NOT_KNOWN && mapped)
		size = t->bo_size;
	/* The driver's own buffers are in another address space, with the same addresses. */
	if (mapped && !own && t->vpu_addr != ALLOC_NOT_KNOWN && ns != ALLOC_NOT_KNOWN)
		alloc_bound(a, c, t->vpu_addr, ns, &size);
	return alloc_stage_add(&a->stage[own ? ALLOC_BIND_OTHER : ALLOC_BIND], size, ns,
			       c->begin_ns);
}

/* Of two kinds of page functions the inner one counts; of calls of one kind the outer one. */
static int pages(struct allocs *a, struct alloc_thread *t, const struct xtr_call *c,
		 enum alloc_what what, uint64_t size, uint64_t ns)
{
	if (what != (a->page_alloc ? WHAT_PAGE_ALLOC : WHAT_PAGES) || within(a, c, what))
		return 0;
	if (ns != ALLOC_NOT_KNOWN && within(a, c, WHAT_BIND))
		t->pages_ns += ns;
	return alloc_stage_add(&a->stage[ALLOC_PAGES], size, ns, c->begin_ns);
}

static int api(struct allocs *a, struct alloc_thread *t, const struct xtr_call *c, uint64_t size,
	       uint64_t ns)
{
	uint64_t kernel = t->kernel_ns;
	int err;

	if (within(a, c, WHAT_API))
		return 0;
	t->kernel_ns = 0;
	err = alloc_stage_add(&a->stage[ALLOC_API], size, ns, c->begin_ns);
	if (err || !a->stage[ALLOC_API_KERNEL].recorded)
		return err;
	return alloc_stage_add(&a->stage[ALLOC_API_KERNEL], size,
			       ns == ALLOC_NOT_KNOWN ? ALLOC_NOT_KNOWN : kernel, c->begin_ns);
}

static int add_call(struct allocs *a, const struct xtr_call *c, enum alloc_what what)
{
	struct alloc_thread *t = thread_of(a, c->tid);
	uint64_t size = alloc_value(c, "size"), ns;
	int err;

	if (!t)
		return -ENOMEM;
	if (!xtr_call_time(c, &ns))
		ns = ALLOC_NOT_KNOWN;
	switch (what) {
	case WHAT_CREATE:
	case WHAT_USERPTR:
		err = alloc_stage_add(&a->stage[stage_of[what] - 1], size, ns, c->begin_ns);
		return err ? err : alloc_created(a, c, size, ns);
	case WHAT_BIND:
		return bind(a, t, c, size, ns);
	case WHAT_PAGES:
	case WHAT_PAGE_ALLOC:
		return pages(a, t, c, what, size, ns);
	case WHAT_API:
		return api(a, t, c, size, ns);
	case WHAT_MAP_SGT:
		t->mapped = within(a, c, WHAT_BIND);
		t->bo_size = alloc_value(c, "bo_size");
		t->vpu_addr = alloc_value(c, "vpu_addr");
		return 0;
	default:
		return 0;
	}
}

static int allocs_call(void *self, const struct xtr_call *c)
{
	struct allocs *a = self;
	struct alloc_thread *t;
	enum alloc_what what;
	uint64_t ns;

	if (!a->o->times || c->on_cpu)
		return 0;
	/* The outermost calls into the kernel, seen from the library's. */
	if (c->kind != XTR_CALL_API && c->outer && c->outer->kind == XTR_CALL_API &&
	    within(a, c, WHAT_API) && xtr_call_time(c, &ns)) {
		t = thread_of(a, c->tid);
		if (!t)
			return -ENOMEM;
		t->kernel_ns += ns;
	}
	what = what_of_call(a, c);
	return what == WHAT_NONE ? 0 : add_call(a, c, what);
}

static int allocs_finish(void *self)
{
	struct allocs *a = self;

	forget_threads(a);
	alloc_sort_buffers(a);
	return alloc_find(a);
}

static bool allocs_any(const void *self)
{
	const struct allocs *a = self;

	for (unsigned int i = 0; i < ALLOC_STAGE_COUNT; i++)
		if (a->stage[i].n)
			return true;
	return a->maps || a->map_pages;
}

const struct xtr_analysis xtr_analysis_allocations = {
	.name = "allocations",
	.title = "Allocations: latency of each stage, and mappings",
	.applies = applies,
	.open = allocs_open,
	.free = allocs_free,
	.takes = allocs_takes,
	.event = allocs_event,
	.call = allocs_call,
	.finish = allocs_finish,
	.any = allocs_any,
	.text = alloc_text,
	.json = alloc_json,
	.tables = alloc_tables,
};
