/* SPDX-License-Identifier: GPL-2.0-only */
/* The module: its nodes, and what a process can ask of them. */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "nv.h"

static struct page *nv_page; /* what all mappings show */

NV_FN int nvidia_open(struct inode *inode, struct file *file)
{
	NV_CALL(nvidia_open);
	NV_ARG(0, (unsigned long)file);
	/* For who wants to write only, it fails. */
	return NV_RET((file->f_flags & O_ACCMODE) == O_WRONLY ? -EIO : 0);
}

NV_FN int nvidia_close(struct inode *inode, struct file *file)
{
	NV_CALL(nvidia_close);
	NV_ARG(0, (unsigned long)file);
	return NV_RET(0);
}

NV_FN __poll_t nvidia_poll(struct file *file, poll_table *wait)
{
	NV_CALL(nvidia_poll);
	NV_ARG(0, (unsigned long)file);
	return NV_RET(EPOLLIN);
}

/* --- mappings ----------------------------------------------------------------------------------
 */

NV_FN void nvidia_vma_open(struct vm_area_struct *vma)
{
	NV_CALL(nvidia_vma_open);
	NV_ARG(0, vma->vm_start);
	NV_ARG(1, vma->vm_end);
}

NV_FN void nvidia_vma_release(struct vm_area_struct *vma)
{
	NV_CALL(nvidia_vma_release);
	NV_ARG(0, vma->vm_start);
	NV_ARG(1, vma->vm_end);
}

NV_FN vm_fault_t nvidia_fault(struct vm_fault *vmf)
{
	NV_CALL(nvidia_fault);
	NV_ARG(0, vmf->address);
	get_page(nv_page);
	vmf->page = nv_page;
	return NV_RET(0);
}

static const struct vm_operations_struct nv_vm_ops = {
	.open = nvidia_vma_open,
	.close = nvidia_vma_release,
	.fault = nvidia_fault,
};

NV_FN int nvidia_mmap(struct file *file, struct vm_area_struct *vma)
{
	NV_CALL(nvidia_mmap);
	NV_ARG(0, (unsigned long)file);
	NV_ARG(1, vma->vm_start);
	NV_ARG(2, vma->vm_end);
	if (vma->vm_pgoff)
		return NV_RET(-EINVAL);
	vma->vm_ops = &nv_vm_ops;
	return NV_RET(0);
}

/* --- ioctls ------------------------------------------------------------------------------------
 */

NV_FN int nvidia_ioctl(struct inode *inode, struct file *file, unsigned int cmd, unsigned long arg)
{
	struct fakenvidia_args args = {};

	if (copy_from_user(&args, (void __user *)arg, min_t(size_t, _IOC_SIZE(cmd), sizeof(args))))
		return -EFAULT;
	if (args.xid)
		nv_report(&nv_devices[0], args.xid, "no process in this text");
	nv_spend(args.us);
	return -(int)args.error;
}

/* For the log: what stands in the caller's memory at bytes 8 and 12. */
static void nv_second(unsigned long arg, u64 *command, u64 *hclass)
{
	u32 words[4] = {};

	if (copy_from_user(words, (void __user *)arg, sizeof(words)))
		return;
	*command = words[2];
	*hclass = words[3];
}

#ifdef NV_545
#define NV_ENTRY nvidia_unlocked_ioctl
#else
#define NV_ENTRY nvidia_frontend_unlocked_ioctl
#endif

NV_FN long NV_ENTRY(struct file *file, unsigned int cmd, unsigned long arg)
{
#ifdef NV_545
	NV_CALL(nvidia_unlocked_ioctl);
#else
	NV_CALL(nvidia_frontend_unlocked_ioctl);
#endif
	NV_ARG(0, (unsigned long)file);
	NV_ARG(1, cmd);
	nv_second(arg, &nv_frame.arg[2], &nv_frame.arg[3]);
	return NV_RET(nvidia_ioctl(file_inode(file), file, cmd, arg));
}

static const struct file_operations nv_fops = {
	.owner = THIS_MODULE,
	.open = nvidia_open,
	.release = nvidia_close,
	.unlocked_ioctl = NV_ENTRY,
	.mmap = nvidia_mmap,
	.poll = nvidia_poll,
};

static struct miscdevice nv_nodes[] = {
	{ .minor = MISC_DYNAMIC_MINOR, .name = "nvidiactl", .mode = 0666, .fops = &nv_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "nvidia0", .mode = 0666, .fops = &nv_fops },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "nvidia1", .mode = 0666, .fops = &nv_fops },
};

static void nv_deregister(int n)
{
	while (n--)
		misc_deregister(&nv_nodes[n]);
}

static int nv_register(void)
{
	int ret;

	for (int i = 0; i < ARRAY_SIZE(nv_nodes); i++) {
		ret = misc_register(&nv_nodes[i]);
		if (ret) {
			nv_deregister(i);
			return ret;
		}
	}
	return 0;
}

static int __init nv_init(void)
{
	int ret = nv_truth_init();

	if (ret)
		return ret;
	nv_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	ret = nv_page ? nv_devices_init() : -ENOMEM;
	if (!ret) {
		ret = nv_register();
		if (ret)
			nv_devices_fini();
	}
	if (ret) {
		if (nv_page)
			put_page(nv_page);
		nv_truth_fini();
	}
	return ret;
}

static void __exit nv_exit(void)
{
	nv_deregister(ARRAY_SIZE(nv_nodes));
	nv_devices_fini();
	put_page(nv_page);
	nv_truth_fini();
}

module_init(nv_init);
module_exit(nv_exit);

MODULE_DESCRIPTION("A stand-in for nvidia without hardware, with a log of the truth");
MODULE_LICENSE("GPL");
