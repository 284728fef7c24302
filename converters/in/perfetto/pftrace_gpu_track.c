/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks, and of the track events of xtr's export (docs/export.md) those that tell of jobs; its
 * others are counted.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of TrackEvent. */
enum {
	F_NOTES = 4,
	F_TYPE = 9,
	F_NAME_IID = 10,
	F_TRACK = 11,
	F_CATEGORY_IIDS = 3
};

enum {
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3
};

/* InternedData */
#define I_CATEGORIES 1u
#define I_NAMES      2u
#define I_NOTES      3u

/* Of a track's uuid, as xtr makes it (perfetto_track.c): its kind, what it is of, its lane. */
#define UUID_ID(uuid) ((uuid) >> 4 & 0xffffffffffffu)

/* --- tracks ----------------------------------------------------------------------------------- */

static int new_track(struct pft_gpu *g, uint64_t uuid, const struct gpu_track *t)
{
	if (xtr_grow_array(&g->track, &g->cap_tracks, g->n_tracks + 1, sizeof(*t)) ||
	    xtr_map_put(&g->tracks, uuid, 0, g->n_tracks))
		return -ENOMEM;
	g->track[g->n_tracks++] = *t;
	return 0;
}

/*
 * Tracks of one name below one other are lanes of what overlaps: the second is "NAME (2)". Those of
 * xtr's export keep their names.
 */
static int name_track(struct pft_gpu *g, struct gpu_track *t, const struct pft_field *name)
{
	const size_t n = name->n < 240 ? name->n : 240;
	const uint64_t key = xtr_hash_bytes(name->p, n);
	const uint64_t *before = xtr_map_get(&g->lanes, key, t->parent);
	const uint64_t lane = before ? *before + 1 : 1;
	char text[280];

	memcpy(text, name->p, n);
	text[n] = 0;
	if (lane > 1 && !g->by_xtr)
		snprintf(text + n, sizeof(text) - n, " (%" PRIu64 ")", lane);
	if (xtr_map_put(&g->lanes, key, t->parent, lane))
		return -ENOMEM;
	t->name = strdup(text);
	return t->name ? 0 : -ENOMEM;
}

