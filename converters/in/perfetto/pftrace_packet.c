/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets, one after the other. A packet that cannot be read costs itself; where no packet begins,
 * the next place is looked for at which several follow each other.
 */
#include "pftrace_core.h"
#include "converters/in/core/inflate.h"
#include "pftrace.h"

#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW      ((size_t)1 << 20) /* bytes of the file, where no packet is larger */
#define LOOK        512u              /* bytes at which packets are told from others */
#define TAG         0x0au             /* Trace.packet */
#define HEAD_MAX    11u               /* bytes of a tag and a length */
#define GROWTH      256u              /* what is compressed may become so many times the file ... */
#define GROWTH_FREE ((uint64_t)256 << 20) /* ... and so many bytes */

/* Fields of TracePacket. */
enum {
	F_FTRACE = 1,
	F_PROCESS_TREE = 2,
	F_CLOCKS = 6,
	F_TIMESTAMP = 8,
	F_PROCESS_STATS = 9,
	F_SEQ_ID = 10,
	F_TRACK_EVENT = 11,
	F_INTERNED = 12,
	F_FLAGS = 13,
	F_CONFIG = 33,
	F_FTRACE_STATS = 34,
	F_TRACE_STATS = 35,
	F_SYNC = 36,
	F_CLEARED = 41,
	F_DROPPED = 42,
	F_SYSTEM = 45,
	F_ZLIB = 50,
	F_CLOCK_ID = 58,
	F_DEFAULTS = 59,
	F_TRACK = 60,
	F_UUID = 89,
	F_MACHINE = 98,
	F_ZSTD = 133,
};

/* --- what a packet looks like ----------------------------------------------------------------- */

/* Fields of TracePacket that are numbers; all others are messages, texts or bytes. */
static bool is_number(uint32_t field)
{
	static const uint8_t numbers[] = { 3, 8, 10, 13, 41, 42, 58, 79, 87, 98 };

	return memchr(numbers, (int)field, sizeof(numbers));
}

static bool is_field(const struct pft_field *f)
{
	bool known = f->num < 200 || f->num == 900 || (f->num >= 1000 && f->num < 2000);

	return known && f->wire == (f->num < 256 && is_number(f->num) ? 0 : 2);
}

/* The tag and the length of a packet. 0: none is there; else the bytes that they take. */
static size_t packet_head(const uint8_t *p, size_t n, uint64_t *len)
{
	struct pft_msg m = pft_msg(p, n < HEAD_MAX ? n : HEAD_MAX);

	if (!n || *p != TAG)
		return 0;
	m.p++;
	return pft_varint(&m, len) ? (size_t)(m.p - p) : 0;
}

/*
 * Could these bytes, of which there may be more, begin with packets? Two are enough to believe it.
 * *whole: those to their end.
 */
static bool begins_with_packets(const uint8_t *p, size_t n, unsigned int want, unsigned int *whole)
{
	size_t at = 0, head;
	uint64_t len;

	for (*whole = 0; *whole < want && at < n; (*whole)++) {
		struct pft_msg m;
		struct pft_field f;
		size_t fields = 0;

		head = packet_head(p + at, n - at, &len);
		if (!head)
			return *whole > 1 || (n - at < HEAD_MAX && p[at] == TAG && *whole);
		at += head;
		m = pft_msg(p + at, len < n - at ? (size_t)len : n - at);
		for (; pft_next(&m, &f); fields++)
			if (!is_field(&f))
				return *whole > 1;
		if (len > n - at) /* the begin of it, a field of which goes on */
			return fields || *whole;
		if (m.bad || (!fields && !*whole))
			return *whole > 1;
		at += (size_t)len;
	}
	return true;
}

