/* SPDX-License-Identifier: BSD-2-Clause */
#include "patterns.h"
#include "base/text.h"
#include "cli/ui/units.h"
#include "replay/event/process.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

struct pattern_process pattern_process(const char *text)
{
	struct pattern_process p = { .name = text };

	if (cli_parse_u64(text, &p.pid) || p.pid > UINT32_MAX)
		p.pid = 0;
	return p;
}

bool pattern_process_is(const struct pattern_process *p, const struct xtr_tables *t,
			const struct xtr_job *j)
{
	char name[XTR_TEXT_NAME];
	uint32_t comm;
	const char *s;
	size_t n;

	if (j->flags & XTR_FLAG_NO_QUEUE || (!j->pid && !j->comm))
		return false;
	if (p->pid)
		return j->pid == p->pid;
	comm = xtr_process_comm(t, xtr_process(j->pid, j->nth), UINT64_MAX, j->comm);
	s = comm && t ? xtr_tables_string(t, comm, &n) : NULL;
	if (!s || n >= sizeof(name))
		return false;
	memcpy(name, s, n);
	name[n] = '\0';
	return !fnmatch(p->name, name, 0);
}

bool pattern_ring_is(const char *pattern, const struct xtr_model_ring *ring)
{
	char both[2 * XTR_TEXT_NAME];

	if (!fnmatch(pattern, ring->name, 0))
		return true;
	if (!strchr(pattern, '/'))
		return false;
	snprintf(both, sizeof(both), "%s/%s", ring->device_name, ring->name);
	return !fnmatch(pattern, both, 0);
}
