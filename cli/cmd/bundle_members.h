/* SPDX-License-Identifier: BSD-2-Clause */
/* A bundle made of a bundle: what it has of its machine goes on into the new one. */
#ifndef XTR_CLI_BUNDLE_MEMBERS_H
#define XTR_CLI_BUNDLE_MEMBERS_H

#include "bundle_make.h"

/*
 * If path is a bundle: add what it has of its machine to b, but what o excludes; texts are
 * scrubbed, dumps stay byte for byte. *is_bundle says whether it is one; then each other source of
 * the machine is absent, with the reason. 0 or -errno.
 */
int bundle_members(struct xtr_bundle *b, const char *path, const struct bundle_opts *o,
		   bool *is_bundle);

#endif /* XTR_CLI_BUNDLE_MEMBERS_H */
