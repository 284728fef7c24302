/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks of processes, threads, CPUs and what else is no ring: see chrome_ring.c for those. */
#include "chrome.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int32_t order;
} pseudo[] = {
#define PSEUDO_ROW(id, name, order) [CHROME_##id] = { name, order },
	CHROME_PSEUDO(PSEUDO_ROW)
#undef PSEUDO_ROW
};

void chrome_tracks_free(struct chrome_tracks *t)
{
	for (uint32_t i = 0; i < t->n_rings; i++) {
		xtr_lanes_free(&t->ring[i]->jobs);
		xtr_lanes_free(&t->ring[i]->queue);
		free(t->ring[i]);
	}
	for (uint32_t i = 0; i < t->n_devices; i++)
		free(t->device[i]);
	for (uint32_t i = 0; i < t->n_owners; i++) {
		xtr_lanes_free(&t->owner[i]->lanes);
		free(t->owner[i]);
	}
	xtr_map_free(&t->names);
	xtr_map_free(&t->devices);
	xtr_map_free(&t->rings);
	xtr_map_free(&t->owners);
	xtr_map_free(&t->same);
	xtr_map_free(&t->again);
	xtr_lanes_free(&t->lost);
	free(t->by_index);
	free(t->ring);
	free(t->device);
	free(t->owner);
	memset(t, 0, sizeof(*t));
}

void *chrome_grow(void *array, uint32_t n)
{
	/* Full at each power of two. */
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? (size_t)n * 2 : 1, sizeof(void *));
}

uint64_t chrome_pid(const struct chrome *c, uint64_t pid)
{
	uint64_t boot = c->place->boot;

	return pid + CHROME_BOOT_PIDS * (boot < CHROME_BOOTS_MAX ? boot : CHROME_BOOTS_MAX - 1);
}

uint64_t chrome_hash(uint64_t h, const char *s, size_t n)
{
	/* FNV-1a. Texts made to collide would only share a track. */
	h ^= 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	return h;
}

void chrome_meta_event(struct chrome *c, const char *name, uint64_t pid, uint64_t tid)
{
	chrome_event(&c->out, "M", NULL);
	chrome_plain(&c->out, "name", name);
	chrome_u64(&c->out, "pid", pid);
	chrome_u64(&c->out, "tid", tid);
	chrome_args(&c->out);
}

void chrome_meta_end(struct chrome *c)
{
	chrome_args_end(&c->out);
	chrome_event_end(&c->out);
}

void chrome_sort_index(struct chrome *c, const char *name, uint64_t pid, uint64_t tid, int64_t i)
{
	chrome_meta_event(c, name, pid, tid);
	chrome_s64(&c->out, "sort_index", i);
	chrome_meta_end(c);
}

int chrome_name(struct chrome *c, uint64_t pid, uint64_t tid, const char *name, size_t n)
{
	uint32_t hash = (uint32_t)chrome_hash(0, name, n) >> 1;
	uint32_t old = xtr_map_index(&c->tracks.names, pid, tid);

	if (old == hash)
		return 0;
	if (xtr_map_put(&c->tracks.names, pid, tid, hash))
		return -ENOMEM;
	chrome_meta_event(c, tid ? "thread_name" : "process_name", pid, tid ? tid : pid);
	chrome_text(&c->out, "name", name, n);
	chrome_meta_end(c);
	return old == XTR_MAP_NONE;
}

int chrome_pseudo_place(struct chrome *c, enum chrome_pseudo p, uint64_t tid, const char *name,
			struct chrome_place *at)
{
	int err;

	*at = (struct chrome_place){ chrome_pid(c, CHROME_FIRST_PID + p), tid };
	err = chrome_name(c, at->pid, 0, pseudo[p].name, strlen(pseudo[p].name));
	if (err > 0)
		chrome_sort_index(c, "process_sort_index", at->pid, at->pid, pseudo[p].order);
	if (err >= 0 && name)
		err = chrome_name(c, at->pid, tid, name, strlen(name));
	return err < 0 ? err : 0;
}

/* "tid 12": a name for what has none. */
static int name_number(struct chrome *c, uint64_t pid, uint64_t tid, const char *what, uint64_t v)
{
	char text[40];

	snprintf(text, sizeof(text), "%s %llu", what, (unsigned long long)v);
	return chrome_name(c, pid, tid, text, strlen(text));
}

/* "game"; "game 4711#2", as the track's number is not the process'; "pid 4711" without a name. */
static int put_process_name(struct chrome *c, uint64_t at, uint64_t process, const char *name,
			    size_t n)
{
	char text[XTR_TEXT_NAME + XTR_TEXT_PROCESS], number[XTR_TEXT_PROCESS];
	bool unnamed = n == strlen("pid") && !memcmp(name, "pid", n);

	if (!unnamed && !xtr_process_nth(process))
		return chrome_name(c, at, 0, name, n);
	snprintf(text, sizeof(text), "%.*s %s", (int)(n < XTR_TEXT_NAME ? n : XTR_TEXT_NAME), name,
		 xtr_text_process(number, process));
	return chrome_name(c, at, 0, text, strlen(text));
}

