/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor.h"
#include "doctor_calls.h"
#include "recorder/ftrace/instance.h"
#include "recorder/host/caps.h"
#include "recorder/host/kallsyms.h"
#include "recorder/host/device_facts.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"
#include "recorder/salvage/pin.h"
#include "recorder/salvage/salvage.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

/* --- doctor left ------------------------------------------------------------------------------ */

/* Where pins go: in the directory, or where that is to be made. */
static int may_pin(void)
{
	int err = xtr_access(XTR_PIN_DIR, W_OK | X_OK);

	return err == -ENOENT ? xtr_access(XTR_PIN_ROOT, W_OK | X_OK) : err;
}

/* Checks about recorders that are killed. */
static void xtr_check_bpffs(struct xtr_check *c)
{
	struct statfs fs;
	bool there = statfs(XTR_PIN_ROOT, &fs) == 0 && (unsigned long)fs.f_type == BPF_FS_MAGIC;
	bool ok = there && may_pin() == 0;

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%s%s",
		 ok      ? XTR_PIN_ROOT
		 : there ? XTR_PIN_ROOT " cannot be written"
			 : "none at " XTR_PIN_ROOT,
		 ok ? "" : ": what a killed recorder has not written is lost");
	c->remedy = there ? "run as root" : "mount -t bpf bpf " XTR_PIN_ROOT;
}

static void xtr_check_left(struct xtr_check *c)
{
	uint64_t events = 0, bytes = 0;
	struct xtr_leftover *v;
	size_t n, dead = 0;

	if (xtr_leftovers(&v, &n)) {
		snprintf(c->detail, sizeof(c->detail), "what they left cannot be looked at");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i].alive)
			continue;
		dead++;
		events += v[i].events;
		bytes += v[i].bytes;
	}
	free(v);
	snprintf(c->detail, sizeof(c->detail), "none has left anything");
	if (!dead)
		return;
	c->state = XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail),
		 "%zu left %" PRIu64 " events in %" PRIu64 " KiB of kernel memory", dead, events,
		 bytes >> 10);
	c->remedy = "'xtr recover --killed' shows how to collect or drop it";
}

/* --- doctor ----------------------------------------------------------------------------------- */

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux"

static bool have_bpf_caps(void)
{
	return xtr_cap_have(CAP_SYS_ADMIN) || (xtr_cap_have(CAP_BPF) && xtr_cap_have(CAP_PERFMON));
}

static void check_privilege(struct xtr_check *c)
{
	bool ok = have_bpf_caps();

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_MISSING;
	if (ok)
		snprintf(c->detail, sizeof(c->detail), "%s",
			 xtr_cap_have(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : "CAP_BPF and CAP_PERFMON");
	else
		snprintf(c->detail, sizeof(c->detail), "%s%s",
			 xtr_cap_have(CAP_BPF) ? "" : "no CAP_BPF",
			 xtr_cap_have(CAP_PERFMON) ? "" : ", no CAP_PERFMON");
	c->remedy =
		"run as root, or give xtr the capabilities CAP_BPF (to load programs) and CAP_PERFMON (to attach them to tracepoints)";
}

static void check_kernel(struct xtr_check *c)
{
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(c->detail, sizeof(c->detail), "%.64s %.32s", u.release, u.machine);
}

/* Value of CONFIG_name by the kernel's own list, where it is readable. */
static bool config_off(const char *name)
{
	char path[160], line[64], cmp[128];
	struct utsname u;
	char *text;
	size_t n;
	bool off;

	if (uname(&u))
		return false;
	snprintf(path, sizeof(path), "/boot/config-%.120s", u.release);
	if (xtr_read_file(path, 4u << 20, &text, &n))
		return false;
	snprintf(line, sizeof(line), "%s=y", name);
	snprintf(cmp, sizeof(cmp), "\n%s", line);
	off = strstr(text, cmp) == NULL;
	free(text);
	return off;
}

static void check_btf(struct xtr_check *c)
{
	bool ok = access(VMLINUX_BTF, R_OK) == 0;

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_MISSING;
	snprintf(c->detail, sizeof(c->detail), "%s%s", ok ? VMLINUX_BTF : "no " VMLINUX_BTF,
		 !ok && config_off("CONFIG_DEBUG_INFO_BTF") ? " (CONFIG_DEBUG_INFO_BTF is off)"
							    : "");
	c->remedy =
		"use a kernel built with CONFIG_DEBUG_INFO_BTF=y (all Debian kernels since 11 are)";
}

static void check_ring(struct xtr_check *c)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "xtr_probe", 0, 0,
				(uint32_t)sysconf(_SC_PAGESIZE), NULL);

	c->state = fd >= 0 ? XTR_CHECK_OK : XTR_CHECK_MISSING;
	snprintf(c->detail, sizeof(c->detail), "%s",
		 fd >= 0 ? "a ring buffer can be made" : strerror(errno));
	c->remedy = "Linux 5.8 or newer, and the privilege above";
	if (fd >= 0)
		close(fd);
}

