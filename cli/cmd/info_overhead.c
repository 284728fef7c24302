/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr info --overhead`: what recording cost the machine, as the file's END chunk says it. */
#include "info.h"

#include "base/checked.h"
#include "format/write/writer.h"

#include <inttypes.h>
#include <string.h>

static void rate(FILE *f, uint64_t part, uint64_t whole, const char *of)
{
	if (whole)
		fprintf(f, ", %.3g %% of %s", (double)part * 100 / (double)whole, of);
}

/* One row: time spent, by event, and as a share of the time that was recorded. */
static void row(FILE *f, const char *name, uint64_t ns, uint64_t n, const char *each,
		uint64_t elapsed)
{
	fprintf(f, "  %-10s  %s", name, cli_ns(ns));
	if (n)
		fprintf(f, ", %s per %s", cli_ns(ns / n), each);
	rate(f, ns, elapsed, "one CPU");
	fputc('\n', f);
}

static void print_probes(FILE *f, const struct xtr_recorder_cost *c, uint64_t events, uint32_t cpus)
{
	uint64_t sum = xtr_sat_add(c->cpu_ns, c->bpf_run_ns);

	if (!c->bpf_run_cnt || !c->bpf_timed_cnt) {
		fputs("  probes      no BPF program ran, or none was timed\n", f);
		return;
	}
	row(f, "probes", c->bpf_run_ns, c->bpf_run_cnt, "run", c->elapsed_ns);
	row(f, "together", sum, events, "event", c->elapsed_ns);
	if (cpus > 1 && c->elapsed_ns)
		fprintf(f, "  %-10s  %.3g %% of the machine's %" PRIu32 " CPUs\n", "",
			(double)sum * 100 / ((double)c->elapsed_ns * cpus), cpus);
	fprintf(f, "  Probes are an estimate: %s of %s runs were timed.\n",
		cli_count(c->bpf_timed_cnt), cli_count(c->bpf_run_cnt));
}

/* Events that the kernel's own trace ring took: it does not measure what that costs. */
static void print_engine(FILE *f, const struct xtr_meta *m)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_meta_n_providers(m); i++)
		n += !strcmp(xtr_meta_provider(m, i)->attach, "ftrace");
	if (n)
		fprintf(f,
			"  %-10s  %zu tracepoint%s by the kernel's trace ring: its cost is not measured\n",
			"kernel", n, n == 1 ? "" : "s");
}

/* What was asked for, and what it took: estimated, as the probes are. */
static void print_budget(FILE *f, const struct xtr_recorder_cost *c, const struct xtr_meta *m,
			 uint32_t cpus)
{
	uint64_t ppm, sum = xtr_sat_add(c->cpu_ns, c->bpf_run_ns);
	double share;

	if (!xtr_meta_config_u64(m, "budget", &ppm) || !cpus || !c->elapsed_ns)
		return;
	share = (double)sum * 100 / ((double)c->elapsed_ns * cpus);
	fprintf(f, "  %-10s  at most %.3g %% of the machine was asked for, it took %.3g %%%s\n",
		"budget", (double)ppm / 1e4, share, share * 1e4 > (double)ppm ? ": more" : "");
}

static void print_section(FILE *f, const struct info_section *is)
{
	const struct xtr_recorder_cost *c = xtr_section_end_cost(is->s);
	const struct xtr_section_summary *sum = xtr_section_summary(is->s);
	const struct xtr_system *sys = xtr_meta_system(xtr_section_meta(is->s));

	if (!c) {
		fputs("  not known: the end of the recording is missing, or no recorder wrote it\n",
		      f);
		return;
	}
	if (c->elapsed_ns)
		fprintf(f, "  %-10s  %s\n", "recorded", cli_ns(c->elapsed_ns));
	row(f, "recorder", c->cpu_ns, is->events, "event", c->elapsed_ns);
	print_probes(f, c, is->events, sys ? sys->cpus : 0);
	print_engine(f, xtr_section_meta(is->s));
	print_budget(f, c, xtr_section_meta(is->s), sys ? sys->cpus : 0);
	fprintf(f, "  %-10s  %s", "file", cli_bytes(sum->event_bytes));
	if (sum->events)
		fprintf(f, ", %.1f bytes per event",
			(double)sum->event_bytes / (double)sum->events);
	fputc('\n', f);
	if (c->ring_bytes)
		fprintf(f, "  %-10s  %s per CPU, filled to %u %% at most\n", "rings",
			cli_bytes(c->ring_bytes),
			(unsigned int)((unsigned __int128)c->ring_high * 100 / c->ring_bytes));
}

void info_print_overhead(FILE *f, const struct info *info)
{
	info_print_head(f, info);
	for (size_t i = 0; i < info->n_sections; i++) {
		if (info->n_sections > 1)
			fprintf(f, "\nSection %zu of %zu\n", i + 1, info->n_sections);
		else
			fputs("Cost of recording\n", f);
		print_section(f, &info->sections[i]);
	}
}
