/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, numbers and the values of printed events. */
#include "converters/in/text/textin.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lines ------------------------------------------------------------------------------------ */

/* The states and lengths of all lines of some bytes: "L3 L0 C2". */
static const char *lines_of(const void *data, size_t n)
{
	static char text[4096];
	static const char letters[] = "LTBC";
	struct textin_lines l;
	struct textin_line line;
	struct xtr_io *io;
	size_t used = 0;

	text[0] = '\0';
	cr_assert(zero(int, xtr_io_mem_view(data, n, &io)));
	cr_assert(zero(int, textin_lines_open(&l, io)));
	for (;;) {
		cr_assert(zero(int, textin_lines_next(&l, &line)));
		if (line.state == TEXTIN_END)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c%zu",
					 used ? " " : "", letters[line.state], line.len);
	}
	textin_lines_close(&l);
	xtr_io_close(io);
	return text;
}

#define LINES(s) lines_of(s, sizeof(s) - 1)

Test(textin, lines_end_in_line_feeds)
{
	cr_expect(eq(str, (char *)LINES(""), ""));
	cr_expect(eq(str, (char *)LINES("\n"), "L0"));
	cr_expect(eq(str, (char *)LINES("abc\nde\n"), "L3 L2"));
	cr_expect(eq(str, (char *)LINES("abc\r\n\r\nde"), "L3 L0 C2"));
	cr_expect(eq(str, (char *)LINES("a\0b\nc\n"), "B1 L1"));
	cr_expect(eq(str, (char *)LINES("a\nb\0"), "L1 B1"));
}

