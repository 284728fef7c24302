/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One object holds all programs, and libbpf loads it whole or not at all. So when it does not load,
 * all are tried again as plain raw tracepoints, and then each wanted program alone; those that fail
 * are left out with the reason, and the rest is loaded together.
 */
#include "loader.h"
#include "attach.h"
#include "function_load.h"
#include "idle_attach.h"
#include "recorder/groups/sample.h"
#include "tokens.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xtr.skel.h"

#define CTL_BYTES        (1u << 20)
#define CTL_BYTES_STACKS (8u << 20)
#define RINGS_BUDGET     (64u << 20) /* bytes, of all CPUs together */
#define RING_MIN         (256u << 10)
#define RING_MAX         (4u << 20)
#define FOLLOWED_MAX     16384u /* threads that submit jobs */

/* libbpf reports through one function for the whole process; kept is the first warning since the
 * last reset. */
static char complaint[400];

static int keep_complaint(enum libbpf_print_level level, const char *fmt, va_list args)
{
	const char *skip = "libbpf: ";

	if (level != LIBBPF_WARN || complaint[0])
		return 0;
	vsnprintf(complaint, sizeof(complaint), fmt, args);
	complaint[strcspn(complaint, "\n")] = 0;
	if (strncmp(complaint, skip, strlen(skip)) == 0)
		memmove(complaint, complaint + strlen(skip), strlen(complaint + strlen(skip)) + 1);
	return 0;
}

static uint64_t round_pow2(uint64_t n, uint64_t floor)
{
	uint64_t p = floor;

	while (p < n && p < (1ull << 30))
		p <<= 1;
	return p;
}

uint64_t xtr_bpf_ring_bytes(const struct xtr_record_opts *opts, uint32_t n_cpus)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n = RINGS_BUDGET / n_cpus;

	if (opts->ring_bytes)
		return round_pow2(opts->ring_bytes, page);
	n = n < RING_MIN ? RING_MIN : n > RING_MAX ? RING_MAX : n;
	return round_pow2(n, page);
}

struct xtr_hook_result *xtr_bpf_result(struct xtr_bpf *b, uint32_t type, const char *name,
				       const char *attach, const char *target,
				       enum xtr_provider_state state, const char *why)
{
	struct xtr_hook_result *r, *more;

	more = reallocarray(b->results, b->n_results + 1, sizeof(*more));
	if (!more)
		return NULL;
	b->results = more;
	r = &more[b->n_results++];
	*r = (struct xtr_hook_result){ .type = type };
	snprintf(r->why, sizeof(r->why), "%s", why ? why : "");
	r->info = (struct xtr_provider){ .id = (uint32_t)b->n_results,
					 .name = name,
					 .attach = attach,
					 .target = target,
					 .state = state };
	return r;
}

struct bpf_program *xtr_bpf_next(const struct xtr *skel, const struct xtr_hook *h, uint32_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%u", h->prog, n);
	return bpf_object__find_program_by_name(skel->obj, name);
}

bool xtr_bpf_typed(const struct xtr *skel, const struct xtr_hook *h)
{
	return skel->rodata->xtr_typed[h->type];
}

/*
 * Make it a program that is told the types of its arguments (tp_btf). 0, or a negative errno: the
 * types of that tracepoint are not to be had, as of a module without CAP_SYS_ADMIN (kernel_btf.h).
 */
static int make_typed(struct bpf_program *p, const struct xtr_hook *h)
{
	enum bpf_prog_type type = bpf_program__type(p);
	int err;

	bpf_program__set_type(p, BPF_PROG_TYPE_TRACING);
	bpf_program__set_expected_attach_type(p, BPF_TRACE_RAW_TP);
	err = bpf_program__set_attach_target(p, 0, h->tracepoint);
	if (!err)
		return 0;
	complaint[0] = 0; /* there is another way */
	bpf_program__set_type(p, type);
	bpf_program__set_expected_attach_type(p, 0);
	return err;
}

static int want_programs(const struct xtr_bpf *b, struct xtr *skel, const struct xtr_hook *h)
{
	struct bpf_program *p = bpf_object__find_program_by_name(skel->obj, h->prog);
	uint32_t programs = xtr_tokens_programs(h);
	bool typed = p && b->typed && make_typed(p, h) == 0;
	int err = p ? bpf_program__set_autoload(p, true) : -ENOENT;

	skel->rodata->xtr_typed[h->type] = typed;
	skel->rodata->xtr_programs[h->type] = (uint8_t)programs;
	for (uint32_t n = 2; n <= XTR_PROGRAMS_MAX && !err; n++) {
		p = xtr_bpf_next(skel, h, n);
		if (!p)
			return -ENOENT;
		if (typed && n <= programs)
			err = make_typed(p, h);
		err |= bpf_program__set_autoload(p, n <= programs);
	}
	return err;
}

