/* SPDX-License-Identifier: BSD-2-Clause */
/* Features: what perf noted about the machine and the events; and what it becomes in META. */
#include "perfdata_priv.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ATTR_BYTES_MAX 4096u
#define TEXT_BYTES_MAX 65536u

/* header.h, enum header features */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_RELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CLOCK_DATA = 29,
};

/* A length u32, then so many bytes, of which the last ones are 0. NULL: there is none. */
static char *text_of(struct dat_in *in)
{
	uint64_t n = dat_uint(in, 4);

	return n <= TEXT_BYTES_MAX ? dat_bytes(in, n) : NULL;
}

static int keep_text(struct perfdata *d, struct dat_in *in, size_t i)
{
	free(d->texts[i]);
	d->texts[i] = text_of(in);
	return 0;
}

static int hostname(struct perfdata *d, struct dat_in *in)
{
	return keep_text(d, in, 0);
}

static int release(struct perfdata *d, struct dat_in *in)
{
	return keep_text(d, in, 1);
}

static int arch(struct perfdata *d, struct dat_in *in)
{
	return keep_text(d, in, 2);
}

static int version(struct perfdata *d, struct dat_in *in)
{
	return keep_text(d, in, 3);
}

/* Available, online. */
static int cpus(struct perfdata *d, struct dat_in *in)
{
	dat_uint(in, 4);
	d->sys.cpus = (uint32_t)dat_uint(in, 4);
	return 0;
}

/* How many texts, and they. */
static int cmdline(struct perfdata *d, struct dat_in *in)
{
	uint64_t n = dat_uint(in, 4);
	char line[1024] = "", *text;
	size_t at = 0;
	int put;

	for (uint64_t i = 0; i < n && at < sizeof(line) - 1 && (text = text_of(in)); i++) {
		put = snprintf(line + at, sizeof(line) - at, "%s%s", i ? " " : "", text);
		at += put > 0 ? (size_t)put : 0;
		free(text);
	}
	return line[0] ? xtr_import_note(d->im, "import-command", line) : 0;
}

/* For each event its attr, its ids and its name; in the order of the attributes. */
static int event_desc(struct perfdata *d, struct dat_in *in)
{
	uint64_t n = dat_uint(in, 4), size = dat_uint(in, 4), n_ids;
	char *name;
	int err = 0;

	if (size > ATTR_BYTES_MAX)
		return 0;
	for (uint64_t i = 0; !err && i < n && i < d->n_attrs && !in->failed; i++) {
		dat_skip(in, size);
		n_ids = dat_uint(in, 4);
		name = text_of(in);
		if (name && name[0]) {
			snprintf(d->attrs[i].name, sizeof(d->attrs[i].name), "%s", name);
			d->attrs[i].named = true;
		}
		free(name);
		for (; !err && n_ids && !in->failed; n_ids--)
			err = perf_add_id(d, dat_uint(in, 8), i);
	}
	return err;
}

/* Version, clock's number, then the wall clock's and this clock's time at one moment, ns. */
static int clock_data(struct perfdata *d, struct dat_in *in)
{
	dat_skip(in, 8);
	d->wall_ns = dat_uint(in, 8);
	d->wall_clock_ns = dat_uint(in, 8);
	if (in->failed)
		d->wall_ns = d->wall_clock_ns = 0;
	return 0;
}

static int tracing_data(struct perfdata *d, struct dat_in *in)
{
	int err;

	if (d->dat) /* the first one holds */
		return 0;
	d->dat = dat_new(d->im, d->io);
	if (!d->dat)
		return -ENOMEM;
	err = dat_read_tracing_data(d->dat, in->at, in->end - in->at);
	if (d->dat->err)
		return xtr_import_fail(d->im, d->dat->err, "%s", strerror(-d->dat->err));
	return err;
}

static const struct {
	unsigned int id;
	int (*take)(struct perfdata *d, struct dat_in *in);
} features[] = {
	{ FEATURE_TRACING_DATA, tracing_data },
	{ FEATURE_HOSTNAME, hostname },
	{ FEATURE_RELEASE, release },
	{ FEATURE_VERSION, version },
	{ FEATURE_ARCH, arch },
	{ FEATURE_CPUS, cpus },
	{ FEATURE_CMDLINE, cmdline },
	{ FEATURE_EVENT_DESC, event_desc },
	{ FEATURE_CLOCK_DATA, clock_data },
};

