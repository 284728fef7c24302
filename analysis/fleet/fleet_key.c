/* SPDX-License-Identifier: BSD-2-Clause */
/* By what recordings are put into cohorts, as META tells it. */
#include "fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	bool version;
} keys[] = {
#define KEY(id, name, version) { name, version },
	XTR_FLEET_KEYS(KEY)
#undef KEY
};

static const char label_prefix[] = "label:";

const char *xtr_fleet_key_name(unsigned int key)
{
	return key < XTR_FLEET_KEY_COUNT ? keys[key].name : NULL;
}

bool xtr_fleet_key_is_version(unsigned int key)
{
	return keys[key].version;
}

int xtr_fleet_key_parse(const char *s, const char **label)
{
	const size_t n = sizeof(label_prefix) - 1;

	*label = NULL;
	if (!strncmp(s, label_prefix, n)) {
		*label = s + n;
		return **label ? XTR_FLEET_BY_LABEL : -EINVAL;
	}
	for (unsigned int i = 0; i < XTR_FLEET_BY_LABEL; i++)
		if (!strcmp(s, keys[i].name))
			return (int)i;
	return -EINVAL;
}

/* NULL: it has no such label. */
static const char *label_of(const struct xtr_meta *meta, const char *name)
{
	const char *key, *value;
	size_t at = 0;

	while (xtr_meta_next_label(meta, &at, &key, &value))
		if (!strcmp(key, name))
			return value;
	return NULL;
}

/* What a device is, for the cohort: its driver's version, or its model. */
static void device_text(char buf[XTR_FLEET_NAME_MAX], enum xtr_fleet_key key,
			const struct xtr_device *d)
{
	const char *driver = d->driver ? d->driver : "";
	const char *what = key == XTR_FLEET_BY_DRIVER ? d->driver_version : d->pci_id;

	if (!what)
		what = key == XTR_FLEET_BY_DEVICE && !*driver && d->name ? d->name : "";
	snprintf(buf, XTR_FLEET_NAME_MAX, "%s%s%s", driver, *driver && *what ? " " : "", what);
}

/* Is the text one of those before, with ", " between? */
static bool is_in(const char *list, const char *text)
{
	const size_t n = strlen(text);

	for (const char *p = list; (p = strstr(p, text)); p += n ? n : 1)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

/* Devices that are alike are named once. */
static void devices_text(char buf[XTR_FLEET_NAME_MAX], enum xtr_fleet_key key,
			 const struct xtr_meta *meta)
{
	char one[XTR_FLEET_NAME_MAX];
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < xtr_meta_n_devices(meta) && len + 1 < XTR_FLEET_NAME_MAX; i++) {
		device_text(one, key, xtr_meta_device(meta, i));
		if (!*one || is_in(buf, one))
			continue;
		snprintf(buf + len, XTR_FLEET_NAME_MAX - len, "%s%.*s", len ? ", " : "",
			 (int)(XTR_FLEET_NAME_MAX - len), one);
		len = strlen(buf);
	}
}

const char *xtr_fleet_key_of(enum xtr_fleet_key key, const char *label, const struct xtr_meta *meta,
			     char buf[XTR_FLEET_NAME_MAX])
{
	const struct xtr_system *sys = xtr_meta_system(meta);
	const char *s = NULL;

	*buf = '\0';
	switch (key) {
	case XTR_FLEET_BY_HOST:
		s = sys->hostname;
		break;
	case XTR_FLEET_BY_KERNEL:
		s = sys->release;
		break;
	case XTR_FLEET_BY_LABEL:
		s = label_of(meta, label);
		break;
	default:
		devices_text(buf, key, meta);
	}
	if (s)
		snprintf(buf, XTR_FLEET_NAME_MAX, "%s", s);
	return *buf ? buf : "(unknown)";
}
