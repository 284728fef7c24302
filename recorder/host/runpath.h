/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a program brings its own libraries from. */
#ifndef XTR_RECORDER_RUNPATH_H
#define XTR_RECORDER_RUNPATH_H

/*
 * *list: directories separated by colons that the loader looks into for this program (as execvp
 * takes it) before its own, $ORIGIN put in (ld.so(8)); to be freed. NULL: it has none, or is none
 * (a script, another machine's). 0 or -ENOMEM.
 */
int xtr_runpath(const char *program, char **list);

#endif /* XTR_RECORDER_RUNPATH_H */
