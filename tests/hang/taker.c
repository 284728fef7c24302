/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that takes hangs, without a recorder and a GPU: who runs it plays both.
 *
 *     taker DIR ROOT RECORDER UEVENTS LOG [NAME=NUMBER]...
 *
 * Descriptors are numbers of sockets that it has inherited, -1: none. NAME: a number of struct
 * hang_opts.
 */
#include "cli/cmd/hang_taker.h"
#include "cli/ui/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *field(struct hang_opts *o, const char *name, size_t n)
{
	const struct {
		const char *name;
		uint64_t *field;
	} fields[] = {
		{ "max", &o->max },
		{ "pause", &o->pause },
		{ "grace", &o->grace },
		{ "dump_limit", &o->dump_limit },
		{ "state_limit", &o->state_limit },
		{ "trace_limit", &o->trace_limit },
		{ "make_limit", &o->make_limit },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == n && !strncmp(fields[i].name, name, n))
			return fields[i].field;
	return NULL;
}

int main(int argc, char **argv)
{
	struct hang_opts o;

	if (argc < 6) {
		fputs("usage: taker DIR ROOT RECORDER UEVENTS LOG [NAME=NUMBER]...\n", stderr);
		return 2;
	}
	hang_defaults(&o);
	if (cli_out_init())
		return 1;
	o.dir = argv[1];
	o.root = argv[2];
	o.recorder = atoi(argv[3]);
	o.uevents = atoi(argv[4]);
	o.log = atoi(argv[5]);
	for (int i = 6; i < argc; i++) {
		const size_t n = strcspn(argv[i], "=");
		uint64_t *to = field(&o, argv[i], n);

		if (to && argv[i][n])
			*to = strtoull(argv[i] + n + 1, NULL, 10);
		else if (!strncmp(argv[i], "keep=", 5))
			o.keep = (uint32_t)strtoul(argv[i] + 5, NULL, 10);
		else
			return 2;
	}
	return hang_taker(&o);
}
