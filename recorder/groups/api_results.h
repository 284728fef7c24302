/* SPDX-License-Identifier: BSD-2-Clause */
/* Types that the functions of the programming interfaces return, with the names of common values.
 */
#ifndef XTR_RECORDER_API_RESULTS_H
#define XTR_RECORDER_API_RESULTS_H

#include "api_tables.h"

extern const struct xtr_api_ret xtr_api_ze_result, xtr_api_cu_result, xtr_api_hip_error,
	xtr_api_cl_int, xtr_api_vk_result;
extern const struct xtr_api_ret xtr_api_handle; /* a pointer or another number of 64 bits */
extern const struct xtr_api_ret xtr_api_void;

#endif /* XTR_RECORDER_API_RESULTS_H */
