// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files are attached to by descriptor, so that it is the one whose symbols were read, in whatever
 * container its path means something.
 */
#include "api_probe.h"
#include "api.h"
#include "select.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xtr_apis {
	struct xtr_api api;
};

static struct xtr_capture capture_of(const struct xtr_api_capture *c)
{
	struct xtr_capture out = {
		.name = c->name,
		.unit = c->unit,
		.repr = c->repr,
		.sens = XTR_SENS_PLAIN,
		.load = { .from = XTR_FROM_ARG + c->arg, .flags = XTR_LOAD_USER },
	};

	out.load.width = (__u8)xtr_repr_width(c->repr);
	if (c->at != XTR_API_VALUE) {
		out.load.n_deref = 1;
		out.load.off[0] = (__u16)c->at;
	}
	return out;
}

static int want_ret(struct xtr_probe *p, const struct xtr_api_ret *ret)
{
	struct xtr_capture c = {
		.name = "ret",
		.repr = ret->repr,
		.sens = ret->repr == XTR_REPR_HEX64 ? XTR_SENS_UPTR : XTR_SENS_PLAIN,
		.n_names = ret->n_names,
		.names = ret->names,
	};

	if (ret->repr == XTR_REPR_COUNT)
		return xtr_probe_want_ret(p, NULL);
	c.load.width = (__u8)xtr_repr_width(ret->repr);
	return xtr_probe_want_ret(p, &c);
}

static int add_places(struct xtr_probe *p, const struct xtr_api_probe *from)
{
	char *what, self[40];
	int err = 0;

	for (size_t i = 0; i < from->n_places && !err; i++) {
		const struct xtr_api_place *at = &from->places[i];

		snprintf(self, sizeof(self), "/proc/self/fd/%d", at->file->fd);
		if (asprintf(&what, "%s:%s", at->file->path, from->function) < 0)
			return -ENOMEM;
		err = xtr_probe_add_target(p, what, self, at->offset);
		free(what);
	}
	return err;
}

static int add_probe(struct xtr_selection *s, const struct xtr_api_probe *from)
{
	struct xtr_probe *p;
	int err;

	err = xtr_probe_new(&p, XTR_PROBE_API, from->places[0].file->name, from->function);
	if (err)
		return err;
	p->entry.cfg.flags |= XTR_PROBE_USER;
	err = add_places(p, from);
	if (!err && from->ret)
		err = want_ret(p, from->row->ret);
	p->ret.cfg.flags |= XTR_PROBE_USER;
	for (int i = 0; i < XTR_API_CAPTURES && from->row->capture[i].name && !err; i++) {
		struct xtr_capture c = capture_of(&from->row->capture[i]);

		err = xtr_probe_capture(p, false, &c);
	}
	if (!err)
		err = xtr_selection_add_probe(s, p);
	if (err)
		xtr_probe_free(p);
	return err;
}

int xtr_api_probes_add(struct xtr_selection *s, const char *const *patterns, size_t n,
		       const char **bad)
{
	struct xtr_library_places places = { 0 };
	int err;

	for (size_t i = 0; i < n; i++) {
		*bad = patterns[i];
		if (!xtr_api_valid(patterns[i]))
			return -EINVAL;
	}
	places.program = s->program;
	places.ld_library_path = getenv("LD_LIBRARY_PATH");
	s->apis = calloc(1, sizeof(*s->apis));
	if (!s->apis)
		return -ENOMEM;
	err = xtr_api_select(&s->apis->api, patterns, n, &places);
	for (size_t i = 0; i < s->apis->api.n_probes && !err; i++)
		err = add_probe(s, &s->apis->api.probes[i]);
	return err;
}

const struct xtr_api *xtr_apis_api(const struct xtr_apis *a)
{
	return &a->api;
}

void xtr_apis_free(struct xtr_apis *a)
{
	if (!a)
		return;
	xtr_api_free(&a->api);
	free(a);
}
