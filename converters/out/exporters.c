/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that there are. converters/NAME.c defines xtr_exporter_NAME. */
#include "converters/out/core/export.h"

extern const struct xtr_exporter xtr_exporter_perfetto, xtr_exporter_chrome;
extern const struct xtr_exporter xtr_exporter_sqlite, xtr_exporter_csv, xtr_exporter_jsonl;

const struct xtr_exporter *const xtr_exporters[] = {
	&xtr_exporter_perfetto, &xtr_exporter_chrome, &xtr_exporter_sqlite,
	&xtr_exporter_csv,      &xtr_exporter_jsonl,  NULL,
};
