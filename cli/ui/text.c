/* SPDX-License-Identifier: BSD-2-Clause */
/* Every character counts one column here; that is right for the names that drivers use. */
#include "text.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
	NAME_MAX_BYTES = 512
};

int cli_width(const char *s)
{
	char buf[NAME_MAX_BYTES];
	int width = 0;

	if (!s)
		return 1;
	xtr_text_name(buf, sizeof(buf), s, strlen(s));
	for (const char *p = buf; *p; p++)
		width += ((unsigned char)*p & 0xc0) != 0x80; /* not a byte that continues one */
	return width;
}

void cli_put(FILE *f, const char *s, int width)
{
	const int n = width ? cli_width(s) : 0;

	if (s)
		xtr_text_put(f, s, strlen(s));
	else
		fputc('-', f);
	if (width > n)
		fprintf(f, "%*s", width - n, "");
}

void cli_put_utc(FILE *f, uint64_t realtime_ns)
{
	const time_t s = (time_t)(realtime_ns / 1000000000u);
	struct tm tm;
	char day[32];

	if (!gmtime_r(&s, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm)) {
		fprintf(f, "%" PRIu64 " ns since 1970", realtime_ns);
		return;
	}
	fprintf(f, "%s.%09u UTC", day, (unsigned int)(realtime_ns % 1000000000u));
}
