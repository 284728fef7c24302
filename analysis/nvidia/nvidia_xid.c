/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors that NVIDIA's driver reports: the tracepoint nvidia:nvidia_dev_xid, or where the trace
 * does not have it nv_report_error, which fires it; and nvswitch's, whose numbers mean something
 * else.
 */
#include "nvidia_xid.h"
#include "base/text.h"
#include "replay/event/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

static bool applies(const struct xtr_meta *meta)
{
	return nv_any_role(meta, 1u << NV_XID | 1u << NV_SXID | 1u << NV_REPORT);
}

static void xids_free(void *self)
{
	struct xids *x = self;

	nv_track_free(&x->track);
	nv_pasts_free(&x->pasts);
	free(x->xid);
	free(x);
}

static int xids_open(void **self, const struct xtr_analysis_opts *o)
{
	struct xids *x = calloc(1, sizeof(*x));
	int err;

	if (!x)
		return -ENOMEM;
	x->o = o;
	x->xid = calloc(XIDS_KEPT, sizeof(*x->xid));
	err = nv_track_open(&x->track, o->meta, o->tables);
	if (!x->xid)
		err = -ENOMEM;
	if (err)
		xids_free(x);
	else
		*self = x;
	return err;
}

const char *xid_from_name(enum xid_from from)
{
	static const char *const names[] = {
#define NAME(id, text) text,
		XID_FROM_LIST(NAME)
#undef NAME
	};

	return names[from];
}

/* --- which device ----------------------------------------------------------------------------- */

static void dev_name(const struct xids *x, const struct nv_step *s, char buf[XID_DEV_MAX])
{
	size_t n = 0;
	const char *dev = s->role == NV_REPORT
				  ? NULL
				  : xtr_bind_text(s->binding, NV_F_DEV, s->event, x->o->tables, &n);

	if (dev && n)
		xtr_text_name(buf, XID_DEV_MAX, dev, n);
	else if (s->has[NV_V_DEVICE])
		snprintf(buf, XID_DEV_MAX, "0x%" PRIx64, s->v[NV_V_DEVICE]);
	else
		snprintf(buf, XID_DEV_MAX, "(unknown)");
}

/* The last row is for all for which there is no other. */
static uint32_t device_of(struct xids *x, const char *dev)
{
	uint32_t i;

	for (i = 0; i < x->n_devices; i++)
		if (!strcmp(x->device[i].dev, dev) || i == XID_DEVICES - 1)
			return i;
	x->n_devices++;
	snprintf(x->device[i].dev, XID_DEV_MAX, "%s", i == XID_DEVICES - 1 ? "(others)" : dev);
	return i;
}

/* The call that the thread (CPU) is in; NULL: none of this role. */
static const struct nv_call *inside_of(const struct xids *x, uint64_t owner, enum nv_role role)
{
	uint32_t i = xtr_map_index(&x->track.open, owner, role);

	return i != NONE && x->track.call[i].epoch == x->track.epoch ? &x->track.call[i] : NULL;
}

/* Whose interrupts go with the device: an Xid that is reported in a handler tells. */
static void find_handler(struct xids *x, const struct nv_step *s, struct xid *one)
{
	static const enum nv_role halves[] = { NV_BOTTOM, NV_BOTTOM_MSIX };
	static const enum nv_role tops[] = { NV_ISR_MSIX, NV_ISR };
	struct xid_device *d = &x->device[one->device];
	const struct nv_call *c = NULL;

	if (one->sxid)
		return;
	for (size_t i = 0; i < 2 && !c; i++)
		c = inside_of(x, s->tid, halves[i]);
	for (size_t i = 0; i < 2 && !c; i++)
		c = inside_of(x, nv_cpu_owner(s->cpu), tops[i]);
	if (c) {
		d->known = true;
		d->handler = c->v[NV_V_DEVICE];
		one->handler_from = XID_FROM_HANDLER;
	} else if (d->known) {
		one->handler_from = XID_FROM_EARLIER;
	} else if (x->n_handlers == 1) {
		one->handler = x->handlers[0];
		one->handler_from = XID_FROM_ONLY;
		return;
	}
	one->handler = d->handler;
}

/* --- which process ---------------------------------------------------------------------------- */

/* The number behind "pid=", as in "pid=4711, name=python, Ch 00000008"; 0: there is none. */
static uint32_t message_pid(const char *msg, size_t n)
{
	static const char key[] = "pid=";
	uint64_t pid = 0;
	size_t i;

	for (i = 0; i + sizeof(key) - 1 < n && memcmp(msg + i, key, sizeof(key) - 1); i++)
		;
	for (i += sizeof(key) - 1; i < n && msg[i] >= '0' && msg[i] <= '9'; i++) {
		pid = pid * 10 + (uint64_t)(msg[i] - '0');
		if (pid > INT32_MAX)
			return 0;
	}
	return (uint32_t)pid;
}

