/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, and what is wrong with them. */
#include "priv.h"

#include "format/version.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *xtr_version(void)
{
	return XTR_VERSION;
}

char *xtr_shown(char *buf, size_t size, const char *s)
{
	if (size)
		*buf = '\0';
	if (!s)
		return NULL;
	return size ? xtr_text_name(buf, size, s, strlen(s)) : buf;
}

int xtr_error_fill(struct xtr_error *to, const struct xtr_err *from, int ret)
{
	const struct xtr_problem p = { .code = from->problem,
				       .seq = from->seq,
				       .offset = from->offset };

	char text[128];

	if (!to)
		return ret;
	to->code = ret;
	if (from->problem != XTR_P_NONE)
		xtr_problem_text(to->text, sizeof(to->text), &p);
	else
		snprintf(to->text, sizeof(to->text), "%s",
			 ret == -ENOMEM ? "out of memory" : strerror_r(-ret, text, sizeof(text)));
	return ret;
}

struct xtr_file *xtr_open(const char *path, struct xtr_error *error)
{
	struct xtr_file *file = malloc(sizeof(*file));
	struct xtr_err err = { 0 };
	int ret = file ? xtr_reader_open_path(&file->reader, path, &err) : -ENOMEM;

	if (!ret)
		return file;
	free(file);
	xtr_error_fill(error, &err, ret);
	return NULL;
}

void xtr_close(struct xtr_file *file)
{
	if (!file)
		return;
	xtr_reader_close(file->reader);
	free(file);
}

size_t xtr_sections(const struct xtr_file *file)
{
	return xtr_reader_n_sections(file->reader);
}

const struct xtr_section *xtr_file_section(const struct xtr_file *file, size_t section)
{
	return section < xtr_sections(file) ? xtr_reader_section(file->reader, section) : NULL;
}

char *xtr_damage(const struct xtr_file *file, size_t i, char *buf, size_t size)
{
	char text[128];

	if (i >= xtr_reader_n_problems(file->reader))
		return xtr_shown(buf, size, NULL);
	xtr_problem_text(text, sizeof(text), xtr_reader_problem(file->reader, i));
	return xtr_shown(buf, size, text);
}
