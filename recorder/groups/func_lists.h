/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of modules of one of the kernel's long lists of functions, kept in memory: the kernel
 * makes such a list up anew for every reader, which takes it longer than anything else here.
 */
#ifndef XTR_RECORDER_FUNC_LISTS_H
#define XTR_RECORDER_FUNC_LISTS_H

struct xtr_func_list {
	int fd; /* 0: not read yet */
	char path[40];
};

/*
 * A path with the lines of `list` that end with "[MODULE]", read when it is first asked for; the
 * list's own path if that cannot be done. Valid until the list is freed.
 */
const char *xtr_func_list_modules(struct xtr_func_list *l, const char *list);
void xtr_func_list_free(struct xtr_func_list *l);

#endif /* XTR_RECORDER_FUNC_LISTS_H */
