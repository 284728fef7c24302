/* SPDX-License-Identifier: BSD-2-Clause */
#include "device_facts.h"
#include "util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_MAX 64
#define NODES_MAX   16
#define FIRMWARE    2048 /* bytes: amdgpu has some 25 of them, of 30 bytes each */
#define NVIDIA      "/proc/driver/nvidia/gpus"

struct device {
	char name[128], driver[64], pci_id[16], subsystem[16], revision[16];
	char version[64], srcversion[64], firmware[FIRMWARE], model[128], vbios[64], uuid[64];
	char nodes[NODES_MAX][32];
	size_t n_nodes;
};

struct devices {
	const char *root;
	struct device v[DEVICES_MAX];
	size_t n;
};

/* Copy what fits. */
static void copy(char *buf, size_t n, const char *text)
{
	size_t len = strlen(text);

	len = len < n ? len : n - 1;
	memcpy(buf, text, len);
	buf[len] = 0;
}

/* First line of DIR/NAME. */
static bool line_at(const char *dir, const char *name, char *buf, size_t n)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return len > 0 && (size_t)len < sizeof(path) && xtr_read_line(path, buf, n);
}

/* Last part of what the link DIR/NAME points to. */
static bool link_name(const char *dir, const char *name, char *buf, size_t n)
{
	char path[PATH_MAX], target[PATH_MAX];
	int put = snprintf(path, sizeof(path), "%s/%s", dir, name);
	const char *slash;
	ssize_t len;

	if (put < 0 || (size_t)put >= sizeof(path))
		return false;
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = 0;
	slash = strrchr(target, '/');
	copy(buf, n, slash ? slash + 1 : target);
	return true;
}

/* Another "NAME=VERSION"; one that does not fit is left out, not cut: it would be another one's. */
static void add_firmware(char *buf, size_t n, const char *name, const char *version)
{
	size_t len = strlen(buf);
	int put = snprintf(buf + len, n - len, "%s%s=%s", len ? " " : "", name, version);

	if (put < 0 || (size_t)put >= n - len)
		buf[len] = 0;
}

/* amdgpu: one file per firmware in DEVICE/fw_version. In order of names, so that machines that have
 * the same say the same. */
static void read_firmware_dir(const char *dir, char *buf, size_t n)
{
	char path[PATH_MAX], line[64];
	struct dirent **list;
	int put = snprintf(path, sizeof(path), "%s/fw_version", dir), files;

	files = put > 0 && (size_t)put < sizeof(path) ? scandir(path, &list, NULL, versionsort)
						      : -1;
	for (int i = 0; i < files; i++) {
		const char *name = list[i]->d_name;

		if (name[0] != '.' && line_at(path, name, line, sizeof(line)))
			add_firmware(buf, n, name, line);
		free(list[i]);
	}
	if (files >= 0)
		free(list);
}

/* intel_vpu tells in debugfs, by device name or by number. */
static void read_firmware(struct device *d, const char *root, const char *dir, const char *node)
{
	static const char *const files[] = { "fw_version", "fw_name" };
	const char *ids[] = { d->name, node + strcspn(node, "0123456789") };
	char path[PATH_MAX];

	read_firmware_dir(dir, d->firmware, sizeof(d->firmware));
	for (size_t i = 0; i < ARRAY_LEN(files) && !d->firmware[0]; i++) {
		for (size_t k = 0; k < ARRAY_LEN(ids) && !d->firmware[0]; k++) {
			snprintf(path, sizeof(path), "%s/sys/kernel/debug/accel/%s", root, ids[k]);
			if (ids[k][0])
				line_at(path, files[i], d->firmware, sizeof(d->firmware));
		}
	}
}

/* "1002:744c", of two files that say 0x1002 and 0x744c. */
static void read_pair(const char *dir, const char *first, const char *second, char pair[16])
{
	char a[16] = "", b[16] = "";

	line_at(dir, first, a, sizeof(a));
	line_at(dir, second, b, sizeof(b));
	if (strncmp(a, "0x", 2) == 0 && strncmp(b, "0x", 2) == 0)
		snprintf(pair, 16, "%.6s:%.6s", a + 2, b + 2);
}

/* What /proc/driver/nvidia says of the device: "Model:  NVIDIA H100", lines of that form. */
static void read_nvidia(struct device *d, const char *root)
{
	const struct {
		const char *key;
		char *to;
		size_t n;
	} known[] = {
		{ "Model:", d->model, sizeof(d->model) },
		{ "GPU UUID:", d->uuid, sizeof(d->uuid) },
		{ "Video BIOS:", d->vbios, sizeof(d->vbios) },
		{ "GPU Firmware:", d->firmware, sizeof(d->firmware) },
	};
	char path[PATH_MAX], line[256];
	struct xtr_lines l;

	snprintf(path, sizeof(path), "%s" NVIDIA "/%.64s/information", root, d->name);
	if (xtr_lines_open(&l, path))
		return;
	while (xtr_lines_next(&l, line, sizeof(line))) {
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < ARRAY_LEN(known); i++) {
			size_t n = strlen(known[i].key);
			const char *value = line + n + strspn(line + n, " \t");

			/* A device that was not initialized has question marks. */
			if (!strncmp(line, known[i].key, n) && !strchr(value, '?'))
				copy(known[i].to, known[i].n, value);
		}
	}
	(void)xtr_lines_close(&l);
}

