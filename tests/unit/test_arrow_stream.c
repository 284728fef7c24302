/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrow streams, read here as the format's text says: messages, what describes them, buffers. And
 * what no memory and no disk lead to. tests/export and tests/readers read those of traces.
 */
#include "base/bytes.h"
#include "converters/out/tables/arrow_format.h"
#include "converters/out/tables/arrow_stream.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 4u
#define MiB     (1u << 20)

/* --- reading ---------------------------------------------------------------------------------- */

struct message {
	const uint8_t *head, *head_end, *body, *next;
	unsigned int type;
	const uint8_t *header;
	uint64_t body_bytes;
};

static const uint8_t *inside(const struct message *m, const uint8_t *p, size_t n, size_t aligned)
{
	cr_assert(p >= m->head && p + n <= m->head_end, "%zd of %zd", p - m->head,
		  m->head_end - m->head);
	cr_assert_eq((size_t)(p - m->head) % aligned, 0);
	return p;
}

/* A field of a table; NULL: it has its default value. */
static const uint8_t *field(const struct message *m, const uint8_t *table, unsigned int n,
			    size_t size)
{
	const uint8_t *list = inside(m, table, 4, 4) - (int32_t)xtr_le32(table);
	unsigned int at;

	inside(m, list, 4, 2);
	inside(m, list, xtr_le16(list), 2);
	inside(m, table, xtr_le16(list + 2), 4);
	if (4 + 2 * n >= xtr_le16(list))
		return NULL;
	at = xtr_le16(list + 4 + (size_t)2 * n);
	cr_assert(at + size <= xtr_le16(list + 2));
	return at ? inside(m, table + at, size, size) : NULL;
}

static const uint8_t *follow(const struct message *m, const uint8_t *ref)
{
	cr_assert_not_null(ref);
	return inside(m, ref + xtr_le32(ref), 4, 4);
}

/* Its elements; *n: how many. */
static const uint8_t *vector(const struct message *m, const uint8_t *ref, size_t size, size_t *n)
{
	const uint8_t *v = follow(m, ref);

	*n = xtr_le32(v);
	return inside(m, v + 4, *n * size, size < 8 ? size : 8);
}

static void expect_text(const struct message *m, const uint8_t *ref, const char *want)
{
	size_t n;
	const uint8_t *s = vector(m, ref, 1, &n);

	cr_expect_eq(n, strlen(want));
	cr_expect_str_eq((const char *)s, want);
}

/* The message at p; false: the end of the stream, which is that of the bytes. */
static bool next_message(struct message *m, const uint8_t *p, const uint8_t *end)
{
	size_t n;

	cr_assert(p + 8 <= end);
	cr_assert_eq(xtr_le32(p), ARROW_CONTINUATION);
	n = xtr_le32(p + 4);
	cr_assert_eq(n % 8, 0);
	if (!n) {
		cr_expect_eq(p + 8, end);
		return false;
	}
	*m = (struct message){ .head = p + 8, .head_end = p + 8 + n };
	cr_assert(m->head_end <= end);
	p = follow(m, m->head);
	cr_expect_eq(xtr_le16(field(m, p, MESSAGE_VERSION, 2)), ARROW_V5);
	m->type = *field(m, p, MESSAGE_HEADER_TYPE, 1);
	m->header = follow(m, field(m, p, MESSAGE_HEADER, 4));
	m->body = m->head_end;
	m->body_bytes = xtr_le64(field(m, p, MESSAGE_BODY_LENGTH, 8));
	cr_assert(m->body_bytes % 8 == 0 && m->body_bytes <= (size_t)(end - m->body));
	m->next = m->body + m->body_bytes;
	return true;
}

/* Keys and values of a column or a table, in pairs. */
static void expect_facts(const struct message *m, const uint8_t *ref, const char *const *want)
{
	size_t n;
	const uint8_t *at = vector(m, ref, 4, &n);

	for (size_t i = 0; i < n; i++, at += 4, want += 2) {
		const uint8_t *pair = follow(m, at);

		cr_assert_not_null(want[0]);
		expect_text(m, field(m, pair, PAIR_KEY, 4), want[0]);
		expect_text(m, field(m, pair, PAIR_VALUE, 4), want[1]);
	}
	cr_expect_null(want[0]);
}

