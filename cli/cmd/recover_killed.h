/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr recover --killed: what a recorder that was killed has left in the kernel. */
#ifndef XTR_CLI_KILLED_H
#define XTR_CLI_KILLED_H

#include "format/write/recover.h"

#include <stdbool.h>

struct killed;

/* Print what recorders have left. Returns the exit status. */
int killed_list(void);
/* Remove what one of them left ("all": each). Returns the exit status. */
int killed_drop(const char *id);

/*
 * Is this the path of the piece that a dead flight recorder gathered? There may be no such file, or
 * the beginning of one. Then *r and *image, a trace of what it kept, are set, else NULL. Returns
 * the exit status.
 */
int killed_open_flight(struct killed **r, const char *path, struct xtr_reader **image);
/* Open what the recorder of a trace left; says why not. Returns the exit status. */
int killed_open(struct killed **r, const char *path, const struct xtr_reader *trace);
/* Were they recording into this section? */
bool killed_is_of(const struct killed *r, const struct xtr_section *s);
/* As xtr_recover_opts.more. */
int killed_append(struct killed *r, struct xtr_recover_more *m);
/* The output is written: say what was added, and remove what was left. */
void killed_done(struct killed *r, const char *output);
void killed_close(struct killed *r);

#endif /* XTR_CLI_KILLED_H */
