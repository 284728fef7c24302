/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions that stand before the events: formats, names, options. */
#include "tracedat_priv.h"

#include "base/buf.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ends_early(struct dat *d, const char *what)
{
	return xtr_import_fail(d->im, -EBADMSG, "the file ends in its %s", what);
}

/* --- the ring buffer's pages ------------------------------------------------------------------ */

/* A number behind `key` in the line about field `name`. */
static bool header_number(const char *text, const char *name, const char *key, uint32_t *v)
{
	const char *p = strstr(text, name), *end;
	unsigned long n;

	if (!p)
		return false;
	end = p + strcspn(p, "\n");
	p = strstr(p, key);
	if (!p || p > end)
		return false;
	n = strtoul(p + strlen(key), NULL, 10);
	*v = (uint32_t)n;
	return n <= DAT_PAGE_MAX;
}

static void take_page_header(struct dat *d, const char *text)
{
	struct dat_layout *l = &d->layout;
	uint32_t size, data;

	if (header_number(text, " commit;", "size:", &size) && (size == 4 || size == 8))
		l->commit_size = size;
	if (header_number(text, " commit;", "offset:", &size) && size >= 8 && size <= 64)
		l->commit_at = size;
	l->data_at = l->commit_at + l->commit_size;
	if (header_number(text, " data;", "offset:", &data) && data >= l->data_at && data <= 128)
		l->data_at = data;
	if (header_number(text, " data;", "size:", &size) && size)
		d->layout_page = l->data_at + size;
}

int dat_header_info(struct dat *d, struct dat_in *in)
{
	char name[16], *text;

	d->layout = (struct dat_layout){ .big = d->big,
					 .commit_at = 8,
					 .commit_size = d->long_size,
					 .data_at = 8 + d->long_size };
	if (!dat_text(in, name, sizeof(name)) || strcmp(name, "header_page") != 0)
		return ends_early(d, "header_page");
	text = dat_bytes(in, dat_uint(in, 8));
	if (!text)
		return ends_early(d, "header_page");
	take_page_header(d, text);
	free(text);
	if (!dat_text(in, name, sizeof(name)) || strcmp(name, "header_event") != 0)
		return ends_early(d, "header_event");
	text = dat_bytes(in, dat_uint(in, 8));
	if (!text)
		return ends_early(d, "header_event");
	/* "type : 2 bits" and no type_len: the headers before Linux 2.6.31. */
	d->layout.old_events = strstr(text, "2 bits") && !strstr(text, "type_len");
	free(text);
	return 0;
}

/* --- events ----------------------------------------------------------------------------------- */

/* The format of an event, which has none so far. */
static void set_format(struct dat *d, uint32_t id, struct xtr_tp_format *f)
{
	d->events[id].f = f;
	if (id >= d->events_end)
		d->events_end = id + 1;
}

static int add_format(struct dat *d, const char *system, const char *text, size_t n)
{
	struct xtr_tp_format *f;
	struct dat_event_type *t;
	int err = xtr_tp_format_parse(&f, text, n);

	if (err == -ENOMEM)
		return err;
	if (err || f->id >= DAT_EVENTS_MAX) {
		if (!err)
			xtr_tp_format_free(f);
		xtr_import_damage(d->im, "the format of an event of %s is not well-formed", system);
		return 0;
	}
	t = &d->events[f->id];
	if (t->f) { /* the first one holds */
		xtr_tp_format_free(f);
		return 0;
	}
	set_format(d, f->id, f);
	if (f->common.type_size == 2 || f->common.type_size == 4) {
		d->type_at = f->common.type_offset;
		d->type_size = f->common.type_size;
	}
	err = strcmp(system, "ftrace") != 0 ? 0 : dat_text_event(d, t);
	return err ? err : xtr_import_type(d->im, system, t->f, d->big, &t->type);
}

static int formats(struct dat *d, struct dat_in *in, const char *system)
{
	uint64_t n = dat_uint(in, 4), size;
	char *text;
	int err = 0;

	for (uint64_t i = 0; !err && i < n; i++) {
		size = dat_uint(in, 8);
		text = dat_bytes(in, size);
		d->format_bytes += text ? size : 0;
		if (d->format_bytes > DAT_META_BYTES) {
			free(text);
			return xtr_import_fail(d->im, -EFBIG, "too many descriptions of events");
		}
		if (!text)
			return ends_early(d, "descriptions of events");
		err = add_format(d, system, text, (size_t)size);
		free(text);
	}
	return err ? err : in->failed ? ends_early(d, "descriptions of events") : 0;
}

int dat_ftrace_formats(struct dat *d, struct dat_in *in)
{
	return formats(d, in, "ftrace");
}

int dat_event_formats(struct dat *d, struct dat_in *in)
{
	uint64_t n = dat_uint(in, 4);
	char system[128];
	int err = 0;

	for (uint64_t i = 0; !err && i < n; i++) {
		if (!dat_text(in, system, sizeof(system)))
			return ends_early(d, "descriptions of events");
		err = formats(d, in, system);
	}
	return err;
}

