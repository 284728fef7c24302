/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine_facts.h"
#include "util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DEVICES_MAX 64
#define NODES_MAX   16

struct device {
	char name[128], driver[64], pci_id[16], version[64], firmware[512];
	char nodes[NODES_MAX][32];
	size_t n_nodes;
};

struct devices {
	struct device v[DEVICES_MAX];
	size_t n;
};

static int set_clock(struct xtr_meta *meta)
{
	char text[64] = "";
	uint8_t boot_id[16] = { 0 };
	struct timespec res = { 0, 1 };
	unsigned int byte;
	const char *p = text;

	xtr_read_line("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	for (size_t i = 0; i < sizeof(boot_id) && *p; i++) {
		p += *p == '-';
		if (sscanf(p, "%2x", &byte) != 1)
			break;
		boot_id[i] = (uint8_t)byte;
		p += 2;
	}
	clock_getres(CLOCK_MONOTONIC, &res);
	return xtr_meta_set_clock(meta, "monotonic", boot_id, (uint64_t)res.tv_nsec);
}

/* Name of the hypervisor, if the CPU says that there is one. */
static bool hypervisor(char *buf, size_t n)
{
	static const char *const places[] = { "/sys/hypervisor/type",
					      "/sys/class/dmi/id/sys_vendor",
					      "/sys/class/dmi/id/product_name" };
	char *text;
	size_t len;
	bool is_guest;

	if (xtr_read_file("/proc/cpuinfo", 16u << 20, &text, &len))
		return false;
	is_guest = strstr(text, " hypervisor") != NULL;
	free(text);
	if (!is_guest)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (xtr_read_line(places[i], buf, n))
			return true;
	}
	snprintf(buf, n, "unknown");
	return true;
}

static int set_system(struct xtr_meta *meta)
{
	char guest[128], host[256] = "";
	struct utsname u;
	struct xtr_system sys = { 0 };

	if (uname(&u))
		return -errno;
	sys.release = u.release;
	sys.version = u.version;
	sys.machine = u.machine;
	sys.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	sys.page = (uint32_t)sysconf(_SC_PAGESIZE);
	sys.hypervisor = hypervisor(guest, sizeof(guest)) ? guest : NULL;
	sys.hostname = gethostname(host, sizeof(host) - 1) == 0 ? host : NULL;
	return xtr_meta_set_system(meta, &sys);
}

/* Copy what fits. */
static void copy(char *buf, size_t n, const char *text)
{
	size_t len = strnlen(text, n - 1);

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

/* amdgpu: one file per firmware in DEVICE/fw_version. */
static void read_firmware_dir(const char *dir, char *buf, size_t n)
{
	char path[PATH_MAX], line[64];
	struct dirent *e;
	size_t len = 0;
	int put = snprintf(path, sizeof(path), "%s/fw_version", dir);
	DIR *d = put > 0 && (size_t)put < sizeof(path) ? opendir(path) : NULL;

	while (d && (e = readdir(d)) && len < n) {
		if (e->d_name[0] == '.' || !line_at(path, e->d_name, line, sizeof(line)))
			continue;
		put = snprintf(buf + len, n - len, "%s%s=%s", len ? " " : "", e->d_name, line);
		len += put > 0 ? (size_t)put : 0;
	}
	if (d)
		closedir(d);
}

/* intel_vpu tells in debugfs, by device name or by number. */
static void read_firmware(struct device *d, const char *dir, const char *node)
{
	static const char *const files[] = { "fw_version", "fw_name" };
	const char *ids[] = { d->name, node + strcspn(node, "0123456789") };
	char path[256];

	read_firmware_dir(dir, d->firmware, sizeof(d->firmware));
	for (size_t i = 0; i < ARRAY_LEN(files) && !d->firmware[0]; i++) {
		for (size_t k = 0; k < ARRAY_LEN(ids) && !d->firmware[0]; k++) {
			snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s", ids[k]);
			line_at(path, files[i], d->firmware, sizeof(d->firmware));
		}
	}
}

static void read_device(struct device *d, const char *dir, const char *node)
{
	char path[128], vendor[16] = "", device[16] = "";

	link_name(dir, "driver", d->driver, sizeof(d->driver));
	line_at(dir, "vendor", vendor, sizeof(vendor));
	line_at(dir, "device", device, sizeof(device));
	if (strncmp(vendor, "0x", 2) == 0 && strncmp(device, "0x", 2) == 0)
		snprintf(d->pci_id, sizeof(d->pci_id), "%.6s:%.6s", vendor + 2, device + 2);
	if (d->driver[0]) {
		snprintf(path, sizeof(path), "/sys/module/%s", d->driver);
		line_at(path, "version", d->version, sizeof(d->version));
	}
	read_firmware(d, dir, node);
}

/* "card0", "renderD128", "accel0"; not "card0-HDMI-A-1". */
static bool is_node(const char *name)
{
	size_t n = strcspn(name, "0123456789");

	return n && name[n] && !name[n + strspn(name + n, "0123456789")] &&
	       isalpha((unsigned char)*name);
}

static void add_node(struct devices *all, const char *class_dir, const char *node)
{
	char dir[160], name[128];
	struct device *d = NULL;

	snprintf(dir, sizeof(dir), "%.64s/%.64s", class_dir, node);
	if (!link_name(dir, "device", name, sizeof(name)))
		return;
	strcat(dir, "/device");
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->v[i].name, name) == 0)
			d = &all->v[i];
	}
	if (!d) {
		if (all->n == DEVICES_MAX)
			return;
		d = &all->v[all->n++];
		snprintf(d->name, sizeof(d->name), "%s", name);
		read_device(d, dir, node);
	}
	if (d->n_nodes < NODES_MAX)
		copy(d->nodes[d->n_nodes++], sizeof(d->nodes[0]), node);
}

static void find_devices(struct devices *all)
{
	static const char *const classes[] = { "/sys/class/drm", "/sys/class/accel" };
	struct dirent **list;
	int n;

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		n = scandir(classes[i], &list, NULL, versionsort);
		for (int k = 0; k < n; k++) {
			if (is_node(list[k]->d_name))
				add_node(all, classes[i], list[k]->d_name);
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

static int set_devices(struct xtr_meta *meta)
{
	struct devices *all = calloc(1, sizeof(*all));
	const char *nodes[NODES_MAX];
	int err = all ? 0 : -ENOMEM;

	if (all)
		find_devices(all);
	for (size_t i = 0; !err && i < all->n; i++) {
		const struct device *d = &all->v[i];
		struct xtr_device dev = { .name = d->name,
					  .driver = or_null(d->driver),
					  .pci_id = or_null(d->pci_id),
					  .driver_version = or_null(d->version),
					  .firmware = or_null(d->firmware),
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
	struct devices *all = calloc(1, sizeof(*all));
	size_t n = 0;

	if (all) {
		find_devices(all);
		n = all->n;
	}
	free(all);
	return n;
}

int xtr_facts_collect(struct xtr_meta *meta)
{
	return set_clock(meta) ?: set_system(meta) ?: set_devices(meta);
}
