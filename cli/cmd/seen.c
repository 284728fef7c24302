/* SPDX-License-Identifier: BSD-2-Clause */
#include "seen.h"
#include "cli/ui/cli.h"

int seen_section(struct seen *s, const char *path, const struct xtr_section *section)
{
	const uint64_t id = xtr_section_file_id(section);

	if (!xtr_map_get(&s->ids, id, 0))
		return xtr_map_put(&s->ids, id, 0, 1);
	cli_warn("'%s': the recording came before, in another file: it is left out", path);
	return 1;
}

int seen_file(struct seen *s, const char *path, const struct xtr_reader *r)
{
	const size_t n = xtr_reader_n_sections(r);
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		const struct xtr_section *section = xtr_reader_section(r, i);

		if (!xtr_map_get(&s->ids, xtr_section_file_id(section), 0))
			continue;
		cli_warn("'%s': %s came before, in another file: the file is left out", path,
			 n == 1 ? "the recording" : "a recording of it");
		return 1;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = xtr_map_put(&s->ids, xtr_section_file_id(xtr_reader_section(r, i)), 0, 1);
	return err;
}

void seen_free(struct seen *s)
{
	xtr_map_free(&s->ids);
}
