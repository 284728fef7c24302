/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * A recorder that is killed stops recording at one moment: at the exit of the first of its threads,
 * while the kernel detaches its programs one after the other, later. So what is recorded of events
 * that have two programs, and the counts of what was skipped, belong together.
 */
#ifndef XTR_DIED_BPF_H
#define XTR_DIED_BPF_H

__u32 xtr_recorder; /* its process, as the kernel numbers it; 0: not told yet */

SEC("raw_tp/sched_process_exit")
int xtr_died(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	/* A test run by the recorder, which cannot know its number outside of its pid namespace.
	 * Otherwise args[0] is a task. */
	if (ctx->args[0] == XTR_DIED_TELL)
		xtr_recorder = tgid;
	else if (tgid == xtr_recorder && xtr_phase == XTR_PHASE_RUN)
		xtr_phase = XTR_PHASE_STOP;
	return 0;
}

#endif /* XTR_DIED_BPF_H */
