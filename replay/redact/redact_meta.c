/* SPDX-License-Identifier: BSD-2-Clause */
/* META anew: what is known to be harmless of each part, and what was done. */
#include "redact_impl.h"

#include "replay/notes/cut_note.h"

#include "base/buf.h"
#include "format/meta/piece.h"
#include "format/version.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* META as it is made: texts and arrays of it are freed together, when all are copied into it. */
struct made {
	struct xtr_redact *x;
	const struct xtr_meta *old;
	struct xtr_meta *meta;
	void **v;
	size_t n, cap;
	int err; /* the first one stays, and nothing is done behind it */
};

/* NULL: no memory. */
static void *keep(struct made *m, void *p)
{
	if (!p || xtr_grow_array(&m->v, &m->cap, m->n + 1, sizeof(*m->v))) {
		free(p);
		m->err = -ENOMEM;
		return NULL;
	}
	m->v[m->n++] = p;
	return p;
}

/* A text that is kept or mapped, NULL: there was none, or there is an error. */
static const char *mapped(struct made *m, enum redact_kind kind, const char *s)
{
	struct redact_text text;

	if (m->err || !s)
		return NULL;
	m->err = redact_text(&m->x->texts, kind, s, strlen(s), &text);
	return m->err ? NULL : keep(m, xtr_copy_text(text.p, text.n));
}

static void drop(struct made *m, const char *s)
{
	m->err = m->err ?: redact_drop(&m->x->texts, s);
}

/* What is harmless as a whole; else NULL. */
static const char *if_harmless(struct made *m, bool (*is)(const char *s, size_t n), const char *s)
{
	if (m->err || !s || is(s, strlen(s)))
		return s;
	drop(m, s);
	return NULL;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* --- the machine ------------------------------------------------------------------------------ */

/* A text of uname: words that are not known become x. */
static const char *release(struct made *m, const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	char *copy = m->err || !s ? NULL : keep(m, strdup(s));
	size_t to = 0, n;

	for (const char *at = s; copy && *at; at += n) {
		n = strspn(at, letters);
		if (n && redact_is_release(at, n)) {
			memmove(copy + to, at, n);
			to += n;
		} else {
			copy[to++] = !n && strchr(" -+._~()#:,", *at) ? *at : 'x';
		}
		n += !n;
	}
	if (!copy)
		return "";
	copy[to] = '\0';
	if (strcmp(copy, s) != 0)
		drop(m, s);
	return copy;
}

static void put_system(struct made *m)
{
	struct xtr_system sys = *xtr_meta_system(m->old);

	drop(m, sys.hostname);
	sys.hostname = NULL;
	drop(m, sys.machine_id);
	sys.machine_id = NULL;
	sys.release = release(m, sys.release);
	sys.version = release(m, sys.version);
	sys.machine = or_empty(if_harmless(m, redact_is_word, sys.machine));
	sys.hypervisor = if_harmless(m, redact_is_word, sys.hypervisor);
	m->err = m->err ?: xtr_meta_set_system(m->meta, &sys);
}

static void put_device(struct made *m, const struct xtr_device *d)
{
	const char **nodes = keep(m, calloc(d->n_nodes + 1, sizeof(*nodes)));
	struct xtr_device new = { .nodes = nodes };

	new.name = mapped(m, REDACT_DEVICE, d->name);
	new.driver = if_harmless(m, redact_is_word, d->driver);
	new.pci_id = if_harmless(m, redact_is_version, d->pci_id);
	new.driver_version = if_harmless(m, redact_is_version, d->driver_version);
	new.firmware = if_harmless(m, redact_is_version, d->firmware);
	new.driver_srcversion = if_harmless(m, redact_is_version, d->driver_srcversion);
	new.subsystem = if_harmless(m, redact_is_version, d->subsystem);
	new.revision = if_harmless(m, redact_is_version, d->revision);
	new.model = if_harmless(m, redact_is_version, d->model);
	new.vbios = if_harmless(m, redact_is_version, d->vbios);
	drop(m, d->uuid);
	for (size_t i = 0; i < d->n_nodes && !m->err; i++) {
		nodes[new.n_nodes] = if_harmless(m, redact_is_word, d->nodes[i]);
		new.n_nodes += !!nodes[new.n_nodes];
	}
	m->err = m->err ?: xtr_meta_add_device(m->meta, &new);
}

/* --- what was recorded ------------------------------------------------------------------------ */

/* The target of a probe in a program names its file. */
static void put_provider(struct made *m, const struct xtr_provider *old)
{
	const bool in_program = strcmp(old->target, old->name) != 0 &&
				(strchr(old->target, '/') || !strncmp(old->attach, "uprobe", 6));
	struct xtr_provider new = { .id = old->id, .state = old->state };

	new.name = mapped(m, REDACT_EVENT, old->name);
	new.attach = mapped(m, REDACT_IDENT, old->attach);
	new.target = mapped(m, in_program ? REDACT_SYMBOL : REDACT_EVENT, old->target);
	new.why = if_harmless(m, redact_is_word, old->why);
	new.module = mapped(m, in_program ? REDACT_LIBRARY : REDACT_IDENT, old->module);
	m->err = m->err ?: xtr_meta_add_provider(m->meta, &new);
}

static void field(struct made *m, struct xtr_field *new, const struct xtr_field *old)
{
	struct xtr_value_name *names = keep(m, calloc(old->n_names + 1, sizeof(*names)));

	*new = *old;
	new->names = names;
	new->n_names = 0;
	new->name = mapped(m, REDACT_IDENT, old->name);
	new->unit = if_harmless(m, redact_is_word, old->unit);
	for (uint32_t i = 0; i < old->n_names && !m->err; i++) {
		names[i].value = old->names[i].value;
		names[i].name = mapped(m, REDACT_DEVICE, old->names[i].name);
		new->n_names += !!names[i].name;
	}
}

static void put_event(struct made *m, const struct xtr_event_desc *old)
{
	struct xtr_field *f = keep(m, calloc(old->n_fields + 1, sizeof(*f)));
	struct xtr_event_desc new = *old;

	new.name = mapped(m, REDACT_EVENT, old->name);
	new.fields = f;
	for (uint32_t i = 0; i < old->n_fields && !m->err; i++)
		field(m, &f[i], &old->fields[i]);
	m->err = m->err ?: xtr_meta_add_event(m->meta, &new);
}

/* --- config ----------------------------------------------------------------------------------- */

/* Entries whose numbers tell of the recording; texts only if they are one of these words. */
static const struct {
	const char *key; /* a pattern */
	const char *words;
} config[] = {
	{ "ring-bytes", NULL },
	{ "rings", NULL },
	{ "compact", NULL },
	{ "stacks", NULL },
	{ "fence-init-ops", NULL },
	{ "budget", NULL },
	{ "piece", NULL },
	{ "piece-began", NULL },
	{ "piece-events-before", NULL },
	{ "piece-lost-before", NULL },
	{ "piece-from", NULL },
	{ "piece-to", NULL },
	{ "flight-at", NULL },
	{ "flight-from", NULL },
	{ "flight-bytes", NULL },
	{ "flight-ns", NULL },
	{ "flight-suppressed", NULL },
	{ "flight-untracked", NULL },
	{ "flight-seqno", NULL },
	{ "flight-value", NULL },
	{ "recovered-unsure", NULL },
	{ "import-lost-unsure", NULL },
	{ "import-damage", NULL },
	{ "cut-from", NULL },
	{ "cut-to", NULL },
	{ "pointers", "hashed kept" },
	{ "job-keys", "inferred" },
};

/* Ids of files are random numbers; ids of rings are the section's own. */
static const char *const hex_keys[] = { "cut-of", "recovered-from", "piece-of" };
static const char *const id_keys[] = { "cut-rings*", "cut-out-of-order*", "cut-batched*",
				       "cut-parallel*" };

static const char *const by_keys[] = { "cut-by", "recovered-by" };

static bool matches(const char *key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(list[i], key, 0))
			return true;
	return false;
}

