/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_compare.h"
#include "analysis/core/grid.h"
#include "analysis/hang/hang_key.h"
#include "base/text.h"
#include "bundle_dumps.h"
#include "hang_head_cmd.h"

#include <stdlib.h>
#include <string.h>

struct comparing {
	const char *path[2];
	struct hang_told told[2];
	struct xtr_hang_compared c;
};

/* Returns the exit status. */
static int read_one(struct comparing *x, const struct cli_command *cmd, size_t i)
{
	const struct replay_opts o = { 0 };
	struct replay_cmd c = { 0 };
	char *path = (char *)x->path[i];
	int status = replay_begin(&c, cmd, &o, 1, &path), err;

	if (status != XTR_EXIT_OK)
		return status;
	err = hang_told_find(&x->told[i], &c, bundle_dumps());
	status = replay_end(&c, err);
	if (status == XTR_EXIT_FAILURE || x->told[i].head.n)
		return status;
	cli_error("'%s': it tells of no hang", xtr_text_input(x->path[i]));
	cli_hint("'xtr stats -s unusual' has jobs that did not end as they should");
	return XTR_EXIT_FAILURE;
}

static const char *sentence(enum xtr_hang_verdict v)
{
	static const char *const all[] = {
		[XTR_HANG_ALIKE] = "The same hang, as far as it is known.",
		[XTR_HANG_DIFFERENT] = "Different hangs.",
		[XTR_HANG_UNDECIDED] = "Not known: too little is known of both.",
	};

	return all[v];
}

static void put_value(FILE *f, const char *label, const char *s)
{
	fprintf(f, "    %-3s ", label);
	xtr_text_put(f, s ? s : "not known", strlen(s ? s : "not known"));
	fputc('\n', f);
}

static void show(const struct comparing *x, FILE *f)
{
	fprintf(f, "%s\n", sentence(x->c.verdict));
	fputs("Rule: different if one of these differs; the same if the ring is the same, and the "
	      "class of the\n  fault's address, the driver's message, or the stack.\n\n",
	      f);
	for (size_t i = 0; i < 2; i++) {
		fprintf(f, "%c: ", "AB"[i]);
		xtr_text_put(f, x->path[i], strlen(x->path[i]));
		fputc('\n', f);
	}
	for (size_t i = 0; i < HANG_KEYS; i++) {
		fprintf(f, "  %-8s %s\n", x->c.key[i].name, xtr_hang_verdict_name(x->c.key[i].is));
		if (x->c.key[i].is == XTR_HANG_ALIKE) {
			put_value(f, "", x->c.key[i].a);
		} else {
			put_value(f, "A", x->c.key[i].a);
			put_value(f, "B", x->c.key[i].b);
		}
	}
}

static void show_json(const struct comparing *x, FILE *f)
{
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.hang-compare/1");
	xtr_json_kv_str(&j, "verdict", xtr_hang_verdict_name(x->c.verdict));
	xtr_json_kv_array(&j, "files");
	for (size_t i = 0; i < 2; i++) {
		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "file", x->path[i]);
		xtr_json_kv_u64(&j, "hangs", x->told[i].head.hangs);
		xtr_json_key(&j, "hang");
		xtr_hang_head_json(&x->told[i].head, &j);
		xtr_json_end_object(&j);
	}
	xtr_json_end_array(&j);
	xtr_json_kv_array(&j, "keys");
	for (size_t i = 0; i < HANG_KEYS; i++) {
		xtr_json_begin_object(&j);
		xtr_json_kv_str(&j, "key", x->c.key[i].name);
		xtr_json_kv_str(&j, "is", xtr_hang_verdict_name(x->c.key[i].is));
		xtr_json_kv_str(&j, "a", x->c.key[i].a);
		xtr_json_kv_str(&j, "b", x->c.key[i].b);
		xtr_json_end_object(&j);
	}
	xtr_json_end_array(&j);
	xtr_json_document_end(&j);
}

int bundle_compare(const struct cli_command *cmd, int argc, char **argv, bool json)
{
	struct comparing *x;
	int status = XTR_EXIT_OK;

	if (argc != 2)
		return cli_usage_error(cmd, "--compare takes two bundles, or traces");
	x = calloc(1, sizeof(*x));
	if (!x)
		return cli_failed(argv[0], -ENOMEM);
	for (size_t i = 0; i < 2; i++) {
		int one;

		x->path[i] = argv[i];
		one = read_one(x, cmd, i);
		if (one != XTR_EXIT_OK && one != XTR_EXIT_LOSS) {
			free(x);
			return one;
		}
		status = one == XTR_EXIT_OK ? status : one;
	}
	xtr_hang_compare(&x->told[0].head.key, &x->told[1].head.key, &x->c);
	if (json)
		show_json(x, cli_out());
	else
		show(x, cli_out());
	status = x->c.verdict == XTR_HANG_ALIKE ? status : XTR_EXIT_THRESHOLD;
	free(x);
	return status;
}
