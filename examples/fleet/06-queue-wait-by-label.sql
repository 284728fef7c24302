-- SPDX-License-Identifier: BSD-2-Clause
-- How long do jobs wait in the software queue, by label?
-- Each value of each label of `xtr record --label`. Percentiles are of buckets that are 2.2 % wide, and the mean of the jobs in
-- the bucket. A recording with two labels counts for both.
WITH buckets AS (
  SELECT file_id, host, floor(log2(queue_wait_ns + 1) * 32) AS bucket, count(*) AS n, sum(queue_wait_ns) AS ns, max(queue_wait_ns) AS most
    FROM jobs WHERE queue_wait_ns IS NOT NULL GROUP BY file_id, host, bucket),
labelled AS (
  SELECT l.key AS label, l.value AS value, b.bucket AS bucket, sum(b.n) AS n, sum(b.ns) AS ns, max(b.most) AS most
    FROM buckets AS b JOIN labels AS l ON l.file_id = b.file_id GROUP BY l.key, l.value, b.bucket),
ranked AS (
  SELECT label, value, n, ns, most, sum(n) OVER (PARTITION BY label, value ORDER BY bucket) AS up_to,
         sum(n) OVER (PARTITION BY label, value) AS total FROM labelled),
hosts AS (SELECT key AS label, value, count(DISTINCT host) AS n FROM labels GROUP BY key, value)
SELECT r.label AS label, r.value AS value, max(h.n) AS hosts, max(r.total) AS jobs,
       round(min(CASE WHEN 100 * r.up_to >= 50 * r.total THEN r.ns / r.n END)) AS p50_ns,
       round(min(CASE WHEN 100 * r.up_to >= 99 * r.total THEN r.ns / r.n END)) AS p99_ns, max(r.most) AS longest_ns
  FROM ranked AS r JOIN hosts AS h ON h.label = r.label AND h.value = r.value
 GROUP BY r.label, r.value ORDER BY label, p99_ns DESC, value;
