/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel says of its own functions and structures (BTF): which argument has a name, where
 * a member lies. Types of a module are read when they are first asked for.
 */
#ifndef XTR_RECORDER_BTF_TYPES_H
#define XTR_RECORDER_BTF_TYPES_H

struct btf;
struct xtr_btf_types;

/* NULL: no memory. */
struct xtr_btf_types *xtr_btf_types_new(void);
void xtr_btf_types_free(struct xtr_btf_types *t);

/* All types of a module (NULL: of the kernel itself) with those of the kernel; NULL: none are
 * known. They live as long as t. */
const struct btf *xtr_btf_types_of(struct xtr_btf_types *t, const char *module);

/*
 * Number of the argument of this name, from 0. module NULL: the kernel itself. -ENOENT: there is no
 * such argument, or no such function in the module; -ENODATA: nothing is known of the module.
 */
int xtr_btf_argument(struct xtr_btf_types *t, const char *module, const char *function,
		     const char *name);
/* Offset of a member in bytes, also of one in an unnamed union or structure; -ENOENT also if it is
 * a bit field. */
int xtr_btf_member(struct xtr_btf_types *t, const char *module, const char *structure,
		   const char *name);

#endif /* XTR_RECORDER_BTF_TYPES_H */
