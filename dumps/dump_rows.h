/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside dumps/: tables of what is looked for, and what reads with them. */
#ifndef XTR_DUMPS_ROWS_H
#define XTR_DUMPS_ROWS_H

#include "dump.h"
#include "dump_match.h"

/* What a second value means. */
enum dump_mode {
	DUMP_FIRST, /* nothing: the first one stays */
	DUMP_LAST,  /* it is the newer one */
	DUMP_ONLY,  /* if it is another one, the fact is not known */
	DUMP_NEW,   /* in the log: another hang begins */
};

/* Facts of a row, in the order of its directives; 0: of no use. */
#define DUMP_F(id)          (XTR_DUMP_##id##_FACT + 1)
#define DUMP_ROW(line, ...) .pattern = (line), .fact = { __VA_ARGS__ }

struct dump_row {
	const char *pattern; /* dump_match.h; NULL: past the last */
	uint8_t fact[DUMP_VALUES];
	enum dump_mode mode;
	bool failure;       /* a job, an engine or the device has failed */
	uint8_t also;       /* this fact, too, */
	const char *is;     /* with this text; NULL: what the line says, from the match on */
	const char *clock;  /* of the fact TIME */
	const char *driver; /* of the log: whose line it is; NULL: the one that it names */
	unsigned int act;   /* of a dump: for dump_kind.line */
};

/* A file of one driver. */
struct dump_kind {
	const char *name, *driver;
	const char *begins; /* the file begins with this */
	size_t n;           /* bytes of it */
	const struct dump_row *rows;
	/* What a table cannot say: a row matched (NULL: none did). May be NULL. */
	void (*line)(struct xtr_dump_reader *r, const struct dump_row *row,
		     const struct dump_value *v, const char *line, size_t n);
	/* Instead of lines: the next byte of a file of bytes. */
	void (*byte)(struct xtr_dump_reader *r, uint8_t c);
	/* At the end. May be NULL. */
	void (*end)(struct xtr_dump_reader *r);
};

extern const struct dump_kind dump_kinds[]; /* name NULL: past the last */
extern const struct dump_row dump_log_rows[];

#define DUMP_HEAD 64u /* bytes in which a file is recognized, and the header of a binary one */

struct xtr_dump_reader {
	struct xtr_dumps *out;
	const struct dump_kind *kind; /* NULL: not known yet, or not at all */
	bool log, settled;            /* settled: kind does not change any more */
	size_t first;                 /* the first of out that is of this file */
	uint64_t at;                  /* bytes so far */
	uint64_t line_no;
	struct xtr_dump d; /* of a dump: what becomes one at the end */
	uint8_t head[DUMP_HEAD];
	char line[XTR_DUMP_LINE_MAX];
	size_t n;
	/* of the kinds */
	char scope[XTR_DUMP_TEXT_MAX]; /* engine that is being told of */
	uint64_t number, last;         /* of the ring that is being told of */
	struct {
		uint64_t from, to; /* offsets */
		uint8_t pair[8];
		uint32_t n;
		uint32_t reg_low;
	} registers;
};

/* Set a fact from bytes of a stranger, where the mode allows it. */
void dump_set_text(struct xtr_dump_fact *f, enum dump_mode mode, uint64_t where, const char *s,
		   size_t n);
void dump_set_number(struct xtr_dump_fact *f, enum dump_mode mode, uint64_t where, uint64_t v);
/* Would it contradict what is known? */
bool dump_differs_text(const struct xtr_dump_fact *f, const char *s, size_t n);
bool dump_differs_number(const struct xtr_dump_fact *f, uint64_t v);
/* The facts of a row that matched. */
void dump_set_row(struct xtr_dump *d, const struct dump_row *row, const struct dump_value *v, int n,
		  uint64_t where, const char *line, size_t len);

/* dump_log.c: a line of the log. 0 or -ENOMEM. */
int dump_log_line(struct xtr_dump_reader *r, const char *line, size_t n);

/* dump_binary.c */
void dump_panfrost_byte(struct xtr_dump_reader *r, uint8_t c);
void dump_etnaviv_byte(struct xtr_dump_reader *r, uint8_t c);

#endif /* XTR_DUMPS_ROWS_H */