/* --- a table ---------------------------------------------------------------------------------- */

static const struct {
	const char *name, *facts[5];
	enum xtr_arrow_type type;
	enum arrow_type said;
} columns[COLUMNS] = {
	{ "time", { NULL }, XTR_ARROW_TIME, ARROW_TIMESTAMP },
	{ "wait_ns", { "unit", "ns", "help", "a wait" }, XTR_ARROW_INT, ARROW_INT },
	{ "id", { "help", "64 bits" }, XTR_ARROW_UINT, ARROW_INT },
	{ "text", { "help", "" }, XTR_ARROW_TEXT, ARROW_UTF8 },
};

static int describe(struct xtr_arrow *a, FILE *f)
{
	return xtr_arrow_table(a, f, "table", "a row of it") ?:
	       xtr_arrow_column(a, "time", XTR_ARROW_TIME, NULL, NULL) ?:
	       xtr_arrow_describe(a, &(struct xtr_column){ "wait_ns", XTR_COLUMN_INT, "ns",
							   "a wait" }) ?:
	       xtr_arrow_describe(a, &(struct xtr_column){ "id", XTR_COLUMN_U64, NULL,
							   "64 bits" }) ?:
	       xtr_arrow_describe(a, &(struct xtr_column){ "text", XTR_COLUMN_TEXT, NULL, "" });
}

static uint64_t number_of(size_t row)
{
	return UINT64_MAX - row * 0x0123456789abu;
}

/* What is not known: a time of each third, no number, a text of each fifth. */
static struct xtr_cell cell_of(size_t row, size_t column, char text[32])
{
	int n = snprintf(text, 32, "%.*s %zu", (int)(row % 8), "sevenxx", row);

	if (column == 0)
		return xtr_cell_uint(row % 3, row);
	if (column == 1)
		return xtr_cell_int(true, -(int64_t)row);
	if (column == 2)
		return xtr_cell_uint(true, number_of(row));
	return xtr_cell_text(row % 5 ? text : NULL, row % 5 == 1 ? 0 : (size_t)n);
}

static int add_row(struct xtr_arrow *a, size_t row)
{
	char text[32];
	int err = 0;

	for (size_t c = 0; c < COLUMNS && !err; c++) {
		struct xtr_cell cell = cell_of(row, c, text);

		err = xtr_arrow_cells(a, &cell, 1);
	}
	return err ?: xtr_arrow_row(a);
}

static int write_rows(FILE *f, size_t rows)
{
	struct xtr_arrow a = { 0 };
	int err = describe(&a, f);

	for (size_t i = 0; i < rows && !err; i++)
		err = add_row(&a, i);
	err = err ?: xtr_arrow_end(&a);
	xtr_arrow_free(&a);
	return err;
}

static void expect_schema(const struct message *m)
{
	static const char *const facts[] = { "xtr.table", "table", "xtr.row", "a row of it", NULL };
	const uint8_t *at, *type, *f;
	size_t n, children;

	cr_assert_eq(m->type, ARROW_SCHEMA);
	cr_expect_eq(m->body_bytes, 0);
	expect_facts(m, field(m, m->header, SCHEMA_METADATA, 4), facts);
	at = vector(m, field(m, m->header, SCHEMA_FIELDS, 4), 4, &n);
	cr_assert_eq(n, COLUMNS);
	for (size_t i = 0; i < n; i++) {
		f = follow(m, at + 4 * i);
		expect_text(m, field(m, f, FIELD_NAME, 4), columns[i].name);
		cr_expect_eq(*field(m, f, FIELD_NULLABLE, 1), 1);
		cr_expect_eq(*field(m, f, FIELD_TYPE_TYPE, 1), columns[i].said);
		vector(m, field(m, f, FIELD_CHILDREN, 4), 4, &children);
		cr_expect_eq(children, 0);
		expect_facts(m, field(m, f, FIELD_METADATA, 4), columns[i].facts);
		type = follow(m, field(m, f, FIELD_TYPE, 4));
		if (columns[i].said == ARROW_INT) {
			cr_expect_eq(xtr_le32(field(m, type, INT_BITS, 4)), 64);
			cr_expect_eq(*field(m, type, INT_SIGNED, 1),
				     columns[i].type == XTR_ARROW_INT);
		}
		if (columns[i].said == ARROW_TIMESTAMP) {
			cr_expect_eq(xtr_le16(field(m, type, TIMESTAMP_UNIT, 2)), ARROW_NANOSECOND);
			expect_text(m, field(m, type, TIMESTAMP_ZONE, 4), "UTC");
		}
	}
}

