/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of GPU and NPU programming interfaces do, for the analyses of their calls. */
#ifndef XTR_REPLAY_API_KIND_H
#define XTR_REPLAY_API_KIND_H

/* Identifier, text, what it means. */
#define XTR_API_KINDS(X)                                                 \
	X(ALLOC, "alloc", "gives memory, with its size in field `size`") \
	X(FREE, "free", "takes memory back")                             \
	X(COPY, "copy", "copies or fills memory, or asks for it")        \
	X(SUBMIT, "submit", "hands work to the device")                  \
	X(WAIT, "wait", "blocks until work is done")                     \
	X(CREATE, "create", "makes or ends an object, or compiles code") \
	X(OTHER, "other", "anything else")

enum xtr_api_kind {
#define XTR_API_KIND_ENUM(id, text, help) XTR_API_##id,
	XTR_API_KINDS(XTR_API_KIND_ENUM)
#undef XTR_API_KIND_ENUM
	XTR_API_KIND_COUNT
};

/* Of a function by its name ("zeMemAllocHost"); OTHER where it is not known. */
enum xtr_api_kind xtr_api_kind(const char *function);
const char *xtr_api_kind_name(enum xtr_api_kind kind);

#endif /* XTR_REPLAY_API_KIND_H */
