/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr top of what is being recorded: a pipe, or a file that grows. */
#include "top.h"
#include "trace.h"

#include "format/read/follow.h"
#include "format/meta/piece.h"
#include "format/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (1u << 16)
#define LOOK_MS    100         /* between two looks at a file that grows */
#define GONE_LOOKS 10          /* of them, until it is asked whether somebody still writes */
#define LAG_NS     1500000000u /* a recorder hands over all that is older than this */
#define PROBLEMS   5           /* that are said one by one */

/* A problem of a file. */
struct told {
	struct xtr_problem p;
	char *path; /* NULL: no memory, or none */
};

struct following {
	struct top *t;
	struct top_input in; /* of a rotated recording: the piece at hand */
	const char *first;   /* path of the first one; NULL: a recorder of top's own */
	char *piece_path;    /* that in.path is, behind the first one; else NULL */
	int own_fd;          /* likewise of in.fd; else -1 */
	struct xtr_piece piece;
	uint64_t base; /* bytes of the pieces before */
	bool rotated;  /* the piece has ended, and another one comes */
	bool turned;   /* it has been opened, and has not begun yet */
	bool gone;     /* it is not there, though it should be */
	struct xtr_follow *f;
	struct xtr_slices *slices; /* of the section at hand, or NULL */
	struct xtr_slices *before; /* of the piece before it, until it begins; or NULL */
	const struct xtr_section *section;
	size_t n_sections;
	bool here; /* it is being recorded on this machine since this boot: its clock is ours */
	struct told problem[PROBLEMS];
	size_t n_problems;
};

bool top_is_written(int fd)
{
	/* A lease for reading is given only where nobody has the file open for writing. */
	if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
		fcntl(fd, F_SETLEASE, F_UNLCK);
		return false;
	}
	return errno == EAGAIN;
}

/* --- sections --------------------------------------------------------------------------------- */

/* Has it ended as a piece behind which another one comes? */
static bool is_rotated(const struct xtr_section *s)
{
	const char *reason = xtr_section_end_reason(s);

	return reason && !strcmp(reason, XTR_PIECE_ROTATED);
}

static void set_facts(struct following *w)
{
	struct xtr_slice_facts *f = &w->t->facts;
	const struct xtr_recorder_cost *cost = xtr_section_end_cost(w->section);
	struct xtr_follow_status st;

	xtr_follow_status(w->f, &st);
	f->lost = st.lost;
	f->unreadable = st.missing;
	f->problems = st.problems;
	f->state = st.ended && !is_rotated(w->section) ? "ended"
		   : w->in.path                        ? "following"
						       : "recording";
	if (cost) {
		f->cost_ns = cost->cpu_ns;
		f->cost_over_ns = cost->elapsed_ns;
	} else if (w->in.cost) {
		w->in.cost(w->in.ctx, &f->cost_ns, &f->cost_over_ns);
	}
}

static int on_slice(void *ctx, const struct xtr_slice *s)
{
	struct following *w = ctx;

	set_facts(w);
	if (!s->number)
		w->t->facts.first_ns = s->begin;
	return top_show(w->t, s);
}

/* A file of that name may be of another recording. */
static bool is_next_piece(const struct following *w, const struct xtr_meta *m)
{
	struct xtr_piece p;

	return xtr_piece_read(&p, m) && p.of == w->piece.of && p.number == w->piece.number + 1;
}

static void forget_before(struct following *w)
{
	xtr_slices_free(w->before);
	w->before = NULL;
}

static int on_begin(void *ctx, const struct xtr_section *s)
{
	struct following *w = ctx;
	struct xtr_slices_opts so = {
		.meta = xtr_section_meta(s),
		.interval_ns = w->t->o->interval,
		.slice = on_slice,
		.ctx = w,
	};

	if (!xtr_meta_has_times(so.meta))
		return -ENOTSUP;
	if (w->turned && !is_next_piece(w, so.meta))
		return -ESTALE;
	w->turned = w->rotated = false;
	w->section = s;
	w->here = cli_same_boot(so.meta);
	so.tables = xtr_section_tables(s);
	replay_select_given(&w->t->cmd, &so.select);
	w->t->facts = (struct xtr_slice_facts){
		.path = w->in.path,
		.section = w->n_sections++,
		.meta = so.meta,
		.tables = so.tables,
	};
	return xtr_slices_new(&w->slices, &so);
}

