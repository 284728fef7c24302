/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people read and write them (cli/ui/units.c). */
#include "cli/ui/cli.h"
#include "cli/ui/units.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

struct text_case {
	uint64_t value;
	const char *text;
};

static void check_texts(const struct text_case *cases, size_t n, const char *(*text)(uint64_t))
{
	for (size_t i = 0; i < n; i++)
		cr_expect(eq(str, (char *)text(cases[i].value), (char *)cases[i].text), "%llu",
			  (unsigned long long)cases[i].value);
}

#define CHECK_TEXTS(cases, text) check_texts(cases, sizeof(cases) / sizeof((cases)[0]), text)

Test(units, ns_has_three_digits_and_a_unit)
{
	static const struct text_case cases[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 1234, "1.23 us" },
		{ 1235, "1.24 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 12340, "12.3 us" },
		{ 99949, "99.9 us" },
		{ 99950, "100 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 999999999, "1.00 s" },
		{ 59900000000, "59.9 s" },
		{ 119000000000, "119 s" },
		{ 119400000000, "119 s" },
		{ 120000000000, "2 min 00 s" },
		{ 125400000000, "2 min 05 s" },
		{ 7199400000000, "119 min 59 s" },
		{ 7200000000000, "2 h 00 min" },
		{ UINT64_MAX, "5124095 h 34 min" },
	};

	CHECK_TEXTS(cases, cli_ns);
}

Test(units, bytes_are_in_powers_of_1024)
{
	static const struct text_case cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.00 KiB" },
		{ 1536, "1.50 KiB" },
		{ 10240, "10.0 KiB" },
		{ 1047552, "1023 KiB" },
		{ 1048575, "1.00 MiB" },
		{ 1572864, "1.50 MiB" },
		{ UINT64_C(5) << 30, "5.00 GiB" },
		{ UINT64_MAX, "16.0 EiB" },
	};

	CHECK_TEXTS(cases, cli_bytes);
}

Test(units, events_are_one_or_many)
{
	cr_expect_str_eq(cli_events(0), "0 events");
	cr_expect_str_eq(cli_events(1), "1 event");
	cr_expect_str_eq(cli_events(1234567), "1,234,567 events");
	cr_expect_str_eq(cli_events(UINT64_MAX), "18,446,744,073,709,551,615 events");
}

Test(units, counts_have_commas)
{
	static const struct text_case cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 123456, "123,456" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};

	CHECK_TEXTS(cases, cli_count);
}

Test(units, texts_stay_for_eight_calls)
{
	const char *first = cli_count(1);

	for (uint64_t i = 2; i <= 8; i++)
		cli_ns(i);
	cr_expect(eq(str, (char *)first, "1"));
}

struct parse_case {
	const char *text;
	int ret;
	uint64_t value;
};

static void check_parses(const struct parse_case *cases, size_t n,
			 int (*parse)(const char *, uint64_t *))
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t untouched = 0xdeadbeef;
		uint64_t v = untouched;

		cr_expect(eq(int, parse(cases[i].text, &v), cases[i].ret), "'%s'", cases[i].text);
		cr_expect(eq(u64, v, cases[i].ret ? untouched : cases[i].value), "'%s'",
			  cases[i].text);
	}
}

#define CHECK_PARSES(cases, parse) check_parses(cases, sizeof(cases) / sizeof((cases)[0]), parse)

Test(units, plain_numbers)
{
	static const struct parse_case cases[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
	};

	CHECK_PARSES(cases, cli_parse_u64);
}

Test(units, sizes)
{
	static const struct parse_case cases[] = {
		{ "100", 0, 100 },
		{ "64k", 0, 65536 },
		{ "64K", 0, 65536 },
		{ "64KiB", 0, 65536 },
		{ "16M", 0, 16777216 },
		{ "1.5M", 0, 1572864 },
		{ "2G", 0, UINT64_C(2) << 30 },
		{ "3TiB", 0, UINT64_C(3) << 40 },
		{ "0.5", 0, 0 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 },
		{ "16777215.9999999999999999T", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "64kB", -EINVAL, 0 },
		{ "64 k", -EINVAL, 0 },
		{ "k", -EINVAL, 0 },
		{ "1.k", -EINVAL, 0 },
		{ ".5k", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "-1k", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	CHECK_PARSES(cases, cli_parse_size);
}

Test(units, times)
{
	static const struct parse_case cases[] = {
		{ "3", 0, 3000000000 },
		{ "10ns", 0, 10 },
		{ "10us", 0, 10000 },
		{ "5ms", 0, 5000000 },
		{ "1.5s", 0, 1500000000 },
		{ "0.000000001", 0, 1 },
		{ "0.1s", 0, 100000000 },
		{ "1.000000000000000001s", 0, 1000000000 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "213503d", 0, UINT64_C(213503) * 86400000000000 },
		{ "213504d", -ERANGE, 0 },
		{ "18446744073.709551615", 0, UINT64_MAX },
		{ "18446744073.709551616", -ERANGE, 0 },
		{ "1.0000000000000000001s", -EINVAL, 0 },
		{ "1min", -EINVAL, 0 },
		{ "ms", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
	};

	CHECK_PARSES(cases, cli_parse_time);
}

Test(units, factors)
{
	static const char *const wrong[] = {
		"", "x", "0", "0.0x", "-1", "1xx", "1y", "inf", "nan"
	};
	double v = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect(eq(int, cli_parse_factor(wrong[i], &v), -EINVAL), "'%s'", wrong[i]);
	cr_expect(eq(dbl, v, 7));
	cr_expect(eq(int, cli_parse_factor("1x", &v), 0));
	cr_expect(eq(dbl, v, 1));
	cr_expect(eq(int, cli_parse_factor("0.25x", &v), 0));
	cr_expect(eq(dbl, v, 0.25));
	cr_expect(eq(int, cli_parse_factor("12", &v), 0));
	cr_expect(eq(dbl, v, 12));
}