int gpu_take_track(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		   struct pft_msg m)
{
	struct gpu_track t = { .parent = gpu_u64(m, 5) }, *known;
	struct pft_field thread, name;
	int err;

	(void)p;
	(void)packet;
	if (gpu_field(m, 4, &thread)) {
		t.pid = (uint32_t)gpu_u64(pft_sub(&thread), 1);
		t.tid = (uint32_t)gpu_u64(pft_sub(&thread), 2);
	}
	if (gpu_field(m, 3, &thread) && !t.pid)
		t.pid = (uint32_t)gpu_u64(pft_sub(&thread), 1);
	known = gpu_track_of(g, gpu_u64(m, 1));
	if (known) {
		known->tid = t.tid ? t.tid : known->tid;
		known->pid = t.pid ? t.pid : known->pid;
		return 0;
	}
	if (g->n_tracks == GPU_TRACKS_MAX)
		return 0;
	if (gpu_field(m, 2, &name) && name.wire == 2) {
		err = name_track(g, &t, &name);
		if (err)
			return err;
	}
	err = new_track(g, gpu_u64(m, 1), &t);
	if (err)
		free(t.name);
	return err;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Walk the notes: name, and value as it stands. */
static bool next_note(struct pft_msg *m, const struct pft_seq *seq, struct pft_field *name,
		      struct pft_field *value)
{
	struct pft_field f, in;

	while (pft_next(m, &f)) {
		struct pft_msg note = pft_sub(&f);

		if (f.num != F_NOTES)
			continue;
		*name = *value = (struct pft_field){ .wire = 2 };
		while (pft_next(&note, &in)) {
			if (in.num == 1)
				*name = gpu_interned(seq, I_NOTES, in.v, 2);
			else if (in.num >= 3 && in.num <= 7)
				*value = in;
		}
		return true;
	}
	return false;
}

static bool note(struct pft_msg m, const struct pft_seq *seq, const char *want,
		 struct pft_field *value)
{
	struct pft_field name;

	while (next_note(&m, seq, &name, value))
		if (gpu_is(&name, want))
			return true;
	*value = (struct pft_field){ 0 };
	return false;
}

static uint64_t note_u64(struct pft_msg m, const struct pft_seq *seq, const char *want)
{
	struct pft_field f;

	return note(m, seq, want, &f) && f.wire == 0 ? f.v : 0;
}

/* --- of xtr's export -------------------------------------------------------------------------- */

struct seen {
	struct pft_msg m;
	const struct pft_seq *seq;
	struct pft_field name;
	uint64_t ts, type, track, ctx, seqno;
};

/* A thread whose process is not known has a track "thread N". */
static void submitted(struct pft_gpu *g, const struct seen *s)
{
	struct gpu_told *t = gpu_told_of(g, s->ctx, s->seqno);
	const struct gpu_track *thread = gpu_track_of(g, s->track);
	struct pft_field client;
	unsigned int tid;

	t->queue_ns = s->ts;
	t->before_ns = note_u64(s->m, s->seq, "submit_before_ns");
	if (t->before_ns > t->queue_ns)
		t->before_ns = 0;
	t->has_client = note(s->m, s->seq, "client", &client) && client.wire == 0;
	t->client = t->has_client ? client.v : 0;
	if (!thread)
		return;
	t->tid = thread->tid;
	t->pid = thread->pid;
	if (!t->tid && thread->name && sscanf(thread->name, "thread %u", &tid) == 1)
		t->tid = tid;
}

static void waits(struct pft_gpu *g, const struct seen *s)
{
	struct gpu_told *t = gpu_told_of(g, s->ctx, s->seqno);

	t->dep_wait_ns = note_u64(s->m, s->seq, "dep_wait_ns");
	t->n_waits = (uint32_t)note_u64(s->m, s->seq, "dep_waits");
	t->wait_track = s->track;
	t->in_dep = false;
}

static void waits_for(struct pft_gpu *g, const struct seen *s)
{
	struct gpu_told *t = &g->told;
	struct pft_field f;
	struct gpu_dep d = { .ctx = s->ctx, .seqno = s->seqno, .from_ns = s->ts };

	if (!t->known || t->wait_track != s->track ||
	    t->n_deps == sizeof(t->dep) / sizeof(t->dep[0]))
		return;
	d.run = note(s->m, s->seq, "until", &f) && gpu_is(&f, "run");
	d.by_job = note(s->m, s->seq, "ring", &f);
	t->dep[t->n_deps++] = d;
	t->in_dep = true;
}

/* A lane of a ring: its track is below the ring's, and that below the device's. */
static void place_job(const struct pft_gpu *g, uint64_t lane, struct told_job *j)
{
	const struct gpu_track *t = gpu_track_of(g, lane),
			       *ring = t ? gpu_track_of(g, t->parent) : NULL;

	if (!ring)
		return;
	j->queue = UUID_ID(t->parent);
	j->gpu = (uint32_t)UUID_ID(ring->parent);
	if (ring->name)
		gpu_told_ring(j, (struct pft_field){ .wire = 2,
						     .p = (const uint8_t *)ring->name,
						     .n = strlen(ring->name) });
}

static int keep_slice(struct pft_gpu *g, const struct told_job *j, const struct seen *s)
{
	struct gpu_slice *k = &g->slice;
	const struct pft_field *texts[] = { &j->kind, &j->quality, &j->flags, &j->comm };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		k->n[i] = texts[i]->n < sizeof(k->text[i]) ? texts[i]->n : sizeof(k->text[i]);
		if (k->n[i])
			memcpy(k->text[i], texts[i]->p, k->n[i]);
	}
	if (!k->job)
		k->job = malloc(sizeof(*j));
	if (!k->job)
		return -ENOMEM;
	*k->job = *j;
	k->ts = s->ts;
	k->track = s->track;
	k->open = true;
	return 0;
}

/* The slice of a job has ended, at ts. */
static int end_slice(struct pftrace *p, struct pft_gpu *g, uint64_t ts)
{
	struct gpu_slice *k = &g->slice;
	struct told_job *j = k->job;
	struct pft_field *texts[] = { &j->kind, &j->quality, &j->flags, &j->comm };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = (struct pft_field){ .wire = 2,
						.p = (const uint8_t *)k->text[i],
						.n = k->n[i] };
	k->open = false;
	j->duration = ts > k->ts ? ts - k->ts : 0;
	place_job(g, k->track, j);
	return gpu_told_hold(p, g, j, k->ts);
}