bool xtr_pftrace_detect(const uint8_t *head, size_t n)
{
	unsigned int whole;
	struct pft_field f;
	struct pft_msg m;
	uint64_t len, key;
	size_t at = packet_head(head, n, &len);

	if (!at || !len)
		return false;
	if (begins_with_packets(head, n, 8, &whole))
		return true;
	/* A first packet that is larger than the head, and all of it one field. */
	if (whole || len <= n - at || n < XTR_IMPORT_HEAD)
		return false;
	m = pft_msg(head + at, n - at);
	if (!pft_varint(&m, &key) || key >> 35)
		return false;
	f = (struct pft_field){ .num = (uint32_t)(key >> 3), .wire = key & 7 };
	return pft_varint(&m, &key) && key <= len && f.num && f.wire == 2 && is_field(&f);
}

/* --- one packet ------------------------------------------------------------------------------- */

static int take_packet(struct pftrace *p, const uint8_t *bytes, size_t n, uint64_t at, bool inner);

static int take_unpacked(struct pftrace *p, const uint8_t *bytes, size_t n, uint64_t at)
{
	struct pft_msg m = pft_msg(bytes, n);
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f))
		if (f.num == 1 && f.wire == 2)
			err = take_packet(p, f.p, f.n, at, true);
	if (!err && m.bad)
		xtr_import_damage(p->im, "a compressed packet holds no packets");
	return err;
}

static int no_codec(struct pftrace *p, const char *codec)
{
	return xtr_import_fail(p->im, -EPROTONOSUPPORT,
			       "packets are compressed with %s, and xtr was built without it",
			       codec);
}

static int too_many(struct pftrace *p, uint64_t at)
{
	xtr_import_damage(p->im, "compressed packets become too many, from byte %" PRIu64 " on",
			  at);
	return pft_lost_here(p);
}

/* The room grows until it is enough. */
static int take_compressed(struct pftrace *p, const char *codec, const uint8_t *bytes, size_t n,
			   uint64_t at)
{
	const uint64_t limit = p->size * GROWTH + GROWTH_FREE;
	size_t cap = n < (1u << 16) ? (size_t)1 << 18 : 8 * n, got = 0;
	uint8_t *out;
	int err = xtr_inflate_knows(codec);

	if (err)
		return no_codec(p, codec);
	if (p->inflated > limit)
		return too_many(p, at);
	for (;; cap *= 4) {
		cap = cap < PFT_PACKET_MAX ? cap : PFT_PACKET_MAX;
		out = malloc(cap);
		if (!out)
			return -ENOMEM;
		err = xtr_inflate(codec, bytes, n, out, cap, &got);
		if (err != -EBADMSG || cap == PFT_PACKET_MAX)
			break;
		free(out);
	}
	p->inflated += err ? cap : got;
	if (err == -EBADMSG) {
		xtr_import_damage(p->im, "compressed packets at byte %" PRIu64 " are damaged", at);
		err = pft_lost_here(p);
	} else if (!err) {
		err = take_unpacked(p, out, got, at);
	}
	free(out);
	return err;
}

/* What a packet is, and who takes it. */
static int take_field(struct pftrace *p, const struct pft_packet *packet, const struct pft_field *f)
{
	switch (f->num) {
	case F_FTRACE:
		return pft_take_bundle(p, packet, pft_sub(f));
	case F_PROCESS_TREE:
		return pft_take_process_tree(p, packet, pft_sub(f));
	case F_CLOCKS:
		return pft_clock_snapshot(p, packet->seq, pft_sub(f));
	case F_FTRACE_STATS:
		return pft_take_ftrace_stats(p, pft_sub(f));
	case F_TRACE_STATS:
		return pft_take_trace_stats(p, pft_sub(f));
	case F_SYSTEM:
		return pft_take_system(p, pft_sub(f));
	case F_UUID:
		return pft_take_uuid(p, pft_sub(f));
	case F_TRACK:
		return pft_take_track(p, pft_sub(f)) ?: pft_gpu_packet(p, packet, f);
	default:
		pft_count_packet(p, f->num);
		return pft_gpu_packet(p, packet, f);
	}
}

static bool is_data(uint32_t field)
{
	return !is_number(field) && field != F_INTERNED && field != F_DEFAULTS && field != F_SYNC;
}

