-- SPDX-License-Identifier: BSD-2-Clause
-- Which hosts reported nothing for an hour or more, and which recordings ended abnormally?
-- silent: no recording of the host touches the hours from begins to ends, while the fleet was recorded. broke off: the recorder
-- was killed, or the machine went down; what there is was recovered. no events: it ran, and nothing happened that it records.
WITH present AS (SELECT DISTINCT host, hour FROM file_hours),
fleet AS (SELECT max(hour) AS last_hour FROM present),
following AS (
  SELECT host, hour, lead(hour) OVER (PARTITION BY host ORDER BY hour) AS next_hour FROM present),
holes AS (
  SELECT f.host AS host, f.hour + INTERVAL 1 HOUR AS begins, coalesce(f.next_hour, x.last_hour + INTERVAL 1 HOUR) AS ends
    FROM following AS f CROSS JOIN fleet AS x),
told AS (
  SELECT 'silent' AS what, host, begins, ends, NULL AS file_id FROM holes WHERE begins < ends
  UNION ALL
  SELECT 'broke off' AS what, host, time AS begins, NULL AS ends, file_id FROM files WHERE closed = 0
  UNION ALL
  SELECT 'no events' AS what, host, time AS begins, NULL AS ends, file_id FROM files WHERE events = 0)
SELECT what, host, begins, ends, file_id FROM told ORDER BY what, host, begins, file_id;
