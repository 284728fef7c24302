/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device: firmware that answers each request after reply_us, one engine that executes jobs in
 * order, and the interrupt, which two hrtimers raise in hard interrupt context.
 */
#include <linux/hrtimer.h>

#include "npu.h"

#define NPU_MAX_JOB_NS (60ull * NSEC_PER_SEC)

static struct ivpu_device *fw_vdev(struct npu_fw *fw)
{
	return container_of(fw, struct ivpu_device, fw);
}

/* Under fw->lock. A full FIFO drops the message, as the hardware's would. */
static void fw_push(struct npu_fw *fw, const struct npu_msg *msg)
{
	if (!WARN_ON_ONCE(fw->count == NPU_FIFO))
		fw->fifo[(fw->head + fw->count++) % NPU_FIFO] = *msg;
}

bool npu_fw_pop(struct ivpu_device *vdev, struct npu_msg *msg)
{
	struct npu_fw *fw = &vdev->fw;
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&fw->lock, flags);
	any = fw->count > 0;
	if (any) {
		*msg = fw->fifo[fw->head];
		fw->head = (fw->head + 1) % NPU_FIFO;
		fw->count--;
	}
	spin_unlock_irqrestore(&fw->lock, flags);
	return any;
}

void npu_fw_boot(struct ivpu_device *vdev)
{
	struct npu_fw *fw = &vdev->fw;

	spin_lock_irq(&fw->lock);
	fw->booting = true;
	fw->polls = npu_knobs.boot_polls;
	fw->count = 0;
	spin_unlock_irq(&fw->lock);
}

/* Messages in the FIFO. While the firmware boots this counts the polls until it is up. */
u32 npu_fw_count(struct ivpu_device *vdev)
{
	const struct npu_msg up = { .hdr = { .channel = NPU_CHAN_BOOT } };
	struct npu_fw *fw = &vdev->fw;
	unsigned long flags;
	bool booting;
	u32 n;

	spin_lock_irqsave(&fw->lock, flags);
	booting = fw->booting;
	if (booting && fw->polls > 1) {
		fw->polls--;
	} else if (booting) {
		fw->booting = false;
		fw_push(fw, &up);
	}
	n = fw->count;
	spin_unlock_irqrestore(&fw->lock, flags);
	if (booting && npu_knobs.poll_ns)
		npu_spend(npu_knobs.poll_ns);
	return n;
}

static void fw_interrupt(struct npu_fw *fw)
{
	struct ivpu_device *vdev = fw_vdev(fw);
	unsigned long flags;

	if (!READ_ONCE(fw->irq_on))
		return;
	spin_lock_irqsave(&fw->irq_lock, flags);
	if (ivpu_hw_irq_handler(255, vdev) == IRQ_WAKE_THREAD) {
		atomic_set(&vdev->irq_pending, 1);
		wake_up_interruptible(&vdev->irq_wait);
	}
	spin_unlock_irqrestore(&fw->irq_lock, flags);
}

static enum hrtimer_restart fw_reply(struct hrtimer *timer)
{
	struct npu_fw *fw = container_of(timer, struct npu_fw, reply_timer);
	unsigned long flags;

	spin_lock_irqsave(&fw->lock, flags);
	for (unsigned int i = 0; i < fw->n_replies; i++)
		fw_push(fw, &fw->replies[i]);
	fw->n_replies = 0;
	spin_unlock_irqrestore(&fw->lock, flags);
	fw_interrupt(fw);
	return HRTIMER_NORESTART;
}

void npu_fw_request(struct ivpu_device *vdev, const struct vpu_jsm_msg *req)
{
	struct npu_msg reply = { .hdr = { .channel = NPU_CHAN_REPLY, .has_jsm = true } };
	struct npu_fw *fw = &vdev->fw;
	unsigned long flags;

	reply.jsm = *req;
	reply.jsm.type = req->type + 1; /* each request's answer has the next number */
	spin_lock_irqsave(&fw->lock, flags);
	if (npu_knobs.mute) {
		npu_knobs.mute--;
	} else if (!WARN_ON_ONCE(fw->n_replies == NPU_REPLIES)) {
		fw->replies[fw->n_replies++] = reply;
		if (fw->n_replies == 1)
			hrtimer_start(&fw->reply_timer, ns_to_ktime(npu_knobs.reply_us * 1000ull),
				      HRTIMER_MODE_REL_HARD);
	}
	spin_unlock_irqrestore(&fw->lock, flags);
}

/* The engine has done its first job: its message, and the timer for the next. */
static enum hrtimer_restart fw_job_end(struct hrtimer *timer)
{
	struct npu_msg msg = { .hdr = { .channel = NPU_CHAN_JOB, .has_jsm = true },
			       .jsm = { .type = VPU_JSM_MSG_JOB_DONE } };
	struct npu_fw *fw = container_of(timer, struct npu_fw, job_timer);
	struct ivpu_job *job;
	unsigned long flags;

	spin_lock_irqsave(&fw->lock, flags);
	job = list_first_entry_or_null(&fw->queue, struct ivpu_job, link);
	if (job) {
		list_del(&job->link);
		msg.jsm.job_id = job->job_id;
		fw_push(fw, &msg);
	}
	job = list_first_entry_or_null(&fw->queue, struct ivpu_job, link);
	if (job)
		hrtimer_start(timer, ns_to_ktime(job->end_ns), HRTIMER_MODE_ABS_HARD);
	spin_unlock_irqrestore(&fw->lock, flags);
	fw_interrupt(fw);
	return HRTIMER_NORESTART;
}

void npu_fw_queue(struct ivpu_device *vdev, struct ivpu_job *job)
{
	struct npu_fw *fw = &vdev->fw;
	u64 ns = min(job->duration_ns, NPU_MAX_JOB_NS);
	unsigned long flags;

	spin_lock_irqsave(&fw->lock, flags);
	if (++fw->jobs == npu_knobs.stall_job)
		ns += npu_knobs.stall_us * 1000ull;
	job->rec->start_ns = max(ktime_get_ns(), fw->busy_until);
	job->end_ns = job->rec->start_ns + ns;
	job->rec->end_ns = job->end_ns;
	fw->busy_until = job->end_ns;
	list_add_tail(&job->link, &fw->queue);
	if (list_is_singular(&fw->queue))
		hrtimer_start(&fw->job_timer, ns_to_ktime(job->end_ns), HRTIMER_MODE_ABS_HARD);
	spin_unlock_irqrestore(&fw->lock, flags);
}

void npu_fw_reset(void)
{
	struct npu_fw *fw = &npu_vdev->fw;

	spin_lock_irq(&fw->lock);
	fw->jobs = 0;
	spin_unlock_irq(&fw->lock);
}

static void fw_timer(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *))
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	timer->function = fn;
#endif
}

void npu_fw_init(struct ivpu_device *vdev)
{
	struct npu_fw *fw = &vdev->fw;

	spin_lock_init(&fw->lock);
	spin_lock_init(&fw->irq_lock);
	INIT_LIST_HEAD(&fw->queue);
	fw_timer(&fw->reply_timer, fw_reply);
	fw_timer(&fw->job_timer, fw_job_end);
}

void npu_fw_stop(struct ivpu_device *vdev)
{
	hrtimer_cancel(&vdev->fw.reply_timer);
	hrtimer_cancel(&vdev->fw.job_timer);
}
