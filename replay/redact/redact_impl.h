/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of redacting: redact_rule.c decides what happens to a field, redact_words.c which
 * texts are harmless, redact_text.c and redact_value.c map, redact_read.c looks at what there is,
 * redact_meta.c, redact_tables.c and redact_record.c make the parts of the new section, redact.c
 * writes it, redact_search.c looks for what should be gone, redact_typed.c at each field of its
 * type, redact_made.c tells names that were made.
 */
#ifndef XTR_REDACT_IMPL_H
#define XTR_REDACT_IMPL_H

#include "redact.h"
#include "redact_rule.h"
#include "redact_text.h"
#include "redact_value.h"

#include "format/read/decode.h"
#include "base/map.h"
#include "format/codec/record.h"

/* What happens to one field of a record. */
struct redact_step {
	uint32_t offset, size; /* bytes */
	struct redact_rule rule;
};

/* What happens to the records of a type: steps that keep first, so that others win over them. */
struct redact_plan {
	struct redact_step *step;
	uint32_t n;
};

/* A section, as far as it was looked at. */
struct redact_part {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_map strings; /* (id, kind) -> id in the new tables, 0: none */
	struct redact_plan *plan;
	uint16_t *plan_of; /* of each type, 0: META does not describe it */
	size_t n_plans;
	struct xtr_meta *meta; /* the new ones */
	struct xtr_tables *tables;
	struct xtr_loss *loss;
};

struct xtr_redact {
	struct xtr_redact_opts o;
	struct redact_values values;
	struct redact_texts texts;
	struct redact_part *part;
	size_t n_parts, n_files;
	uint64_t mapping;    /* its name */
	uint64_t clock_zero; /* the wall clock's earliest reading, ns; 0: none */
	struct xtr_decoder decoder;
	uint8_t *buf, *out; /* a decoded chunk, and what becomes of it */
	size_t cap, cap_out;
	/* Notes the pointers that are mapped, and whether they are rare; NULL: nobody asks. */
	struct xtr_map *pointers;
};

/* redact_read.c: fill in parts, values, mapping and clock_zero. 0 or -errno. */
int redact_read(struct xtr_redact *x, const struct xtr_reader *const *r, size_t n);
void redact_part_free(struct redact_part *p);
/* The plan of a type, or NULL. */
const struct redact_plan *redact_plan_of(const struct redact_part *p, uint32_t type);
/* The rule of the value in `key` of an xtr:total, whose field is named by a string id. */
struct redact_rule redact_total_rule(const struct xtr_redact *x, const struct redact_part *p,
				     const uint8_t *rec, uint32_t field_at);
/* Kinds of the texts of a frame. */
void redact_frame_kinds(const struct xtr_tables *t, const struct xtr_frame *f,
			enum redact_kind *symbol, enum redact_kind *module);

/* redact_tables.c, redact_meta.c: set p->tables, p->meta. 0 or -errno. */
int redact_make_tables(struct xtr_redact *x, struct redact_part *p);
int redact_make_meta(struct xtr_redact *x, struct redact_part *p);

/* redact_record.c: the redacted record to out, which has room for its size. 0 or -errno. */
int redact_record(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		  uint8_t *out);
/* A value of a field, as wide as that; notes pointers. */
uint64_t redact_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_rule *rule, uint64_t v, uint32_t width);
/* The new id of a string; 0: it is left out. */
uint32_t redact_string(const struct redact_part *p, enum redact_kind kind, uint64_t id);

/* redact_typed.c: what a redacted file has in each place, by its type. 0 or -errno. */
int redact_look_typed(struct xtr_redact *x, const struct xtr_reader *in,
		      void (*found)(void *ctx, const struct xtr_redact_found *f), void *ctx);

/* redact_made.c: name the mapping in META. 0 or -errno. */
int redact_put_mapping(struct xtr_meta *m, uint64_t mapping);
/* Is the whole text such a name, or what of it fits in a field ("#7")? */
bool redact_is_label(const char *s, size_t n);

#endif /* XTR_REDACT_IMPL_H */
