/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxtr: reads .xtr traces of GPU and NPU kernel drivers. pkg-config --cflags --libs xtr
 *
 * A file is one section or several, each a recording of its own with its own clock (files may be
 * joined by cat). What a section is about is asked by key; its events are walked with a cursor, in
 * order of time, and the fields of each are asked by name. The format: xtr(5), spec/xtr.md.
 *
 * Traces of strangers are safe to open: every byte is checked, memory is bounded. A damaged file
 * opens; xtr_damage says what is wrong, and everything that is whole can be read. Texts are made
 * fit for a terminal: control characters, backslashes and bytes that are not UTF-8 are \xNN.
 *
 * Several threads may read a file at once, each with a cursor of its own. The library prints
 * nothing, never exits, and changes no setting of the process. Times are ns on the section's event
 * clock.
 */
#ifndef XTR_H
#define XTR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct xtr_file;
struct xtr_cursor;

/* Why something failed. Every `error` may be NULL. */
struct xtr_error {
	int code;       /* a negative errno; -EBADMSG: the file's bytes are at fault */
	char text[256]; /* one line for people: "chunk 17 at 0x4a20: payload checksum mismatch" */
};

/* "0.1.0": of the library that runs, not of this header. */
const char *xtr_version(void);

/* Open a file for reading; "-" is standard input, which is copied first. NULL: *error says why. */
struct xtr_file *xtr_open(const char *path, struct xtr_error *error);
/* After its cursors. NULL is allowed. */
void xtr_close(struct xtr_file *file);
size_t xtr_sections(const struct xtr_file *file); /* 1 or more; counted from 0 below */

/*
 * The texts below fill buf (cut at its end, always terminated) and return it; NULL, with buf empty,
 * if there is no such thing.
 */

/* The i-th thing that is wrong with the file as far as it was read, from 0 until NULL. */
char *xtr_damage(const struct xtr_file *file, size_t i, char *buf, size_t size);
/*
 * What a section says of itself. key: writer, writer-version, clock (monotonic; sequence: time
 * stamps count events, there are no times), kernel, kernel-version, machine, hypervisor, hostname,
 * end (why the recording ended; NULL: it was cut off), or a text of the recorder's settings, as
 * `xtr info --json` shows them.
 */
char *xtr_about(const struct xtr_file *file, size_t section, const char *key, char *buf,
		size_t size);
/*
 * The i-th device of a section, from 0 until NULL. key: name, driver, pci-id, driver-version,
 * firmware. What is not known of a device that is there is "".
 */
char *xtr_device(const struct xtr_file *file, size_t section, size_t i, const char *key, char *buf,
		 size_t size);
/* The name of the i-th type of event of a section, from 0 until NULL; not all have happened. */
char *xtr_event_type(const struct xtr_file *file, size_t section, size_t i, char *buf, size_t size);
/*
 * A number of a section. key: events (that can be read), lost (while recording), lost-CAUSE (those
 * of one cause of spec/xtr.md 6.5), missing (recorded, but in damaged chunks), filtered (left out
 * on purpose), aged (too old for the flight recorder), first, last (ns, of the events), cpus, or a
 * number of the recorder's settings. 0, or -ENOENT and *value 0.
 */
int xtr_count(const struct xtr_file *file, size_t section, const char *key, uint64_t *value);

/*
 * Events of a section from a time to a time, ns, both inclusive; to 0: to the end. The cursor
 * stands before the first one. NULL: *error says why.
 */
struct xtr_cursor *xtr_cursor_open(const struct xtr_file *file, size_t section, uint64_t from,
				   uint64_t to, struct xtr_error *error);
/* NULL is allowed. */
void xtr_cursor_close(struct xtr_cursor *c);
/*
 * Go to the next event, or place where events were lost. 1: it is there; 0: there are no more;
 * -EBADMSG: a chunk is damaged, *error says which; it is left out, and calling again goes on;
 * another negative errno: give up.
 */
int xtr_cursor_next(struct xtr_cursor *c, struct xtr_error *error);

/* Where the cursor stands, after xtr_cursor_next returned 1. Texts are valid until the next call
 * of the same function, or of xtr_cursor_next. */

uint64_t xtr_cursor_time(const struct xtr_cursor *c); /* ns */
/* "system:event", or "type:N" of a type that the file does not describe; NULL: events were lost
 * here. */
const char *xtr_cursor_event(struct xtr_cursor *c);
/*
 * Events lost here: how many (0: some were left out on purpose), and the times of the first and the
 * last, ns. 0, or -ENOENT: this is an event.
 */
int xtr_cursor_lost(const struct xtr_cursor *c, uint64_t *n, uint64_t *first, uint64_t *last);
unsigned int xtr_cursor_cpu(const struct xtr_cursor *c); /* UINT_MAX: not known */
/* The thread that was current: its id, its process (0: not known), and its name: "<idle>", "<...>"
 * if it is not known. */
uint32_t xtr_cursor_thread(const struct xtr_cursor *c);
uint32_t xtr_cursor_process(struct xtr_cursor *c);
const char *xtr_cursor_comm(struct xtr_cursor *c);

/* The name of the event's i-th field, from 0 until NULL. */
const char *xtr_cursor_field(struct xtr_cursor *c, size_t i);
/*
 * The number in a field; one with a sign is to be cast to int64_t, an id (of a ring, a string, a
 * stack) is the file's. 0, or -ENOENT: there is no such field, or it is no number.
 */
int xtr_cursor_number(struct xtr_cursor *c, const char *field, uint64_t *value);
/*
 * The value of a field as `xtr dump` prints it: numbers with their names or units, ids as what they
 * stand for; a stack as lines, innermost frame first. NULL: there is no such field, or no memory.
 */
const char *xtr_cursor_text(struct xtr_cursor *c, const char *field);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif /* XTR_H */
