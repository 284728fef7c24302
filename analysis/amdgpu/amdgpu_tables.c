/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the section of amdgpu: jobs and memory. */
#include "amdgpu_tables.h"
#include "base/text.h"
#include "replay/event/process.h"

#include <inttypes.h>

static void put_memory_text(struct xtr_rows *r, uint64_t type)
{
	char buf[XTR_TEXT_NAME];

	xtr_put_copy(r, amdgpu_memory_text(buf, sizeof(buf), (uint32_t)type));
}

/* --- jobs ------------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct amdgpu, jobs.member)
static const struct xtr_section_column job_columns[] = {
	COUNT("submitted", submitted, "jobs submitted"),
	COUNT("ibs", ibs, "their IBs"),
	COUNT("run", run, "of them run"),
	COUNT("not_run", not_run, "not run in the trace"),
	COUNT("not_known", no_room, "displaced by newer ones"),
	COUNT("run_again", run_again, "runs of jobs that had been run"),
	COUNT("kernel", kernel, "runs of the kernel's own jobs"),
	COUNT("other", other, "runs without a submission, whose is not known"),
	COUNT("submitted_before", before, "runs of jobs submitted before the trace"),
	COUNT("keys_used_again", recycled, "submissions with the key of an open job"),
	{ "late_limit_ns", NULL, XTR_C_NS, XTR_PUT, "what late is" },
	TIMED("late", late, "jobs run later than that after their submission"),
	COUNT("pipe_syncs", pipe_syncs, "pipeline syncs"),
	COUNT("ib_events", ib_events, "events amdgpu_cs"),
	HIST("ib_dwords", ib_dwords, "length of their IBs"),
	HIST("fences_emitted", fences, "fences of the ring not yet signalled"),
	COUNT("checked.jobs", checked, "jobs that the scheduler's events tell of too"),
	COUNT("checked.same_process", same_process, "of them with the same process there"),
	COUNT("checked.same_ring", same_ring, "of them with the same ring there"),
};
#undef AT

static bool put_jobs(struct xtr_rows *r, const void *row)
{
	(void)row;
	xtr_put_u64(r, true, AMDGPU_DELAY_NS);
	return true;
}

const struct xtr_section_table amdgpu_jobs_table =
	XTR_TABLE_SELF("jobs", "all jobs", job_columns, put_jobs, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct amdgpu_ring, member)
static const struct xtr_section_column ring_columns[] = {
	{ "device", "<device", XTR_C_STRING, AT(row.a), "device" },
	{ "ring", "<ring", XTR_C_STRING, AT(row.b), "ring" },
	SHOWN("submitted", "jobs", row.n, "jobs submitted"),
	SHOWN("ibs", "IBs", ibs, "their IBs"),
	COUNT("run", run, "of them run"),
	SHOWN("not_run", "not run", not_run, "not run in the trace"),
	SHOWN("run_again", "again", run_again, "runs of jobs that had been run"),
	COUNT("kernel", kernel, "runs of the kernel's own jobs"),
	COUNT("other", other, "runs without a submission, whose is not known"),
	{ NULL, "kernel", XTR_C_COUNT, XTR_PUT },
	TIMED("late", late, "jobs run later than the limit after their submission"),
	{ "latency_ns", "submit to run: p50|p99|max", XTR_C_BUCKETS | XTR_C_TIMES, AT(latency),
	  "from submission to run" },
	{ NULL, ">100 us", XTR_C_COUNT, XTR_PUT },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
};
#undef AT

static bool put_rings(struct xtr_rows *r, const void *row)
{
	const struct amdgpu_ring *ring = row;

	xtr_put_u64(r, true, ring->kernel + ring->other);
	xtr_put_u64(r, ring->latency.n, ring->late);
	xtr_put_share(r, true, ring->late, ring->latency.n);
	return true;
}

const struct xtr_section_table amdgpu_rings_table =
	XTR_TABLE_OF("jobs.rings", "a ring", ring_columns, XTR_COUNTED(struct amdgpu, jobs.rings),
		     put_rings, XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct amdgpu_process, member)
static const struct xtr_section_column process_columns[] = {
	{ "pid", "pid", XTR_C_PROCESS, AT(row.a), "process" },
	{ "process", "<process", XTR_C_STRING, AT(comm), "its name" },
	SHOWN("jobs", "jobs", row.n, "jobs submitted"),
	SHOWN("ibs", "IBs", ibs, "their IBs"),
	COUNT("ibs_min", ibs_min, "least of a job"),
	COUNT("ibs_max", ibs_max, "most of a job"),
	{ NULL, "IBs/job", XTR_C_TEXT, XTR_PUT },
	RATE(rate, "jobs/s", "peak jobs/s"),
	{ NULL, "buffers", XTR_C_COUNT, AT(buffers) },
	{ NULL, "bytes created", XTR_C_COUNT, AT(bytes) },
	{ NULL, "VRAM refused", XTR_C_COUNT, AT(vram_refused) },
};

/* Text shows those without jobs, too. */
static bool put_processes(struct xtr_rows *r, const void *row)
{
	const struct amdgpu *g = xtr_rows_self(r);
	const struct amdgpu_process *p = row;
	const uint64_t jobs = p->row.n;

	if (!jobs && !xtr_rows_text(r))
		return false;
	if (jobs && xtr_rows_text(r))
		xtr_put_format(r, "%" PRIu64 ".%" PRIu64, p->ibs / jobs, p->ibs % jobs * 10 / jobs);
	else
		xtr_put_text(r, NULL);
	xtr_put_u64(r, jobs, xtr_rate_per_second(p->rate.n, g->o->span_ns));
	xtr_put_u64(r, jobs, xtr_rate_peak(&p->rate));
	return true;
}