static void find_process(const struct xids *x, const struct nv_step *s, struct xid *one)
{
	const struct xtr_task *task;
	size_t n = 0;
	const char *msg = s->role == NV_REPORT
				  ? NULL
				  : xtr_bind_text(s->binding, NV_F_MSG, s->event, x->o->tables, &n);

	if (msg)
		xtr_text_name(one->msg, sizeof(one->msg), msg, n);
	one->who = msg ? message_pid(msg, n) : 0;
	if (one->who) {
		one->process_from = XID_FROM_MESSAGE;
		task = x->o->tables
			       ? xtr_tables_task(x->o->tables, xtr_process_pid(one->who), s->ts)
			       : NULL;
		one->comm = task ? task->comm : 0;
		if (task && task->pid == one->who)
			one->who = xtr_process_of(task);
	} else if (!s->on_cpu && (inside_of(x, s->tid, NV_IOCTL) || inside_of(x, s->tid, NV_OPEN) ||
				  inside_of(x, s->tid, NV_CLOSE))) {
		one->process_from = XID_FROM_THREAD;
		one->who = s->process;
		one->comm = s->comm;
	}
}

/* --- one of them ------------------------------------------------------------------------------ */

static void count_kind(struct xids *x, const struct xid *one, bool kept)
{
	struct xid_kind *k;
	uint32_t i;

	for (i = 0; i < x->n_kinds; i++) {
		k = &x->kind[i];
		if (k->device == one->device && k->code == one->code && k->sxid == one->sxid) {
			k->n++;
			k->last_ns = one->ts;
			return;
		}
	}
	if (i == XID_KINDS_MAX) {
		x->left_out++;
		return;
	}
	x->kind[x->n_kinds++] = (struct xid_kind){ .device = one->device,
						   .code = one->code,
						   .sxid = one->sxid,
						   .n = 1,
						   .first_ns = one->ts,
						   .last_ns = one->ts,
						   .first = kept ? x->n_xids : UINT32_MAX };
}

static uint64_t xids_before(const struct xids *x, const struct xid *one)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < x->n_xids; i++)
		n += x->xid[i].device == one->device && x->xid[i].sxid == one->sxid &&
		     (!x->o->times || one->ts - x->xid[i].ts <= NV_BEFORE_NS);
	return n;
}

static void add(struct xids *x, const struct nv_step *s)
{
	struct xid one = { .ts = s->ts,
			   .code = (uint32_t)s->v[NV_V_CODE],
			   .tid = s->tid,
			   .cpu = s->cpu,
			   .sxid = s->role == NV_SXID };
	bool kept = x->n_xids < XIDS_KEPT;
	char dev[XID_DEV_MAX];

	dev_name(x, s, dev);
	one.device = device_of(x, dev);
	x->n++;
	count_kind(x, &one, kept);
	find_handler(x, s, &one);
	if (!kept)
		return;
	find_process(x, s, &one);
	if (one.process_from)
		nv_pasts_before(&x->pasts, false, one.who, s->ts, x->o->times, &one.process);
	if (one.handler_from)
		nv_pasts_before(&x->pasts, true, one.handler, s->ts, x->o->times, &one.interrupts);
	one.xids_before = xids_before(x, &one);
	x->xid[x->n_xids++] = one;
}

static void see_handler(struct xids *x, const struct nv_step *s)
{
	if (s->role != NV_ISR && s->role != NV_ISR_MSIX && s->role != NV_BOTTOM &&
	    s->role != NV_BOTTOM_MSIX)
		return;
	if (x->n_handlers < 2 && (!x->n_handlers || x->handlers[0] != s->v[NV_V_DEVICE]))
		x->handlers[x->n_handlers++] = s->v[NV_V_DEVICE];
}

static bool xids_takes(const void *self, uint32_t type)
{
	return nv_track_takes(&((const struct xids *)self)->track, type);
}

static int xids_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct xids *x = self;
	struct nv_step s;
	int err = nv_track_event(&x->track, ev, inside, &s);

	if (ev->gap) {
		x->lost = true;
		nv_pasts_gap(&x->pasts, ev->gap->last);
	}
	if (err != 1)
		return err;
	see_handler(x, &s);
	err = nv_pasts_step(&x->pasts, &s);
	if (err || !inside || s.end)
		return err;
	if (s.role == NV_XID || s.role == NV_SXID ||
	    (s.role == NV_REPORT && !x->track.b.has[NV_XID]))
		add(x, &s);
	return 0;
}

/* --- findings --------------------------------------------------------------------------------- */

