/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as decimal digits, two at a time: what is printed by the million does not go through
 * printf. */
#ifndef XTR_DIGITS_H
#define XTR_DIGITS_H

#include <stdint.h>

#define XTR_DIGITS_MAX 20u /* of UINT64_MAX */

/* 1 to XTR_DIGITS_MAX. */
unsigned int xtr_digits_count(uint64_t v);
/* Write v's digits at p, without a NUL; returns the byte behind them. */
char *xtr_digits_put(char *p, uint64_t v);
/* The same of v % 10^n, with zeros in front: n digits. */
char *xtr_digits_padded(char *p, uint64_t v, unsigned int n);

#endif /* XTR_DIGITS_H */
