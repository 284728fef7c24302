/* SPDX-License-Identifier: BSD-2-Clause */
/* Signs of a hang, cut and changed at any byte: nothing is read past the end of a message. */
#include "hang/sign.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char event[] = "change@/devices/pci0000:00/0000:03:00.0/drm/card0\0ACTION=change\0"
			    "DEVPATH=/devices/pci0000:00/0000:03:00.0/drm/card0\0SUBSYSTEM=drm\0"
			    "WEDGED=rebind,bus-reset\0SEQNUM=7";
static const char line[] = "3,9,5000000,-;amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1\n"
			   " SUBSYSTEM=pci\n DEVICE=+pci:0000:03:00.0\n";

typedef bool sign_fn(const char *p, size_t n, struct xtr_hang_sign *s);

static const struct {
	sign_fn *of;
	const char *text;
	size_t n;
	const char *kind;
} messages[] = {
	{ xtr_hang_of_uevent, event, sizeof(event), "wedged" },
	{ xtr_hang_of_log, line, sizeof(line) - 1, "timeout" },
};

#define N (sizeof(messages) / sizeof(messages[0]))

/* On the heap, as long as it is: sanitizers see each byte that is read behind it. */
static bool ask(sign_fn *of, const char *p, size_t n, struct xtr_hang_sign *s)
{
	char *copy = malloc(n ? n : 1);
	bool is;

	cr_assert_not_null(copy);
	memcpy(copy, p, n);
	*s = (struct xtr_hang_sign){ 0 };
	is = of(copy, n, s);
	free(copy);
	if (!is)
		return false;
	cr_assert_not_null(s->kind);
	cr_assert_lt(strnlen(s->device, sizeof(s->device)), sizeof(s->device));
	cr_assert_lt(strnlen(s->name, sizeof(s->name)), sizeof(s->name));
	cr_assert_lt(strnlen(s->text, sizeof(s->text)), sizeof(s->text));
	return true;
}

Test(hang_sign, whole_messages)
{
	struct xtr_hang_sign s;

	for (size_t i = 0; i < N; i++) {
		cr_assert(ask(messages[i].of, messages[i].text, messages[i].n, &s));
		cr_assert_str_eq(s.kind, messages[i].kind);
		cr_assert_str_eq(s.device, "0000:03:00.0");
	}
}

Test(hang_sign, cut_anywhere)
{
	struct xtr_hang_sign s;

	for (size_t i = 0; i < N; i++)
		for (size_t n = 0; n < messages[i].n; n++)
			ask(messages[i].of, messages[i].text, n, &s);
}

Test(hang_sign, changed_anywhere)
{
	static const char by[] = { 0, '\n', '=', ';', '/', '@', '0', (char)0xff };
	struct xtr_hang_sign s;
	char copy[512];

	for (size_t i = 0; i < N; i++)
		for (size_t at = 0; at < messages[i].n; at++)
			for (size_t k = 0; k < sizeof(by); k++) {
				memcpy(copy, messages[i].text, messages[i].n);
				copy[at] = by[k];
				ask(messages[i].of, copy, messages[i].n, &s);
			}
}

/* Names that are longer than what is kept of them. */
Test(hang_sign, long_ones)
{
	struct xtr_hang_sign s;
	char text[9000];

	memset(text, 'x', sizeof(text));
	memcpy(text, "3,9,5,-;GPU HANG: ecode ", 24);
	cr_assert(ask(xtr_hang_of_log, text, sizeof(text), &s));
	memcpy(text, "ACTION=add\0SUBSYSTEM=devcoredump\0DEVPATH=/", 42);
	text[sizeof(text) - 1] = 0;
	cr_assert(ask(xtr_hang_of_uevent, text, sizeof(text), &s));
	cr_assert_eq(strlen(s.name), sizeof(s.name) - 1);
}

Test(hang_sign, addresses)
{
	static const struct {
		const char *text, *device;
	} cases[] = {
		{ "amdgpu 0000:03:00.0: x", "0000:03:00.0" },
		{ "PCI:0000:01:00): 79", "0000:01:00.0" },
		{ "10000:e1:00.2 x", "" },
		{ "0000:03:0", "" },
		{ "", "" },
		{ "0001:ff:1f.7", "0001:ff:1f.7" },
		{ "at 12:34:56 0000:0a:00.1", "0000:0a:00.1" },
	};
	char device[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xtr_hang_pci(cases[i].text, strlen(cases[i].text), device);
		cr_assert_str_eq(device, cases[i].device, "%s", cases[i].text);
	}
}
