/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (Castagnoli, spec 1.1): of "123456789" it is 0xE3069283. */
#ifndef XTR_CRC32C_H
#define XTR_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* With the processor's instruction where there is one (SSE4.2), found at run time. Thread-safe. */
uint32_t xtr_crc32c(const void *data, size_t n);
/* The portable way (slicing by 8), which gives the same. */
uint32_t xtr_crc32c_portable(const void *data, size_t n);

#endif /* XTR_CRC32C_H */
