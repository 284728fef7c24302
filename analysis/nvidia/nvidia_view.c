/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of nvidia: its tables, and what else text and JSON say (docs/stats-json.md). */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "nvidia.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <string.h>

#define TIMED_HIST(key, member, help)                                 \
	{                                                             \
		key, NULL, XTR_C_HIST | XTR_C_TIMES, AT(member), help \
	}
/* Two columns of text. */
#define WHO                                         \
	{ NULL, "<process", XTR_C_TEXT, XTR_PUT },  \
	{                                           \
		NULL, "pid", XTR_C_PROCESS, XTR_PUT \
	}
#define PID                                                    \
	{                                                      \
		"pid", NULL, XTR_C_PROCESS, XTR_PUT, "process" \
	}

static void put_who(struct xtr_rows *r, const struct nvidia *nv, const struct nv_process *p)
{
	size_t n = 0;
	const char *s = NULL;

	if (xtr_rows_text(r) && nv->o->tables && p->comm)
		s = xtr_tables_string(nv->o->tables, p->comm, &n);
	if (s && !p->rest)
		xtr_put_name(r, s, n);
	else
		xtr_put_text(r, p->rest ? "(others)" : "(unknown)");
	xtr_put_u64(r, true, p->process);
}

static void put_pid(struct xtr_rows *r, const struct nvidia *nv, uint32_t process)
{
	xtr_put_u64(r, true, nv->process[process].process);
}

static bool is_recorded(const struct nvidia *nv, enum nv_role role)
{
	const bool *has = nv->track.b.has;

	return has[role] || (role == NV_P2P_GET && (has[NV_P2P_KEEP] || has[NV_P2P_MAP]));
}

