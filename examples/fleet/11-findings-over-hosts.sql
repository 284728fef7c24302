-- SPDX-License-Identifier: BSD-2-Clause
-- Which findings of `xtr stats` concern the most hosts?
-- One row for each kind of finding; example: the text of the latest one.
WITH placed AS (
  SELECT n.id AS id, n.severity AS severity, f.host AS host, n.file_id AS file_id, f.time AS time, n.text AS text,
         row_number() OVER (PARTITION BY n.id, n.severity ORDER BY f.time DESC, n.file_id, n.text) AS place
    FROM findings AS n JOIN files AS f ON f.file_id = n.file_id)
SELECT id, severity, count(DISTINCT host) AS hosts, count(DISTINCT file_id) AS recordings, count(*) AS findings_in_all,
       min(time) AS first_recording, max(time) AS last_recording, max(CASE WHEN place = 1 THEN text END) AS example
  FROM placed GROUP BY id, severity ORDER BY hosts DESC, findings_in_all DESC, id;
