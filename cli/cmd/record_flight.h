/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `xtr record --flight`, and what is said of the files that it writes. */
#ifndef CLI_RECORD_FLIGHT_H
#define CLI_RECORD_FLIGHT_H

#include "cli/ui/cli.h"

#include "recorder/recorder.h"

#include <stdbool.h>
#include <stdint.h>

#define RECORD_FLIGHT_AFTER_NS 1000000000ull /* defaults of --after and --pause */
#define RECORD_FLIGHT_PAUSE_NS 30000000000ull

struct record_flight {
	struct cli_list limits, triggers, try_triggers;
	uint64_t after, pause; /* ns */
	bool once;
	bool on_hang; /* with the triggers that tell of a hang, as far as there are some */
};

/*
 * What the options mean, into ro->flight, if there is --flight; its triggers are the caller's to
 * free. Exit status; messages have been given.
 */
int record_flight_parse(const struct record_flight *o, struct xtr_record_opts *ro);
/* SIGUSR1 waits until the recorder can follow it, if it is a flight recorder. */
void record_flight_hold(const struct xtr_record_opts *ro);
/* Tell of the triggers of --try-trigger that were left out. */
void record_flight_tell_off(const struct xtr_recorder *r, const struct xtr_record_opts *ro);
struct record_hang;

/* Tell of the files that have been written since the last call; who takes hangs of what has fired,
 * too. */
void record_flight_tell(struct xtr_recorder *r, struct record_hang *h, bool quiet);

#endif /* CLI_RECORD_FLIGHT_H */
