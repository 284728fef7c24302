-- SPDX-License-Identifier: BSD-2-Clause
-- Did execution get slower with a version of the driver or the kernel?
-- Each version beside the one that was seen first before it, for the same program on the same ring of the same model. The unit is
-- the recording: each gives one median (within 2.2 %). z: of Mann and Whitney's rank test, the normal approximation with no
-- correction for ties, good for ten recordings and more on each side; above 2 or so is no accident, but with many rows expect a
-- few (`xtr diff --by` has exact and corrected values). superiority: the share of pairs in which the new version is slower.
-- A ratio without a z is no regression: kernels that came with another mix of drivers have that.
WITH buckets AS (
  SELECT file_id, host, device, ring, comm, floor(log2(exec_max_ns + 1) * 32) AS bucket, count(*) AS n, sum(exec_max_ns) AS ns
    FROM jobs WHERE exec_max_ns IS NOT NULL GROUP BY file_id, host, device, ring, comm, bucket),
ranked AS (
  SELECT file_id, host, device, ring, comm, n, ns, sum(n) OVER (PARTITION BY file_id, device, ring, comm ORDER BY bucket) AS up_to,
         sum(n) OVER (PARTITION BY file_id, device, ring, comm) AS total FROM buckets),
medians AS (
  SELECT file_id, host, device, ring, comm, ns / n AS p50_ns FROM ranked WHERE 2 * up_to >= total AND 2 * (up_to - n) < total),
recordings AS (
  SELECT m.file_id AS file_id, f.time AS seen, f.kernel AS kernel, d.driver AS driver, coalesce(d.driver_version, '(unknown)') AS version,
         coalesce(d.model, d.pci_id, '(unknown)') AS model, m.ring AS ring, m.comm AS comm, m.p50_ns AS value
    FROM medians AS m JOIN files AS f ON f.file_id = m.file_id JOIN devices AS d ON d.file_id = m.file_id AND d.device = m.device),
valued AS (
  SELECT 'driver' AS what, driver, model, ring, comm, version AS of_version, seen, value FROM recordings
  UNION ALL
  SELECT 'kernel' AS what, driver, model, ring, comm, kernel AS of_version, seen, value FROM recordings WHERE kernel IS NOT NULL),
versions AS (
  SELECT what, driver, model, ring, comm, of_version, min(seen) AS first_at FROM valued GROUP BY what, driver, model, ring, comm, of_version),
pairs AS (
  SELECT what, driver, model, ring, comm, of_version AS new_version,
         lag(of_version) OVER (PARTITION BY what, driver, model, ring, comm ORDER BY first_at, of_version) AS old_version FROM versions),
sides AS (
  SELECT p.what AS what, p.driver AS driver, p.model AS model, p.ring AS ring, p.comm AS comm, p.old_version AS old_version,
         p.new_version AS new_version, CASE WHEN b.of_version = p.new_version THEN 1 ELSE 0 END AS is_new, b.value AS value
    FROM pairs AS p JOIN valued AS b ON b.what = p.what AND b.driver = p.driver AND b.model = p.model AND b.ring = p.ring AND b.comm = p.comm
   WHERE p.old_version IS NOT NULL AND (b.of_version = p.old_version OR b.of_version = p.new_version)),
placed AS (
  SELECT what, driver, model, ring, comm, old_version, new_version, is_new, value,
         rank() OVER (PARTITION BY what, driver, model, ring, comm, new_version ORDER BY value) AS low_rank,
         count(*) OVER (PARTITION BY what, driver, model, ring, comm, new_version, value) AS ties,
         row_number() OVER (PARTITION BY what, driver, model, ring, comm, new_version, is_new ORDER BY value) AS place,
         count(*) OVER (PARTITION BY what, driver, model, ring, comm, new_version, is_new) AS members FROM sides),
tests AS (
  SELECT what, driver, model, ring, comm, old_version, new_version, sum(1.0 - is_new) AS n_old, sum(1.0 * is_new) AS n_new,
         sum(CASE WHEN is_new = 1 THEN low_rank + (ties - 1) / 2.0 ELSE 0 END) AS rank_sum,
         avg(CASE WHEN is_new = 0 AND 2 * place BETWEEN members AND members + 2 THEN value END) AS old_median,
         avg(CASE WHEN is_new = 1 AND 2 * place BETWEEN members AND members + 2 THEN value END) AS new_median
    FROM placed GROUP BY what, driver, model, ring, comm, old_version, new_version)
SELECT what, driver, model, ring, comm, old_version, new_version, n_old AS recordings_old, n_new AS recordings_new,
       round(old_median) AS old_median_ns, round(new_median) AS new_median_ns, round(new_median / old_median, 3) AS ratio,
       round((rank_sum - n_new * (n_new + 1) / 2) / (n_old * n_new), 3) AS superiority,
       round((rank_sum - n_new * (n_new + 1) / 2 - n_old * n_new / 2) / sqrt(n_old * n_new * (n_old + n_new + 1) / 12), 2) AS z
  FROM tests ORDER BY z DESC, ratio DESC, what, driver, ring, comm, new_version;
