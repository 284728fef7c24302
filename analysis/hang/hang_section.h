/* SPDX-License-Identifier: BSD-2-Clause */
/* The section `hang` of xtr stats, and what others take of it. */
#ifndef XTR_HANG_SECTION_H
#define XTR_HANG_SECTION_H

#include "analysis/core/analysis.h"
#include "hang.h"
#include "user_driver.h"

struct hang_row {
	uint64_t number; /* from 1 */
	const struct xtr_hang *hang;
	const struct xtr_hang_job *job; /* the guilty one; of a row of jobs that one; or NULL */
	struct xtr_user_driver driver;
	uint64_t nth; /* of a frame, from 0 */
	char frame[USER_FRAME_MAX];
};

struct hang_section {
	const struct xtr_analysis_opts *o;
	struct xtr_hangs *hangs;
};

/* What runs of it in these analyses; NULL: it does not run. */
const struct hang_section *xtr_hang_section(const struct xtr_analyses *a);

int hang_text(const void *self, const struct xtr_view *v);
void hang_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const hang_tables[];

#endif /* XTR_HANG_SECTION_H */
