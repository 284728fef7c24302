/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages between driver and firmware, and the interrupt that says that there are some. */
#include <linux/slab.h>

#include "npu.h"
#include "npu_trace.h"

#define NPU_TRIES 8

NPU_FN const char *ivpu_jsm_msg_type_to_str(enum vpu_ipc_msg_type type)
{
	static const char *const names[] = {
		[VPU_JSM_MSG_REGISTER_DB] = "VPU_JSM_MSG_REGISTER_DB",
		[VPU_JSM_MSG_REGISTER_DB_DONE] = "VPU_JSM_MSG_REGISTER_DB_DONE",
		[VPU_JSM_MSG_UNREGISTER_DB] = "VPU_JSM_MSG_UNREGISTER_DB",
		[VPU_JSM_MSG_UNREGISTER_DB_DONE] = "VPU_JSM_MSG_UNREGISTER_DB_DONE",
		[VPU_JSM_MSG_PWR_D0I3_ENTER] = "VPU_JSM_MSG_PWR_D0I3_ENTER",
		[VPU_JSM_MSG_PWR_D0I3_ENTER_DONE] = "VPU_JSM_MSG_PWR_D0I3_ENTER_DONE",
		[VPU_JSM_MSG_JOB_DONE] = "VPU_JSM_MSG_JOB_DONE",
	};

	npu_call_count(NPU_F_ivpu_jsm_msg_type_to_str);
	return type < ARRAY_SIZE(names) ? names[type] : "Unknown JSM message type";
}

NPU_FN void ivpu_ipc_msg_dump(struct ivpu_device *vdev, const char *c,
			      const struct ivpu_ipc_hdr *hdr, u32 addr)
{
	NPU_CALL(ivpu_ipc_msg_dump);
}

NPU_FN void ivpu_jsm_msg_dump(struct ivpu_device *vdev, const char *c,
			      const struct vpu_jsm_msg *msg, u32 addr)
{
	NPU_CALL(ivpu_jsm_msg_dump);
}

static void npu_consumer_add(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons, u32 channel)
{
	INIT_LIST_HEAD(&cons->rx);
	cons->channel = channel;
	cons->request_id = 0;
	init_waitqueue_head(&cons->wait);
	spin_lock_irq(&vdev->cons_lock);
	list_add_tail(&cons->link, &vdev->consumers);
	spin_unlock_irq(&vdev->cons_lock);
}

NPU_FN void ivpu_ipc_consumer_add(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons,
				  u32 channel, void *callback)
{
	NPU_CALL(ivpu_ipc_consumer_add);
	npu_consumer_add(vdev, cons, channel);
}

NPU_FN void ivpu_ipc_rx_msg_del(struct ivpu_device *vdev, struct ivpu_ipc_rx_msg *rx)
{
	NPU_CALL(ivpu_ipc_rx_msg_del);
	kfree(rx);
}

NPU_FN void ivpu_ipc_consumer_del(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons)
{
	struct ivpu_ipc_rx_msg *rx, *next;

	NPU_CALL(ivpu_ipc_consumer_del);
	spin_lock_irq(&vdev->cons_lock);
	list_del(&cons->link);
	spin_unlock_irq(&vdev->cons_lock);
	list_for_each_entry_safe(rx, next, &cons->rx, link) ivpu_ipc_rx_msg_del(vdev, rx);
}

NPU_FN int ivpu_ipc_send(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons,
			 struct vpu_jsm_msg *req)
{
	NPU_CALL(ivpu_ipc_send);
	req->request_id = atomic_inc_return(&vdev->request_id);
	req->status = VPU_JSM_MSG_ALLOCATED;
	cons->request_id = req->request_id;
	ivpu_jsm_msg_dump(vdev, "TX", req, 0);
	ivpu_ipc_msg_dump(vdev, "TX", NULL, 0);
	npu_trace_jsm("[tx]", req);
	atomic64_inc(&npu_emitted[NPU_MESSAGE_TX]);
	ivpu_hw_ip_ipc_tx_set(vdev, req);
	NPU_ARG(0, req->type);
	NPU_ARG(1, req->request_id);
	return NPU_RET(0);
}

static struct ivpu_ipc_rx_msg *npu_next_rx(struct ivpu_device *vdev, struct list_head *list)
{
	struct ivpu_ipc_rx_msg *rx;
	unsigned long flags;

	spin_lock_irqsave(&vdev->cons_lock, flags);
	rx = list_first_entry_or_null(list, struct ivpu_ipc_rx_msg, link);
	if (rx)
		list_del(&rx->link);
	spin_unlock_irqrestore(&vdev->cons_lock, flags);
	return rx;
}

