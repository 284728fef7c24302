/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/host/device_facts.h"
#include "recorder/host/machine_facts.h"

#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GPU    "/sys/bus/pci/devices/0000:03:00.0"
#define H100   "/sys/bus/pci/devices/0000:65:00.0"
#define NVIDIA "/proc/driver/nvidia/gpus/0000:65:00.0"

static char root[] = "/tmp/xtr-facts-XXXXXX";

/* A file of this machine, with the directories above it. */
static void put(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *at = path + sizeof(root); (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0700);
		*at = '/';
	}
	f = fopen(path, "w");
	cr_assert(f && fputs(text, f) >= 0 && !fclose(f), "%s", path);
}

static void put_link(const char *name, const char *to)
{
	char path[512];

	put(name, "");
	snprintf(path, sizeof(path), "%s%s", root, name);
	cr_assert(zero(int, unlink(path)));
	cr_assert(zero(int, symlink(to, path)));
}

static void begin(void)
{
	cr_assert(mkdtemp(root) != NULL);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void end(void)
{
	cr_assert(zero(int, nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS)));
}

static void text_is(const char *text, const char *want)
{
	cr_assert(text && !strcmp(text, want), "%s, not %s", text ? text : "none", want);
}

static const struct xtr_device *device(const struct xtr_meta *m, const char *name)
{
	for (size_t i = 0; i < xtr_meta_n_devices(m); i++)
		if (!strcmp(xtr_meta_device(m, i)->name, name))
			return xtr_meta_device(m, i);
	cr_assert(false, "no device %s", name);
	return NULL;
}

static void put_amdgpu(void)
{
	put(GPU "/vendor", "0x1002\n");
	put(GPU "/device", "0x744c\n");
	put(GPU "/subsystem_vendor", "0x1eae\n");
	put(GPU "/subsystem_device", "0x7901\n");
	put(GPU "/revision", "0xc8\n");
	put(GPU "/unique_id", "41d0a8b9c2f3e456\n");
	put(GPU "/vbios_version", "113-D7020100-102\n");
	put(GPU "/product_name", "Radeon RX 7900 XTX\n");
	put(GPU "/fw_version/smc_fw_version", "0x004e7e00\n");
	put_link(GPU "/driver", "../../../../bus/pci/drivers/amdgpu");
	put("/sys/module/amdgpu/srcversion", "AB12\n");
	put_link("/sys/class/drm/card0/device", "../../../bus/pci/devices/0000:03:00.0");
	put_link("/sys/class/drm/renderD128/device", "../../../bus/pci/devices/0000:03:00.0");
	put_link("/sys/class/drm/card0-DP-1/device", "../card0");
}

Test(device_facts, sysfs_tells_of_a_device, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();
	const struct xtr_device *d;

	put_amdgpu();
	cr_assert(zero(int, xtr_device_facts(m, root)));
	cr_assert(eq(sz, xtr_meta_n_devices(m), 1));
	d = device(m, "0000:03:00.0");
	text_is(d->driver, "amdgpu");
	text_is(d->pci_id, "1002:744c");
	text_is(d->subsystem, "1eae:7901");
	text_is(d->revision, "c8");
	text_is(d->uuid, "41d0a8b9c2f3e456");
	text_is(d->vbios, "113-D7020100-102");
	text_is(d->model, "Radeon RX 7900 XTX");
	text_is(d->firmware, "smc_fw_version=0x004e7e00");
	text_is(d->driver_srcversion, "AB12");
	cr_assert(eq(ptr, (void *)d->driver_version, NULL));
	cr_assert(eq(sz, d->n_nodes, 2));
	xtr_meta_free(m);
}

/* nvidia-drm need not be loaded: then the device has no node of DRM. */
Test(device_facts, proc_tells_of_nvidias_devices, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();
	const struct xtr_device *d;

	put_amdgpu();
	put(H100 "/vendor", "0x10de\n");
	put(H100 "/device", "0x2330\n");
	put_link(H100 "/driver", "../../../../bus/pci/drivers/nvidia");
	put("/sys/module/nvidia/version", "570.86.15\n");
	put(NVIDIA "/information", "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 10\n"
				   "GPU UUID: \t GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b\n"
				   "Video BIOS: \t ??.??.??.??.??\nGPU Firmware: \t 570.86.15\n");
	cr_assert(zero(int, xtr_device_facts(m, root)));
	cr_assert(eq(sz, xtr_meta_n_devices(m), 2));
	d = device(m, "0000:65:00.0");
	text_is(d->driver, "nvidia");
	text_is(d->driver_version, "570.86.15");
	text_is(d->pci_id, "10de:2330");
	text_is(d->model, "NVIDIA H100 80GB HBM3");
	text_is(d->uuid, "GPU-9221d5d1-b60b-a624-bf14-0a1819cfda3b");
	text_is(d->firmware, "570.86.15");
	cr_assert(eq(ptr, (void *)d->vbios, NULL), "question marks: not known");
	cr_assert(eq(sz, d->n_nodes, 0));
	xtr_meta_free(m);
}

