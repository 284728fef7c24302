/* SPDX-License-Identifier: BSD-2-Clause */
/* What stats, jobs and dump share: filters, opening the trace, playing sections, the exit status.
 */
#ifndef XTR_CLI_REPLAY_CMD_H
#define XTR_CLI_REPLAY_CMD_H

#include "cli/ui/cli.h"
#include "format/read/reader.h"
#include "job_filters.h"
#include "replay/play/play.h"
#include "replay/play/select.h"

#include <time.h>

struct window_opts {
	uint64_t from, to; /* ns as given */
};

struct replay_opts {
	struct window_opts window;
	struct cli_list devices, rings, pids;
};

#define WINDOW_OPTIONS(type, member)                                                                 \
	{ 0,                                                                                         \
	  "from",                                                                                    \
	  "TIME",                                                                                    \
	  CLI_TIME,                                                                                  \
	  offsetof(type, member.from),                                                               \
	  "begin here: time on the event clock, or since the first event; a number without times" }, \
	{                                                                                            \
		0, "to", "TIME", CLI_TIME, offsetof(type, member.to), "end here"                     \
	}

#define REPLAY_OPTIONS(type, member)                                                  \
	WINDOW_OPTIONS(type, member.window), { 'D',                                   \
					       "device",                              \
					       "NAME",                                \
					       CLI_LIST,                              \
					       offsetof(type, member.devices),        \
					       "only this device; a shell pattern" }, \
		{ 'r',                                                                \
		  "ring",                                                             \
		  "NAME",                                                             \
		  CLI_LIST,                                                           \
		  offsetof(type, member.rings),                                       \
		  "only this ring; a shell pattern" },                                \
	{                                                                             \
		'p', "pid", "PID", CLI_LIST, offsetof(type, member.pids),             \
			"only jobs submitted by this process"                         \
	}

struct replay_cmd {
	const char *path;
	struct xtr_reader *reader;
	const struct window_opts *window;
	const struct replay_opts *o; /* NULL for dump */
	bool part;                   /* set by who plays nothing but --from to --to */
	/*
	 * Set by who opens several traces, and then calls filters_check itself: what each of them
	 * matches. NULL: what matches nothing in this one is a usage error.
	 */
	struct filters *filters;
	uint32_t *pids;
	size_t n_pids;
	FILE *out;
	bool again;                   /* set by who plays once more: damage has been told */
	int status;                   /* XTR_EXIT_OK or XTR_EXIT_LOSS so far */
	size_t damaged;               /* chunks that turned out damaged when they were played */
	enum xtr_problem_code damage; /* the first of them */
	uint64_t unreadable;          /* events in those of the section played last */
};

/*
 * Check the arguments (one FILE) and open it, reporting losses; a filter that matches nothing in it
 * is a usage error. Anything but XTR_EXIT_OK: return
 * that from the command, there is nothing to end.
 */
int replay_begin(struct replay_cmd *c, const struct cli_command *cmd, const struct replay_opts *o,
		 int argc, char **argv);
int replay_begin_window(struct replay_cmd *c, const struct cli_command *cmd,
			const struct window_opts *w, int argc, char **argv);
/* The filters alone, for replay_select_given; end it with replay_end. XTR_EXIT_OK, or the status.
 */
int replay_filters(struct replay_cmd *c, const struct cli_command *cmd,
		   const struct replay_opts *o);
/* Has a section of the file no times, but only an order of events? */
bool replay_without_times(const struct replay_cmd *c);
/* The selection that the options ask for in this section. */
void replay_select(const struct replay_cmd *c, const struct xtr_section *s, struct xtr_select *sel);
/* The same with times as they were given. */
void replay_select_given(const struct replay_cmd *c, struct xtr_select *sel);
/* A chunk turned out damaged: says so, once for each. */
void replay_damage(struct replay_cmd *c, const struct xtr_err *err);
/* Play a section: with a lead-in before --from, so that jobs are whole, if pids and rings are known
 * (o). */
int replay_play(struct replay_cmd *c, const struct xtr_section *s, const uint32_t *types,
		size_t n_types, int (*event)(void *, const struct xtr_event *), void *ctx);
/* The same for who takes several events at once, and all types: as in struct xtr_play. */
struct replay_batches {
	int (*batch)(void *ctx, const struct xtr_event *ev, size_t n);
	void (*keeps)(void *ctx, bool keeps);
	unsigned int keep;
	void *ctx;
};
int replay_play_batches(struct replay_cmd *c, const struct xtr_section *s,
			const struct replay_batches *who);
/* Standard output, through the pager; the same stream each time. */
FILE *replay_out(struct replay_cmd *c);
/* Close all; ret: 0 or -errno of the work. Returns the exit status. */
int replay_end(struct replay_cmd *c, int ret);

/* --- pace ------------------------------------------------------------------------------------- */

/* --pace: a trace is played at the speed at which it was recorded, or a multiple of it. */
/* A field `double pace`; 0: not given. */
#define PACE_OPTION(type, member)                                        \
	{                                                                \
		0, "pace", "FACTOR", CLI_FACTOR, offsetof(type, member), \
			"play at its own speed: 1x; slower: 0.1x"        \
	}

struct pace {
	double factor;
	uint64_t first;        /* ns: event time at which the pace began; 0: it has not */
	struct timespec began; /* ... and when that was */
};

/*
 * When it is the turn of what happened at ts (ns, at least 1), on CLOCK_MONOTONIC; *at is not set,
 * and false returned, for the first one, whose turn is now.
 */
bool pace_turn(struct pace *p, uint64_t ts, struct timespec *at);
/* Sleep until then. */
void pace_sleep(const struct timespec *at);

#endif /* XTR_CLI_REPLAY_CMD_H */
