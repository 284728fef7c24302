/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What BPF programs and recorder share besides the event records: definitions on the control ring,
 * ring-only records, counters, configuration. None of it is in the file. Includes nothing, as
 * builtin_events.h, which must come first.
 */
#ifndef XTR_CTL_H
#define XTR_CTL_H

/*
 * xtr_phase. A program records only in RUN; STOP lets those generic events in whose hit was already
 * counted (see xtr_count.expect).
 */
#define XTR_PHASE_OFF  0
#define XTR_PHASE_RUN  1
#define XTR_PHASE_STOP 2

#define XTR_DIED_TELL 0x78747201 /* argument of a test run of xtr_died (died.bpf.h) */

/*
 * --budget: the level at which programs record. 0: all; k: one of 2^k, chosen so that what is
 * recorded at a level is at each level below it, too; XTR_BUDGET_COUNTED: nothing, all is counted.
 */
#define XTR_BUDGET_LAST    8 /* one of 256 */
#define XTR_BUDGET_COUNTED 9

static inline __attribute__((always_inline)) int xtr_budget_takes(__u32 level, __u32 hash)
{
	return level <= XTR_BUDGET_LAST && !(hash & ((1U << level) - 1));
}

/*
 * Of a job, or of any fence: what it is chosen by (spec/events.md). Of both numbers the low 32
 * bits, as some tracepoints have no more.
 */
static inline __attribute__((always_inline)) __u32 xtr_budget_hash(__u64 ctx, __u64 seqno)
{
	__u64 h = (ctx << 32 | (__u32)seqno) * 0x9e3779b97f4a7c15ULL;

	return (__u32)((h ^ h >> 32) * 0xc4ceb9fe1a85ec53ULL >> 32);
}

/*
 * Slots of the counters: built-in events by their type, then one per event whose type is given when
 * recording: slot XTR_SLOT_GENERIC + i counts type 1024 + i.
 */
#define XTR_SLOT_GENERIC 40
#define XTR_DYNAMIC_MAX  1024

/* Record types below 16 (spec 5: reserved) stand in rings only. */
#define XTR_REC_GAP    1 /* event ring: events were lost before this record */
#define XTR_CTL_TASK   2 /* control ring: definitions */
#define XTR_CTL_RING   3
#define XTR_CTL_OPS    4
#define XTR_CTL_STACK  5
#define XTR_CTL_CGROUP 6

#define XTR_INIT_OPS 8 /* kinds of fences whose init events may be asked for alone */

#define XTR_COMM_LEN    16
#define XTR_RING_NAME   64
#define XTR_STACK_DEPTH 64 /* frames of each kind */

struct xtr_rec_gap {
	struct xtr_rec h; /* ts: when the gap ended */
	__u64 count, first, last;
};

/* Of flags, not for the file: the trace ring told of the task, not a program. */
#define XTR_CTL_TASK_RING 0x80000000u

struct xtr_ctl_task {
	struct xtr_rec h;
	__u32 tgid, flags; /* XTR_TASK_KTHREAD, XTR_CTL_TASK_RING */
	char comm[XTR_COMM_LEN];
	__u64 start;  /* ns: when the process began */
	__u64 cgroup; /* the kernel's id of its control group; 0: not known */
};

/*
 * A control group: the names of its directory and of those above it, upwards and without the
 * root's, each with a NUL. It is told before the first task in it, as it may be gone any time.
 */
#define XTR_CGROUP_LEVELS 24
#define XTR_CGROUP_NAME   256 /* the longest, with its NUL */
#define XTR_CGROUP_NAMES  1024

struct xtr_ctl_cgroup {
	struct xtr_rec h;
	__u64 id;
	__u32 used, cut; /* bytes of names; 1: not all are there */
	char names[XTR_CGROUP_NAMES + XTR_CGROUP_NAME];
};

struct xtr_ctl_ring {
	struct xtr_rec h;
	__u64 sched;
	__u32 id, limit;
	char name[XTR_RING_NAME], dev[XTR_RING_NAME];
};

struct xtr_ctl_ops {
	struct xtr_rec h;
	__u64 ops;
	__u32 id, pad;
};

/* Where a process' program lies, as /proc/PID/stat says it, too: 0 where it is not known. */
struct xtr_image {
	__u64 start_code, end_code, start_data, end_data, start_brk, start_stack;
};

