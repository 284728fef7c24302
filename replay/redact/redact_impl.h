/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of redacting: redact_rule.c decides what happens to a field, redact_words.c which
 * texts are harmless, redact_text.c and redact_value.c map, redact_read.c looks at what there is,
 * redact_meta.c, redact_tables.c and redact_record.c make the parts of the new section, redact.c
 * writes it, redact_search.c looks for what should be gone, redact_typed.c at each field of its
 * type, redact_tables.c tells names that were made.
 */
#ifndef XTR_REDACT_IMPL_H
#define XTR_REDACT_IMPL_H

#include "base/map.h"
#include "base/siphash.h"
#include "format/codec/record.h"
#include "format/meta/schema.h"
#include "format/read/decode.h"
#include "redact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- redact value ----------------------------------------------------------------------------- */

/*
 * Numbers to numbers, one to one. Process and thread ids become their rank among all those of the
 * file, from 1 on: as many as there are, in their order, and nothing else of them. Fence contexts,
 * which count since the machine started, keep their order and which follow each other directly: the
 * context of a job's fence that is scheduled is one below that of the finished one. Pointers of the
 * kernel go through a keyed permutation; those of programs are moved by a keyed distance, so that
 * sizes stay. 0 and what is no pointer (below 4096, and errors) stay.
 */
#define REDACT_PID_MAX (1u << 22) /* Linux has none above */

struct redact_values {
	struct xtr_siphash_key key;
	uint64_t distance; /* of pointers of programs, bytes */
	uint64_t *seen;    /* a bit for each id */
	uint32_t *before;  /* of each word of seen: ids in earlier words; NULL: not counted yet */
	uint32_t n;        /* ids */
	/* Halves of fence contexts -> new ones; not more than REDACT_CONTEXTS_MAX. */
	struct xtr_map contexts;
	uint64_t last_context; /* the largest new one */
};

#define REDACT_CONTEXTS_MAX ((size_t)1 << 22) /* others are mixed, above all of these */

/* key 0: random. 0, -ENOMEM, or -errno of random numbers. */
int redact_values_init(struct redact_values *v, uint64_t key);
void redact_values_free(struct redact_values *v);

/* Note the ids in a number: of 8 bytes there may be two, thread and process. */
void redact_note_pid(struct redact_values *v, uint64_t id);
/* All were noted. 0 or -ENOMEM. */
int redact_rank_pids(struct redact_values *v);
/* The same of fence contexts. 0 is none, and stays. */
int redact_note_context(struct redact_values *v, uint64_t context);
int redact_rank_contexts(struct redact_values *v);
uint64_t redact_context(const struct redact_values *v, uint64_t context);
/* Could it be a new one? */
bool redact_is_new_context(const struct redact_values *v, uint64_t context);
bool redact_pid_is_known(const struct redact_values *v, uint32_t id);
uint64_t redact_pid(const struct redact_values *v, uint64_t id);

/* Would v be an address, of `width` bytes? */
bool redact_is_pointer(uint64_t v, uint32_t width);
uint64_t redact_kptr(const struct redact_values *v, uint64_t p, uint32_t width);
uint64_t redact_uptr(const struct redact_values *v, uint64_t p, uint32_t width);
/* Does a number look like an address of the kernel (on a machine of 64 bits)? */
bool redact_looks_kernel(uint64_t v);

/* --- redact rule ------------------------------------------------------------------------------ */

/*
 * What happens to a field of an event. A list of what is allowed: by the event's system, the
 * field's name, and the privacy class that META gives it (spec 6.2). What no row allows is zero.
 */
enum redact_action {
	REDACT_ZERO,
	REDACT_KEEP,
	REDACT_NUMBER, /* stays, unless it looks like an address of the kernel */
	REDACT_PID,
	REDACT_CONTEXT, /* of fences */
	REDACT_KPTR,
	REDACT_UPTR,
	REDACT_STRID, /* an id of a text */
	REDACT_STR,   /* a text in its place */
};

