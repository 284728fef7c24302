/* SPDX-License-Identifier: BSD-2-Clause */
#include "import_ftrace.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* --- events ----------------------------------------------------------------------------------- */

/* "(  1234)" or "(-------)". */
static bool take_tgid(struct textin_at *a, uint32_t *pid)
{
	struct textin_at b = *a;

	if (!textin_char(&b, '('))
		return false;
	textin_spaces(&b);
	*pid = 0;
	if (!textin_u32(&b, pid))
		while (textin_char(&b, '-'))
			;
	if (!textin_char(&b, ')'))
		return false;
	*a = b;
	return true;
}

/*
 * Flags stand alone: 4 or 5 characters of which kernel and trace-cmd give each a meaning
 * (kernel/trace/trace_output.c: trace_print_lat_fmt), or a preempt count of several digits.
 */
static bool take_flags(struct textin_at *a)
{
	static const char flags[] = ".dDbBXnNpPlLSsHhZz";
	const char *p = a->p;

	while (p < a->end && (strchr(flags, *p) || isxdigit((unsigned char)*p)))
		p++;
	if (p - a->p < 3 || p - a->p > 8 || p == a->end || *p != ' ')
		return false;
	a->p = p;
	return true;
}

/* " 1234us+: ", behind the number: microseconds of the latency format. */
static bool take_latency_unit(struct textin_at *a, uint64_t *ts, unsigned int *digits)
{
	struct textin_at b = *a;

	if (!textin_text(&b, "us"))
		return false;
	if (b.p < b.end && *b.p && strchr(" !+#*@$", *b.p))
		b.p++;
	if (__builtin_mul_overflow(*ts, 1000u, ts))
		return false;
	*digits = 6;
	*a = b;
	return true;
}

static bool take_stamp(struct textin_at *a, uint64_t *ts, unsigned int *digits)
{
	textin_spaces(a);
	if (!textin_time(a, ts, digits))
		return false;
	if (!*digits)
		take_latency_unit(a, ts, digits);
	return textin_char(a, ':') && (a->p == a->end || *a->p == ' ' || *a->p == '\t');
}

/* "[003] d..2. 12.345678:", "[003] (  123) d..2. 12.345678:", or "  3d..2. 12us+:" */
static bool take_where(struct textin_at *a, struct xtr_import_at *at, unsigned int *digits)
{
	struct textin_at b;

	textin_spaces(a);
	if (textin_char(a, '[')) {
		if (!textin_u32(a, &at->cpu) || !textin_char(a, ']') || !textin_char(a, ' '))
			return false;
		textin_spaces(a);
		if (take_tgid(a, &at->pid)) /* Linux 4.13 to 4.17 */
			textin_spaces(a);
		b = *a;
		if (take_flags(&b) && take_stamp(&b, &at->ts, digits)) {
			*a = b;
			return true;
		}
		return take_stamp(a, &at->ts, digits);
	}
	return textin_u32(a, &at->cpu) && take_flags(a) && take_stamp(a, &at->ts, digits);
}

/* Everything behind the name of a thread: "-123 (  123) [003] d..2. 12.345678:" */
static bool take_head(struct textin_at *a, struct xtr_import_at *at, unsigned int *digits)
{
	if (!textin_char(a, '-') || !textin_u32(a, &at->tid) || a->p == a->end || *a->p != ' ')
		return false;
	textin_spaces(a);
	at->pid = 0;
	take_tgid(a, &at->pid);
	return take_where(a, at, digits) && at->cpu < XTR_IMPORT_CPUS;
}

#define COMM_WIDTH 16 /* that kernel and trace-cmd pad names to */
#define HEAD_MAX   512

static void trim_comm(struct xtr_import_at *at, const char *line, const char *dash)
{
	const char *p = line, *cut = dash - line > COMM_WIDTH ? dash - COMM_WIDTH : line, *q = cut;

	/* Before the padded name a report of several files names the file: "trace.dat:". */
	while (q > line && q[-1] == ' ')
		q--;
	if (q > line && q[-1] == ':')
		p = cut;
	while (p < dash && *p == ' ')
		p++;
	at->comm = p;
	at->comm_len = (size_t)(dash - p);
	if (!at->tid || (at->comm_len == 5 && !memcmp(p, "<...>", 5)) || !at->comm_len)
		at->comm = NULL;
}

