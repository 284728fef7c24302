/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers. As in the real driver, creation reserves an NPU address and nothing else: pages are
 * allocated by mmap() or by the first submit, and mapped for the NPU by the first submit.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "npu.h"

#define NPU_MAX_BO (64ull << 20)

static struct ivpu_bo *to_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct ivpu_bo, base);
}

NPU_FN struct drm_gem_object *ivpu_gem_create_object(struct drm_device *dev, size_t size)
{
	struct ivpu_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL);

	NPU_CALL(ivpu_gem_create_object);
	NPU_ARG(0, size);
	if (!bo)
		return NULL;
	kref_init(&bo->ref);
	mutex_init(&bo->lock);
	bo->base.size = size;
	bo->size = size;
	bo->vdev = (struct ivpu_device *)dev;
	return &bo->base;
}

NPU_FN int ivpu_bo_alloc_vpu_addr(struct ivpu_bo *bo, struct ivpu_mmu_context *ctx)
{
	int ret;

	NPU_CALL(ivpu_bo_alloc_vpu_addr);
	ret = ivpu_mmu_context_insert_node(ctx, bo->size, &bo->vpu_addr);
	if (!ret)
		bo->ctx = ctx;
	NPU_ARG(0, bo->vpu_addr);
	NPU_ARG(1, bo->size);
	return NPU_RET(ret);
}

NPU_FN int ivpu_gem_bo_open(struct drm_gem_object *obj, struct drm_file *drm_file)
{
	struct ivpu_file_priv *file = (struct ivpu_file_priv *)drm_file;

	NPU_CALL(ivpu_gem_bo_open);
	NPU_ARG(0, to_bo(obj)->handle);
	return NPU_RET(ivpu_bo_alloc_vpu_addr(to_bo(obj), &file->ctx));
}

static void npu_bo_drop_pages(struct ivpu_bo *bo)
{
	u64 i;

	if (!bo->pages)
		return;
	sg_free_table(&bo->sgt);
	for (i = 0; i < bo->size >> PAGE_SHIFT; i++)
		put_page(bo->pages[i]);
	kvfree(bo->pages);
	bo->pages = NULL;
}

/* Allocates the buffer's pages unless it has them. 1 if it did, 0, -errno. Under bo->lock. */
int npu_bo_pages(struct ivpu_bo *bo)
{
	u64 i, n = bo->size >> PAGE_SHIFT;
	struct page **pages;

	if (bo->pages)
		return 0;
	pages = kvcalloc(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[i])
			goto fail;
	}
	npu_spend(n * npu_knobs.alloc_page_ns);
	if (sg_alloc_table_from_pages(&bo->sgt, pages, n, 0, bo->size, GFP_KERNEL))
		goto fail;
	bo->pages = pages;
	return 1;
fail:
	while (i-- > 0)
		put_page(pages[i]);
	kvfree(pages);
	return -ENOMEM;
}

NPU_FN int drm_gem_shmem_object_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	unsigned long n = vma_pages(vma);
	struct ivpu_bo *bo = to_bo(obj);
	int ret;

	NPU_CALL(drm_gem_shmem_object_mmap);
	NPU_ARG(0, bo->handle);
	NPU_ARG(1, bo->size);
	if (n > bo->size >> PAGE_SHIFT)
		return NPU_RET(-EINVAL);
	mutex_lock(&bo->lock);
	ret = npu_bo_pages(bo);
	NPU_ARG(2, ret == 1);
	for (unsigned long i = 0; ret >= 0 && i < n; i++)
		ret = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE, bo->pages[i]);
	mutex_unlock(&bo->lock);
	return NPU_RET(ret < 0 ? ret : 0);
}

