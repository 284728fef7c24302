/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of virtual GPUs and their responses, against known truth. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define US  1000ull
#define SEC 1000000000ull

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_virtio_gpu, .init = setup, .fini = teardown);

static void describe(bool seqno)
{
	const char *fields = seqno ? "dev:s32:4 vq:u32:4 type:u32:4 fence_id:u64:8 num_free:u32:4 "
				     "seqno:u32:4"
				   : "dev:s32:4 vq:u32:4 type:u32:4 fence_id:u64:8";

	named_describe(&r.n, "virtio_gpu:virtio_gpu_cmd_queue", fields);
	named_describe(&r.n, "virtio_gpu:virtio_gpu_cmd_response", fields);
	analysed_begin(&r, NULL);
}

static void event(uint64_t ts, const char *what, int dev, uint32_t vq, uint32_t type,
		  uint64_t fence)
{
	char name[64];

	snprintf(name, sizeof(name), "virtio_gpu:virtio_gpu_cmd_%s", what);
	named_emit(&r.n, name, ts, 7, 0);
	named_set(&r.n, "dev", (uint64_t)dev);
	named_set(&r.n, "vq", vq);
	named_set(&r.n, "type", type);
	named_set(&r.n, "fence_id", fence);
}

static void give(uint32_t seqno, uint32_t left)
{
	named_set(&r.n, "seqno", seqno);
	named_set(&r.n, "num_free", left);
	analysed_give(&r);
}

Test(analysis_virtio_gpu, by_number_on_the_virtqueue)
{
	describe(true);
	event(1 * US, "queue", 0, 0, 0x104, 0);
	give(1, 60);
	event(2 * US, "queue", 0, 1, 0x300, 0);
	give(1, 15);
	event(3 * US, "queue", 1, 0, 0x104, 0);
	give(1, 64);
	event(5 * US, "response", 0, 1, 0x1100, 0);
	give(1, 16);
	event(11 * US, "response", 0, 0, 0x1100, 0);
	give(1, 61);
	event(33 * US, "response", 1, 0, 0x1203, 0);
	give(1, 64);
	event(34 * US, "response", 1, 0, 0x1100, 0);
	give(9, 64);
	analysed_end(&r, 100 * US, "virtio_gpu");
	analysed_has(r.section,
		     "{\"lower_bounds\":false,\"paired_by\":\"seqno\",\"commands\":["
		     "{\"device\":0,\"type\":260,\"name\":\"RESOURCE_FLUSH\","
		     "\"queued\":1,\"answered\":1,\"errors\":0,\"open\":0,"
		     "\"unanswered\":0,\"unpaired\":0,\"time_ns\":{\"n\":1,\"sum\":10000,");
	analysed_has(r.section,
		     "{\"device\":0,\"type\":768,\"name\":\"UPDATE_CURSOR\",\"queued\":1,"
		     "\"answered\":1,\"errors\":0,\"open\":0,\"unanswered\":0,"
		     "\"unpaired\":0,\"time_ns\":{\"n\":1,\"sum\":3000,");
	analysed_has(r.section, "{\"device\":1,\"type\":260,\"name\":\"RESOURCE_FLUSH\","
				"\"queued\":1,\"answered\":1,\"errors\":1,");
	analysed_has(r.section, "{\"device\":0,\"vq\":0,\"queued\":1,\"answered\":1,"
				"\"least_free\":60,\"last_free\":61}");
	analysed_has(r.section, "\"unasked\":1,");
	analysed_has(r.findings,
		     "{\"id\":\"virtio-gpu-error\",\"notable\":true,\"at_ns\":33000,\"text\":"
		     "\"virtio1 answered 1 command with ERR_INVALID_RESOURCE_ID (0x1203), ");
	analysed_has(r.findings,
		     "{\"responses\":1,\"limit\":1,\"type\":4611,\"first_command\":260}");
}

/* As in Linux 6.1: pairs are known by fence alone, and most commands have none. */
Test(analysis_virtio_gpu, by_fence)
{
	describe(false);
	event(1 * US, "queue", 0, 0, 0x105, 0);
	analysed_give(&r);
	event(2 * US, "queue", 0, 0, 0x207, 5);
	analysed_give(&r);
	event(3 * US, "queue", 0, 0, 0x999, 6);
	analysed_give(&r);
	event(20 * US, "response", 0, 0, 0x1100, 0);
	analysed_give(&r);
	event(22 * US, "response", 0, 0, 0x1100, 5);
	analysed_give(&r);
	analysed_end(&r, 100 * US, "virtio_gpu");
	analysed_has(r.section, "\"name\":\"TRANSFER_TO_HOST_2D\",\"queued\":1,\"answered\":0,"
				"\"errors\":0,\"open\":0,\"unanswered\":0,\"unpaired\":1,");
	analysed_has(r.section, "\"name\":\"SUBMIT_3D\",\"queued\":1,\"answered\":1,\"errors\":0,"
				"\"open\":0,\"unanswered\":0,\"unpaired\":0,\"time_ns\":{\"n\":1,"
				"\"sum\":20000,");
	analysed_has(r.section, "{\"device\":0,\"type\":2457,\"name\":null,\"queued\":1,"
				"\"answered\":0,\"errors\":0,\"open\":1,");
	analysed_has(r.section, "\"least_free\":null,\"last_free\":null}");
	analysed_has(r.section, "\"unasked\":0,");
	analysed_has(r.text, "by their fence: commands without one have no time");
	analysed_has(r.text, "0x0999");
	analysed_has(r.findings, "[]");
}

Test(analysis_virtio_gpu, unanswered)
{
	describe(true);
	event(1 * US, "queue", 0, 0, 0x207, 0);
	give(1, 60);
	event(2 * SEC, "queue", 0, 0, 0x207, 0);
	give(2, 59);
	event(3 * SEC - 1, "response", 0, 0, 0x1100, 0);
	give(2, 60);
	event(3 * SEC, "queue", 0, 0, 0x207, 0);
	give(3, 59);
	analysed_end(&r, 3 * SEC, "virtio_gpu");
	analysed_has(r.section, "\"queued\":3,\"answered\":1,\"errors\":0,\"open\":1,"
				"\"unanswered\":1,");
	analysed_has(r.findings,
		     "{\"id\":\"virtio-gpu-unanswered\",\"notable\":true,\"at_ns\":1000,\"text\":"
		     "\"virtio0 did not answer 1 of 3 commands SUBMIT_3D (0x207)\"");
	analysed_has(r.findings, "{\"unanswered\":1,\"limit_ns\":1000000000,\"queued\":3,"
				 "\"type\":519}");
}

/* Whatever a file holds, memory is bounded and each event is counted. */
Test(analysis_virtio_gpu, many)
{
	describe(true);
	for (uint32_t i = 0; i < 20000; i++) {
		event(i + 1, "queue", (int)(i % 100), 0, i % 2000, 0);
		give(i, 1);
	}
	analysed_gap(&r, 30000, 30001);
	analysed_end(&r, SEC, "virtio_gpu");
	analysed_has(r.section, "\"virtio_gpu:virtio_gpu_cmd_queue\":20000");
	analysed_has(r.section, "{\"lower_bounds\":true,");
	analysed_has(r.text, "events of further types are only counted by event");
}
