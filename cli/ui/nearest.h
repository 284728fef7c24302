/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean": the nearest of several names. */
#ifndef XTR_CLI_NEAREST_H
#define XTR_CLI_NEAREST_H

#include <stddef.h>

/*
 * The one of n names (NULL ones are passed over) nearest to s, the first of equals, or NULL if none
 * is near enough to be meant.
 */
const char *cli_nearest(const char *s, const char *const *names, size_t n);

#endif /* XTR_CLI_NEAREST_H */
