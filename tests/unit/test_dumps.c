/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps and logs as kernels print them, in pieces of every size: each fact, and none too many. */
#include "dumps/dump.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_dumps dumps;

static void tear_down(void)
{
	xtr_dumps_free(&dumps);
}

TestSuite(dumps, .fini = tear_down);

static void read_pieces(const void *p, size_t n, bool log, size_t piece)
{
	struct xtr_dump_reader *r = xtr_dump_begin(&dumps, "file", log);
	const char *bytes = p;

	cr_assert(r != NULL);
	for (size_t at = 0; at < n; at += piece)
		cr_assert(zero(int, xtr_dump_feed(r, bytes + at, piece < n - at ? piece : n - at)));
	cr_assert(zero(int, xtr_dump_end(r)));
}

/* Each fact as "name=value", in order. */
static void list(const struct xtr_dump *d, char *to, size_t cap)
{
	size_t n = (size_t)snprintf(to, cap, "%s%s", d->kind ? d->kind : "unknown",
				    d->failure ? "" : ", no failure");

	for (unsigned int i = 0; i < XTR_DUMP_FACT_COUNT; i++) {
		const struct xtr_dump_fact *f = &d->fact[i];

		if (!f->known)
			continue;
		n += (size_t)snprintf(to + n, cap - n, "; %s", xtr_dump_fact_name(i));
		switch (xtr_dump_fact_kind(i)) {
		case XTR_DUMP_TEXT:
			n += (size_t)snprintf(to + n, cap - n, "=%s", f->text);
			break;
		case XTR_DUMP_HEX:
			n += (size_t)snprintf(to + n, cap - n, "=0x%" PRIx64, f->value);
			break;
		case XTR_DUMP_TIME:
			n += (size_t)snprintf(to + n, cap - n, "=%s ", f->text);
			__attribute__((fallthrough));
		default:
			n += (size_t)snprintf(to + n, cap - n, "%s%" PRIu64,
					      xtr_dump_fact_kind(i) == XTR_DUMP_TIME ? "" : "=",
					      f->value);
		}
	}
}

/* In pieces of 1, 7 and all bytes: n dumps, which say want. */
static void says(const void *p, size_t size, bool log, size_t n, const char *const *want)
{
	static const size_t pieces[] = { 1, 7, SIZE_MAX };
	char text[4096];

	for (size_t i = 0; i < 3; i++) {
		read_pieces(p, size, log, pieces[i] < size ? pieces[i] : size ? size : 1);
		cr_assert(eq(sz, dumps.n, n));
		for (size_t k = 0; k < n; k++) {
			list(&dumps.v[k], text, sizeof(text));
			cr_assert(eq(str, text, (char *)want[k]));
		}
		xtr_dumps_free(&dumps);
	}
}

static void dump_says(const char *text, const char *want)
{
	says(text, strlen(text), false, 1, &want);
}

#define LOG_SAYS(text, ...)                                                           \
	do {                                                                          \
		static const char *const want[] = { __VA_ARGS__ };                    \
		says(text, strlen(text), true, sizeof(want) / sizeof(want[0]), want); \
	} while (0)

/* --- dumps ------------------------------------------------------------------------------------ */

#define AMDGPU                                                               \
	"**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 6.12.3\n"     \
	"module: amdgpu\ntime: 4001.000000123\nprocess_name: game PID: 77\n" \
	"\nIP Firmwares\nMES feature version: 1, fw version: 0x0000004e\n"

Test(dumps, amdgpu)
{
	dump_says(AMDGPU "\nRing timed out details\nIP Type: 0 Ring Name: gfx_0.0.0\n"
			 "\n[gfxhub] Page fault observed\n"
			 "Faulty page starting at address: 0x00007f0012345000\n"
			 "Protection fault status register: 0x301031\n\n"
			 "Ring buffer information\nring name: sdma0\nRptr: 0x10 Wptr: 0x20\n"
			 "VRAM is lost due to GPU reset!\n",
		  "amdgpu devcoredump; driver=amdgpu; kernel=6.12.3; firmware=0000004e; "
		  "time=monotonic 4001000000123; comm=game; pid=77; ring=gfx_0.0.0; "
		  "fault_address=0x7f0012345000; fault_status=0x301031; fault_client=gfxhub; "
		  "outcome=device reset, memory lost");
}

