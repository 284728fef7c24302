/* SPDX-License-Identifier: BSD-2-Clause */
/* Call stacks: each frame and each stack once, in bounded memory. */
#include "import_priv.h"

#include <string.h>

#define STACKS_MAX ((uint32_t)1 << 18)
#define REFS_MAX   ((size_t)1 << 22)   /* frames of all stacks */
#define FRAMES_MAX ((uint32_t)1 << 19) /* different ones */

/* The kernel's half of the addresses. */
#define KERNEL_FIRST 0xff00000000000000u

static uint64_t offset_of(const struct xtr_import *im, const struct xtr_import_frame *f)
{
	bool address = !f->symbol_len && !f->module_len;

	if (!address || f->offset < KERNEL_FIRST || im->o->keep_pointers)
		return f->offset;
	return xtr_siphash(&im->key, f->offset);
}

int xtr_import_frame(struct xtr_import *im, const struct xtr_import_frame *f, uint32_t *id)
{
	struct xtr_frame frame = { .offset = offset_of(im, f) };
	int err = 0;

	*id = 0;
	if (f->symbol_len)
		err = import_intern(im, f->symbol, f->symbol_len, &frame.symbol);
	if (!err && f->module_len)
		err = import_intern(im, f->module, f->module_len, &frame.module);
	/* Where there are too many, what is left is in which file. */
	if (im->stacks.last_frame >= FRAMES_MAX)
		frame.offset = 0;
	if (!err)
		err = xtr_tables_intern_frame(im->tables, &frame, id);
	if (!err && *id > im->stacks.last_frame)
		im->stacks.last_frame = *id;
	return err;
}

int xtr_import_stack(struct xtr_import *im, const uint32_t *frames, size_t n, uint32_t *id)
{
	struct import_stacks *s = &im->stacks;
	uint64_t hash, other;
	const uint64_t *known;
	int err;

	*id = 0;
	if (!n)
		return 0;
	n = n < XTR_IMPORT_FRAMES ? n : XTR_IMPORT_FRAMES;
	hash = xtr_hash_bytes(frames, n * sizeof(*frames));
	/* A second hash, so that two stacks never share a key by chance. */
	other = xtr_siphash(&im->key, hash ^ n);
	for (size_t i = 0; i < n; i++)
		other = (other ^ frames[i]) * 0x9e3779b97f4a7c15u;
	known = xtr_map_get(&s->ids, hash, other);
	if (known) {
		*id = (uint32_t)*known;
		return 0;
	}
	if (s->last >= STACKS_MAX || n > REFS_MAX - s->n_frames) {
		s->left_out++;
		return 0;
	}
	err = xtr_tables_add_stack(im->tables, s->last + 1, frames, n);
	if (err)
		return err;
	*id = ++s->last;
	s->n_frames += n;
	return xtr_map_put(&s->ids, hash, other, *id);
}

bool import_fence_has_stack(const struct xtr_import *im, enum xtr_event_type type)
{
	return im->stacks.wanted && (type == XTR_EV_FENCE_INIT || type == XTR_EV_FENCE_WAIT_START);
}

int import_note_stacks(struct xtr_import *im)
{
	int err = 0;

	if (im->stacks.last)
		err = xtr_meta_set_config_u64(im->meta, "stacks", 1);
	if (!err && im->stacks.left_out)
		err = xtr_meta_set_config_u64(im->meta, "import-stacks-left-out",
					      im->stacks.left_out);
	return err;
}
