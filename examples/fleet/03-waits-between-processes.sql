-- SPDX-License-Identifier: BSD-2-Clause
-- Which process waited for which other one, and how long?
-- kind job: its jobs waited in the queue for fences of the other's jobs; thread: its threads slept until the other's job was done.
-- Programs are told apart by name, over all hosts. Waits for fences of no job in the same recording are not here.
WITH waits AS (
  SELECT 'job' AS kind, d.file_id AS file_id, d.context AS context, d.seqno AS seqno, d.dep_context AS dep_context,
         d.dep_seqno AS dep_seqno, d.wait_ns AS ns FROM deps AS d WHERE d.wait_ns IS NOT NULL),
of_jobs AS (
  SELECT w.kind AS kind, w.file_id AS file_id, j.host AS host, j.process AS waiter, j.comm AS waiter_comm,
         w.dep_context AS dep_context, w.dep_seqno AS dep_seqno, w.ns AS ns
    FROM waits AS w JOIN jobs AS j ON j.file_id = w.file_id AND j.context = w.context AND j.seqno = w.seqno
  UNION ALL
  SELECT 'thread' AS kind, c.file_id AS file_id, c.host AS host, c.process AS waiter, c.comm AS waiter_comm,
         c.context AS dep_context, c.seqno AS dep_seqno, c.duration_ns AS ns
    FROM calls AS c WHERE c.kind = 'wait' AND c.context IS NOT NULL AND c.duration_ns IS NOT NULL)
SELECT w.kind AS kind, w.waiter_comm AS waiter, o.comm AS waited_for, count(DISTINCT w.host) AS hosts, count(*) AS waits,
       sum(w.ns) AS wait_ns, max(w.ns) AS longest_ns
  FROM of_jobs AS w JOIN jobs AS o ON o.file_id = w.file_id AND o.context = w.dep_context AND o.seqno = w.dep_seqno
 WHERE o.process <> w.waiter
 GROUP BY w.kind, w.waiter_comm, o.comm ORDER BY wait_ns DESC, kind, waiter, waited_for;
