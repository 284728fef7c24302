/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The devices: interrupts (a timer's callback calls the handler, as the kernel's interrupt code
 * would) with their threads, suspend, errors, and third-party P2P; on order.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nv.h"

#ifdef NV_575
#define CREATE_TRACE_POINTS
#include "nv_xid_event.h"
#endif

struct nv_linux_state nv_devices[FAKENVIDIA_DEVICES] = {
	{ .index = 0, .msix = true, .pci = "0000:01:00.0" },
	{ .index = 1, .msix = false, .pci = "0000:02:00.0" },
};

void nv_spend(unsigned int us)
{
	if (us)
		usleep_range(us, us + 20);
}

/* --- errors ------------------------------------------------------------------------------------
 */

static void nv_trace_xid(struct nv_linux_state *nv, u32 xid, const char *msg)
{
#ifdef NV_575
	struct nv_frame frame = nv_frame_begin(NV_EVENT_XID);

	frame.arg[0] = xid;
	if (frame.rec) {
		strscpy(frame.rec->dev, nv->pci, sizeof(frame.rec->dev));
		strscpy(frame.rec->msg, msg, sizeof(frame.rec->msg));
	}
	trace_nvidia_dev_xid(nv->pci, xid, msg);
	nv_frame_end(&frame);
#endif
}

NV_FN void nv_report_error(u64 *pci_dev, u32 xid, const char *format, va_list ap)
{
	struct nv_linux_state *nv = container_of(pci_dev, struct nv_linux_state, pci_dev);
	char msg[48];

	NV_CALL(nv_report_error);
	NV_ARG(0, (unsigned long)pci_dev);
	NV_ARG(1, xid);
	vsnprintf(msg, sizeof(msg), format, ap);
	nv_trace_xid(nv, xid, msg);
}

void nv_report(struct nv_linux_state *nv, u32 xid, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	nv_report_error(&nv->pci_dev, xid, format, ap);
	va_end(ap);
}

/* --- interrupts --------------------------------------------------------------------------------
 */

static irqreturn_t nv_answer(const struct nv_linux_state *nv)
{
	if (nv->every && nv->done % nv->every == nv->every - 1)
		return IRQ_WAKE_THREAD;
	return nv->msix || nv->done % 2 ? IRQ_HANDLED : IRQ_NONE;
}

NV_FN irqreturn_t nvidia_isr(int irq, void *arg)
{
	NV_CALL(nvidia_isr);
	NV_ARG(0, (unsigned long)arg);
	return NV_RET(nv_answer(arg));
}

NV_FN irqreturn_t nvidia_isr_msix(int irq, void *arg)
{
	NV_CALL(nvidia_isr_msix);
	NV_ARG(0, (unsigned long)arg);
	return NV_RET(nvidia_isr(irq, arg));
}

static void nv_bottom(struct nv_linux_state *nv)
{
	if (nv->xid)
		nv_report(nv, nv->xid, "%s", nv->msg);
	nv->xid = 0;
}

NV_FN irqreturn_t nvidia_isr_kthread_bh(int irq, void *data)
{
	NV_CALL(nvidia_isr_kthread_bh);
	NV_ARG(0, (unsigned long)data);
	nv_bottom(data);
	return NV_RET(IRQ_HANDLED);
}

NV_FN irqreturn_t nvidia_isr_msix_kthread_bh(int irq, void *data)
{
	NV_CALL(nvidia_isr_msix_kthread_bh);
	NV_ARG(0, (unsigned long)data);
	nv_bottom(data);
	return NV_RET(IRQ_HANDLED);
}

static enum hrtimer_restart nv_timer(struct hrtimer *timer)
{
	struct nv_linux_state *nv = container_of(timer, struct nv_linux_state, timer);
	irqreturn_t ret = nv->msix ? nvidia_isr_msix(44, nv) : nvidia_isr(19, nv);

	nv->done++;
	if (ret == IRQ_WAKE_THREAD) {
		atomic_inc(&nv->wake);
		wake_up(&nv->wait);
	}
	if (!--nv->left) {
		wake_up(&nv->wait);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(nv->period_ns));
	return HRTIMER_RESTART;
}

static int nv_thread(void *arg)
{
	struct nv_linux_state *nv = arg;

	while (!kthread_should_stop()) {
		wait_event_interruptible(nv->wait, atomic_read(&nv->wake) || kthread_should_stop());
		if (!atomic_read(&nv->wake))
			continue;
		if (nv->msix)
			nvidia_isr_msix_kthread_bh(44, nv);
		else
			nvidia_isr_kthread_bh(19, nv);
		/* Requests of meanwhile are served in the next round. */
		atomic_dec(&nv->wake);
	}
	return 0;
}

/* n interrupts, each n-th of which wants a bottom half (every 0: none), and waits for all of them.
 */
