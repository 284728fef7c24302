/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes trace events one after the other, fast: the known parts straight into the memory of the
 * emitter of base/json.h, whose escaping texts of the trace go through. Keys and `plain` texts
 * are literals that need no escaping.
 */
#ifndef XTR_CHROME_OUT_H
#define XTR_CHROME_OUT_H

#include "base/json.h"

struct chrome_out {
	struct xtr_json json; /* within a document that never ends for it */
	bool comma;           /* something stands before the next item */
	bool any;             /* an event was written */
};

void chrome_out_init(struct chrome_out *o, FILE *f);
/* Everything to the FILE. */
void chrome_flush(struct chrome_out *o);
/* Bytes as they are. */
void chrome_raw(struct chrome_out *o, const char *s);

/* One trace event of this phase ("X") and category (NULL: none): {"ph":...,"cat":... */
void chrome_event(struct chrome_out *o, const char *phase, const char *cat);
void chrome_event_end(struct chrome_out *o);
/* "args":{ ... } */
void chrome_args(struct chrome_out *o);
void chrome_args_end(struct chrome_out *o);

void chrome_key(struct chrome_out *o, const char *key);
void chrome_plain(struct chrome_out *o, const char *key, const char *value);
/* n bytes that may be anything. */
void chrome_text(struct chrome_out *o, const char *key, const char *s, size_t n);
/* The same of a text with literals around it. */
void chrome_text_in(struct chrome_out *o, const char *key, const char *before, const char *s,
		    const char *after);
void chrome_textf(struct chrome_out *o, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void chrome_u64(struct chrome_out *o, const char *key, uint64_t v);
void chrome_s64(struct chrome_out *o, const char *key, int64_t v);
/* ns as microseconds with three decimals. */
void chrome_us(struct chrome_out *o, const char *key, uint64_t ns);
/* "ctx:seqno": a fence's name, a job's too. */
void chrome_fence(struct chrome_out *o, const char *key, uint64_t ctx, uint64_t seqno);
/* The parts of an array, or of a text in quotes, after its key. */
void chrome_digits(struct chrome_out *o, uint64_t v);
/* The emitter, for one whole value after a key. */
struct xtr_json *chrome_json(struct chrome_out *o);

#endif /* XTR_CHROME_OUT_H */
