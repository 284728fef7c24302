/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.dat: the magic, "tracing", a version, the byte order, the size of a long and of a page. In
 * version 6 everything else follows in a fixed order; version 7 has sections (tracedat_v7.c).
 */
#include "tracedat.h"
#include "tracedat_priv.h"

#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC      "\x17\x08\x44tracing"
#define MAGIC_LEN  10u
#define MARK_LEN   10u /* "options  ", "flyrecord", ... with their 0 byte */
#define OPT_DONE   0
#define OPT_BUFFER 3

bool xtr_tracedat_detect(const uint8_t *head, size_t n)
{
	return n > MAGIC_LEN && !memcmp(head, MAGIC, MAGIC_LEN);
}

int dat_add_cpu(struct dat *d, uint32_t cpu, uint64_t offset, uint64_t size, uint32_t page_size,
		bool packed)
{
	struct dat_cpu *c;

	if (!size)
		return 0;
	if (cpu >= XTR_IMPORT_CPUS || d->n_cpus >= DAT_CPUS_MAX)
		return xtr_import_fail(d->im, -EFBIG, "more than %u CPUs", XTR_IMPORT_CPUS);
	if (page_size <= d->layout.data_at || page_size > DAT_PAGE_MAX)
		return xtr_import_fail(d->im, -EBADMSG, "pages of %u bytes", page_size);
	if (xtr_grow_array(&d->cpus, &d->cap_cpus, d->n_cpus + 1, sizeof(*c)))
		return -ENOMEM;
	if (!xtr_fits(offset, size, d->size)) {
		xtr_import_damage(d->im, "the data of CPU %u is cut off", cpu);
		size = offset < d->size ? d->size - offset : 0;
		d->cut = true;
	}
	c = &d->cpus[d->n_cpus++];
	*c = (struct dat_cpu){ .d = d,
			       .cpu = cpu,
			       .packed = packed,
			       .at = offset,
			       .end = offset + size,
			       .page_size = page_size };
	return 0;
}

/* --- version 6 -------------------------------------------------------------------------------- */

/* "flyrecord" was read: offset and size of each CPU's data. */
static int cpu_table(struct dat *d, struct dat_in *in)
{
	uint32_t page = d->layout_page > d->page_size ? d->layout_page : d->page_size;
	uint64_t offset, size;
	int err = 0;

	if (++d->n_buffers > DAT_BUFFERS_MAX)
		return xtr_import_fail(d->im, -EFBIG, "more than %u buffers", DAT_BUFFERS_MAX);
	for (uint32_t i = 0; !err && i < d->v6_cpus; i++) {
		offset = dat_uint(in, 8);
		size = dat_uint(in, 8);
		if (in->failed) {
			xtr_import_damage(d->im, "the file ends before the data of CPU %u", i);
			d->cut = true;
			break;
		}
		err = dat_add_cpu(d, i, offset, size, page, false);
	}
	return err;
}

/* An instance may have options of its own before its table: they tell nothing that is used. */
static void skip_options(struct dat_in *in)
{
	while (!in->failed && dat_uint(in, 2) != OPT_DONE)
		dat_skip(in, dat_uint(in, 4));
}

/* An instance: where its own table stands, and its name. */
static int instance(struct dat *d, struct dat_in *in)
{
	uint64_t offset = dat_uint(in, 8);
	struct dat_in there = {
		.io = d->io, .at = offset, .end = d->size, .big = d->big, .err = &d->err
	};
	char mark[MARK_LEN];

	if (offset > d->size) {
		xtr_import_damage(d->im, "the data of a buffer is cut off");
		d->cut = true;
		return 0;
	}
	dat_text(&there, mark, sizeof(mark));
	if (!strcmp(mark, "options  ")) {
		skip_options(&there);
		dat_text(&there, mark, sizeof(mark));
	}
	if (there.failed || strcmp(mark, "flyrecord") != 0) {
		xtr_import_damage(d->im, "a buffer's data is not where it should be");
		d->cut = true;
		return 0;
	}
	return cpu_table(d, &there);
}

/*
 * The options, without instances or these alone: how many CPUs an instance has may be said behind
 * it (trace-cmd since 2016).
 */
static int options_v6(struct dat *d, struct dat_in *in, bool instances)
{
	struct dat_in one;
	unsigned int id;
	uint64_t n;
	int err = 0;

	while (!err && (id = (unsigned int)dat_uint(in, 2)) != OPT_DONE) {
		n = dat_uint(in, 4);
		one = *in;
		dat_skip(in, n);
		if (in->failed)
			break;
		one.end = in->at;
		if (id != OPT_BUFFER)
			err = instances ? 0 : dat_option(d, id, &one);
		else if (instances)
			err = instance(d, &one);
	}
	return err;
}

static int refuse_latency(struct dat *d)
{
	return xtr_import_fail(
		d->im, -EPROTONOSUPPORT,
		"a trace.dat of text (a latency tracer's): 'trace-cmd report' prints it");
}

