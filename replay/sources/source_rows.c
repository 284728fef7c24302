/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Job sources that a table can say, driver by driver. Field names are those of the tracepoints'
 * formats in tracefs, which texts are imported by, too. docs/drivers.md has the table for people.
 */
#include "source_table.h"

#define FIELD SOURCE_RING_FIELD

/* The always-on counter of Adreno GPUs counts at 19.2 MHz: adreno_gpu.h, kgsl KGSL_XO_CLK_FREQ. */
#define ADRENO_TICK .tick_num = 10000, .tick_den = 192

/* Fences as dma_fence tells of them; before Linux 4.10 they were called so. */
#define SIGNALED "dma_fence:dma_fence_signaled|fence:fence_signaled"

/*
 * drivers/gpu/drm/amd/amdgpu/amdgpu_trace.h of Linux 4.10 to 7.2: context and seqno are those of
 * the job's finished fence, 32 bits of them before 6.17. The kernel's own jobs have no cs_ioctl.
 * The hardware's fence is signalled by amdgpu_fence_process, the finished one in its callback.
 */
#define AMDGPU_JOB(name, is)                                                           \
	{                                                                              \
		.event = "amdgpu:amdgpu_" name, .act = (is), .ring = FIELD, .field = { \
			[SF_TIMELINE] = "timeline|ring",                               \
			[SF_CTX] = "context",                                          \
			[SF_SEQNO] = "seqno",                                          \
		}                                                                      \
	}
#define JOB_FENCE                                               \
	{                                                       \
		.event = SIGNALED, .act = ACT_FENCE, .field = { \
			[SF_TIMELINE] = "timeline",             \
			[SF_CTX] = "ctx|context",               \
			[SF_SEQNO] = "seqno",                   \
			[SF_DRIVER] = "driver",                 \
			[SF_OPS] = "ops",                       \
			[SF_ERROR] = "error",                   \
		}                                               \
	}

/*
 * drivers/gpu/drm/msm/msm_gpu_trace.h since Linux 4.20: id counts submissions of all rings. start
 * and end are written by the GPU itself (a6xx and newer; 0 on others), elapsed is ns of them.
 */
#define MSM(name, is, ...)                                                                 \
	{                                                                                  \
		.event = "drm_msm_gpu:msm_gpu_submit" name "|drm_msm:msm_gpu_submit" name, \
		.act = (is), .ring = FIELD, .field = {                                     \
			[SF_RING] = "ringid",                                              \
			[SF_SEQNO] = "id",                                                 \
			[SF_TID] = "pid",                                                  \
			__VA_ARGS__                                                        \
		}                                                                          \
	}

/* kgsl's adreno_trace.h: a batch is its context and a number (timestamp) in it. */
#define KGSL(name, is, of_ring, ...)                                                              \
	{                                                                                         \
		.event = "kgsl:adreno_cmdbatch_" name, .act = (is), .ring = (of_ring), .field = { \
			[SF_CTX] = "id",                                                          \
			[SF_SEQNO] = "timestamp",                                                 \
			[SF_RING] = "rb_id",                                                      \
			__VA_ARGS__                                                               \
		}                                                                                 \
	}

/* drivers/gpu/drm/v3d/v3d_trace.h: a number counts in each queue. */
enum {
	V3D_BIN,
	V3D_RENDER,
	V3D_TFU,
	V3D_CSD
};
#define V3D(name, is, of_ring, ...)                                                  \
	{                                                                            \
		.event = "v3d:v3d_" name, .act = (is), .ring = (of_ring), .field = { \
			[SF_DEV] = "dev",                                            \
			[SF_SEQNO] = "seqno",                                        \
			__VA_ARGS__                                                  \
		}                                                                    \
	}
#define VC4(name, is, of_ring, ...)                                                  \
	{                                                                            \
		.event = "vc4:vc4_" name, .act = (is), .ring = (of_ring), .field = { \
			[SF_DEV] = "dev",                                            \
			[SF_SEQNO] = "seqno",                                        \
			__VA_ARGS__                                                  \
		}                                                                    \
	}

/*
 * mali_linux_systrace.h of Samsung's kernels: an atom (job_id) of a context goes to its slot, and
 * is done. Numbers of atoms come again. Old ones call the atom's kind ev_str, and texts do not tell
 * the context.
 */
