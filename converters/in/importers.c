/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of import formats. */
#include "converters/in/text/bpftrace.h"
#include "converters/in/core/import.h"
#include "converters/in/text/import_ftrace.h"
#include "converters/in/text/import_perf.h"
#include "converters/in/perfdata/perfdata.h"
#include "converters/in/perfetto/pftrace.h"
#include "converters/in/tracedat/tracedat.h"

const struct xtr_importer xtr_importers[] = {
	{ "tracedat", "trace-cmd's trace.dat, version 6 or 7", xtr_tracedat_detect,
	  xtr_tracedat_run },
	{ "perfdata", "perf record's perf.data, of a file or a pipe", xtr_perfdata_detect,
	  xtr_perfdata_run },
	{ "perfetto", "a trace of Perfetto, as tracebox and traced write", xtr_pftrace_detect,
	  xtr_pftrace_run },
	{ "ftrace", "the text of the kernel's trace file, or of trace-cmd report",
	  xtr_ftrace_detect, xtr_ftrace_run },
	{ "perf", "the text of perf script", xtr_perf_detect, xtr_perf_run },
	{ "bpftrace", "what bpftrace scripts print: a probe on each line", xtr_bpftrace_detect,
	  xtr_bpftrace_run },
	{ 0 },
};
