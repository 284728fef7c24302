/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: from the submit ioctl over the doorbell to the fence that the interrupt's thread signals.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "npu.h"
#include "npu_trace.h"

#define NPU_MAX_BUFFERS 256

struct ivpu_fence {
	struct dma_fence base; /* first: the kernel frees it as a whole */
	spinlock_t lock;
};

NPU_FN const char *ivpu_fence_get_driver_name(struct dma_fence *fence)
{
	npu_call_count(NPU_F_ivpu_fence_get_driver_name);
	return "intel_vpu";
}

NPU_FN const char *ivpu_fence_get_timeline_name(struct dma_fence *fence)
{
	npu_call_count(NPU_F_ivpu_fence_get_timeline_name);
	return dev_name(npu_vdev->dev);
}

static const struct dma_fence_ops ivpu_fence_ops = {
	.get_driver_name = ivpu_fence_get_driver_name,
	.get_timeline_name = ivpu_fence_get_timeline_name,
};

struct dma_fence *npu_fence_create(struct ivpu_device *vdev)
{
	struct ivpu_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence)
		return NULL;
	spin_lock_init(&fence->lock);
	dma_fence_init(&fence->base, &ivpu_fence_ops, &fence->lock, dma_fence_context_alloc(1), 1);
	return &fence->base;
}

NPU_FN void ivpu_start_job_timeout_detection(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_start_job_timeout_detection);
}

NPU_FN void ivpu_stop_job_timeout_detection(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_stop_job_timeout_detection);
}

NPU_FN void ivpu_job_destroy(struct ivpu_job *job)
{
	struct ivpu_device *vdev = job->vdev;
	u32 i;

	NPU_CALL(ivpu_job_destroy);
	NPU_ARG(0, job->job_id);
	for (i = 0; i < job->bo_count; i++) {
		if (job->bos[i])
			npu_bo_put(job->bos[i]);
	}
	dma_fence_put(job->fence);
	ivpu_file_priv_put(&job->file_priv);
	kfree(job);
	atomic_dec(&vdev->live);
}

static struct ivpu_job *npu_job_create(struct ivpu_file_priv *file, u32 count)
{
	struct ivpu_job *job = kzalloc(struct_size(job, bos, count), GFP_KERNEL);

	if (!job)
		return NULL;
	job->fence = npu_fence_create(file->vdev);
	if (!job->fence) {
		kfree(job);
		return NULL;
	}
	job->vdev = file->vdev;
	job->bo_count = count;
	job->rec = &job->spare;
	atomic_inc(&file->vdev->live);
	job->file_priv = ivpu_file_priv_get(file);
	npu_trace_job("create", job);
	return job;
}

/* The job's buffers, each with pages and mapped; and what the first says that the job takes. */
static int npu_job_buffers(struct ivpu_job *job, const u32 *handles, u32 offset)
{
	struct ivpu_bo *bo;
	int ret;
	u32 i;

	for (i = 0; i < job->bo_count; i++) {
		job->bos[i] = npu_bo_get(job->file_priv, handles[i]);
		if (!job->bos[i])
			return -ENOENT;
	}
	for (i = 0; i < job->bo_count; i++) {
		ret = NPU_BIND(job->bos[i]);
		if (ret)
			return ret;
	}
	bo = job->bos[0];
	if (offset % 8 || offset >= bo->size)
		return -EINVAL;
	job->duration_ns = READ_ONCE(
		*(u64 *)(page_address(bo->pages[offset >> PAGE_SHIFT]) + offset_in_page(offset)));
	return 0;
}

static void npu_job_attach_fence(struct ivpu_job *job)
{
	struct dma_fence *old;
	u32 i;

	for (i = 0; i < job->bo_count; i++) {
		spin_lock(&job->vdev->fence_lock);
		old = job->bos[i]->fence;
		job->bos[i]->fence = dma_fence_get(job->fence);
		spin_unlock(&job->vdev->fence_lock);
		dma_fence_put(old);
	}
}

