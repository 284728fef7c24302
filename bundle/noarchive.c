/* SPDX-License-Identifier: BSD-2-Clause */
/* Where libarchive was not found by the build, or ARCHIVE=0: bundles and compressed files are told
 * from traces, no more. */
#include "open.h"
#include "unwrap.h"
#include "write.h"

#include <errno.h>
#include <stddef.h>

int xtr_bundle_open(struct xtr_io *in, const struct xtr_bundle_see *see, struct xtr_io **trace,
		    struct xtr_bundle_err *err)
{
	(void)in;
	(void)see;
	(void)trace;
	*err = (struct xtr_bundle_err){ 0 };
	return -ENOSYS;
}

int xtr_bundle_can_write(void)
{
	return -ENOSYS;
}

int xtr_bundle_writer_open(struct xtr_bundle_writer **w, struct xtr_io *io, const char *folder,
			   int64_t mtime)
{
	(void)io;
	(void)folder;
	(void)mtime;
	*w = NULL;
	return -ENOSYS;
}

int xtr_bundle_writer_add(struct xtr_bundle_writer *w, const char *name, struct xtr_io *from,
			  uint64_t size)
{
	(void)w;
	(void)name;
	(void)from;
	(void)size;
	return -ENOSYS;
}

int xtr_bundle_writer_finish(struct xtr_bundle_writer *w)
{
	(void)w;
	return -ENOSYS;
}

void xtr_bundle_writer_free(struct xtr_bundle_writer *w)
{
	(void)w;
}

int xtr_bundle_digest(struct xtr_io *from, uint64_t size, char text[XTR_BUNDLE_DIGEST])
{
	(void)from;
	(void)size;
	text[0] = 0;
	return -ENOSYS;
}

int xtr_unwrap(struct xtr_io *in, struct xtr_unwrap *u, struct xtr_io **out)
{
	(void)in;
	(void)out;
	u->cut = false;
	u->what[0] = '\0';
	return -ENOSYS;
}

bool xtr_unwrap_is_tar(struct xtr_io *in)
{
	(void)in;
	return false;
}
