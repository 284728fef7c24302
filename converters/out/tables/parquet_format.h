/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the Parquet format
 * (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift). */
#ifndef XTR_PARQUET_FORMAT_H
#define XTR_PARQUET_FORMAT_H

enum parquet_type {
	PARQUET_INT64 = 2,
	PARQUET_BYTE_ARRAY = 6
};

enum parquet_converted {
	PARQUET_UTF8 = 0,
	PARQUET_UINT_64 = 14,
	PARQUET_INT_64 = 18
};

enum parquet_repetition {
	PARQUET_OPTIONAL = 1
};

enum parquet_logical { /* fields of the union */
	PARQUET_STRING = 1,
	PARQUET_TIMESTAMP = 8,
	PARQUET_INTEGER = 10
};

#define PARQUET_NANOS 3 /* field of union TimeUnit */

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_RLE_DICTIONARY = 8
};

enum parquet_page {
	PARQUET_DATA_PAGE = 0,
	PARQUET_DICTIONARY_PAGE = 2
};

enum parquet_codec {
	PARQUET_UNCOMPRESSED = 0,
	PARQUET_ZSTD = 6
};

#define PARQUET_MAGIC "PAR1"

#endif /* XTR_PARQUET_FORMAT_H */
