/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of xtr. A build may give its own with -DXTR_VERSION. Everything else
 * that says it (libraries, pkg-config, packages, manual pages) takes it from here. */
#ifndef XTR_VERSION_H
#define XTR_VERSION_H

#ifndef XTR_VERSION
#define XTR_VERSION "0.1.0"
#endif

#endif /* XTR_VERSION_H */
