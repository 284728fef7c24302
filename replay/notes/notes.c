/* SPDX-License-Identifier: BSD-2-Clause */
/* How a section was made, for people and programs: what META and END say of it. */
#include "base/checked.h"
#include "base/text.h"
#include "notes.h"
#include "format/meta/piece.h"
#include "format/xtr_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- some pids -------------------------------------------------------------------------------- */

enum xtr_pids xtr_pids_recorded(const struct xtr_meta *m)
{
	uint64_t pid;

	if (!m || !xtr_meta_config_u64(m, "pid", &pid))
		return XTR_PIDS_ALL;
	/* Done events tell of the hardware's fence since others' are recorded. */
	return xtr_event_field(xtr_meta_event(m, XTR_EV_JOB_DONE), "hw_age") ? XTR_PIDS_SOME
									     : XTR_PIDS_ALONE;
}

void xtr_pids_text(FILE *f, const struct xtr_meta *m)
{
	static const char *const lines[] = {
		[XTR_PIDS_ALL] = "",
		[XTR_PIDS_SOME] = "Recorded with -p: jobs of other processes are not shown, and "
				  "count in the busy times of rings and devices.\n",
		[XTR_PIDS_ALONE] = "Recorded with -p, without the jobs of other processes: how "
				   "busy rings were is not known.\n",
	};

	fputs(lines[xtr_pids_recorded(m)], f);
}

/* --- sampled ---------------------------------------------------------------------------------- */

#define PREFIX "sample:"

const char *xtr_sampled_next(const struct xtr_meta *m, size_t *at, uint64_t *million)
{
	const char *key, *str;

	while (m && xtr_meta_config(m, (*at)++, &key, million, &str)) {
		if (!str && strncmp(key, PREFIX, strlen(PREFIX)) == 0)
			return key + strlen(PREFIX);
	}
	return NULL;
}

void xtr_sampled_text(FILE *f, const struct xtr_meta *m)
{
	char text[XTR_TEXT_NAME];
	uint64_t million;
	const char *name;
	size_t at = 0;

	while ((name = xtr_sampled_next(m, &at, &million))) {
		xtr_text_name(text, sizeof(text), name, strlen(name));
		fprintf(f,
			"SAMPLED: %s: %" PRIu64 ".%04" PRIu64
			" %% of these events were to be recorded; all are counted in xtr:total.\n",
			text, million / 10000, million % 10000);
	}
}

void xtr_sampled_json(struct xtr_json *j, const struct xtr_meta *m)
{
	uint64_t million;
	const char *name;
	size_t at = 0;

	if (!xtr_sampled_next(m, &at, &million))
		return;
	at = 0;
	xtr_json_kv_array(j, "sampled");
	while ((name = xtr_sampled_next(m, &at, &million))) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "event", name);
		xtr_json_kv_u64(j, "millionths", million);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

/* --- budgeted --------------------------------------------------------------------------------- */

bool xtr_budgeted_read(struct xtr_budgeted *b, const struct xtr_section *s)
{
	const struct xtr_loss *l = xtr_section_loss(s);
	const struct xtr_gap *g;
	uint64_t since;

	*b = (struct xtr_budgeted){ 0 };
	if (!xtr_meta_config_u64(xtr_section_meta(s), "budget", &b->ppm))
		return false;
	for (size_t i = 0; (g = xtr_loss_gap_at(l, i)); i++) {
		if (!xtr_gap_left_out(g))
			continue;
		if (!b->last)
			b->first = g->first;
		since = g->first > b->last ? g->first : b->last; /* in order of first */
		if (g->last > since)
			b->ns += g->last - since;
		if (g->last > b->last)
			b->last = g->last;
	}
	return true;
}

uint64_t *xtr_budgeted_by_type(const struct xtr_section *s)
{
	const struct xtr_loss *l = xtr_section_loss(s);
	struct xtr_budgeted b;
	uint64_t *n = xtr_budgeted_read(&b, s) ? calloc(XTR_BUDGETED_TYPES, sizeof(*n)) : NULL;

	for (size_t i = 0; n && i < xtr_loss_n_entries(l); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(l, i);

		if (e->cause == XTR_LOSS_FILTERED && e->type < XTR_BUDGETED_TYPES)
			n[e->type] = xtr_sat_add(n[e->type], e->total);
	}
	return n;
}

void xtr_budgeted_text(FILE *f, const struct xtr_section *s)
{
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER], all[XTR_TEXT_NUMBER], n[XTR_TEXT_NUMBER];
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	struct xtr_budgeted b;

	if (!xtr_budgeted_read(&b, s))
		return;
	fprintf(f,
		"BUDGET: recording was to cost at most %" PRIu64 ".%04" PRIu64
		" %% of the machine: ",
		b.ppm / 10000, b.ppm % 10000);
	if (b.last)
		fprintf(f,
			"from %s to %s, %s in all, a sample or nothing was recorded; left out: %s. "
			"Figures are of what was recorded; 'xtr dump -e xtr:budget' shows the steps.\n",
			xtr_text_place(from, true, b.first), xtr_text_place(to, true, b.last),
			xtr_text_ns(all, b.ns), xtr_text_count(n, sum->filtered));
	else
		fputs(sum->closed
			      ? "all was recorded.\n"
			      : "the end of the recording is missing, what was left out is not known.\n",
		      f);
}

