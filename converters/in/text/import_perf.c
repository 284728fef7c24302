/* SPDX-License-Identifier: BSD-2-Clause */
#include "import_perf.h"

#include "format/xtr_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_MAX 512 /* bytes before the time */

/* --- events ----------------------------------------------------------------------------------- */

static const char *trim_end(const char *from, const char *end)
{
	while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end;
}

/* The last word before end. */
static const char *last_word(const char *from, const char *end)
{
	while (end > from && end[-1] != ' ' && end[-1] != '\t')
		end--;
	return end;
}

/* "[003]" */
static bool is_cpu(const char *p, const char *end, uint32_t *cpu)
{
	struct textin_at a = { p, end };
	uint32_t n;

	if (!textin_char(&a, '[') || !textin_u32(&a, &n) || !textin_char(&a, ']') || a.p != end ||
	    n >= XTR_IMPORT_CPUS)
		return false;
	*cpu = n;
	return true;
}

static bool take_id(struct textin_at *a, uint32_t *id)
{
	*id = 0;
	return textin_text(a, "-1") || textin_u32(a, id);
}

/* "123", or "123/456": process and thread. Either may be -1: not known. */
static bool is_thread(const char *p, const char *end, struct xtr_import_at *at)
{
	struct textin_at a = { p, end };
	uint32_t first;

	if (!take_id(&a, &first))
		return false;
	at->pid = 0;
	at->tid = first;
	if (textin_char(&a, '/')) {
		at->pid = first;
		if (!take_id(&a, &at->tid))
			return false;
	}
	return a.p == end;
}

/* "K", "U", "Hg": where the CPU was (-F +misc). */
static bool is_misc(const char *p, const char *end)
{
	return end - p >= 1 && end - p <= 3 && memchr("KUHGgS", *p, 6);
}

static void set_comm(struct xtr_import_at *at, const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	/* ":123" is what perf calls a thread of which it knows no name. */
	if (p == end || !at->tid || *p == ':')
		return;
	at->comm = p;
	at->comm_len = (size_t)(end - p);
}

/* -L prints a name of 8 characters, the thread and the CPU's bare number: is `word` that? */
static bool is_latency_cpu(const char *line, const char *word, const char *end, uint32_t *cpu)
{
	const char *before = trim_end(line, word), *tid = last_word(line, before);
	struct textin_at a = { word, end }, b = { tid, before };
	uint32_t n, m;

	if (tid - line < 9 || tid - line > 13 || line[8] != ' ' || !textin_u32(&a, &n) ||
	    a.p != end || n >= XTR_IMPORT_CPUS || !textin_u32(&b, &m) || b.p != before)
		return false;
	*cpu = n;
	return true;
}

/* What is before the time, from its end: names may hold anything. */
static bool read_head(const char *p, const char *end, struct xtr_import_at *at,
		      unsigned int *missing)
{
	const char *word, *before;

	end = trim_end(p, end);
	word = last_word(p, end);
	before = trim_end(p, word);
	*missing = PERF_NO_TID | PERF_NO_CPU;
	if (is_misc(word, end) && is_cpu(last_word(p, before), before, &at->cpu)) {
		end = before;
		word = last_word(p, end);
	}
	if (is_cpu(word, end, &at->cpu) || is_latency_cpu(p, word, end, &at->cpu)) {
		*missing &= ~PERF_NO_CPU;
		end = trim_end(p, word);
		word = last_word(p, end);
	}
	if (word < end && is_thread(word, end, at)) {
		*missing &= ~PERF_NO_TID;
		set_comm(at, p, trim_end(p, word));
	} else if (word < end) {
		return false; /* a name alone: ftrace's lines are like that */
	}
	return *missing != (PERF_NO_TID | PERF_NO_CPU);
}

/* Is a name's second half only what perf may be told of how to count ("cycles:ppp")? */
static bool is_modifier(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("ukhGHpPSDIWeb", p[i]))
			return false;
	return true;
}

