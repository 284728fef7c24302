/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample.h"
#include "hooks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double xtr_sample_share(const char *text)
{
	char *end;
	double v = strtod(text, &end);
	unsigned long n;

	if (strspn(text, "0123456789.") == 0)
		return 0;
	if (strcmp(end, "%") == 0)
		v /= 100;
	else if (strncmp(text, "1/", 2) == 0 && text[2] >= '1' && text[2] <= '9') {
		n = strtoul(text + 2, &end, 10);
		v = *end || n < 2 ? 0 : 1.0 / (double)n;
	} else {
		return 0;
	}
	return v > 0 && v < 1 ? v : 0;
}

static bool copy_part(char *out, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return false;
	memcpy(out, from, n);
	out[n] = 0;
	return true;
}

int xtr_sample_rule(struct xtr_sample_rule *rule, const char *text)
{
	const char *equals = strrchr(text, '='), *slash;
	double share = xtr_sample_share(equals ? equals + 1 : text);
	size_t n = equals ? (size_t)(equals - text) : 0;

	*rule = (struct xtr_sample_rule){ 0 };
	if (share <= 0 || (equals && !n))
		return -EINVAL;
	rule->of = (uint32_t)(share * 4294967296.0 + 0.5);
	rule->million = (uint32_t)(share * 1e6 + 0.5);
	if (!rule->of)
		rule->of = 1;
	if (!rule->million)
		rule->million = 1;
	slash = memrchr(text, '/', n);
	if (slash &&
	    (slash == text || slash + 1 == equals ||
	     !copy_part(rule->field, sizeof(rule->field), slash + 1, (size_t)(equals - slash - 1))))
		return -EINVAL;
	return copy_part(rule->event, sizeof(rule->event), text, slash ? (size_t)(slash - text) : n)
		       ? 0
		       : -EINVAL;
}

static bool means(const struct xtr_sample_rule *rule, const char *name, bool by_table)
{
	return rule->event[0] ? fnmatch(rule->event, name, 0) == 0 : by_table;
}

static int fail(struct xtr_record_err *err, const char *text, const char *what, const char *hint)
{
	err->code = -EINVAL;
	err->kind = XTR_FAIL_USAGE;
	snprintf(err->what, sizeof(err->what), "--sample '%.120s': %.100s", text, what);
	snprintf(err->hint, sizeof(err->hint), "%s", hint);
	return -EINVAL;
}

static int apply(struct xtr_selection *s, const struct xtr_sample_rule *rule, size_t *n)
{
	const char *field = rule->field[0] ? rule->field : NULL;
	int err = 0;

	for (size_t i = 0; i < s->n_generics && !err; i++) {
		if (!means(rule, s->generics[i]->name, false))
			continue;
		err = xtr_generic_sample(s->generics[i], rule->of, field);
		s->generics[i]->sample = rule->million;
		++*n;
	}
	for (size_t i = 0; i < s->n_probes && !err; i++) {
		struct xtr_probe *p = s->probes[i];

		if (p->why[0] || !means(rule, p->name, p->key))
			continue;
		err = field ? xtr_probe_key(p, field) : 0;
		xtr_probe_sample(p, rule->of);
		p->sample = rule->million;
		++*n;
	}
	return err;
}

static bool any_builtin(const struct xtr_selection *s, const struct xtr_sample_rule *rule)
{
	for (size_t i = 0; i < xtr_n_hooks; i++) {
		if (s->types[xtr_hooks[i].type] && rule->event[0] &&
		    xtr_hook_matches(&xtr_hooks[i], rule->event))
			return true;
	}
	return false;
}

int xtr_sample_apply(struct xtr_selection *s, const char *const *rules, size_t n,
		     struct xtr_record_err *err)
{
	static const char form[] =
		"a share is given as [EVENT[/FIELD]=]N% or 1/N, more than nothing and less than all";
	static const char how[] =
		"name an event that is recorded by -e or a group; 'xtr list' shows them";
	struct xtr_sample_rule rule;

	for (size_t i = 0; i < n; i++) {
		size_t hit = 0;
		int ret = xtr_sample_rule(&rule, rules[i]);

		if (ret)
			return fail(err, rules[i], "no share of events", form);
		ret = apply(s, &rule, &hit);
		if (ret)
			return fail(err, rules[i],
				    ret == -ENOENT ? "the event has no such field"
						   : "this field is not a number",
				    "totals are kept by the value of one field of the event");
		if (any_builtin(s, &rule))
			return fail(err, rules[i], "events of jobs and fences cannot be sampled",
				    "a job is known by all of its events: leave them out with -e");
		if (!hit)
			return fail(err, rules[i],
				    rule.event[0] ? "no such event is recorded"
						  : "no function of the recorded groups is sampled",
				    how);
	}
	return 0;
}

bool xtr_sampling(const struct xtr_selection *s)
{
	for (size_t i = 0; i < s->n_generics; i++) {
		if (s->generics[i]->cfg.sample)
			return true;
	}
	for (size_t i = 0; i < s->n_probes; i++) {
		if (s->probes[i]->entry.cfg.sample)
			return true;
	}
	return false;
}

static int note(struct xtr_meta *meta, const char *name, uint32_t million)
{
	char *key;
	int err;

	if (!million)
		return 0;
	if (asprintf(&key, XTR_SAMPLE_PREFIX "%s", name) < 0)
		return -ENOMEM;
	err = xtr_meta_set_config_u64(meta, key, million);
	free(key);
	return err;
}

int xtr_sample_describe(const struct xtr_selection *s, struct xtr_meta *meta)
{
	int err = 0;

	if (!xtr_sampling(s))
		return 0;
	for (size_t i = 0; i < s->n_generics && !err; i++)
		err = note(meta, s->generics[i]->name, s->generics[i]->sample);
	for (size_t i = 0; i < s->n_probes && !err; i++)
		err = note(meta, s->probes[i]->name, s->probes[i]->sample);
	return err;
}
