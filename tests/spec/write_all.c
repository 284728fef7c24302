/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes with libxtr a file in which everything stands that its writer can write: all built-in
 * events, every optional key, every table, loss and clock. tests/spec/run.py compares it with the
 * specification.
 *
 * usage: write_all FILE
 */
#include "format/write/writer.h"
#include "format/xtr_format.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int fill_meta(struct xtr_meta *m)
{
	static const uint8_t boot_id[16] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	};
	static const char *const nodes[] = { "card0", "renderD128" };
	static const struct xtr_system sys = { "6.1", "#1 SMP", "x86_64", 4,
					       4096,  "kvm",    "host",   "00ff" };
	static const struct xtr_device dev = { .name = "0000:03:00.0",
					       .driver = "amdgpu",
					       .pci_id = "1002:73bf",
					       .driver_version = "3.59",
					       .firmware = "fw 1",
					       .nodes = nodes,
					       .n_nodes = COUNT(nodes),
					       .driver_srcversion = "AB12",
					       .subsystem = "1eae:7901",
					       .revision = "c8",
					       .model = "Radeon",
					       .vbios = "113",
					       .uuid = "41d0" };
	static const struct xtr_provider p = {
		1, "gpu", "raw_tp", "drm_run_job", XTR_PROVIDER_REFUSED, "why not", "gpu_sched"
	};
	static const struct xtr_value_name states[] = { { 0, "off" }, { 1, "on" } };
	static const struct xtr_field fields[] = {
		{ "state", NULL, 16, 4, XTR_REPR_U32, XTR_SENS_PLAIN, XTR_NAMES_ENUM, 2, states },
		{ "text", "bytes", 20, 4, XTR_REPR_STR, XTR_SENS_USER_DATA, XTR_NAMES_NONE, 0,
		  NULL },
	};
	static const struct xtr_event_desc dynamic = { "test:dynamic", 1024, 24, 1, 2, fields };
	int err = xtr_meta_set_writer(m, "write_all", "1");

	err = err ? err : xtr_meta_set_clock(m, "monotonic", boot_id, 1);
	err = err ? err : xtr_meta_set_system(m, &sys);
	err = err ? err : xtr_meta_add_device(m, &dev);
	err = err ? err : xtr_meta_add_provider(m, &p);
	err = err ? err : xtr_meta_set_config_u64(m, "rings", 4);
	err = err ? err : xtr_meta_set_config_str(m, "mode", "test");
	err = err ? err : xtr_meta_add_event(m, &dynamic);
	for (size_t i = 0; i < xtr_builtin_event_count && !err; i++)
		err = xtr_meta_add_event(m, &xtr_builtin_events[i]);
	return err;
}

static int fill_tables(struct xtr_tables *t)
{
	struct xtr_frame frame = { .offset = 16 };
	struct xtr_task task = { .tid = 7, .pid = 6, .since = 5, .flags = XTR_TASK_KTHREAD };
	struct xtr_ring ring = { .id = 1, .since = 1, .sched = 0xabcdef, .limit = 4 };
	uint32_t id;
	int err = xtr_tables_intern(t, "name", 4, &task.comm);

	err = err ? err : xtr_tables_intern(t, "/docker", 7, &task.cgroup);
	err = err ? err : xtr_tables_intern(t, "\xff\xfe", 2, &id);
	err = err ? err : xtr_tables_intern(t, "0000:03:00.0", 12, &ring.device);
	err = err ? err : xtr_tables_intern(t, "gfx", 3, &ring.name);
	err = err ? err : xtr_tables_add_task(t, &task);
	err = err ? err : xtr_tables_add_ring(t, &ring);
	frame.symbol = frame.module = frame.build_id = task.comm;
	err = err ? err : xtr_tables_intern_frame(t, &frame, &id);
	return err ? err : xtr_tables_add_stack(t, 1, &id, 1);
}

static int fill_loss(struct xtr_loss *l)
{
	struct xtr_gap gap = { .stream = 0, .first = 10, .last = 20, .count = 5 };
	int err = xtr_loss_add_gap(l, &gap);

	for (enum xtr_loss_cause c = XTR_LOSS_RING_FULL; c < XTR_LOSS_CAUSE_COUNT && !err; c++)
		err = xtr_loss_set(l, 0, XTR_EV_JOB_RUN, c, (uint64_t)c);
	err = err ? err : xtr_loss_set(l, 0, 0, XTR_LOSS_AGED, 50);
	return err ? err : xtr_loss_set(l, 0, XTR_EV_JOB_RUN, XTR_LOSS_FILTERED, 100);
}

static int write_chunks(struct xtr_writer *w)
{
	static const struct xtr_clock_reading clocks[] = { { "boottime", 2 }, { "realtime", 3 } };
	static const struct xtr_recorder_cost cost = { 1, 2, 3, 4, 5, 6, 7 };
	uint8_t rec[48] = { 9, [8] = XTR_EV_JOB_RUN, [10] = 48, [12] = 7, [32] = 1 };
	struct xtr_batch batch = {
		.stream = 0, .recs = rec, .len = sizeof(rec), .n = 1, .lost_total = 15
	};
	int err = xtr_writer_clock(w, 1, 2, clocks, COUNT(clocks));

	err = err ? err : xtr_writer_events(w, &batch);
	batch.raw = true;
	err = err ? err : xtr_writer_events(w, &batch);
	err = err ? err : xtr_writer_round(w, 10);
	err = err ? err : xtr_writer_attach(w, "note.txt", "hello", 5);
	return err ? err : xtr_writer_finish(w, "done", &cost);
}

static int write_file(const char *path)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_loss *l = xtr_loss_new();
	struct xtr_writer *w = NULL;
	struct xtr_writer_opts opts;
	struct xtr_io *io = NULL;
	int err = m && t && l ? 0 : -1;

	xtr_writer_opts_init(&opts);
	err = err ? err : fill_meta(m);
	err = err ? err : fill_tables(t);
	err = err ? err : fill_loss(l);
	err = err ? err : xtr_io_create(path, XTR_IO_FORCE, &io);
	err = err ? err : xtr_writer_open(&w, io, m, t, l, &opts);
	err = err ? err : write_chunks(w);
	xtr_writer_free(w);
	xtr_io_close(io);
	xtr_loss_free(l);
	xtr_tables_free(t);
	xtr_meta_free(m);
	return err;
}

int main(int argc, char **argv)
{
	int err;

	if (argc != 2) {
		fputs("usage: write_all FILE\n", stderr);
		return 2;
	}
	err = write_file(argv[1]);
	if (err)
		fprintf(stderr, "write_all: '%s': %s\n", argv[1], strerror(-err));
	return err ? 1 : 0;
}
