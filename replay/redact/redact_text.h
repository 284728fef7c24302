/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts to texts: what is harmless stays, anything else becomes LABEL#NUMBER, the same number for
 * the same text everywhere in the file.
 */
#ifndef XTR_REDACT_TEXT_H
#define XTR_REDACT_TEXT_H

#include "redact_rule.h"
#include "redact_value.h"

#include "base/map.h"

#define REDACT_TEXT_MAX 512u /* bytes of a text that is made */

/* A text that was replaced or left out. */
struct redact_name {
	const char *label; /* "name", "path", ... */
	char *text;
	size_t n;
	uint32_t number; /* from 1 in each label */
};

struct redact_texts {
	struct redact_name *v;
	size_t n, cap, bytes;
	struct xtr_map by_text; /* (hash, n-th with this hash) -> index */
	struct xtr_map owners;  /* hash of a text -> whose it is: threads, programs, rings */
	const struct redact_values *values;
};

/* The new text: of the old one's bytes, or in buf. n 0: nothing is left. */
struct redact_text {
	const char *p;
	size_t n;
	char buf[REDACT_TEXT_MAX];
};

/* Note that a thread, or a ring, has this name. 0 or -ENOMEM. */
int redact_note_comm(struct redact_texts *t, const char *s, size_t n, bool kthread);
int redact_note_ring(struct redact_texts *t, const char *s, size_t n);
/* Note the ids that a text has in it. */
void redact_note_ids(struct redact_values *v, enum redact_kind kind, const char *s, size_t n);
/* "hwctx.PID.NUMBER" is what amdxdna calls a ring. */
bool redact_is_hwctx(const char *s, size_t n, uint32_t *pid, uint32_t *context);
/* 0 or -ENOMEM. */
int redact_text(struct redact_texts *t, enum redact_kind kind, const char *s, size_t n,
		struct redact_text *out);
/* LABEL#NUMBER, whatever the text; label must live as long as t. */
int redact_label(struct redact_texts *t, const char *label, const char *s, size_t n,
		 struct redact_text *out);
/* It is left out: remember it for the search. 0 or -ENOMEM. */
int redact_drop(struct redact_texts *t, const char *s);
void redact_texts_free(struct redact_texts *t);

#endif /* XTR_REDACT_TEXT_H */
