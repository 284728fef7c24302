/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_flight.h"
#include "record_hang.h"
#include "cli/ui/units.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MIN      1000000u /* ns: less is a typing error */
#define BYTES_MIN     (1ull << 20)
#define BYTES_MAX     (1ull << 40)
#define BYTES_DEFAULT (256ull << 20) /* where only a time is given */

static const struct {
	const char *name;
	enum xtr_trigger_kind kind;
	bool time; /* NAME>TIME */
} triggers[] = {
	{ "exec", XTR_TRIGGER_EXEC, true },      { "hang", XTR_TRIGGER_HANG, true },
	{ "xid", XTR_TRIGGER_XID, false },       { "reset", XTR_TRIGGER_RESET, false },
	{ "error", XTR_TRIGGER_ERROR, false },   { "drop", XTR_TRIGGER_DROP, false },
	{ "signal", XTR_TRIGGER_SIGNAL, false },
};

static bool has_unit(const char *s)
{
	size_t n = strlen(s);

	return n && (s[n - 1] < '0' || s[n - 1] > '9');
}

static int parse_limit(const char *s, struct xtr_flight_opts *f)
{
	uint64_t v;

	if (has_unit(s) && !cli_parse_time(s, &v) && v >= TIME_MIN)
		f->ns = v;
	else if (has_unit(s) && !cli_parse_size(s, &v) && v >= BYTES_MIN && v <= BYTES_MAX)
		f->bytes = v;
	else {
		cli_error(
			"--flight: invalid size or time '%s': give at least 1M or 1ms, such as 64M or 30s",
			s);
		return XTR_EXIT_USAGE;
	}
	return XTR_EXIT_OK;
}

/* option: as the user calls it. */
static int parse_trigger(const char *option, const char *s, struct xtr_trigger *t)
{
	*t = (struct xtr_trigger){ .kind = XTR_TRIGGER_EVENT, .text = s, .optional = t->optional };
	for (size_t i = 0; i < sizeof(triggers) / sizeof(triggers[0]); i++) {
		size_t n = strlen(triggers[i].name);

		if (strncmp(s, triggers[i].name, n))
			continue;
		t->kind = triggers[i].kind;
		if (!triggers[i].time && !s[n])
			return XTR_EXIT_OK;
		if (triggers[i].time && s[n] == '>' && has_unit(s) &&
		    !cli_parse_time(s + n + 1, &t->ns) && t->ns)
			return XTR_EXIT_OK;
		if (triggers[i].time && !s[n]) {
			cli_error("%s: '%s' needs a time: '%s>50ms', in quotes", option, s, s);
			return XTR_EXIT_USAGE;
		}
	}
	t->kind = XTR_TRIGGER_EVENT;
	if (strchr(s, ':'))
		return XTR_EXIT_OK;
	cli_error(
		"%s: '%s' is not one of 'exec>TIME', 'hang>TIME', xid, reset, error, drop and signal, nor an event (system:event)",
		option, s);
	return XTR_EXIT_USAGE;
}

/* Those of --on-hang. */
static const char *const of_hangs[] = { "hang>5s", "reset", "xid", "error" };

#define OF_HANGS (sizeof(of_hangs) / sizeof(of_hangs[0]))

static bool is_of_hangs(const char *text)
{
	for (size_t i = 0; i < OF_HANGS; i++)
		if (of_hangs[i] == text)
			return true;
	return false;
}

/* One of each kind that was not given. */
static void add_of_hangs(struct xtr_trigger *t, size_t *n)
{
	for (size_t i = 0; i < OF_HANGS; i++) {
		struct xtr_trigger *one = &t[*n];
		bool given = false;

		one->optional = true;
		if (parse_trigger("--on-hang", of_hangs[i], one))
			continue;
		for (size_t k = 0; k < *n; k++)
			given |= t[k].kind == one->kind;
		*n += !given;
	}
}

static int parse_triggers(const struct cli_list *list, const struct cli_list *maybe, bool on_hang,
			  struct xtr_flight_opts *f)
{
	struct xtr_trigger *t = calloc(list->n + maybe->n + OF_HANGS + 1, sizeof(*t));
	int status = XTR_EXIT_OK;