/* Jobs of the piece before go on. By now the names of their rings are known. */
static int go_on(struct following *w)
{
	struct xtr_piece p;
	int err = 0;

	if (xtr_piece_read(&p, xtr_section_meta(w->section)) && p.from)
		err = xtr_slices_go_on(w->slices, w->before, p.from);
	forget_before(w);
	return err;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct following *w = ctx;

	return (w->before ? go_on(w) : 0) ?: xtr_slices_event(w->slices, ev);
}

static int on_round(void *ctx, uint64_t ts)
{
	return xtr_slices_advance(((struct following *)ctx)->slices, ts);
}

static int on_end(void *ctx)
{
	struct following *w = ctx;
	int err = 0;

	w->rotated =
		is_rotated(w->section) && xtr_piece_read(&w->piece, xtr_section_meta(w->section));
	if (w->rotated && w->piece.to) /* its time goes on up to the next one */
		err = xtr_slices_advance(w->slices, w->piece.to);
	if (!err)
		err = xtr_slices_finish(w->slices);
	if (w->rotated && !w->before) /* else it had no events */
		w->before = w->slices;
	else
		xtr_slices_free(w->slices);
	w->slices = NULL;
	return err;
}

static void on_problem(void *ctx, const struct xtr_problem *p)
{
	struct following *w = ctx;

	if (w->n_problems < PROBLEMS) {
		struct told *t = &w->problem[w->n_problems];

		t->p = *p;
		t->p.offset -= p->offset < w->base ? p->offset : w->base;
		t->path = w->in.path ? strdup(w->in.path) : NULL;
	}
	w->n_problems++;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static int wait_for(struct following *w, int fd, int ms, bool *readable)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	if (w->t->screen)
		return top_screen_wait(w->t->screen, fd, ms, readable);
	n = poll(&p, 1, ms);
	*readable = n > 0;
	return n < 0 && errno != EINTR ? -errno : 0;
}

/* Nothing comes: the time goes on all the same. */
static int idle(struct following *w)
{
	uint64_t now;

	if (!w->here || !w->slices)
		return 0;
	now = cli_now();
	return now > LAG_NS ? xtr_slices_advance(w->slices, now - LAG_NS) : 0;
}

/* The piece is read to its end: go on with the one behind it. 0; -errno: it cannot be opened. */
static int next_piece(struct following *w, uint64_t bytes)
{
	char *path = xtr_piece_next_path(w->in.path);
	int fd, err;

	if (!path)
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	err = fd < 0 ? -errno : 0;
	w->gone = err == -ENOENT;
	free(w->piece_path);
	w->piece_path = path;
	w->in.path = w->t->facts.path = path;
	if (err)
		return err;
	if (w->own_fd >= 0)
		close(w->own_fd);
	w->in.fd = w->own_fd = fd;
	w->base = bytes;
	w->turned = true;
	w->rotated = false;
	return 0;
}

/* Nothing more is there by now: is that the end? */
static int at_end(struct following *w, unsigned int *looks, bool *end)
{
	struct xtr_follow_status st;
	bool readable;
	int err;

	xtr_follow_status(w->f, &st);
	if (w->in.grows && w->rotated && st.closed) {
		err = next_piece(w, st.bytes);
		*end = err == -ENOENT;
		return *end ? 0 : err;
	}
	*end = !w->in.grows || (st.ended && !w->rotated && !w->turned) ||
	       (*looks >= GONE_LOOKS && !top_is_written(w->in.fd));
	if (*end)
		return 0;
	*looks = *looks >= GONE_LOOKS ? 1 : *looks + 1;
	return wait_for(w, -1, LOOK_MS, &readable);
}

