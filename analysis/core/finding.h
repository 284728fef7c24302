/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: what is worth a look, each with the evidence that it rests on. An analysis adds a
 * finding only where the trace shows it; there is none without numbers.
 */
#ifndef XTR_FINDING_H
#define XTR_FINDING_H

#include "base/json.h"

#include <stdbool.h>
#include <stdio.h>

#define XTR_FINDINGS_MAX         256u /* beyond, the least severe are only counted */
#define XTR_FINDING_TEXT_MAX     240u
#define XTR_FINDING_EVIDENCE_MAX 12u
#define XTR_FINDING_EVENTS_MAX   4u
#define XTR_FINDING_RULE_MAX     200u

/*
 * One number behind a finding. The limit that its rule used has a key that begins with "limit" and
 * ends with its unit: limit_ns, limit_permille, limit_per_s; all others are counts.
 * What it is a limit of, the rule says (finding_ids.c), which has a place for each, in their order.
 */
struct xtr_evidence {
	const char *key; /* of the JSON object, static: "calls", "p50_ns" */
	uint64_t value;
};

struct xtr_finding {
	const char *id;                  /* what kind it is, static: "boot-polling" */
	char text[XTR_FINDING_TEXT_MAX]; /* one line for people, no control characters */
	bool notable;                    /* something to act on; false: explains what is seen */
	bool fault;                      /* notable, and the driver itself says that work failed */
	uint64_t at_ns;                  /* first event of the evidence; 0: the whole trace */
	/* Time stamps of events that show it, besides at_ns: `xtr dump --from T --to T` has them.
	 */
	uint64_t event_ns[XTR_FINDING_EVENTS_MAX];
	uint32_t n_events;
	struct xtr_evidence evidence[XTR_FINDING_EVIDENCE_MAX];
	uint32_t n_evidence;
	uint32_t kind; /* set by xtr_findings_add: index of xtr_findings.kind */
};

enum xtr_severity {
	XTR_SEVERITY_NOTE,
	XTR_SEVERITY_NOTABLE,
	XTR_SEVERITY_FAULT,
};

/* Those of one id and severity. */
struct xtr_finding_kind {
	const char *id;
	enum xtr_severity severity;
	uint32_t kept;
	uint64_t left_out;
};

struct xtr_findings { /* all zero: empty */
	struct xtr_finding *finding;
	uint32_t n, cap;
	struct xtr_finding_kind *kind; /* as many as there are rules, whatever the trace holds */
	uint32_t n_kinds, cap_kinds;
	uint64_t more; /* not kept, of all kinds */
};

/* The ids that findings can have, in order of the alphabet (finding_ids.c); NULL beyond the last.
 */
const char *xtr_finding_id(size_t i);
/* "threshold: {} of the vblanks": with {} for each limit. NULL: has no limits, or no such finding.
 */
const char *xtr_finding_rule(const char *id);
/* "threshold: 10 % of the vblanks", with this finding's limits; "": there is no rule. Returns buf.
 */
const char *xtr_finding_rule_text(const struct xtr_finding *f, char buf[XTR_FINDING_RULE_MAX]);
/* Which number of its evidence is the time that it cost jobs, in ns. NULL: it does not tell. */
const char *xtr_finding_lost(const char *id);
/* What to do about it, or where to look, in one line. NULL: nothing, or no such finding. */
const char *xtr_finding_advice(const char *id);
enum xtr_severity xtr_finding_severity(const struct xtr_finding *f);
/* "fault", "notable", "note" */
const char *xtr_severity_name(enum xtr_severity severity);

/* One more number; at most XTR_FINDING_EVIDENCE_MAX. */
void xtr_finding_evidence(struct xtr_finding *f, const char *key, uint64_t value);
/* Of its evidence; 0: it has no such number. */
uint64_t xtr_finding_number(const struct xtr_finding *f, const char *key);
/*
 * A copy is kept. Where there is no room, one goes, and is counted: of the lowest severity that
 * there is; of that, of the kind of which most are kept; of that, the one that came last. So an
 * analysis adds the worst of a kind first. In which order the analyses come decides nothing. 0 or
 * -ENOMEM.
 */
int xtr_findings_add(struct xtr_findings *f, const struct xtr_finding *one);
/* The most severe first; of those what cost the most time, as far as it is known; then by time. */
void xtr_findings_sort(struct xtr_findings *f);
void xtr_findings_free(struct xtr_findings *f);
/* As an array, the present key's value. */
void xtr_findings_json(const struct xtr_findings *f, struct xtr_json *j);
/* What was not kept, by kind, the most severe first: an array, the present key's value. */
void xtr_findings_left_out_json(const struct xtr_findings *f, struct xtr_json *j);
/* The next kind of which some were not kept, the most severe first; *at: 0 at first. NULL: no more.
 */
const struct xtr_finding_kind *xtr_findings_next_left_out(const struct xtr_findings *f,
							  uint32_t *at);

/* How findings are shown to people. */
struct xtr_findings_view {
	FILE *f;
	bool times;     /* the trace has times */
	uint32_t lines; /* of findings, at most; 0: all of them */
	/* A ring's name ("device/ring"), of at most cap bytes; it may be in buf. */
	const char *(*ring)(const void *ctx, uint32_t id, char *buf, size_t cap);
	const void *ctx;
};
/*
 * A line each, with the rule's limits, and the time where it is known; below it what to do next,
 * once of a kind. A chain of stalls is one line (finding_chain.h), and so are others on one ring.
 */
void xtr_findings_text(const struct xtr_findings *f, const struct xtr_findings_view *v);

#endif /* XTR_FINDING_H */
