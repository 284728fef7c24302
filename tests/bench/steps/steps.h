/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an event, for the programs and for who loads them. */
#ifndef XTR_BENCH_STEPS_H
#define XTR_BENCH_STEPS_H

#define RING_BYTES     (4 << 20)
#define MEMORY_RECORDS (1 << 16)

enum step {
	STEP_WHERE = 1 << 0,       /* ids of the thread and the CPU, its counters, its ring */
	STEP_NAME_HELPER = 1 << 1, /* the thread's name by bpf_get_current_comm */
	STEP_NAME_WORDS = 1 << 2,  /* out of its task_struct */
	STEP_CLOCK = 1 << 3,
	STEP_OUTPUT = 1 << 4,  /* fields by bpf_probe_read_kernel, the record by ringbuf_output */
	STEP_RESERVE = 1 << 5, /* fields by a load, the record by reserve and submit */
	STEP_MEMORY = 1 << 6,  /* the record into plain memory */
	STEP_READS = 1 << 7,   /* eight fields of the kernel's by bpf_probe_read_kernel */
	STEP_LOADS = 1 << 8,   /* the same by loads */
};

#endif /* XTR_BENCH_STEPS_H */
