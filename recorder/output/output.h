/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that is recorded into, or the first of its pieces: created, and the writer opened. */
#ifndef XTR_RECORDER_OUTPUT_H
#define XTR_RECORDER_OUTPUT_H

#include "recorder/attach/loader.h"
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

/* --- describe --------------------------------------------------------------------------------- */

/* What a recording's META says: the machine, the options, the providers and their events. */
/* Of programs that have been attached: their results in bpf get the reasons why some are not. 0 or
 * -errno. */
int xtr_describe(struct xtr_meta *meta, const struct xtr_record_opts *o,
		 const struct xtr_selection *sel, struct xtr_bpf *bpf);

#endif /* XTR_RECORDER_OUTPUT_H */
