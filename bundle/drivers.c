/* SPDX-License-Identifier: BSD-2-Clause */
/* devices.txt, modules.txt, firmware.txt: what sysfs, debugfs and /proc/driver say of drivers. */
#include "gather.h"

#include "base/buf.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* One text that is being made. */
struct text {
	struct gather *g;
	const char *root;
	FILE *f;
	struct xtr_buf b;
	size_t denied; /* files that are there, but cannot be read */
};

static int begin(struct text *t, struct gather *g)
{
	*t = (struct text){ .g = g, .root = g->b->root };
	t->f = xtr_memory_stream(&t->b);
	return t->f ? 0 : -ENOMEM;
}

static int finish(struct text *t, int err, const char *name, const char *from)
{
	if (t->f) {
		err = err ? err : xtr_memory_flush(t->f, &t->b);
		fclose(t->f);
	}
	if (!err && t->b.n)
		err = xtr_bundle_add_text(t->g->b, t->g->s, name, from, &t->b);
	else if (!err)
		err = xtr_bundle_absent(t->g->b, t->g->s, name, from,
					t->denied ? "only root may read it" : "there is none here");
	xtr_buf_free(&t->b);
	return err;
}

static bool attribute(const struct text *t, const char *dir, const char *name, char *line, size_t n)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path) &&
	       gather_line(t->root, path, line, n);
}

