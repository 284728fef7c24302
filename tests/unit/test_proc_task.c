/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc/PID/stat tells of threads (fs/proc/array.c, do_task_stat). */
#include "recorder/host/proc_task.h"

#include <criterion/criterion.h>

static void name_is(const char *text, const char *want)
{
	char comm[XTR_COMM_LEN];

	cr_assert(xtr_proc_name(text, comm), "%s", text);
	cr_expect_str_eq(comm, want, "%s: %s", text, comm);
	for (size_t i = strlen(comm); i < sizeof(comm); i++)
		cr_expect_eq(comm[i], 0);
}

Test(proc_task, names_have_any_bytes)
{
	char comm[XTR_COMM_LEN];

	name_is("7 (cat) R 1 7 7 0 -1 4194304 0", "cat");
	name_is("7 (a) b (c)) R 1 7 7 0 -1 4194304 0", "a) b (c)");
	name_is("7 (0123456789abcdefg) R 1 7 7 0 -1 4194304 0", "0123456789abcde");
	cr_expect(!xtr_proc_name("7 cat R", comm));
}

/* Names as Linux 6.18 shows them; bit 0x20 of the flags says that it is a worker. */
Test(proc_task, what_a_worker_does_is_not_its_name)
{
	name_is("10 (kworker/0:0H-events_highpri) I 2 0 0 0 -1 69238880 0", "kworker/0:0H");
	name_is("18 (kworker/u8:1-events_unbound) I 2 0 0 0 -1 69238880 0", "kworker/u8:1");
	name_is("18 (kworker/u8:1+flush-254:0) I 2 0 0 0 -1 69238880 0", "kworker/u8:1");
	name_is("18 (kworker/u8:1) I 2 0 0 0 -1 69238880 0", "kworker/u8:1");
	name_is("18 (kworker/123:45678H-events) I 2 0 0 0 -1 69238880 0", "kworker/123:456");
	name_is("13 (kworker/R-mm_percpu_wq) I 2 0 0 0 -1 69238880 0", "kworker/R-mm_pe");
	name_is("13 (kworker/R-xfs-a) I 2 0 0 0 -1 69238880 0", "kworker/R-xfs-a");
	name_is("99 (kworker/0:1-mine) S 1 9 9 0 -1 4194304 0", "kworker/0:1-min");
}

Test(proc_task, fields_behind_any_name)
{
	uint64_t v;

	cr_expect(xtr_proc_field("7 (a) 9 (b)) R 12 13", 4, &v) && v == 12);
	cr_expect(xtr_proc_field("7 (a) 9 (b)) R 12 13", 5, &v) && v == 13);
	cr_expect(!xtr_proc_field("7 (a) R 12 13", 6, &v), "a file that ends there");
	cr_expect(!xtr_proc_field("7 (a) R 12 ", 5, &v), "one that ends in front of it");
	cr_expect(!xtr_proc_field("7 (a", 3, &v), "one that ends in the name");
	cr_expect(!xtr_proc_field("", 3, &v));
}

static void cgroup_is(const char *line, const char *want)
{
	char path[12] = "untouched";
	bool found = xtr_proc_cgroup_line(line, path, sizeof(path));

	cr_expect_eq(found, want != NULL, "%s", line);
	cr_expect_str_eq(path, want ? want : "untouched", "%s: %s", line, path);
}

Test(proc_task, lines_of_control_groups)
{
	cgroup_is("0::/\n", "/");
	cgroup_is("0::/a/b.slice\n", "/a/b.slice");
	cgroup_is("0::/a (deleted)\n", "/a");
	cgroup_is("0:: (deleted)\n", NULL);
	cgroup_is("0::/é: x\n", "/é: x");
	cgroup_is("0::/..\n", NULL);
	cgroup_is("0::/../a\n", NULL);
	cgroup_is("0::/..a\n", "/..a");
	cgroup_is("0::/0123456789\n", "/0123456789");
	cgroup_is("0::/0123456789a\n", NULL); /* no room */
	cgroup_is("0::/a", NULL);             /* cut */
	cgroup_is("0::", NULL);
	cgroup_is("0::a\n", NULL);
	cgroup_is("3:cpu:/a\n", NULL);
	cgroup_is("", NULL);
}
