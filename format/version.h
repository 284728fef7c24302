/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of xtr, and its day. A build may give its own with -DXTR_VERSION. Everything else
 * that says them (libraries, pkg-config, packages, manual pages) takes them from here. */
#ifndef XTR_VERSION_H
#define XTR_VERSION_H

#ifndef XTR_VERSION
#define XTR_VERSION "0.1.0"
#endif
#define XTR_DATE "2026-11-22"

#endif /* XTR_VERSION_H */
