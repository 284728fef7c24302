/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Version 7: the header names a compression and the place of the first section of options; options
 * lead to all other sections, and the last one of a section to the next section of options.
 */
#include "tracedat_priv.h"
#include "converters/in/core/inflate.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_HEADER  16u
#define FLAG_COMPRESSED 1u
#define OPTIONS_MAX     1024u /* sections of options, one after the other */
#define UNPACKED_MAX    ((uint32_t)DAT_META_BYTES)

enum {
	OPT_DONE = 0,
	OPT_BUFFER = 3,
	OPT_HEADER_INFO = 16,
	OPT_FTRACE_EVENTS = 17,
	OPT_EVENT_FORMATS = 18,
	OPT_PRINTK = 20,
	OPT_CMDLINES = 21,
	OPT_BUFFER_TEXT = 22,
};

/* A section's contents, decompressed if it was compressed: free mem. */
struct section {
	struct dat_in in;
	uint8_t *mem;
	bool packed;
};

static int unpack(struct dat *d, struct section *s)
{
	uint32_t packed = (uint32_t)dat_uint(&s->in, 4), n = (uint32_t)dat_uint(&s->in, 4);
	char *from = n > UNPACKED_MAX ? NULL : dat_bytes(&s->in, packed);
	size_t got = 0;
	int err = from ? 0 : -EBADMSG;

	if (!err && !(s->mem = malloc((size_t)n + 1)))
		err = -ENOMEM;
	if (!err)
		err = xtr_inflate(d->codec, (const uint8_t *)from, packed, s->mem, n, &got);
	free(from);
	if (err == -EBADMSG)
		return xtr_import_fail(d->im, err, "a compressed section is damaged");
	s->in = (struct dat_in){ .mem = s->mem, .end = got, .big = d->big, .err = &d->err };
	return err;
}

/* Open the section at offset, which must have this id. */
static int open_section(struct dat *d, uint64_t offset, unsigned int id, bool whole,
			struct section *s)
{
	unsigned int found, flags;
	uint64_t size;

	*s = (struct section){
		.in = { .io = d->io, .at = offset, .end = d->size, .big = d->big, .err = &d->err }
	};
	if (!xtr_fits(offset, SECTION_HEADER, d->size))
		return xtr_import_fail(d->im, -EBADMSG,
				       "the file ends before section %u, at byte %" PRIu64, id,
				       offset);
	found = (unsigned int)dat_uint(&s->in, 2);
	flags = (unsigned int)dat_uint(&s->in, 2);
	dat_skip(&s->in, 4); /* a description for people */
	size = dat_uint(&s->in, 8);
	if (found != id)
		return xtr_import_fail(d->im, -EBADMSG, "section %u is not at byte %" PRIu64, id,
				       offset);
	if (xtr_fits(s->in.at, size, d->size))
		s->in.end = s->in.at + size;
	s->packed = (flags & FLAG_COMPRESSED) != 0;
	return whole && s->packed ? unpack(d, s) : 0;
}

static int read_section(struct dat *d, struct dat_in *opt, unsigned int id,
			int (*read)(struct dat *d, struct dat_in *in))
{
	struct section s;
	int err = open_section(d, dat_uint(opt, 8), id, true, &s) ?: read(d, &s.in);

	free(s.mem);
	return err;
}

/*
 * Each CPU's compressed data begins with the number of its pieces, which is not counted in its size
 * (trace-cmd 3.1). The pieces tell their own lengths.
 */
static int count_pieces(struct dat *d, struct dat_cpu *c)
{
	struct dat_in in = {
		.io = d->io, .at = c->at, .end = c->end, .big = d->big, .err = &d->err
	};

	c->pieces = (uint32_t)dat_uint(&in, 4);
	if (in.failed) {
		xtr_import_damage(d->im, "the data of CPU %u is cut off", c->cpu);
		d->cut = true;
		c->pieces = 0;
	}
	c->at = in.at;
	c->end = d->size;
	return 0;
}

