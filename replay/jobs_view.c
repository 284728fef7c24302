/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs_view.h"
#include "ring.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

/* A number that may not be known. */
struct maybe {
	bool known;
	uint64_t v;
};

/* Everything of a job that is a number, in the order of the CSV columns. */
struct numbers {
	struct maybe client, pid, tid;
	struct maybe submit, queue, run, start, done;
	struct maybe residence, exec, queue_wait, hw_wait, dep_wait;
};

static struct maybe time_of(uint64_t ns)
{
	return (struct maybe){ ns != 0, ns };
}

static struct maybe between(uint64_t from, uint64_t to)
{
	return (struct maybe){ from && to, to - from };
}

static void get_numbers(const struct xtr_job *j, struct numbers *n)
{
	*n = (struct numbers){
		.client = { j->client_known, j->client_id },
		.pid = { j->queue_ns && (j->pid || j->comm), j->pid },
		.tid = { j->queue_ns != 0, j->tid },
		.submit = time_of(j->submit_ns),
		.queue = time_of(j->queue_ns),
		.run = time_of(j->run_ns),
		.start = time_of(j->start_ns),
		.done = time_of(j->done_ns),
		.residence = between(j->run_ns, j->done_ns),
		.exec = between(j->quality == XTR_QUALITY_BOUNDED ? 0 : j->start_ns, j->done_ns),
		.queue_wait = between(j->queue_ns, j->run_ns),
		.hw_wait = between(j->run_ns, j->start_ns),
		.dep_wait = { j->queue_ns && xtr_job_waits_known(j), j->dep_wait_ns },
	};
}

static const char *comm_of(const struct xtr_tables *t, const struct xtr_job *j, size_t *n)
{
	*n = 0;
	return j->comm ? xtr_tables_string(t, j->comm, n) : NULL;
}

/* Names of the flags that are set, with sep between. */
static void put_flags(FILE *f, uint32_t flags, const char *sep)
{
	const char *name, *between_names = "";
	unsigned int bit;

	for (bit = 0; (name = xtr_job_flag_name(bit)); bit++) {
		if (!(flags & 1u << bit))
			continue;
		fprintf(f, "%s%s", between_names, name);
		between_names = sep;
	}
}

void xtr_jobs_csv_header(FILE *f)
{
	fputs("device,ring,context,seqno,client,pid,tid,comm,kind,submit_ns,queue_ns,run_ns,start_ns,"
	      "done_ns,residence_ns,exec_ns,queue_wait_ns,hw_wait_ns,dep_wait_ns,quality,flags\r\n",
	      f);
}

static void csv_number(FILE *f, const struct maybe *m)
{
	if (m->known)
		fprintf(f, "%" PRIu64, m->v);
	fputc(',', f);
}

void xtr_jobs_csv(FILE *f, const struct xtr_tables *t, const struct xtr_job *j)
{
	struct numbers n;
	const struct maybe *times[] = { &n.submit,  &n.queue,     &n.run,  &n.start,
					&n.done,    &n.residence, &n.exec, &n.queue_wait,
					&n.hw_wait, &n.dep_wait };
	size_t i, len;

	get_numbers(j, &n);
	xtr_text_csv(f, j->ring->device_name);
	fputc(',', f);
	xtr_text_csv(f, j->ring->name);
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",", j->ctx, j->seqno);
	csv_number(f, &n.client);
	csv_number(f, &n.pid);
	csv_number(f, &n.tid);
	xtr_text_csv(f, comm_of(t, j, &len));
	fprintf(f, ",%s,", xtr_job_kind_name(j->kind));
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		csv_number(f, times[i]);
	fprintf(f, "%s,", xtr_quality_name(j->quality));
	put_flags(f, j->flags, "|");
	fputs("\r\n", f);
}

static void json_number(struct xtr_json *json, const char *key, const struct maybe *m)
{
	if (m->known)
		xtr_json_kv_u64(json, key, m->v);
}

static void json_deps(struct xtr_json *json, const struct xtr_job *j)
{
	uint32_t i;

	xtr_json_kv_u64(json, "dep_waits", j->n_waits);
	if (!j->n_deps)
		return;
	xtr_json_kv_array(json, "deps");
	for (i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];

		xtr_json_begin_object(json);
		xtr_json_kv_u64(json, "context", d->ctx);
		xtr_json_kv_u64(json, "seqno", d->seqno);
		if (d->ring_id)
			xtr_json_kv_u64(json, "ring_id", d->ring_id);
		xtr_json_kv_str(json, "until", d->scheduled ? "run" : "done");
		xtr_json_kv_u64(json, "from_ns", d->from_ns);
		xtr_json_kv_u64(json, "until_ns", d->until_ns);
		xtr_json_end_object(json);
	}
	xtr_json_end_array(json);
}

static void json_flags(struct xtr_json *json, uint32_t flags)
{
	const char *name;
	unsigned int bit;

	xtr_json_kv_array(json, "flags");
	for (bit = 0; (name = xtr_job_flag_name(bit)); bit++)
		if (flags & 1u << bit)
			xtr_json_str(json, name);
	xtr_json_end_array(json);
}

