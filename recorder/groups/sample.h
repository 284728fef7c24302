/* SPDX-License-Identifier: BSD-2-Clause */
/* --sample: which events are recorded by a sample, how large it is, and by what they are counted.
 */
#ifndef XTR_RECORDER_SAMPLE_H
#define XTR_RECORDER_SAMPLE_H

#include "recorder/recorder.h"
#include "select.h"

#define XTR_SAMPLE_PREFIX "sample:" /* of META's config (spec/events.md) */

struct xtr_sample_rule {
	char event[256];  /* name or glob; empty: the functions that a table says it of */
	char field[64];   /* by which to count; empty: as the table says, or all together */
	uint32_t of;      /* of 2^32 */
	uint32_t million; /* the same of 10^6, at least 1 */
};

/* "1/100", "1%", "0.25%": a share between 0 and 1, both excluded; else 0. */
double xtr_sample_share(const char *text);
/* Take "[EVENT[/FIELD]=]RATE" apart; RATE is N% (with decimals) or 1/N. 0 or -EINVAL. */
int xtr_sample_rule(struct xtr_sample_rule *rule, const char *text);

/* Apply the rules to what is selected, later ones over earlier ones. 0, or -EINVAL with err filled.
 */
int xtr_sample_apply(struct xtr_selection *s, const char *const *rules, size_t n,
		     struct xtr_record_err *err);
/* Is anything sampled? */
bool xtr_sampling(const struct xtr_selection *s);

/* Write the shares into META's config, and describe the totals. 0 or -errno. */
int xtr_sample_describe(const struct xtr_selection *s, struct xtr_meta *meta);

#endif /* XTR_RECORDER_SAMPLE_H */
