/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stand-in for the kernel's intel_vpu: its functions' names, its ioctls, its trace points and its
 * order of calls, without the hardware, and a log of what every call truly was.
 *
 * npu_drv.c    module, files, parameters        npu_gem.c  buffers
 * npu_mmu.c    address spaces, page tables      npu_job.c  queues, jobs, completion
 * npu_ipc.c    messages and interrupts          npu_pm.c   power, firmware boot
 * npu_hw.c     register functions               npu_fw.c   the device that none of it touches
 * npu_truth.c  the log
 */
#ifndef NPU_H
#define NPU_H

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_gem.h>

#include "fakenpu_uapi.h"
#include "npu_call.h"

#define NPU_CTX_PAGES   65536
#define NPU_CTX_BASE    0x80000000ull
#define NPU_PTES        512
#define NPU_FIFO        64
#define NPU_REPLIES     32
#define NPU_MAX_CONTEXT 128
#define NPU_JOB_IDS     256

struct drm_device;
struct drm_file;
struct ivpu_device;

enum npu_channel {
	NPU_CHAN_BOOT,
	NPU_CHAN_REPLY,
	NPU_CHAN_JOB,
};

enum vpu_ipc_msg_type {
	VPU_JSM_MSG_REGISTER_DB,
	VPU_JSM_MSG_REGISTER_DB_DONE,
	VPU_JSM_MSG_UNREGISTER_DB,
	VPU_JSM_MSG_UNREGISTER_DB_DONE,
	VPU_JSM_MSG_PWR_D0I3_ENTER,
	VPU_JSM_MSG_PWR_D0I3_ENTER_DONE,
	VPU_JSM_MSG_JOB_DONE,
};

enum vpu_ipc_msg_status {
	VPU_JSM_MSG_FREE,
	VPU_JSM_MSG_ALLOCATED
};

struct vpu_jsm_msg {
	enum vpu_ipc_msg_type type;
	enum vpu_ipc_msg_status status;
	u32 request_id;
	u32 result;
	u32 job_id;
	u32 job_status;
};

struct ivpu_ipc_hdr {
	u32 channel;
	bool has_jsm;
};

struct npu_msg {
	struct ivpu_ipc_hdr hdr;
	struct vpu_jsm_msg jsm;
};

struct ivpu_ipc_rx_msg {
	struct list_head link;
	struct npu_msg msg;
};

struct ivpu_ipc_consumer {
	struct list_head link;
	struct list_head rx;
	u32 channel;
	u32 request_id;
	wait_queue_head_t wait;
};

/* An NPU address space: 256 MiB from NPU_CTX_BASE, four levels of tables that only few pages need.
 */
struct ivpu_mmu_context {
	struct mutex lock;
	u32 id;
	void *pgd, *pud, *pmd;
	u64 *ptes[NPU_PTES];
	bool cd_valid;
	unsigned long used[BITS_TO_LONGS(NPU_CTX_PAGES)];
};

struct ivpu_bo {
	struct drm_gem_object base; /* first, as in the real one; only its size is set */
	struct kref ref;
	struct ivpu_device *vdev;
	struct ivpu_mmu_context *ctx;
	struct mutex lock; /* pages, sgt, mapped */
	struct page **pages;
	struct sg_table sgt;
	bool mapped;
	u32 handle;
	u32 flags;
	u32 job_status;
	u64 size;
	u64 vpu_addr;
	struct dma_fence *fence; /* of the last job that uses it; under vdev->fence_lock */
};

struct ivpu_cmdq {
	u32 id;
	u32 db_id;
	bool db_registered;
	struct ivpu_bo *mem;
};

struct ivpu_file_priv {
	struct kref ref;
	struct ivpu_device *vdev;
	struct mutex lock; /* cmdqs, submission */
	struct ivpu_mmu_context ctx;
	struct xarray bos;
	struct xarray cmdqs;
	u32 next_job;
};

