// SPDX-License-Identifier: BSD-2-Clause
// Runs files of SQL in an engine, one behind the other: a line of JSON for each, with the columns and rows of its last statement.
// usage: node ask.mjs duckdb|clickhouse FILE...        in the directory that has `fleet`; THREADS, MEMORY
import fs from 'node:fs';

const THREADS = process.env.THREADS || '2';
const MEMORY = process.env.MEMORY || '4GB';
const plain = (v) => (typeof v === 'bigint' ? (v <= Number.MAX_SAFE_INTEGER && v >= -Number.MAX_SAFE_INTEGER ? Number(v) : `${v}`)
  : v === undefined || v === null || ['number', 'string', 'boolean'].includes(typeof v) ? v ?? null : plainObject(v));
// Of DuckDB: a decimal has a value and a scale, a time its own words.
const plainObject = (v) => ('scale' in v ? Number(v.value) / 10 ** v.scale : `${v}`);

// Statements end with a semicolon at the end of a line; what stands behind two dashes says nothing.
const statements = (path) => fs.readFileSync(path, 'utf8').replace(/^\s*--.*$/gm, '').split(/;\s*$/m).filter((s) => s.trim());

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const db = await (await DuckDBInstance.create(':memory:', { threads: THREADS, memory_limit: MEMORY })).connect();
  const ask = async (sql) => {
    const found = await db.runAndReadAll(sql);
    return { names: found.columnNames(), rows: found.getRows().map((r) => r.map(plain)) };
  };
  return { version: (await ask('SELECT version()')).rows[0][0], ask };
}

async function clickhouse() {
  const { Session } = await import('chdb');
  const db = new Session();
  db.query(`SET max_threads = ${THREADS}`);
  const ask = async (sql) => {
    if (!/^\s*(SELECT|WITH)\b/.test(sql)) {
      db.query(sql);
      return {};
    }
    const found = JSON.parse(db.query(`${sql} SETTINGS output_format_json_quote_64bit_integers = 0`, 'JSONCompact'));
    return { names: found.meta.map((m) => m.name), rows: found.data };
  };
  return { version: (await ask('SELECT version()')).rows[0][0], ask, end: () => db.close() };
}

const [name, ...paths] = process.argv.slice(2);
const engine = await { duckdb, clickhouse }[name]();
for (const path of paths) {
  const start = process.hrtime.bigint();
  const before = process.cpuUsage();
  let found = {};
  try {
    for (const sql of statements(path)) found = await engine.ask(sql);
  } catch (e) {
    found = { error: `${e.message}` };
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(before);
  fs.writeSync(1, `${JSON.stringify({ path, engine: engine.version, seconds, cpu: (user + system) / 1e6, ...found })}\n`);
}
engine.end?.();
process.exit(0);
