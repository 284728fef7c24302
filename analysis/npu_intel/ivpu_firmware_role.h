/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions of the driver intel_vpu say something about its firmware's messages. */
#ifndef XTR_FIRMWARE_ROLE_H
#define XTR_FIRMWARE_ROLE_H

#include "format/meta/meta.h"

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

#endif /* XTR_FIRMWARE_ROLE_H */
