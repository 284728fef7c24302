/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of threads and processes, and the machine. What is said of a thread first holds from the
 * begin; what is said otherwise later is held until its time.
 */
#include "pftrace_core.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_ 64u /* bytes */

/* Fields of ProcessTree, its Process and its Thread. */
#define F_PROCESS 1u
#define F_THREAD  2u
#define F_PID     1u
#define F_CMDLINE 3u
#define F_TID     1u
#define F_NAME    2u
#define F_TGID    3u

/* Fields of TrackDescriptor, ProcessDescriptor and ThreadDescriptor. */
#define F_TRACK_PROCESS 3u
#define F_TRACK_THREAD  4u
#define F_PROCESS_NAME  6u
#define F_OF_PID        1u
#define F_OF_TID        2u
#define F_THREAD_NAME   5u

/* --- threads ---------------------------------------------------------------------------------- */

/* What a packet says of a thread. */
struct said {
	uint32_t tid, pid;     /* pid 0: not known */
	struct pft_field name; /* n 0: not known */
	bool command; /* the name is of the command line: a thread may be called otherwise */
};

static uint32_t id_of(uint64_t v)
{
	return v <= INT32_MAX ? (uint32_t)v : 0;
}

static int keep_name(struct pft_facts *f, struct pft_thread *t, const struct pft_field *name)
{
	uint32_t n = name->n < NAME_MAX_ ? (uint32_t)name->n : NAME_MAX_;

	if (!n || f->n_names + n > PFT_NAME_BYTES)
		return 0;
	if (xtr_grow(&f->names, &f->cap_names, f->n_names + n))
		return -ENOMEM;
	memcpy(f->names + f->n_names, name->p, n);
	t->name = (uint32_t)f->n_names;
	t->len = n;
	f->n_names += n;
	return 0;
}

static int new_thread(struct pft_facts *f, const struct said *s)
{
	struct pft_thread *t;

	if (f->n >= PFT_THREADS_MAX)
		return 0;
	if (xtr_grow_array(&f->threads, &f->cap, f->n + 1, sizeof(*t)) ||
	    xtr_map_put(&f->by_tid, s->tid, 0, f->n))
		return -ENOMEM;
	t = &f->threads[f->n++];
	*t = (struct pft_thread){ .tid = s->tid, .pid = s->pid };
	return keep_name(f, t, &s->name);
}

/* A record of kind PFT_TASK: thread, process, name. */
static int hold_task(struct pftrace *p, uint64_t ts, const struct said *s)
{
	uint8_t rec[8 + NAME_MAX_];
	size_t n = s->name.n < NAME_MAX_ ? s->name.n : NAME_MAX_;

	xtr_put_le32(rec, s->tid);
	xtr_put_le32(rec + 4, s->pid);
	if (n)
		memcpy(rec + 8, s->name.p, n);
	return pft_hold(p, PFT_TASK, ts, rec, 8 + n);
}

static bool same_name(const struct pft_facts *f, const struct pft_thread *t,
		      const struct pft_field *name)
{
	size_t n = name->n < NAME_MAX_ ? name->n : NAME_MAX_;

	return t->len == n && !memcmp(f->names + t->name, name->p, n);
}

static int take_thread(struct pftrace *p, const struct pft_packet *packet, const struct said *s)
{
	struct pft_facts *f = &p->facts;
	const uint64_t *known = s->tid ? xtr_map_get(&f->by_tid, s->tid, 0) : NULL;
	struct pft_thread *t;
	bool other;

	if (!s->tid)
		return 0;
	if (!known)
		return new_thread(f, s);
	t = &f->threads[*known];
	other = s->pid && t->pid && s->pid != t->pid;
	other |= !s->command && s->name.n && t->len && !same_name(f, t, &s->name);
	if (other)
		return packet && packet->has_ts ? hold_task(p, packet->ts, s) : 0;
	if (!t->pid)
		t->pid = s->pid;
	return t->len ? 0 : keep_name(f, t, &s->name);
}

/* "/usr/bin/glxgears -fullscreen" is called glxgears. */
static struct pft_field program(struct pft_field f)
{
	const uint8_t *space = f.n ? memchr(f.p, ' ', f.n) : NULL, *slash;