/* Pages, and their mapping for the NPU, at the first job that uses the buffer. */
NPU_FN int NPU_BIND(struct ivpu_bo *bo)
{
	int ret = 0;
#ifdef NPU_NEW
	NPU_CALL(ivpu_bo_bind);
#else
	NPU_CALL(ivpu_bo_pin);
#endif
	NPU_ARG(0, bo->handle);
	NPU_ARG(1, bo->size);
	NPU_ARG(3, bo->vpu_addr);
	mutex_lock(&bo->lock);
	if (bo->mapped)
		goto out;
	ret = npu_bo_pages(bo);
	NPU_ARG(2, ret == 1);
	if (ret < 0)
		goto out;
#ifdef NPU_NEW
	ret = ivpu_mmu_context_map_sgt(bo->vdev, bo->ctx, bo->vpu_addr, &bo->sgt, bo->size, true,
				       false);
#else
	ret = ivpu_mmu_context_map_sgt(bo->vdev, bo->ctx, bo->vpu_addr, &bo->sgt, true);
#endif
	bo->mapped = !ret;
out:
	mutex_unlock(&bo->lock);
	return NPU_RET(ret);
}

NPU_FN void ivpu_bo_unbind_locked(struct ivpu_bo *bo)
{
	NPU_CALL(ivpu_bo_unbind_locked);
	if (bo->mapped)
		ivpu_mmu_context_unmap_sgt(bo->vdev, bo->ctx, bo->vpu_addr, &bo->sgt);
	bo->mapped = false;
	if (bo->ctx)
		ivpu_mmu_context_remove_node(bo->ctx, bo->vpu_addr, bo->size);
	bo->ctx = NULL;
}

/* A context is left when all its buffers are freed: here the real one finds nothing either. */
NPU_FN void ivpu_bo_unbind_all_bos_from_context(struct ivpu_device *vdev,
						struct ivpu_mmu_context *ctx)
{
	NPU_CALL(ivpu_bo_unbind_all_bos_from_context);
}

NPU_FN void ivpu_gem_bo_free(struct drm_gem_object *obj)
{
	struct ivpu_bo *bo = to_bo(obj);

	NPU_CALL(ivpu_gem_bo_free);
	NPU_ARG(0, bo->handle);
	NPU_ARG(1, bo->size);
	ivpu_bo_unbind_locked(bo);
	npu_bo_drop_pages(bo);
	dma_fence_put(bo->fence);
	kfree(bo);
}

static void npu_bo_release(struct kref *ref)
{
	struct ivpu_bo *bo = container_of(ref, struct ivpu_bo, ref);

	ivpu_gem_bo_free(&bo->base);
}

void npu_bo_put(struct ivpu_bo *bo)
{
	kref_put(&bo->ref, npu_bo_release);
}

struct ivpu_bo *npu_bo_get(struct ivpu_file_priv *file, u32 handle)
{
	struct ivpu_bo *bo;

	xa_lock(&file->bos);
	bo = xa_load(&file->bos, handle);
	if (bo)
		kref_get(&bo->ref);
	xa_unlock(&file->bos);
	return bo;
}

int npu_gem_close(struct ivpu_file_priv *file, void *data)
{
	struct fakenpu_gem_close *args = data;
	struct ivpu_bo *bo = xa_erase(&file->bos, args->handle);

	if (!bo)
		return -EINVAL;
	npu_bo_put(bo);
	return 0;
}

void npu_gem_release(struct ivpu_file_priv *file)
{
	unsigned long i;
	struct ivpu_bo *bo;

	xa_for_each(&file->bos, i, bo)
	{
		xa_erase(&file->bos, i);
		npu_bo_put(bo);
	}
}

NPU_FN struct ivpu_bo *ivpu_bo_create(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				      u64 size, u32 flags)
{
	struct drm_gem_object *obj;

	NPU_CALL(ivpu_bo_create);
	obj = ivpu_gem_create_object((struct drm_device *)vdev, PAGE_ALIGN(size));
	if (!obj)
		return NULL;
	to_bo(obj)->flags = flags;
	if (ivpu_bo_alloc_vpu_addr(to_bo(obj), ctx)) {
		npu_bo_put(to_bo(obj));
		return NULL;
	}
	return to_bo(obj);
}