const struct xtr_section_table amdgpu_processes_table =
	XTR_TABLE_OF("jobs.processes", "jobs of a process", process_columns,
		     XTR_COUNTED(struct amdgpu, processes), put_processes, XTR_SHOW_TOP_QUIET);

/* --- buffers ---------------------------------------------------------------------------------- */

static const struct xtr_section_column buffer_process_columns[] = {
	{ "pid", NULL, XTR_C_PROCESS, AT(row.a), "process" },
	{ "process", NULL, XTR_C_STRING, AT(comm), "its name" },
	COUNT("count", buffers, "buffers created"),
	COUNT("bytes", bytes, "their size"),
	COUNT("vram_refused", vram_refused, "of them that got system memory in place of VRAM"),
	COUNT("vram_refused_bytes", vram_refused_bytes, "their size"),
};
#undef AT

static bool put_buffer_processes(struct xtr_rows *r, const void *row)
{
	const struct amdgpu_process *p = row;

	(void)r;
	return p->buffers;
}

const struct xtr_section_table amdgpu_buffer_processes_table =
	XTR_TABLE_OF("buffers.processes", "buffers of a process", buffer_process_columns,
		     XTR_COUNTED(struct amdgpu, processes), put_buffer_processes, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct amdgpu, mem.member)
static const struct xtr_section_column buffer_columns[] = {
	SUM("created", created, "buffers created"),
	SUM("vram_asked", vram_asked, "of them that asked for VRAM"),
	SUM("vram_given", vram_given, "and got it"),
	SUM("vram_refused", refused, "asked for nothing else, and got system memory"),
	SUM("vram_or_other_asked", either, "asked for VRAM or GTT"),
	SUM("vram_or_other_elsewhere", either_elsewhere, "and got system memory"),
};

const struct xtr_section_table amdgpu_buffers_table =
	XTR_TABLE_SELF("buffers", "all buffers", buffer_columns, NULL, XTR_SHAPE_MEMBERS);
#undef AT

#define AT(member) XTR_AT(struct amdgpu_bytes_row, member)
#define BYTES(count, bytes_)                                          \
	{ "count", count, XTR_C_COUNT, AT(row.n), "buffers" },        \
	{                                                             \
		"bytes", bytes_, XTR_C_COUNT, AT(bytes), "their size" \
	}
