/* SPDX-License-Identifier: BSD-2-Clause */
#include "sign.h"

#include <stdio.h>
#include <string.h>

/* "ACTION@DEVPATH", then "KEY=VALUE", each with a NUL behind it. */
struct message {
	const char *p;
	size_t n;
};

/* Value of a key, or NULL; without an end of its own it is not taken. */
static const char *value(const struct message *m, const char *key)
{
	const size_t len = strlen(key);

	for (size_t at = 0, n; at < m->n; at += n + 1) {
		n = strnlen(m->p + at, m->n - at);
		if (at + n == m->n)
			break;
		if (n > len && !strncmp(m->p + at, key, len) && m->p[at + len] == '=')
			return m->p + at + len + 1;
	}
	return NULL;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of a card or an accelerator: a device has one of these, beside renderD128 and connectors. */
static bool is_node(const char *name)
{
	return (!strncmp(name, "card", 4) && !strchr(name, '-')) || !strncmp(name, "accel", 5);
}

static const struct uevent {
	const char *kind, *subsystem, *action;
	const char *key, *is; /* a key it has, and its value; NULL: any */
	bool node;            /* only of a card or an accelerator */
	enum xtr_hang_left left;
	bool always;
} uevents[] = {
	/* drivers/base/devcoredump.c, dev_coredumpm_timeout */
	{ "devcoredump", "devcoredump", "add", NULL, NULL, false, XTR_HANG_COREDUMP, true },
	/* drivers/gpu/drm/drm_drv.c, drm_dev_wedged_event */
	{ "wedged", "drm", "change", "WEDGED", NULL, false, XTR_HANG_NOTHING, true },
	/* drivers/gpu/drm/i915/gt/intel_reset.c: intel_gt_handle_error has kept the state before
	 * intel_gt_reset_global sends these */
	{ "i915-error", "drm", "change", "ERROR", "1", false, XTR_HANG_ERROR_STATE, true },
	{ "i915-reset", "drm", "change", "RESET", "1", false, XTR_HANG_ERROR_STATE, false },
	/* drivers/accel/ivpu/ivpu_pm.c, ivpu_pm_recovery_work */
	{ "npu-recovery", "pci", "change", "IVPU_PM_EVENT", "IVPU_RECOVER", false, XTR_HANG_NOTHING,
	  false },
	/* drivers/gpu/drm/xe/xe_gt.c of 6.8 to 6.11, gt_reset */
	{ "xe-reset-failed", "pci", "change", "DEVICE_STATUS", "NEEDS_RESET", false,
	  XTR_HANG_NOTHING, false },
	/* drivers/gpu/drm/drm_sysfs.c: the card goes, and its driver with it */
	{ "lost", "drm", "remove", NULL, NULL, true, XTR_HANG_NOTHING, true },
	{ "lost", "accel", "remove", NULL, NULL, true, XTR_HANG_NOTHING, true },
};

static bool fits(const struct uevent *u, const struct message *m, const char *subsystem,
		 const char *action, const char *name)
{
	const char *has = u->key ? value(m, u->key) : NULL;

	return !strcmp(u->subsystem, subsystem) && !strcmp(u->action, action) &&
	       (!u->node || is_node(name)) && (!u->key || (has && (!u->is || !strcmp(has, u->is))));
}

/* /devices/pci0000:00/0000:00:02.0/drm/card0: the device is what the class's folder is in. */
static void device_of(const char *path, char device[64])
{
	static const char *const classes[] = { "/drm/", "/accel/" };
	const char *end = path + strlen(path), *start;

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const char *at = strstr(path, classes[i]);

		end = at && at < end ? at : end;
	}
	start = memrchr(path, '/', (size_t)(end - path));
	start = start ? start + 1 : path;
	snprintf(device, 64, "%.*s", (int)(end - start), start);
}

bool xtr_hang_of_uevent(const char *msg, size_t n, struct xtr_hang_sign *s)
{
	const struct message m = { msg, n };
	const char *path = value(&m, "DEVPATH"), *action = value(&m, "ACTION"),
		   *subsystem = value(&m, "SUBSYSTEM"), *has;

	if (!path || !action || !subsystem)
		return false;
	for (size_t i = 0; i < sizeof(uevents) / sizeof(uevents[0]); i++) {
		const struct uevent *u = &uevents[i];

		if (!fits(u, &m, subsystem, action, base(path)))
			continue;
		*s = (struct xtr_hang_sign){ .kind = u->kind,
					     .left = u->left,
					     .always = u->always };
		snprintf(s->name, sizeof(s->name), "%s", base(path));
		/* A devcoredump's path says nothing of the device (its failing_device does). */
		if (u->left != XTR_HANG_COREDUMP)
			device_of(path, s->device);
		has = u->key ? value(&m, u->key) : NULL;
		snprintf(s->text, sizeof(s->text), "%s@%.150s%s%s%s%.60s", action, path,
			 has ? " " : "", has ? u->key : "", has ? "=" : "", has ? has : "");
		xtr_hang_sign_clean(s);
		return true;
	}
	return false;
}
