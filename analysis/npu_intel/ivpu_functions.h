/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of intel_vpu are for. */
#ifndef XTR_IVPU_FAMILIES_H
#define XTR_IVPU_FAMILIES_H

#include "format/meta/meta.h"

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

/* --- ivpu firmware role ----------------------------------------------------------------------- */

/* Which functions of the driver intel_vpu say something about its firmware's messages. */
/* Identifier, what it is. */
#define FW_ROLE_LIST(X)                                                             \
	X(NONE, "not the driver's")                                                 \
	X(RECEIVE, "takes one message, or returns -ETIMEDOUT")                      \
	X(IPC_IRQ, "empties the FIFO of messages: not the interrupt handler")       \
	X(HW_IRQ, "the interrupt handler")                                          \
	X(THREAD, "what an interrupt wakes")                                        \
	X(DONE, "a message that a job is done")                                     \
	X(BOOT, "waits for the firmware to boot, in a loop of RECEIVE and IPC_IRQ") \
	X(HELPER, "called by RECEIVE, by IPC_IRQ or around them")                   \
	X(OTHER, "any other function of the driver")                                \
	X(JSM, "no function: the tracepoint vpu:jsm")

enum fw_role {
#define FW_ROLE_ENUM(id, help) FW_##id,
	FW_ROLE_LIST(FW_ROLE_ENUM)
#undef FW_ROLE_ENUM
	FW_ROLES
};

struct fw_binding {
	enum fw_role role;
	bool ret;    /* the event is a return */
	bool paired; /* entry and return are recorded: it comes as a call */
	const struct xtr_field *context;
};

/* Role FW_NONE: the event says nothing. Of functions, any module's are taken. 0 or -ENOMEM. */
int fw_bind(struct fw_binding *b, const struct xtr_meta *meta, const struct xtr_event_desc *d);

#endif /* XTR_IVPU_FAMILIES_H */
