/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Humane numbers, out and in. All arithmetic is on integers, so that what is printed does not
 * depend on the locale and what is read is exact.
 */
#include "units.h"
#include "cli.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

enum {
	RING = 8,
	TEXT = 48,
	MAX_FRACTION = 18
};

static char *ring_buffer(void)
{
	static _Thread_local char buffers[RING][TEXT];
	static _Thread_local unsigned int next;

	return buffers[next++ % RING];
}

const char *cli_ns(uint64_t ns)
{
	const uint64_t s = ns / 1000000000 + (ns % 1000000000 >= 500000000);
	char *text = ring_buffer();

	if (s < 120)
		return xtr_text_ns(text, ns);
	if (s < 7200)
		snprintf(text, TEXT, "%llu min %02llu s", (unsigned long long)(s / 60),
			 (unsigned long long)(s % 60));
	else
		snprintf(text, TEXT, "%llu h %02llu min", (unsigned long long)(s / 3600),
			 (unsigned long long)(s / 60 % 60));
	return text;
}

const char *cli_bytes(uint64_t bytes)
{
	return xtr_text_bytes(ring_buffer(), bytes);
}

const char *cli_events(uint64_t n)
{
	char *text = ring_buffer();

	snprintf(text, TEXT, "%s event%s", cli_count(n), n == 1 ? "" : "s");
	return text;
}

const char *cli_count(uint64_t n)
{
	char *text = ring_buffer(), *p = text + TEXT;
	int digits = 0;

	*--p = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
		digits++;
	} while (n /= 10);
	return p;
}

int cli_parse_u64(const char *s, uint64_t *v)
{
	uint64_t n = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return -ERANGE;
	}
	*v = n;
	return 0;
}

/* A decimal number as whole + fraction / scale. *s moves behind it. */
struct decimal {
	uint64_t whole, fraction, scale;
};

static int parse_decimal(const char **s, struct decimal *d)
{
	char digits[24];
	const size_t n = strspn(*s, "0123456789");
	int err;

	if (!n || n >= sizeof(digits))
		return n ? -ERANGE : -EINVAL;
	memcpy(digits, *s, n);
	digits[n] = '\0';
	err = cli_parse_u64(digits, &d->whole);
	if (err)
		return err;
	*s += n;
	d->fraction = 0;
	d->scale = 1;
	if (**s != '.')
		return 0;
	for (++*s; **s >= '0' && **s <= '9'; ++*s) {
		if (d->scale == UINT64_C(1000000000000000000)) /* MAX_FRACTION digits */
			return -EINVAL;
		d->fraction = d->fraction * 10 + (uint64_t)(**s - '0');
		d->scale *= 10;
	}
	return d->scale == 1 ? -EINVAL : 0;
}

static int parse_with_unit(const char *s, const struct xtr_text_unit *units, size_t n, uint64_t *v)
{
	unsigned __int128 sum;
	struct decimal d;
	int err;

	err = parse_decimal(&s, &d);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(s, units[i].name))
			continue;
		sum = (unsigned __int128)d.whole * units[i].factor +
		      (unsigned __int128)d.fraction * units[i].factor / d.scale;
		if (sum > UINT64_MAX)
			return -ERANGE;
		*v = (uint64_t)sum;
		return 0;
	}
	return -EINVAL;
}

int cli_parse_size(const char *s, uint64_t *bytes)
{
	static const struct xtr_text_unit units[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "k", UINT64_C(1) << 10 },
		{ "K", UINT64_C(1) << 10 },
		{ "KiB", UINT64_C(1) << 10 },
		{ "M", UINT64_C(1) << 20 },
		{ "MiB", UINT64_C(1) << 20 },
		{ "G", UINT64_C(1) << 30 },
		{ "GiB", UINT64_C(1) << 30 },
		{ "T", UINT64_C(1) << 40 },
		{ "TiB", UINT64_C(1) << 40 },
	};

	return parse_with_unit(s, units, sizeof(units) / sizeof(units[0]), bytes);
}

int cli_parse_time(const char *s, uint64_t *ns)
{
	static const struct xtr_text_unit units[] = {
		{ "", 1000000000 },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", UINT64_C(60000000000) },
		{ "h", UINT64_C(3600000000000) },
		{ "d", UINT64_C(86400000000000) },
	};

	return parse_with_unit(s, units, sizeof(units) / sizeof(units[0]), ns);
}

int cli_parse_factor(const char *s, double *factor)
{
	struct decimal d;
	double v;
	int err;

	err = parse_decimal(&s, &d);
	if (err)
		return err;
	if (*s == 'x')
		s++;
	v = (double)d.whole + (double)d.fraction / (double)d.scale;
	if (*s || v <= 0)
		return -EINVAL;
	*factor = v;
	return 0;
}