static int nv_raise(struct nv_linux_state *nv, unsigned int n, unsigned int us, unsigned int every)
{
	if (!n || n > 10000 || us < 100)
		return -EINVAL;
	nv->left = n;
	nv->done = 0;
	nv->every = every;
	nv->period_ns = us * 1000ull;
	hrtimer_start(&nv->timer, ns_to_ktime(nv->period_ns), HRTIMER_MODE_REL);
	while (READ_ONCE(nv->left) || atomic_read(&nv->wake))
		msleep(2);
	return 0;
}

/* --- power, and memory for other devices -------------------------------------------------------
 */

NV_FN int nvidia_suspend(u64 *dev, unsigned int us, bool fails)
{
	NV_CALL(nvidia_suspend);
	NV_ARG(0, (unsigned long)dev);
	nv_spend(us);
	return NV_RET(fails ? -EBUSY : 0);
}

NV_FN int nvidia_resume(u64 *dev, unsigned int us)
{
	NV_CALL(nvidia_resume);
	NV_ARG(0, (unsigned long)dev);
	nv_spend(us);
	return NV_RET(0);
}

NV_FN int nvidia_p2p_get_pages(u64 p2p_token, u32 va_space, u64 virtual_address, u64 length,
			       void **page_table, void (*free_callback)(void *), void *data)
{
	NV_CALL(nvidia_p2p_get_pages);
	NV_ARG(0, virtual_address);
	NV_ARG(1, length);
	return NV_RET(length ? 0 : -EINVAL);
}

NV_FN int nvidia_p2p_get_pages_persistent(u64 virtual_address, u64 length, void **page_table,
					  u32 flags)
{
	NV_CALL(nvidia_p2p_get_pages_persistent);
	NV_ARG(0, virtual_address);
	NV_ARG(1, length);
	return NV_RET(length ? 0 : -EINVAL);
}

NV_FN int nvidia_p2p_dma_map_pages(void *peer, void *page_table, void **mapping)
{
	NV_CALL(nvidia_p2p_dma_map_pages);
	NV_ARG(0, (unsigned long)peer);
	return NV_RET(0);
}

static int nv_p2p(unsigned int kind, u64 length)
{
	void *table = NULL;

	switch (kind) {
	case 0:
		return nvidia_p2p_get_pages(0, 0, 0x7f0000000000, length, &table, NULL, NULL);
	case 1:
		return nvidia_p2p_get_pages_persistent(0x7f0000000000, length, &table, 0);
	default:
		return nvidia_p2p_dma_map_pages(&nv_devices[1], table, &table);
	}
}

/* --- orders ------------------------------------------------------------------------------------
 */

int nv_order(char *line)
{
	unsigned int d, a, b = 0, c = 0;
	int at = 0, n;

	line = strim(line);
	n = sscanf(line, "isr %u %u %u %u", &d, &a, &b, &c);
	if (n == 4 && d < FAKENVIDIA_DEVICES)
		return nv_raise(&nv_devices[d], a, b, c);
	/* Reported by the bottom half of an interrupt. */
	if (sscanf(line, "xid %u %u %n", &d, &a, &at) == 2 && at && d < FAKENVIDIA_DEVICES) {
		strscpy(nv_devices[d].msg, line + at, sizeof(nv_devices[d].msg));
		nv_devices[d].xid = a;
		return nv_raise(&nv_devices[d], 1, 100, 1);
	}
	if (sscanf(line, "suspend %u %u %u", &d, &a, &b) == 3 && d < FAKENVIDIA_DEVICES) {
		nvidia_suspend(&nv_devices[d].dev, a, b);
		return 0;
	}
	if (sscanf(line, "resume %u %u", &d, &a) == 2 && d < FAKENVIDIA_DEVICES) {
		nvidia_resume(&nv_devices[d].dev, a);
		return 0;
	}
	if (sscanf(line, "p2p %u %u", &a, &b) == 2) {
		nv_p2p(a, b);
		return 0;
	}
	return -EINVAL;
}

int nv_devices_init(void)
{
	for (int i = 0; i < FAKENVIDIA_DEVICES; i++) {
		struct nv_linux_state *nv = &nv_devices[i];

		init_waitqueue_head(&nv->wait);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
		hrtimer_setup(&nv->timer, nv_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
		hrtimer_init(&nv->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
		nv->timer.function = nv_timer;
#endif
		nv->thread = kthread_run(nv_thread, nv, "irq/%d-nvidia", nv->msix ? 44 : 19);
		if (IS_ERR(nv->thread)) {
			int ret = PTR_ERR(nv->thread);

			while (i--)
				kthread_stop(nv_devices[i].thread);
			return ret;
		}
	}
	return 0;
}

void nv_devices_fini(void)
{
	for (int i = 0; i < FAKENVIDIA_DEVICES; i++) {
		hrtimer_cancel(&nv_devices[i].timer);
		kthread_stop(nv_devices[i].thread);
	}
}
