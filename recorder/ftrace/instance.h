/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace instance of the recorder's own in tracefs (Documentation/trace/ftrace.rst, "Instances"):
 * ring buffers and switches of events that nobody else uses. Its directory is instances/xtr-PID-ID.
 *
 * It outlives a recorder that is killed. Its events are switched off then by the kernel itself (a
 * trigger on the exit of the recorder's process), and the next recorder removes it.
 */
#ifndef XTR_RECORDER_INSTANCE_H
#define XTR_RECORDER_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_instance {
	int dir;        /* of it, O_PATH; -1: there is none */
	char name[64];  /* below instances/ */
	char path[256]; /* of the directory that it is in */
};

/* Make one; nothing is recorded in it yet. 0 or -errno: there is none. */
int xtr_instance_new(struct xtr_instance *i);
/* Open a file of it. A descriptor or -errno. */
int xtr_instance_open(const struct xtr_instance *i, const char *file, int flags);
/* Write a text into a file of it. 0 or -errno. */
int xtr_instance_write(const struct xtr_instance *i, const char *file, const char *text);
/*
 * Remove it with all that is in its rings. Files of it must be closed. 0, or -errno: it is still
 * there, with all its events switched off if that was possible.
 */
int xtr_instance_remove(struct xtr_instance *i);
/*
 * Remove what dead recorders left. The kernel keeps an instance of which somebody has a file open
 * (-EBUSY), so that a recorder that lives, in whatever PID namespace, is safe.
 */
void xtr_instances_sweep(void);

#endif /* XTR_RECORDER_INSTANCE_H */
