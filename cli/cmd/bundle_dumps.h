/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bundle that was opened last has besides its trace: dumps, and lines of the log. */
#ifndef XTR_CLI_BUNDLE_DUMPS_H
#define XTR_CLI_BUNDLE_DUMPS_H

#include "bundle/open.h"
#include "dumps/dump.h"

/* As xtr_bundle_open_trace; what the bundle before it had is forgotten. */
int bundle_dumps_open(struct xtr_io *in, struct xtr_io **trace, struct xtr_bundle_err *err);
/* What was opened last is no bundle. */
void bundle_dumps_forget(void);
/* Of what was opened last; NULL: it was no bundle. */
const struct xtr_dumps *bundle_dumps(void);

#endif /* XTR_CLI_BUNDLE_DUMPS_H */
