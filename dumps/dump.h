/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts out of what a driver leaves when its device hangs: device core dumps, i915's error state,
 * and lines of the kernel's log. Bytes are given in pieces of any size, and memory does not grow
 * with them. They come from strangers: a fact is known only where the text has it, and where two
 * places of a text contradict each other it is not known.
 */
#ifndef XTR_DUMP_H
#define XTR_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifier, name, kind, what it is. */
#define XTR_DUMP_FACTS(X)                                                                       \
	X(DRIVER, "driver", TEXT, "module of the kernel that left it")                          \
	X(KERNEL, "kernel", TEXT, "version of the kernel")                                      \
	X(FIRMWARE, "firmware", TEXT, "version of the device's firmware")                       \
	X(DEVICE, "device", TEXT, "the device, as the kernel's log calls it")                   \
	X(TIME, "time", TIME, "when, in ns of the clock that `clock` names")                    \
	X(MESSAGE, "message", TEXT, "what the driver or the firmware says")                     \
	X(CODE, "code", TEXT, "number or code of the error, as the driver gives it")            \
	X(COMM, "comm", TEXT, "name of the process")                                            \
	X(PID, "pid", NUMBER, "its number")                                                     \
	X(RING, "ring", TEXT, "the scheduler's ring or queue")                                  \
	X(ENGINE, "engine", TEXT, "the engine of the hardware, or its class")                   \
	X(SLOT, "slot", NUMBER, "number of the queue in the device")                            \
	X(SIGNALED, "signaled", NUMBER, "number of the last fence that the hardware signalled") \
	X(EMITTED, "emitted", NUMBER, "number of the last fence that it was given")             \
	X(SEQNO, "seqno", NUMBER, "number of the job's fence, as the driver counts")            \
	X(GUC_ID, "guc_id", NUMBER, "number of the queue in the GuC's firmware")                \
	X(FAULT, "fault_address", HEX, "address of the page fault")                             \
	X(STATUS, "fault_status", HEX, "register of its status")                                \
	X(ACCESS, "fault_access", TEXT, "what was tried: read, write")                          \
	X(CLIENT, "fault_client", TEXT, "unit of the hardware that caused it")                  \
	X(HEAD, "head", HEX, "address at which the hardware stood")                             \
	X(OUTCOME, "outcome", TEXT, "what became of it: the last thing said of a reset")        \
	X(GUILTY, "guilty", NUMBER, "hangs that the driver counts for the context")

enum xtr_dump_kind_of_fact {
	XTR_DUMP_TEXT,
	XTR_DUMP_NUMBER,
	XTR_DUMP_HEX,
	XTR_DUMP_TIME
};

enum xtr_dump_fact_id {
#define XTR_DUMP_ENUM(id, name, kind, help) XTR_DUMP_##id##_FACT,
	XTR_DUMP_FACTS(XTR_DUMP_ENUM)
#undef XTR_DUMP_ENUM
	XTR_DUMP_FACT_COUNT
};

#define XTR_DUMP_TEXT_MAX    128u  /* bytes of a text, cut there; printable ASCII */
#define XTR_DUMP_LINE_MAX    1024u /* bytes of a line that are looked at */
#define XTR_DUMP_REPORTS_MAX 64u   /* hangs of all logs and dumps of a bundle */
#define XTR_DUMP_LOG_MAX     48u   /* of logs: the newest of a log stay, and dumps have room */
#define XTR_DUMP_APART_NS    10000000000ull /* lines of one hang in the log are no further apart */

struct xtr_dump_fact {
	bool known;
	bool unsure;                  /* two places say different things: it is not known */
	uint64_t where;               /* line, from 1; of a binary dump the offset in bytes */
	uint64_t value;               /* number, address, or ns */
	char text[XTR_DUMP_TEXT_MAX]; /* or the name of the clock: monotonic, boot, real, log */
};

/* What one dump, or the log, says of one hang. */
struct xtr_dump {
	const char *kind; /* "amdgpu devcoredump", "kernel log"; NULL: in no format that is known */
	char name[96];    /* of the file */
	bool failure;     /* it says that a job, an engine or the device failed */
	uint64_t bytes;   /* of the file */
	struct xtr_dump_fact fact[XTR_DUMP_FACT_COUNT];
};

struct xtr_dumps { /* all zero: none */
	struct xtr_dump *v;
	size_t n, cap;
	uint64_t more; /* hangs beyond XTR_DUMP_REPORTS_MAX */
};

void xtr_dumps_free(struct xtr_dumps *d);

const char *xtr_dump_fact_name(unsigned int fact);
const char *xtr_dump_fact_help(unsigned int fact);
enum xtr_dump_kind_of_fact xtr_dump_fact_kind(unsigned int fact);

/* NULL: not known. */
const char *xtr_dump_fact_text(const struct xtr_dump *d, enum xtr_dump_fact_id fact);
/* False: not known. */
bool xtr_dump_fact_number(const struct xtr_dump *d, enum xtr_dump_fact_id fact, uint64_t *v);
/*
 * The same device? The log names some without their function ("0000:01:00"), and then that does
 * not count.
 */
bool xtr_dump_same_device(const char *a, const char *b);

/* --- reading ---------------------------------------------------------------------------------- */

struct xtr_dump_reader;

/*
 * Begin a file. log: it is lines of the kernel's log, of which each hang becomes a dump of its own.
 * What is found is added to out, which must outlive the reader. NULL: no memory.
 */
struct xtr_dump_reader *xtr_dump_begin(struct xtr_dumps *out, const char *name, bool log);
/* The next n bytes. 0 or -ENOMEM. */
int xtr_dump_feed(struct xtr_dump_reader *r, const void *p, size_t n);
/* The end of the file; r is freed. 0 or -ENOMEM. */
int xtr_dump_end(struct xtr_dump_reader *r);

#endif /* XTR_DUMP_H */
