// SPDX-License-Identifier: BSD-2-Clause
#include "flight.h"

#include <stddef.h>

static const struct {
	const char *key;
	size_t at;
} numbers[] = {
	{ "flight-at", offsetof(struct xtr_flight_note, at) },
	{ "flight-from", offsetof(struct xtr_flight_note, from) },
	{ "flight-bytes", offsetof(struct xtr_flight_note, bytes) },
	{ "flight-ns", offsetof(struct xtr_flight_note, ns) },
	{ "flight-suppressed", offsetof(struct xtr_flight_note, suppressed) },
	{ "flight-untracked", offsetof(struct xtr_flight_note, untracked) },
	{ "flight-ctx", offsetof(struct xtr_flight_note, ctx) },
	{ "flight-seqno", offsetof(struct xtr_flight_note, seqno) },
	{ "flight-pid", offsetof(struct xtr_flight_note, pid) },
	{ "flight-value", offsetof(struct xtr_flight_note, value) },
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

bool xtr_flight_read(struct xtr_flight_note *n, const struct xtr_meta *m)
{
	*n = (struct xtr_flight_note){ .why = xtr_meta_config_str(m, "flight"),
				       .event = xtr_meta_config_str(m, "flight-event") };
	if (!n->why || !n->event || xtr_meta_config_str(m, "cut-of"))
		return false;
	for (size_t i = 0; i < N_NUMBERS; i++) {
		uint64_t *v = (uint64_t *)((char *)n + numbers[i].at);

		if (!xtr_meta_config_u64(m, numbers[i].key, v))
			return false;
	}
	return true;
}

int xtr_flight_write(const struct xtr_flight_note *n, struct xtr_meta *m)
{
	int err = xtr_meta_set_config_str(m, "flight", n->why);

	if (!err)
		err = xtr_meta_set_config_str(m, "flight-event", n->event);
	for (size_t i = 0; i < N_NUMBERS && !err; i++) {
		const uint64_t *v = (const uint64_t *)((const char *)n + numbers[i].at);

		err = xtr_meta_set_config_u64(m, numbers[i].key, *v);
	}
	return err;
}
