/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of the recordings, and how one fleet is added to another. */
#include "fleet_impl.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum xtr_fleet_unit unit;
	int worse;
} metrics[] = {
#define METRIC(id, name, unit, worse) { name, XTR_FLEET_##unit, worse },
	XTR_FLEET_METRICS(METRIC)
#undef METRIC
};

const char *xtr_fleet_metric_name(unsigned int metric)
{
	return metric < XTR_FLEET_METRIC_COUNT ? metrics[metric].name : NULL;
}

enum xtr_fleet_unit xtr_fleet_metric_unit(unsigned int metric)
{
	return metrics[metric].unit;
}

int xtr_fleet_metric_worse(unsigned int metric)
{
	return metrics[metric].worse;
}

void *fleet_grow(void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *bigger;

	if (n < *cap)
		return array;
	bigger = reallocarray(array, more, size);
	if (bigger)
		*cap = more;
	return bigger;
}

int xtr_fleet_new(struct xtr_fleet **out)
{
	struct xtr_fleet *f = calloc(1, sizeof(*f));
	int64_t first = f ? fleet_group(f, "") : -ENOMEM;

	if (first < 0) {
		xtr_fleet_free(f);
		return (int)first;
	}
	f->metrics = UINT32_MAX;
	*out = f;
	return 0;
}

void xtr_fleet_choose(struct xtr_fleet *f, uint32_t chosen)
{
	f->metrics = chosen;
}

void xtr_fleet_free(struct xtr_fleet *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_files; i++)
		free(f->file[i].path);
	for (size_t i = 0; i < f->n_recordings; i++) {
		free(f->recording[i].host);
		free(f->recording[i].cohort);
	}
	for (size_t i = 0; i < f->n_groups; i++) {
		fleet_sums_free(&f->group[i].sums);
		free(f->group[i].name);
	}
	for (size_t i = 0; i < f->n_rows; i++)
		free(f->row[i].device);
	xtr_map_free(&f->ids);
	free(f->file);
	free(f->recording);
	free(f->group);
	free(f->row);
	free(f->outlier);
	free(f->cohort);
	free(f->change);
	free(f);
}

int64_t xtr_fleet_file(struct xtr_fleet *f, const char *path, enum xtr_fleet_state state)
{
	struct xtr_fleet_file *file = fleet_grow(f->file, f->n_files, &f->cap_files, sizeof(*file));

	if (!file)
		return -ENOMEM;
	f->file = file;
	if (f->n_files == UINT32_MAX)
		return -E2BIG;
	file += f->n_files;
	*file = (struct xtr_fleet_file){ .path = strdup(path), .state = state };
	return file->path ? (int64_t)f->n_files++ : -ENOMEM;
}

/* Groups are few, and looked for once for each recording. */
int64_t fleet_group(struct xtr_fleet *f, const char *name)
{
	struct xtr_fleet_group *g;

	for (size_t i = 0; i < f->n_groups; i++)
		if (!strcmp(f->group[i].name, name))
			return (int64_t)i;
	if (f->n_groups == XTR_FLEET_GROUPS_MAX)
		return -E2BIG;
	g = fleet_grow(f->group, f->n_groups, &f->cap_groups, sizeof(*g));
	if (!g)
		return -ENOMEM;
	f->group = g;
	g += f->n_groups;
	*g = (struct xtr_fleet_group){ .name = strdup(name) };
	return g->name ? (int64_t)f->n_groups++ : -ENOMEM;
}

int fleet_row(struct xtr_fleet *f, const struct xtr_fleet_row *row)
{
	struct xtr_fleet_row *r = fleet_grow(f->row, f->n_rows, &f->cap_rows, sizeof(*r));

	if (!r)
		return -ENOMEM;
	f->row = r;
	if (f->n_rows == XTR_FLEET_ROWS_MAX)
		return -E2BIG;
	r += f->n_rows;
	*r = *row;
	r->device = row->device ? strdup(row->device) : NULL;
	if (row->device && !r->device)
		return -ENOMEM;
	f->n_rows++;
	return 0;
}

/* --- merging ---------------------------------------------------------------------------------- */

static int copy_text(char **dst, const char *src)
{
	*dst = src ? strdup(src) : NULL;
	return src && !*dst ? -ENOMEM : 0;
}