static int load_trivial(enum bpf_prog_type type, int32_t helper)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = helper },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "xtr_probe", "Dual BSD/GPL", insns, ARRAY_LEN(insns), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void check_raw_tp(struct xtr_check *c)
{
	int err = load_trivial(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_ktime_get_ns);

	c->state = err ? XTR_CHECK_MISSING : XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%s", err ? strerror(-err) : "programs load");
	c->remedy =
		"a kernel with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS, and the privilege above";
}

static void check_tp(struct xtr_check *c)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "xtr_probe", "Dual BSD/GPL", insns,
			       ARRAY_LEN(insns), NULL);

	c->state = fd >= 0 ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%s", fd >= 0 ? "programs load" : strerror(errno));
	c->remedy = "-e for other events than the built-in ones needs Linux 5.15 or newer";
	if (fd >= 0)
		close(fd);
}

static void check_tracefs(struct xtr_check *c)
{
	char path[160];
	const char *dir;
	int err;

	dir = xtr_tracefs_dir(&err);
	c->state = XTR_CHECK_WARN;
	c->remedy =
		"run as root, or with CAP_DAC_READ_SEARCH and tracefs mounted: mount -t tracefs tracefs /sys/kernel/tracing";
	if (!dir) {
		snprintf(c->detail, sizeof(c->detail), "not mounted: %s", strerror(-err));
		return;
	}
	snprintf(path, sizeof(path), "%s/events", dir);
	err = xtr_access(path, R_OK | X_OK);
	if (err) {
		snprintf(c->detail, sizeof(c->detail), "%.64s: %s", path, strerror(-err));
		return;
	}
	c->state = XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%s", dir);
}

/* What is not there costs more, and nothing else. */
static void check_trace_ring(struct xtr_check *c)
{
	char name[XTR_INSTANCE_NAME];
	struct xtr_instance in;
	uint64_t id;
	int err = xtr_draw_id(&id);

	xtr_instance_name(name, id, "");
	if (!err)
		err = xtr_instance_new(&in, name);
	if (!err)
		err = xtr_instance_remove(&in);
	c->state = err ? XTR_CHECK_WARN : XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%s%s",
		 err ? "events by name are recorded by BPF programs: "
		     : "a trace instance can be made: events by name go through it",
		 err ? strerror(-err) : "");
	c->remedy = "run as root: events by name cost less through a trace instance (--engine)";
}

static void check_kallsyms(struct xtr_check *c)
{
	bool ok = xtr_kallsyms_shown();

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "addresses are %s", ok ? "shown" : "hidden");
	c->remedy =
		"names of fence operations and kernel stacks need CAP_SYSLOG (or kernel.kptr_restrict=0)";
}

static void check_others(struct xtr_check *c)
{
	bool ok = xtr_cap_have(CAP_SYS_PTRACE);

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%s", ok ? "may be looked at" : "no CAP_SYS_PTRACE");
	c->remedy =
		"names in stacks (--stack), and libraries (-e api:...) that only they have loaded, need CAP_SYS_PTRACE";
}

static void check_lockdown(struct xtr_check *c)
{
	char line[128] = "";
	bool bad;

	xtr_read_line("/sys/kernel/security/lockdown", line, sizeof(line));
	bad = strstr(line, "[confidentiality]") != NULL;
	c->state = bad ? XTR_CHECK_MISSING : XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%s", line[0] ? line : "none");
	c->remedy =
		"lockdown=confidentiality forbids reading kernel memory: boot with integrity or none";
}

static void check_perf(struct xtr_check *c)
{
	bool bad = xtr_perf_forbidden();

	c->state = bad ? XTR_CHECK_WARN : XTR_CHECK_OK;
	snprintf(c->detail, sizeof(c->detail), "%s",
		 bad ? "kernel.perf_event_paranoid is above 2" : "may be opened with CAP_PERFMON");
	c->remedy =
		"tracepoints by name (-e), and functions where they are attached one by one, need kernel.perf_event_paranoid=2 here, or CAP_SYS_ADMIN";
}

static void check_devices(struct xtr_check *c)
{
	size_t n = xtr_facts_n_devices();

	c->state = n ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%zu with a DRM or accel driver", n);
	c->remedy = "load the driver of the GPU or NPU";
}

static void check_sched(struct xtr_check *c)
{
	const char *why = "";
	bool ok = false;

	for (size_t i = 0; i < xtr_n_hooks && !ok; i++) {
		if (strcmp(xtr_hooks[i].system, "gpu_scheduler") == 0)
			ok = xtr_hook_state(&xtr_hooks[i], &why) == XTR_HOOK_AVAILABLE;
	}
	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%s",
		 ok    ? "tracepoints are there"
		 : why ? why
		       : "missing");
	c->remedy =
		"load a driver that uses it (amdgpu, xe, nouveau, panfrost, ...); i915 and nvidia do not";
}

