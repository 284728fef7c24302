/* SPDX-License-Identifier: BSD-2-Clause */
/* Must be found to fail: a program in which no test runs. */
#include <criterion/criterion.h>
