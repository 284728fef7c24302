/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parser of a tracepoint's `format` file. Its lines, as kernel/trace/trace_events.c (f_show) writes
 *them:
 *
 *	name: sched_switch
 *	ID: 372
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:__data_loc char[] name;	offset:8;	size:4;	signed:0;
 *	print fmt: "name=%s", __get_str(name)
 */
#include "tpformat.h"
#include "base/buf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define FIELDS_MAX      512
#define FIELD_BYTES_MAX (64u << 10) /* a record is smaller (PERF_MAX_TRACE_SIZE) */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static char *copy_trimmed(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return xtr_copy_text(s, (size_t)(end - s));
}

/* "key:" and a number, anywhere in the line. */
static bool number_after(const char *line, const char *end, const char *key, uint32_t *v)
{
	size_t n = strlen(key);
	uint64_t sum = 0;

	for (; (size_t)(end - line) > n; line++) {
		if (memcmp(line, key, n))
			continue;
		line += n;
		if (!isdigit((unsigned char)*line))
			return false;
		for (; line < end && isdigit((unsigned char)*line); line++) {
			sum = sum * 10 + (uint64_t)(*line - '0');
			if (sum > UINT32_MAX)
				return false;
		}
		*v = (uint32_t)sum;
		return true;
	}
	return false;
}

/* Split "char prev_comm[16]" into name and type "char[16]". */
static int split_decl(struct xtr_tp_field *f, const char *decl, const char *end)
{
	const char *tail = end, *name_end, *name;
	char *type, *brackets;

	while (tail > decl && isspace((unsigned char)tail[-1]))
		tail--;
	name_end = tail;
	if (name_end > decl && name_end[-1] == ']') {
		while (name_end > decl && name_end[-1] != '[')
			name_end--;
		if (name_end == decl)
			return -EINVAL;
		name_end--;
	}
	name = name_end;
	while (name > decl && is_word(name[-1]))
		name--;
	if (name == name_end || name == decl)
		return -EINVAL;
	f->name = xtr_copy_text(name, (size_t)(name_end - name));
	brackets = xtr_copy_text(name_end, (size_t)(tail - name_end));
	type = copy_trimmed(decl, name);
	if (f->name && type && brackets && (f->type = malloc(strlen(type) + strlen(brackets) + 1)))
		strcat(strcpy(f->type, type), brackets);
	free(type);
	free(brackets);
	return f->name && f->type ? 0 : -ENOMEM;
}

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* A type that ends in "char" before its brackets or star, "unsigned char" excluded: text. */
static bool is_text_type(const char *type)
{
	static const char *const text[] = { "char", "const char", "char const" };
	size_t n = strcspn(type, "[*");

	while (n && isspace((unsigned char)type[n - 1]))
		n--;
	for (size_t i = 0; i < COUNT(text); i++) {
		if (strlen(text[i]) == n && memcmp(text[i], type, n) == 0)
			return true;
	}
	return false;
}

