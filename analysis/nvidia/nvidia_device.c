/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts, their bottom halves, and suspends, by the device's pointer: nvidia_isr and both
 * threaded halves are given the same one. nvidia_suspend and nvidia_resume are given another
 * object's (struct device), so the two cannot be put together.
 */
#include "base/text.h"
#include "nvidia.h"
#include "replay/event/process.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define IRQ_WAKE_THREAD 2 /* include/linux/irqreturn.h */

/* The row of this device; the last one is for all for which there is no other. */
static struct nv_device *device_of(struct nvidia *nv, uint64_t device)
{
	struct nv_device *d;

	for (uint32_t i = 0; i < nv->n_devices; i++)
		if (nv->device[i].device == device || nv->device[i].rest)
			return &nv->device[i];
	d = &nv->device[nv->n_devices++];
	d->device = device;
	d->rest = nv->n_devices == NV_DEVICES_MAX;
	return d;
}

uint64_t nv_interrupts(const struct nvidia *nv, const struct nv_device *d)
{
	/* Without returns it is not known what calls what: a device has one mode or the other. */
	if (d->msix && !nv->track.b.timed[NV_ISR_MSIX])
		return d->msix;
	return d->msix + d->alone;
}

int nv_irq_step(struct nvidia *nv, const struct nv_step *s)
{
	struct nv_device *d = device_of(nv, s->v[NV_V_DEVICE]);
	bool msix = s->role == NV_ISR_MSIX;

	if (!s->end) {
		*(msix ? &d->msix : s->nested ? &d->nested : &d->alone) += 1;
		if (nv->o->times && !s->nested && (msix || !d->msix))
			nv_rate_add(&d->rate, s->ts, NV_IRQS_PER_S, 1);
		/* Whether it wants a bottom half is known when it returns, if that is recorded. */
		if (!s->nested && !s->paired)
			d->wake_ns = s->ts;
		return 0;
	}
	if (!s->begun_inside || s->nested)
		return 0;
	if (s->ret_known) {
		d->not_ours += !s->ret;
		d->woke += (s->ret & IRQ_WAKE_THREAD) != 0;
	}
	if ((!s->ret_known || s->ret & IRQ_WAKE_THREAD) && (!d->wake_ns || !s->ret_known))
		d->wake_ns = s->begin_ns;
	return nv->o->times && s->ts >= s->begin_ns
		       ? xtr_hist_add(&d->time[msix], s->ts - s->begin_ns)
		       : 0;
}

int nv_bottom_step(struct nvidia *nv, const struct nv_step *s)
{
	struct nv_device *d = device_of(nv, s->v[NV_V_DEVICE]);
	uint64_t wake = d->wake_ns;

	if (s->end)
		return nv->o->times && s->begun_inside && s->ts >= s->begin_ns
			       ? xtr_hist_add(&d->bottom_time, s->ts - s->begin_ns)
			       : 0;
	d->bottoms[s->role == NV_BOTTOM_MSIX]++;
	d->wake_ns = 0;
	return nv->o->times && wake && s->ts >= wake ? xtr_hist_add(&d->wake, s->ts - wake) : 0;
}

/* --- suspend and resume ----------------------------------------------------------------------- */

static struct nv_power *power_of(struct nvidia *nv, uint64_t device)
{
	struct nv_power *p;

	for (uint32_t i = 0; i < nv->n_powers; i++)
		if (nv->power[i].device == device || nv->power[i].rest)
			return &nv->power[i];
	p = &nv->power[nv->n_powers++];
	p->device = device;
	p->rest = nv->n_powers == NV_DEVICES_MAX;
	return p;
}

static int suspend_ends(struct nvidia *nv, struct nv_power *p, const struct nv_step *s)
{
	p->failed = s->ret_known && s->ret;
	p->suspend_errors += p->failed;
	p->suspended_ns = p->failed ? 0 : s->ts;
	return nv->o->times && s->entered && s->ts >= s->begin_ns
		       ? xtr_hist_add(&p->suspend, s->ts - s->begin_ns)
		       : 0;
}

static int resume_begins(struct nvidia *nv, struct nv_power *p, const struct nv_step *s)
{
	uint64_t since = p->suspended_ns;

	p->resumes++;
	p->resumes_after_failure += p->failed;
	p->failed = false;
	p->suspended_ns = 0;
	return nv->o->times && since && s->ts >= since ? xtr_hist_add(&p->away, s->ts - since) : 0;
}

int nv_power_step(struct nvidia *nv, const struct nv_step *s)
{
	struct nv_power *p;

	if (s->end && !s->entered)
		return 0;
	p = power_of(nv, s->v[NV_V_DEVICE]);
	if (!s->end && s->role == NV_SUSPEND) {
		p->suspends++;
		if (!s->paired)
			p->suspended_ns = s->ts;
		return 0;
	}
	if (!s->end)
		return resume_begins(nv, p, s);
	if (s->role == NV_SUSPEND)
		return suspend_ends(nv, p, s);
	p->resume_errors += s->ret_known && s->ret;
	return nv->o->times && s->ts >= s->begin_ns ? xtr_hist_add(&p->resume, s->ts - s->begin_ns)
						    : 0;
}

/* --- nvidia note ------------------------------------------------------------------------------ */

/* What is worth a look in the driver's calls and interrupts: storms. */

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
	char n[XTR_TEXT_NUMBER], window[XTR_TEXT_NUMBER];
	char pid[XTR_TEXT_PROCESS];

	snprintf(x.text, sizeof(x.text),
		 "process %s made up to %s NVIDIA ioctls in %s; each costs CPU time, and none "
		 "launches a kernel",
		 xtr_text_process(pid, p->process), xtr_text_count(n, p->rate.worst),
		 xtr_text_ns(window, NV_STORM_WINDOW));
	xtr_finding_evidence(&x, "pid", xtr_process_pid(p->process));
	rate_evidence(&x, &p->rate, "ioctls", NV_IOCTLS_PER_S);
	return xtr_findings_add(nv->o->findings, &x);
}

static int interrupt_storm(struct nvidia *nv, const struct nv_device *d)
{
	struct xtr_finding x = { .id = "nvidia-interrupt-storm",
				 .notable = true,
				 .at_ns = d->rate.storm_ns };
	char n[XTR_TEXT_NUMBER], window[XTR_TEXT_NUMBER];

	snprintf(x.text, sizeof(x.text),
		 "NVIDIA device 0x%" PRIx64 " raised up to %s interrupts in %s", d->device,
		 xtr_text_count(n, d->rate.worst), xtr_text_ns(window, NV_STORM_WINDOW));
	xtr_finding_evidence(&x, "device", d->device);
	rate_evidence(&x, &d->rate, "interrupts", NV_IRQS_PER_S);
	return xtr_findings_add(nv->o->findings, &x);
}

int nv_findings(struct nvidia *nv)
{
	int err = 0;

	for (uint32_t i = 0; i < nv->n_processes && !err; i++)
		if (nv->process[i].rate.storms)
			err = ioctl_storm(nv, &nv->process[i]);
	for (uint32_t i = 0; i < nv->n_devices && !err; i++)
		if (nv->device[i].rate.storms)
			err = interrupt_storm(nv, &nv->device[i]);
	return err;
}