static const struct xtr_section_column type_columns[] = {
	COUNT("type", row.a, "type of memory"),
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	BYTES(NULL, NULL),
};

static bool put_types(struct xtr_rows *r, const void *of)
{
	const struct amdgpu_bytes_row *row = of;

	xtr_put_text(r, amdgpu_memory_name((uint32_t)row->row.a));
	return true;
}

const struct xtr_section_table amdgpu_types_table =
	XTR_TABLE_OF("buffers.types", "buffers in a type of memory", type_columns,
		     XTR_COUNTED(struct amdgpu, mem.types), put_types, XTR_SHOW_ALL);

static const struct xtr_section_column asked_columns[] = {
	{ NULL, "<preferred", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<allowed", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<given", XTR_C_TEXT, XTR_PUT },
	{ "prefer", NULL, XTR_C_NUMBER, XTR_PUT, "domains that were preferred, a bit mask" },
	{ "prefer_names", NULL, XTR_C_ANY, XTR_PUT, "their names" },
	{ "allow", NULL, XTR_C_NUMBER, XTR_PUT, "domains that were allowed, a bit mask" },
	{ "allow_names", NULL, XTR_C_ANY, XTR_PUT, "their names" },
	{ "type", NULL, XTR_C_NUMBER, AT(row.b), "type of memory that was given" },
	{ "type_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ "given", NULL, XTR_C_TEXT, XTR_PUT, "preferred, allowed or other" },
	BYTES("buffers", "bytes"),
};

static void domains(uint32_t mask, struct xtr_json *j)
{
	xtr_json_begin_array(j);
	for (unsigned int i = 0; i < 32; i++)
		if (mask & 1u << i && amdgpu_domain_name(i))
			xtr_json_str(j, amdgpu_domain_name(i));
	xtr_json_end_array(j);
}

static void preferred(const void *self, const void *row, struct xtr_json *j)
{
	(void)self;
	domains((uint32_t)(((const struct amdgpu_bytes_row *)row)->row.a >> 32), j);
}

static void allowed(const void *self, const void *row, struct xtr_json *j)
{
	(void)self;
	domains((uint32_t)((const struct amdgpu_bytes_row *)row)->row.a, j);
}

static bool put_asked(struct xtr_rows *r, const void *of)
{
	char buf[XTR_TEXT_NAME];
	const struct amdgpu_bytes_row *row = of;
	uint32_t prefer = (uint32_t)(row->row.a >> 32), allow = (uint32_t)row->row.a;
	uint32_t given = amdgpu_memory_domain((uint32_t)row->row.b);

	xtr_put_copy(r, amdgpu_domains_text(buf, sizeof(buf), prefer));
	xtr_put_copy(r, amdgpu_domains_text(buf, sizeof(buf), allow));
	put_memory_text(r, row->row.b);
	xtr_put_u64(r, true, prefer);
	xtr_put_any(r, preferred, row);
	xtr_put_u64(r, true, allow);
	xtr_put_any(r, allowed, row);
	xtr_put_text(r, amdgpu_memory_name((uint32_t)row->row.b));
	xtr_put_text(r, !given           ? NULL
			: given & prefer ? "preferred"
			: given & allow  ? "allowed"
					 : "other");
	return true;
}

const struct xtr_section_table amdgpu_asked_table =
	XTR_TABLE_OF("buffers.asked", "buffers, by what was asked for and given", asked_columns,
		     XTR_COUNTED(struct amdgpu, mem.asked), put_asked, XTR_SHOW_TOP_QUIET);

static const struct xtr_section_column direction_columns[] = {
	{ NULL, "<from", XTR_C_TEXT, XTR_PUT },
	{ NULL, "<to", XTR_C_TEXT, XTR_PUT },
	COUNT("old", row.a, "type of memory before"),
	{ "old_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	COUNT("new", row.b, "type of memory then"),
	{ "new_name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	BYTES("moves", "bytes"),
};
#undef AT

static bool put_directions(struct xtr_rows *r, const void *of)
{
	const struct amdgpu_bytes_row *row = of;

	put_memory_text(r, row->row.a);
	put_memory_text(r, row->row.b);
	xtr_put_text(r, amdgpu_memory_name((uint32_t)row->row.a));
	xtr_put_text(r, amdgpu_memory_name((uint32_t)row->row.b));
	return true;
}

const struct xtr_section_table amdgpu_directions_table = XTR_TABLE_OF(
	"moves.directions", "moves from one type of memory to another", direction_columns,
	XTR_COUNTED(struct amdgpu, mem.directions), put_directions, XTR_SHOW_TOP_QUIET);

static const struct xtr_section_column flag_columns[] = {
	{ "bit", NULL, XTR_C_NUMBER, XTR_PUT, "bit of the flags" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ "count", NULL, XTR_C_COUNT, XTR_AT(struct amdgpu_sum, n), "buffers" },
	{ "bytes", NULL, XTR_C_COUNT, XTR_AT(struct amdgpu_sum, bytes), "their size" },
};

static void fill_flags(const void *self, struct xtr_rows *r)
{
	const struct amdgpu *g = self;

	for (unsigned int i = 0; i < AMDGPU_FLAG_BITS; i++) {
		if (!g->mem.flag[i].n)
			continue;
		xtr_put_u64(r, true, i);
		xtr_put_text(r, amdgpu_create_flag_name(i));
		xtr_row(r, &g->mem.flag[i]);
	}
}

const struct xtr_section_table amdgpu_flags_table = XTR_TABLE(
	"buffers.flags", "buffers created with a flag", flag_columns, fill_flags, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct amdgpu, mem.member)
static const struct xtr_section_column move_columns[] = {
	SUM("moved", moved, "moves between memories"),
	SUM("placed", placed, "first placements"),
	SUM("released", released, "releases"),
	SUM("to_vram", to_vram, "moves into VRAM"),
	SUM("from_vram", from_vram, "moves out of VRAM"),
	RATE(move_rate, NULL, NULL),
	{ "bytes_per_second", NULL, XTR_C_COUNT | XTR_C_TIMES, XTR_PUT, "of moves" },
};

static bool put_moves(struct xtr_rows *r, const void *row)
{
	const struct amdgpu *g = row;

	put_rate(r, g, &g->mem.move_rate);
	xtr_put_u64(r, true, xtr_rate_per_second(g->mem.moved.bytes, g->o->span_ns));
	return true;
}

const struct xtr_section_table amdgpu_moves_table =
	XTR_TABLE_SELF("moves", "all moves", move_columns, put_moves, XTR_SHAPE_MEMBERS);

static const struct xtr_section_column return_columns[] = {
	COUNT("returns", returns, "buffers back in VRAM after leaving it"),
	TIMED("quick_returns", quick, "of them soon"),
	TIMED("quick_bytes", quick_bytes, "their size"),
	{ "quick_limit_ns", NULL, XTR_C_NS, XTR_PUT, "what soon is" },
	COUNT("most_returns", most_returns, "most of one buffer"),
	{ "away_ns", NULL, XTR_C_HIST | XTR_C_TIMES, AT(away), "time outside of VRAM" },
	COUNT("buffers_forgotten", lives_lost, "buffers whose returns are not counted"),
};

static bool put_returns(struct xtr_rows *r, const void *row)
{
	(void)row;
	xtr_put_u64(r, true, AMDGPU_THRASH_AWAY_NS);
	return true;
}

const struct xtr_section_table amdgpu_returns_table =
	XTR_TABLE_SELF("moves.returns", "returns of buffers to VRAM", return_columns, put_returns,
		       XTR_SHAPE_MEMBERS);

static const struct xtr_section_column list_columns[] = {
	COUNT("lists", lists, "lists of buffers"),
	COUNT("buffers", list_buffers, "buffers in them"),
	COUNT("bytes", list_bytes, "their size"),
	HIST("buffers_each", list_size, "buffers of a list"),
	SUM("set", list_set, "buffers put into lists"),
};
#undef AT

const struct xtr_section_table amdgpu_lists_table =
	XTR_TABLE_SELF("lists", "lists of buffers", list_columns, NULL, XTR_SHAPE_OBJECT);
