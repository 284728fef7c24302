/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia_name.h"

#include <stdio.h>
#include <string.h>

struct name {
	uint32_t number;
	const char *name;
};

/*
 * kernel-open/common/inc/nv-ioctl-numbers.h and src/nvidia/arch/nvalloc/unix/include/nv_escape.h of
 * the open modules 515 to 595. Sizes, and with them codes, change between releases; numbers do not.
 */
static const struct name rm[] = {
	{ 0x27, "RM_ALLOC_MEMORY" },
	{ 0x28, "RM_ALLOC_OBJECT" },
	{ 0x29, "RM_FREE" },
	{ NV_RM_CONTROL, "RM_CONTROL" },
	{ NV_RM_ALLOC, "RM_ALLOC" },
	{ 0x32, "RM_CONFIG_GET" },
	{ 0x33, "RM_CONFIG_SET" },
	{ 0x34, "RM_DUP_OBJECT" },
	{ 0x35, "RM_SHARE" },
	{ 0x37, "RM_CONFIG_GET_EX" },
	{ 0x38, "RM_CONFIG_SET_EX" },
	{ 0x39, "RM_I2C_ACCESS" },
	{ 0x41, "RM_IDLE_CHANNELS" },
	{ 0x4a, "RM_VID_HEAP_CONTROL" },
	{ 0x4d, "RM_ACCESS_REGISTRY" },
	{ 0x4e, "RM_MAP_MEMORY" },
	{ 0x4f, "RM_UNMAP_MEMORY" },
	{ 0x52, "RM_GET_EVENT_DATA" },
	{ 0x54, "RM_ALLOC_CONTEXT_DMA2" },
	{ 0x56, "RM_ADD_VBLANK_CALLBACK" },
	{ 0x57, "RM_MAP_MEMORY_DMA" },
	{ 0x58, "RM_UNMAP_MEMORY_DMA" },
	{ 0x59, "RM_BIND_CONTEXT_DMA" },
	{ 0x5c, "RM_EXPORT_OBJECT_TO_FD" },
	{ 0x5d, "RM_IMPORT_OBJECT_FROM_FD" },
	{ 0x5e, "RM_UPDATE_DEVICE_MAPPING_INFO" },
	{ 0x5f, "RM_LOCKLESS_DIAGNOSTIC" },
	{ 0xc8, "CARD_INFO" },
	{ 0xc9, "REGISTER_FD" },
	{ 0xce, "ALLOC_OS_EVENT" },
	{ 0xcf, "FREE_OS_EVENT" },
	{ 0xd1, "STATUS_CODE" },
	{ 0xd2, "CHECK_VERSION_STR" },
	{ 0xd3, "IOCTL_XFER_CMD" },
	{ 0xd4, "ATTACH_GPUS_TO_FD" },
	{ 0xd5, "QUERY_DEVICE_INTR" },
	{ 0xd6, "SYS_PARAMS" },
	{ 0xd7, "NUMA_INFO" },
	{ 0xd8, "SET_NUMA_STATUS" },
	{ 0xd9, "EXPORT_TO_DMABUF_FD" },
	{ 0xda, "WAIT_OPEN_COMPLETE" },
};

/* kernel-open/nvidia-uvm/uvm_ioctl.h, uvm_linux_ioctl.h. */
static const struct name uvm[] = {
	{ 23, "UVM_CREATE_RANGE_GROUP" },
	{ 25, "UVM_REGISTER_GPU_VASPACE" },
	{ 27, "UVM_REGISTER_CHANNEL" },
	{ 29, "UVM_ENABLE_PEER_ACCESS" },
	{ 33, "UVM_MAP_EXTERNAL_ALLOCATION" },
	{ 34, "UVM_FREE" },
	{ 37, "UVM_REGISTER_GPU" },
	{ 38, "UVM_UNREGISTER_GPU" },
	{ 39, "UVM_PAGEABLE_MEM_ACCESS" },
	{ 42, "UVM_SET_PREFERRED_LOCATION" },
	{ 51, "UVM_MIGRATE" },
	{ 68, "UVM_ALLOC_SEMAPHORE_POOL" },
	{ 72, "UVM_VALIDATE_VA_RANGE" },
	{ 73, "UVM_CREATE_EXTERNAL_RANGE" },
	{ 75, "UVM_MM_INITIALIZE" },
	{ 0x30000001, "UVM_INITIALIZE" },
	{ 0x30000002, "UVM_DEINITIALIZE" },
};

/* src/common/sdk/nvidia/inc/ctrl/: class << 16 | category << 8 | index. */
static const struct name controls[] = {
	{ 0x00000201, "GPU_GET_ATTACHED_IDS" }, { 0x20800102, "GPU_GET_INFO_V2" },
	{ 0x20800110, "GPU_GET_NAME_STRING" },  { 0x2080012f, "GPU_QUERY_ECC_STATUS" },
	{ 0x20800403, "TIMER_GET_TIME" },       { 0x20801303, "FB_GET_INFO_V2" },
	{ 0xa06c0101, "GPFIFO_SCHEDULE" },      { 0xc36f0108, "GET_WORK_SUBMIT_TOKEN" },
};

