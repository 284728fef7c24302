/* SPDX-License-Identifier: BSD-2-Clause */
#include "redact_impl.h"

#include <string.h>

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define DIGITS_MAX 3u

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* All of these letters, digits and `also`. */
static bool made_of(const char *s, size_t n, const char *also)
{
	if (!n || n > REDACT_WORD_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_letter(s[i]) && !is_digit(s[i]) && (!s[i] || !strchr(also, s[i])))
			return false;
	return true;
}

bool redact_is_ident(const char *s, size_t n)
{
	return made_of(s, n, "_.$");
}

bool redact_is_word(const char *s, size_t n)
{
	size_t run = 0;

	for (size_t i = 0; i < n; i++) {
		run = is_digit(s[i]) ? run + 1 : 0;
		if (run > DIGITS_MAX)
			return false;
	}
	return made_of(s, n, "_.:+-,()[] ");
}

/* "0000:03:00.0" */
static bool is_pci(const char *s, size_t n)
{
	static const char shape[] = "hhhh:hh:hh.d";

	if (n != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (shape[i] == 'h'   ? !is_hex_digit(s[i])
		    : shape[i] == 'd' ? !is_digit(s[i])
				      : s[i] != shape[i])
			return false;
	return true;
}

bool redact_is_device(const char *s, size_t n)
{
	return is_pci(s, n) || redact_is_word(s, n);
}

bool redact_is_version(const char *s, size_t n)
{
	size_t run = 0;

	for (size_t i = 0; i < n; i++) {
		run = is_digit(s[i]) ? run + 1 : 0;
		if (run > 8)
			return false;
	}
	return made_of(s, n, "_.:+-,()=* ");
}

bool redact_is_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_hex_digit(s[i]))
			return false;
	return true;
}

static bool begins(const char *s, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(s, with, len);
}

static bool begins_with_any(const char *s, size_t n, const char *const *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (begins(s, n, list[i]))
			return true;
	return false;
}

static bool is_any(const char *s, size_t n, const char *const *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strlen(list[i]) == n && !memcmp(list[i], s, n))
			return true;
	return false;
}

/* What a worker works at stands behind a - or +. */
static const char *const queues[] = {
	"events", "i915",  "drm",  "amdgpu", "gfx",        "comp",    "sdma",  "xe",      "ttm",
	"nv",     "vpu",   "ivpu", "mm_",    "rcu_",       "gpu",     "USER",  "kblockd", "pm",
	"flush",  "sched", "ring", "acpi",   "usb_hub_wq", "amdxdna", "hclge", "card",
};

static bool is_worker(const char *s, size_t n)
{
	size_t i = strlen("kworker/");

	if (!begins(s, n, "kworker/"))
		return false;
	while (i < n && (is_digit(s[i]) || strchr("uRHI:", s[i])) && s[i])
		i++;
	if (i == n)
		return true;
	return (s[i] == '-' || s[i] == '+') && redact_is_word(s + i, n - i) &&
	       begins_with_any(s + i + 1, n - i - 1, queues, COUNT(queues));
}

static const char *const irq_drivers[] = {
	"nvidia", "amdgpu",     "i915",     "xe",       "nouveau", "radeon",   "intel_vpu",
	"ivpu",   "amdxdna",    "virtio",   "xhci_hcd", "ahci",    "nvme",     "timer",
	"acpi",   "hpet",       "rtc",      "i8042",    "mmc",     "snd_hda",  "i2c_designware",
	"AMD-Vi", "dmar",       "ehci_hcd", "fakegpu",  "fakenpu", "panfrost", "panthor",
	"v3d",    "lima",       "msm",      "aerdrv",   "pciehp",  "PCIe PME", "thunderbolt",
	"mei_me", "arch_timer", "IPI",      "eth",
};

bool redact_is_driver(const char *s, size_t n)
{
	return redact_is_word(s, n) && begins_with_any(s, n, irq_drivers, COUNT(irq_drivers));
}

/* "irq/132-nvidia" */
static bool is_irq_thread(const char *s, size_t n)
{
	size_t i = strlen("irq/");

	if (!begins(s, n, "irq/"))
		return false;
	while (i < n && is_digit(s[i]))
		i++;
	return i == n || (s[i] == '-' && redact_is_driver(s + i + 1, n - i - 1));
}

