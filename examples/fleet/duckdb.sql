-- SPDX-License-Identifier: BSD-2-Clause
-- Views over what `xtr export -f parquet -o fleet ...` wrote, for DuckDB; run where the directory `fleet` is.
-- Times are UTC without a time zone, so that hours are the same whatever the zone of the session.
CREATE VIEW jobs AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=jobs/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW deps AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=deps/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW rings AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=rings/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW devices AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=devices/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW processes AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=processes/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW labels AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=labels/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW losses AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=losses/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW files AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=files/**/*.parquet', hive_partitioning = true, union_by_name = true);

-- How long each recording lasted in each hour that it touches.
CREATE VIEW file_hours AS
  WITH spans AS (
    SELECT file_id, host, first_ns + realtime_offset_ns AS from_ns, last_ns + realtime_offset_ns AS to_ns FROM files
     WHERE first_ns IS NOT NULL AND last_ns IS NOT NULL AND realtime_offset_ns IS NOT NULL),
  hours AS (
    SELECT file_id, host, from_ns, to_ns, unnest(range(from_ns // 3600000000000, to_ns // 3600000000000 + 1)) AS h FROM spans)
  SELECT file_id, host, make_timestamp(h * 3600000000) AS hour,
         least(to_ns, (h + 1) * 3600000000000) - greatest(from_ns, h * 3600000000000) AS recorded_ns FROM hours;

-- Last, as there are no such tables where all was exported with --jobs-only: questions 3 and 11 need them.
CREATE VIEW calls AS SELECT * REPLACE (make_timestamp(epoch_us(time)) AS time)
  FROM read_parquet('fleet/table=calls/**/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE VIEW findings AS SELECT *
  FROM read_parquet('fleet/table=findings/**/*.parquet', hive_partitioning = true, union_by_name = true);
