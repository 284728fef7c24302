-- SPDX-License-Identifier: BSD-2-Clause
-- How much of the devices did each pod use, by hour?
-- who: the pod; without one the container, and without that the program. busy_ns: the union of its jobs' times on a device, from
-- start (or run) to done; a job counts in the hour in which it was queued. recorded_ns: how long the devices that it used were
-- recorded in that hour. Two pods that share a device by turns add up to at most 100 %.
WITH spans AS (
  SELECT j.file_id AS file_id, j.device AS device, coalesce(p.pod, p.container, p.comm, '(unknown)') AS who,
         date_trunc('hour', j.time) AS hour, coalesce(j.start_ns, j.run_ns) AS from_ns, j.done_ns AS to_ns
    FROM jobs AS j LEFT JOIN processes AS p ON p.file_id = j.file_id AND p.process = j.process
   WHERE j.run_ns IS NOT NULL AND j.done_ns IS NOT NULL AND j.time IS NOT NULL),
behind AS (
  SELECT file_id, device, who, hour, from_ns, to_ns, max(to_ns) OVER (
           PARTITION BY file_id, device, who ORDER BY from_ns, to_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM spans),
unions AS (
  SELECT file_id, device, who, hour, sum(CASE WHEN before_ns IS NULL OR before_ns <= from_ns THEN to_ns - from_ns
                                              WHEN before_ns < to_ns THEN to_ns - before_ns ELSE 0 END) AS ns, count(*) AS n
    FROM behind GROUP BY file_id, device, who, hour),
busy AS (
  SELECT f.host AS host, u.device AS device, u.who AS who, u.hour AS hour, sum(u.ns) AS ns, sum(u.n) AS n
    FROM unions AS u JOIN files AS f ON f.file_id = u.file_id GROUP BY f.host, u.device, u.who, u.hour),
recorded AS (SELECT host, hour, sum(recorded_ns) AS ns FROM file_hours GROUP BY host, hour)
SELECT b.hour AS hour, b.who AS who, count(DISTINCT b.host) AS hosts, count(*) AS devices, sum(b.n) AS jobs,
       sum(b.ns) AS busy_ns, sum(r.ns) AS recorded_ns, round(100.0 * sum(b.ns) / sum(r.ns), 2) AS utilisation_percent
  FROM busy AS b JOIN recorded AS r ON r.host = b.host AND r.hour = b.hour
 GROUP BY b.hour, b.who ORDER BY hour, busy_ns DESC, who;
