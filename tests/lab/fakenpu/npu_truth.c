/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what really happened, kept until "reset". Read it when nothing runs.
 *
 * debugfs intel_vpu_lab/truth    one line per call, in the order in which they began
 *         intel_vpu_lab/counts   "name count" lines, calls without a record among them
 *         intel_vpu_lab/jobs     one line per job, in the order of submission
 *         intel_vpu_lab/control  write reset (EBUSY while jobs live); read: the state
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "npu.h"
#include "npu_trace.h"

static unsigned int truth_max = 262144;
module_param(truth_max, uint, 0444);
MODULE_PARM_DESC(truth_max, "calls that the log can hold");

#define NPU_JOB_MAX 16384

struct npu_func_info {
	const char *name;
	const char *suffix;
	bool returns;
	const char *args[NPU_ARGS];
};

static const struct npu_func_info npu_funcs[NPU_FUNCS] = {
#define NPU_INFO(name, suffix, returns, ...) \
	[NPU_F_##name] = { #name, suffix, returns, { __VA_ARGS__ } },
	NPU_FUNCTIONS(NPU_INFO)
#undef NPU_INFO
};

static struct npu_rec *npu_log;
static struct npu_job_rec *npu_jobs;
static atomic_t npu_used = ATOMIC_INIT(0);
static atomic_t npu_jobs_used = ATOMIC_INIT(0);
static atomic_t npu_creates = ATOMIC_INIT(0);
static atomic64_t npu_counts[NPU_FUNCS];
atomic64_t npu_emitted[NPU_EVENTS];
static struct dentry *npu_debugfs;

struct npu_call npu_call_begin(enum npu_func func)
{
	int n = atomic_fetch_add_unless(&npu_used, 1, truth_max);
	struct npu_call call = {};
	struct npu_rec *rec;

	atomic64_inc(&npu_counts[func]);
	if (n == truth_max)
		return call;
	rec = &npu_log[n];
	rec->func = func;
	rec->end_ns = 0;
	rec->context = in_hardirq() ? 2 : in_serving_softirq() ? 1 : 0;
	rec->cpu = raw_smp_processor_id();
	rec->pid = current->tgid;
	rec->tid = current->pid;
	call.rec = rec;
	rec->begin_ns = ktime_get_ns();
	return call;
}

void npu_call_end(struct npu_call *call)
{
	struct npu_rec *rec = call->rec;

	if (!rec)
		return;
	memcpy(rec->arg, call->arg, sizeof(rec->arg));
	rec->ret = call->ret;
	rec->end_ns = ktime_get_ns();
}

void npu_call_count(enum npu_func func)
{
	atomic64_inc(&npu_counts[func]);
}

struct npu_job_rec *npu_job_rec_new(void)
{
	int n = atomic_fetch_add_unless(&npu_jobs_used, 1, NPU_JOB_MAX);

	return n == NPU_JOB_MAX ? NULL : &npu_jobs[n];
}

unsigned int npu_nth_create(void)
{
	return atomic_inc_return(&npu_creates);
}

/* Position 0 is the header, which is SEQ_START_TOKEN, and record i has position i + 1. */
static void *index_start(struct seq_file *m, loff_t *pos, unsigned int n)
{
	return *pos > n ? NULL : SEQ_START_TOKEN + *pos;
}

static unsigned int index_of(void *v)
{
	return v - SEQ_START_TOKEN - 1;
}

static void *truth_start(struct seq_file *m, loff_t *pos)
{
	return index_start(m, pos, atomic_read(&npu_used));
}

static void *truth_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return truth_start(m, pos);
}

static void *jobs_start(struct seq_file *m, loff_t *pos)
{
	return index_start(m, pos, atomic_read(&npu_jobs_used));
}

static void *jobs_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return jobs_start(m, pos);
}

static void index_stop(struct seq_file *m, void *v)
{
}

static int truth_show(struct seq_file *m, void *v)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq" };
	const struct npu_func_info *f;
	const struct npu_rec *rec;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "seq,function,context,cpu,pid,tid,begin_ns,end_ns,ret,args\n");
		return 0;
	}
	rec = &npu_log[index_of(v)];
	f = &npu_funcs[rec->func];
	seq_printf(m, "%u,%s,%s,%u,%d,%d,%llu,%llu,", index_of(v), f->name, contexts[rec->context],
		   rec->cpu, rec->pid, rec->tid, rec->begin_ns, rec->end_ns);
	if (f->returns)
		seq_printf(m, "%lld", rec->ret);
	seq_putc(m, ',');
	for (int i = 0; i < NPU_ARGS && f->args[i]; i++)
		seq_printf(m, "%s%s=%llu", i ? " " : "", f->args[i], rec->arg[i]);
	seq_putc(m, '\n');
	return 0;
}