static int finding(struct xids *x, const struct xid_kind *k)
{
	const struct xid_meaning *m = k->sxid ? NULL : xid_find(k->code);
	const struct xid *first = k->first < x->n_xids ? &x->xid[k->first] : NULL;
	bool notable = xid_severity_notable(m ? m->severity : XID_UNKNOWN);
	struct xtr_finding f = { .id = k->sxid ? "sxid" : "xid",
				 .notable = notable,
				 .fault = notable,
				 .at_ns = k->first_ns,
				 .evidence = { { k->sxid ? "sxid" : "xid", k->code },
					       { "count", k->n } },
				 .n_evidence = 2 };
	char n[XTR_TEXT_NUMBER];
	int len = snprintf(f.text, sizeof(f.text), "%s %" PRIu32 " (%s) on %.40s",
			   k->sxid ? "SXid" : "Xid", k->code,
			   m ? *m->meaning ? m->meaning : m->mnemonic : "not in the table",
			   x->device[k->device].dev);

	if (k->n > 1)
		len += snprintf(f.text + len, sizeof(f.text) - (size_t)len, ", %s times",
				xtr_text_count(n, k->n));
	if (m && *m->action != '-')
		snprintf(f.text + len, sizeof(f.text) - (size_t)len, "; NVIDIA's advice: %s",
			 m->action);
	if (first && first->process_from)
		f.evidence[f.n_evidence++] =
			(struct xtr_evidence){ "pid", xtr_process_pid(first->who) };
	if (first && first->process.known)
		f.evidence[f.n_evidence++] =
			(struct xtr_evidence){ "calls_before", first->process.calls };
	if (first && first->interrupts.known)
		f.evidence[f.n_evidence++] =
			(struct xtr_evidence){ "handler_calls_before", first->interrupts.calls };
	if (first)
		f.evidence[f.n_evidence++] =
			(struct xtr_evidence){ "xids_before", first->xids_before };
	return xtr_findings_add(x->o->findings, &f);
}

static int xids_finish(void *self)
{
	struct xids *x = self;
	int err = 0;

	for (uint32_t i = 0; i < x->n_kinds && !err; i++)
		err = finding(x, &x->kind[i]);
	return err;
}

static bool xids_any(const void *self)
{
	const struct xids *x = self;

	return x->n;
}

const struct xtr_analysis xtr_analysis_xid = {
	.name = "xid",
	.title = "NVIDIA Xids, and what went before",
	.applies = applies,
	.open = xids_open,
	.free = xids_free,
	.takes = xids_takes,
	.event = xids_event,
	.finish = xids_finish,
	.any = xids_any,
	.text = xid_text,
	.json = xid_json,
	.tables = xid_tables,
};

/* --- xid table -------------------------------------------------------------------------------- */

#define IGNORE   "ignore", XID_NONE
#define APP      "restart app", XID_APPLICATION
#define UPDATE   "update software", XID_APPLICATION
#define RESET    "reset GPU", XID_DEVICE
#define DRAIN    "drain / reset workflow", XID_DEVICE
#define HARDWARE "check hardware", XID_DEVICE
#define NVLINK   "NVLink workflow", XID_DEVICE
#define NVLINK5  "NVLink 5 workflow", XID_DEVICE
#define RESTART  "restart machine", XID_MACHINE
#define OTHERS   "see other Xids", XID_FOLLOWS
#define NO       "-", XID_NOT_GIVEN

#define ONE(n) n, n

/*
 * NVIDIA, "Analyzing Xid Errors with the Xid Catalog"; mnemonics as in nverror.h (595.45.04). The
 * action is the catalog's immediate one.
 */