static int all_bytes(struct following *w, uint8_t *buf)
{
	unsigned int looks = 0;
	bool readable, end = false;
	int err = 0;

	while (!err && !end) {
		ssize_t n;

		err = wait_for(w, w->in.fd, 4 * LOOK_MS, &readable);
		if (!err && !readable)
			err = idle(w);
		if (err || !readable)
			continue;
		n = read(w->in.fd, buf, READ_BYTES);
		if (n > 0) {
			looks = 0;
			err = xtr_follow_bytes(w->f, buf, (size_t)n);
		} else if (n == 0) {
			err = at_end(w, &looks, &end);
			if (!err && !end)
				err = idle(w);
		} else if (errno != EINTR && errno != EAGAIN) {
			err = -errno;
		}
	}
	return err ? err : xtr_follow_end(w->f);
}

/* --- what is said at the end ------------------------------------------------------------------ */

static const char *path_of(const struct following *w)
{
	return w->in.path ? w->in.path : "recording";
}

static void report_problem(const struct following *w, const struct told *t)
{
	char text[128];

	cli_error("'%s': %s", t->path ? t->path : path_of(w),
		  xtr_problem_text(text, sizeof(text), &t->p));
}

static int report(const struct following *w)
{
	const char *path = w->first ? w->first : path_of(w);
	struct xtr_follow_status st;

	xtr_follow_status(w->f, &st);
	if (st.lost)
		cli_error("'%s': %s lost while recording", path, cli_events(st.lost));
	if (st.missing)
		cli_error("'%s': %s of those recorded in damaged or missing chunks", path,
			  cli_events(st.missing));
	for (size_t i = 0; i < w->n_problems && i < PROBLEMS; i++)
		report_problem(w, &w->problem[i]);
	if (w->n_problems > PROBLEMS)
		cli_error("'%s': %s more problems: 'xtr check' shows all", path,
			  cli_count(w->n_problems - PROBLEMS));
	return st.lost || st.missing || w->n_problems ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

static int status_of(const struct following *w, int ret)
{
	const char *path = path_of(w);
	struct xtr_follow_status st;
	int status;

	xtr_follow_status(w->f, &st);
	top_leave_screen(w->t);       /* what is said belongs on the terminal as it was */
	if (!w->in.path && !st.bytes) /* the recorder has said why */
		return XTR_EXIT_FAILURE;
	status = report(w);
	if (ret == -ENOTSUP) {
		cli_error("'%s': top needs times, and the trace has none", path);
		return XTR_EXIT_FAILURE;
	}
	if (ret == -ESTALE) {
		cli_error("'%s': it is not the next piece of the recording that '%s' is of", path,
			  w->first);
		return XTR_EXIT_FAILURE;
	}
	if (w->gone)
		cli_warn("'%s': the recording went on in this piece, which is not there any more",
			 path);
	if (ret == -EBADMSG || ret == -EPROTO) /* said with the problems */
		return XTR_EXIT_FAILURE;
	if (ret < 0)
		return ferror(w->t->cmd.out) ? status : cli_failed(path, ret);
	return status;
}

int top_follow(struct top *t, const struct top_input *in)
{
	struct following w = { .t = t, .in = *in, .first = in->path, .own_fd = -1 };
	const struct xtr_follow_opts o = { .begin = on_begin,
					   .event = on_event,
					   .round = on_round,
					   .end = on_end,
					   .problem = on_problem,
					   .ctx = &w };
	uint8_t *buf = malloc(READ_BYTES);
	int err = buf ? xtr_follow_new(&w.f, &o) : -ENOMEM, status;

	if (err) {
		free(buf);
		return cli_failed(in->path ? in->path : "recording", err);
	}
	t->live = true;
	err = all_bytes(&w, buf);
	while (!err && t->screen) /* the last picture stays */
		err = top_screen_wait(t->screen, -1, -1, NULL);
	status = status_of(&w, err);
	xtr_slices_free(w.slices);
	forget_before(&w);
	xtr_follow_free(w.f);
	if (w.own_fd >= 0)
		close(w.own_fd);
	free(w.piece_path);
	for (size_t i = 0; i < PROBLEMS; i++)
		free(w.problem[i].path);
	free(buf);
	return status;
}
