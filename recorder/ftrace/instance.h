/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace instance of the recorder's own in tracefs (Documentation/trace/ftrace.rst, "Instances"):
 * ring buffers and switches of events that nobody else uses. Its directory is instances/xtr-ID, of
 * the recorder's first file, or instances/xtr-ID-tasks.
 *
 * It outlives a recorder that is killed, with what was not read. The kernel itself stops recording
 * then (a trigger on the exit of the recorder's process). It is removed when that was collected,
 * or, where nothing can be collected, by the next recorder.
 */
#ifndef XTR_RECORDER_INSTANCE_H
#define XTR_RECORDER_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_INSTANCE_NAME 64

struct xtr_instance {
	int dir;                      /* of it, O_PATH; -1: there is none */
	char name[XTR_INSTANCE_NAME]; /* below instances/ */
	char path[256];               /* of the directory that it is in */
};

/* Name of the instance of a recorder: what is the events' ("") or "-tasks". */
void xtr_instance_name(char name[XTR_INSTANCE_NAME], uint64_t id, const char *what);
/* Make one; nothing is recorded in it yet. 0 or -errno: there is none. */
int xtr_instance_new(struct xtr_instance *i, const char *name);
/* One that somebody left, by its name. 0 or -errno. */
int xtr_instance_get(struct xtr_instance *i, const char *name);
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
 * Remove what dead recorders left, but where `keep` says of the ID that it is to stay. The kernel
 * keeps an instance of which somebody has a file open
 * (-EBUSY), so that a recorder that lives, in whatever PID namespace, is safe.
 */
void xtr_instances_sweep(bool (*keep)(void *ctx, uint64_t id), void *ctx);

#endif /* XTR_RECORDER_INSTANCE_H */
