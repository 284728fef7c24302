/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of markers: names in them become others, process ids are mapped, and what says how the text
 * is meant stays, so that slices are paired as they were. Of a counter's value nothing is known: it
 * becomes 0. Cookies and contexts become other numbers, the same for the same.
 */
#ifndef XTR_REDACT_MARKER_H
#define XTR_REDACT_MARKER_H

#include "redact_text.h"

/* 0 or -ENOMEM. */
int redact_marker(struct redact_texts *t, const char *s, size_t n, struct redact_text *out);
/* Note the ids in it. */
void redact_marker_note(struct redact_values *v, const char *s, size_t n);
/* Could it have been made so? Its ids: 0 if it has none. */
bool redact_marker_is_made(const char *s, size_t n, uint32_t *pid, uint32_t *tid);

#endif /* XTR_REDACT_MARKER_H */
