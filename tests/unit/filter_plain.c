/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter_plain.h"
#include "base/bytes.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

struct layout {
	uint32_t type, size, n, tid;
	uint8_t width[XTR_LAYOUT_FIELDS_MAX];
	uint8_t *prev; /* payload */
};

struct input {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t number(struct input *in, uint64_t max)
{
	uint64_t v = 0;
	const uint8_t *p = in->bad ? NULL : xtr_varint_get_long(in->p, in->end, &v);

	in->bad = !p || v > max;
	in->p = p;
	return in->bad ? 0 : v;
}

static void take(struct input *in, uint8_t *to, size_t n)
{
	if (in->bad || n > (size_t)(in->end - in->p)) {
		in->bad = true;
		return;
	}
	memcpy(to, in->p, n);
	in->p += n;
}

static uint32_t bytes_of(uint8_t width)
{
	return width > 0x80 ? width - 0x80u : width;
}

static bool get_layout(struct input *in, struct layout *l)
{
	uint32_t sum = 0;

	memset(l, 0, sizeof(*l));
	l->type = (uint32_t)number(in, 65535);
	l->size = (uint32_t)number(in, 65528);
	l->n = (uint32_t)number(in, 64);
	take(in, l->width, l->n);
	for (uint32_t i = 0; !in->bad && i < l->n; i++) {
		uint8_t w = l->width[i];

		in->bad = w <= 0x80 && w != 1 && w != 2 && w != 4 && w != 8;
		sum += bytes_of(w);
	}
	if (in->bad || l->size < 16 || l->size % 8 || sum != l->size - 16)
		return false;
	l->prev = calloc(1, l->size);
	cr_assert(l->prev != NULL);
	return true;
}

static void get_field(struct input *in, uint8_t *p, uint8_t width)
{
	uint64_t v = 0, max = width < 8 ? ((uint64_t)1 << 8 * width) - 1 : UINT64_MAX;

	if (width > 0x80) {
		take(in, p, bytes_of(width));
		return;
	}
	memcpy(&v, p, width);
	v += xtr_unzigzag(number(in, max));
	if (!in->bad)
		memcpy(p, &v, width);
}

static bool get_row(struct input *in, struct layout *l, bool new_tid, uint64_t ts, uint8_t *rec)
{
	uint64_t mask;
	uint32_t at = 0;

	if (new_tid)
		l->tid += (uint32_t)xtr_unzigzag(number(in, UINT32_MAX));
	mask = l->n ? number(in, UINT64_MAX) : 0;
	for (uint32_t i = 0; i < 64; i++) {
		if (mask >> i & 1) {
			in->bad |= i >= l->n;
			if (in->bad)
				return false;
			get_field(in, l->prev + at, l->width[i]);
		}
		at += i < l->n ? bytes_of(l->width[i]) : 0;
	}
	xtr_put_le64(rec, ts);
	xtr_put_le16(rec + 8, (uint16_t)l->type);
	xtr_put_le16(rec + 10, (uint16_t)l->size);
	xtr_put_le32(rec + 12, l->tid);
	memcpy(rec + 16, l->prev, l->size - 16);
	return !in->bad;
}

static int get_rows(struct input *in, struct layout *l, uint64_t n_layouts, uint32_t n,
		    uint8_t *out, size_t rec_len, struct xtr_rec_span *span)
{
	uint64_t ts = 0;
	size_t at = 0;

	*span = (struct xtr_rec_span){ .ts_min = n ? UINT64_MAX : 0, .sorted = true };
	for (uint32_t i = 0; i < n; i++) {
		uint64_t before = ts, head = number(in, UINT64_MAX);

		ts += xtr_unzigzag(number(in, UINT64_MAX));
		if (in->bad || head / 2 >= n_layouts || l[head / 2].size > rec_len - at ||
		    !get_row(in, &l[head / 2], head & 1, ts, out + at))
			return -EBADMSG;
		at += l[head / 2].size;
		span->ts_min = ts < span->ts_min ? ts : span->ts_min;
		span->ts_max = ts > span->ts_max ? ts : span->ts_max;
		span->sorted &= ts >= before;
	}
	return in->p == in->end && at == rec_len ? 0 : -EBADMSG;
}

int filter_plain(const uint8_t *data, size_t len, uint32_t n, uint8_t *out, size_t rec_len,
		 struct xtr_rec_span *span)
{
	struct input in = { .p = data, .end = data + len };
	uint64_t n_layouts = number(&in, XTR_LAYOUTS_MAX), made = 0;
	struct layout *l = calloc(XTR_LAYOUTS_MAX, sizeof(*l));
	int ret = in.bad ? -EBADMSG : 0;

	cr_assert(l != NULL);
	for (; !ret && made < n_layouts; made++)
		ret = get_layout(&in, &l[made]) ? 0 : -EBADMSG;
	if (!ret)
		ret = get_rows(&in, l, n_layouts, n, out, rec_len, span);
	for (uint64_t i = 0; i < made; i++)
		free(l[i].prev);
	free(l);
	return ret;
}