NPU_FN int ivpu_ipc_receive(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons,
			    struct ivpu_ipc_hdr *ipc_buf, struct vpu_jsm_msg *jsm_msg,
			    unsigned long timeout_ms)
{
	struct ivpu_ipc_rx_msg *rx;

	NPU_CALL(ivpu_ipc_receive);
	NPU_ARG(0, timeout_ms);
	wait_event_timeout(cons->wait, !list_empty_careful(&cons->rx),
			   msecs_to_jiffies(timeout_ms));
	rx = npu_next_rx(vdev, &cons->rx);
	if (!rx)
		return NPU_RET(-ETIMEDOUT);
	if (ipc_buf)
		*ipc_buf = rx->msg.hdr;
	if (rx->msg.hdr.has_jsm && jsm_msg) {
		*jsm_msg = rx->msg.jsm;
		npu_trace_jsm("[rx]", jsm_msg);
	}
	ivpu_ipc_rx_msg_del(vdev, rx);
	return NPU_RET(0);
}

NPU_FN int ivpu_ipc_send_receive_internal(struct ivpu_device *vdev, struct vpu_jsm_msg *req,
					  enum vpu_ipc_msg_type expected, struct vpu_jsm_msg *resp,
					  u32 channel, unsigned long timeout_ms)
{
	struct ivpu_ipc_consumer cons;
	int ret;

	NPU_CALL(ivpu_ipc_send_receive_internal);
	NPU_ARG(0, req->type);
	npu_consumer_add(vdev, &cons, channel);
	ret = ivpu_ipc_send(vdev, &cons, req);
	if (!ret)
		ret = ivpu_ipc_receive(vdev, &cons, NULL, resp, timeout_ms);
	if (!ret && resp->type != expected)
		ret = -EBADE;
	ivpu_ipc_consumer_del(vdev, &cons);
	return NPU_RET(ret);
}

NPU_FN int ivpu_ipc_send_receive(struct ivpu_device *vdev, struct vpu_jsm_msg *req,
				 enum vpu_ipc_msg_type expected, struct vpu_jsm_msg *resp,
				 u32 channel, unsigned long timeout_ms)
{
	int tries = 0, ret;

	NPU_CALL(ivpu_ipc_send_receive);
	NPU_ARG(0, req->type);
	ret = ivpu_rpm_get(vdev);
	if (ret)
		return NPU_RET(ret);
	do {
		ret = ivpu_ipc_send_receive_internal(vdev, req, expected, resp, channel,
						     timeout_ms);
	} while (ret == -ETIMEDOUT && ++tries < NPU_TRIES);
	ivpu_rpm_put(vdev);
	return NPU_RET(ret);
}

NPU_FN int ivpu_jsm_register_db(struct ivpu_device *vdev, u32 ctx_id, u32 db_id, u64 jobq_base,
				u32 jobq_size)
{
	struct vpu_jsm_msg req = { .type = VPU_JSM_MSG_REGISTER_DB }, resp;

	NPU_CALL(ivpu_jsm_register_db);
	NPU_ARG(0, ctx_id);
	NPU_ARG(1, db_id);
	return NPU_RET(ivpu_ipc_send_receive(vdev, &req, VPU_JSM_MSG_REGISTER_DB_DONE, &resp,
					     NPU_CHAN_REPLY, npu_knobs.retry_ms));
}

NPU_FN int ivpu_jsm_unregister_db(struct ivpu_device *vdev, u32 db_id)
{
	struct vpu_jsm_msg req = { .type = VPU_JSM_MSG_UNREGISTER_DB }, resp;

	NPU_CALL(ivpu_jsm_unregister_db);
	NPU_ARG(0, db_id);
	return NPU_RET(ivpu_ipc_send_receive(vdev, &req, VPU_JSM_MSG_UNREGISTER_DB_DONE, &resp,
					     NPU_CHAN_REPLY, npu_knobs.retry_ms));
}

NPU_FN int ivpu_jsm_pwr_d0i3_enter(struct ivpu_device *vdev)
{
	struct vpu_jsm_msg req = { .type = VPU_JSM_MSG_PWR_D0I3_ENTER }, resp;
	int ret;

	NPU_CALL(ivpu_jsm_pwr_d0i3_enter);
	ret = ivpu_ipc_send_receive_internal(vdev, &req, VPU_JSM_MSG_PWR_D0I3_ENTER_DONE, &resp,
					     NPU_CHAN_REPLY, npu_knobs.retry_ms);
	ivpu_hw_btrs_wait_for_idle(vdev);
	return NPU_RET(ret);
}

