/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints every event of a trace with its fields, as `xtr dump` does: ./events run.xtr */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xtr.h>

static void print(struct xtr_cursor *c, const char *event, uint64_t ns)
{
	const char *field, *text;

	printf("%16s-%-7" PRIu32 " [%03u] %" PRIu64 ".%09" PRIu64 ": %s:", xtr_cursor_comm(c),
	       xtr_cursor_thread(c), xtr_cursor_cpu(c), ns / 1000000000, ns % 1000000000, event);
	for (size_t i = 0; (field = xtr_cursor_field(c, i)); i++)
		if (strcmp(field, "stack") && (text = xtr_cursor_text(c, field)))
			printf(" %s=%s", field, text);
	printf("\n%s", (text = xtr_cursor_text(c, "stack")) ? text : "");
}

int main(int argc, char **argv)
{
	struct xtr_error error = { -1, "usage: events FILE" };
	struct xtr_file *file = argc == 2 ? xtr_open(argv[1], &error) : NULL;
	struct xtr_cursor *c = file ? xtr_cursor_open(file, 0, 0, 0, &error) : NULL;
	int more = c ? 1 : -1;

	while (c && (more = xtr_cursor_next(c, &error)) == 1)
		if (xtr_cursor_event(c)) /* else events were lost here */
			print(c, xtr_cursor_event(c), xtr_cursor_time(c));
	if (more < 0)
		fprintf(stderr, "events: %s\n", error.text);
	xtr_cursor_close(c);
	xtr_close(file);
	return more < 0;
}