struct xtr_ctl_stack {
	struct xtr_rec h;
	__u32 id, tgid;
	__s32 n_kernel, n_user; /* bytes of addresses, or a negative errno */
	__u64 start;            /* ns: when the process began */
	__u64 exec;             /* grows with each program that it executes */
	struct xtr_image image;
	__u64 kernel[XTR_STACK_DEPTH], user[XTR_STACK_DEPTH];
};

/* One per CPU and slot, cumulative. A cache line each, so that CPUs do not share one. */
struct xtr_count {
	__u64 full, busy; /* events lost: the ring had no room / its lock was not to be had */
	__u64 filtered;
	/*
	 * Generic events: hits of the tracepoint, counted by a program that the kernel never skips,
	 * minus runs of the program that records. Either may come first: who else listens to the
	 * tracepoint decides. What is left over all CPUs when nothing runs any more was not run.
	 */
	__s64 expect;
	__u64 rescued; /* events that a program behind the first took (xtr_emit.bpf.h) */
	__u64 runs;    /* of a probe's program for this slot, in every phase */
	__u64 other_count, other_taken; /* sampled events that found no room in the totals */
};

/*
 * Totals of sampled events by process and key: a hash table in an array, so that the recorder can
 * read it without privileges. An entry is its owner's who puts the tag, a hash of the four that
 * follow it, in place of 0; it never moves. count and taken are counted from then on, the four may
 * be read when `ready`.
 */
#define XTR_TOTAL_SETS 4096 /* a power of two */
#define XTR_TOTAL_WAYS 16

struct xtr_total {
	__u64 tag;
	__u32 slot, tgid;
	__u64 key, sub;
	__u64 count, taken;
	__u32 ready, sub_load; /* sub_load: which value `sub` is, one more than its load's number */
	__u64 pad;
};

struct xtr_total_set {
	struct xtr_total way[XTR_TOTAL_WAYS];
};

#define XTR_PROGRAMS_MAX 3 /* that record one event, one behind the other (xtr_emit.bpf.h) */

/* Tokens of events that one program took and the last one has not seen yet (xtr_emit.bpf.h). */
#define XTR_TOKEN_SETS 4096
#define XTR_TOKEN_WAYS 8 /* a set is a cache line */

struct xtr_token_set {
	__u64 way[XTR_TOKEN_WAYS];
};

#define XTR_TIMED_EVERY 256   /* runs: one of so many is timed; a power of two */
#define XTR_TIMED_MAX   16384 /* ns */

/* One per CPU. */
struct xtr_cpu {
	__u64 gap_count, gap_first, gap_last; /* losses since the last successful record */
	__u64 lost;                           /* full + busy of all slots */
	__u32 seq, woken;
	__u64 defs_lost; /* definitions that did not fit into the control ring (tried again) */
	/*
	 * What the programs cost: runs that had an event to record, to lose or to leave out; some
	 * of them were timed. An interrupt may count on top: they are estimates.
	 */
	__u64 runs, timed, timed_ns;
	__u64 timed_out; /* took longer than XTR_TIMED_MAX: interrupted or preempted, not in timed
			  */
	__u64 pad[6];
};

#define XTR_STR_MAX   256 /* bytes of one string, NUL included */
#define XTR_STRS_MAX  8   /* strings of one event */
#define XTR_FIXED_MAX 1024

/* Events without strings, of up to so many bytes, have a program for their length (xtr_plain). */
#define XTR_PLAIN_MAX      128
#define XTR_PLAIN_COPIES   (XTR_PLAIN_MAX / 8 + 2) /* words, and 4, 2 and 1 bytes */
#define XTR_PLAIN_STAND_IN (16 + 8 * XTR_PLAIN_COPIES + 8)

enum xtr_str_kind {
	XTR_STR_LOC = 1,   /* __data_loc char[] */
	XTR_STR_REL,       /* __rel_loc char[] */
	XTR_STR_PTR,       /* const char * into the kernel */
	XTR_STR_LOC_BYTES, /* dynamic arrays of something else */
	XTR_STR_REL_BYTES,
};

