/* SPDX-License-Identifier: BSD-2-Clause */
/* One command under test, and what a run of it left. */
#ifndef INJECT_SERVER_H
#define INJECT_SERVER_H

#include "inject.h"

enum {
	FILES_MAX = 16,
	TEXT_MAX = 1 << 16, /* bytes of stderr looked at */
};

struct file_state {
	char name[256];
	uint64_t hash;
};

/* The files in the working directory. */
struct dir_state {
	size_t n;
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
	bool loose;        /* what it says depends on the machine: any documented status will do */
	bool sql;          /* errors may be in SQLite's words */
	int status;        /* without faults */
	struct dir_state before;
	struct outcome good;
	int64_t live; /* blocks that a run without faults leaves */
};

/* Why this outcome breaks the contract; NULL: it does not. *absorbed: nobody would have noticed. */
const char *inject_judge(const struct scenario *s, const struct outcome *o, bool *absorbed);
/* What is in the working directory, in order of names. */
void inject_look_at_dir(struct dir_state *d);
uint64_t inject_hash(uint64_t h, const void *data, size_t n);
bool inject_same_dir(const struct dir_state *a, const struct dir_state *b);

#endif /* INJECT_SERVER_H */
