/* SPDX-License-Identifier: BSD-2-Clause */
#include "completion_names.h"
#include "cli/ui/cli.h"
#include "trace.h"

#include "format/read/reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	NAMES_MAX = 20000, /* nobody chooses among more */
	NAME_MAX_BYTES = 256
};

struct names {
	char **v; /* "name\tmore" */
	size_t n;
	bool no_memory; /* some are not there */
};

/*
 * Shells quote what they complete, and what is left out here they never see: a trace is a
 * stranger's. Blanks, quotes and what shells expand are in no name of a driver.
 */
static bool plain(const char *s)
{
	const char *p = s;

	while (isalnum((unsigned char)*p) || (*p && strchr("_-.:/@+#,%=", *p)))
		p++;
	return p > s && !*p && p - s < NAME_MAX_BYTES && *s != '-';
}

static void add(struct names *names, const char *name, const char *more)
{
	char text[2 * NAME_MAX_BYTES + 2];

	if (names->n == NAMES_MAX || !name || !plain(name))
		return;
	snprintf(text, sizeof(text), "%s\t%s", name, more && plain(more) ? more : "");
	names->v[names->n] = strdup(text);
	if (names->v[names->n])
		names->n++;
	else
		names->no_memory = true;
}

static void events(struct names *names, const struct xtr_section *s)
{
	const struct xtr_meta *meta = xtr_section_meta(s);

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++)
		add(names, xtr_meta_event_at(meta, i)->name, NULL);
}

static const char *string(const struct xtr_section *s, uint32_t id)
{
	size_t n;

	return xtr_tables_string(xtr_section_tables(s), id, &n);
}

static void devices(struct names *names, const struct xtr_section *s)
{
	const struct xtr_tables *t = xtr_section_tables(s);
	const struct xtr_meta *meta = xtr_section_meta(s);

	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++)
		add(names, xtr_meta_device(meta, i)->name, xtr_meta_device(meta, i)->driver);
	for (size_t i = 0; i < xtr_tables_n_rings(t); i++)
		add(names, string(s, xtr_tables_ring_at(t, i)->device), NULL);
}

static void rings(struct names *names, const struct xtr_section *s)
{
	const struct xtr_tables *t = xtr_section_tables(s);

	for (size_t i = 0; i < xtr_tables_n_rings(t); i++)
		add(names, string(s, xtr_tables_ring_at(t, i)->name),
		    string(s, xtr_tables_ring_at(t, i)->device));
}

static void pids(struct names *names, const struct xtr_section *s)
{
	const struct xtr_tables *t = xtr_section_tables(s);
	char pid[16];

	for (size_t i = 0; i < xtr_tables_n_tasks(t); i++) {
		const struct xtr_task *task = xtr_tables_task_at(t, i);

		snprintf(pid, sizeof(pid), "%u", task->pid);
		if (task->pid)
			add(names, pid, task->pid == task->tid ? string(s, task->comm) : NULL);
	}
}

static const struct {
	const char *option, *kind;
	void (*of)(struct names *names, const struct xtr_section *s);
} kinds[] = {
	{ "event", "events", events },
	{ "device", "devices", devices },
	{ "ring", "rings", rings },
	{ "pid", "pids", pids },
};

const char *cli_names_kind(const char *option)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].option, option))
			return kinds[i].kind;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each name once, with more about it where anything is known: that is behind the one without. */
static void put(FILE *f, struct names *names)
{
	size_t len;

	qsort(names->v, names->n, sizeof(*names->v), compare);
	for (size_t i = 0; i < names->n; i++) {
		len = strcspn(names->v[i], "\t") + 1;
		if (i + 1 == names->n || strncmp(names->v[i], names->v[i + 1], len) != 0)
			fprintf(f, "%s\n", names->v[i]);
	}
}

/* No event is wanted: of a file with an index little but that is read. */
static void nothing(void *ctx, const struct xtr_section *s, uint64_t *from, uint64_t *to)
{
	(void)ctx;
	(void)s;
	*from = *to = 1;
}

/*
 * Words of a command line: most of them are no files, and a pipe would have to be waited for. 0, *r
 * NULL if it is no trace; -errno.
 */
static int open_word(const char *word, struct xtr_reader **r)
{
	const struct xtr_part none = { .window = nothing };
	struct cli_open_err why;
	struct stat st;
	int err;

	*r = NULL;
	if (stat(word, &st))
		return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return 0;
	err = cli_try_part(word, &none, r, &why);
	if (err)
		*r = NULL;
	return err == -EBADMSG || err == -ENOSYS ? 0 : err;
}

static int gather(struct names *names, size_t kind, char *const *words, size_t n)
{
	struct xtr_reader *r = NULL;

	for (size_t i = 0; i < n && !r; i++) {
		int err = open_word(words[i], &r);

		if (err)
			return cli_failed(words[i], err);
	}
	for (size_t i = 0; r && i < xtr_reader_n_sections(r); i++)
		kinds[kind].of(names, xtr_reader_section(r, i));
	xtr_reader_close(r);
	return names->no_memory ? cli_failed("names", -ENOMEM) : XTR_EXIT_OK;
}

int cli_dump_names(FILE *f, const char *kind, char *const *words, size_t n)
{
	const size_t n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	struct names names = { 0 };
	size_t k = 0;
	int status;

	while (k < n_kinds && (!kind || strcmp(kinds[k].kind, kind) != 0))
		k++;
	if (k == n_kinds)
		return cli_usage_error(NULL, "--dump-names takes events, devices, rings or pids");
	names.v = calloc(NAMES_MAX, sizeof(*names.v));
	if (!names.v)
		return cli_failed("names", -ENOMEM);
	status = gather(&names, k, words, n);
	if (status == XTR_EXIT_OK)
		put(f, &names);
	for (size_t i = 0; i < names.n; i++)
		free(names.v[i]);
	free(names.v);
	return status;
}
