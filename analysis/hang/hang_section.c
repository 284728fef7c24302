/* SPDX-License-Identifier: BSD-2-Clause */
/* The section: hangs, and a finding for each. */
#include "hang_section.h"
#include "base/text.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool section_applies(const struct xtr_meta *meta)
{
	return meta != NULL;
}

static void section_free(void *self)
{
	struct hang_section *s = self;

	xtr_hangs_free(s->hangs);
	free(s);
}

static int section_open(void **self, const struct xtr_analysis_opts *o)
{
	struct hang_section *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->o = o;
	if (xtr_hangs_new(&s->hangs, o->meta, o->tables)) {
		section_free(s);
		return -ENOMEM;
	}
	*self = s;
	return 0;
}

static bool section_takes(const void *self, uint32_t type)
{
	return xtr_hangs_take(((const struct hang_section *)self)->hangs, type);
}

static int section_event(void *self, const struct xtr_event *ev, bool inside)
{
	return inside || ev->gap ? xtr_hangs_event(((struct hang_section *)self)->hangs, ev) : 0;
}

static int section_job(void *self, const struct xtr_job *j)
{
	return xtr_hangs_job(((struct hang_section *)self)->hangs, j);
}

/* --- findings --------------------------------------------------------------------------------- */

static void put_job(const struct hang_section *s, const struct xtr_hang_job *j,
		    struct xtr_finding *f)
{
	char name[XTR_TEXT_NAME] = "?", pid[XTR_TEXT_PROCESS];
	size_t n = 0, len = strlen(f->text);
	const char *comm =
		j->comm && s->o->tables ? xtr_tables_string(s->o->tables, j->comm, &n) : NULL;

	if (comm && n)
		xtr_text_name(name, sizeof(name), comm, n);
	snprintf(f->text + len, sizeof(f->text) - len, ": job %llu:%llu of %.32s (pid %s)",
		 (unsigned long long)j->name.ctx, (unsigned long long)j->name.seqno, name,
		 xtr_text_process(pid, j->process));
	xtr_finding_evidence(f, "context", j->name.ctx);
	xtr_finding_evidence(f, "seqno", j->name.seqno);
	xtr_finding_evidence(f, "pid", xtr_process_pid(j->process));
}

static int finding(const struct hang_section *s, const struct xtr_hang *h)
{
	const struct xtr_hang_job *g = xtr_hang_guilty(h);
	struct xtr_finding f = { .id = "hang", .notable = true, .fault = true, .at_ns = h->at_ns };
	char device[48], ring[48];

	xtr_text_name(device, sizeof(device), *h->device ? h->device : "a device",
		      strlen(*h->device ? h->device : "a device"));
	xtr_text_name(ring, sizeof(ring), h->ring, strlen(h->ring));
	snprintf(f.text, sizeof(f.text), "%s%s%s hung", device, *ring ? "/" : "", ring);
	if (g)
		put_job(s, g, &f);
	else
		snprintf(f.text + strlen(f.text), sizeof(f.text) - strlen(f.text),
			 "; whose job it was is not known: %s", h->why ? h->why : "");
	xtr_finding_evidence(&f, "killed", h->n[XTR_HANG_KILLED]);
	xtr_finding_evidence(&f, "waiting", h->n[XTR_HANG_WAITING]);
	return xtr_findings_add(s->o->findings, &f);
}

static int section_finish(void *self)
{
	struct hang_section *s = self;
	int err = xtr_hangs_finish(s->hangs);

	for (size_t i = 0; i < xtr_hangs_n(s->hangs) && !err; i++)
		err = finding(s, xtr_hangs_at(s->hangs, i));
	return err;
}

static bool section_any(const void *self)
{
	return xtr_hangs_n(((const struct hang_section *)self)->hangs);
}

const struct hang_section *xtr_hang_section(const struct xtr_analyses *a)
{
	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (!strcmp(xtr_analyses[i]->name, "hang"))
			return xtr_analyses_self(a, i);
	return NULL;
}

const struct xtr_analysis xtr_analysis_hang = {
	.name = "hang",
	.title = "Hangs: whose job, and what it took along",
	.applies = section_applies,
	.open = section_open,
	.free = section_free,
	.takes = section_takes,
	.event = section_event,
	.job = section_job,
	.others = section_job,
	.finish = section_finish,
	.any = section_any,
	.text = hang_text,
	.json = hang_json,
	.tables = hang_tables,
};
