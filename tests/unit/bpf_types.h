/* SPDX-License-Identifier: BSD-2-Clause */
/* The records as the BPF programs lay them out (bpf/xtr_events.h), with its integer types. */
#ifndef TEST_BPF_TYPES_H
#define TEST_BPF_TYPES_H

#include <linux/types.h>

#include "bpf/xtr_events.h"

#endif /* TEST_BPF_TYPES_H */
