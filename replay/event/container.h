/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which container and which Kubernetes pod the path of a control group names. Container runtimes,
 * systemd and the kubelet give names to the groups that they make; nothing else tells. Of groups in
 * each other that are containers the innermost counts.
 */
#ifndef XTR_CONTAINER_H
#define XTR_CONTAINER_H

#include <stddef.h>

#define XTR_POD_UID 40 /* with the NUL */

struct xtr_container {
	const char *id; /* in the path, n bytes; n 0: it names none */
	size_t n;
	char pod[XTR_POD_UID]; /* UID of the pod as the API server has it; "": none */
};

void xtr_container_of(struct xtr_container *c, const char *path, size_t n);

#endif /* XTR_CONTAINER_H */
