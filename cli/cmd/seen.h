/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings of several files that came before: by file_id, which is another in every file that is
 * written. */
#ifndef XTR_CLI_SEEN_H
#define XTR_CLI_SEEN_H

#include "base/map.h"
#include "format/read/reader.h"

struct seen { /* all zero: none */
	struct xtr_map ids;
};

/* 1: this one came before, and a line says so. 0: it is noted. Or -ENOMEM. */
int seen_section(struct seen *s, const char *path, const struct xtr_section *section);
/*
 * Of all sections of a file, for who takes files as a whole: 1, and a line, if one of them came
 * before in another file.
 */
int seen_file(struct seen *s, const char *path, const struct xtr_reader *r);
void seen_free(struct seen *s);

#endif /* XTR_CLI_SEEN_H */