static bool linked(const struct text *t, const char *dir, const char *name, char *to, size_t n)
{
	char path[PATH_MAX];

	return (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) < sizeof(path) &&
	       gather_link(t->root, path, to, n);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- devices ---------------------------------------------------------------------------------- */

/* Base classes of PCI: display controllers, processing accelerators; co-processors (0b40). */
static bool of_interest(const char *class)
{
	return !strncmp(class, "0x03", 4) || !strncmp(class, "0x12", 4) ||
	       !strncmp(class, "0x0b40", 6);
}

static int pci_device(void *ctx, const char *dir)
{
	static const char *const ids[] = { "vendor", "device", "subsystem_vendor",
					   "subsystem_device", "revision" };
	struct text *t = ctx;
	char line[GATHER_LINE];

	if (!attribute(t, dir, "class", line, sizeof(line)) || !of_interest(line))
		return 0;
	fprintf(t->f, "%s: class %s", base(dir), line);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (attribute(t, dir, ids[i], line, sizeof(line)))
			fprintf(t->f, ", %s %s", ids[i], line);
	fprintf(t->f, ", driver %s\n",
		linked(t, dir, "driver", line, sizeof(line)) ? line : "none");
	return 0;
}

/* card0 and renderD128, but not card0-HDMI-A-1. */
static int node(void *ctx, const char *dir)
{
	struct text *t = ctx;
	char device[GATHER_LINE] = "", driver[GATHER_LINE] = "none";

	if (strchr(base(dir), '-') || !linked(t, dir, "device", device, sizeof(device)))
		return 0;
	linked(t, dir, "device/driver", driver, sizeof(driver));
	fprintf(t->f, "%s: %s, driver %s\n", base(dir), device, driver);
	return 0;
}

int gather_devices(struct gather *g)
{
	struct text t;
	int err = begin(&t, g);

	if (!err)
		err = gather_glob(t.root, "/sys/bus/pci/devices/*", pci_device, &t);
	if (!err)
		err = gather_glob(t.root, "/sys/class/drm/*[0-9]", node, &t);
	if (!err)
		err = gather_glob(t.root, "/sys/class/accel/*[0-9]", node, &t);
	return finish(&t, err, "devices.txt", "/sys/bus/pci, /sys/class/drm, /sys/class/accel");
}

static int note_driver(void *ctx, const char *dir)
{
	struct text *t = ctx;
	char line[GATHER_LINE];

	if (attribute(t, dir, "class", line, sizeof(line)) && !of_interest(line))
		return 0;
	if (linked(t, dir, "driver", line, sizeof(line)) ||
	    linked(t, dir, "device/driver", line, sizeof(line)))
		xtr_bundle_add_driver(t->g->m, line);
	return 0;
}

int gather_drivers(struct gather *g)
{
	struct text t = { .g = g, .root = g->b->root };
	int err = gather_glob(t.root, "/sys/bus/pci/devices/*", note_driver, &t);

	if (!err)
		err = gather_glob(t.root, "/sys/class/drm/*[0-9]", note_driver, &t);
	if (!err)
		err = gather_glob(t.root, "/sys/class/accel/*[0-9]", note_driver, &t);
	return err;
}

/* --- modules ---------------------------------------------------------------------------------- */

static int parameter(void *ctx, const char *path)
{
	struct text *t = ctx;
	char line[GATHER_LINE];

	if (gather_line(t->root, path, line, sizeof(line)))
		fprintf(t->f, "  %s = %s\n", base(path), line);
	else
		fprintf(t->f, "  %s: only root may read it\n", base(path));
	return 0;
}

static int module(struct text *t, const char *driver)
{
	static const char *const facts[] = { "version", "srcversion", "taint" };
	char dir[128], name[64], line[GATHER_LINE];

	snprintf(name, sizeof(name), "%s", driver);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p; /* as modules are called in sysfs */
	snprintf(dir, sizeof(dir), "/sys/module/%s", name);
	fprintf(t->f, "%s:", name);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (attribute(t, dir, facts[i], line, sizeof(line)) && *line)
			fprintf(t->f, " %s %s", facts[i], line);
	if (!linked(t, "/sys/bus/pci/drivers", name, line, sizeof(line)) &&
	    !attribute(t, dir, "initstate", line, sizeof(line)))
		fputs(" no module, or built into the kernel", t->f);
	fputc('\n', t->f);
	strcat(dir, "/parameters/*");
	return gather_glob(t->root, dir, parameter, t);
}

int gather_modules(struct gather *g)
{
	struct text t;
	int err = begin(&t, g);

	for (size_t i = 0; i < g->m->n_drivers && !err; i++)
		err = module(&t, g->m->drivers[i]);
	return finish(&t, err, "modules.txt", "/sys/module");
}

/* --- firmware --------------------------------------------------------------------------------- */

static const char *const firmware[] = {
	"/sys/kernel/debug/dri/*/amdgpu_firmware_info",
	"/sys/kernel/debug/dri/*/gt*/uc/*_info", /* i915, xe: GuC, HuC */
	"/sys/kernel/debug/accel/*/fw_name",     /* intel_vpu */
	"/sys/kernel/debug/accel/*/fw_version",
	"/sys/class/drm/card*/device/fw_version/*", /* amdgpu */
	"/sys/class/drm/card*/device/vbios_version",
	"/sys/class/accel/accel*/device/fw_version", /* amdxdna */
	"/proc/driver/nvidia/version",
	"/proc/driver/nvidia/gpus/*/information",
};

/* glob(3) finds nothing in a folder that it may not read; this says why. */
static const char *const folders[] = { "/sys/kernel/debug" };

static int firmware_file(void *ctx, const char *path)
{
	struct text *t = ctx;
	struct xtr_buf b = { 0 };
	int err = gather_file(t->root, path, GATHER_FILE, &b);

	if (!err) {
		fprintf(t->f, "== %s ==\n", path);
		fwrite(b.p, 1, b.n, t->f);
		if (b.n && b.p[b.n - 1] != '\n')
			fputc('\n', t->f);
	}
	t->denied += err == -EACCES || err == -EPERM;
	xtr_buf_free(&b);
	return err == -ENOMEM ? err : 0;
}

int gather_firmware(struct gather *g)
{
	struct text t;
	int err = begin(&t, g), fd;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct xtr_buf b = { 0 };

		fd = gather_file(t.root, folders[i], 1,
				 &b); /* a folder: EISDIR where it may be read */
		t.denied += fd == -EACCES;
		err = fd == -ENOMEM ? fd : err;
		xtr_buf_free(&b);
	}
	for (size_t i = 0; i < sizeof(firmware) / sizeof(firmware[0]) && !err; i++)
		err = gather_glob(t.root, firmware[i], firmware_file, &t);
	return finish(&t, err, "firmware.txt", "debugfs, /sys/class, /proc/driver");
}
