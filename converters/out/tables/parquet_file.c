/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet_file.h"
#include "base/bytes.h"
#include "format/version.h"
#include "parquet_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT_VERSION 2
#define SUFFIX         8u          /* ".XXXXXX", NUL included */
#define TEXTS_MAX      (32u << 20) /* bytes of a row group, about */
#define LOOK_ROWS      256u

/* --- describing ------------------------------------------------------------------------------- */

void xtr_parquet_column(struct xtr_parquet_file *p, const char *name, enum xtr_parquet_type type,
			bool names)
{
	struct xtr_parquet_column *c = &p->column[p->n_columns++];

	*c = (struct xtr_parquet_column){ .name = name, .type = type, .names = names };
}

int xtr_parquet_fact(struct xtr_parquet_file *p, const char *key, const char *value)
{
	struct xtr_parquet_fact *f;

	if (xtr_grow_array(&p->facts, &p->cap_facts, p->n_facts + 1, sizeof(*p->facts)))
		return -ENOMEM;
	f = &p->facts[p->n_facts++];
	*f = (struct xtr_parquet_fact){ strdup(key), strdup(value) };
	return f->key && f->value ? 0 : -ENOMEM;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_out(void *ctx, const void *data, size_t n)
{
	struct xtr_parquet_file *p = ctx;

	return fwrite(data, 1, n, p->f) == n ? 0 : p->err ? p->err : -ENOMEM;
}

/* All of it, also where a signal comes in between: stdio would give up. */
static ssize_t write_all(void *ctx, const char *data, size_t n)
{
	struct xtr_parquet_file *p = ctx;

	for (size_t at = 0; at < n && !p->err;) {
		ssize_t done = write(p->fd, data + at, n - at);

		if (done > 0)
			at += (size_t)done;
		else if (!done || errno != EINTR)
			p->err = done ? -errno : -EIO;
	}
	return p->err ? 0 : (ssize_t)n; /* fopencookie(3): 0 is an error */
}

static int close_it(void *ctx)
{
	return close(((struct xtr_parquet_file *)ctx)->fd);
}

/* "DIR/.NAME.XXXXXX" of "DIR/NAME". */
static char *temporary_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	return asprintf(&name, "%.*s.%s.XXXXXX", dir, path, path + dir) < 0 ? NULL : name;
}

/* A file without a name, which is gone if this process is; -1: this file system has none. */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
	int fd = dir ? open(*dir ? dir : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;

	free(dir);
	return fd;
}

/* One whose name no reader takes. A descriptor or -errno. */
static int open_hidden(struct xtr_parquet_file *p)
{
	int fd = mkostemp(p->temporary, O_CLOEXEC);

	p->named = fd >= 0;
	return fd < 0 ? -errno : fd;
}

int xtr_parquet_open(struct xtr_parquet_file *p, const char *path)
{
	const cookie_io_functions_t io = { .write = write_all, .close = close_it };

	p->path = strdup(path);
	p->temporary = temporary_of(path);
	if (!p->path || !p->temporary)
		return -ENOMEM;
	p->fd = open_nameless(path);
	if (p->fd < 0)
		p->fd = open_hidden(p);
	if (p->fd < 0)
		return p->fd;
	p->f = fopencookie(p, "w", io);
	if (!p->f) {
		close(p->fd);
		return -ENOMEM;
	}
	p->pages.write = write_out;
	p->pages.ctx = p;
	p->pages.at = (int64_t)strlen(PARQUET_MAGIC);
	return write_out(p, PARQUET_MAGIC, strlen(PARQUET_MAGIC));
}

/* --- row groups ------------------------------------------------------------------------------- */

/* The rows that were gathered become a row group. */
static int flush(struct xtr_parquet_file *p)
{
	size_t rows = p->column[0].n;
	struct xtr_parquet_group *g;
	const uint32_t *order;
	int err;

	if (!rows)
		return 0;
	err = xtr_parquet_order(p, &order);
	if (err || xtr_grow_array(&p->groups, &p->cap_groups, p->n_groups + 1, sizeof(*p->groups)))
		return err ? err : -ENOMEM;
	g = &p->groups[p->n_groups++];
	memset(g, 0, sizeof(*g));
	g->chunk = calloc(p->n_columns, sizeof(*g->chunk));
	if (!g->chunk)
		return -ENOMEM;
	g->rows = rows;
	p->rows += rows;
	/* The column by which they are in order is needed until all have been written. */
	for (size_t i = 0; i < p->n_columns && !err; i++)
		err = xtr_parquet_write_column(&p->column[i], order, &p->pages, &g->chunk[i]);
	return err;
}

/* Texts that take much memory: looked at now and then. */
static bool is_heavy(const struct xtr_parquet_file *p)
{
	size_t bytes = 0;

	if (p->column[0].n % LOOK_ROWS)
		return false;
	for (size_t i = 0; i < p->n_columns; i++)
		bytes += p->column[i].texts.bytes.n;
	return bytes > TEXTS_MAX;
}