/* The recording as it was, in a new place. */
static int add_recording(struct xtr_fleet *f, const struct xtr_fleet_recording *src, uint32_t file)
{
	struct xtr_fleet_recording *r =
		fleet_grow(f->recording, f->n_recordings, &f->cap_recordings, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	f->recording = r;
	if (f->n_recordings == XTR_MAP_NONE)
		return -E2BIG;
	r += f->n_recordings++;
	*r = *src;
	r->file = file;
	r->host = r->cohort = NULL;
	r->first_row = (uint32_t)f->n_rows;
	r->n_rows = 0;
	r->repeated = xtr_map_get(&f->ids, src->file_id, 0);
	err = copy_text(&r->host, src->host) ?: copy_text(&r->cohort, src->cohort);
	if (!err && !r->repeated)
		err = xtr_map_put(&f->ids, src->file_id, 0, f->n_recordings - 1);
	return err;
}

static int merge_rows(struct xtr_fleet *f, const struct xtr_fleet *src, const int64_t *group)
{
	const size_t at = f->n_recordings - 1;
	struct xtr_fleet_row row;
	int err = 0;

	for (size_t i = 0; i < src->n_rows && !err; i++) {
		if (group[src->row[i].group] < 0)
			continue;
		row = src->row[i];
		row.recording = (uint32_t)at;
		row.group = (uint32_t)group[row.group];
		err = fleet_row(f, &row);
		if (!err)
			f->recording[at].n_rows++;
	}
	if (err == -E2BIG) {
		f->recording[at].left_out = f->recording[at].rings;
		err = 0;
	}
	return err;
}

static int merge_groups(struct xtr_fleet *f, const struct xtr_fleet *src, int64_t *group)
{
	struct xtr_fleet_recording *r = &f->recording[f->n_recordings - 1];
	int err = 0;

	for (size_t i = 0; i < src->n_groups && !err; i++) {
		const struct xtr_fleet_group *g = &src->group[i];

		group[i] = fleet_group(f, g->name);
		if (group[i] == -E2BIG)
			r->left_out += (uint32_t)g->sums.rings;
		else if (group[i] < 0)
			err = (int)group[i];
		else
			err = fleet_sums_merge(&f->group[group[i]].sums, &g->sums);
		if (!err && group[i] >= 0)
			f->group[group[i]].recordings++;
	}
	return err;
}

int xtr_fleet_merge(struct xtr_fleet *f, const struct xtr_fleet *src, uint32_t file)
{
	int64_t *group;
	int err;

	if (!src->n_recordings)
		return 0;
	err = add_recording(f, &src->recording[0], file);
	if (err || f->recording[f->n_recordings - 1].repeated)
		return err;
	group = calloc(src->n_groups + 1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	err = merge_groups(f, src, group) ?: merge_rows(f, src, group);
	free(group);
	return err;
}

/* --- reading ---------------------------------------------------------------------------------- */

size_t xtr_fleet_n_files(const struct xtr_fleet *f)
{
	return f->n_files;
}

const struct xtr_fleet_file *xtr_fleet_file_at(const struct xtr_fleet *f, size_t i)
{
	return &f->file[i];
}

size_t xtr_fleet_n_recordings(const struct xtr_fleet *f)
{
	return f->n_recordings;
}

const struct xtr_fleet_recording *xtr_fleet_recording(const struct xtr_fleet *f, size_t i)
{
	return &f->recording[i];
}

const struct xtr_fleet_row *xtr_fleet_row(const struct xtr_fleet *f, size_t i)
{
	return &f->row[i];
}

size_t xtr_fleet_n_groups(const struct xtr_fleet *f)
{
	return f->n_groups;
}

const struct xtr_fleet_group *xtr_fleet_group(const struct xtr_fleet *f, size_t i)
{
	return &f->group[i];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different ones; -ENOMEM. */
static int64_t count_hosts(const struct xtr_fleet *f)
{
	const char **host = calloc(f->n_recordings + 1, sizeof(*host));
	size_t n = 0, different = 0;

	if (!host)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_recordings; i++)
		if (!f->recording[i].repeated && f->recording[i].host)
			host[n++] = f->recording[i].host;
	qsort(host, n, sizeof(*host), by_text);
	for (size_t i = 0; i < n; i++)
		different += !i || strcmp(host[i], host[i - 1]);
	free(host);
	return (int64_t)different;
}

int xtr_fleet_total(const struct xtr_fleet *f, struct xtr_fleet_total *t)
{
	int64_t hosts = count_hosts(f);

	*t = (struct xtr_fleet_total){ 0 };
	if (hosts < 0)
		return (int)hosts;
	t->hosts = (uint64_t)hosts;
	for (size_t i = 0; i < f->n_files; i++)
		t->files[f->file[i].state]++;
	for (size_t i = 0; i < f->n_recordings; i++) {
		const struct xtr_fleet_recording *r = &f->recording[i];

		t->repeated += r->repeated;
		if (r->repeated)
			continue;
		t->recordings++;
		t->span_ns = xtr_sat_add(t->span_ns, r->span_ns);
		t->events = xtr_sat_add(t->events, r->events);
		t->lost = xtr_sat_add(t->lost, r->lost);
		t->missing = xtr_sat_add(t->missing, r->missing);
		t->jobs = xtr_sat_add(t->jobs, r->jobs);
		t->rings += r->rings;
		t->left_out += r->left_out;
		t->without_host += !r->host;
		t->without_times += !r->times;
	}
	return 0;
}