static bool has_word(const char *words, const char *s)
{
	const char *at = words && *s ? strstr(words, s) : NULL;
	size_t n = strlen(s);

	return at && (at == words || at[-1] == ' ') && (!at[n] || at[n] == ' ');
}

static void put_text(struct made *m, const char *key, const char *s)
{
	bool stays = matches(key, by_keys, COUNT(by_keys)) && !strncmp(s, "xtr ", 4) &&
		     redact_is_version(s, strlen(s));

	if (!strncmp(key, "redacted-", 9) || !strcmp(key, "flight") || !strcmp(key, "flight-event"))
		return; /* made anew */
	for (size_t i = 0; i < COUNT(config); i++)
		stays |= !fnmatch(config[i].key, key, 0) && has_word(config[i].words, s);
	stays |= matches(key, hex_keys, COUNT(hex_keys)) && redact_is_hex(s, strlen(s)) &&
		 strlen(s) == 16;
	stays |= matches(key, id_keys, COUNT(id_keys)) && strspn(s, "0123456789- ") == strlen(s);
	m->err = stays ? xtr_meta_set_config_str(m->meta, key, s) : redact_drop(&m->x->texts, s);
}

static void put_number(struct made *m, const char *key, uint64_t num)
{
	bool stays = true;
	char *sample;

	if (!strncmp(key, "sample:", 7)) { /* behind it the name of an event */
		key = mapped(m, REDACT_EVENT, key + 7);
		if (m->err)
			return;
		key = keep(m, asprintf(&sample, "sample:%s", key) < 0 ? NULL : sample);
	} else if (!strcmp(key, "pid") || !strcmp(key, "flight-pid")) {
		num = redact_pid(&m->x->values, num);
	} else if (!strcmp(key, "flight-ctx")) {
		num = redact_context(&m->x->values, num);
	} else {
		stays = false;
		for (size_t i = 0; i < COUNT(config) && !stays; i++)
			stays = !fnmatch(config[i].key, key, 0);
	}
	if (stays && !m->err)
		m->err = xtr_meta_set_config_u64(m->meta, key, num);
}

