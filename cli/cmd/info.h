/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr info` gathers from a file before it prints: counts by event type, which only decoding
 * gives. */
#ifndef XTR_CLI_INFO_H
#define XTR_CLI_INFO_H

#include "cli/ui/cli.h"
#include "format/read/reader.h"

/* --- event totals ----------------------------------------------------------------------------- */

/* Counts the events of a section by type, with several threads. */
/* Types by their high and their low byte: a section has few, and a file may have many sections. */
#define COUNT_PAGES 256u
#define COUNT_PAGE  256u

struct count_tally {
	uint64_t count, bytes; /* events; bytes of records, uncompressed */
};

struct count {
	struct count_tally *pages[COUNT_PAGES]; /* COUNT_PAGE of them each, NULL: none counted */
	uint64_t first, last;                   /* ns; first > last: no events */
	struct xtr_problem *problems;           /* chunks that could not be decoded, in no order */
	size_t n_problems, cap_problems;
};

/* --- info ------------------------------------------------------------------------------------- */

struct info_type {
	uint32_t type;
	const char *name; /* NULL: META does not know it */
	uint64_t count;   /* events */
	uint64_t bytes;   /* of records, uncompressed */
};

struct info_section {
	const struct xtr_section *s;
	struct info_type *types; /* in order of type, those that occur */
	size_t n_types;
	uint64_t events;         /* that could be read */
	uint64_t chunks, raw;    /* with events; of them neither filtered nor compressed */
	uint64_t first, last;    /* ns: of those; both 0 if there are none */
	uint64_t start_realtime; /* ns since 1970 at first; 0: no clock snapshot */
};

struct info {
	const char *path;
	const struct xtr_reader *r;
	struct info_section *sections;
	size_t n_sections;
	struct xtr_problem *problems; /* of the reader and of decoding, in order of offset */
	size_t n_problems, cap_problems;
	/* sums over the sections; duration in ns, the others events */
	uint64_t events, lost, missing, filtered, duration;
	uint64_t unread; /* places of imported traces that could not be read */
	bool open;       /* of one that was recovered, the end is missing */
	bool times;      /* false: no section has any, so that there is no duration */
};

/* Decode the whole file. 0 or -errno; in both cases the caller frees what was gathered. */
int info_gather(struct info *info, const char *path, const struct xtr_reader *r);
void info_free(struct info *info);

void info_print_head(FILE *f, const struct info *info); /* size, losses, damage */
void info_print_overhead(FILE *f, const struct info *info);
void info_print_text(FILE *f, const struct info *info);
void info_print_json(FILE *f, const struct info *info); /* docs/info-json.md */

#endif /* XTR_CLI_INFO_H */