static bool head_at(const char *line, size_t len, const char *dash, struct textin_at *a,
		    struct xtr_import_at *at, unsigned int *digits)
{
	*a = (struct textin_at){ dash, line + len };
	if (!take_head(a, at, digits))
		return false;
	trim_comm(at, line, dash);
	return true;
}

/*
 * Where the name of the thread ends: names may hold anything, so it is the place that the kernel
 * pads to if the rest fits there, else the first one where it does.
 */
static bool find_head(const char *line, size_t len, struct textin_at *a, struct xtr_import_at *at,
		      unsigned int *digits)
{
	const char *end = line + (len < HEAD_MAX ? len : HEAD_MAX), *dash;

	if (len > COMM_WIDTH && line[COMM_WIDTH] == '-' &&
	    head_at(line, len, line + COMM_WIDTH, a, at, digits))
		return true;
	for (dash = line; dash < end; dash++)
		if (*dash == '-' && head_at(line, len, dash, a, at, digits))
			return true;
	return false;
}

/* "sys_read(fd: 3, ...)" and "sys_read -> 0x0": the kernel prints these without the event's name.
 */
static bool take_syscall(struct textin_at a, struct textin_event *e)
{
	bool enter;

	if (!textin_text(&a, "sys_") || !textin_name(&a, &e->name, &e->name_len))
		return false;
	enter = textin_char(&a, '(');
	if (!enter && !textin_text(&a, " -> "))
		return false;
	e->of_system = "syscalls";
	e->prefix = enter ? "sys_enter_" : "sys_exit_";
	e->text = a.p;
	e->text_len = (size_t)(a.end - a.p);
	if (enter && e->text_len && a.end[-1] == ')')
		e->text_len--;
	return true;
}

/* "do_idle <-cpu_startup_entry": the function tracer. */
static bool take_function(struct textin_at a, struct textin_event *e)
{
	const char *name;
	size_t len;

	e->text = e->name = a.p;
	e->text_len = (size_t)(a.end - a.p);
	e->name_len = 0;
	if (!textin_name(&a, &name, &len) || !memmem(a.p, (size_t)(a.end - a.p), " <-", 3))
		return false;
	e->of_system = "ftrace";
	e->prefix = "function";
	return true;
}

/* "0: B|12|frame": what user space wrote, where the kernel has no name for the function. */
static bool take_nameless_mark(struct textin_at a, struct textin_event *e)
{
	uint64_t address;

	e->name = a.p;
	if (!textin_text(&a, "0x") ? !textin_char(&a, '0') : !textin_hex(&a, &address))
		return false;
	e->name_len = (size_t)(a.p - e->name);
	if (!textin_text(&a, ": "))
		return false;
	e->text = a.p;
	e->text_len = (size_t)(a.end - a.p);
	return true;
}

/* "system:event: fields", "event: fields" */
static bool take_event(struct textin_at a, struct textin_event *e)
{
	struct textin_at b;
	const char *name;
	size_t len;

	textin_spaces(&a);
	b = a;
	if (!textin_name(&a, &e->name, &e->name_len) || !textin_char(&a, ':'))
		return take_nameless_mark(b, e) || take_syscall(b, e) || take_function(b, e);
	if (textin_name(&a, &name, &len) && textin_char(&a, ':')) {
		e->system = e->name;
		e->system_len = e->name_len;
		e->name = name;
		e->name_len = len;
	} else if (a.p < a.end && *a.p != ' ' && *a.p != '\t') {
		return false;
	}
	textin_spaces(&a);
	e->text = a.p;
	e->text_len = (size_t)(a.end - a.p);
	return true;
}

