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

/* A copy of a text that is kept or mapped, NULL: no memory, or there was none. */
static char *mapped(struct xtr_redact *x, enum redact_kind kind, const char *s, int *err)
{
	struct redact_text text;
	char *copy;

	if (*err || !s)
		return NULL;
	*err = redact_text(&x->texts, kind, s, strlen(s), &text);
	copy = *err ? NULL : xtr_copy_text(text.p, text.n);
	if (!copy)
		*err = -ENOMEM;
	return copy;
}

/* A copy of what is harmless as a whole; else NULL. */
static char *if_harmless(struct xtr_redact *x, bool (*is)(const char *s, size_t n), const char *s,
			 int *err)
{
	char *copy = NULL;

	if (*err || !s)
		return NULL;
	if (!is(s, strlen(s))) {
		*err = redact_drop(&x->texts, s);
		return NULL;
	}
	copy = strdup(s);
	if (!copy)
		*err = -ENOMEM;
	return copy;
}

/* --- the machine ------------------------------------------------------------------------------ */

/* A text of uname: words that are not known become x. */
static char *release(struct xtr_redact *x, const char *s, int *err)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	char *copy = *err || !s ? NULL : strdup(s);
	size_t to = 0, n;

	if (!copy && s && !*err)
		*err = -ENOMEM;
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
		return NULL;
	copy[to] = '\0';
	if (strcmp(copy, s) != 0)
		*err = redact_drop(&x->texts, s);
	return copy;
}

static int put_system(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	struct xtr_system sys = *xtr_meta_system(m);
	int err = redact_drop(&x->texts, sys.hostname);
	char *r = release(x, sys.release, &err), *v = release(x, sys.version, &err);
	char *machine = if_harmless(x, redact_is_word, sys.machine, &err);
	char *hypervisor = if_harmless(x, redact_is_word, sys.hypervisor, &err);

	sys.hostname = NULL;
	sys.release = r ? r : "";
	sys.version = v ? v : "";
	sys.machine = machine ? machine : "";
	sys.hypervisor = hypervisor;
	if (!err)
		err = xtr_meta_set_system(p->meta, &sys);
	free(r);
	free(v);
	free(machine);
	free(hypervisor);
	return err;
}

static int put_device(struct xtr_redact *x, struct redact_part *p, const struct xtr_device *d)
{
	struct xtr_device new = { 0 };
	char **nodes = calloc(d->n_nodes + 1, sizeof(*nodes));
	int err = nodes ? 0 : -ENOMEM;

	new.name = mapped(x, REDACT_DEVICE, d->name, &err);
	new.driver = if_harmless(x, redact_is_word, d->driver, &err);
	new.pci_id = if_harmless(x, redact_is_version, d->pci_id, &err);
	new.driver_version = if_harmless(x, redact_is_version, d->driver_version, &err);
	new.firmware = if_harmless(x, redact_is_version, d->firmware, &err);
	new.nodes = (const char *const *)nodes;
	for (size_t i = 0; i < d->n_nodes && !err; i++) {
		nodes[new.n_nodes] = if_harmless(x, redact_is_word, d->nodes[i], &err);
		new.n_nodes += !!nodes[new.n_nodes];
	}
	if (!err)
		err = xtr_meta_add_device(p->meta, &new);
	for (size_t i = 0; i < new.n_nodes; i++)
		free(nodes[i]);
	free(nodes);
	free((char *)new.name);
	free((char *)new.driver);
	free((char *)new.pci_id);
	free((char *)new.driver_version);
	free((char *)new.firmware);
	return err;
}

/* --- what was recorded ------------------------------------------------------------------------ */

/* The target of a probe in a program names its file. */
static int put_provider(struct xtr_redact *x, struct redact_part *p, const struct xtr_provider *old)
{
	const bool in_program = strcmp(old->target, old->name) != 0 &&
				(strchr(old->target, '/') || !strncmp(old->attach, "uprobe", 6));
	struct xtr_provider new = { .id = old->id, .state = old->state };
	int err = 0;

	new.name = mapped(x, REDACT_EVENT, old->name, &err);
	new.attach = mapped(x, REDACT_IDENT, old->attach, &err);
	new.target = mapped(x, in_program ? REDACT_SYMBOL : REDACT_EVENT, old->target, &err);
	new.why = if_harmless(x, redact_is_word, old->why, &err);
	new.module = mapped(x, in_program ? REDACT_LIBRARY : REDACT_IDENT, old->module, &err);
	if (!err)
		err = xtr_meta_add_provider(p->meta, &new);
	free((char *)new.name);
	free((char *)new.attach);
	free((char *)new.target);
	free((char *)new.why);
	free((char *)new.module);
	return err;
}

