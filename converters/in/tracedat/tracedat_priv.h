/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the reader of trace.dat.
 *
 *   tracedat.c         the file's header, version 6's order of things, the run
 *   tracedat_v7.c      version 7: sections and options that lead to them
 *   tracedat_facts.c   formats of events, names of tasks, options: what both versions have
 *   tracedat_in.c      numbers and texts from the file or from a decompressed section
 *   tracedat_page.c    pages of the kernel's ring buffer: one event after the other
 *   tracedat_cpu.c     the data of one CPU: pages, plain or compressed; losses between them
 *   tracedat_merge.c   all CPUs in order of time
 *   tracedat_bprint.c    events that are a text: ftrace:print, :bputs, :bprint
 *   tracedat_bprint.c  the text of a bprint: its format and binary values
 */
#ifndef XTR_TRACEDAT_PRIV_H
#define XTR_TRACEDAT_PRIV_H

#include "converters/in/core/import.h"

#include "format/meta/tpformat.h"

/* Limits, so that no file makes xtr use more memory than it has to. */
#define DAT_CPUS_MAX    4096u                /* per buffer */
#define DAT_BUFFERS_MAX 256u                 /* the top one and instances */
#define DAT_PAGE_MAX    (4u << 20)           /* bytes of a ring buffer page */
#define DAT_CHUNK_MAX   (16u << 20)          /* bytes of a compressed piece, before and after */
#define DAT_DATA_BYTES  ((size_t)96 << 20)   /* of all pages that are held at one time */
#define DAT_META_BYTES  ((uint64_t)24 << 20) /* of one section of descriptions */
#define DAT_EVENTS_MAX  65536u
#define DAT_TEXT_MAX    4096u /* bytes of the text of a print, bputs or bprint */

/* Where numbers and texts are read from: a part of the file, or memory. */
struct dat_in {
	struct xtr_io *io; /* NULL: memory */
	const uint8_t *mem;
	uint64_t at, end; /* bytes from the start of the file, or of mem */
	bool big;         /* endian */
	int *err;         /* -errno of the first read or allocation that failed is put here */
	bool failed;      /* something was read behind the end: all that follows is 0 or empty */
};

uint64_t dat_uint(struct dat_in *in, unsigned int bytes); /* 1, 2, 4, 8 */
/* A text that ends with a 0 byte, at most cap - 1 bytes of it; false: there is no end. */
bool dat_text(struct dat_in *in, char *buf, size_t cap);
/* n bytes, NUL-terminated, to be freed; NULL: the file ends before, n > DAT_META_BYTES, no memory.
 */
char *dat_bytes(struct dat_in *in, uint64_t n);
void dat_skip(struct dat_in *in, uint64_t n);

/* How the kernel lays out the pages of its ring buffer. */
struct dat_layout {
	bool big;
	bool old_events;      /* event headers as before Linux 2.6.31 */
	uint32_t commit_at;   /* offset of the commit field */
	uint32_t commit_size; /* 4 or 8: the kernel's long */
	uint32_t data_at;     /* offset of the first event */
};

/* A page while its events are taken from it. */
struct dat_page {
	const uint8_t *p;
	uint32_t n;      /* bytes, header included */
	uint32_t at;     /* of the next event */
	uint32_t end;    /* where events end */
	uint64_t ts;     /* ns, of the last event */
	bool lost;       /* events are missing before this page */
	uint64_t missed; /* how many; 0: not known */
};

struct dat_event {
	uint64_t ts;
	const uint8_t *rec; /* the kernel's record */
	uint32_t n;
};

/* Begin a page. False: its header cannot be right. */
bool dat_page_begin(struct dat_page *pg, const struct dat_layout *l, const uint8_t *p, uint32_t n);
/* 1: *ev is the next event; 0: the page is at its end; -1: what follows cannot be events. */
int dat_page_next(struct dat_page *pg, const struct dat_layout *l, struct dat_event *ev);

struct dat;

/* The data of one CPU of one buffer. */
struct dat_cpu {
	struct dat *d;
	uint32_t cpu;
	bool packed;      /* compressed pieces */
	bool over;        /* nothing follows */
	uint64_t at, end; /* in the file */
	uint32_t page_size;
	uint32_t pieces;    /* that are left, packed */
	uint8_t *buf, *raw; /* a page, or a decompressed piece; the compressed one */
	size_t cap, cap_raw;
	uint32_t buf_n, buf_at; /* of a piece */
	struct dat_page page;
	struct dat_event ev; /* the next one; valid until dat_cpu_next */
	bool have;
	uint64_t last_ts;   /* of the last event; 0: none */
	uint64_t told_lost; /* as its pages say; 1 for each that does not say how many */
	/* Losses before the first event: how many, and if one of them does not say so. */
	uint64_t ahead;
	bool ahead_unsure;
	uint64_t first_ts, events; /* that were handed on; first_ts as they have it */
};

/* Go to the next event: c->have. 0 or -errno. */
int dat_cpu_next(struct dat_cpu *c);
void dat_cpu_free(struct dat_cpu *c);