/* --- processes -------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct nv_process, member)
/* Parts of the text; own is one of them, and the role without which a column says nothing. */
enum {
	CALLS = 0x100,
	MAPPINGS = 0x200,
	P2P = 0x400,
	PARTS = 0x700
};
#define IN(part, key, title, role, member, help)                                           \
	{                                                                                  \
		key, title, XTR_C_COUNT, AT(member), help, .own = (part) | (NV_##role + 1) \
	}
static const struct xtr_section_column process_columns[] = {
	WHO,
	{ "pid", NULL, XTR_C_PROCESS, AT(process), "process" },
	{ "process", NULL, XTR_C_STRING, AT(comm), "its name" },
	IN(CALLS, "opens", "opens", OPEN, opens, "files opened"),
	IN(CALLS, "open_errors", "failed", OPEN, open_errors, "opens that failed"),
	IN(CALLS, "closes", "closes", CLOSE, closes, "files closed"),
	COUNT("closes_elsewhere", closes_elsewhere, "of them opened by another process"),
	COUNT("closes_earlier", closes_earlier, "of them opened before the trace"),
	IN(CALLS, "still_open", "still open", OPEN, open_files, "open at the end"),
	IN(MAPPINGS, "mmaps", "mmaps", MMAP, mmaps, "mappings made"),
	IN(MAPPINGS, "mmap_errors", "failed", MMAP, mmap_errors, "mappings that failed"),
	IN(MAPPINGS, "mmap_bytes", "bytes", MMAP, mmap_bytes, "their size"),
	IN(MAPPINGS, NULL, "peak", MMAP, mapped_peak, NULL),
	IN(MAPPINGS, NULL, "held at end", MMAP, mapped, NULL),
	IN(MAPPINGS, "releases", "releases", VMA_RELEASE, releases, "mappings released"),
	IN(MAPPINGS, "released_bytes", "released bytes", VMA_RELEASE, released_bytes, "their size"),
	COUNT("releases_earlier", releases_earlier, "of them made before the trace"),
	IN(MAPPINGS, "copies", "copies", VMA_OPEN, copies, "mappings copied"),
	COUNT("copy_bytes", copy_bytes, "their size"),
	IN(MAPPINGS, NULL, "held in copies", VMA_OPEN, copied, NULL),
	IN(MAPPINGS, "splits", "splits", VMA_OPEN, splits, "mappings split"),
	IN(MAPPINGS, "moves", "moves", VMA_OPEN, moves, "mappings moved"),
	COUNT("mapped_bytes", mapped, "held at the end"),
	COUNT("mapped_peak_bytes", mapped_peak, "the most that was held"),
	COUNT("mapped_copy_bytes", copied, "held in copies at the end"),
	IN(CALLS, NULL, "ioctls", IOCTL, ioctls, NULL),
	IN(CALLS, NULL, "errors", IOCTL, ioctl_errors, NULL),
	IN(CALLS, "polls", "polls", POLL, polls, "polls"),
	IN(CALLS, "faults", "faults", FAULT, faults, "faults of the processor on revoked mappings"),
	COUNT("ioctls", ioctls, "ioctls"),
	COUNT("ioctl_errors", ioctl_errors, "ioctls that failed"),
	IN(CALLS, "uvm_opens", "UVM opens", UVM_OPEN, uvm_opens, "files of UVM opened"),
	IN(CALLS, NULL, "UVM ioctls", UVM_IOCTL, uvm_ioctls, NULL),
	IN(CALLS, "uvm_mmaps", "UVM mmaps", UVM_MMAP, uvm_mmaps, "mappings of UVM"),
	COUNT("uvm_ioctls", uvm_ioctls, "ioctls of UVM"),
	COUNT("uvm_ioctl_errors", uvm_ioctl_errors, "of them that failed"),
	IN(P2P, "p2p_get_pages", "get_pages", P2P_GET, p2p_gets,
	   "calls for memory of other devices"),
	IN(P2P, "p2p_get_pages_bytes", "bytes", P2P_GET, p2p_bytes, "its size"),
	IN(P2P, NULL, "failed", P2P_GET, p2p_errors, NULL),
	IN(P2P, "p2p_dma_maps", "dma_map", P2P_MAP, p2p_maps, "mappings of it"),
	COUNT("p2p_errors", p2p_errors, "calls that failed"),
	{ "ioctls_total", NULL, XTR_C_COUNT, XTR_PUT, "ioctls, where these were sampled" },
	{ "uvm_ioctls_total", NULL, XTR_C_COUNT, XTR_PUT, "ioctls of UVM, likewise" },
};
#undef AT

static bool shows(const void *self, const struct xtr_section_column *c)
{
	return !c->own || is_recorded(self, (c->own & ~PARTS) - 1);
}

static bool has_total(const struct nvidia *nv, bool uvm)
{
	return nv->n_totals && nv->sample_ppm[uvm];
}

static bool put_processes(struct xtr_rows *r, const void *row)
{
	const struct nvidia *nv = xtr_rows_self(r);
	const struct nv_process *p = row;

	put_who(r, nv, p);
	xtr_put_u64(r, has_total(nv, false), p->ioctls_total);
	xtr_put_u64(r, has_total(nv, true), p->uvm_ioctls_total);
	return p->visible || xtr_rows_text(r);
}

/* Has the process something in a column of this part? */
static bool put_if_any(struct xtr_rows *r, const void *row, unsigned int part)
{
	uint64_t sum = 0, v;

	for (size_t i = 0; i < sizeof(process_columns) / sizeof(process_columns[0]); i++)
		if (process_columns[i].own & part) {
			memcpy(&v, (const char *)row + process_columns[i].offset, sizeof(v));
			sum |= v;
		}
	return sum && put_processes(r, row);
}

static bool put_calls(struct xtr_rows *r, const void *row)
{
	return put_if_any(r, row, CALLS);
}

static bool put_mappings(struct xtr_rows *r, const void *row)
{
	return put_if_any(r, row, MAPPINGS);
}

static bool put_p2p(struct xtr_rows *r, const void *row)
{
	return put_if_any(r, row, P2P);
}

#define PROCESSES(put_, ...)                                                            \
	{                                                                               \
		.help = "a process", XTR_TABLE_COLUMNS(process_columns), .put = (put_), \
		.rows = XTR_ARRAY(struct nvidia, process, n_processes), .shows = shows, \
		__VA_ARGS__                                                             \
	}
static const struct xtr_section_table processes = PROCESSES(put_processes, .name = "processes");
static const struct xtr_section_table calls =
	PROCESSES(put_calls, .parts = CALLS, .heading = "  Calls\n");
static const struct xtr_section_table mappings =
	PROCESSES(put_mappings, .parts = MAPPINGS, .heading = "\n  Mappings, bytes\n");
static const struct xtr_section_table p2p = PROCESSES(
	put_p2p, .parts = P2P, .heading = "\n  Memory for other devices (third-party P2P)\n");

/* --- ioctls and errors ------------------------------------------------------------------------ */

#define NAME                                                                      \
	{ "kind", NULL, XTR_C_TEXT, XTR_PUT, "rm, uvm, other or rest" },          \
		{ "number", NULL, XTR_C_NUMBER, XTR_PUT, "number of the ioctl" }, \
		{ "name", NULL, XTR_C_TEXT, XTR_PUT, "its name" },                \
		{ "second", NULL, XTR_C_NUMBER, XTR_PUT,                          \
		  "command of RM_CONTROL, class of RM_ALLOC" },                   \
	{                                                                         \
		"second_name", NULL, XTR_C_TEXT, XTR_PUT, "its name"              \
	}

/* kind, number, name, second, second_name */
static void put_name(struct xtr_rows *r, enum nv_kind kind, uint32_t number, bool has_second,
		     uint32_t second)
{
	char buf[NV_NAME_MAX];

	bool text = xtr_rows_text(r); /* it has them as one name */

	xtr_put_text(r, nv_kind_name(kind));
	xtr_put_u64(r, true, number);
	xtr_put_copy(r, text ? NULL : nv_ioctl_name(buf, kind, number));
	xtr_put_u64(r, has_second, second);
	xtr_put_copy(r, has_second && !text ? nv_second_name(buf, number, second) : NULL);
}

#define AT(member) XTR_AT(struct nv_ioctl, member)
enum {
	SAMPLED = 1,
	NOT_SAMPLED
};
static const struct xtr_section_column ioctl_columns[] = {
	{ NULL, "<ioctl", XTR_C_TEXT, XTR_PUT },
	WHO,
	PID,
	NAME,
	COUNT("calls", n, "calls"),
	{ "total_calls", NULL, XTR_C_COUNT, XTR_PUT,
	  "how many there were, where they were sampled" },
	{ NULL, "calls", XTR_C_COUNT, XTR_PUT, .own = SAMPLED },
	{ NULL, "recorded", XTR_C_COUNT, AT(n), .own = SAMPLED },
	{ NULL, "calls", XTR_C_COUNT, AT(n), .own = NOT_SAMPLED },
	SHOWN("errors", "errors", errors, "of them that failed"),
	{ "time_ns", "p50|p99|max", XTR_C_HIST | XTR_C_TIMES, AT(time), "of calls with both ends" },
};
#undef AT

static bool shows_ioctls(const void *self, const struct xtr_section_column *c)
{
	return !c->own || (c->own == SAMPLED) == (((const struct nvidia *)self)->n_totals != 0);
}

static bool put_ioctls(struct xtr_rows *r, const void *row)
{
	const struct nvidia *nv = xtr_rows_self(r);
	char name[2 * NV_NAME_MAX];
	const struct nv_ioctl *c = row;
	bool uvm = c->kind == NV_KIND_UVM;

	if (xtr_rows_full(r))
		return true;
	xtr_put_copy(r, xtr_rows_text(r)
				? nv_whole_name(name, c->kind, c->number, c->has_second, c->second)
				: NULL);
	put_who(r, nv, &nv->process[c->process]);
	put_pid(r, nv, c->process);
	put_name(r, c->kind, c->number, c->has_second, c->second);
	xtr_put_u64(r, has_total(nv, uvm), c->total);
	xtr_put_u64(r, true, nv->sample_ppm[uvm] ? c->total : c->n);
	return true;
}

static const struct xtr_section_table ioctls = {
	.name = "ioctls",
	.help = "an ioctl of a process, most calls first",
	XTR_TABLE_COLUMNS(ioctl_columns),
	.rows = XTR_ARRAY(struct nvidia, ioctl, n_ioctls),
	.put = put_ioctls,
	.shows = shows_ioctls,
	.limit = XTR_SHOW_TOP,
	.heading = "\n  ioctls\n",
};

#define AT(member) XTR_AT(struct nv_error, member)
static const struct xtr_section_column error_columns[] = {
	{ NULL, "<failed call", XTR_C_TEXT, XTR_PUT },
	WHO,
	PID,
	{ "call", NULL, XTR_C_TEXT, XTR_PUT, "kind of the call" },
	NAME,
	{ "ret", "returned", XTR_C_SIGNED, AT(ret), "what it returned" },
	SHOWN("calls", "calls", n, "calls"),
};
#undef AT

static bool put_errors(struct xtr_rows *r, const void *row)
{
	const struct nvidia *nv = xtr_rows_self(r);
	char name[2 * NV_NAME_MAX];
	const struct nv_error *e = row;
	bool ioctl = e->role == NV_IOCTL || e->role == NV_UVM_IOCTL;

	xtr_put_copy(r, ioctl ? nv_whole_name(name, e->kind, e->number, e->has_second, e->second)
			      : nv_role_name(e->role));
	put_who(r, nv, &nv->process[e->process]);
	put_pid(r, nv, e->process);
	xtr_put_text(r, nv_role_name(e->role));
	if (ioctl)
		put_name(r, e->kind, e->number, e->has_second, e->second);
	for (uint32_t k = 0; k < 5 && !ioctl; k++)
		xtr_put_absent(r);
	return true;
}

static const struct xtr_section_table errors = {
	.name = "errors",
	.help = "calls of a process that failed, by what they returned",
	XTR_TABLE_COLUMNS(error_columns),
	.rows = XTR_ARRAY(struct nvidia, error, n_errors),
	.put = put_errors,
	.limit = XTR_SHOW_TOP_QUIET,
	.heading = "\n  Errors, by what the call returned\n",
};

#define AT(member) XTR_AT(struct nv_file, member)
static const struct xtr_section_column file_columns[] = {
	{ "file", NULL, XTR_C_HEX, AT(file), "pointer of the file" },
	PID,
	{ "tid", NULL, XTR_C_NUMBER, AT(tid), "thread that opened it" },
	{ "opened_ns", NULL, XTR_C_NS, AT(opened_ns), "when" },
};
#undef AT

#define FILES_SHOWN 100u

static void fill_files(const void *self, struct xtr_rows *r)
{
	const struct nvidia *nv = self;
	uint32_t n = 0;

	for (uint32_t i = 0; i < nv->n_files && n < FILES_SHOWN; i++) {
		if (!nv->file[i].live)
			continue;
		n++;
		put_pid(r, nv, nv->file[i].process);
		xtr_row(r, &nv->file[i]);
	}
}

static const struct xtr_section_table files = XTR_TABLE(
	"open_files", "a file that is open at the end", file_columns, fill_files, XTR_SHOW_ALL);

/* --- devices ---------------------------------------------------------------------------------- */

static void put_device(struct xtr_rows *r, uint64_t device, bool rest)
{
	if (rest)
		xtr_put_text(r, "(others)");
	else
		xtr_put_format(r, "0x%" PRIx64, device);
}

#define AT(member) XTR_AT(struct nv_device, member)
static const struct xtr_section_column device_columns[] = {
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "device", NULL, XTR_C_HEX, AT(device), "pointer of the device" },
	{ NULL, "<mode", XTR_C_TEXT, XTR_PUT },
	{ "interrupts", "interrupts", XTR_C_COUNT, XTR_PUT, "interrupts" },
	COUNT("isr_msix", msix, "calls of nvidia_isr_msix"),
	{ "isr", NULL, XTR_C_COUNT, XTR_PUT, "calls of nvidia_isr" },
	COUNT("isr_nested", nested, "of them by nvidia_isr_msix"),
	SHOWN("not_ours", "not ours", not_ours, "interrupts of other devices"),
	COUNT("wanted_bottom_half", woke, "interrupts that asked for a bottom half"),
	COUNT("bottom_halves", bottoms[0], "bottom halves"),
	COUNT("bottom_halves_msix", bottoms[1], "bottom halves of MSI-X"),
	{ "time_ns", "p50|p99|max", XTR_C_HIST | XTR_C_TIMES, XTR_PUT, "of the handler" },
	{ NULL, "bottom halves", XTR_C_COUNT, XTR_PUT },
	TIMED_HIST("bottom_half_ns", bottom_time, "of bottom halves"),
	{ "until_bottom_half_ns", "until it began: p50|p99|max", XTR_C_HIST | XTR_C_TIMES, AT(wake),
	  "from interrupt to bottom half" },
};
#undef AT

