/* SPDX-License-Identifier: BSD-2-Clause */
/* Bundles: what is written is read back; names in texts; lines of the kernel's log; a machine of
 * files. */
#include "bundle/bundle.h"
#include "bundle/kmsg.h"
#include "oom.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- archives ----------------------------------------------------------------------------------
 */

static struct xtr_io *view(const char *text)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_mem_view(text, strlen(text), &io), 0));
	return io;
}

/* A bundle of README and, names[i] = texts[i]; NULL-terminated. */
static int pack(struct xtr_io *to, const char *const *names, const char *const *texts)
{
	struct xtr_bundle_writer *w = NULL;
	int err = xtr_bundle_writer_open(&w, to, "bug", 946684800);

	for (size_t i = 0; names[i] && !err; i++) {
		struct xtr_io *io = NULL;

		err = xtr_io_mem_view(texts[i], strlen(texts[i]), &io);
		if (!err)
			err = xtr_bundle_writer_add(w, names[i], io, strlen(texts[i]));
		xtr_io_close(io);
	}
	if (!err)
		err = xtr_bundle_writer_finish(w);
	xtr_bundle_writer_free(w);
	return err;
}

static const char *const names[] = { "README", "trace.xtr", "stats.txt", NULL };
static const char *const texts[] = { "read me", "this is the trace", "0", NULL };

static struct xtr_io *packed(void)
{
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_mem_new(&io), 0));
	cr_assert(eq(int, pack(io, names, texts), 0));
	return io;
}

Test(bundle, the_trace_comes_out_as_it_went_in)
{
	struct xtr_io *io = packed(), *trace = NULL;
	struct xtr_bundle_err err;
	char text[32] = "";
	uint64_t size;

	cr_assert(xtr_bundle_is(io));
	cr_assert(eq(int, xtr_bundle_open_trace(io, &trace, &err), 0), "%s", err.what);
	cr_assert(eq(int, trace->ops->size(trace, &size), 0));
	cr_assert(eq(u64, size, strlen(texts[1])));
	cr_assert(eq(int, trace->ops->read_at(trace, 0, text, size), 0));
	cr_assert(eq(str, text, (char *)texts[1]));
	xtr_io_close(trace);
	xtr_io_close(io);
}