static void json_numbers(struct xtr_json *json, const struct xtr_job *j)
{
	struct numbers n;

	get_numbers(j, &n);
	json_number(json, "submit_ns", &n.submit);
	json_number(json, "queue_ns", &n.queue);
	json_number(json, "run_ns", &n.run);
	json_number(json, "start_ns", &n.start);
	json_number(json, "done_ns", &n.done);
	json_number(json, "residence_ns", &n.residence);
	json_number(json, "exec_ns", &n.exec);
	if (xtr_job_resided(j)) {
		xtr_json_kv_u64(json, "exec_min_ns", j->exec_min_ns);
		xtr_json_kv_u64(json, "exec_max_ns", j->exec_max_ns);
	}
	json_number(json, "queue_wait_ns", &n.queue_wait);
	json_number(json, "hw_wait_ns", &n.hw_wait);
	json_number(json, "dep_wait_ns", &n.dep_wait);
}

void xtr_jobs_json(struct xtr_json *json, const struct xtr_tables *t, const struct xtr_job *j)
{
	struct numbers n;
	const char *comm;
	size_t len;

	get_numbers(j, &n);
	comm = comm_of(t, j, &len);
	xtr_json_begin_object(json);
	xtr_json_kv_str(json, "device", j->ring->device_name);
	xtr_json_kv_str(json, "ring", j->ring->name);
	xtr_json_kv_u64(json, "ring_id", j->ring->id);
	xtr_json_kv_u64(json, "context", j->ctx);
	xtr_json_kv_u64(json, "seqno", j->seqno);
	json_number(json, "client", &n.client);
	json_number(json, "pid", &n.pid);
	json_number(json, "tid", &n.tid);
	if (comm) {
		xtr_json_key(json, "comm");
		xtr_json_strn(json, comm, len);
	}
	xtr_json_kv_str(json, "kind", xtr_job_kind_name(j->kind));
	json_numbers(json, j);
	if (j->result_known)
		xtr_json_kv_s64(json, "error", j->error);
	json_deps(json, j);
	xtr_json_kv_str(json, "quality", xtr_quality_name(j->quality));
	json_flags(json, j->flags);
	xtr_json_end_object(json);
	xtr_json_newline(json);
}

/* Streaming, so widths are fixed: wide enough for what drivers use. */
#define TEXT_FORMAT "%19s  %-14s %-14s %12s %7s %-15s %-6s %9s %9s %9s %10s  %-8s"

void xtr_jobs_text_header(FILE *f)
{
	fprintf(f, TEXT_FORMAT " %s\n", "done s", "device", "ring", "job", "pid", "comm", "kind",
		"queue", "dep", "hw wait", "execution", "quality", "flags");
}

static const char *text_number(char buf[XTR_TEXT_NUMBER], const struct maybe *m)
{
	return m->known ? xtr_text_ns(buf, m->v) : "-";
}

static const char *text_exec(char *buf, size_t cap, const struct xtr_job *j,
			     const struct numbers *n)
{
	char ns[XTR_TEXT_NUMBER];

	if (!xtr_job_resided(j))
		return "-";
	snprintf(buf, cap, "%s%s", n->exec.known ? "" : "<=", xtr_text_ns(ns, j->exec_max_ns));
	return buf;
}

static const char *name_or_dash(char *buf, size_t cap, const char *s, size_t n)
{
	return s && n ? xtr_text_name(buf, cap, s, n) : "-";
}

void xtr_jobs_text(FILE *f, const struct xtr_tables *t, const struct xtr_job *j)
{
	char done[XTR_TEXT_NUMBER], queue[XTR_TEXT_NUMBER], dep[XTR_TEXT_NUMBER],
		hw[XTR_TEXT_NUMBER];
	char exec[XTR_TEXT_NUMBER + 4], job[2 * XTR_TEXT_NUMBER], pid[XTR_TEXT_NUMBER];
	char device[XTR_TEXT_NAME], ring[XTR_TEXT_NAME], comm[XTR_TEXT_NAME];
	const char *comm_text;
	struct numbers n;
	size_t len;

	get_numbers(j, &n);
	comm_text = comm_of(t, j, &len);
	snprintf(job, sizeof(job), "%" PRIu64 ":%" PRIu64, j->ctx, j->seqno);
	snprintf(pid, sizeof(pid), "%u", j->pid);
	fprintf(f, TEXT_FORMAT, n.done.known ? xtr_text_stamp(done, j->done_ns) : "-",
		name_or_dash(device, sizeof(device), j->ring->device_name,
			     strlen(j->ring->device_name)),
		name_or_dash(ring, sizeof(ring), j->ring->name, strlen(j->ring->name)), job,
		n.pid.known ? pid : "-", name_or_dash(comm, sizeof(comm), comm_text, len),
		xtr_job_kind_name(j->kind), text_number(queue, &n.queue_wait),
		j->dep_wait_ns ? text_number(dep, &n.dep_wait) : "-", text_number(hw, &n.hw_wait),
		text_exec(exec, sizeof(exec), j, &n), xtr_quality_name(j->quality));
	if (j->flags)
		fputc(' ', f);
	put_flags(f, j->flags, " ");
	fputc('\n', f);
}
