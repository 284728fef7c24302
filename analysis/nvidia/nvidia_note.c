/* SPDX-License-Identifier: BSD-2-Clause */
/* What is worth a look in the driver's calls and interrupts: storms. */
#include "nvidia.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static void rate_evidence(struct xtr_finding *f, const struct nv_rate *r, const char *what,
			  uint64_t limit)
{
	xtr_finding_evidence(f, what, r->worst);
	xtr_finding_evidence(f, "window_ns", NV_STORM_WINDOW);
	xtr_finding_evidence(f, "windows", r->storms);
	xtr_finding_evidence(f, "limit_per_s", limit);
}

static int ioctl_storm(struct nvidia *nv, const struct nv_process *p)
{
	struct xtr_finding x = { .id = "ioctl-storm", .notable = true, .at_ns = p->rate.storm_ns };
	char n[XTR_TEXT_NUMBER], limit[XTR_TEXT_NUMBER], window[XTR_TEXT_NUMBER];
	char pid[XTR_TEXT_PROCESS];

	snprintf(x.text, sizeof(x.text),
		 "process %s made up to %s NVIDIA ioctls in %s, more than %s per second; each "
		 "costs processor time, and kernels are not launched by them",
		 xtr_text_process(pid, p->process), xtr_text_count(n, p->rate.worst),
		 xtr_text_ns(window, NV_STORM_WINDOW), xtr_text_count(limit, NV_IOCTLS_PER_S));
	xtr_finding_evidence(&x, "pid", xtr_process_pid(p->process));
	rate_evidence(&x, &p->rate, "ioctls", NV_IOCTLS_PER_S);
	return xtr_findings_add(nv->o->findings, &x);
}

static int interrupt_storm(struct nvidia *nv, const struct nv_device *d)
{
	struct xtr_finding x = { .id = "nvidia-interrupt-storm",
				 .notable = true,
				 .at_ns = d->rate.storm_ns };
	char n[XTR_TEXT_NUMBER], limit[XTR_TEXT_NUMBER], window[XTR_TEXT_NUMBER];

	snprintf(x.text, sizeof(x.text),
		 "NVIDIA device 0x%" PRIx64 " raised up to %s interrupts in %s, more than %s per "
		 "second",
		 d->device, xtr_text_count(n, d->rate.worst), xtr_text_ns(window, NV_STORM_WINDOW),
		 xtr_text_count(limit, NV_IRQS_PER_S));
	xtr_finding_evidence(&x, "device", d->device);
	rate_evidence(&x, &d->rate, "interrupts", NV_IRQS_PER_S);
	return xtr_findings_add(nv->o->findings, &x);
}

int nv_findings(struct nvidia *nv)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < nv->n_processes && !ret; i++)
		if (nv->process[i].rate.storms)
			ret = ioctl_storm(nv, &nv->process[i]);
	for (i = 0; i < nv->n_devices && !ret; i++)
		if (nv->device[i].rate.storms)
			ret = interrupt_storm(nv, &nv->device[i]);
	return ret;
}
