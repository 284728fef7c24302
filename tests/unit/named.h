/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are known by name only (any tracepoint), made one at a time: for tests of what reads
 * them. Each record lies in memory of its own size, so that a read past its end is seen.
 */
#ifndef TEST_NAMED_H
#define TEST_NAMED_H

#include "format/read/merge.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"

struct named {
	struct xtr_meta *meta; /* with the built-in events */
	struct xtr_tables *tables;
	uint32_t next_type;
	struct xtr_event ev; /* the present one */
	struct xtr_gap gap;
	uint8_t *rec;
};

void named_init(struct named *n);
void named_free(struct named *n);
/*
 * Describe an event of the next dynamic type. fields: "name:repr:bytes" separated by blanks, as
 * "ret:s64:8 comm:str:16".
 */
void named_describe(struct named *n, const char *name, const char *fields);
void named_task(struct named *n, uint32_t tid, uint32_t pid, const char *comm);
uint32_t named_string(struct named *n, const char *text);

/* The present event is now this one, of this moment, thread and CPU; all its fields are 0. */
struct xtr_event *named_emit(struct named *n, const char *name, uint64_t ts, uint32_t tid,
			     uint32_t cpu);
void named_set(struct named *n, const char *field, uint64_t value);
void named_text(struct named *n, const char *field, const char *text, size_t len);
/* Cut the record down to so many bytes. */
void named_cut(struct named *n, uint32_t size);
/* The present event is a gap. */
struct xtr_event *named_gap(struct named *n, uint64_t first, uint64_t last);

#endif /* TEST_NAMED_H */
