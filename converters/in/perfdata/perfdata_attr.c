/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes (struct perf_event_attr, of any of its sizes) and what follows from them: which event
 * a record is of, and when it was.
 */
#include "base/buf.h"
#include "perfdata_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define ATTR_MIN     64u /* bytes, PERF_ATTR_SIZE_VER0 */
#define AT_CLOCKID   92u /* since PERF_ATTR_SIZE_VER3 */
#define FLAG_ID_ALL  18u /* bits of the flags, in the order of their declaration */
#define FLAG_CLOCKID 25u

/* Bit fields begin at the low end of each byte, on big-endian machines at the high end. */
static bool flag(const struct perfdata *d, const uint8_t *flags, unsigned int bit)
{
	return flags[bit / 8] >> (d->big ? 7 - bit % 8 : bit % 8) & 1;
}

/* Bytes that the fields of these bits take: 8 each. */
static uint16_t bytes_of(uint64_t sample_type, uint64_t bits)
{
	return (uint16_t)(8 * __builtin_popcountll(sample_type & bits));
}

static void lay_out(struct perf_attr *a)
{
	const uint64_t t = a->sample_type;

	a->time_at = a->time_end = PERF_NOWHERE;
	if (!(t & PERF_TIME))
		return;
	a->time_at = PERF_HEADER_SIZE + bytes_of(t, PERF_IDENTIFIER | PERF_IP | PERF_TID);
	if (a->id_all)
		a->time_end = bytes_of(t, PERF_IDENTIFIER | PERF_CPU | PERF_STREAM_ID | PERF_ID |
						  PERF_TIME);
}

/* Where ids stand is the same for all, or nobody could read the file. */
static void find_ids(struct perfdata *d, const struct perf_attr *a)
{
	const uint64_t t = a->sample_type;

	d->by_identifier = t & PERF_IDENTIFIER;
	d->id_at = d->id_end = PERF_NOWHERE;
	if (t & PERF_IDENTIFIER) {
		d->id_at = PERF_HEADER_SIZE;
		d->id_end = 8;
	} else if (t & PERF_ID) {
		d->id_at =
			PERF_HEADER_SIZE + bytes_of(t, PERF_IP | PERF_TID | PERF_TIME | PERF_ADDR);
		d->id_end = bytes_of(t, PERF_CPU | PERF_STREAM_ID | PERF_ID);
	}
}

static const char *const hardware[] = { "cycles",
					"instructions",
					"cache-references",
					"cache-misses",
					"branches",
					"branch-misses",
					"bus-cycles",
					"stalled-cycles-frontend",
					"stalled-cycles-backend",
					"ref-cycles" };
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
};
/* By type; the last ones are told apart by their config alone. */
static const struct {
	const char *prefix;
	const char *const *names;
	size_t n;
} types[] = {
	[PERF_T_HARDWARE] = { "hardware-", hardware, sizeof(hardware) / sizeof(hardware[0]) },
	[PERF_T_SOFTWARE] = { "software-", software, sizeof(software) / sizeof(software[0]) },
	[PERF_T_TRACEPOINT] = { "tracepoint-", NULL, 0 },
	[PERF_T_HW_CACHE] = { "cache-", NULL, 0 },
	[PERF_T_RAW] = { "raw-", NULL, 0 },
	[PERF_T_BREAKPOINT] = { "breakpoint-", NULL, 0 },
};

void perf_name_attr(struct perf_attr *a)
{
	/* The type of a hybrid machine's PMU stands in the upper half of the config. */
	const uint64_t config = a->type == PERF_T_HARDWARE ? a->config & UINT32_MAX : a->config;

	if (a->named)
		return;
	if (a->type >= sizeof(types) / sizeof(types[0]))
		snprintf(a->name, sizeof(a->name), "pmu-%u-0x%" PRIx64, a->type, config);
	else if (config < types[a->type].n)
		snprintf(a->name, sizeof(a->name), "%s", types[a->type].names[config]);
	else
		snprintf(a->name, sizeof(a->name), "%s0x%" PRIx64, types[a->type].prefix, config);
}

