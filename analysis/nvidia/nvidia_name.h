/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of NVIDIA's ioctls, of what RM_CONTROL and RM_ALLOC are asked for, and of the ioctls of
 * nvidia-uvm. What is not in the tables keeps its number.
 */
#ifndef XTR_NVIDIA_NAME_H
#define XTR_NVIDIA_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NV_RM_CONTROL 0x2au
#define NV_RM_ALLOC   0x2bu
#define NV_NAME_MAX   64u /* bytes, with the NUL */

/* Identifier, name in JSON. */
#define NV_KINDS(X)                                                           \
	X(RM, "rm")       /* magic 'F': told by the low 8 bits of the code */ \
	X(UVM, "uvm")     /* of nvidia-uvm: the code is the number */         \
	X(OTHER, "other") /* another magic: told by the whole code */         \
	X(REST, "rest")   /* more than there is room for */

enum nv_kind {
#define NV_KIND_ENUM(id, text) NV_KIND_##id,
	NV_KINDS(NV_KIND_ENUM)
#undef NV_KIND_ENUM
	NV_KIND_COUNT
};

/* What kind of ioctl a code of nvidia.ko is, and its number (RM) or code (OTHER). */
enum nv_kind nv_ioctl_kind(uint32_t cmd, uint32_t *number);
/* Is there a second level (RM_CONTROL's command, RM_ALLOC's class) in this one? */
bool nv_ioctl_has_second(enum nv_kind kind, uint32_t number);

const char *nv_kind_name(enum nv_kind kind);
/* NULL: not in the tables. */
const char *nv_ioctl_known(enum nv_kind kind, uint32_t number);
const char *nv_second_known(uint32_t number, uint32_t second);
/* Fill buf with the name, or with the number: "RM_CONTROL", "ioctl 0x99", "class 0xabcd"; return
 * buf. */
char *nv_ioctl_name(char buf[NV_NAME_MAX], enum nv_kind kind, uint32_t number);
char *nv_second_name(char buf[NV_NAME_MAX], uint32_t number, uint32_t second);
/* The two in one: "RM_CONTROL GPU_GET_INFO_V2". */
char *nv_whole_name(char buf[2 * NV_NAME_MAX], enum nv_kind kind, uint32_t number, bool has_second,
		    uint32_t second);

#endif /* XTR_NVIDIA_NAME_H */