struct dat_string {
	uint64_t addr;
	char *text; /* in the section's bytes, NUL-terminated */
	size_t len;
};

/* How an event of ftrace's own has its text. */
enum dat_text_kind {
	DAT_TEXT_NONE,    /* it is no such event */
	DAT_TEXT_STORED,  /* in the record */
	DAT_TEXT_POINTED, /* behind an address */
	DAT_TEXT_BINARY,  /* a format behind an address, values in the record */
};

struct dat_event_type {
	struct xtr_tp_format *f;
	struct xtr_import_type *type;
	enum dat_text_kind kind;
	uint32_t ip_at, text_at, format_at; /* in the kernel's record, if kind; ip_at 0: none */
};

struct dat {
	struct xtr_import *im;
	struct xtr_io *io;
	int err;       /* -errno: a read or an allocation failed, and something was left out */
	uint64_t size; /* bytes of the file */
	uint64_t done; /* of them, read */
	unsigned int version;
	bool big;
	uint32_t long_size, page_size;
	char codec[16];
	struct dat_layout layout;
	uint32_t layout_page; /* bytes of a page, as header_page says; 0: not known */

	struct dat_event_type *events; /* DAT_EVENTS_MAX, by id */
	uint32_t events_end;           /* no id from here on has a format */
	uint32_t type_at, type_size;   /* common_type in a record */

	char *printk;               /* the section */
	struct dat_string *strings; /* by address */
	size_t n_strings;
	uint8_t text[8 + 8 + DAT_TEXT_MAX]; /* dat_text_record's */

	struct dat_cpu *cpus; /* of all buffers */
	size_t n_cpus, cap_cpus;
	size_t held; /* bytes of pages */
	uint32_t n_buffers, v6_cpus;
	bool cut;                   /* data is missing at the end */
	uint64_t first_ts, last_ts; /* of all events */
	uint64_t format_bytes;

	/* What the kernel counted per CPU, in all buffers. */
	struct {
		uint64_t overrun, dropped;
		uint64_t read; /* what the tracer took out, since it began */
	} stats[DAT_CPUS_MAX];

	char clock[32], uname[512];
	int64_t offset; /* ns added to each time stamp */
	uint32_t cpu_count;
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	bool tsc;
};

/* tracedat_facts.c: each takes what stands at in. 0 or -errno. */
int dat_header_info(struct dat *d, struct dat_in *in);
int dat_ftrace_formats(struct dat *d, struct dat_in *in);
int dat_event_formats(struct dat *d, struct dat_in *in);
int dat_printk(struct dat *d, struct dat_in *in);
int dat_cmdlines(struct dat *d, struct dat_in *in);
/* An option that both versions have. Unknown ones are left alone. */
int dat_option(struct dat *d, unsigned int id, struct dat_in *in);
/* What was learnt, to the importer: clock, system, texts. Before the first event. */
int dat_tell_facts(struct dat *d);
/* The type of a record, made if need be. */
int dat_type_of(struct dat *d, const uint8_t *rec, uint32_t n, struct dat_event_type **t);

/* The type of the event with this number, made if need be. */
int dat_type_by_id(struct dat *d, uint32_t id, struct dat_event_type **t);

/* The text at this address of the kernel; NULL: the file does not have it. */
const struct dat_string *dat_string(const struct dat *d, uint64_t addr);
/* The same for xtr_import_resolver; ctx is a struct dat. */
const char *dat_resolve(void *ctx, uint64_t addr, size_t *len);

/* tracedat_bprint.c */
/* Is this new type of system ftrace a text? Then t->f is replaced. 0 or -errno. */
int dat_text_event(struct dat *d, struct dat_event_type *t);
/* A record of such a type as t->f describes it; valid until the next one. */
void dat_text_record(struct dat *d, const struct dat_event_type *t, const uint8_t **rec,
		     uint32_t *n);

/* tracedat_bprint.c */

/* tracedat.c */
/* An empty one; NULL: no memory. What it found goes with dat_free: once the import is over. */
struct dat *dat_new(struct xtr_import *im, struct xtr_io *io);
void dat_free(struct dat *d);
/*
 * perf.data's HEADER_TRACING_DATA, which begins as a trace.dat of version 6 does: what describes
 * events and names tasks. 0 or -errno.
 */
int dat_read_tracing_data(struct dat *d, uint64_t at, uint64_t size);
/* Data of a CPU: where it stands in the file. */
int dat_add_cpu(struct dat *d, uint32_t cpu, uint64_t offset, uint64_t size, uint32_t page_size,
		bool packed);
/* tracedat_v7.c */
int dat_read_v7(struct dat *d, struct dat_in *in);
/* tracedat_merge.c */
int dat_merge(struct dat *d);
/* The trace's time of a time stamp in its pages: ns, with the offset that was given. */
uint64_t dat_time(const struct dat *d, uint64_t ts);

#endif /* XTR_TRACEDAT_PRIV_H */