static bool put_devices(struct xtr_rows *r, const void *row)
{
	const struct nvidia *nv = xtr_rows_self(r);
	const struct nv_device *d = row;

	put_device(r, d->device, d->rest);
	xtr_put_text(r, d->msix ? "MSI-X" : d->alone ? "line or MSI" : NULL);
	xtr_put_u64(r, true, nv_interrupts(nv, d));
	xtr_put_u64(r, true, d->alone + d->nested);
	xtr_put_hist(r, &d->time[d->msix != 0]);
	xtr_put_u64(r, true, d->bottoms[0] + d->bottoms[1]);
	return true;
}

static const struct xtr_section_table devices = {
	.name = "devices",
	.help = "interrupts of a device",
	XTR_TABLE_COLUMNS(device_columns),
	.rows = XTR_ARRAY(struct nvidia, device, n_devices),
	.put = put_devices,
	.heading = "\n  Interrupts, and their bottom halves\n",
};

#define AT(member) XTR_AT(struct nv_power, member)
static const struct xtr_section_column power_columns[] = {
	{ NULL, "<device", XTR_C_TEXT, XTR_PUT },
	{ "device", NULL, XTR_C_HEX, AT(device), "pointer of the device" },
	SHOWN("suspends", "suspends", suspends, "suspends"),
	SHOWN("suspend_errors", "failed", suspend_errors, "of them that failed"),
	{ NULL, "p50|max", XTR_C_HIST, AT(suspend) },
	SHOWN("resumes", "resumes", resumes, "resumes"),
	SHOWN("resume_errors", "failed", resume_errors, "of them that failed"),
	COUNT("resumes_after_failure", resumes_after_failure,
	      "resumes after a suspend that failed"),
	TIMED_HIST("suspend_ns", suspend, "of suspends"),
	{ "resume_ns", "p50|max", XTR_C_HIST | XTR_C_TIMES, AT(resume), "of resumes" },
	{ "away_ns", "away: p50|max", XTR_C_HIST | XTR_C_TIMES, AT(away),
	  "from suspend to resume" },
};
#undef AT

