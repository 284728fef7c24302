/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of numbers: include/drm/ttm/ttm_placement.h and amdgpu_ttm.h (memory types), include/uapi/
 * drm/amdgpu_drm.h (domains, creation flags), soc15_ih_clientid.h (interrupt clients). What differs
 * between kernels or GPUs has no name here.
 */
#include "amdgpu_impl.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The number is the place; the domain is a bit's number. */
static const struct {
	const char *name;
	unsigned int domain;
} memories[] = {
	{ "system", 0 }, { "gtt", 1 },     { "vram", 2 },     { "gds", 3 },        { "gws", 4 },
	{ "oa", 5 },     { "preempt", 1 }, { "doorbell", 6 }, { "mmio_remap", 7 },
};

static const char *const domains[] = {
	"CPU", "GTT", "VRAM", "GDS", "GWS", "OA", "DOORBELL", "MMIO_REMAP",
};

/* Bit 4 is internal to the driver, as are those above 16. */
static const char *const create_flags[] = {
	"CPU_ACCESS_REQUIRED",
	"NO_CPU_ACCESS",
	"CPU_GTT_USWC",
	"VRAM_CLEARED",
	NULL,
	"VRAM_CONTIGUOUS",
	"VM_ALWAYS_VALID",
	"EXPLICIT_SYNC",
	"CP_MQD_GFX9",
	"VRAM_WIPE_ON_RELEASE",
	"ENCRYPTED",
	"PREEMPTIBLE",
	"DISCARDABLE",
	"COHERENT",
	"UNCACHED",
	"EXT_COHERENT",
	"GFX12_DCC",
};

/*
 * Those that mean the same on soc15 and soc21; 0 is every client of older GPUs, and SDMA, display,
 * VCE and others share numbers.
 */
static const char *const clients[] = {
	[0x02] = "ATHUB",      [0x03] = "BIF",   [0x07] = "RLC",     [0x0f] = "THM",
	[0x10] = "UVD or VCN", [0x12] = "VMC",   [0x14] = "GRBM_CP", [0x17] = "DF",
	[0x19] = "PWR",        [0x1b] = "UTCL2", [0x1e] = "MP0",     [0x1f] = "MP1",
};

/* The same on all generations that have the client (ivsrcid_gfx_9_0.h to _12_0_0.h). */
static const struct {
	uint64_t client, src;
	const char *name;
} sources[] = {
	{ 0x14, 181, "end of pipe" },
	{ 0x14, 184, "privileged register fault" },
	{ 0x14, 185, "privileged instruction fault" },
};

const char *amdgpu_memory_name(uint32_t type)
{
	if (type == AMDGPU_MEM_NONE)
		return "none";
	return type < COUNT(memories) ? memories[type].name : NULL;
}

uint32_t amdgpu_memory_domain(uint32_t type)
{
	return type < COUNT(memories) ? 1u << memories[type].domain : 0;
}

const char *amdgpu_domain_name(unsigned int bit)
{
	return bit < COUNT(domains) ? domains[bit] : NULL;
}

const char *amdgpu_create_flag_name(unsigned int bit)
{
	return bit < COUNT(create_flags) ? create_flags[bit] : NULL;
}

const char *amdgpu_client_name(uint64_t client)
{
	return client < COUNT(clients) ? clients[client] : NULL;
}

const char *amdgpu_source_name(uint64_t client, uint64_t src)
{
	for (size_t i = 0; i < COUNT(sources); i++)
		if (sources[i].client == client && sources[i].src == src)
			return sources[i].name;
	return NULL;
}

char *amdgpu_domains_text(char *buf, size_t cap, uint32_t mask)
{
	size_t n = 0;

	snprintf(buf, cap, "0");
	for (unsigned int i = 0; i < 32; i++) {
		const char *name = amdgpu_domain_name(i);

		if (!(mask & 1u << i) || n >= cap)
			continue;
		if (name)
			n += (size_t)snprintf(buf + n, cap - n, "%s%s", n ? "|" : "", name);
		else
			n += (size_t)snprintf(buf + n, cap - n, "%s0x%x", n ? "|" : "", 1u << i);
	}
	return buf;
}

char *amdgpu_memory_text(char *buf, size_t cap, uint32_t type)
{
	const char *name = amdgpu_memory_name(type);

	if (name)
		snprintf(buf, cap, "%s", name);
	else
		snprintf(buf, cap, "%" PRIu32, type);
	return buf;
}
