/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of the code under test that fail, or before which something happens (the Makefile's
 * UNIT_WRAP). Those of libraries do not come here.
 */
#ifndef TEST_SYSFAIL_H
#define TEST_SYSFAIL_H

/* The n-th call of this name from now on fails with err; err 0: it returns 0 without doing
 * anything. Up to 4 plans. */
void sys_fail(const char *name, unsigned int n, int err);
/* Before the n-th call of this name, `then` runs. */
void sys_before(const char *name, unsigned int n, void (*then)(void));
/* Forgets all plans; returns how many of them came true. */
unsigned int sys_end(void);

#endif /* TEST_SYSFAIL_H */
