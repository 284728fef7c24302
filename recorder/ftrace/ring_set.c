/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring_set.h"
#include "recorder/host/proc_task.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_MAX     4096
#define EXIT_TRIGGER "events/sched/sched_process_exit/trigger"

int xtr_ring_page_bytes(uint32_t *bytes)
{
	char path[256], *text, *data;
	unsigned int at, size;
	int err;
	const char *dir = xtr_tracefs_dir(&err);
	size_t n;

	if (!dir)
		return err;
	snprintf(path, sizeof(path), "%s/events/header_page", dir);
	err = xtr_read_file(path, TEXT_MAX, &text, &n);
	if (err)
		return err;
	data = strstr(text, "char data;");
	if (!data || sscanf(data, "char data; offset:%u; size:%u;", &at, &size) != 2 ||
	    at != XTR_RING_PAGE_HEAD || size > XTR_RING_PAGE_MAX - at)
		err = -ENOTSUP;
	else
		*bytes = at + size;
	free(text);
	return err;
}

size_t xtr_page_slot_bytes(uint32_t page_bytes)
{
	return sizeof(struct xtr_page_slot) + ((page_bytes + 63u) & ~63u);
}

/* --- making ----------------------------------------------------------------------------------- */

static const struct {
	const char *file, *text;
} settings[] = {
	{ "tracing_on", "0" },
	{ "trace_clock", "mono" },
	{ "options/overwrite",
	  "0" }, /* what finds no room is lost, and counted: not what is there */
};

/*
 * The kernel stops recording when this process is gone, however it ends. Before Linux 5.17 the
 * trigger would stop everybody's tracing (kernel/trace/trace_events_trigger.c).
 */
static void stop_when_gone(const struct xtr_ring_set *s)
{
	int major, minor;
	struct utsname u;
	char text[64];

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2 || major < 5 ||
	    (major == 5 && minor < 17))
		return;
	snprintf(text, sizeof(text), "traceoff if pid == %d", (int)getpid());
	(void)xtr_instance_write(&s->in, EXIT_TRIGGER, text);
}

static int begin(struct xtr_ring_set *s, uint32_t n_cpus)
{
	*s = (struct xtr_ring_set){ .in.dir = -1, .on = -1, .n_cpus = n_cpus };
	s->cpus = calloc(n_cpus, sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_cpus; i++)
		s->cpus[i].raw = s->cpus[i].stats = -1;
	return xtr_ring_page_bytes(&s->page_bytes);
}

int xtr_ring_set_new(struct xtr_ring_set *s, const char *name, uint32_t n_cpus, uint64_t ring_bytes)
{
	int err = begin(s, n_cpus);
	char kib[32];

	s->ring_bytes = ring_bytes;
	if (!err)
		err = xtr_instance_new(&s->in, name);
	if (!err) /* from here on nobody can take it for left over (xtr_instances_sweep) */
		err = s->on = xtr_instance_open(&s->in, "tracing_on", O_WRONLY);
	for (size_t i = 0; err >= 0 && i < ARRAY_LEN(settings); i++)
		err = xtr_instance_write(&s->in, settings[i].file, settings[i].text);
	snprintf(kib, sizeof(kib), "%llu", (unsigned long long)(ring_bytes >> 10));
	if (err >= 0)
		err = xtr_instance_write(&s->in, "buffer_size_kb", kib);
	if (err >= 0)
		stop_when_gone(s);
	return err < 0 ? err : 0;
}

/*
 * When a module goes whose events were on, the kernel empties all rings and counts nothing
 * (kernel/trace/trace_events.c, trace_module_remove_events). A trigger that would switch the event
 * on holds the module (trace_event_try_get_ref); it never fires, as nothing has pid 0 that exits.
 * System calls, of which there are hundreds, are in no module.
 */
static int hold_module(const struct xtr_ring_set *s, const char *system, const char *event)
{
	char text[300];

	if (!strcmp(system, "syscalls"))
		return 0;
	snprintf(text, sizeof(text), "enable_event:%s:%s if pid == 0", system, event);
	return xtr_instance_write(&s->in, EXIT_TRIGGER, text);
}

int xtr_ring_set_event(const struct xtr_ring_set *s, const char *system, const char *event)
{
	char file[300];
	int err;

	if (snprintf(file, sizeof(file), "events/%s/%s/enable", system, event) >= (int)sizeof(file))
		return -ENAMETOOLONG;
	err = xtr_instance_write(&s->in, file, "1");
	if (err)
		return err;
	err = hold_module(s, system, event);
	if (err)
		(void)xtr_instance_write(&s->in, file, "0");
	return err;
}

struct threads {
	int fd;
	size_t n;
};

/* One that the filter has already, too. */
static int add_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct threads *to = ctx;
	char text[16];

	(void)pid;
	to->n++;
	snprintf(text, sizeof(text), "%u ", tid);
	return write(to->fd, text, strlen(text)) < 0 ? -errno : 0;
}

/*
 * Threads that are made by those in the filter get into it by themselves (event-fork); by others,
 * until all are in it: so their number has to be the same twice. The recorder is in it, too: what
 * switches the ring off when it is gone is an event of its own (stop_when_gone).
 */
