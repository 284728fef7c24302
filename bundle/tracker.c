/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracker.h"

#include <string.h>

#define ROWS(table) .rows = (table), .n_rows = sizeof(table) / sizeof((table)[0])

#define HEADING(s)                                   \
	{                                            \
		.kind = XTR_ROW_HEADING, .text = (s) \
	}
#define LINE(s, f, must, get)                                                                    \
	{                                                                                        \
		.kind = XTR_ROW_LINE, .text = (s), .fact = (f), .demanded = (must), .how = (get) \
	}
#define QUESTION(s, must)                                                 \
	{                                                                 \
		.kind = XTR_ROW_QUESTION, .text = (s), .demanded = (must) \
	}
#define MEMBER(s, from, must, get)                                                         \
	{                                                                                  \
		.kind = XTR_ROW_MEMBER, .text = (s), .source = (from), .demanded = (must), \
		.how = (get)                                                               \
	}
#define SEEN                         \
	{                            \
		.kind = XTR_ROW_SEEN \
	}
#define FILES                         \
	{                             \
		.kind = XTR_ROW_FILES \
	}

#define GITLAB_LIMIT (100ull << 20) /* GitLab's default for attachments */
#define GITHUB_LIMIT                                                                 \
	(25ull << 20) /* docs.github.com, Attaching files: all but images and videos \
		       */

#define LOG_HOW     "dmesg > dmesg.txt (as root, before the machine is started again)"
#define INCLUDE_LOG "xtr bundle --include kmsg, or " LOG_HOW

/* The default issue form of gitlab.freedesktop.org/drm/amd: its headings and lines. */
static const struct xtr_form_row amd[] = {
	HEADING("## Brief summary of the problem:"),
	QUESTION(
		"What did you do, what did you expect, and what happened? Once, at random, or each time?",
		true),
	SEEN,
	HEADING("## Hardware description:"),
	LINE("CPU", XTR_FACT_CPU, true, "lscpu"),
	LINE("GPU", XTR_FACT_DEVICE, true, "lspci -nn | grep VGA"),
	LINE("System Memory", XTR_FACT_MEMORY, false, "free -h"),
	LINE("Display(s)", XTR_FACT_NONE, false, "model and resolution of each"),
	LINE("Type of Display Connection", XTR_FACT_NONE, false,
	     "DP, HDMI, DVI, ...: grep . /sys/class/drm/card*-*/status"),
	HEADING("## System information:"),
	LINE("Distro name and Version", XTR_FACT_DISTRIBUTION, true, "cat /etc/os-release"),
	LINE("Kernel version", XTR_FACT_KERNEL, true, "uname -a"),
	LINE("Custom kernel", XTR_FACT_NONE, false,
	     "which branch, if you built it yourself; else N/A"),
	LINE("AMD official driver version", XTR_FACT_NONE, false,
	     "if installed from AMD's site; else N/A"),
	LINE("Firmware", XTR_FACT_FIRMWARE, false,
	     "cat /sys/kernel/debug/dri/*/amdgpu_firmware_info"),
	HEADING("## How to reproduce the issue:"),
	QUESTION("Step by step, with as much detail as possible.", true),
	HEADING("## Attached files:"),
	FILES,
	HEADING("### Log files (for system lockups / game freezes / crashes)"),
	MEMBER("Dmesg log (full log)", "dmesg kmsg", true, INCLUDE_LOG),
	MEMBER("Device core dump", "devcoredump", false,
	       "xtr bundle --include devcoredump within 5 minutes of the hang, or xtr record --on-hang before it"),
	LINE("Xorg log", XTR_FACT_NONE, false,
	     "/var/log/Xorg.0.log or ~/.local/share/xorg/Xorg.0.log, if you use X"),
};

/*
 * drm.pages.freedesktop.org/intel-docs/how-to-file-i915-bugs.html, which the driver itself names
 * when a GPU hangs (drivers/gpu/drm/i915/i915_gpu_error.c): the crash dump is required.
 */
