/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of the machine: kernel, CPUs, its id, and its devices. */
#ifndef XTR_RECORDER_FACTS_H
#define XTR_RECORDER_FACTS_H

#include "format/meta/meta.h"

/* 0 or -errno. What cannot be read is left out. */
int xtr_facts_collect(struct xtr_meta *meta);

#define XTR_MACHINE_ID 33 /* with the NUL */

/* What META says for a machine whose /etc/machine-id has this line; false: it has no id. */
bool xtr_machine_id(const char *line, char id[XTR_MACHINE_ID]);

#endif /* XTR_RECORDER_FACTS_H */