/* The data of a packet; more than one is not meant to be there, but costs nothing. */
static int take_data(struct pftrace *p, const struct pft_packet *packet)
{
	struct pft_msg m = pft_msg(packet->p, packet->n);
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f))
		if (f.wire == 2 && f.num < 4096 && (f.num > 255 || is_data(f.num)))
			err = take_field(p, packet, &f);
	return err;
}

/* What stands in a packet beside its data. */
struct head {
	struct pft_field ts, compressed;
	uint32_t clock, seq_id, flags, machine;
	bool state; /* it has something to say of its sequence */
	bool dropped;
	bool bad;
};

static struct head head_of(const uint8_t *bytes, size_t n)
{
	struct pft_msg m = pft_msg(bytes, n);
	struct head h = { 0 };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		switch (f.num) {
		case F_TIMESTAMP:
			h.ts = f;
			break;
		case F_CLOCK_ID:
			h.clock = (uint32_t)f.v;
			break;
		case F_SEQ_ID:
			h.seq_id = (uint32_t)f.v;
			break;
		case F_MACHINE:
			h.machine = (uint32_t)f.v;
			break;
		case F_FLAGS:
			h.flags = (uint32_t)f.v;
			h.state = true;
			break;
		case F_DROPPED:
			h.dropped = f.v;
			h.state = true;
			break;
		case F_CLEARED:
		case F_INTERNED:
		case F_DEFAULTS:
			h.state = true;
			break;
		case F_ZLIB:
		case F_ZSTD:
			h.compressed = f;
			break;
		default:
			break;
		}
	}
	h.bad = m.bad;
	return h;
}

static int take_rest(struct pftrace *p, struct pft_packet *packet, const struct head *h)
{
	struct pft_seq *seq = packet->seq;
	int err = 0;

	if (h->dropped && seq->seen)
		err = pft_dropped(p, seq);
	if (!err && (h->state || !seq->seen))
		err = pft_seq_take(p, packet);
	packet->clock = h->clock ? h->clock : seq->clock ? seq->clock : PFT_CLOCK_BOOT;
	if (!h->clock && !seq->clock && p->clocks.trace != PFT_CLOCK_BOOT)
		packet->clock = p->clocks.trace;
	if (h->ts.num)
		packet->has_ts = pft_time(p, seq, packet->clock, h->ts.v, &packet->ts);
	if (!err && packet->flags & PFT_SEQ_NEEDS && !seq->valid) {
		p->incomplete++;
		return 0;
	}
	if (packet->has_ts)
		seq->last_ts = packet->ts;
	return err ? err : take_data(p, packet);
}

static int take_packet(struct pftrace *p, const uint8_t *bytes, size_t n, uint64_t at, bool inner)
{
	struct head h = head_of(bytes, n);
	struct pft_packet packet = {
		.p = bytes, .n = n, .at = at, .seq_id = h.seq_id, .flags = h.flags
	};

	int err = 0;

	p->packets++;
	if (h.bad) {
		xtr_import_damage(p->im, "a packet at byte %" PRIu64 " is damaged", at);
		err = pft_lost_here(p);
	}
	if (err)
		return err;
	if (h.compressed.wire == 2)
		return inner ? 0
			     : take_compressed(p, h.compressed.num == F_ZLIB ? "zlib" : "zstd",
					       h.compressed.p, h.compressed.n, at);
	if (h.machine) {
		p->facts.other_machines++;
		return 0;
	}
	packet.seq = pft_seq_of(p, h.seq_id);
	return packet.seq ? take_rest(p, &packet, &h) : -ENOMEM;
}

/* --- the file --------------------------------------------------------------------------------- */

struct window {
	uint8_t *buf;
	size_t n, pos, cap;
	uint64_t at; /* of buf's first byte, in the file */
};