/* Kernels print the lines of a fault also where there was none, and no process where none is known.
 */
Test(dumps, amdgpu_zeros_are_no_fault)
{
	dump_says("**** AMDGPU Device Coredump ****\nprocess_name:  PID: 0\n"
		  "[gfxhub] Page fault observed\n"
		  "Faulty page starting at address: 0x0000000000000000\n"
		  "Protection fault status register: 0x0\n",
		  "amdgpu devcoredump, no failure; driver=amdgpu");
}

#define XE                                                                                     \
	"**** Xe Device Coredump ****\nReason: Timedout job - seqno=4294967170, "              \
	"lrc_seqno=4294967169, guc_id=35, flags=0x0\nkernel: 7.1.4\nmodule: xe\n"              \
	"Snapshot time: 1763850000.5\nUptime: 77.1\nProcess: game [1516]\n**** GuC Log ****\n" \
	"GuC version: 70.53.0 (wanted 70.53.0)\n**** Contexts ****\nGuC ID: 35\n\tName: ccs35\n"

Test(dumps, xe)
{
	dump_says(XE "**** HW Engines ****\nccs0 (physical), logical instance=0\n",
		  "xe devcoredump; driver=xe; kernel=7.1.4; firmware=70.53.0; "
		  "time=real 1763850000500000000; message=Timedout job - seqno=4294967170, "
		  "lrc_seqno=4294967169, guc_id=35, flags=0x0; comm=game; pid=1516; ring=ccs35; "
		  "engine=ccs0; seqno=4294967170; guc_id=35");
}

/* Which of two engines had it is not known; nor is a process that the kernel has no name of. */
Test(dumps, xe_two_engines_are_none)
{
	dump_says("**** Xe Device Coredump ****\nReason: CTB is dead - 0x40\n"
		  "Process: no process [-1]\nccs0 (physical), logical instance=0\n"
		  "ccs1 (physical), logical instance=1\nccs0 (physical), logical instance=0\n",
		  "xe devcoredump; driver=xe; message=CTB is dead - 0x40");
}

/* A module that takes another driver's format says its own name. */
Test(dumps, the_module_is_the_driver)
{
	dump_says("**** AMDGPU Device Coredump ****\nkernel: 6.12.3\nmodule: fakegpu\n"
		  "IP Type: 0 Ring Name: gfx\n",
		  "amdgpu devcoredump; driver=fakegpu; kernel=6.12.3; ring=gfx");
}

Test(dumps, i915)
{
	dump_says("GPU HANG: ecode 12:1:84dffffb, in game [4711]\nKernel: 6.6.1\n"
		  "Time: 1763850000 s 17 us\nBoottime: 4000 s 250000 us\nUptime: 3990 s 0 us\n"
		  "bcs0 command stream:\n  hung: 0\nrcs0 command stream:\n  ACTHD: 0x0 0\n"
		  "  hung: 1\n  Active context: game[4711] prio 0, guilty 2 active 1, runtime\n",
		  "i915 error state; driver=i915; kernel=6.6.1; time=boot 4000250000000; "
		  "message=GPU HANG: ecode 12:1:84dffffb, in game [4711]; code=12:1:84dffffb; "
		  "comm=game; pid=4711; engine=rcs0; guilty=2");
	dump_says("GPU HANG: ecode 9:1:e757fefe\nrcs0 command stream:\n  hung: 1\n"
		  "vcs0 command stream:\n  hung: 1\n",
		  "i915 error state; driver=i915; message=GPU HANG: ecode 9:1:e757fefe; "
		  "code=9:1:e757fefe");
}

#define MSM "---\nkernel: 6.9.0\nmodule: msm\ntime: 12.000000001\ncomm: game\ncmdline: ./game -x\n"

Test(dumps, msm)
{
	dump_says(MSM "fault-info:\n  - ttbr0=0000000104a00000\n  - iova=00000000dead0000\n"
		      "  - dir=WRITE\n  - type=TRANSLATION\n  - source=UCHE\nringbuffer:\n"
		      "  - id: 0\n    last-fence: 7\n    retired-fence: 7\n"
		      "  - id: 1\n    last-fence: 20\n    retired-fence: 18\n",
		  "msm devcoredump; driver=msm; kernel=6.9.0; time=real 12000000001; comm=game; "
		  "slot=1; signaled=18; emitted=20; fault_address=0xdead0000; fault_access=WRITE; "
		  "fault_client=UCHE");
	/* Two rings that are behind: which one hung is not known. */
	dump_says(MSM "  - id: 0\n    last-fence: 8\n    retired-fence: 7\n"
		      "  - id: 1\n    last-fence: 20\n    retired-fence: 18\n",
		  "msm devcoredump; driver=msm; kernel=6.9.0; time=real 12000000001; comm=game");
}

