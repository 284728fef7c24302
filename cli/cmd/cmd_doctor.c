/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr doctor: can this machine record, and what is missing. */
#include "cli/ui/cli.h"

#include "recorder/doctor/doctor.h"
#include "base/json.h"

struct opts {
	bool json;
};

static const struct {
	const char *name, *color;
} states[] = {
	[XTR_CHECK_OK] = { "ok", "\033[32m" },
	[XTR_CHECK_WARN] = { "limited", "\033[33m" },
	[XTR_CHECK_MISSING] = { "missing", "\033[31m" },
};

static void print_table(FILE *f, const struct xtr_check *c, size_t n)
{
	bool color = cli_color(f);

	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s%-8s%s %-20s %s\n", color ? states[c[i].state].color : "",
			states[c[i].state].name, color ? "\033[0m" : "", c[i].name, c[i].detail);
		if (c[i].remedy)
			fprintf(f, "%-8s %-20s -> %s\n", "", "", c[i].remedy);
	}
}

static void print_json(FILE *f, const struct xtr_check *c, size_t n, bool can_record)
{
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.doctor/1");
	xtr_json_kv_bool(&j, "can_record", can_record);
	xtr_json_kv_array(&j, "checks");
	for (size_t i = 0; i < n; i++) {
		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "name", c[i].name);
		xtr_json_kv_str(&j, "state", states[c[i].state].name);
		xtr_json_kv_str(&j, "detail", c[i].detail);
		xtr_json_kv_str(&j, "remedy", c[i].remedy);
		xtr_json_end_object(&j);
	}
	xtr_json_end_array(&j);
	xtr_json_document_end(&j);
}

static int run(const void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct xtr_check checks[XTR_CHECKS_MAX];
	bool can_record = true;
	size_t n;
	FILE *f;

	if (argc)
		return cli_usage_error(&cmd_doctor, "unexpected argument '%s'", argv[0]);
	n = xtr_doctor(checks);
	for (size_t i = 0; i < n; i++)
		can_record &= checks[i].state != XTR_CHECK_MISSING;
	f = cli_out();
	if (o->json) {
		print_json(f, checks, n, can_record);
	} else {
		print_table(f, checks, n);
		fprintf(f, "\nThis machine can%s record.\n", can_record ? "" : "not");
	}
	return cli_finish(can_record ? XTR_EXIT_OK : XTR_EXIT_PRIVILEGE);
}

static const struct cli_option options[] = {
	{ 0, "json", NULL, CLI_FLAG, offsetof(struct opts, json), "print a JSON document" },
};

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.summary = "say what recording lacks on this machine",
	.args = "",
	.examples = "xtr doctor\tcheck this machine",
	CLI_OPTIONS(options, struct opts),
	.run = run,
	.privileged = true,
};