static void check_sched_btf(struct xtr_check *c)
{
	bool loaded = access("/sys/module/gpu_sched", F_OK) == 0;
	bool built_in = loaded && access("/sys/module/gpu_sched/initstate", F_OK) != 0;
	bool ok = access("/sys/kernel/btf/gpu_sched", F_OK) == 0 || built_in;

	c->state = ok || !loaded ? XTR_CHECK_OK : XTR_CHECK_MISSING;
	snprintf(c->detail, sizeof(c->detail), "%s",
		 ok       ? "/sys/kernel/btf/gpu_sched"
		 : loaded ? "no /sys/kernel/btf/gpu_sched"
			  : "gpu_sched is not loaded");
	c->remedy = "use a kernel built with CONFIG_DEBUG_INFO_BTF_MODULES=y";
}

static const struct {
	const char *name;
	void (*run)(struct xtr_check *c);
} table[] = {
	{ "kernel", check_kernel },
	{ "privilege", check_privilege },
	{ "lockdown", check_lockdown },
	{ "kernel types (BTF)", check_btf },
	{ "BPF ring buffer", check_ring },
	{ "raw tracepoints", check_raw_tp },
	{ "tracepoints", check_tp },
	{ "tracefs", check_tracefs },
	{ "trace ring", check_trace_ring },
	{ "kernel symbols", check_kallsyms },
	{ "other users' programs", check_others },
	{ "perf events", check_perf },
	{ "GPU and NPU devices", check_devices },
	{ "DRM scheduler", check_sched },
	{ "DRM scheduler types", check_sched_btf },
	{ "kprobes", xtr_check_kprobes },
	{ "kprobe.multi", xtr_check_kprobe_multi },
	{ "kprobe.session", xtr_check_kprobe_session },
	{ "uprobes", xtr_check_uprobes },
	{ "Intel NPU", xtr_check_npu },
	{ "BPF file system", xtr_check_bpffs },
	{ "dead recorders", xtr_check_left },
};
_Static_assert(ARRAY_LEN(table) <= XTR_CHECKS_MAX, "XTR_CHECKS_MAX");

static int silent(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

size_t xtr_doctor(struct xtr_check checks[XTR_CHECKS_MAX])
{
	libbpf_print_fn_t before = libbpf_set_print(silent);

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		checks[i] = (struct xtr_check){ .name = table[i].name };
		table[i].run(&checks[i]);
		if (checks[i].state == XTR_CHECK_OK)
			checks[i].remedy = NULL;
	}
	libbpf_set_print(before);
	return ARRAY_LEN(table);
}

static int say(struct xtr_record_err *err, int code, const char *what, const char *hint)
{
	err->code = code;
	err->kind = XTR_FAIL_MACHINE;
	snprintf(err->what, sizeof(err->what), "%s", what);
	snprintf(err->hint, sizeof(err->hint), "%s", hint);
	return code;
}

int xtr_doctor_require(const struct xtr_record_opts *opts, struct xtr_record_err *err)
{
	struct xtr_check c = { 0 };
	char what[256];

	(void)opts;
	check_privilege(&c);
	if (c.state != XTR_CHECK_OK) {
		snprintf(what, sizeof(what),
			 "recording needs privileges that this process lacks: %s",
			 c.detail[0] == ',' ? c.detail + 2 : c.detail);
		return say(err, -EPERM, what, c.remedy);
	}
	check_lockdown(&c);
	if (c.state != XTR_CHECK_OK)
		return say(err, -EPERM, "the kernel is locked down (confidentiality)", c.remedy);
	check_btf(&c);
	if (c.state != XTR_CHECK_OK) {
		snprintf(what, sizeof(what), "this kernel does not describe its types (BTF): %s",
			 c.detail);
		return say(err, -ENOSYS, what, c.remedy);
	}
	return 0;
}

/* Functions are in the list only where they were asked for. */
static bool is_call(const struct xtr_hook_result *r)
{
	return strncmp(r->info.name, "func:", 5) == 0 || strncmp(r->info.name, "api:", 4) == 0;
}

int xtr_doctor_no_events(const struct xtr_record_opts *opts, const struct xtr_hook_result *results,
			 size_t n, struct xtr_record_err *err)
{
	char what[256];

	for (size_t i = 0; i < n; i++) {
		bool refused = results[i].info.state == XTR_PROVIDER_REFUSED;

		if (!refused && !is_call(&results[i]))
			continue;
		snprintf(what, sizeof(what), "%.80s%s: %.160s", results[i].info.name,
			 refused ? ": refused" : "", results[i].why);
		return say(err, -ENOSYS, what,
			   refused ? "'xtr doctor' shows what this machine lacks"
				   : "'xtr list' shows what it has; calls by 'xtr list "
				     "func:MODULE:GLOB' and 'xtr list api:LIBRARY:GLOB'");
	}
	if (opts->n_events)
		return say(err, -ENODEV, "this machine has none of the events asked for",
			   "'xtr list' shows what it has");
	return say(err, -ENODEV, "this machine has no GPU or NPU events to record",
		   "load the driver, or choose events with -e ('xtr list' shows them)");
}
