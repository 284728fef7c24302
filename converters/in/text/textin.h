/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the importers of printed traces share (the kernel's `trace` file, trace-cmd report, perf
 * script): lines, times, the values of an event, and the order of time.
 *
 *   textin_line.c    lines of any length out of a file, in bounded memory
 *   textin_line.c     numbers and times at a place of a line
 *   textin_values.c  values with labels out of the text of an event
 *   textin_print.c   the same by the kernel's print formats; marks of user space
 *   textin_line.c     the pass over a file
 *   textin_sink.c    events in the order of time, losses, counts: between a parser and import.h
 */
#ifndef XTR_TEXTIN_H
#define XTR_TEXTIN_H

#include "converters/in/core/import.h"
#include "replay/event/print_format.h"

/* --- lines ------------------------------------------------------------------------------------ */

#define TEXTIN_LINE_MAX 65536u /* bytes; longer lines are skipped */

struct textin_lines {
	struct xtr_io *io;
	uint64_t size, at; /* bytes of the file, of these read */
	char *buf;
	size_t have, pos; /* bytes in buf, of these given out */
	uint64_t number;  /* of the last line, from 1 on */
};

enum textin_state {
	TEXTIN_LINE,     /* a line */
	TEXTIN_TOO_LONG, /* one longer than TEXTIN_LINE_MAX; text is its beginning */
	TEXTIN_BINARY,   /* one with NUL bytes; text is up to the first of them */
	TEXTIN_CUT,      /* the last one, which does not end in a line feed */
	TEXTIN_END,      /* no more */
};

struct textin_line {
	enum textin_state state;
	const char *text; /* without CR and LF; until the next line is asked for */
	size_t len;
};

/* 0 or -errno. io stays the caller's. */
int textin_lines_open(struct textin_lines *l, struct xtr_io *io);
int textin_lines_next(struct textin_lines *l, struct textin_line *line);
void textin_lines_close(struct textin_lines *l);
/* The next line of n bytes in memory from *pos on: false at the end. */
bool textin_head_line(const char *head, size_t n, size_t *pos, struct textin_line *line);

/* --- numbers ---------------------------------------------------------------------------------- */

/* A place in a line. The functions below move p behind what they took, or leave it where it was. */
struct textin_at {
	const char *p, *end;
};

void textin_spaces(struct textin_at *a);
bool textin_char(struct textin_at *a, char c);
bool textin_text(struct textin_at *a, const char *text);
/* A name as C has them; dots are allowed behind the first character. */
bool textin_name(struct textin_at *a, const char **name, size_t *len);
bool textin_u64(struct textin_at *a, uint64_t *v);
bool textin_u32(struct textin_at *a, uint32_t *v);
/* Hexadecimal digits, with 0x before them or without. */
bool textin_hex(struct textin_at *a, uint64_t *v);
/*
 * "12.345678" in seconds with 1 to 9 digits behind the point, or "1234". *digits: behind the point;
 * 0: a count of something. *ns: nanoseconds, or the count.
 */
bool textin_time(struct textin_at *a, uint64_t *ns, unsigned int *digits);

/* --- values ----------------------------------------------------------------------------------- */

#define TEXTIN_NAMES 1024u
#define TEXTIN_KINDS 256u /* events by name whose print formats are kept at hand */

/* What is known of events of one name. */
struct textin_event_kind {
	char name[64];
	size_t len, n;                                /* bytes of name; rows */
	const struct xtr_print *rows[XTR_PRINTS_MAX]; /* its print formats */
	const char *system;                           /* NULL: the name does not tell */
};

/* Begins zeroed. */
struct textin_kinds {
	struct textin_event_kind kind[TEXTIN_KINDS], other; /* by hash; what has no place there */
};

/* The event's kind (name may be "": of no event), until the next call. */
const struct textin_event_kind *textin_kind_of(struct textin_kinds *k, const char *name,
					       size_t len);

struct textin_values {
	struct xtr_import_value v[XTR_IMPORT_VALUES];
	size_t n;
	const struct textin_event_kind *event;
	const char *system; /* of the event, if its print format tells; else NULL */
	bool left;          /* parts of the text are in no value */
	/* Labels are names of fields; and as they come in order, a tool prints numbers its own way.
	 */
	bool by_name, decimal;
	char names[TEXTIN_NAMES]; /* names that had to be made different */
	size_t names_used;
};

/* Take the text of an event apart. All pointers go into text, out, constants, or event. */
void textin_split(const struct textin_event_kind *event, const char *name, size_t name_len,
		  const char *text, size_t len, struct textin_values *out);
/*
 * One value: what it is, is told by the event and label (lengths in bytes), else by how it looks.
 */
