/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.txt, cmdline.txt: only what is named here is taken, never the host's name or a serial
 * number. */
#include "gather.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

/* A line "KEY<separator>VALUE" of a file; the first that has the key. */
struct fact {
	const char *label, *file, *key, *separator;
};

/* key NULL: the first line is it. */
static const struct fact facts[] = {
	{ "distribution", "/etc/os-release", "PRETTY_NAME", "=" },
	{ "processor", "/proc/cpuinfo", "model name", ":" },
	{ "memory", "/proc/meminfo", "MemTotal", ":" },
	{ "tainted", "/proc/sys/kernel/tainted", NULL, NULL },
	{ "vendor", "/sys/class/dmi/id/sys_vendor", NULL, NULL },
	{ "product", "/sys/class/dmi/id/product_name", NULL, NULL },
	{ "board", "/sys/class/dmi/id/board_name", NULL, NULL },
	{ "BIOS version", "/sys/class/dmi/id/bios_version", NULL, NULL },
	{ "BIOS date", "/sys/class/dmi/id/bios_date", NULL, NULL },
};

static bool value_of(const char *text, const struct fact *k, char *value, size_t n)
{
	const size_t len = strlen(k->key);

	for (const char *p = text, *end; *p; p = *end ? end + 1 : end) {
		const char *v = p + len;

		end = p + strcspn(p, "\n");
		if (strncmp(p, k->key, len) != 0)
			continue;
		v += strspn(v, " \t");
		if (*v != *k->separator)
			continue;
		v += 1 + strspn(v + 1, " \t\"");
		snprintf(value, n, "%.*s", (int)(end > v ? end - v : 0), v);
		value[strcspn(value, "\"")] = 0;
		return true;
	}
	return false;
}

static int fact(const char *root, const struct fact *k, FILE *f)
{
	char value[GATHER_LINE] = "";
	struct xtr_buf b = { 0 };
	int err;

	if (!k->key) {
		if (gather_line(root, k->file, value, sizeof(value)) && *value)
			fprintf(f, "%s: %s\n", k->label, value);
		return 0;
	}
	/* Of /proc/cpuinfo the beginning is enough. */
	err = gather_file(root, k->file, 16384, &b);
	xtr_buf_add(&b, "", 1);
	if (!b.err && value_of((const char *)b.p, k, value, sizeof(value)))
		fprintf(f, "%s: %s\n", k->label, value);
	err = err == -ENOMEM ? err : b.err;
	xtr_buf_free(&b);
	return err;
}

int gather_machine(struct gather *g)
{
	struct xtr_buf b = { 0 };
	FILE *f = xtr_memory_stream(&b);
	struct utsname u;
	int err = f ? 0 : -ENOMEM;

	if (f && !uname(&u))
		fprintf(f, "kernel: %s %s %s %s\n", u.sysname, u.release, u.version, u.machine);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && !err; i++)
		err = fact(g->b->root, &facts[i], f);
	if (f) {
		err = err ? err : xtr_memory_flush(f, &b);
		fclose(f);
	}
	if (!err)
		err = xtr_bundle_add_text(g->b, g->s, "machine.txt",
					  "uname, /etc, /proc, /sys/class/dmi", &b);
	xtr_buf_free(&b);
	return err;
}

int gather_cmdline(struct gather *g)
{
	static const char path[] = "/proc/cmdline";
	struct xtr_buf b = { 0 };
	int err = gather_file(g->b->root, path, GATHER_FILE, &b);

	if (err && err != -ENOMEM)
		err = xtr_bundle_unread(g->b, g->s, "", path, err);
	else if (!err)
		err = xtr_bundle_add_text(g->b, g->s, "cmdline.txt", path, &b);
	xtr_buf_free(&b);
	return err;
}
