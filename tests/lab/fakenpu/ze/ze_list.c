/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lists, and the graphs that only a table of functions leads to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ze_internal.h"

static void list_begin(struct ze_list *list)
{
	list->handles[0] = list->commands.handle;
	list->handles[1] = list->heap.handle;
	list->n = 2;
	list->duration_ns = 0;
}

static int list_add(struct ze_list *list, uint32_t handle)
{
	for (uint32_t i = 0; i < list->n; i++) {
		if (list->handles[i] == handle)
			return 0;
	}
	if (list->n == MAX_BUFFERS)
		return -ENOSPC;
	list->handles[list->n++] = handle;
	return 0;
}

static int list_add_memory(struct ze_list *list, const void *ptr)
{
	struct ze_context *c = list->context;
	struct buffer *b;
	int ret = -ENOENT;

	pthread_mutex_lock(&c->lock);
	for (b = c->allocations; b && b->ptr != ptr; b = b->next)
		;
	if (b)
		ret = list_add(list, b->handle);
	pthread_mutex_unlock(&c->lock);
	return ret;
}

ZE_API ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
				       const void *desc, ze_command_list_handle_t *list)
{
	struct ze_list *l = calloc(1, sizeof(*l));

	(void)device, (void)desc;
	ZE_CALL();
	if (!l)
		return ZE_RET(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
	l->context = context;
	if (ze_buffer_create(context->fd, PAGE, 1, &l->commands)) {
		free(l);
		return ZE_RET(ZE_RESULT_ERROR_DEVICE_LOST);
	}
	ze_get_param(context->fd, FAKENPU_PARAM_CONTEXT_ID);
	if (ze_buffer_create(context->fd, PAGE, 0, &l->heap)) {
		ze_buffer_destroy(context->fd, &l->commands);
		free(l);
		return ZE_RET(ZE_RESULT_ERROR_DEVICE_LOST);
	}
	list_begin(l);
	*list = l;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandListDestroy(ze_command_list_handle_t list)
{
	ZE_CALL();
	ze_buffer_destroy(list->context->fd, &list->heap);
	ze_buffer_destroy(list->context->fd, &list->commands);
	free(list);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandListClose(ze_command_list_handle_t list)
{
	struct fakenpu_commands c = { .duration_ns = list->duration_ns };

	ZE_CALL();
	memcpy(list->commands.ptr, &c, sizeof(c));
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandListReset(ze_command_list_handle_t list)
{
	ZE_CALL();
	list_begin(list);
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list,
					      ze_event_handle_t signal, uint32_t n_wait,
					      ze_event_handle_t *wait)
{
	(void)list, (void)signal, (void)n_wait, (void)wait;
	ZE_CALL();
	return ZE_RET(ZE_RESULT_SUCCESS);
}

ZE_API ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *dst,
						 const void *src, size_t size,
						 ze_event_handle_t signal, uint32_t n_wait,
						 ze_event_handle_t *wait)
{
	(void)signal, (void)n_wait, (void)wait;
	ZE_CALL();
	if (list_add_memory(list, dst) || list_add_memory(list, src))
		return ZE_RET(ZE_RESULT_ERROR_INVALID_ARGUMENT);
	list->duration_ns += size / 8;
	return ZE_RET(ZE_RESULT_SUCCESS);
}

static ze_result_t graph_destroy(ze_graph_handle_t graph)
{
	while (graph->n > 0)
		ze_buffer_destroy(graph->context->fd, &graph->buffers[--graph->n]);
	free(graph);
	return ZE_RESULT_SUCCESS;
}

static ze_result_t graph_create(ze_context_handle_t context, const uint32_t *pages, uint32_t n,
				ze_graph_handle_t *graph)
{
	struct ze_graph *g = calloc(1, sizeof(*g));

	if (!g || n > MAX_BUFFERS) {
		free(g);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	for (g->context = context; g->n < n; g->n++) {
		if (ze_buffer_create(context->fd, (uint64_t)pages[g->n] * PAGE, 0,
				     &g->buffers[g->n])) {
			graph_destroy(g);
			return ZE_RESULT_ERROR_DEVICE_LOST;
		}
	}
	*graph = g;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t graph_set_argument(ze_command_list_handle_t list, const void *argument)
{
	return list_add_memory(list, argument) ? ZE_RESULT_ERROR_INVALID_ARGUMENT
					       : ZE_RESULT_SUCCESS;
}

static ze_result_t graph_append(ze_command_list_handle_t list, ze_graph_handle_t graph,
				uint64_t duration_ns)
{
	for (uint32_t i = 0; graph && i < graph->n; i++) {
		if (list_add(list, graph->buffers[i].handle))
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	list->duration_ns += duration_ns;
	return ZE_RESULT_SUCCESS;
}

static const struct ze_graph_table graph_table = {
	.create = graph_create,
	.destroy = graph_destroy,
	.set_argument = graph_set_argument,
	.append_execute = graph_append,
};

ZE_API ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char *name,
						       void **address)
{
	ZE_CALL();
	if (!driver || strcmp(name, ZE_GRAPH_EXTENSION) != 0)
		return ZE_RET(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
	*address = (void *)&graph_table;
	return ZE_RET(ZE_RESULT_SUCCESS);
}