Test(dumps, ivpu)
{
	dump_says("Intel NPU crash dump\nFW version: 20250611-v1 mtl\nlog: begin\n"
		  "ERROR: job 7 faulted\n\n",
		  "ivpu devcoredump; driver=intel_vpu; firmware=20250611-v1 mtl; "
		  "message=ERROR: job 7 faulted");
}

/* --- bytes ------------------------------------------------------------------------------------ */

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void put_registers(uint8_t *p, const uint32_t (*pairs)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put32(p + 8 * i, pairs[i][0]);
		put32(p + 8 * i + 4, pairs[i][1]);
	}
}

Test(dumps, panfrost)
{
	static const uint32_t registers[][2] = {
		{ 0x1800 + 0x80 + 0x24, 0x58 }, /* JS_STATUS(1) */
		{ 0x2440 + 0x1c, 0x1002c2 },    /* AS_FAULTSTATUS(1) */
		{ 0x2440 + 0x20, 0x12345000 },  /* AS_FAULTADDRESS_LO(1) */
		{ 0x2440 + 0x24, 0x7 },
	};
	const char *want = "panfrost devcoredump; driver=panfrost; code=0x58; slot=1; "
			   "fault_address=0x712345000; fault_status=0x1002c2; head=0x800000040";
	uint8_t file[4000 + 32] = "PANF";

	put32(file + 8, 32);
	put32(file + 12, 4000);
	put32(file + 16, 0x40);
	put32(file + 20, 0x8);
	put_registers(file + 4000, registers, 4);
	says(file, sizeof(file), false, 1, &want);
	/* No registers where they should be: out of the file, or in the header. */
	want = "panfrost devcoredump; driver=panfrost; head=0x800000040";
	put32(file + 12, 0xffffffff);
	put32(file + 8, 0xffffffff);
	says(file, sizeof(file), false, 1, &want);
	put32(file + 12, 0);
	put32(file + 8, 64);
	says(file, sizeof(file), false, 1, &want);
}

Test(dumps, etnaviv)
{
	static const uint32_t registers[][2] = { { 0x4, 0x7ffffffe }, { 0x664, 0x1234 } };
	const char *want = "etnaviv devcoredump; driver=etnaviv; head=0x1234";
	uint8_t file[80] = "ETNA";

	put32(file + 8, 64);
	put32(file + 12, 16);
	put_registers(file + 64, registers, 2);
	says(file, sizeof(file), false, 1, &want);
}

Test(dumps, what_is_not_known_is_attached)
{
	const char *want = "unknown, no failure";

	says("", 0, false, 1, &want);
	says("PAN", 3, false, 1, &want);
	says("Something else entirely, of more bytes than it takes to recognize it\nkernel: 6\n",
	     78, false, 1, &want);
}

/* --- the log ---------------------------------------------------------------------------------- */

Test(dumps, log_amdgpu)
{
	LOG_SAYS("<6>[   12.000000] usb 1-1: new device\n"
		 "<3>[ 4001.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 "
		 "ring:24 vmid:3 pasid:32771)\n"
		 "<3>[ 4001.000010] amdgpu 0000:03:00.0: amdgpu:  in process game pid 77 thread "
		 "game:cs0 pid 79\n"
		 "<3>[ 4001.000020] amdgpu 0000:03:00.0: amdgpu:   in page starting at address "
		 "0x00007f0012345000 from client 0x1b (UTCL2)\n"
		 "<3>[ 4001.000030] amdgpu 0000:03:00.0: amdgpu: "
		 "GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031\n"
		 "<3>[ 4001.000040] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: CPG "
		 "(0x8)\n"
		 "<3>[ 4003.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled "
		 "seq=100, emitted seq=103\n"
		 "<3>[ 4003.000010] amdgpu 0000:03:00.0: amdgpu: Process information: process game "
		 "pid 77 thread game:cs0 pid 79\n"
		 "<3>[ 4003.000020] amdgpu 0000:03:00.0: amdgpu: Starting gfx_0.0.0 ring reset\n"
		 "<3>[ 4003.000030] amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset failed\n"
		 "<6>[ 4004.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n",
		 "kernel log; driver=amdgpu; device=0000:03:00.0; time=log 4001000010000; "
		 "message=ring gfx_0.0.0 timeout, signaled seq=100, emitted seq=103; comm=game; "
		 "pid=77; ring=gfx_0.0.0; signaled=100; emitted=103; "
		 "fault_address=0x7f0012345000; fault_status=0x301031; fault_client=CPG; "
		 "outcome=device reset");
}