/* What a text is, and so which are harmless (redact_words.c). */
enum redact_kind {
	REDACT_NAME,    /* of a program or a person: none is */
	REDACT_COMM,    /* of a thread: those of kernel threads */
	REDACT_PATH,    /* none */
	REDACT_SYMBOL,  /* of a program's function: none */
	REDACT_LIBRARY, /* path of a program or library: base names of known libraries */
	REDACT_IDENT,   /* of the kernel: what could stand in C */
	REDACT_DEVICE,  /* what the kernel calls a device */
	REDACT_WORD,    /* of a driver: few letters, no long numbers */
	REDACT_RING,    /* a ring, queue or timeline: what drivers call theirs */
	REDACT_DRIVER,  /* who has an interrupt: known drivers */
	REDACT_HEX,     /* hexadecimal digits of an array */
	REDACT_XID,     /* what NVIDIA's driver says of an error */
	REDACT_EVENT,   /* name of an event */
	REDACT_MARKER,  /* of a program, in one of the forms of marker.h: names in it are none */
	REDACT_KINDS
};

struct redact_rule {
	enum redact_action action;
	enum redact_kind kind; /* of REDACT_STRID and REDACT_STR */
};

/* ev need not have the field. */
struct redact_rule redact_rule_of(const struct xtr_event_desc *ev, const struct xtr_field *f,
				  enum xtr_redact_policy policy);

/* --- redact text ------------------------------------------------------------------------------ */

/*
 * Texts to texts: what is harmless stays, anything else becomes LABEL#NUMBER, the same number for
 * the same text everywhere in the file.
 */
#define REDACT_TEXT_MAX 512u /* bytes of a text that is made */

/* A text that was replaced or left out. */
struct redact_name {
	const char *label; /* "name", "path", ... */
	char *text;
	size_t n;
	uint32_t number; /* from 1 in each label */
};

struct redact_texts {
	struct redact_name *v;
	size_t n, cap, bytes;
	struct xtr_map by_text; /* (hash, n-th with this hash) -> index */
	struct xtr_map owners;  /* hash of a text -> whose it is: threads, programs, rings */
	const struct redact_values *values;
};

/* The new text: of the old one's bytes, or in buf. n 0: nothing is left. */
struct redact_text {
	const char *p;
	size_t n;
	char buf[REDACT_TEXT_MAX];
};

/* Note that a thread, or a ring, has this name. 0 or -ENOMEM. */
int redact_note_comm(struct redact_texts *t, const char *s, size_t n, bool kthread);
int redact_note_ring(struct redact_texts *t, const char *s, size_t n);
/* Note the ids that a text has in it. */
void redact_note_ids(struct redact_values *v, enum redact_kind kind, const char *s, size_t n);
/* "hwctx.PID.NUMBER" is what amdxdna calls a ring. */
bool redact_is_hwctx(const char *s, size_t n, uint32_t *pid, uint32_t *context);
/* 0 or -ENOMEM. */
int redact_text(struct redact_texts *t, enum redact_kind kind, const char *s, size_t n,
		struct redact_text *out);
/* LABEL#NUMBER, whatever the text; label must live as long as t. */
int redact_label(struct redact_texts *t, const char *label, const char *s, size_t n,
		 struct redact_text *out);
/* It is left out: remember it for the search. 0 or -ENOMEM. */
int redact_drop(struct redact_texts *t, const char *s);
void redact_texts_free(struct redact_texts *t);

/* --- redact impl ------------------------------------------------------------------------------ */

/* What happens to one field of a record. */
struct redact_step {
	uint32_t offset, size; /* bytes */
	struct redact_rule rule;
};

/* What happens to the records of a type: steps that keep first, so that others win over them. */
struct redact_plan {
	struct redact_step *step;
	uint32_t n;
};

/* A section, as far as it was looked at. */
struct redact_part {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_map strings; /* (id, kind) -> id in the new tables, 0: none */
	struct redact_plan *plan;
	uint16_t *plan_of; /* of each type, 0: META does not describe it */
	size_t n_plans;
	struct xtr_meta *meta; /* the new ones */
	struct xtr_tables *tables;
	struct xtr_loss *loss;
};

struct xtr_redact {
	struct xtr_redact_opts o;
	struct redact_values values;
	struct redact_texts texts;
	struct redact_part *part;
	size_t n_parts, n_files;
	uint64_t mapping;    /* its name */
	uint64_t clock_zero; /* the wall clock's earliest reading, ns; 0: none */
	struct xtr_decoder decoder;
	uint8_t *buf, *out; /* a decoded chunk, and what becomes of it */
	size_t cap, cap_out;
	/* Notes the pointers that are mapped, and whether they are rare; NULL: nobody asks. */
	struct xtr_map *pointers;
};

