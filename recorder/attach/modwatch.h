/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules of which functions are recorded: has one been unloaded meanwhile? The kernel lets that
 * happen where it attached by kprobes, and says nothing: calls are recorded until then, and not in
 * the same module loaded again. (Tracepoints, and links to many functions, keep their module.)
 */
#ifndef XTR_RECORDER_MODWATCH_H
#define XTR_RECORDER_MODWATCH_H

#include "recorder/groups/select.h"

#include "format/meta/meta.h"

struct xtr_modwatch {
	struct {
		const char *name; /* of the selection, which has to live as long */
		uint64_t ino;     /* of its folder in sysfs: another one each time it is loaded */
		bool gone;
	} * v;
	size_t n;
};

/* Note the modules of the functions that are attached. root: "/sys/module". 0 or -ENOMEM. */
int xtr_modwatch_begin(struct xtr_modwatch *w, const struct xtr_selection *sel, const char *root);
/* Look again, at the end. */
void xtr_modwatch_end(struct xtr_modwatch *w, const char *root);
/* The i-th module that was unloaded; NULL: no more. */
const char *xtr_modwatch_gone(const struct xtr_modwatch *w, size_t i);
/*
 * Say so in META: each provider of functions of such a module gets a reason, behind the one that it
 * may have, and stays attached, as it was until then. Not while another thread reads m. 0 or
 * -ENOMEM.
 */
int xtr_modwatch_note(const struct xtr_modwatch *w, struct xtr_meta *m);
void xtr_modwatch_free(struct xtr_modwatch *w);

#endif /* XTR_RECORDER_MODWATCH_H */
