/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree of call stacks with weights: each node is a frame with the frames that lead to it, so that
 * stacks that begin alike share nodes. What is added stays added: the sum of all weights is the
 * root's, whatever had no room of its own.
 *
 * Memory is bounded: nodes, frames, bytes of a name and depth have limits. What is beyond goes to
 * nodes that say so.
 */
#ifndef XTR_FLAME_H
#define XTR_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_FLAME_NODES_MAX  (1u << 18)
#define XTR_FLAME_FRAMES_MAX (1u << 16)
#define XTR_FLAME_NAME_MAX   512u /* bytes, with the NUL; longer names are cut */
#define XTR_FLAME_MODULE_MAX 256u
#define XTR_FLAME_DEPTH_MAX                                                   \
	256u /* nodes from the root to a leaf; deeper ones are the last one's \
	      */

#define XTR_FLAME_ROOT 0u
#define XTR_FLAME_NONE UINT32_MAX

/* Identifier, text in output, what it means. */
#define XTR_FLAME_KINDS(X)                                \
	X(USER, "user", "a program's own code")           \
	X(LIBRARY, "library", "a shared library's code")  \
	X(DRIVER, "driver", "a kernel module's code")     \
	X(KERNEL, "kernel", "the kernel's own code")      \
	X(UNKNOWN, "unknown", "code of a file not known") \
	X(MARK, "mark", "no code: who, where, or what is missing")

enum xtr_flame_kind {
#define XTR_FLAME_KIND_ENUM(id, text, help) XTR_FLAME_##id,
	XTR_FLAME_KINDS(XTR_FLAME_KIND_ENUM)
#undef XTR_FLAME_KIND_ENUM
	XTR_FLAME_KIND_COUNT
};

const char *xtr_flame_kind_name(unsigned int kind);
const char *xtr_flame_kind_help(unsigned int kind);
/*
 * Of code of this module: "kernel", "amdgpu", "/usr/lib/libdrm.so.2", "[vdso]", "/usr/bin/app"; ""
 * is not known. Modules of perf have brackets: "[amdgpu]".
 */
enum xtr_flame_kind xtr_flame_kind_of(const char *module, size_t n);

/*
 * Names are safe to print: control characters, backslashes and bytes that are not UTF-8 stand as
 * \xNN.
 */
struct xtr_flame_frame {
	const char *name, *module; /* module: "" if not known */
	enum xtr_flame_kind kind;
};

struct xtr_flame_node {
	uint32_t parent; /* of the root: XTR_FLAME_NONE */
	uint32_t frame, depth;
	uint32_t child, next; /* after finish: the heaviest child, the next lighter one; or NONE */
	uint64_t self;        /* weight that ends here */
	uint64_t total;       /* after finish: with all that is below */
	uint64_t n;           /* how often something was added here */
};

struct xtr_flame;

/* 0 or -ENOMEM. */
int xtr_flame_new(struct xtr_flame **f);
void xtr_flame_free(struct xtr_flame *f);
/* Index of a frame, made if need be; that of "[too many names]" if there is no room. -ENOMEM. */
int64_t xtr_flame_frame(struct xtr_flame *f, const char *name, size_t n_name, const char *module,
			size_t n_module, enum xtr_flame_kind kind);
/* A frame that is no code, by its name. */
int64_t xtr_flame_mark(struct xtr_flame *f, const char *name);
/*
 * Index of the node of this frame below parent, made if need be; at the greatest depth that of the
 * parent; where there is no room that of "[too many stacks]", below the root. -ENOMEM.
 */
int64_t xtr_flame_child(struct xtr_flame *f, uint32_t parent, uint32_t frame);
/* A weight ends in this node. */
void xtr_flame_add(struct xtr_flame *f, uint32_t node, uint64_t weight);
/* Nothing more is added: totals, and children in order of weight. 0 or -ENOMEM. */
int xtr_flame_finish(struct xtr_flame *f);

size_t xtr_flame_n_nodes(const struct xtr_flame *f); /* the root is one */
const struct xtr_flame_node *xtr_flame_node(const struct xtr_flame *f, uint32_t i);
size_t xtr_flame_n_frames(const struct xtr_flame *f);
const struct xtr_flame_frame *xtr_flame_frame_at(const struct xtr_flame *f, uint32_t i);
/* The frame of a node; the root's has the name "all". */
const struct xtr_flame_frame *xtr_flame_frame_of(const struct xtr_flame *f, uint32_t node);
/* After finish: the node behind this one, each before those below it; XTR_FLAME_NONE at the end. */
uint32_t xtr_flame_after(const struct xtr_flame *f, uint32_t node);

#endif /* XTR_FLAME_H */