int perf_add_attr(struct perfdata *d, const uint8_t *p, size_t n, size_t *index)
{
	struct perf_attr a = { 0 };
	uint32_t size;

	if (n < ATTR_MIN)
		return xtr_import_fail(d->im, -EBADMSG, "an attribute of %zu bytes", n);
	size = perf_u32(d, p + 4);
	size = !size ? ATTR_MIN : size < n ? size : (uint32_t)n;
	if (d->n_attrs >= PERF_ATTRS_MAX)
		return xtr_import_fail(d->im, -EFBIG, "more than %u events", PERF_ATTRS_MAX);
	a.type = perf_u32(d, p);
	a.config = perf_u64(d, p + 8);
	a.sample_type = perf_u64(d, p + 24);
	a.read_format = perf_u64(d, p + 32);
	a.id_all = flag(d, p + 40, FLAG_ID_ALL);
	a.use_clockid = size >= AT_CLOCKID + 4 && flag(d, p + 40, FLAG_CLOCKID);
	if (a.use_clockid)
		a.clockid = (int32_t)perf_u32(d, p + AT_CLOCKID);
	lay_out(&a);
	perf_name_attr(&a);
	if (xtr_grow_array(&d->attrs, &d->cap_attrs, d->n_attrs + 1, sizeof(a)))
		return -ENOMEM;
	if (!d->n_attrs)
		find_ids(d, &a);
	d->any_time |= (a.sample_type & PERF_TIME) != 0;
	*index = d->n_attrs;
	d->attrs[d->n_attrs++] = a;
	return 0;
}

int perf_add_id(struct perfdata *d, uint64_t id, size_t attr)
{
	if (d->ids.n >= PERF_IDS_MAX)
		return xtr_import_fail(d->im, -EFBIG, "more than %zu ids of events", PERF_IDS_MAX);
	return xtr_map_put(&d->ids, id, 0, attr);
}

static uint64_t id_of(const struct perfdata *d, const struct perf_record *r)
{
	if (r->type == PERF_R_SAMPLE)
		return r->n >= d->id_at + 8u ? perf_u64(d, r->p + d->id_at) : 0;
	return r->n >= PERF_HEADER_SIZE + d->id_end ? perf_u64(d, r->p + r->n - d->id_end) : 0;
}

struct perf_attr *perf_attr_of(struct perfdata *d, const struct perf_record *r)
{
	const uint64_t *i;
	uint64_t id;

	if (!d->n_attrs)
		return NULL;
	if (d->n_attrs == 1 || d->id_at == PERF_NOWHERE ||
	    (r->type != PERF_R_SAMPLE && !d->attrs[0].id_all))
		return d->attrs;
	/* What perf itself wrote in the place of the kernel has no id. */
	id = id_of(d, r);
	if (!id)
		return d->attrs;
	i = xtr_map_get(&d->ids, id, 0);
	if (i)
		return &d->attrs[*i];
	return r->type == PERF_R_SAMPLE ? NULL : d->attrs;
}

uint64_t perf_time_of(struct perfdata *d, const struct perf_record *r)
{
	const struct perf_attr *a = perf_attr_of(d, r);

	if (!a || a->time_at == PERF_NOWHERE)
		return 0;
	if (r->type == PERF_R_SAMPLE)
		return r->n >= a->time_at + 8u ? perf_u64(d, r->p + a->time_at) : 0;
	if (a->time_end == PERF_NOWHERE || r->n < PERF_HEADER_SIZE + a->time_end)
		return 0;
	return perf_u64(d, r->p + r->n - a->time_end);
}

/* --- perfdata meta ---------------------------------------------------------------------------- */

/* Records that perf itself writes between those of the kernel. */

#define UPDATE_NAME 2u /* EVENT_UPDATE's type: the event's name follows */