void textin_add(struct textin_values *out, const char *event, size_t event_len, const char *label,
		size_t label_len, const char *text, size_t len);
/* A value whose kind is known. */
void textin_add_value(struct textin_values *out, const struct xtr_import_value *v);
/* Values with labels from text on; what is between them is noted in out->left. */
void textin_labels(struct textin_values *out, const char *event, size_t event_len, const char *text,
		   size_t len);
/*
 * Take text apart by a print format of the event. Returns how many bytes were taken; 0: none fits,
 * and out has no values.
 */
size_t textin_print(struct textin_values *out, const char *text, size_t len);
/*
 * The value behind a label, or behind a field's name, by what the event's print formats say. False:
 * they say nothing of it.
 */
bool textin_by_label(struct textin_values *out, const char *label, size_t label_len,
		     const char *text, size_t len);

/* --- to the core ------------------------------------------------------------------------------ */

/* An event as a line has it. Pointers go into the line, but for the two constants. */
struct textin_event {
	struct xtr_import_at at;
	const char *system, *name, *text; /* system NULL: not said */
	size_t system_len, name_len, text_len;
	/* A constant before the name, and one that is the system; NULL: none. */
	const char *prefix, *of_system;
	/* A call: system is the module or the library, name the symbol. */
	bool call, api, ret;
	bool comm_value; /* no thread is known: its name becomes a value of the event */
};

/* Is it a mark that user space wrote? *text: what it wrote, *len bytes. */
bool textin_mark(const struct textin_event *e, const char **text, size_t *len);

struct textin_sink;

int textin_sink_new(struct textin_sink **s, struct xtr_import *im);
void textin_sink_free(struct textin_sink *s);
/* Events may be late by up to about a thousand others; later ones are counted. Copies the line. */
int textin_sink_event(struct textin_sink *s, const struct textin_event *e, const char *line,
		      size_t len);
/*
 * The same for an input without times: events are numbered as they come, and keep their order.
 * e->at.ts is ignored. All events of a sink come in one of the two ways.
 */
int textin_sink_next(struct textin_sink *s, const struct textin_event *e);
/* In an input without times, `count` (0: some) events are missing here. */
int textin_sink_lost_here(struct textin_sink *s, uint64_t count);
/* The input says here that `count` (0: some) events of the CPU are missing before its next one. */
int textin_sink_lost(struct textin_sink *s, uint32_t cpu, uint64_t count);
/* The input says that `count` events of no known CPU are missing before the first event. */
void textin_sink_lost_before(struct textin_sink *s, uint64_t count);
/* The events of a CPU begin here: before, they are among those of textin_sink_lost_before. */
void textin_sink_begins(struct textin_sink *s, uint32_t cpu);
/* This line is read now, until the next one is said: what is damage shows it. */
void textin_sink_line(struct textin_sink *s, const struct textin_line *line);
/* Line `number` could not be read. Counted; what: a few words. */
void textin_sink_damage(struct textin_sink *s, uint64_t number, const char *what);
/* The same for a line that is no TEXTIN_LINE: an event may have been in it. */
int textin_sink_bad_line(struct textin_sink *s, uint64_t number, const struct textin_line *line);
/* A line of a call stack, which is not kept. */
void textin_sink_stack(struct textin_sink *s);
/* Times are exact to so many ns; 1 if nothing is said. */
void textin_sink_resolution(struct textin_sink *s, uint64_t ns);
/* Hand over what is left, and notes. */
int textin_sink_finish(struct textin_sink *s);

/* --- the pass over a file --------------------------------------------------------------------- */

struct textin_run {
	struct xtr_import *im;
	struct textin_sink *sink;
	uint64_t number; /* of the line */
	bool begun;      /* an event was seen */
	bool known;      /* a line that only these files have was seen */
	/* For the parser. */
	bool in_stack;
	bool from_zero;   /* the first event's time is 0 */
	uint64_t last_ns; /* time of the last event */
	unsigned int missing;
	uint32_t cpus;
	char release[64], machine[32];
	void *parser; /* its own */
};

/*
 * Hand all whole lines to `line`, and what came of them to the core. If nothing is known then, the
 * import fails with `nothing`.
 */
int textin_run(struct xtr_import *im, struct xtr_io *in, void *parser,
	       int (*line)(struct textin_run *r, const struct textin_line *l), const char *nothing);
/* An event of this line; digits as in textin_time. */
int textin_run_event(struct textin_run *r, const struct textin_line *l,
		     const struct textin_event *e, unsigned int digits);
bool textin_is_blank(const struct textin_line *l);

#endif /* XTR_TEXTIN_H */
