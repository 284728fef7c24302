/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cmd/cmd_stats.h"

#include <criterion/criterion.h>
#include <string.h>
#include <errno.h>

Test(stats_limit, findings)
{
	struct stats_limit l;

	cr_expect(!stats_limit_parse(&l, "finding"));
	cr_expect(!strcmp(l.finding, "*"));
	cr_expect(!stats_limit_parse(&l, "finding:xe-*"));
	cr_expect(!strcmp(l.finding, "xe-*"));
	cr_expect(stats_limit_parse(&l, "finding:") == -EINVAL);
	cr_expect(stats_limit_parse(&l, "findings") == -EINVAL);
}

Test(stats_limit, times)
{
	static const char *const wrong[] = { "",
					     "execution",
					     "execution.p99",
					     "execution.p99>",
					     "execution.p99>-1ms",
					     "execution.p98>1ms",
					     "exec.p99>1ms",
					     "execution.>1ms",
					     ".p99>1ms",
					     "p99>1ms",
					     "execution.p99=1ms",
					     "execution.p99>1ms>2ms",
					     NULL };
	struct stats_limit l;

	for (unsigned int i = 0; wrong[i]; i++)
		cr_expect(stats_limit_parse(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
	cr_expect(!stats_limit_parse(&l, "execution.p99>50ms"));
	cr_expect(!l.finding && l.permille == 990 && l.ns == 50000000 &&
		  l.offset == offsetof(struct xtr_agg, exec));
	cr_expect(!stats_limit_parse(&l, "queue.mean>1.5us"));
	cr_expect(l.permille == STATS_LIMIT_MEAN && l.ns == 1500 &&
		  l.offset == offsetof(struct xtr_agg, queue_wait));
	cr_expect(!stats_limit_parse(&l, "hw.max>0s"));
	cr_expect(l.permille == 1000 && !l.ns && l.offset == offsetof(struct xtr_agg, hw_wait));
}
