/* SPDX-License-Identifier: BSD-2-Clause */
#include "some_pids.h"

#include "format/xtr_format.h"

enum xtr_pids xtr_pids_recorded(const struct xtr_meta *m)
{
	uint64_t pid;

	if (!m || !xtr_meta_config_u64(m, "pid", &pid))
		return XTR_PIDS_ALL;
	/* Done events tell of the hardware's fence since others' are recorded. */
	return xtr_event_field(xtr_meta_event(m, XTR_EV_JOB_DONE), "hw_age") ? XTR_PIDS_SOME
									     : XTR_PIDS_ALONE;
}

void xtr_pids_text(FILE *f, const struct xtr_meta *m)
{
	static const char *const lines[] = {
		[XTR_PIDS_ALL] = "",
		[XTR_PIDS_SOME] = "Recorded with -p: jobs of other processes are not shown, and "
				  "count in the busy times of rings and devices.\n",
		[XTR_PIDS_ALONE] = "Recorded with -p, without the jobs of other processes: how "
				   "busy rings were is not known.\n",
	};

	fputs(lines[xtr_pids_recorded(m)], f);
}
