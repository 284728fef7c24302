/* SPDX-License-Identifier: BSD-2-Clause */
#include "recover_killed.h"
#include "cli/ui/cli.h"

#include "format/meta/piece.h"
#include "recorder/salvage/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct killed {
	struct xtr_salvage *salvage;
	struct xtr_salvage_result res;
	uint64_t file_id;
	bool appended;
};

static int failed(const char *what, int err)
{
	cli_error("%s: %s", what,
		  err == -EBUSY     ? "its recorder still records, or somebody else collects it"
		  : err == -EAGAIN  ? "the piece before it was not finished and comes first"
		  : err == -EBADMSG ? "it was left by another version of xtr"
				    : cli_strerror(err));
	if (err == -EPERM || err == -EACCES)
		cli_hint("it takes the rights of the recorder: root's in general");
	return err == -EPERM || err == -EACCES ? XTR_EXIT_PRIVILEGE : XTR_EXIT_FAILURE;
}

static int failed_id(uint64_t id, int err)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	return failed(text, err);
}

/* --- list and drop ---------------------------------------------------------------------------- */

static void print_time(FILE *f, uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000u);
	struct tm tm;
	char s[40];

	if (localtime_r(&t, &tm) && strftime(s, sizeof(s), "%Y-%m-%d %H:%M:%S", &tm))
		fprintf(f, ", begun %s", s);
}

/* number: of a piece; 0: it is one file. */
static void print_collect(FILE *f, const char *output, uint64_t number)
{
	char *piece = number ? xtr_piece_path(output, number) : NULL;
	const char *path = piece ? piece : output;

	fprintf(f, "  collect xtr recover --killed %s\n", strcmp(path, "-") ? path : "FILE");
	free(piece);
}

static void print_one(FILE *f, const struct xtr_leftover *l)
{
	fprintf(f, "%016" PRIx64 "  ", l->id);
	if (l->error) {
		fprintf(f, "cannot be read: %s\n",
			l->error == -EBADMSG   ? "left by another version of xtr"
			: l->error == -ENODATA ? "what it kept in memory is gone"
			: l->error == -EACCES  ? "it is another user's"
					       : cli_strerror(l->error));
	} else if (l->nothing) {
		fprintf(f, "nothing is missing in the file\n");
	} else {
		fprintf(f, "%s %s; %s of memory\n", cli_events(l->events),
			l->flight ? "kept, or on their way to where they are kept"
				  : "not in the file, or on their way to it",
			cli_bytes(l->bytes));
		fprintf(f, "  of      '%s', process %" PRIu64, l->output, l->pid);
		print_time(f, l->began_ns);
		fprintf(f, "\n");
		for (uint64_t i = l->first; i <= l->last; i++)
			print_collect(f, l->output, i);
	}
	fprintf(f, "  drop    xtr recover --killed --drop %016" PRIx64 "\n", l->id);
}

/* Is it in this error that it cannot be collected? All others are of this look at it. */
static bool is_known(int err)
{
	return !err || err == -EBADMSG || err == -ENODATA || err == -EACCES;
}

int killed_list(void)
{
	struct xtr_leftover *v;
	size_t n, dead = 0;
	int err = xtr_leftovers(&v, &n), status = XTR_EXIT_OK;
	FILE *f = cli_out();

	if (err)
		return failed("cannot list what dead recorders left", err);
	for (size_t i = 0; i < n; i++) {
		if (v[i].alive)
			continue;
		print_one(f, &v[i]);
		dead++;
		if (!is_known(v[i].error))
			status = failed_id(v[i].id, v[i].error);
	}
	if (!dead)
		fprintf(f, "No dead recorder has left anything.\n");
	free(v);
	return cli_finish(status);
}

static int drop_all(void)
{
	struct xtr_leftover *v;
	size_t n;
	int err = xtr_leftovers(&v, &n), one;

	if (err)
		return failed("cannot list what dead recorders left", err);
	for (size_t i = 0; i < n; i++) {
		if (v[i].alive)
			continue;
		one = xtr_leftover_drop(v[i].id);
		err = one && one != -ENOENT ? one : err;
	}
	free(v);
	return err ? failed("--drop all", err) : XTR_EXIT_OK;
}

