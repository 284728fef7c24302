/* SPDX-License-Identifier: BSD-2-Clause */
/* One group of chunks that are packed together: everything that another thread may do. */
#ifndef XTR_PACK_JOB_H
#define XTR_PACK_JOB_H

#include "base/buf.h"
#include "format/codec/columns.h"
#include "format/read/decode.h"
#include "pack.h"

/* A chunk that came out; its payload is in the job's `out`. */
struct pack_part {
	struct xtr_chunk c;
	size_t at;
};

/* Kept from group to group. A zeroed structure is an empty one. */
struct pack_job {
	const struct xtr_reader *r;
	const struct xtr_pack_opts *o;
	struct xtr_columns_enc *columns;
	struct xtr_decoder decoder;
	void *lz4; /* state of LZ4-HC */

	const struct xtr_chunk **member; /* in order, of one stream */
	size_t n_members, cap_members;
	uint32_t n;     /* records of them */
	size_t rec_len; /* bytes of those */

	uint8_t *recs, *one;
	size_t cap_recs, cap_one;
	struct xtr_buf out;
	struct pack_part *part;
	size_t n_parts, cap_parts;
	bool keep; /* the members are no larger as they are stored */
	int err;
};

/* meta: of the records; it must outlive the job. 0 or -errno; pack_job_free in any case. */
int pack_job_init(struct pack_job *j, const struct xtr_reader *r, const struct xtr_meta *meta,
		  const struct xtr_pack_opts *o);
void pack_job_free(struct pack_job *j);
/* Decode the members and pack them into parts; j->err says how that went. */
void pack_job_run(struct pack_job *j);

#endif /* XTR_PACK_JOB_H */
