/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are private here: the host's, those of users, and what was replaced in the trace. */
#include "bundle_make.h"

#include "replay/redact/redact.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	USER_FIRST = 1000, /* ids of people, as Debian and others give them */
	USER_LAST = 59999,
	SHORTEST = 4 /* letters of a name of the trace: as in the search of `redact --check` */
};

static int add_host(struct xtr_scrub *s)
{
	char host[256] = "";
	size_t first;
	int err;

	if (gethostname(host, sizeof(host) - 1))
		return 0;
	first = strcspn(host, ".");
	err = xtr_scrub_add(s, host, strlen(host), "host", 1);
	return err || !host[first] ? err : xtr_scrub_add(s, host, first, "host", 1);
}

/* The file alone: other sources of users may need the network. */
static int add_users(struct xtr_scrub *s, uint32_t *n)
{
	FILE *f = fopen("/etc/passwd", "re");
	unsigned int id;
	char *line = NULL;
	size_t cap = 0;
	int err = 0;

	while (f && !err && getline(&line, &cap, f) > 0) {
		size_t len = strcspn(line, ":");

		if (sscanf(line + len, ":%*[^:]:%u:", &id) == 1 && id >= USER_FIRST &&
		    id <= USER_LAST)
			err = xtr_scrub_add(s, line, len, "user", ++*n);
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}

static int add_callers(struct xtr_scrub *s, uint32_t *n)
{
	static const char *const variables[] = { "USER", "LOGNAME", "SUDO_USER" };
	int err = 0;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && !err; i++) {
		const char *name = getenv(variables[i]);

		if (name && strcmp(name, "root") != 0)
			err = xtr_scrub_add(s, name, strlen(name), "user", ++*n);
	}
	return err;
}

/* A path of the trace tells of a user of the machine where it was recorded. */
static int add_home(struct xtr_scrub *s, const struct xtr_redact_name *name, uint32_t *n)
{
	static const char home[] = "/home/";
	const char *at = memmem(name->text, name->n, home, sizeof(home) - 1);
	size_t len;

	if (!at)
		return 0;
	at += sizeof(home) - 1;
	len = strcspn(at, "/ "); /* a NUL follows the text */
	return len ? xtr_scrub_add(s, at, len, "user", ++*n) : 0;
}

int bundle_names(struct xtr_scrub *s, const struct xtr_redact *x)
{
	struct xtr_redact_name name;
	uint32_t users = 0;
	int err = add_host(s) ?: add_users(s, &users) ?: add_callers(s, &users);

	for (size_t i = 0; !err && xtr_redact_name(x, i, &name); i++) {
		if (name.n >= SHORTEST && !xtr_redact_is_common(name.text, name.n))
			err = xtr_scrub_add(s, name.text, name.n, name.label, name.number);
		err = err ?: add_home(s, &name, &users);
	}
	return err;
}
