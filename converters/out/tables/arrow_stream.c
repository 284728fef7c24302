/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message is 0xffffffff, the bytes of its description, the description (a FlatBuffer), and its
 * body, all of them a multiple of 8 bytes. The body of a batch is the buffers of its columns, one
 * after the other, as they are in memory: bits of what is known (none if all is), numbers; of texts
 * their places, then the texts. All numbers are little-endian, whatever the machine is.
 */
#include "arrow_stream.h"
#include "arrow_flat.h"
#include "arrow_format.h"
#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM_FIRST  1024u /* rows */
#define BUFFERS_MAX 3u    /* of a column */

/* --- describing ------------------------------------------------------------------------------- */

static int copy(char **to, const char *s)
{
	*to = s ? strdup(s) : NULL;
	return s && !*to ? -ENOMEM : 0;
}

int xtr_arrow_table(struct xtr_arrow *a, FILE *f, const char *name, const char *help)
{
	a->f = f;
	return copy(&a->name, name) ?: copy(&a->help, help);
}

int xtr_arrow_column(struct xtr_arrow *a, const char *name, enum xtr_arrow_type type,
		     const char *unit, const char *help)
{
	struct xtr_arrow_column *c;

	if (xtr_grow_array(&a->column, &a->cap_columns, a->n_columns + 1, sizeof(*a->column)))
		return -ENOMEM;
	c = &a->column[a->n_columns++];
	*c = (struct xtr_arrow_column){ .type = type };
	return copy(&c->name, name) ?: copy(&c->unit, unit) ?: copy(&c->help, help);
}

int xtr_arrow_describe(struct xtr_arrow *a, const struct xtr_column *c)
{
	static const enum xtr_arrow_type types[] = { [XTR_COLUMN_U64] = XTR_ARROW_UINT,
						     [XTR_COLUMN_INT] = XTR_ARROW_INT,
						     [XTR_COLUMN_TEXT] = XTR_ARROW_TEXT };

	return xtr_arrow_column(a, c->name, types[c->type], c->unit, c->help);
}

/* --- messages --------------------------------------------------------------------------------- */

static int put_out(struct xtr_arrow *a, const void *p, size_t n)
{
	return !n || fwrite(p, 1, n, a->f) == n ? 0 : -EIO;
}

/* Begins a->head; returns the place of the reference to what kind of message it is. */
static size_t begin_message(struct xtr_arrow *a, enum arrow_header type, uint64_t body)
{
	struct xtr_flat_field f[] = { [MESSAGE_VERSION] = { 2, ARROW_V5, 0 },
				      [MESSAGE_HEADER_TYPE] = { 1, type, 0 },
				      [MESSAGE_HEADER] = XTR_FLAT_REF,
				      [MESSAGE_BODY_LENGTH] = { 8, body, 0 } };

	xtr_flat_begin(&a->head);
	xtr_flat_table(&a->head, XTR_FLAT_ROOT, f, sizeof(f) / sizeof(f[0]));
	return f[MESSAGE_HEADER].at;
}

/* What is in a->head; the body is the caller's to write. */
static int end_message(struct xtr_arrow *a)
{
	uint8_t front[8];

	xtr_flat_end(&a->head);
	if (a->head.err || a->head.n > INT32_MAX)
		return a->head.err ? a->head.err : -E2BIG;
	xtr_put_le32(front, ARROW_CONTINUATION);
	xtr_put_le32(front + 4, (uint32_t)a->head.n);
	return put_out(a, front, sizeof(front)) ?: put_out(a, a->head.p, a->head.n);
}

/* --- schema ----------------------------------------------------------------------------------- */

struct pair {
	const char *key, *value; /* value NULL: none */
};

static void put_pairs(struct xtr_buf *b, size_t ref, const struct pair *pairs, size_t n)
{
	size_t known = 0, at;

	for (size_t i = 0; i < n; i++)
		known += pairs[i].value != NULL;
	at = xtr_flat_vector(b, ref, known, 4);
	for (size_t i = 0; i < n; i++) {
		struct xtr_flat_field f[] = {
			[PAIR_KEY] = XTR_FLAT_REF, [PAIR_VALUE] = XTR_FLAT_REF
		};

		if (!pairs[i].value)
			continue;
		xtr_flat_table(b, at, f, sizeof(f) / sizeof(f[0]));
		xtr_flat_text(b, f[PAIR_KEY].at, pairs[i].key);
		xtr_flat_text(b, f[PAIR_VALUE].at, pairs[i].value);
		at += 4;
	}
}

static void put_type(struct xtr_buf *b, size_t ref, enum xtr_arrow_type type)
{
	struct xtr_flat_field number[] = {
		[INT_BITS] = { 4, 64, 0 }, [INT_SIGNED] = { 1, type == XTR_ARROW_INT, 0 }
	};
	struct xtr_flat_field time[] = {
		[TIMESTAMP_UNIT] = { 2, ARROW_NANOSECOND, 0 }, [TIMESTAMP_ZONE] = XTR_FLAT_REF
	};

	switch (type) {
	case XTR_ARROW_TEXT:
		xtr_flat_table(b, ref, NULL, 0);
		break;
	case XTR_ARROW_TIME:
		xtr_flat_table(b, ref, time, sizeof(time) / sizeof(time[0]));
		xtr_flat_text(b, time[TIMESTAMP_ZONE].at, "UTC");
		break;
	default:
		xtr_flat_table(b, ref, number, sizeof(number) / sizeof(number[0]));
	}
}

