// SPDX-License-Identifier: BSD-2-Clause
#include "program.h"
#include "util.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool xtr_program_same(const struct xtr_program *a, const struct xtr_program *b)
{
	return a->pid == b->pid && a->start == b->start && a->exec == b->exec;
}

/* Fields of /proc/PID/stat, numbered as in its manual page, in rising order. */
static const struct {
	unsigned int field;
	size_t offset;
} fields[] = {
	{ 26, offsetof(struct xtr_image, start_code) },
	{ 27, offsetof(struct xtr_image, end_code) },
	{ 28, offsetof(struct xtr_image, start_stack) },
	{ 45, offsetof(struct xtr_image, start_data) },
	{ 46, offsetof(struct xtr_image, end_data) },
	{ 47, offsetof(struct xtr_image, start_brk) },
};

/* The name, the second field, is in parentheses and may hold some, and spaces. */
bool xtr_image_of_stat(const char *text, struct xtr_image *image)
{
	const char *at = strrchr(text, ')');
	unsigned int field = 2;

	for (size_t i = 0; at && i < ARRAY_LEN(fields); i++) {
		unsigned long long value;

		for (; at && field < fields[i].field; field++)
			at = strchr(at + 1, ' ');
		if (!at || sscanf(at, " %llu", &value) != 1)
			return false;
		memcpy((char *)image + fields[i].offset, &(uint64_t){ value }, sizeof(uint64_t));
	}
	return at && image->start_stack;
}

bool xtr_program_runs(const struct xtr_program *p)
{
	char path[64], text[2048];
	struct xtr_image now;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", p->pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return xtr_image_of_stat(text, &now) && !memcmp(&now, &p->image, sizeof(now));
}