/* redact_read.c: fill in parts, values, mapping and clock_zero. 0 or -errno. */
int redact_read(struct xtr_redact *x, const struct xtr_reader *const *r, size_t n);
void redact_part_free(struct redact_part *p);
/* The plan of a type, or NULL. */
const struct redact_plan *redact_plan_of(const struct redact_part *p, uint32_t type);
/* The rule of the value in `key` of an xtr:total, whose field is named by a string id. */
struct redact_rule redact_total_rule(const struct xtr_redact *x, const struct redact_part *p,
				     const uint8_t *rec, uint32_t field_at);
/* Kinds of the texts of a frame. A build id stays where the names of functions do, of known
 * libraries: that of somebody's own program would tell which one it is, and is left out. */
void redact_frame_kinds(const struct xtr_tables *t, const struct xtr_frame *f,
			enum redact_kind *symbol, enum redact_kind *module);

/* redact_tables.c, redact_meta.c: set p->tables, p->meta. 0 or -errno. */
int redact_make_tables(struct xtr_redact *x, struct redact_part *p);
int redact_make_meta(struct xtr_redact *x, struct redact_part *p);

/* redact_record.c: the redacted record to out, which has room for its size. 0 or -errno. */
int redact_record(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		  uint8_t *out);
/* A value of a field, as wide as that; notes pointers. */
uint64_t redact_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_rule *rule, uint64_t v, uint32_t width);
/* The new id of a string; 0: it is left out. */
uint32_t redact_string(const struct redact_part *p, enum redact_kind kind, uint64_t id);

/* redact_typed.c: what a redacted file has in each place, by its type. 0 or -errno. */
int redact_look_typed(struct xtr_redact *x, const struct xtr_reader *in,
		      void (*found)(void *ctx, const struct xtr_redact_found *f), void *ctx);

/* redact_tables.c: name the mapping in META. 0 or -errno. */
int redact_put_mapping(struct xtr_meta *m, uint64_t mapping);
/* Is the whole text such a name, or what of it fits in a field ("#7")? */
bool redact_is_label(const char *s, size_t n);

/* --- redact marker ---------------------------------------------------------------------------- */

/*
 * Texts of markers: names in them become others, process ids are mapped, and what says how the text
 * is meant stays, so that slices are paired as they were. Of a counter's value nothing is known: it
 * becomes 0. Cookies and contexts become other numbers, the same for the same.
 */
/* 0 or -ENOMEM. */
int redact_marker(struct redact_texts *t, const char *s, size_t n, struct redact_text *out);
/* Note the ids in it. */
void redact_marker_note(struct redact_values *v, const char *s, size_t n);
/* Could it have been made so? Its ids: 0 if it has none. */
bool redact_marker_is_made(const char *s, size_t n, uint32_t *pid, uint32_t *tid);

/* --- redact words ----------------------------------------------------------------------------- */

/* Which texts say nothing of people: by how they look, and by lists of what the kernel calls
 * things. */
#define REDACT_WORD_MAX 80u /* bytes of a text that may stay */

/* Letters, digits and _ (also . and $, as in names of compiled functions). */
bool redact_is_ident(const char *s, size_t n);
/* Words of ASCII with . _ : + - , ( ) [ ] and spaces between; no number of more than 3 digits. */
bool redact_is_word(const char *s, size_t n);
/* "0000:03:00.0", and other words. */
bool redact_is_device(const char *s, size_t n);
/* What drivers call their rings, queues and timelines: "gfx_0.0.0", "rcs0", "nouveau_sched#2". */
bool redact_is_ring(const char *s, size_t n);
/* As redact_is_word, but numbers may be long: versions of firmware and drivers. */
bool redact_is_version(const char *s, size_t n);
/* The name of a thread that the kernel has on every machine, or a driver of GPUs and NPUs. */
bool redact_is_kthread(const char *s, size_t n);
/* A driver whose interrupts are no secret. */
bool redact_is_driver(const char *s, size_t n);
/* Base name of a library that many machines have: "libze_loader.so.1". */
bool redact_is_library(const char *s, size_t n);
bool redact_is_hex(const char *s, size_t n);
/* A word of uname -r or -v: a number, or what distributions call their kernels. */
bool redact_is_release(const char *s, size_t n);

#endif /* XTR_REDACT_IMPL_H */
