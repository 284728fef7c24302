-- SPDX-License-Identifier: BSD-2-Clause
-- How many jobs were lost to errors and resets, where, and with what?
-- error: of the job's fence, a negative errno: -62 is ETIME (a timeout), -125 ECANCELED (a reset dropped it). killed: never run.
-- One row for each error of a ring; ppm: of all jobs of that ring.
WITH marked AS (
  SELECT host, file_id, device, ring, coalesce(error, 0) AS code, CASE WHEN flags LIKE '%killed%' THEN 1 ELSE 0 END AS is_killed,
         CASE WHEN flags LIKE '%timeout%' THEN 1 ELSE 0 END AS is_timeout, count(*) AS n, min(time) AS first_at, max(time) AS last_at
    FROM jobs GROUP BY host, file_id, device, ring, code, is_killed, is_timeout),
totals AS (SELECT host, device, ring, sum(n) AS n FROM marked GROUP BY host, device, ring),
failed AS (
  SELECT m.host AS host, m.device AS device, m.ring AS ring, d.driver AS driver, d.driver_version AS version, m.code AS code,
         sum(m.n) AS n, sum(m.n * m.is_killed) AS killed, sum(m.n * m.is_timeout) AS timeouts, min(m.first_at) AS first_at,
         max(m.last_at) AS last_at
    FROM marked AS m LEFT JOIN devices AS d ON d.file_id = m.file_id AND d.device = m.device
   WHERE m.code <> 0 OR m.is_killed = 1 OR m.is_timeout = 1
   GROUP BY m.host, m.device, m.ring, d.driver, d.driver_version, m.code)
SELECT f.host AS host, f.device AS device, f.ring AS ring, f.driver AS driver, f.version AS driver_version, f.code AS error,
       f.n AS failed, f.killed AS killed, f.timeouts AS timeouts, round(1000000.0 * f.n / t.n) AS ppm,
       f.first_at AS first_time, f.last_at AS last_time
  FROM failed AS f JOIN totals AS t ON t.host = f.host AND t.device = f.device AND t.ring = f.ring
 ORDER BY failed DESC, host, device, ring, error;
