/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of a flight recorder's section: written and read back, and what is none. */
#include "format/meta/piece.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>

static const struct xtr_flight_note note = {
	"exec>50ms", "gpu_scheduler:drm_sched_job_done", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
};

Test(flight_note, is_read_as_it_was_written)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_flight_note n;

	cr_assert_eq(xtr_flight_write(&note, m), 0);
	cr_assert(xtr_flight_read(&n, m));
	cr_assert_str_eq(n.why, "exec>50ms");
	cr_assert_str_eq(n.event, "gpu_scheduler:drm_sched_job_done");
	cr_assert_eq(n.at, 1);
	cr_assert_eq(n.from, 2);
	cr_assert_eq(n.bytes, 3);
	cr_assert_eq(n.ns, 4);
	cr_assert_eq(n.suppressed, 5);
	cr_assert_eq(n.untracked, 6);
	cr_assert_eq(n.ctx, 7);
	cr_assert_eq(n.seqno, 8);
	cr_assert_eq(n.pid, 9);
	cr_assert_eq(n.value, 10);
	xtr_meta_free(m);
}

Test(flight_note, one_that_lacks_something_is_none)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_flight_note n;

	cr_assert_not(xtr_flight_read(&n, m));
	cr_assert_eq(xtr_meta_set_config_str(m, "flight", "signal"), 0);
	cr_assert_not(xtr_flight_read(&n, m));
	cr_assert_eq(xtr_meta_set_config_str(m, "flight-event", ""), 0);
	cr_assert_not(xtr_flight_read(&n, m));
	cr_assert_eq(xtr_flight_write(&note, m), 0);
	cr_assert_eq(xtr_meta_set_config_str(m, "flight-pid", "me"), 0);
	cr_assert_not(xtr_flight_read(&n, m));
	xtr_meta_free(m);
}

Test(flight_note, a_part_of_one_is_none)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_flight_note n;

	cr_assert_eq(xtr_flight_write(&note, m), 0);
	cr_assert_eq(xtr_meta_set_config_str(m, "cut-of", "0123456789abcdef"), 0);
	cr_assert_not(xtr_flight_read(&n, m));
	xtr_meta_free(m);
}

static int write_once(void *arg)
{
	struct xtr_meta *m = xtr_meta_new();
	int err = m ? xtr_flight_write(arg, m) : -ENOMEM;

	xtr_meta_free(m);
	return err;
}

Test(flight_note, without_memory)
{
	struct xtr_flight_note n = note;

	cr_assert_gt(oom_each(write_once, &n, 0), 10);
}
