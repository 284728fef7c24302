/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clients of the fake GPU that do as they are told, for scenarios whose causes are known. Each is a
 * process of its own. All of it ends the program where something fails.
 */
#ifndef XTR_LAB_FAKEGPU_CLIENT_H
#define XTR_LAB_FAKEGPU_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#define GPU_MS 1000000ull /* ns */

struct gpu_job {
	uint64_t handle, context, seqno;
};

/* The device with this number, from 0. */
int gpu_open(unsigned int device);
/* A job that executes for ns, after n others. */
struct gpu_job gpu_submit(int gpu, uint32_t ring, uint64_t ns, const uint64_t *deps, uint32_t n);
/* At once if it has ended. */
void gpu_wait(int gpu, const struct gpu_job *j);

struct gpu_client {
	int ask[2], answer[2]; /* pipes */
};

/* A process of this name that calls serve for each number that it is asked with. */
void gpu_client_start(struct gpu_client *c, const char *name,
		      struct gpu_job (*serve)(const char *name, uint64_t number));
void gpu_client_ask(struct gpu_client *c, uint64_t number);
struct gpu_job gpu_client_answer(struct gpu_client *c);

void gpu_sleep(uint64_t ns);
void gpu_die(const char *what) __attribute__((noreturn));

#endif
