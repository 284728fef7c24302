/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sources: what a bundle may hold, and what of it is private. */
#include "bundle.h"

#include <string.h>

static const struct xtr_bundle_source sources[] = {
	{ .name = "trace", .what = "the trace" },
	{ .name = "stats", .what = "what 'xtr stats --all' says of the trace" },
	{ .name = "findings", .what = "what of it is worth a look" },
	{ .name = "info", .what = "what 'xtr info' says of the trace" },
	{ .name = "machine",
	  .what = "kernel, distribution, processor, memory, BIOS version",
	  .machine = true },
	{ .name = "devices", .what = "GPUs and NPUs with PCI ids and drivers", .machine = true },
	{ .name = "modules",
	  .what = "versions and parameters of the drivers' modules",
	  .machine = true },
	{ .name = "firmware",
	  .what = "versions of firmware, as drivers tell them",
	  .machine = true },
	{ .name = "cmdline",
	  .what = "the kernel's command line",
	  .holds = "names of disks and hosts, and whatever options say",
	  .machine = true },
	{ .name = "kmsg",
	  .what = "the kernel's log around the recording, and what these drivers wrote at any time",
	  .holds = "process ids, addresses, serial numbers, names of networks and disks",
	  .machine = true },
	{ .name = "xid",
	  .what = "lines of the kernel's log about NVIDIA's errors (Xid)",
	  .holds = "process ids, and names of programs that are not in the trace",
	  .machine = true },
	/* Only in the bundle of a hang (hang/). */
	{ .name = "hang",
	  .what = "what told of the hang, and when",
	  .holds = "process ids, and lines of the kernel's log",
	  .machine = true },
	{ .name = "dmesg",
	  .what = "the kernel's log since it was started",
	  .holds = "process ids, addresses, serial numbers, names of networks and disks",
	  .machine = true },
	{ .name = "state",
	  .what = "what debugfs and sysfs said of the device when it hung",
	  .holds = "process ids, and names of programs that are not in the trace",
	  .machine = true },
	{ .name = "devcoredump",
	  .what = "dumps that drivers made of devices that hung",
	  .holds = "registers and memory of the device: what programs had there, and their names",
	  .machine = true },
	{ .name = "error",
	  .what = "error states of i915",
	  .holds = "registers and memory of the device: what programs had there, and their names",
	  .machine = true },
	{ .name = "nvidia-smi",
	  .what = "what nvidia-smi says of the devices",
	  .holds = "serial numbers, process ids and names of programs",
	  .machine = true },
	{ .name = "nvidia-bug-report",
	  .what = "what nvidia-bug-report.sh collects",
	  .holds = "the whole log, names of the host and its users, programs, serial numbers",
	  .machine = true,
	  .slow = true },
	{ .name = "report", .what = "a report in the form of a tracker, with blanks" },
};

const struct xtr_bundle_source *xtr_bundle_source(size_t i)
{
	return i < sizeof(sources) / sizeof(sources[0]) ? &sources[i] : NULL;
}

const struct xtr_bundle_source *xtr_bundle_source_named(const char *name)
{
	const struct xtr_bundle_source *s;

	for (size_t i = 0; (s = xtr_bundle_source(i)); i++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
