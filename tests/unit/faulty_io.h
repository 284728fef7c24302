/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file in memory whose n-th call fails: so that each call of the library can be made to fail in
 * turn.
 */
#ifndef TEST_FAULTY_IO_H
#define TEST_FAULTY_IO_H

#include "format/io.h"

#include <stdbool.h>

struct faulty {
	struct xtr_io io;
	struct xtr_io *mem;
	unsigned int calls;   /* calls of append, sync, read_at and size so far */
	unsigned int fail_at; /* the call that fails, from 1; 0: none */
	bool sticky;          /* all later ones fail, too */
	size_t partial;       /* bytes that a failing append writes all the same */
	int err;              /* -errno */
};

/* Over what mem holds, which is closed with it. f lives as long as the io. */
struct xtr_io *faulty_open(struct faulty *f, struct xtr_io *mem);

#endif /* TEST_FAULTY_IO_H */
