/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording's META says: the machine, the options, the providers and their events. */
#ifndef XTR_RECORDER_DESCRIBE_H
#define XTR_RECORDER_DESCRIBE_H

#include "recorder/attach/loader.h"

/* Of programs that have been attached: their results in bpf get the reasons why some are not. 0 or
 * -errno. */
int xtr_describe(struct xtr_meta *meta, const struct xtr_record_opts *o,
		 const struct xtr_selection *sel, struct xtr_bpf *bpf);

#endif /* XTR_RECORDER_DESCRIBE_H */