static int read_buffer(struct dat *d, struct dat_in *opt)
{
	char name[64], clock[32];
	struct section s;
	uint32_t page, n, cpu;
	uint64_t at = dat_uint(opt, 8), size;
	size_t had;
	int err;

	dat_text(opt, name, sizeof(name));
	dat_text(opt, clock, sizeof(clock));
	page = (uint32_t)dat_uint(opt, 4);
	n = (uint32_t)dat_uint(opt, 4);
	if (opt->failed || n > DAT_CPUS_MAX || ++d->n_buffers > DAT_BUFFERS_MAX)
		return xtr_import_fail(d->im, -EBADMSG, "the description of a buffer is wrong");
	if (!d->clock[0] || !name[0])
		memcpy(d->clock, clock, sizeof(clock));
	err = open_section(d, at, OPT_BUFFER, false, &s);
	for (uint32_t i = 0; !err && i < n; i++) {
		cpu = (uint32_t)dat_uint(opt, 4);
		at = dat_uint(opt, 8);
		size = dat_uint(opt, 8);
		if (opt->failed)
			return xtr_import_fail(d->im, -EBADMSG,
					       "the description of a buffer is wrong");
		had = d->n_cpus;
		err = dat_add_cpu(d, cpu, at, size, page, s.packed);
		if (!err && s.packed && d->n_cpus > had)
			err = count_pieces(d, &d->cpus[had]);
	}
	return err;
}

static int refuse_text(struct dat *d, struct dat_in *opt)
{
	(void)opt;
	if (d->n_buffers)
		return 0;
	return xtr_import_fail(
		d->im, -EPROTONOSUPPORT,
		"a trace.dat of text (a latency tracer's): 'trace-cmd report' prints it");
}

/*
 * In the order in which they are needed: buffers need the header's information. What leads to a
 * section of the same number is read there, the others are read themselves.
 */
static const struct {
	unsigned int id;
	int (*section)(struct dat *d, struct dat_in *in);
	int (*option)(struct dat *d, struct dat_in *opt);
} leads[] = {
	{ OPT_HEADER_INFO, dat_header_info, NULL },
	{ OPT_FTRACE_EVENTS, dat_ftrace_formats, NULL },
	{ OPT_EVENT_FORMATS, dat_event_formats, NULL },
	{ OPT_PRINTK, dat_printk, NULL },
	{ OPT_CMDLINES, dat_cmdlines, NULL },
	{ OPT_BUFFER, NULL, read_buffer },
	{ OPT_BUFFER_TEXT, NULL, refuse_text },
};
#define LEADS (sizeof(leads) / sizeof(leads[0]))

/* The options of one section that lead to section `id` (0: all others). *next: the next section. */
static int walk_options(struct dat *d, struct dat_in in, unsigned int lead, uint64_t *next)
{
	struct dat_in one;
	unsigned int id;
	uint64_t n;
	int err = 0;

	*next = 0;
	while (!err && in.at < in.end) {
		id = (unsigned int)dat_uint(&in, 2);
		n = dat_uint(&in, 4);
		one = in;
		dat_skip(&in, n);
		if (in.failed)
			return xtr_import_fail(d->im, -EBADMSG, "the file's options are damaged");
		one.end = in.at;
		if (id == OPT_DONE) {
			*next = n >= 8 ? dat_uint(&one, 8) : 0;
			break;
		}
		if (lead < LEADS && id == leads[lead].id)
			err = leads[lead].section ? read_section(d, &one, id, leads[lead].section)
						  : leads[lead].option(d, &one);
		else if (lead == LEADS)
			err = dat_option(d, id, &one);
	}
	return err;
}

static int walk_sections(struct dat *d, uint64_t at, unsigned int lead)
{
	struct section s;
	int err = 0;

	for (unsigned int i = 0; !err && at; i++) {
		if (i == OPTIONS_MAX)
			return xtr_import_fail(d->im, -EBADMSG, "the file's options have no end");
		err = open_section(d, at, 0, true, &s) ?: walk_options(d, s.in, lead, &at);
		free(s.mem);
	}
	return err;
}

int dat_read_v7(struct dat *d, struct dat_in *in)
{
	char version[32];
	uint64_t at;
	int err;

	if (!dat_text(in, d->codec, sizeof(d->codec)) || !dat_text(in, version, sizeof(version)))
		return xtr_import_fail(d->im, -EBADMSG, "the file ends in its header");
	err = xtr_inflate_knows(d->codec);
	if (err == -EOPNOTSUPP)
		return xtr_import_fail(d->im, err,
				       "compressed with %s, which this xtr was built without",
				       d->codec);
	if (err)
		return xtr_import_fail(d->im, err, "compressed with '%s', which is not known",
				       d->codec);
	at = dat_uint(in, 8);
	if (in->failed || !at)
		return xtr_import_fail(d->im, -EBADMSG, "the file has no options");
	for (unsigned int lead = 0; !err && lead <= LEADS; lead++)
		err = walk_sections(d, at, lead);
	if (!err && !d->n_buffers)
		return xtr_import_fail(d->im, -EBADMSG, "the file has no events");
	return err;
}
