/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What calls caused: a tree of calls by path of names, and tables of tasks. A task is a call of a
 * library function, or, in a trace without such calls, a kernel function that no other one called.
 * Shared by the analyses `api` and `tree`; memory is bounded by the limits below.
 *
 * call_path.c names and nodes, call_map.c calls and sums, call_task.c tasks, call_cause.c what is
 * not nested in a call, call_map_view.c output.
 */
#ifndef XTR_CALL_MAP_H
#define XTR_CALL_MAP_H

#include "analysis/core/analysis.h"
#include "call_cause.h"
#include "analysis/core/hist.h"
#include "base/map.h"

#define MAP_NODES_MAX   16384u /* beyond, calls are in the child "(other)" of where they belong */
#define MAP_NAMES_MAX   65536u /* beyond, "(other)" */
#define MAP_TASKS_MAX   8192u  /* (process, function) */
#define MAP_THREADS_MAX 16384u
#define MAP_HIST_MAX    16384u /* powers of two of all histograms: 8 MiB */
#define MAP_DEPTH_MAX   40u    /* calls nest less deep (call.c) */
#define MAP_CODES       8u     /* different results counted for each function */

/* Identifier, JSON key, what it is. Nested: of the calls inside; else see call_cause.h. */
#define MAP_NESTED_LIST(X)                                                          \
	X(KERNEL, "kernel_calls", "calls of kernel functions inside, at any depth") \
	X(SYSCALLS, "syscalls", "system calls inside")                              \
	X(MAP_PAGE, "map_page_calls", "calls of ivpu_mmu_context_map_page inside")  \
	X(MAP_SGT, "map_sgt_calls", "calls of ivpu_mmu_context_map_sgt inside")     \
	X(SGT_PAGES, "map_sgt_pages", "pages of 4 KiB in these, from bo_size")      \
	X(REPLIES, "replies", "messages that ivpu_ipc_receive took inside")
#define MAP_ATTRIBUTED_LIST(X)                                                              \
	X(JOBS, "jobs", "jobs submitted inside")                                            \
	X(EXEC_NS, "exec_ns", "their time on the device, or its upper bound")               \
	X(BOUNDED, "exec_bounded", "jobs of which only a bound is known, or not even that") \
	X(DONE, "job_done_messages", "messages that these jobs are done")                   \
	X(IRQS, "interrupts", "interrupts that brought a message")
#define MAP_COUNT_LIST(X) MAP_NESTED_LIST(X) MAP_ATTRIBUTED_LIST(X)

enum map_count {
#define MAP_COUNT_ENUM(id, key, help) MAP_##id,
	MAP_COUNT_LIST(MAP_COUNT_ENUM)
#undef MAP_COUNT_ENUM
	MAP_COUNTS
};

#define MAP_NO   UINT32_MAX
#define MAP_ROOT 0u /* the node of all threads */

/* What a name counts as, for the call around it. */
enum map_role {
	MAP_ROLE_NONE,
	MAP_ROLE_MAP_PAGE,
	MAP_ROLE_MAP_SGT,
	MAP_ROLE_RECEIVE,
	MAP_ROLE_HW_IRQ
};

struct map_name {
	uint32_t kind; /* enum xtr_call_kind; XTR_CALL_KIND_COUNT: no call, but a group of them */
	char *module;  /* "" where there is none; name lies behind it */
	const char *name;
	enum map_role role;
	uint32_t row; /* of its tasks, MAP_NO: it never is one */
};

struct map_node {
	uint32_t name, parent, first, next; /* children in order after map_finish */
	uint32_t depth;
	uint64_t calls, timed, total, self; /* of them, with begin and end; ns */
	uint64_t count[MAP_COUNTS];         /* after map_finish: with those of the nodes inside */
};

/* A result that is not 0, of a function that returns a status. */
struct map_code {
	int64_t code;
	uint64_t n;
};

/* A task's function, over all processes. */
struct map_row {
	uint32_t name;
	uint64_t calls, self;
	uint64_t total; /* ns, of calls that are not inside a call of the same function */
	uint64_t errors;
	struct map_code code[MAP_CODES]; /* the first ones */
	const struct xtr_field *ret;     /* of its return */
	struct xtr_hist time;
	uint64_t count[MAP_COUNTS];
	uint64_t seen; /* the last mark */
};