/* Lines around the limit and the buffer's size, with one behind them that must be found again. */
Test(textin, long_lines_are_skipped_in_bounded_memory)
{
	static const size_t sizes[] = { TEXTIN_LINE_MAX - 1,     TEXTIN_LINE_MAX,
					TEXTIN_LINE_MAX + 1,     4 * TEXTIN_LINE_MAX - 1,
					4 * TEXTIN_LINE_MAX,     4 * TEXTIN_LINE_MAX + 1,
					10 * TEXTIN_LINE_MAX + 7 };
	char *data = malloc(12 * TEXTIN_LINE_MAX), expected[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(data, 'x', sizes[i] + 2);
		data[0] = '\n';
		data[sizes[i] + 1] = '\n';
		memcpy(data + sizes[i] + 2, "end\n", 4);
		if (sizes[i] <= TEXTIN_LINE_MAX)
			snprintf(expected, sizeof(expected), "L0 L%zu L3", sizes[i]);
		else
			snprintf(expected, sizeof(expected), "L0 T0 L3");
		cr_expect(eq(str, (char *)lines_of(data, sizes[i] + 6), expected), "%zu", sizes[i]);
	}
	free(data);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static const char *time_of(const char *s)
{
	static char text[64];
	struct textin_at a = { s, s + strlen(s) };
	unsigned int digits;
	uint64_t ns;

	if (!textin_time(&a, &ns, &digits))
		return "no";
	snprintf(text, sizeof(text), "%" PRIu64 "/%u%s", ns, digits, a.p == a.end ? "" : "+");
	return text;
}

Test(textin, times_have_as_many_digits_as_printed)
{
	cr_expect(eq(str, (char *)time_of("12.345678"), "12345678000/6"));
	cr_expect(eq(str, (char *)time_of("12.345678901:"), "12345678901/9+"));
	cr_expect(eq(str, (char *)time_of("0.000001"), "1000/6"));
	cr_expect(eq(str, (char *)time_of("1234567"), "1234567/0"));
	cr_expect(eq(str, (char *)time_of("18446744073.709551615"), "18446744073709551615/9"));
	cr_expect(eq(str, (char *)time_of("18446744073.709551616"), "no"));
	cr_expect(eq(str, (char *)time_of("99999999999999999999"), "no"));
	cr_expect(eq(str, (char *)time_of("1.1234567890"), "no"));
	cr_expect(eq(str, (char *)time_of("1."), "no"));
	cr_expect(eq(str, (char *)time_of(".5"), "no"));
	cr_expect(eq(str, (char *)time_of("-1.5"), "no"));
}

/* --- values ----------------------------------------------------------------------------------- */

static int put(char *at, size_t room, const struct xtr_import_value *v)
{
	int len = (int)v->name_len;

	switch (v->kind) {
	case XTR_IMPORT_UINT:
		return snprintf(at, room, "|%.*s=%" PRIu64, len, v->name, v->num);
	case XTR_IMPORT_SINT:
		return snprintf(at, room, "|%.*s=%" PRId64, len, v->name, (int64_t)v->num);
	case XTR_IMPORT_HEX:
		return snprintf(at, room, "|%.*s=0x%" PRIx64, len, v->name, v->num);
	default:
		return snprintf(at, room, "|%.*s='%.*s'", len, v->name, (int)v->str_len, v->str);
	}
}

/* "|name=value..." of the text of an event. */
static char *values_of(const char *event, const char *text)
{
	static char out[8192];
	static struct textin_kinds kinds;
	struct textin_values v;
	size_t used = 0;

	textin_split(textin_kind_of(&kinds, event, strlen(event)), event, strlen(event), text,
		     strlen(text), &v);
	out[0] = '\0';
	for (size_t i = 0; i < v.n; i++)
		used += (size_t)put(out + used, sizeof(out) - used, &v.v[i]);
	return out;
}

static const struct {
	const char *event, *text, *values;
} cases[] = {
	/* gpu_scheduler before Linux 6.17 */
	{ "drm_sched_job",
	  "entity=00000000d1f1aab1, id=17, fence=00000000c0ffee12, ring=gfx_0.0.0, job count:2, hw "
	  "job count:-1",
	  "|entity=0xd1f1aab1|id=17|fence=0xc0ffee12|name='gfx_0.0.0'|job_count=2|hw_job_count=-1" },
	{ "drm_run_job",
	  "entity=0xffff8880d1f1aab1, id=17, fence=(nil), ring=a, id=5, b, job count:0, hw job "
	  "count:1",
	  "|entity=0xffff8880d1f1aab1|id=17|fence=0x0|name='a, id=5, b'|job_count=0|hw_job_count=1" },
	{ "drm_sched_process_job", "fence=00000000c0ffee12 signaled", "|fence=0xc0ffee12" },
	{ "drm_sched_job_wait_dep",
	  "job ring=sdma0, id=3, depends fence=00000000c0ffee12, context=9, seq=4",
	  "|name='sdma0'|id=3|fence=0xc0ffee12|ctx=9|seqno=4" },
	{ "amd_sched_job",
	  "entity=00000000d1f1aab1, sched_job=00000000d1f1aab2, ring=gfx, job count:2, hw job "
	  "count:0",
	  "|entity=0xd1f1aab1|sched_job=0xd1f1aab2|name='gfx'|job_count=2|hw_job_count=0" },
	/* and since, and in a patched kernel's own way */
	{ "drm_sched_job_queue",
	  "dev=0000:03:00.0, fence=12:34, ring=7, job count:0, hw job count:3, client_id:5",
	  "|dev='0000:03:00.0'|fence_context=12|fence_seqno=34|name='7'|job_count=0|hw_job_count=3|"
	  "client_id=5" },
	{ "drm_sched_job_run", "dev=a, fence=1:2, ring=r, job count:0, hw job count:3",
	  "|dev='a'|fence_context=1|fence_seqno=2|name='r'|job_count=0|hw_job_count=3" },
	{ "drm_sched_job_run",
	  "dev=a, fence=1:2, ring=r, job count:0, hw job count:3, client_id:18446744073709551615, "
	  "new thing=0x10",
	  "|dev='a'|fence_context=1|fence_seqno=2|name='r'|job_count=0|hw_job_count=3|"
	  "client_id=18446744073709551615|new thing=0x10" },
	{ "drm_sched_job_done", "fence=12:34 signaled", "|fence_context=12|fence_seqno=34" },
	{ "drm_sched_job_add_dep", "fence=1:2 depends on fence=3:4",
	  "|fence_context=1|fence_seqno=2|ctx=3|seqno=4" },
	{ "drm_sched_job_unschedulable", "fence=1:2 depends on unsignalled fence=3:4",
	  "|fence_context=1|fence_seqno=2|ctx=3|seqno=4" },
	{ "drm_run_job",
	  "dev=0000:0e:00.0, id=328, fence=(context:8442, seqno:145), ring=gfx, job count:0, hw job "
	  "count:1",
	  "|dev='0000:0e:00.0'|id=328|fence_context=8442|fence_seqno=145|name='gfx'|job_count=0|"
	  "hw_job_count=1" },
	{ "drm_sched_process_job", "fence=(context:8442, seqno:145) signaled",
	  "|fence_context=8442|fence_seqno=145" },
	{ "dma_fence_signaled", "driver=drm_sched timeline=gfx 0 context=5 seqno=4294967295",
	  "|driver='drm_sched'|timeline='gfx 0'|context=5|seqno=4294967295" },
	{ "fence_signaled", "driver=sde_fence:crtc:2 timeline=crtc context=3 seqno=-1",
	  "|driver='sde_fence:crtc:2'|timeline='crtc'|context=3|seqno=4294967295" },
	{ "sync_wait", "begin name=SurfaceView:6 state=1",
	  "|begin=1|name='SurfaceView:6'|status=1" },
	{ "sync_pt", "name=malitl_1 value=7289", "|timeline='malitl_1'|value='7289'" },
	/* scheduling, with names that try to look like fields */
	{ "sched_switch",
	  "prev_comm=a prev_pid=7 prev_pid=12 prev_prio=120 prev_state=R+ ==> next_comm=Web "
	  "Content next_pid=34 next_prio=-1",
	  "|prev_comm='a prev_pid=7'|prev_pid=12|prev_prio=120|prev_state=256|next_comm='Web "
	  "Content'|next_pid=34|next_prio=-1" },
	{ "sched_switch",
	  "prev_comm=a ==> b prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=12 next_pid=34 "
	  "next_prio=120",
	  "|prev_comm='a ==> b'|prev_pid=12|prev_prio=120|prev_state=1|next_comm='12'|next_pid=34|"
	  "next_prio=120" },
	{ "sched_switch", "swapper/0:0 [120] D|K ==> kworker/u8:1:77 [100]",
	  "|prev_comm='swapper/0'|prev_pid=0|prev_prio=120|prev_state=258|next_comm='kworker/u8:1'|"
	  "next_pid=77|next_prio=100" },
	{ "sched_switch",
	  "prev_comm=a prev_pid=12 prev_prio=120 prev_state=? ==> next_comm=b next_pid=34 "
	  "next_prio=120",
	  "|prev_comm='a'|prev_pid=12|prev_prio=120|prev_state='?'|next_comm='b'|next_pid=34|"
	  "next_prio=120" },
	{ "sched_wakeup", "comm=x y pid=3 prio=120 target_cpu=001",
	  "|comm='x y'|pid=3|prio=120|target_cpu=1" },
	{ "sched_waking", "memfd:a:3 [120] success=1 CPU:001",
	  "|comm='memfd:a'|pid=3|prio=120|success=1|target_cpu=1" },
	{ "sched_stat_runtime", "comm=a pid=3 runtime=12345 [ns]",
	  "|comm='a'|pid=3|runtime=12345" },
	{ "sched_stat_runtime", "comm=a pid=3 runtime=12345 [ns] vruntime=7 [ns]",
	  "|comm='a'|pid=3|runtime=12345|vruntime=7" },
	{ "task_newtask", "pid=9 comm=c d clone_flags=4100 oom_score_adj=-5",
	  "|pid=9|comm='c d'|clone_flags=0x4100|oom_score_adj=-5" },
	{ "sched_process_fork", "comm=a pid=1 child_comm=b child_pid=2",
	  "|parent_comm='a'|parent_pid=1|child_comm='b'|child_pid=2" },
	/* interrupts, vblanks, calls */
	{ "irq_handler_entry", "irq=33 name=xhci hcd", "|irq=33|name='xhci hcd'" },
	{ "irq_handler_exit", "irq=33 ret=handled", "|irq=33|ret=1" },
	{ "softirq_entry", "vec=7 [action=SCHED]", "|vec=7" },
	{ "drm_vblank_event", "crtc=0, seq=5, time=123456789, high-prec=true",
	  "|crtc=0|seq=5|time=123456789|high_prec=1" },
	{ "drm_vblank_event", "crtc=0, seq=5", "|crtc=0|seq=5" },
	{ "sys_enter_ioctl", "fd: 3, cmd: c0186446, arg: 7ffd0",
	  "|fd=0x3|cmd=0xc0186446|arg=0x7ffd0" },
	{ "sys_exit_ioctl", "0xfffffffffffffff4", "|ret=-12" },
	{ "sys_exit", "NR 12 = -5", "|id=12|ret=-5" },
	{ "function", "do_idle <-cpu_startup_entry",
	  "|ip='do_idle'|parent_ip='cpu_startup_entry'" },
	{ "function", "do_idle <-- cpu_startup", "|ip='do_idle'|parent_ip='cpu_startup'" },
	/* AMD */
	{ "amdgpu_cs_ioctl", "timeline=gfx_0.0.0, fence=7:8, ring_name=gfx_0.0.0, num_ibs=1",
	  "|timeline='gfx_0.0.0'|context=7|seqno=8|ring='gfx_0.0.0'|num_ibs=1" },
	{ "amdgpu_sched_run_job",
	  "sched_job=9, timeline=gfx, context=7, seqno=8, ring_name=gfx, num_ibs=2",
	  "|sched_job_id=9|timeline='gfx'|context=7|seqno=8|ring='gfx'|num_ibs=2" },
	{ "amdgpu_sched_run_job",
	  "adev=00000000aaaa0001, sched_job=00000000aaaa0002, first ib=00000000aaaa0003, sched "
	  "fence=00000000aaaa0004, ring name:gfx, num_ibs:2",
	  "|adev=0xaaaa0001|sched_job=0xaaaa0002|ib=0xaaaa0003|fence=0xaaaa0004|ring='gfx'|"
	  "num_ibs=2" },
	{ "amdgpu_vm_bo_map",
	  "bo=00000000aaaa0001, start=100, last=1ff, offset=0000000010, flags=71",
	  "|bo=0xaaaa0001|start=0x100|last=0x1ff|offset=0x10|flags=0x71" },
	{ "amdgpu_vm_bo_update", "soffs=0000000010, eoffs=000000001f, flags=71",
	  "|soffset=0x10|eoffset=0x1f|flags=0x71" },
	{ "amdgpu_cs", "bo_list=00000000aaaa0001, ring=3, dw=16, fences=2",
	  "|bo_list=0xaaaa0001|ring=3|dw=16|fences=2" },
	{ "amdgpu_bo_create", "bo=00000000aaaa0001,pages=2,type=0,prefered=4,allowed=6,visible=1",
	  "|bo=0xaaaa0001|pages=2|type=0|prefer=4|allow=6|visible=1" },
	{ "amdgpu_bo_move", "bo=00000000aaaa0001, from=1, to=2, size=4096",
	  "|bo=0xaaaa0001|old_placement=1|new_placement=2|bo_size=4096" },
	{ "amdgpu_iv",
	  "ih:0 client_id:20 src_id:181 ring:0 vmid:3 timestamp: 123 pasid:5 src_data: 00000000 "
	  "00000001 00000000 00000000",
	  "|ih=0|client_id=20|src_id=181|ring_id=0|vmid=3|timestamp=123|pasid=5|src_data='00000000 "
	  "00000001 00000000 00000000'" },
	{ "amdgpu_vm_flush", "ring=gfx, id=3, hub=0, pd_addr=00deadb000",
	  "|ring='gfx'|vmid=3|vm_hub=0|pd_addr=0xdeadb000" },
	{ "radeon_semaphore_wait", "ring=0, waiters=-1, addr=0000001000",
	  "|ring=0|waiters=-1|gpu_addr=0x1000" },
	/* Intel */
	{ "i915_request_queue", "dev=0, engine=1:0, ctx=55, seqno=2, flags=0x0",
	  "|dev=0|class=1|instance=0|ctx=55|seqno=2|flags=0x0" },
	{ "i915_request_add", "dev=0, engine=1:0, hw_id=3, ctx=55, seqno=2",
	  "|dev=0|class=1|instance=0|hw_id=3|ctx=55|seqno=2" },
	{ "i915_request_submit", "dev=0, hw_id=48, ring=2, ctx=107, seqno=1, global=0",
	  "|dev=0|hw_id=48|ring=2|ctx=107|seqno=1|global=0" },
	{ "i915_gem_request_retire", "dev=0, ring=2, seqno=1", "|dev=0|ring=2|seqno=1" },
	{ "i915_request_in",
	  "dev=0, hw_id=48, ring=2, ctx=107, seqno=1, prio=-1023, global=5057, port=0",
	  "|dev=0|hw_id=48|ring=2|ctx=107|seqno=1|prio=-1023|global_seqno=5057|port=0" },
	{ "i915_request_out", "dev=0, engine=2:1, ctx=107, seqno=1, completed?=1",
	  "|dev=0|class=2|instance=1|ctx=107|seqno=1|completed=1" },
	{ "i915_request_wait_begin",
	  "dev=0, engine=2:1, hw_id=4, ctx=107, seqno=1, blocking=0, flags=0x1",
	  "|dev=0|class=2|instance=1|hw_id=4|ctx=107|seqno=1|flags=0x1" },
	{ "intel_engine_notify", "dev=0, ring=0, seqno=99853, waiters=0",
	  "|dev=0|ring=0|seqno=99853|waiters=0" },
	{ "i915_reg_rw", "write reg=0x20a8, len=8, val=(0xfffffeff, 0x1)",
	  "|write=1|reg=0x20a8|len=8|val=0x1fffffeff" },
	{ "i915_reg_rw", "read reg=0x20a8, len=4, val=(0x1, 0x0)",
	  "|write=0|reg=0x20a8|len=4|val=0x1" },
	{ "intel_gpu_freq_change", "new_freq=350", "|freq=350" },
	{ "i915_gem_object_fault", "obj=00000000aaaa0001, GTT index=7 , writable",
	  "|obj=0xaaaa0001|gtt=1|index=7|write=1" },
	{ "i915_gem_object_fault", "obj=00000000aaaa0001, CPU index=7 ",
	  "|obj=0xaaaa0001|gtt=0|index=7|write=0" },
	{ "i915_gem_evict", "dev=0, vm=00000000aaaa0001, size=0x1000, align=0x0 ",
	  "|dev=0|vm=0xaaaa0001|size=0x1000|align=0x0|mappable=0" },
	{ "intel_pipe_update_start", "dev 0000:00:02.0, pipe B, frame=1, scanline=2, min=3, max=4",
	  "|dev='0000:00:02.0'|pipe_name=66|frame=1|scanline=2|min=3|max=4" },
	{ "i915_pipe_update_end", "pipe B, frame=1, scanline=2", "|pipe=1|frame=1|scanline=2" },
	{ "i915_pipe_update_end", "pipe >c<, frame=1, scanline=2", "|frame=1|scanline=2" },
	{ "intel_update_plane",
	  "[FAILED TO PARSE] pipe=0 name=0xffff887da31f13a0 frame=13189 scanline=597",
	  "|pipe=0|name='0xffff887da31f13a0'|frame=13189|scanline=597" },
	{ "xe_exec_queue_submit",
	  "dev=0000:00:02.0, 3:0x1, gt=0, width=1, guc_id=2, guc_state=0x0, flags=0x4",
	  "|dev='0000:00:02.0'|class=3|logical_mask=0x1|gt_id=0|width=1|guc_id=2|guc_state=0x0|"
	  "flags=0x4" },
	{ "xe_vm_create", "dev=a, vm=00000000aaaa0001, asid=0x00001, vm flags=0x00000",
	  "|dev='a'|vm=0xaaaa0001|asid=0x1|flags=0x0" },
	{ "xe_eu_stall_data_read",
	  "slice: 0 subslice: 1 read ptr: 0x10 write ptr: 0x20 read size: 3 total read size: 4",
	  "|slice=0|subslice=1|read_ptr=0x10|write_ptr=0x20|read_size=3|total_size=4" },
	{ "job", "run context:1 engine:0 job:7", "|event='run'|ctx_id=1|engine_id=0|job_id=7" },
	{ "xdna_job", "fence=(context:1, seqno:2), npu seq#:3 sent to device, op=4",
	  "|fence_context=1|fence_seqno=2|name='npu'|seq=3|str='sent to device'|op=4" },
	/* Qualcomm */
	{ "msm_gpu_submit_retired",
	  "id=164270 pid=20803 ring=0:-1 elapsed=11198437 ns mhz=179 start=5854916032 "
	  "end=5855131042",
	  "|id=164270|pid=20803|ringid=0|seqno=4294967295|elapsed=11198437|clock=179|"
	  "start_ticks=5854916032|end_ticks=5855131042" },
	{ "msm_gpu_freq_change", "new_freq=180", "|freq=180" },
	{ "adreno_cmdbatch_queued", "ctx=41 ctx_prio=8 ts=7 queued=2 flags=none",
	  "|id=41|prio=8|timestamp=7|queued=2|flags=0" },
	{ "adreno_cmdbatch_submitted",
	  "ctx=41 ctx_prio=8 ts=7 inflight=1 flags=CTX_SWITCH|EOF ticks=20083078451840 "
	  "time=1045979.96 rb_id=2 r/w=a/1f, q_inflight=0 dq_id=-1",
	  "|id=41|prio=8|timestamp=7|inflight=1|flags=264|ticks=20083078451840|secs=1045979|usecs=96|"
	  "rb_id=2|rptr=0xa|wptr=0x1f|q_inflight=0|dispatch_queue=-1" },
	{ "adreno_cmdbatch_submitted",
	  "ctx=41 ctx_prio=8 ts=7 inflight=1 flags=none ticks=2 time=12.000000345 rb_id=2 r/w=0/0, "
	  "q_inflight=0",
	  "|id=41|prio=8|timestamp=7|inflight=1|flags=0|ticks=2|secs=12|nsecs=345|rb_id=2|rptr=0x0|"
	  "wptr=0x0|q_inflight=0" },
	{ "adreno_cmdbatch_retired",
	  "ctx=41 ctx_prio=8 ts=7 inflight=0 recovery=none flags=none start=20 retire=30 rb_id=2, "
	  "r/w=0/0, q_inflight=0, dq_id=4294967295, submitted_to_rb=15 retired_on_gmu=31 active=9",
	  "|id=41|prio=8|timestamp=7|inflight=0|recovery=0|flags=0|start=20|retire=30|rb_id=2|"
	  "rptr=0x0|wptr=0x0|q_inflight=0|dispatch_queue=4294967295|submitted_to_rb=15|"
	  "retired_on_gmu=31|active=9" },
	/* a kernel that has another order: by its labels */
	{ "adreno_cmdbatch_retired", "ts=7 ctx=41 retire=30 start=20 r/w=a/b flags=IB_LIST|0x4000",
	  "|timestamp=7|id=41|retire=30|start=20|rptr=0xa|wptr=0xb|flags=16388" },
	{ "kgsl_pwrlevel", "d_name=kgsl-3d0 pwrlevel=1 freq=2 prev_pwrlevel=3 prev_freq=4",
	  "|d_name='kgsl-3d0'|pwrlevel=1|freq=2|prev_pwrlevel=3|prev_freq=4" },
	/* others */
	{ "v3d_submit_cl", "dev=1, BCL, seqno=2, 0x00060000..0x0006000e",
	  "|dev=1|is_render=0|seqno=2|ctnqba=0x60000|ctnqea=0x6000e" },
	{ "v3d_submit_cl_ioctl", "dev=1, RCL 0x00140000..0x0014005f",
	  "|dev=1|ct1qba=0x140000|ct1qea=0x14005f" },
	{ "v3d_submit_csd_ioctl", "dev=1, CFG5 0x00060005, CFG6 0x00140000",
	  "|dev=1|cfg5=0x60005|cfg6=0x140000" },
	{ "virtio_gpu_cmd_queue",
	  "vdev=0 vq=0 name=control type=0x207 flags=0x1 fence_id=9 ctx_id=2 num_free=63 seqno=1",
	  "|dev=0|vq=0|name='control'|type=0x207|flags=0x1|fence_id=9|ctx_id=2|num_free=63|seqno="
	  "1" },
	{ "gpu_work_period", "1 10012 123 456 78",
	  "|gpu_id=1|uid=10012|start_time_ns=123|end_time_ns=456|total_active_duration_ns=78" },
	{ "gpu_work_period",
	  "gpu_id = 0 uid = 1 start_time_ns = 2 end_time_ns = 3 total_active_duration_ns = 1",
	  "|gpu_id=0|uid=1|start_time_ns=2|end_time_ns=3|total_active_duration_ns=1" },
	{ "gpu_job_irq", "fb000000.gpu: events=0x80000001 duration_ns=1500",
	  "|dev_name='fb000000.gpu'|events=0x80000001|duration_ns=1500" },
	{ "pvr_job_create",
	  "pvr_dev=00000000aaaa0001 ctx=00000000aaaa0002 fw_obj=00000000aaaa0003 fw_addr=0x1 "
	  "hwrt_addr=0x0 job=00000000aaaa0004 job_type=compute sync_op_count=2",
	  "|pvr_dev=0xaaaa0001|ctx=0xaaaa0002|fw_obj=0xaaaa0003|fw_addr=0x1|hwrt_addr=0x0|"
	  "job=0xaaaa0004|job_type=2|sync_op_count=2" },
	/* tools that print fields by their names, in decimal */
	{ "drm_sched_job",
	  "entity=18446743526218327296 fence=18446743526909918272 hw_job_count=0 id=13481 "
	  "job_count=0 name=ring0",
	  "|entity=0xffffff8086fae500|fence=0xffffff80b033bc40|hw_job_count=0|id=13481|job_count=0|"
	  "name='ring0'" },
	{ "drm_sched_process_job", "fence=18446743526909918272", "|fence=0xffffff80b033bc40" },
	{ "xe_bo_move", "bo=16 size=17 size_x=1", "|bo=0x16|size=17|size_x=1" },
	{ "xdna_job", "fence_context=1 fence_seqno=2 name=npu op=4 seq=3 str=a b",
	  "|fence_context=1|fence_seqno=2|name='npu'|op=4|seq=3|str='a b'" },
	{ "amdgpu_vm_bo_map", "bo=18446743526218327296 flags=113 last=511 offset=16 start=256",
	  "|bo=0xffffff8086fae500|flags=0x71|last=0x1ff|offset=0x10|start=0x100" },
	{ "i915_request_out", "class=1 completed=1 ctx=5 dev=0 instance=0 seqno=4",
	  "|class=1|completed=1|ctx=5|dev=0|instance=0|seqno=4" },
	{ "x", "p=18446743526218327296 q=18446744073709551615",
	  "|p=0xffffff8086fae500|q=18446744073709551615" },
	/* anything else */
	{ "x", "", "" },
	{ "x", "free text", "|text='free text'" },
	{ "x", "a=1", "|a=1" },
	{ "x", "a=-0x1 b=1.5 c=18446744073709551616",
	  "|a='-0x1'|b='1.5'|c='18446744073709551616'" },
	{ "x", "a=-9223372036854775808 b=-9223372036854775809",
	  "|a=-9223372036854775808|b='-9223372036854775809'" },
	{ "x", "obj=00000000aaaa0001, size=0x10, mappable vm=00000000aaaa0002",
	  "|obj=0xaaaa0001|size=0x10|mappable vm=0xaaaa0002" },
	{ "x", "comm=memfd:a: b pid=1 flags= x=2", "|comm='memfd:a: b'|pid=1|flags=''|x=2" },
	{ "x", "a=1 [c=3] b=2", "|a=1|c=3|b=2" },
	{ "x", "a=1 [c=x y] end", "|a=1|c='x y'|text='a=1 [c=x y] end'" },
	{ "x", "(c=3)", "|c=3" },
	{ "x", "done, a=1", "|a=1|text='done, a=1'" },
	{ "x", "frame=1, pipe B: frame=2", "|frame=1|frame_2=2|text='frame=1, pipe B: frame=2'" },
	{ "x", "val=(0x1, 0x2), b=2", "|val='(0x1, 0x2)'|b=2" },
	{ "x", "a == b", "|text='a == b'" },
	{ "x", "::: === , ,, [[", "|text='::: === , ,, [['" },
	{ "x", "at 12:34:56 http://host:80/", "|text='at 12:34:56 http://host:80/'" },
};

Test(textin, events_fall_into_values)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(
			eq(str, values_of(cases[i].event, cases[i].text), (char *)cases[i].values),
			"%s", cases[i].text);
}

Test(textin, names_are_all_different_and_values_few)
{
	static struct textin_kinds kinds;
	struct textin_values v;
	char text[4 * 300 + 1];

	for (size_t i = 0; i < 300; i++)
		memcpy(text + 4 * i, i % 2 ? "a=1 " : "a=1,", 5);
	textin_split(textin_kind_of(&kinds, "x", 1), "x", 1, text, strlen(text), &v);
	cr_expect(eq(sz, v.n, XTR_IMPORT_VALUES));
	for (size_t i = 0; i < v.n; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect(v.v[i].name_len != v.v[k].name_len ||
				  memcmp(v.v[i].name, v.v[k].name, v.v[i].name_len) != 0);
	cr_expect(eq(sz, v.v[v.n - 1].name_len, 4), "the text as a whole comes last");
}