struct batch {
	const struct message *m;
	const uint8_t *node, *buffer;
	uint64_t rows, place; /* place: where the next buffer is */
};

/* Buffers follow each other, each at a multiple of 8. */
static const uint8_t *next_buffer(struct batch *b, uint64_t *n)
{
	const uint8_t *p = b->m->body + b->place;

	cr_expect_eq(xtr_le64(b->buffer), b->place);
	*n = xtr_le64(b->buffer + 8);
	cr_assert(b->place + *n <= b->m->body_bytes);
	for (uint64_t i = *n; i % 8; i++)
		cr_expect_eq(p[i], 0);
	b->place += (*n + 7) / 8 * 8;
	b->buffer += ARROW_PAIR;
	return p;
}

static void expect_column(struct batch *b, size_t column, size_t first)
{
	uint64_t known_n, n, text_n = 0, nulls = 0;
	const uint8_t *known = next_buffer(b, &known_n), *v = next_buffer(b, &n);
	bool is_text = columns[column].type == XTR_ARROW_TEXT;
	const uint8_t *s = is_text ? next_buffer(b, &text_n) : NULL;
	char text[32];

	cr_expect_eq(n, is_text ? 4 * (b->rows + 1) : 8 * b->rows);
	for (uint64_t i = 0; i < b->rows; i++) {
		struct xtr_cell want = cell_of(first + i, column, text);
		bool is_known = !known_n || known[i / 8] >> i % 8 & 1;
		uint32_t from = is_text ? xtr_le32(v + 4 * i) : 0;

		cr_assert_eq(is_known, want.kind != XTR_CELL_NULL);
		nulls += !is_known;
		if (!is_text)
			cr_assert_eq(xtr_le64(v + 8 * i), is_known ? want.u : 0);
		else if (is_known)
			cr_assert(xtr_le32(v + 4 * i + 4) - from == want.n &&
				  !memcmp(s + from, want.s, want.n));
	}
	cr_expect_eq(known_n, nulls ? (b->rows + 7) / 8 : 0);
	cr_expect_eq(xtr_le64(b->node), b->rows);
	cr_expect_eq(xtr_le64(b->node + 8), nulls);
	if (is_text)
		cr_expect_eq(xtr_le32(v + 4 * b->rows), text_n);
	b->node += ARROW_PAIR;
}

static size_t expect_batch(const struct message *m, size_t first)
{
	struct batch b = { .m = m };
	size_t nodes, buffers;

	cr_assert_eq(m->type, ARROW_RECORD_BATCH);
	b.rows = xtr_le64(field(m, m->header, BATCH_LENGTH, 8));
	b.node = vector(m, field(m, m->header, BATCH_NODES, 4), ARROW_PAIR, &nodes);
	b.buffer = vector(m, field(m, m->header, BATCH_BUFFERS, 4), ARROW_PAIR, &buffers);
	cr_assert_eq(nodes, COLUMNS);
	cr_assert_eq(buffers, 2 * (COLUMNS - 1) + 3);
	for (size_t c = 0; c < COLUMNS; c++)
		expect_column(&b, c, first);
	cr_expect_eq(b.place, m->body_bytes);
	return b.rows;
}

static void try_rows(size_t rows)
{
	size_t first = 0, batches = 0;
	struct message m;
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);

	cr_assert_not_null(f);
	cr_assert_eq(write_rows(f, rows), 0);
	fclose(f);
	cr_assert(next_message(&m, (const uint8_t *)bytes, (const uint8_t *)bytes + n));
	expect_schema(&m);
	for (; next_message(&m, m.next, (const uint8_t *)bytes + n); batches++)
		first += expect_batch(&m, first);
	cr_expect_eq(first, rows);
	cr_expect_eq(batches, (rows + XTR_ARROW_BATCH_ROWS - 1) / XTR_ARROW_BATCH_ROWS);
	free(bytes);
}

