/* SPDX-License-Identifier: BSD-2-Clause */
/* The records as the BPF programs lay them out (format/builtin_events.h), with its integer types.
 */
#ifndef TEST_BPF_TYPES_H
#define TEST_BPF_TYPES_H

#include <linux/types.h>

#include "format/builtin_events.h"

#endif /* TEST_BPF_TYPES_H */
