/* SPDX-License-Identifier: BSD-2-Clause */
#include "redact_impl.h"

#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KTHREAD 1u
#define PROGRAM 2u
#define RING    4u

#define SHORTEST 4u  /* letters of a name that is looked for in texts */
#define COMM_MAX 15u /* letters of the name of a thread */
/* Texts that are told apart; of more it is said only that they are more. */
#define NAMES_MAX ((size_t)1 << 20)
#define BYTES_MAX ((size_t)64 << 20)

void redact_texts_free(struct redact_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].text);
	free(t->v);
	xtr_map_free(&t->by_text);
	xtr_map_free(&t->owners);
	*t = (struct redact_texts){ 0 };
}

/* --- numbers of texts ------------------------------------------------------------------------- */

/* *k: the first place with its hash that is free. */
static const struct redact_name *find(const struct redact_texts *t, const char *label,
				      const char *s, size_t n, uint64_t hash, uint64_t *k)
{
	const uint64_t *i;

	for (*k = 0; (i = xtr_map_get(&t->by_text, hash, *k)); ++*k) {
		const struct redact_name *name = &t->v[*i];

		if (name->n == n && !strcmp(name->label, label) && !memcmp(name->text, s, n))
			return name;
	}
	return NULL;
}

static uint32_t next_number(const struct redact_texts *t, const char *label)
{
	for (size_t i = t->n; i--;)
		if (!strcmp(t->v[i].label, label))
			return t->v[i].number + 1;
	return 1;
}

/* 0 with *number set (0: no room is left), or -ENOMEM. */
static int number_of(struct redact_texts *t, const char *label, const char *s, size_t n,
		     uint32_t *number)
{
	uint64_t hash = xtr_hash_bytes(s, n), k;
	const struct redact_name *known = find(t, label, s, n, hash, &k);
	char *copy;

	*number = known ? known->number : 0;
	if (known || t->n == NAMES_MAX || n > BYTES_MAX - t->bytes)
		return 0;
	copy = malloc(n + 1);
	if (!copy || xtr_grow_array(&t->v, &t->cap, t->n + 1, sizeof(*t->v)) ||
	    xtr_map_put(&t->by_text, hash, k, t->n)) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, s, n);
	copy[n] = '\0';
	*number = next_number(t, label);
	t->v[t->n].label = label;
	t->v[t->n].text = copy;
	t->v[t->n].n = n;
	t->v[t->n++].number = *number;
	t->bytes += n;
	return 0;
}

int redact_label(struct redact_texts *t, const char *label, const char *s, size_t n,
		 struct redact_text *out)
{
	uint32_t number;
	int err = number_of(t, label, s, n, &number);

	out->p = out->buf;
	out->n = (size_t)snprintf(out->buf, sizeof(out->buf), "%s#%" PRIu32, label, number);
	return err;
}

int redact_drop(struct redact_texts *t, const char *s)
{
	uint32_t number;

	return s && *s ? number_of(t, "dropped", s, strlen(s), &number) : 0;
}

/* --- threads ---------------------------------------------------------------------------------- */

static int note(struct redact_texts *t, const char *s, size_t n, uint64_t what)
{
	uint64_t hash = xtr_hash_bytes(s, n);
	const uint64_t *known = xtr_map_get(&t->owners, hash, 0);

	return xtr_map_put(&t->owners, hash, 0, (known ? *known : 0) | what);
}

int redact_note_comm(struct redact_texts *t, const char *s, size_t n, bool kthread)
{
	return note(t, s, n, kthread ? KTHREAD : PROGRAM);
}

int redact_note_ring(struct redact_texts *t, const char *s, size_t n)
{
	return note(t, s, n, RING);
}

static uint64_t owners_of(const struct redact_texts *t, const char *s, size_t n)
{
	const uint64_t *known = xtr_map_get(&t->owners, xtr_hash_bytes(s, n), 0);

	return known ? *known : 0;
}

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Does a program call itself so, or like a word in it of SHORTEST letters or more? */
static bool names_program(const struct redact_texts *t, const char *s, size_t n)
{
	if (owners_of(t, s, n) & PROGRAM)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (i && in_word(s[i - 1]))
			continue;
		for (size_t k = i + SHORTEST; k <= n && k <= i + COMM_MAX; k++)
			if ((k == n || !in_word(s[k])) && owners_of(t, s + i, k - i) & PROGRAM)
				return true;
	}
	return false;
}

/*
 * Of a kernel's thread, and of no program: if every machine has it, or it is called like the ring
 * that it serves. Idle threads are not in tables.
 */
