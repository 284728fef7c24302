/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr bundle: one file for a bug report. */
#include "bundle_make.h"

#include <string.h>

extern const struct cli_command cmd_bundle;

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct bundle_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct bundle_opts, force),
	  "replace an existing file" },
	{ 0, "include", "PARTS", CLI_LIST, offsetof(struct bundle_opts, include),
	  "put these private parts in without asking: cmdline,kmsg,xid,devcoredump,error" },
	{ 0, "exclude", "PARTS", CLI_LIST, offsetof(struct bundle_opts, exclude),
	  "leave these parts out: those, stats,findings,info,machine,devices,modules,firmware" },
	{ 0, "yes", NULL, CLI_FLAG, offsetof(struct bundle_opts, yes),
	  "put all private parts in without asking" },
	{ 0, "no-redact", NULL, CLI_FLAG, offsetof(struct bundle_opts, no_redact),
	  "the trace and the texts as they are, with all names" },
	{ 0, "key", "NUMBER", CLI_U64, offsetof(struct bundle_opts, key),
	  "for tests: of the redaction, which is random otherwise" },
};

static int run(const void *opts, int argc, char **argv)
{
	int status;

	if (argc != 1)
		return cli_usage_error(&cmd_bundle,
				       argc ? "bundle takes one file" : "bundle: which file?");
	status = bundle_check_opts(&cmd_bundle, opts);
	return status == XTR_EXIT_OK ? bundle_make(opts, argv[0]) : status;
}

static const char *words(const char *option, size_t i)
{
	const struct xtr_bundle_source *s;

	if (strcmp(option, "include") != 0 && strcmp(option, "exclude") != 0)
		return NULL;
	s = xtr_bundle_source(i + 1); /* the trace is always there */
	return s ? s->name : NULL;
}

const struct cli_command cmd_bundle = {
	.name = "bundle",
	.summary = "pack a trace and what this machine tells into one file for a bug report",
	.args = "FILE",
	.about =
		"Makes one file to attach to a bug report, which everybody may read: the trace, redacted as by "
		"'xtr redact' and looked through as by 'xtr redact --check'; what 'xtr stats', its findings and "
		"'xtr info' say of it, as text and as JSON; kernel, distribution, processor and BIOS version; PCI "
		"ids, drivers, versions and parameters of the modules, versions of firmware; a README, a manifest "
		"and SHA-256 of everything. It is a tar, compressed with zstd: docs/bundle.md has the layout. "
		"Without -o, run.xtr becomes run.tar.zst in the current directory.\n\n"
		"Each command that takes a trace takes a bundle: 'xtr stats run.tar.zst' opens the trace in it, "
		"without root, BPF or network. Nothing else is unpacked.\n\n"
		"Private parts are asked for one by one, with their size and what may be in them: the kernel's "
		"command line (cmdline); its log around the recording, and what the drivers of the trace wrote at "
		"any time (kmsg); NVIDIA's error lines (xid); dumps that drivers made of devices that hung "
		"(devcoredump, up to 512 MiB each) and error states of i915 (error), byte for byte as they are. "
		"Without a terminal they are left out, but for what --include or --yes names.\n\n"
		"In texts of this machine names that were replaced in the trace are replaced in the same way, and "
		"the host's name, names of users, UUIDs and addresses of network cards. Process ids, serial "
		"numbers and names that nobody told stay: read them before you say yes ([s]how).\n\n"
		"What this machine tells is put in only if the trace says that it was recorded here, since the "
		"machine was started: of others only what the trace holds. Make it where you recorded, as root "
		"where dumps and the log are for root alone; what could not be read is named in the README.\n\n"
		"A bundle is opened if it is one: plain files in one folder, one trace.xtr among them. When "
		"it is unpacked the trace may be 256 times as large as the bundle and 64 MiB, all members together 256 "
		"times and 4 GiB; it is unpacked to a temporary file without a name, in $TMPDIR. A "
		"bundle that is cut short or cannot be unpacked to its end is an error.\n\n"
		"Damaged traces cannot be redacted: 'xtr recover' makes whole ones of them. The output "
		"appears under its name when it is complete, and the trace was read back from it. Exit status 3: events were lost while "
		"recording; they stay counted. Exit status 4: something private was still found in the redacted trace; no bundle is written.",
	.examples =
		"xtr bundle run.xtr\tinto run.tar.zst; asks before anything private\n"
		"xtr bundle --include kmsg -o bug.tar.zst run.xtr\twith the kernel's log, without asking\n"
		"xtr stats bug.tar.zst\twhat a maintainer does with it",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct bundle_opts),
	.words = words,
	.run = run,
};
