-- SPDX-License-Identifier: BSD-2-Clause
-- Where was nothing on a ring while jobs waited for it, and for how long?
-- idle_ns: from when the ring was empty and a job was in its queue until the next job was handed to it. If dependency_ns is most
-- of it, that job waited for a fence (question 3 says whose); if not, the scheduler's thread was late. Where events were lost
-- (question 7) a gap may be none.
WITH spans AS (
  SELECT file_id, ring_id, run_ns,
         max(done_ns) OVER (PARTITION BY file_id, ring_id ORDER BY run_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS empty_ns,
         min(queue_ns) OVER (PARTITION BY file_id, ring_id ORDER BY run_ns ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS queued_ns
    FROM jobs WHERE run_ns IS NOT NULL AND done_ns IS NOT NULL AND queue_ns IS NOT NULL),
gaps AS (
  SELECT file_id, ring_id, run_ns, CASE WHEN empty_ns > queued_ns THEN empty_ns ELSE queued_ns END AS from_ns
    FROM spans WHERE empty_ns > 0),
longest AS (
  SELECT file_id, ring_id, run_ns, run_ns - from_ns AS idle FROM gaps
   WHERE run_ns > from_ns ORDER BY idle DESC, file_id, ring_id, run_ns LIMIT 20)
SELECT j.host AS host, j.device AS device, j.ring AS ring, g.idle AS idle_ns, coalesce(j.dep_wait_ns, 0) AS dependency_ns,
       j.comm AS next_job_of, j.time AS its_queue_time, j.file_id AS file_id, j.run_ns AS run_ns
  FROM longest AS g JOIN jobs AS j ON j.file_id = g.file_id AND j.ring_id = g.ring_id AND j.run_ns = g.run_ns
 ORDER BY idle_ns DESC, file_id, ring, run_ns;
