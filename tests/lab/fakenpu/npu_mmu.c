/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces: tables of four levels that are really written, commands that nobody reads. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "npu.h"

/* The driver's own space has its tables before the first buffer. */
static void npu_fill_tables(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, int pte)
{
	u64 dma;

	if (!ctx->pgd)
		ctx->pgd = ivpu_pgtable_alloc_page(vdev, &dma);
	if (!ctx->pud)
		ctx->pud = ivpu_pgtable_alloc_page(vdev, &dma);
	if (!ctx->pmd)
		ctx->pmd = ivpu_pgtable_alloc_page(vdev, &dma);
	if (!ctx->ptes[pte])
		ctx->ptes[pte] = ivpu_pgtable_alloc_page(vdev, &dma);
}

NPU_FN void ivpu_mmu_context_init(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u32 id)
{
	NPU_CALL(ivpu_mmu_context_init);
	mutex_init(&ctx->lock);
	ctx->id = id;
	if (!id) {
		npu_fill_tables(vdev, ctx, 0);
		ctx->cd_valid = true;
	}
}

NPU_FN void ivpu_mmu_context_fini(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx)
{
	NPU_CALL(ivpu_mmu_context_fini);
	if (ctx->cd_valid && ctx->id)
		ivpu_mmu_cd_clear(vdev, ctx->id);
	ctx->cd_valid = false;
	for (int i = 0; ctx->pmd && i < NPU_PTES; i++)
		ivpu_pgtable_free_page(vdev, ctx->ptes[i], 0);
	if (ctx->pmd)
		ivpu_pgtable_free_page(vdev, ctx->pmd, 0);
	if (ctx->pud)
		ivpu_pgtable_free_page(vdev, ctx->pud, 0);
	ivpu_pgtable_free_page(vdev, ctx->pgd, 0);
	ctx->pgd = ctx->pud = ctx->pmd = NULL;
}

NPU_FN int ivpu_mmu_context_insert_node(struct ivpu_mmu_context *ctx, u64 size, u64 *addr)
{
	unsigned long n = size >> PAGE_SHIFT, at;

	NPU_CALL(ivpu_mmu_context_insert_node);
	NPU_ARG(0, size);
	mutex_lock(&ctx->lock);
	at = bitmap_find_next_zero_area(ctx->used, NPU_CTX_PAGES, 0, n, 0);
	if (at < NPU_CTX_PAGES)
		bitmap_set(ctx->used, at, n);
	mutex_unlock(&ctx->lock);
	*addr = NPU_CTX_BASE + ((u64)at << PAGE_SHIFT);
	return NPU_RET(at < NPU_CTX_PAGES ? 0 : -ENOSPC);
}

NPU_FN void ivpu_mmu_context_remove_node(struct ivpu_mmu_context *ctx, u64 addr, u64 size)
{
	NPU_CALL(ivpu_mmu_context_remove_node);
	mutex_lock(&ctx->lock);
	bitmap_clear(ctx->used, (addr - NPU_CTX_BASE) >> PAGE_SHIFT, size >> PAGE_SHIFT);
	mutex_unlock(&ctx->lock);
}

NPU_FN void *ivpu_pgtable_alloc_page(struct ivpu_device *vdev, u64 *dma)
{
	void *page;

	NPU_CALL(ivpu_pgtable_alloc_page);
	page = (void *)get_zeroed_page(GFP_KERNEL);
	*dma = page ? virt_to_phys(page) : 0;
	return page;
}

/* Called for every entry of a table, most of which are empty: counted, not recorded. */
NPU_FN void ivpu_pgtable_free_page(struct ivpu_device *vdev, void *page, u64 dma)
{
	npu_call_count(NPU_F_ivpu_pgtable_free_page);
	free_page((unsigned long)page);
}

/* Once for each page of 4 KiB: counted, not recorded. */
NPU_FN int ivpu_mmu_context_map_page(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				     u64 vpu_addr, u64 dma_addr, u64 prot)
{
	unsigned long page = (vpu_addr - NPU_CTX_BASE) >> PAGE_SHIFT;

	npu_call_count(NPU_F_ivpu_mmu_context_map_page);
	npu_fill_tables(vdev, ctx, page / NPU_PTES);
	if (!ctx->ptes[page / NPU_PTES])
		return -ENOMEM;
	ctx->ptes[page / NPU_PTES][page % NPU_PTES] = dma_addr | prot;
	if (npu_knobs.bind_page_ns)
		npu_spend(npu_knobs.bind_page_ns);
	return 0;
}

static int npu_map(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u64 vpu_addr,
		   struct sg_table *sgt, u64 *pages)
{
	struct scatterlist *sg;
	int ret = 0, i;
	u64 at;

	mutex_lock(&ctx->lock);
	for_each_sgtable_sg(sgt, sg, i)
	{
		for (at = 0; !ret && at < sg->length; at += PAGE_SIZE) {
			ret = ivpu_mmu_context_map_page(vdev, ctx, vpu_addr, sg_phys(sg) + at, 1);
			vpu_addr += PAGE_SIZE;
			++*pages;
		}
	}
	if (!ret && !ctx->cd_valid) {
		ret = ivpu_mmu_cd_set(vdev, ctx->id, ctx->pgd);
		ctx->cd_valid = !ret;
	}
	if (!ret)
		ret = ivpu_mmu_invalidate_tlb(vdev, ctx->id);
	mutex_unlock(&ctx->lock);
	return ret;
}