/* Times are CLOCK_MONOTONIC ns, 0 where the thing did not happen. */
struct npu_job_rec {
	u64 fence_context;
	u64 submit_ns;
	u64 doorbell_ns;
	u64 start_ns;
	u64 end_ns;
	u64 signal_ns;
	u64 duration_ns;
	u32 ctx;
	u32 job_id;
	pid_t pid;
	pid_t tid;
};

struct ivpu_job {
	struct list_head link; /* in the engine's queue */
	struct ivpu_device *vdev;
	struct ivpu_file_priv *file_priv;
	struct dma_fence *fence;
	struct npu_job_rec *rec;  /* never NULL */
	struct npu_job_rec spare; /* where the log is full */
	struct work_struct destroy_work;
	u64 duration_ns;
	u64 end_ns;
	u32 job_id;
	u32 bo_count;
	struct ivpu_bo *bos[];
};

/* The device itself: firmware that answers, an engine that executes in order. Under lock. */
struct npu_fw {
	spinlock_t lock;
	struct npu_msg fifo[NPU_FIFO];
	unsigned int head, count;
	bool booting;
	unsigned int polls;
	struct npu_msg replies[NPU_REPLIES];
	unsigned int n_replies;
	struct hrtimer reply_timer;
	struct hrtimer job_timer;
	struct list_head queue;
	u64 busy_until;
	unsigned int jobs; /* ever started, for the stall */
	bool irq_on;
	spinlock_t irq_lock; /* one interrupt at a time */
};

struct ivpu_device {
	struct device *dev;
	struct npu_fw fw;
	struct ivpu_mmu_context gctx;
	struct mutex mmu_lock;
	struct mutex ctx_lock;
	unsigned long ctx_used[BITS_TO_LONGS(NPU_MAX_CONTEXT)];
	struct xarray jobs; /* submitted and not done, by job id */
	spinlock_t fence_lock;
	spinlock_t cons_lock;
	struct list_head consumers;
	struct list_head done; /* job messages for the interrupt's thread; under cons_lock */
	struct task_struct *irq_thread;
	wait_queue_head_t irq_wait;
	atomic_t irq_pending;
	atomic_t request_id;
	atomic_t db_id;
	atomic_t live; /* jobs not destroyed */
	struct workqueue_struct *wq;
};

/* Module parameters (npu_drv.c), all writable at any time; ns and counts. */
struct npu_knobs {
	unsigned int create_ns;     /* in each create */
	unsigned int alloc_page_ns; /* per physical page */
	unsigned int bind_page_ns;  /* per page mapped */
	unsigned int boot_polls;    /* polls until the boot message is there */
	unsigned int poll_ns;       /* in each poll */
	unsigned int boot_us;       /* sleep before the polling */
	unsigned int reply_us;      /* firmware's time for an answer */
	unsigned int slow_create;   /* the n-th create ... */
	unsigned int slow_create_us;
	unsigned int stall_job; /* the n-th job ... */
	unsigned int stall_us;
	unsigned int mute;     /* so many requests get no answer */
	unsigned int retry_ms; /* how long each try waits for one */
};

extern struct npu_knobs npu_knobs;
extern struct ivpu_device *npu_vdev;

/* Spends that time: spinning where it is short, asleep where not. Not in an interrupt. */
void npu_spend(u64 ns);

/* The log (npu_truth.c) */
int npu_truth_init(void);
void npu_truth_fini(void);
/* NULL when there is no room. */
struct npu_job_rec *npu_job_rec_new(void);
/* Creates since the last reset, this one included. */
unsigned int npu_nth_create(void);

/* The device (npu_fw.c) */
void npu_fw_init(struct ivpu_device *vdev);
void npu_fw_stop(struct ivpu_device *vdev);
void npu_fw_boot(struct ivpu_device *vdev);
u32 npu_fw_count(struct ivpu_device *vdev);
bool npu_fw_pop(struct ivpu_device *vdev, struct npu_msg *msg);
void npu_fw_request(struct ivpu_device *vdev, const struct vpu_jsm_msg *req);
void npu_fw_queue(struct ivpu_device *vdev, struct ivpu_job *job);
void npu_fw_reset(void);

