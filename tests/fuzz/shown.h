/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON that a target has written must be valid. */
#ifndef XTR_FUZZ_SHOWN_H
#define XTR_FUZZ_SHOWN_H

#include "fuzz.h"
#include "json.h"

#include "base/json.h"

struct shown {
	FILE *f;
	char *text;
	size_t n;
	struct xtr_json j;
};

static inline void shown_begin(struct shown *s, bool pretty)
{
	s->f = open_memstream(&s->text, &s->n);
	FUZZ_CHECK(s->f);
	xtr_json_init(&s->j, s->f, pretty);
}

/* The text is s->text until it is freed. */
static inline void shown_end(struct shown *s)
{
	FUZZ_CHECK(!ferror(s->f) && !fclose(s->f));
	FUZZ_CHECK(fuzz_json_is_valid(s->text, s->n));
}

#endif /* XTR_FUZZ_SHOWN_H */