Test(bundle, a_digest_is_that_of_sha256sum)
{
	char text[XTR_BUNDLE_DIGEST];
	struct xtr_io *io = view("abc");

	/* FIPS 180-2, appendix B.1 */
	cr_assert(eq(int, xtr_bundle_digest(io, 3, text), 0));
	cr_assert(
		eq(str, text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	cr_assert(eq(int, xtr_bundle_digest(io, 4, text), -ENODATA));
	xtr_io_close(io);
}

static struct xtr_io *disk_full(size_t room);

struct full {
	struct xtr_io io;
	size_t room;
};

static int full_append(struct xtr_io *io, const void *p, size_t n)
{
	struct full *f = (struct full *)io;

	(void)p;
	if (n > f->room)
		return -ENOSPC;
	f->room -= n;
	return 0;
}

static int full_close(struct xtr_io *io)
{
	free(io);
	return 0;
}

static struct xtr_io *disk_full(size_t room)
{
	static const struct xtr_io_ops ops = { .append = full_append, .close = full_close };
	struct full *f = calloc(1, sizeof(*f));

	cr_assert(f != NULL);
	f->io.ops = &ops;
	f->room = room;
	return &f->io;
}

Test(bundle, a_full_disk_is_told_wherever_it_is_full)
{
	size_t size;
	struct xtr_io *io = packed();

	xtr_io_mem_data(io, &size);
	for (size_t room = 0; room < size; room += 7) {
		struct xtr_io *full = disk_full(room);

		cr_assert(eq(int, pack(full, names, texts), -ENOSPC), "%zu of %zu", room, size);
		xtr_io_close(full);
	}
	xtr_io_close(io);
}

Test(bundle, every_cut_is_refused)
{
	struct xtr_io *io = packed();
	struct xtr_bundle_err err;
	size_t size;
	const uint8_t *p = xtr_io_mem_data(io, &size);

	for (size_t n = 4; n < size; n++) {
		struct xtr_io *part, *trace = NULL;

		cr_assert(eq(int, xtr_io_mem_view(p, n, &part), 0));
		cr_assert(eq(int, xtr_bundle_open_trace(part, &trace, &err), -EBADMSG), "%zu", n);
		cr_assert(err.not_ours && err.what[0]);
		xtr_io_close(part);
	}
	xtr_io_close(io);
}

static int open_it(void *io)
{
	struct xtr_io *trace = NULL;
	struct xtr_bundle_err why;
	int err = xtr_bundle_open_trace(io, &trace, &why);

	if (!err)
		xtr_io_close(trace);
	return err;
}

static int pack_it(void *arg)
{
	struct xtr_io *io;
	int err = xtr_io_mem_new(&io);

	(void)arg;
	if (!err)
		err = pack(io, names, texts);
	else
		return err;
	xtr_io_close(io);
	return err;
}

Test(bundle, without_memory)
{
	struct xtr_io *io = packed();

	cr_assert(oom_each(open_it, io, 0) > 1);
	cr_assert(oom_each(pack_it, NULL, 0) > 1);
	xtr_io_close(io);
}

/* --- names -------------------------------------------------------------------------------------
 */

static void scrubbed(const struct xtr_scrub *s, const char *text, const char *want)
{
	struct xtr_buf b = { 0 };

	xtr_scrub_text(s, (const uint8_t *)text, strlen(text), &b);
	xtr_buf_add(&b, "", 1);
	cr_assert(eq(int, b.err, 0));
	cr_assert(eq(str, (char *)b.p, (char *)want));
	xtr_buf_free(&b);
}

Test(bundle, names_are_replaced_as_words)
{
	struct xtr_scrub *s = xtr_scrub_new();

	cr_assert(s != NULL);
	cr_assert(eq(int, xtr_scrub_add(s, "node", 4, "host", 1), 0));
	cr_assert(eq(int, xtr_scrub_add(s, "node.lan", 8, "host", 2), 0));
	cr_assert(eq(int, xtr_scrub_add(s, "node", 4, "name", 9), 0));
	cr_assert(eq(int, xtr_scrub_add(s, "a b", 3, "name", 2), 0));
	cr_assert(eq(int, xtr_scrub_add(s, "ab", 2, "name", 3), 0)); /* too short */
	scrubbed(s, "", "");
	scrubbed(s, "node", "host#1");
	scrubbed(s, "on node.lan: node,node2 inode node_1", "on host#2: host#1,node2 inode node_1");
	scrubbed(s, "/home/node/ [a b] xa b ab", "/home/host#1/ [name#2] xa b ab");
	scrubbed(s, "/home/ann/x:/home/bob /home/", "/home/user/x:/home/user /home/");
	scrubbed(s, "eth0 52:54:00:AB:cd:ef up", "eth0 mac up");
	scrubbed(s, "52:54:00:ab:cd:e 52:54:00:ab:cd:eff", "52:54:00:ab:cd:e 52:54:00:ab:cd:eff");
	scrubbed(s, "UUID=0badcafe-1234-5678-9abc-def012345678.", "UUID=uuid.");
	scrubbed(s, "0000:03:00.0: ok", "0000:03:00.0: ok");
	xtr_scrub_free(s);
}

/* --- the log -----------------------------------------------------------------------------------
 */

static char *log_of(struct xtr_kmsg *k, const char *const *lines)
{
	struct xtr_buf b = { 0 };
	FILE *f = xtr_memory_stream(&b);

	cr_assert(f != NULL);
	for (; *lines; lines++)
		xtr_kmsg_record(k, *lines, strlen(*lines), f);
	return xtr_memory_text(f, &b);
}

static const char *const records[] = {
	"6,1,1000000,-;early",
	"6,2,2000000,-;xe 0000:03:00.0: early",
	"6,3,2500000,-;xerox is no driver",
	"4,4,100000000,-;at the time",
	" SUBSYSTEM=pci",
	"30,5,200000000,c;late",
	"3,6,5,-;NVRM: Xid (PCI:0000:01:00): 79",
	"no record",
	"6,x,y,-;neither",
	"",
	NULL,
};

Test(bundle, lines_of_the_time_and_of_the_drivers)
{
	char drivers[1][64] = { "xe" };
	struct xtr_kmsg k = {
		.from = 90000000, .to = 110000000, .drivers = drivers, .n_drivers = 1
	};
	char *text = log_of(&k, records);

	cr_assert(eq(str, text,
		     "<6>[    2.000000] xe 0000:03:00.0: early\n<4>[  100.000000] at the time\n"));
	cr_assert(eq(u64, k.seen, 6));
	cr_assert(eq(u64, k.taken, 2));
	free(text);
}

Test(bundle, xids_of_any_time)
{
	struct xtr_kmsg k = { .xids = true };
	char *text = log_of(&k, records);

	cr_assert(eq(str, text, "<3>[    0.000005] NVRM: Xid (PCI:0000:01:00): 79\n"));
	free(text);
}

Test(bundle, the_span_has_room_for_clocks_that_drift)
{
	struct xtr_kmsg k = { 0 };

	xtr_kmsg_span(&k, 100000000000, 100000000000);
	cr_assert(eq(u64, k.from, 69990000));
	cr_assert(eq(u64, k.to, 130010000));
	xtr_kmsg_span(&k, 1000000, 2000000);
	cr_assert(eq(u64, k.from, 0));
	xtr_kmsg_span(&k, 0, UINT64_MAX);
	cr_assert(gt(u64, k.to, UINT64_MAX / 1001));
}

/* --- a machine of files ------------------------------------------------------------------------
 */

static bool all_wanted(void *ctx, const struct xtr_bundle_source *s)
{
	(void)s;
	return !ctx;
}

struct asked {
	const char *root;
	void *refuse;
	struct xtr_bundle b;
};

static int gather(void *arg)
{
	struct asked *a = arg;
	struct xtr_bundle_machine m = { .wanted = all_wanted, .ctx = a->refuse };
	int err;

	a->b = (struct xtr_bundle){ .root = a->root };
	xtr_bundle_add_driver(&m, "xe");
	err = xtr_bundle_gather(&a->b, &m);
	xtr_bundle_free(&a->b);
	return err;
}

static void put(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(full, 0700);
	}
	f = fopen(full, "w");
	cr_assert(f != NULL, "%s", full);
	fputs(text, f);
	fclose(f);
}

Test(bundle, gathering_without_memory)
{
	char root[] = "/tmp/xtr-bundle.XXXXXX", command[64];
	struct asked a = { .root = root };

	cr_assert(mkdtemp(root) != NULL);
	put(root, "sys/module/xe/version", "1\n");
	put(root, "sys/module/xe/parameters/a", "1\n");
	put(root, "sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
	put(root, "sys/class/devcoredump/devcd1/data", "dump");
	put(root, "sys/class/accel/accel0/device/fw_version", "1.2\n");
	put(root, "proc/cmdline", "quiet\n");
	put(root, "dev/kmsg", "6,1,1,-;NVRM: Xid 1\n");
	cr_assert(oom_each(gather, &a, 0) > 10);
	a.refuse = root;
	cr_assert(oom_each(gather, &a, 0) > 1);
	snprintf(command, sizeof(command), "rm -r %s", root);
	cr_assert(eq(int, system(command), 0));
}

Test(bundle, a_driver_is_no_path)
{
	static struct xtr_bundle_machine m;

	for (const char *const *p =
		     (const char *const[]){ "../../etc", "a/b", "", ".", "x*", NULL };
	     *p; p++)
		xtr_bundle_add_driver(&m, *p);
	cr_assert(eq(sz, m.n_drivers, 0));
	xtr_bundle_add_driver(&m, "intel-vpu_2");
	xtr_bundle_add_driver(&m, "intel-vpu_2");
	cr_assert(eq(sz, m.n_drivers, 1));
}
