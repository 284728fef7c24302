/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each call of a library caused in the kernel and on the device; and, in traces without such
 * calls, the same of the functions of the kernel.
 */
#include "call_map.h"

static bool api_applies(const struct xtr_meta *meta)
{
	return map_has_calls(meta, true);
}

static bool tree_applies(const struct xtr_meta *meta)
{
	return map_has_calls(meta, false) && !map_has_calls(meta, true);
}

#define MAP_ANALYSIS                                                                              \
	.open = map_open, .free = map_free, .takes = map_takes, .event = map_event,               \
	.call = map_call, .job = map_job, .finish = map_finish, .any = map_any, .text = map_text, \
	.json = map_json

const struct xtr_analysis xtr_analysis_api = {
	.name = "api",
	.title = "API calls and what they caused",
	.applies = api_applies,
	MAP_ANALYSIS,
};

const struct xtr_analysis xtr_analysis_tree = {
	.name = "tree",
	.title = "Kernel functions and what they called",
	.applies = tree_applies,
	MAP_ANALYSIS,
};