/* Two devices, and two hangs of one that another process is in: each by itself. */
Test(dumps, log_keeps_hangs_apart)
{
	LOG_SAYS("[ 10.000000] xe 0000:03:00.0: [drm] Tile0: GT0: Timedout job: seqno=5, "
		 "lrc_seqno=5, guc_id=2, flags=0x0 in game [77]\n"
		 "[ 10.100000] xe 0000:04:00.0: [drm] Tile0: GT0: Timedout job: seqno=9, "
		 "lrc_seqno=9, guc_id=2, flags=0x0 in tool [88]\n"
		 "[ 10.200000] xe 0000:03:00.0: [drm] device wedged, but recovered through reset\n"
		 "[ 10.300000] xe 0000:03:00.0: [drm] Tile0: GT0: Timedout job: seqno=6, "
		 "lrc_seqno=6, guc_id=2, flags=0x0 in no process [-1]\n"
		 "[ 21.000000] xe 0000:04:00.0: [drm] Tile0: GT0: Timedout job: seqno=9, "
		 "lrc_seqno=9, guc_id=2, flags=0x0 in tool [88]\n",
		 "kernel log; driver=xe; device=0000:03:00.0; time=log 10000000000; "
		 "message=Timedout job: seqno=5, lrc_seqno=5, guc_id=2, flags=0x0 in game [77]; "
		 "comm=game; pid=77; seqno=5; guc_id=2; outcome=recovered by a reset",
		 "kernel log; driver=xe; device=0000:04:00.0; time=log 10100000000; "
		 "message=Timedout job: seqno=9, lrc_seqno=9, guc_id=2, flags=0x0 in tool [88]; "
		 "comm=tool; pid=88; seqno=9; guc_id=2",
		 "kernel log; driver=xe; device=0000:03:00.0; time=log 10300000000; "
		 "message=Timedout job: seqno=6, lrc_seqno=6, guc_id=2, flags=0x0 in no process "
		 "[-1]; seqno=6; guc_id=2",
		 "kernel log; driver=xe; device=0000:04:00.0; time=log 21000000000; "
		 "message=Timedout job: seqno=9, lrc_seqno=9, guc_id=2, flags=0x0 in tool [88]; "
		 "comm=tool; pid=88; seqno=9; guc_id=2");
}

