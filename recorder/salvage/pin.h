/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder's maps in the BPF file system, so that they outlive it: a directory per recorder,
 * named by the id of its file, which is locked (flock) as long as the recorder lives. Programs stay
 * attached only as long as the process lives: what happens after it was killed is not recorded.
 */
#ifndef XTR_RECORDER_PIN_H
#define XTR_RECORDER_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_PIN_ROOT "/sys/fs/bpf"
#define XTR_PIN_DIR  XTR_PIN_ROOT "/xtr"

struct xtr_pin {
	uint64_t id;
	int all;   /* the directory of all (O_PATH); -1: there is none */
	int lock;  /* the directory, locked; -1: there is none */
	void *dir; /* the same, to be listed (DIR) without anything that could be missing then */
};

#define XTR_PIN_NONE(id_) ((struct xtr_pin){ .id = (id_), .all = -1, .lock = -1 })

/*
 * Make the directory of a new recorder. 0; -ENODEV: no BPF file system is mounted; or -errno, as
 * -EACCES or -EPERM. lock is -1 then.
 */
int xtr_pin_new(struct xtr_pin *p, uint64_t id);
/* Open and lock what a recorder left. 0; -ENOENT: nothing; -EBUSY: it lives; or -errno. */
int xtr_pin_adopt(struct xtr_pin *p, uint64_t id);
/* Is this directory this user's own? What others pin is not to be read: they may change it
 * meanwhile. */
bool xtr_pin_is_own(uint64_t id);
/* Pin a map or program under a name. 0 or -errno. */
int xtr_pin_put(const struct xtr_pin *p, const char *name, int fd);
/* Descriptor of what is pinned under a name, or -errno. */
int xtr_pin_get(const struct xtr_pin *p, const char *name);
/* Remove all pins, `last` after all others, and the directory, and close. Needs no capability
 * where the directory is one's own. 0 or -errno: something is left. */
int xtr_pin_remove(struct xtr_pin *p, const char *last);
/* Let go, leaving the pins. */
void xtr_pin_close(struct xtr_pin *p);

/* The ids of all recorders that have pins, living or dead; *ids is malloc'ed. 0 or -errno: none can
 * be looked at; without the directory there are none. */
int xtr_pin_list(uint64_t **ids, size_t *n);

#endif /* XTR_RECORDER_PIN_H */
