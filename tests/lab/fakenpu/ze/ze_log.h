/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loader's own log: one line per call of an exported function, in memory, appended to the file
 * that XTR_ZE_TRUTH names when the process ends.
 * function,pid,tid,depth,begin_ns,end_ns,ret,size,n (CLOCK_MONOTONIC; depth 1: called by the
 * program)
 */
#ifndef FAKENPU_ZE_LOG_H
#define FAKENPU_ZE_LOG_H

#include <stdint.h>

struct ze_call {
	const char *function;
	uint64_t begin_ns;
	uint64_t size; /* bytes, of allocations */
	uint32_t n;    /* command lists, of executions */
	int32_t depth;
	uint32_t ret;
};

struct ze_call ze_call_begin(const char *function);
void ze_call_end(struct ze_call *call);

#define ZE_API __attribute__((visibility("default"), noinline))
#define ZE_CALL() \
	struct ze_call ze_call __attribute__((cleanup(ze_call_end))) = ze_call_begin(__func__)
#define ZE_RET(value) (ze_call.ret = (value))

#endif
