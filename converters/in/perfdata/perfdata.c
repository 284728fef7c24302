/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data. A file has a header with the places of attributes and records, and features behind the
 * records; what came through a pipe has a magic and records alone. The magic is written in the
 * byte order of the machine.
 */
#include "perfdata.h"
#include "perfdata_priv.h"

#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAGIC_LEN     8u
#define PIPE_HEADER   16u  /* bytes: magic, size */
#define FILE_HEADER   104u /* with places of attributes, data and event types, and features */
#define SECTION_BYTES 16u  /* offset and size */
#define AT_FEATURES   72u
#define FEATURES      256u
#define ATTR_MAX      4096u
#define HOSTNAME      3u /* the feature that every perf notes */
#define DIR_FORMAT    24u

struct section {
	uint64_t at, size;
};

static bool is_big(const uint8_t *head)
{
	return !memcmp(head, "2ELIFREP", MAGIC_LEN);
}

bool xtr_perfdata_detect(const uint8_t *head, size_t n)
{
	return n >= MAGIC_LEN && (!memcmp(head, "PERFILE2", MAGIC_LEN) || is_big(head) ||
				  !memcmp(head, "PERFFILE", MAGIC_LEN));
}

static struct section section_at(const struct perfdata *d, const uint8_t *p)
{
	return (struct section){ perf_u64(d, p), perf_u64(d, p + 8) };
}

/* --- the head of a file ----------------------------------------------------------------------- */

static int read_bytes(struct perfdata *d, uint64_t at, uint8_t *buf, size_t n)
{
	int err = d->io->ops->read_at(d->io, at, buf, n);

	return err ? xtr_import_fail(d->im, err, "cannot read at byte %" PRIu64 ": %s", at,
				     strerror(-err))
		   : 0;
}

static int read_ids(struct perfdata *d, struct section ids, size_t attr)
{
	uint8_t id[8];
	int err = 0;

	if (!xtr_fits(ids.at, ids.size, d->size)) {
		xtr_import_damage(d->im, "the ids of an event are cut off");
		return 0;
	}
	for (uint64_t i = 0; !err && i < ids.size / sizeof(id); i++) {
		err = read_bytes(d, ids.at + i * sizeof(id), id, sizeof(id))
			      ?: perf_add_id(d, perf_u64(d, id), attr);
	}
	return err;
}

/* attr_size: bytes of an attribute and of the place of its ids. */
static int read_attrs(struct perfdata *d, struct section attrs, uint64_t attr_size)
{
	uint8_t buf[ATTR_MAX];
	size_t index;
	int err = 0;

	if (attr_size < 64 + SECTION_BYTES || attr_size > ATTR_MAX)
		return xtr_import_fail(d->im, -EBADMSG, "attributes of %" PRIu64 " bytes",
				       attr_size);
	if (!xtr_fits(attrs.at, attrs.size, d->size))
		return xtr_import_fail(d->im, -EBADMSG, "the file ends in its attributes");
	for (uint64_t i = 0; !err && i < attrs.size / attr_size; i++) {
		err = read_bytes(d, attrs.at + i * attr_size, buf, (size_t)attr_size) ?:
		      perf_add_attr(d, buf, (size_t)attr_size - SECTION_BYTES, &index) ?:
		      read_ids(d, section_at(d, buf + attr_size - SECTION_BYTES), index);
	}
	return err;
}

/*
 * Features are a bitmap of the kernel's longs. On big-endian machines of 32 bits its halves stand
 * the other way round (tools/perf/util/header.c, perf_file_header__read).
 */
static bool has_feature(const uint8_t *bits, bool big, bool narrow, unsigned int i)
{
	unsigned int byte = i / 8;

	if (big)
		byte ^= narrow ? 3 : 7;
	return bits[byte] >> (i % 8) & 1;
}

static int read_features(struct perfdata *d, const uint8_t *bits, uint64_t at)
{
	const bool narrow = d->big && !has_feature(bits, true, false, HOSTNAME);
	struct section s;
	uint8_t entry[SECTION_BYTES];
	int err = 0;

	if (has_feature(bits, d->big, narrow, DIR_FORMAT))
		return xtr_import_fail(d->im, -EPROTONOSUPPORT,
				       "a part of a directory that 'perf record --threads' wrote: "
				       "record without --threads");
	for (unsigned int i = 0; !err && i < FEATURES; i++) {
		if (!has_feature(bits, d->big, narrow, i))
			continue;
		if (!xtr_fits(at, sizeof(entry), d->size)) {
			xtr_import_damage(d->im, "what perf noted about the machine is cut off");
			break;
		}
		err = read_bytes(d, at, entry, sizeof(entry));
		s = section_at(d, entry);
		at += sizeof(entry);
		if (!err)
			err = perf_take_feature(d, i, s.at, s.size);
	}
	return err;
}