/* What follows the descriptions: options, then where the data is. */
static int data_v6(struct dat *d, struct dat_in *in)
{
	struct dat_in again;
	char mark[MARK_LEN];
	int err = 0;

	d->v6_cpus = (uint32_t)dat_uint(in, 4);
	if (d->v6_cpus > DAT_CPUS_MAX)
		return xtr_import_fail(d->im, -EFBIG, "%u CPUs", d->v6_cpus);
	d->cpu_count = d->v6_cpus;
	dat_text(in, mark, sizeof(mark));
	if (!strcmp(mark, "options  ")) {
		again = *in;
		err = options_v6(d, &again, false);
		if (d->cpu_count > 0 && d->cpu_count <= DAT_CPUS_MAX)
			d->v6_cpus = d->cpu_count;
		if (!err)
			err = options_v6(d, in, true);
		if (!err)
			dat_text(in, mark, sizeof(mark));
	}
	if (err)
		return err;
	if (!strcmp(mark, "flyrecord"))
		return cpu_table(d, in);
	if (!strcmp(mark, "latency  "))
		return refuse_latency(d);
	return xtr_import_fail(d->im, -EBADMSG, "the file ends before its events");
}

/* What describes the events, up to the names of tasks, which perf's version 0.5 has not. */
static int descriptions(struct dat *d, struct dat_in *in, bool cmdlines)
{
	uint64_t n;
	int err = dat_header_info(d, in) ?: dat_ftrace_formats(d, in) ?: dat_event_formats(d, in);

	if (err)
		return err;
	n = dat_uint(in, 4);
	dat_skip(in, n); /* kallsyms */
	err = dat_printk(d, in);
	if (!err && cmdlines)
		err = dat_cmdlines(d, in);
	return err;
}

static int read_v6(struct dat *d, struct dat_in *in)
{
	return descriptions(d, in, true) ?: data_v6(d, in);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* What the machine was, behind the version. */
static int read_machine(struct dat *d, struct dat_in *in)
{
	d->big = dat_uint(in, 1) != 0;
	in->big = d->big;
	d->long_size = (uint32_t)dat_uint(in, 1);
	d->page_size = (uint32_t)dat_uint(in, 4);
	if (in->failed || (d->long_size != 4 && d->long_size != 8))
		return xtr_import_fail(d->im, -EBADMSG, "not a trace.dat");
	return 0;
}

/* linux, tools/perf/util/trace-event-info.c: version "0.6", in old files "0.5". */
int dat_read_tracing_data(struct dat *d, uint64_t at, uint64_t size)
{
	struct dat_in in = { .io = d->io, .at = at, .end = at + size, .err = &d->err };
	char magic[MAGIC_LEN + 1], version[8];

	for (unsigned int i = 0; i < MAGIC_LEN; i++)
		magic[i] = (char)dat_uint(&in, 1);
	if (in.failed || memcmp(magic, MAGIC, MAGIC_LEN) != 0 ||
	    !dat_text(&in, version, sizeof(version)))
		return xtr_import_fail(d->im, -EBADMSG, "its descriptions of events are damaged");
	return read_machine(d, &in) ?: descriptions(d, &in, strcmp(version, "0.5") != 0);
}

static int read_start(struct dat *d, struct dat_in *in)
{
	char version[8], *end;

	dat_skip(in, MAGIC_LEN);
	if (!dat_text(in, version, sizeof(version)))
		return xtr_import_fail(d->im, -EBADMSG, "not a trace.dat");
	d->version = (unsigned int)strtoul(version, &end, 10);
	if (end == version || *end || d->version < 1 || d->version > 7)
		return xtr_import_fail(d->im, -EPROTONOSUPPORT, "trace.dat of version '%s'",
				       version);
	return read_machine(d, in);
}

void dat_free(struct dat *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_cpus; i++)
		dat_cpu_free(&d->cpus[i]);
	free(d->cpus);
	for (size_t i = 0; i < d->events_end; i++)
		xtr_tp_format_free(d->events[i].f);
	free(d->events);
	free(d->strings);
	free(d->printk);
	free(d);
}

static int read_all(struct dat *d)
{
	struct dat_in in = { .io = d->io, .end = d->size, .err = &d->err };
	int err = read_start(d, &in) ?: (d->version < 7 ? read_v6(d, &in) : dat_read_v7(d, &in)) ?:
		  dat_tell_facts(d);

	/* What is cut off was at the end, of events that nobody counted. */
	if (!err && d->cut)
		err = xtr_import_lost(d->im, XTR_IMPORT_CPUS, 0, 0, 0);
	return err ? err : dat_merge(d);
}

struct dat *dat_new(struct xtr_import *im, struct xtr_io *io)
{
	struct dat *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->im = im;
	d->io = io;
	d->type_size = 2;
	d->events = calloc(DAT_EVENTS_MAX, sizeof(*d->events));
	if (d->events)
		return d;
	free(d);
	return NULL;
}

int xtr_tracedat_run(struct xtr_import *im, struct xtr_io *in)
{
	struct dat *d = dat_new(im, in);
	int err = d ? in->ops->size(in, &d->size) : -ENOMEM;

	if (!d)
		return err;
	if (!err)
		err = read_all(d);
	if (d->err) /* whatever came of it */
		err = xtr_import_fail(im, d->err, "%s",
				      d->err == -ENOMEM ? "out of memory" : strerror(-d->err));
	dat_free(d);
	return err;
}