int xtr_ring_set_processes(const struct xtr_ring_set *s, const uint32_t *pids, size_t n)
{
	int err = xtr_instance_write(&s->in, "options/event-fork", "1");
	int fd = err ? err : xtr_instance_open(&s->in, "set_event_pid", O_WRONLY | O_APPEND);
	struct threads to = { .fd = fd };

	if (fd < 0)
		return fd;
	err = xtr_proc_each_thread((uint32_t)getpid(), add_thread, &to);
	for (size_t i = 0; !err && i < n; i++) {
		size_t before;

		to.n = 0;
		do {
			before = to.n;
			to.n = 0;
			err = xtr_proc_each_thread(pids[i], add_thread, &to);
		} while (!err && to.n != before);
	}
	close(fd);
	return err;
}

static int open_cpu(struct xtr_ring_set *s, uint32_t cpu)
{
	struct xtr_ring_cpu *c = &s->cpus[cpu];
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	c->raw = xtr_instance_open(&s->in, file, O_RDONLY | O_NONBLOCK);
	if (c->raw == -ENOENT)
		return 0; /* a number that no CPU has */
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	c->stats = c->raw < 0 ? c->raw : xtr_instance_open(&s->in, file, O_RDONLY);
	return c->stats < 0 ? c->stats : 0;
}

void xtr_ring_set_slots(struct xtr_ring_set *s, uint8_t *slots)
{
	size_t each = xtr_page_slot_bytes(s->page_bytes);

	for (uint32_t i = 0; i < s->n_cpus; i++)
		s->cpus[i].slot = (struct xtr_page_slot *)(void *)(slots + each * i);
}

int xtr_ring_set_open(struct xtr_ring_set *s)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < s->n_cpus; i++)
		err = open_cpu(s, i);
	if (!err && s->on < 0)
		err = s->on = xtr_instance_open(&s->in, "tracing_on", O_WRONLY);
	s->own = calloc(s->n_cpus + 1u, xtr_page_slot_bytes(s->page_bytes));
	if (err < 0 || !s->own)
		return err < 0 ? err : -ENOMEM;
	xtr_ring_set_slots(s, s->own);
	return 0;
}

int xtr_ring_set_adopt(struct xtr_ring_set *s, const char *name, uint32_t n_cpus)
{
	int err = begin(s, n_cpus);

	if (!err)
		err = xtr_instance_get(&s->in, name);
	return err ? err : xtr_ring_set_open(s);
}

int xtr_ring_set_switch(const struct xtr_ring_set *s, bool on)
{
	return pwrite(s->on, on ? "1" : "0", 1, 0) == 1 ? 0 : -errno;
}

void xtr_ring_set_close(struct xtr_ring_set *s)
{
	for (uint32_t i = 0; s->cpus && i < s->n_cpus; i++) {
		if (s->cpus[i].raw >= 0)
			close(s->cpus[i].raw);
		if (s->cpus[i].stats >= 0)
			close(s->cpus[i].stats);
	}
	if (s->cpus && s->on >= 0)
		close(s->on);
	free(s->cpus);
	free(s->own);
	s->cpus = NULL;
	s->own = NULL;
	s->on = -1;
}

int xtr_ring_set_free(struct xtr_ring_set *s)
{
	bool there = s->cpus != NULL;

	xtr_ring_set_close(s);
	return there ? xtr_instance_remove(&s->in) : 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * The number says that the slot has another page before it does, and what is in it then is none: of
 * a recorder that is killed in between, the page that it had was taken, and the next one is in the
 * ring, or here.
 */
int xtr_ring_set_read(struct xtr_ring_set *s, struct xtr_ring_cpu *c)
{
	struct xtr_page_slot *slot = c->slot;
	ssize_t n;

	if (c->raw < 0)
		return 0;
	memset(slot->page, 0, XTR_RING_PAGE_HEAD);
	slot->done = XTR_RING_PAGE_HEAD;
	__atomic_store_n(&slot->number, slot->number + 1, __ATOMIC_SEQ_CST);
	do
		n = read(c->raw, slot->page, s->page_bytes);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	c->pending = xtr_ring_page_begin(&c->at, slot->page, (uint32_t)n);
	c->read += c->pending ? (uint64_t)(c->at.end - c->at.at) : 0;
	return c->pending ? 1 : -1;
}

bool xtr_ring_set_resume(struct xtr_ring_set *s, struct xtr_ring_cpu *c,
			 const struct xtr_page_slot *left, uint32_t done)
{
	struct xtr_ring_event ev;
	int got = 1;

	if (c->slot != left)
		memcpy(c->slot->page, left->page, s->page_bytes);
	c->pending = xtr_ring_page_begin(&c->at, c->slot->page, s->page_bytes);
	while (c->pending && got == 1 && xtr_ring_set_place(c) < done)
		got = xtr_ring_page_next(&c->at, &ev);
	c->pending &= got == 1 && c->at.at < c->at.end;
	return c->pending;
}

uint32_t xtr_ring_set_place(const struct xtr_ring_cpu *c)
{
	return c->at.at ? (uint32_t)(c->at.at - c->slot->page) : XTR_RING_PAGE_HEAD;
}

static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* "overrun" is 0: nothing is overwritten. */
bool xtr_ring_set_stats(const struct xtr_ring_cpu *c, struct xtr_ring_stats *st)
{
	char text[TEXT_MAX];
	ssize_t n = c->stats < 0 ? 0 : pread(c->stats, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = 0;
	*st = (struct xtr_ring_stats){
		.full = stat_of(text, "\ndropped events: "),
		.nested = stat_of(text, "\ncommit overrun: "),
		.entries = stat_of(text, "entries: "),
		.taken = stat_of(text, "\nread events: "),
	};
	return true;
}
