/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What producers say of Vulkan, and events of one packet: the driver's log, memory of the GPU, its
 * frequency. The last two become the kernel's own events of the same meaning.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "vulkan"

/* --- VulkanApiEvent --------------------------------------------------------------------------- */

const char *gpu_object_name(const struct pft_gpu *g, uint32_t type, uint64_t handle)
{
	const uint64_t *text = xtr_map_get(&g->names, type, handle);

	return text ? (const char *)(uintptr_t)*text : "";
}

/* VkDebugUtilsObjectName: an object is called so from now on. */
static int take_name(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		     struct pft_msg m)
{
	uint64_t type = gpu_u64(m, 3), object = gpu_u64(m, 4);
	const uint64_t *old = xtr_map_get(&g->names, (uint32_t)type, object);
	struct gpu_record *r = &g->rec;
	struct pft_field f;
	char *text;

	gpu_field(m, 5, &f);
	if (f.wire != 2)
		f.n = 0;
	text = xtr_copy_text((const char *)f.p, f.n < 255 ? f.n : 255);
	if (!text)
		return -ENOMEM;
	if (old) {
		free((char *)(uintptr_t)*old);
		*xtr_map_get(&g->names, (uint32_t)type, object) = (uint64_t)(uintptr_t)text;
	} else if (g->names.n >= GPU_MAP_MAX ||
		   xtr_map_put(&g->names, (uint32_t)type, object, (uint64_t)(uintptr_t)text)) {
		free(text);
	}
	if (!packet->has_ts)
		return 0;
	gpu_begin(r, GPU_EVENT, "perfetto", "vk_object_name", 0, (uint32_t)gpu_u64(m, 1));
	gpu_number(r, "pid", (uint32_t)gpu_u64(m, 1));
	gpu_hex(r, "vk_device", gpu_u64(m, 2));
	gpu_number(r, "object_type", (uint32_t)type);
	gpu_hex(r, "object", object);
	gpu_text(r, "object_name", f.p, f.n);
	return gpu_hold(p, packet->ts, r);
}

/* VkQueueSubmit: a call, and what a thread gave the GPU. */
static int take_submit(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		       struct pft_msg m)
{
	uint32_t pid = (uint32_t)gpu_u64(m, 2), tid = (uint32_t)gpu_u64(m, 3);
	uint64_t submission = (uint32_t)gpu_u64(m, 6), end, buffers = 0, first = 0;
	struct gpu_record *r = &g->rec;
	struct pft_msg all = m;
	struct pft_field f;
	int err;

	if (!packet->has_ts) {
		g->left_out[GPU_NO_TIME]++;
		return 0;
	}
	while (pft_next(&all, &f))
		if (f.num == 5 && !buffers++)
			first = f.v;
	if (__builtin_add_overflow(packet->ts, gpu_u64(m, 1), &end) || end > INT64_MAX)
		end = packet->ts;
	gpu_begin(r, GPU_SUBMIT, "", "", tid, pid);
	gpu_keys(r, pid, submission, 0);
	err = gpu_hold(p, packet->ts, r);
	gpu_begin(r, GPU_CALL, LIBRARY, "vkQueueSubmit", tid, pid);
	gpu_hex(r, "queue", gpu_u64(m, 4));
	gpu_number(r, "submission_id", submission);
	gpu_number(r, "command_buffers", buffers);
	gpu_hex(r, "command_buffer", first);
	if (!err)
		err = gpu_hold(p, packet->ts, r);
	gpu_begin(r, GPU_RETURN, LIBRARY, "vkQueueSubmit", tid, pid);
	return err ? err : gpu_hold(p, end, r);
}

int gpu_take_vulkan(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		    struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	if (gpu_field(m, 1, &f))
		err = take_name(p, g, packet, pft_sub(&f));
	if (!err && gpu_field(m, 2, &f))
		err = take_submit(p, g, packet, pft_sub(&f));
	return err;
}