NPU_FN struct ivpu_bo *ivpu_bo_create_global(struct ivpu_device *vdev, u64 size, u32 flags)
{
	struct ivpu_bo *bo;

	NPU_CALL(ivpu_bo_create_global);
	NPU_ARG(0, size);
	bo = ivpu_bo_create(vdev, &vdev->gctx, size, flags);
	if (bo && NPU_BIND(bo)) {
		ivpu_bo_free(bo);
		bo = NULL;
	}
	return bo;
}

NPU_FN void ivpu_bo_free(struct ivpu_bo *bo)
{
	NPU_CALL(ivpu_bo_free);
	npu_bo_put(bo);
}

static void npu_create_time(void)
{
	unsigned int n = npu_nth_create();

	npu_spend(npu_knobs.create_ns);
	if (n == npu_knobs.slow_create)
		npu_spend(npu_knobs.slow_create_us * 1000ull);
}

NPU_FN NPU_IOCTL(ivpu_bo_create_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_bo_create *args = data;
	struct drm_gem_object *obj;
	struct ivpu_bo *bo;
	int ret;

	NPU_CALL(ivpu_bo_create_ioctl);
	NPU_ARG(0, args->size);
	NPU_ARG(1, args->flags);
	if (!args->size || args->size > NPU_MAX_BO)
		return NPU_RET(-EINVAL);
	npu_create_time();
	args->size = PAGE_ALIGN(args->size);
	obj = ivpu_gem_create_object(dev, args->size);
	if (!obj)
		return NPU_RET(-ENOMEM);
	bo = to_bo(obj);
	bo->flags = args->flags;
	ret = xa_alloc(&priv->bos, &bo->handle, NULL, xa_limit_31b, GFP_KERNEL);
	if (!ret)
		ret = ivpu_gem_bo_open(&bo->base, file);
	if (ret) {
		if (bo->handle)
			xa_erase(&priv->bos, bo->handle);
		npu_bo_put(bo);
		return NPU_RET(ret);
	}
	args->handle = bo->handle;
	args->vpu_addr = bo->vpu_addr;
	xa_store(&priv->bos, bo->handle, bo, GFP_KERNEL);
	NPU_ARG(2, args->handle);
	NPU_ARG(3, args->vpu_addr);
	return NPU_RET(0);
}

NPU_FN NPU_IOCTL(ivpu_bo_info_ioctl)
{
	struct fakenpu_bo_info *args = data;
	struct ivpu_bo *bo;

	NPU_CALL(ivpu_bo_info_ioctl);
	NPU_ARG(0, args->handle);
	bo = npu_bo_get((struct ivpu_file_priv *)file, args->handle);
	if (!bo)
		return NPU_RET(-ENOENT);
	args->flags = bo->flags;
	args->vpu_addr = bo->vpu_addr;
	args->mmap_offset = (u64)bo->handle << PAGE_SHIFT;
	args->size = bo->size;
	npu_bo_put(bo);
	return NPU_RET(0);
}

NPU_FN NPU_IOCTL(ivpu_bo_wait_ioctl)
{
	struct ivpu_file_priv *priv = (struct ivpu_file_priv *)file;
	struct fakenpu_bo_wait *args = data;
	struct dma_fence *fence;
	struct ivpu_bo *bo;
	long left = 1;
	s64 ns;

	NPU_CALL(ivpu_bo_wait_ioctl);
	NPU_ARG(0, args->handle);
	bo = npu_bo_get(priv, args->handle);
	if (!bo)
		return NPU_RET(-EINVAL);
	spin_lock(&priv->vdev->fence_lock);
	fence = bo->fence ? dma_fence_get(bo->fence) : NULL;
	spin_unlock(&priv->vdev->fence_lock);
	if (fence) {
		ns = clamp_t(s64, args->timeout_ns - (s64)ktime_get_ns(), 0, 3600 * NSEC_PER_SEC);
		left = dma_fence_wait_timeout(fence, true, nsecs_to_jiffies(ns) + 1);
	}
	dma_fence_put(fence);
	args->job_status = bo->job_status;
	NPU_ARG(1, args->job_status);
	npu_bo_put(bo);
	return NPU_RET(left > 0 ? 0 : left < 0 ? left : -ETIMEDOUT);
}