/* A task in a process. */
struct map_task {
	uint32_t process, name;
	uint64_t calls, timed, total; /* total as in struct map_row */
};

struct map_process {
	uint64_t process; /* replay/event/process.h */
	uint32_t comm;
	uint32_t threads;
	uint64_t span; /* ns from a thread's first task to the end of its last, all threads; at
			  finish */
};

struct map_thread {
	uint32_t process;
	uint64_t first, last; /* ns */
};

struct call_map {
	const struct xtr_analysis_opts *o;
	bool api;         /* the trace has calls of library functions */
	bool pages_known; /* ivpu_mmu_context_map_page is recorded with its returns */
	bool sgt_known;
	struct map_name *name;
	uint32_t n_names, cap_names;
	struct xtr_map names, by_type; /* hash of text to name; event type to name */
	struct xtr_map begins;         /* types of events that begin calls of tasks' kind */
	struct map_node *node;         /* 0: the root of all */
	uint32_t n_nodes, cap_nodes;
	struct xtr_map nodes;
	struct map_row *row;
	uint32_t n_rows;
	struct map_task *task;
	uint32_t n_tasks;
	struct xtr_map tasks;
	struct map_process *process;
	uint32_t n_processes;
	struct xtr_map processes;
	struct map_thread *thread;
	uint32_t n_threads;
	struct xtr_map threads;
	uint32_t hist_left;      /* powers of two that the rows' histograms may still take */
	uint64_t tasks_left_out; /* calls */
	uint64_t in_other;       /* calls in nodes "(other)" */
	uint64_t mark;           /* of what is being counted, so that no row gets it twice */
	/* Of the present call: its node's parent, rows of the tasks around it, and its own. */
	uint32_t parent;
	uint32_t around[MAP_DEPTH_MAX], n_around, own;
	uint64_t task_span; /* ns: of all processes; at finish */
	struct causes causes;
};

/* 0 or -ENOMEM. */
int map_open(void **self, const struct xtr_analysis_opts *o);
void map_free(void *self);
bool map_takes(const void *self, uint32_t type);
int map_event(void *self, const struct xtr_event *ev, bool inside);
int map_call(void *self, const struct xtr_call *c);
int map_job(void *self, const struct xtr_job *j);
int map_finish(void *self);
bool map_any(const void *self);
int map_text(const void *self, const struct xtr_view *v);
void map_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const map_tables[];

/* Does the trace have calls of library (api) or of kernel functions? */
bool map_has_calls(const struct xtr_meta *meta, bool api);
/* Is this call a task? */
bool map_is_task(const struct call_map *m, const struct xtr_call *c);
/* Pages that were mapped, by what tells best. */
uint64_t map_pages(const struct call_map *m, const uint64_t count[MAP_COUNTS]);
/* One more at the end of an array of n, which grows by powers of two. NULL: no memory. */
void *map_more(void **array, uint32_t n, size_t size);

/* call_path.c: 0 or -ENOMEM. */
int map_path_init(struct call_map *m);
/* Number of the call's name, -ENOMEM. */
int64_t map_name_of(struct call_map *m, const struct xtr_call *c);
/* Its node, made if need be; also sets parent, around and own. -ENOMEM. */
int64_t map_node_of(struct call_map *m, const struct xtr_call *c);
/* Is the node one that takes what there is no room for? */
bool map_is_other(const struct call_map *m, uint32_t node);
/* The root, or a CPU: no call. */
bool map_is_group(const struct call_map *m, uint32_t node);

/* call_task.c: a row for tasks of this name. 0 or -ENOMEM. */
int map_row_new(struct call_map *m, uint32_t name);
/* The present call is a task, and ended. 0 or -ENOMEM. */
int map_task_call(struct call_map *m, const struct xtr_call *c, uint32_t name);
/* Add to a count of the row, if there is one, and once for each mark. */
void map_count_row(struct call_map *m, uint32_t row, enum map_count what, uint64_t n);
void map_tasks_finish(struct call_map *m);
/* The most frequent result that is not 0; NULL: none. */
const struct map_code *map_row_code(const struct map_row *row);

#endif /* XTR_CALL_MAP_H */