/* Bytes at w->pos, as many as there are up to `want`. */
static int fill(struct pftrace *p, struct window *w, size_t want, size_t *have)
{
	size_t more;
	int err;

	*have = w->n - w->pos;
	if (*have >= want || w->at + w->n >= p->size)
		return 0;
	if (*have)
		memmove(w->buf, w->buf + w->pos, *have);
	w->at += w->pos;
	w->pos = 0;
	w->n = *have;
	if (xtr_grow(&w->buf, &w->cap, want > WINDOW ? want : WINDOW))
		return -ENOMEM;
	more = w->cap - w->n;
	if (more > p->size - w->at - w->n)
		more = (size_t)(p->size - w->at - w->n);
	err = p->io->ops->read_at(p->io, w->at + w->n, w->buf + w->n, more);
	if (err)
		return xtr_import_fail(p->im, err, "cannot read at byte %" PRIu64 ": %s",
				       w->at + w->n, strerror(-err));
	w->n += more;
	*have = w->n;
	return 0;
}

/* Go on at a place of the file. */
static void go_to(struct window *w, uint64_t to)
{
	if (to >= w->at && to - w->at <= w->n) {
		w->pos = (size_t)(to - w->at);
		return;
	}
	w->at = to;
	w->n = w->pos = 0;
}

/* No packet begins here: look for the next place where three of them do. */
static int resync(struct pftrace *p, struct window *w)
{
	const uint64_t from = w->at + w->pos;
	unsigned int whole;
	size_t have;
	int err;

	xtr_import_damage(p->im, "no packet begins at byte %" PRIu64, from);
	err = pft_lost_here(p);
	for (w->pos++; !err; w->pos++) {
		const uint8_t *next;

		err = fill(p, w, XTR_IMPORT_HEAD, &have);
		if (err || !have)
			return err;
		next = memchr(w->buf + w->pos, TAG, have);
		if (!next) {
			w->pos += have - 1;
			continue;
		}
		w->pos = (size_t)(next - w->buf);
		have = w->n - w->pos;
		if (begins_with_packets(next, have < LOOK ? have : LOOK, 3, &whole) && whole)
			break;
	}
	return err;
}

static int too_large(struct pftrace *p, struct window *w, uint64_t behind, uint64_t len)
{
	bool cut = behind > p->size;

	if (cut)
		xtr_import_damage(p->im, "the file ends in a packet, at byte %" PRIu64,
				  w->at + w->pos);
	else
		xtr_import_damage(p->im, "a packet of %" PRIu64 " bytes at byte %" PRIu64, len,
				  w->at + w->pos);
	go_to(w, cut ? p->size : behind);
	return pft_lost_here(p);
}

/*
 * A length that leads past the end of the file: the end of a recorder that was killed, unless other
 * packets follow.
 */
static int next_packet(struct pftrace *p, struct window *w)
{
	uint64_t len = 0, behind;
	size_t have, head;
	int err = fill(p, w, HEAD_MAX, &have);

	if (err || !have)
		return err;
	head = packet_head(w->buf + w->pos, have, &len);
	if (!head && (have >= HEAD_MAX || w->buf[w->pos] != TAG))
		return resync(p, w);
	if (!head)
		len = p->size;
	if (__builtin_add_overflow(w->at + w->pos + head, len, &behind))
		behind = UINT64_MAX;
	if (behind > p->size || len > PFT_PACKET_MAX)
		return too_large(p, w, behind, len);
	err = fill(p, w, head + (size_t)len, &have);
	if (err)
		return err;
	err = take_packet(p, w->buf + w->pos + head, (size_t)len, w->at + w->pos, false);
	w->pos += head + (size_t)len;
	return err;
}

int pft_read_packets(struct pftrace *p)
{
	struct window w = { 0 };
	uint64_t told = 0;
	int err = 0;

	while (!err && w.at + w.pos < p->size) {
		err = next_packet(p, &w);
		if (w.at + w.pos - told >= WINDOW) {
			told = w.at + w.pos;
			xtr_import_progress(p->im, told, p->size);
		}
	}
	free(w.buf);
	return err;
}