static const struct xtr_form_row intel[] = {
	HEADING("## Summary"),
	QUESTION(
		"What did you do, what did you expect, and what happened? Did it work with an older kernel, and with which?",
		true),
	SEEN,
	HEADING("## System"),
	LINE("GPU", XTR_FACT_DEVICE, true, "lspci -nn | grep -E 'VGA|Display'"),
	LINE("Kernel driver", XTR_FACT_DRIVER, true, "lspci -k"),
	LINE("Kernel", XTR_FACT_KERNEL, true, "uname -a; best of all drm-tip"),
	LINE("Firmware (GuC, HuC)", XTR_FACT_FIRMWARE, false,
	     "cat /sys/kernel/debug/dri/*/gt*/uc/*_info"),
	LINE("Computer", XTR_FACT_COMPUTER, false, "dmidecode -t system -t bios"),
	LINE("Distribution", XTR_FACT_DISTRIBUTION, true, "cat /etc/os-release"),
	LINE("Mesa, or compute runtime", XTR_FACT_NONE, false,
	     "glxinfo -B | grep version; clinfo | grep 'Driver Version'"),
	LINE("Display connector", XTR_FACT_NONE, false, "for bugs of displays: HDMI, DP, eDP, ..."),
	HEADING("## Steps to reproduce"),
	QUESTION("Step by step. How often does it happen?", true),
	HEADING("## Logs"),
	FILES,
	MEMBER("Full dmesg from boot", "dmesg kmsg", true,
	       "boot with drm.debug=0xe log_buf_len=4M, reproduce, then " INCLUDE_LOG),
	MEMBER("GPU crash dump (i915)", "error", false,
	       "with i915: cat /sys/class/drm/card0/error | gzip > error.gz, before a reboot"),
	MEMBER("Device core dump (xe)", "devcoredump", false,
	       "with xe: xtr record --on-hang, or within 5 minutes: cat /sys/class/devcoredump/devcd*/data > dump.txt"),
	LINE("Kernel command line", XTR_FACT_CMDLINE, false, "cat /proc/cmdline"),
};

/* Mesa's issue templates, .gitlab/issue_templates of the project: the one for Radeon Vulkan asks
 * for most. */
static const struct xtr_form_row mesa[] = {
	HEADING("### Description"),
	QUESTION("What did you do, what did you expect, and what did you see instead? How often?",
		 true),
	SEEN,
	HEADING("### Screenshots/video files"),
	QUESTION(
		"For wrong rendering: what it looks like, and what it should look like. For a freeze: the scene.",
		false),
	HEADING("### Log files (for system lockups / game freezes / crashes)"),
	FILES,
	LINE("Backtrace (for crashes)", XTR_FACT_NONE, false, "coredumpctl gdb, then: bt full"),
	MEMBER("Output of `dmesg`", "dmesg kmsg", true, INCLUDE_LOG),
	LINE("Hang report (RADV)", XTR_FACT_NONE, false,
	     "RADV_DEBUG=hang PROGRAM writes ~/radv_dumps_*: docs.mesa3d.org/drivers/amd/hang-debugging.html"),
	HEADING("### Steps to reproduce"),
	QUESTION("From a fresh start, without knowledge of the program.", true),
	HEADING("### System information"),
	LINE("OS", XTR_FACT_DISTRIBUTION, true, "grep NAME /etc/os-release"),
	LINE("GPU", XTR_FACT_DEVICE, true, "lspci -nn | grep VGA"),
	LINE("Kernel version", XTR_FACT_KERNEL, true, "uname -a"),
	LINE("Mesa version", XTR_FACT_NONE, true,
	     "glxinfo -B | grep 'OpenGL version string', or vulkaninfo --summary"),
	LINE("Desktop environment", XTR_FACT_NONE, false, "env | grep XDG_CURRENT_DESKTOP"),
	LINE("Xserver version", XTR_FACT_NONE, false, "X -version, if you use X"),
	LINE("DXVK version", XTR_FACT_NONE, false, "if the program uses it"),
	LINE("Wine/Proton version", XTR_FACT_NONE, false, "if the program runs in it"),
	HEADING("### Regression"),
	QUESTION("Did it work with an older Mesa, and with which?", false),
	HEADING("### API captures (if applicable, optional)"),
	QUESTION("A capture by GFXReconstruct, RenderDoc or apitrace, as a link.", false),
	HEADING("### Further information (optional)"),
	QUESTION("Variables such as RADV_DEBUG or MESA_DEBUG in your environment?", false),
};

