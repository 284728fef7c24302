/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people write them. All return 0; -EINVAL if s is not such a number; -ERANGE if it does
 * not fit. Nothing else may stand before or behind the number.
 */
#ifndef XTR_CLI_UNITS_H
#define XTR_CLI_UNITS_H

#include <stdint.h>

int cli_parse_u64(const char *s, uint64_t *v);       /* "1234" */
int cli_parse_size(const char *s, uint64_t *bytes);  /* "64k", "1.5M", "2GiB": powers of 1024 */
int cli_parse_time(const char *s, uint64_t *ns);     /* "10us", "1.5s", "2m", "3" seconds */
int cli_parse_factor(const char *s, double *factor); /* "0.5x", "2": finite and above 0 */

#endif /* XTR_CLI_UNITS_H */
