/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *help;
	enum xtr_dump_kind_of_fact kind;
} facts[XTR_DUMP_FACT_COUNT] = {
#define ROW(id, name, kind, help) { name, help, XTR_DUMP_##kind },
	XTR_DUMP_FACTS(ROW)
#undef ROW
};

const char *xtr_dump_fact_name(unsigned int fact)
{
	return facts[fact].name;
}

const char *xtr_dump_fact_help(unsigned int fact)
{
	return facts[fact].help;
}

enum xtr_dump_kind_of_fact xtr_dump_fact_kind(unsigned int fact)
{
	return facts[fact].kind;
}

const char *xtr_dump_fact_text(const struct xtr_dump *d, enum xtr_dump_fact_id fact)
{
	return d->fact[fact].known ? d->fact[fact].text : NULL;
}

bool xtr_dump_fact_number(const struct xtr_dump *d, enum xtr_dump_fact_id fact, uint64_t *v)
{
	*v = d->fact[fact].known ? d->fact[fact].value : 0;
	return d->fact[fact].known;
}

bool xtr_dump_same_device(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), n = na < nb ? na : nb;

	if (strncmp(a, b, n) != 0)
		return false;
	return na == nb || (n && (na > nb ? a : b)[n] == '.');
}

void xtr_dumps_free(struct xtr_dumps *d)
{
	free(d->v);
	*d = (struct xtr_dumps){ 0 };
}
