/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities of this process: asking for them, and giving them up. */
#ifndef XTR_RECORDER_CAPS_H
#define XTR_RECORDER_CAPS_H

#include <stdbool.h>
#include <stdint.h>

/* cap: CAP_* of <linux/capability.h>. */
bool xtr_cap_have(int cap);
/*
 * Keep only the capabilities of the mask (1 << CAP_*), of this thread and those it starts, for
 * good: the other ones are permitted, inheritable, ambient and, where this process may say so
 * (CAP_SETPCAP), bounding no more, and no program can bring them back (no_new_privs). 0 or -errno.
 */
int xtr_caps_keep(uint64_t mask);
/* None is effective until xtr_caps_resume, in this thread: for what shall be done with the rights
 * of the user alone. *was: what xtr_caps_resume takes. 0 or -errno. */
int xtr_caps_suspend(uint64_t *was);
int xtr_caps_resume(uint64_t was);
/* Give up what the program's file gave: for a child that runs another program. The bounding set and
 * no_new_privs stay as they are, so that it may be sudo. 0 or -errno. */
int xtr_caps_forget(void);

#endif /* XTR_RECORDER_CAPS_H */
