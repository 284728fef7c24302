/* SPDX-License-Identifier: BSD-2-Clause */
#include "api.h"
#include "recorder/host/util.h"
#include "select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "api:"

/* A pattern of -e, taken apart. */
struct request {
	const char *pattern;
	char *lib;  /* a library's name or path; of a group: its name */
	char *glob; /* NULL: all that the group names */
	bool ret;
	const struct xtr_api_group *group; /* NULL: a library */
	size_t first, n;                   /* its libraries in xtr_api.libs */
};

/* While the functions of one library are looked for. */
struct search {
	struct xtr_api *a;
	const struct request *req;
	const struct xtr_library_file *file;
	size_t matched;
	struct xtr_elf_funcs left_out; /* counts only */
};

bool xtr_api_is(const char *pattern)
{
	return strncmp(pattern, PREFIX, strlen(PREFIX)) == 0;
}

static void free_request(struct request *r)
{
	free(r->lib);
	free(r->glob);
}

/* 0, -EINVAL: no such form, or -ENOMEM. */
static int parse(struct request *r, const char *pattern)
{
	char *rest = strdup(pattern + strlen(PREFIX)), *colon, *glob;
	int err = 0;

	*r = (struct request){ .pattern = pattern, .ret = true };
	if (!rest)
		return -ENOMEM;
	colon = strrchr(rest, ':');
	if (colon && strcmp(colon, ":noret") == 0) {
		*colon = 0;
		r->ret = false;
	}
	glob = strchr(rest, ':');
	if (glob)
		*glob++ = 0;
	r->lib = rest;
	r->group = xtr_api_group(rest);
	if (!rest[0] || (glob ? !glob[0] || strchr(glob, ':') : !r->group))
		err = -EINVAL;
	else if (glob && !(r->glob = strdup(glob)))
		err = -ENOMEM;
	if (err)
		free_request(r);
	return err;
}

bool xtr_api_valid(const char *pattern)
{
	struct request r;

	if (!xtr_api_is(pattern) || parse(&r, pattern))
		return false;
	free_request(&r);
	return true;
}