Test(dumps, log_of_each_driver)
{
	LOG_SAYS("<5>[ 5.000000] i915 0000:00:02.0: [drm] Resetting rcs0 for stopped heartbeat\n"
		 "<5>[ 5.000100] i915 0000:00:02.0: [drm] game[77] context reset due to GPU hang\n"
		 "<6>[ 5.000200] i915 0000:00:02.0: [drm] GPU HANG: ecode 9:1:e757fefe, in game "
		 "[77]\n",
		 "kernel log; driver=i915; device=0000:00:02.0; time=log 5000000000; "
		 "message=GPU HANG: ecode 9:1:e757fefe, in game [77]; code=9:1:e757fefe; "
		 "comm=game; pid=77; engine=rcs0; outcome=engine reset");
	LOG_SAYS("[ 7.000000] NVRM: Xid (PCI:0000:01:00): 31, pid=77, name=game, Ch 00000010, "
		 "intr 00000000.\n[ 7.000000] NVRM: Xid (PCI:0000:01:00): 79, GPU has gone\n",
		 "kernel log; driver=nvidia; device=0000:01:00; time=log 7000000000; message=NVRM: "
		 "Xid (PCI:0000:01:00): 31, pid=77, name=game, Ch 00000010, intr 00000000.; "
		 "code=31; comm=game; pid=77",
		 "kernel log; driver=nvidia; device=0000:01:00; time=log 7000000000; message=NVRM: "
		 "Xid (PCI:0000:01:00): 79, GPU has gone; code=79");
	LOG_SAYS("intel_vpu 0000:00:0b.0: [drm] *ERROR* ivpu_pm_trigger_recovery(): Recovery "
		 "triggered by TDR\n",
		 "kernel log; driver=intel_vpu; device=0000:00:0b.0; message=Recovery triggered by "
		 "TDR");
	LOG_SAYS("panfrost fde60000.gpu: gpu sched timeout, js=1, config=0x7b00, status=0x8, "
		 "head=0xaa00, tail=0xaa00, sched_job=00000000\n",
		 "kernel log; driver=panfrost; device=fde60000.gpu; message=gpu sched timeout, "
		 "js=1, config=0x7b00, status=0x8, head=0xaa00, tail=0xaa00, sched_job=00000000; "
		 "code=0x8; slot=1; head=0xaa00");
	LOG_SAYS("panthor fb000000.gpu: [drm] job timeout: pid=77, comm=game, seqno=9\n",
		 "kernel log; driver=panthor; device=fb000000.gpu; message=job timeout: pid=77, "
		 "comm=game, seqno=9; comm=game; pid=77; seqno=9");
	LOG_SAYS(
		"radeon 0000:01:00.0: GPU lockup (current fence id 0x00000000000001b4 last fence "
		"id 0x00000000000001ca on ring 0)\n",
		"kernel log; driver=radeon; device=0000:01:00.0; message=GPU lockup (current fence "
		"id 0x00000000000001b4 last fence id 0x00000000000001ca on ring 0); slot=0; "
		"signaled=436; emitted=458");
	LOG_SAYS(
		"nouveau 0000:01:00.0: fifo: fault 01 [WRITE] at 0000000000cafe00 engine 00 [GR] "
		"client 0f [GPC0/PROP_0] reason 02 [PTE] on channel 5 [017f game[77]]\n",
		"kernel log; driver=nouveau; device=0000:01:00.0; message=fault 01 [WRITE] at "
		"0000000000cafe00 engine 00 [GR] client 0f [GPC0/PROP_0] reason 02 [PTE] on "
		"channel 5 [017f game[77]]; engine=GR; fault_address=0xcafe00; fault_access=WRITE; "
		"fault_client=GPC0/PROP_0");
	LOG_SAYS("v3d fec00000.v3d: [drm:v3d_reset [v3d]] *ERROR* Resetting GPU for hang.\n"
		 "v3d fec00000.v3d: [drm:v3d_reset [v3d]] *ERROR* V3D_ERR_STAT: 0x00001000\n",
		 "kernel log; driver=v3d; device=fec00000.v3d; message=Resetting GPU for hang.; "
		 "fault_status=0x1000");
	LOG_SAYS("etnaviv-gpu 130000.gpu: recover hung GPU!\n",
		 "kernel log; driver=etnaviv-gpu; device=130000.gpu; message=recover hung GPU!");
	LOG_SAYS("[drm:hangcheck_handler [msm]] *ERROR* 6.3.0.2: hangcheck detected gpu lockup rb "
		 "2!\n[drm:hangcheck_handler [msm]] *ERROR* 6.3.0.2:     completed fence: 90\n"
		 "[drm:hangcheck_handler [msm]] *ERROR* 6.3.0.2:     submitted fence: 92\n"
		 "[drm:recover_worker [msm]] *ERROR* 6.3.0.2: offending task: game (./game -x)\n",
		 "kernel log; driver=msm; message=hangcheck detected gpu lockup rb 2!; comm=game; "
		 "slot=2; signaled=90; emitted=92");
}

/* A fault that was handled, and the end of a reset whose begin is not there, are no hang. */
Test(dumps, log_without_a_hang)
{
	says("", 0, true, 0, NULL);
	LOG_SAYS("amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n"
		 "amdgpu 0000:03:00.0: amdgpu: Process game pid 7 thread game pid 7\n"
		 "amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000001000\n",
		 "kernel log, no failure; driver=amdgpu; device=0000:03:00.0; comm=game; pid=7; "
		 "fault_address=0x1000");
}