/* "[  158.890892] ", "<4>[  158.890892] " of dmesg, "Nov 24 10:00:00 host kernel: [...] ". */
static bool take_log(struct textin_at *a)
{
	static const char who[] = "kernel: ";
	const char *p = memmem(a->p, (size_t)(a->end - a->p), who, sizeof(who) - 1);
	struct textin_at b = *a;
	unsigned int digits;
	uint64_t ts;

	if (a->p < a->end && *a->p != '[' && *a->p != '<' && p)
		b.p = p + sizeof(who) - 1;
	if (textin_char(&b, '<') && (!textin_u64(&b, &ts) || !textin_char(&b, '>')))
		return false;
	if (!textin_char(&b, '['))
		return false;
	textin_spaces(&b);
	if (!textin_time(&b, &ts, &digits) || digits != 6 || !textin_char(&b, ']') ||
	    !textin_char(&b, ' '))
		return false;
	*a = b;
	return true;
}

/* What a mail ("> "), an editor or a log has put before each line. Returns how long that is. */
static size_t prefix_of(const char *line, size_t len)
{
	struct textin_at a = { line, line + len };

	textin_text(&a, "\xef\xbb\xbf");
	while (textin_char(&a, '\t') || textin_char(&a, '>'))
		if (a.p[-1] == '>')
			textin_char(&a, ' ');
	take_log(&a);
	return (size_t)(a.p - line);
}

bool ftrace_line(const char *line, size_t len, struct textin_event *e, unsigned int *digits)
{
	size_t prefix = prefix_of(line, len);
	struct textin_at a;

	line += prefix;
	len -= prefix;
	*e = (struct textin_event){ 0 };
	return find_head(line, len, &a, &e->at, digits) && take_event(a, e);
}

/* --- other lines ------------------------------------------------------------------------------ */

/* "CPU:1 [LOST 12 EVENTS]" of the kernel, "CPU:1 [12 EVENTS DROPPED]" of trace-cmd. */
static bool take_lost(const struct textin_line *l, uint32_t *cpu, uint64_t *count)
{
	struct textin_at a = { l->text, l->text + l->len };

	textin_spaces(&a);
	*count = 0;
	if (!textin_text(&a, "CPU:") || !textin_u32(&a, cpu) || !textin_text(&a, " ["))
		return false;
	if (textin_text(&a, "LOST ")) {
		if (textin_u64(&a, count))
			textin_char(&a, ' ');
		return textin_text(&a, "EVENTS]");
	}
	if (textin_u64(&a, count))
		textin_char(&a, ' ');
	return textin_text(&a, "EVENTS DROPPED]");
}

/* "##### CPU 1 buffer started ####" */
static bool take_begin(const struct textin_line *l, uint32_t *cpu)
{
	struct textin_at a = { l->text, l->text + l->len };

	return textin_text(&a, "##### CPU ") && textin_u32(&a, cpu) &&
	       textin_text(&a, " buffer started");
}

/* "# entries-in-buffer/entries-written: 10/12   #P:4": the rest was overwritten. */
static bool take_entries(const struct textin_line *l, uint64_t *lost)
{
	struct textin_at a = { l->text, l->text + l->len };
	uint64_t have, written;

	if (!textin_text(&a, "# entries-in-buffer/entries-written: ") || !textin_u64(&a, &have) ||
	    !textin_char(&a, '/') || !textin_u64(&a, &written))
		return false;
	*lost = written > have ? written - have : 0;
	return true;
}

static int note_tracer(struct textin_run *r, const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };
	const char *name;
	char text[64] = "";
	size_t len;

	if (!textin_text(&a, "# tracer: ") || !textin_name(&a, &name, &len) || r->begun)
		return 0;
	r->known = true;
	memcpy(text, name, len < sizeof(text) ? len : sizeof(text) - 1);
	if (!strcmp(text, "function_graph"))
		return xtr_import_fail(r->im, -EPROTONOSUPPORT,
				       "the function_graph tracer's text has no events; "
				       "record with the tracer nop");
	return xtr_import_note(r->im, "import-tracer", text);
}

/* What trace-cmd report says before the events. */
static bool is_report_head(const struct textin_line *l)
{
	static const char *const heads[] = { "cpus=", "version = ", "trace-cmd version ", "CPU " };
	struct textin_at a = { l->text, l->text + l->len };

	textin_spaces(&a);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (textin_text(&a, heads[i]))
			return i < 3 ||
			       (l->len > 9 && !memcmp(l->text + l->len - 9, " is empty", 9));
	return false;
}

