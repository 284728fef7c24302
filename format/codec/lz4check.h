/* SPDX-License-Identifier: BSD-2-Clause */
/* What liblz4 lets pass: a match at offset 0, which is invalid (spec 4.2). */
#ifndef XTR_LZ4CHECK_H
#define XTR_LZ4CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * False if a match of the block has offset 0, or if the block is not made of sequences at all.
 * Sizes and other offsets are liblz4's to check.
 */
bool xtr_lz4_offsets_are_right(const uint8_t *block, size_t n);

#endif /* XTR_LZ4CHECK_H */
