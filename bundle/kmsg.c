/* SPDX-License-Identifier: BSD-2-Clause */
#include "kmsg.h"
#include "gather.h"

#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG        "/dev/kmsg"
#define RECORD_MAX 16384u /* bytes; those of the kernel are at most 8 KiB (CONSOLE_EXT_LOG_MAX) */
#define MARGIN_US  30000000u /* before and after the recording */
#define DRIFT      10000u    /* clocks differ by less than one in so many: 100 ppm */
#define READS_MAX  (1u << 22)

void xtr_kmsg_span(struct xtr_kmsg *k, uint64_t from, uint64_t to)
{
	uint64_t margin = MARGIN_US;

	from /= 1000;
	to /= 1000;
	margin += to / DRIFT;
	k->from = from > margin ? from - margin : 0;
	k->to = to > UINT64_MAX - margin ? UINT64_MAX : to + margin;
}

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool has_word(const char *text, size_t n, const char *word)
{
	const size_t len = strlen(word);
	const char *p = text, *end = text + n;

	while (len && (p = memmem(p, (size_t)(end - p), word, len))) {
		if ((p == text || !word_char(p[-1])) && (p + len == end || !word_char(p[len])))
			return true;
		p++;
	}
	return false;
}

static bool chosen(const struct xtr_kmsg *k, uint64_t us, const char *text, size_t n)
{
	if (k->xids)
		return has_word(text, n, "NVRM: Xid") || has_word(text, n, "SXid");
	if (us >= k->from && us <= k->to)
		return true;
	for (size_t i = 0; i < k->n_drivers; i++)
		if (has_word(text, n, k->drivers[i]))
			return true;
	return false;
}

/* "6,339,5140900,-;text": priority, sequence, microseconds, flags. */
void xtr_kmsg_record(struct xtr_kmsg *k, const char *line, size_t n, FILE *f)
{
	const char *text = memchr(line, ';', n);
	uint64_t us;
	unsigned int priority;
	char head[96];

	if (!text || *line == ' ' || (size_t)(text - line) >= sizeof(head))
		return;
	memcpy(head, line, (size_t)(text - line));
	head[text - line] = 0;
	if (sscanf(head, "%u,%*[0-9],%" SCNu64, &priority, &us) != 2)
		return;
	text++;
	n -= (size_t)(text - line);
	k->seen++;
	if (!chosen(k, us, text, n))
		return;
	k->taken++;
	fprintf(f, "<%u>[%5" PRIu64 ".%06" PRIu64 "] %.*s\n", priority, us / 1000000, us % 1000000,
		(int)n, text);
}

/* --- from the machine ---------------------------------------------------------------------------
 */

/* What of buf are whole lines; the rest moves to the front. */
static size_t lines(struct xtr_kmsg *k, char *buf, size_t n, FILE *f)
{
	size_t at = 0;
	const char *end;

	while ((end = memchr(buf + at, '\n', n - at))) {
		xtr_kmsg_record(k, buf + at, (size_t)(end - (buf + at)), f);
		at = (size_t)(end - buf) + 1;
	}
	memmove(buf, buf + at, n - at);
	return n - at;
}

/* The kernel gives a record at a time, EPIPE where some were overwritten, EAGAIN at the end. */
static int read_log(struct xtr_kmsg *k, int fd, FILE *f)
{
	char *buf = malloc(RECORD_MAX);
	size_t n = 0;
	int err = buf ? 0 : -ENOMEM;

	for (unsigned int i = 0; !err && i < READS_MAX; i++) {
		ssize_t got = read(fd, buf + n, RECORD_MAX - n);

		if (got > 0)
			n = lines(k, buf, n + (size_t)got, f);
		else if (!got || errno == EAGAIN)
			break;
		else if (errno != EINTR && errno != EPIPE)
			err = -errno;
		if (n == RECORD_MAX)
			n = 0; /* a line that no kernel writes */
	}
	free(buf);
	return err;
}

int gather_log(const char *root, struct xtr_kmsg *k, struct xtr_buf *b)
{
	int fd = gather_open(root, LOG), err;
	FILE *f;

	if (fd < 0)
		return fd;
	f = xtr_memory_stream(b);
	err = f ? read_log(k, fd, f) : -ENOMEM;
	if (f) {
		err = err ? err : xtr_memory_flush(f, b);
		fclose(f);
	}
	close(fd);
	return err;
}

static int add_log(struct gather *g, struct xtr_kmsg *k, const char *name)
{
	struct xtr_buf b = { 0 };
	int err = gather_log(g->b->root, k, &b);

	if (err && err != -ENOMEM)
		err = xtr_bundle_unread(g->b, g->s, "", LOG, err);
	else if (!err && !k->taken)
		err = xtr_bundle_absent(g->b, g->s, "", LOG, "the log has no such line");
	else if (!err)
		err = xtr_bundle_add_text(g->b, g->s, name, LOG, &b);
	xtr_buf_free(&b);
	return err;
}

int gather_kmsg(struct gather *g)
{
	struct xtr_kmsg k = { .drivers = g->m->drivers, .n_drivers = g->m->n_drivers };

	xtr_kmsg_span(&k, g->m->from, g->m->to);
	return add_log(g, &k, "kmsg.txt");
}

int gather_xid(struct gather *g)
{
	struct xtr_kmsg k = { .xids = true };

	return add_log(g, &k, "xid.txt");
}
