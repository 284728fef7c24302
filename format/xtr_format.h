/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of the .xtr format (spec/xtr.md): the only place in the tree where they stand.
 */
#ifndef XTR_FORMAT_H
#define XTR_FORMAT_H

#include "builtin_events.h"

#include <stdint.h>

#define XTR_MAGIC            "\x89XTR\r\n\x1a\n" /* 8 bytes, spec 3 */
#define XTR_MAJOR            1
#define XTR_MINOR            0
#define XTR_FILE_HEADER_SIZE 64u
#define XTR_FILE_HEADER_MAX  4096u

/* Incompatible flags of a file header, spec 3. */
#define XTR_INCOMPAT_COLUMNS (1u << 0)
#define XTR_INCOMPAT_ZSTD    (1u << 1)
#define XTR_INCOMPAT_WORDS   (1u << 2)

#define XTR_CHUNK_SYNC        0x435458d8u /* D8 58 54 43 as little-endian u32, spec 4 */
#define XTR_CHUNK_HEADER_SIZE 80u
#define XTR_STREAM_NONE       0xffffffffu
#define XTR_STORED_MAX        (1u << 20)
#define XTR_RAW_MAX           (1u << 20)
#define XTR_REC_MAX           (8u << 20)
#define XTR_RECORDS_MAX       65536u

enum xtr_chunk_type {
	XTR_CHUNK_META = 1,
	XTR_CHUNK_EVENTS = 2,
	XTR_CHUNK_TABLE = 3,
	XTR_CHUNK_CLOCK = 4,
	XTR_CHUNK_LOSS = 5,
	XTR_CHUNK_ROUND = 6,
	XTR_CHUNK_INDEX = 7,
	XTR_CHUNK_END = 8,
	XTR_CHUNK_ATTACH = 9,
	XTR_CHUNK_TYPES, /* number of known types + 1 */
	XTR_CHUNK_PRIVATE = 0x80,
};

enum xtr_codec {
	XTR_CODEC_NONE = 0,
	XTR_CODEC_LZ4 = 1,
	XTR_CODEC_ZSTD = 2,
};

enum xtr_filter {
	XTR_FILTER_NONE = 0,
	XTR_FILTER_ROWDELTA = 1,
	XTR_FILTER_COLUMNS = 2,
	XTR_FILTER_WORDS = 3,
};

enum xtr_chunk_props {
	XTR_PROP_CRITICAL = 1 << 0,
	XTR_PROP_SAFE_TO_COPY = 1 << 1,
	XTR_PROP_SORTED = 1 << 2,
	XTR_PROP_LOSS_BEFORE = 1 << 3,
};

/* Records, spec 5. */
#define XTR_RECORD_HEADER_SIZE 16u
#define XTR_TYPE_FIRST_BUILTIN 16u
#define XTR_TYPE_FIRST_DYNAMIC 1024u

/* Row-delta filter, spec 5.2. */
#define XTR_LAYOUTS_MAX       1024u
#define XTR_LAYOUT_FIELDS_MAX 64u
#define XTR_LAYOUT_BYTES_FLAG 0x80u

/* Words filter, spec 5.4. */
#define XTR_WORDS_LAYOUTS_MAX 128u
#define XTR_WORDS_MAX         65536u /* of all layouts together */
#define XTR_WORDS_FAR         65535u /* the difference of time stamps stands elsewhere */
#define XTR_WORDS_FAR_4       0xffffffffu

enum xtr_plane_form {
	XTR_PLANE_EVEN = 0, /* two bytes: the first one, and all others */
	XTR_PLANE_BYTES = 1,
};

/* Index and trailer, spec 7. */
#define XTR_INDEX_ENTRY_SIZE  40u
#define XTR_INDEX_HEADER_SIZE 16u
#define XTR_INDEX_EVERY       4096u
#define XTR_TRAILER_SIZE      32u
#define XTR_TRAILER_MAGIC     0x45525458u /* "XTRE" */

/* CBOR limits, spec 6.1. */
#define XTR_CBOR_DEPTH_MAX  16u
#define XTR_CBOR_ITEMS_MAX  65536u
#define XTR_CBOR_STRING_MAX 65536u

/* Field `context` of function calls, spec/events.md. */
enum xtr_context {
	XTR_CONTEXT_TASK = 0,
	XTR_CONTEXT_SOFTIRQ = 1,
	XTR_CONTEXT_HARDIRQ = 2,
	XTR_CONTEXT_NMI = 3,
	XTR_CONTEXT_UNKNOWN = 4,
};

#define XTR_TASK_KTHREAD 1u /* flags of table `tasks`, spec 6.4 */

/* Causes of loss, spec 6.5: number, name in text and JSON, what it means. */
#define XTR_LOSS_CAUSES(X)                                                     \
	X(RING_FULL, 1, "ring-full", "the ring had no room")                   \
	X(RING_BUSY, 2, "ring-busy", "the ring was locked, or in use")         \
	X(NOT_RUN, 3, "not-run", "the kernel did not run the program")         \
	X(RECORDER, 4, "recorder", "the recorder could not take or keep it")   \
	X(WRITE, 5, "write", "the output could not be written")                \
	X(DAMAGED, 6, "damaged", "it stood in a damaged part of another file") \
	X(SOURCE, 7, "source", "it was missing in the trace that was imported")

enum xtr_loss_cause {
#define XTR_LOSS_ENUM(name, n, text, help) XTR_LOSS_##name = n,
	XTR_LOSS_CAUSES(XTR_LOSS_ENUM)
#undef XTR_LOSS_ENUM
	XTR_LOSS_CAUSE_COUNT
};

/* What is in the account beside losses: left out on purpose (no cause in the file), and given up by
 * a flight recorder as it was too old. */
#define XTR_LOSS_FILTERED ((enum xtr_loss_cause)0)
#define XTR_LOSS_AGED     ((enum xtr_loss_cause)256)

#endif /* XTR_FORMAT_H */