static void free_fields(struct xtr_field *f, uint32_t n)
{
	for (uint32_t i = 0; f && i < n; i++) {
		for (uint32_t k = 0; f[i].names && k < f[i].n_names; k++)
			free((char *)f[i].names[k].name);
		free((struct xtr_value_name *)f[i].names);
		free((char *)f[i].name);
		free((char *)f[i].unit);
	}
	free(f);
}

static int field(struct xtr_redact *x, struct xtr_field *new, const struct xtr_field *old)
{
	struct xtr_value_name *names = calloc(old->n_names + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	*new = *old;
	new->names = names;
	new->n_names = 0;
	new->name = mapped(x, REDACT_IDENT, old->name, &err);
	new->unit = if_harmless(x, redact_is_word, old->unit, &err);
	for (uint32_t i = 0; i < old->n_names && !err; i++) {
		names[i].value = old->names[i].value;
		names[i].name = mapped(x, REDACT_DEVICE, old->names[i].name, &err);
		new->n_names += !!names[i].name;
	}
	return err;
}

static int put_event(struct xtr_redact *x, struct redact_part *p, const struct xtr_event_desc *old)
{
	struct xtr_field *f = calloc(old->n_fields + 1, sizeof(*f));
	struct xtr_event_desc new = *old;
	int err = f ? 0 : -ENOMEM;

	new.name = mapped(x, REDACT_EVENT, old->name, &err);
	new.fields = f;
	for (uint32_t i = 0; i < old->n_fields && !err; i++)
		err = field(x, &f[i], &old->fields[i]);
	if (!err)
		err = xtr_meta_add_event(p->meta, &new);
	free_fields(f, old->n_fields);
	free((char *)new.name);
	return err;
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

static int put_text(struct xtr_redact *x, struct redact_part *p, const char *key, const char *s)
{
	bool stays = matches(key, by_keys, COUNT(by_keys)) && !strncmp(s, "xtr ", 4) &&
		     redact_is_version(s, strlen(s));

	if (!strncmp(key, "redacted-", 9) || !strcmp(key, "flight") || !strcmp(key, "flight-event"))
		return 0; /* made anew */
	for (size_t i = 0; i < COUNT(config); i++)
		stays |= !fnmatch(config[i].key, key, 0) && has_word(config[i].words, s);
	stays |= matches(key, hex_keys, COUNT(hex_keys)) && redact_is_hex(s, strlen(s)) &&
		 strlen(s) == 16;
	stays |= matches(key, id_keys, COUNT(id_keys)) && strspn(s, "0123456789- ") == strlen(s);
	return stays ? xtr_meta_set_config_str(p->meta, key, s) : redact_drop(&x->texts, s);
}

/* "sample:EVENT" has the name of an event. */
static int put_sample(struct xtr_redact *x, struct redact_part *p, const char *key, uint64_t num)
{
	int err = 0;
	char *name = mapped(x, REDACT_EVENT, strchr(key, ':') + 1, &err), *new = NULL;

	if (!err && asprintf(&new, "sample:%s", name) < 0) {
		new = NULL;
		err = -ENOMEM;
	}
	if (!err)
		err = xtr_meta_set_config_u64(p->meta, new, num);
	free(new);
	free(name);
	return err;
}

static int put_number(struct xtr_redact *x, struct redact_part *p, const char *key, uint64_t num)
{
	if (!strncmp(key, "sample:", 7))
		return put_sample(x, p, key, num);
	if (!strcmp(key, "pid") || !strcmp(key, "flight-pid"))
		return xtr_meta_set_config_u64(p->meta, key, redact_pid(&x->values, num));
	if (!strcmp(key, "flight-ctx"))
		return xtr_meta_set_config_u64(p->meta, key, redact_context(&x->values, num));
	for (size_t i = 0; i < COUNT(config); i++)
		if (!fnmatch(config[i].key, key, 0))
			return xtr_meta_set_config_u64(p->meta, key, num);
	return 0;
}

/* The trigger without what it was asked with, which may name somebody. */
static int put_flight(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	const char *why = xtr_meta_config_str(m, "flight");
	const char *event = xtr_meta_config_str(m, "flight-event");
	char *name = NULL, word[32] = "";
	int err = 0;

	if (!why || !event)
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)strspn(why, "abcdefghijklmnopqrstuvwxyz-"), why);
	name = *event ? mapped(x, REDACT_EVENT, event, &err) : NULL;
	err = err ?: xtr_meta_set_config_str(p->meta, "flight", word) ?:
	      xtr_meta_set_config_str(p->meta, "flight-event", name ? name : "");
	free(name);
	return err;
}

