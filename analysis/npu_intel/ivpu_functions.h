/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of intel_vpu are for. */
#ifndef XTR_IVPU_FAMILIES_H
#define XTR_IVPU_FAMILIES_H

#include <stddef.h>

/* What its functions are told by: func_event_of. */
#define IVPU_MODULE "intel_vpu"
#define IVPU_PREFIX "ivpu_"

/*
 * Identifier, name in JSON, name for people. The first three are the functions that published
 * figures of this driver count under these names, and no others, so that numbers can be compared;
 * their neighbours have families of their own.
 */
#define IVPU_FAMILIES(X)                                                      \
	X(MEMORY, "memory", "memory management (as published)")               \
	X(IPC, "ipc", "IPC (as published)")                                   \
	X(BUFFERS, "buffers", "buffer management (as published)")             \
	X(SUBMISSION, "submission", "submission and completion")              \
	X(MMU, "mmu_commands", "MMU commands")                                \
	X(HARDWARE, "hardware", "hardware and power")                         \
	X(SPACE, "address_space", "address space: other mapping, contexts")   \
	X(OBJECTS, "objects", "buffer objects: other")                        \
	X(MESSAGES, "messages", "firmware messages: other")                   \
	X(INTERRUPTS, "interrupts", "interrupts")                             \
	X(FIRMWARE, "firmware", "firmware image and log")                     \
	X(FILES, "files", "device files and queries")                         \
	X(DRIVER, "driver", "driver: load, unload, sysfs, debugfs, coredump") \
	X(OTHER, "other", "other")

enum ivpu_family {
#define IVPU_FAMILY_ENUM(id, name, title) IVPU_##id,
	IVPU_FAMILIES(IVPU_FAMILY_ENUM)
#undef IVPU_FAMILY_ENUM
	IVPU_FAMILY_COUNT
};

/* The family of a function of intel_vpu (n bytes, without the compiler's suffixes). */
enum ivpu_family ivpu_family_of(const char *function, size_t n);
const char *ivpu_family_name(enum ivpu_family f);
const char *ivpu_family_title(enum ivpu_family f);

#endif /* XTR_IVPU_FAMILIES_H */