/* An event that the file does not describe: its bytes. */
static int describe_unknown(struct dat *d, uint32_t id, struct dat_event_type *t)
{
	static const char text[] = "name: event_%u\nID: %u\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
				   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
				   "\tfield:u8 data[];\toffset:8;\tsize:0;\tsigned:0;\n";
	char buf[sizeof(text) + 32];
	int n = snprintf(buf, sizeof(buf), text, id, id);
	struct xtr_tp_format *f;
	int err = xtr_tp_format_parse(&f, buf, (size_t)n);

	if (err)
		return err;
	set_format(d, id, f);
	xtr_import_damage(d->im, "event %u is not described in the file", id);
	return xtr_import_type(d->im, "unknown", t->f, d->big, &t->type);
}

int dat_type_of(struct dat *d, const uint8_t *rec, uint32_t n, struct dat_event_type **t)
{
	uint32_t id = 0;

	*t = NULL;
	if (n < d->type_at + d->type_size)
		return 0;
	for (uint32_t i = 0; i < d->type_size; i++)
		id |= (uint32_t)rec[d->type_at + (d->big ? d->type_size - 1 - i : i)] << (8 * i);
	return dat_type_by_id(d, id, t);
}

int dat_type_by_id(struct dat *d, uint32_t id, struct dat_event_type **t)
{
	*t = NULL;
	if (!id || id >= DAT_EVENTS_MAX)
		return 0;
	*t = &d->events[id];
	return (*t)->f ? 0 : describe_unknown(d, id, *t);
}

/* --- texts and tasks -------------------------------------------------------------------------- */

static int by_addr(const void *a, const void *b)
{
	const struct dat_string *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Put back what the kernel escapes (t_show() of kernel/trace/trace_printk.c); ends with a 0 byte,
 * cut to DAT_TEXT_MAX bytes. */
static size_t unescape(char *text, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n && to < DAT_TEXT_MAX; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < n) {
			c = text[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		text[to++] = c;
	}
	text[to] = '\0';
	return to;
}

/* Lines `0xADDRESS : "text"`: what pointers to text in the kernel's image point to. */
int dat_printk(struct dat *d, struct dat_in *in)
{
	uint64_t size = dat_uint(in, 4);
	size_t cap = 0;
	char *line, *next, *quote, *end;

	free(d->printk);
	d->n_strings = 0;
	d->printk = dat_bytes(in, size);
	if (!d->printk)
		return ends_early(d, "texts of the kernel");
	for (line = d->printk; *line; line = next) {
		next = line + strcspn(line, "\n");
		end = next;
		next += *next == '\n';
		quote = memchr(line, '"', (size_t)(end - line));
		if (!quote || end[-1] != '"' || end - 1 == quote)
			continue;
		if (xtr_grow_array(&d->strings, &cap, d->n_strings + 1, sizeof(*d->strings)))
			return -ENOMEM;
		d->strings[d->n_strings++] =
			(struct dat_string){ .addr = strtoull(line, NULL, 16),
					     .text = quote + 1,
					     .len = unescape(quote + 1,
							     (size_t)(end - 1 - (quote + 1))) };
	}
	if (d->n_strings)
		qsort(d->strings, d->n_strings, sizeof(*d->strings), by_addr);
	return 0;
}

const struct dat_string *dat_string(const struct dat *d, uint64_t addr)
{
	struct dat_string key = { .addr = addr };

	if (!d->n_strings)
		return NULL;
	return bsearch(&key, d->strings, d->n_strings, sizeof(key), by_addr);
}

const char *dat_resolve(void *ctx, uint64_t addr, size_t *len)
{
	const struct dat_string *s = dat_string(ctx, addr);

	*len = s ? s->len : 1;
	return s ? s->text : addr ? "?" : NULL;
}

/* Lines `PID NAME`. */
int dat_cmdlines(struct dat *d, struct dat_in *in)
{
	char *text = dat_bytes(in, dat_uint(in, 8)), *line, *next, *p;
	unsigned long tid;
	int err = 0;

	if (!text)
		return ends_early(d, "names of tasks");
	for (line = text; !err && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		tid = strtoul(line, &p, 10);
		if (p == line || *p != ' ' || !p[1] || tid > UINT32_MAX)
			continue;
		err = xtr_import_task(d->im, 0, (uint32_t)tid, 0, p + 1, strlen(p + 1));
	}
	free(text);
	return err;
}

/* --- options ---------------------------------------------------------------------------------- */

enum {
	OPT_CPUSTAT = 2,
	OPT_TRACECLOCK = 4,
	OPT_UNAME = 5,
	OPT_OFFSET = 7,
	OPT_CPUCOUNT = 8, /* of trace-cmd; forks of 2017, as gpuvis uses, have OPT_TGIDS there */
	OPT_VERSION = 9,
	OPT_TSC2NSEC = 14,
	OPT_TGIDS = 32, /* of the same forks, later */
};

#define OPTION_MAX (1u << 20) /* bytes: saved_tgids of 32,768 threads takes half of it */

/* "[local] global mono" or "mono". */
static void take_clock(struct dat *d, const char *text)
{
	const char *open = strchr(text, '['), *from = open ? open + 1 : text;
	size_t n = strcspn(from, "] \n");

	if (n && n < sizeof(d->clock)) {
		memcpy(d->clock, from, n);
		d->clock[n] = 0;
	}
}

static uint64_t stat_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = text; (p = strstr(p, key)); p += n)
		if (p == text || p[-1] == '\n')
			return strtoull(p + n, NULL, 10);
	return 0;
}

