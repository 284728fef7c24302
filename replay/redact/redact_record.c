// SPDX-License-Identifier: BSD-2-Clause
/* A record is made of zeros: what no field of META describes does not get into it. */
#include "redact_impl.h"

#include "base/bytes.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <string.h>

uint32_t redact_string(const struct redact_part *p, enum redact_kind kind, uint64_t id)
{
	const uint64_t *new = xtr_map_get(&p->strings, id, kind);

	return new ? (uint32_t) * new : 0;
}

/* Could other bytes make this number by chance? Not if few of its own are 0. */
static bool is_rare(uint64_t v)
{
	unsigned int n = 0;

	for (; v; v >>= 8)
		n += (v & 255) != 0;
	return n >= 5;
}

/* For the search: this must not be found, and if it is rare, among no bytes. */
static uint64_t note_pointer(struct xtr_redact *x, uint64_t from, uint64_t to, uint32_t width)
{
	if (x->pointers && width == 8 && from != to && x->pointers->n < (size_t)1 << 20)
		(void)xtr_map_put(x->pointers, from, 0,
				  is_rare(from)); /* else it is not looked for */
	return to;
}

uint64_t redact_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_rule *rule, uint64_t v, uint32_t width)
{
	switch (rule->action) {
	case REDACT_KEEP:
		return v;
	case REDACT_NUMBER:
		return width == 8 && redact_looks_kernel(v)
			       ? note_pointer(x, v, redact_kptr(&x->values, v, width), width)
			       : v;
	case REDACT_PID:
		return redact_pid(&x->values, v);
	case REDACT_CONTEXT:
		return redact_context(&x->values, v);
	case REDACT_KPTR:
		return note_pointer(x, v, redact_kptr(&x->values, v, width), width);
	case REDACT_UPTR:
		return note_pointer(x, v, redact_uptr(&x->values, v, width), width);
	case REDACT_STRID:
		return redact_string(p, rule->kind, v);
	default:
		return 0;
	}
}

/* A number of 1, 2, 4 or 8 bytes. An id of less than 4 bytes fits: a rank is never larger. */
static void put_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_step *s, const uint8_t *from, uint8_t *to)
{
	uint64_t v = 0;

	if (s->size > sizeof(v))
		return;
	memcpy(&v, from, s->size);
	v = htole64(redact_number(x, p, &s->rule, le64toh(v), s->size));
	memcpy(to, &v, s->size);
}

/* What does not fit is shortened to #NUMBER, or gone. */
static int put_text(struct xtr_redact *x, const struct redact_step *s, const uint8_t *from,
		    uint8_t *to)
{
	struct redact_text text;
	const char *hash;
	int err = redact_text(&x->texts, s->rule.kind, (const char *)from,
			      strnlen((const char *)from, s->size), &text);

	memset(to, 0, s->size);
	hash = text.n > s->size ? memchr(text.p, '#', text.n) : NULL;
	if (hash) {
		text.n -= (size_t)(hash - text.p);
		text.p = hash;
	}
	if (!err && text.n <= s->size)
		memcpy(to, text.p, text.n);
	return err;
}

static int put_step(struct xtr_redact *x, const struct redact_part *p, const struct redact_step *s,
		    const uint8_t *rec, uint8_t *out)
{
	const uint8_t *from = rec + s->offset;
	uint8_t *to = out + s->offset;

	switch (s->rule.action) {
	case REDACT_ZERO:
		memset(to, 0, s->size);
		return 0;
	case REDACT_STR:
		return put_text(x, s, from, to);
	case REDACT_KEEP:
		memcpy(to, from, s->size);
		return 0;
	default:
		put_number(x, p, s, from, to);
		return 0;
	}
}

/* A value of another event's field; field_at, value_at: where the record has the field's name and
 * the value. */
static void put_total(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		      uint8_t *out, uint32_t field_at, uint32_t value_at)
{
	const struct redact_rule rule = redact_total_rule(x, p, rec, field_at);

	xtr_put_le64(out + value_at, redact_number(x, p, &rule, xtr_le64(rec + value_at), 8));
}

int redact_record(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		  uint8_t *out)
{
	const struct redact_plan *plan = redact_plan_of(p, xtr_rec_type(rec));
	const uint32_t size = xtr_rec_size(rec);
	int err = 0;

	memcpy(out, rec, 12); /* time, type, size */
	memset(out + 12, 0, size - 12);
	xtr_put_le32(out + 12, (uint32_t)redact_pid(&x->values, xtr_rec_tid(rec)));
	for (uint32_t i = 0; plan && i < plan->n && !err; i++)
		if (plan->step[i].offset <= size &&
		    plan->step[i].size <= size - plan->step[i].offset)
			err = put_step(x, p, &plan->step[i], rec, out);
	if (xtr_rec_type(rec) == XTR_EV_TOTAL && size >= XTR_REC_END(total, subkey)) {
		put_total(x, p, rec, out, XTR_REC_AT(total, field), XTR_REC_AT(total, key));
		put_total(x, p, rec, out, XTR_REC_AT(total, subfield), XTR_REC_AT(total, subkey));
	}
	return err;
}
