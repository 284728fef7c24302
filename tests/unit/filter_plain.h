/* SPDX-License-Identifier: BSD-2-Clause */
/* Row-delta decoding byte by byte, as spec 5.2 says it: what the fast way is compared with. */
#ifndef TEST_FILTER_PLAIN_H
#define TEST_FILTER_PLAIN_H

#include "format/codec/record.h"

/* As xtr_filter_decode, but for -ENOMEM. */
int filter_plain(const uint8_t *in, size_t len, uint32_t n, uint8_t *out, size_t rec_len,
		 struct xtr_rec_span *span);

#endif /* TEST_FILTER_PLAIN_H */
