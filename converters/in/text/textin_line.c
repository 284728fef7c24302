// SPDX-License-Identifier: BSD-2-Clause
#include "textin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUF_BYTES (4 * (size_t)TEXTIN_LINE_MAX)

int textin_lines_open(struct textin_lines *l, struct xtr_io *io)
{
	*l = (struct textin_lines){ .io = io };
	l->buf = malloc(BUF_BYTES);
	return l->buf ? io->ops->size(io, &l->size) : -ENOMEM;
}

void textin_lines_close(struct textin_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* Read on behind what is not given out yet, which is moved to the front. */
static int fill(struct textin_lines *l)
{
	size_t room;
	int err;

	memmove(l->buf, l->buf + l->pos, l->have - l->pos);
	l->have -= l->pos;
	l->pos = 0;
	room = BUF_BYTES - l->have;
	if (room > l->size - l->at)
		room = (size_t)(l->size - l->at);
	err = l->io->ops->read_at(l->io, l->at, l->buf + l->have, room);
	if (err)
		return err;
	l->at += room;
	l->have += room;
	return 0;
}

static void trim(struct textin_line *line)
{
	const char *nul = memchr(line->text, '\0', line->len);

	if (nul) {
		line->len = (size_t)(nul - line->text);
		if (line->state == TEXTIN_LINE || line->state == TEXTIN_CUT)
			line->state = TEXTIN_BINARY;
	}
	while (line->len && line->text[line->len - 1] == '\r')
		line->len--;
}

/* Skip to the line feed of a line that is too long. Its beginning is lost with the buffer. */
static int skip_line(struct textin_lines *l, struct textin_line *line)
{
	const char *lf;
	int err;

	line->state = TEXTIN_TOO_LONG;
	line->text = "";
	line->len = 0;
	while (!(lf = memchr(l->buf + l->pos, '\n', l->have - l->pos))) {
		l->pos = l->have;
		if (l->at == l->size)
			return 0;
		err = fill(l);
		if (err)
			return err;
	}
	l->pos = (size_t)(lf - l->buf) + 1;
	return 0;
}

int textin_lines_next(struct textin_lines *l, struct textin_line *line)
{
	const char *lf;
	int err;

	*line = (struct textin_line){ .state = TEXTIN_LINE };
	lf = memchr(l->buf + l->pos, '\n', l->have - l->pos);
	if (!lf && l->have - l->pos <= TEXTIN_LINE_MAX && l->at < l->size) {
		err = fill(l);
		if (err)
			return err;
		lf = memchr(l->buf + l->pos, '\n', l->have - l->pos);
	}
	if (l->pos == l->have) {
		line->state = TEXTIN_END;
		return 0;
	}
	l->number++;
	line->text = l->buf + l->pos;
	line->len = lf ? (size_t)(lf - line->text) : l->have - l->pos;
	if (line->len > TEXTIN_LINE_MAX)
		return skip_line(l, line);
	if (!lf)
		line->state = TEXTIN_CUT;
	l->pos += line->len + !!lf;
	trim(line);
	return 0;
}

bool textin_head_line(const char *head, size_t n, size_t *pos, struct textin_line *line)
{
	const char *lf;

	if (*pos >= n)
		return false;
	lf = memchr(head + *pos, '\n', n - *pos);
	*line = (struct textin_line){ .state = lf ? TEXTIN_LINE : TEXTIN_CUT, .text = head + *pos };
	line->len = lf ? (size_t)(lf - line->text) : n - *pos;
	*pos += line->len + 1;
	trim(line);
	return true;
}
