/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a message that may tell of a hang: the first byte chooses a uevent (even) or a
 * record of the kernel's log, as the kernel sends them. What is made of it can be shown, and names
 * files and devices that lead nowhere else.
 */
#include "fuzz.h"

#include "hang/sign.h"

#include <stdlib.h>
#include <string.h>

/* It becomes a part of a path. */
static void check_name(const char *s, size_t size)
{
	FUZZ_CHECK(memchr(s, 0, size));
	FUZZ_CHECK(strcmp(s, ".") != 0 && strcmp(s, "..") != 0 && !strchr(s, '/'));
	for (; *s; s++)
		FUZZ_CHECK(*s > ' ' && *s <= '~');
}

static void check(const struct xtr_hang_sign *s)
{
	FUZZ_CHECK(s->kind && *s->kind);
	check_name(s->device, sizeof(s->device));
	check_name(s->name, sizeof(s->name));
	FUZZ_CHECK(memchr(s->text, 0, sizeof(s->text)));
	for (const char *p = s->text; *p; p++)
		FUZZ_CHECK(*p >= ' ' && *p <= '~');
	FUZZ_CHECK(s->left == XTR_HANG_NOTHING || s->name[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_hang_sign s;
	char device[64], *msg;

	if (!size)
		return 0;
	msg = malloc(size); /* of its own, so that a byte too many is seen */
	if (!msg)
		return 0;
	memcpy(msg, data + 1, size - 1);
	if (data[0] & 1 ? xtr_hang_of_log(msg, size - 1, &s)
			: xtr_hang_of_uevent(msg, size - 1, &s))
		check(&s);
	xtr_hang_pci(msg, size - 1, device);
	check_name(device, sizeof(device));
	free(msg);
	return 0;
}