int killed_drop(const char *id)
{
	char *end;
	uint64_t n;
	int err;

	if (!strcmp(id, "all"))
		return drop_all();
	errno = 0;
	n = strtoull(id, &end, 16);
	if (errno || *end || strlen(id) != 16) {
		cli_error("invalid ID '%s' for --drop", id);
		cli_hint("'xtr recover --killed' lists them");
		return XTR_EXIT_USAGE;
	}
	err = xtr_leftover_drop(n);
	return err ? failed(id, err) : XTR_EXIT_OK;
}

/* --- of one trace ----------------------------------------------------------------------------- */

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* The same name in the same directory: there need not be such a file. */
static bool same_place(const char *a, const char *b)
{
	const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
	char *dir_a = folder_of(a), *dir_b = folder_of(b);
	struct stat st_a, st_b;
	bool same;

	name_a = name_a ? name_a + 1 : a;
	name_b = name_b ? name_b + 1 : b;
	same = !strcmp(name_a, name_b) && dir_a && dir_b && !stat(dir_a, &st_a) &&
	       !stat(dir_b, &st_b) && st_a.st_ino == st_b.st_ino && st_a.st_dev == st_b.st_dev;
	free(dir_a);
	free(dir_b);
	return same;
}

/* The dead flight recorder with this output, or whose next piece would have this path; 0: none. */
static uint64_t flight_of(const char *path)
{
	struct xtr_leftover *v;
	uint64_t id = 0;
	size_t n;

	if (xtr_leftovers(&v, &n))
		return 0;
	for (size_t i = 0; i < n && !id; i++) {
		char *piece = v[i].flight ? xtr_piece_path(v[i].output, v[i].last) : NULL;

		if (piece && !v[i].nothing &&
		    (same_place(piece, path) || same_place(v[i].output, path)))
			id = v[i].id;
		free(piece);
	}
	free(v);
	return id;
}

int killed_open_flight(struct killed **out, const char *path, struct xtr_reader **image)
{
	uint64_t id = flight_of(path);
	struct killed *r;
	int err;

	*out = NULL;
	*image = NULL;
	if (!id)
		return XTR_EXIT_OK;
	r = calloc(1, sizeof(*r));
	err = r ? xtr_salvage_open_flight(&r->salvage, id, image) : -ENOMEM;
	if (err) {
		free(r);
		return failed(path, err);
	}
	r->file_id = xtr_section_file_id(xtr_reader_section(*image, 0));
	*out = r;
	return XTR_EXIT_OK;
}

int killed_open(struct killed **out, const char *path, const struct xtr_reader *trace)
{
	struct killed *r = calloc(1, sizeof(*r));
	int err = r ? -ENOENT : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; err == -ENOENT && i < xtr_reader_n_sections(trace); i++) {
		r->file_id = xtr_section_file_id(xtr_reader_section(trace, i));
		err = xtr_salvage_open(&r->salvage, r->file_id);
	}
	if (!err) {
		*out = r;
		return XTR_EXIT_OK;
	}
	free(r);
	if (err != -ENOENT)
		return failed(path, err);
	cli_error("'%s': no dead recorder has left anything of this file", path);
	cli_hint("'xtr recover' without --killed writes what is good of it");
	return XTR_EXIT_FAILURE;
}

bool killed_is_of(const struct killed *r, const struct xtr_section *s)
{
	return xtr_section_file_id(s) == r->file_id;
}

int killed_append(struct killed *r, struct xtr_recover_more *m)
{
	r->appended = true;
	return xtr_salvage_write(r->salvage, m, &r->res);
}

/* The name is there after a power cut, too. */
static void sync_folder(const char *path)
{
	char *dir = folder_of(path);
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

void killed_done(struct killed *r, const char *output)
{
	uint64_t next;
	int err;

	if (!cli_quiet && r->appended)
		fprintf(stderr, "%s added from the kernel; lost while recording: %s\n",
			cli_events(r->res.events), cli_events(r->res.lost));
	if (r->res.names_lost)
		cli_warn("some names are missing: there was no memory to keep them");
	if (!cli_quiet && !r->appended)
		fprintf(stderr, "the recording is whole: nothing to add from the kernel\n");
	if (!strcmp(output, "-"))
		return;
	sync_folder(output);
	err = xtr_salvage_done(r->salvage, &next);
	if (!err && next)
		cli_hint("piece %" PRIu64 " has more: collect that, too", next);
	if (err)
		cli_warn("what the recorder left cannot be removed: %s", cli_strerror(err));
}

void killed_close(struct killed *r)
{
	if (!r)
		return;
	xtr_salvage_close(r->salvage);
	free(r);
}