/* A name, then what numbers it: "ksoftirqd/3", "card0-crtc1". */
static bool is_numbered(const char *s, size_t n)
{
	static const char *const names[] = {
		"swapper/", "ksoftirqd/",    "migration/", "cpuhp/",    "rcuc/",     "rcuob/",
		"rcuop/",   "rcuos/",        "rcuog/",     "kswapd",    "kcompactd", "idle_inject/",
		"ktimers/", "backlog_napi/", "card",       "watchdog/",
	};
	size_t i = 0;

	for (size_t k = 0; k < COUNT(names) && !i; k++)
		if (begins(s, n, names[k]))
			i = strlen(names[k]);
	if (!i || i == n)
		return false;
	while (i < n && (is_digit(s[i]) || begins(s + i, n - i, "-crtc")))
		i += is_digit(s[i]) ? 1 : strlen("-crtc");
	return i == n;
}

bool redact_is_kthread(const char *s, size_t n)
{
	static const char *const names[] = {
		"swapper",
		"kthreadd",
		"rcu_preempt",
		"rcu_sched",
		"rcu_gp",
		"rcu_par_gp",
		"khugepaged",
		"ksmd",
		"oom_reaper",
		"kauditd",
		"kdevtmpfs",
		"writeback",
		"khungtaskd",
		"nv_queue",
		"nvidia",
		"UVM global queue",
		"nvidia-modeset",
		"nv_open_q",
		"ttm",
		"kblockd",
		"acpi_thermal_pm",
		"card0-crtc0",
		"pr/tty0",
		"pr/ttyS0",
		"gfx",
		"sdma",
		"comp",
	};
	static const char *const rings[] = {
		"gfx_", "comp_", "sdma", "vcn_", "uvd",     "vce",      "jpeg_",   "mes_", "kiq_",
		"rcs",  "bcs",   "ccs",  "vcs",  "vecs",    "gsccs",    "nv",      "drm",  "amdgpu",
		"i915", "xe",    "ivpu", "vpu",  "fakegpu", "panfrost", "panthor", "v3d",  "lima",
	};

	if (is_worker(s, n) || is_irq_thread(s, n) || is_numbered(s, n))
		return true;
	return is_any(s, n, names, COUNT(names)) ||
	       (redact_is_word(s, n) && begins_with_any(s, n, rings, COUNT(rings)));
}

/* Is s the pattern, in which % stands for a number of 1 to DIGITS_MAX digits? */
static bool is_like(const char *s, size_t n, const char *pattern)
{
	size_t i = 0, digits;

	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			if (i == n || s[i++] != *pattern)
				return false;
			continue;
		}
		for (digits = 0; i < n && is_digit(s[i]); digits++)
			i++;
		if (!digits || digits > DIGITS_MAX)
			return false;
	}
	return i == n;
}

/* % is a number. */
static const char *const ring_names[] = {
	/* amdgpu: amdgpu_ring.c, gfx_v*.c, sdma_v*.c, vcn_v*.c, jpeg_v*.c, mes_v*.c */
	"gfx",
	"gfx%",
	"gfx_%.%.%",
	"gfx_low",
	"gfx_high",
	"gfx_sw",
	"comp",
	"comp%",
	"comp_%.%.%",
	"comp_%.%.%.%",
	"kiq_%.%.%",
	"kiq_%.%.%.%",
	"sdma",
	"sdma%",
	"sdma%.%",
	"sdma_%",
	"sdma_page%",
	"page%",
	"page%.%",
	"uvd",
	"uvd_%",
	"uvd_enc%",
	"uvd_%.%",
	"uvd_enc_%.%",
	"vce%",
	"vce_%",
	"vcn_dec",
	"vcn_dec_%",
	"vcn_enc%",
	"vcn_enc_%",
	"vcn_enc_%.%",
	"vcn_unified_%",
	"vcn_unified_%.%",
	"jpeg_dec",
	"jpeg_dec_%",
	"jpeg_dec_%.%",
	"mes_%.%.%",
	"mes_kiq_%.%.%",
	"vpe",
	"umsch",
	"cper",
	/* i915, xe: engines, also as i915 calls those that programs see */
	"rcs",
	"bcs",
	"vcs",
	"vecs",
	"ccs",
	"rcs%",
	"bcs%",
	"vcs%",
	"vecs%",
	"ccs%",
	"gsccs%",
	"gsc%",
	"rcs'%",
	"bcs'%",
	"vcs'%",
	"vecs'%",
	"ccs'%",
	"gsc'%",
	"signaled",
	"unbound",
	"xe",
	"i915",
	/* displays: drm_crtc.c */
	"CRTC:%-crtc-%",
	"CRTC:%-pipe A",
	"CRTC:%-pipe B",
	"CRTC:%-pipe C",
	"CRTC:%-pipe D",
	/* the others */
	"nouveau_sched",
	"nouveau_sched_%",
	"pan_js",
	"pan_js%",
	"js%",
	"panthor",
	"v3d_bin",
	"v3d_render",
	"v3d_tfu",
	"v3d_csd",
	"v3d_cache_clean",
	"v3d_cpu",
	"v3d-bin",
	"v3d-render",
	"v3d-tfu",
	"v3d-csd",
	"v3d-cache_clean",
	"v3d-cpu",
	"gp",
	"pp",
	"pp%",
	"lima_gp",
	"lima_pp",
	"gpu-ring-%",
	"controlq",
	"cursorq",
	"amdxdna_js",
	"xdna_mailbox",
	"xdna_mailbox.%",
	"mgmt",
	"fakegpu",
	"fakenpu",
	"ring",
	"ring%",
	"ring %",
	"engine%",
	"queue%",
	"stub",
};