/* A process is called as its first thread, or, where that is not known, as this one. */
static int name_process(struct chrome *c, uint64_t at, uint64_t process, uint32_t comm, uint64_t ts)
{
	const struct xtr_task *task = xtr_process_leader(c->section.tables, process, ts);
	const char *name;
	size_t n;

	name = chrome_string(c, task ? task->comm : 0, &n);
	if (n)
		return put_process_name(c, at, process, name, n);
	if (xtr_map_index(&c->tracks.names, at, 0) != XTR_MAP_NONE)
		return 0;
	name = chrome_string(c, comm, &n);
	return put_process_name(c, at, process, n ? name : "pid", n ? n : strlen("pid"));
}

/*
 * The second process with a number, and later ones: a track is known by its numbers alone, so these
 * get numbers that no process has. 0 or -ENOMEM.
 */
static int again_place(struct chrome *c, uint64_t process, uint32_t tid, struct chrome_place *at)
{
	struct chrome_tracks *t = &c->tracks;
	uint32_t n = xtr_map_index(&t->again, process, c->place->boot);

	if (n == XTR_MAP_NONE) {
		n = t->n_again < CHROME_AGAIN_MAX ? t->n_again++ : CHROME_AGAIN_MAX - 1;
		if (xtr_map_put(&t->again, process, c->place->boot, n))
			return -ENOMEM;
	}
	*at = (struct chrome_place){ chrome_pid(c, CHROME_AGAIN_PID + n), chrome_pid(c, tid) };
	return 0;
}

static int name_thread(struct chrome *c, const struct chrome_place *at, uint32_t comm)
{
	const char *name;
	size_t n;

	name = chrome_string(c, comm, &n);
	if (n)
		return chrome_name(c, at->pid, at->tid, name, n);
	/* Not known this time: another name stays. */
	if (xtr_map_index(&c->tracks.names, at->pid, at->tid) != XTR_MAP_NONE)
		return 0;
	return name_number(c, at->pid, at->tid, "tid", at->tid);
}

int chrome_thread_place(struct chrome *c, uint64_t process, uint32_t tid, uint32_t comm,
			uint32_t cpu, uint64_t ts, struct chrome_place *at)
{
	char text[40];
	int err;

	if (!tid) {
		snprintf(text, sizeof(text), "idle CPU %u", cpu);
		return chrome_pseudo_place(c, CHROME_IDLE, (uint64_t)cpu + 1, text, at);
	}
	if (process) {
		*at = (struct chrome_place){ chrome_pid(c, process), chrome_pid(c, tid) };
		err = (xtr_process_nth(process) ? again_place(c, process, tid, at) : 0)
			      ?: name_process(c, at->pid, process, comm, ts);
	} else {
		err = chrome_pseudo_place(c, CHROME_UNKNOWN, chrome_pid(c, tid), NULL, at);
	}
	if (err >= 0)
		err = name_thread(c, at, comm);
	return err < 0 ? err : 0;
}

int chrome_owner_of(struct chrome *c, const struct chrome_place *at, struct chrome_owner **out)
{
	struct chrome_tracks *t = &c->tracks;
	uint32_t i = xtr_map_index(&t->owners, at->pid, at->tid);
	struct chrome_owner *o, **all;

	if (i != XTR_MAP_NONE) {
		*out = t->owner[i];
		return 0;
	}
	all = chrome_grow(t->owner, t->n_owners);
	if (!all)
		return -ENOMEM;
	t->owner = all;
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	memset(o->inner, 0xff, sizeof(o->inner));
	if (xtr_map_put(&t->owners, at->pid, at->tid, t->n_owners)) {
		free(o);
		return -ENOMEM;
	}
	*out = all[t->n_owners++] = o;
	return 0;
}

int chrome_beside(struct chrome *c, struct chrome_owner *o, const char *name, uint64_t begin,
		  uint64_t end, struct chrome_place *at)
{
	int64_t i = xtr_lanes_take(&o->lanes, begin, end);
	struct xtr_lane *lane;
	int err = 0;

	if (i < 0)
		return (int)i;
	lane = &o->lanes.lane[i];
	if (!lane->tid) {
		lane->tid = chrome_pid(c, CHROME_FIRST_PID + ++c->tracks.extra_tid);
		err = chrome_name(c, at->pid, lane->tid, name, strlen(name));
	}
	at->tid = lane->tid;
	return err < 0 ? err : 0;
}

int chrome_named_owner(struct chrome *c, struct chrome_place *at, const char *name,
		       struct chrome_owner **out)
{
	const char *text = c->tracks.n_owners < CHROME_OWNERS_MAX ? name : "markers";
	struct chrome_place key = { at->pid,
				    chrome_hash(at->tid + 1, text, strlen(text)) | 1ull << 63 };
	int err = chrome_owner_of(c, &key, out);

	if (!err && !(*out)->tid) {
		(*out)->tid = chrome_pid(c, CHROME_FIRST_PID + ++c->tracks.extra_tid);
		err = chrome_name(c, at->pid, (*out)->tid, text, strlen(text));
	}
	at->tid = (*out)->tid;
	return err < 0 ? err : 0;
}