static int read_file(struct perfdata *d, const uint8_t *head)
{
	struct section attrs = section_at(d, head + 24), data = section_at(d, head + 40);
	int err = read_attrs(d, attrs, perf_u64(d, head + 16));

	if (err)
		return err;
	if (!data.size && data.at < d->size) {
		/* It is filled in when perf ends. */
		xtr_import_damage(d->im, "perf record did not end: nothing about the machine");
		data.size = d->size - data.at;
		d->cut = true;
	} else if (!xtr_fits(data.at, data.size, d->size)) {
		xtr_import_damage(d->im, "the file is cut off");
		data.size = data.at < d->size ? d->size - data.at : 0;
		d->cut = true;
	} else {
		err = read_features(d, head + AT_FEATURES, data.at + data.size);
	}
	return err || !data.size ? err : perf_read_records(d, data.at, data.at + data.size);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Losses that have no place in time: what is cut off, what only the counts of the end tell. */
static int tell_losses(struct perfdata *d)
{
	int err = 0;

	if (d->lost_samples > d->lost)
		err = xtr_import_lost(d->im, PERF_CPU_UNKNOWN, d->first_ts, d->max_ts,
				      d->lost_samples - d->lost);
	if (!err && d->cut)
		err = xtr_import_lost(d->im, PERF_CPU_UNKNOWN, d->max_ts, d->max_ts, 0);
	for (uint32_t cpu = 0; !err && cpu < XTR_IMPORT_CPUS; cpu++)
		if (d->throttled[cpu])
			err = xtr_import_lost(d->im, cpu, d->throttled[cpu], d->max_ts, 0);
	return err;
}

static int read_head(struct perfdata *d, uint8_t *head)
{
	uint64_t size;

	if (d->size < PIPE_HEADER)
		return xtr_import_fail(d->im, -EBADMSG, "the file ends in its header");
	memset(head, 0, FILE_HEADER);
	if (read_bytes(d, 0, head, d->size < FILE_HEADER ? (size_t)d->size : FILE_HEADER))
		return -EIO;
	if (!memcmp(head, "PERFFILE", MAGIC_LEN))
		return xtr_import_fail(d->im, -EPROTONOSUPPORT,
				       "perf.data as before Linux 2.6.37, which nothing reads");
	if (!xtr_perfdata_detect(head, MAGIC_LEN))
		return xtr_import_fail(d->im, -EBADMSG, "not a perf.data");
	d->big = is_big(head);
	size = perf_u64(d, head + 8);
	d->pipe = size == PIPE_HEADER;
	if (!d->pipe && (size < FILE_HEADER || d->size < FILE_HEADER))
		return xtr_import_fail(d->im, -EBADMSG, "a header of %" PRIu64 " bytes", size);
	return 0;
}

static int read_all(struct perfdata *d)
{
	uint8_t head[FILE_HEADER];
	int err = read_head(d, head) ?:
		  (d->pipe ? perf_read_records(d, PIPE_HEADER, d->size) : read_file(d, head)) ?:
		  perf_order_all(d);

	if (!err && !d->n_attrs)
		return xtr_import_fail(d->im, -EBADMSG, "the file has no events");
	return err ?: perf_tell_facts(d) ?: tell_losses(d) ?: perf_tell_rest(d);
}

static void release(struct perfdata *d)
{
	perf_order_free(&d->order);
	perf_maps_free(&d->maps);
	perf_zstd_free(d->zstd);
	xtr_map_free(&d->ids);
	xtr_map_free(&d->id_cpus);
	dat_free(d->dat);
	for (size_t i = 0; i < sizeof(d->texts) / sizeof(d->texts[0]); i++)
		free(d->texts[i]);
	free(d->attrs);
	free(d);
}

int xtr_perfdata_run(struct xtr_import *im, struct xtr_io *in)
{
	struct perfdata *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->im = im;
	d->io = in;
	err = in->ops->size(in, &d->size) ?: read_all(d);
	release(d);
	return err;
}