int xtr_parquet_row(struct xtr_parquet_file *p)
{
	return p->column[0].n < XTR_PARQUET_GROUP_ROWS && !is_heavy(p) ? 0 : flush(p);
}

/* --- footer ----------------------------------------------------------------------------------- */

static int type_of(const struct xtr_parquet_column *c)
{
	return c->type == XTR_PARQUET_TEXT ? PARQUET_BYTE_ARRAY : PARQUET_INT64;
}

static void put_logical(struct xtr_thrift *t, enum xtr_parquet_type type)
{
	xtr_thrift_struct(t, 10);
	switch (type) {
	case XTR_PARQUET_TEXT:
		xtr_thrift_struct(t, PARQUET_STRING);
		break;
	case XTR_PARQUET_TIME:
		xtr_thrift_struct(t, PARQUET_TIMESTAMP);
		xtr_thrift_bool(t, 1, true);
		xtr_thrift_struct(t, 2);
		xtr_thrift_struct(t, PARQUET_NANOS);
		xtr_thrift_end(t);
		xtr_thrift_end(t);
		break;
	default:
		xtr_thrift_struct(t, PARQUET_INTEGER);
		xtr_thrift_i8(t, 1, 64);
		xtr_thrift_bool(t, 2, type == XTR_PARQUET_INT);
	}
	xtr_thrift_end(t);
	xtr_thrift_end(t);
}

static void put_schema(struct xtr_thrift *t, const struct xtr_parquet_file *p)
{
	static const int converted[] = { [XTR_PARQUET_INT] = PARQUET_INT_64,
					 [XTR_PARQUET_UINT] = PARQUET_UINT_64,
					 [XTR_PARQUET_TEXT] = PARQUET_UTF8 };

	xtr_thrift_list(t, 2, XTR_THRIFT_STRUCT, p->n_columns + 1);
	xtr_thrift_item_struct(t);
	xtr_thrift_text(t, 4, "xtr");
	xtr_thrift_i32(t, 5, (int32_t)p->n_columns);
	xtr_thrift_end(t);
	for (size_t i = 0; i < p->n_columns; i++) {
		const struct xtr_parquet_column *c = &p->column[i];

		xtr_thrift_item_struct(t);
		xtr_thrift_i32(t, 1, type_of(c));
		xtr_thrift_i32(t, 3, PARQUET_OPTIONAL);
		xtr_thrift_text(t, 4, c->name);
		if (c->type != XTR_PARQUET_TIME) /* older readers have none of ns */
			xtr_thrift_i32(t, 6, converted[c->type]);
		put_logical(t, c->type);
		xtr_thrift_end(t);
	}
}

static void put_statistics(struct xtr_thrift *t, const struct xtr_parquet_chunk *k)
{
	xtr_thrift_struct(t, 12);
	xtr_thrift_i64(t, 3, k->nulls);
	if (k->ranged) {
		xtr_thrift_binary(t, 5, k->most.p, k->most.n);
		xtr_thrift_binary(t, 6, k->least.p, k->least.n);
	}
	xtr_thrift_end(t);
}

static void put_chunk(struct xtr_thrift *t, const struct xtr_parquet_column *c,
		      const struct xtr_parquet_chunk *k)
{
	bool coded = k->dictionary_at >= 0;

	xtr_thrift_item_struct(t);
	xtr_thrift_i64(t, 2, coded ? k->dictionary_at : k->data_at);
	xtr_thrift_struct(t, 3);
	xtr_thrift_i32(t, 1, type_of(c));
	xtr_thrift_list(t, 2, XTR_THRIFT_I32, coded ? 3 : 2);
	xtr_thrift_item_i32(t, PARQUET_RLE);
	xtr_thrift_item_i32(t, k->encoding);
	if (coded)
		xtr_thrift_item_i32(t, PARQUET_PLAIN);
	xtr_thrift_list(t, 3, XTR_THRIFT_BINARY, 1);
	xtr_thrift_item_text(t, c->name);
	xtr_thrift_i32(t, 4, XTR_ZSTD_KNOWN ? PARQUET_ZSTD : PARQUET_UNCOMPRESSED);
	xtr_thrift_i64(t, 5, k->values);
	xtr_thrift_i64(t, 6, k->bytes_raw);
	xtr_thrift_i64(t, 7, k->bytes);
	xtr_thrift_i64(t, 9, k->data_at);
	if (coded)
		xtr_thrift_i64(t, 11, k->dictionary_at);
	put_statistics(t, k);
	xtr_thrift_end(t);
	xtr_thrift_end(t);
}

