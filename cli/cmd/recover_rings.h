/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr recover --rings: what a recorder that was killed has left in the kernel. */
#ifndef XTR_CLI_RINGS_H
#define XTR_CLI_RINGS_H

#include "format/read/reader.h"
#include "format/write/writer.h"

#include <stdbool.h>

struct rings;

/* Print what recorders have left. Returns the exit status. */
int rings_list(void);
/* Remove what one of them left ("all": each). Returns the exit status. */
int rings_drop(const char *id);

/* Open what the recorder of a trace left; says why not. Returns the exit status. */
int rings_open(struct rings **r, const char *path, const struct xtr_reader *trace);
/* Were they recording into this section? */
bool rings_are_of(const struct rings *r, const struct xtr_section *s);
/* As xtr_recover_opts.more. */
int rings_append(struct rings *r, const struct xtr_section *s, struct xtr_writer *w,
		 struct xtr_tables *tables, struct xtr_loss *loss);
/* The output is written: say what was added, and remove what was left. */
void rings_done(struct rings *r, const char *output);
void rings_close(struct rings *r);

#endif /* XTR_CLI_RINGS_H */
