/* SPDX-License-Identifier: BSD-2-Clause */
/* That a section was redacted (replay/redact/redact.h), as its META says. */
#ifndef XTR_REDACTED_H
#define XTR_REDACTED_H

#include "base/json.h"

#include "format/meta/meta.h"

#include <stdbool.h>

bool xtr_redacted(const struct xtr_meta *m);

/* A line, "REDACTED, policy default: ..."; nothing if it was not. */
void xtr_redacted_text(FILE *f, const struct xtr_meta *m);
/*
 * "redacted": {"by", "policy", "texts", "ids"} in an open object; nothing if it was not. What META
 * does not tell is null.
 */
void xtr_redacted_json(struct xtr_json *j, const struct xtr_meta *m);

#endif /* XTR_REDACTED_H */
