/* SPDX-License-Identifier: BSD-2-Clause */
#include "reason.h"

#include <stddef.h>

#define SUMS_MAX 64u /* by cause, process and ring; what is of further ones has no owner */

static const char *const verdict_names[] = {
#define VERDICT_NAME(id, text, help) [XTR_FRAME_##id] = (text),
	XTR_FRAME_VERDICTS(VERDICT_NAME)
#undef VERDICT_NAME
};
static const char *const verdict_helps[] = {
#define VERDICT_HELP(id, text, help) [XTR_FRAME_##id] = (help),
	XTR_FRAME_VERDICTS(VERDICT_HELP)
#undef VERDICT_HELP
};
static const char *const link_names[] = {
#define LINK_NAME(id, text, help) [XTR_FRAME_BY_##id] = (text),
	XTR_FRAME_LINKS(LINK_NAME)
#undef LINK_NAME
};

const char *xtr_frame_cause_name(unsigned int cause)
{
	if (cause == XTR_CAUSE_OTHER)
		return "other-job";
	return cause == XTR_CAUSE_DISPLAY ? "display" : xtr_path_name(cause);
}

const char *xtr_frame_verdict_name(unsigned int verdict)
{
	return verdict_names[verdict];
}

const char *xtr_frame_verdict_help(unsigned int verdict)
{
	return verdict_helps[verdict];
}

const char *xtr_frame_link_name(unsigned int link)
{
	return link_names[link];
}

struct sum {
	uint64_t ns, who;
	uint32_t ring;
	uint8_t cause;
};

struct division {
	struct xtr_shown *f;
	struct sum sum[SUMS_MAX];
	uint32_t n;
};

static void add(struct division *d, struct sum s, uint64_t from, uint64_t to)
{
	uint32_t i = 0;

	if (from < d->f->before_ns)
		from = d->f->before_ns;
	if (from >= to)
		return;
	s.ns = to - from;
	d->f->of[s.cause] += s.ns;
	while (i < d->n &&
	       (d->sum[i].cause != s.cause || d->sum[i].who != s.who || d->sum[i].ring != s.ring))
		i++;
	if (i < d->n)
		d->sum[i].ns += s.ns;
	else if (i < SUMS_MAX)
		d->sum[d->n++] = s;
}

static bool is_partner(uint64_t who, const uint64_t *partner, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (partner[i] == who)
			return true;
	return false;
}

/* Times of a trace may be anything: so much can be subtracted. */
static int64_t limited(uint64_t ns)
{
	return ns < INT64_MAX / 2 ? (int64_t)ns : INT64_MAX / 2;
}

/*
 * The cause of which this frame has most beyond what frames in time had. Of the wait for the screen
 * one period goes off in any case: it is that long because a vblank was missed.
 */
static uint8_t most(const struct xtr_shown *f, const struct xtr_frame_usual *u)
{
	int64_t best = INT64_MIN;
	uint8_t cause = XTR_CAUSE_DISPLAY;

	for (unsigned int i = 0; i < XTR_CAUSES; i++) {
		uint64_t usual = u->n ? u->of[i] / u->n : 0, period = f->deadline_ns - f->before_ns;
		int64_t more = limited(f->of[i]) -
			       limited(i == XTR_CAUSE_DISPLAY && usual < period ? period : usual);

		if (f->of[i] && more > best) {
			best = more;
			cause = (uint8_t)i;
		}
	}
	return cause;
}

static uint8_t reason(const struct xtr_shown *f, const struct xtr_frame_usual *u)
{
	if (f->done_ns > f->deadline_ns)
		return most(f, u);
	return f->commit_ns > f->deadline_ns ? XTR_PATH_SUBMITTER : XTR_CAUSE_DISPLAY;
}

/* Who had most of it, and where. */
static void name_owner(struct xtr_shown *f, const struct division *d)
{
	const struct sum *best = NULL;

	for (uint32_t i = 0; i < d->n; i++)
		if (d->sum[i].cause == f->cause && (!best || d->sum[i].ns > best->ns))
			best = &d->sum[i];
	f->cause_ns = f->of[f->cause];
	f->cause_who = best ? best->who : 0;
	f->cause_ring = best ? best->ring : 0;
}

/* Nobody had submitted anything by the deadline, and that is most of what its threads took. */
static void late_start(struct xtr_shown *f)
{
	uint64_t before = f->begin_ns - f->before_ns;

	if (before < f->of[XTR_PATH_SUBMITTER] / 2)
		return;
	f->verdict = XTR_FRAME_LATE_START;
	f->cause_ns = before;
	f->cause_who = f->begin_who;
}

void xtr_frame_divide(struct xtr_shown *f, const struct xtr_path *path, uint64_t committer,
		      const uint64_t *partner, uint32_t n_partners,
		      const struct xtr_frame_usual *usual)
{
	struct division d = { .f = f };
	uint64_t committed = f->commit_ns > f->done_ns ? f->commit_ns : f->done_ns;

	for (uint32_t i = 0; path && i < path->n; i++) {
		const struct xtr_path_step *s = &path->step[i];
		bool other =
			s->kind == XTR_PART_EXECUTION && !is_partner(s->who, partner, n_partners);

		add(&d,
		    (struct sum){ .cause = other ? XTR_CAUSE_OTHER : s->kind,
				  .who = s->who,
				  .ring = s->ring },
		    s->from_ns, s->to_ns);
	}
	if (f->done_ns) {
		add(&d, (struct sum){ .cause = XTR_PATH_SUBMITTER, .who = committer }, f->done_ns,
		    committed);
		add(&d, (struct sum){ .cause = XTR_CAUSE_DISPLAY }, committed, f->shown_ns);
	}
	if (f->verdict != XTR_FRAME_MISSED)
		return;
	f->cause = reason(f, usual);
	name_owner(f, &d);
	if (f->cause == XTR_PATH_SUBMITTER && f->begin_ns > f->deadline_ns)
		late_start(f);
}

void xtr_frame_usually(struct xtr_frame_usual *u, const struct xtr_shown *f)
{
	u->n++;
	for (unsigned int i = 0; i < XTR_CAUSES; i++)
		u->of[i] += f->of[i];
}
