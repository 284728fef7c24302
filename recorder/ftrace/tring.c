/* SPDX-License-Identifier: BSD-2-Clause */
#include "tring.h"
#include "instance.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"
#include "ring_page.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PAGE_MAX   (64u << 10) /* of a ring; what we ask for is the kernel's default, 4 KiB */
#define IDS        (1u << 16)  /* common_type is 16 bits wide */
#define STATS_MAX  1024
#define LOOK_EVERY NS_PER_S

enum ft_helper { FT_NONE, FT_NEWTASK, FT_RENAME };

/* An event that is switched on. */
struct ft_event {
	const struct xtr_generic *g; /* NULL: it is for the recorder alone */
	enum ft_helper helper;
};

/* Where the fields of the helpers stand in the kernel's record. */
struct ft_helpers {
	uint16_t new_pid, new_comm, new_flags, new_size; /* size 0: the kernel has no such event */
	uint16_t re_pid, re_old, re_new, re_size;        /* re_pid 0: it is the current thread */
};

struct ft_cpu {
	int raw, stats; /* -1: there is no such CPU */
	uint8_t *page;
	struct xtr_ring_page at; /* what of the page was not taken */
	uint32_t last_tid;
	uint64_t filled;               /* bytes, in this pass */
	uint64_t clean, looked;        /* ns: nothing was lost before; of the last look at stats */
	uint64_t full, nested;         /* as stats said then */
	bool pending, suspect;         /* page is not empty; the ring may have been full */
};

struct xtr_tring {
	struct xtr_instance in;
	struct xtr_ft_tasks tasks;
	struct ft_helpers help;
	struct ft_event *events; /* [0]: none */
	size_t n_events;
	uint16_t *by_id; /* [IDS] -> index in events */
	struct ft_cpu *cpus;
	uint32_t n_cpus, page_bytes, slot;
	uint64_t ring_bytes, pass;
	int on; /* tracing_on */
};

/* --- open ------------------------------------------------------------------------------------- */

static const struct {
	const char *file, *text;
} settings[] = {
	{ "tracing_on", "0" },
	{ "trace_clock", "mono" },
	{ "options/overwrite", "0" }, /* what finds no room is lost and counted, not what is there */
	{ "options/record-tgid", "0" },
};

/*
 * The kernel stops recording when this process is gone, however it ends. Before Linux 5.17 the
 * trigger would stop the tracing of everybody.
 */
static void stop_when_gone(const struct xtr_tring *f)
{
	int major, minor;
	struct utsname u;
	char text[64];

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2 || major < 5 ||
	    (major == 5 && minor < 17))
		return;
	snprintf(text, sizeof(text), "traceoff if pid == %d", (int)getpid());
	(void)xtr_instance_write(&f->in, "events/sched/sched_process_exit/trigger", text);
}

static int set_up(struct xtr_tring *f)
{
	char kib[32];
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_LEN(settings); i++)
		err = xtr_instance_write(&f->in, settings[i].file, settings[i].text);
	snprintf(kib, sizeof(kib), "%llu", (unsigned long long)(f->ring_bytes >> 10));
	if (!err)
		err = xtr_instance_write(&f->in, "buffer_size_kb", kib);
	return err;
}

static int open_cpu(struct xtr_tring *f, uint32_t cpu)
{
	struct ft_cpu *c = &f->cpus[cpu];
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	c->raw = xtr_instance_open(&f->in, file, O_RDONLY | O_NONBLOCK);
	if (c->raw == -ENOENT)
		return 0; /* a number that no CPU has */
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	c->stats = c->raw < 0 ? c->raw : xtr_instance_open(&f->in, file, O_RDONLY);
	if (c->stats < 0)
		return c->stats;
	c->page = malloc(f->page_bytes);
	return c->page ? 0 : -ENOMEM;
}

