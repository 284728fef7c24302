/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters (memory, clocks) and what happened on devices, over time. */
#include "report_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_marks_init(struct report_marks *m, uint64_t from, uint64_t to)
{
	*m = (struct report_marks){ .from = from, .width = (to - from) / REPORT_POINTS + 1 };
}

void report_marks_free(struct report_marks *m)
{
	for (size_t i = 0; i < m->n_tracks; i++) {
		free(m->track[i].name);
		free(m->track[i].unit);
		free(m->track[i].point);
	}
	for (size_t i = 0; i < m->n_marks; i++) {
		free(m->mark[i].track);
		free(m->mark[i].name);
	}
	*m = (struct report_marks){ 0 };
}

#define NAME_MAX_BYTES 120u

static bool same(const char *a, const char *b)
{
	return !strncmp(a, b, NAME_MAX_BYTES);
}

/* "budget (pid 12)": a counter of a process, (pid 12, 2) of the second one of that number. */
static void name_of(const struct xtr_mark *mark, char name[NAME_MAX_BYTES])
{
	if (!mark->of_process || !mark->pid)
		snprintf(name, NAME_MAX_BYTES, "%s", mark->track);
	else if (!mark->nth)
		snprintf(name, NAME_MAX_BYTES, "%.80s (pid %" PRIu32 ")", mark->track, mark->pid);
	else
		snprintf(name, NAME_MAX_BYTES, "%.80s (pid %" PRIu32 ", %" PRIu64 ")", mark->track,
			 mark->pid, (uint64_t)mark->nth + 1);
}

static struct report_track *track_of(struct report_marks *m, const struct xtr_mark *mark, int *ret)
{
	struct report_track *t;
	char name[NAME_MAX_BYTES];

	*ret = 0;
	name_of(mark, name);
	for (size_t i = 0; i < m->n_tracks; i++)
		if (same(m->track[i].name, name))
			return &m->track[i];
	if (m->n_tracks == REPORT_TRACKS_MAX) {
		m->tracks_left_out++;
		return NULL;
	}
	t = &m->track[m->n_tracks++];
	*t = (struct report_track){ .is_signed = mark->is_signed };
	t->name = xtr_copy_text(name, NAME_MAX_BYTES);
	t->unit = mark->unit ? xtr_copy_text(mark->unit, NAME_MAX_BYTES) : NULL;
	t->point = calloc(REPORT_POINTS, sizeof(*t->point));
	if (!t->name || !t->point || (mark->unit && !t->unit)) {
		*ret = -ENOMEM;
		return NULL;
	}
	return t;
}

static bool less(const struct report_track *t, uint64_t a, uint64_t b)
{
	return t->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static int counter(struct report_marks *m, const struct xtr_mark *mark)
{
	uint64_t at = mark->ts > m->from ? (mark->ts - m->from) / m->width : 0;
	int err;
	struct report_track *t = track_of(m, mark, &err);
	struct report_point *p;

	if (!t)
		return err;
	p = &t->point[at < REPORT_POINTS ? at : REPORT_POINTS - 1];
	if (!p->set || less(t, p->most, mark->value))
		p->most = mark->value;
	p->set = true;
	p->last = mark->value;
	t->last = mark->value;
	if (!t->n || less(t, mark->value, t->least))
		t->least = mark->value;
	if (!t->n || less(t, t->most, mark->value))
		t->most = mark->value;
	t->n++;
	return 0;
}

static int on_device(struct report_marks *m, const struct xtr_mark *mark)
{
	struct report_mark *one;

	if (m->n_marks == REPORT_MARKS_MAX) {
		m->marks_left_out++;
		return 0;
	}
	one = &m->mark[m->n_marks++];
	*one = (struct report_mark){ .ts = mark->ts };
	one->track = xtr_copy_text(mark->track ? mark->track : "", NAME_MAX_BYTES);
	one->name = xtr_copy_text(mark->name ? mark->name : "", NAME_MAX_BYTES);
	return one->track && one->name ? 0 : -ENOMEM;
}

int report_marks_mark(struct report_marks *m, const struct xtr_mark *mark)
{
	if (mark->kind == XTR_MARK_COUNTER)
		return counter(m, mark);
	return mark->kind == XTR_MARK_DEVICE ? on_device(m, mark) : 0;
}

/* Part of the time, most and last in it, as differences. */
static void points_put(const struct report_track *t, struct xtr_buf *b)
{
	uint64_t last = 0;
	size_t next = 0;

	for (size_t i = 0; i < REPORT_POINTS; i++) {
		const struct report_point *p = &t->point[i];

		if (!p->set)
			continue;
		report_varint(b, i - next);
		report_zigzag(b, p->last - last);
		report_zigzag(b, p->most - p->last);
		last = p->last;
		next = i + 1;
	}
}

static void value_json(const struct report_track *t, struct xtr_json *j, const char *key,
		       uint64_t v)
{
	char text[24];

	if (!t->is_signed || (int64_t)v >= 0) {
		report_json_exact(j, key, v);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId64, (int64_t)v);
	xtr_json_kv_str(j, key, text);
}

static int track_json(const struct report_track *t, struct xtr_json *j)
{
	struct xtr_buf b = { 0 };
	int err;

	xtr_json_begin_object(j);
	report_json_text(j, "name", t->name);
	report_json_text(j, "unit", t->unit);
	xtr_json_kv_u64(j, "n", t->n);
	value_json(t, j, "min", t->least);
	value_json(t, j, "max", t->most);
	value_json(t, j, "last", t->last);
	points_put(t, &b);
	err = report_json_bytes(j, "points", &b);
	xtr_json_end_object(j);
	xtr_buf_free(&b);
	return err;
}

int report_marks_json(const struct report_marks *m, struct xtr_json *j)
{
	int err = 0;

	xtr_json_kv_object(j, "counters");
	xtr_json_kv_u64(j, "points", REPORT_POINTS);
	report_json_exact(j, "width", m->width);
	xtr_json_kv_u64(j, "left_out", m->tracks_left_out);
	xtr_json_kv_array(j, "tracks");
	for (size_t i = 0; i < m->n_tracks && !err; i++)
		err = track_json(&m->track[i], j);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
	xtr_json_kv_array(j, "marks");
	for (size_t i = 0; i < m->n_marks; i++) {
		xtr_json_begin_object(j);
		report_json_text(j, "track", m->mark[i].track);
		report_json_text(j, "name", m->mark[i].name);
		report_json_exact(j, "ts", m->mark[i].ts);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "marks_left_out", m->marks_left_out);
	return err;
}