static struct ivpu_cmdq *npu_cmdq_alloc(struct ivpu_file_priv *file)
{
	struct ivpu_cmdq *cmdq = kzalloc(sizeof(*cmdq), GFP_KERNEL);

	if (!cmdq)
		return NULL;
	cmdq->mem = ivpu_bo_create_global(file->vdev, PAGE_SIZE, 0);
	if (!cmdq->mem || xa_alloc(&file->cmdqs, &cmdq->id, cmdq, xa_limit_31b, GFP_KERNEL)) {
		if (cmdq->mem)
			ivpu_bo_free(cmdq->mem);
		kfree(cmdq);
		return NULL;
	}
	return cmdq;
}

static int npu_cmdq_register(struct ivpu_file_priv *file, struct ivpu_cmdq *cmdq)
{
	int ret;

	if (cmdq->db_registered)
		return 0;
	cmdq->db_id = (u32)atomic_inc_return(&file->vdev->db_id) % 255 + 1;
	ret = ivpu_jsm_register_db(file->vdev, file->ctx.id, cmdq->db_id, cmdq->mem->vpu_addr,
				   cmdq->mem->size);
	cmdq->db_registered = !ret;
	return ret;
}

static __always_inline void npu_cmdq_end(struct ivpu_file_priv *file, struct ivpu_cmdq *cmdq)
{
	xa_erase(&file->cmdqs, cmdq->id);
	if (cmdq->db_registered)
		ivpu_jsm_unregister_db(file->vdev, cmdq->db_id);
	ivpu_bo_free(cmdq->mem);
	kfree(cmdq);
}

#ifdef NPU_NEW
NPU_FN struct ivpu_cmdq *ivpu_cmdq_create(struct ivpu_file_priv *file, u32 priority, bool legacy)
{
	NPU_CALL(ivpu_cmdq_create);
	return npu_cmdq_alloc(file);
}

NPU_FN int ivpu_cmdq_unregister(struct ivpu_file_priv *file, struct ivpu_cmdq *cmdq)
{
	NPU_CALL(ivpu_cmdq_unregister);
	npu_cmdq_end(file, cmdq);
	return NPU_RET(0);
}
#define NPU_CMDQ_NEW(file) ivpu_cmdq_create(file, 1, true)
#define NPU_CMDQ_END       ivpu_cmdq_unregister
#else
NPU_FN void ivpu_cmdq_fini(struct ivpu_file_priv *file, struct ivpu_cmdq *cmdq)
{
	NPU_CALL(ivpu_cmdq_fini);
	npu_cmdq_end(file, cmdq);
}
#define NPU_CMDQ_NEW(file) npu_cmdq_alloc(file)
#define NPU_CMDQ_END       ivpu_cmdq_fini
#endif

NPU_FN void ivpu_cmdq_release_all_locked(struct ivpu_file_priv *file)
{
	struct ivpu_cmdq *cmdq;
	unsigned long id;

	NPU_CALL(ivpu_cmdq_release_all_locked);
	xa_for_each(&file->cmdqs, id, cmdq) NPU_CMDQ_END(file, cmdq);
}

/* Gives the job an id of its context, and the engine the job. Under file->lock. */
static int npu_job_start(struct ivpu_job *job, struct ivpu_cmdq *cmdq)
{
	struct ivpu_file_priv *file = job->file_priv;
	struct ivpu_device *vdev = job->vdev;
	u32 base = (file->ctx.id - 1) * NPU_JOB_IDS;
	struct npu_job_rec *rec;
	int ret;

	ret = xa_alloc_cyclic(&vdev->jobs, &job->job_id, job,
			      XA_LIMIT(base, base + NPU_JOB_IDS - 1), &file->next_job, GFP_KERNEL);
	if (ret < 0)
		return ret == -EBUSY ? ret : -ENOMEM;
	npu_job_attach_fence(job);
	rec = npu_job_rec_new();
	if (rec)
		job->rec = rec;
	rec = job->rec;
	rec->ctx = file->ctx.id;
	rec->job_id = job->job_id;
	rec->fence_context = job->fence->context;
	rec->pid = current->tgid;
	rec->tid = current->pid;
	rec->duration_ns = job->duration_ns;
	ivpu_start_job_timeout_detection(vdev);
	rec->doorbell_ns = ktime_get_ns();
	ivpu_hw_ip_db_set(vdev, cmdq->db_id);
	rec->submit_ns = ktime_get_ns();
	npu_trace_job("submit", job);
	npu_fw_queue(vdev, job);
	return 0;
}

