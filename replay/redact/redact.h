/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the sections of a file anew without what tells of people and machines, for a report that
 * everybody may read. Only what is known to be harmless is taken over (redact_impl.h): everything
 * else is mapped or left out. What is mapped is mapped alike everywhere in the files that are
 * looked at together, so that what was equal stays equal: texts to NAME#NUMBER, process and thread
 * ids to their rank, pointers of the kernel by a keyed permutation, those of programs by a keyed
 * offset. The key is random, and forgotten. docs/redact.md has what happens to each kind of
 * content.
 */
#ifndef XTR_REDACT_H
#define XTR_REDACT_H

#include "format/read/reader.h"

#include <stdbool.h>

enum xtr_redact_policy {
	XTR_REDACT_DEFAULT,
	XTR_REDACT_STRICT, /* numbers of unknown meaning and wall clocks go, too */
	XTR_REDACT_POLICIES
};

/* "default", "strict"; NULL past the last. */
const char *xtr_redact_policy_name(unsigned int policy);

struct xtr_redact_opts {
	size_t sz; /* sizeof(struct xtr_redact_opts) */
	enum xtr_redact_policy policy;
	uint64_t key;     /* of the mappings, for tests; 0: random */
	uint64_t file_id; /* of the first new section, then counted up; 0: random */
	/* Called now and then, with chunks done and in all. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *ctx;
};

struct xtr_redact_result {
	uint64_t events;
	uint64_t ids;         /* different process and thread ids of all files */
	uint64_t texts;       /* different texts that were replaced, so far */
	uint64_t attachments; /* attached files that were left out */
	uint64_t chunks;      /* of unknown types, left out */
	uint64_t bytes;       /* of the new section */
};

struct xtr_redact;

/*
 * Look at all sections of a file, which must be whole (xtr_section_is_whole) and outlive x: what is
 * mapped, is so for all of them. 0, -EBADMSG: a chunk cannot be read; other -errno. x must be freed
 * in any case.
 */
int xtr_redact_new(struct xtr_redact **x, const struct xtr_reader *r,
		   const struct xtr_redact_opts *opts);
/* Append the i-th section, redacted; the sections in their order. 0; -errno: it is not whole. */
int xtr_redact_section(struct xtr_redact *x, size_t i, struct xtr_io *io,
		       struct xtr_redact_result *res);
void xtr_redact_free(struct xtr_redact *x);

#define XTR_REDACT_FILES_MAX 256u

/*
 * The same of n files, of one recording or of several, with one mapping: what was equal in two of
 * them stays equal. The sections are counted through, those of r[0] first. All must outlive x.
 * -E2BIG: there are more than XTR_REDACT_FILES_MAX.
 */
int xtr_redact_new_set(struct xtr_redact **x, const struct xtr_reader *const *r, size_t n,
		       const struct xtr_redact_opts *opts);

/*
 * META's name of the mapping that names of a redacted section are of: two sections with one name
 * have one mapping, so that name#7 is the same in both. False: it was not redacted, or by a version
 * that did not tell; *mapping is 0.
 */
bool xtr_redact_mapping(const struct xtr_meta *m, uint64_t *mapping);
/*
 * Does a text have a name in it that redacting made (name#7, hwctx.3.1)? Of a file that was not
 * redacted this says nothing.
 */
bool xtr_redact_is_made(const char *s, size_t n);

/* Something of the original that stands in a file where it must not. */
struct xtr_redact_found {
	const char *text; /* NULL: a pointer, or a thread id */
	size_t n;
	uint64_t pointer;  /* or id */
	bool is_id;        /* a thread id that is no rank */
	bool is_context;   /* pointer is a fence context that was not replaced */
	const char *where; /* "events", "table", ... or "the bytes of the file" */
	uint64_t offset;   /* of the chunk in the file, or of the bytes */
};

/*
 * Search a file for what redacting removes: every text that is mapped or left out (of 4 letters or
 * more; in compressed bytes of 8 or more), and every pointer that is not there by chance; then go
 * through its tables and records: each text must be a name that redacting makes or stay by its
 * rule, each id be a rank, each pointer be none of the original, however short they are. x is of
 * the original, after xtr_redact_collect. more: texts that must not be there either, whatever is
 * beside them. found is called for each, of texts once per chunk. The number of texts and pointers
 * looked for in *tried. 0 or -errno.
 */
int xtr_redact_search(struct xtr_redact *x, const struct xtr_reader *in, const char *const *more,
		      size_t n_more, void (*found)(void *ctx, const struct xtr_redact_found *f),
		      void *ctx, uint64_t *tried);
/* In the place of writing: x learns what of the original would be replaced. 0 or -errno. */
int xtr_redact_collect(struct xtr_redact *x);

/* --- redact names ----------------------------------------------------------------------------- */

/* What redacting has replaced, for texts of other origin that have the same names in them. */
struct xtr_redact_name {
	const char *text; /* what it was; n bytes and a NUL, valid until the next section is made */
	size_t n;
	const char *label; /* of what it became: LABEL#NUMBER; "dropped": it was left out */
	uint32_t number;
};

/* The i-th text that was replaced or left out so far; false past the last. */
bool xtr_redact_name(const struct xtr_redact *x, size_t i, struct xtr_redact_name *name);
/*
 * Is a text what drivers and the kernel call things (a PCI address, "vmlinux", "i915",
 * "kworker/0:1")? A program that is called so has another name after redacting; the text stays
 * where it is the kernel's, which tells nobody.
 */
bool xtr_redact_is_common(const char *text, size_t n);

#endif /* XTR_REDACT_H */