/* How the generic program copies an event, by cookie. */
struct xtr_generic_cfg {
	__u32 type, slot;
	__u32 fixed; /* bytes of the kernel's record that are copied, its 8-byte header excluded */
	__u32 n_strs;
	__u32 counted; /* a counting program stands beside this one */
	__u32 sample;  /* of 2^32 events so many are taken, at random; 0: all, without totals */
	__u16 key_at, key_width; /* the key of the totals, in the kernel's record; width 0: none */
	__u16 ctx_at, seqno_at; /* of the job's fence, 32 bits each, in the kernel's record; 0: none
				 */
	__u32 stack;            /* 1: the id of the current stack stands behind the fixed part */
	__u32 ring_id; /* its number in the kernel's trace ring, which brings it; 0: a program does
			*/
	struct {
		__u16 offset, kind; /* in the kernel's record */
	} str[XTR_STRS_MAX];
};
/*
 * A generic event in the ring: header, the fixed part padded to 8, with a stack 8 bytes for its id,
 * then for each string a __u16 of its bytes and the bytes (kinds *_BYTES: as they are; else text
 * without NUL), padded to 8 together.
 */

/*
 * Calls of functions: how the probe programs record one, in an array indexed by twice the attach
 * cookie, plus one for the return.
 */
#define XTR_PROBE_LOADS 8  /* captured values of one record */
#define XTR_PROBE_FIRST 24 /* offset of the first captured value at entry; 8 more at return */
#define XTR_TOTAL_SUBS  2
#define XTR_PROBE_ARGS  6 /* arguments that can be had: those in registers */

enum xtr_probe_from {
	XTR_FROM_ARG = 0,   /* + number of the argument, 0 to 5 */
	XTR_FROM_RET = 6,   /* what the function returns */
	XTR_FROM_STACK = 7, /* id of the current stack (XTR_PROBE_STACK) */
	XTR_FROM_SAVED = 8, /* + number of an argument as it was at entry, for the return */
};

enum xtr_probe_load_flags {
	XTR_LOAD_USER = 1 << 0, /* pointers point into the caller's memory, not the kernel's */
};

/*
 * One value: where it comes from, then n_deref steps: the last one reads `width` bytes at pointer +
 * off, one before it a pointer there. Without a step the value itself, cut to `width`. What cannot
 * be read is 0.
 */
struct xtr_probe_load {                   /* 8 bytes, read as one word, `from` lowest */
	__u8 from, width, n_deref, flags; /* width: 1, 2, 4 or 8 bytes; n_deref: 0 to 2 */
	__u16 off[2];
};

enum xtr_probe_flags {
	XTR_PROBE_ON = 1 << 0,      /* this half is recorded */
	XTR_PROBE_SESSION = 1 << 1, /* entry: the return is recorded by the same attachment */
	XTR_PROBE_USER = 1 << 2,    /* of user space: always a task's */
	XTR_PROBE_SAMPLED = 1 << 3, /* return: only that of a call whose arguments were kept */
	XTR_PROBE_STACK = 1 << 4,   /* entry: a load takes the stack */
};

struct xtr_probe_cfg {
	__u32 type, slot;
	__u16 size; /* bytes of the record */
	__u8 n_loads;
	__u8 save;      /* entry: arguments to keep for the return, one bit each */
	__u8 ret_width; /* return: bytes of `ret`, 0: there is none */
	__u8 flags;
	__u8 key; /* entry: the load that is the key of the totals, plus one; 0: none */
	__u8 pad;
	__u32 sample; /* entry: as in xtr_generic_cfg */
	/* Where the key's low byte is nr, this load (plus one) is the second key. */
	struct {
		__u8 nr, load;
	} sub[XTR_TOTAL_SUBS];
	struct xtr_probe_load load[XTR_PROBE_LOADS]; /* at a multiple of 8 */
};

enum xtr_probe_context { /* spec/events.md */
	XTR_IN_TASK,
	XTR_IN_SOFTIRQ,
	XTR_IN_HARDIRQ,
	XTR_IN_NMI,
	XTR_IN_UNKNOWN,
};

/* Stand-ins in the programs for what only the running kernel's types tell: replaced when loading.
 */
#define XTR_PATCH_PREEMPT    0x7874720001LL /* ld_imm64: the variable with the preemption count */
#define XTR_PATCH_SESSION    0x787472       /* call: bpf_session_is_return */
#define XTR_PCPU_HOT_PREEMPT 8 /* bytes: pcpu_hot.preempt_count, which the recorder checks */

#endif /* XTR_CTL_H */