	if (!t) {
		cli_error("out of memory");
		return XTR_EXIT_FAILURE;
	}
	f->triggers = t;
	f->n_triggers = list->n + maybe->n;
	for (size_t i = 0; i < list->n && !status; i++)
		status = parse_trigger("--trigger", list->v[i], &t[i]);
	for (size_t i = 0; i < maybe->n && !status; i++) {
		t[list->n + i].optional = true;
		status = parse_trigger("--try-trigger", maybe->v[i], &t[list->n + i]);
	}
	if (!status && on_hang)
		add_of_hangs(t, &f->n_triggers);
	return status;
}

/* What does not go together, in one line. */
static const char *conflict(const struct record_flight *o, const struct xtr_record_opts *ro)
{
	if (!o->limits.n) {
		if (o->triggers.n || o->try_triggers.n)
			return "--trigger requires --flight";
		if (o->once)
			return "--once requires --flight";
		return NULL;
	}
	if (!strcmp(ro->output, "-"))
		return "--flight writes files: it cannot be combined with -o -";
	if (ro->rotate_bytes || ro->rotate_ns)
		return "--flight and --rotate do not go together";
	if (ro->size_limit)
		return "--flight and --size do not go together: '--flight SIZE' limits a file";
	return NULL;
}

int record_flight_parse(const struct record_flight *o, struct xtr_record_opts *ro)
{
	const char *wrong = conflict(o, ro);
	int status = XTR_EXIT_OK;

	if (wrong) {
		cli_error("%s", wrong);
		return XTR_EXIT_USAGE;
	}
	if (!o->limits.n)
		return XTR_EXIT_OK;
	ro->flight = (struct xtr_flight_opts){ .on = true,
					       .after = o->after,
					       .pause = o->pause,
					       .once = o->once,
					       .tell = o->on_hang };
	for (size_t i = 0; i < o->limits.n && !status; i++)
		status = parse_limit(o->limits.v[i], &ro->flight);
	if (!ro->flight.bytes)
		ro->flight.bytes = BYTES_DEFAULT;
	return status ? status
		      : parse_triggers(&o->triggers, &o->try_triggers, o->on_hang, &ro->flight);
}

void record_flight_hold(const struct xtr_record_opts *ro)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (ro->flight.on)
		sigprocmask(SIG_BLOCK, &set, NULL);
}

void record_flight_tell_off(const struct xtr_recorder *r, const struct xtr_record_opts *ro)
{
	for (size_t i = 0; i < ro->flight.n_triggers; i++)
		if (xtr_recorder_trigger_is_off(r, i) && !is_of_hangs(ro->flight.triggers[i].text))
			cli_warn(
				"--try-trigger '%s': no event that is recorded can fire it: left out",
				ro->flight.triggers[i].text);
}

/* ": job 7:12 of process 34, 61 ms", as far as it is known. */
static void put_about(const struct xtr_flown_file *f)
{
	bool job = f->ctx || f->seqno;

	if (job)
		fprintf(stderr, ": job %" PRIu64 ":%" PRIu64, f->ctx, f->seqno);
	if (f->pid)
		fprintf(stderr, "%sprocess %" PRIu64, job ? " of " : ": ", f->pid);
	if (job && f->value)
		fprintf(stderr, ", %s", cli_ns(f->value));
}

static void tell(const struct xtr_flown_file *f)
{
	fprintf(stderr, "xtr: '%s': written for '%s'", f->path, f->why);
	put_about(f);
	fprintf(stderr, ": %s, %s, from %s before", cli_events(f->events), cli_bytes(f->bytes),
		cli_ns(f->span));
	if (f->aged)
		fprintf(stderr, "; %s older not kept", cli_count(f->aged));
	if (f->suppressed)
		fprintf(stderr, "; triggers not followed: %s", cli_count(f->suppressed));
	fputc('\n', stderr);
}

void record_flight_tell(struct xtr_recorder *r, struct record_hang *h, bool quiet)
{
	struct xtr_flown_file f;

	record_hang_tell_fired(h, r);
	while (xtr_recorder_flown(r, &f)) {
		record_hang_tell_file(h, &f);
		if (f.error)
			cli_error("'%s': not written for '%s': %s; the events stay in memory",
				  f.path, f.why, strerror(-f.error));
		else if (!quiet)
			tell(&f);
	}
}
