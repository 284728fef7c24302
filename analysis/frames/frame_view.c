/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_view.h"
#include "analysis/core/grid.h"
#include "analysis/core/ring_text.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_REASON 320u

/* "other-job 12.3 ms: hog 168 on card0/gfx" */
static const char *reason_text(const struct xtr_frame_view *v, const struct xtr_shown *one,
			       char buf[TEXT_REASON])
{
	char who[XTR_WHO_TEXT], name[XTR_RING_TEXT], ns[XTR_TEXT_NUMBER];
	const struct xtr_model_ring *ring =
		one->cause_ring ? v->ring(v->ctx, one->cause_ring) : NULL;
	const char *on = ring ? xtr_ring_text(ring, "-", name, sizeof(name)) : NULL;

	if (!xtr_frame_late(one))
		return "";
	snprintf(buf, TEXT_REASON, "%s %s%s%s%s%s", xtr_frame_cause_name(one->cause),
		 xtr_text_ns(ns, one->cause_ns), one->cause_who ? ": " : "",
		 one->cause_who ? xtr_who_text(v->names, one->cause_who, who, sizeof(who)) : "",
		 on ? " on " : "", on ?: "");
	return buf;
}

static const char *verdict_text(const struct xtr_shown *one, char buf[XTR_TEXT_NUMBER])
{
	if (!one->missed)
		return xtr_frame_verdict_name(one->verdict);
	snprintf(buf, XTR_TEXT_NUMBER, "%s %" PRIu32, xtr_frame_verdict_name(one->verdict),
		 one->missed);
	return buf;
}

static const char *span_text(char buf[XTR_TEXT_NUMBER], uint64_t from, uint64_t to)
{
	return from && to >= from ? xtr_text_ns(buf, to - from) : "-";
}

#define LINE "%7s %-7s %16s %9s %-13s %9s %4s  %-22s %-22s %s\n"

void xtr_frame_header(FILE *f)
{
	fprintf(f, LINE, "frame", "screen", "shown s", "interval", "verdict", "latency", "jobs",
		"last job's process", "client", "reason");
}

void xtr_frame_line(const struct xtr_frame_view *v, const struct xtr_shown *one, FILE *f)
{
	char number[24], screen[24] = "-", at[XTR_TEXT_NUMBER], interval[XTR_TEXT_NUMBER],
			 verdict[XTR_TEXT_NUMBER], latency[XTR_TEXT_NUMBER], jobs[16] = "-",
			 who[XTR_WHO_TEXT], client[XTR_WHO_TEXT], reason[TEXT_REASON];

	snprintf(number, sizeof(number), "%" PRIu64, one->number);
	if (one->crtc >= 0)
		snprintf(screen, sizeof(screen), "CRTC %" PRId32, one->crtc);
	if (one->n_jobs)
		snprintf(jobs, sizeof(jobs), "%" PRIu32, one->n_jobs);
	fprintf(f, LINE, number, screen, xtr_text_stamp(at, one->shown_ns),
		span_text(interval, one->before_ns, one->shown_ns), verdict_text(one, verdict),
		span_text(latency, one->begin_ns, one->shown_ns), jobs,
		xtr_who_text(v->names, one->who, who, sizeof(who)),
		one->client ? xtr_who_text(v->names, one->client, client, sizeof(client)) : "-",
		reason_text(v, one, reason));
}

/* --- all of one ------------------------------------------------------------------------------- */

static struct xtr_why why_of(const struct xtr_frame_view *v, const struct xtr_path *path)
{
	return (struct xtr_why){ .path = path, .names = v->names, .ring = v->ring, .ctx = v->ctx };
}

