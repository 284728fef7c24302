/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_impl.h"

#include <errno.h>
#include <stdlib.h>

/* The number of a key, given when it is first seen; 0 if it is 0, or there are `most` already. */
static int64_t number_of(struct xtr_keymap *map, uint32_t **list, size_t *n, size_t *cap,
			 uint32_t key, size_t most)
{
	uint32_t at = key ? xtr_keymap_get(map, key, 0) : 0;

	if (at != XTR_KEYMAP_NONE)
		return at;
	if (*n >= most)
		return 0;
	if (xtr_grow_array(list, cap, *n + 1, sizeof(**list)) ||
	    xtr_keymap_put(map, key, 0, (uint32_t)*n))
		return -ENOMEM;
	(*list)[*n] = key;
	return (int64_t)(*n)++;
}

int report_names_init(struct report_names *n)
{
	*n = (struct report_names){ 0 };
	if (xtr_grow_array(&n->pid, &n->cap_pids, 1, sizeof(*n->pid)) ||
	    xtr_grow_array(&n->comm, &n->cap_comms, 1, sizeof(*n->comm)))
		return -ENOMEM;
	n->pid[0] = n->comm[0] = 0;
	n->n_pids = n->n_comms = 1;
	return 0;
}

void report_names_free(struct report_names *n)
{
	xtr_keymap_free(&n->pid_at);
	xtr_keymap_free(&n->comm_at);
	free(n->pid);
	free(n->comm);
	*n = (struct report_names){ 0 };
}

void report_names_forget_comms(struct report_names *n)
{
	xtr_keymap_free(&n->comm_at);
	n->n_comms = 1;
}

int64_t report_names_pid(struct report_names *n, uint32_t pid)
{
	return number_of(&n->pid_at, &n->pid, &n->n_pids, &n->cap_pids, pid, REPORT_PIDS_MAX);
}

int64_t report_names_comm(struct report_names *n, uint32_t comm)
{
	return number_of(&n->comm_at, &n->comm, &n->n_comms, &n->cap_comms, comm, REPORT_COMMS_MAX);
}