static bool put_power(struct xtr_rows *r, const void *row)
{
	const struct nv_power *of = row;

	put_device(r, of->device, of->rest);
	return true;
}

static const struct xtr_section_table power = {
	.name = "power",
	.help = "suspend and resume of a device",
	XTR_TABLE_COLUMNS(power_columns),
	.rows = XTR_ARRAY(struct nvidia, power, n_powers),
	.put = put_power,
	.heading = "\n  Suspend and resume\n",
};

/* --- the section ------------------------------------------------------------------------------ */

static bool any_faults(const struct nvidia *nv)
{
	for (uint32_t i = 0; i < nv->n_processes; i++)
		if (nv->process[i].faults)
			return true;
	return false;
}

/* What these events cannot tell. */
static void limits(const struct nvidia *nv, FILE *f)
{
	if (nv->lost)
		fputs("  Events were lost: counts are lower bounds, and what is held at the end "
		      "may be wrong.\n",
		      f);
	nv_sample_limits(nv, f);
	if (nv->n_ioctls)
		fputs("  GPU work is not submitted by ioctls: their times are not the GPU's.\n", f);
	if (any_faults(nv))
		fputs("  Faults are the processor's, on mappings of device memory that were "
		      "revoked: not the GPU's page faults.\n",
		      f);
	if (nv->n_powers && nv->o->times)
		fputs("  Suspend and resume: time asleep is in none of these times where the "
		      "trace's clock stops (monotonic).\n",
		      f);
	if (nv->untracked)
		fprintf(f, "  Not followed: %" PRIu64 " files or mappings, there are too many.\n",
			nv->untracked);
}