static int text_causes(const struct xtr_shown *one, FILE *f)
{
	static const char *const titles[] = { "time", "share", "<in all", NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	uint64_t all = 0;
	char share[XTR_TEXT_NUMBER];

	for (unsigned int i = 0; i < XTR_CAUSES; i++)
		all += one->of[i];
	for (unsigned int i = 0; i < XTR_CAUSES; i++) {
		if (!one->of[i])
			continue;
		xtr_grid_ns(t, true, one->of[i]);
		xtr_grid_cell(t, xtr_text_percent(share, one->of[i], all));
		xtr_grid_cell(t, xtr_frame_cause_name(i));
	}
	return xtr_grid_print(t, f, 2);
}

int xtr_frame_text(const struct xtr_frame_view *v, const struct xtr_shown *one,
		   const struct xtr_path *path, FILE *f)
{
	const struct xtr_why why = why_of(v, path);
	char reason[TEXT_REASON], ns[XTR_TEXT_NUMBER], at[XTR_TEXT_NUMBER];
	int err;

	xtr_frame_header(f);
	xtr_frame_line(v, one, f);
	fprintf(f, "\n  verdict: %s: %s\n", xtr_frame_verdict_name(one->verdict),
		xtr_frame_verdict_help(one->verdict));
	if (xtr_frame_late(one))
		fprintf(f, "  reason: %s\n", reason_text(v, one, reason));
	if (one->deadline_ns)
		fprintf(f, "  deadline: %s s\n", xtr_text_stamp(at, one->deadline_ns));
	if (one->done_ns && one->shown_ns >= one->done_ns && one->crtc >= 0)
		fprintf(f, "  its last job ended %s before it was shown (known by %s)\n",
			xtr_text_ns(ns, one->shown_ns - one->done_ns),
			xtr_frame_link_name(one->link));
	fputs("\n  from the frame before until it was shown:\n", f);
	err = text_causes(one, f);
	if (err || !path)
		return err;
	fputc('\n', f);
	return xtr_path_text(&why, f);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_time(struct xtr_json *j, const char *key, uint64_t ns)
{
	if (ns)
		xtr_json_kv_u64(j, key, ns);
}

static void json_who(const struct xtr_frame_view *v, struct xtr_json *j, const char *pid,
		     const char *comm, uint64_t who)
{
	size_t n;
	const char *s = xtr_who_name(v->names, who, &n);

	if (xtr_who_process(who))
		xtr_json_kv_process(j, pid, who);
	if (!s)
		return;
	xtr_json_key(j, comm);
	xtr_json_strn(j, s, n);
}

static void json_reason(const struct xtr_frame_view *v, const struct xtr_shown *one,
			struct xtr_json *j)
{
	if (!xtr_frame_late(one))
		return;
	xtr_json_kv_str(j, "reason", xtr_frame_cause_name(one->cause));
	xtr_json_kv_u64(j, "reason_ns", one->cause_ns);
	json_who(v, j, "reason_pid", "reason_comm", one->cause_who);
	if (one->cause_ring)
		xtr_json_kv_u64(j, "reason_ring_id", one->cause_ring);
}

void xtr_frame_json(const struct xtr_frame_view *v, const struct xtr_shown *one,
		    const struct xtr_path *path, struct xtr_json *j)
{
	const struct xtr_why why = why_of(v, path);

	xtr_json_kv_u64(j, "frame", one->number);
	xtr_json_kv_u64(j, "stream", one->stream);
	if (one->crtc >= 0)
		xtr_json_kv_u64(j, "crtc", (uint32_t)one->crtc);
	xtr_json_kv_str(j, "verdict", xtr_frame_verdict_name(one->verdict));
	xtr_json_kv_u64(j, "missed", one->missed);
	xtr_json_kv_bool(j, "lost", one->lost);
	json_time(j, "begin_ns", one->begin_ns);
	json_time(j, "done_ns", one->done_ns);
	json_time(j, "commit_ns", one->commit_ns);
	json_time(j, "shown_ns", one->shown_ns);
	json_time(j, "before_ns", one->before_ns);
	json_time(j, "deadline_ns", one->deadline_ns);
	xtr_json_kv_str(j, "link", xtr_frame_link_name(one->link));
	if (xtr_job_name_any(&one->job)) {
		xtr_json_kv_u64(j, "context", one->job.ctx);
		xtr_json_kv_u64(j, "seqno", one->job.seqno);
	}
	json_who(v, j, "pid", "comm", one->who);
	json_who(v, j, "client_pid", "client_comm", one->client);
	xtr_json_kv_u64(j, "jobs", one->n_jobs);
	xtr_json_kv_u64(j, "clients", one->n_clients);
	json_reason(v, one, j);
	xtr_json_key(j, "time_ns");
	xtr_json_begin_object(j);
	for (unsigned int i = 0; i < XTR_CAUSES; i++)
		json_time(j, xtr_frame_cause_name(i), one->of[i]);
	xtr_json_end_object(j);
	if (path)
		xtr_path_json(&why, j);
}