static bool any_by_program(const struct xtr_selection *sel)
{
	for (size_t i = 0; i < sel->n_generics; i++)
		if (!sel->generics[i]->ftrace)
			return true;
	return false;
}

/* Set sizes and constants, and which programs are wanted; only != NULL: that one alone. */
static int prepare(struct xtr_bpf *b, struct xtr *skel, const bool *wanted,
		   const struct xtr_selection *sel, const struct xtr_record_opts *opts,
		   const struct xtr_hook *only)
{
	bool by_name = any_by_program(sel);
	struct bpf_program *p;
	int err = 0;

	skel->rodata->xtr_n_slots = b->n_slots;
	skel->rodata->xtr_half_full = b->ring_bytes / 2;
	skel->rodata->xtr_filter = opts->n_pids != 0;
	skel->rodata->xtr_stacks = opts->stacks;
	skel->rodata->xtr_idle_stacks = opts->idle_hz;
	skel->rodata->xtr_budgeted = sel->budget;
	skel->rodata->xtr_choosy = opts->n_pids || sel->budget;
	for (size_t i = 0; i < sel->n_init_ops; i++)
		skel->rodata->xtr_init_ops[i] = sel->init_ops[i];
	err |= bpf_map__set_max_entries(skel->maps.xtr_rings, b->n_cpus);
	err |= bpf_map__set_max_entries(skel->maps.xtr_cpus, b->n_cpus);
	err |= bpf_map__set_max_entries(skel->maps.xtr_counts, b->n_cpus * b->n_slots);
	err |= bpf_map__set_max_entries(skel->maps.xtr_ctl,
					opts->stacks ? CTL_BYTES_STACKS : CTL_BYTES);
	err |= bpf_map__set_max_entries(skel->maps.xtr_followed, opts->idle_hz ? FOLLOWED_MAX : 1);
	err |= bpf_map__set_max_entries(skel->maps.xtr_generic_cfgs, (uint32_t)sel->n_generics + 1);
	skel->rodata->xtr_total_mask = b->n_total_sets - 1;
	err |= bpf_map__set_max_entries(skel->maps.xtr_totals, b->n_total_sets);
	err |= bpf_map__set_max_entries(skel->maps.xtr_pids, (uint32_t)opts->n_pids + 1);
	bpf_object__for_each_program(p, skel->obj) err |= bpf_program__set_autoload(p, false);
	for (size_t i = 0; i < xtr_n_hooks && !err; i++) {
		if (wanted[i] && (!only || only == &xtr_hooks[i]))
			err |= want_programs(b, skel, &xtr_hooks[i]);
	}
	err |= bpf_program__set_autoload(skel->progs.xtr_generic, by_name && !only);
	err |= bpf_program__set_autoload(skel->progs.xtr_plain, by_name && !only);
	err |= bpf_program__set_autoload(skel->progs.xtr_died, !only);
	return err ? -EINVAL : 0;
}

static int try_load(struct xtr_bpf *b, struct xtr **skel, const bool *wanted,
		    const struct xtr_selection *sel, const struct xtr_record_opts *opts,
		    const struct xtr_hook *only)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .btf_custom_path = b->btf.path);
	int err;

	complaint[0] = 0;
	*skel = xtr__open_opts(&how);
	if (!*skel)
		return -errno;
	err = prepare(b, *skel, wanted, sel, opts, only) ?: xtr__load(*skel);
	if (err) {
		xtr__destroy(*skel);
		*skel = NULL;
	}
	return err;
}

/* Try each program alone; those that do not load are noted and no longer wanted. */
static int sort_out(struct xtr_bpf *b, bool *wanted, const struct xtr_selection *sel,
		    const struct xtr_record_opts *opts)
{
	struct xtr *skel;
	bool any = false;

	for (size_t i = 0; i < xtr_n_hooks; i++) {
		const struct xtr_hook *h = &xtr_hooks[i];

		if (!wanted[i])
			continue;
		if (try_load(b, &skel, wanted, sel, opts, h) == 0) {
			xtr__destroy(skel);
			continue;
		}
		if (!xtr_bpf_result(b, h->type, h->event, "raw_tp", h->tracepoint,
				    XTR_PROVIDER_REFUSED, complaint))
			return -ENOMEM;
		wanted[i] = false;
		any = true;
	}
	return any ? 0 : -EINVAL;
}