static int jobs_show(struct seq_file *m, void *v)
{
	const struct npu_job_rec *r;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "ctx,job_id,fence_context,pid,tid,submit_ns,doorbell_ns,start_ns,"
			    "end_ns,signal_ns,duration_ns\n");
		return 0;
	}
	r = &npu_jobs[index_of(v)];
	seq_printf(m, "%u,%u,%llu,%d,%d,%llu,%llu,%llu,%llu,%llu,%llu\n", r->ctx, r->job_id,
		   r->fence_context, r->pid, r->tid, r->submit_ns, r->doorbell_ns, r->start_ns,
		   r->end_ns, r->signal_ns, r->duration_ns);
	return 0;
}

static const struct seq_operations truth_sops = {
	.start = truth_start,
	.next = truth_next,
	.stop = index_stop,
	.show = truth_show,
};
DEFINE_SEQ_ATTRIBUTE(truth);

static const struct seq_operations jobs_sops = {
	.start = jobs_start,
	.next = jobs_next,
	.stop = index_stop,
	.show = jobs_show,
};
DEFINE_SEQ_ATTRIBUTE(jobs);

static const char *const npu_event_names[NPU_EVENTS] = { "event:job", "event:jsm", "event:pm",
							 "message:rx", "message:tx" };

static int counts_show(struct seq_file *m, void *v)
{
	for (int i = 0; i < NPU_FUNCS; i++)
		seq_printf(m, "%s%s %lld\n", npu_funcs[i].name, npu_funcs[i].suffix,
			   (long long)atomic64_read(&npu_counts[i]));
	for (int i = 0; i < NPU_EVENTS; i++)
		seq_printf(m, "%s %lld\n", npu_event_names[i],
			   (long long)atomic64_read(&npu_emitted[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int control_show(struct seq_file *m, void *v)
{
	seq_printf(m, "calls %d\nfull %d\njobs %d\nlive %d\n", atomic_read(&npu_used),
		   atomic_read(&npu_used) == truth_max, atomic_read(&npu_jobs_used),
		   atomic_read(&npu_vdev->live));
	return 0;
}

static int control_open(struct inode *inode, struct file *file)
{
	return single_open(file, control_show, NULL);
}

static ssize_t control_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char word[16] = {};

	if (len >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, len))
		return -EFAULT;
	if (!sysfs_streq(word, "reset"))
		return -EINVAL;
	if (atomic_read(&npu_vdev->live))
		return -EBUSY;
	npu_fw_reset();
	memset(npu_jobs, 0, array_size(NPU_JOB_MAX, sizeof(*npu_jobs)));
	for (int i = 0; i < NPU_FUNCS; i++)
		atomic64_set(&npu_counts[i], 0);
	for (int i = 0; i < NPU_EVENTS; i++)
		atomic64_set(&npu_emitted[i], 0);
	atomic_set(&npu_creates, 0);
	atomic_set(&npu_jobs_used, 0);
	atomic_set(&npu_used, 0);
	return len;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.read = seq_read,
	.write = control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

int npu_truth_init(void)
{
	npu_log = vzalloc(array_size(truth_max, sizeof(*npu_log)));
	npu_jobs = vzalloc(array_size(NPU_JOB_MAX, sizeof(*npu_jobs)));
	if (!npu_log || !npu_jobs) {
		vfree(npu_log);
		vfree(npu_jobs);
		return -ENOMEM;
	}
	npu_debugfs = debugfs_create_dir("intel_vpu_lab", NULL);
	debugfs_create_file("truth", 0444, npu_debugfs, NULL, &truth_fops);
	debugfs_create_file("counts", 0444, npu_debugfs, NULL, &counts_fops);
	debugfs_create_file("jobs", 0444, npu_debugfs, NULL, &jobs_fops);
	debugfs_create_file("control", 0600, npu_debugfs, NULL, &control_fops);
	return 0;
}

void npu_truth_fini(void)
{
	debugfs_remove(npu_debugfs);
	vfree(npu_jobs);
	vfree(npu_log);
}
