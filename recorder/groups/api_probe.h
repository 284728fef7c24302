/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of shared libraries as probes of the selection. */
#ifndef XTR_RECORDER_API_PROBE_H
#define XTR_RECORDER_API_PROBE_H

#include <stddef.h>

struct xtr_selection;
struct xtr_api;
struct xtr_apis; /* the files of the libraries, open until everything is attached */

/*
 * Add the functions of n patterns (api.h) to the selection. 0, -EINVAL with *bad set to the pattern
 * that is none, or -ENOMEM.
 */
int xtr_api_probes_add(struct xtr_selection *s, const char *const *patterns, size_t n,
		       const char **bad);
/* What was found, and what was not. */
const struct xtr_api *xtr_apis_api(const struct xtr_apis *a);
void xtr_apis_free(struct xtr_apis *a);

#endif /* XTR_RECORDER_API_PROBE_H */
