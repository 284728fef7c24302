/* SPDX-License-Identifier: BSD-2-Clause */
#include "whatif_changes.h"
#include "patterns.h"
#include "base/text.h"
#include "cli/ui/units.h"
#include "replay/event/priority.h"
#include "replay/event/process.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define SCALE_MAX 1000u /* so much longer */
#define DEPTH_MAX 1000000u

static const struct {
	const char *option, *form, *of;
	char sep; /* between pattern and value; 0: there is no value */
} forms[CHANGE_KINDS] = {
	[CHANGE_SCALE] = { "scale", "ring=PATTERN:FACTOR, such as 'ring=gfx*:0.5x'", "ring", ':' },
	[CHANGE_DEPTH] = { "depth", "PATTERN=N, such as 'gfx*=4'", "ring", '=' },
	[CHANGE_WITHOUT] = { "without", "process=PID or process=NAME", "process", 0 },
	[CHANGE_PRIO] = { "prio", "PATTERN=LEVEL, such as 'game*=high'; levels: high, normal, low",
			  "process", '=' },
};

static bool parse_value(struct change *to, enum change_kind kind, const char *text)
{
	double factor;
	uint64_t n;

	if (kind == CHANGE_SCALE) {
		if (cli_parse_factor(text, &factor) || factor > SCALE_MAX)
			return false;
		to->value = (uint32_t)(factor * XTR_WHATIF_UNIT + 0.5);
		return to->value > 0;
	}
	if (kind == CHANGE_PRIO) {
		int level = xtr_priority_level(text);

		to->value = (uint32_t)level;
		return level > 0; /* the kernel's own is nobody's to ask for */
	}
	if (cli_parse_u64(text, &n) || !n || n > DEPTH_MAX)
		return false;
	to->value = (uint32_t)n;
	return true;
}

/* False: it has another form. The pattern is NULL if there is no memory. */
static bool parse(struct change *to, enum change_kind kind, const char *text)
{
	size_t prefix = strlen(forms[kind].of);
	bool named = !strncmp(text, forms[kind].of, prefix) && text[prefix] == '=';
	const char *sep;

	/* Where the prefix may be left out, a pattern may be what it is, with the sign behind it.
	 */
	if (forms[kind].sep == '=' && named && !strchr(text + prefix + 1, '='))
		named = false;
	if (!named && forms[kind].sep != '=')
		return false;
	text += named ? prefix + 1 : 0;
	sep = forms[kind].sep ? strrchr(text, forms[kind].sep) : text + strlen(text);
	if (!sep || sep == text)
		return false;
	if (forms[kind].sep && !parse_value(to, kind, sep + 1))
		return false;
	to->pattern = strndup(text, (size_t)(sep - text));
	if (to->pattern && !strcmp(forms[kind].of, "process"))
		to->pid = pattern_process(to->pattern).pid;
	return true;
}

int changes_parse(struct changes *c, enum change_kind kind, const struct cli_list *from)
{
	c->v[kind] = calloc(from->n + 1, sizeof(*c->v[kind]));
	if (!c->v[kind])
		return cli_failed("whatif", -ENOMEM);
	for (size_t i = 0; i < from->n; i++) {
		if (!parse(&c->v[kind][i], kind, from->v[i]))
			return cli_usage_error(&cmd_whatif, "--%s: '%s' is not %s",
					       forms[kind].option, from->v[i], forms[kind].form);
		if (!c->v[kind][i].pattern)
			return cli_failed("whatif", -ENOMEM);
		c->n[kind]++;
	}
	return XTR_EXIT_OK;
}

void changes_free(struct changes *c)
{
	for (int kind = 0; kind < CHANGE_KINDS; kind++) {
		for (size_t i = 0; i < c->n[kind]; i++)
			free(c->v[kind][i].pattern);
		free(c->v[kind]);
	}
}

bool changes_any(const struct changes *c)
{
	size_t n = 0;

	for (int kind = 0; kind < CHANGE_KINDS; kind++)
		n += c->n[kind];
	return n;
}

bool changes_remove(struct changes *c, const struct xtr_tables *t, const struct xtr_job *j)
{
	bool remove = false;

	for (size_t i = 0; i < c->n[CHANGE_WITHOUT]; i++) {
		struct change *one = &c->v[CHANGE_WITHOUT][i];

		if (pattern_process_is(&(struct pattern_process){ one->pattern, one->pid }, t, j))
			one->matched = remove = true;
	}
	return remove;
}

int changes_level(struct changes *c, const struct xtr_tables *t, const struct xtr_job *j)
{
	int level = -1;

	for (size_t i = 0; i < c->n[CHANGE_PRIO]; i++) {
		struct change *one = &c->v[CHANGE_PRIO][i];

		if (!pattern_process_is(&(struct pattern_process){ one->pattern, one->pid }, t, j))
			continue;
		one->matched = true;
		level = (int)one->value;
	}
	return level;
}

void changes_apply(struct changes *c, struct xtr_whatif *w)
{
	for (size_t k = 0; k < xtr_whatif_n_rings(w); k++) {
		struct xtr_whatif_ring *r = xtr_whatif_ring(w, k);

		for (size_t i = 0; i < c->n[CHANGE_SCALE]; i++)
			if (pattern_ring_is(c->v[CHANGE_SCALE][i].pattern, r->ring)) {
				r->millionths = c->v[CHANGE_SCALE][i].value;
				c->v[CHANGE_SCALE][i].matched = true;
			}
		for (size_t i = 0; i < c->n[CHANGE_DEPTH]; i++)
			if (pattern_ring_is(c->v[CHANGE_DEPTH][i].pattern, r->ring)) {
				r->depth = c->v[CHANGE_DEPTH][i].value;
				c->v[CHANGE_DEPTH][i].matched = true;
			}
	}
}

int changes_check(const struct changes *c)
{
	int status;

	for (int kind = 0; kind < CHANGE_KINDS; kind++)
		for (size_t i = 0; i < c->n[kind]; i++) {
			if (c->v[kind][i].matched)
				continue;
			status = cli_usage_error(&cmd_whatif, "--%s: no %s of the trace is '%s'",
						 forms[kind].option, forms[kind].of,
						 c->v[kind][i].pattern);
			cli_hint("'xtr stats' lists rings and processes");
			return status;
		}
	return XTR_EXIT_OK;
}