	if (space)
		f.n = (size_t)(space - f.p);
	slash = f.n && *f.p == '/' ? memrchr(f.p, '/', f.n) : NULL;
	if (slash) {
		f.n -= (size_t)(slash + 1 - f.p);
		f.p = slash + 1;
	}
	return f;
}

static int take_process(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m)
{
	struct said s = { .command = true };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_PID)
			s.tid = s.pid = id_of(f.v);
		else if (f.num == F_CMDLINE && !s.name.num && f.wire == 2)
			s.name = program(f);
	}
	return take_thread(p, packet, &s);
}

static int take_tree_thread(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m)
{
	struct said s = { 0 };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_TID)
			s.tid = id_of(f.v);
		else if (f.num == F_TGID)
			s.pid = id_of(f.v);
		else if (f.num == F_NAME && f.wire == 2)
			s.name = f;
	}
	return take_thread(p, packet, &s);
}

int pft_take_process_tree(struct pftrace *p, const struct pft_packet *packet, struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		if (f.num == F_PROCESS)
			err = take_process(p, packet, pft_sub(&f));
		else if (f.num == F_THREAD)
			err = take_tree_thread(p, packet, pft_sub(&f));
	}
	return err;
}

static int take_track_thread(struct pftrace *p, struct pft_msg m)
{
	struct said s = { .command = true };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_OF_PID)
			s.pid = id_of(f.v);
		else if (f.num == F_OF_TID)
			s.tid = id_of(f.v);
		else if (f.num == F_THREAD_NAME && f.wire == 2)
			s.name = f;
	}
	return take_thread(p, NULL, &s);
}

static int take_track_process(struct pftrace *p, struct pft_msg m)
{
	struct said s = { .command = true };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_OF_PID)
			s.tid = s.pid = id_of(f.v);
		else if (f.num == F_PROCESS_NAME && f.wire == 2)
			s.name = program(f);
	}
	return take_thread(p, NULL, &s);
}

int pft_take_track(struct pftrace *p, struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		if (f.num == F_TRACK_PROCESS)
			err = take_track_process(p, pft_sub(&f));
		else if (f.num == F_TRACK_THREAD)
			err = take_track_thread(p, pft_sub(&f));
	}
	return err;
}

int pft_task_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n)
{
	return n < 8 ? 0
		     : xtr_import_task(p->im, ts, xtr_le32(rec), xtr_le32(rec + 4),
				       (const char *)rec + 8, n - 8);
}

/* --- the machine ------------------------------------------------------------------------------ */

static int keep_text(struct pft_facts *f, unsigned int which, const struct pft_field *text)
{
	if (text->wire != 2 || !text->n)
		return 0;
	free(f->text[which]);
	f->text[which] = xtr_copy_text((const char *)text->p, text->n);
	return f->text[which] ? 0 : -ENOMEM;
}

/* Fields of SystemInfo and of its utsname that are texts. */
static int take_uname(struct pft_facts *facts, struct pft_msg m)
{
	static const uint8_t which[] = { [2] = PFT_VERSION, [3] = PFT_RELEASE, [4] = PFT_MACHINE };
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f))
		if (f.num >= 2 && f.num < sizeof(which))
			err = keep_text(facts, which[f.num], &f);
	return err;
}

int pft_take_system(struct pftrace *p, struct pft_msg m)
{
	struct pft_facts *facts = &p->facts;
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		if (f.num == 1)
			err = take_uname(facts, pft_sub(&f));
		else if (f.num == 2)
			err = keep_text(facts, PFT_BUILD, &f);
		else if (f.num == 4)
			err = keep_text(facts, PFT_SERVICE, &f);
		else if (f.num == 6)
			facts->page_size = f.v;
		else if (f.num == 7)
			facts->timezone = (int64_t)f.v;
		else if (f.num == 8)
			facts->cpus = f.v;
		facts->has_timezone |= f.num == 7;
	}
	return err;
}

