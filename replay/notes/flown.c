// SPDX-License-Identifier: BSD-2-Clause
#include "flown.h"
#include "base/text.h"

#include "format/meta/flight.h"

#include <inttypes.h>
#include <string.h>

/* The time before the trigger of which everything is there, as far as it was not lost. */
static uint64_t window(const struct xtr_flight_note *n, const struct xtr_section *s)
{
	uint64_t from = n->from ? n->from : xtr_section_summary(s)->ts_min;

	return n->at > from ? n->at - from : 0;
}

/* " (job 7:12 of process 123; 61.2 ms)" */
static void put_about(FILE *f, const struct xtr_flight_note *n)
{
	char text[XTR_TEXT_NUMBER];
	const char *sep = " (";

	if (n->event[0]) {
		char name[XTR_TEXT_NAME];

		xtr_text_name(name, sizeof(name), n->event, strlen(n->event));
		fprintf(f, "%s%s", sep, name);
		sep = ", ";
	}
	if (n->ctx || n->seqno) {
		fprintf(f, "%sjob %" PRIu64 ":%" PRIu64, sep, n->ctx, n->seqno);
		sep = ", ";
	}
	if (n->pid) {
		fprintf(f, "%sprocess %" PRIu64, sep, n->pid);
		sep = ", ";
	}
	if (n->value && (n->ctx || n->seqno))
		fprintf(f, "%s%s", sep, xtr_text_ns(text, n->value));
	else if (n->value)
		fprintf(f, "%s%s", sep, xtr_text_count(text, n->value));
	else if (sep[0] == ' ')
		return;
	fputc(')', f);
}

void xtr_flown_text(FILE *f, const struct xtr_section *s)
{
	char text[XTR_TEXT_NUMBER], why[XTR_TEXT_NAME];
	uint64_t aged = xtr_section_summary(s)->aged;
	struct xtr_flight_note n;

	if (!xtr_flight_read(&n, xtr_section_meta(s))) {
		if (aged)
			fprintf(f, "Of a flight recorder: %s older events were not kept.\n",
				xtr_text_count(text, aged));
		return;
	}
	xtr_text_name(why, sizeof(why), n.why, strlen(n.why));
	fprintf(f, "Flight recorder: the newest %s before '%s'", xtr_text_ns(text, window(&n, s)),
		why);
	put_about(f, &n);
	if (aged)
		fprintf(f, "; %s older events were not kept", xtr_text_count(text, aged));
	if (n.suppressed)
		fprintf(f, "; triggers not followed: %s", xtr_text_count(text, n.suppressed));
	if (n.untracked)
		fprintf(f, "; jobs not watched: %s", xtr_text_count(text, n.untracked));
	fputs(".\n", f);
}

void xtr_flown_json(struct xtr_json *j, const struct xtr_section *s)
{
	uint64_t aged = xtr_section_summary(s)->aged;
	struct xtr_flight_note n;

	if (!xtr_flight_read(&n, xtr_section_meta(s))) {
		if (aged)
			xtr_json_kv_u64(j, "aged", aged);
		return;
	}
	xtr_json_kv_u64(j, "aged", aged);
	xtr_json_kv_object(j, "flight");
	xtr_json_kv_str(j, "why", n.why);
	xtr_json_kv_str(j, "event", n.event);
	xtr_json_kv_u64(j, "at_ns", n.at);
	xtr_json_kv_u64(j, "from_ns", n.from);
	xtr_json_kv_u64(j, "window_ns", window(&n, s));
	xtr_json_kv_u64(j, "suppressed", n.suppressed);
	xtr_json_kv_u64(j, "untracked", n.untracked);
	xtr_json_kv_u64(j, "ctx", n.ctx);
	xtr_json_kv_u64(j, "seqno", n.seqno);
	xtr_json_kv_u64(j, "pid", n.pid);
	xtr_json_kv_u64(j, "value", n.value);
	xtr_json_end_object(j);
}
