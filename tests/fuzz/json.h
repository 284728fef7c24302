/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a text one JSON value (RFC 8259)? Shares no code with the emitter. */
#ifndef XTR_FUZZ_JSON_H
#define XTR_FUZZ_JSON_H

#include <stdbool.h>
#include <string.h>

struct fuzz_json {
	const char *p, *end;
};

static inline bool fuzz_json_take(struct fuzz_json *j, char c)
{
	while (j->p < j->end && (*j->p == ' ' || *j->p == '\n'))
		j->p++;
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

/* Behind the quote. */
static inline bool fuzz_json_string(struct fuzz_json *j)
{
	for (; j->p < j->end; j->p++) {
		if (*j->p == '"') {
			j->p++;
			return true;
		}
		if ((unsigned char)*j->p < 0x20)
			return false;
		if (*j->p == '\\' && (++j->p == j->end || !strchr("\"\\/bfnrtu", *j->p)))
			return false;
	}
	return false;
}

static inline bool fuzz_json_word(struct fuzz_json *j, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0)
		return false;
	j->p += n;
	return true;
}

/* Only integers are written. */
static inline bool fuzz_json_number(struct fuzz_json *j)
{
	const char *digits;

	if (j->p < j->end && *j->p == '-')
		j->p++;
	digits = j->p;
	while (j->p < j->end && *j->p >= '0' && *j->p <= '9')
		j->p++;
	return j->p > digits && (*digits != '0' || j->p == digits + 1);
}

static inline bool fuzz_json_value(struct fuzz_json *j, unsigned int depth)
{
	bool object = fuzz_json_take(j, '{');
	char end = object ? '}' : ']';

	if (!object && !fuzz_json_take(j, '['))
		return fuzz_json_take(j, '"')
			       ? fuzz_json_string(j)
			       : fuzz_json_word(j, "true") || fuzz_json_word(j, "false") ||
					 fuzz_json_word(j, "null") || fuzz_json_number(j);
	if (fuzz_json_take(j, end))
		return depth;
	do {
		if (!depth)
			return false;
		if (object &&
		    !(fuzz_json_take(j, '"') && fuzz_json_string(j) && fuzz_json_take(j, ':')))
			return false;
		if (!fuzz_json_value(j, depth - 1))
			return false;
	} while (fuzz_json_take(j, ','));
	return fuzz_json_take(j, end);
}

static inline bool fuzz_json_is_valid(const char *text, size_t n)
{
	struct fuzz_json j = { text, text + n };

	if (!fuzz_json_value(&j, 32))
		return false;
	while (j.p < j.end && (*j.p == ' ' || *j.p == '\n'))
		j.p++;
	return j.p == j.end;
}

#endif /* XTR_FUZZ_JSON_H */
