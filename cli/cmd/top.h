/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `xtr top`, in parts: where slices come from (top_file.c: a file that is finished, top_follow.c:
 * bytes as they are written, top_live.c: a recorder of its own), and where they go: text or JSON to
 * standard output (cmd_top.c), or the screen of a terminal (top_screen.c).
 */
#ifndef XTR_CLI_TOP_H
#define XTR_CLI_TOP_H

#include "replay_cmd.h"

#include "analysis/top/slice_view.h"

struct top_opts {
	struct replay_opts replay;
	uint64_t interval, count; /* ns; 0: no limit */
	double pace;
	bool batch, json, follow;
	const char *sort;
	struct cli_list events;
};

#define TOP_STOP 1 /* what a callback returns when enough was shown */

struct top_screen;

struct top {
	const struct top_opts *o;
	struct replay_cmd cmd; /* the file, if it is one */
	struct xtr_slice_facts facts;
	struct xtr_slice_look look;
	struct pace pace;
	struct xtr_json json;
	bool on_screen;            /* is to be used */
	struct top_screen *screen; /* NULL: it is not, or not yet */
	bool live;                 /* bytes come while time goes by: nothing may wait */
	bool final;                /* the section at hand is the last one of the file */
	int signal;                /* that asked to end, 0: none did */
	uint64_t shown;            /* slices */
};

/* A slice is there: show it. 0, TOP_STOP or -errno. */
int top_show(void *ctx, const struct xtr_slice *s);
/* Use the terminal's screen, if that is what is asked for. 0 or -errno. */
int top_enter_screen(struct top *t);
void top_leave_screen(struct top *t);

/* All sections of the file that is open. 0, TOP_STOP or -errno. */
int top_file(struct top *t);

/* Where bytes come from as they are written. */
struct top_input {
	const char *path; /* for messages; NULL: a recorder of top's own */
	int fd;
	bool grows; /* a regular file: its end is not the end */
	/* CPU time of the recorder by now, and for how long it runs, ns. May be NULL. */
	void (*cost)(void *ctx, uint64_t *cpu, uint64_t *elapsed);
	void *ctx;
};
/* Follow it to its end. Returns the exit status; what is wrong is said. */
int top_follow(struct top *t, const struct top_input *in);
/* True if somebody has the file open for writing, as far as that can be told. */
bool top_is_written(int fd);

/* Record here, with a command if argc. Returns the exit status. */
int top_live(struct top *t, int argc, char **argv);

/* --- top_screen.c ----------------------------------------------------------------------------- */

/*
 * Take the terminal: its alternate screen, keys without a line feed. It is given back by close, at
 * exit, and while the process is stopped. -errno: no terminal to be had.
 */
int top_screen_open(struct top_screen **sc, struct xtr_slice_look *look);
void top_screen_close(struct top_screen *sc);
/* Draw a slice; more of them are to come at once: only now and then. 0 or -errno. */
int top_screen_show(struct top_screen *sc, const struct xtr_slice *s,
		    const struct xtr_slice_facts *facts, bool more);
/*
 * Wait until fd (-1: none) can be read, or for so many ms (-1: for ever), and do what keys and
 * signals ask for meanwhile. *readable may be NULL. 0, TOP_STOP or -errno.
 */
int top_screen_wait(struct top_screen *sc, int fd, int ms, bool *readable);
bool top_screen_paused(const struct top_screen *sc);
/* True, once, if what was drawn last should be drawn anew: other order, other size. */
bool top_screen_stale(struct top_screen *sc);
/* The signal that asked to end; 0: none, it was the key, or an interrupt. */
int top_screen_signal(const struct top_screen *sc);

#endif /* XTR_CLI_TOP_H */