struct ivpu_bo *npu_bo_get(struct ivpu_file_priv *file, u32 handle);
void npu_bo_put(struct ivpu_bo *bo);
int npu_bo_pages(struct ivpu_bo *bo);
/* A fence of its own context. NULL without memory. */
struct dma_fence *npu_fence_create(struct ivpu_device *vdev);
int npu_gem_close(struct ivpu_file_priv *file, void *data);
void npu_gem_release(struct ivpu_file_priv *file);

/* The driver's functions, with its own prototypes where those are short. */
#ifdef NPU_NEW
#define NPU_BIND ivpu_bo_bind
#else
#define NPU_BIND ivpu_bo_pin
#endif
int NPU_BIND(struct ivpu_bo *bo);
int ivpu_open(struct drm_device *dev, struct drm_file *file);
void ivpu_postclose(struct drm_device *dev, struct drm_file *file);
void ivpu_ms_cleanup(struct ivpu_file_priv *file);
struct ivpu_file_priv *ivpu_file_priv_get(struct ivpu_file_priv *file);
void ivpu_file_priv_put(struct ivpu_file_priv **link);
int ivpu_probe(struct device *dev);
void ivpu_remove(struct device *dev);

#define NPU_IOCTL(name) int name(struct drm_device *dev, void *data, struct drm_file *file)
NPU_IOCTL(ivpu_get_param_ioctl);
NPU_IOCTL(ivpu_bo_create_ioctl);
NPU_IOCTL(ivpu_bo_info_ioctl);
NPU_IOCTL(ivpu_bo_wait_ioctl);
NPU_IOCTL(ivpu_submit_ioctl);
NPU_IOCTL(ivpu_cmdq_create_ioctl);
NPU_IOCTL(ivpu_cmdq_destroy_ioctl);
NPU_IOCTL(ivpu_cmdq_submit_ioctl);

int drm_gem_shmem_object_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);
struct drm_gem_object *ivpu_gem_create_object(struct drm_device *dev, size_t size);
int ivpu_gem_bo_open(struct drm_gem_object *obj, struct drm_file *file);
void ivpu_gem_bo_free(struct drm_gem_object *obj);
struct ivpu_bo *ivpu_bo_create(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u64 size,
			       u32 flags);
struct ivpu_bo *ivpu_bo_create_global(struct ivpu_device *vdev, u64 size, u32 flags);
void ivpu_bo_free(struct ivpu_bo *bo);
int ivpu_bo_alloc_vpu_addr(struct ivpu_bo *bo, struct ivpu_mmu_context *ctx);
void ivpu_bo_unbind_locked(struct ivpu_bo *bo);
void ivpu_bo_unbind_all_bos_from_context(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx);

void ivpu_mmu_context_init(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u32 id);
void ivpu_mmu_context_fini(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx);
int ivpu_mmu_context_insert_node(struct ivpu_mmu_context *ctx, u64 size, u64 *addr);
void ivpu_mmu_context_remove_node(struct ivpu_mmu_context *ctx, u64 addr, u64 size);
#ifdef NPU_NEW
int ivpu_mmu_context_map_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u64 vpu_addr,
			     struct sg_table *sgt, size_t bo_size, bool llc_coherent,
			     bool read_only);
#else
int ivpu_mmu_context_map_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u64 vpu_addr,
			     struct sg_table *sgt, bool llc_coherent);
#endif
void ivpu_mmu_context_unmap_sgt(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx,
				u64 vpu_addr, struct sg_table *sgt);
int ivpu_mmu_context_map_page(struct ivpu_device *vdev, struct ivpu_mmu_context *ctx, u64 vpu_addr,
			      u64 dma_addr, u64 prot);
