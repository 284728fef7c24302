/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flight recorder has kept, as a file: the next piece of the recording. */
#ifndef XTR_RECORDER_FLIGHT_FILE_H
#define XTR_RECORDER_FLIGHT_FILE_H

#include "sink.h"

/* The first piece is gathered: what it says, for who comes after a kill (open_pieces.h). */
void xtr_flight_file_begin(struct xtr_sink *s);
/*
 * Write what is kept, because of the trigger that is pending or because the recording ends, and
 * begin anew with nothing. It is told of (xtr_flight_tell), whatever becomes of it. 0, or -errno:
 * there is no such file, and all is kept as it was.
 */
int xtr_flight_file(struct xtr_sink *s);

#endif /* XTR_RECORDER_FLIGHT_FILE_H */
