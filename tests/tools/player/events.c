/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the events of a scenario in META, as the recorder does. */
#include "kind.h"

#include "format/xtr_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 34u /* context, ret, captured values */

/* --- tracepoints ------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t n = 0;
	FILE *to;
	int c;

	if (!f)
		return NULL;
	to = open_memstream(&text, &n);
	while (to && (c = getc(f)) != EOF)
		putc(c, to);
	fclose(f);
	if (!to || fclose(to))
		play_fail(NULL, "%s: cannot be read", path);
	return text;
}

static char *format_text(const struct play_output *o, const char *system, const char *event)
{
	char path[4096], *text = NULL;

	for (size_t i = 0; i < o->n_formats && !text; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", o->formats[i], system, event);
		text = read_file(path);
	}
	return text;
}

static void describe_tracepoint(const struct play_output *o, struct play_kind *k,
				const struct play_place *at)
{
	/* What recorder/groups/generic.c allows: bpf/xtr_ctl.h. */
	static const struct xtr_tp_limits limits = { .fixed = 1024,
						     .texts = 8,
						     .pointed_text = true };
	const char *colon = strchr(k->name, ':');
	char *system, *text;
	int err;

	if (!colon)
		play_fail(at, "\"%s\" is no event: SYSTEM:EVENT", k->name);
	system = play_copy(k->name, (size_t)(colon - k->name));
	text = format_text(o, system, colon + 1);
	if (!text)
		play_fail(at, "no format of the event %s", k->name);
	err = xtr_tp_format_parse(&k->format, text, strlen(text));
	free(text);
	if (!err)
		err = xtr_tp_event_new(&k->tp, system, colon + 1, k->format, k->type, &limits);
	if (err)
		play_fail(at, "%s: %s", k->name, strerror(-err));
	k->desc = k->tp->desc;
	k->attach = "tp";
	k->module = system;
}

/* --- functions -------------------------------------------------------------------------------- */

static const struct xtr_value_name contexts[] = {
	{ XTR_CONTEXT_TASK, "task" },       { XTR_CONTEXT_SOFTIRQ, "softirq" },
	{ XTR_CONTEXT_HARDIRQ, "hardirq" }, { XTR_CONTEXT_NMI, "nmi" },
	{ XTR_CONTEXT_UNKNOWN, "unknown" },
};

static enum xtr_repr repr_of(const struct play_place *at, const char *text)
{
	for (int r = 0; r < XTR_REPR_COUNT; r++)
		if (!strcmp(xtr_repr_name((enum xtr_repr)r), text) && r <= XTR_REPR_HEX64)
			return (enum xtr_repr)r;
	play_fail(at, "no representation %s: u8 to u64, s8 to s64, hex8 to hex64", text);
}

/* NAME or NAME:REPR. */
static void split_field(const struct play_place *at, const char *text, struct xtr_field *f)
{
	const char *colon = strchr(text, ':');

	f->name = play_copy(text, colon ? (size_t)(colon - text) : strlen(text));
	f->repr = colon ? repr_of(at, colon + 1)
			: (strcmp(f->name, "ret") ? XTR_REPR_U64 : XTR_REPR_S64);
	f->size = xtr_repr_width(f->repr);
}

static void add_field(struct play_kind *k, const struct play_place *at, struct xtr_field f)
{
	const struct xtr_field *have = xtr_event_field(&k->desc, f.name);

	if (have && have->repr != f.repr)
		play_fail(at, "%s is %s elsewhere", f.name, xtr_repr_name(have->repr));
	if (have)
		return;
	if (k->desc.n_fields == FIELDS_MAX)
		play_fail(at, "too many fields of %s", k->name);
	if (strcmp(f.name, "ret")) {
		f.offset = (k->returns ? 32 : 24) + 8 * k->n_captured++;
	} else if (k->returns) {
		f.offset = 24;
	} else {
		play_fail(at, "ret of an event that is no return");
	}
	if (f.offset + 8 > k->desc.size)
		k->desc.size = f.offset + 8;
	k->fields[k->desc.n_fields++] = f;
}

