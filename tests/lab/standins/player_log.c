/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what was fired, kept until the next reset. Read it when nothing plays.
 *
 * debugfs xtr_player/truth  lines of a truth log (tests/drivers/README.md); the first is "!truth",
 *                           but fences are in their own file
 *         xtr_player/spans  "BEGIN END CONTEXT" of each of them: ns, task or hardirq
 *         xtr_player/state  "records N", "full 0 or 1"
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "player_internal.h"

#define XP_RECORDS    131072
#define XP_TEXT_BYTES (32 << 20)

static struct xp_record *xp_records;
static char *xp_texts;
static atomic_t xp_used = ATOMIC_INIT(0);
static atomic_t xp_text_used = ATOMIC_INIT(0);
static atomic_t xp_full = ATOMIC_INIT(0);
struct dentry *xp_debugfs;

struct xp_record *xp_log_begin(const char *text)
{
	unsigned int n = atomic_fetch_add_unless(&xp_used, 1, XP_RECORDS);
	size_t len = strlen(text) + 1;
	unsigned int at = atomic_fetch_add(len, &xp_text_used);
	struct xp_record *r;

	if (n == XP_RECORDS || at + len > XP_TEXT_BYTES) {
		atomic_set(&xp_full, 1);
		return NULL;
	}
	memcpy(xp_texts + at, text, len);
	r = &xp_records[n];
	r->text = xp_texts + at;
	r->pid = current->tgid;
	r->tid = current->pid;
	r->cpu = raw_smp_processor_id();
	r->hardirq = in_hardirq();
	memcpy(r->comm, current->comm, sizeof(r->comm));
	r->begin_ns = ktime_get_ns();
	return r;
}

void xp_log_reset(void)
{
	memset(xp_records, 0, array_size(XP_RECORDS, sizeof(*xp_records)));
	atomic_set(&xp_used, 0);
	atomic_set(&xp_text_used, 0);
	atomic_set(&xp_full, 0);
}

static void *log_start(struct seq_file *m, loff_t *pos)
{
	return *pos < atomic_read(&xp_used) && xp_records[*pos].text ? &xp_records[*pos] : NULL;
}

static void *log_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return log_start(m, pos);
}

static void log_stop(struct seq_file *m, void *v)
{
}

static int truth_show(struct seq_file *m, void *v)
{
	const struct xp_record *r = v;

	if (r == xp_records)
		seq_puts(m, "!truth\n");
	seq_printf(m, "%llu ", r->begin_ns);
	if (r->tid)
		seq_printf(m, "\"%.16s/%d/%d\"", r->comm, r->pid, r->tid);
	else
		seq_putc(m, '-');
	seq_printf(m, " %u %s\n", r->cpu, r->text);
	return 0;
}

static int spans_show(struct seq_file *m, void *v)
{
	const struct xp_record *r = v;

	seq_printf(m, "%llu %llu %s\n", r->begin_ns, r->end_ns, r->hardirq ? "hardirq" : "task");
	return 0;
}

static int state_show(struct seq_file *m, void *v)
{
	seq_printf(m, "records %d\nfull %d\n", atomic_read(&xp_used), atomic_read(&xp_full));
	return 0;
}

static const struct seq_operations truth_sops = {
	.start = log_start,
	.next = log_next,
	.stop = log_stop,
	.show = truth_show,
};
DEFINE_SEQ_ATTRIBUTE(truth);

static const struct seq_operations spans_sops = {
	.start = log_start,
	.next = log_next,
	.stop = log_stop,
	.show = spans_show,
};
DEFINE_SEQ_ATTRIBUTE(spans);
DEFINE_SHOW_ATTRIBUTE(state);

int xp_log_init(void)
{
	xp_records = vzalloc(array_size(XP_RECORDS, sizeof(*xp_records)));
	xp_texts = vmalloc(XP_TEXT_BYTES);
	if (!xp_records || !xp_texts) {
		vfree(xp_texts);
		vfree(xp_records);
		return -ENOMEM;
	}
	xp_debugfs = debugfs_create_dir("xtr_player", NULL);
	debugfs_create_file("truth", 0444, xp_debugfs, NULL, &truth_fops);
	debugfs_create_file("spans", 0444, xp_debugfs, NULL, &spans_fops);
	debugfs_create_file("state", 0444, xp_debugfs, NULL, &state_fops);
	return 0;
}

void xp_log_fini(void)
{
	debugfs_remove(xp_debugfs);
	vfree(xp_texts);
	vfree(xp_records);
}