static void classify(struct xtr_tp_field *f)
{
	static const struct {
		const char *prefix;
		enum xtr_tp_kind text, bytes;
	} dynamic[] = {
		{ "__data_loc ", XTR_TP_LOC_STR, XTR_TP_LOC_BYTES },
		{ "__rel_loc ", XTR_TP_REL_STR, XTR_TP_REL_BYTES },
	};
	const char *star = strchr(f->type, '*'), *array = strchr(f->type, '[');

	for (size_t i = 0; i < COUNT(dynamic); i++) {
		if (!starts(f->type, dynamic[i].prefix) || f->size != 4)
			continue;
		f->kind = is_text_type(f->type + strlen(dynamic[i].prefix)) ? dynamic[i].text
									    : dynamic[i].bytes;
		return;
	}
	if (!f->size)
		f->kind = is_text_type(f->type) ? XTR_TP_TAIL_STR : XTR_TP_TAIL_BYTES;
	else if (array && !star && is_text_type(f->type))
		f->kind = XTR_TP_CHARS;
	else if (star && !array && (f->size == 8 || f->size == 4))
		f->kind = XTR_TP_PTR;
	else if (!array && !star && !starts(f->type, "struct ") && !starts(f->type, "union ") &&
		 (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		f->kind = XTR_TP_INT;
	else
		f->kind = XTR_TP_BYTES;
	f->is_char_ptr = f->kind == XTR_TP_PTR && is_text_type(f->type) && !strchr(star + 1, '*');
}

static void note_common(struct xtr_tp_common *c, const struct xtr_tp_field *f)
{
	if (strcmp(f->name, "common_type") == 0) {
		c->type_offset = f->offset;
		c->type_size = f->size;
	} else if (strcmp(f->name, "common_pid") == 0) {
		c->pid_offset = f->offset;
		c->pid_size = f->size;
	}
}

/* `char buf; size:0` of ftrace's own events before Linux 4.19: an array without its brackets. */
static bool is_bare_array(const char *type)
{
	return strcmp(type, "char") == 0 || strcmp(type, "u32") == 0;
}

/* Fields that are recorded: not those that all events have, nor empty ones but arrays. */
static bool is_wanted(struct xtr_tp_format *f, const struct xtr_tp_field *field)
{
	if (!starts(field->name, "common_"))
		return field->size || strchr(field->type, '[') || is_bare_array(field->type);
	note_common(&f->common, field);
	return false;
}

static int add_field(struct xtr_tp_format *f, const char *line, const char *end)
{
	const char *decl = line + strlen("field:"), *stop = memchr(line, ';', (size_t)(end - line));
	struct xtr_tp_field field = { 0 }, *more;
	uint32_t sign = 0;
	int err;

	if (!stop || !number_after(stop, end, "offset:", &field.offset) ||
	    !number_after(stop, end, "size:", &field.size))
		return -EINVAL;
	number_after(stop, end, "signed:", &sign);
	if (field.offset > FIELD_BYTES_MAX || field.size > FIELD_BYTES_MAX ||
	    f->n_fields >= FIELDS_MAX)
		return -EINVAL;
	field.is_signed = sign != 0;
	err = split_decl(&field, decl, stop);
	if (!err && is_wanted(f, &field)) {
		classify(&field);
		more = reallocarray(f->fields, f->n_fields + 1, sizeof(*more));
		err = more ? 0 : -ENOMEM;
		if (more) {
			f->fields = more;
			f->fields[f->n_fields++] = field;
			return 0;
		}
	}
	free(field.name);
	free(field.type);
	return err;
}

static int parse_line(struct xtr_tp_format *f, const char *line, const char *end)
{
	while (line < end && isspace((unsigned char)*line))
		line++;
	if (starts(line, "field:"))
		return add_field(f, line, end);
	if (starts(line, "ID:"))
		return number_after(line, end, "ID: ", &f->id) ? 0 : -EINVAL;
	if (starts(line, "name:") && !f->name)
		return (f->name = copy_trimmed(line + strlen("name:"), end)) ? 0 : -ENOMEM;
	if (starts(line, "print fmt:") && !f->print_fmt)
		return (f->print_fmt = copy_trimmed(line + strlen("print fmt:"), end)) ? 0
										       : -ENOMEM;
	return 0;
}

int xtr_tp_format_parse(struct xtr_tp_format **out, const char *text, size_t n)
{
	static const char print_key[] = "print fmt:";
	struct xtr_tp_format *f = calloc(1, sizeof(*f));
	char *copy = xtr_copy_text(text, n); /* terminated, so that starts() stops at the end */
	const char *line, *end;
	int err = f && copy ? 0 : -ENOMEM;

	for (line = copy; !err && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (starts(line, print_key)) {
			/* The last item; its literals may contain newlines. */
			end = line + strlen(line);
			free(f->print_fmt); /* of a line that was indented */
			f->print_fmt = copy_trimmed(line + strlen(print_key), end);
			err = f->print_fmt ? 0 : -ENOMEM;
		} else {
			err = parse_line(f, line, end);
		}
	}
	free(copy);
	if (!err && (!f->name || !f->name[0] || !f->id))
		err = -EINVAL;
	if (!err && !f->print_fmt && !(f->print_fmt = strdup("")))
		err = -ENOMEM;
	if (err) {
		xtr_tp_format_free(f);
		return err;
	}
	*out = f;
	return 0;
}

void xtr_tp_format_free(struct xtr_tp_format *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_fields; i++) {
		free(f->fields[i].name);
		free(f->fields[i].type);
	}
	free(f->fields);
	free(f->name);
	free(f->print_fmt);
	free(f);
}
