/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Import: a trace that another tool recorded becomes an .xtr file with the same records as if xtr
 * had recorded it, as far as the trace has what they need (docs/import.md).
 *
 * A parser, one per input format (struct xtr_importer), reads the input and hands over facts,
 * tasks, events and losses; the core (import.c) gives the events their types, keeps what pairs
 * them, and writes. Parsers know their format and nothing of .xtr; the core knows nothing of
 * formats.
 *
 * The input comes from strangers: all texts are bounded by their length, every number is taken as
 * it comes, and the core's memory is bounded whatever it is given.
 */
#ifndef XTR_IMPORT_H
#define XTR_IMPORT_H

#include "format/io.h"
#include "format/meta/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_import;
struct xtr_importer;
struct xtr_tp_format; /* format/meta/tpformat.h */

/* --- what a command calls ----------------------------------------------------------------------
 */

#define XTR_IMPORT_TEXT 256

struct xtr_import_opts {
	size_t sz;          /* sizeof(struct xtr_import_opts) */
	const char *format; /* name of an importer; NULL: told by the content */
	const char *source; /* name of the input for META, without directories; NULL: none */
	bool keep_pointers; /* kernel addresses as they are, not hashed */
	/* What was wrong with the input before it came here, the first damage; NULL: nothing. */
	const char *damage;
	/* Bytes of the input so far and in all, now and then. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct xtr_import_result {
	const char *format;         /* of the importer that ran; NULL: none fits */
	uint64_t events;            /* written */
	uint64_t lost;              /* known to be missing; each loss of unknown size counts 1 */
	uint64_t lost_unsure;       /* of these, losses whose size is not known */
	uint64_t damage;            /* places in the input that could not be read */
	bool no_times;              /* the input has an order of events, but no times */
	char text[XTR_IMPORT_TEXT]; /* why it failed where errno does not say it, or the first
				       damage; else "" */
};

/*
 * Import `in` and write a whole section to `out`; both stay the caller's. 0: done, though there may
 * be losses and damage. Else -errno, with res->text where that does not say it; of the output a
 * part may be written then. -EPROTONOSUPPORT: no importer knows the content, or the one asked for
 * does not exist or refuses a variant of its format; -EBADMSG: not what the format says, and
 * nothing could be read; -ENODATA: there is no event in it, and nothing was written.
 */
int xtr_import_run(struct xtr_io *in, struct xtr_io *out, const struct xtr_import_opts *opts,
		   struct xtr_import_result *res);

#define XTR_IMPORT_HEAD ((size_t)64 << 10) /* bytes of an input that detecting takes, at most */

/* Which importer knows an input that begins with these bytes; NULL: none. */
const struct xtr_importer *xtr_import_detect(const uint8_t *head, size_t n);

/* --- what a parser is ------------------------------------------------------------------------- */

struct xtr_importer {
	const char *name; /* of -f */
	const char *what; /* for people */
	/* Do these first bytes of the input (at most 64 KiB) look like this format? */
	bool (*detect)(const uint8_t *head, size_t n);
	/* Read all of it. 0, or -errno after xtr_import_fail. */
	int (*run)(struct xtr_import *im, struct xtr_io *in);
};

/* All importers in the order in which they are asked; the last row has no name. */
extern const struct xtr_importer xtr_importers[];

/* --- what a parser calls ---------------------------------------------------------------------- */
/* All that return int return 0 or -errno, which ends the import: the parser returns it. */

/* Facts, before the first event. What is not known is left out. */
int xtr_import_system(struct xtr_import *im, const struct xtr_system *sys);
/* A GPU or NPU of the machine; all but its name may be NULL. */
int xtr_import_device(struct xtr_import *im, const struct xtr_device *dev);
/*
 * The clock of the time stamps as the tracer names it: "mono" and "boot" become xtr's names for
 * them; any other ("local", "global", ...) is kept and cannot be compared with other clocks.
 */
int xtr_import_clock(struct xtr_import *im, const char *name);
/* When the trace's clock was at ts, the wall clock (UTC) was at wall, ns since 1970. */
int xtr_import_wall_clock(struct xtr_import *im, uint64_t ts, uint64_t wall);
/* Time stamps are exact to so many ns; 1 if nothing is said. */
int xtr_import_resolution(struct xtr_import *im, uint64_t ns);
/*
 * The input has no times: the clock is "sequence" (spec 6.3), and the time stamps of events are
 * numbers, 1 and up, in the order in which they happened. Before the first event.
 */
int xtr_import_without_times(struct xtr_import *im);
/* A fact for META's config, shown by `xtr info`. Keys begin with "import-". */
int xtr_import_note(struct xtr_import *im, const char *key, const char *text);
/* Bytes of the input read so far, and in all; cheap enough for every line. */
void xtr_import_progress(struct xtr_import *im, uint64_t done, uint64_t all);

/*
 * From time `since` on (0: from the beginning) thread tid is called comm (NULL: not known) and
 * belongs to process pid (0: not known). What is not known stays as it was.
 */
int xtr_import_task(struct xtr_import *im, uint64_t since, uint32_t tid, uint32_t pid,
		    const char *comm, size_t len);

/*
 * A thread was made at ts in process pid (0: not known) by thread `parent`, whose name it has until
 * it is told otherwise. A number that had events before is a new thread's, and a new process's.
 */
int xtr_import_fork(struct xtr_import *im, uint64_t ts, uint32_t tid, uint32_t pid,
		    uint32_t parent);