static struct ivpu_cmdq *npu_cmdq_acquire(struct ivpu_file_priv *file, u32 id)
{
	struct ivpu_cmdq *cmdq = xa_load(&file->cmdqs, id ? id : 1);

	if (!cmdq && !id)
		cmdq = NPU_CMDQ_NEW(file);
	return cmdq;
}

/* id 0: the queue that a file has without asking. On success *out is the job's record. */
static __always_inline int npu_submit(struct ivpu_file_priv *file, u32 id, u64 buffers, u32 count,
				      u32 offset, struct npu_job_rec *out)
{
	struct ivpu_cmdq *cmdq = NULL;
	struct ivpu_job *job;
	u32 *handles;
	int ret;

	if (!count || count > NPU_MAX_BUFFERS)
		return -EINVAL;
	handles = memdup_user(u64_to_user_ptr(buffers), count * sizeof(*handles));
	if (IS_ERR(handles))
		return PTR_ERR(handles);
	job = npu_job_create(file, count);
	if (!job) {
		kfree(handles);
		return -ENOMEM;
	}
	ret = npu_job_buffers(job, handles, offset);
	kfree(handles);
	if (ret)
		goto destroy;
	ret = ivpu_rpm_get(file->vdev);
	if (ret)
		goto destroy;
	mutex_lock(&file->lock);
	cmdq = npu_cmdq_acquire(file, id);
	ret = cmdq ? npu_cmdq_register(file, cmdq) : -ENOENT;
	out->fence_context = job->fence->context;
	if (!ret)
		ret = npu_job_start(job, cmdq);
	out->job_id = file->next_job - 1; /* under the lock: the id that was given last */
	mutex_unlock(&file->lock);
	if (!ret)
		return 0;
	ivpu_rpm_put(file->vdev);
destroy:
	/* Nobody waits for it, but a fence is never left unsignalled. */
	dma_fence_signal(job->fence);
	ivpu_job_destroy(job);
	return ret;
}

#ifdef NPU_NEW
NPU_FN int ivpu_submit(struct ivpu_file_priv *file, u32 cmdq_id, u64 buffers, u32 count, u32 offset,
		       struct npu_job_rec *out)
{
	int ret;

	NPU_CALL(ivpu_submit);
	ret = npu_submit(file, cmdq_id, buffers, count, offset, out);
	NPU_ARG(0, out->job_id);
	return NPU_RET(ret);
}

NPU_FN NPU_IOCTL(ivpu_cmdq_submit_ioctl)
{
	struct fakenpu_cmdq_submit *args = data;
	struct npu_job_rec out = {};
	int ret;

	NPU_CALL(ivpu_cmdq_submit_ioctl);
	ret = args->cmdq_id
		      ? ivpu_submit((struct ivpu_file_priv *)file, args->cmdq_id, args->buffers_ptr,
				    args->buffer_count, args->commands_offset, &out)
		      : -EINVAL;
	NPU_ARG(0, args->buffer_count);
	NPU_ARG(1, args->cmdq_id);
	NPU_ARG(2, out.job_id);
	NPU_ARG(3, out.fence_context);
	return NPU_RET(ret);
}

NPU_FN NPU_IOCTL(ivpu_cmdq_create_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_cmdq_create *args = data;
	struct ivpu_cmdq *cmdq;

	NPU_CALL(ivpu_cmdq_create_ioctl);
	mutex_lock(&priv->lock);
	cmdq = ivpu_cmdq_create(priv, args->priority, false);
	mutex_unlock(&priv->lock);
	if (!cmdq)
		return NPU_RET(-ENOMEM);
	args->cmdq_id = cmdq->id;
	NPU_ARG(0, cmdq->id);
	return NPU_RET(0);
}

