// SPDX-License-Identifier: BSD-2-Clause
#include "err.h"

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
