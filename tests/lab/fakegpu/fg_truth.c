/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what really happened: one record per job, in submission order, until "reset". Read it
 * when no job is alive; while jobs run their records are incomplete ("open").
 *
 * debugfs fakegpu/truth    the records as CSV
 *         fakegpu/emitted  "event count" lines (fg_emitted.c)
 *         fakegpu/control  write start, stop (counting) or reset (log); read: the state
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "fg.h"

static unsigned int truth_max = 131072;
module_param(truth_max, uint, 0444);
MODULE_PARM_DESC(truth_max, "jobs that the log can hold");

static struct fg_rec *fg_log;
static atomic_t fg_used = ATOMIC_INIT(0);
static DEFINE_SPINLOCK(fg_fence_lock);
static struct dentry *fg_debugfs;

static unsigned int fg_n_recs(void)
{
	return atomic_read(&fg_used);
}

struct fg_rec *fg_rec_new(struct fg_ring *ring, u64 *handle)
{
	int n = atomic_fetch_add_unless(&fg_used, 1, truth_max);
	struct fg_rec *rec;

	if (n == truth_max)
		return NULL;
	rec = &fg_log[n];
	memset(rec, 0, sizeof(*rec));
	rec->ring = ring;
	*handle = (u64)n + 1;
	return rec;
}

int fg_rec_fence(u64 handle, struct dma_fence **fence, int *error)
{
	struct fg_rec *rec;
	unsigned long flags;

	if (handle == 0 || handle > fg_n_recs())
		return -ENOENT;
	rec = &fg_log[handle - 1];
	spin_lock_irqsave(&fg_fence_lock, flags);
	*fence = rec->fence ? dma_fence_get(rec->fence) : NULL;
	*error = rec->error;
	spin_unlock_irqrestore(&fg_fence_lock, flags);
	return 0;
}

void fg_rec_set_fence(struct fg_rec *rec, struct dma_fence *fence)
{
	unsigned long flags;

	spin_lock_irqsave(&fg_fence_lock, flags);
	rec->fence = dma_fence_get(fence);
	spin_unlock_irqrestore(&fg_fence_lock, flags);
}

void fg_rec_drop_fence(struct fg_rec *rec)
{
	struct dma_fence *fence;
	unsigned long flags;

	spin_lock_irqsave(&fg_fence_lock, flags);
	fence = rec->fence;
	rec->fence = NULL;
	rec->error = fence->error;
	spin_unlock_irqrestore(&fg_fence_lock, flags);
	dma_fence_put(fence);
}

static void *truth_start(struct seq_file *m, loff_t *pos)
{
	return *pos <= fg_n_recs() ? pos : NULL;
}

static void *truth_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return truth_start(m, pos);
}

static void truth_stop(struct seq_file *m, void *v)
{
}

static int truth_show(struct seq_file *m, void *v)
{
	static const char *const results[] = {
		[FG_OPEN] = "open",
		[FG_OK] = "ok",
		[FG_TIMEOUT] = "timeout",
		[FG_KILLED] = "killed",
	};
	static const char *const modes[] = {
		[FG_IN_ORDER] = "in-order",
		[FG_OUT_OF_ORDER] = "out-of-order",
		[FG_PARALLEL] = "parallel",
	};
	loff_t pos = *(loff_t *)v;
	const struct fg_rec *r;

	if (pos == 0) {
		seq_puts(m, "device,ring,context,seqno,client_id,pid,tid,kind,queue_ns,run_ns,"
			    "start_ns,end_ns,signal_ns,result,error,n_deps,deps,signalled_ns,"
			    "hw_context,hw_seqno,hw_error,event_run_ns,fence_ns,report_ns,"
			    "mode,depth,queue\n");
		return 0;
	}
	r = &fg_log[pos - 1];
	seq_printf(m, "%s,%s,%llu,%llu,%llu,%d,%d,%s,%llu,%llu,%llu,%llu,%llu,%s,%d,%u,",
		   r->ring->dev_name, r->ring->name, r->context, r->seqno, r->client_id, r->pid,
		   r->tid, r->kernel ? "kernel" : "user", r->queue_ns, r->run_ns, r->start_ns,
		   r->end_ns, r->signal_ns, results[r->result], r->error, r->n_deps);
	for (int i = 0; i < r->n_deps; i++)
		seq_printf(m, "%s%llu:%llu", i ? " " : "", r->deps[i].context, r->deps[i].seqno);
	seq_printf(m, ",%llu,%llu,%llu,%d,%llu,%llu,%llu,%s,%u,%u\n", r->signalled_ns,
		   r->hw_context, r->hw_seqno, r->hw_error, r->event_run_ns, r->fence_ns,
		   r->report_ns, modes[r->mode], r->depth, r->queue);
	return 0;
}

static const struct seq_operations truth_sops = {
	.start = truth_start,
	.next = truth_next,
	.stop = truth_stop,
	.show = truth_show,
};
DEFINE_SEQ_ATTRIBUTE(truth);

static int emitted_show(struct seq_file *m, void *v)
{
	fg_emitted_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(emitted);

static int control_show(struct seq_file *m, void *v)
{
	seq_printf(m, "counting %d\nrecords %u\nlive %u\n", fg_emitted_running(), fg_n_recs(),
		   fg_live());
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static ssize_t control_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char word[16] = "";
	int ret = 0;

	if (len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, len))
		return -EFAULT;
	if (sysfs_streq(word, "start"))
		ret = fg_emitted_start();
	else if (sysfs_streq(word, "stop"))
		fg_emitted_stop();
	else if (!sysfs_streq(word, "reset"))
		ret = -EINVAL;
	else if (fg_live())
		ret = -EBUSY;
	else
		atomic_set(&fg_used, 0);
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

int fg_truth_init(void)
{
	fg_log = vzalloc(array_size(truth_max, sizeof(*fg_log)));
	if (!fg_log)
		return -ENOMEM;
	fg_debugfs = debugfs_create_dir("fakegpu", NULL);
	debugfs_create_file("truth", 0444, fg_debugfs, NULL, &truth_fops);
	debugfs_create_file("emitted", 0444, fg_debugfs, NULL, &emitted_fops);
	debugfs_create_file("control", 0600, fg_debugfs, NULL, &control_fops);
	return 0;
}

void fg_truth_fini(void)
{
	debugfs_remove(fg_debugfs);
	vfree(fg_log);
}
