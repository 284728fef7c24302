/* SPDX-License-Identifier: BSD-2-Clause */
/* What the longest jobs waited for: parts of their time, and the critical paths to their ends. */
#include "report_impl.h"

#include <string.h>

#define STEP_BYTES 100u /* of a step without its name, at most; of that each byte takes six */
#define WHO_BYTES  64u
#define PATH_BYTES 200u /* of a path without its steps */

static size_t who_bytes(const struct xtr_export_step *s)
{
	return strnlen(s->who, WHO_BYTES);
}

static size_t steps_bytes(const struct xtr_export_steps *s)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += STEP_BYTES + 6 * who_bytes(&s->step[i]);
	return n;
}

/* [from, ns, kind, who, ring, tid, context, seqno, cause]; from: less the section's, may be below
 * 0.
 */
static void put_step(struct xtr_json *j, const struct xtr_export_step *s, uint64_t from)
{
	char text[24];

	xtr_json_begin_array(j);
	xtr_json_s64(j, (int64_t)(s->from_ns - from));
	xtr_json_u64(j, s->to_ns - s->from_ns);
	xtr_json_str(j, s->kind);
	xtr_json_strn(j, s->who, who_bytes(s));
	xtr_json_u64(j, s->ring_id);
	xtr_json_u64(j, s->tid);
	*xtr_digits_put(text, s->job.ctx) = '\0';
	xtr_json_str(j, text);
	*xtr_digits_put(text, s->job.seqno) = '\0';
	xtr_json_str(j, text);
	xtr_json_str(j, s->cause ? s->cause : "");
	xtr_json_end_array(j);
}

static void put_steps(struct xtr_json *j, const char *key, const struct xtr_export_steps *s,
		      uint64_t from)
{
	xtr_json_kv_array(j, key);
	for (uint32_t i = 0; i < s->n; i++)
		put_step(j, &s->step[i], from);
	xtr_json_end_array(j);
}

void report_paths_json(struct xtr_json *j, const struct xtr_export_section *s, size_t most)
{
	const struct xtr_export_paths *all = s->paths;
	size_t used = 0;

	xtr_json_kv_array(j, "paths");
	for (size_t i = 0; all && i < all->n; i++) {
		const struct xtr_export_path *p = &all->path[i];

		used += PATH_BYTES + steps_bytes(&p->path) + steps_bytes(&p->parts);
		if (used > most)
			break;
		xtr_json_begin_object(j);
		report_json_exact(j, "context", p->job.ctx);
		report_json_exact(j, "seqno", p->job.seqno);
		xtr_json_kv_u64(j, "ns", p->ns);
		xtr_json_kv_bool(j, "cut", p->cut);
		xtr_json_kv_bool(j, "folded", p->folded);
		put_steps(j, "path", &p->path, s->from);
		put_steps(j, "parts", &p->parts, s->from);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}
