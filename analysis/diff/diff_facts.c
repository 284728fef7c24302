/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the recordings were made: what META says that bears on times and counts. Of a side with
 * several recordings a fact is all values that they have.
 */
#include "diff_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 256u /* bytes of a fact's name or value, with the NUL */

/* Of META's config, what says nothing about how it was recorded: beginnings of keys. */
static const char *const ignored[] = {
	"pid",     "redacted-ids", "redacted-texts", "redacted-mapping", "redacted-files", "cut-",
	"flight-", "recovered-",   "import-lost",    "import-damage",    "rings",
};

/* One value more for the fact: nothing happens if it is there. */
static int add_value(struct diff_fact *f, unsigned int side, const char *value)
{
	char text[TEXT];
	char *copy;

	if (f->value[side] && (f->several[side] || !strcmp(f->value[side], value))) {
		if (!f->several[side] || strstr(f->value[side], value))
			return 0;
	}
	snprintf(text, sizeof(text), "%s%s%s", f->value[side] ? f->value[side] : "",
		 f->value[side] ? " | " : "", value);
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	f->several[side] = f->value[side];
	free(f->value[side]);
	f->value[side] = copy;
	return 0;
}

static int fact(struct xtr_diff *d, const char *what, const char *value)
{
	struct diff_fact *f;

	for (size_t i = 0; i < d->n_facts; i++)
		if (!strcmp(d->fact[i].what, what))
			return add_value(&d->fact[i], d->side, value);
	if (d->n_facts == DIFF_FACTS_MAX)
		return 0;
	if (!d->fact) {
		d->fact = calloc(DIFF_FACTS_MAX, sizeof(*d->fact));
		if (!d->fact)
			return -ENOMEM;
	}
	f = &d->fact[d->n_facts];
	f->what = strdup(what);
	if (!f->what)
		return -ENOMEM;
	d->n_facts++;
	return add_value(f, d->side, value);
}

static int fact_number(struct xtr_diff *d, const char *what, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return fact(d, what, text);
}

static int learn_system(struct xtr_diff *d, const struct xtr_meta *meta)
{
	const struct xtr_system *s = xtr_meta_system(meta);
	char writer[TEXT];
	int err;

	snprintf(writer, sizeof(writer), "%s %s", xtr_meta_writer_name(meta),
		 xtr_meta_writer_version(meta));
	err = fact(d, "recorded by", writer);
	if (!err)
		err = fact(d, "event clock", xtr_meta_clock(meta));
	if (!err && s->release)
		err = fact(d, "kernel", s->release);
	if (!err && s->version)
		err = fact(d, "kernel build", s->version);
	if (!err && s->machine)
		err = fact(d, "machine", s->machine);
	if (!err && s->hypervisor)
		err = fact(d, "hypervisor", s->hypervisor);
	if (!err && s->hostname)
		err = fact(d, "host", s->hostname);
	return err ? err : fact_number(d, "CPUs", s->cpus);
}

static int learn_devices(struct xtr_diff *d, const struct xtr_meta *meta)
{
	char what[TEXT], value[TEXT];
	int err = 0;

	for (size_t i = 0; i < xtr_meta_n_devices(meta) && !err; i++) {
		const struct xtr_device *dev = xtr_meta_device(meta, i);

		snprintf(what, sizeof(what), "device %s", dev->name ? dev->name : "");
		snprintf(value, sizeof(value), "%s%s%s%s%s%s%s", dev->driver ? dev->driver : "",
			 dev->driver_version ? " " : "",
			 dev->driver_version ? dev->driver_version : "",
			 dev->firmware ? ", firmware " : "", dev->firmware ? dev->firmware : "",
			 dev->pci_id ? ", " : "", dev->pci_id ? dev->pci_id : "");
		err = fact(d, what, value);
	}
	return err;
}

static int learn_events(struct xtr_diff *d, const struct xtr_meta *meta)
{
	static const char *const state[] = {
		[XTR_PROVIDER_ATTACHED] = "recorded",
		[XTR_PROVIDER_MISSING] = "missing",
		[XTR_PROVIDER_REFUSED] = "refused",
	};
	char what[TEXT];
	int err = 0;

	for (size_t i = 0; i < xtr_meta_n_providers(meta) && !err; i++) {
		const struct xtr_provider *p = xtr_meta_provider(meta, i);

		snprintf(what, sizeof(what), "event %s", p->name ? p->name : "");
		err = fact(d, what, p->state <= XTR_PROVIDER_REFUSED ? state[p->state] : "?");
	}
	return err;
}

static bool is_ignored(const char *key)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (!strncmp(key, ignored[i], strlen(ignored[i])))
			return true;
	return false;
}

static int learn_config(struct xtr_diff *d, const struct xtr_meta *meta)
{
	const char *key, *str;
	char what[TEXT];
	uint64_t num;
	int err = 0;

	for (size_t i = 0; !err && xtr_meta_config(meta, i, &key, &num, &str); i++) {
		if (is_ignored(key))
			continue;
		snprintf(what, sizeof(what), "option %s", key);
		err = str ? fact(d, what, str) : fact_number(d, what, num);
	}
	return err;
}

int diff_learn(struct xtr_diff *d, const struct xtr_meta *meta)
{
	int err = learn_system(d, meta);

	if (!err)
		err = learn_devices(d, meta);
	if (!err)
		err = learn_events(d, meta);
	return err ? err : learn_config(d, meta);
}

int diff_facts_finish(struct xtr_diff *d)
{
	d->differ = calloc(d->n_facts + 1, sizeof(*d->differ));
	if (!d->differ)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct diff_fact *f = &d->fact[i];
		const char *a = f->value[0] ? f->value[0] : "", *b = f->value[1] ? f->value[1] : "";

		if (strcmp(a, b))
			d->differ[d->n_differ++] = (struct xtr_diff_fact){ f->what, { a, b } };
	}
	return 0;
}

void diff_facts_free(struct xtr_diff *d)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		free(d->fact[i].what);
		free(d->fact[i].value[0]);
		free(d->fact[i].value[1]);
	}
	free(d->fact);
	free(d->differ);
}
