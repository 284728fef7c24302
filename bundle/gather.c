/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking each source of this machine, if the trace was recorded on it since it was started. */
#include "gather.h"

#include "format/read/reader.h"

#include <string.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static const struct {
	const char *name;
	int (*gather)(struct gather *g);
} gatherers[] = {
	{ "machine", gather_machine },
	{ "devices", gather_devices },
	{ "modules", gather_modules },
	{ "firmware", gather_firmware },
	{ "cmdline", gather_cmdline },
	{ "kmsg", gather_kmsg },
	{ "xid", gather_xid },
	{ "devcoredump", gather_devcoredump },
	{ "error", gather_error },
	{ "nvidia-smi", gather_nvidia_smi },
	{ "nvidia-bug-report", gather_nvidia_report },
};

void xtr_bundle_add_driver(struct xtr_bundle_machine *m, const char *name)
{
	for (size_t i = 0; i < m->n_drivers; i++)
		if (!strcmp(m->drivers[i], name))
			return;
	/* It becomes part of a path, and may come from a trace. */
	if (!*name || strlen(name) >= sizeof(m->drivers[0]) ||
	    m->n_drivers == XTR_BUNDLE_DRIVERS_MAX ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
		    strlen(name))
		return;
	strcpy(m->drivers[m->n_drivers++], name);
}

/* 32 digits of a boot's id; empty: none. */
static void boot_id_here(const char *root, char text[33])
{
	char line[64];
	size_t n = 0;

	if (!gather_line(root, BOOT_ID, line, sizeof(line)))
		line[0] = 0;
	for (const char *p = line; *p && n < 32; p++)
		if (*p != '-')
			text[n++] = *p;
	text[n] = 0;
}

static void boot_id_of(const struct xtr_meta *meta, char text[33])
{
	const uint8_t *id = xtr_meta_boot_id(meta);
	bool any = false;

	for (size_t i = 0; i < 16; i++) {
		any |= id[i];
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	}
	if (!any)
		text[0] = 0;
}

static void section(struct xtr_bundle_machine *m, const struct xtr_section *s, const char *here)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct xtr_meta *meta = xtr_section_meta(s);
	char there[33];

	boot_id_of(meta, there);
	if (!there[0])
		m->other = "the trace does not say on which machine it was recorded";
	else if (strcmp(there, here) != 0)
		m->other =
			"the trace was recorded on another machine, or before this one was started";
	if (sum->ts_min < m->from)
		m->from = sum->ts_min;
	if (sum->ts_max > m->to)
		m->to = sum->ts_max;
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++)
		if (xtr_meta_device(meta, i)->driver)
			xtr_bundle_add_driver(m, xtr_meta_device(meta, i)->driver);
	for (size_t i = 0; i < xtr_meta_n_providers(meta); i++)
		if (xtr_meta_provider(meta, i)->module)
			xtr_bundle_add_driver(m, xtr_meta_provider(meta, i)->module);
}

void xtr_bundle_of_trace(struct xtr_bundle_machine *m, const struct xtr_reader *r, const char *root)
{
	char here[33];

	boot_id_here(root, here);
	m->from = UINT64_MAX;
	m->to = 0;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		section(m, xtr_reader_section(r, i), here);
	if (m->from > m->to)
		m->from = m->to;
}

int xtr_bundle_gather(struct xtr_bundle *b, struct xtr_bundle_machine *m)
{
	struct gather g = { .b = b, .m = m };
	int err = m->other ? 0 : gather_drivers(&g);

	for (size_t i = 0; i < sizeof(gatherers) / sizeof(gatherers[0]) && !err; i++) {
		g.s = xtr_bundle_source_named(gatherers[i].name);
		if (!m->wanted(m->ctx, g.s))
			err = xtr_bundle_absent(b, g.s, "", "",
						g.s->slow ? "it was not asked for"
							  : "left out on request");
		else if (m->other)
			err = xtr_bundle_absent(b, g.s, "", "", "%s", m->other);
		else
			err = gatherers[i].gather(&g);
	}
	return err;
}