int perf_take_feature(struct perfdata *d, unsigned int id, uint64_t at, uint64_t size)
{
	int read_error = 0, err = 0;
	struct dat_in in = {
		.io = d->io, .at = at, .end = at + size, .big = d->big, .err = &read_error
	};

	if (!xtr_fits(at, size, d->size)) {
		xtr_import_damage(d->im, "what perf noted about the machine is cut off");
		return 0;
	}
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (features[i].id == id)
			err = features[i].take(d, &in);
	return err ? err : read_error;
}

/* --- to the importer -------------------------------------------------------------------------- */

static const char *clock_of(const struct perfdata *d)
{
	static const struct {
		int32_t id;
		const char *name;
	} clocks[] = {
		{ 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" }
	};

	/* kernel/events/core.c, perf_event_clock: local_clock, where nothing else was asked for */
	if (!d->attrs[0].use_clockid)
		return "local";
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == d->attrs[0].clockid)
			return clocks[i].name;
	return "unknown";
}

/* Types whose events may have a stack say so before the first of them. */
static int find_tracepoints(struct perfdata *d)
{
	struct dat_event_type *t;
	int err = 0;

	for (size_t i = 0; !err && d->dat && i < d->n_attrs; i++) {
		struct perf_attr *a = &d->attrs[i];

		if (a->type != PERF_T_TRACEPOINT || a->config >= DAT_EVENTS_MAX ||
		    !d->dat->events[a->config].f)
			continue;
		err = dat_type_by_id(d->dat, (uint32_t)a->config, &t);
		if (!err && t && a->sample_type & PERF_CALLCHAIN)
			xtr_import_type_stacks(d->im, t->type);
	}
	return err;
}

int perf_note_number(struct perfdata *d, const char *key, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return n ? xtr_import_note(d->im, key, text) : 0;
}

static int tell_clock(struct perfdata *d)
{
	int err;

	if (!d->any_time)
		return xtr_import_without_times(d->im);
	err = xtr_import_clock(d->im, clock_of(d));
	if (!err && d->wall_ns && d->attrs[0].use_clockid)
		err = xtr_import_wall_clock(d->im, d->wall_clock_ns, d->wall_ns);
	return err;
}

int perf_tell_facts(struct perfdata *d)
{
	char tool[128];
	int err;

	if (d->told || !d->n_attrs)
		return 0;
	d->told = true;
	d->sys.hostname = d->texts[0];
	d->sys.release = d->texts[1];
	d->sys.machine = d->texts[2];
	if (d->dat && d->dat->n_strings)
		xtr_import_resolver(d->im, dat_resolve, d->dat);
	err = tell_clock(d) ?: xtr_import_system(d->im, &d->sys);
	if (!err && d->texts[3]) {
		snprintf(tool, sizeof(tool), "perf %s", d->texts[3]);
		err = xtr_import_note(d->im, "import-tool", tool);
	}
	if (!err && d->big)
		err = xtr_import_note(d->im, "import-byte-order", "big endian");
	return err ? err : find_tracepoints(d);
}

/* Records that say something of the trace which is not taken; the others are perf's housekeeping.
 */
static const struct {
	unsigned int type;
	const char *key;
} said[] = {
	{ 8, "import-counts-left-out" },       { 14, "import-switches-left-out" },
	{ 15, "import-switches-left-out" },    { 16, "import-namespaces-left-out" },
	{ 22, "import-user-stacks-left-out" }, { 76, "import-statistics-left-out" },
};

int perf_tell_rest(struct perfdata *d)
{
	int err = perf_note_number(d, "import-late", d->order.late);

	for (size_t i = 0; !err && i < sizeof(said) / sizeof(said[0]); i++)
		err = perf_note_number(d, said[i].key, d->left_out[said[i].type]);
	err = err ?: perf_note_number(d, "import-aux-bytes-left-out", d->aux_bytes) ?:
	      perf_note_number(d, "import-events-without-cpu", d->no_cpu);
	if (!err && d->no_cpu && d->no_cpu == d->seen)
		err = xtr_import_note(d->im, "import-without-cpus", "all events are CPU 0's");
	return err;
}