/* Bytes of a page: what the kernel says of the place for data, and the head. */
static int page_bytes(uint32_t *bytes)
{
	char path[256], *text, *data;
	unsigned int at, size;
	int err;
	const char *dir = xtr_tracefs_dir(&err);
	size_t n;

	if (!dir)
		return err;
	snprintf(path, sizeof(path), "%s/events/header_page", dir);
	err = xtr_read_file(path, STATS_MAX * 4, &text, &n);
	if (err)
		return err;
	data = strstr(text, "char data;");
	if (!data || sscanf(data, "char data; offset:%u; size:%u;", &at, &size) != 2 ||
	    at != XTR_RING_PAGE_HEAD || size > PAGE_MAX)
		err = -ENOTSUP; /* not the ring that ring_page.h knows */
	else
		*bytes = at + size;
	free(text);
	return err;
}

static uint16_t offset_of(const struct xtr_tp_format *fmt, const char *name, uint32_t size)
{
	for (size_t i = 0; i < fmt->n_fields; i++) {
		const struct xtr_tp_field *field = &fmt->fields[i];

		if (!strcmp(field->name, name) && field->size == size && field->offset < IDS / 2)
			return (uint16_t)field->offset;
	}
	return 0;
}

static uint16_t most(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

/* The entry of an event by its number in tracefs, a new one where it has none. */
static struct ft_event *event_of(struct xtr_tring *f, uint32_t id)
{
	if (!f->by_id[id])
		f->by_id[id] = (uint16_t)f->n_events++;
	return &f->events[f->by_id[id]];
}

static int switch_on(const struct xtr_tring *f, const char *system, const char *event)
{
	char file[300];

	if (snprintf(file, sizeof(file), "events/%s/%s/enable", system, event) >= (int)sizeof(file))
		return -ENAMETOOLONG;
	return xtr_instance_write(&f->in, file, "1");
}

static int add_newtask(struct xtr_tring *f)
{
	struct ft_helpers *h = &f->help;
	struct xtr_tp_format *fmt;
	int err = xtr_tracefs_format("task", "task_newtask", &fmt);

	if (err)
		return err;
	h->new_pid = offset_of(fmt, "pid", 4);
	h->new_comm = offset_of(fmt, "comm", XTR_COMM_LEN);
	h->new_flags = offset_of(fmt, "clone_flags", 8);
	h->new_size = most(h->new_flags + 8, most(h->new_comm + XTR_COMM_LEN, h->new_pid + 4));
	if (!h->new_pid || !h->new_comm || !h->new_flags || fmt->id >= IDS)
		err = -ENOTSUP;
	else
		event_of(f, fmt->id)->helper = FT_NEWTASK;
	xtr_tp_format_free(fmt);
	return err ? err : switch_on(f, "task", "task_newtask");
}

/* Since about Linux 6.16 the event does not say whose name it is: it is taken for the current
 * thread's own, which it is but for those who write to /proc/PID/comm. */
static int add_rename(struct xtr_tring *f)
{
	struct ft_helpers *h = &f->help;
	struct xtr_tp_format *fmt;
	int err = xtr_tracefs_format("task", "task_rename", &fmt);

	if (err)
		return err;
	h->re_pid = offset_of(fmt, "pid", 4);
	h->re_old = offset_of(fmt, "oldcomm", XTR_COMM_LEN);
	h->re_new = offset_of(fmt, "newcomm", XTR_COMM_LEN);
	h->re_size = most(h->re_pid + 4, most(h->re_old, h->re_new) + XTR_COMM_LEN);
	if (!h->re_old || !h->re_new || fmt->id >= IDS)
		err = -ENOTSUP;
	else
		event_of(f, fmt->id)->helper = FT_RENAME;
	xtr_tp_format_free(fmt);
	return err ? err : switch_on(f, "task", "task_rename");
}

/* One that cannot be had is left to the other engine. */
static size_t add_selected(struct xtr_tring *f, struct xtr_selection *sel)
{
	size_t n = 0;

	for (size_t i = 0; i < sel->n_generics; i++) {
		struct xtr_generic *g = sel->generics[i];

		if (!g->ftrace)
			continue;
		g->ftrace = g->id < IDS && switch_on(f, g->system, g->event) == 0;
		if (!g->ftrace)
			continue;
		event_of(f, g->id)->g = g;
		f->slot = n++ ? 0 : g->cfg.slot;
	}
	return n;
}

static int allocate(struct xtr_tring *f, const struct xtr_selection *sel)
{
	f->events = calloc(sel->n_generics + 3, sizeof(*f->events));
	f->by_id = calloc(IDS, sizeof(*f->by_id));
	f->cpus = calloc(f->n_cpus, sizeof(*f->cpus));
	f->n_events = 1;
	if (!f->events || !f->by_id || !f->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_cpus; i++)
		f->cpus[i].raw = f->cpus[i].stats = -1;
	return page_bytes(&f->page_bytes);
}

int xtr_tring_open(struct xtr_tring **out, struct xtr_selection *sel, uint32_t n_cpus,
		    uint64_t ring_bytes)
{
	struct xtr_tring *f = calloc(1, sizeof(*f));
	size_t n = 0;
	int err;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->n_cpus = n_cpus;
	f->ring_bytes = ring_bytes;
	f->in.dir = f->on = -1;
	err = allocate(f, sel);
	xtr_instances_sweep();
	if (!err)
		err = xtr_instance_new(&f->in);
	if (!err)
		err = set_up(f);
	if (!err)
		n = add_selected(f, sel);
	for (uint32_t i = 0; !err && n && i < n_cpus; i++)
		err = open_cpu(f, i);
	if (!err && n)
		err = f->on = xtr_instance_open(&f->in, "tracing_on", O_WRONLY);
	if (err < 0 || !n) {
		xtr_tring_free(f);
		return err < 0 ? err : 0;
	}
	(void)add_newtask(f); /* without them names are those of /proc */
	(void)add_rename(f);
	stop_when_gone(f);
	*out = f;
	return 0;
}

static int switch_ring(const struct xtr_tring *f, char to)
{
	return pwrite(f->on, &to, 1, 0) == 1 ? 0 : -errno;
}

int xtr_tring_run(struct xtr_tring *f)
{
	uint64_t now = xtr_now();
	int err = xtr_ft_tasks_open(&f->tasks);

	for (uint32_t i = 0; i < f->n_cpus; i++)
		f->cpus[i].clean = f->cpus[i].looked = now;
	f->pass = now;
	return err ? err : switch_ring(f, '1');
}

void xtr_tring_halt(struct xtr_tring *f)
{
	(void)switch_ring(f, '0');
}

int xtr_tring_free(struct xtr_tring *f)
{
	int err;

	if (!f)
		return 0;
	for (uint32_t i = 0; f->cpus && i < f->n_cpus; i++) {
		if (f->cpus[i].raw >= 0)
			close(f->cpus[i].raw);
		if (f->cpus[i].stats >= 0)
			close(f->cpus[i].stats);
		free(f->cpus[i].page);
	}
	if (f->on >= 0)
		close(f->on);
	err = xtr_instance_remove(&f->in);
	xtr_ft_tasks_close(&f->tasks);
	free(f->cpus);
	free(f->events);
	free(f->by_id);
	free(f);
	return err;
}

int xtr_tring_fd(const struct xtr_tring *f, uint32_t cpu)
{
	return f->cpus[cpu].raw;
}

/* --- take ------------------------------------------------------------------------------------- */

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void take_newtask(struct xtr_tring *f, const struct xtr_ring_event *ev, uint32_t tid)
{
	const struct ft_helpers *h = &f->help;
	uint64_t flags;

	if (ev->n < h->new_size)
		return;
	memcpy(&flags, ev->data + h->new_flags, sizeof(flags));
	xtr_ft_tasks_new(&f->tasks, &(struct xtr_ft_newtask){
					    .ts = ev->ts,
					    .parent = tid,
					    .tid = load32(ev->data + h->new_pid),
					    .thread = flags & 0x00010000u, /* CLONE_THREAD */
					    .comm = (const char *)ev->data + h->new_comm,
				    });
}

static void take_rename(struct xtr_tring *f, const struct xtr_ring_event *ev, uint32_t tid)
{
	const struct ft_helpers *h = &f->help;

	if (ev->n < h->re_size)
		return;
	xtr_ft_tasks_rename(&f->tasks,
			    &(struct xtr_ft_rename){
				    .ts = ev->ts,
				    .tid = h->re_pid ? load32(ev->data + h->re_pid) : tid,
				    .oldcomm = (const char *)ev->data + h->re_old,
				    .newcomm = (const char *)ev->data + h->re_new,
			    });
}

/* One string behind the fixed part, as bpf/generic.bpf.h puts it there. Returns its end. */
static uint8_t *put_string(uint8_t *out, const struct xtr_ring_event *ev, uint32_t offset,
			   uint32_t kind)
{
	uint32_t loc = load32(ev->data + offset), from = loc & 0xffff, n = loc >> 16;
	uint16_t len;

	if (kind == XTR_STR_REL || kind == XTR_STR_REL_BYTES)
		from += offset + 4;
	n = n < XTR_STR_MAX ? n : XTR_STR_MAX;
	if (kind == XTR_STR_PTR || from > ev->n || n > ev->n - from)
		n = 0;
	if (n && (kind == XTR_STR_LOC || kind == XTR_STR_REL))
		n = (uint32_t)strnlen((const char *)ev->data + from, n - 1);
	len = (uint16_t)n;
	memcpy(out, &len, sizeof(len));
	memcpy(out + sizeof(len), ev->data + from, n);
	return out + sizeof(len) + n;
}

/* The most that a record of an event takes. */
static uint32_t record_max(const struct xtr_generic *g)
{
	return (g->desc.size + g->n_strs * (XTR_STR_MAX + 2u) + 7) & ~7u;
}

/* Returns the bytes of the record, or 0: the event is shorter than its format says. */
static uint32_t put_record(const struct xtr_generic *g, const struct xtr_ring_event *ev,
			   uint32_t tid, uint8_t *out)
{
	struct xtr_rec h = { .ts = ev->ts, .type = (__u16)g->cfg.type, .tid = tid };
	uint32_t fixed = g->cfg.fixed, end = XTR_RECORD_HEADER_SIZE + fixed;
	uint8_t *at = out + g->desc.size;

	if (ev->n < XTR_TP_COMMON + fixed)
		return 0;
	memcpy(out + XTR_RECORD_HEADER_SIZE, ev->data + XTR_TP_COMMON, fixed);
	memset(out + end, 0, g->desc.size - end);
	for (uint32_t i = 0; i < g->cfg.n_strs; i++)
		at = put_string(at, ev, g->cfg.str[i].offset, g->cfg.str[i].kind);
	while ((at - out) % 8)
		*at++ = 0;
	h.size = (__u16)(at - out);
	memcpy(out, &h, sizeof(h));
	return h.size;
}

/* Events of the page. False: there is no room for the next one, which stays. */
static bool take_page(struct xtr_tring *f, struct ft_cpu *c, uint8_t *out, uint32_t room,
		      uint32_t max_n, struct xtr_tring_part *part)
{
	struct xtr_ring_event ev;
	int ret;

	for (;;) {
		struct xtr_ring_page before = c->at;
		const struct ft_event *e;
		uint32_t tid, n;

		ret = xtr_ring_page_next(&c->at, &ev);
		if (ret != 1)
			break;
		if (ev.n < XTR_TP_COMMON) {
			part->broken++;
			continue;
		}
		e = &f->events[f->by_id[load32(ev.data) & 0xffff]];
		tid = load32(ev.data + 4);
		if (e->g && (part->n == max_n || record_max(e->g) > room - part->len)) {
			c->at = before;
			return false;
		}
		if (e->helper == FT_NEWTASK)
			take_newtask(f, &ev, tid);
		else if (e->helper == FT_RENAME)
			take_rename(f, &ev, tid);
		if (!e->g)
			continue;
		if (tid != c->last_tid)
			c->last_tid = xtr_ft_tasks_seen(&f->tasks, tid, ev.ts) ? tid : 0;
		n = put_record(e->g, &ev, tid, out + part->len);
		part->broken += !n;
		part->n += n != 0;
		part->len += n;
	}
	part->broken += ret < 0;
	c->pending = false;
	return true;
}

/* The next page, or what there is of it. False: the ring is empty. */
static bool read_page(struct xtr_tring *f, struct ft_cpu *c, struct xtr_tring_part *part)
{
	ssize_t n;

	do
		n = read(c->raw, c->page, f->page_bytes);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	c->pending = xtr_ring_page_begin(&c->at, c->page, (uint32_t)n);
	part->broken += !c->pending;
	if (c->pending)
		c->filled += (uint64_t)(c->at.end - c->at.at);
	return true;
}

void xtr_tring_take(struct xtr_tring *f, uint32_t cpu, uint8_t *out, uint32_t room,
		     uint32_t max_n, struct xtr_tring_part *part)
{
	struct ft_cpu *c = &f->cpus[cpu];

	*part = (struct xtr_tring_part){ .n = 0 };
	if (c->raw < 0)
		return;
	/* A CPU that fills its ring as fast as it is read does not keep the others waiting. */
	while (c->pending || (c->filled < 2 * f->ring_bytes && read_page(f, c, part))) {
		if (c->pending && !take_page(f, c, out, room, max_n, part)) {
			part->more = true;
			break;
		}
	}
}

bool xtr_tring_has_task(const struct xtr_tring *f)
{
	return f->tasks.taken < f->tasks.n_defs;
}

bool xtr_tring_task(struct xtr_tring *f, struct xtr_ctl_task *def)
{
	return xtr_ft_tasks_take(&f->tasks, def);
}

/* --- losses ----------------------------------------------------------------------------------- */

/* More than half of the ring at once: it may have been full since the pass before. */
void xtr_tring_pass(struct xtr_tring *f, uint64_t now)
{
	for (uint32_t i = 0; i < f->n_cpus; i++) {
		struct ft_cpu *c = &f->cpus[i];

		c->suspect |= c->pending || c->filled > f->ring_bytes / 2;
		if (!c->suspect)
			c->clean = f->pass;
		c->filled = 0;
	}
	f->pass = now;
	xtr_ft_tasks_prune(&f->tasks);
}

static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/*
 * "dropped events" found the ring full. "commit overrun" counts events that came, in interrupts,
 * while a page was left whose first event was still being written. "overrun" is 0: nothing is
 * overwritten.
 */
bool xtr_tring_lost(struct xtr_tring *f, uint32_t cpu, bool last, struct xtr_tring_loss *loss)
{
	struct ft_cpu *c = &f->cpus[cpu];
	char text[STATS_MAX];
	uint64_t full, nested;
	ssize_t n;

	if (c->stats < 0 || (!last && !c->suspect && f->pass < c->looked + LOOK_EVERY))
		return false;
	n = pread(c->stats, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return false;
	text[n] = 0;
	full = stat_of(text, "\ndropped events: ");
	nested = stat_of(text, "\ncommit overrun: ");
	*loss = (struct xtr_tring_loss){ full - c->full, nested - c->nested, c->clean };
	c->full = full;
	c->nested = nested;
	c->looked = f->pass;
	c->clean = f->pass;
	c->suspect = false;
	return loss->full || loss->nested;
}

uint32_t xtr_tring_slot(const struct xtr_tring *f)
{
	return f->slot;
}

uint64_t xtr_tring_ring_bytes(const struct xtr_tring *f)
{
	return f->ring_bytes;
}

uint64_t xtr_tring_fill(const struct xtr_tring *f, uint32_t cpu)
{
	return f->cpus[cpu].filled;
}
