/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cmd/cmd_diff.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(diff_opts, lists)
{
	uint32_t bits;

	cr_expect(!diff_parse_list("ring", xtr_diff_by_name, &bits));
	cr_expect(bits == 1u << XTR_DIFF_RING);
	cr_expect(!diff_parse_list("call,device,call", xtr_diff_by_name, &bits));
	cr_expect(bits == (1u << XTR_DIFF_CALL | 1u << XTR_DIFF_DEVICE));
	cr_expect(!diff_parse_list("latency,queue", xtr_diff_metric_name, &bits));
	cr_expect(bits == (1u << XTR_DIFF_LATENCY | 1u << XTR_DIFF_QUEUE));
	cr_expect(diff_parse_list("", xtr_diff_by_name, &bits) == -EINVAL);
	cr_expect(diff_parse_list("ring,", xtr_diff_by_name, &bits) == -EINVAL);
	cr_expect(diff_parse_list("rin", xtr_diff_by_name, &bits) == -EINVAL);
	cr_expect(diff_parse_list("rings", xtr_diff_by_name, &bits) == -EINVAL);
}

Test(diff_opts, limits)
{
	static const char *const wrong[] = {
		"",     "%",    "-5%",    "0%",       "5%%",        "5 %", "nan",
		"inf%", "0x5%", "1e999%", "rings=5%", "execution=", "=5%", "execution=queue",
		NULL
	};
	double limit[XTR_DIFF_METRIC_COUNT] = { 0 };

	for (unsigned int i = 0; wrong[i]; i++)
		cr_expect(diff_parse_limit(wrong[i], limit) == -EINVAL, "%s", wrong[i]);
	cr_expect(limit[XTR_DIFF_EXECUTION] == 0);
	cr_expect(!diff_parse_limit("5%", limit));
	for (unsigned int i = 0; i < XTR_DIFF_METRIC_COUNT; i++)
		cr_expect(limit[i] == 0.05);
	cr_expect(!diff_parse_limit("queue=12.5%", limit));
	cr_expect(!diff_parse_limit("latency=1", limit));
	cr_expect(limit[XTR_DIFF_QUEUE] == 0.125 && limit[XTR_DIFF_LATENCY] == 0.01 &&
		  limit[XTR_DIFF_EXECUTION] == 0.05);
}