#ifdef NPU_NEW
NPU_FN int ivpu_mmu_context_map_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				    u64 vpu_addr, struct sg_table *sgt, size_t bo_size,
				    bool llc_coherent, bool read_only)
#else
NPU_FN int ivpu_mmu_context_map_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				    u64 vpu_addr, struct sg_table *sgt, bool llc_coherent)
#endif
{
	u64 pages = 0;
	int ret;

	NPU_CALL(ivpu_mmu_context_map_sgt);
	ret = npu_map(vdev, ctx, vpu_addr, sgt, &pages);
	NPU_ARG(0, vpu_addr);
	NPU_ARG(1, pages << PAGE_SHIFT);
	NPU_ARG(2, pages);
	return NPU_RET(ret);
}

NPU_FN void ivpu_mmu_context_unmap_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				       u64 vpu_addr, struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned long page;
	u64 at = vpu_addr;
	int i;

	NPU_CALL(ivpu_mmu_context_unmap_sgt);
	NPU_ARG(0, vpu_addr);
	mutex_lock(&ctx->lock);
	for_each_sgtable_sg(sgt, sg, i)
	{
		u64 end = at + sg->length;

		for (; at < end; at += PAGE_SIZE) {
			page = (at - NPU_CTX_BASE) >> PAGE_SHIFT;
			ctx->ptes[page / NPU_PTES][page % NPU_PTES] = 0;
		}
	}
	ivpu_mmu_invalidate_tlb(vdev, ctx->id);
	mutex_unlock(&ctx->lock);
}

NPU_FN int ivpu_mmu_cmdq_cmd_write(struct ivpu_device *vdev, const char *name, u64 data0, u64 data1)
{
	NPU_CALL(ivpu_mmu_cmdq_cmd_write);
	return NPU_RET(0);
}

NPU_FN int ivpu_mmu_cmdq_sync(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_mmu_cmdq_sync);
	return NPU_RET(ivpu_mmu_cmdq_cmd_write(vdev, "SYNC", 0, 0));
}

NPU_FN int ivpu_mmu_invalidate_tlb(struct ivpu_device *vdev, u16 ssid)
{
	NPU_CALL(ivpu_mmu_invalidate_tlb);
	mutex_lock(&vdev->mmu_lock);
	ivpu_mmu_cmdq_cmd_write(vdev, "TLBI", ssid, 0);
	ivpu_mmu_cmdq_sync(vdev);
	mutex_unlock(&vdev->mmu_lock);
	return NPU_RET(0);
}

NPU_FN int ivpu_mmu_cdtab_entry_set(struct ivpu_device *vdev, u32 ssid, u64 cd_dma, bool valid)
{
	NPU_CALL(ivpu_mmu_cdtab_entry_set);
	mutex_lock(&vdev->mmu_lock);
	ivpu_mmu_cmdq_cmd_write(vdev, "CFGI", ssid, cd_dma);
	ivpu_mmu_cmdq_sync(vdev);
	mutex_unlock(&vdev->mmu_lock);
	return NPU_RET(0);
}

NPU_FN int ivpu_mmu_cd_set(struct ivpu_device *vdev, u32 ssid, void *pgtable)
{
	NPU_CALL(ivpu_mmu_cd_set);
	return NPU_RET(ivpu_mmu_cdtab_entry_set(vdev, ssid, virt_to_phys(pgtable), true));
}

NPU_FN void ivpu_mmu_cd_clear(struct ivpu_device *vdev, u32 ssid)
{
	NPU_CALL(ivpu_mmu_cd_clear);
	ivpu_mmu_cdtab_entry_set(vdev, ssid, 0, false);
}

NPU_FN int ivpu_mmu_reg_write_cr0(struct ivpu_device *vdev, u32 val)
{
	NPU_CALL(ivpu_mmu_reg_write_cr0);
	return NPU_RET(0);
}

NPU_FN int ivpu_mmu_reg_write_irq_ctrl(struct ivpu_device *vdev, u32 val)
{
	NPU_CALL(ivpu_mmu_reg_write_irq_ctrl);
	return NPU_RET(0);
}

NPU_FN int ivpu_mmu_enable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_mmu_enable);
	ivpu_mmu_reg_write_cr0(vdev, 0);
	ivpu_mmu_reg_write_cr0(vdev, 8);
	ivpu_mmu_cmdq_cmd_write(vdev, "CFGI_ALL", 0, 0);
	ivpu_mmu_cmdq_cmd_write(vdev, "TLBI_ALL", 0, 0);
	ivpu_mmu_cmdq_sync(vdev);
	ivpu_mmu_reg_write_cr0(vdev, 12);
	ivpu_mmu_reg_write_cr0(vdev, 13);
	ivpu_mmu_reg_write_irq_ctrl(vdev, 0);
	ivpu_mmu_reg_write_irq_ctrl(vdev, 5);
	ivpu_mmu_reg_write_cr0(vdev, 15);
	ivpu_mmu_cmdq_cmd_write(vdev, "CFGI_ALL", 0, 0);
	ivpu_mmu_cmdq_cmd_write(vdev, "TLBI_ALL", 0, 0);
	ivpu_mmu_cmdq_sync(vdev);
	return NPU_RET(0);
}

NPU_FN void ivpu_mmu_disable(struct ivpu_device *vdev)
{
	NPU_CALL(ivpu_mmu_disable);
}
