/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor_calls.h"
#include "recorder/groups/groups.h"
#include "recorder/host/util.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KPROBE_SESSION 56 /* enum bpf_attach_type of Linux 6.10 */
#define PCI_DEVICES    "/sys/bus/pci/devices"
#define PCI_ACCEL      "0x1200" /* class: processing accelerator */

/* A program that does nothing; -errno. */
static int load_nothing(uint32_t attach_type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type);
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "xtr_probe", "Dual BSD/GPL", insns,
			       ARRAY_LEN(insns), &opts);

	return fd < 0 ? -errno : fd;
}

/*
 * Attach to a list of addresses that cannot be read: a kernel that can attach in this way looks for
 * the list (EFAULT), another one has no such way (EINVAL, EOPNOTSUPP).
 */
static int try_multi(uint32_t attach_type)
{
	union bpf_attr attr;
	int prog = load_nothing(attach_type), fd, err;

	if (prog < 0)
		return prog;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (__u32)prog;
	attr.link_create.attach_type = attach_type;
	attr.link_create.kprobe_multi.cnt = 1;
	attr.link_create.kprobe_multi.addrs = 1;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	err = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	close(prog);
	return err == -EFAULT ? 0 : err ? err : -EINVAL;
}

static void set(struct xtr_check *c, int err, const char *ok, const char *missing,
		const char *remedy)
{
	c->state = err ? XTR_CHECK_WARN : XTR_CHECK_OK;
	if (err == -EPERM)
		snprintf(c->detail, sizeof(c->detail), "cannot be tried: %s", strerror(-err));
	else
		snprintf(c->detail, sizeof(c->detail), "%s", err ? missing : ok);
	c->remedy = err == -EPERM ? "the privilege above" : remedy;
}

/* Probes by perf event: the kernel has the event source, and loads programs for it. */
static int try_source(const char *path)
{
	int fd;

	if (access(path, F_OK))
		return -ENOENT;
	fd = load_nothing(0);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void xtr_check_kprobes(struct xtr_check *c)
{
	set(c, try_source("/sys/bus/event_source/devices/kprobe"), "kernel functions can be probed",
	    "this kernel has none",
	    "functions of the kernel (-e func:..., group npu) need a kernel with CONFIG_KPROBES=y and CONFIG_KPROBE_EVENTS=y");
}

void xtr_check_kprobe_multi(struct xtr_check *c)
{
	set(c, try_multi(BPF_TRACE_KPROBE_MULTI), "many functions are attached at once",
	    "this kernel has none",
	    "functions are attached one by one, which takes longer and costs more per call: Linux 5.18 with CONFIG_FPROBE=y has it");
}

void xtr_check_kprobe_session(struct xtr_check *c)
{
	set(c, try_multi(KPROBE_SESSION), "entry and return share one attachment",
	    "this kernel has none",
	    "returns of functions cost more without it: Linux 6.10 with CONFIG_FPROBE=y has it");
}

void xtr_check_uprobes(struct xtr_check *c)
{
	set(c, try_source("/sys/bus/event_source/devices/uprobe"), "libraries can be probed",
	    "this kernel has none",
	    "API calls (-e api:...) need a kernel with CONFIG_UPROBES=y and CONFIG_UPROBE_EVENTS=y");
}

static bool file_begins(const char *device, const char *name, const char *text)
{
	char path[PATH_MAX], line[64];

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/%s", device, name);
	return xtr_read_line(path, line, sizeof(line)) && !strncmp(line, text, strlen(text));
}

static bool has_driver(const char *device)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/driver", device);
	return access(path, F_OK) == 0;
}

/* NPUs on the PCI bus, and how many of them a driver has taken. */
static size_t count_npus(size_t *driven)
{
	DIR *dir = opendir(PCI_DEVICES);
	struct dirent *d;
	size_t n = 0;

	*driven = 0;
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || !file_begins(d->d_name, "vendor", "0x8086") ||
		    !file_begins(d->d_name, "class", PCI_ACCEL))
			continue;
		n++;
		*driven += has_driver(d->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

void xtr_check_npu(struct xtr_check *c)
{
	bool loaded = xtr_module_loaded("intel_vpu");
	size_t driven, n = count_npus(&driven);

	c->state = n > driven ? XTR_CHECK_WARN : XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%zu found, module intel_vpu is %sloaded", n,
		 loaded ? "" : "not ");
	if (n > driven && loaded)
		c->remedy =
			"the driver has not taken it: its messages (dmesg) say why, often firmware that is missing";
	else
		c->remedy = "load its driver: modprobe intel_vpu";
}