Test(arrow_stream, any_number_of_rows)
{
	static const size_t rows[] = {
		0, 1, 2, 7, 8, 9, 1024, 1025, XTR_ARROW_BATCH_ROWS, 2 * XTR_ARROW_BATCH_ROWS + 1
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try_rows(rows[i]);
}

/* --- limits ----------------------------------------------------------------------------------- */

/* Places of texts have 31 bits: a batch ends before it has so many, whatever a trace is full of. */
Test(arrow_stream, long_texts_end_a_batch)
{
	struct xtr_arrow a = { 0 };
	FILE *f = fopen("/dev/null", "w");
	char *text = calloc(1, MiB);
	size_t most = 0;

	cr_assert(f && text);
	cr_assert_eq(describe(&a, f), 0);
	for (size_t i = 0; i < 100; i++) {
		cr_assert_eq(xtr_arrow_cells(&a, (const struct xtr_cell[3]){ { 0 } }, 3), 0);
		cr_assert_eq(
			xtr_arrow_cells(&a, &(struct xtr_cell){ XTR_CELL_TEXT, MiB, { .s = text } },
					1),
			0);
		most = a.texts > most ? a.texts : most;
		cr_assert_eq(xtr_arrow_row(&a), 0);
	}
	cr_expect_eq(most, XTR_ARROW_BATCH_TEXTS + MiB);
	cr_expect_eq(xtr_arrow_end(&a), 0);
	xtr_arrow_free(&a);
	free(text);
	fclose(f);
}

Test(arrow_stream, a_row_of_2_gib_of_text_is_refused)
{
	struct xtr_arrow a = { 0 };

	cr_assert_eq(xtr_arrow_column(&a, "text", XTR_ARROW_TEXT, NULL, NULL), 0);
	cr_expect_eq(
		xtr_arrow_cells(
			&a, &(struct xtr_cell){ XTR_CELL_TEXT, (size_t)INT32_MAX + 1, { .s = "" } },
			1),
		-E2BIG);
	xtr_arrow_free(&a);
	cr_assert_eq(xtr_arrow_column(&a, "text", XTR_ARROW_TEXT, NULL, NULL), 0);
	cr_expect_eq(
		xtr_arrow_cells(&a, &(struct xtr_cell){ XTR_CELL_TEXT, SIZE_MAX, { .s = "" } }, 1),
		-E2BIG);
	xtr_arrow_free(&a);
}

Test(arrow_stream, cells_that_do_not_fit_are_refused)
{
	struct xtr_cell number = xtr_cell_uint(true, 1), text = xtr_cell_str("a");
	struct xtr_arrow a = { 0 };

	cr_expect_eq(xtr_arrow_cells(&a, &number, 1), -EINVAL, "no column");
	cr_assert_eq(xtr_arrow_column(&a, "number", XTR_ARROW_INT, NULL, NULL), 0);
	cr_expect_eq(xtr_arrow_row(&a), -EINVAL, "no cell");
	cr_expect_eq(xtr_arrow_cells(&a, &number, 1), 0);
	cr_expect_eq(xtr_arrow_cells(&a, &number, 1), -EINVAL, "one too many");
	xtr_arrow_free(&a);
	cr_assert_eq(xtr_arrow_column(&a, "number", XTR_ARROW_INT, NULL, NULL), 0);
	cr_expect_eq(xtr_arrow_cells(&a, &text, 1), -EINVAL);
	xtr_arrow_free(&a);
	cr_assert_eq(xtr_arrow_column(&a, "text", XTR_ARROW_TEXT, NULL, NULL), 0);
	cr_expect_eq(xtr_arrow_cells(&a, &number, 1), -EINVAL);
	xtr_arrow_free(&a);
}

static int write_nowhere(void *rows)
{
	FILE *f = fopen("/dev/null", "w");
	int err;

	cr_assert_not_null(f);
	err = write_rows(f, *(const size_t *)rows);
	fclose(f);
	return err;
}

Test(arrow_stream, every_allocation_may_fail)
{
	cr_expect_gt(oom_each(write_nowhere, &(size_t){ 3000 }, 0), 20);
}

Test(arrow_stream, a_full_disk_is_an_error)
{
	FILE *f = fopen("/dev/full", "w");

	cr_assert_not_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	cr_expect_eq(write_rows(f, 0), -EIO);
	cr_expect_eq(write_rows(f, 10), -EIO);
	fclose(f);
}