static void begin_function(struct play_kind *k)
{
	size_t n = strlen(k->name);

	k->returns = n > 4 && !strcmp(k->name + n - 4, ":ret");
	k->fields = play_alloc(FIELDS_MAX * sizeof(*k->fields));
	k->fields[0] = (struct xtr_field){ .name = "context",
					   .offset = 16,
					   .size = 4,
					   .repr = XTR_REPR_U32,
					   .names_kind = XTR_NAMES_ENUM,
					   .names = contexts,
					   .n_names = sizeof(contexts) / sizeof(contexts[0]) };
	k->desc = (struct xtr_event_desc){
		.name = k->name, .type = k->type, .size = 24, .n_fields = 1, .fields = k->fields
	};
	k->attach = strncmp(k->name, "func:", 5) ? "uprobe" : "kprobe";
}

static void add_fields(struct play_kind *k, const struct play_line *l)
{
	for (size_t i = 0; i < l->n_fields; i++) {
		struct xtr_field f = { 0 };

		if (!strcmp(l->fields[i].text, "context"))
			continue;
		split_field(&l->at, l->fields[i].text, &f);
		add_field(k, &l->at, f);
	}
}

/* --- all -------------------------------------------------------------------------------------- */

static bool describe_builtin(struct play_kind *k)
{
	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		if (!strcmp(xtr_builtin_events[i].name, k->name)) {
			k->desc = xtr_builtin_events[i];
			k->type = k->desc.type;
			k->attach = "raw_tp";
			return true;
		}
	return false;
}

struct play_kind *play_kind_of(const struct play_output *o, const char *event)
{
	struct play_kind *k = o->kinds;

	while (k && strcmp(k->name, event))
		k = k->next;
	return k;
}

static struct play_kind *new_kind(struct play_output *o, const struct play_place *at,
				  const char *event)
{
	struct play_kind *k = play_kind_of(o, event), **end = &o->kinds;

	if (k)
		return k;
	k = play_alloc(sizeof(*k));
	k->name = event;
	k->function = !strncmp(event, "func:", 5) || !strncmp(event, "api:", 4);
	k->builtin = describe_builtin(k);
	if (!k->builtin)
		k->type = o->next_type++;
	if (k->type > UINT16_MAX)
		play_fail(at, "too many kinds of events");
	if (k->function)
		begin_function(k);
	else if (!k->builtin)
		describe_tracepoint(o, k, at);
	while (*end)
		end = &(*end)->next;
	*end = k;
	return k;
}

static void put_in_meta(struct play_output *o, struct play_kind *k)
{
	struct xtr_provider p = {
		.id = ++o->next_provider,
		.name = k->name,
		.attach = k->attach,
		.target = k->name,
		.state = XTR_PROVIDER_ATTACHED,
		.module = k->module,
	};

	k->desc.provider = p.id;
	if (xtr_meta_add_provider(o->meta, &p) || xtr_meta_add_event(o->meta, &k->desc))
		play_fail(NULL, "%s: META does not take it", k->name);
}

void play_describe(struct play_output *o)
{
	const struct play_scenario *s = o->s;

	for (size_t i = 0; i < s->n_attached; i++)
		new_kind(o, &s->attached_at[i], s->attached[i]);
	for (size_t i = 0; i < s->n_lines; i++) {
		struct play_kind *k = new_kind(o, &s->lines[i].at, s->lines[i].event);

		if (k->function)
			add_fields(k, &s->lines[i]);
	}
	for (struct play_kind *k = o->kinds; k; k = k->next)
		put_in_meta(o, k);
}

uint32_t play_type(const struct play_output *o, const struct play_line *l)
{
	return play_kind_of(o, l->event)->type;
}
