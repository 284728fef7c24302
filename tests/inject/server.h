/* SPDX-License-Identifier: BSD-2-Clause */
/* One command under test, and what a run of it left. */
#ifndef INJECT_SERVER_H
#define INJECT_SERVER_H

#include "inject.h"

enum {
	FILES_MAX = 512,
	TEXT_MAX = 1 << 16, /* bytes of stderr looked at */
};

struct file_state {
	char name[256];
	uint64_t hash;
};

/* The files in the working directory and its folders, by their paths; and how many folders. */
struct dir_state {
	size_t n, folders;
	struct file_state file[FILES_MAX];
};

struct outcome {
	int status;   /* of waitpid; -1: took too long */
	uint64_t out; /* hash of standard output */
	char err[TEXT_MAX];
	struct dir_state dir;
};

struct scenario {
	const char *name;
	int argc;
	char **argv;       /* of xtr */
	const char *input; /* standard input; NULL: nothing */
	bool piped;        /* ... through a pipe */
	const char *old;   /* a file that is there before; NULL: none */
	const char *tree;  /* what is in this folder is there before; NULL: nothing */
	bool moves;        /* it takes files from one folder to another */
	bool machine;      /* tells of the machine, which may change meanwhile */
	bool loose;        /* what cannot be looked at may be told as missing */
	bool sql;          /* errors may be in SQLite's words */
	bool recording;    /* it records: judged by what is left, as no two recordings are alike */
	bool alone;        /* but with LONG=1, only its first process fails */
	int status;        /* without faults */
	struct dir_state before;
	struct outcome good;
	int64_t live; /* blocks that a run without faults leaves */
};

/* Memory and files that parent and child share. 0 or -errno. */
int inject_prepare(void);
/* A file system of BPF objects of our own, so that what is left there is ours. 0 or -errno. */
int inject_own_bpffs(void);
/* Is there anything left in it? It is removed. */
bool inject_bpffs_left(void);
/* Run xtr with these arguments and without faults; its status, or -1. */
int inject_run_plain(int argc, char **argv);
/* Run xtr once; keep: leave the files that it made. */
void inject_run(const struct scenario *s, const struct plan *plan, bool look, bool keep,
		struct outcome *o);
/* Make the working directory what it was before a run; if a run has left it otherwise. */
void inject_make_before(const struct scenario *s);
void inject_clean(const struct scenario *s, const struct dir_state *d);

/* The name of an errno or of a way to do less. */
const char *inject_error_name(int err);
/* A plan as `aN`, `aN+` or `cN=ERROR+,aN`: allocation or call, from then on, second fault. */
const char *inject_plan_text(const struct plan *p);      /* until it is called again */
int inject_plan_parse(struct plan *p, const char *text); /* 0 or -EINVAL */

/*
 * Places that this or an earlier scenario tried. The same places have the same addresses in all
 * processes: without random ones, for which the program may start again.
 */
int inject_open_seen(const char *path, char **argv); /* 0 or -1 */
/* Was this place not tried yet? */
bool inject_new_place(uint64_t site);
extern bool inject_every;

/* Tell what went wrong; all: also where a fault of the same place was told of. */
void inject_tell(const struct scenario *s, const struct outcome *o, const char *why, bool all);

/* Why this outcome breaks the contract; NULL: it does not. *absorbed: nobody would have noticed. */
const char *inject_judge(const struct scenario *s, const struct outcome *o, bool *absorbed);
/* The same for a recording. */
const char *inject_judge_recording(const struct scenario *s, const struct outcome *o,
				   bool *absorbed);
/* Inside: what both demand. NULL, or why not. */
const char *inject_ended_badly(const struct scenario *s, const struct outcome *o);
/* Were all faults such that the program has to get over them? */
bool inject_all_passing(void);
bool inject_has_line(const char *text, const char *line);
bool inject_struck_call(const char *part); /* of a call whose name has this part */
/* What is in the working directory, in order of paths. */
void inject_look_at_dir(struct dir_state *d);
/* What the rows of a database hash to, in any order; 0: it is none, or not a whole one. */
uint64_t inject_hash_database(const char *path);
uint64_t inject_hash(uint64_t h, const void *data, size_t n);
bool inject_same_dir(const struct dir_state *a, const struct dir_state *b);

#endif /* INJECT_SERVER_H */