/* Where and when an event happened. */
struct xtr_import_at {
	uint64_t ts;      /* ns on the trace's clock */
	uint32_t cpu;     /* below XTR_IMPORT_CPUS */
	uint32_t tid;     /* the current thread; 0: idle */
	uint32_t pid;     /* its process; 0: not known. Never the tid for want of better */
	const char *comm; /* its name; NULL: not known */
	size_t comm_len;  /* bytes */
	uint32_t stack;   /* xtr_import_stack's id of its call stack; 0: none */
};

#define XTR_IMPORT_CPUS 4096u

/*
 * Call stacks. A frame is a place in the code: `offset` bytes behind the start of `symbol`, or,
 * where that is not known (symbol_len 0), of the file or kernel module `module`, or an address
 * where neither is known: one of the kernel's is hashed, as in events. Equal frames have one id.
 */
struct xtr_import_frame {
	const char *symbol;
	size_t symbol_len;  /* bytes */
	const char *module; /* "kernel", a kernel module's name, or the path of a file */
	size_t module_len;  /* bytes */
	uint64_t offset;    /* bytes */
};

#define XTR_IMPORT_FRAMES 256u /* of one stack */

int xtr_import_frame(struct xtr_import *im, const struct xtr_import_frame *f, uint32_t *id);
/*
 * The stack of these frames (ids), innermost first; what is above XTR_IMPORT_FRAMES is left out.
 * Equal stacks have one id. Id 0: there is no room for more of them in memory, and the its events
 * have none (import-stacks-left-out counts these stacks).
 */
int xtr_import_stack(struct xtr_import *im, const uint32_t *frames, size_t n, uint32_t *id);

/*
 * Events come in order of time over all CPUs, as well as the input knows it: those of the old
 * scheduler names are paired in the order in which they come.
 */

/* A: binary records with a description from tracefs (trace.dat). */
struct xtr_import_type;
/*
 * Make an event type; its uses are cheap. f and the texts in it must live as long as im. Types
 * that no event uses leave no trace in the file.
 */
int xtr_import_type(struct xtr_import *im, const char *system, const struct xtr_tp_format *f,
		    bool big_endian, struct xtr_import_type **type);
/* Events of this type may have a stack (`stack` of where they happened). Before its first event. */
void xtr_import_type_stacks(struct xtr_import *im, struct xtr_import_type *type);
/* rec: the kernel's record from its common fields on; what it is too short for reads as 0. */
int xtr_import_raw(struct xtr_import *im, const struct xtr_import_at *at,
		   struct xtr_import_type *type, const uint8_t *rec, size_t n);
/*
 * For `const char *` fields, of which the record has only the address: gives the text (NULL: not
 * known). Set before the first event.
 */
void xtr_import_resolver(struct xtr_import *im,
			 const char *(*resolve)(void *ctx, uint64_t addr, size_t *len), void *ctx);

/* What an address of the kernel is in a text that a parser makes: hashed, or as it is if asked for.
 */
uint64_t xtr_import_address(const struct xtr_import *im, uint64_t addr);

/* B: texts (the kernel's `trace` file, perf script): name and value as they were printed. */
enum xtr_import_kind {
	XTR_IMPORT_UINT, /* num */
	XTR_IMPORT_SINT, /* num, two's complement; for negative numbers */
	XTR_IMPORT_HEX,  /* num; printed as 0x..., or as a pointer */
	XTR_IMPORT_STR,  /* str */
};

#define XTR_IMPORT_VALUES 64u

struct xtr_import_value {
	const char *name; /* the field, or what the label is */
	size_t name_len;
	enum xtr_import_kind kind;
	uint64_t num;
	const char *str;
	size_t str_len;
	/* Names that the kernel has for numbers in this field, "text=number|text=number"; constant.
	 */
	const char *names;
	size_t names_len; /* bytes, 0: none */
	bool flags;       /* the names are of bits */
};

/*
 * An event with n (at most XTR_IMPORT_VALUES; more are left out) values, whose names are all
 * different, and as tracefs has them where that is known (replay/event/print_format.h). An event
 * without values that could be told apart has one text value of name "text". system_len 0: the
 * event's system is not known.
 */
int xtr_import_event(struct xtr_import *im, const struct xtr_import_at *at, const char *system,
		     size_t system_len, const char *event, size_t event_len,
		     const struct xtr_import_value *v, size_t n);

/* C: calls of functions (spec/events.md, "Functions and API calls"), entries and returns. */
struct xtr_import_call {
	bool api, ret;      /* of a shared library, not of the kernel; it returns */
	const char *module; /* or the library's soname; module_len 0: not known */
	size_t module_len;
	const char *symbol; /* with what the compiler appended */
	size_t symbol_len;
};

/* The values are those of xtr_import_event; one named "ret" is what a call returned. */
int xtr_import_call(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct xtr_import_call *call, const struct xtr_import_value *v, size_t n);

/*
 * The input says that events of this CPU (XTR_STREAM_NONE: not known which) are missing between
 * these times; count 0: not known how many.
 */
int xtr_import_lost(struct xtr_import *im, uint32_t cpu, uint64_t first, uint64_t last,
		    uint64_t count);
/*
 * A place of the input that could not be read; the parser goes on behind it. If events are lost
 * with it, xtr_import_lost says so too.
 */
void xtr_import_damage(struct xtr_import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The import ends here: one line for people, without the file's name. Returns err. */
int xtr_import_fail(struct xtr_import *im, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* XTR_IMPORT_H */
