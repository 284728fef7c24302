/* SPDX-License-Identifier: BSD-2-Clause */
#include "ship_recover.h"
#include "cli/ui/cli.h"

#include "format/meta/piece.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SELF     "/proc/self/exe"
#define AGAIN_NS 60000000000ull /* after one that has failed: the disk may be full */
#define SETTLE_S 30 /* in which a flight recorder's service has collected what it left */

/* --- xtr recover ------------------------------------------------------------------------------ */

/* The name of what is made of a piece; its recorder may not have begun a file: then the ID is 0. */
static int name_for(const struct ship_recover *r, const char *name, char to[NAME_MAX + 1])
{
	struct ship_facts f;
	int err = ship_facts(r->spool->dir, name, false, &f);

	if (err && err != -ENOENT && err != -EBADMSG)
		return err;
	if (snprintf(to, NAME_MAX + 1, "%s.%016" PRIx64 "%s", name, err ? 0 : f.file_id,
		     SHIP_COLLECTED) > NAME_MAX)
		return -ENAMETOOLONG;
	return 0;
}

/* `xtr recover` into ship/. 0; 1: it failed, and has said why; or -errno. */
static int recover(struct ship_recover *r, const char *name, bool killed, struct ship_piece *made)
{
	char from[PATH_MAX], to[PATH_MAX];
	char *with[] = { SELF, "recover", "--quiet", "--force", "-o", to, from, "--killed", NULL };
	struct ship_child c = { .argv = with, .lock = r->spool->taken };
	int status;

	*made = (struct ship_piece){ .place = SHIP_IS_LEFT };
	status = name_for(r, name, made->name);
	if (status)
		return status;
	if ((size_t)snprintf(from, sizeof(from), "%s/%s", r->spool->path, name) >= sizeof(from) ||
	    (size_t)snprintf(to, sizeof(to), "%s/%s/%s", r->spool->path, SHIP_TAKEN, made->name) >=
		    sizeof(to))
		return -ENAMETOOLONG;
	if (!killed)
		with[7] = NULL;
	status = ship_child_run(&c, r->wait);
	if (status < 0)
		cli_warn("'%s': 'xtr recover' cannot be started: %s", from, cli_strerror(status));
	if (status >= 0 && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == XTR_EXIT_OK || WEXITSTATUS(status) == XTR_EXIT_LOSS))
		return 0;
	r->again = cli_now() + AGAIN_NS;
	r->waits = true;
	return 1;
}

/* What was collected takes the place of what the recorder had written, then gets its ID. */
static int finish(struct ship_recover *r, struct ship_piece *p)
{
	char name[NAME_MAX + 1];
	struct ship_facts f;
	uint64_t file_id;
	int err = ship_facts(r->spool->taken, p->name, true, &f);

	if (err || !ship_collected_of(p->name, name, &file_id))
		return err;
	r->made = true;
	return ship_forget_rest(r->spool, name, file_id) ?: ship_take(r->spool, p, &f);
}

static int make(struct ship_recover *r, const char *name, bool killed)
{
	struct ship_piece p;

	return recover(r, name, killed, &p) ?: finish(r, &p);
}

/* --- what dead recorders left ----------------------------------------------------------------- */

/* "run.000007.xtr" of a recorder; false: it is not one of those that are shipped. */
static bool name_of(const struct ship_recover *r, const struct ship_recorder *rec, uint64_t number,
		    char name[NAME_MAX + 1])
{
	char *path = xtr_piece_path(rec->output, number);
	size_t n = strlen(rec->output);
	const char *base = r->spool->base;

	if (n > 4 && !strcmp(rec->output + n - 4, ".xtr"))
		n -= 4;
	snprintf(name, NAME_MAX + 1, "%s", path ? path : "");
	free(path);
	return *name && (!base || (strlen(base) == n && !strncmp(base, rec->output, n)));
}