/* To the consumer that waits for it, or, for a finished job, to the interrupt's thread. */
static void npu_dispatch(struct ivpu_device *vdev, struct ivpu_ipc_rx_msg *rx)
{
	struct ivpu_ipc_consumer *cons;
	struct npu_msg *msg = &rx->msg;
	unsigned long flags;

	spin_lock_irqsave(&vdev->cons_lock, flags);
	if (msg->hdr.channel == NPU_CHAN_JOB) {
		list_add_tail(&rx->link, &vdev->done);
		goto out;
	}
	list_for_each_entry(cons, &vdev->consumers, link)
	{
		if (cons->channel != msg->hdr.channel)
			continue;
		if (msg->hdr.has_jsm && cons->request_id != msg->jsm.request_id)
			continue;
		list_add_tail(&rx->link, &cons->rx);
		wake_up(&cons->wait);
		goto out;
	}
	kfree(rx);
out:
	spin_unlock_irqrestore(&vdev->cons_lock, flags);
}

/* Empties the FIFO. Not the interrupt handler: the boot loop calls it too. */
NPU_FN void ivpu_ipc_irq_handler(struct ivpu_device *vdev)
{
	struct ivpu_ipc_rx_msg *rx;

	NPU_CALL(ivpu_ipc_irq_handler);
	while (ivpu_hw_ip_ipc_rx_count_get(vdev)) {
		u32 addr = ivpu_hw_ip_ipc_rx_addr_get(vdev);

		rx = kmalloc(sizeof(*rx), GFP_ATOMIC);
		if (!rx)
			return;
		if (!npu_fw_pop(vdev, &rx->msg)) {
			kfree(rx);
			return;
		}
		atomic64_inc(&npu_emitted[NPU_MESSAGE_RX]);
		ivpu_ipc_msg_dump(vdev, "RX", &rx->msg.hdr, addr);
		if (rx->msg.hdr.has_jsm)
			ivpu_jsm_msg_dump(vdev, "RX", &rx->msg.jsm, addr);
		npu_dispatch(vdev, rx);
	}
}

NPU_FN bool ivpu_hw_btrs_irq_handler_lnl(struct ivpu_device *vdev, int irq)
{
	NPU_CALL(ivpu_hw_btrs_irq_handler_lnl);
	ivpu_hw_btrs_is_idle(vdev);
	return NPU_RET(0);
}

NPU_FN bool ivpu_hw_ip_irq_handler_40xx(struct ivpu_device *vdev, int irq)
{
	NPU_CALL(ivpu_hw_ip_irq_handler_40xx);
	ivpu_ipc_irq_handler(vdev);
	return NPU_RET(1);
}

NPU_FN irqreturn_t ivpu_hw_irq_handler(int irq, void *ptr)
{
	struct ivpu_device *vdev = ptr;

	NPU_CALL(ivpu_hw_irq_handler);
	ivpu_hw_btrs_global_int_disable(vdev);
	ivpu_hw_btrs_irq_handler_lnl(vdev, irq);
	ivpu_hw_ip_irq_handler_40xx(vdev, irq);
	ivpu_hw_btrs_global_int_enable(vdev);
	return NPU_RET(list_empty_careful(&vdev->done) ? IRQ_HANDLED : IRQ_WAKE_THREAD);
}

static void npu_thread_work(struct ivpu_device *vdev)
{
	struct ivpu_ipc_rx_msg *rx;

	while ((rx = npu_next_rx(vdev, &vdev->done))) {
		ivpu_job_done_callback(vdev, &rx->msg.hdr, &rx->msg.jsm);
		ivpu_ipc_rx_msg_del(vdev, rx);
	}
}

#ifdef NPU_NEW
NPU_FN irqreturn_t ivpu_ipc_irq_thread_handler(int irq, void *ptr)
{
	NPU_CALL(ivpu_ipc_irq_thread_handler);
	npu_thread_work(ptr);
	return NPU_RET(IRQ_HANDLED);
}
#else
NPU_FN void ivpu_ipc_irq_thread_handler(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_ipc_irq_thread_handler);
	npu_thread_work(vdev);
}

NPU_FN irqreturn_t ivpu_irq_thread_handler(int irq, void *ptr)
{
	NPU_CALL(ivpu_irq_thread_handler);
	ivpu_ipc_irq_thread_handler(ptr);
	return NPU_RET(IRQ_HANDLED);
}
#endif
