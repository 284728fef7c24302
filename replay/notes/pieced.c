// SPDX-License-Identifier: BSD-2-Clause
#include "pieced.h"
#include "base/text.h"

#include "format/meta/piece.h"

#include <inttypes.h>

#define NS 1000000000u /* in a second */

static bool is_told(struct xtr_piece *p, const struct xtr_section *s)
{
	return xtr_piece_read(p, xtr_section_meta(s)) && (p->from || p->to);
}

void xtr_pieced_text(FILE *f, const struct xtr_section *s)
{
	char text[XTR_TEXT_NUMBER];
	struct xtr_piece p;

	if (!is_told(&p, s))
		return;
	fprintf(f, "Piece %s of a recording: it has all events of all CPUs",
		xtr_text_count(text, p.number));
	if (p.from)
		fprintf(f, " from %" PRIu64 ".%09" PRIu64 " s on", p.from / NS, p.from % NS);
	if (p.to)
		fprintf(f, "%s before %" PRIu64 ".%09" PRIu64 " s", p.from ? " and" : "", p.to / NS,
			p.to % NS);
	fputs(", but for what was lost.\n", f);
}

void xtr_pieced_json(struct xtr_json *j, const struct xtr_section *s)
{
	struct xtr_piece p;

	if (!is_told(&p, s))
		return;
	xtr_json_kv_object(j, "piece");
	xtr_json_kv_u64(j, "number", p.number);
	xtr_json_kv_u64(j, "from_ns", p.from);
	xtr_json_kv_u64(j, "to_ns", p.to);
	xtr_json_end_object(j);
}
