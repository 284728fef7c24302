/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_impl.h"

#include <errno.h>
#include <stdlib.h>

/* The number of a key, given when it is first seen; 0 if it is 0, or there are `most` already. */
static int64_t number_of(struct xtr_map *map, uint64_t **list, size_t *n, size_t *cap, uint64_t key,
			 size_t most)
{
	uint32_t at = key ? xtr_map_index(map, key, 0) : 0;

	if (at != XTR_MAP_NONE)
		return at;
	if (*n >= most)
		return 0;
	if (xtr_grow_array(list, cap, *n + 1, sizeof(**list)) ||
	    xtr_map_put(map, key, 0, (uint32_t)*n))
		return -ENOMEM;
	(*list)[*n] = key;
	return (int64_t)(*n)++;
}

int report_names_init(struct report_names *n)
{
	*n = (struct report_names){ 0 };
	if (xtr_grow_array(&n->process, &n->cap_processes, 1, sizeof(*n->process)) ||
	    xtr_grow_array(&n->comm, &n->cap_comms, 1, sizeof(*n->comm)))
		return -ENOMEM;
	n->process[0] = n->comm[0] = 0;
	n->n_processes = n->n_comms = 1;
	return 0;
}

void report_names_free(struct report_names *n)
{
	xtr_map_free(&n->process_at);
	xtr_map_free(&n->comm_at);
	free(n->process);
	free(n->comm);
	*n = (struct report_names){ 0 };
}

void report_names_forget_comms(struct report_names *n)
{
	xtr_map_free(&n->comm_at);
	n->n_comms = 1;
}

int64_t report_names_process(struct report_names *n, uint64_t process)
{
	return number_of(&n->process_at, &n->process, &n->n_processes, &n->cap_processes, process,
			 REPORT_PIDS_MAX);
}

int64_t report_names_comm(struct report_names *n, uint32_t comm)
{
	return number_of(&n->comm_at, &n->comm, &n->n_comms, &n->cap_comms, comm, REPORT_COMMS_MAX);
}