/* Which hooks are there; the missing ones are noted, once per event, under the newest name. */
static int want(struct xtr_bpf *b, const struct xtr_selection *sel, bool *wanted)
{
	enum xtr_hook_state state;
	const char *why;

	for (size_t i = 0; i < xtr_n_hooks; i++) {
		const struct xtr_hook *h = &xtr_hooks[i];

		if (!sel->types[h->type])
			continue;
		state = xtr_hook_state(h, &why);
		wanted[i] = state == XTR_HOOK_AVAILABLE;
		if (state == XTR_HOOK_MISSING &&
		    strcmp(strchr(h->event, ':') + 1, h->tracepoint) == 0 &&
		    !xtr_bpf_result(b, h->type, h->event, "raw_tp", h->tracepoint,
				    XTR_PROVIDER_MISSING, why))
			return -ENOMEM;
	}
	return 0;
}

static int load(struct xtr_bpf *b, const struct xtr_selection *sel,
		const struct xtr_record_opts *opts)
{
	bool *wanted = calloc(xtr_n_hooks, sizeof(*wanted));
	int err = wanted ? want(b, sel, wanted) : -ENOMEM;

	b->typed = true;
	if (!err)
		err = try_load(b, &b->skel, wanted, sel, opts, NULL);
	if (err && err != -EPERM && err != -ENOMEM) {
		b->typed = false;
		err = try_load(b, &b->skel, wanted, sel, opts, NULL);
	}
	if (err && err != -EPERM && err != -ENOMEM && sort_out(b, wanted, sel, opts) == 0)
		err = try_load(b, &b->skel, wanted, sel, opts, NULL);
	free(wanted);
	return err;
}

static int make_ring(struct xtr_bpf *b, uint32_t cpu)
{
	int outer = bpf_map__fd(b->skel->maps.xtr_rings), fd, err;

	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "xtr_ring", 0, 0, (uint32_t)b->ring_bytes, NULL);
	if (fd < 0)
		return -errno;
	err = (bpf_map_update_elem(outer, &cpu, &fd, BPF_ANY) ? -errno : 0)
		      ?: xtr_ringbuf_map(&b->rings[cpu], fd, b->ring_bytes);
	if (err)
		close(fd);
	return err;
}

static void *map_array(const struct bpf_map *map, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return p == MAP_FAILED ? NULL : p;
}

static size_t counts_bytes(const struct xtr_bpf *b)
{
	return (size_t)b->n_cpus * b->n_slots * sizeof(*b->counts);
}

static size_t totals_bytes(const struct xtr_bpf *b)
{
	return b->n_total_sets * sizeof(*b->totals);
}

static int make_account(struct xtr_bpf *b)
{
	b->rings = calloc(b->n_cpus, sizeof(*b->rings));
	b->not_run = calloc(b->n_slots, sizeof(*b->not_run));
	b->tokens_seen = calloc(XTR_TOKEN_SETS, sizeof(*b->tokens_seen));
	return b->rings && b->not_run && b->tokens_seen && !xtr_missed_open(&b->missed, b->n_slots)
		       ? 0
		       : -ENOMEM;
}

static int set_up_maps(struct xtr_bpf *b, const struct xtr_record_opts *opts)
{
	int fd = bpf_map__fd(b->skel->maps.xtr_ctl), err;
	uint8_t one = 1;

	err = make_account(b)
		      ?: xtr_ringbuf_map(&b->ctl, fd, bpf_map__max_entries(b->skel->maps.xtr_ctl));
	for (uint32_t i = 0; i < b->n_cpus && !err; i++)
		err = make_ring(b, i);
	if (err)
		return err;
	b->counts = map_array(b->skel->maps.xtr_counts, counts_bytes(b));
	b->cpus = map_array(b->skel->maps.xtr_cpus, b->n_cpus * sizeof(*b->cpus));
	b->tokens = map_array(b->skel->maps.xtr_tokens, XTR_TOKEN_SETS * sizeof(*b->tokens));
	b->totals = map_array(b->skel->maps.xtr_totals, totals_bytes(b));
	if (!b->counts || !b->cpus || !b->tokens || !b->totals)
		return -ENOMEM;
	for (size_t i = 0; i < opts->n_pids; i++) {
		if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.xtr_pids), &opts->pids[i], &one,
					BPF_ANY))
			return -errno;
	}
	return 0;
}

