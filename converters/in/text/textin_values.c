/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values with labels: "name=value", "name:value", "name: value", with commas or spaces between. The
 * kernel has no rule for it, so this is what its print formats have in common:
 *
 *   - a label is a word before '=', or before ':' if the word stands alone; "completed?=1" is
 *     `completed`;
 *   - behind a comma, or at the beginning, all words before the sign are the label ("job count:3");
 *   - a value ends at the next comma or label, or at the bracket that closes it.
 *
 * Where the event's print formats are known, a value gets the name of its field and the kind that
 * they say. What is left over is no loss: the event gets its whole text as one more value.
 */
#include "textin.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LABEL_WORDS  4u
#define KERNEL_FIRST 0xff00000000000000u /* addresses of the kernel, up to the error codes */
#define ERROR_FIRST  0xfffffffffffff000u

/* --- what kind a value is --------------------------------------------------------------------- */

enum looks {
	LOOKS_TEXT,
	LOOKS_DEC,
	LOOKS_HEX
};

/* What a look at the value could get wrong, of events without a print format. An event that ends in
 * '*' is a prefix. */
static const struct {
	const char *event, *label;
	enum looks looks;
} kinds[] = {
	{ "sys_enter_*", "*", LOOKS_HEX },  { "*", "comm", LOOKS_TEXT },
	{ "*", "prev_comm", LOOKS_TEXT },   { "*", "next_comm", LOOKS_TEXT },
	{ "*", "parent_comm", LOOKS_TEXT }, { "*", "child_comm", LOOKS_TEXT },
	{ "*", "oldcomm", LOOKS_TEXT },     { "*", "newcomm", LOOKS_TEXT },
	{ "*", "name", LOOKS_TEXT },        { "*", "dev", LOOKS_TEXT },
	{ "*", "driver", LOOKS_TEXT },      { "*", "timeline", LOOKS_TEXT },
	{ "*", "ring", LOOKS_TEXT },        { "*", "ring_name", LOOKS_TEXT },
	{ "*", "job ring", LOOKS_TEXT },    { "*", "prev_state", LOOKS_TEXT },
	{ "*", "filename", LOOKS_TEXT },    { "*", "function", LOOKS_TEXT },
	{ "*", "caller", LOOKS_TEXT },
};

static bool fits(const char *pattern, const char *text, size_t len)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return len >= n - 1 && !memcmp(pattern, text, n - 1);
	return len == n && !memcmp(pattern, text, n);
}

/* A %p: 16 digits (8 on 32-bit machines) that no decimal number would be printed with. */
static bool is_pointer(const char *s, size_t n)
{
	bool letter = false;

	if (n != 16 && n != 8)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return false;
		letter |= !isdigit((unsigned char)s[i]);
	}
	return s[0] == '0' || (letter && n == 16);
}

static enum looks looks_of(const char *event, size_t event_len, const char *label, size_t label_len,
			   const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fits(kinds[i].event, event, event_len) &&
		    fits(kinds[i].label, label, label_len))
			return kinds[i].looks;
	if ((n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) || is_pointer(s, n))
		return LOOKS_HEX;
	return LOOKS_DEC;
}

static bool is_null(const char *s, size_t n)
{
	return n == 5 && !memcmp(s, "(nil)", 5);
}

/* Fill in kind and number, or the text if it is no number from one end to the other. */
static void read_value(struct xtr_import_value *v, enum looks looks, const char *s, size_t n)
{
	struct textin_at a = { s, s + n };
	bool minus;

	v->kind = XTR_IMPORT_STR;
	v->str = s;
	v->str_len = n;
	if (looks == LOOKS_HEX || is_null(s, n)) {
		if (is_null(s, n) || (textin_hex(&a, &v->num) && a.p == a.end))
			v->kind = XTR_IMPORT_HEX;
		return;
	}
	if (looks == LOOKS_TEXT)
		return;
	minus = textin_char(&a, '-');
	if (!textin_u64(&a, &v->num) || a.p != a.end || (minus && v->num > (uint64_t)INT64_MAX + 1))
		return;
	v->kind = minus ? XTR_IMPORT_SINT : XTR_IMPORT_UINT;
	if (minus)
		v->num = -v->num;
	else if (v->num >= KERNEL_FIRST && v->num < ERROR_FIRST)
		v->kind = XTR_IMPORT_HEX; /* an address, printed by a tool that knows no others */
}

/* --- one value -------------------------------------------------------------------------------- */

static bool has_name(const struct textin_values *out, const char *name, size_t len)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].name_len == len && !memcmp(out->v[i].name, name, len))
			return true;
	return false;
}