#define SYSTRACE(name, is)                                               \
	{                                                                \
		.event = "mali:mali_job_systrace_event_" name            \
			 "|mali_systrace:mali_job_systrace_event_" name  \
			 "|mali-systrace:mali_job_systrace_event_" name, \
		.act = (is), .ring = FIELD, .field = {                   \
			[SF_TIMELINE] = "job_name|ev_str",               \
			[SF_CTX] = "ctx_id|tgid",                        \
			[SF_ADDR] = "job_id",                            \
			[SF_TID] = "tgid",                               \
		}                                                        \
	}

const struct source_row source_rows[] = {
	{
		.driver = "amdgpu",
		.scheduler = true,
		.fences = true,
		.by_thread = true,
		.job_fence = "amd_sched|drm_sched",
		.hw_fence = "amdgpu",
		.event = { AMDGPU_JOB("cs_ioctl", ACT_QUEUE), AMDGPU_JOB("sched_run_job", ACT_RUN),
			   JOB_FENCE },
	},
	{
		/* drivers/gpu/drm/lima/lima_trace.h: the task's finished fence. */
		.driver = "lima",
		.scheduler = true,
		.fences = true,
		.by_thread = true,
		.limit = 1,
		.job_fence = "drm_sched",
		.hw_fence = "lima",
		.event = { { .event = "lima:lima_task_submit",
			     .act = ACT_QUEUE,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "pipe",
					[SF_CTX] = "context",
					[SF_SEQNO] = "seqno" } },
			   { .event = "lima:lima_task_run",
			     .act = ACT_RUN,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "pipe",
					[SF_CTX] = "context",
					[SF_SEQNO] = "seqno" } },
			   JOB_FENCE },
	},
	{
		.driver = "msm",
		.scheduler = true,
		.measured = true,
		.order_source = "the GPU tells start and end: msm_gpu_trace.h",
		ADRENO_TICK,
		.event = { MSM("", ACT_QUEUE), MSM("_flush", ACT_RUN, [SF_TICKS] = "ticks"),
			   MSM("_retired", ACT_MEASURED, [SF_START] = "start_ticks",
			       [SF_END] = "end_ticks", [SF_ELAPSED] = "elapsed") },
	},
	{
		.driver = "kgsl",
		.ring = { [9] = "(not submitted)" },
		.measured = true,
		.order_source = "the GPU tells start and end: adreno_trace.h",
		ADRENO_TICK,
		.event = { KGSL("queued", ACT_QUEUE, 9),
			   KGSL("submitted|kgsl:adreno_cmdbatch_sync", ACT_RUN,
				FIELD, [SF_TICKS] = "ticks", [SF_SEC] = "secs", [SF_USEC] = "usecs",
				[SF_NSEC] = "nsecs"),
			   KGSL("retired", ACT_MEASURED, FIELD, [SF_START] = "start",
				[SF_END] = "retire", [SF_ACTIVE] = "active") },
	},
	{
		.driver = "v3d",
		.ring = { "v3d_bin", "v3d_render", "v3d_tfu", "v3d_csd" },
		.timeline = { "v3d-bin", "v3d-render", "v3d-tfu", "v3d-csd" },
		.hw_fence = "v3d",
		.scheduler = true,
		.limit = 1,
		.order_source = "one job at a time per queue: v3d_sched.c",
		.submits = true,
		.event = { V3D("submit_cl_ioctl", ACT_SUBMIT, V3D_RENDER, [SF_ADDR] = "ct1qba"),
			   V3D("submit_tfu_ioctl", ACT_SUBMIT, V3D_TFU),
			   V3D("submit_csd_ioctl", ACT_SUBMIT, V3D_CSD),
			   V3D("submit_cl", ACT_RUN,
			       FIELD, [SF_RING] = "is_render", [SF_ADDR] = "ctnqba"),
			   V3D("submit_tfu", ACT_RUN, V3D_TFU), V3D("submit_csd", ACT_RUN, V3D_CSD),
			   V3D("bcl_irq", ACT_DONE, V3D_BIN), V3D("rcl_irq", ACT_DONE, V3D_RENDER),
			   V3D("tfu_irq", ACT_DONE, V3D_TFU), V3D("csd_irq", ACT_DONE, V3D_CSD) },
	},
	{
		/* drivers/gpu/drm/vc4/vc4_trace.h since Linux 6.0, vc4_gem.c: one list of jobs. */
		.driver = "vc4",
		.ring = { "bin", "render" },
		.limit = 1,
		.order_source = "one job at a time per queue: vc4_gem.c",
		.submits = true,
		.event = { VC4("submit_cl_ioctl", ACT_SUBMIT, V3D_BIN),
			   VC4("submit_cl", ACT_RUN, FIELD, [SF_RING] = "is_render"),
			   VC4("bcl_end_irq", ACT_DONE, V3D_BIN),
			   VC4("rcl_end_irq", ACT_DONE, V3D_RENDER) },
	},
	{
		/*
		 * radeon_trace.h, radeon_fence.c: a number counts in each ring; a fence that nobody
		 * waits for is signalled when somebody looks, and says that all before it are.
		 */
		.driver = "radeon",
		.ring = { "radeon.gfx", "radeon.cp1", "radeon.cp2", "radeon.dma", "radeon.dma1",
			  "radeon.uvd", "radeon.vce1", "radeon.vce2" },
		.order_source = "one fence counter per ring: radeon_fence.c",
		.hw_fence = "radeon",
		.event = { { .event = "radeon:radeon_fence_emit",
			     .act = ACT_QUEUE,
			     .ring = FIELD,
			     .field = { [SF_DEV] = "dev",
					[SF_RING] = "ring",
					[SF_SEQNO] = "seqno" } },
			   { .event = SIGNALED,
			     .act = ACT_REACHED,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "timeline",
					[SF_SEQNO] = "seqno",
					[SF_DRIVER] = "driver" } },
			   { .event = "radeon:radeon_fence_wait_end",
			     .act = ACT_SEEN,
			     .ring = FIELD,
			     .field = { [SF_DEV] = "dev",
					[SF_RING] = "ring",
					[SF_SEQNO] = "seqno" } } },
	},
	{
		/*
		 * include/trace/events/host1x.h: a channel executes in order; the value that its
		 * sync point has at a job's end names the job. A work item tells that it was
		 * reached (drivers/gpu/host1x/intr.c, up to Linux 6.3).
		 */
		.driver = "host1x",
		.event = { { .event = "host1x:host1x_channel_submitted",
			     .act = ACT_QUEUE,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "name", [SF_SEQNO] = "syncpt_max" } },
			   { .event = "host1x:host1x_channel_submit_complete",
			     .act = ACT_SEEN,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "name", [SF_SEQNO] = "thresh" } } },
	},
	{
		/* drivers/gpu/drm/imagination/pvr_trace.h: a job goes by its address. */
		.driver = "pvr",
		.ring = { "geometry", "fragment", "compute", "transfer" },
		.scheduler = true,
		.event = { { .event = "pvr:pvr_job_create",
			     .act = ACT_QUEUE,
			     .ring = 9,
			     .field = { [SF_CTX] = "none", [SF_ADDR] = "job" } },
			   { .event = "pvr:pvr_job_submit_fw",
			     .act = ACT_RUN,
			     .ring = 9,
			     .field = { [SF_ADDR] = "job" } },
			   { .event = "pvr:pvr_job_done",
			     .act = ACT_GONE,
			     .ring = 9,
			     .field = { [SF_ADDR] = "job" } } },
	},
	{
		/*
		 * include/trace/events/gpu.h of Android's kernels: a block of the GPU has one job
		 * at a time, and each change is told.
		 */
		.driver = "gpu",
		.measured = true,
		.order_source = "each switch is told: trace/events/gpu.h",
		.event = { { .event = "gpu:gpu_job_enqueue",
			     .act = ACT_QUEUE,
			     .ring = 9,
			     .field = { [SF_CTX] = "ctx_id", [SF_SEQNO] = "job_id" } },
			   { .event = "gpu:gpu_sched_switch",
			     .act = ACT_SWITCH,
			     .ring = FIELD,
			     .field = { [SF_TIMELINE] = "gpu_name",
					[SF_CTX] = "next_ctx_id",
					[SF_SEQNO] = "next_job_id",
					[SF_START] = "timestamp",
					[SF_SEC] = "secs",
					[SF_USEC] = "usecs" } } },
		.ring = { [9] = "(not switched to)" },
	},
	{
		.driver = "mali",
		.ring = { "fragment", "vertex-tiler-compute", "compute" },
		.order_source = "a job slot executes in order: mali_kbase_jm_hw.c",
		.event = { { .event = "mali:mali_job_slots_event",
			     .act = ACT_SLOT,
			     .ring = FIELD,
			     .field = { [SF_RING] = "event_id", [SF_TID] = "pid" } } },
	},
	{
		.driver = "mali",
		.ring = { "fragment", "vertex-tiler-compute", "compute" },
		.timeline = { "fragment-job", "vertex-job", "compute-job" },
		.order_source = "a job slot executes in order: mali_kbase_jm_hw.c",
		.event = { SYSTRACE("start", ACT_RUN), SYSTRACE("stop", ACT_DONE) },
	},
};

const size_t source_n_rows = sizeof(source_rows) / sizeof(source_rows[0]);
