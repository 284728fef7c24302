/* SPDX-License-Identifier: BSD-2-Clause */
/* What is worth a look in the events of amdxdna. */
#include "amdxdna_impl.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static int slow(const struct amdxdna *x, const struct xdna_message *m)
{
	struct xtr_finding f = { .id = "xdna-mailbox-slow",
				 .notable = true,
				 .at_ns = m->first_slow_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], ns[XTR_TEXT_NUMBER];

	if (!m->slow)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%s of %s answers to opcode 0x%x on mailbox channel %u took too long, the longest "
		 "%s",
		 xtr_text_count(n, m->slow), xtr_text_count(of, m->answered), m->opcode, m->channel,
		 xtr_text_ns(ns, m->time.max));
	xtr_finding_evidence(&f, "slow", m->slow);
	xtr_finding_evidence(&f, "limit_ns", XDNA_SLOW_NS);
	xtr_finding_evidence(&f, "answered", m->answered);
	xtr_finding_evidence(&f, "max_ns", m->time.max);
	xtr_finding_evidence(&f, "channel", m->channel);
	xtr_finding_evidence(&f, "opcode", m->opcode);
	return xtr_findings_add(x->o->findings, &f);
}

static int no_answer(const struct amdxdna *x, const struct xdna_message *m)
{
	struct xtr_finding f = { .id = "xdna-mailbox-unanswered",
				 .notable = true,
				 .at_ns = m->first_unanswered_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER];

	if (!m->unanswered)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%s of %s messages of opcode 0x%x on mailbox channel %u got no answer",
		 xtr_text_count(n, m->unanswered), xtr_text_count(of, m->sent), m->opcode,
		 m->channel);
	xtr_finding_evidence(&f, "unanswered", m->unanswered);
	xtr_finding_evidence(&f, "limit_ns", XDNA_SLOW_NS);
	xtr_finding_evidence(&f, "sent", m->sent);
	xtr_finding_evidence(&f, "channel", m->channel);
	xtr_finding_evidence(&f, "opcode", m->opcode);
	return xtr_findings_add(x->o->findings, &f);
}

static int timeout(const struct amdxdna *x, uint32_t i)
{
	const struct xdna_context *c = &x->context[i];
	const char *name = x->contexts.name[i];
	struct xtr_finding f = { .id = "xdna-job-timeout",
				 .notable = true,
				 .fault = true,
				 .at_ns = c->first_timeout_ns };
	char n[XTR_TEXT_NUMBER], text[XTR_TEXT_NAME];

	if (!c->n[XDNA_TIMEDOUT])
		return 0;
	snprintf(f.text, sizeof(f.text), "%s %s of context %s timed out",
		 xtr_text_count(n, c->n[XDNA_TIMEDOUT]), c->n[XDNA_TIMEDOUT] == 1 ? "job" : "jobs",
		 xtr_text_name(text, sizeof(text), name, strlen(name)));
	xtr_finding_evidence(&f, "timeouts", c->n[XDNA_TIMEDOUT]);
	xtr_finding_evidence(&f, "limit", 1);
	xtr_finding_evidence(&f, "sent", c->n[XDNA_SENT]);
	xtr_finding_evidence(&f, "pid", xdna_context_pid(name));
	return xtr_findings_add(x->o->findings, &f);
}

int xdna_findings(struct amdxdna *x)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < x->contexts.n && !ret; i++)
		ret = timeout(x, i);
	for (i = 0; i < x->n_messages && !ret; i++) {
		ret = slow(x, &x->message[i]);
		if (!ret)
			ret = no_answer(x, &x->message[i]);
	}
	return ret;
}