static void put_field(struct xtr_buf *b, size_t ref, const struct xtr_arrow_column *c)
{
	static const uint8_t types[] = { [XTR_ARROW_INT] = ARROW_INT,
					 [XTR_ARROW_UINT] = ARROW_INT,
					 [XTR_ARROW_TIME] = ARROW_TIMESTAMP,
					 [XTR_ARROW_TEXT] = ARROW_UTF8 };
	const struct pair facts[] = { { "unit", c->unit }, { "help", c->help } };
	struct xtr_flat_field f[] = { [FIELD_NAME] = XTR_FLAT_REF,
				      [FIELD_NULLABLE] = { 1, 1, 0 },
				      [FIELD_TYPE_TYPE] = { 1, types[c->type], 0 },
				      [FIELD_TYPE] = XTR_FLAT_REF,
				      [FIELD_CHILDREN] = XTR_FLAT_REF, /* Arrow C++ wants one */
				      [FIELD_METADATA] = XTR_FLAT_REF };

	xtr_flat_table(b, ref, f, sizeof(f) / sizeof(f[0]));
	xtr_flat_text(b, f[FIELD_NAME].at, c->name);
	put_type(b, f[FIELD_TYPE].at, c->type);
	xtr_flat_vector(b, f[FIELD_CHILDREN].at, 0, 4);
	put_pairs(b, f[FIELD_METADATA].at, facts, sizeof(facts) / sizeof(facts[0]));
}

static int put_schema(struct xtr_arrow *a)
{
	const struct pair facts[] = { { "xtr.table", a->name }, { "xtr.row", a->help } };
	struct xtr_flat_field f[] = {
		[SCHEMA_FIELDS] = XTR_FLAT_REF, [SCHEMA_METADATA] = XTR_FLAT_REF
	};
	size_t at;

	xtr_flat_table(&a->head, begin_message(a, ARROW_SCHEMA, 0), f, sizeof(f) / sizeof(f[0]));
	at = xtr_flat_vector(&a->head, f[SCHEMA_FIELDS].at, a->n_columns, 4);
	for (size_t i = 0; i < a->n_columns; i++)
		put_field(&a->head, at + 4 * i, &a->column[i]);
	put_pairs(&a->head, f[SCHEMA_METADATA].at, facts, sizeof(facts) / sizeof(facts[0]));
	a->begun = true;
	return end_message(a);
}

/* --- batches ---------------------------------------------------------------------------------- */

struct buffer {
	const void *p;
	size_t n; /* bytes */
};

/* How many. */
static size_t buffers_of(const struct xtr_arrow *a, const struct xtr_arrow_column *c,
			 struct buffer b[BUFFERS_MAX])
{
	b[0] = (struct buffer){ c->known, c->nulls ? (a->rows + 7) / 8 : 0 };
	if (c->type != XTR_ARROW_TEXT) {
		b[1] = (struct buffer){ c->v, a->rows * sizeof(*c->v) };
		return 2;
	}
	b[1] = (struct buffer){ c->end, (a->rows + 1) * sizeof(*c->end) };
	b[2] = (struct buffer){ c->bytes.p, c->bytes.n };
	return 3;
}

static size_t padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* Bytes of the body, and how many buffers it has. */
static uint64_t measure(const struct xtr_arrow *a, size_t *buffers)
{
	struct buffer b[BUFFERS_MAX];
	uint64_t bytes = 0;

	*buffers = 0;
	for (size_t i = 0; i < a->n_columns; i++) {
		size_t n = buffers_of(a, &a->column[i], b);

		*buffers += n;
		for (size_t k = 0; k < n; k++)
			bytes += padded(b[k].n);
	}
	return bytes;
}

static void put_pair(struct xtr_buf *b, size_t at, uint64_t first, uint64_t second)
{
	xtr_flat_number(b, at, 8, first);
	xtr_flat_number(b, at + 8, 8, second);
}

static int put_batch_head(struct xtr_arrow *a)
{
	struct xtr_flat_field f[] = { [BATCH_LENGTH] = { 8, a->rows, 0 },
				      [BATCH_NODES] = XTR_FLAT_REF,
				      [BATCH_BUFFERS] = XTR_FLAT_REF };
	struct buffer b[BUFFERS_MAX];
	size_t n, at;
	uint64_t place = 0, body = measure(a, &n);

	xtr_flat_table(&a->head, begin_message(a, ARROW_RECORD_BATCH, body), f,
		       sizeof(f) / sizeof(f[0]));
	at = xtr_flat_vector(&a->head, f[BATCH_NODES].at, a->n_columns, ARROW_PAIR);
	for (size_t i = 0; i < a->n_columns; i++)
		put_pair(&a->head, at + i * ARROW_PAIR, a->rows, a->column[i].nulls);
	at = xtr_flat_vector(&a->head, f[BATCH_BUFFERS].at, n, ARROW_PAIR);
	for (size_t i = 0; i < a->n_columns; i++) {
		n = buffers_of(a, &a->column[i], b);
		for (size_t k = 0; k < n; k++, at += ARROW_PAIR) {
			put_pair(&a->head, at, place, b[k].n);
			place += padded(b[k].n);
		}
	}
	return end_message(a);
}