NPU_FN NPU_IOCTL(ivpu_cmdq_destroy_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_cmdq_destroy *args = data;
	struct ivpu_cmdq *cmdq;

	NPU_CALL(ivpu_cmdq_destroy_ioctl);
	NPU_ARG(0, args->cmdq_id);
	mutex_lock(&priv->lock);
	cmdq = xa_load(&priv->cmdqs, args->cmdq_id);
	if (cmdq)
		ivpu_cmdq_unregister(priv, cmdq);
	mutex_unlock(&priv->lock);
	return NPU_RET(cmdq ? 0 : -ENOENT);
}
#endif

NPU_FN NPU_IOCTL(ivpu_submit_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_submit *args = data;
	struct npu_job_rec out = {};
	int ret = -EINVAL;

	NPU_CALL(ivpu_submit_ioctl);
	if (args->engine == 0) {
#ifdef NPU_NEW
		ret = ivpu_submit(priv, 0, args->buffers_ptr, args->buffer_count,
				  args->commands_offset, &out);
#else
		ret = npu_submit(priv, 0, args->buffers_ptr, args->buffer_count,
				 args->commands_offset, &out);
#endif
	}
	NPU_ARG(0, args->buffer_count);
	NPU_ARG(1, args->engine);
	NPU_ARG(2, out.job_id);
	NPU_ARG(3, out.fence_context);
	return NPU_RET(ret);
}

/* The fence is signalled and the job told of, in this order, as the real driver does. */
static void npu_job_finish(struct ivpu_job *job, u32 job_status)
{
	u32 i;

	for (i = 0; i < job->bo_count; i++)
		job->bos[i]->job_status = job_status;
	job->rec->signal_ns = ktime_get_ns();
	dma_fence_signal(job->fence);
	npu_trace_job("done", job);
}

#ifdef NPU_NEW
NPU_FN void ivpu_job_destroy_work_fn(struct work_struct *work)
{
	NPU_CALL(ivpu_job_destroy_work_fn);
	ivpu_job_destroy(container_of(work, struct ivpu_job, destroy_work));
}

NPU_FN void ivpu_job_signal(struct ivpu_device *vdev, struct ivpu_job *job, u32 job_status)
{
	NPU_CALL(ivpu_job_signal);
	NPU_ARG(0, job->job_id);
	npu_job_finish(job, job_status);
	ivpu_stop_job_timeout_detection(vdev);
	ivpu_rpm_put(vdev);
	INIT_WORK(&job->destroy_work, ivpu_job_destroy_work_fn);
	queue_work(vdev->wq, &job->destroy_work);
}
#else
NPU_FN int ivpu_job_signal_and_destroy(struct ivpu_device *vdev, u32 job_id, u32 job_status)
{
	struct ivpu_job *job = xa_erase(&vdev->jobs, job_id);

	NPU_CALL(ivpu_job_signal_and_destroy);
	NPU_ARG(0, job_id);
	if (!job)
		return NPU_RET(-ENOENT);
	npu_job_finish(job, job_status);
	ivpu_job_destroy(job);
	ivpu_stop_job_timeout_detection(vdev);
	ivpu_rpm_put(vdev);
	return NPU_RET(0);
}
#endif

NPU_FN void ivpu_job_done_callback(struct ivpu_device *vdev, struct ivpu_ipc_hdr *hdr,
				   struct vpu_jsm_msg *msg)
{
	NPU_CALL(ivpu_job_done_callback);
	NPU_ARG(0, msg->job_id);
#ifdef NPU_NEW
	{
		struct ivpu_job *job = xa_erase(&vdev->jobs, msg->job_id);

		if (job)
			ivpu_job_signal(vdev, job, msg->job_status);
	}
#else
	ivpu_job_signal_and_destroy(vdev, msg->job_id, msg->job_status);
#endif
	if (!xa_empty(&vdev->jobs))
		ivpu_start_job_timeout_detection(vdev);
}
