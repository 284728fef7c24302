/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that a shipper runs, one at a time, and what it waits for. */
#ifndef XTR_CLI_SHIP_CHILD_H
#define XTR_CLI_SHIP_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What may come while it waits. */
struct ship_wait {
	int signals; /* signalfd; -1: none */
	int until;   /* end of file: the recorder has ended; -1: none */
	bool stop;   /* a signal came: no other piece is begun */
	bool ended;  /* the recorder has ended */
};

/* From now on signals come through a descriptor. 0 or -errno. */
int ship_wait_open(struct ship_wait *w, int until);
void ship_wait_close(struct ship_wait *w);
/* Wait for so many ms, or until a signal or the end of the recorder comes. */
void ship_wait_for(struct ship_wait *w, int ms);

struct ship_child {
	char *const *argv;
	int lock;                /* stays open in the program, and in what that starts */
	uint64_t timeout;        /* ns it may take; 0: any time */
	uint64_t grace;          /* ns it has left when a signal has come */
	int (*begin)(void *ctx); /* in the program's process, before it becomes the program: 0
				    or -errno; may be NULL */
	void (*tick)(void *ctx); /* meanwhile, about each second; may be NULL */
	void *ctx;
	bool late; /* it was ended: it took too long, or the signal's grace was over */
};

/*
 * Run it in a process group of its own; it ends (SIGKILL) when this process does. Returns its wait
 * status, or -errno: it could not be started.
 */
int ship_child_run(struct ship_child *c, struct ship_wait *w);

#endif /* XTR_CLI_SHIP_CHILD_H */
