/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * enum drm_sched_priority of include/drm/gpu_scheduler.h: Linux 6.8 turned the order round, so that
 * the highest is 0. 7.2 has the fair policy, and takes it by default (drm_sched_policy).
 */
#include "priority.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION(major, minor) ((major)*1000ul + (minor))

/* Major and minor in one; 0: not known, or a kernel whose drivers are of another version. */
static unsigned long version_of(const char *release)
{
	unsigned long major, minor;
	char *end;

	if (!release || *release < '0' || *release > '9' || strstr(release, ".el"))
		return 0;
	major = strtoul(release, &end, 10);
	if (*end != '.' || end[1] < '0' || end[1] > '9' || major > 1000)
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	return minor < 1000 ? VERSION(major, minor) : 0;
}

static const char *const levels[XTR_PRIORITY_LEVELS] = { "kernel", "high", "normal", "low" };

const char *xtr_priority_name(const char *release, int32_t prio)
{
	unsigned long version = version_of(release);

	if (!version || prio < 0 || prio >= XTR_PRIORITY_LEVELS)
		return NULL;
	return levels[version < VERSION(6, 8) ? XTR_PRIORITY_LEVELS - 1 - prio : prio];
}

int xtr_priority_level(const char *name)
{
	for (int i = 0; name && i < XTR_PRIORITY_LEVELS; i++)
		if (!strcmp(levels[i], name))
			return i;
	return -1;
}

void xtr_priorities_add(struct xtr_priorities *p, int32_t prio)
{
	if (!p->known || prio < p->first)
		p->first = prio;
	if (!p->known || prio > p->last)
		p->last = prio;
	p->known = true;
}

char *xtr_priorities_text(const struct xtr_priorities *p, const char *release,
			  char buf[XTR_PRIORITY_TEXT])
{
	const char *first = xtr_priority_name(release, p->first),
		   *last = xtr_priority_name(release, p->last);
	char numbers[2][12];

	snprintf(numbers[0], sizeof(numbers[0]), "%d", (int)p->first);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", (int)p->last);
	if (!p->known)
		*buf = '\0';
	else if (p->first == p->last)
		snprintf(buf, XTR_PRIORITY_TEXT, "%s", first ? first : numbers[0]);
	else
		snprintf(buf, XTR_PRIORITY_TEXT, "%s to %s", first ? first : numbers[0],
			 last ? last : numbers[1]);
	return buf;
}

enum xtr_sched_order xtr_sched_order(const char *release)
{
	unsigned long version = version_of(release);

	if (!version)
		return XTR_SCHED_UNKNOWN;
	return version >= VERSION(7, 2) ? XTR_SCHED_FAIR : XTR_SCHED_HIGHEST;
}
