/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protobuf messages, read where they lie: by numbers, without a schema. What is no protobuf, or has
 * fields that do not stand in the order of their numbers, fails the test.
 */
#ifndef XTR_TEST_PB_H
#define XTR_TEST_PB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message or text; p is NULL if there is none, which reads as one without fields. */
struct pb {
	const uint8_t *p;
	size_t n;
};

/* One field: its number, and its value as a number or as bytes. */
struct pb_field {
	uint32_t number;
	uint64_t v;
	struct pb bytes;
};

/* Take the next field off m. False: there is none. */
bool pb_next(struct pb *m, struct pb_field *f);
/* How many fields of this number m has. */
size_t pb_count(struct pb m, uint32_t number);
/* The i-th of them; without one all is 0. */
struct pb_field pb_nth(struct pb m, uint32_t number, size_t i);

static inline bool pb_has(struct pb m, uint32_t number)
{
	return pb_count(m, number) > 0;
}

static inline struct pb pb_message(struct pb m, uint32_t number)
{
	return pb_nth(m, number, 0).bytes;
}

static inline uint64_t pb_number(struct pb m, uint32_t number)
{
	return pb_nth(m, number, 0).v;
}

/* A copy that lasts for some calls; NULL: there is none. */
char *pb_string(struct pb text);

static inline char *pb_text(struct pb m, uint32_t number)
{
	return pb_string(pb_message(m, number));
}

#endif /* XTR_TEST_PB_H */