static int put_body(struct xtr_arrow *a)
{
	static const uint8_t zero[8];
	struct buffer b[BUFFERS_MAX];
	int err = 0;

	for (size_t i = 0; i < a->n_columns && !err; i++) {
		size_t n = buffers_of(a, &a->column[i], b);

		for (size_t k = 0; k < n && !err; k++)
			err = put_out(a, b[k].p, b[k].n)
				      ?: put_out(a, zero, padded(b[k].n) - b[k].n);
	}
	return err;
}

/* The rows that were gathered become a batch. */
static int flush(struct xtr_arrow *a)
{
	int err = a->begun ? 0 : put_schema(a);

	if (err || !a->rows)
		return err;
	err = put_batch_head(a) ?: put_body(a);
	for (size_t i = 0; i < a->n_columns; i++)
		a->column[i].nulls = a->column[i].bytes.n = 0;
	a->rows = a->texts = 0;
	return err;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int column_room(struct xtr_arrow_column *c, size_t rows)
{
	if (xtr_grow_array(&c->known, &c->cap_known, (rows + 7) / 8, sizeof(*c->known)))
		return -ENOMEM;
	if (c->type != XTR_ARROW_TEXT)
		return xtr_grow_array(&c->v, &c->cap_v, rows, sizeof(*c->v));
	if (xtr_grow_array(&c->end, &c->cap_end, rows + 1, sizeof(*c->end)))
		return -ENOMEM;
	c->end[0] = 0;
	return 0;
}

/* Tables of few rows take little memory. */
static int more_room(struct xtr_arrow *a)
{
	size_t rows = a->room ? 2 * a->room : ROOM_FIRST;
	int err = 0;

	for (size_t i = 0; i < a->n_columns && !err; i++)
		err = column_room(&a->column[i], rows);
	if (!err)
		a->room = rows;
	return err;
}

/* Places are 31 bits wide. A batch ends long before that, unless one row is as long. */
static int add_text(struct xtr_arrow *a, struct xtr_arrow_column *c, const char *s, size_t n)
{
	if (n > INT32_MAX - c->bytes.n)
		return -E2BIG;
	xtr_buf_add(&c->bytes, s, n);
	a->texts += n;
	c->end[a->rows + 1] = htole32((uint32_t)c->bytes.n);
	return c->bytes.err;
}

static int add_cell(struct xtr_arrow *a, struct xtr_arrow_column *c, const struct xtr_cell *cell)
{
	bool known = cell->kind != XTR_CELL_NULL;
	uint8_t *bits = &c->known[a->rows / 8];

	if (known && (cell->kind == XTR_CELL_TEXT) != (c->type == XTR_ARROW_TEXT))
		return -EINVAL;
	*bits = (uint8_t)((a->rows % 8 ? *bits : 0) | (unsigned int)known << a->rows % 8);
	c->nulls += !known;
	if (c->type == XTR_ARROW_TEXT)
		return add_text(a, c, known ? cell->s : "", known ? cell->n : 0);
	c->v[a->rows] = htole64(known ? cell->u : 0);
	return 0;
}

int xtr_arrow_cells(struct xtr_arrow *a, const struct xtr_cell *cell, size_t n)
{
	int err = 0;

	if (n > a->n_columns - a->at)
		return -EINVAL;
	if (a->rows >= a->room)
		err = more_room(a);
	for (size_t i = 0; i < n && !err; i++)
		err = add_cell(a, &a->column[a->at++], &cell[i]);
	return err;
}

int xtr_arrow_row(struct xtr_arrow *a)
{
	if (a->at != a->n_columns)
		return -EINVAL;
	a->at = 0;
	a->rows++;
	return a->rows < XTR_ARROW_BATCH_ROWS && a->texts <= XTR_ARROW_BATCH_TEXTS ? 0 : flush(a);
}

int xtr_arrow_end(struct xtr_arrow *a)
{
	static const uint8_t end[8] = { 0xff, 0xff, 0xff, 0xff }; /* a message without bytes */

	return flush(a) ?: put_out(a, end, sizeof(end));
}

static void free_column(struct xtr_arrow_column *c)
{
	free(c->name);
	free(c->unit);
	free(c->help);
	free(c->known);
	free(c->v);
	free(c->end);
	xtr_buf_free(&c->bytes);
}

void xtr_arrow_free(struct xtr_arrow *a)
{
	for (size_t i = 0; i < a->n_columns; i++)
		free_column(&a->column[i]);
	free(a->column);
	free(a->name);
	free(a->help);
	xtr_buf_free(&a->head);
	*a = (struct xtr_arrow){ 0 };
}