/* The trigger without what it was asked with, which may name somebody. */
static void put_flight(struct made *m)
{
	const char *why = xtr_meta_config_str(m->old, "flight");
	const char *event = xtr_meta_config_str(m->old, "flight-event");
	char word[32];

	if (!why || !event)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)strspn(why, "abcdefghijklmnopqrstuvwxyz-"), why);
	event = *event ? mapped(m, REDACT_EVENT, event) : "";
	m->err = m->err ?: xtr_meta_set_config_str(m->meta, "flight", word) ?:
		 xtr_meta_set_config_str(m->meta, "flight-event", or_empty(event));
}

static void put_config(struct made *m)
{
	const char *key, *str;
	uint64_t num;

	for (size_t i = 0; !m->err && xtr_meta_config(m->old, i, &key, &num, &str); i++) {
		if (str)
			put_text(m, key, str);
		else
			put_number(m, key, num);
	}
	if (!m->err)
		put_flight(m);
}

/* Ids of the processes that a cut is about: of those that the file has. */
static void put_cut_pids(struct made *m)
{
	struct redact_values *values = &m->x->values;
	struct xtr_cut_note old, new;
	int err = xtr_cut_note_read(&old, m->old);

	new = old;
	new.pids = (struct xtr_ids){ 0 };
	for (size_t i = 0; !err && old.is_cut && old.some_pids && i < old.pids.n; i++) {
		const struct xtr_id_range *r = &old.pids.range[i];

		for (uint32_t id = r->first; id <= r->last && id < REDACT_PID_MAX && !err; id++)
			if (!id || redact_pid_is_known(values, id))
				err = xtr_ids_add(&new.pids, (uint32_t)redact_pid(values, id));
	}
	if (!err && old.is_cut && old.some_pids)
		err = xtr_cut_note_write(&new, m->meta,
					 strtoull(xtr_meta_config_str(m->old, "cut-of"), NULL, 16));
	xtr_ids_free(&new.pids);
	xtr_cut_note_free(&old);
	m->err = err;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void put_clock_and_writer(struct made *m)
{
	static const uint8_t no_boot_id[16];
	const char *name = if_harmless(m, redact_is_word, xtr_meta_writer_name(m->old));
	const char *version = if_harmless(m, redact_is_version, xtr_meta_writer_version(m->old));
	const char *clock = if_harmless(m, redact_is_word, xtr_meta_clock(m->old));

	m->err = m->err ?: xtr_meta_set_writer(m->meta, or_empty(name), or_empty(version)) ?:
		 xtr_meta_set_clock(m->meta, clock ? clock : "unknown", no_boot_id,
				    xtr_meta_clock_res(m->old));
}

static int put_note(const struct xtr_redact *x, struct xtr_meta *m)
{
	return xtr_meta_set_config_str(m, "redacted-by", "xtr " XTR_VERSION) ?:
	       xtr_meta_set_config_str(m, "redacted-policy", xtr_redact_policy_name(x->o.policy)) ?:
	       redact_put_mapping(m, x->mapping) ?:
	       xtr_meta_set_config_u64(m, "redacted-files", x->n_files) ?:
	       xtr_meta_set_config_u64(m, "redacted-ids", x->values.n) ?:
	       xtr_meta_set_config_u64(m, "redacted-texts", x->texts.n);
}

int redact_make_meta(struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_meta *old = xtr_section_meta(p->s);
	struct made m = { .x = x, .old = old };

	m.meta = p->meta = xtr_meta_new();
	if (!m.meta)
		return -ENOMEM;
	put_clock_and_writer(&m);
	put_system(&m);
	for (size_t i = 0; i < xtr_meta_n_devices(old) && !m.err; i++)
		put_device(&m, xtr_meta_device(old, i));
	for (size_t i = 0; i < xtr_meta_n_providers(old) && !m.err; i++)
		put_provider(&m, xtr_meta_provider(old, i));
	for (size_t i = 0; i < xtr_meta_n_events(old) && !m.err; i++)
		put_event(&m, xtr_meta_event_at(old, i));
	if (!m.err)
		put_config(&m);
	if (!m.err)
		put_cut_pids(&m);
	while (m.n)
		free(m.v[--m.n]);
	free(m.v);
	return m.err ?: put_note(x, p->meta);
}
