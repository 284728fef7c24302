/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which calls of shared libraries to record: from `api:LIBRARY:GLOB[:noret]` and
 * `api:GROUP[:noret]` to functions and their places in files.
 */
#ifndef XTR_RECORDER_API_H
#define XTR_RECORDER_API_H

#include "api_tables.h"
#include "recorder/host/library_search.h"

#include <stddef.h>

#define XTR_API_WHY_MAX 200

/* Where a function begins: in which file, and how far from its start, bytes. */
struct xtr_api_place {
	const struct xtr_library_file *file;
	uint64_t offset;
};

/* A function. Libraries of one name, in containers for example, give it several places. */
struct xtr_api_probe {
	char *name;           /* "api:libze_loader.so.1:zeInit" */
	const char *function; /* in name */
	const struct xtr_api_row *row;
	bool ret; /* returns are recorded, too */
	struct xtr_api_place *places;
	size_t n_places;
};

/* What was asked for and cannot be recorded. */
struct xtr_api_problem {
	char *name; /* "api:libx.so:f*", or "api:cuda" */
	char why[XTR_API_WHY_MAX];
};

struct xtr_api {
	struct xtr_api_probe *probes;
	size_t n_probes;
	struct xtr_api_problem *problems;
	size_t n_problems;
	struct xtr_library *libs; /* one by one, as probes point into them */
	size_t n_libs;
};

/* Does the pattern of -e begin with "api:"? */
bool xtr_api_is(const char *pattern);
/* Is it one that xtr_api_select understands? */
bool xtr_api_valid(const char *pattern);

/*
 * Find the functions of valid patterns. Libraries are those that the loader finds and that
 * any process has mapped. places: see library_search.h. What is not found is in problems. 0 or
 * -ENOMEM.
 */
int xtr_api_select(struct xtr_api *a, const char *const *patterns, size_t n,
		   const struct xtr_library_places *places);
void xtr_api_free(struct xtr_api *a);

/* --- api probe -------------------------------------------------------------------------------- */

/* Calls of shared libraries as probes of the selection. */
struct xtr_selection;
struct xtr_api;
struct xtr_apis; /* the files of the libraries, open until everything is attached */

/*
 * Add the functions of n patterns (api.h) to the selection. 0, -EINVAL with *bad set to the pattern
 * that is none, or -ENOMEM.
 */
int xtr_api_probes_add(struct xtr_selection *s, const char *const *patterns, size_t n,
		       const char **bad);
/* What was found, and what was not. */
const struct xtr_api *xtr_apis_api(const struct xtr_apis *a);
void xtr_apis_free(struct xtr_apis *a);

#endif /* XTR_RECORDER_API_H */
