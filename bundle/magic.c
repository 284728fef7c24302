/* SPDX-License-Identifier: BSD-2-Clause */
#include "open.h"

#include <string.h>

bool xtr_bundle_is(struct xtr_io *io)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd }; /* RFC 8878, 3.1.1 */
	uint8_t begin[sizeof(magic)];

	return !io->ops->read_at(io, 0, begin, sizeof(begin)) &&
	       !memcmp(begin, magic, sizeof(magic));
}

int xtr_bundle_open_trace(struct xtr_io *in, struct xtr_io **trace, struct xtr_bundle_err *err)
{
	return xtr_bundle_open(in, NULL, trace, err);
}
