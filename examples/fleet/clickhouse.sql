-- SPDX-License-Identifier: BSD-2-Clause
-- Views over what `xtr export -f parquet -o fleet ...` wrote, for ClickHouse; run clickhouse-local where the directory `fleet`
-- is. A server looks for it in its own user_files; there, or in object storage, only what stands in file() differs.
SET use_hive_partitioning = 1;
SET schema_inference_mode = 'union';
SET join_use_nulls = 1;
SET cast_keep_nullable = 1;
CREATE VIEW jobs AS SELECT * FROM file('fleet/table=jobs/**/*.parquet', Parquet);
CREATE VIEW deps AS SELECT * FROM file('fleet/table=deps/**/*.parquet', Parquet);
CREATE VIEW rings AS SELECT * FROM file('fleet/table=rings/**/*.parquet', Parquet);
CREATE VIEW devices AS SELECT * FROM file('fleet/table=devices/**/*.parquet', Parquet);
CREATE VIEW processes AS SELECT * FROM file('fleet/table=processes/**/*.parquet', Parquet);
CREATE VIEW labels AS SELECT * FROM file('fleet/table=labels/**/*.parquet', Parquet);
CREATE VIEW losses AS SELECT * FROM file('fleet/table=losses/**/*.parquet', Parquet);
CREATE VIEW files AS SELECT * FROM file('fleet/table=files/**/*.parquet', Parquet);

-- How long each recording lasted in each hour that it touches. (Nullable: of other types lead() has no NULL behind the last.)
CREATE VIEW file_hours AS
  WITH spans AS (
    SELECT file_id, host, assumeNotNull(first_ns + realtime_offset_ns) AS from_ns, assumeNotNull(last_ns + realtime_offset_ns) AS to_ns
      FROM files WHERE first_ns IS NOT NULL AND last_ns IS NOT NULL AND realtime_offset_ns IS NOT NULL),
  hours AS (
    SELECT file_id, host, from_ns, to_ns, arrayJoin(range(intDiv(from_ns, 3600000000000), intDiv(to_ns, 3600000000000) + 1)) AS h FROM spans)
  SELECT file_id, host, toNullable(toDateTime(h * 3600, 'UTC')) AS hour,
         least(to_ns, (h + 1) * 3600000000000) - greatest(from_ns, h * 3600000000000) AS recorded_ns FROM hours;

-- Last, as there are no such tables where all was exported with --jobs-only: questions 3 and 11 need them.
CREATE VIEW calls AS SELECT * FROM file('fleet/table=calls/**/*.parquet', Parquet);
CREATE VIEW findings AS SELECT * FROM file('fleet/table=findings/**/*.parquet', Parquet);