/* The event's name up to the last colon of the word: "sched:sched_switch:", "cycles:ppp:" */
static bool split_name(const char *p, const char *end, struct textin_event *e)
{
	const char *colon = memchr(p, ':', (size_t)(end - p)), *second;

	if (end == p || !(isalpha((unsigned char)*p) || *p == '_'))
		return false;
	e->name = p;
	e->name_len = (size_t)((colon ? colon : end) - p);
	if (!colon || is_modifier(colon + 1, (size_t)(end - colon - 1))) {
		e->of_system = "perf";
		return true;
	}
	e->system = p;
	e->system_len = e->name_len;
	second = memchr(colon + 1, ':', (size_t)(end - colon - 1));
	e->name = colon + 1;
	e->name_len = (size_t)((second ? second : end) - e->name);
	return e->name_len > 0;
}

/* "PERF_RECORD_LOST lost 12", "PERF_RECORD_COMM: bash:1/1", "PERF_RECORD_FORK(2:2):(1:1)" */
static bool read_record(struct textin_at a, struct textin_event *e)
{
	struct textin_at b = a;

	if (!textin_text(&b, "PERF_RECORD_"))
		return false;
	while (b.p < b.end &&
	       (isupper((unsigned char)*b.p) || *b.p == '_' || isdigit((unsigned char)*b.p)))
		b.p++;
	e->name = a.p;
	e->name_len = (size_t)(b.p - a.p);
	e->text = b.p;
	e->text_len = (size_t)(b.end - b.p);
	return true;
}

/* What is behind the time. */
static bool read_tail(struct textin_at a, struct textin_event *e)
{
	const char *word;
	uint64_t period;
	struct textin_at b;

	textin_spaces(&a);
	b = a;
	if (textin_u64(&b, &period) && b.p < b.end && *b.p == ' ') {
		textin_spaces(&b);
		a = b;
	}
	if (read_record(a, e))
		return true;
	for (word = a.p; a.p < a.end && *a.p != ' ' && *a.p != '\t';)
		a.p++;
	if (a.p - word < 2 || a.p[-1] != ':' || !split_name(word, a.p - 1, e))
		return false;
	textin_spaces(&a);
	e->text = a.p;
	e->text_len = (size_t)(a.end - a.p);
	return true;
}

bool perf_line(const char *line, size_t len, struct textin_event *e, unsigned int *digits,
	       unsigned int *missing)
{
	const char *end = line + (len < HEAD_MAX ? len : HEAD_MAX);

	for (const char *p = line; p < end; p++) {
		struct textin_at a = { p, line + len };

		if (!isdigit((unsigned char)*p) || (p > line && p[-1] != ' ' && p[-1] != '\t'))
			continue;
		*e = (struct textin_event){ 0 };
		if (textin_time(&a, &e->at.ts, digits) && *digits >= 6 && textin_char(&a, ':') &&
		    read_head(line, p, &e->at, missing) && read_tail(a, e))
			return true;
	}
	return false;
}

/* --- perf's own records ----------------------------------------------------------------------- */

static bool is_record(const struct textin_event *e, const char *name)
{
	return e->name_len == strlen(name) && !memcmp(e->name, name, e->name_len);
}

/* ": bash:12/34", " exec: bash:12/34" */
static int comm_record(struct textin_run *r, const struct textin_event *e)
{
	const char *p = memchr(e->text, ':', e->text_len), *end = e->text + e->text_len;
	struct xtr_import_at at = { 0 };
	const char *colon;

	if (!p)
		return 0;
	p++;
	while (p < end && *p == ' ')
		p++;
	colon = memrchr(p, ':', (size_t)(end - p));
	if (!colon || !is_thread(colon + 1, trim_end(colon + 1, end), &at) || !at.tid)
		return 0;
	return xtr_import_task(r->im, e->at.ts, at.tid, at.pid, p, (size_t)(colon - p));
}

