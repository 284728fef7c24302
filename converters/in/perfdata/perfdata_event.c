/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of the kernel in order of time: samples, tasks, memory, losses. */
#include "perfdata_priv.h"

#include "base/checked.h"

#define READ_TIMES 3u        /* read_format: times enabled and running, one number each */
#define READ_ID    (1u << 2) /* an id with each value */
#define READ_GROUP (1u << 3) /* several values */
#define READ_LOST  (1u << 4) /* a count of losses with each value */

#define NOBODY UINT32_MAX /* pid and tid of a thread that is over */

struct sample {
	uint64_t ip, addr, period, id;
	uint32_t pid, tid, cpu;
	const uint8_t *chain; /* addresses */
	uint64_t n_chain;
	const uint8_t *raw;
	uint32_t n_raw; /* bytes */
};

/* --- reading a sample ------------------------------------------------------------------------- */

struct cursor {
	const struct perfdata *d;
	const uint8_t *p, *end;
	bool failed;
};

static const uint8_t *take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->failed || n > (uint64_t)(c->end - c->p)) {
		c->failed = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static uint64_t take64(struct cursor *c)
{
	const uint8_t *p = take(c, 8);

	return p ? perf_u64(c->d, p) : 0;
}

/* The low half in the order of the declaration: two u32 stand in one place of 8 bytes. */
static uint32_t take32(struct cursor *c)
{
	const uint8_t *p = take(c, 4);

	return p ? perf_u32(c->d, p) : 0;
}

/* Counts that were read with the sample. */
static void skip_read(struct cursor *c, uint64_t format)
{
	uint64_t times = (uint64_t)__builtin_popcountll(format & READ_TIMES);
	uint64_t each = 1 + !!(format & READ_ID) + !!(format & READ_LOST), n = 1;

	if (format & READ_GROUP)
		n = take64(c);
	if (n > PERF_RECORD_MAX)
		c->failed = true;
	else
		take(c, 8 * (times + n * each));
}

/* perf_event.h, PERF_RECORD_SAMPLE; what stands behind the raw data is of no use here. */
static bool read_sample(const struct perfdata *d, const struct perf_attr *a,
			const struct perf_record *r, struct sample *s)
{
	struct cursor c = { d, r->p + PERF_HEADER_SIZE, r->p + r->n, false };
	const uint64_t t = a->sample_type;

	*s = (struct sample){ .cpu = PERF_CPU_UNKNOWN };
	if (t & PERF_IDENTIFIER)
		s->id = take64(&c);
	if (t & PERF_IP)
		s->ip = take64(&c);
	if (t & PERF_TID) {
		s->pid = take32(&c);
		s->tid = take32(&c);
	}
	if (t & PERF_TIME)
		take(&c, 8);
	if (t & PERF_ADDR)
		s->addr = take64(&c);
	if (t & PERF_ID)
		s->id = take64(&c);
	if (t & PERF_STREAM_ID)
		take(&c, 8);
	if (t & PERF_CPU) {
		s->cpu = take32(&c);
		take(&c, 4);
	}
	if (t & PERF_PERIOD)
		s->period = take64(&c);
	if (t & PERF_READ)
		skip_read(&c, a->read_format);
	if (t & PERF_CALLCHAIN) {
		s->n_chain = take64(&c);
		if (s->n_chain > PERF_RECORD_MAX / 8)
			return false;
		s->chain = take(&c, 8 * s->n_chain);
	}
	if (t & PERF_RAW) {
		s->n_raw = take32(&c);
		s->raw = take(&c, s->n_raw);
	}
	return !c.failed;
}

/* --- samples ---------------------------------------------------------------------------------- */

static uint32_t cpu_of(struct perfdata *d, const struct perf_attr *a, const struct sample *s)
{
	const uint64_t *cpu;

	if (a->sample_type & PERF_CPU)
		return s->cpu;
	cpu = s->id ? xtr_map_get(&d->id_cpus, s->id, 0) : NULL;
	if (cpu)
		return (uint32_t)*cpu;
	d->no_cpu++;
	return 0;
}

/* The thread that a tracepoint's record names, of one that perf has no number for any more. */
static uint32_t thread_of_raw(const struct perfdata *d, const struct dat_event_type *t,
			      const struct sample *s)
{
	const struct xtr_tp_common *c = &t->f->common;

	if (c->pid_size != 4 || !xtr_fits(c->pid_offset, 4, s->n_raw))
		return 0;
	return perf_u32(d, s->raw + c->pid_offset);
}

static int tracepoint(struct perfdata *d, const struct perf_attr *a, struct xtr_import_at *at,
		      const struct sample *s)
{
	struct dat_event_type *t;
	int err = dat_type_by_id(d->dat, (uint32_t)a->config, &t);

	if (err)
		return err;
	if (s->tid == NOBODY)
		at->tid = thread_of_raw(d, t, s);
	return xtr_import_raw(d->im, at, t->type, s->raw, s->n_raw);
}

/* "sched:sched_switch" of which there is no record, "cycles:u", "cpu-clock". */
static int plain_event(struct perfdata *d, const struct perf_attr *a,
		       const struct xtr_import_at *at, const struct sample *s)
{
	const struct {
		uint64_t bit;
		struct xtr_import_value v;
	} all[] = {
		{ PERF_IP, { "ip", 2, XTR_IMPORT_HEX, .num = s->ip } },
		{ PERF_ADDR, { "addr", 4, XTR_IMPORT_HEX, .num = s->addr } },
		{ PERF_PERIOD, { "period", 6, XTR_IMPORT_UINT, .num = s->period } },
	};
	const char *colon = a->type == PERF_T_TRACEPOINT ? strchr(a->name, ':') : NULL;
	const char *name = colon ? colon + 1 : a->name;
	struct xtr_import_value v[3];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (a->sample_type & all[i].bit)
			v[n++] = all[i].v;
	if (!n)
		v[n++] = (struct xtr_import_value){
			.name = "text", .name_len = 4, .kind = XTR_IMPORT_STR, .str = ""
		};
	return xtr_import_event(d->im, at, colon ? a->name : "perf",
				colon ? (size_t)(colon - a->name) : 4, name, strlen(name), v, n);
}

static bool has_format(const struct perfdata *d, const struct perf_attr *a, const struct sample *s)
{
	return a->type == PERF_T_TRACEPOINT && s->raw && d->dat && a->config &&
	       a->config < DAT_EVENTS_MAX;
}

static void passed(struct perfdata *d, uint32_t cpu, uint64_t ts)
{
	if (cpu < XTR_IMPORT_CPUS)
		d->last_ts[cpu] = ts;
	if (!d->first_ts)
		d->first_ts = ts;
	if (ts > d->max_ts)
		d->max_ts = ts;
}

static int on_sample(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	const struct perf_attr *a = perf_attr_of(d, r);
	struct xtr_import_at at = { .ts = ts };
	struct sample s;
	int err = 0;

	if (!a || !read_sample(d, a, r, &s)) {
		xtr_import_damage(d->im, "%s",
				  a ? "a sample is cut off" : "a sample of no known event");
		return xtr_import_lost(d->im, PERF_CPU_UNKNOWN, ts, ts, 1);
	}
	d->seen++;
	if (!d->any_time)
		at.ts = d->seen;
	else if (!ts)
		at.ts = d->order.handed;
	at.cpu = cpu_of(d, a, &s);
	at.tid = s.tid == NOBODY ? 0 : s.tid;
	at.pid = s.pid == NOBODY ? 0 : s.pid;
	passed(d, at.cpu, at.ts);
	if (s.n_chain)
		err = perf_stack_id(d, s.pid, s.chain, s.n_chain, r->misc & PERF_MISC_CPUMODE,
				    &at.stack);
	if (err)
		return err;
	return has_format(d, a, &s) ? tracepoint(d, a, &at, &s) : plain_event(d, a, &at, &s);
}

/* --- tasks and memory ------------------------------------------------------------------------- */

/* Bytes of the trailer that records have which are no samples. */
static uint32_t trailer(struct perfdata *d, const struct perf_record *r)
{
	const struct perf_attr *a = perf_attr_of(d, r);
	const uint64_t bits =
		PERF_TID | PERF_TIME | PERF_ID | PERF_STREAM_ID | PERF_CPU | PERF_IDENTIFIER;

	return a && a->id_all ? 8 * (uint32_t)__builtin_popcountll(a->sample_type & bits) : 0;
}

/* A text from `at` on, up to the trailer; its length without NULs. NULL: the record is too short.
 */
static const char *text_at(struct perfdata *d, const struct perf_record *r, uint32_t at,
			   size_t *len)
{
	uint32_t end = trailer(d, r);

	if (r->n < at + end)
		return NULL;
	*len = strnlen((const char *)r->p + at, r->n - end - at);
	return (const char *)r->p + at;
}

/* pid, tid, name */
static int on_comm(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	size_t len;
	const char *comm = text_at(d, r, 16, &len);

	if (!comm)
		return 0;
	return xtr_import_task(d->im, ts, perf_u32(d, r->p + 12), perf_u32(d, r->p + 8), comm, len);
}

/* pid, parent's pid, tid, parent's tid */
static int on_fork(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	int err;

	if (r->n < 24)
		return 0;
	err = perf_map_fork(d, perf_u32(d, r->p + 8), perf_u32(d, r->p + 12));
	if (err)
		return err;
	return xtr_import_fork(d->im, ts, perf_u32(d, r->p + 16), perf_u32(d, r->p + 8),
			       perf_u32(d, r->p + 20));
}

static int on_exit_(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	(void)ts;
	if (r->n >= 24 && perf_u32(d, r->p + 8) == perf_u32(d, r->p + 16))
		perf_map_leave(d, perf_u32(d, r->p + 8));
	return 0;
}

/* pid, tid, addr, len, pgoff; in MMAP2 32 bytes more; then the file's name. */
static int on_mmap(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	struct perf_map map = { 0 };
	uint64_t n;
	size_t len;
	const char *name = text_at(d, r, r->type == PERF_R_MMAP2 ? 72 : 40, &len);

	(void)ts;
	if (!name)
		return 0;
	map.start = perf_u64(d, r->p + 16);
	n = perf_u64(d, r->p + 24);
	map.end = n > UINT64_MAX - map.start ? UINT64_MAX : map.start + n;
	map.pgoff = perf_u64(d, r->p + 32);
	return perf_map_add(d,
			    (r->misc & PERF_MISC_CPUMODE) == PERF_MODE_KERNEL
				    ? PERF_KERNEL_PID
				    : perf_u32(d, r->p + 8),
			    &map, name, len);
}

/* addr u64, len u32, type u16, flags u16 (1: it is gone), name */
static int on_ksymbol(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	struct perf_map map = { .symbol = true };
	size_t len;
	const char *name = text_at(d, r, 24, &len);

	(void)ts;
	if (!name || perf_u16(d, r->p + 22) & 1)
		return 0;
	map.start = perf_u64(d, r->p + 8);
	map.end = xtr_sat_add(map.start, perf_u32(d, r->p + 16));
	return perf_map_add(d, PERF_KERNEL_PID, &map, name, len);
}

/* --- losses ----------------------------------------------------------------------------------- */

/* The CPU of a record that is no sample, of its trailer. */
static uint32_t trailer_cpu(struct perfdata *d, const struct perf_record *r)
{
	const struct perf_attr *a = perf_attr_of(d, r);
	const uint64_t *cpu;
	uint32_t back;

	if (!a || !a->id_all)
		return PERF_CPU_UNKNOWN;
	back = a->sample_type & PERF_IDENTIFIER ? 16 : 8;
	if (a->sample_type & PERF_CPU && r->n >= PERF_HEADER_SIZE + back)
		return perf_u32(d, r->p + r->n - back);
	cpu = d->id_end != PERF_NOWHERE && r->n >= PERF_HEADER_SIZE + d->id_end
		      ? xtr_map_get(&d->id_cpus, perf_u64(d, r->p + r->n - d->id_end), 0)
		      : NULL;
	return cpu ? (uint32_t)*cpu : PERF_CPU_UNKNOWN;
}

static int lose(struct perfdata *d, uint32_t cpu, uint64_t ts, uint64_t count)
{
	uint64_t first = cpu < XTR_IMPORT_CPUS ? d->last_ts[cpu] : d->first_ts;

	if (!first || first > ts)
		first = ts;
	if (cpu < XTR_IMPORT_CPUS)
		d->last_ts[cpu] = ts;
	return xtr_import_lost(d->im, cpu, first, ts, count);
}

/* id u64, count u64 */
static int on_lost(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	uint64_t count = r->n >= 24 ? perf_u64(d, r->p + 16) : 0;

	d->lost = xtr_sat_add(d->lost, count);
	return count ? lose(d, trailer_cpu(d, r), ts, count) : 0;
}

/*
 * count u64. Of the kernel it is what the hardware lost. perf writes one without a time for each
 * event at the end, with all that the kernel lost of it: what LOST has told is among that. What a
 * filter of perf's own left out, nobody wanted (tools/lib/perf/include/perf/event.h).
 */
static int on_lost_samples(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	uint64_t count = r->n >= 16 ? perf_u64(d, r->p + 8) : 0;

	if (r->misc & PERF_MISC_CHOSEN)
		return 0;
	if (count && ts)
		return lose(d, trailer_cpu(d, r), ts, count);
	d->lost_samples = xtr_sat_add(d->lost_samples, count);
	return 0;
}

static int on_throttle(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	uint32_t cpu = trailer_cpu(d, r);

	if (cpu < XTR_IMPORT_CPUS && !d->throttled[cpu])
		d->throttled[cpu] = ts;
	return 0;
}

/* Nobody counts what would have been sampled meanwhile. */
static int on_unthrottle(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	uint32_t cpu = trailer_cpu(d, r);
	uint64_t since;

	if (cpu >= XTR_IMPORT_CPUS || !d->throttled[cpu])
		return 0;
	since = d->throttled[cpu];
	d->throttled[cpu] = 0;
	return xtr_import_lost(d->im, cpu, since, ts, 0);
}

static int (*const handlers[])(struct perfdata *d, uint64_t ts, const struct perf_record *r) = {
	[PERF_R_MMAP] = on_mmap,         [PERF_R_LOST] = on_lost,
	[PERF_R_COMM] = on_comm,         [PERF_R_EXIT] = on_exit_,
	[PERF_R_THROTTLE] = on_throttle, [PERF_R_UNTHROTTLE] = on_unthrottle,
	[PERF_R_FORK] = on_fork,         [PERF_R_SAMPLE] = on_sample,
	[PERF_R_MMAP2] = on_mmap,        [PERF_R_LOST_SAMPLES] = on_lost_samples,
	[PERF_R_KSYMBOL] = on_ksymbol,
};

int perf_hand_over(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	int err = perf_tell_facts(d);

	if (err)
		return err;
	if (r->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[r->type])
		return handlers[r->type](d, ts, r);
	if (r->type < PERF_TYPES)
		d->left_out[r->type]++;
	return 0;
}
