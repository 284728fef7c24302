/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as each of the files that recording and importing read beside traces: a library (ELF),
 * the loader's cache, a tracepoint's format, and the text it is printed with. What is found lies
 * within the file, in order, each once; a layout that is made of a format is one that META takes.
 */
#include "fuzz.h"

#include "format/meta/meta.h"
#include "format/meta/printfmt.h"
#include "format/meta/tpevent.h"
#include "recorder/host/elfsyms.h"
#include "recorder/host/ldcache.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_functions(const struct xtr_elf *e, const char *glob, size_t size)
{
	struct xtr_elf_funcs f;

	if (xtr_elf_match(e, glob, &f))
		return;
	for (size_t i = 0; i < f.n; i++) {
		FUZZ_CHECK(f.v[i].offset < size && *f.v[i].name);
		FUZZ_CHECK(strlen(f.v[i].name) <= XTR_ELF_NAME_MAX);
		FUZZ_CHECK(!i || strcmp(f.v[i - 1].name, f.v[i].name) < 0 ||
			   f.v[i - 1].offset < f.v[i].offset);
	}
	xtr_elf_funcs_free(&f);
}

static void as_elf(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), err;
	const char *soname;
	struct xtr_elf *e;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	err = xtr_elf_open(&e, fd);
	FUZZ_CHECK(err <= 0);
	if (!err) {
		soname = xtr_elf_soname(e);
		FUZZ_CHECK(!soname || !strchr(soname, '/'));
		check_functions(e, "*", size);
		check_functions(e, "ze*", size);
		xtr_elf_free(e);
	}
	close(fd);
}

struct text {
	const char *p;
	size_t n;
};

static int on_path(void *ctx, const char *path)
{
	const struct text *t = ctx;

	FUZZ_CHECK(path >= t->p && path < t->p + t->n);
	FUZZ_CHECK(memchr(path, 0, (size_t)(t->p + t->n - path)));
	return 0;
}

static void as_cache(const char *text, size_t n)
{
	struct text t = { text, n };
	int err = xtr_ldcache_each(text, n, "libx.so", on_path, &t);

	FUZZ_CHECK(!err || err == -EBADMSG);
}

static void check_layout(const struct xtr_tp_format *f)
{
	const struct xtr_tp_limits l = { 1024, 8, true, true };
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_tp_event *e;

	FUZZ_CHECK(m && !xtr_tp_event_new(&e, "sys", "event", f, 1024, &l));
	FUZZ_CHECK(e->fixed <= l.fixed && e->n_texts <= l.texts);
	FUZZ_CHECK(!xtr_meta_add_event(m, &e->desc));
	for (uint32_t i = 0; i < e->desc.n_fields; i++)
		FUZZ_CHECK(e->from[i] < f->n_fields);
	xtr_tp_event_free(e);
	xtr_meta_free(m);
}

static void as_format(const char *text, size_t n)
{
	struct xtr_tp_format *f;
	int err = xtr_tp_format_parse(&f, text, n);

	FUZZ_CHECK(!err || err == -EINVAL);
	if (err)
		return;
	check_layout(f);
	xtr_tp_format_free(f);
}

static void as_print(const uint8_t *data, size_t size)
{
	struct xtr_printfmt_names names;
	char *text = malloc(size + 1);
	uint64_t v;

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = 0;
	xtr_constant(text, size, &v);
	xtr_printfmt_conv(text, "state");
	FUZZ_CHECK(!xtr_printfmt_names(text, "state", &names));
	for (uint32_t i = 1; i < names.n; i++)
		FUZZ_CHECK(names.v[i - 1].value < names.v[i].value);
	xtr_printfmt_names_free(&names);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_elf(data, size);
	as_cache((const char *)data, size);
	as_format((const char *)data, size);
	as_print(data, size);
	return 0;
}