static void job_notes(struct told_job *j, const struct seen *s)
{
	struct pft_msg m = s->m;
	struct pft_field name, value;
	char text[24];

	while (next_note(&m, s->seq, &name, &value)) {
		if (gpu_is(&name, "kind"))
			j->kind = value;
		else if (gpu_is(&name, "description"))
			gpu_told_description(j, &value);
		else if (gpu_is(&name, "pid"))
			j->pid = (uint32_t)value.v;
		else if (gpu_is(&name, "duration_ns"))
			j->duration = value.v;
		if (value.wire == 0) {
			value.n = (size_t)snprintf(text, sizeof(text), "%llu",
						   (unsigned long long)value.v);
			value.p = (const uint8_t *)text;
		}
		gpu_told_extra(j, &name, &value);
	}
	for (; j->n_deps < j->n_wide; j->n_deps++)
		j->dep[j->n_deps] = j->wide[j->n_deps];
}

static int job_slice(struct pftrace *p, struct pft_gpu *g, const struct seen *s)
{
	struct told_job j = { .ctx = s->ctx, .seqno = s->seqno };
	char at[16];

	j.comm = s->name;
	job_notes(&j, s);
	if (j.kind.n == j.comm.n && j.comm.n && !memcmp(j.kind.p, j.comm.p, j.comm.n))
		j.comm.n = 0; /* the kind stands where no name is known */
	if (s->type == TYPE_BEGIN)
		return keep_slice(g, &j, s);
	if (j.at.n && j.at.n < sizeof(at)) {
		memcpy(at, j.at.p, j.at.n);
		j.at.p = (const uint8_t *)at;
	}
	place_job(g, s->track, &j);
	return gpu_told_hold(p, g, &j, s->ts);
}

static int end_of(struct pftrace *p, struct pft_gpu *g, const struct seen *s)
{
	struct gpu_told *t = &g->told;

	if (g->slice.open && g->slice.track == s->track)
		return end_slice(p, g, s->ts);
	if (!t->known || t->wait_track != s->track)
		return 0;
	if (t->in_dep)
		t->dep[t->n_deps - 1].until_ns = s->ts;
	else
		t->wait_track = 0;
	t->in_dep = false;
	return 0;
}

static int ours(struct pftrace *p, struct pft_gpu *g, struct seen *s, const struct pft_field *cat)
{
	struct pft_field f;

	if (s->type == TYPE_END)
		return end_of(p, g, s);
	if (!gpu_is(cat, "job")) {
		g->left_out[GPU_TRACK_EVENTS]++;
		return 0;
	}
	if (note(s->m, s->seq, "description", &f))
		return job_slice(p, g, s);
	if (note(s->m, s->seq, "dep_wait_ns", &f))
		waits(g, s);
	else if (s->type == TYPE_INSTANT && gpu_is(&s->name, "submit"))
		submitted(g, s);
	else if (s->type == TYPE_BEGIN && gpu_is(&s->name, "dependency"))
		waits_for(g, s);
	return 0;
}

/* --- all of them -------------------------------------------------------------------------------
 */

int gpu_take_track_event(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
			 struct pft_msg m)
{
	struct seen s = { .m = m, .seq = packet->seq, .ts = packet->ts };
	struct pft_field category = { 0 }, f;

	s.type = gpu_u64(m, F_TYPE);
	s.track = gpu_u64(m, F_TRACK);
	if (!g->by_xtr)
		return gpu_take_marker(p, g, packet, m);
	if (gpu_field(m, F_CATEGORY_IIDS, &f))
		category = gpu_interned(packet->seq, I_CATEGORIES, f.v, 2);
	s.name = gpu_interned(packet->seq, I_NAMES, gpu_u64(m, F_NAME_IID), 2);
	s.ctx = note_u64(m, packet->seq, "context");
	s.seqno = note_u64(m, packet->seq, "seqno");
	return ours(p, g, &s, &category);
}
