-- SPDX-License-Identifier: BSD-2-Clause
-- Which machines differ from the others that do the same?
-- A cohort: the recordings of one program on one ring of one model with one version of the driver; with fewer than five hosts it
-- says nothing. value_ns: the host's median execution time (mean of its recordings' medians, each within 2.2 %).
-- z: modified z-score, 0.6745 (value - median) / MAD. Shown is what is above 3.5 and differs by more than 3.2 %, as in
-- `xtr diff --outliers`.
WITH buckets AS (
  SELECT file_id, host, device, ring, comm, floor(log2(exec_max_ns + 1) * 32) AS bucket, count(*) AS n, sum(exec_max_ns) AS ns
    FROM jobs WHERE exec_max_ns IS NOT NULL GROUP BY file_id, host, device, ring, comm, bucket),
ranked AS (
  SELECT file_id, host, device, ring, comm, n, ns, sum(n) OVER (PARTITION BY file_id, device, ring, comm ORDER BY bucket) AS up_to,
         sum(n) OVER (PARTITION BY file_id, device, ring, comm) AS total FROM buckets),
medians AS (
  SELECT file_id, host, device, ring, comm, ns / n AS p50_ns FROM ranked WHERE 2 * up_to >= total AND 2 * (up_to - n) < total),
hosts AS (
  SELECT d.driver AS driver, coalesce(d.model, d.pci_id, '(unknown)') AS model, coalesce(d.driver_version, '(unknown)') AS version,
         m.ring AS ring, m.comm AS comm, m.host AS host, avg(m.p50_ns) AS value
    FROM medians AS m JOIN devices AS d ON d.file_id = m.file_id AND d.device = m.device
   GROUP BY d.driver, coalesce(d.model, d.pci_id, '(unknown)'), coalesce(d.driver_version, '(unknown)'), m.ring, m.comm, m.host),
placed AS (
  SELECT driver, model, version, ring, comm, host, value,
         row_number() OVER (PARTITION BY driver, model, version, ring, comm ORDER BY value) AS place,
         count(*) OVER (PARTITION BY driver, model, version, ring, comm) AS members FROM hosts),
centres AS (
  SELECT driver, model, version, ring, comm, max(members) AS size, avg(CASE WHEN 2 * place BETWEEN members AND members + 2 THEN value END) AS median
    FROM placed GROUP BY driver, model, version, ring, comm),
distances AS (
  SELECT h.driver AS driver, h.model AS model, h.version AS version, h.ring AS ring, h.comm AS comm, h.host AS host,
         h.value AS value, c.median AS median, abs(h.value - c.median) AS distance, c.size AS members,
         row_number() OVER (PARTITION BY h.driver, h.model, h.version, h.ring, h.comm ORDER BY abs(h.value - c.median)) AS place
    FROM hosts AS h JOIN centres AS c
      ON c.driver = h.driver AND c.model = h.model AND c.version = h.version AND c.ring = h.ring AND c.comm = h.comm),
spreads AS (
  SELECT driver, model, version, ring, comm, avg(CASE WHEN 2 * place BETWEEN members AND members + 2 THEN distance END) AS mad
    FROM distances GROUP BY driver, model, version, ring, comm)
SELECT d.host AS host, d.driver AS driver, d.model AS model, d.version AS driver_version, d.ring AS ring, d.comm AS comm,
       d.members AS hosts, round(d.value) AS value_ns, round(d.median) AS median_ns, round(s.mad) AS mad_ns,
       round(d.value / d.median, 3) AS ratio, round(0.6745 * (d.value - d.median) / s.mad, 1) AS z
  FROM distances AS d JOIN spreads AS s
    ON s.driver = d.driver AND s.model = d.model AND s.version = d.version AND s.ring = d.ring AND s.comm = d.comm
 WHERE d.members >= 5 AND s.mad > 0 AND 0.6745 * d.distance > 3.5 * s.mad AND d.distance > 0.032 * d.median
 ORDER BY d.distance / s.mad DESC, host, ring, comm;
