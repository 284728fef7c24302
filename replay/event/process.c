/* SPDX-License-Identifier: BSD-2-Clause */
#include "process.h"

#include <inttypes.h>
#include <stdio.h>

const struct xtr_task *xtr_process_leader(const struct xtr_tables *t, uint64_t process, uint64_t ts)
{
	const struct xtr_task *task =
		t && process ? xtr_tables_task(t, xtr_process_pid(process), ts) : NULL;

	return xtr_process_leads(task, process) ? task : NULL;
}

uint32_t xtr_process_comm(const struct xtr_tables *t, uint64_t process, uint64_t ts, uint32_t comm)
{
	const struct xtr_task *leader = xtr_process_leader(t, process, ts);

	return leader && leader->comm ? leader->comm : comm;
}

char *xtr_text_process(char buf[XTR_TEXT_PROCESS], uint64_t process)
{
	uint64_t nth = xtr_process_nth(process);

	if (!process)
		snprintf(buf, XTR_TEXT_PROCESS, "-");
	else if (!nth)
		*xtr_digits_put(buf, xtr_process_pid(process)) = '\0';
	else
		snprintf(buf, XTR_TEXT_PROCESS, "%" PRIu32 "#%" PRIu64, xtr_process_pid(process),
			 nth + 1);
	return buf;
}

void xtr_json_kv_process_nth(struct xtr_json *j, const char *key, uint64_t process)
{
	uint64_t nth = xtr_process_nth(process);
	char name[64];

	if (!nth)
		return;
	snprintf(name, sizeof(name), "%s_nth", key);
	xtr_json_kv_u64(j, name, nth + 1);
}

void xtr_json_kv_process(struct xtr_json *j, const char *key, uint64_t process)
{
	xtr_json_kv_known(j, key, xtr_process_pid(process));
	xtr_json_kv_process_nth(j, key, process);
}
