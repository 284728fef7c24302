/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are known by name, bound once when a section is opened: where the wanted fields stand
 * in this section's records. What kernels call differently has alternatives: "submit|submit_in" is
 * the first of them that the section has. Then the values of each event are read by position.
 *
 *	static const struct xtr_bind_spec specs[] = {
 *		{ "amdgpu:amdgpu_bo_move", MOVE, { "bo", "bo_size", "new_placement" } },
 *		{ "func:nvidia:nvidia_ioctl|func:vmlinux:nvidia_ioctl", IOCTL, { "cmd" } },
 *	};
 *
 *	xtr_binds_open(&b, meta, specs, 2);
 *	const struct xtr_bind *move = xtr_binds_find(&b, ev->type);
 *	if (move && move->role == MOVE)
 *		bytes += xtr_bind_u64(move, 1, ev);
 */
#ifndef XTR_BIND_H
#define XTR_BIND_H

#include "base/bytes.h"
#include "format/read/merge.h"
#include "format/meta/tables.h"

#define XTR_BIND_FIELDS 26u

struct xtr_bind_spec {
	const char *event;                   /* "SYSTEM:EVENT", alternatives separated by | */
	uint32_t role;                       /* the caller's */
	const char *fields[XTR_BIND_FIELDS]; /* likewise; the rest NULL */
};

/* A field of a bound event. */
struct xtr_slot {
	const struct xtr_field *field; /* NULL: this section's event has no such field */
	uint32_t offset;               /* bytes from the record's start */
	uint8_t width;                 /* bytes of an integer, 0: it is none, or absent */
	uint8_t shift;                 /* 64 - bits if it is signed, else 0 */
};

struct xtr_bind {
	const struct xtr_event_desc *desc; /* NULL: the section does not have the event */
	uint32_t type;                     /* 0 if it does not */
	uint32_t role;
	struct xtr_slot slot[XTR_BIND_FIELDS];
};

struct xtr_binds {
	struct xtr_bind *bind; /* n, as the specs; borrow from the meta */
	size_t n, n_found;
	uint32_t first, n_types; /* index of types first ... */
	uint16_t *index;         /* 0: not bound, else position + 1 */
};

/*
 * Bind all specs to the events of meta (NULL: nothing is found), which must live as long. Of two
 * specs that find the same event the first one gets it. 0, -EINVAL (more than 65535 specs) or
 * -ENOMEM; b is then as after close.
 */
int xtr_binds_open(struct xtr_binds *b, const struct xtr_meta *meta,
		   const struct xtr_bind_spec *specs, size_t n);
/* Again, or of a zeroed structure, is no harm. */
void xtr_binds_close(struct xtr_binds *b);
/* True if meta has the event of at least one of n specs: for `applies`. */
bool xtr_binds_any(const struct xtr_meta *meta, const struct xtr_bind_spec *specs, size_t n);
/* The fields of an event that was found by other means; d is borrowed, NULL: all are absent. */
void xtr_bind_desc(struct xtr_bind *b, const struct xtr_event_desc *d,
		   const struct xtr_bind_spec *spec);
/* One event. desc NULL if meta does not have it. */
void xtr_bind_event(struct xtr_bind *b, const struct xtr_meta *meta,
		    const struct xtr_bind_spec *spec);

/* The bound event of this type, NULL if there is none (as for gaps). */
static inline const struct xtr_bind *xtr_binds_find(const struct xtr_binds *b, uint32_t type)
{
	uint32_t i = type - b->first;

	return i < b->n_types && b->index[i] ? &b->bind[b->index[i] - 1] : NULL;
}

/* Does this section's event have the field i? */
static inline bool xtr_bind_has(const struct xtr_bind *b, uint32_t i)
{
	return b->slot[i].field;
}

/*
 * An integer field of a record, sign-extended if it is signed; of a text that has an id in table
 * `strings` this id. False (*v 0): the field is absent, no integer, or cut off from this record.
 */
static inline bool xtr_bind_get(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev,
				uint64_t *v)
{
	const struct xtr_slot *s = &b->slot[i];
	const uint8_t *p;

	*v = 0;
	if (!s->width || (uint64_t)s->offset + s->width > ev->size)
		return false;
	p = ev->rec + s->offset;
	switch (s->width) {
	case 1:
		*v = *p;
		break;
	case 2:
		*v = xtr_le16(p);
		break;
	case 4:
		*v = xtr_le32(p);
		break;
	default:
		*v = xtr_le64(p);
	}
	*v = s->shift ? (uint64_t)((int64_t)(*v << s->shift) >> s->shift) : *v;
	return true;
}

/* The same; 0 if there is no value. */
static inline uint64_t xtr_bind_u64(const struct xtr_bind *b, uint32_t i,
				    const struct xtr_event *ev)
{
	uint64_t v;

	xtr_bind_get(b, i, ev, &v);
	return v;
}

static inline int64_t xtr_bind_s64(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev)
{
	return (int64_t)xtr_bind_u64(b, i, ev);
}

/*
 * The text of a field and its length in bytes, not always terminated. NULL (*n 0): there is none,
 * or t (may be NULL) does not have it.
 */
const char *xtr_bind_text(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev,
			  const struct xtr_tables *t, size_t *n);
/* Is it this text? */
bool xtr_bind_text_is(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev,
		      const struct xtr_tables *t, const char *want);

#endif /* XTR_BIND_H */
