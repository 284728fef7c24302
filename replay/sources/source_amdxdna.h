/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of AMD NPUs whose driver is amdxdna, from its own events. They are jobs of the kernel's GPU
 * scheduler, and have its names: where its events are in the trace too, these say when the device
 * got a job and when it answered; else they are all that is known of it (docs/amdxdna.md).
 */
#ifndef XTR_SOURCE_AMDXDNA_H
#define XTR_SOURCE_AMDXDNA_H

#include "replay/model/job_source.h"

extern const struct xtr_job_source xtr_source_amdxdna;

#endif /* XTR_SOURCE_AMDXDNA_H */