static int put_config(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	const char *key, *str;
	uint64_t num;
	int err = 0;

	for (size_t i = 0; !err && xtr_meta_config(m, i, &key, &num, &str); i++)
		err = str ? put_text(x, p, key, str) : put_number(x, p, key, num);
	return err ? err : put_flight(x, p, m);
}

/* Ids of the processes that a cut is about: of those that the file has. */
static int put_cut_pids(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	struct xtr_cut_note old, new;
	int err = xtr_cut_note_read(&old, m);

	if (err || !old.is_cut || !old.some_pids) {
		xtr_cut_note_free(&old);
		return err;
	}
	new = old;
	new.pids = (struct xtr_ids){ 0 };
	for (size_t i = 0; i < old.pids.n; i++) {
		const struct xtr_id_range *r = &old.pids.range[i];

		for (uint32_t id = r->first; id <= r->last && id < REDACT_PID_MAX && !err; id++)
			if (!id || redact_pid_is_known(&x->values, id))
				err = xtr_ids_add(&new.pids, (uint32_t)redact_pid(&x->values, id));
	}
	if (!err)
		err = xtr_cut_note_write(&new, p->meta,
					 strtoull(xtr_meta_config_str(m, "cut-of"), NULL, 16));
	xtr_ids_free(&new.pids);
	xtr_cut_note_free(&old);
	return err;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int put_clock(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	static const uint8_t no_boot_id[16];
	int err = 0;
	char *clock = if_harmless(x, redact_is_word, xtr_meta_clock(m), &err);

	if (!err)
		err = xtr_meta_set_clock(p->meta, clock ? clock : "unknown", no_boot_id,
					 xtr_meta_clock_res(m));
	free(clock);
	return err;
}

static int put_writer(struct xtr_redact *x, struct redact_part *p, const struct xtr_meta *m)
{
	int err = 0;
	char *name = if_harmless(x, redact_is_word, xtr_meta_writer_name(m), &err);
	char *version = if_harmless(x, redact_is_version, xtr_meta_writer_version(m), &err);

	if (!err)
		err = xtr_meta_set_writer(p->meta, name ? name : "", version ? version : "");
	free(name);
	free(version);
	return err;
}

static int put_note(const struct xtr_redact *x, struct redact_part *p)
{
	return xtr_meta_set_config_str(p->meta, "redacted-by", "xtr " XTR_VERSION) ?:
	       xtr_meta_set_config_str(p->meta, "redacted-policy",
				       xtr_redact_policy_name(x->o.policy)) ?:
	       redact_put_mapping(p->meta, x->mapping) ?:
	       xtr_meta_set_config_u64(p->meta, "redacted-files", x->n_files) ?:
	       xtr_meta_set_config_u64(p->meta, "redacted-ids", x->values.n) ?:
	       xtr_meta_set_config_u64(p->meta, "redacted-texts", x->texts.n);
}

int redact_make_meta(struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_meta *m = xtr_section_meta(p->s);
	int err;

	p->meta = xtr_meta_new();
	if (!p->meta)
		return -ENOMEM;
	err = put_writer(x, p, m) ?: put_clock(x, p, m) ?: put_system(x, p, m);
	for (size_t i = 0; i < xtr_meta_n_devices(m) && !err; i++)
		err = put_device(x, p, xtr_meta_device(m, i));
	for (size_t i = 0; i < xtr_meta_n_providers(m) && !err; i++)
		err = put_provider(x, p, xtr_meta_provider(m, i));
	for (size_t i = 0; i < xtr_meta_n_events(m) && !err; i++)
		err = put_event(x, p, xtr_meta_event_at(m, i));
	return err ?: put_config(x, p, m) ?: put_cut_pids(x, p, m) ?: put_note(x, p);
}
