/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that is recorded into, or the first of its pieces: created, and the writer opened. */
#ifndef XTR_RECORDER_OUTPUT_H
#define XTR_RECORDER_OUTPUT_H

#include "sink.h"

/* file_id: of the file or the first piece. Sets the io and the writer of s, whose tables, meta,
 * loss, rotate and flight are there. 0, or -errno and *err. */
int xtr_output_open(struct xtr_sink *s, uint64_t file_id, const struct xtr_record_opts *opts,
		    struct xtr_record_err *err);
/* Remove the file that was made: nothing was recorded. */
void xtr_output_undo(struct xtr_sink *s, const struct xtr_record_opts *opts);
/* At the end: the output's name is not there, or of another file. Not of pieces. */
bool xtr_output_gone(const struct xtr_sink *s, const struct xtr_record_opts *opts);
/* How events are written, in this and every later piece; for xtr_writer_open. */
void xtr_output_how(const struct xtr_sink *s, struct xtr_writer_opts *how);
/* What messages call the output. */
const char *xtr_output_name(const struct xtr_sink *s, const struct xtr_record_opts *opts);

/* What END says of an output that failed with -errno. */
const char *xtr_output_reason(int error);

#endif /* XTR_RECORDER_OUTPUT_H */
