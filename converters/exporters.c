/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that there are. converters/NAME.c defines xtr_exporter_NAME. */
#include "export.h"

const struct xtr_exporter *const xtr_exporters[] = {
	NULL,
};