static const struct xid_meaning table[] = {
	{ ONE(8), "FIFO_ERROR_IDLE_TIMEOUT", "GPU stopped processing", APP },
	{ ONE(11), "GR_ERROR_MISSING_HW", "invalid or corrupted push-buffer stream", APP },
	{ ONE(13), "GR_EXCEPTION", "graphics engine exception", APP },
	{ ONE(25), "GR_ILLEGAL_NOTIFY", "invalid or illegal push-buffer stream", APP },
	{ ONE(31), "FIFO_ERROR_MMU_ERR_FLT", "GPU memory page fault", APP },
	{ ONE(32), "PBDMA_ERROR", "invalid or corrupted push-buffer stream", APP },
	{ 37, 38, "FECS_ERR_*", "driver firmware error", IGNORE },
	{ 39, 41, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(43), "RESETCHANNEL_VERIF_ERROR",
	  "GPU stopped processing (application fault; GPU healthy)", IGNORE },
	{ ONE(44), "GR_FAULT_DURING_CTXSW", "engine fault during context switch", IGNORE },
	{ ONE(45), "PREEMPTIVE_REMOVAL", "preemptive cleanup because of earlier errors", OTHERS },
	{ ONE(46), "GPU_TIMEOUT_ERROR", "GPU stopped processing", RESET },
	{ ONE(48), "GPU_ECC_DBE", "double-bit ECC error", DRAIN },
	{ ONE(54), "SILENT_RUNNING...", "auxiliary power not connected", HARDWARE },
	{ ONE(60), "SEC2_ERROR", "video processor exception", APP },
	{ ONE(62), "PMU_HALT_ERROR", "internal micro-controller halt", RESET },
	{ ONE(63), "DRAM_RETIREMENT_EVENT",
	  "memory remapping event (page retirement on older GPUs)", IGNORE },
	{ ONE(64), "DRAM_RETIREMENT_FAILURE",
	  "memory remapping failure (page retirement on older GPUs)", RESET },
	{ ONE(68), "NVDECn_ERROR", "decoder error", APP },
	{ ONE(69), "GR_CLASS_ERROR", "graphics engine class error", APP },
	{ 70, 72, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(74), "NVLINK_ERROR", "NVLink error", NVLINK },
	{ 75, 77, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(78), "VGPU_START_ERROR", "vGPU start error", UPDATE },
	{ ONE(79), "GPU_HAS_FALLEN_OFF_THE_BUS", "GPU has fallen off the bus", RESTART },
	{ ONE(80), "PBDMA_PUSHBUFFER_CRC_MISMATCH", "corrupted data sent to GPU", APP },
	{ 83, 84, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(85), "CEn_ERROR", "copy engine exception / error", APP },
	{ 88, 89, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(92), "EXCESSIVE_SBE_INTERRUPTS", "high single-bit ECC rate", IGNORE },
	{ ONE(94), "CONTAINED_ERROR", "contained memory error", APP },
	{ ONE(95), "UNCONTAINED_ERROR", "uncontained memory error", RESET },
	{ 96, 98, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(109), "CTXSW_TIMEOUT_ERROR", "context-switch time-out", RESET },
	{ ONE(110), "SEC_FAULT_ERROR", "security fault", RESET },
	{ ONE(119), "GSP_RPC_TIMEOUT", "GSP firmware RPC time-out", RESET },
	{ ONE(120), "GSP_ERROR", "GSP firmware error", RESET },
	{ ONE(121), "C2C_ERROR", "chip-to-chip link error", IGNORE },
	{ 126, 135, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(136), "ALI_TRAINING_FAIL", "link training failed", RESET },
	{ ONE(137), "NVLINK_PRIV_ERR", "NVLink privilege error", IGNORE },
	{ ONE(140), "UNRECOVERABLE_ECC_ERROR_ESCAPE", "unrecovered ECC error", RESET },
	{ ONE(143), "GPU_INIT_ERROR", "GPU initialisation error", RESET },
	{ ONE(144), "NVLINK_SAW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(145), "NVLINK_RLW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(146), "NVLINK_TLW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(147), "NVLINK_TREX", "NVLink 5 unit error", NVLINK5 },
	{ ONE(148), "NVLINK_NVLPW_CTRL", "NVLink 5 unit error", NVLINK5 },
	{ ONE(149), "NVLINK_NETIR", "NVLink 5 unit error", NVLINK5 },
	{ ONE(150), "NVLINK_MSE", "NVLink 5 unit error", NVLINK5 },
	{ ONE(154), "GPU_RECOVERY_ACTION_CHANGED", "recovery action changed (informational)", NO },
	{ ONE(156), "RESOURCE_RETIREMENT_EVENT", "", RESET },
	{ ONE(157), "RESOURCE_RETIREMENT_FAILURE", "", IGNORE },
	{ ONE(158), "GPU_FATAL_TIMEOUT", "fatal time-out", RESET },
	{ ONE(160), "CHANNEL_RETIREMENT_EVENT", "", IGNORE },
	{ ONE(161), "CHANNEL_RETIREMENT_FAILURE", "", IGNORE },
	{ ONE(167), "PCIE_FATAL_TIMEOUT", "", NO },
	{ ONE(171), "UNCORRECTABLE_DRAM_ERROR", "detail companion of Xid 48", NO },
	{ ONE(172), "UNCORRECTABLE_SRAM_ERROR", "detail companion of Xid 48", NO },
};

const struct xid_meaning *xid_find(uint32_t xid)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (xid >= table[i].first && xid <= table[i].last)
			return &table[i];
	return NULL;
}

static const struct {
	const char *name;
	bool notable;
} severities[] = {
#define SEVERITY(id, text, notable) { text, notable },
	XID_SEVERITIES(SEVERITY)
#undef SEVERITY
};

const char *xid_severity_name(enum xid_severity severity)
{
	return severities[severity].name;
}

bool xid_severity_notable(enum xid_severity severity)
{
	return severities[severity].notable;
}