static bool is_named(const struct ship_recover *r, const char *name, bool dead)
{
	char one[NAME_MAX + 1];

	for (size_t i = 0; i < r->recorders.n; i++) {
		const struct ship_recorder *rec = &r->recorders.v[i];

		for (uint64_t n = rec->first; n <= rec->last && !(dead && rec->alive); n++)
			if (name_of(r, rec, n, one) && !strcmp(one, name))
				return true;
	}
	return false;
}

/*
 * The recorder had made the file of its next piece, and had not come to writing into it: all of it
 * belongs to those that were open (recorder/drain/open_pieces.h).
 */
static int forget_begun(struct ship_recover *r, const struct ship_recorder *rec)
{
	char name[NAME_MAX + 1];
	struct ship_facts f;
	int err;

	if (!name_of(r, rec, rec->last + 1, name))
		return 0;
	err = ship_facts(r->spool->dir, name, false, &f);
	if (err)
		return err == -ENOENT || err == -EBADMSG ? 0 : err;
	if (f.whole || f.events)
		return 0;
	return ship_forget_rest(r->spool, name, f.file_id);
}

/*
 * The one that was collected is there before what was left in the kernel is dropped, and that is
 * dropped before the recorder's file goes: after a kill, either is done again or found done.
 */
static int collect(struct ship_recover *r, const struct ship_recorder *rec)
{
	char name[NAME_MAX + 1];
	int status = forget_begun(r, rec);

	if (status)
		return status;
	for (uint64_t n = rec->first; n <= rec->last; n++) {
		if (!name_of(r, rec, n, name))
			return 0;
		status = make(r, name, true);
		if (status)
			return status < 0 ? status : 0;
	}
	return 0;
}

/* Finishes what an earlier shipper had collected. */
static int finish_all(struct ship_recover *r)
{
	struct ship_pieces all;
	int err = ship_spool_list(r->spool, &all);

	for (size_t i = 0; !err && i < all.n; i++) {
		struct ship_piece *p = &all.v[i];
		char name[NAME_MAX + 1];
		uint64_t id;

		if (p->place == SHIP_IS_LEFT && ship_collected_of(p->name, name, &id) &&
		    !is_named(r, name, true))
			err = finish(r, p);
	}
	ship_pieces_free(&all);
	return err;
}

int ship_recover_all(struct ship_recover *r)
{
	bool now = cli_now() >= r->again;
	int err;

	ship_recorders_free(&r->recorders);
	err = ship_recorders(r->spool->dir, &r->recorders) ?: finish_all(r);
	for (size_t i = 0; i < r->recorders.n && !err && !r->wait->stop; i++)
		if (!r->recorders.v[i].alive && now)
			err = collect(r, &r->recorders.v[i]);
		else if (!r->recorders.v[i].alive)
			r->waits = true;
	return err;
}

/* --- one piece -------------------------------------------------------------------------------- */

/* A flight recorder's newest file is looked for by who collects what it kept. */
static bool is_recent(const struct ship_recover *r, const char *name)
{
	struct stat st;

	return !fstatat(r->spool->dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_mtim.tv_sec + SETTLE_S > time(NULL);
}

bool ship_is_open(const struct ship_recover *r, const char *name, const struct ship_facts *f)
{
	return is_named(r, name, false) ||
	       (r->recorders.unknown && f->whole && f->flight && f->pinned && is_recent(r, name));
}

static int nothing_in(const struct ship_recover *r, const struct ship_piece *p)
{
	return unlinkat(r->spool->dir, p->name, 0) && errno != ENOENT ? -errno : 0;
}

int ship_recover_one(struct ship_recover *r, struct ship_piece *p, const struct ship_facts *f)
{
	if (r->recorders.unknown && f->pinned) {
		if (!r->told)
			cli_warn(
				"'%s/%s' waits: what its recorder left may be collected by another user alone, with 'xtr recover --killed'",
				r->spool->path, p->name);
		r->told = r->waits = true;
		return 1;
	}
	if (f->empty)
		return nothing_in(r, p);
	if (cli_now() < r->again) {
		r->waits = true;
		return 1;
	}
	return make(r, p->name, false);
}
