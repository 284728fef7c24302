/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section says of itself, by key. */
#include "priv.h"

#include <errno.h>
#include <string.h>

static const char *kernel(const struct xtr_section *s)
{
	return xtr_meta_system(xtr_section_meta(s))->release;
}

static const char *kernel_version(const struct xtr_section *s)
{
	return xtr_meta_system(xtr_section_meta(s))->version;
}

static const char *machine(const struct xtr_section *s)
{
	return xtr_meta_system(xtr_section_meta(s))->machine;
}

static const char *hypervisor(const struct xtr_section *s)
{
	return xtr_meta_system(xtr_section_meta(s))->hypervisor;
}

static const char *hostname(const struct xtr_section *s)
{
	return xtr_meta_system(xtr_section_meta(s))->hostname;
}

static const char *writer(const struct xtr_section *s)
{
	return xtr_meta_writer_name(xtr_section_meta(s));
}

static const char *writer_version(const struct xtr_section *s)
{
	return xtr_meta_writer_version(xtr_section_meta(s));
}

static const char *event_clock(const struct xtr_section *s)
{
	return xtr_meta_clock(xtr_section_meta(s));
}

static const struct {
	const char *key;
	const char *(*get)(const struct xtr_section *s);
} texts[] = {
	{ "writer", writer },
	{ "writer-version", writer_version },
	{ "clock", event_clock },
	{ "kernel", kernel },
	{ "kernel-version", kernel_version },
	{ "machine", machine },
	{ "hypervisor", hypervisor },
	{ "hostname", hostname },
	{ "end", xtr_section_end_reason },
};

char *xtr_about(const struct xtr_file *file, size_t section, const char *key, char *buf,
		size_t size)
{
	const struct xtr_section *s = xtr_file_section(file, section);
	const char *text = NULL;

	for (size_t i = 0; s && i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i].key, key))
			continue;
		text = texts[i].get(s);
		return xtr_shown(buf, size, text && *text ? text : NULL);
	}
	if (s)
		text = xtr_meta_config_str(xtr_section_meta(s), key);
	return xtr_shown(buf, size, text);
}

static const struct {
	const char *key;
	size_t offset; /* of the const char * in struct xtr_device */
} of_device[] = {
	{ "name", offsetof(struct xtr_device, name) },
	{ "driver", offsetof(struct xtr_device, driver) },
	{ "pci-id", offsetof(struct xtr_device, pci_id) },
	{ "driver-version", offsetof(struct xtr_device, driver_version) },
	{ "firmware", offsetof(struct xtr_device, firmware) },
};

char *xtr_device(const struct xtr_file *file, size_t section, size_t i, const char *key, char *buf,
		 size_t size)
{
	const struct xtr_section *s = xtr_file_section(file, section);
	const char *text = NULL;

	if (!s || i >= xtr_meta_n_devices(xtr_section_meta(s)))
		return xtr_shown(buf, size, NULL);
	for (size_t k = 0; k < sizeof(of_device) / sizeof(of_device[0]); k++) {
		if (strcmp(of_device[k].key, key))
			continue;
		memcpy(&text,
		       (const char *)xtr_meta_device(xtr_section_meta(s), i) + of_device[k].offset,
		       sizeof(text));
		return xtr_shown(buf, size, text ? text : "");
	}
	return xtr_shown(buf, size, NULL);
}

char *xtr_event_type(const struct xtr_file *file, size_t section, size_t i, char *buf, size_t size)
{
	const struct xtr_section *s = xtr_file_section(file, section);

	if (!s || i >= xtr_meta_n_events(xtr_section_meta(s)))
		return xtr_shown(buf, size, NULL);
	return xtr_shown(buf, size, xtr_meta_event_at(xtr_section_meta(s), i)->name);
}

static const struct {
	const char *key;
	size_t offset; /* of the uint64_t in struct xtr_section_summary */
} sums[] = {
	{ "events", offsetof(struct xtr_section_summary, events) },
	{ "lost", offsetof(struct xtr_section_summary, lost) },
	{ "missing", offsetof(struct xtr_section_summary, missing) },
	{ "filtered", offsetof(struct xtr_section_summary, filtered) },
	{ "aged", offsetof(struct xtr_section_summary, aged) },
	{ "first", offsetof(struct xtr_section_summary, ts_min) },
	{ "last", offsetof(struct xtr_section_summary, ts_max) },
};

/* "lost-CAUSE" */
static int count_cause(const struct xtr_section *s, const char *key, uint64_t *value)
{
	static const char prefix[] = "lost-";
	const size_t n = sizeof(prefix) - 1;
	enum xtr_loss_cause c;

	if (strncmp(key, prefix, n))
		return -ENOENT;
	for (c = 1; c < XTR_LOSS_CAUSE_COUNT; c++) {
		if (strcmp(key + n, xtr_loss_cause_name(c)))
			continue;
		*value = xtr_loss_of(xtr_section_loss(s), c);
		return 0;
	}
	return -ENOENT;
}

int xtr_count(const struct xtr_file *file, size_t section, const char *key, uint64_t *value)
{
	const struct xtr_section *s = xtr_file_section(file, section);

	*value = 0;
	if (!s)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (strcmp(sums[i].key, key))
			continue;
		memcpy(value, (const char *)xtr_section_summary(s) + sums[i].offset,
		       sizeof(*value));
		return 0;
	}
	if (!strcmp(key, "cpus")) {
		*value = xtr_meta_system(xtr_section_meta(s))->cpus;
		return 0;
	}
	if (!count_cause(s, key, value))
		return 0;
	return xtr_meta_config_u64(xtr_section_meta(s), key, value) ? 0 : -ENOENT;
}
