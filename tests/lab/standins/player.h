/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The player: fires trace points of stand-in drivers as a scenario says, and logs the truth.
 *
 * A stand-in's module registers its events' names, fields and functions (XP_MODULE); the module
 * xtr_player owns the device, the log and the fences.
 */
#ifndef XTR_PLAYER_H
#define XTR_PLAYER_H

#include <linux/list.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/types.h>

#define XP_VALUES 48

/* What a field holds. */
enum xp_kind {
	XP_INT,   /* a number, pointer or truth value */
	XP_ARRAY, /* `count` numbers in the record */
	XP_TEXT,
	XP_DYN /* numbers in the record's tail, as many as are given */
};

struct xp_field {
	const char *name;
	enum xp_kind kind;
	unsigned int size; /* bytes of one number */
	unsigned int count;
};

/* A field's value: n for a number, text and len for a text, a and len for an array. */
struct xp_value {
	u64 n;
	const char *text;
	unsigned int len; /* characters without the end, or elements */
	u64 *a;
};

struct xp_event {
	const char *name;
	const struct xp_field *fields;
	unsigned int n_fields;
	void (*fire)(const struct xp_value *v);
};

struct xp_driver {
	const char *system;
	const struct xp_event *events;
	unsigned int n_events;
	struct list_head node; /* the player's */
};

void xp_register(struct xp_driver *driver);
void xp_unregister(struct xp_driver *driver);

/* Copies the first n elements; the types differ, so one at a time. */
#define XP_COPY(to, n, from)                       \
	do {                                       \
		unsigned int xp_i;                 \
		for (xp_i = 0; xp_i < (n); xp_i++) \
			(to)[xp_i] = (from)[xp_i]; \
	} while (0)

/* A stand-in's whole module. */
#define XP_MODULE(name, table)                                                      \
	static struct xp_driver xp_this = { .system = name,                         \
					    .events = table,                        \
					    .n_events = ARRAY_SIZE(table) };        \
	static int __init xp_load(void)                                             \
	{                                                                           \
		xp_register(&xp_this);                                              \
		return 0;                                                           \
	}                                                                           \
	static void __exit xp_unload(void)                                          \
	{                                                                           \
		xp_unregister(&xp_this);                                            \
	}                                                                           \
	module_init(xp_load);                                                       \
	module_exit(xp_unload);                                                     \
	MODULE_DESCRIPTION("stand-in for " name ": trace points without a driver"); \
	MODULE_LICENSE("GPL")

#endif