/* xid.txt has lines that kmsg.txt has, too. */
Test(dumps, the_same_line_in_two_files_is_one_hang)
{
	static const char log[] = "[ 7.000000] NVRM: Xid (PCI:0000:01:00): 79, GPU has gone\n";

	read_pieces(log, sizeof(log) - 1, true, 1);
	read_pieces(log, sizeof(log) - 1, true, 1);
	cr_assert(eq(sz, dumps.n, 1));
}

/* --- strangers -------------------------------------------------------------------------------- */

Test(dumps, numbers_that_do_not_fit_are_not_known)
{
	dump_says("**** AMDGPU Device Coredump ****\ntime: 99999999999999999999.5\n"
		  "process_name: a PID: 99999999999999999999\n"
		  "Faulty page starting at address: 0x10000000000000000\n",
		  "amdgpu devcoredump, no failure; driver=amdgpu");
}

Test(dumps, texts_are_cut_and_printable)
{
	char file[3000] = "Intel NPU crash dump\nFW version: \x1b[31m\xff\t";
	size_t n = strlen(file);

	memset(file + n, 'a', sizeof(file) - n);
	read_pieces(file, sizeof(file), false, sizeof(file));
	cr_assert(eq(sz, dumps.n, 1));
	cr_assert(eq(sz, strlen(dumps.v[0].fact[XTR_DUMP_FIRMWARE_FACT].text),
		     XTR_DUMP_TEXT_MAX - 1));
	cr_assert(
		zero(int, strncmp(dumps.v[0].fact[XTR_DUMP_FIRMWARE_FACT].text, "?[31m? aaa", 10)));
}

/* The newest ones of a log stay, and a dump behind it has its place. */
Test(dumps, hangs_beyond_the_limit_are_counted)
{
	struct xtr_dump_reader *r = xtr_dump_begin(&dumps, "log", true);
	char line[200];

	for (unsigned int i = 0; i < XTR_DUMP_LOG_MAX + 5; i++) {
		int n = snprintf(line, sizeof(line),
				 "xe 0000:03:00.0: Timedout job: seqno=%u, guc_id=1, flags\n", i);

		cr_assert(zero(int, xtr_dump_feed(r, line, (size_t)n)));
	}
	cr_assert(zero(int, xtr_dump_end(r)));
	cr_assert(eq(sz, dumps.n, XTR_DUMP_LOG_MAX));
	cr_assert(eq(u64, dumps.more, 5));
	cr_assert(eq(u64, dumps.v[0].fact[XTR_DUMP_SEQNO_FACT].value, 5));
	cr_assert(eq(u64, dumps.v[dumps.n - 1].fact[XTR_DUMP_SEQNO_FACT].value,
		     XTR_DUMP_LOG_MAX + 4));
	read_pieces(AMDGPU, sizeof(AMDGPU) - 1, false, 100);
	cr_assert(eq(str, (char *)dumps.v[dumps.n - 1].kind, "amdgpu devcoredump"));
	for (unsigned int i = 0; i < XTR_DUMP_REPORTS_MAX; i++)
		read_pieces(AMDGPU, sizeof(AMDGPU) - 1, false, 100);
	cr_assert(eq(sz, dumps.n, XTR_DUMP_REPORTS_MAX));
}

Test(dumps, devices)
{
	cr_assert(xtr_dump_same_device("0000:01:00", "0000:01:00.0"));
	cr_assert(xtr_dump_same_device("0000:01:00.0", "0000:01:00.0"));
	cr_assert(not(xtr_dump_same_device("0000:01:00.0", "0000:01:00.1")));
	cr_assert(not(xtr_dump_same_device("0000:01:0", "0000:01:00.0")));
	cr_assert(not(xtr_dump_same_device("", "0000:01:00.0")));
}

static int all_of_it(void *arg)
{
	static const char log[] = "xe 0000:03:00.0: Timedout job: seqno=1, guc_id=1, flags\n";
	static const char *const files[] = { AMDGPU, log };
	int err = 0;

	(void)arg;
	for (int i = 0; i < 2 && !err; i++) {
		struct xtr_dump_reader *r = xtr_dump_begin(&dumps, "file", i);
		int ret;

		err = r ? xtr_dump_feed(r, files[i], strlen(files[i])) : -ENOMEM;
		ret = r ? xtr_dump_end(r) : 0;
		err = err ? err : ret;
	}
	xtr_dumps_free(&dumps);
	return err;
}

Test(dumps, without_memory)
{
	cr_assert(gt(uint, oom_each(all_of_it, NULL, 0), 2));
}