static void malformed(struct perfdata *d, const char *what)
{
	xtr_import_damage(d->im, "%s of perf is not well-formed", what);
}

/* struct perf_record_header_attr: an attr, then ids. */
static int attr_record(struct perfdata *d, const struct perf_record *r)
{
	const uint8_t *p = r->p + PERF_HEADER_SIZE, *end = r->p + r->n;
	size_t n = r->n - PERF_HEADER_SIZE, size, index = 0;
	int err;

	if (n < 64) {
		malformed(d, "an attribute");
		return 0;
	}
	size = perf_u32(d, p + 4);
	size = size < 64 ? 64 : size < n ? size : n;
	err = perf_add_attr(d, p, size, &index);
	for (p += size; !err && end - p >= 8; p += 8)
		err = perf_add_id(d, perf_u64(d, p), index);
	return err;
}

/* A size u32, then so many bytes behind the record, in multiples of 8. */
static int tracing_data(struct perfdata *d, const struct perf_record *r, uint64_t at,
			uint64_t *behind)
{
	uint64_t n;

	if (r->n < 12 || !at) {
		malformed(d, "a description of events");
		return 0;
	}
	n = perf_u32(d, r->p + 8);
	*behind = (n + 7) & ~(uint64_t)7;
	return perf_take_feature(d, 1, at + r->n, n);
}

/* AUXTRACE: data of hardware tracing behind it. */
static int auxtrace(struct perfdata *d, const struct perf_record *r, uint64_t *behind)
{
	if (r->n < 16) {
		malformed(d, "a trace of hardware");
		return 0;
	}
	*behind = perf_u64(d, r->p + 8);
	if (*behind < UINT64_MAX - d->aux_bytes)
		d->aux_bytes += *behind;
	return 0;
}

/* nr u64, then id, index, cpu, tid of each. */
static int id_index(struct perfdata *d, const struct perf_record *r)
{
	uint64_t n = r->n >= 16 ? perf_u64(d, r->p + 8) : 0, cpu;
	const uint8_t *p = r->p + 16;
	int err = 0;

	for (; !err && n && r->p + r->n - p >= 32; n--, p += 32) {
		cpu = perf_u64(d, p + 16);
		if (cpu < XTR_IMPORT_CPUS && d->id_cpus.n < PERF_IDS_MAX)
			err = xtr_map_put(&d->id_cpus, perf_u64(d, p), 0, cpu);
	}
	return err;
}

/* type u64, id u64, then what the type says. */
static void event_update(struct perfdata *d, const struct perf_record *r)
{
	const uint64_t *i;
	struct perf_attr *a;

	if (r->n <= 24 || perf_u64(d, r->p + 8) != UPDATE_NAME)
		return;
	i = xtr_map_get(&d->ids, perf_u64(d, r->p + 16), 0);
	a = i ? &d->attrs[*i] : NULL;
	if (!a || a->named)
		return;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)(r->n - 24), (const char *)r->p + 24);
	a->named = a->name[0];
}

int perf_take_meta(struct perfdata *d, const struct perf_record *r, uint64_t at, uint64_t *behind)
{
	switch (r->type) {
	case PERF_R_ROUND:
		return perf_order_round(d);
	case PERF_R_ATTR:
		/* In a file they stand in its head. */
		return d->pipe ? attr_record(d, r) : 0;
	case PERF_R_TRACING_DATA:
		return tracing_data(d, r, at, behind);
	case PERF_R_FEATURE:
		if (r->n < 16 || !at)
			return 0;
		return perf_take_feature(d, (unsigned int)perf_u64(d, r->p + 8), at + 16,
					 r->n - 16);
	case PERF_R_AUXTRACE:
		return auxtrace(d, r, behind);
	case PERF_R_ID_INDEX:
		return id_index(d, r);
	case PERF_R_EVENT_UPDATE:
		event_update(d, r);
		return 0;
	default:
		if (r->type < PERF_TYPES)
			d->left_out[r->type]++;
		return 0;
	}
}
