/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every command shares: exit codes, the command and option tables, messages, output.
 * One option table per command generates the parser, --help and the completions; the pages in man/
 * are checked against it.
 */
#ifndef XTR_CLI_H
#define XTR_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes, on every man page. */
enum xtr_exit {
	XTR_EXIT_OK = 0,
	XTR_EXIT_FAILURE = 1,
	XTR_EXIT_USAGE = 2,
	XTR_EXIT_LOSS = 3, /* done, but the input was damaged or events were lost */
	XTR_EXIT_THRESHOLD = 4,
	XTR_EXIT_PRIVILEGE = 5, /* missing privilege or kernel feature */
};

enum cli_kind {
	CLI_FLAG,   /* bool */
	CLI_STRING, /* const char *, borrowed from argv */
	CLI_LIST,   /* struct cli_list: may be given several times */
	CLI_U64,    /* uint64_t, decimal */
	CLI_SIZE,   /* uint64_t bytes; 64k, 16M, 2G: powers of 1024 */
	CLI_TIME,   /* uint64_t ns; 10us, 5ms, 1.5s, 2m, 1h; a bare number is seconds */
	CLI_FACTOR, /* double; "1x", "0.5x", "2" */
};

struct cli_list {
	const char **v;
	size_t n;
};

struct cli_option {
	char letter;      /* 0: long form only */
	const char *name; /* "output" */
	const char *arg;  /* name of the argument for help, "FILE"; NULL for a flag */
	enum cli_kind kind;
	size_t offset;    /* offsetof the field in the command's options structure */
	const char *help; /* one line; no full stop */
};

struct cli_command {
	const char *name;
	const char *summary;  /* one line for `xtr help` */
	const char *args;     /* "FILE", "[-- COMMAND [ARG]...]" */
	const char *examples; /* lines "xtr stats run.xtr\twhat it does" */
	const struct cli_option *options;
	size_t n_options;
	size_t opts_size;
	/* The i-th word that the argument of an option (its long name) may be, for completion; NULL
	 * past the last (behind which none is asked for), and for options whose arguments are not
	 * known. May be NULL. */
	const char *(*words)(const char *option, size_t i);
	/* Set fields that do not start as zero. May be NULL. */
	void (*defaults)(void *opts);
	/* argc/argv: what follows the options. Returns the exit status. */
	int (*run)(const void *opts, int argc, char **argv);
	bool stop_at_first; /* options end at the first argument that is not one (record -- cmd) */
	bool privileged;    /* keeps the capabilities that the program's file gives */
};

/* The options of a command: their table, and the structure that they fill. */
#define CLI_OPTIONS(table, type)                                             \
	.options = (table), .n_options = sizeof(table) / sizeof((table)[0]), \
	.opts_size = sizeof(type)

extern const struct cli_command *const cli_commands[]; /* NULL-terminated, commands.c */
extern const struct cli_command cmd_record, cmd_list, cmd_doctor, cmd_info, cmd_stats, cmd_jobs,
	cmd_dump, cmd_query, cmd_export, cmd_import, cmd_cut, cmd_cat, cmd_pack, cmd_check,
	cmd_recover, cmd_diff, cmd_redact, cmd_flame, cmd_report, cmd_top, cmd_bundle, cmd_ship,
	cmd_why, cmd_whatif, cmd_frames, cmd_symbols;

/* Messages on stderr, prefixed "xtr: ", one line each; `hint` is a second line of what to do. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * What this thread says goes to f from now on, and it shows no progress; NULL: as ever. For threads
 * that work for another one, which tells what they said in its own order.
 */
void cli_capture(FILE *f);
bool cli_captured(void);
/* What an errno, or its negative, means: "out of memory", else as strerror(3). */
const char *cli_strerror(int err);
/* One line: path, and what the errno, or its negative, means. Returns XTR_EXIT_FAILURE. */
int cli_failed(const char *path, int err);
/* One line and "Try 'xtr NAME --help'"; returns XTR_EXIT_USAGE. */
int cli_usage_error(const struct cli_command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same of a command that takes one file, and got none or several. */
int cli_one_file(const struct cli_command *cmd, int argc);

/* Of two exit statuses the one that is told: usage, failure, another, loss, success. */
int cli_worse(int a, int b);

struct xtr_part;
struct xtr_reader;
struct xtr_err;
/*
 * Open a trace for a command: prints one line and a hint on failure and returns NULL with *status
 * set to the exit code. Prints nothing about damage: see cli_report_loss.
 */
struct xtr_reader *cli_open_trace(const char *path, int *status);
/* The same for a part of the time only: xtr_reader_open_part. NULL: all. */
struct xtr_reader *cli_open_part(const char *path, const struct xtr_part *part, int *status);
/* After opening path failed: where "-" is kept, of which there may be too little. */
void cli_hint_spool(const char *path);
/* "xtr: 'run.xtr': chunk 17 at 0x4a20: payload checksum mismatch" */
void cli_trace_error(const char *path, const struct xtr_err *err);
/*
 * Losses first: lines on stderr for what was lost while recording and for damage of the file, as
 * far as the reader knows by now. Returns XTR_EXIT_LOSS if there is any, else XTR_EXIT_OK.
 */
int cli_report_loss(const char *path, const struct xtr_reader *r);

/* Output. cli_out starts the pager (pager.h), if there is one, on a tty (LESS=FRSX) and returns the
 * stream.
 */
FILE *cli_out(void);
/* Make stdout a stream that gets over interrupted and partial writes; -1: no memory. */
int cli_out_init(void);
bool cli_color(FILE *f); /* --color, NO_COLOR, TERM=dumb, tty */
/*
 * Flush, wait for the pager; returns status, or XTR_EXIT_FAILURE with one line if writing failed.
 * Nothing may be printed afterwards. main calls it for commands that do not; a second call only
 * returns status.
 */
int cli_finish(int status);

uint64_t cli_now(void); /* ns, CLOCK_MONOTONIC */

/* Progress on stderr: only on a tty and after half a second; erased by cli_progress_done. */
void cli_progress(const char *what, uint64_t done, uint64_t all);
void cli_progress_done(void);

/* Humane numbers into a static ring of buffers (valid for the next 8 calls). */
const char *cli_ns(uint64_t ns);       /* "12.3 ms" */
const char *cli_bytes(uint64_t bytes); /* "1.5 MiB" */
const char *cli_count(uint64_t n);     /* "1,234,567" */
const char *cli_events(uint64_t n);    /* "1 event", "1,234,567 events" */

extern const char *cli_color_mode; /* global --color: "auto", "always", "never" */
extern bool cli_quiet;

#endif /* XTR_CLI_H */
