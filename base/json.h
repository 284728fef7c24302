/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON emitter (RFC 8259): writes as it is called, holds less than a line's memory and
 * nothing at the end of a document, and its output is valid UTF-8 whatever the input was. Commas,
 * quotes and indentation are its own business; the caller only keeps begin and end in balance.
 * Numbers are integers, written in full: no floating point.
 */
#ifndef XTR_JSON_H
#define XTR_JSON_H

#include "line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define XTR_JSON_DEPTH 32u

struct xtr_json {
	struct xtr_line line;
	bool pretty;                   /* one item per line; else everything in one line */
	bool after_key;                /* the next value belongs to a key */
	unsigned int depth;            /* open objects and arrays */
	bool has_item[XTR_JSON_DEPTH]; /* something was written at this depth */
};

/* Errors of f are the caller's to look for (ferror) at the end of a document. */
void xtr_json_init(struct xtr_json *j, FILE *f, bool pretty);
/* A line feed after a whole document; for JSON lines, one per record. */
void xtr_json_newline(struct xtr_json *j);

/* A document of one object that names its schema first, in lines; and the end of any document. */
void xtr_json_document(struct xtr_json *j, FILE *f, const char *schema);
void xtr_json_document_end(struct xtr_json *j);

/* At most XTR_JSON_DEPTH deep (asserted). */
void xtr_json_begin_object(struct xtr_json *j);
void xtr_json_end_object(struct xtr_json *j);
void xtr_json_begin_array(struct xtr_json *j);
void xtr_json_end_array(struct xtr_json *j);

void xtr_json_key(struct xtr_json *j, const char *key);
void xtr_json_u64(struct xtr_json *j, uint64_t v);
void xtr_json_s64(struct xtr_json *j, int64_t v);
void xtr_json_bool(struct xtr_json *j, bool v);
void xtr_json_null(struct xtr_json *j);
/* n bytes, or NULL for null. Bytes that are not UTF-8 become U+FFFD, one for each. */
void xtr_json_strn(struct xtr_json *j, const char *s, size_t n);
void xtr_json_str(struct xtr_json *j, const char *s);
/* n bytes as a string of 2 * n hexadecimal digits. */
void xtr_json_hex(struct xtr_json *j, const uint8_t *p, size_t n);
/* "0x1f", as a string. */
void xtr_json_hex_number(struct xtr_json *j, uint64_t v);

/* n bytes as a JSON string, without anything around it. */
void xtr_json_quote(struct xtr_line *l, const char *s, size_t n);
/* The same without the quotation marks: a part of a string. */
void xtr_json_escape(struct xtr_line *l, const char *s, size_t n);

/* Key and value in one call. */
void xtr_json_kv_u64(struct xtr_json *j, const char *key, uint64_t v);
/* null where it is not known. */
void xtr_json_kv_u64_if(struct xtr_json *j, const char *key, bool known, uint64_t v);
/* null for 0, which stands for "not known". */
void xtr_json_kv_known(struct xtr_json *j, const char *key, uint64_t v);
void xtr_json_kv_s64(struct xtr_json *j, const char *key, int64_t v);
void xtr_json_kv_bool(struct xtr_json *j, const char *key, bool v);
void xtr_json_kv_str(struct xtr_json *j, const char *key, const char *v);
void xtr_json_kv_object(struct xtr_json *j, const char *key);
void xtr_json_kv_array(struct xtr_json *j, const char *key);

#endif /* XTR_JSON_H */