const struct xtr_section_table *const nv_tables[] = { &nv_sample, &processes, &ioctls, &errors,
						      &files,     &devices,   &power,  NULL };

int nv_text(const void *self, const struct xtr_view *v)
{
	static const struct xtr_section_table *const first[] = { &calls,  &mappings, &p2p,
								 &ioctls, &errors,   NULL };
	static const struct xtr_section_table *const then[] = { &devices, &power, NULL };
	const struct nvidia *nv = self;
	uint32_t listed = nv->n_errors < nv->o->top ? nv->n_errors : nv->o->top;
	int err = xtr_tables_text(first, nv, nv->o, v->f);

	if (nv->n_errors && (listed < nv->n_errors || nv->errors_left_out))
		fprintf(v->f, "  ... and %" PRIu64 " more\n",
			nv->n_errors - listed + nv->errors_left_out);
	if (!err)
		err = xtr_tables_text(then, nv, nv->o, v->f);
	limits(nv, v->f);
	return err;
}

void nv_json(const void *self, struct xtr_json *j)
{
	static const struct xtr_section_table *const first[] = { &nv_sample, &processes, &ioctls,
								 &errors, NULL };
	static const struct xtr_section_table *const then[] = { &files, &devices, &power, NULL };
	const struct nvidia *nv = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", nv->lost);
	xtr_json_kv_u64(j, "untracked", nv->untracked);
	xtr_tables_json(first, nv, nv->o, j);
	xtr_json_kv_u64(j, "errors_left_out", nv->errors_left_out);
	xtr_tables_json(then, nv, nv->o, j);
	xtr_json_end_object(j);
}
