-- SPDX-License-Identifier: BSD-2-Clause
-- Of the slowest 0.1 % of jobs of each ring, how many are of which version of the driver?
-- A version that makes no difference has 1,000 slow_ppm: of a million of its jobs a thousand. One with more has more than its share.
-- threshold_ns: the fastest of the slow ones. Times are execution, or its upper bound where the start of a job is not known.
-- The buckets only find where the slowest begin: what is counted is exact, and nothing large is sorted.
WITH buckets AS (
  SELECT file_id, device, ring, floor(log2(exec_max_ns + 1) * 32) AS bucket, count(*) AS n
    FROM jobs WHERE exec_max_ns IS NOT NULL GROUP BY file_id, device, ring, bucket),
versioned AS (
  SELECT d.driver AS driver, coalesce(d.driver_version, '(unknown)') AS version, b.ring AS ring, b.bucket AS bucket,
         d.host AS host, b.n AS n
    FROM buckets AS b JOIN devices AS d ON d.file_id = b.file_id AND d.device = b.device),
versions AS (
  SELECT driver, version, ring, sum(n) AS n, count(DISTINCT host) AS hosts FROM versioned GROUP BY driver, version, ring),
merged AS (SELECT driver, ring, bucket, sum(n) AS n FROM versioned GROUP BY driver, ring, bucket),
from_above AS (
  SELECT driver, ring, bucket, sum(n) OVER (PARTITION BY driver, ring ORDER BY bucket DESC) AS above,
         sum(n) OVER (PARTITION BY driver, ring) AS total FROM merged),
cuts AS (
  SELECT driver, ring, max(total) AS all_jobs, max(bucket) AS from_bucket FROM from_above
   WHERE above * 1000 >= total GROUP BY driver, ring),
rings_cut AS (
  SELECT DISTINCT d.file_id AS file_id, d.device AS device, c.ring AS ring, d.driver AS driver,
         coalesce(d.driver_version, '(unknown)') AS version, c.all_jobs AS all_jobs, c.from_bucket AS from_bucket
    FROM devices AS d JOIN cuts AS c ON c.driver = d.driver),
candidates AS (
  SELECT r.driver AS driver, r.version AS version, r.ring AS ring, j.exec_max_ns AS ns, r.all_jobs AS all_jobs,
         row_number() OVER (PARTITION BY r.driver, r.ring ORDER BY j.exec_max_ns DESC) AS place
    FROM jobs AS j JOIN rings_cut AS r ON r.file_id = j.file_id AND r.device = j.device AND r.ring = j.ring
   WHERE floor(log2(j.exec_max_ns + 1) * 32) >= r.from_bucket),
slow AS (
  SELECT driver, version, ring, count(*) AS n, min(ns) AS least_ns, max(ns) AS most_ns FROM candidates
   WHERE (place - 1) * 1000 < all_jobs GROUP BY driver, version, ring),
thresholds AS (SELECT driver, ring, min(least_ns) AS ns FROM slow GROUP BY driver, ring)
SELECT v.driver AS driver, v.ring AS ring, v.version AS driver_version, v.hosts AS hosts, v.n AS jobs,
       coalesce(s.n, 0) AS slow_jobs, round(1000000.0 * coalesce(s.n, 0) / v.n) AS slow_ppm,
       s.most_ns AS slowest_ns, t.ns AS threshold_ns
  FROM versions AS v JOIN thresholds AS t ON t.driver = v.driver AND t.ring = v.ring
  LEFT JOIN slow AS s ON s.driver = v.driver AND s.version = v.version AND s.ring = v.ring
 ORDER BY driver, ring, slow_ppm DESC, driver_version;
