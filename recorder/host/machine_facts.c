/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine_facts.h"
#include "device_facts.h"
#include "util.h"

#include "base/siphash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

/*
 * The id is the key, of 128 bits, so that it cannot be found from what is written (spec 6.2). The
 * file says "uninitialized" in images, and has nothing in some containers.
 */
bool xtr_machine_id(const char *line, char id[XTR_MACHINE_ID])
{
	static const uint64_t words[] = { 0x312d64692d727478ull, 0x322d64692d727478ull };
	struct xtr_siphash_key key = { 0 };
	unsigned int byte;

	if (strspn(line, "0123456789abcdef") != 32 || line[32])
		return false;
	for (size_t i = 0; i < 16; i++) {
		if (sscanf(line + 2 * i, "%2x", &byte) != 1)
			return false;
		*(i < 8 ? &key.k0 : &key.k1) |= (uint64_t)byte << 8 * (i % 8);
	}
	if (!key.k0 && !key.k1)
		return false;
	snprintf(id, XTR_MACHINE_ID, "%016" PRIx64 "%016" PRIx64, xtr_siphash(&key, words[0]),
		 xtr_siphash(&key, words[1]));
	return true;
}

static int set_system(struct xtr_meta *meta)
{
	char guest[128], host[256] = "", own[64], id[XTR_MACHINE_ID];
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
	if (xtr_read_line("/etc/machine-id", own, sizeof(own)) && xtr_machine_id(own, id))
		sys.machine_id = id;
	return xtr_meta_set_system(meta, &sys);
}

int xtr_facts_collect(struct xtr_meta *meta)
{
	return set_clock(meta) ?: set_system(meta) ?: xtr_device_facts(meta, "");
}