void *ivpu_pgtable_alloc_page(struct ivpu_device *vdev, u64 *dma);
void ivpu_pgtable_free_page(struct ivpu_device *vdev, void *page, u64 dma);
int ivpu_mmu_cd_set(struct ivpu_device *vdev, u32 ssid, void *pgtable);
void ivpu_mmu_cd_clear(struct ivpu_device *vdev, u32 ssid);
int ivpu_mmu_cdtab_entry_set(struct ivpu_device *vdev, u32 ssid, u64 cd_dma, bool valid);
int ivpu_mmu_cmdq_cmd_write(struct ivpu_device *vdev, const char *name, u64 data0, u64 data1);
int ivpu_mmu_cmdq_sync(struct ivpu_device *vdev);
int ivpu_mmu_invalidate_tlb(struct ivpu_device *vdev, u16 ssid);
int ivpu_mmu_enable(struct ivpu_device *vdev);
void ivpu_mmu_disable(struct ivpu_device *vdev);
int ivpu_mmu_reg_write_cr0(struct ivpu_device *vdev, u32 val);
int ivpu_mmu_reg_write_irq_ctrl(struct ivpu_device *vdev, u32 val);

void ivpu_ipc_consumer_add(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons, u32 channel,
			   void *callback);
void ivpu_ipc_consumer_del(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons);
int ivpu_ipc_send(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons,
		  struct vpu_jsm_msg *req);
int ivpu_ipc_receive(struct ivpu_device *vdev, struct ivpu_ipc_consumer *cons,
		     struct ivpu_ipc_hdr *ipc_buf, struct vpu_jsm_msg *jsm_msg,
		     unsigned long timeout_ms);
int ivpu_ipc_send_receive(struct ivpu_device *vdev, struct vpu_jsm_msg *req,
			  enum vpu_ipc_msg_type expected, struct vpu_jsm_msg *resp, u32 channel,
			  unsigned long timeout_ms);
int ivpu_ipc_send_receive_internal(struct ivpu_device *vdev, struct vpu_jsm_msg *req,
				   enum vpu_ipc_msg_type expected, struct vpu_jsm_msg *resp,
				   u32 channel, unsigned long timeout_ms);
void ivpu_ipc_irq_handler(struct ivpu_device *vdev);
void ivpu_ipc_rx_msg_del(struct ivpu_device *vdev, struct ivpu_ipc_rx_msg *rx);
void ivpu_ipc_msg_dump(struct ivpu_device *vdev, const char *c, const struct ivpu_ipc_hdr *hdr,
		       u32 addr);
void ivpu_jsm_msg_dump(struct ivpu_device *vdev, const char *c, const struct vpu_jsm_msg *msg,
		       u32 addr);
irqreturn_t ivpu_hw_irq_handler(int irq, void *ptr);
bool ivpu_hw_btrs_irq_handler_lnl(struct ivpu_device *vdev, int irq);
bool ivpu_hw_ip_irq_handler_40xx(struct ivpu_device *vdev, int irq);
#ifdef NPU_NEW
irqreturn_t ivpu_ipc_irq_thread_handler(int irq, void *ptr);
#else
void ivpu_ipc_irq_thread_handler(struct ivpu_device *vdev);
irqreturn_t ivpu_irq_thread_handler(int irq, void *ptr);
#endif
int ivpu_jsm_register_db(struct ivpu_device *vdev, u32 ctx_id, u32 db_id, u64 jobq_base,
			 u32 jobq_size);
int ivpu_jsm_unregister_db(struct ivpu_device *vdev, u32 db_id);
int ivpu_jsm_pwr_d0i3_enter(struct ivpu_device *vdev);
const char *ivpu_jsm_msg_type_to_str(enum vpu_ipc_msg_type type);

/* clang-format off */
#define NPU_HW_INT(X) \
	X(ivpu_hw_reset) X(ivpu_hw_power_up) X(ivpu_hw_power_down) X(ivpu_hw_boot_fw) \
	X(ivpu_hw_btrs_d0i3_disable) X(ivpu_hw_btrs_d0i3_enable) X(ivpu_hw_btrs_wp_drive) \
	X(ivpu_hw_btrs_ip_reset) X(ivpu_hw_btrs_wait_for_clock_res_own_ack) \
	X(ivpu_hw_btrs_wait_for_idle) X(ivpu_hw_btrs_is_idle) X(ivpu_hw_ip_host_ss_configure) \
	X(ivpu_hw_ip_pwr_domain_enable) X(ivpu_hw_ip_host_ss_axi_enable) \
	X(ivpu_hw_ip_top_noc_enable) X(ivpu_hw_ip_soc_cpu_boot) X(ivpu_hw_ip_ipc_rx_count_get) \
	X(ivpu_hw_ip_ipc_rx_addr_get) X(ivpu_hw_ip_read_perf_timer_counter) X(ivpu_boot) \
	X(ivpu_wait_for_ready) X(ivpu_resume) X(ivpu_shutdown) X(ivpu_rpm_get)
