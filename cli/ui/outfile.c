/* SPDX-License-Identifier: BSD-2-Clause */
#include "outfile.h"
#include "cli.h"
#include "secure.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 18) /* bytes */

/* What a signal that ends the program takes along: one output at a time. */
static char *volatile doomed;

static void remove_doomed(int sig)
{
	if (doomed)
		unlink(doomed);
	raise(sig); /* its default action again, once this has returned */
}

static const int signals[] = { SIGHUP, SIGINT, SIGTERM };

/* A signal that is ignored (nohup) stays ignored. */
static void watch_signals(void)
{
	struct sigaction sa = { .sa_handler = remove_doomed, .sa_flags = (int)SA_RESETHAND }, old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &sa, NULL);
}

/* To who asked root to make it; where that cannot be, it is root's. */
static void give_away(int fd)
{
	uid_t uid;
	gid_t gid;

	if (cli_owner(&uid, &gid) && fchown(fd, uid, gid))
		errno = 0;
}

/* A file of this name that no signal finds without its name being known; -1 with errno. */
static int make_temporary(char *name)
{
	sigset_t ours, before;
	int fd, err;

	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	fd = mkostemp(name, O_CLOEXEC);
	err = errno;
	if (fd >= 0) {
		doomed = name;
		fchmod(fd, 0600); /* under any umask; who cannot has made it with fewer rights */
		give_away(fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

static int failed(const struct outfile *o, int err)
{
	if (err == EINVAL) {
		cli_error("'%s' is not a plain file", o->path);
		cli_hint("\"-o -\" writes to standard output");
	} else if (err == EEXIST) {
		cli_error("'%s' exists", o->path);
		cli_hint("use --force to replace it, or -o for another name");
	} else {
		cli_error("cannot write '%s': %s", o->path, cli_strerror(err));
	}
	return XTR_EXIT_FAILURE;
}

static int open_stdout(struct outfile *o)
{
	if (isatty(STDOUT_FILENO)) {
		cli_error("standard output is a terminal");
		cli_hint("use -o FILE, or a pipe");
		return XTR_EXIT_FAILURE;
	}
	o->f = stdout;
	return XTR_EXIT_OK;
}

/* Only a plain file is replaced: a device or a link is not what --force is for. */
static int check_target(const struct outfile *o)
{
	struct stat st;

	if (lstat(o->path, &st))
		return errno == ENOENT ? 0 : errno;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	return o->force ? 0 : EEXIST;
}

static void forget_temporary(struct outfile *o)
{
	doomed = NULL;
	free(o->temporary);
	o->temporary = NULL;
}

int outfile_check(const char *path, bool force)
{
	const struct outfile o = { .path = path, .force = force };
	int err = check_target(&o);

	return err ? failed(&o, err) : XTR_EXIT_OK;
}

int outfile_open(struct outfile *o, const char *path, bool force)
{
	static char buffer[BUFFER]; /* one output at a time */
	int fd, err;

	*o = (struct outfile){ .path = path, .force = force };
	if (!strcmp(path, "-"))
		return open_stdout(o);
	err = check_target(o);
	if (err)
		return failed(o, err);
	if (asprintf(&o->temporary, "%s.XXXXXX", path) < 0) {
		o->temporary = NULL;
		return failed(o, ENOMEM);
	}
	watch_signals();
	fd = make_temporary(o->temporary);
	if (fd >= 0)
		o->f = stream_open(&o->stream, fd);
	if (!o->f) {
		err = errno;
		if (fd >= 0) {
			close(fd);
			unlink(o->temporary);
		}
		forget_temporary(o);
		return failed(o, err);
	}
	setvbuf(o->f, buffer, _IOFBF, sizeof(buffer));
	return XTR_EXIT_OK;
}

char *outfile_name_for(const char *input, const char *suffix)
{
	const char *base = strrchr(input, '/');
	size_t n;
	char *name;

	base = base ? base + 1 : input;
	if (!strcmp(input, "-") || !*base)
		base = "trace";
	n = strlen(base);
	if (n > 4 && !strcmp(base + n - 4, ".xtr"))
		n -= 4;
	return asprintf(&name, "%.*s%s", (int)n, base, suffix) < 0 ? NULL : name;
}

int outfile_open_for(struct outfile *o, const char *path, const char *input, const char *suffix,
		     bool force)
{
	char *made = path ? NULL : outfile_name_for(input, suffix);
	int status;

	*o = (struct outfile){ 0 };
	if (!path && !made) {
		cli_error("%s", cli_strerror(ENOMEM));
		return XTR_EXIT_FAILURE;
	}
	status = outfile_open(o, path ? path : made, force);
	o->made = made;
	return status;
}

void outfile_free(struct outfile *o)
{
	free(o->made);
	o->made = NULL;
}

/* Without --force another program's file that came meanwhile is not replaced either. */
static int put_in_place(const struct outfile *o)
{
	if (o->force)
		return rename(o->temporary, o->path) ? errno : 0;
	if (!renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	/* A file system that cannot do it: a link refuses to replace, too. */
	if (link(o->temporary, o->path))
		return errno;
	unlink(o->temporary);
	return 0;
}

bool outfile_broken(const struct outfile *o)
{
	if (!o->temporary)
		return ferror(o->f);
	if (!o->stream.err)
		return false;
	failed(o, o->stream.err);
	return true;
}

static int sync_file(int fd)
{
	while (fsync(fd))
		if (errno != EINTR)
			return errno;
	return 0;
}

/* An interrupted close has closed all the same (close(2)). */
static int close_file(int fd)
{
	return close(fd) && errno != EINTR ? errno : 0;
}

int outfile_commit(struct outfile *o)
{
	int err, close_err;

	if (!o->temporary) {
		o->f = NULL;
		return XTR_EXIT_OK; /* cli_finish flushes standard output and reports its errors */
	}
	err = stream_error(&o->stream, o->f) ?: sync_file(o->stream.fd);
	fclose(o->f);
	o->f = NULL;
	close_err = close_file(o->stream.fd);
	err = err ? err : close_err;
	if (!err)
		err = put_in_place(o);
	if (err) {
		outfile_abandon(o);
		return failed(o, err);
	}
	forget_temporary(o);
	return XTR_EXIT_OK;
}

int outfile_end(struct outfile *o, const char *input, int err)
{
	int status;

	if (!err)
		return outfile_commit(o);
	status = outfile_broken(o) ? XTR_EXIT_FAILURE : cli_failed(input, err);
	outfile_abandon(o);
	return status;
}

int outfile_commit_told(struct outfile *o)
{
	int status = outfile_commit(o);
	struct stat st;

	if (status == XTR_EXIT_OK && strcmp(o->path, "-") && !cli_quiet && isatty(STDERR_FILENO) &&
	    !stat(o->path, &st))
		fprintf(stderr, "wrote %s: %s\n", o->path, cli_bytes((uint64_t)st.st_size));
	return status;
}

void outfile_abandon(struct outfile *o)
{
	if (!o->temporary)
		return;
	if (o->f) {
		fclose(o->f);
		close(o->stream.fd);
	}
	unlink(o->temporary);
	forget_temporary(o);
	o->f = NULL;
}

/* --- outfile io ------------------------------------------------------------------------------- */

static int append(struct xtr_io *io, const void *buf, size_t n)
{
	FILE *f = ((struct outfile_io *)io)->out->f;

	errno = 0;
	if (fwrite(buf, 1, n, f) == n)
		return 0;
	return errno ? -errno : -EIO;
}

static int close_nothing(struct xtr_io *io)
{
	(void)io;
	return 0;
}

static const struct xtr_io_ops ops = {
	.append = append,
	.close = close_nothing,
};

void outfile_io_init(struct outfile_io *io, struct outfile *out)
{
	*io = (struct outfile_io){ .io = { &ops }, .out = out };
}

/* --- owner ------------------------------------------------------------------------------------ */

#define MAX_GROUPS 65536 /* NGROUPS_MAX of Linux */

/* Digits alone, and no number that means "none" to chown(2). */
static bool get_id(const char *name, uint32_t *id)
{
	const char *s = cli_getenv(name);
	uint64_t n = 0;

	if (!s || !*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
		if (n >= UINT32_MAX)
			return false;
	}
	*id = (uint32_t)n;
	return true;
}

static bool is_member(const struct passwd *user, gid_t gid)
{
	int n = MAX_GROUPS;
	gid_t *groups = malloc(sizeof(*groups) * MAX_GROUPS);
	bool found = false;

	if (groups && getgrouplist(user->pw_name, user->pw_gid, groups, &n) >= 0)
		while (n > 0 && !found)
			found = groups[--n] == gid;
	free(groups);
	return found;
}

bool cli_owner(uid_t *uid, gid_t *gid)
{
	const struct passwd *user;
	uint32_t u, g;

	if (getuid() || geteuid() || !get_id("SUDO_UID", &u) || !get_id("SUDO_GID", &g) || !u)
		return false;
	user = getpwuid(u);
	if (!user || !is_member(user, g))
		return false;
	*uid = u;
	*gid = g;
	return true;
}
