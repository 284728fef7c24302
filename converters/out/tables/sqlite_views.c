/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions that are asked often, as views. Busy time is the union of intervals: taken in order of
 * their start, each adds what lies after the latest end so far.
 */
#include "sqlite_schema.h"

#define ORIGIN "f.host, f.boot_id, f.file_id"

/*
 * Jobs with run and done, cut at the begin of the time exported, and when all before had ended.
 * Only the columns needed: they are sorted. By ring an index has them in this order.
 */
#define RESIDED(key, start)                                                               \
	"    SELECT j.file, " key ", max(" start ", f.first_ns) AS from_ns, j.done_ns,\n" \
	"        max(j.done_ns) OVER (PARTITION BY j.file, " key " ORDER BY " start "\n"  \
	"         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns\n"       \
	"    FROM files AS f CROSS JOIN jobs_data AS j ON j.file = f.file\n"              \
	"    WHERE j.run_ns IS NOT NULL AND j.done_ns IS NOT NULL"

#define SUMS                                                            \
	"sum(residence_ns) AS residence_ns, sum(exec_ns) AS exec_ns,\n" \
	"         sum(exec_min_ns) AS exec_min_ns, sum(exec_max_ns) AS exec_max_ns"

#define BUSY                                                                               \
	"sum(CASE WHEN before_ns IS NULL OR before_ns <= from_ns THEN done_ns - from_ns\n" \
	"                  WHEN before_ns < done_ns THEN done_ns - before_ns ELSE 0 END) AS busy_ns"

#define UTILISATION "1.0 * b.busy_ns / (f.last_ns - f.first_ns) AS utilisation"

#define TOTALS                                                                            \
	"a.jobs, a.completed, a.residence_ns, a.exec_ns, a.exec_min_ns, a.exec_max_ns,\n" \
	"       a.queue_wait_ns, a.dep_wait_ns"

#define ALL_JOBS(key)                                                                     \
	"(SELECT file, " key ", count(*) AS jobs, count(residence_ns) AS completed,\n"    \
	"         " SUMS ",\n"                                                            \
	"         sum(queue_wait_ns) AS queue_wait_ns, sum(dep_wait_ns) AS dep_wait_ns\n" \
	"       FROM jobs_data GROUP BY file, " key ") AS a"

/* Nearest rank: the smallest value that at least this share of all does not exceed. */
#define RANK(name, percent) \
	"min(CASE WHEN rank * 100 >= n * " percent " THEN queue_wait_ns END) AS " name

const struct xtr_sql_view xtr_sql_views[] = {
	{ "usage_by_ring",
	  "by ring: jobs, sums of their times, and how long at least one was on the hardware",
	  "SELECT " ORIGIN ", r.device, r.ring, a.ring_id, " TOTALS ",\n"
	  "       b.busy_ns, " UTILISATION ", r.why AS bounded_because\n"
	  "  FROM " ALL_JOBS(
		  "ring_id") "\n"
			     "  JOIN files AS f ON f.file = a.file\n"
			     "  JOIN rings_data AS r ON r.file = a.file AND r.ring_id = a.ring_id\n"
			     "  LEFT JOIN (SELECT file, ring_id, " BUSY "\n    FROM (\n" RESIDED(
				     "j.ring_id",
				     "j.run_ns") ")\n"
						 "    GROUP BY file, ring_id) AS b ON b.file = a.file AND b.ring_id = a.ring_id" },
	{ "usage_by_device", "the same by device",
	  "SELECT " ORIGIN ", a.device, " TOTALS ",\n"
	  "       b.busy_ns, " UTILISATION "\n"
	  "  FROM " ALL_JOBS(
		  "device") "\n"
			    "  JOIN files AS f ON f.file = a.file\n"
			    "  LEFT JOIN (SELECT file, device, " BUSY "\n    FROM (\n" RESIDED(
				    "j.device",
				    "j.run_ns") ")\n"
						"    GROUP BY file, device) AS b ON b.file = a.file AND b.device IS a.device" },
	{ "usage_by_process",
	  "by submitting process; busy from a job's start, or its run where the start is not known",
	  "SELECT " ORIGIN ", p.pid, p.comm, " TOTALS ",\n"
	  "       b.busy_ns, " UTILISATION ", a.process\n"
	  "  FROM " ALL_JOBS(
		  "process") "\n"
			     "  JOIN files AS f ON f.file = a.file\n"
			     "  LEFT JOIN processes_data AS p ON p.file = a.file AND p.process = a.process\n"
			     "  LEFT JOIN (SELECT file, process, " BUSY "\n    FROM (\n" RESIDED(
				     "j.process",
				     "coalesce(j.start_ns, j.run_ns)") ")\n"
								       "    GROUP BY file, process) AS b ON b.file = a.file AND b.process IS a.process" },
	{ "longest_jobs", "jobs whose execution time or its upper bound is known, longest first",
	  "SELECT * FROM jobs WHERE exec_max_ns IS NOT NULL ORDER BY exec_max_ns DESC" },
	{ "waits_by_blocker",
	  "whom the jobs of a ring waited for: waits, their sum and the longest; no ring: a fence "
	  "of no scheduler job",
	  "SELECT " ORIGIN ", r.device, r.ring, d.ring_id,\n"
	  "       b.device AS dep_device, b.ring AS dep_ring, d.dep_ring_id,\n"
	  "       count(*) AS waits, sum(d.wait_ns) AS wait_ns, max(d.wait_ns) AS max_wait_ns\n"
	  "  FROM deps_data AS d JOIN files AS f ON f.file = d.file\n"
	  "  LEFT JOIN rings_data AS r ON r.file = d.file AND r.ring_id = d.ring_id\n"
	  "  LEFT JOIN rings_data AS b ON b.file = d.file AND b.ring_id = d.dep_ring_id\n"
	  "  WHERE d.wait_ns IS NOT NULL GROUP BY d.file, d.ring_id, d.dep_ring_id" },
	{ "queue_wait_by_ring", "by ring: mean and percentiles (nearest rank) of the queue wait",
	  "SELECT " ORIGIN ", r.device, r.ring, q.ring_id, q.n AS jobs,\n"
	  "       q.mean_ns, q.p50_ns, q.p90_ns, q.p99_ns, q.max_ns\n"
	  "  FROM (SELECT file, ring_id, n, sum(queue_wait_ns) / n AS mean_ns,\n"
	  "      " RANK(
		  "p50_ns",
		  "50") ",\n"
			"      " RANK(
				"p90_ns",
				"90") ",\n"
				      "      " RANK(
					      "p99_ns",
					      "99") ", max(queue_wait_ns) AS max_ns\n"
						    "    FROM (SELECT file, ring_id, queue_wait_ns,\n"
						    "        row_number() OVER (PARTITION BY file, ring_id ORDER BY queue_wait_ns) AS rank,\n"
						    "        count(*) OVER (PARTITION BY file, ring_id) AS n\n"
						    "      FROM jobs_data WHERE queue_wait_ns IS NOT NULL)\n"
						    "    GROUP BY file, ring_id, n) AS q\n"
						    "  JOIN files AS f ON f.file = q.file\n"
						    "  LEFT JOIN rings_data AS r ON r.file = q.file AND r.ring_id = q.ring_id" },
	{ "losses_by_cause",
	  "events lost while recording, by cause; filtered: left out on purpose; aged: too old for a flight recorder",
	  "SELECT " ORIGIN ", l.cause, sum(l.count) AS count\n"
	  "  FROM losses_data AS l JOIN files AS f ON f.file = l.file GROUP BY l.file, l.cause" },
	{ NULL, NULL, NULL },
};
