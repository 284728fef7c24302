/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside markers: forms of texts, each of which says whether a text is of it. */
#ifndef XTR_MARKER_IMPL_H
#define XTR_MARKER_IMPL_H

#include "marker.h"

/* A moment without a name. */
void marker_clear(struct xtr_marker *m);
/* The first bytes of a text of n, as many as there is room for. */
void marker_put(char to[XTR_MARKER_NAME_MAX], const char *s, size_t n);
/* A decimal number at *p, which is moved behind it. False: none, or too large. */
bool marker_number(const char **p, const char *end, int64_t *v);

/* marker_text.c; s is one line. False: not of this form, and m is undefined. */
bool marker_gpuvis(struct xtr_marker *m, const char *s, size_t n);
bool marker_words(struct xtr_marker *m, const char *s, size_t n);

#endif /* XTR_MARKER_IMPL_H */