static bool comm_stays(const struct redact_texts *t, const char *s, size_t n)
{
	const uint64_t owners = owners_of(t, s, n);
	const bool idle = n > strlen("swapper/") && !memcmp(s, "swapper/", strlen("swapper/"));

	if (owners & PROGRAM || (!(owners & KTHREAD) && !idle))
		return false;
	return redact_is_kthread(s, n) || (owners & RING && redact_is_ring(s, n));
}

/* --- what has parts --------------------------------------------------------------------------- */

static void keep(struct redact_text *out, const char *s, size_t n)
{
	out->p = s;
	out->n = n;
}

/* The text behind the last slash. */
static void base_name(const char **s, size_t *n)
{
	const char *slash = memrchr(*s, '/', *n);

	if (!slash)
		return;
	*n -= (size_t)(slash + 1 - *s);
	*s = slash + 1;
}

static int library(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	const char *base = s;
	size_t len = n;

	base_name(&base, &len);
	if (!redact_is_library(base, len))
		return redact_label(t, "module", s, n, out);
	keep(out, base, len);
	return 0;
}

bool redact_is_hwctx(const char *s, size_t n, uint32_t *pid, uint32_t *context)
{
	char text[32], rest;

	if (n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	return sscanf(text, "hwctx.%" SCNu32 ".%" SCNu32 "%c", pid, context, &rest) == 2;
}

/* What a driver says, unless a program is called so. */
static int word(struct redact_texts *t, bool stays, const char *s, size_t n,
		struct redact_text *out)
{
	if (!stays || names_program(t, s, n))
		return redact_label(t, "name", s, n, out);
	keep(out, s, n);
	return 0;
}

static int ring(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	uint32_t pid, context;

	if (redact_is_hwctx(s, n, &pid, &context)) {
		out->p = out->buf;
		out->n = (size_t)snprintf(out->buf, sizeof(out->buf), "hwctx.%" PRIu64 ".%" PRIu32,
					  redact_pid(t->values, pid), context);
		return 0;
	}
	return word(t, redact_is_ring(s, n), s, n, out);
}

/* "func:MODULE:FUNCTION", "api:LIBRARY:FUNCTION[:ret]", "system:event" */
static int api_event(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	const char *lib = s + strlen("api:"), *function;
	struct redact_text a, b;
	size_t rest = n - strlen("api:");
	const char *colon = memchr(lib, ':', rest);
	bool ret;
	int err;

	if (!colon)
		return redact_label(t, "event", s, n, out);
	function = colon + 1;
	rest -= (size_t)(function - lib);
	ret = rest > 4 && !memcmp(function + rest - 4, ":ret", 4);
	rest -= ret ? 4 : 0;
	if (redact_is_library(lib, (size_t)(colon - lib)) && redact_is_ident(function, rest)) {
		keep(out, s, n);
		return 0;
	}
	err = redact_label(t, "module", lib, (size_t)(colon - lib), &a)
		      ?: redact_label(t, "symbol", function, rest, &b);
	if (err)
		return err;
	out->p = out->buf;
	out->n = (size_t)snprintf(out->buf, sizeof(out->buf), "api:%.100s:%.100s%s", a.buf, b.buf,
				  ret ? ":ret" : "");
	return 0;
}

/* Tracepoints that people make, and name. */
static bool is_made(const char *s, size_t n)
{
	static const char *const systems[] = { "kprobe",      "uprobe",    "probe",  "sdt",
					       "user_events", "synthetic", "eprobe", "fprobe" };

	for (size_t i = 0; memchr(s, ':', n) && i < sizeof(systems) / sizeof(systems[0]); i++)
		if (n >= strlen(systems[i]) && !memcmp(s, systems[i], strlen(systems[i])))
			return true;
	return false;
}

static int event(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	const char *at = s, *end = s + n;
	size_t len;

	if (n > 4 && !memcmp(s, "api:", 4))
		return api_event(t, s, n, out);
	while (!is_made(s, n)) {
		const char *colon = memchr(at, ':', (size_t)(end - at));

		len = (size_t)((colon ? colon : end) - at);
		if (!redact_is_ident(at, len))
			break;
		if (!colon) {
			keep(out, s, n);
			return 0;
		}
		at = colon + 1;
	}
	return redact_label(t, "event", s, n, out);
}

/* --- NVIDIA's errors -------------------------------------------------------------------------- */

struct message {
	struct redact_text *out;
	size_t n;
};

static void add(struct message *m, const char *s, size_t n)
{
	size_t room = sizeof(m->out->buf) - m->n;

	n = n < room ? n : room;
	memcpy(m->out->buf + m->n, s, n);
	m->n += n;
}

/* The end of a number, or of a name: a comma, or the end. */
static size_t span(const char *s, size_t n, bool number)
{
	size_t i = 0;

	while (i < n && (number ? s[i] >= '0' && s[i] <= '9' : s[i] != ','))
		i++;
	return i;
}

static bool at_key(const char *s, size_t n, const char *key)
{
	return n >= strlen(key) && !memcmp(s, key, strlen(key));
}

/* The number behind "pid=", of len digits. */
static uint64_t pid_at(const char *s, size_t len)
{
	char number[24];

	snprintf(number, sizeof(number), "%.*s", (int)(len < 20 ? len : 20), s);
	return strtoull(number, NULL, 10);
}

static void add_pid(struct redact_texts *t, struct message *m, const char *s, size_t len)
{
	char number[24];

	add(m, "pid=", 4);
	if (!len)
		return;
	snprintf(number, sizeof(number), "%" PRIu64, redact_pid(t->values, pid_at(s, len)));
	add(m, number, strlen(number));
}

static int add_name(struct redact_texts *t, struct message *m, const char *s, size_t len)
{
	static const char unknown[] = "<unknown>";
	struct redact_text name;
	int err = 0;

	if (len == sizeof(unknown) - 1 && !memcmp(s, unknown, len))
		keep(&name, s, len);
	else
		err = redact_text(t, REDACT_NAME, s, len, &name);
	add(m, "name=", 5);
	if (!err)
		add(m, name.p, name.n);
	return err;
}

/* "pid=" and "name=" are mapped; of the rest, what is in ASCII stays but for paths and addresses.
 */
static int xid(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	struct message m = { .out = out };
	int err = 0;

	for (size_t i = 0, len; i < n && !err; i += len) {
		if (at_key(s + i, n - i, "pid=")) {
			len = 4 + span(s + i + 4, n - i - 4, true);
			add_pid(t, &m, s + i + 4, len - 4);
		} else if (at_key(s + i, n - i, "name=")) {
			len = 5 + span(s + i + 5, n - i - 5, false);
			err = add_name(t, &m, s + i + 5, len - 5);
		} else {
			len = 1;
			add(&m, s[i] >= ' ' && s[i] <= '~' && !strchr("/@", s[i]) ? s + i : "?", 1);
		}
	}
	out->p = out->buf;
	out->n = m.n;
	return err;
}

void redact_note_ids(struct redact_values *v, enum redact_kind kind, const char *s, size_t n)
{
	uint32_t pid, context;

	if (kind == REDACT_MARKER)
		redact_marker_note(v, s, n);
	if (kind == REDACT_RING && redact_is_hwctx(s, n, &pid, &context))
		redact_note_pid(v, pid);
	for (size_t i = 0; kind == REDACT_XID && i < n; i++)
		if (at_key(s + i, n - i, "pid="))
			redact_note_pid(v, pid_at(s + i + 4, span(s + i + 4, n - i - 4, true)));
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef bool stays_fn(const char *s, size_t n);

/* What is no more to it than whether it stays, and what it becomes otherwise. */
static const struct {
	stays_fn *stays; /* NULL: never */
	const char *label;
} plain[REDACT_KINDS] = {
	[REDACT_NAME] = { NULL, "name" },
	[REDACT_PATH] = { NULL, "path" },
	[REDACT_SYMBOL] = { NULL, "symbol" },
	[REDACT_IDENT] = { redact_is_ident, "symbol" },
	[REDACT_DEVICE] = { redact_is_device, "device" },
	[REDACT_DRIVER] = { redact_is_driver, "name" },
	[REDACT_HEX] = { redact_is_hex, "text" },
};

int redact_text(struct redact_texts *t, enum redact_kind kind, const char *s, size_t n,
		struct redact_text *out)
{
	out->p = out->buf;
	out->n = 0;
	if (!n)
		return 0;
	switch (kind) {
	case REDACT_COMM:
		if (!comm_stays(t, s, n))
			return redact_label(t, "name", s, n, out);
		keep(out, s, n);
		return 0;
	case REDACT_LIBRARY:
		return library(t, s, n, out);
	case REDACT_WORD:
		return word(t, redact_is_device(s, n), s, n, out);
	case REDACT_RING:
		return ring(t, s, n, out);
	case REDACT_XID:
		return xid(t, s, n, out);
	case REDACT_EVENT:
		return event(t, s, n, out);
	case REDACT_MARKER:
		return redact_marker(t, s, n, out);
	default:
		if (!plain[kind].stays || !plain[kind].stays(s, n))
			return redact_label(t, plain[kind].label, s, n, out);
		keep(out, s, n);
		return 0;
	}
}
