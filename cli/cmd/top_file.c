/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr top of a file that is finished: section by section through the slices. */
#include "top.h"

#define LOOK_EVENTS 65536u /* between two looks at keys and signals */

struct reading {
	struct top *t;
	struct xtr_slices *slices;
	unsigned int until_look;
};

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct reading *r = ctx;
	int err = 0;

	if (r->t->screen && !r->until_look--) {
		r->until_look = LOOK_EVENTS;
		err = top_screen_wait(r->t->screen, -1, 0, NULL);
	}
	return err ? err : xtr_slices_event(r->slices, ev);
}

/* Where the first slice begins, or what its events tell. */
static void set_facts(struct top *t, const struct xtr_section *s, size_t i)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct xtr_recorder_cost *cost = xtr_section_end_cost(s);

	t->facts = (struct xtr_slice_facts){
		.path = t->cmd.path,
		.section = i,
		.meta = xtr_section_meta(s),
		.tables = xtr_section_tables(s),
		.state = t->o->pace > 0 ? "playing" : "read",
		.first_ns = sum->ts_min,
		.lost = sum->lost,
		.unreadable = sum->missing,
		.problems = xtr_reader_n_problems(t->cmd.reader),
	};
	if (cost) {
		t->facts.cost_ns = cost->cpu_ns;
		t->facts.cost_over_ns = cost->elapsed_ns;
	}
}

static int section(struct top *t, size_t i)
{
	const struct xtr_section *s = xtr_reader_section(t->cmd.reader, i);
	struct xtr_slices_opts so = {
		.meta = xtr_section_meta(s),
		.tables = xtr_section_tables(s),
		.interval_ns = t->o->interval,
		.slice = top_show,
		.ctx = t,
	};
	struct reading r = { .t = t };
	uint64_t from = t->o->replay.window.from;
	int err;

	set_facts(t, s, i);
	t->final = i + 1 == xtr_reader_n_sections(t->cmd.reader);
	t->pace = (struct pace){ .factor = t->o->pace };
	replay_select(&t->cmd, s, &so.select);
	/* Only what was asked for: a whole section begins with its first event. */
	if (!from)
		so.select.from = 0;
	so.select.to = 0;
	err = xtr_slices_new(&r.slices, &so);
	if (err)
		return err;
	err = replay_play(&t->cmd, s, NULL, 0, on_event, &r) ?: xtr_slices_finish(r.slices);
	xtr_slices_free(r.slices);
	return err;
}

int top_file(struct top *t)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(t->cmd.reader) && !err; i++)
		err = section(t, i);
	return err;
}
