/* SPDX-License-Identifier: BSD-2-Clause */
#include "hang_key.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FRAMES    8u /* of a stack, innermost first */
#define FRAMES_OF 64u

static const struct {
	uint64_t below; /* bytes */
	const char *name;
} classes[] = {
	{ 64u << 10, "null-page" },
	{ 1ull << 32, "below-4GiB" },
	{ 1ull << 47, "user" },
	{ UINT64_MAX, "high" },
};

const char *hang_fault_class(uint64_t address)
{
	size_t i = 0;

	while (i + 1 < sizeof(classes) / sizeof(classes[0]) && address >= classes[i].below)
		i++;
	return classes[i].name;
}

/* "ccs35" is the 35th queue of xe's firmware, and another one at the next hang. */
static void ring_of(char *to, size_t cap, const struct xtr_hang *h)
{
	size_t n = (size_t)snprintf(to, cap, "%s", h->ring);

	n = n < cap ? n : cap - 1;
	while (!strcmp(h->driver, "xe") && n && to[n - 1] >= '0' && to[n - 1] <= '9')
		to[--n] = 0;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* From here on a message is of the process, which is not what the driver says. */
static const char *const ends[] = { " in ", " on channel ", ", comm=", ": pid=", ", sched_job=" };

/* Numbers, and names that a redaction or a process gave, stand for themselves no more. */
static void mask(char *to, size_t cap, const char *s)
{
	size_t n = 0;

	while (*s && n + 2 < cap) {
		if ((*s >= '0' && *s <= '9')) {
			while (is_hex(*s) || *s == 'x')
				s++;
			to[n++] = '#';
		} else {
			to[n++] = *s++;
		}
	}
	to[n] = 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *end = strstr(to, ends[i]);

		if (end)
			*end = 0;
	}
}

/* NVIDIA's driver has numbers for what it says. */
static void message_of(char *to, size_t cap, const struct xtr_dump_fact *f)
{
	if (f[XTR_DUMP_CODE_FACT].known && f[XTR_DUMP_DRIVER_FACT].known &&
	    !strcmp(f[XTR_DUMP_DRIVER_FACT].text, "nvidia"))
		snprintf(to, cap, "Xid %.64s", f[XTR_DUMP_CODE_FACT].text);
	else
		mask(to, cap, f[XTR_DUMP_MESSAGE_FACT].text);
}

/*
 * Names that a redaction gave ("symbol#3") are others in the next trace: a stack with such a one is
 * not known.
 */
static void stack_of(char *to, size_t cap, const struct xtr_tables *t, uint32_t stack)
{
	char frame[USER_FRAME_MAX];
	size_t n = 0;
	bool own;

	for (size_t i = 0, k = 0; i < FRAMES_OF && k < FRAMES; i++) {
		if (!xtr_user_frame(t, stack, i, frame, &own))
			break;
		if (!own)
			continue;
		if (strchr(frame, '#')) {
			*to = 0;
			return;
		}
		n += (size_t)snprintf(to + n, cap - n, "%s%.56s", k++ ? " < " : "", frame);
	}
}

void hang_key_of(struct xtr_hang_key *k, const struct xtr_hang *h, const struct xtr_tables *t,
		 const struct xtr_dump *const *of, size_t n)
{
	const struct xtr_hang_job *g = h ? xtr_hang_guilty(h) : NULL;

	*k = (struct xtr_hang_key){ 0 };
	if (h)
		ring_of(k->ring, sizeof(k->ring), h);
	if (g)
		snprintf(k->kind, sizeof(k->kind), "%s", xtr_job_kind_name(g->kind));
	if (g && g->stack)
		stack_of(k->stack, sizeof(k->stack), t, g->stack);
	for (size_t i = 0; i < n; i++) {
		const struct xtr_dump_fact *f = of[i]->fact;

		if (!*k->ring && f[XTR_DUMP_RING_FACT].known && !h)
			snprintf(k->ring, sizeof(k->ring), "%.60s", f[XTR_DUMP_RING_FACT].text);
		if (!*k->message && f[XTR_DUMP_MESSAGE_FACT].known)
			message_of(k->message, sizeof(k->message), f);
		if (!*k->fault && f[XTR_DUMP_FAULT_FACT].known)
			snprintf(k->fault, sizeof(k->fault), "%s",
				 hang_fault_class(f[XTR_DUMP_FAULT_FACT].value));
	}
}

/* --- two of them ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	size_t offset;
} keys[HANG_KEYS] = {
	{ "ring", offsetof(struct xtr_hang_key, ring) },
	{ "kind", offsetof(struct xtr_hang_key, kind) },
	{ "fault", offsetof(struct xtr_hang_key, fault) },
	{ "message", offsetof(struct xtr_hang_key, message) },
	{ "stack", offsetof(struct xtr_hang_key, stack) },
};

static const char *const verdicts[] = { "same", "different", "not-known" };

const char *xtr_hang_verdict_name(enum xtr_hang_verdict v)
{
	return verdicts[v];
}

/*
 * One that differs makes two hangs. To be the same they must have the ring in common, and one of
 * what is particular to a hang: the class of the fault, the driver's message, or the stack.
 */
void xtr_hang_compare(const struct xtr_hang_key *a, const struct xtr_hang_key *b,
		      struct xtr_hang_compared *c)
{
	unsigned int differ = 0, particular = 0;

	for (size_t i = 0; i < HANG_KEYS; i++) {
		const char *x = (const char *)a + keys[i].offset;
		const char *y = (const char *)b + keys[i].offset;

		c->key[i].name = keys[i].name;
		c->key[i].a = *x ? x : NULL;
		c->key[i].b = *y ? y : NULL;
		c->key[i].is = !*x || !*y     ? XTR_HANG_UNDECIDED
			       : strcmp(x, y) ? XTR_HANG_DIFFERENT
					      : XTR_HANG_ALIKE;
		differ += c->key[i].is == XTR_HANG_DIFFERENT;
		particular += i >= 2 && c->key[i].is == XTR_HANG_ALIKE;
	}
	c->verdict = differ                                         ? XTR_HANG_DIFFERENT
		     : c->key[0].is == XTR_HANG_ALIKE && particular ? XTR_HANG_ALIKE
								    : XTR_HANG_UNDECIDED;
}
