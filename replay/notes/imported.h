/* SPDX-License-Identifier: BSD-2-Clause */
/* What of an imported trace could not be read (converters/in/core/import.h), as META of its section
 * says.
 */
#ifndef XTR_IMPORTED_H
#define XTR_IMPORTED_H

#include "base/json.h"

#include "format/meta/meta.h"

/*
 * Places of the input that could not be read; 0: none, or the section was not imported. *first:
 * what was wrong at the first of them, a stranger's text; NULL: not known. first may be NULL.
 */
uint64_t xtr_import_damage_of(const struct xtr_meta *m, const char **first);
/* "DAMAGED INPUT: 2 places ...", a line; nothing if there are none. */
void xtr_import_damage_text(FILE *f, const struct xtr_meta *m);
/* "import_damage": {"places", "first"} in an open object; nothing if there are none. */
void xtr_import_damage_json(struct xtr_json *j, const struct xtr_meta *m);

#endif /* XTR_IMPORTED_H */
