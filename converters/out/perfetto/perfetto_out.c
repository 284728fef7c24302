/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfetto_out.h"

#include "base/varint.h"

#include <errno.h>

#define BLOCK      (128u << 10) /* bytes of packets that are written, or compressed, at once */
#define TAG_PACKET 0x0a         /* Trace.packet, length-delimited */

static int add_packet(struct xtr_buf *b, const Pf__TracePacket *p)
{
	size_t n = pf__trace_packet__get_packed_size(p);
	uint8_t *at = xtr_buf_room(b, n + 1 + XTR_VARINT_MAX), *begin = at;

	if (!at)
		return b->err;
	*at++ = TAG_PACKET;
	at = xtr_varint_put(at, n);
	at += pf__trace_packet__pack(p, at);
	b->n += (size_t)(at - begin);
	return 0;
}

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
	Pf__TracePacket p = PF__TRACE_PACKET__INIT;
	uLong most = deflateBound(&o->z, o->block.n);
	struct xtr_buf framed = { 0 };
	int ret;

	o->packed.n = 0;
	if (!xtr_buf_room(&o->packed, most))
		return o->packed.err;
	o->z.next_in = o->block.p;
	o->z.avail_in = (uInt)o->block.n;
	o->z.next_out = o->packed.p;
	o->z.avail_out = (uInt)most;
	if (deflate(&o->z, Z_FINISH) != Z_STREAM_END || deflateReset(&o->z) != Z_OK)
		return -EIO;
	p.has_compressed_packets = true;
	p.compressed_packets.data = o->packed.p;
	p.compressed_packets.len = most - o->z.avail_out;
	o->block.n = 0;
	ret = add_packet(&framed, &p);
	if (!ret)
		ret = write_all(o, &framed);
	xtr_buf_free(&framed);
	return ret;
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

int pf_out_packet(struct pf_out *o, const Pf__TracePacket *p)
{
	int ret = add_packet(&o->block, p);

	return ret ? ret : pf_out_added(o);
}
