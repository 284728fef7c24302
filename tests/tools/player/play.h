/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenarios (tests/drivers/README.md) as a program: text into lines, lines into records. A test
 * tool: whatever is wrong is told with its place, and ends the program. What it allocates lives as
 * long as the program.
 */
#ifndef PLAY_H
#define PLAY_H

#include "format/meta/meta.h"
#include "format/meta/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAY_START_NS 1000000000u /* of the event clock: moment 0 of a scenario */

/* A place in the scenario; the program ends with it. */
struct play_place {
	const char *path;
	unsigned int line;
};

__attribute__((noreturn, format(printf, 2, 3))) void play_fail(const struct play_place *at,
							       const char *fmt, ...);
/* Memory that does not fail, all zero. */
void *play_alloc(size_t n);
char *play_copy(const char *text, size_t n);
/* Room for one more behind n elements of `size` bytes; p is what was there. */
void *play_grow(void *p, size_t n, size_t size);

/* --- text (text.c, expr.c) -------------------------------------------------------------------- */

/* {expr} of a line with this i (has_i false: i means nothing); {{ is a brace. */
char *play_expand(const struct play_place *at, const char *text, bool has_i, uint64_t i);

struct play_word {
	char *text;  /* without its quotes */
	char *value; /* behind the = of name=value, in text's memory cut in two; or NULL */
	bool quoted; /* the value is "..." : a text whatever it looks like */
};

/* Words of a line; # begins a comment. */
size_t play_words(const struct play_place *at, const char *line, struct play_word **out);
/* Microseconds with up to three decimals, as ns. */
uint64_t play_time(const struct play_place *at, const char *text);
/* A number as in C, 0 to max. */
uint64_t play_number(const struct play_place *at, const char *text, uint64_t max);

/* --- scenario (scenario.c) -------------------------------------------------------------------- */

struct play_fence {
	const char *name, *driver, *timeline, *ops;
	uint64_t ctx, seqno;
};

struct play_device {
	const char *name, *driver, *pci_id;
};

struct play_line {
	struct play_place at;
	uint64_t ts; /* ns on the event clock */
	uint64_t order;
	const char *comm; /* NULL: an interrupt in idle */
	bool kthread;
	uint32_t pid, tid, cpu;
	const char *event;
	uint64_t lost;            /* not 0: so many of them were lost here */
	struct play_word *fields; /* text is the name */
	size_t n_fields;
};

struct play_scenario {
	const char *path, *title;
	struct play_line *lines; /* in order of time */
	size_t n_lines;
	struct play_fence *fences;
	size_t n_fences;
	struct play_device *devices;
	size_t n_devices;
	const char **attached; /* events that are recorded, but need not happen */
	struct play_place *attached_at;
	size_t n_attached;
	uint32_t cpus;
};

void play_read(struct play_scenario *s, const char *path);
const struct play_fence *play_fence(const struct play_scenario *s, const struct play_place *at,
				    const char *name);
/* A number, or @FENCE.ctx, @FENCE.seqno, @now, @start with +N or -N; negative ones wrap. */
uint64_t play_value(const struct play_scenario *s, const struct play_line *l, const char *text,
		    bool *negative);

/* --- events (events.c, encode.c) -------------------------------------------------------------- */

struct play_kind;

struct play_output {
	const struct play_scenario *s;
	const char *const *formats; /* folders SYSTEM/EVENT */
	size_t n_formats;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct play_kind *kinds; /* a list */
	uint32_t next_type, next_provider, n_rings;
};

/* Describe all events of the scenario in META. */
void play_describe(struct play_output *o);
/* The type of an event that was described. */
uint32_t play_type(const struct play_output *o, const struct play_line *l);
/* The record of a line into rec; bytes written. */
#define PLAY_RECORD_MAX 4096u
uint32_t play_encode(struct play_output *o, const struct play_line *l,
		     uint8_t rec[PLAY_RECORD_MAX]);

#endif /* PLAY_H */
