-- SPDX-License-Identifier: BSD-2-Clause
-- Which hosts lost events, why, and how many of those that happened?
-- `filtered` and `aged` were left out on purpose and are no losses. A host with losses: larger buffers, or fewer events.
WITH lost AS (
  SELECT host, cause, sum(count) AS n, count(DISTINCT file_id) AS recordings, count(DISTINCT event) AS kinds
    FROM losses WHERE cause NOT IN ('filtered', 'aged') GROUP BY host, cause),
happened AS (SELECT host, sum(events) + sum(lost) AS n, count(*) AS recordings FROM files GROUP BY host)
SELECT l.host AS host, l.cause AS cause, l.n AS lost_events, h.n AS events_that_happened,
       round(1000000.0 * l.n / h.n) AS lost_ppm, l.recordings AS recordings_with_losses, h.recordings AS recordings, l.kinds AS kinds_of_events
  FROM lost AS l JOIN happened AS h ON h.host = l.host
 ORDER BY lost_events DESC, host, cause;