/* per_cpu/cpuN/stats of the top buffer: what was overwritten or refused since it began. */
static void take_stats(struct dat *d, const char *text)
{
	const char *p = strstr(text, "CPU: ");
	unsigned long cpu = p ? strtoul(p + 5, NULL, 10) : DAT_CPUS_MAX;

	if (cpu >= DAT_CPUS_MAX)
		return;
	d->stats[cpu].overrun = xtr_sat_add(d->stats[cpu].overrun, stat_of(text, "overrun: "));
	d->stats[cpu].read = xtr_sat_add(d->stats[cpu].read, stat_of(text, "read events: "));
	d->stats[cpu].dropped =
		xtr_sat_add(d->stats[cpu].dropped, xtr_sat_add(stat_of(text, "dropped events: "),
							       stat_of(text, "commit overrun: ")));
}

static int note_tool(struct dat *d, const char *version)
{
	char text[128];

	snprintf(text, sizeof(text), "trace-cmd %s", version);
	return xtr_import_note(d->im, "import-tool", text);
}

/* Lines `TID PID`: threads and their processes (saved_tgids of tracefs). */
static int take_tgids(struct dat *d, const char *text)
{
	unsigned long tid, pid;
	char *p, *end;
	int err = 0;

	for (; !err && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		tid = strtoul(text, &p, 10);
		if (p == text || *p != ' ')
			continue;
		pid = strtoul(p + 1, &end, 10);
		if (end != p + 1 && tid && tid <= INT32_MAX && pid && pid <= INT32_MAX)
			err = xtr_import_task(d->im, 0, (uint32_t)tid, (uint32_t)pid, NULL, 0);
	}
	return err;
}

int dat_option(struct dat *d, unsigned int id, struct dat_in *in)
{
	uint64_t n = in->end - in->at;
	char *text;
	int err = 0;

	if (id == OPT_CPUCOUNT && (n == 4 || n == 8)) {
		d->cpu_count = (uint32_t)dat_uint(in, 4);
		return 0;
	}
	if (id == OPT_TSC2NSEC && n >= 16) {
		d->tsc_mult = (uint32_t)dat_uint(in, 4);
		d->tsc_shift = (uint32_t)dat_uint(in, 4);
		d->tsc_offset = dat_uint(in, 8);
		d->tsc = d->tsc_mult && d->tsc_shift < 64;
		return 0;
	}
	if (n > OPTION_MAX || !(text = dat_bytes(in, n)))
		return 0;
	if (id == OPT_CPUSTAT)
		take_stats(d, text);
	else if (id == OPT_TRACECLOCK)
		take_clock(d, text);
	else if (id == OPT_UNAME)
		snprintf(d->uname, sizeof(d->uname), "%s", text);
	else if (id == OPT_OFFSET)
		d->offset = strtoll(text, NULL, 0);
	else if (id == OPT_CPUCOUNT || id == OPT_TGIDS)
		err = take_tgids(d, text);
	else if (id == OPT_VERSION)
		err = note_tool(d, text);
	free(text);
	return err;
}

/* --- to the importer -------------------------------------------------------------------------- */

/* "Linux host 6.1.0-9-amd64 x86_64", as trace-cmd writes it. */
static int tell_system(struct dat *d)
{
	char *save = NULL, *word[4] = { NULL };
	struct xtr_system sys = { .cpus = d->cpu_count, .page = d->page_size };

	for (size_t i = 0; i < 4; i++)
		word[i] = strtok_r(i ? NULL : d->uname, " \n", &save);
	sys.hostname = word[1];
	sys.release = word[2];
	sys.machine = word[3];
	return xtr_import_system(d->im, &sys);
}

int dat_tell_facts(struct dat *d)
{
	char text[32];
	int err;

	if (d->n_strings)
		xtr_import_resolver(d->im, dat_resolve, d);
	if (d->tsc)
		snprintf(d->clock, sizeof(d->clock), "tsc2nsec");
	err = xtr_import_clock(d->im, d->clock[0] ? d->clock : "unknown") ?: tell_system(d);
	snprintf(text, sizeof(text), "%u", d->version);
	if (!err)
		err = xtr_import_note(d->im, "import-version", text);
	if (!err && d->big)
		err = xtr_import_note(d->im, "import-byte-order", "big endian");
	if (!err && d->offset) {
		snprintf(text, sizeof(text), "%lld ns", (long long)d->offset);
		err = xtr_import_note(d->im, "import-time-offset", text);
	}
	return err;
}