/* The texts that amdgpu has in files of the device. */
static void read_texts(struct device *d, const char *dir)
{
	line_at(dir, "product_name", d->model, sizeof(d->model));
	line_at(dir, "unique_id", d->uuid, sizeof(d->uuid));
	line_at(dir, "vbios_version", d->vbios, sizeof(d->vbios));
}

/* dir: of the device in sysfs. node: one of its nodes, "" if it has none. */
static void read_device(struct device *d, const char *root, const char *dir, const char *node)
{
	char path[PATH_MAX], revision[16] = "";

	link_name(dir, "driver", d->driver, sizeof(d->driver));
	read_pair(dir, "vendor", "device", d->pci_id);
	read_pair(dir, "subsystem_vendor", "subsystem_device", d->subsystem);
	if (line_at(dir, "revision", revision, sizeof(revision)) && !strncmp(revision, "0x", 2))
		copy(d->revision, sizeof(d->revision), revision + 2);
	if (d->driver[0]) {
		snprintf(path, sizeof(path), "%s/sys/module/%s", root, d->driver);
		line_at(path, "version", d->version, sizeof(d->version));
		line_at(path, "srcversion", d->srcversion, sizeof(d->srcversion));
	}
	read_texts(d, dir);
	read_firmware(d, root, dir, node);
	read_nvidia(d, root);
}

/* "card0", "renderD128", "accel0"; not "card0-HDMI-A-1". */
static bool is_node(const char *name)
{
	size_t n = strcspn(name, "0123456789");

	return n && name[n] && !name[n + strspn(name + n, "0123456789")] &&
	       isalpha((unsigned char)*name);
}

/* The device of this name, a new one if it is not there; NULL: there is no room. */
static struct device *device_of(struct devices *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	if (all->n == DEVICES_MAX)
		return NULL;
	copy(all->v[all->n].name, sizeof(all->v[0].name), name);
	return &all->v[all->n++];
}

static void add_node(struct devices *all, const char *class_dir, const char *node)
{
	char dir[PATH_MAX], name[128];
	const size_t before = all->n;
	struct device *d;

	snprintf(dir, sizeof(dir), "%s/%.64s", class_dir, node);
	if (!link_name(dir, "device", name, sizeof(name)))
		return;
	d = device_of(all, name);
	if (!d)
		return;
	snprintf(dir, sizeof(dir), "%s/%.64s/device", class_dir, node);
	if (all->n > before)
		read_device(d, all->root, dir, node);
	if (d->n_nodes < NODES_MAX)
		copy(d->nodes[d->n_nodes++], sizeof(d->nodes[0]), node);
}

/* A device of NVIDIA's driver that has no DRM node: nvidia-drm is not loaded. */
static void add_nvidia(struct devices *all, const char *dir, const char *name)
{
	char path[PATH_MAX];
	const size_t before = all->n;
	struct device *d = device_of(all, name);

	(void)dir;
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%.64s", all->root, name);
	if (d && all->n > before)
		read_device(d, all->root, path, "");
}

static bool is_pci(const char *name)
{
	return name[0] != '.' && strspn(name, "0123456789abcdef:.") == strlen(name);
}

static void find_devices(struct devices *all)
{
	static const struct {
		const char *dir;
		bool (*is)(const char *name);
		void (*add)(struct devices *all, const char *dir, const char *name);
	} places[] = {
		{ "/sys/class/drm", is_node, add_node },
		{ "/sys/class/accel", is_node, add_node },
		{ NVIDIA, is_pci, add_nvidia },
	};
	struct dirent **list;
	char dir[PATH_MAX];
	int n;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(dir, sizeof(dir), "%s%s", all->root, places[i].dir);
		n = scandir(dir, &list, NULL, versionsort);
		for (int k = 0; k < n; k++) {
			if (places[i].is(list[k]->d_name))
				places[i].add(all, dir, list[k]->d_name);
			free(list[k]);
		}
		if (n >= 0)
			free(list);
	}
}

static const char *or_null(const char *s)
{
	return s[0] ? s : NULL;
}

/* The devices that there are; NULL: no memory. */
static struct devices *all_devices(const char *root)
{
	struct devices *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->root = root;
	find_devices(all);
	return all;
}

int xtr_device_facts(struct xtr_meta *meta, const char *root)
{
	struct devices *all = all_devices(root);
	const char *nodes[NODES_MAX];
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < all->n; i++) {
		const struct device *d = &all->v[i];
		struct xtr_device dev = { .name = d->name,
					  .driver = or_null(d->driver),
					  .pci_id = or_null(d->pci_id),
					  .driver_version = or_null(d->version),
					  .firmware = or_null(d->firmware),
					  .driver_srcversion = or_null(d->srcversion),
					  .subsystem = or_null(d->subsystem),
					  .revision = or_null(d->revision),
					  .model = or_null(d->model),
					  .vbios = or_null(d->vbios),
					  .uuid = or_null(d->uuid),
					  .nodes = nodes,
					  .n_nodes = d->n_nodes };

		for (size_t k = 0; k < d->n_nodes; k++)
			nodes[k] = d->nodes[k];
		err = xtr_meta_add_device(meta, &dev);
	}
	free(all);
	return err;
}

size_t xtr_facts_n_devices(void)
{
	struct devices *all = all_devices("");
	size_t n = all ? all->n : 0;

	free(all);
	return n;
}
