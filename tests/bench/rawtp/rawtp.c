/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command while rawtp.bpf.c records one system call into a ring per CPU, which are emptied
 * every 10 ms and not kept: for the cost in the traced thread alone.
 *
 *     rawtp RING-BYTES OUT SYSCALL-NUMBER COMMAND [ARG]...
 *
 * Writes "recorded lost" to OUT.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/builtin_events.h"
#include "bpf/xtr_ctl.h"
#include "rawtp.skel.h"

#define DRAIN_US 10000
#define JOB_RUN  17 /* type of the record, spec/events.md */

struct session {
	struct rawtp *skel;
	struct ring_buffer *rings;
	int cpus;
	unsigned long recorded;
};

static int count_record(void *ctx, void *data, size_t size)
{
	struct session *s = ctx;
	const struct xtr_rec *rec = data;

	s->recorded += size >= sizeof(*rec) && rec->type == JOB_RUN;
	return 0;
}

static int add_ring(struct session *s, __u32 cpu, __u32 bytes)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "bench", 0, 0, bytes, NULL);

	if (fd < 0 || bpf_map_update_elem(bpf_map__fd(s->skel->maps.xtr_rings), &cpu, &fd, 0))
		return -1;
	if (!s->rings) {
		s->rings = ring_buffer__new(fd, count_record, s, NULL);
		return s->rings ? 0 : -1;
	}
	return ring_buffer__add(s->rings, fd, count_record, s);
}

static int start(struct session *s, __u32 bytes, long number)
{
	struct rawtp *k = s->skel = rawtp__open();

	s->cpus = libbpf_num_possible_cpus();
	if (!k || s->cpus < 1)
		return -1;
	k->rodata->traced_call = number;
	k->rodata->xtr_half_full = bytes / 2;
	k->rodata->xtr_typed[JOB_RUN] = true;
	if (bpf_map__set_max_entries(k->maps.xtr_rings, (__u32)s->cpus) ||
	    bpf_map__set_max_entries(k->maps.xtr_counts, (__u32)s->cpus) ||
	    bpf_map__set_max_entries(k->maps.xtr_cpus, (__u32)s->cpus) || rawtp__load(k))
		return -1;
	for (int cpu = 0; cpu < s->cpus; cpu++)
		if (add_ring(s, (__u32)cpu, bytes))
			return -1;
	return rawtp__attach(k);
}

static unsigned long lost(const struct session *s)
{
	struct xtr_cpu cpu;
	unsigned long n = 0;

	for (__u32 i = 0; i < (__u32)s->cpus; i++)
		if (!bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.xtr_cpus), &i, &cpu))
			n += cpu.lost;
	return n;
}

static int run(struct session *s, char **command)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	while (pid > 0 && !waitpid(pid, &status, WNOHANG)) {
		usleep(DRAIN_US);
		ring_buffer__consume(s->rings);
	}
	ring_buffer__consume(s->rings);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct session s = { 0 };
	int status;
	FILE *out;

	if (argc < 5)
		return 2;
	if (start(&s, (__u32)strtoul(argv[1], NULL, 10), strtol(argv[3], NULL, 10))) {
		perror("rawtp");
		return 1;
	}
	status = run(&s, argv + 4);
	out = fopen(argv[2], "w");
	if (!out || fprintf(out, "%lu %lu\n", s.recorded, lost(&s)) < 0 || fclose(out))
		status = 1;
	ring_buffer__free(s.rings);
	rawtp__destroy(s.skel);
	return status;
}