#define NPU_HW_VOID(X) \
	X(ivpu_hw_irq_enable) X(ivpu_hw_irq_disable) X(ivpu_hw_btrs_irq_enable) \
	X(ivpu_hw_btrs_irq_disable) X(ivpu_hw_ip_irq_enable) X(ivpu_hw_ip_irq_disable) \
	X(ivpu_hw_ip_irq_clear) X(ivpu_hw_btrs_global_int_disable) \
	X(ivpu_hw_btrs_global_int_enable) X(ivpu_hw_btrs_profiling_freq_reg_set_lnl) \
	X(ivpu_hw_btrs_ats_print_lnl) X(ivpu_hw_btrs_set_port_arbitration_weights_lnl) \
	X(ivpu_hw_ip_idle_gen_disable) X(ivpu_hw_ip_snoop_disable) X(ivpu_hw_ip_tbu_mmu_enable) \
	X(ivpu_fw_boot_params_setup) X(ivpu_prepare_for_reset) X(ivpu_pm_prepare_warm_boot) \
	X(ivpu_rpm_put) X(ivpu_ipc_enable) X(ivpu_ipc_disable) \
	X(ivpu_start_job_timeout_detection) X(ivpu_stop_job_timeout_detection)
/* clang-format on */
#define NPU_DECLARE_INT(name)  int name(struct ivpu_device *vdev);
#define NPU_DECLARE_VOID(name) void name(struct ivpu_device *vdev);
NPU_HW_INT(NPU_DECLARE_INT)
NPU_HW_VOID(NPU_DECLARE_VOID)
void ivpu_hw_ip_ipc_tx_set(struct ivpu_device *vdev, const struct vpu_jsm_msg *req);
void ivpu_hw_ip_db_set(struct ivpu_device *vdev, u32 db_id);
int ivpu_hw_btrs_ratio_to_freq(struct ivpu_device *vdev);
int ivpu_pm_runtime_resume_cb(struct device *dev);
int ivpu_pm_runtime_suspend_cb(struct device *dev);

void ivpu_job_done_callback(struct ivpu_device *vdev, struct ivpu_ipc_hdr *hdr,
			    struct vpu_jsm_msg *msg);
void ivpu_job_destroy(struct ivpu_job *job);
void ivpu_cmdq_release_all_locked(struct ivpu_file_priv *file);
const char *ivpu_fence_get_driver_name(struct dma_fence *fence);
const char *ivpu_fence_get_timeline_name(struct dma_fence *fence);
#ifdef NPU_NEW
struct ivpu_cmdq *ivpu_cmdq_create(struct ivpu_file_priv *file, u32 priority, bool legacy);
int ivpu_submit(struct ivpu_file_priv *file, u32 cmdq_id, u64 buffers, u32 count, u32 offset,
		struct npu_job_rec *out) asm("ivpu_submit.constprop.0");
int ivpu_cmdq_unregister(struct ivpu_file_priv *file,
			 struct ivpu_cmdq *cmdq) asm("ivpu_cmdq_unregister.isra.0");
void ivpu_job_signal(struct ivpu_device *vdev, struct ivpu_job *job, u32 job_status);
void ivpu_job_destroy_work_fn(struct work_struct *work);
#else
void ivpu_cmdq_fini(struct ivpu_file_priv *file,
		    struct ivpu_cmdq *cmdq) asm("ivpu_cmdq_fini.isra.0");
int ivpu_job_signal_and_destroy(struct ivpu_device *vdev, u32 job_id,
				u32 job_status) asm("ivpu_job_signal_and_destroy.isra.0");
#endif

#endif