/* What the machine lacks is told as libbpf tells it; memory and descriptors are no such thing. */
static int explain(struct xtr_record_err *err, int code)
{
	const bool short_of = code == -ENOMEM || code == -EMFILE || code == -ENFILE;

	err->code = code;
	snprintf(err->what, sizeof(err->what), "cannot load the BPF programs: %.200s",
		 complaint[0] && !short_of ? complaint : strerror(-code));
	if (short_of)
		return code;
	err->kind = XTR_FAIL_MACHINE;
	snprintf(err->hint, sizeof(err->hint), "'xtr doctor' shows what this machine lacks");
	return code;
}

int xtr_bpf_cpus(void)
{
	libbpf_set_print(keep_complaint);
	return libbpf_num_possible_cpus();
}

/* Sizes; nothing is made. 0 or -errno: *b is NULL. */
static int begin(struct xtr_bpf **out, const struct xtr_selection *sel,
		 const struct xtr_record_opts *opts, struct xtr_record_err *err)
{
	struct xtr_bpf *b = calloc(1, sizeof(*b));
	int n;

	*out = NULL;
	n = xtr_bpf_cpus();
	if (!b || n <= 0) {
		free(b);
		return explain(err, !b ? -ENOMEM : n < 0 ? n : -ENODEV);
	}
	b->n_cpus = (uint32_t)n;
	b->sel = sel;
	b->n_slots = XTR_SLOT_GENERIC + sel->n_dynamic;
	b->n_total_sets = xtr_sampling(sel) ? XTR_TOTAL_SETS : 1;
	b->ring_bytes = xtr_bpf_ring_bytes(opts, b->n_cpus);
	*out = b;
	return 0;
}

static void *own_array(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int xtr_bpf_none(struct xtr_bpf **out, const struct xtr_selection *sel,
		 const struct xtr_record_opts *opts, struct xtr_record_err *err)
{
	struct xtr_bpf *b;
	int ret = begin(&b, sel, opts, err) ?: make_account(b);

	*out = NULL;
	for (uint32_t i = 0; !ret && i < b->n_cpus; i++)
		xtr_ringbuf_none(&b->rings[i]);
	if (!ret) {
		xtr_ringbuf_none(&b->ctl);
		b->counts = own_array(counts_bytes(b));
		b->cpus = own_array(b->n_cpus * sizeof(*b->cpus));
		b->tokens = own_array(XTR_TOKEN_SETS * sizeof(*b->tokens));
		b->totals = own_array(totals_bytes(b));
		ret = b->counts && b->cpus && b->tokens && b->totals ? 0 : -ENOMEM;
	}
	if (ret) {
		xtr_bpf_free(b);
		return explain(err, ret);
	}
	*out = b;
	return 0;
}

int xtr_bpf_load(struct xtr_bpf **out, const struct xtr_selection *sel,
		 const struct xtr_record_opts *opts, struct xtr_record_err *err)
{
	struct xtr_bpf *b;
	int ret = begin(&b, sel, opts, err);

	*out = NULL;
	if (ret)
		return ret;
	ret = xtr_kernel_btf_open(&b->btf) ?: load(b, sel, opts) ?:
	      xtr_probe_bpf_load(b, sel, opts) ?:
	      xtr_idle_bpf_load(b, sel, opts);
	xtr_kernel_btf_close(&b->btf);
	if (!ret)
		ret = set_up_maps(b, opts);
	if (ret) {
		xtr_bpf_free(b);
		return explain(err, ret);
	}
	*out = b;
	return 0;
}

struct bpf_program *xtr_bpf_program(const struct xtr_bpf *b, const char *name)
{
	return bpf_object__find_program_by_name(b->skel->obj, name);
}

void xtr_bpf_free(struct xtr_bpf *b)
{
	if (!b)
		return;
	xtr_bpf_detach(b);
	for (uint32_t i = 0; b->rings && i < b->n_cpus; i++) {
		xtr_ringbuf_unmap(&b->rings[i]);
		if (b->rings[i].fd > 0)
			close(b->rings[i].fd);
	}
	xtr_ringbuf_unmap(&b->ctl);
	if (b->counts)
		munmap(b->counts, counts_bytes(b));
	if (b->cpus)
		munmap(b->cpus, b->n_cpus * sizeof(*b->cpus));
	if (b->totals)
		munmap(b->totals, totals_bytes(b));
	if (b->tokens)
		munmap(b->tokens, XTR_TOKEN_SETS * sizeof(*b->tokens));
	xtr_plain_close(&b->plain);
	xtr_probe_bpf_free(b->probes);
	xtr_idle_bpf_free(b->idle);
	xtr__destroy(b->skel);
	free(b->tokens_seen);
	free(b->rings);
	free(b->not_run);
	xtr_missed_close(&b->missed);
	free(b->results);
	free(b);
}
