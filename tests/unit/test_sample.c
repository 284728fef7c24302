/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of --sample, and what META says of sampled events. */
#include "recorder/groups/sample.h"

#include "replay/notes/notes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(sample, rules_are_a_share_an_event_and_a_field)
{
	static const struct {
		const char *text, *event, *field;
		uint32_t of, million;
	} rows[] = {
		{ "1%", "", "", 42949673, 10000 },
		{ "1/100", "", "", 42949673, 10000 },
		{ "1/2", "", "", 1u << 31, 500000 },
		{ "0.5%", "", "", 21474836, 5000 },
		{ "99.9999%", "", "", 4294963001u, 999999 },
		{ "0.00000001%", "", "", 1, 1 },
		{ "sched:sched_switch=10%", "sched:sched_switch", "", 429496730, 100000 },
		{ "raw_syscalls:*/id=1/4", "raw_syscalls:*", "id", 1u << 30, 250000 },
		{ "func:a:b/x=25%", "func:a:b", "x", 1u << 30, 250000 },
	};
	struct xtr_sample_rule r;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert(zero(int, xtr_sample_rule(&r, rows[i].text)), "%s", rows[i].text);
		cr_expect(eq(str, r.event, (char *)rows[i].event), "%s", rows[i].text);
		cr_expect(eq(str, r.field, (char *)rows[i].field), "%s", rows[i].text);
		cr_expect(eq(u32, r.of, rows[i].of), "%s", rows[i].text);
		cr_expect(eq(u32, r.million, rows[i].million), "%s", rows[i].text);
	}
}

Test(sample, rules_that_are_none)
{
	static const char *const rules[] = {
		"",     "1",     "%",     "0%",   "100%",   "1/1",   "1/0",
		"1/-2", "-1%",   "nan%",  "inf%", "1e-1%x", "x",     "x=",
		"=1%",  "x/=1%", "/f=1%", "x/f",  "1/2/3",  "2/100", "x=1 %",
	};
	struct xtr_sample_rule r;
	char longest[400];

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		cr_expect(eq(int, xtr_sample_rule(&r, rules[i]), -EINVAL), "'%s'", rules[i]);
	memset(longest, 'x', sizeof(longest));
	strcpy(longest + 300, "=1%");
	cr_expect(eq(int, xtr_sample_rule(&r, longest), -EINVAL));
}

static char *text_of(const struct xtr_meta *m)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	xtr_sampled_text(f, m);
	fclose(f);
	return text;
}

Test(sample, is_said_of_events_and_of_their_returns)
{
	struct xtr_meta *m = xtr_meta_new();
	char *text;

	text = text_of(m);
	cr_expect(eq(str, text, ""));
	free(text);
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "rings", 2)));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "sample:func:a:b", 12345)));
	cr_assert(zero(int, xtr_meta_set_config_str(m, "sample:func:a:no", "1")));
	text = text_of(m);
	cr_expect(eq(str, text,
		     "SAMPLED: func:a:b: 1.2345 % of these events were to be recorded; all are "
		     "counted in xtr:total.\n"));
	free(text);
	xtr_meta_free(m);
}

static char *json_of(const struct xtr_meta *m)
{
	struct xtr_json j;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	xtr_json_init(&j, f, false);
	xtr_json_begin_object(&j);
	xtr_sampled_json(&j, m);
	xtr_json_end_object(&j);
	fclose(f);
	return text;
}

Test(sample, is_in_json_where_there_are_samples)
{
	struct xtr_meta *m = xtr_meta_new();
	char *text = json_of(m);

	cr_expect(eq(str, text, "{}"));
	free(text);
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "sample:a:b", 12345)));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "sample:c:\"", 1)));
	text = json_of(m);
	cr_expect(eq(str, text,
		     "{\"sampled\":[{\"event\":\"a:b\",\"millionths\":12345},"
		     "{\"event\":\"c:\\\"\",\"millionths\":1}]}"));
	free(text);
	xtr_meta_free(m);
}
