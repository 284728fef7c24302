/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of amdgpu's events by name. NULL: the number has none that holds on every GPU. */
#ifndef XTR_AMDGPU_NAMES_H
#define XTR_AMDGPU_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* TTM memory types as this driver numbers them (amdgpu_ttm.h). */
enum amdgpu_memory {
	AMDGPU_MEM_SYSTEM,
	AMDGPU_MEM_GTT,
	AMDGPU_MEM_VRAM,
	AMDGPU_MEM_PREEMPT = 6,
};
#define AMDGPU_MEM_NONE UINT32_MAX

/* Bits of a domain mask (amdgpu_drm.h). */
#define AMDGPU_DOMAIN_CPU  1u
#define AMDGPU_DOMAIN_GTT  2u
#define AMDGPU_DOMAIN_VRAM 4u

/* "vram"; AMDGPU_MEM_NONE is "none". */
const char *amdgpu_memory_name(uint32_t type);
/* The domain bit that a memory type belongs to, 0: not known. */
uint32_t amdgpu_memory_domain(uint32_t type);
const char *amdgpu_domain_name(unsigned int bit);      /* "VRAM" */
const char *amdgpu_create_flag_name(unsigned int bit); /* "CPU_ACCESS_REQUIRED" */
const char *amdgpu_client_name(uint64_t client);       /* "GRBM_CP" */
/* Of the interrupt source src of this client. */
const char *amdgpu_source_name(uint64_t client, uint64_t src);

/* "VRAM|GTT", "0" for none, numbers for bits without a name. Returns buf. */
char *amdgpu_domains_text(char *buf, size_t cap, uint32_t mask);
/* The name, or the number. Returns buf. */
char *amdgpu_memory_text(char *buf, size_t cap, uint32_t type);

#endif /* XTR_AMDGPU_NAMES_H */