/* "frame" the third time is "frame_3". False: there is no room. */
static bool make_different(struct textin_values *out, struct xtr_import_value *v)
{
	char *at = out->names + out->names_used;
	size_t room = sizeof(out->names) - out->names_used;

	for (unsigned int k = 2; k <= XTR_IMPORT_VALUES; k++) {
		int n = snprintf(at, room, "%.*s_%u", (int)v->name_len, v->name, k);

		if (n < 0 || (size_t)n >= room)
			return false;
		if (!has_name(out, at, (size_t)n)) {
			v->name = at;
			v->name_len = (size_t)n;
			out->names_used += (size_t)n + 1;
			return true;
		}
	}
	return false;
}

void textin_add_value(struct textin_values *out, const struct xtr_import_value *value)
{
	struct xtr_import_value v = *value;

	if (out->n == XTR_IMPORT_VALUES ||
	    (has_name(out, v.name, v.name_len) && !make_different(out, &v))) {
		out->left = true;
		return;
	}
	out->v[out->n++] = v;
}

void textin_add(struct textin_values *out, const char *event, size_t event_len, const char *label,
		size_t label_len, const char *text, size_t len)
{
	struct xtr_import_value v = { .name = label, .name_len = label_len };

	if (out->event->n && textin_by_label(out, label, label_len, text, len))
		return;
	read_value(&v, looks_of(event, event_len, label, label_len, text, len), text, len);
	textin_add_value(out, &v);
}

/* --- labels ----------------------------------------------------------------------------------- */

static bool is_label_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_#-./", c));
}

static bool is_gap(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '[' || c == '(' || c == '{';
}

/* 1 if a question mark stands before the sign at p. */
static size_t asks(const char *start, const char *p)
{
	return *p == '=' && p > start && p[-1] == '?';
}

/* A label of one word before the sign at p, of a text that begins at start: where it begins, or
 * NULL. */
static const char *word_before(const char *start, const char *p)
{
	const char *w = p - asks(start, p), *last = w;

	while (w > start && is_label_char(w[-1]))
		w--;
	if (w == last || !(isalpha((unsigned char)*w) || *w == '_'))
		return NULL;
	return w == start || is_gap(w[-1]) || (*p == '=' && w[-1] == '>') ? w : NULL;
}

static bool is_sign(const char *p, const char *end)
{
	if (*p == '=')
		return p + 1 == end || (p[1] != '=' && p[1] != '>');
	return *p == ':' && p + 1 < end && p[1] != ':' && p[1] != '/';
}

/* The next label from p on: its word and sign. False: there is none. */
static bool next_label(const char *start, const char *p, const char *end, const char **word,
		       const char **sign)
{
	for (; p < end; p++) {
		if (!is_sign(p, end))
			continue;
		*word = word_before(start, p);
		*sign = p;
		if (*word)
			return true;
	}
	return false;
}

/*
 * The words before a label's last word belong to it if nothing else can have them: from is behind a
 * comma, at the beginning, or behind a value that is a number.
 */
static const char *widen(const char *from, const char *word)
{
	const char *p = from;
	unsigned int words = 1;

	while (p < word && (*p == ' ' || *p == '\t'))
		p++;
	for (const char *q = p; q < word; q++) {
		if (*q == ' ' && ++words > LABEL_WORDS)
			return word;
		if (*q != ' ' && !is_label_char(*q))
			return word;
	}
	return p < word && isalpha((unsigned char)*p) ? p : word;
}

static char closes(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '"' ? '"' : '\0';
}

/*
 * Where a value that begins at p ends at the latest, before the label at `next`. opener: what
 * stands before its own label.
 */
static const char *value_end(char opener, const char *p, const char *next)
{
	const char *close = NULL, *q;

	if (opener == '(' || opener == '[' || opener == '{')
		close = memchr(p, closes(opener), (size_t)(next - p));
	if (close)
		return close;
	if (p < next && closes(*p))
		close = memchr(p + 1, closes(*p), (size_t)(next - p - 1));
	if (close)
		return close + 1;
	for (q = p; q < next; q++)
		if ((*q == ',' && (q + 1 == next || q[1] == ' ')) || *q == ';')
			return q;
	return next;
}

/* Without what stands between this value and the next label: blanks, commas, an opening bracket. */
static const char *trim_end(const char *p, const char *end)
{
	while (end > p && is_gap(end[-1]))
		end--;
	return end;
}

/* The first word, if it is a number and more words follow. */
static const char *number_end(const char *p, const char *end)
{
	const char *q = p;

	if (p < end && !isdigit((unsigned char)*p) && *p != '-')
		return end;
	while (q < end && (isalnum((unsigned char)*q) || *q == '-'))
		q++;
	return q < end && *q == ' ' ? q : end;
}

static bool is_unit(const char *p, const char *end)
{
	return end - p == 5 && !memcmp(p, " [ns]", 5);
}

static bool only_gaps(const char *p, const char *end)
{
	for (; p < end; p++)
		if (!is_gap(*p) && !strchr("])}", *p))
			return false;
	return true;
}

