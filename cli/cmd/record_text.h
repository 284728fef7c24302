/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr record --help` and its man page say beside the options. */
#ifndef CLI_RECORD_TEXT_H
#define CLI_RECORD_TEXT_H

/* clang-format off */
#define RECORD_ABOUT \
	"Records the events of the GPU and NPU kernel drivers into a file, until COMMAND ends, a time or " \
	"size is reached, or Ctrl-C is pressed. All processes are recorded, not only COMMAND; -p limits it.\n" \
	"\n" \
	"The default set is group 'gpu' (all events of the DRM GPU scheduler, and dma_fence signaled, wait_start and " \
	"wait_end), and the groups of the drivers that are loaded: amdgpu, i915, xe, display, nvidia, nouveau, " \
	"virtio_gpu, radeon, msm, kgsl, v3d, vc4, lima, panfrost, panthor, mali, powervr, etnaviv, host1x, npu, amdxdna, " \
	"rocket, ethosu. With -e exactly what is given is " \
	"recorded: events, patterns and groups add up, and the word 'default' stands for the default set: " \
	"-e default -e 'sched:*'. Any tracepoint of the kernel can be named; 'xtr list' shows them, and the groups.\n" \
	"\n" \
	"A group is a set of events under one name. Parts of it that this kernel lacks are left out, and the file says " \
	"why; a group whose driver is not loaded is an error when it is asked for. Of dma_fence_init, which most " \
	"drivers cause far too often, 'npu' records the fences of the NPU's jobs alone, unless the event is asked " \
	"for by name, or addresses of kernel symbols are hidden, which is said.\n" \
	"\n" \
	"Kernel functions: 'func:MODULE:GLOB' records each call of the functions of a module ('vmlinux': of the kernel " \
	"itself), with ':ret' also their returns with the value returned, with ':args' the arguments that are passed " \
	"in registers, as the kernel's types name them. Names are those of the source: what the compiler appends " \
	"(.isra.0) is left out. Calls that the kernel skips, as another program was running on the CPU, are counted as " \
	"lost. With -p, calls in interrupts are left out. 'xtr list func:MODULE:GLOB' shows what can be recorded.\n" \
	"\n" \
	"Calls of libraries: 'api:LIBRARY:GLOB' records entry and return, with their result, of the functions that " \
	"LIBRARY exports (a soname, a path, or a program, of which all functions not stripped count); 'api:GROUP' those " \
	"of level-zero, cuda, hip, opencl or vulkan, with sizes and counts among their arguments. ':noret' behind " \
	"it leaves the returns out. Libraries are looked for as the loader does and in all running processes, " \
	"also in containers. Not recorded: calls inside a library, or through pointers, that go past the exported function; " \
	"returns more than 64 calls deep in a thread, or of calls left by longjmp or the thread's end. A C++ exception " \
	"cannot pass a call whose return is recorded: use ':noret'.\n" \
	"\n" \
	"--sample records a share of frequent events, chosen at random, and counts all of them by process and value in " \
	"events 'xtr:total': 'RATE' alone is for the ioctls of NVIDIA's drivers, 'EVENT=RATE' for a tracepoint, a " \
	"function or an API call that is recorded, with 'EVENT/FIELD=RATE' its totals are kept by that field. RATE is " \
	"N% or 1/N. What is left out is counted as filtered.\n" \
	"\n" \
	"--budget keeps what recording costs, the recorder and its programs in the kernel, under SHARE of the CPU time of all CPUs (0.5%, 1/200). " \
	"Four times a second it looks; where all is too much it records a sample, 1/2 to 1/256, and where that is too much it only counts. " \
	"Events of a job or a fence are left out together, calls of functions with their returns, others at random; of what --sample is about, the share " \
	"is divided. What is left out is counted as filtered, each step is an event 'xtr:budget', and 'xtr info' says when it was. " \
	"The first quarter of a second is recorded whole. 'xtr info --overhead' tells what recording took.\n" \
	"\n" \
	"If xtr itself is killed, 'xtr recover --rings' collects what was not written by then, if a BPF file " \
	"system was mounted at /sys/fs/bpf and could be written ('xtr doctor' tells).\n" \
	"\n" \
	"--rotate writes pieces of about SIZE bytes (100M), or of TIME (30s, 1h), each a whole file: " \
	"-o run.xtr gives run.000001.xtr, run.000002.xtr and so on, in the order in which a shell lists them. " \
	"No event is lost between two, none is in both. With --keep N older ones are removed as soon as a new one is " \
	"complete, or when the disk is full; the others still say how much was in those. Pieces of that name from an " \
	"earlier recording are an error, or are all removed with --force. Pieces are made as the owner of " \
	"their directory. A piece ends at one time on all CPUs, and the next one begins there. A job that runs then is "  \
	"in both, open and with a flag that says so ('after', 'before'); 'xtr cat' puts pieces into one " \
	"file, in which each is still a recording of its own. Of a recorder that is killed, what is in no piece is lost. " \
	"--size is that of all pieces together.\n" \
	"\n" \
	"--flight makes a flight recorder: nothing is written while nothing happens. The newest events are kept in memory, as they " \
	"would be in the file, and older ones are given up: of SIZE bytes (64M; that is also about the memory it takes, besides buffers and " \
	"the names of what lives), or of TIME before a trigger (30s; in at most 256M, or the SIZE that is given, too). When a trigger fires, recording goes on for the time of " \
	"--after, then all that is kept is written as a file of its own, -o run.xtr gives run.000001.xtr, run.000002.xtr and so on as with " \
	"--rotate, and the recorder goes on with empty memory: no event is in two files. Events that were given up are no losses, " \
	"but counted: in a file, lost, aged and filtered ones together are all that happened since the file before. 'xtr info' says why a file was written, and how far it goes back.\n" \
	"\n" \
	"Triggers: 'exec>50ms': a job was on the hardware for longer (from drm_sched_job_run to drm_sched_job_done of its fence: the residence in 'xtr jobs'); " \
	"'hang>5s': the same, but without waiting for its end; xid: NVIDIA's driver reports an error; reset: a driver resets " \
	"its device or a job times out (i915, xe, amdgpu, intel_vpu: what of their group tells of it, and drm_sched_job_timedout if it is recorded); drop: events were lost; EVENT: a recorded event, by " \
	"its name (system:event, func:MODULE:FUNCTION). The signal SIGUSR1 has everything written at once, in any case. Triggers within the time of " \
	"--pause after a file, or while one is waited for, make no file, but are counted; an event that was lost may make 'hang' fire for a job that has ended. --keep N removes older files. With --once the first " \
	"trigger ends the recording. At the end (Ctrl-C, -d, COMMAND) what is kept is written, too. If a file cannot be written (no space), that is said, " \
	"nothing of it is left, and its events stay in memory for the next trigger. If xtr itself is killed, what is in memory is gone; 'xtr recover --rings' cannot get at it.\n" \
	"\n" \
	"Every event is in the file or counted as lost. The exit status is the command's own if it " \
	"failed, 3 if events were lost, 5 if a privilege or kernel feature is missing ('xtr doctor' " \
	"tells which), 1 if the output could not be written, or was removed meanwhile.\n" \
	"\n" \
	"Needs root, or a program file with capabilities (setcap): CAP_BPF (to load programs) and CAP_PERFMON " \
	"(to attach them). With CAP_DAC_READ_SEARCH, or a tracefs that the user may read, also tracepoints by " \
	"name and those of groups; with CAP_SYSLOG names of kernel addresses; with CAP_SYS_PTRACE the names of other " \
	"users' programs in stacks (--stack), and libraries that only they have loaded (api:). Where " \
	"kernel.perf_event_paranoid is above 2 (Debian, Ubuntu) tracepoints by name, and functions or libraries " \
	"that the kernel attaches one by one, need CAP_SYS_ADMIN, or that set to 2. What is missing is said, and the rest " \
	"is recorded; if nothing is left, or what was asked for by name, the exit status is 5.\n" \
	"\n" \
	"All privileges are given up before the first event is handled (with --stack CAP_SYS_PTRACE and " \
	"CAP_DAC_READ_SEARCH when it ends). COMMAND runs with the rights of the user who called; where the program's " \
	"file has capabilities, the system's loader has removed LD_LIBRARY_PATH and its like from the environment. The " \
	"output has mode 0600 and is not written through a symbolic link.\n" \
	"\n" \
	"-d sends the command SIGTERM at the end; " \
	"when recording ends by itself (--size, no space left) the command runs on."

#define RECORD_EXAMPLES \
	"xtr record -- ./my-workload\trecord while the program runs, into xtr.xtr\n" \
	"xtr record -d 10s -o run.xtr\trecord the machine for ten seconds\n" \
	"xtr record -e npu -- ./my-inference\twhat the Intel NPU and its driver do\n" \
	"xtr record -e 'func:intel_vpu:ivpu_*:ret' -- ./my-inference\tcalls and durations in a driver\n" \
	"xtr record -e npu -e api:level-zero -- ./my-inference\twith the calls that cause it\n" \
	"xtr record -e default -e 'sched:sched_switch' -- ./my-workload\twith context switches\n" \
	"xtr record --sample 1% -- ./my-training\tall groups, of NVIDIA's ioctls every hundredth\n" \
	"xtr record --budget 0.5% -o run.xtr\tas much as half a percent of the machine allows\n" \
	"xtr record --rotate 100M --keep 10 -o run.xtr\tuntil Ctrl-C, and keep the last gigabyte\n" \
	"xtr record --flight 30s --trigger 'hang>5s' --trigger reset --keep 5 -o /var/tmp/gpu.xtr\twait for a hang\n" \
	"xtr record -o - | ssh host 'cat >run.xtr'\tover the network"
/* clang-format on */

#endif /* CLI_RECORD_TEXT_H */
