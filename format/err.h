/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors and problems. Library functions return 0 or -errno; where the place matters they also fill
 * a struct xtr_err. Problems are what a reader notes about a file and reads on (spec 8).
 */
#ifndef XTR_ERR_H
#define XTR_ERR_H

#include <stddef.h>
#include <stdint.h>

/* Problem codes, spec 8: identifier, text used in JSON and vectors, kind, one-line explanation. */
#define XTR_PROBLEMS(X)                                                                       \
	X(NOT_XTR, "not-xtr", FATAL, "not an .xtr file")                                      \
	X(TOO_SHORT, "too-short", FATAL, "shorter than a file header")                        \
	X(MAJOR, "major", FATAL, "written by a newer xtr: unknown major version")             \
	X(INCOMPAT, "incompat", FATAL, "needs a feature that this xtr does not know")         \
	X(UNKNOWN_CRITICAL, "unknown-critical", FATAL, "unknown critical chunk type")         \
	X(HEADER_CRC, "header-crc", DAMAGE, "file header damaged")                            \
	X(LOST_SYNC, "lost-sync", DAMAGE, "no chunk where one should start")                  \
	X(CHUNK_TRUNCATED, "chunk-truncated", DAMAGE, "chunk runs past the end of the file")  \
	X(PAYLOAD_CRC, "payload-crc", DAMAGE, "payload checksum mismatch")                    \
	X(CHUNK_ORDER, "chunk-order", DAMAGE, "chunk out of order or twice")                  \
	X(MISSING_CHUNKS, "missing-chunks", DAMAGE, "chunks are missing before this one")     \
	X(CODEC, "codec", DAMAGE, "unknown compression or filter")                            \
	X(LZ4, "lz4", DAMAGE, "payload does not decompress")                                  \
	X(ZSTD, "zstd", DAMAGE, "payload does not decompress")                                \
	X(FILTER, "filter", DAMAGE, "filtered payload is not well-formed")                    \
	X(RECORD, "record", DAMAGE, "event record is not well-formed")                        \
	X(CBOR, "cbor", DAMAGE, "not deterministic CBOR within the limits")                   \
	X(META, "meta", DAMAGE, "metadata breaks the grammar")                                \
	X(TABLE, "table", DAMAGE, "table breaks the grammar")                                 \
	X(CLOCK, "clock", DAMAGE, "clock snapshot breaks the grammar")                        \
	X(LOSS, "loss", DAMAGE, "loss report breaks the grammar")                             \
	X(END, "end", DAMAGE, "end mark breaks the grammar")                                  \
	X(ROUND, "round", DAMAGE, "round mark is not 8 bytes")                                \
	X(ATTACH, "attach", DAMAGE, "attached file is not well-formed")                       \
	X(INDEX, "index", DAMAGE, "index does not agree with the chunks")                     \
	X(NO_META, "no-meta", DAMAGE, "no readable metadata: events have numbers, not names") \
	X(NO_END, "no-end", DAMAGE, "not closed cleanly: the recording ends abruptly")        \
	X(ORDINAL, "ordinal", DAMAGE, "event count of the stream does not add up")

enum xtr_problem_code {
	XTR_P_NONE = 0,
#define XTR_PROBLEM_ENUM(id, text, kind, help) XTR_P_##id,
	XTR_PROBLEMS(XTR_PROBLEM_ENUM)
#undef XTR_PROBLEM_ENUM
	XTR_P_COUNT
};

struct xtr_problem {
	enum xtr_problem_code code;
	uint32_t seq;    /* chunk sequence number, 0 if none */
	uint64_t offset; /* bytes from the start of the file */
};

/* The text of a code as in spec 8 ("payload-crc"), and an explanation for people. Never NULL. */
const char *xtr_problem_name(enum xtr_problem_code code);
const char *xtr_problem_help(enum xtr_problem_code code);
/* Does a chunk's number say where it is? Not so of the whole file, or where no chunk can be read.
 */
int xtr_problem_has_chunk(enum xtr_problem_code code);
/*
 * "chunk 17 at 0x4a20: payload checksum mismatch", "at 0x0: ..." or the explanation alone, cut at
 * size bytes, terminated. Returns buf.
 */
char *xtr_problem_text(char *buf, size_t size, const struct xtr_problem *p);
/* 1 if nothing of the section can be shown after this problem. */
int xtr_problem_is_fatal(enum xtr_problem_code code);

struct xtr_err {
	int code;                      /* -errno */
	enum xtr_problem_code problem; /* XTR_P_NONE if the fault is not in the file's bytes */
	uint64_t offset;               /* bytes from the start of the file, where it applies */
	uint32_t seq;                  /* chunk sequence number, where it applies */
	uint32_t features;             /* XTR_P_INCOMPAT: the flags that are not known (spec 3) */
};

#endif /* XTR_ERR_H */
