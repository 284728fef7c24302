/* SPDX-License-Identifier: BSD-2-Clause */
#include "who.h"
#include "base/text.h"

#include <stdio.h>

/* By its last name: before it began its program it had another one's. */
static int note(struct xtr_who *w, uint64_t who, uint32_t comm)
{
	if (!who || who == XTR_WHO_KERNEL || xtr_map_get(&w->comms, who, 0))
		return 0;
	if (xtr_who_process(who))
		comm = xtr_process_comm(w->tables, who, UINT64_MAX, comm);
	return xtr_map_put_most(&w->comms, XTR_WHO_MAX, who, 0, comm);
}

int xtr_who_note(struct xtr_who *w, const struct xtr_job *j)
{
	return note(w, xtr_who_of(j), j->comm);
}

int xtr_who_note_process(struct xtr_who *w, uint64_t who)
{
	return note(w, who, 0);
}

const char *xtr_who_name(const struct xtr_who *w, uint64_t who, size_t *n)
{
	static const char kernel[] = "(kernel)";
	const uint64_t *comm = xtr_map_get(&w->comms, who, 0);

	*n = sizeof(kernel) - 1;
	if (who == XTR_WHO_KERNEL)
		return kernel;
	if (!comm || !*comm || !w->tables)
		return NULL;
	return xtr_tables_string(w->tables, (uint32_t)*comm, n);
}

uint64_t xtr_who_process(uint64_t who)
{
	return who & XTR_WHO_NAME ? 0 : who; /* the kernel, too, has that bit */
}

char *xtr_who_text(const struct xtr_who *w, uint64_t who, char *buf, size_t cap)
{
	char name[XTR_TEXT_NAME] = "", pid[XTR_TEXT_PROCESS];
	size_t n;
	const char *s = xtr_who_name(w, who, &n);

	if (s)
		xtr_text_name(name, sizeof(name), s, n);
	if (xtr_who_process(who))
		snprintf(buf, cap, "%s%s%s", name, *name ? " " : "", xtr_text_process(pid, who));
	else
		snprintf(buf, cap, "%s", *name ? name : "-");
	return buf;
}

void xtr_who_free(struct xtr_who *w)
{
	xtr_map_free(&w->comms);
}
