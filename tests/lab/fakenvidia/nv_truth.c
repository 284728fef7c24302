/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what really happened, in the language of tests/drivers. Read it when nothing runs.
 *
 * debugfs nvidia_lab/truth    two lines a call, its entry and its return
 *         nvidia_lab/control  write "reset" or an order (nv_dev.c); read: whether the log is full
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "nv.h"

#define NV_RECS 65536

static const struct {
	const char *name;
	bool returns;
	const char *args[NV_ARGS];
} nv_functions[] = {
#define NV_INFO(name, returns, ...) { #name, returns, { __VA_ARGS__ } },
	NV_FUNCTIONS(NV_INFO)
#undef NV_INFO
};

static struct nv_rec *nv_log;
static atomic_t nv_used = ATOMIC_INIT(0);
static struct dentry *nv_debugfs;

struct nv_frame nv_frame_begin(enum nv_function function)
{
	int n = atomic_fetch_add_unless(&nv_used, 1, NV_RECS);
	struct nv_frame frame = {};
	struct nv_rec *rec;

	if (n == NV_RECS)
		return frame;
	rec = &nv_log[n];
	memset(rec, 0, sizeof(*rec));
	rec->function = function;
	rec->hardirq = in_hardirq();
	rec->cpu = raw_smp_processor_id();
	rec->pid = current->tgid;
	rec->tid = current->pid;
	memcpy(rec->comm, current->comm, sizeof(rec->comm));
	frame.rec = rec;
	rec->begin_ns = ktime_get_ns();
	return frame;
}

void nv_frame_end(struct nv_frame *frame)
{
	struct nv_rec *rec = frame->rec;

	if (!rec)
		return;
	memcpy(rec->arg, frame->arg, sizeof(rec->arg));
	rec->ret = frame->ret;
	rec->end_ns = ktime_get_ns();
}

static void show_head(struct seq_file *m, const struct nv_rec *r, u64 ns)
{
	if (r->hardirq)
		seq_printf(m, "%llu - %u ", ns, r->cpu);
	else
		seq_printf(m, "%llu \"%s/%d/%d\" %u ", ns, r->comm, r->pid, r->tid, r->cpu);
}

static int truth_show(struct seq_file *m, void *v)
{
	const struct nv_rec *r;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "!truth\n");
		return 0;
	}
	r = &nv_log[v - SEQ_START_TOKEN - 1];
	show_head(m, r, r->begin_ns);
	if (r->function == NV_EVENT_XID) {
		seq_printf(m, "nvidia:nvidia_dev_xid dev=\"%s\" error_code=%llu msg=\"%s\"\n",
			   r->dev, r->arg[0], r->msg);
		return 0;
	}
	seq_printf(m, "func:nvidia:%s", nv_functions[r->function].name);
	for (int i = 0; i < NV_ARGS && nv_functions[r->function].args[i]; i++)
		seq_printf(m, " %s=0x%llx", nv_functions[r->function].args[i], r->arg[i]);
	seq_putc(m, '\n');
	if (!nv_functions[r->function].returns || !r->end_ns)
		return 0;
	show_head(m, r, r->end_ns);
	seq_printf(m, "func:nvidia:%s:ret ret:s32=%lld\n", nv_functions[r->function].name, r->ret);
	return 0;
}

/* Position 0 is the header, and record i has position i + 1. */
static void *truth_start(struct seq_file *m, loff_t *pos)
{
	return *pos > atomic_read(&nv_used) ? NULL : SEQ_START_TOKEN + *pos;
}

static void *truth_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return truth_start(m, pos);
}

static void truth_stop(struct seq_file *m, void *v)
{
}

static const struct seq_operations truth_sops = {
	.start = truth_start,
	.next = truth_next,
	.stop = truth_stop,
	.show = truth_show,
};
DEFINE_SEQ_ATTRIBUTE(truth);

static int control_show(struct seq_file *m, void *v)
{
	seq_printf(m, "calls %d full %d\n", atomic_read(&nv_used),
		   atomic_read(&nv_used) == NV_RECS);
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static ssize_t control_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char line[128] = {};
	int ret = 0;

	if (len >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	if (sysfs_streq(line, "reset"))
		atomic_set(&nv_used, 0);
	else
		ret = nv_order(line);
	return ret ? ret : len;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int nv_truth_init(void)
{
	nv_log = vzalloc(array_size(NV_RECS, sizeof(*nv_log)));
	if (!nv_log)
		return -ENOMEM;
	nv_debugfs = debugfs_create_dir("nvidia_lab", NULL);
	debugfs_create_file("truth", 0444, nv_debugfs, NULL, &truth_fops);
	debugfs_create_file("control", 0600, nv_debugfs, NULL, &control_fops);
	return 0;
}

void nv_truth_fini(void)
{
	debugfs_remove(nv_debugfs);
	vfree(nv_log);
}
