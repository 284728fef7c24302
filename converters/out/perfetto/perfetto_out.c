/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfetto_out.h"

#include "perfetto_fields.h"
#include "perfetto_wire.h"

#include <errno.h>

#define BLOCK (128u << 10) /* bytes of packets that are written, or compressed, at once */

static int write_all(struct pf_out *o, struct xtr_buf *b)
{
	size_t n;

	errno = 0;
	n = fwrite(b->p, 1, b->n, o->f);
	if (n != b->n)
		return errno ? -errno : -EIO;
	b->n = 0;
	return 0;
}

#ifdef HAVE_ZLIB

static int compress_init(struct pf_out *o)
{
	if (deflateInit(&o->z, Z_DEFAULT_COMPRESSION) != Z_OK)
		return -ENOMEM;
	o->z_ready = true;
	return 0;
}

static void compress_free(struct pf_out *o)
{
	if (o->z_ready)
		deflateEnd(&o->z);
}

/* A block becomes one packet that holds a trace of its own. */
static int compress_block(struct pf_out *o)
{
	uLong most = deflateBound(&o->z, o->block.n);
	struct xtr_buf framed = { 0 };
	size_t at;
	int err;

	o->packed.n = 0;
	if (!xtr_buf_room(&o->packed, most))
		return o->packed.err;
	o->z.next_in = o->block.p;
	o->z.avail_in = (uInt)o->block.n;
	o->z.next_out = o->packed.p;
	o->z.avail_out = (uInt)most;
	if (deflate(&o->z, Z_FINISH) != Z_STREAM_END || deflateReset(&o->z) != Z_OK)
		return -EIO;
	o->block.n = 0;
	at = pf_message(&framed, PF_TRACE_PACKET);
	pf_put_bytes(&framed, PF_PACKET_COMPRESSED, o->packed.p, most - o->z.avail_out);
	pf_message_end(&framed, at);
	err = framed.err ? framed.err : write_all(o, &framed);
	xtr_buf_free(&framed);
	return err;
}

#else

static int compress_init(struct pf_out *o)
{
	(void)o;
	return -ENOTSUP;
}

static void compress_free(struct pf_out *o)
{
	(void)o;
}

static int compress_block(struct pf_out *o)
{
	(void)o;
	return -ENOTSUP;
}

#endif

int pf_out_init(struct pf_out *o, FILE *f, bool compress)
{
	*o = (struct pf_out){ .f = f, .compress = compress };
	return compress ? compress_init(o) : 0;
}

void pf_out_free(struct pf_out *o)
{
	compress_free(o);
	xtr_buf_free(&o->block);
	xtr_buf_free(&o->packed);
	*o = (struct pf_out){ 0 };
}

int pf_out_flush(struct pf_out *o)
{
	if (!o->block.n)
		return 0;
	return o->compress ? compress_block(o) : write_all(o, &o->block);
}

int pf_out_added(struct pf_out *o)
{
	if (o->block.err)
		return o->block.err;
	return o->block.n < BLOCK ? 0 : pf_out_flush(o);
}