/* github.com/NVIDIA/open-gpu-kernel-modules, .github/ISSUE_TEMPLATE/10_functional_bug.yml. */
static const struct xtr_form_row nvidia[] = {
	LINE("NVIDIA Open GPU Kernel Modules Version", XTR_FACT_DRIVER, true,
	     "cat /proc/driver/nvidia/version"),
	LINE("Comparison with proprietary kernel module", XTR_FACT_NONE, false,
	     "does it happen with it, too? Or why could you not try?"),
	LINE("Operating System and Version", XTR_FACT_DISTRIBUTION, true, "lsb_release -d"),
	LINE("Kernel Release", XTR_FACT_KERNEL, true, "uname -a"),
	LINE("I am running on a stable kernel release", XTR_FACT_NONE, true,
	     "yes; reports of -rc kernels are not taken"),
	LINE("Hardware: GPU", XTR_FACT_DEVICE, true, "nvidia-smi -L"),
	HEADING("### Describe the bug"),
	QUESTION("What happened, and what did you expect?", true),
	SEEN,
	HEADING("### To Reproduce"),
	QUESTION("Steps, and what has to be there before.", true),
	LINE("Bug Incidence", XTR_FACT_NONE, true, "Once, Sometimes or Always"),
	HEADING("### nvidia-bug-report.log.gz"),
	MEMBER("nvidia-bug-report.log.gz", "nvidia-bug-report", true,
	       "as root: xtr bundle --include nvidia-bug-report, or nvidia-bug-report.sh; reports without it are closed"),
	HEADING("### More Info"),
	FILES,
	MEMBER("Xid lines of the kernel's log", "xid", false, "xtr bundle --include xid"),
	MEMBER("Kernel log", "dmesg kmsg", false, INCLUDE_LOG),
};

/*
 * github.com/intel/linux-npu-driver has no form: what its developers ask for first
 * (docs/overview.md, Troubleshooting; issues 31, 47 and 54). For AMD's: github.com/amd/xdna-driver.
 */
static const struct xtr_form_row npu[] = {
	HEADING("### Issue"),
	QUESTION("Which program and model, what happened, and what did you expect?", true),
	SEEN,
	HEADING("### Environment"),
	LINE("OS", XTR_FACT_DISTRIBUTION, true, "cat /etc/os-release"),
	LINE("Kernel", XTR_FACT_KERNEL, true, "uname -r"),
	LINE("CPU", XTR_FACT_CPU, true, "lscpu"),
	LINE("NPU", XTR_FACT_DEVICE, true, "lspci -nn | grep -i -E 'npu|processing|signal'"),
	LINE("Kernel module", XTR_FACT_DRIVER, true, "modinfo intel_vpu (or amdxdna)"),
	LINE("Firmware", XTR_FACT_FIRMWARE, true,
	     "dmesg | grep -E 'intel_vpu|amdxdna' | grep -i firmware"),
	LINE("User-space driver", XTR_FACT_NONE, true,
	     "dpkg -l | grep -E 'intel-(level-zero-npu|driver-compiler-npu|fw-npu)', or xrt-smi examine"),
	LINE("OpenVINO or other framework", XTR_FACT_NONE, false,
	     "python3 -c 'import openvino; print(openvino.__version__)'"),
	LINE("Computer", XTR_FACT_COMPUTER, false, "dmidecode -t system -t bios"),
	HEADING("### Steps to reproduce"),
	QUESTION("The commands, and the model or where to get it.", true),
	HEADING("### Logs"),
	FILES,
	MEMBER("Kernel log", "dmesg kmsg", true, INCLUDE_LOG),
	MEMBER("Device core dump with the firmware's log", "devcoredump", false,
	       "xtr record --on-hang before the problem"),
};

