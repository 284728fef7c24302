/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which library of a stack is a driver is told by its file's name: those that Mesa, Intel, AMD and
 * NVIDIA install. A version is known only where that name has one: behind ".so.", with a dot in it
 * (a single number is that of the interface), or behind a dash.
 */
#include "user_driver.h"
#include "base/text.h"
#include "replay/event/stack_glue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const drivers[] = {
	"libvulkan_",  /* Mesa's: radeon, intel, nouveau, panfrost, freedreno, asahi, lvp */
	"libgallium-", /* Mesa's OpenGL, with its version, since 24.2 */
	"libRusticlOpenCL", "libMesaOpenCL",   "libgallium_drv_video", "_drv_video.so",
	"_dri.so",          "iHD_drv_video", /* Intel's media driver */
	"libze_intel_gpu",  "libze_intel_npu", "libze_intel_vpu",      "libigdrcl",
	"libhsa-runtime64", "libamdocl64",     "libamdhip64",          "amdvlk64",
	"libnvidia-",       "libGLX_nvidia",   "libEGL_nvidia",        "libcuda.so",
	"libxrt_",          "libmali",         "libVkLayer_",
};

static const char *string_of(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const char *s = id ? xtr_tables_string(t, id, n) : NULL;

	if (!s)
		*n = 0;
	return s ? s : "";
}

static const char *base_of(const char *path, size_t *n)
{
	const char *slash = memrchr(path, '/', *n);

	if (!slash)
		return path;
	*n -= (size_t)(slash + 1 - path);
	return slash + 1;
}

static bool is_driver(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		const size_t len = strlen(drivers[i]);
		/* A layer is no driver, and a name that begins with '_' is an ending of many. */
		const bool any = drivers[i][0] == '_';

		if (n >= len && (any ? memmem(name, n, drivers[i], len) != NULL
				     : !memcmp(name, drivers[i], len)))
			return strcmp(drivers[i], "libVkLayer_") != 0;
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits and dots at p, if there is a dot between digits. */
static size_t version_at(const char *p, const char *end)
{
	size_t n = 0;
	bool dot = false;

	while (p + n < end &&
	       (is_digit(p[n]) || (p[n] == '.' && p + n + 1 < end && n && is_digit(p[n + 1])))) {
		dot |= p[n] == '.';
		n++;
	}
	return dot ? n : 0;
}

static void version_of(struct xtr_user_driver *d, const char *name, size_t n)
{
	const char *end = name + n, *so = memmem(name, n, ".so.", 4), *dash = memchr(name, '-', n);
	size_t len = so ? version_at(so + 4, end) : 0;
	const char *at = so ? so + 4 : NULL;

	for (; !len && dash && dash + 1 < end;
	     dash = memchr(dash + 1, '-', (size_t)(end - dash - 1))) {
		len = version_at(dash + 1, end);
		at = dash + 1;
	}
	if (len && at)
		snprintf(d->version, sizeof(d->version), "%.*s", (int)len, at);
}

void xtr_user_driver_of(const struct xtr_tables *t, uint32_t stack, struct xtr_user_driver *d)
{
	const uint32_t *frames;
	size_t n = 0;

	*d = (struct xtr_user_driver){ 0 };
	frames = stack && t ? xtr_tables_stack(t, stack, &n) : NULL;
	for (size_t i = 0; frames && i < n && !*d->name; i++) {
		const struct xtr_frame *f = xtr_tables_frame(t, frames[i]);
		const char *name;
		size_t len;

		if (!f)
			continue;
		name = string_of(t, f->module, &len);
		name = base_of(name, &len);
		if (!is_driver(name, len))
			continue;
		xtr_text_name(d->name, sizeof(d->name), name, len);
		version_of(d, name, len);
	}
}

/*
 * Modules of the kernel have letters, digits, '-' and '_' in their names; those of programs are
 * paths, or what a redaction makes of them: "libc.so.6", "module#1".
 */
static bool is_own(const char *module, size_t n)
{
	static const char *const through[] = { "libc.", "libc-", "ld-linux", "libpthread",
					       "libdrm" };
	const char *base = module;
	size_t len = n;

	if (!memchr(module, '/', n) && !memchr(module, '.', n) && !memchr(module, '#', n))
		return false;
	base = base_of(base, &len);
	for (size_t i = 0; i < sizeof(through) / sizeof(through[0]); i++)
		if (len >= strlen(through[i]) && !memcmp(base, through[i], strlen(through[i])))
			return false;
	return true;
}

bool xtr_user_frame(const struct xtr_tables *t, uint32_t stack, size_t i, char text[USER_FRAME_MAX],
		    bool *own)
{
	const uint32_t *frames;
	const struct xtr_frame *f;
	const char *symbol, *module;
	char name[USER_FRAME_MAX - 24];
	size_t n = 0, n_symbol, n_module;

	frames = stack && t ? xtr_tables_stack(t, stack, &n) : NULL;
	i += frames ? xtr_stack_glue(t, frames, n) : 0;
	f = frames && i < n ? xtr_tables_frame(t, frames[i]) : NULL;
	if (!f)
		return false;
	symbol = string_of(t, f->symbol, &n_symbol);
	module = string_of(t, f->module, &n_module);
	*own = is_own(module, n_module);
	module = base_of(module, &n_module);
	if (n_symbol)
		xtr_text_name(text, USER_FRAME_MAX, symbol, n_symbol);
	else
		snprintf(text, USER_FRAME_MAX, "%s+0x%" PRIx64,
			 n_module ? xtr_text_name(name, sizeof(name), module, n_module) : "?",
			 f->offset);
	return true;
}