/* A closing bracket whose opening one is before the label. */
static const char *drop_bracket(const char *p, const char *end)
{
	char open;

	if (end == p || !strchr("])}", end[-1]))
		return end;
	open = end[-1] == ')' ? '(' : end[-1] == ']' ? '[' : '{';
	return memchr(p, open, (size_t)(end - p)) ? end : end - 1;
}

struct label {
	const char *word, *sign;
	bool first; /* nothing is before it */
};

/* One value: from its label to the next, or to the end. Returns how far it reaches. */
static const char *take_value(struct textin_values *out, const char *event, size_t event_len,
			      const struct label *at, const char *next, bool more)
{
	const char *p = at->sign + 1, *end, *num, *stop;
	char opener = at->first ? '\0' : at->word[-1];
	size_t label_len = (size_t)(at->sign - at->word) - asks(at->word, at->sign);

	while (p < next && *p == ' ')
		p++;
	stop = value_end(opener, p, next);
	end = trim_end(p, stop);
	num = number_end(p, end);
	if (looks_of(event, event_len, at->word, label_len, p, (size_t)(num - p)) == LOOKS_TEXT)
		num = end;
	if (num < end && (is_unit(num, end) || more)) {
		stop = is_unit(num, end) ? stop : num;
		end = num;
	}
	end = drop_bracket(p, end);
	if (end == p && *at->sign == ':')
		out->left = true;
	else
		textin_add(out, event, event_len, at->word, label_len, p, (size_t)(end - p));
	return stop;
}

/* The label, with the words that belong to it; what is between it and `from` is left over. */
static const char *begin_label(struct textin_values *out, const char *from, const char *word)
{
	while (from < word && strchr(", ])}", *from))
		from++;
	if (from < word) {
		word = widen(from, word);
		out->left |= !only_gaps(from, word);
	}
	return word;
}

static bool is_before(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order < 0 : a_len < b_len;
}

/*
 * Are all labels names of fields, and one is no label, or all are in order? Then a tool has printed
 * it: traceconv in order and all numbers in decimal, trace-cmd report -R mostly as the format says.
 */
static bool has_fields(struct textin_values *out, const char *text, const char *end)
{
	const struct textin_event_kind *e = out->event;
	const char *p = text, *word, *sign, *last = NULL;
	size_t len, last_len = 0, n = 0;
	bool ordered = true, other = false;
	struct xtr_print_value v;

	for (; next_label(text, p, end, &word, &sign); p = sign + 1, n++) {
		len = (size_t)(sign - word);
		if (n == XTR_IMPORT_VALUES || *sign != '=' ||
		    !xtr_print_value(e->rows, e->n, word, len, false, &v))
			return false;
		other |= !xtr_print_value(e->rows, e->n, word, len, true, &v);
		ordered &= !last || is_before(last, last_len, word, len);
		last = word;
		last_len = len;
	}
	out->by_name = other || (n > 1 && ordered);
	out->decimal = ordered;
	return out->by_name;
}

/* Has a text swallowed what may be a label? */
static bool has_label_inside(const struct textin_values *out)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].kind == XTR_IMPORT_STR &&
		    memchr(out->v[i].str, '=', out->v[i].str_len))
			return true;
	return false;
}

void textin_labels(struct textin_values *out, const char *event, size_t event_len, const char *text,
		   size_t len)
{
	const char *end = text + len, *from = text, *word, *sign;
	bool more = next_label(text, text, end, &word, &sign);

	while (more && out->n < XTR_IMPORT_VALUES) {
		struct label at = { begin_label(out, from, word), sign, false };

		at.first = at.word == text;

		more = next_label(text, sign + 1, end, &word, &sign);
		from = take_value(out, event, event_len, &at, more ? word : end, more);
	}
	out->left |= more || !only_gaps(from, end);
}

void textin_split(const struct textin_event_kind *event, const char *name, size_t name_len,
		  const char *text, size_t len, struct textin_values *out)
{
	struct xtr_import_value whole = {
		.name = "text", .name_len = 4, .kind = XTR_IMPORT_STR, .str = text
	};
	static const char failed[] = "[FAILED TO PARSE] ";
	size_t taken = 0;

	/* libtraceevent's: fields by their names. */
	if (len > sizeof(failed) && !memcmp(text, failed, sizeof(failed) - 1)) {
		text += sizeof(failed) - 1;
		len -= sizeof(failed) - 1;
	}
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	out->n = 0;
	out->event = event;
	out->system = NULL;
	out->left = out->by_name = out->decimal = false;
	out->names_used = 0;
	if (event->n) {
		taken = textin_print(out, text, len);
		if ((!taken || has_label_inside(out)) && has_fields(out, text, text + len)) {
			out->n = 0;
			taken = 0;
		}
	}
	if (taken < len || !len)
		textin_labels(out, name, name_len, text + taken, len - taken);
	if (!len || (out->n && !out->left))
		return;
	whole.str_len = len;
	if (out->n == XTR_IMPORT_VALUES)
		out->n--;
	textin_add_value(out, &whole);
}