/* nouveau.freedesktop.org/Bugs.html. */
static const struct xtr_form_row nouveau[] = {
	HEADING("## Problem"),
	QUESTION(
		"What did you do, what did you expect, and what happened? Did it work with an older kernel or Mesa?",
		true),
	SEEN,
	HEADING("## System"),
	LINE("GPU", XTR_FACT_DEVICE, true, "lspci -nn | grep VGA"),
	LINE("Kernel", XTR_FACT_KERNEL, true, "uname -a"),
	LINE("Distribution", XTR_FACT_DISTRIBUTION, true, "cat /etc/os-release"),
	LINE("Computer", XTR_FACT_COMPUTER, false, "dmidecode -t system -t bios"),
	LINE("Mesa version", XTR_FACT_NONE, false, "glxinfo -B | grep 'OpenGL version string'"),
	LINE("Kernel command line", XTR_FACT_CMDLINE, false, "cat /proc/cmdline"),
	HEADING("## Steps to reproduce"),
	QUESTION("Step by step.", true),
	HEADING("## Logs"),
	FILES,
	MEMBER("Full kernel log, from boot to the problem", "dmesg kmsg", true, INCLUDE_LOG),
	LINE("Xorg log", XTR_FACT_NONE, false,
	     "/var/log/Xorg.0.log or ~/.local/share/xorg/Xorg.0.log, if you use X"),
};

static const struct xtr_tracker trackers[] = {
	{ .name = "amd",
	  .drivers = "amdgpu radeon",
	  .what = "AMD GPUs, kernel driver amdgpu",
	  .where = "https://gitlab.freedesktop.org/drm/amd/-/issues/new",
	  .form = "the project's default issue template",
	  .limit = GITLAB_LIMIT,
	  ROWS(amd) },
	{ .name = "intel",
	  .drivers = "i915 xe",
	  .what = "Intel GPUs, kernel drivers i915 and xe",
	  .where =
		  "https://gitlab.freedesktop.org/drm/i915/kernel/-/issues/new, or for xe https://gitlab.freedesktop.org/drm/xe/kernel/-/issues/new",
	  .form = "https://drm.pages.freedesktop.org/intel-docs/how-to-file-i915-bugs.html",
	  .limit = GITLAB_LIMIT,
	  ROWS(intel) },
	{ .name = "mesa",
	  .what = "Mesa, the user-space drivers",
	  .where = "https://gitlab.freedesktop.org/mesa/mesa/-/issues/new",
	  .form = "the project's issue templates",
	  .limit = GITLAB_LIMIT,
	  ROWS(mesa) },
	{ .name = "nvidia",
	  .drivers = "nvidia",
	  .what = "NVIDIA GPUs, kernel driver nvidia (open modules)",
	  .where = "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/new/choose",
	  .form = "the project's form for functional bugs",
	  .limit = GITHUB_LIMIT,
	  .zip_only = true,
	  ROWS(nvidia) },
	{ .name = "npu",
	  .drivers = "intel_vpu amdxdna",
	  .what = "NPUs of Intel (intel_vpu) and AMD (amdxdna)",
	  .where =
		  "https://github.com/intel/linux-npu-driver/issues/new, or for AMD https://github.com/amd/xdna-driver/issues/new",
	  .form = "https://github.com/intel/linux-npu-driver/blob/main/docs/overview.md#troubleshooting",
	  .limit = GITHUB_LIMIT,
	  .zip_only = true,
	  ROWS(npu) },
	{ .name = "nouveau",
	  .drivers = "nouveau",
	  .what = "NVIDIA GPUs, kernel driver nouveau",
	  .where = "https://gitlab.freedesktop.org/drm/nouveau/-/issues/new",
	  .form = "https://nouveau.freedesktop.org/Bugs.html",
	  .limit = GITLAB_LIMIT,
	  ROWS(nouveau) },
};

const struct xtr_tracker *xtr_tracker(size_t i)
{
	return i < sizeof(trackers) / sizeof(trackers[0]) ? &trackers[i] : NULL;
}

const struct xtr_tracker *xtr_tracker_named(const char *name)
{
	for (size_t i = 0; i < sizeof(trackers) / sizeof(trackers[0]); i++)
		if (!strcmp(trackers[i].name, name))
			return &trackers[i];
	return NULL;
}

bool xtr_tracker_takes(const struct xtr_tracker *t, const char *driver)
{
	const size_t n = strlen(driver);

	for (const char *p = t->drivers; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == n && !strncmp(p, driver, n))
			return true;
	return !t->drivers;
}