/* As many as amdgpu has, and more than fit: none is cut. */
Test(device_facts, firmware_is_whole_and_in_order, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();
	char name[128], want[4096];
	const char *have;
	size_t n = 0;

	put_link("/sys/class/drm/card0/device", "../../../bus/pci/devices/0000:03:00.0");
	for (int i = 99; i >= 0; i--) {
		snprintf(name, sizeof(name), GPU "/fw_version/block%02d_fw_version", i);
		put(name, "0x12345678\n");
	}
	put(GPU "/fw_version/empty", "");
	cr_assert(zero(int, xtr_device_facts(m, root)));
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(want + n, sizeof(want) - n,
				      "%sblock%02d_fw_version=0x12345678", i ? " " : "", i);
	have = device(m, "0000:03:00.0")->firmware;
	n = strlen(have);
	cr_assert(gt(sz, n, 25 * 30), "those of a GPU fit: %zu bytes", n);
	cr_assert(zero(int, strncmp(have, want, n)), "%s", have);
	cr_assert(eq(chr, want[n], ' '), "%s", have + n - 40);
	xtr_meta_free(m);
}

/* Files that cannot be read, end too early, or hold what no driver writes. */
Test(device_facts, what_is_odd_is_left_out, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();
	const struct xtr_device *d;
	char longer[4000];
	uint8_t *bytes;
	size_t n;

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	put(GPU "/vendor", "0x1002\n");
	put(GPU "/device", "");
	put(GPU "/subsystem_vendor", "0x12345678901234567890\n");
	put(GPU "/subsystem_device", "0x1");
	put(GPU "/revision", "\n0xc8\n");
	put(GPU "/product_name", "\xff\xc3 \x1b[31m\n");
	put(GPU "/unique_id", longer);
	put(GPU "/vbios_version/a", "a directory");
	put(GPU "/fw_version", "no directory");
	put_link(GPU "/driver", "/");
	put_link("/sys/class/drm/card0/device", "../../../bus/pci/devices/0000:03:00.0");
	put_link("/sys/class/drm/card1/device", "..");
	put("/sys/class/drm/card2/device", "no link\n");
	put("/sys/class/drm/version", "drm 1.1.0\n");
	put("/proc/driver/nvidia/gpus/0000:65:00.0/information", "Model:");
	cr_assert(zero(int, xtr_device_facts(m, root)));
	d = device(m, "0000:03:00.0");
	cr_assert(eq(ptr, (void *)d->pci_id, NULL));
	text_is(d->subsystem, "123456:1");
	cr_assert(eq(ptr, (void *)d->revision, NULL));
	cr_assert(eq(ptr, (void *)d->driver, NULL));
	cr_assert(eq(ptr, (void *)d->vbios, NULL));
	cr_assert(eq(ptr, (void *)d->firmware, NULL));
	cr_assert(eq(sz, strlen(d->uuid), 63));
	cr_assert(eq(ptr, (void *)device(m, "0000:65:00.0")->model, NULL));
	cr_assert(zero(int, xtr_meta_encode(m, &bytes, &n)), "it can be written");
	free(bytes);
	xtr_meta_free(m);
}

Test(device_facts, more_devices_and_nodes_than_there_is_room_for, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();
	char name[64], to[64];

	for (int i = 0; i < 90; i++) {
		snprintf(name, sizeof(name), "/sys/class/accel/accel%d/device", i);
		snprintf(to, sizeof(to), "../dev%d", i < 20 ? 0 : i);
		put_link(name, to);
	}
	cr_assert(zero(int, xtr_device_facts(m, root)));
	cr_assert(eq(sz, xtr_meta_n_devices(m), 64));
	cr_assert(eq(sz, device(m, "dev0")->n_nodes, 16));
	text_is(device(m, "dev0")->nodes[15], "accel15");
	xtr_meta_free(m);
}

static int facts_of_root(void *arg)
{
	struct xtr_meta *m = arg;

	return xtr_device_facts(m, root);
}

Test(device_facts, every_allocation_may_fail, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();

	put_amdgpu();
	cr_assert(gt(u32, oom_each(facts_of_root, m, 0), 3));
	xtr_meta_free(m);
}

Test(device_facts, a_machine_without_devices, .init = begin, .fini = end)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(zero(int, xtr_device_facts(m, root)));
	cr_assert(eq(sz, xtr_meta_n_devices(m), 0));
	xtr_meta_free(m);
}

/* The number was made by another program, from the text of the specification. */
Test(machine_facts, the_machines_id_is_not_what_is_written)
{
	char id[XTR_MACHINE_ID], again[XTR_MACHINE_ID], other[XTR_MACHINE_ID];

	cr_assert(xtr_machine_id("000102030405060708090a0b0c0d0e0f", id));
	cr_assert(xtr_machine_id("000102030405060708090a0b0c0d0e0f", again));
	cr_assert(xtr_machine_id("000102030405060708090a0b0c0d0e0e", other));
	cr_assert(eq(str, id, again));
	cr_assert(zero(int, strcmp(id, "cc67c20ae20aea9b1ab678f1e65427e8")));
	cr_assert(ne(str, id, other));
	cr_assert(strstr(id, "000102") == NULL);
	cr_assert(not(xtr_machine_id("uninitialized", id)));
	cr_assert(not(xtr_machine_id("", id)));
	cr_assert(not(xtr_machine_id("00000000000000000000000000000000", id)));
	cr_assert(not(xtr_machine_id("000102030405060708090a0b0c0d0e0f0", id)));
	cr_assert(not(xtr_machine_id("000102030405060708090A0B0C0D0E0F", id)));
}
