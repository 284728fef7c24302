-- SPDX-License-Identifier: BSD-2-Clause
-- Which ring of each host is the busiest, and how busy?
-- busy_ns: the union of its jobs' times on the hardware (run to done); recorded_ns: how long its host was recorded.
WITH spans AS (
  SELECT file_id, ring_id, run_ns, done_ns, max(done_ns) OVER (
           PARTITION BY file_id, ring_id ORDER BY run_ns, done_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM jobs WHERE run_ns IS NOT NULL AND done_ns IS NOT NULL),
unions AS (
  SELECT file_id, ring_id, count(*) AS n, sum(CASE WHEN before_ns IS NULL OR before_ns <= run_ns THEN done_ns - run_ns
                                                   WHEN before_ns < done_ns THEN done_ns - before_ns ELSE 0 END) AS ns
    FROM spans GROUP BY file_id, ring_id),
busy AS (
  SELECT r.host AS host, r.device AS device, r.ring AS ring, sum(u.n) AS n, sum(u.ns) AS ns
    FROM unions AS u JOIN rings AS r ON r.file_id = u.file_id AND r.ring_id = u.ring_id GROUP BY r.host, r.device, r.ring),
recorded AS (SELECT host, sum(last_ns - first_ns) AS ns FROM files GROUP BY host),
placed AS (
  SELECT b.host AS host, b.device AS device, b.ring AS ring, b.n AS n, b.ns AS busy, r.ns AS recorded,
         row_number() OVER (PARTITION BY b.host ORDER BY b.ns DESC, b.device, b.ring) AS place
    FROM busy AS b JOIN recorded AS r ON r.host = b.host)
SELECT host, device, ring, n AS jobs, busy AS busy_ns, recorded AS recorded_ns, round(100.0 * busy / recorded, 2) AS busy_percent
  FROM placed WHERE place = 1 ORDER BY busy_percent DESC, host;