static bool ends_in(const struct textin_line *l, const char *text)
{
	size_t n = strlen(text);

	return l->len >= n && !memcmp(l->text + l->len - n, text, n);
}

/* "-12 [003] 1.234567: (+12) event:" of trace-cmd report --ts-diff. */
static bool has_difference(const struct textin_line *l)
{
	const char *p = memmem(l->text, l->len, ": (+", 4);
	struct textin_at a = { p ? p + 4 : l->text, l->text + l->len };
	uint64_t n;

	return p && p > l->text && isdigit((unsigned char)p[-1]) && textin_u64(&a, &n) &&
	       textin_char(&a, ')');
}

/*
 * What tools and pages of HTML have around a trace: atrace's "TRACE:", tags. Before the first event
 * it is anything that has no CPU in brackets.
 */
static bool is_around(const struct textin_run *r, const struct textin_line *l)
{
	static const char *const begins[] = { "TRACE:",
					      "</",
					      "<!--",
					      "-->",
					      "<script",
					      "<body",
					      "<html",
					      "<div",
					      "```",
					      "Dumping ftrace buffer:",
					      "---------------------------------" };
	struct textin_at a = { l->text, l->text + l->len };

	textin_spaces(&a);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (textin_text(&a, begins[i]))
			return true;
	return !r->begun && !memchr(l->text, '[', l->len);
}

/* A line of a call stack: " => function", or the one before them. */
static bool is_stack(const struct textin_line *l)
{
	struct textin_at a = { l->text, l->text + l->len };

	textin_spaces(&a);
	return textin_text(&a, "=> ") || ends_in(l, "<stack trace>") ||
	       ends_in(l, "<user stack trace>");
}

static int other_line(struct textin_run *r, const struct textin_line *l)
{
	uint32_t cpu;
	uint64_t n;

	if (take_lost(l, &cpu, &n))
		return textin_sink_lost(r->sink, cpu, n);
	if (take_begin(l, &cpu)) {
		textin_sink_begins(r->sink, cpu);
	} else if (take_entries(l, &n)) {
		textin_sink_lost_before(r->sink, n);
		r->known = true;
	} else if (l->len && l->text[0] == '#') {
		return note_tracer(r, l);
	} else if (is_report_head(l)) {
		r->known = true;
	} else if (is_stack(l)) {
		textin_sink_stack(r->sink);
	} else if (has_difference(l)) {
		return xtr_import_fail(r->im, -EBADMSG,
				       "times with differences (trace-cmd report --ts-diff); "
				       "print it without --ts-diff");
	} else if (!textin_is_blank(l) && !is_around(r, l)) {
		textin_sink_damage(r->sink, r->number, "not an event");
	}
	return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

static int one_line(struct textin_run *r, const struct textin_line *l)
{
	struct textin_line bare = *l;
	struct textin_event e;
	unsigned int digits;
	size_t prefix;

	if (ftrace_line(l->text, l->len, &e, &digits))
		return textin_run_event(r, l, &e, digits);
	prefix = prefix_of(l->text, l->len);
	bare.text += prefix;
	bare.len -= prefix;
	return other_line(r, &bare);
}

int xtr_ftrace_run(struct xtr_import *im, struct xtr_io *in)
{
	return textin_run(im, in, NULL, one_line, "no line is an event of ftrace");
}

#define DETECT_LINES 200u

bool xtr_ftrace_detect(const uint8_t *head, size_t n)
{
	struct textin_line l;
	struct textin_event e;
	unsigned int digits;
	uint64_t lost;
	size_t pos = 0;

	for (unsigned int i = 0; i < DETECT_LINES; i++) {
		if (!textin_head_line((const char *)head, n, &pos, &l))
			return false;
		if ((l.len > 9 && !memcmp(l.text, "# tracer:", 9)) || take_entries(&l, &lost))
			return true;
		if (l.state == TEXTIN_LINE && ftrace_line(l.text, l.len, &e, &digits))
			return true;
	}
	return false;
}