static void put_group(struct xtr_thrift *t, const struct xtr_parquet_file *p,
		      const struct xtr_parquet_group *g)
{
	int64_t bytes = 0, raw = 0;

	xtr_thrift_item_struct(t);
	xtr_thrift_list(t, 1, XTR_THRIFT_STRUCT, p->n_columns);
	for (size_t i = 0; i < p->n_columns; i++) {
		put_chunk(t, &p->column[i], &g->chunk[i]);
		bytes += g->chunk[i].bytes;
		raw += g->chunk[i].bytes_raw;
	}
	xtr_thrift_i64(t, 2, raw);
	xtr_thrift_i64(t, 3, (int64_t)g->rows);
	if (p->sorted_by >= 0) {
		xtr_thrift_list(t, 4, XTR_THRIFT_STRUCT, 1);
		xtr_thrift_item_struct(t);
		xtr_thrift_i32(t, 1, p->sorted_by);
		xtr_thrift_bool(t, 2, false);
		xtr_thrift_bool(t, 3, false);
		xtr_thrift_end(t);
	}
	xtr_thrift_i64(t, 6, bytes);
	xtr_thrift_end(t);
}

static void put_facts(struct xtr_thrift *t, const struct xtr_parquet_file *p)
{
	xtr_thrift_list(t, 5, XTR_THRIFT_STRUCT, p->n_facts);
	for (size_t i = 0; i < p->n_facts; i++) {
		xtr_thrift_item_struct(t);
		xtr_thrift_text(t, 1, p->facts[i].key);
		xtr_thrift_text(t, 2, p->facts[i].value);
		xtr_thrift_end(t);
	}
}

static void put_footer(struct xtr_thrift *t, const struct xtr_parquet_file *p)
{
	xtr_thrift_i32(t, 1, FORMAT_VERSION);
	put_schema(t, p);
	xtr_thrift_i64(t, 3, (int64_t)p->rows);
	xtr_thrift_list(t, 4, XTR_THRIFT_STRUCT, p->n_groups);
	for (size_t i = 0; i < p->n_groups; i++)
		put_group(t, p, &p->groups[i]);
	put_facts(t, p);
	xtr_thrift_text(t, 6, "xtr version " XTR_VERSION);
	xtr_thrift_list(t, 7, XTR_THRIFT_STRUCT, p->n_columns);
	for (size_t i = 0; i < p->n_columns; i++) {
		xtr_thrift_item_struct(t); /* the order of the type */
		xtr_thrift_struct(t, 1);
		xtr_thrift_end(t);
		xtr_thrift_end(t);
	}
	xtr_thrift_end(t);
}

static int sync_it(int fd)
{
	while (fsync(fd))
		if (errno != EINTR)
			return -errno;
	return 0;
}

int xtr_parquet_end(struct xtr_parquet_file *p)
{
	struct xtr_buf footer = { 0 };
	struct xtr_thrift t;
	uint8_t len[4];
	int err = flush(p);

	if (err)
		return err;
	xtr_thrift_begin(&t, &footer);
	put_footer(&t, p);
	xtr_put_le32(len, (uint32_t)footer.n);
	err = footer.err ?: write_out(p, footer.p, footer.n) ?: write_out(p, len, sizeof(len)) ?:
	      write_out(p, PARQUET_MAGIC, strlen(PARQUET_MAGIC));
	xtr_buf_free(&footer);
	if (!err && fflush(p->f))
		err = p->err ? p->err : -ENOMEM;
	return err ?: sync_it(p->fd);
}

/* A file without a name gets one that no reader takes, as a link never replaces. */
static int name_it(struct xtr_parquet_file *p)
{
	char own[64];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", p->fd);
	/* What a killed one of this number left may be there. */
	snprintf(strrchr(p->temporary, '.'), SUFFIX, ".%06u", (unsigned int)getpid() % 1000000u);
	unlink(p->temporary);
	if (linkat(AT_FDCWD, own, AT_FDCWD, p->temporary, AT_SYMLINK_FOLLOW))
		return -errno;
	p->named = true;
	return 0;
}

int xtr_parquet_publish(struct xtr_parquet_file *p)
{
	int err = p->named ? 0 : name_it(p);

	if (err)
		return err;
	if (rename(p->temporary, p->path))
		return -errno;
	p->named = false;
	return 0;
}

static void free_group(struct xtr_parquet_group *g, size_t n_columns)
{
	for (size_t i = 0; g->chunk && i < n_columns; i++) {
		xtr_buf_free(&g->chunk[i].least);
		xtr_buf_free(&g->chunk[i].most);
	}
	free(g->chunk);
}

void xtr_parquet_free(struct xtr_parquet_file *p)
{
	if (p->f)
		fclose(p->f);
	if (p->named)
		unlink(p->temporary);
	for (size_t i = 0; i < p->n_columns; i++)
		xtr_parquet_column_free(&p->column[i]);
	for (size_t i = 0; i < p->n_groups; i++)
		free_group(&p->groups[i], p->n_columns);
	for (size_t i = 0; i < p->n_facts; i++) {
		free(p->facts[i].key);
		free(p->facts[i].value);
	}
	xtr_parquet_pages_free(&p->pages);
	free(p->groups);
	free(p->facts);
	free(p->order);
	free(p->keys);
	free(p->temporary);
	free(p->path);
	*p = (struct xtr_parquet_file){ .sorted_by = -1 };
}
