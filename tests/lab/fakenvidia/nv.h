/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the stand-in: its devices, its functions with the real driver's names, and the log. */
#ifndef NV_H
#define NV_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/version.h>

#include "fakenvidia_uapi.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define NV_545 1 /* the ioctl's entry point since 545 */
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define NV_575 1 /* the tracepoint since 575 */
#endif

/*
 * X(name, returns, values...): returns is 1 where a recording has the return, too. values name and
 * type what the log keeps, in the order of nv_frame.arg.
 */
/* clang-format off */
#define NV_COMMON(X) \
	X(nvidia_open, 1, "file:hex64") \
	X(nvidia_close, 1, "file:hex64") \
	X(nvidia_mmap, 1, "file:hex64", "vm_start:hex64", "vm_end:hex64") \
	X(nvidia_vma_open, 0, "vm_start:hex64", "vm_end:hex64") \
	X(nvidia_vma_release, 0, "vm_start:hex64", "vm_end:hex64") \
	X(nvidia_poll, 1, "file:hex64") \
	X(nvidia_fault, 1, "address:hex64") \
	X(nvidia_isr, 1, "device:hex64") \
	X(nvidia_isr_msix, 1, "device:hex64") \
	X(nvidia_isr_kthread_bh, 1, "device:hex64") \
	X(nvidia_isr_msix_kthread_bh, 1, "device:hex64") \
	X(nvidia_p2p_get_pages, 1, "virtual_address:hex64", "length:u64") \
	X(nvidia_p2p_get_pages_persistent, 1, "virtual_address:hex64", "length:u64") \
	X(nvidia_p2p_dma_map_pages, 1, "peer:hex64") \
	X(nvidia_suspend, 1, "device:hex64") \
	X(nvidia_resume, 1, "device:hex64") \
	X(nv_report_error, 0, "device:hex64", "xid:u32")
#define NV_IOCTL_VALUES "file:hex64", "cmd:hex32", "arg_cmd:hex32", "arg_class:hex32"
#ifdef NV_545
#define NV_FUNCTIONS(X) NV_COMMON(X) \
	X(nvidia_unlocked_ioctl, 1, NV_IOCTL_VALUES)
#else
#define NV_FUNCTIONS(X) NV_COMMON(X) \
	X(nvidia_frontend_unlocked_ioctl, 1, NV_IOCTL_VALUES)
#endif
/* clang-format on */

#define NV_ARGS 4

enum nv_function {
#define NV_ENUM(name, returns, ...) NV_F_##name,
	NV_FUNCTIONS(NV_ENUM)
#undef NV_ENUM
	NV_EVENT_XID, /* not a function: the tracepoint */
	NV_FUNCTION_COUNT
};

/* One call. Times are CLOCK_MONOTONIC ns; end_ns is 0 while it lasts. */
struct nv_rec {
	u64 begin_ns, end_ns;
	u64 arg[NV_ARGS];
	s64 ret;
	pid_t pid, tid;
	u16 function, cpu;
	bool hardirq;
	char comm[TASK_COMM_LEN];
	char dev[16], msg[48]; /* of an Xid */
};

/* The part of a call that its function holds. */
struct nv_frame {
	struct nv_rec *rec; /* NULL: the log is full */
	u64 arg[NV_ARGS];
	s64 ret;
};

struct nv_frame nv_frame_begin(enum nv_function function);
void nv_frame_end(struct nv_frame *frame);

/* Neither inlined nor cloned, and called with the arguments that it declares. */
#define NV_FN noinline __attribute__((noipa))
#define NV_CALL(name)                                                     \
	struct nv_frame nv_frame __attribute__((cleanup(nv_frame_end))) = \
		nv_frame_begin(NV_F_##name)
#define NV_ARG(n, value) (nv_frame.arg[n] = (u64)(value))
#define NV_RET(value)    (nv_frame.ret = (value))

struct nv_linux_state {
	u64 nv_state; /* as in the real driver, the bottom half gets the same address */
	unsigned int index;
	bool msix;
	const char *pci;
	u64 pci_dev, dev; /* only their addresses mean something */
	struct hrtimer timer;
	struct task_struct *thread;
	wait_queue_head_t wait;
	atomic_t wake; /* bottom halves that are wanted */
	unsigned int left, every, done;
	u64 period_ns;
	u32 xid; /* to be reported by the next bottom half */
	char msg[48];
};

extern struct nv_linux_state nv_devices[FAKENVIDIA_DEVICES];

void nv_spend(unsigned int us);
void nv_report(struct nv_linux_state *nv, u32 xid, const char *format, ...);
int nv_devices_init(void);
void nv_devices_fini(void);
/* An order of debugfs's control; 0 or -errno. */
int nv_order(char *line);
int nv_truth_init(void);
void nv_truth_fini(void);

#endif
