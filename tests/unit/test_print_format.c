/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of print formats: each row is well made, and reads what it says is printed. */
#include "converters/in/text/textin.h"
#include "replay/event/print_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char kinds[] = "duwxrphstenfcC9";

/* What a value may look like; the first of its names. */
static void put_value(char *text, size_t room, const struct xtr_print_value *v)
{
	size_t n = v->names_len ? strcspn(v->names, "=") : 0;

	if (n || v->kind == 'e')
		snprintf(text, room, "%.*s", (int)n, v->names);
	else if (strchr("cC", v->kind))
		snprintf(text, room, "B");
	else
		snprintf(text, room,
			 v->kind == '9'           ? "000000012"
			 : v->kind == 'p'         ? "00000000aaaa0012"
			 : strchr("st", v->kind)  ? "some"
			 : strchr("xhr", v->kind) ? "0x12"
						  : "12");
}

/* Has the group at f (behind its opening) a field that was printed? Kernels print it once. */
static bool is_printed(const char *f, const char *fields)
{
	const char *end = strstr(f, "%)");
	struct xtr_print_value v;
	char name[64];

	while (xtr_print_next(&f, end, &v)) {
		snprintf(name, sizeof(name), "|%.*s|", (int)v.field_len, v.field);
		if (strstr(fields, name))
			return true;
	}
	return false;
}

/* The text of a format, with groups or with none. Names of its fields, each once. */
static size_t print(const struct xtr_print *row, bool groups, char *text, size_t room, char *fields,
		    size_t fields_room)
{
	const char *f = row->format, *end = f + strlen(f);
	struct xtr_print_value v;
	size_t n = 0;
	char name[64];

	text[0] = fields[0] = '\0';
	while (f < end) {
		if (*f != '%') {
			snprintf(text + strlen(text), room - strlen(text), "%c", *f++);
		} else if (f[1] == '_') {
			snprintf(text + strlen(text), room - strlen(text), "7");
			f += 2;
		} else if (f[1] == ')' || (f[1] == '(' && groups && !is_printed(f + 2, fields))) {
			f += 2;
		} else if (f[1] == '(') {
			f = strstr(f, "%)") + 2;
		} else {
			cr_assert(xtr_print_next(&f, end, &v), "%s", row->format);
			if (v.kind == 'd' && *text &&
			    isdigit((unsigned char)text[strlen(text) - 1]))
				snprintf(text + strlen(text), room - strlen(text), "+");
			put_value(text + strlen(text), room - strlen(text), &v);
			snprintf(name, sizeof(name), "|%.*s|", (int)v.field_len, v.field);
			if (v.kind != 'h' && !strstr(fields, name)) {
				snprintf(fields + strlen(fields), fields_room - strlen(fields),
					 "%s", name);
				n++;
			}
		}
	}
	return n;
}

static void first_event(const char *events, char *name, size_t room)
{
	size_t n = strcspn(events, " *");

	snprintf(name, room, "%.*s", (int)n, events);
}

static void check_read(const struct xtr_print *row, bool groups)
{
	struct textin_event_kind kind = { .n = 1, .rows = { row } };
	char text[1024], fields[2048], event[64], name[80];
	struct textin_values v;
	size_t n = print(row, groups, text, sizeof(text), fields, sizeof(fields));

	first_event(row->events, event, sizeof(event));
	textin_split(&kind, event, strlen(event), text, strlen(text), &v);
	if (!n)
		return;
	cr_expect(v.left == false, "all of '%s' is read", text);
	cr_expect(eq(sz, v.n, n), "%s: '%s'", event, text);
	for (size_t i = 0; i < v.n; i++) {
		snprintf(name, sizeof(name), "|%.*s|", (int)v.v[i].name_len, v.v[i].name);
		cr_expect(strstr(fields, name) != NULL, "%s of '%s'", name, text);
	}
}

Test(print_format, each_row_reads_what_it_prints)
{
	const struct xtr_print *row;
	size_t i;

	for (i = 0; (row = xtr_print_row(i)); i++) {
		check_read(row, false);
		if (!strstr(row->format, "%(dev %t{dev}, p")) /* of these groups one is printed */
			check_read(row, true);
	}
	cr_expect(i > 250);
}

/* Groups are closed and not nested; a text has something behind it that ends it. */
Test(print_format, rows_are_well_made)
{
	const struct xtr_print *row;

	for (size_t i = 0; (row = xtr_print_row(i)); i++) {
		const char *f = row->format;
		bool open = false;

		cr_expect(row->system[0] && row->events[0]);
		for (f = strchr(f, '%'); f; f = strchr(f + 2, '%')) {
			bool group = f[1] == '(' || f[1] == ')', closes = f[1] == ')';
			const char *brace = strchr(f, '}');
			bool known = f[1] && strchr(kinds, f[1]) && f[2] == '{' && brace;

			if (group)
				cr_expect(open == closes, "%s", row->format);
			if (group)
				open = !closes;
			if (group || f[1] == '_')
				continue;
			cr_assert(known, "%s", row->format);
			cr_expect(f[1] != 's' || brace[1] != '%' || strcmp(brace + 1, "%)") == 0,
				  "%s", row->format);
		}
		cr_expect(open == false, "%s", row->format);
	}
}

/* Rows that would be left out because there are too many of one event. */
Test(print_format, no_event_has_more_rows_than_are_looked_at)
{
	const struct xtr_print *row, *rows[XTR_PRINTS_MAX];
	char name[64];

	for (size_t i = 0; (row = xtr_print_row(i)); i++) {
		first_event(row->events, name, sizeof(name));
		cr_expect(xtr_prints(name, strlen(name), rows) < XTR_PRINTS_MAX, "%s", name);
	}
}

Test(print_format, labels_lead_to_fields)
{
	const struct xtr_print *rows[XTR_PRINTS_MAX];
	size_t n = xtr_prints("msm_gpu_submit_retired", 22, rows);
	struct xtr_print_value v;

	cr_assert(eq(sz, n, 1));
	cr_assert(xtr_print_value(rows, n, "mhz", 3, true, &v));
	cr_expect(v.field_len == 5 && !memcmp(v.field, "clock", 5));
	cr_assert(xtr_print_value(rows, n, "ring", 4, true, &v));
	cr_expect(v.end - v.piece == 20 && !memcmp(v.piece, "%d{ringid}:%w{seqno}", 20));
	cr_assert(xtr_print_value(rows, n, "clock", 5, false, &v));
	cr_expect(v.label_len == 6 && !memcmp(v.label, "ns mhz", 6));
	cr_expect(xtr_print_value(rows, n, "clock", 5, true, &v) == false);
	cr_expect(xtr_print_value(rows, n, "mhz", 3, false, &v) == false);
}

Test(print_format, names_tell_systems)
{
	cr_expect(eq(str, (char *)xtr_print_system("i915_gem_request_add", 20), "i915"));
	cr_expect(eq(str, (char *)xtr_print_system("sys_enter", 9), "raw_syscalls"));
	cr_expect(eq(str, (char *)xtr_print_system("sys_enter_read", 14), "syscalls"));
	cr_expect(eq(str, (char *)xtr_print_system("cpu_idle", 8), "power"));
	cr_expect(xtr_print_system("job", 3) == NULL);
	cr_expect(xtr_print_system("", 0) == NULL);
	cr_expect(xtr_print_lists("a_* b", "a_", 2) && xtr_print_lists("a_* b", "b", 1));
	cr_expect(xtr_print_lists("a_* b", "a", 1) == false);
	cr_expect(xtr_print_lists("a_* b", "bc", 2) == false);
}