/* partly: the rest of what the pattern asks for is recorded. */
static int add_problem(struct xtr_api *a, const struct request *r, bool partly, const char *why)
{
	struct xtr_api_problem *more;

	more = reallocarray(a->problems, a->n_problems + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	a->problems = more;
	more = &more[a->n_problems];
	if (asprintf(&more->name, "%s%s", r->pattern, partly ? " (partly)" : "") < 0)
		return -ENOMEM;
	snprintf(more->why, sizeof(more->why), "%s", why);
	a->n_problems++;
	return 0;
}

/* One call must not count twice: an address that is known already has its name. */
static struct xtr_api_probe *at_place(struct xtr_api *a, const struct xtr_library_file *file,
				      uint64_t offset)
{
	for (size_t i = 0; i < a->n_probes; i++) {
		for (size_t k = 0; k < a->probes[i].n_places; k++) {
			const struct xtr_api_place *p = &a->probes[i].places[k];

			if (p->file->id == file->id && p->offset == offset)
				return &a->probes[i];
		}
	}
	return NULL;
}

static struct xtr_api_probe *named(struct xtr_api *a, const char *lib, const char *function)
{
	size_t n = strlen(lib);

	for (size_t i = 0; i < a->n_probes; i++) {
		const char *name = a->probes[i].name + strlen(PREFIX);

		if (strcmp(a->probes[i].function, function) == 0 && strncmp(name, lib, n) == 0 &&
		    name[n] == ':')
			return &a->probes[i];
	}
	return NULL;
}

static struct xtr_api_probe *new_probe(struct xtr_api *a, const char *lib, const char *function)
{
	struct xtr_api_probe *p, *more;

	more = reallocarray(a->probes, a->n_probes + 1, sizeof(*more));
	if (!more)
		return NULL;
	a->probes = more;
	p = &more[a->n_probes];
	*p = (struct xtr_api_probe){ .row = xtr_api_row(function) };
	if (asprintf(&p->name, PREFIX "%s:%s", lib, function) < 0)
		return NULL;
	p->function = strrchr(p->name, ':') + 1;
	a->n_probes++;
	return p;
}

static int add_function(const struct search *s, const struct xtr_elf_func *f)
{
	struct xtr_api_probe *p = at_place(s->a, s->file, f->offset);
	struct xtr_api_place *more;

	if (p) {
		p->ret |= s->req->ret;
		return 0;
	}
	p = named(s->a, s->file->name, f->name);
	if (!p)
		p = new_probe(s->a, s->file->name, f->name);
	if (!p)
		return -ENOMEM;
	p->ret |= s->req->ret;
	more = reallocarray(p->places, p->n_places + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->places = more;
	more[p->n_places++] = (struct xtr_api_place){ s->file, f->offset };
	return 0;
}

static int match(struct search *s, const char *functions, const char *within)
{
	struct xtr_elf_funcs f;
	int err = xtr_elf_match(s->file->elf, functions, &f);

	if (err == -ENOEXEC)
		return 0; /* damaged tables: as if nothing was there */
	if (err)
		return err;
	for (size_t i = 0; i < f.n && !err; i++) {
		if (within && fnmatch(within, f.v[i].name, 0))
			continue;
		err = add_function(s, &f.v[i]);
		s->matched++;
	}
	s->left_out.undefined += f.undefined;
	s->left_out.indirect += f.indirect;
	s->left_out.no_code += f.no_code;
	xtr_elf_funcs_free(&f);
	return err;
}

/* The Level Zero drivers hand their functions out in tables; only the loader exports them. */
static const char *hint(const struct search *s)
{
	return strncmp(s->file->name, "libze_intel_", 12) == 0
		       ? "; the loader libze_loader.so.1 does"
		       : "";
}

static int say_left_out(const struct search *s)
{
	const struct xtr_elf_funcs *o = &s->left_out;
	char why[XTR_API_WHY_MAX], most[XTR_API_WHY_MAX] = "";

	if (!s->matched)
		snprintf(most, sizeof(most), "exports no function that matches '%.60s'%s",
			 s->req->glob ? s->req->glob : s->req->group->functions[0], hint(s));
	if (o->indirect)
		snprintf(why, sizeof(why), "%s%s%u chosen when the library is loaded (IFUNC)", most,
			 most[0] ? "; " : "left out: ", o->indirect);
	else if (o->no_code)
		snprintf(why, sizeof(why), "%s%s%u without size or code", most,
			 most[0] ? "; " : "left out: ", o->no_code);
	else if (!s->matched && o->undefined)
		snprintf(why, sizeof(why), "%s; it uses %u of another library", most, o->undefined);
	else if (!s->matched)
		snprintf(why, sizeof(why), "%s", most);
	else
		return 0;
	snprintf(most, sizeof(most), "%.70s: %.125s", s->file->path, why);
	return add_problem(s->a, s->req, s->matched > 0, most);
}

static int search_file(struct xtr_api *a, const struct request *r,
		       const struct xtr_library_file *file)
{
	struct search s = { .a = a, .req = r, .file = file };
	int err = 0;

	if (r->glob)
		err = match(&s, r->glob, NULL);
	for (size_t i = 0; !r->glob && r->group->functions[i] && !err; i++)
		err = match(&s, r->group->functions[i], NULL);
	return err ? err : say_left_out(&s);
}

/* Of a group with libraries of several versions, one that is there is enough. */
static int search_request(struct xtr_api *a, const struct request *r)
{
	char why[XTR_API_WHY_MAX];
	bool any = false;
	int err = 0;

	for (size_t i = r->first; i < r->first + r->n && !err; i++) {
		for (size_t k = 0; k < a->libs[i].n_files && !err; k++) {
			any = true;
			err = search_file(a, r, &a->libs[i].files[k]);
		}
	}
	if (err || any)
		return err;
	snprintf(why, sizeof(why), "%.40s: %.150s", a->libs[r->first].name, a->libs[r->first].why);
	return add_problem(a, r, false, why);
}

static size_t n_libraries(const struct request *r)
{
	size_t n = 0;

	while (r->group && r->group->libraries[n])
		n++;
	return r->group ? n : 1;
}

static int find_libraries(struct xtr_api *a, struct request *reqs, size_t n,
			  const struct xtr_library_places *places)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += n_libraries(&reqs[i]);
	a->libs = calloc(all + 1, sizeof(*a->libs));
	if (!a->libs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		reqs[i].first = a->n_libs;
		reqs[i].n = n_libraries(&reqs[i]);
		for (size_t k = 0; k < reqs[i].n; k++)
			a->libs[a->n_libs++].name =
				reqs[i].group ? reqs[i].group->libraries[k] : reqs[i].lib;
	}
	return xtr_libraries_find(a->libs, a->n_libs, NULL, 0, places);
}

int xtr_api_select(struct xtr_api *a, const char *const *patterns, size_t n,
		   const struct xtr_library_places *places)
{
	struct request *reqs = calloc(n + 1, sizeof(*reqs));
	size_t parsed = 0;
	int err = reqs ? 0 : -ENOMEM;

	*a = (struct xtr_api){ 0 };
	while (!err && parsed < n) {
		err = parse(&reqs[parsed], patterns[parsed]);
		parsed += !err;
	}
	if (!err)
		err = find_libraries(a, reqs, n, places);
	for (size_t i = 0; i < n && !err; i++)
		err = search_request(a, &reqs[i]);
	for (size_t i = 0; i < a->n_libs; i++)
		a->libs[i].name = NULL; /* the requests' */
	for (size_t i = 0; i < parsed; i++)
		free_request(&reqs[i]);
	free(reqs);
	if (err)
		xtr_api_free(a);
	return err;
}

void xtr_api_free(struct xtr_api *a)
{
	for (size_t i = 0; i < a->n_probes; i++) {
		free(a->probes[i].name);
		free(a->probes[i].places);
	}
	for (size_t i = 0; i < a->n_problems; i++)
		free(a->problems[i].name);
	xtr_libraries_free(a->libs, a->n_libs);
	free(a->probes);
	free(a->problems);
	free(a->libs);
	*a = (struct xtr_api){ 0 };
}

/* --- api probe -------------------------------------------------------------------------------- */

/*
 * Files are attached to by descriptor, so that it is the one whose symbols were read, in whatever
 * container its path means something.
 */

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
	int err;

	for (size_t i = 0; i < n; i++) {
		*bad = patterns[i];
		if (!xtr_api_valid(patterns[i]))
			return -EINVAL;
	}
	s->apis = calloc(1, sizeof(*s->apis));
	if (!s->apis)
		return -ENOMEM;
	err = xtr_api_select(&s->apis->api, patterns, n, NULL);
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
