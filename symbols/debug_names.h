/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions in an ELF file, or in its separate debug file, by elfutils. */
#ifndef XTR_SYMBOLS_DEBUG_NAMES_H
#define XTR_SYMBOLS_DEBUG_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define XTR_DEBUG_NAME_MAX 512u

struct xtr_debug_names;

/* Can this xtr read ELF files? Not if it was built without elfutils. */
bool xtr_debug_names_can_read(void);
/*
 * Open a file that is to have this build id (hexadecimal digits in lower case). 0; -ENOSYS:
 * built without elfutils; -EINVAL: it is no regular file, or no ELF file that could be mapped;
 * -ESTALE: it has another build id, or none; other -errno.
 */
int xtr_debug_names_open(struct xtr_debug_names **names, const char *path,
			 const char *build_id);
void xtr_debug_names_close(struct xtr_debug_names *e);
/*
 * The function at `offset` (bytes from the lowest address at which the file is mapped): its name,
 * cut to XTR_DEBUG_NAME_MAX - 1 bytes, and *from: bytes from its beginning. False: none is there.
 */
bool xtr_debug_names_find(const struct xtr_debug_names *e, uint64_t offset, char name[XTR_DEBUG_NAME_MAX],
		  uint64_t *from);

#endif /* XTR_SYMBOLS_DEBUG_NAMES_H */
