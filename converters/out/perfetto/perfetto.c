/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr export -f perfetto: docs/export.md says what is written and how it is read back. */
#include "perfetto.h"

#include "replay/play/play.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned int pf_wants(const struct xtr_export_opts *o)
{
	if (o->jobs_only)
		return 0;
	return XTR_EXPORT_DEPTH | XTR_EXPORT_CALLS | XTR_EXPORT_MARKS | XTR_EXPORT_EVENTS;
}

static void pf_close(void *self)
{
	struct pf *pf = self;

	if (!pf)
		return;
	pf_machines_free(pf);
	pf_forget(&pf->intern);
	xtr_map_free(&pf->described);
	xtr_map_free(&pf->ordinals);
	xtr_map_free(&pf->raw_types);
	pf_clock_free(&pf->clock);
	xtr_lanes_free(&pf->gaps);
	pf_marker_free(pf);
	pf_out_free(&pf->out);
	free(pf->ring_of);
	free(pf);
}

static int pf_open(void **self, const struct xtr_export_opts *o, const char **why)
{
	struct pf *pf;
	int err;

	*self = NULL;
	if (o->jobs_only && (o->raw || o->ftrace)) {
		*why = "--jobs-only leaves out what --raw and --ftrace add";
		return -EINVAL;
	}
	pf = calloc(1, sizeof(*pf));
	if (!pf)
		return -ENOMEM;
	pf->o = *o;
	err = pf_out_init(&pf->out, o->out, o->compress);
	if (err) {
		pf_close(pf);
		if (err != -ENOTSUP)
			return err;
		*why = "this xtr was built without zlib: no --compress";
		return -EINVAL;
	}
	*self = pf;
	return 0;
}

/* Jobs that end in the window began earlier, but not before the pass does. */
static uint64_t base_of(const struct xtr_export_section *s)
{
	uint64_t first = xtr_section_summary(s->section)->ts_min, from = xtr_play_lead_in(s->from);

	return from > first ? from : first;
}

/* What is known of the same boot holds for all sections of it. */
static int begin_clock(struct pf *pf)
{
	struct pf_machine *m = pf_machine(pf);
	int err = pf_clock_init(&pf->clock, pf->s->section, base_of(pf->s));

	if (err)
		return err;
	if (pf->clock.boot_known) {
		if (m->boot_known)
			pf_clock_align(&pf->clock, m->boot);
		m->boot = pf->clock.span[pf->clock.n - 1].boot;
		m->boot_known = true;
	}
	/* Where REALTIME is between two machines' BOOTTIME, setting it must move nothing. */
	if (pf->many_machines)
		m->wall = pf_clock_one_wall(&pf->clock, m->wall);
	return 0;
}

/* Forget what belongs to the section before. */
static void clear(struct pf *pf)
{
	pf_forget(&pf->intern);
	xtr_map_free(&pf->ordinals);
	xtr_map_free(&pf->raw_types);
	pf_clock_free(&pf->clock);
	xtr_lanes_free(&pf->gaps);
	if (pf->cap_rings)
		memset(pf->ring_of, 0, pf->cap_rings * sizeof(*pf->ring_of));
	pf->running = (struct xtr_call){ 0 };
	pf->switch_fields = (struct pf_switch_fields){ 0 };
}

static int pf_section(void *self, const struct xtr_export_section *s)
{
	struct pf *pf = self;
	bool wall_clocks;
	int64_t m;

	clear(pf);
	pf->section = *s;
	pf->s = &pf->section;
	if (!s->index) {
		pf->many_machines = pf_machines_many(s->reader, &wall_clocks);
		pf->by_wall_clock = pf->many_machines && wall_clocks;
	}
	m = pf_machine_of(pf, s);
	if (m < 0)
		return (int)m;
	pf->m = (size_t)m;
	return begin_clock(pf) ?: pf_facts(pf) ?: pf_path(pf) ?: pf_frames(pf);
}

static int pf_end_section(void *self)
{
	((struct pf *)self)->s = NULL;
	return 0;
}

static int pf_finish(void *self)
{
	return pf_out_flush(&((struct pf *)self)->out);
}

extern const struct xtr_exporter xtr_exporter_perfetto;

const struct xtr_exporter xtr_exporter_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.timeline = true,
	.help = "for ui.perfetto.dev and trace_processor",
	.wants = pf_wants,
	.open = pf_open,
	.section = pf_section,
	.job = pf_job,
	.depth = pf_depth,
	.call = pf_call,
	.mark = pf_mark,
	.event = pf_ftrace_event,
	.gap = pf_gap,
	.end_section = pf_end_section,
	.finish = pf_finish,
	.close = pf_close,
};
