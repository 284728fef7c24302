/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of the running kernel, where it describes them. */
#include "recorder/groups/btf_types.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <unistd.h>

static struct xtr_btf_types *types(void)
{
	struct xtr_btf_types *t = xtr_btf_types_new();

	cr_assert(t != NULL);
	return t;
}

Test(btf_types, know_arguments_by_name)
{
	struct xtr_btf_types *t = types();

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		cr_skip("this kernel does not describe its types");
	/* fs/read_write.c: the same since Linux 2.6 */
	cr_expect(eq(int, xtr_btf_argument(t, NULL, "vfs_read", "file"), 0));
	cr_expect(eq(int, xtr_btf_argument(t, NULL, "vfs_read", "count"), 2));
	cr_expect(eq(int, xtr_btf_argument(t, NULL, "vfs_read", "offset"), -ENOENT));
	cr_expect(eq(int, xtr_btf_argument(t, NULL, "no_such_function", "file"), -ENOENT));
	xtr_btf_types_free(t);
}

Test(btf_types, know_where_members_lie)
{
	struct xtr_btf_types *t = types();

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		cr_skip("this kernel does not describe its types");
	cr_expect(eq(int, xtr_btf_member(t, NULL, "list_head", "prev"), (int)sizeof(void *)));
	cr_expect(eq(int, xtr_btf_member(t, NULL, "list_head", "third"), -ENOENT));
	cr_expect(eq(int, xtr_btf_member(t, NULL, "no_such_structure", "prev"), -ENOENT));
	/* A bit field has no offset in bytes. */
	cr_expect(eq(int, xtr_btf_member(t, NULL, "task_struct", "in_execve"), -ENOENT));
	xtr_btf_types_free(t);
}

Test(btf_types, of_a_module_that_is_not_there_are_not_known)
{
	struct xtr_btf_types *t = types();

	for (int i = 0; i < 20; i++)
		cr_expect(eq(int, xtr_btf_argument(t, "no_such_module", "f", "x"), -ENODATA));
	cr_expect(eq(int, xtr_btf_member(t, "../vmlinux", "list_head", "prev"), -ENODATA));
	xtr_btf_types_free(t);
}
