/* SPDX-License-Identifier: BSD-2-Clause */
#include "err.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *name, *help;
	int fatal;
} problems[XTR_P_COUNT] = { [XTR_P_NONE] = { "none", "no problem", 0 },
#define KIND_FATAL                1
#define KIND_DAMAGE               0
#define ROW(id, text, kind, help) [XTR_P_##id] = { text, help, KIND_##kind },
			    XTR_PROBLEMS(ROW)
#undef ROW
};

static unsigned int in_range(enum xtr_problem_code code)
{
	return (unsigned int)code < XTR_P_COUNT ? code : XTR_P_NONE;
}

const char *xtr_problem_name(enum xtr_problem_code code)
{
	return problems[in_range(code)].name;
}

const char *xtr_problem_help(enum xtr_problem_code code)
{
	return problems[in_range(code)].help;
}

int xtr_problem_is_fatal(enum xtr_problem_code code)
{
	return problems[in_range(code)].fatal;
}

/* Problems of the whole file, for which neither a chunk nor a place says anything. */
static int of_whole_file(enum xtr_problem_code code)
{
	return code == XTR_P_NOT_XTR || code == XTR_P_TOO_SHORT;
}

int xtr_problem_has_chunk(enum xtr_problem_code code)
{
	return !of_whole_file(code) && code != XTR_P_MAJOR && code != XTR_P_INCOMPAT &&
	       code != XTR_P_HEADER_CRC && code != XTR_P_LOST_SYNC && code != XTR_P_NO_META &&
	       code != XTR_P_NO_END;
}

char *xtr_problem_text(char *buf, size_t size, const struct xtr_problem *p)
{
	const char *help = xtr_problem_help(p->code);

	if (of_whole_file(p->code))
		snprintf(buf, size, "%s", help);
	else if (!xtr_problem_has_chunk(p->code))
		snprintf(buf, size, "at 0x%" PRIx64 ": %s", p->offset, help);
	else
		snprintf(buf, size, "chunk %" PRIu32 " at 0x%" PRIx64 ": %s", p->seq, p->offset,
			 help);
	return buf;
}