int pft_take_uuid(struct pftrace *p, struct pft_msg m)
{
	uint64_t half[2] = { 0 }; /* msb = 2, lsb = 1 */
	char text[40];
	struct pft_field f;

	while (pft_next(&m, &f))
		if (f.num == 1 || f.num == 2)
			half[f.num == 1] = f.v;
	snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012" PRIx64, (uint32_t)(half[0] >> 32),
		 (unsigned int)(half[0] >> 16 & 0xffff), (unsigned int)(half[0] & 0xffff),
		 (unsigned int)(half[1] >> 48), half[1] & 0xffffffffffff);
	free(p->facts.text[PFT_UUID]);
	p->facts.text[PFT_UUID] = strdup(text);
	return p->facts.text[PFT_UUID] ? 0 : -ENOMEM;
}

/* --- at the end ------------------------------------------------------------------------------- */

/* What becomes nothing, for people. */
static const struct {
	uint8_t field;
	const char *name;
} left_out[] = {
	{ 4, "inode_file_map" },
	{ 5, "chrome_events" },
	{ 7, "sys_stats" },
	{ 37, "profile_packet" },
	{ 38, "battery" },
	{ 39, "android_log" },
	{ 40, "power_rails" },
	{ 66, "perf_sample" },
	{ 73, "memory_tracker" },
	{ 77, "energy" },
	{ 84, "statsd_atom" },
	{ 86, "system_property" },
	{ 91, "entity_residency" },
	{ 95, "etw_events" },
	{ 117, "generic_kernel_task_state" },
	{ 118, "generic_kernel_cpu_freq" },
	{ 120, "generic_kernel_task_rename" },
	{ 122, "generic_kernel_process_tree" },
	{ 132, "journald" },
};

void pft_count_packet(struct pftrace *p, uint32_t field)
{
	if (field < sizeof(p->facts.left_out) / sizeof(p->facts.left_out[0]))
		p->facts.left_out[field]++;
}

static int tell_left_out(struct pftrace *p)
{
	char key[64];
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		snprintf(key, sizeof(key), "import-left-out-%s", left_out[i].name);
		err = pft_note_number(p, key, p->facts.left_out[left_out[i].field]);
	}
	if (!err)
		err = pft_note_number(p, "import-other-machines-packets", p->facts.other_machines);
	return err ? err : pft_note_number(p, "import-incomplete-packets", p->incomplete);
}

int pft_note_number(struct pftrace *p, const char *key, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return n ? xtr_import_note(p->im, key, text) : 0;
}

static int tell_machine(struct pftrace *p)
{
	const struct pft_facts *f = &p->facts;
	const struct xtr_system sys = {
		.release = f->text[PFT_RELEASE],
		.version = f->text[PFT_VERSION],
		.machine = f->text[PFT_MACHINE],
		.cpus = f->cpus <= XTR_IMPORT_CPUS ? (uint32_t)f->cpus : 0,
		.page = f->page_size <= UINT32_MAX ? (uint32_t)f->page_size : 0,
	};
	static const struct {
		unsigned int which;
		const char *key;
	} notes[] = {
		{ PFT_SERVICE, "import-tracer-version" },
		{ PFT_BUILD, "import-android-build" },
		{ PFT_UUID, "import-trace-uuid" },
	};
	int err = xtr_import_system(p->im, &sys);

	for (size_t i = 0; !err && i < sizeof(notes) / sizeof(notes[0]); i++)
		if (f->text[notes[i].which])
			err = xtr_import_note(p->im, notes[i].key, f->text[notes[i].which]);
	if (!err && f->has_timezone && f->timezone) {
		char text[32];

		snprintf(text, sizeof(text), "%" PRId64, f->timezone);
		err = xtr_import_note(p->im, "import-timezone-minutes", text);
	}
	return err;
}

int pft_facts_tell(struct pftrace *p)
{
	const struct pft_facts *f = &p->facts;
	int err = tell_machine(p);

	for (size_t i = 0; !err && i < f->n; i++) {
		const struct pft_thread *t = &f->threads[i];

		err = xtr_import_task(p->im, 0, t->tid, t->pid, t->len ? f->names + t->name : NULL,
				      t->len);
	}
	return err ? err : tell_left_out(p);
}

void pft_facts_free(struct pft_facts *f)
{
	for (size_t i = 0; i < PFT_TEXTS; i++)
		free(f->text[i]);
	free(f->names);
	free(f->threads);
	xtr_map_free(&f->by_tid);
}
