/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of tables in few words, for the files that hold tables. Each table defines AT(member):
 * XTR_AT of the structure that its rows are made of.
 */
#ifndef XTR_SECTION_COLUMNS_H
#define XTR_SECTION_COLUMNS_H

#include "section_table.h"

/* Only in JSON and SQL. TIMED: of what rests on times. */
#define COUNT(key, member, help)                         \
	{                                                \
		key, NULL, XTR_C_COUNT, AT(member), help \
	}
#define TIMED(key, member, help)                                       \
	{                                                              \
		key, NULL, XTR_C_COUNT | XTR_C_TIMES, AT(member), help \
	}
#define HIST(key, member, help)                         \
	{                                               \
		key, NULL, XTR_C_HIST, AT(member), help \
	}
#define FLAG(key, member, help)                         \
	{                                               \
		key, NULL, XTR_C_BOOL, AT(member), help \
	}
/* In text too. */
#define SHOWN(key, title, member, help)                   \
	{                                                 \
		key, title, XTR_C_COUNT, AT(member), help \
	}

/* The same where a table is shown in several parts: own. NULL in place of the key: only there. */
#define PART(key, title, kind, member, help, own_)                        \
	{                                                                 \
		key, title, XTR_C_##kind, AT(member), help, .own = (own_) \
	}

#endif /* XTR_SECTION_COLUMNS_H */
