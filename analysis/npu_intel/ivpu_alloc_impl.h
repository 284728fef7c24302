/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of allocations: ivpu_alloc.c and ivpu_alloc_stage.c gather,
 * ivpu_alloc_stage.c adds up and finds, ivpu_alloc_view.c shows.
 */
#ifndef XTR_ALLOC_IMPL_H
#define XTR_ALLOC_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "ivpu_order.h"
#include "analysis/core/missing.h"
#include "base/map.h"

/* Identifier, name in JSON, for people. Times of different stages are never added up. */
#define ALLOC_STAGES(X)                                                               \
	X(CREATE, "create", "create (ivpu_bo_create_ioctl)")                          \
	X(USERPTR, "create_userptr", "create of user memory (pins its pages)")        \
	X(PAGES, "pages", "page allocation")                                          \
	X(BIND, "bind", "bind at first submit (without page allocation)")             \
	X(BIND_OTHER, "bind_other", "bind elsewhere, or of the driver's own buffers") \
	X(API, "api", "API allocation, whole call")                                   \
	X(API_KERNEL, "api_kernel", "API allocation, the part in the kernel")

enum alloc_stage_id {
#define ALLOC_ENUM(id, name, title) ALLOC_##id,
	ALLOC_STAGES(ALLOC_ENUM)
#undef ALLOC_ENUM
	ALLOC_STAGE_COUNT
};

#define ALLOC_CLASSES     66u /* [0], [1], [2, 3], ... as powers of two; the last: not known */
#define ALLOC_UNKNOWN     65u
#define ALLOC_NPU_PAGE    4096u /* bytes; IVPU_MMU_PAGE_SIZE */
#define ALLOC_CREATED_MAX 65536u
#define ALLOC_NOT_KNOWN   UINT64_MAX /* a size, a time */
#define ALLOC_BUFFERS_MAX 100u       /* of the list */

struct alloc_class {
	uint64_t n, bytes;
	struct xtr_hist time; /* ns, of those whose time is known */
	uint64_t worst_ns, worst_at, worst_size;
};

struct alloc_stage {
	bool recorded; /* META has the function */
	struct xtr_halves half;
	bool timed; /* with its return, in a trace with times */
	uint64_t n, bytes, sized;
	struct xtr_hist time;
	struct alloc_class by_size[ALLOC_CLASSES];
};

/* What an event or a call is of. */
enum alloc_what {
	WHAT_NONE,
	WHAT_CREATE,
	WHAT_USERPTR,
	WHAT_BIND,
	WHAT_PAGES,      /* gets the buffer's pages, or finds them there */
	WHAT_PAGE_ALLOC, /* allocates them */
	WHAT_MAP_SGT,
	WHAT_MAP_PAGE,
	WHAT_SUBMIT,
	WHAT_INTERNAL, /* makes a buffer of the driver's own */
	WHAT_API,
	WHAT_COUNT
};

/* A buffer whose create and first bind were seen. */
struct alloc_buffer {
	uint64_t at, size, vpu_addr, create_ns, bind_ns, bind_at;
	uint64_t process; /* replay/event/process.h */
	uint32_t handle;
};

struct allocs {
	const struct xtr_analysis_opts *o;
	struct ivpu_order *order;
	struct xtr_map by_type; /* of an event to what it is of; with COUNTED or not */
	struct alloc_stage stage[ALLOC_STAGE_COUNT];
	bool has[WHAT_COUNT]; /* META has it */
	struct xtr_halves half[WHAT_COUNT];
	bool has_times[WHAT_COUNT];  /* entry and return, in a trace with times */
	bool kernel;                 /* META has functions or system calls of the kernel */
	bool page_alloc;             /* WHAT_PAGE_ALLOC tells of pages; else WHAT_PAGES */
	uint64_t bound_before;       /* binds that had nothing to do */
	uint64_t maps, map_pages;    /* calls of map_sgt and map_page */
	uint64_t in_submit, submits; /* map_page calls within submits, and these submits */
	uint64_t last_submit, first_map_ns;
	uint64_t runs, most;            /* map_sgt calls with map_page calls; most of these */
	uint64_t sized_runs, run_pages; /* of known size, their pages */
	uint64_t excess, excess_at, excess_calls, excess_pages; /* with more calls than pages */
	struct xtr_map by_tid;
	struct alloc_thread *thread;
	uint32_t n_threads;
	struct xtr_map by_addr; /* process and address to created */
	struct alloc_buffer *created;
	uint32_t n_created;
	struct alloc_buffer buffer[ALLOC_BUFFERS_MAX]; /* the slowest */
	uint32_t n_buffers;
};

/* A value that a call captured, or ALLOC_NOT_KNOWN. */
uint64_t alloc_value(const struct xtr_call *c, const char *field);
/* A create has returned; if it failed or captured no address, nothing happens. 0 or -ENOMEM. */
int alloc_created(struct allocs *a, const struct xtr_call *c, uint64_t size, uint64_t ns);
/* The buffer at this address was bound in ns; *size is set where only its create told it. */
void alloc_bound(struct allocs *a, const struct xtr_call *c, uint64_t addr, uint64_t ns,
		 uint64_t *size);
void alloc_sort_buffers(struct allocs *a);
/* size and ns may be ALLOC_NOT_KNOWN. 0 or -ENOMEM. */
int alloc_stage_add(struct alloc_stage *s, uint64_t size, uint64_t ns, uint64_t at);
void alloc_stage_free(struct alloc_stage *s);
/* 0 or -ENOMEM. */
int alloc_find(const struct allocs *a);
const char *alloc_stage_name(unsigned int stage);
const char *alloc_stage_title(unsigned int stage);
/* Lowest and highest size of a class, bytes. */
void alloc_class_bounds(unsigned int class, uint64_t *lo, uint64_t *hi);

int alloc_text(const void *self, const struct xtr_view *v);
void alloc_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const alloc_tables[];

#endif /* XTR_ALLOC_IMPL_H */