/* "(pid:tid):(parent:parent)" */
static int fork_record(struct textin_run *r, const struct textin_event *e)
{
	struct textin_at a = { e->text, e->text + e->text_len };
	uint32_t pid, tid;

	if (!textin_char(&a, '(') || !textin_u32(&a, &pid) || !textin_char(&a, ':') ||
	    !textin_u32(&a, &tid) || !tid)
		return 0;
	return xtr_import_task(r->im, e->at.ts, tid, pid, NULL, 0);
}

/* " lost 12" */
static int lost_record(struct textin_run *r, const struct textin_event *e, unsigned int missing)
{
	struct textin_at a = { e->text, e->text + e->text_len };
	uint64_t n = 0;

	textin_spaces(&a);
	if (textin_text(&a, "lost "))
		textin_u64(&a, &n);
	r->known = true;
	return textin_sink_lost(r->sink, missing & PERF_NO_CPU ? XTR_STREAM_NONE : e->at.cpu, n);
}

static int record(struct textin_run *r, const struct textin_event *e, unsigned int missing)
{
	if (is_record(e, "PERF_RECORD_LOST") || is_record(e, "PERF_RECORD_LOST_SAMPLES"))
		return lost_record(r, e, missing);
	if (is_record(e, "PERF_RECORD_COMM"))
		return comm_record(r, e);
	if (is_record(e, "PERF_RECORD_FORK"))
		return fork_record(r, e);
	return 0;
}

/* --- other lines ------------------------------------------------------------------------------ */

/* "# clockid: monotonic (1)", in the words of tracefs. */
static int header_clock(struct textin_run *r, const char *text)
{
	static const struct {
		const char *perf, *name;
	} clocks[] = { { "monotonic (", "mono" },
		       { "monotonic_raw (", "mono_raw" },
		       { "boottime (", "boot" },
		       { "tai (", "tai" },
		       { "realtime (", "realtime" } };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strncmp(text, clocks[i].perf, strlen(clocks[i].perf)))
			return xtr_import_clock(r->im, clocks[i].name);
	return 0;
}

static void copy_text(char *to, size_t size, const struct textin_at *from)
{
	size_t n = (size_t)(trim_end(from->p, from->end) - from->p);

	n = n < size ? n : size - 1;
	memcpy(to, from->p, n);
	to[n] = '\0';
}

static int set_system(struct textin_run *r)
{
	struct xtr_system sys = {
		.release = r->release, .version = "", .machine = r->machine, .cpus = r->cpus
	};

	r->known = true;
	return xtr_import_system(r->im, &sys);
}

/* "# os release : 6.1.0", and what else is of use later. The host's name is not taken over. */
static int header_line(struct textin_run *r, const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };
	char text[128];

	if (r->begun)
		return 0;
	if (textin_text(&a, "# os release : ")) {
		copy_text(r->release, sizeof(r->release), &a);
		return set_system(r);
	}
	if (textin_text(&a, "# arch : ")) {
		copy_text(r->machine, sizeof(r->machine), &a);
		return set_system(r);
	}
	if (textin_text(&a, "# nrcpus online : ") && textin_u32(&a, &r->cpus))
		return set_system(r);
	if (textin_text(&a, "# perf version : ")) {
		copy_text(text, sizeof(text), &a);
		return xtr_import_note(r->im, "import-perf-version", text);
	}
	if (textin_text(&a, "# captured on    : ")) {
		copy_text(text, sizeof(text), &a);
		return xtr_import_note(r->im, "import-captured-on", text);
	}
	if (textin_text(&a, "# clockid: ")) {
		copy_text(text, sizeof(text), &a);
		return header_clock(r, text);
	}
	return 0;
}

/* "ffffffff8100 schedule+0x23 ([kernel.kallsyms])"; "foo (inlined)" and source lines between. */
static bool is_stack(const struct textin_run *r, const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };
	uint64_t address;

	textin_spaces(&a);
	if (a.p == l->text)
		return false;
	if (textin_hex(&a, &address) && (a.p == a.end || *a.p == ' '))
		return true;
	return r->in_stack && l->text[l->len - 1] == ')';
}