bool redact_is_ring(const char *s, size_t n)
{
	const char *hash = n ? memrchr(s, '#', n) : NULL;

	/* The second, third, ... of a device: so the recorder numbers them. */
	if (hash && hash > s && is_like(hash, n - (size_t)(hash - s), "#%"))
		n = (size_t)(hash - s);
	for (size_t i = 0; i < COUNT(ring_names); i++)
		if (is_like(s, n, ring_names[i]))
			return true;
	return false;
}

bool redact_is_library(const char *s, size_t n)
{
	static const char *const names[] = {
		"libze_loader.so",
		"libze_intel_gpu.so",
		"libze_intel_vpu.so",
		"libze_intel_npu.so",
		"libcuda.so",
		"libcudart.so",
		"libnvidia-",
		"libnvcuvid.so",
		"libvulkan",
		"libVkLayer_",
		"libOpenCL.so",
		"libGL",
		"libEGL",
		"libgbm.so",
		"libdrm",
		"libva",
		"libhsa-runtime64.so",
		"libamdhip64.so",
		"libhip",
		"librocm",
		"libhsakmt.so",
		"libxrt",
		"libigdrcl.so",
		"libigc.so",
		"libigdgmm.so",
		"libopenvino",
		"libgallium",
		"libmesa",
		"libc.so",
		"libc-2.",
		"libpthread",
		"libstdc++.so",
		"libgcc_s.so",
		"libm.so",
		"ld-linux",
		"libwayland-",
		"libX11",
		"libxcb",
		"libSDL2",
		"libglib-2.0",
		"radeonsi_dri.so",
		"iris_dri.so",
		"libdl.so",
		"librt.so",
	};

	return redact_is_version(s, n) && begins_with_any(s, n, names, COUNT(names));
}

bool redact_is_release(const char *s, size_t n)
{
	static const char *const words[] = {
		"SMP",          "PREEMPT",      "PREEMPT_DYNAMIC",
		"PREEMPT_RT",   "PREEMPT_LAZY", "Debian",
		"Ubuntu",       "amd64",        "arm64",
		"x86_64",       "aarch64",      "generic",
		"rt",           "cloud",        "lowlatency",
		"oem",          "hwe",          "default",
		"arch",         "lts",          "zen",
		"azure",        "aws",          "gcp",
		"kvm",          "pve",          "deb",
		"bpo",          "rc",           "fc",
		"el",           "microsoft",    "standard",
		"WSL",          "xanmod",       "liquorix",
		"cachyos",      "hardened",     "gentoo",
		"raspi",        "rpi",          "v",
		"UTC",          "trunk",        "unstable",
		"experimental", "common",       "MANJARO",
		"Mon",          "Tue",          "Wed",
		"Thu",          "Fri",          "Sat",
		"Sun",          "Jan",          "Feb",
		"Mar",          "Apr",          "May",
		"Jun",          "Jul",          "Aug",
		"Sep",          "Oct",          "Nov",
		"Dec",          "exp",          "test",
	};
	size_t letters = 0;

	while (letters < n && !is_digit(s[letters]))
		letters++;
	for (size_t i = letters; i < n; i++)
		if (!is_digit(s[i]))
			return is_any(s, n, words, COUNT(words));
	return n - letters <= 8 && (!letters || is_any(s, letters, words, COUNT(words)) ||
				    is_any(s, n, words, COUNT(words)));
}
