/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of Arrow's messages
 * (https://github.com/apache/arrow/blob/main/format/Message.fbs and Schema.fbs). */
#ifndef XTR_ARROW_FORMAT_H
#define XTR_ARROW_FORMAT_H

#define ARROW_CONTINUATION 0xffffffffu /* in front of each message */
#define ARROW_V5           4           /* MetadataVersion */
#define ARROW_NANOSECOND   3           /* TimeUnit */

enum arrow_header { /* union MessageHeader */
	ARROW_SCHEMA = 1,
	ARROW_RECORD_BATCH = 3
};

enum arrow_type { /* union Type */
	ARROW_INT = 2,
	ARROW_UTF8 = 5,
	ARROW_TIMESTAMP = 10
};

/* Fields of tables. */

enum arrow_message {
	MESSAGE_VERSION,
	MESSAGE_HEADER_TYPE,
	MESSAGE_HEADER,
	MESSAGE_BODY_LENGTH
};

enum arrow_schema {
	SCHEMA_FIELDS = 1, /* 0: endianness */
	SCHEMA_METADATA
};

enum arrow_field {
	FIELD_NAME,
	FIELD_NULLABLE,
	FIELD_TYPE_TYPE,
	FIELD_TYPE,
	FIELD_CHILDREN = 5, /* 4: dictionary */
	FIELD_METADATA
};

enum arrow_key_value {
	PAIR_KEY,
	PAIR_VALUE
};

enum arrow_int {
	INT_BITS,
	INT_SIGNED
};

enum arrow_timestamp {
	TIMESTAMP_UNIT,
	TIMESTAMP_ZONE
};

enum arrow_record_batch {
	BATCH_LENGTH,
	BATCH_NODES,
	BATCH_BUFFERS
};

#define ARROW_PAIR 16u /* bytes of structures FieldNode (rows, nulls) and Buffer (place, bytes) */

#endif /* XTR_ARROW_FORMAT_H */