/* src/common/sdk/nvidia/inc/class/. */
static const struct name classes[] = {
	{ 0x0000, "root" },
	{ 0x003e, "system memory" },
	{ 0x0040, "local memory" },
	{ 0x0070, "virtual memory" },
	{ 0x0080, "device" },
	{ 0x2080, "subdevice" },
	{ 0x503c, "third-party P2P" },
	{ 0x50a0, "virtual memory" },
	{ 0x9067, "context share" },
	{ 0x90f1, "address space" },
	{ 0xa06c, "channel group" },
	{ 0xc361, "user-mode doorbell" },
	{ 0xc36f, "GPFIFO channel (Volta)" },
	{ 0xc461, "user-mode doorbell" },
	{ 0xc46f, "GPFIFO channel (Turing)" },
	{ 0xc561, "user-mode doorbell" },
	{ 0xc56f, "GPFIFO channel (Ampere)" },
	{ 0xc5b5, "copy engine" },
	{ 0xc5c0, "compute" },
	{ 0xc661, "user-mode doorbell" },
	{ 0xc6b5, "copy engine" },
	{ 0xc6c0, "compute" },
	{ 0xc7b5, "copy engine" },
	{ 0xc7c0, "compute" },
	{ 0xc86f, "GPFIFO channel (Hopper)" },
	{ 0xc8b5, "copy engine" },
	{ 0xc96f, "GPFIFO channel (Blackwell)" },
	{ 0xc9c0, "compute" },
	{ 0xcbc0, "compute" },
	{ 0xcdc0, "compute" },
};

#define FIND(table, number) find(table, sizeof(table) / sizeof(*(table)), number)

static const char *find(const struct name *table, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].number == number)
			return table[i].name;
	return NULL;
}

enum nv_kind nv_ioctl_kind(uint32_t cmd, uint32_t *number)
{
	bool rm_magic = (cmd >> 8 & 0xff) == 'F';

	*number = rm_magic ? cmd & 0xff : cmd;
	return rm_magic ? NV_KIND_RM : NV_KIND_OTHER;
}

bool nv_ioctl_has_second(enum nv_kind kind, uint32_t number)
{
	return kind == NV_KIND_RM && (number == NV_RM_CONTROL || number == NV_RM_ALLOC);
}

const char *nv_kind_name(enum nv_kind kind)
{
	static const char *const names[] = {
#define NAME(id, text) text,
		NV_KINDS(NAME)
#undef NAME
	};

	return names[kind];
}

const char *nv_ioctl_known(enum nv_kind kind, uint32_t number)
{
	if (kind == NV_KIND_RM)
		return FIND(rm, number);
	return kind == NV_KIND_UVM ? FIND(uvm, number) : NULL;
}

const char *nv_second_known(uint32_t number, uint32_t second)
{
	return number == NV_RM_CONTROL ? FIND(controls, second) : FIND(classes, second);
}

static void copy(char buf[NV_NAME_MAX], const char *name)
{
	const size_t n = strnlen(name, NV_NAME_MAX - 1);

	memcpy(buf, name, n);
	buf[n] = '\0';
}

char *nv_ioctl_name(char buf[NV_NAME_MAX], enum nv_kind kind, uint32_t number)
{
	const char *known = nv_ioctl_known(kind, number);

	if (known)
		copy(buf, known);
	else if (kind == NV_KIND_RM)
		snprintf(buf, NV_NAME_MAX, "ioctl 0x%02x", number);
	else if (kind == NV_KIND_UVM)
		snprintf(buf, NV_NAME_MAX, "UVM ioctl %u", number);
	else if (kind == NV_KIND_OTHER)
		snprintf(buf, NV_NAME_MAX, "ioctl code 0x%08x", number);
	else
		snprintf(buf, NV_NAME_MAX, "(others)");
	return buf;
}

char *nv_second_name(char buf[NV_NAME_MAX], uint32_t number, uint32_t second)
{
	const char *known = nv_second_known(number, second);

	if (known)
		copy(buf, known);
	else if (number == NV_RM_CONTROL)
		snprintf(buf, NV_NAME_MAX, "command 0x%08x", second);
	else
		snprintf(buf, NV_NAME_MAX, "class 0x%04x", second);
	return buf;
}

char *nv_whole_name(char buf[2 * NV_NAME_MAX], enum nv_kind kind, uint32_t number, bool has_second,
		    uint32_t second)
{
	char one[NV_NAME_MAX], two[NV_NAME_MAX] = "";

	nv_ioctl_name(one, kind, number);
	if (has_second)
		nv_second_name(two, number, second);
	snprintf(buf, 2 * (size_t)NV_NAME_MAX, "%s%s%s", one, has_second ? " " : "", two);
	return buf;
}