/* --- VulkanMemoryEvent ------------------------------------------------------------------------ */

static const char *const sources[] = { "unspecified",   "driver", "device",
				       "device memory", "buffer", "image" };
static const char *const operations[] = { "unspecified", "create",        "destroy",
					  "bind",        "destroy bound", "annotations" };
static const char *const scopes[] = { "unspecified", "command", "object",
				      "cache",       "device",  "instance" };

static void put_word(struct gpu_record *r, const char *name, const char *const *words, size_t n,
		     uint64_t v)
{
	const char *word = v < n ? words[v] : "other";

	gpu_text(r, name, word, strlen(word));
}

/* It has a time of its own; its annotations and its caller's name are left out. */
int gpu_take_memory(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		    struct pft_msg m)
{
	uint64_t own = gpu_u64(m, 3), ts = packet->ts;
	struct gpu_record *r = &g->rec;
	uint32_t pid = (uint32_t)gpu_u64(m, 4);

	if (!packet->has_ts && !pft_time(p, packet->seq, packet->clock, own, &ts)) {
		g->left_out[GPU_NO_TIME]++;
		return 0;
	}
	gpu_begin(r, GPU_EVENT, "perfetto", "vulkan_memory", 0, pid);
	gpu_number(r, "pid", pid);
	put_word(r, "source", sources, sizeof(sources) / sizeof(sources[0]), gpu_u64(m, 1));
	put_word(r, "operation", operations, sizeof(operations) / sizeof(operations[0]),
		 gpu_u64(m, 2));
	put_word(r, "scope", scopes, sizeof(scopes) / sizeof(scopes[0]), gpu_u64(m, 8));
	gpu_number(r, "size", gpu_u64(m, 6));
	gpu_hex(r, "address", gpu_u64(m, 5));
	gpu_hex(r, "object", gpu_u64(m, 20));
	gpu_hex(r, "device_memory", gpu_u64(m, 17));
	gpu_number(r, "memory_type", (uint32_t)gpu_u64(m, 18));
	gpu_number(r, "heap", (uint32_t)gpu_u64(m, 19));
	return gpu_hold(p, ts, r);
}

/* --- of one packet ---------------------------------------------------------------------------- */

int gpu_take_log(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		 struct pft_msg m)
{
	static const char *const severities[] = { "unspecified", "verbose", "debug",
						  "info",        "warning", "error" };
	struct gpu_record *r = &g->rec;
	struct pft_field tag, message;

	gpu_begin(r, GPU_EVENT, "perfetto", "gpu_log", 0, 0);
	put_word(r, "severity", severities, sizeof(severities) / sizeof(severities[0]),
		 gpu_u64(m, 1));
	gpu_field(m, 2, &tag);
	gpu_field(m, 3, &message);
	gpu_text(r, "tag", tag.p, tag.wire == 2 ? tag.n : 0);
	gpu_text(r, "message", message.p, message.wire == 2 ? message.n : 0);
	return gpu_hold(p, packet->ts, r);
}

int gpu_take_total(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		   struct pft_msg m)
{
	struct gpu_record *r = &g->rec;

	gpu_begin(r, GPU_EVENT, "gpu_mem", "gpu_mem_total", 0, 0);
	gpu_number(r, "gpu_id", (uint32_t)gpu_u64(m, 1));
	gpu_number(r, "pid", (uint32_t)gpu_u64(m, 2));
	gpu_number(r, "size", gpu_u64(m, 3));
	return gpu_hold(p, packet->ts, r);
}

int gpu_take_frequency(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		       struct pft_msg m)
{
	struct gpu_record *r = &g->rec;

	gpu_begin(r, GPU_EVENT, "power", "gpu_frequency", 0, 0);
	gpu_number(r, "gpu_id", (uint32_t)gpu_u64(m, 1));
	gpu_number(r, "state", (uint32_t)gpu_u64(m, 2));
	return gpu_hold(p, packet->ts, r);
}
