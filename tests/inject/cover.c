/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where lines are counted (COVER=1), libgcov writes its files at the exit of a process, and before
 * it becomes another program: what it asks for is not the program's, and does not fail. Linked in
 * place of libgcov's own (ld --wrap) there, and not called elsewhere.
 */
#include "inject.h"

bool inject_off;

void __attribute__((weak)) __real___gcov_exit(void);
void __attribute__((weak)) __real___gcov_dump(void);
void __wrap___gcov_exit(void);
void __wrap___gcov_dump(void);

void __wrap___gcov_exit(void)
{
	inject_off = true;
	__real___gcov_exit();
}

void __wrap___gcov_dump(void)
{
	inject_off = true;
	__real___gcov_dump();
}