/* "LOST 12 events", "Processed 5 events and lost 2 chunks!" */
static bool is_loss(const struct textin_line *l, uint64_t *n)
{
	struct textin_at a = { l->text, l->text + l->len };

	*n = 0;
	textin_spaces(&a);
	if (textin_text(&a, "LOST "))
		return textin_u64(&a, n) &&
		       (textin_text(&a, " events") || textin_text(&a, " EVENTS"));
	return textin_text(&a, "Processed ") && textin_u64(&a, n) && !(*n = 0) &&
	       textin_text(&a, " events and lost ");
}

/* What perf says on standard error, which often lands in the same file. */
static bool is_advice(const struct textin_line *l)
{
	static const char *const begins[] = { "Warning:", "Check IO/CPU overload!",
					      "'trace' not valid" };
	struct textin_at a = { l->text, l->text + l->len };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (textin_text(&a, begins[i]))
			return true;
	return false;
}

static int other_line(struct textin_run *r, const struct textin_line *l)
{
	uint64_t n;

	if (l->len && l->text[0] == '#')
		return header_line(r, l);
	if (textin_is_blank(l)) {
		r->in_stack = false;
		return 0;
	}
	if (is_loss(l, &n))
		return textin_sink_lost(r->sink, XTR_STREAM_NONE, n);
	if (is_stack(r, l)) {
		r->in_stack = true;
		textin_sink_stack(r->sink);
	} else if (!is_advice(l)) {
		textin_sink_damage(r->sink, r->number, "not an event");
	}
	return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Once for each thing that the lines do not have. */
static int note_missing(struct textin_run *r, unsigned int missing)
{
	unsigned int fresh = missing & ~r->missing;
	int err = 0;

	r->missing |= missing;
	if (fresh & PERF_NO_TID)
		err = xtr_import_note(r->im, "import-without-threads", "all events are thread 0's");
	if (!err && (fresh & PERF_NO_CPU))
		err = xtr_import_note(r->im, "import-without-cpus", "all events are CPU 0's");
	return err;
}

/* perf sorts by time: times that begin with 0 and go back are none. */
static bool are_differences(struct textin_run *r, uint64_t ts)
{
	bool back = r->begun && r->from_zero && ts < r->last_ns;

	if (!r->begun)
		r->from_zero = !ts;
	r->last_ns = ts;
	return back;
}

static int one_line(struct textin_run *r, const struct textin_line *l)
{
	struct textin_event e;
	unsigned int digits, missing;

	if (!perf_line(l->text, l->len, &e, &digits, &missing))
		return other_line(r, l);
	r->in_stack = false;
	if (is_record(&e, "PERF_RECORD_") ||
	    (e.name_len > 12 && !memcmp(e.name, "PERF_RECORD_", 12)))
		return record(r, &e, missing);
	if (are_differences(r, e.at.ts))
		return xtr_import_fail(r->im, -EBADMSG,
				       "times since the event before (perf script --deltatime); "
				       "print it without --deltatime");
	return note_missing(r, missing) ?: textin_run_event(r, l, &e, digits);
}

int xtr_perf_run(struct xtr_import *im, struct xtr_io *in)
{
	return textin_run(im, in, NULL, one_line, "no line is an event of perf script");
}

#define DETECT_LINES 200u

bool xtr_perf_detect(const uint8_t *head, size_t n)
{
	struct textin_line l;
	struct textin_event e;
	unsigned int digits, missing, others = 0;
	size_t pos = 0;

	while (others < DETECT_LINES && textin_head_line((const char *)head, n, &pos, &l)) {
		if (l.len > 13 && !memcmp(l.text, "# captured on", 13))
			return true;
		if (l.state == TEXTIN_LINE && perf_line(l.text, l.len, &e, &digits, &missing))
			return true;
		others += !l.len || l.text[0] != '#';
	}
	return false;
}