void xtr_budgeted_json(struct xtr_json *j, const struct xtr_section *s)
{
	struct xtr_budgeted b;

	if (!xtr_budgeted_read(&b, s))
		return;
	xtr_json_kv_object(j, "budget");
	xtr_json_kv_u64(j, "millionths", b.ppm);
	xtr_json_kv_u64(j, "left_out_from_ns", b.first);
	xtr_json_kv_u64(j, "left_out_to_ns", b.last);
	xtr_json_kv_u64(j, "left_out_ns", b.ns);
	xtr_json_end_object(j);
}

/* --- flown ------------------------------------------------------------------------------------ */

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

/* --- pieced ----------------------------------------------------------------------------------- */

#define NS 1000000000u /* in a second */

static bool is_told(struct xtr_piece *p, const struct xtr_section *s)
{
	return xtr_piece_read(p, xtr_section_meta(s)) && (p->from || p->to);
}

void xtr_pieced_text(FILE *f, const struct xtr_section *s)
{
	char text[XTR_TEXT_NUMBER];
	struct xtr_piece p;

	if (!is_told(&p, s))
		return;
	fprintf(f, "Piece %s of a recording: it has all events of all CPUs",
		xtr_text_count(text, p.number));
	if (p.from)
		fprintf(f, " from %" PRIu64 ".%09" PRIu64 " s on", p.from / NS, p.from % NS);
	if (p.to)
		fprintf(f, "%s before %" PRIu64 ".%09" PRIu64 " s", p.from ? " and" : "", p.to / NS,
			p.to % NS);
	fputs(", but for what was lost.\n", f);
}

void xtr_pieced_json(struct xtr_json *j, const struct xtr_section *s)
{
	struct xtr_piece p;

	if (!is_told(&p, s))
		return;
	xtr_json_kv_object(j, "piece");
	xtr_json_kv_u64(j, "number", p.number);
	xtr_json_kv_u64(j, "from_ns", p.from);
	xtr_json_kv_u64(j, "to_ns", p.to);
	xtr_json_end_object(j);
}

/* --- imported --------------------------------------------------------------------------------- */

uint64_t xtr_import_damage_of(const struct xtr_meta *m, const char **first)
{
	uint64_t n = 0;

	if (first)
		*first = xtr_meta_config_str(m, "import-damage-first");
	return xtr_meta_config_u64(m, "import-damage", &n) ? n : 0;
}

void xtr_import_damage_text(FILE *f, const struct xtr_meta *m)
{
	char n[XTR_TEXT_NUMBER];
	const char *first;
	const uint64_t places = xtr_import_damage_of(m, &first);

	if (!places)
		return;
	fprintf(f, "DAMAGED INPUT: %s %s of the trace that was imported could not be read",
		xtr_text_count(n, places), places == 1 ? "place" : "places");
	if (first) {
		fputs(places == 1 ? ": " : ", the first: ", f);
		xtr_text_put(f, first, strlen(first));
	}
	fputs(".\n", f);
}

void xtr_import_damage_json(struct xtr_json *j, const struct xtr_meta *m)
{
	const char *first;
	const uint64_t places = xtr_import_damage_of(m, &first);

	if (!places)
		return;
	xtr_json_kv_object(j, "import_damage");
	xtr_json_kv_u64(j, "places", places);
	xtr_json_kv_str(j, "first", first);
	xtr_json_end_object(j);
}

/* --- redacted --------------------------------------------------------------------------------- */

#define BY     "redacted-by"
#define POLICY "redacted-policy"
#define TEXTS  "redacted-texts"
#define IDS    "redacted-ids"

bool xtr_redacted(const struct xtr_meta *m)
{
	return xtr_meta_config_str(m, BY) != NULL;
}

void xtr_redacted_text(FILE *f, const struct xtr_meta *m)
{
	const char *policy = xtr_meta_config_str(m, POLICY);
	char text[XTR_TEXT_NAME], n[2][XTR_TEXT_NUMBER];
	uint64_t texts, ids;

	if (!xtr_redacted(m))
		return;
	fputs("REDACTED", f);
	if (policy)
		fprintf(f, ", policy %s",
			xtr_text_name(text, sizeof(text), policy, strlen(policy)));
	fputs(": names such as name#7, process ids, pointers and the time of day are not the machine's",
	      f);
	if (xtr_meta_config_u64(m, TEXTS, &texts) && xtr_meta_config_u64(m, IDS, &ids))
		fprintf(f, " (%s texts, %s ids)", xtr_text_count(n[0], texts),
			xtr_text_count(n[1], ids));
	fputs(".\n", f);
}

static void kv_number(struct xtr_json *j, const char *key, const struct xtr_meta *m,
		      const char *entry)
{
	uint64_t n;
	bool known = xtr_meta_config_u64(m, entry, &n);

	xtr_json_kv_u64_if(j, key, known, n);
}

void xtr_redacted_json(struct xtr_json *j, const struct xtr_meta *m)
{
	if (!xtr_redacted(m))
		return;
	xtr_json_kv_object(j, "redacted");
	xtr_json_kv_str(j, "by", xtr_meta_config_str(m, BY));
	xtr_json_kv_str(j, "policy", xtr_meta_config_str(m, POLICY));
	kv_number(j, "texts", m, TEXTS);
	kv_number(j, "ids", m, IDS);
	xtr_json_end_object(j);
}
